"""Projects, their people, and who may do what: one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from db.engine import Store
from domain.errors import (
    AlreadyTakenError,
    ConflictError,
    InvalidInputError,
    NotAllowedError,
    NotFoundError,
    TouchstoneError,
)
from domain.records import NoTask, Person
from domain.roles import Role
from domain.states import Stage
from testkit.factories import make_items, make_person, make_pool, make_project, make_schema
from workflow.access import accounts, memberships, projects
from workflow.annotate import authoring, claims, image_pool, progress, project_progress

PLACES = {
    "annotator": Role.ANNOTATOR,
    "senior": Role.SENIOR,
    "lead": Role.LEAD,
}


def nothing_or_fail(answer: Any) -> Any:
    if isinstance(answer, NoTask) and answer.code == "not_member":
        raise NotAllowedError(answer.sentence)
    return answer


ACTIONS: dict[str, tuple[Callable[[Store, Person], Any], set[str]]] = {
    "see the project": (lambda s, p: projects.project(s, person=p, project="p"), {"annotator", "senior", "lead"}),
    "verify": (
        lambda s, p: nothing_or_fail(claims.next_task(s, person=p, project="p", stage=Stage.VERIFICATION)),
        {"annotator", "senior", "lead"},
    ),
    "adjudicate": (
        lambda s, p: nothing_or_fail(claims.next_task(s, person=p, project="p", stage=Stage.ADJUDICATION)),
        {"senior", "lead"},
    ),
    "see the pool": (lambda s, p: image_pool.pool(s, person=p, project="p"), {"annotator", "senior", "lead"}),
    "progress": (
        lambda s, p: progress.progress(s, person=p, project="p", stage=Stage.VERIFICATION),
        {"annotator", "senior", "lead"},
    ),
    "edit an item": (
        lambda s, p: authoring.edit_item(
            s, person=p, project="p", item="colour/0", fields={"question": f"By {p.login}?"}
        ),
        {"senior", "lead"},
    ),
    "fill the pool": (lambda s, p: image_pool.add_to_pool(s, None, by=p, project="p", files=[]), {"lead"}),  # type: ignore[arg-type]
    "see the people": (lambda s, p: memberships.list_members(s, person=p, project="p"), {"lead"}),
    "set a member": (
        lambda s, p: memberships.set_member(s, by=p, project="p", login="annotator", role=Role.ANNOTATOR),
        {"lead"},
    ),
    "invite": (lambda s, p: accounts.invite(s, by=p, project="p", role=Role.ANNOTATOR), {"lead"}),
    "see open invitations": (lambda s, p: accounts.open_invitations(s, by=p, project="p"), {"lead"}),
    "dashboard": (lambda s, p: project_progress.dashboard(s, person=p, project="p"), {"lead"}),
    "remove a member": (lambda s, p: memberships.remove_member(s, by=p, project="p", login="annotator"), {"lead"}),
}


@pytest.mark.parametrize("who", [*PLACES, "stranger", "lead elsewhere", "admin"])
def test_who_may_do_what(store: Store, who: str) -> None:
    make_project(store)
    make_project(store, name="other")
    make_items(store)
    make_pool(store, 1)
    people = {name: make_person(store, name, role=role) for name, role in PLACES.items()}
    people["stranger"] = make_person(store, "stranger", project=None)
    people["lead elsewhere"] = make_person(store, "elsewhere", project="other", role=Role.LEAD)
    people["admin"] = accounts.create_person(store, login="root", name="Root", is_admin=True)
    for act, allowed in ACTIONS.values():
        if who in {*allowed, "admin"}:
            act(store, people[who])
            continue
        with pytest.raises(NotAllowedError if who in PLACES else NotFoundError) as refusal:
            act(store, people[who])
        assert isinstance(refusal.value, TouchstoneError)
        assert str(refusal.value).endswith(".")


def test_a_project_keeps_its_schema_as_it_was(store: Store) -> None:
    loaded = make_schema()
    view = projects.create_project(store, name="p", loaded=loaded, title="Mine", made_up=True)
    lee = make_person(store, "lee", role=Role.LEAD)
    again = projects.project(store, person=lee, project="p")
    assert (again.title, again.made_up, again.role) == ("Mine", True, Role.LEAD)
    assert again.schema == view.schema == loaded
    assert [each.name for each in projects.projects_of(store, person=lee)] == ["p"]


@pytest.mark.both_databases
def test_a_name_is_taken_once_and_must_be_plain(store: Store) -> None:
    make_project(store)
    with pytest.raises(AlreadyTakenError):
        make_project(store)
    for name in ("", "a b", "../up", "x" * 65):
        with pytest.raises(InvalidInputError):
            make_project(store, name=name)


def test_only_admins_make_projects_in_the_browser(store: Store) -> None:
    ann = make_person(store, "ann", project=None)
    root = accounts.create_person(store, login="root", name="Root", is_admin=True)
    with pytest.raises(NotAllowedError):
        projects.create_project(store, name="p", loaded=make_schema(), by=ann)
    assert projects.create_project(store, name="p", loaded=make_schema(), by=root).role is Role.LEAD


def test_unknown_dimensions_stages_and_logins_are_refused(store: Store) -> None:
    make_project(store)
    make_person(store, "ann")
    with pytest.raises(InvalidInputError):
        memberships.set_member(store, by=None, project="p", login="ann", role=Role.ANNOTATOR, dimensions=["smell"])
    with pytest.raises(InvalidInputError):
        memberships.set_member(store, by=None, project="p", login="ann", role=Role.ANNOTATOR, stages=[Stage.REFINEMENT])
    with pytest.raises(NotFoundError):
        memberships.set_member(store, by=None, project="p", login="nobody", role=Role.ANNOTATOR)


@pytest.mark.both_databases
def test_an_invitation_makes_an_account_and_a_member_once(store: Store) -> None:
    make_project(store)
    token = accounts.invite(store, by=None, project="p", role=Role.SENIOR, dimensions=["shape"])
    offered = accounts.invitation(store, token=token)
    assert offered is not None
    (open_,) = accounts.open_invitations(store, by=None, project="p")
    assert (open_.role, open_.dimensions, open_.by, open_.expires_at) == (
        "senior",
        ("shape",),
        None,
        offered.expires_at,
    )
    assert (offered.project, offered.role, offered.dimensions) == ("p", Role.SENIOR, ("shape",))
    make_person(store, "taken", project=None)
    with pytest.raises(AlreadyTakenError):
        accounts.accept_invitation(store, token=token, login="taken", name="T", password="long enough")
    sue = accounts.accept_invitation(store, token=token, login="sue", name="Sue", password="long enough")
    view = projects.project(store, person=sue, project="p")
    assert (view.role, view.dimensions) == (Role.SENIOR, ("shape",))
    assert accounts.invitation(store, token=token) is None
    with pytest.raises(NotAllowedError):
        accounts.accept_invitation(store, token=token, login="eve", name="Eve", password="long enough")
    assert accounts.open_invitations(store, by=None, project="p") == []


@pytest.mark.both_databases
def test_a_revoked_invitation_lets_nobody_in(store: Store) -> None:
    make_project(store)
    make_project(store, name="other")
    lea, elsewhere = (
        make_person(store, "lea", role=Role.LEAD),
        make_person(store, "lou", project="other", role=Role.LEAD),
    )
    token = accounts.invite(store, by=lea, project="p", role=Role.ANNOTATOR)
    (open_,) = accounts.open_invitations(store, by=lea, project="p")
    assert open_.by == lea.name
    with pytest.raises(ConflictError):
        accounts.revoke_invitation(store, by=elsewhere, project="other", id=open_.id)
    accounts.revoke_invitation(store, by=lea, project="p", id=open_.id)
    assert accounts.open_invitations(store, by=lea, project="p") == []
    with pytest.raises(NotAllowedError):
        accounts.accept_invitation(store, token=token, login="eve", name="Eve", password="long enough")
    with pytest.raises(ConflictError):
        accounts.revoke_invitation(store, by=lea, project="p", id=open_.id)
