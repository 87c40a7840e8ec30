"""People who ask for work, for the next task, for one more or only for what comes, get the same answer at each gate."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from sqlmodel import col, select

from annotation_schemas.loader import load_text
from db import items
from db.engine import Session, Store
from db.tables import DraftRow
from domain.errors import LeaseLostError, NotAllowedError
from domain.qualification import Standing
from domain.records import NoTask, Person, TaskView
from domain.roles import Role
from domain.states import Stage
from testkit.factories import BLIND, Clock, claimed, make_items, make_people, make_person, make_project, vote
from testkit.gold import assign_gold, make_gold
from testkit.missing_extensions import needs
from testkit.qualification import begin_try, make_set, needs_qualification, review_try
from workflow.access.memberships import set_member
from workflow.access.projects import Access, access_to
from workflow.annotate import (
    claims,
    gates,
    progress,
    submissions,
)

GOLD = "gold: {rate: 0.25, after: 1, warn_below: 0.9, stop_below: 0.5}"
TO_PASS = "qualification: {items: 1, reviewers: 1, pass_mark: 0.5}"
HERE: dict[str, Any] = {"project": "p", "stage": Stage.VERIFICATION}


@pytest.fixture
def clock(store: Store) -> Clock:
    store.clock = Clock()
    return store.clock


def begin(store: Store, more: str = "", n: int = 3) -> None:
    """A project with some items, one of them open for everyone's first vote."""
    text = BLIND.replace("RATERS", f"2\n    {more}").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))
    make_items(store, n)


def at_closed(store: Store, clock: Clock) -> Person:
    begin(store)
    return make_person(store, "ann", stages=[Stage.GRADING])


def at_in_hand(store: Store, clock: Clock) -> Person:
    begin(store)
    ann = make_person(store, "ann")
    claimed(store, ann)
    return ann


def at_qualified(store: Store, clock: Clock) -> Person:
    begin(store, TO_PASS)
    make_set(store)
    return make_person(store, "ann")


def at_stopped(store: Store, clock: Clock) -> Person:
    begin(store, GOLD, n=1)
    for person in make_people(store, "ulla", "vera"):
        vote(store, person, "red")
    make_items(store, 3)
    ann = make_person(store, "ann")
    answer_wrong(store, ann)
    return ann


def answer_wrong(store: Store, person: Person) -> None:
    """Make gold of the settled item and have a person answer it wrong, which stops them."""
    task = assign_gold(store, make_gold(store, "colour/0", {"choice": "red"}), person)
    submissions.submit(store, person=person, task=task, key="wrong", values={"choice": "blue"})


def at_free(store: Store, clock: Clock) -> Person:
    begin(store)
    return make_person(store, "ann")


def at_postponed(store: Store, clock: Clock) -> Person:
    begin(store, n=1)
    ann = make_person(store, "ann")
    claims.postpone(store, person=ann, task=claimed(store, ann).id)
    clock.advance(minutes=1)
    return ann


AT: dict[str, Callable[[Store, Clock], Person]] = {
    "closed": at_closed,
    "in hand": at_in_hand,
    "qualified": at_qualified,
    "stopped": at_stopped,
    "free": at_free,
    "postponed": at_postponed,
}
"""Someone who stands before each gate."""


class TakenBack(Exception):
    """What was taken to see what it is is not kept."""


def what_comes(store: Store, person: Person, limit: int = 1) -> str:
    """The item of the task that would come, or why none does."""
    with store.read() as session:
        visit = gates.Visit(session, access_to(session, person=person, project="p"), person, HERE["stage"], store.now())
        found, nothing = gates.coming_items(visit, limit=limit)
        if nothing is not None:
            return nothing.sentence
        return items.by_id(session, id=found[-1]).public_id


def one_more(store: Store, person: Person) -> str:
    """The item of one more task, or why there is none."""
    found = ""
    with suppress(TakenBack), store.write() as session:
        now = store.now()
        access = access_to(session, person=person, project="p")
        more = claims.take_more(
            session, access=access, person=person, stage=HERE["stage"], now=now, postponed_before=now
        )
        assert more is not None
        found = more.sentence if isinstance(more, NoTask) else items.by_id(session, id=more.item_id or 0).public_id
        raise TakenBack
    return found


def the_next(store: Store, person: Person) -> str:
    """The item of the next task, or why there is none."""
    found = claims.next_task(store, person=person, **HERE)
    return found.item or "" if isinstance(found, TaskView) else found.sentence


def test_each_gate_is_tried() -> None:
    assert [gate.name for gate in gates.GATES] == ["closed", "in hand", "qualified", "stopped", "free", "postponed"]
    assert set(AT) == {gate.name for gate in gates.GATES}


MARKS = {"stopped": needs("schema_keys", "stages.*.gold"), "qualified": needs_qualification}


@pytest.mark.parametrize("gate", [pytest.param(gate, marks=MARKS.get(gate, ())) for gate in AT])
def test_all_who_ask_get_the_same_answer(store: Store, clock: Clock, gate: str) -> None:
    ann = AT[gate](store, clock)
    ahead, more = what_comes(store, ann), one_more(store, ann)
    assert ahead == more, "what comes is what one more would be"
    if gate == "in hand":  # who keeps what they have in hand goes past it, and so does what comes after it
        mine = the_next(store, ann)
        assert mine != more
        task = claimed(store, ann)
        submissions.submit(store, person=ann, task=task.id, key="a", values={"choice": "red"})
    found = claims.next_task(store, person=ann, **HERE)
    refusing = next(each.refuses for each in gates.GATES if each.name == gate)
    assert isinstance(found, NoTask) == (refusing is not None)
    if isinstance(found, TaskView):
        assert (found.item, found.postponed) == (more, gate == "postponed")
    else:
        assert found.sentence == more
        assert claims.peek(store, person=ann, **HERE) == []


def test_two_in_hand_come_one_after_the_other(store: Store, clock: Clock) -> None:
    ann = at_in_hand(store, clock)

    def take(session: Session, access: Access) -> None:
        assert claims.take_more(
            session, access=access, person=ann, stage=HERE["stage"], now=store.now(), postponed_before=store.now()
        )

    with store.write() as session:
        take(session, access_to(session, person=ann, project="p"))
    first, second, third = the_next(store, ann), what_comes(store, ann), what_comes(store, ann, limit=2)
    assert len({first, second, third}) == 3
    assert one_more(store, ann) == third
    for item in (first, second, third):
        task = claimed(store, ann)
        assert task.item == item
        submissions.submit(store, person=ann, task=task.id, key=task.id, values={"choice": "red"})


@needs_qualification
def test_what_was_postponed_to_qualify_comes_back_also_behind_live_work_that_was(store: Store, clock: Clock) -> None:
    """Someone postpones live work, then has to qualify anew and postpones an item of that, too."""
    begin(store, TO_PASS)
    make_set(store)
    ann = make_person(store, "ann")
    sue = make_person(store, "sue", role=Role.SENIOR)
    tried = begin_try(store, ann)
    first = claimed(store, ann)
    submissions.submit(store, person=ann, task=first.id, key="first", values={"choice": "red"})
    review_try(store, tried, by=sue, state=Standing.PASSED, n_right=1)
    claims.postpone(store, person=ann, task=claimed(store, ann).id)
    clock.advance(minutes=1)
    make_set(store, requalify=True)
    begin_try(store, ann)
    mine = claimed(store, ann)
    claims.postpone(store, person=ann, task=mine.id)
    clock.advance(minutes=1)
    again = claimed(store, ann)
    assert (again.id, again.postponed) == (mine.id, True)


@pytest.mark.both_databases
@pytest.mark.parametrize("begun", [at_in_hand, at_postponed])
def test_nothing_begun_comes_back_in_a_dimension_that_is_no_longer_theirs(
    store: Store, clock: Clock, begun: Callable[[Store, Clock], Person]
) -> None:
    ann = begun(store, clock)
    make_items(store, 1, dimension="shape")
    set_member(store, by=None, project="p", login="ann", role=Role.ANNOTATOR, dimensions=["shape"])
    assert vote(store, ann).dimension == "shape"
    assert isinstance(claims.next_task(store, person=ann, **HERE), NoTask)


@MARKS["stopped"]
@pytest.mark.both_databases
def test_who_is_stopped_finishes_what_they_have_and_takes_up_nothing_else(store: Store, clock: Clock) -> None:
    ann = make_stopped_with(store, clock)
    kept, given_back = ann[1], ann[2]
    assert claims.take_back(store, person=ann[0], task=kept) == ("p", Stage.VERIFICATION)
    with pytest.raises(NotAllowedError, match="differ from known answers"):
        claims.take_back(store, person=ann[0], task=given_back)
    with pytest.raises(LeaseLostError):  # a page that is still open does not take it again
        claims.heartbeat(store, person=ann[0], task=given_back)
    with pytest.raises(LeaseLostError, match="differ from known answers"):
        submissions.submit(store, person=ann[0], task=given_back, key="late", values={"choice": "red"})
    with store.read() as session:
        (late,) = session.exec(select(DraftRow).where(col(DraftRow.lost).is_(True))).all()
    assert (late.person_id, late.put_away_at) == (ann[0].id, None), "nothing typed is lost"
    (line,) = [line for line in progress.my_work(store, person=ann[0]) if line.stage is Stage.VERIFICATION][:1]
    assert (line.waiting, line.available) == (1, True), "what is in hand"
    submissions.submit(store, person=ann[0], task=kept, key="kept", values={"choice": "red"})
    (line,) = [line for line in progress.my_work(store, person=ann[0]) if line.stage is Stage.VERIFICATION][:1]
    assert (line.waiting, line.available, line.code) == (0, False, "stopped"), "My work promises nothing"


def make_stopped_with(store: Store, clock: Clock) -> tuple[Person, str, str]:
    """Someone who is stopped while they have one task in hand, postponed, and have given another back."""
    begin(store, GOLD, n=1)
    for person in make_people(store, "ulla", "vera"):
        vote(store, person, "red")
    make_items(store, 3)
    ann = make_person(store, "ann", role=Role.ANNOTATOR)
    given_back = claimed(store, ann)
    claims.release(store, person=ann, task=given_back.id)
    kept = claimed(store, ann)
    claims.postpone(store, person=ann, task=kept.id)
    clock.advance(minutes=1)
    answer_wrong(store, ann)
    return ann, kept.id, given_back.id
