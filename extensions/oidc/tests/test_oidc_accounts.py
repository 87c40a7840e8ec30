"""The account of an identity, and its roles after each sign-in."""

from __future__ import annotations

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain.errors import AlreadyTakenError, NotAllowedError
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from extensions.oidc import accounts as oidc
from extensions.oidc.settings import OidcSettings
from workflow.access import accounts, audit, memberships, projects, sign_in

ISSUER = "https://sso.example.org"
ROLES = "admins=admin; team=tiny:annotator; leads=tiny:lead; staff=member"


def tiny(store: Store, *, name: str = "tiny") -> None:
    """A project without members."""
    projects.create_project(store, name=name, loaded=load_schema(shipped()["demo"]))


def _settings(accounts: str = "all", roles: str = ROLES) -> OidcSettings:
    return OidcSettings(oidc_issuer=ISSUER, oidc_client_id="t", oidc_accounts=accounts, oidc_roles=roles)


def _enter(store: Store, *groups: str, sub: str = "1", settings: OidcSettings | None = None, **more: str) -> Person:
    settings = settings or _settings()
    invitation = more.pop("invitation", "")
    claims = {"iss": ISSUER, "sub": sub, "preferred_username": "anna", "groups": list(groups), **more}
    return oidc.sign_in(store, identity=oidc.identity_of(claims, settings), settings=settings, invitation=invitation)


def _roles(store: Store, project: str = "tiny") -> dict[str, str]:
    members = memberships.list_members(store, person=None, project=project)
    return {member.person.login: member.role.value for member in members}


def _events(store: Store, *kinds: str) -> list[tuple[str, object]]:
    found = audit.entries(store, by=None, project=None, kinds=kinds)
    return [(event.kind, (event.data or {}).get("reason")) for event in reversed(found)]


@pytest.mark.parametrize(
    ("accounts", "groups", "is_made"),
    [
        ("invited", ["team"], False),
        ("mapped", ["team"], True),
        ("mapped", ["staff"], True),
        ("mapped", ["stranger"], False),
        ("mapped", [], False),
        ("all", [], True),
    ],
)
def test_who_gets_an_account(store: Store, accounts: str, groups: list[str], is_made: bool) -> None:
    tiny(store)
    settings = _settings(accounts)
    if is_made:
        assert _enter(store, *groups, settings=settings).login == "anna"
        return
    with pytest.raises(NotAllowedError, match="ask an admin to link your account to the identity 1"):
        _enter(store, *groups, settings=settings)


def test_an_invitation_makes_an_account_once(store: Store) -> None:
    tiny(store)
    settings = _settings("invited", roles="")
    token = accounts.invite(store, by=None, project="tiny", role=Role.SENIOR)
    assert _enter(store, settings=settings, invitation=token).login == "anna"
    assert _roles(store)["anna"] == "senior"
    with pytest.raises(NotAllowedError, match="already been used"):
        _enter(store, settings=settings, sub="2", invitation=token)
    assert _enter(store, settings=settings).login == "anna"


@pytest.mark.both_databases
def test_an_email_or_a_login_never_finds_an_account(store: Store) -> None:
    """The one that an attacker would like to take over has the same login and address."""
    tiny(store)
    accounts.create_person(store, login="anna", name="Anna", is_admin=True)
    stranger = _enter(store, sub="evil", email="anna@example.org")
    assert (stranger.login, stranger.is_admin) == ("anna-2", False)
    assert _enter(store, sub="evil").login == "anna-2"


def test_only_the_command_links_an_account(store: Store) -> None:
    tiny(store)
    accounts.create_person(store, login="ana", name="Ana")
    oidc.link(store, login="Ana ", issuer=ISSUER, subject="7")
    assert _enter(store, sub="7").login == "ana"
    with pytest.raises(AlreadyTakenError):
        oidc.link(store, login="ana", issuer=ISSUER, subject="7")
    assert oidc.unlink(store, login="ana") == 1
    with pytest.raises(NotAllowedError):
        _enter(store, sub="7", settings=_settings("invited"))


def test_the_same_subject_of_another_issuer_is_another_person(store: Store) -> None:
    tiny(store)
    assert _enter(store).login == "anna"
    assert _enter(store, iss="https://other.example.org").login == "anna-2"


def test_a_deactivated_account_stays_out(store: Store) -> None:
    tiny(store)
    _enter(store)
    accounts.set_active(store, login="anna", active=False)
    with pytest.raises(NotAllowedError, match="deactivated"):
        _enter(store, "leads")
    assert "anna" not in _roles(store)


@pytest.mark.both_databases
def test_roles_follow_the_claims_at_each_sign_in(store: Store) -> None:
    tiny(store)
    accounts.create_person(store, login="root", name="Root", is_admin=True)
    memberships.set_member(store, by=None, project="tiny", login="root", role=Role.LEAD)
    before = len(_events(store, "member."))
    assert not _enter(store, "team").is_admin
    assert _roles(store)["anna"] == "annotator"
    assert _enter(store, "team", "admins").is_admin
    _enter(store, "leads")
    assert _roles(store)["anna"] == "lead"
    assert not _enter(store, "team").is_admin
    _enter(store)
    assert "anna" not in _roles(store)
    assert _events(store, "member.")[before:] == [
        *[("member.set", "claims")] * 3,
        ("member.removed", "claims"),
    ]
    assert _events(store, "person.admin_given", "person.admin_taken") == [
        ("person.admin_given", "claims"),
        ("person.admin_taken", "claims"),
    ]


def test_a_role_that_was_given_by_hand_stays(store: Store) -> None:
    tiny(store)
    tiny(store, name="other")
    _enter(store)
    for project in ("tiny", "other"):
        memberships.set_member(
            store, by=None, project=project, login="anna", role=Role.SENIOR, stages=[Stage.VERIFICATION]
        )
    _enter(store)
    assert (_roles(store)["anna"], _roles(store, "other")["anna"]) == ("senior", "senior")
    # Claims give another role, within the same stages, and take it away again.
    _enter(store, "team")
    member = memberships.list_members(store, person=None, project="tiny")[0]
    assert (member.role, member.stages) == (Role.ANNOTATOR, (Stage.VERIFICATION,))
    _enter(store)
    assert (_roles(store), _roles(store, "other")["anna"]) == ({}, "senior")
    # A lead changes what claims gave: the change stays when claims give nothing.
    _enter(store, "team")
    memberships.set_member(store, by=None, project="tiny", login="anna", role=Role.SENIOR)
    _enter(store)
    assert _roles(store)["anna"] == "senior"


def test_an_invited_person_and_an_admin_keep_what_people_gave_them(store: Store) -> None:
    tiny(store)
    token = accounts.invite(store, by=None, project="tiny", role=Role.SENIOR)
    _enter(store, invitation=token)
    assert _roles(store)["anna"] == "senior"
    accounts.create_person(store, login="root", name="Root", is_admin=True)
    oidc.link(store, login="root", issuer=ISSUER, subject="7")
    assert _enter(store, sub="7").is_admin
    assert _enter(store, "admins", sub="7").is_admin


def test_without_a_mapping_claims_change_nothing(store: Store) -> None:
    tiny(store)
    accounts.create_person(store, login="ana", name="Ana", is_admin=True)
    oidc.link(store, login="ana", issuer=ISSUER, subject="1")
    assert _enter(store, settings=_settings(roles="")).is_admin


def test_the_last_admin_and_the_last_lead_keep_their_role(store: Store) -> None:
    tiny(store)
    _enter(store, "leads", "admins")
    for _ in range(2):
        assert _enter(store).is_admin
        assert _roles(store)["anna"] == "lead"
    kept = [("member.role_kept", "claims"), ("person.admin_kept", "claims")]
    assert _events(store, "person.admin_kept", "member.role_kept") == kept * 2
    # Once there are others, the claims take effect.
    accounts.create_person(store, login="root", name="Root", is_admin=True)
    memberships.set_member(store, by=None, project="tiny", login="root", role=Role.LEAD)
    assert not _enter(store).is_admin
    assert set(_roles(store)) == {"root"}


def test_a_mapped_project_that_does_not_exist_stops_nobody(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    assert _enter(store, "team", settings=_settings(roles="team=gone:lead")).login == "anna"
    assert "There is no project 'gone'" in caplog.text
    assert projects.all_projects(store) == []


@pytest.mark.parametrize(
    ("claims", "login", "name"),
    [
        ({"preferred_username": "  Anna B ", "name": "Anna\nB"}, "annab", "AnnaB"),
        ({"preferred_username": 7, "email": "anna@x.org"}, "anna@x.org", "anna@x.org"),
        ({"preferred_username": "\u202e"}, "person", "person"),
        ({"preferred_username": "x" * 300, "name": "y" * 300}, "x" * 90, "y" * 200),
        ({}, "1", "1"),
    ],
)
def test_the_login_and_the_name_of_a_new_account(
    store: Store, claims: dict[str, object], login: str, name: str
) -> None:
    identity = oidc.identity_of({"iss": ISSUER, "sub": "1", **claims}, _settings())
    assert (identity.login, identity.name) == (login, name)
    person = oidc.sign_in(store, identity=identity, settings=_settings(roles=""))
    assert sign_in.signed_in(store, token=sign_in.start_session(store, person=person)) is not None
