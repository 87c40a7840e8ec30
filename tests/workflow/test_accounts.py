"""Signing in, staying signed in, and being kept out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from argon2 import Type
from sqlmodel import select

from db.engine import Store
from db.tables import AnnotationRow, FailedLoginRow, PersonRow, SessionRow, TaskRow
from domain.errors import AlreadyTakenError, ConflictError, InvalidInputError, NotAllowedError, NotFoundError
from domain.records import Person, TaskView
from domain.roles import Role
from domain.states import Stage, TaskState
from testkit.factories import claimed, make_items, make_people, make_person, make_project, vote
from testkit.passwords import REAL
from workflow.access import accounts, sign_in
from workflow.access.memberships import list_members, remove_member, set_member
from workflow.annotate import claims

pytestmark = pytest.mark.both_databases

GOOD = "correct horse battery"


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **passed: float) -> None:
        self.now += timedelta(**passed)


@pytest.fixture
def clock(store: Store) -> Clock:
    store.clock = Clock()
    return store.clock


@pytest.mark.one_database
def test_guessing_a_password_is_expensive() -> None:
    """At least what OWASP's Password Storage Cheat Sheet asks of Argon2id: 19 MiB and two passes."""
    assert REAL.type is Type.ID
    assert REAL.memory_cost >= 19 * 1024
    assert REAL.time_cost >= 2


def test_a_password_signs_in_whatever_the_case_of_the_login(store: Store) -> None:
    ann = accounts.create_person(store, login=" Ann ", name="Ann", password=GOOD)
    assert sign_in.authenticate(store, login="ANN", password=GOOD) == ann
    with store.read() as session:
        stored = session.exec(select(PersonRow)).one()
    assert stored.password_hash is not None
    assert stored.password_hash.startswith("$argon2id$")


@pytest.mark.one_database
def test_every_failure_has_the_same_sentence(store: Store) -> None:
    accounts.create_person(store, login="ann", name="Ann", password=GOOD)
    accounts.create_person(store, login="bob", name="Bob")
    accounts.create_person(store, login="cy", name="Cy", password=GOOD)
    accounts.set_active(store, login="cy", active=False)
    sentences = set()
    for login, password in [("ann", "wrong one"), ("nobody", GOOD), ("bob", ""), ("bob", GOOD), ("cy", GOOD)]:
        with pytest.raises(NotAllowedError) as refusal:
            sign_in.authenticate(store, login=login, password=password)
        sentences.add(str(refusal.value))
    assert len(sentences) == 1


@pytest.mark.one_database
def test_failures_slow_down_the_next_attempt_and_time_mends_it(store: Store, clock: Clock) -> None:
    accounts.create_person(store, login="ann", name="Ann", password=GOOD)
    for _ in range(sign_in.FREE_FAILURES + 3):
        with pytest.raises(NotAllowedError):
            sign_in.authenticate(store, login="ann", password="guess again")
        clock.advance(seconds=1)
    with pytest.raises(NotAllowedError):
        sign_in.authenticate(store, login="ann", password=GOOD)
    clock.advance(minutes=6)
    assert sign_in.authenticate(store, login="ann", password=GOOD).login == "ann"
    assert sign_in.authenticate(store, login="ann", password=GOOD).login == "ann"


def test_parallel_guesses_are_counted(store: Store, clock: Clock) -> None:
    accounts.create_person(store, login="ann", name="Ann", password=GOOD)

    def guess(_: int) -> None:
        with pytest.raises(NotAllowedError):
            sign_in.authenticate(store, login="ann", password="guess again")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(guess, range(8)))
    with pytest.raises(NotAllowedError):
        sign_in.authenticate(store, login="ann", password=GOOD)


def test_a_session_lasts_thirty_days_and_is_stored_as_a_hash(store: Store, clock: Clock) -> None:
    ann = accounts.create_person(store, login="ann", name="Ann", password=GOOD)
    token, other = sign_in.start_session(store, person=ann), sign_in.start_session(store, person=ann)
    here, there = sign_in.signed_in(store, token=token), sign_in.signed_in(store, token=other)
    assert here is not None
    assert there is not None
    assert here.person == ann
    assert here.csrf != there.csrf
    with store.read() as session:
        rows = session.exec(select(SessionRow)).all()
    assert token not in repr(rows)
    clock.advance(days=29, hours=23)
    assert sign_in.signed_in(store, token=token) is not None
    clock.advance(hours=2)
    assert sign_in.signed_in(store, token=token) is None


@pytest.mark.one_database
@pytest.mark.parametrize("token", ["", "forged", "x" * 10_000])
def test_a_forged_token_is_no_one(store: Store, token: str) -> None:
    assert sign_in.signed_in(store, token=token) is None


def test_signing_out_a_new_password_and_deactivation_end_sessions(store: Store) -> None:
    ann = accounts.create_person(store, login="ann", name="Ann", password=GOOD)
    first, second, third = (sign_in.start_session(store, person=ann) for _ in range(3))
    sign_in.end_session(store, token=first)
    assert sign_in.signed_in(store, token=first) is None
    assert sign_in.signed_in(store, token=second) is not None
    accounts.set_password(store, login="ann", password="another long one")
    assert sign_in.signed_in(store, token=second) is None
    third = sign_in.start_session(store, person=ann)
    accounts.set_active(store, login="ann", active=False)
    assert sign_in.signed_in(store, token=third) is None


@pytest.mark.one_database
def test_a_sign_in_link_works_once_and_for_a_day(store: Store, clock: Clock) -> None:
    ann = accounts.create_person(store, login="ann", name="Ann")
    token = sign_in.make_sign_in_link(store, person=ann)
    assert sign_in.use_sign_in_link(store, token=token) == ann
    with pytest.raises(NotAllowedError):
        sign_in.use_sign_in_link(store, token=token)
    late = sign_in.make_sign_in_link(store, person=ann)
    clock.advance(hours=25)
    with pytest.raises(NotAllowedError):
        sign_in.use_sign_in_link(store, token=late)


def test_the_first_admin_gets_a_random_password_once(store: Store) -> None:
    password = accounts.ensure_first_admin(store)
    assert password is not None
    assert len(password) >= 16
    assert sign_in.authenticate(store, login="admin", password=password).is_admin
    assert accounts.ensure_first_admin(store) is None


def test_two_accounts_cannot_share_a_login(store: Store) -> None:
    accounts.create_person(store, login="ann", name="Ann")
    with pytest.raises(AlreadyTakenError):
        accounts.create_person(store, login="ANN", name="Another Ann")


@pytest.mark.one_database
@pytest.mark.parametrize(
    ("login", "name", "password", "named"),
    [("", "A", None, "login"), ("a b", "A", None, "login"), ("a", " ", None, "name"), ("a", "A", "short", "password")],
)
def test_a_form_that_does_not_fit_is_refused(
    store: Store, login: str, name: str, password: str | None, named: str
) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        accounts.create_person(store, login=login, name=name, password=password)
    assert [problem.name for problem in refusal.value.problems] == [named]


def test_old_failures_are_thrown_away_when_someone_signs_in(store: Store, clock: Clock) -> None:
    accounts.create_person(store, login="ann", name="Ann", password=GOOD)
    for login in ("eve", "mallory", "ann"):
        with pytest.raises(NotAllowedError):
            sign_in.authenticate(store, login=login, password="guess again")
    clock.advance(hours=1)
    with pytest.raises(NotAllowedError):
        sign_in.authenticate(store, login="trudy", password="guess again")
    sign_in.authenticate(store, login="ann", password=GOOD)
    with store.read() as session:
        assert session.exec(select(FailedLoginRow.login)).all() == ["trudy"]


def test_deactivation_gives_back_what_is_in_hand_and_keeps_every_vote(store: Store) -> None:
    make_project(store)
    make_items(store, 3)
    ann, ben, cy = make_people(store, "ann", "ben", "cy")
    token, link = sign_in.start_session(store, person=ann), sign_in.make_sign_in_link(store, person=ann)
    first = vote(store, ann)
    held = claimed(store, ann)
    accounts.set_active(store, login="ann", active=False)
    assert sign_in.signed_in(store, token=token) is None
    with pytest.raises(NotAllowedError):
        sign_in.use_sign_in_link(store, token=link)
    with store.read() as session:
        rows = {row.public_id: row for row in session.exec(select(TaskRow))}
        votes = session.exec(select(AnnotationRow.person_id, AnnotationRow.task_id)).all()
    assert (rows[first.id].state, rows[first.id].person_id) == (TaskState.DONE, ann.id)
    assert votes == [(ann.id, rows[first.id].id)]
    assert (rows[held.id].state, rows[held.id].person_id) == (TaskState.OPEN, None)
    # Two others fill what is left: two slots of three items, less the one that Ann has filled.
    assert [_votes_until_nothing_is_left(store, person) for person in (ben, cy)] == [3, 2]
    accounts.set_active(store, login="ann", active=True)
    sign_in.use_sign_in_link(store, token=sign_in.make_sign_in_link(store, person=ann))


@pytest.mark.one_database
def test_the_last_lead_the_last_admin_and_oneself_stay(store: Store) -> None:
    make_project(store)
    root = accounts.create_person(store, login="root", name="Root", is_admin=True)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann = make_person(store, "ann")
    for by, login, refusal in (
        (None, "root", ConflictError),
        (root, "root", ConflictError),
        (root, "lea", ConflictError),
        (lea, "lea", ConflictError),
        (lea, "root", NotAllowedError),
        (ann, "lea", NotAllowedError),
    ):
        with pytest.raises(refusal):
            accounts.set_active(store, login=login, active=False, by=by)
    make_project(store, name="other")
    set_member(store, by=None, project="other", login="ann", role=Role.ANNOTATOR)
    with pytest.raises(NotAllowedError):  # Ann works in a project that Lea does not lead
        accounts.set_active(store, login="ann", active=False, by=lea)
    accounts.set_active(store, login="ann", active=False, by=root)


def test_a_project_keeps_a_lead(store: Store) -> None:
    make_project(store)
    lea, ann = make_person(store, "lea", role=Role.LEAD), make_person(store, "ann")
    set_member(store, by=lea, project="p", login="lea", role=Role.LEAD, stages=[Stage.VERIFICATION])
    for by in (lea, None):  # None is the command line
        with pytest.raises(ConflictError, match="Lea is the last active lead of 'p'"):
            set_member(store, by=by, project="p", login="lea", role=Role.SENIOR)
        with pytest.raises(ConflictError, match="last active lead"):
            remove_member(store, by=by, project="p", login="lea")
    assert [(each.person.login, each.role) for each in list_members(store, person=lea, project="p")] == [
        ("ann", Role.ANNOTATOR),
        ("lea", Role.LEAD),
    ]
    set_member(store, by=lea, project="p", login="ann", role=Role.LEAD)
    accounts.set_active(store, login="ann", active=False)  # who cannot sign in leads nothing
    with pytest.raises(ConflictError):
        set_member(store, by=lea, project="p", login="lea", role=Role.ANNOTATOR)
    accounts.set_active(store, login="ann", active=True)
    set_member(store, by=lea, project="p", login="lea", role=Role.ANNOTATOR)
    remove_member(store, by=ann, project="p", login="lea")
    assert [each.person.login for each in list_members(store, person=ann, project="p")] == ["ann"]


@pytest.mark.parametrize("act", ["demote", "remove", "deactivate", "deactivate admins"])
def test_two_at_once_leave_one(store: Store, act: str) -> None:
    make_project(store)
    admins = act == "deactivate admins"
    if admins:
        pair = [accounts.create_person(store, login=name, name=name, is_admin=True) for name in ("lea", "mia")]
    else:
        pair = [make_person(store, name, role=Role.LEAD) for name in ("lea", "mia")]

    def against(by: Person, other: Person) -> bool:
        try:
            if act == "demote":
                set_member(store, by=by, project="p", login=other.login, role=Role.ANNOTATOR)
            elif act == "remove":
                remove_member(store, by=by, project="p", login=other.login)
            else:
                accounts.set_active(store, login=other.login, active=False, by=by)
        except (ConflictError, NotAllowedError, NotFoundError):
            return False
        return True

    for _ in range(5):
        with ThreadPoolExecutor(2) as threads:
            lea, mia = pair
            done = list(threads.map(against, (lea, mia), (mia, lea)))
        assert done.count(True) == 1
        winner, loser = (lea, mia) if done[0] else (mia, lea)
        if admins or act == "deactivate":
            accounts.set_active(store, login=loser.login, active=True, by=winner)
        else:
            set_member(store, by=winner, project="p", login=loser.login, role=Role.LEAD)


def _votes_until_nothing_is_left(store: Store, person: Person) -> int:
    n = 0
    while isinstance(claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION), TaskView):
        vote(store, person)
        n += 1
    return n
