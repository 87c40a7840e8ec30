"""In which order people get their items, and that looking for the next one does not grow with what they have passed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event, text

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db import queue_cursor
from db.engine import Store, open_store
from domain.errors import InvalidInputError, LeaseLostError, NotAllowedError, NotFoundError
from domain.policies import LEASE
from domain.records import NoTask, Person
from domain.roles import Role
from domain.states import Stage
from testkit.factories import (
    BLIND,
    Clock,
    claimed,
    make_items,
    make_people,
    make_person,
    make_project,
    make_schema,
    vote,
)
from workflow.annotate import claims, drafts, priorities, submissions
from workflow.annotate.progress import my_work, progress

pytestmark = pytest.mark.thorough


def ordered(order: str, *, raters: int = 2) -> LoadedSchema:
    """The blind schema whose votes are handed out in an order."""
    text = BLIND.replace("RATERS", f"{raters}\n    order: {order}").replace("PER_SOURCE", "2")
    return load_text(text.replace("ADJUDICATION", "none"), "Be exact.", "blind")


def number(view: object) -> int:
    """Which of the items it is, as they were made."""
    return int(str(view.fields["question"]).split()[1].rstrip("?"))  # type: ignore[attr-defined]


def votes(store: Store, person: Person, n: int) -> list[int]:
    """The items that a person gets, one after the other."""
    return [number(vote(store, person)) for _ in range(n)]


def left(store: Store, person: Person) -> str:
    """Why there is nothing for a person."""
    found = claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION)
    assert isinstance(found, NoTask), found
    return found.code


@contextmanager
def counted_statements(store: Store) -> Iterator[list[str]]:
    """What the database is asked meanwhile."""
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        asked.append(statement)

    event.listen(store.engine, "before_cursor_execute", note)
    yield asked
    event.remove(store.engine, "before_cursor_execute", note)


# ---- random ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", range(9))
def test_the_blocks_of_a_lap_come_once_each(bits: int) -> None:
    orders = []
    for seed in range(20):
        key = random.Random(seed).randbytes(32)
        orders.append([queue_cursor.block_at(turn, bits=bits, key=key) for turn in range(2**bits)])
        assert sorted(orders[-1]) == list(range(2**bits))
    if bits > 3:
        assert len({tuple(order) for order in orders}) > 15


@pytest.mark.both_databases
def test_a_random_order_follows_from_the_projects_seed(store: Store, tmp_path: Path) -> None:
    def order(place: Store, seed: int) -> list[int]:
        make_project(place, loaded=make_schema(raters=1))
        with place.write() as session:
            session.connection().execute(text(f"UPDATE project SET seed = {seed}"))
        make_items(place, 20)
        return votes(place, make_person(place, "ann"), 20)

    here = order(store, 7)
    there = []
    for seed in (7, 8):
        other = open_store(None, tmp_path / str(seed))
        other.upgrade()
        there.append(order(other, seed))
        other.close()
    assert here == there[0]
    assert here != there[1]
    assert sorted(here) == list(range(20))


@pytest.mark.both_databases
def test_everyone_gets_everything_once_whatever_the_others_do(store: Store) -> None:
    make_project(store, loaded=ordered("random", raters=3))
    people = make_people(store, "ann", "bob", "cy", "di")
    make_items(store, 20)
    chance = random.Random(3)
    had: dict[str, list[int]] = {person.login: [] for person in people}
    waiting = list(people)
    while waiting:
        person = chance.choice(waiting)
        found = claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION)
        if isinstance(found, NoTask):
            waiting.remove(person)
            continue
        had[person.login].append(number(found))
        submissions.submit(store, person=person, task=found.id, key=found.id, values={"choice": "red"})
    assert sorted(itertools.chain(*had.values())) == sorted([*range(20)] * 3)
    assert all(len(set(numbers)) == len(numbers) for numbers in had.values())


# ---- ranked ----------------------------------------------------------------------------------------------------------


def test_fewest_votes_first(store: Store) -> None:
    make_project(store, loaded=ordered("fewest_votes", raters=2))
    ann, bob, cy = make_people(store, "ann", "bob", "cy")
    make_items(store, 6)
    first = votes(store, ann, 4)
    assert set(votes(store, bob, 2)) == set(range(6)) - set(first), "no second vote while an item has none"
    make_items(store, 1)
    assert votes(store, bob, 1) == [6], "a new item has the fewest votes"
    assert set(votes(store, ann, 3)) == set(range(7)) - set(first)
    assert set(votes(store, cy, 4)) == set(first)


def test_what_is_given_back_comes_before_second_votes(store: Store) -> None:
    make_project(store, loaded=ordered("fewest_votes", raters=2))
    ann, bob = make_people(store, "ann", "bob")
    make_items(store, 5)
    given_back = claimed(store, ann)
    rest = votes(store, bob, 4)
    claims.release(store, person=ann, task=given_back.id)
    assert number(given_back) not in rest
    assert votes(store, bob, 1) == [number(given_back)]


def test_oldest_first(store: Store) -> None:
    make_project(store, loaded=ordered("oldest", raters=2))
    ann, bob = make_people(store, "ann", "bob")
    make_items(store, 5)
    assert votes(store, ann, 3) == [0, 1, 2]
    assert votes(store, bob, 5) == [0, 1, 2, 3, 4]
    make_items(store, 2)
    assert votes(store, ann, 4) == [3, 4, 5, 6]


@pytest.mark.both_databases
def test_priority_first_and_it_can_be_changed_while_people_work(store: Store) -> None:
    make_project(store, loaded=ordered("priority", raters=2))
    ann, bob = make_people(store, "ann", "bob")
    lead = make_person(store, "lea", role=Role.LEAD)
    make_items(store, 8)

    def prioritise(items: list[int], priority: int, by: Person | None = lead) -> int:
        names = [f"colour/{at}" for at in items]
        return priorities.set_priority(store, by=by, project="p", names=names, priority=priority)

    assert prioritise([5, 2], 10) == 2
    assert prioritise([5], 20) == 1
    assert prioritise([5], 20) == 0
    assert votes(store, ann, 2) == [5, 2]
    votes(store, ann, 2)
    assert prioritise([7], 5) + prioritise([0], 5) == 2
    expected = {0, 7} - {row[0] for row in stored(store, "ann")}
    assert set(votes(store, ann, len(expected))) == expected
    assert votes(store, bob, 2) == [5, 2]
    prioritise([5, 2, 0, 7], -1)
    rest = votes(store, bob, 6)
    assert set(rest[-2:]) == {0, 7}
    with pytest.raises(NotAllowedError):
        prioritise([1], 1, by=ann)
    with pytest.raises(NotFoundError):
        prioritise([99], 1)
    with pytest.raises(InvalidInputError):
        prioritise([1], 10**9)
    with store.read() as session:
        log = session.connection().execute(text("SELECT count(*) FROM event WHERE kind = 'item.prioritised'")).scalar()
    assert log == 2 + 1 + 2 + 4


def stored(store: Store, login: str) -> list[tuple[int]]:
    """The items on which a person voted, from the tables."""
    with store.read() as session:
        rows = session.connection().execute(
            text(
                "SELECT i.external_id FROM annotation a JOIN item i ON i.id = a.item_id"
                f" JOIN person p ON p.id = a.person_id WHERE p.login = '{login}'"
            )
        )
        return [(int(str(row[0]).split("/")[1]),) for row in rows]


def test_a_new_revision_keeps_its_items_priority(store: Store) -> None:
    from workflow.annotate.authoring import edit_item

    make_project(store, loaded=ordered("priority", raters=1))
    ann = make_person(store, "ann")
    make_items(store, 6)
    priorities.set_priority(store, by=None, project="p", names=["colour/4"], priority=3)
    edit_item(store, person=None, project="p", item="colour/4", fields={"question": "Question 44?"})
    assert votes(store, ann, 1) == [44]


# ---- what it costs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["random", "fewest_votes"])
def test_what_one_may_not_take_is_looked_at_once(store: Store, order: str) -> None:
    """A person who has voted on everything: the open second slots are passed once, and new items are still found."""
    make_project(store, loaded=ordered(order, raters=2))
    ann, bob = make_people(store, "ann", "bob")
    make_items(store, 100)
    votes(store, ann, 100)
    assert left(store, ann) == "waiting_for_others"
    with counted_statements(store) as asked:
        assert left(store, ann) == "waiting_for_others"
    assert sum("AS raw" in statement for statement in asked) <= 2
    make_items(store, 1)
    assert votes(store, ann, 1) == [100]
    mine = claimed(store, bob)
    claims.release(store, person=bob, task=mine.id)
    assert left(store, ann) == "waiting_for_others", "ann has voted on it"


# ---- putting off ----------------------------------------------------------------------------------------------------


def test_what_is_postponed_stays_mine_and_comes_after_the_rest(store: Store) -> None:
    clock = store.clock = Clock()
    make_project(store, loaded=make_schema(raters=1))
    ann, bob = make_people(store, "ann", "bob")
    make_items(store, 3)
    later = claimed(store, ann)
    drafts.save_draft(store, person=ann, task=later.id, seq=1, values={"note": "half a thought"})
    claims.postpone(store, person=ann, task=later.id)
    assert progress(store, person=ann, project="p", stage=Stage.VERIFICATION).mine_left == 3
    assert len({vote(store, ann).id, vote(store, ann).id} | {later.id}) == 3
    assert left(store, bob) == "waiting_for_others", "it is still ann's"
    again = claimed(store, ann)
    assert (again.id, again.postponed) == (later.id, True)
    assert again.draft is not None
    assert again.draft.values == {"note": "half a thought"}
    claims.postpone(store, person=ann, task=later.id)
    found = claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION, postponed=later.item)
    assert isinstance(found, NoTask)
    assert found.code == "postponed"
    clock.advance(seconds=LEASE.total_seconds() + 1)
    assert claimed(store, bob).id == later.id, "a lease ends, put off or not"


def test_what_is_postponed_can_be_taken_back_any_time(store: Store) -> None:
    make_project(store, loaded=make_schema(raters=1))
    ann, bob = make_people(store, "ann", "bob")
    make_items(store, 3)
    later = claimed(store, ann)
    claims.postpone(store, person=ann, task=later.id)
    other = claimed(store, ann)
    assert claims.take_back(store, person=ann, task=later.id) == ("p", Stage.VERIFICATION)
    assert claimed(store, ann).id == later.id
    assert vote(store, ann).id == later.id
    assert {claimed(store, ann).id, other.id} != {other.id}, "what was in hand is put off in its stead"
    with pytest.raises(NotFoundError):
        claims.take_back(store, person=bob, task=later.id)


def test_lost_text_goes_to_another_free_slot(store: Store) -> None:
    clock = store.clock = Clock()
    make_project(store, loaded=make_schema(raters=2))
    ann, bob, cy = make_people(store, "ann", "bob", "cy")
    make_items(store)
    mine = claimed(store, ann)
    clock.advance(minutes=31)
    assert claimed(store, bob).id == mine.id
    with pytest.raises(LeaseLostError):
        submissions.submit(store, person=ann, task=mine.id, key="late", values={"choice": "blue"}, note="long text")
    claims.take_back(store, person=ann, task=mine.id)
    other = claimed(store, ann)
    assert other.id != mine.id
    assert other.draft is not None
    assert other.draft.values["note"] == "long text"
    assert left(store, cy) == "waiting_for_others"
    claims.release(store, person=ann, task=other.id)
    claimed(store, cy)
    with pytest.raises(LeaseLostError):
        claims.take_back(store, person=ann, task=mine.id)


@pytest.mark.both_databases
def test_a_vote_that_is_taken_back_is_not_done(store: Store) -> None:
    make_project(store)
    make_items(store, 3)
    ann = make_person(store, "ann")

    def line() -> tuple[int, int]:
        now = progress(store, person=ann, project="p", stage=Stage.VERIFICATION)
        return now.mine_done, now.mine_left

    vote(store, ann)
    assert line() == (1, 2)
    submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    assert line() == (0, 3)
    row = next(
        row for row in my_work(store, person=ann) if row.stage is Stage.VERIFICATION and row.dimension == "colour"
    )
    assert (row.mine_done, row.waiting) == (0, 3)
    submissions.submit(store, person=ann, task=claimed(store, ann).id, key="again", values={"choice": "blue"})
    assert line() == (1, 2)
