"""Keep rules and skips on a real database, in projects made from schemas that come along."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import select

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from db.engine import Store
from db.tables import AnnotationRow, EventRow, ItemRow, TaskRow
from domain.errors import ConflictError, LeaseLostError
from domain.records import NoTask, Person, TaskView
from domain.roles import Role
from domain.states import ItemState, Stage, TaskState
from testkit.factories import Clock, claimed, make_items, make_people, make_person, make_project
from workflow.access.projects import access_to
from workflow.annotate import claims, submissions, verification
from workflow.files.gate_counts import gates
from workflow.files.project_check import check

FIELDS = {"question": "What do I hold?", "answer": "A cup."}
RIGHT = {"image_fits": "yes", "answer_right": "right", "difficulty": 1}


def jury(store: Store, n: int = 1) -> None:
    """A project of two who must agree about the image and the answer; one skip calls a senior."""
    make_project(store, loaded=load_schema(shipped()["jury"]))
    make_items(store, n, dimension="kitchen", fields=FIELDS)


def say(store: Store, person: Person, view: TaskView | None = None, **values: Any) -> TaskView:
    """Answer the jury's questions about the next item."""
    view = view or claimed(store, person)
    given = {**RIGHT, **values}
    reasons = {"answer_right": "no_opinion"} if given["answer_right"] is None else {}
    submissions.submit(store, person=person, task=view.id, key=f"{view.id}-{values}", values=given, reasons=reasons)
    return view


def state_of(store: Store) -> ItemState:
    with store.read() as session:
        return session.exec(select(ItemRow.state)).one()


def slots(store: Store, stage: Stage) -> dict[TaskState, int]:
    with store.read() as session:
        rows = session.exec(select(TaskRow.state).where(TaskRow.stage == stage)).all()
    return {state: rows.count(state) for state in set(rows)}


@pytest.mark.parametrize(
    ("first", "second", "state"),
    [
        ({}, {"difficulty": 3}, ItemState.KEPT),
        ({"answer_right": "wrong"}, {"answer_right": "wrong"}, ItemState.REJECTED),
        ({"image_fits": "no"}, {"image_fits": "no", "answer_right": "wrong"}, ItemState.REJECTED),
        ({"image_fits": "no"}, {}, ItemState.IN_ADJUDICATION),
    ],
)
def test_a_jury_of_two_on_two_criteria(
    store: Store, first: Mapping[str, Any], second: Mapping[str, Any], state: ItemState
) -> None:
    jury(store)
    for person, values in zip(make_people(store, "ann", "bob"), (first, second), strict=True):
        say(store, person, **values)
    assert state_of(store) is state
    assert check(store) == []


@pytest.mark.both_databases
def test_a_skip_that_calls_a_senior_asks_no_one_else(store: Store) -> None:
    jury(store)
    ann, bob = make_people(store, "ann", "bob")
    held = claimed(store, bob)
    say(store, ann, answer_right=None)
    assert state_of(store) is ItemState.IN_ADJUDICATION
    assert slots(store, Stage.VERIFICATION) == {TaskState.DONE: 1, TaskState.WITHDRAWN: 1}
    with pytest.raises(LeaseLostError, match="no longer needed"):
        say(store, bob, held)
    assert isinstance(claims.next_task(store, person=bob, project="p", stage=Stage.VERIFICATION), NoTask)
    view = claimed(store, make_person(store, "sue", role=Role.SENIOR), Stage.ADJUDICATION)
    assert any("I cannot tell (1)" in line for line in view.history)
    assert [vote.values["answer_right"] for vote in view.votes] == [None]
    assert check(store) == []


def test_a_skip_taken_back_brings_the_item_back_to_the_voters(store: Store) -> None:
    jury(store)
    ann, bob = make_people(store, "ann", "bob")
    say(store, ann, answer_right=None)
    view = submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    say(store, ann, view, difficulty=2)
    assert state_of(store) is ItemState.IN_VERIFICATION
    assert slots(store, Stage.ADJUDICATION) == {TaskState.WITHDRAWN: 1}
    assert check(store) == []
    say(store, bob)
    assert state_of(store) is ItemState.KEPT
    assert check(store) == []


def panel(store: Store) -> None:
    """A project of three whose votes are weighed; two skips retire an item. Here no one has to qualify first."""
    loaded = load_schema(shipped()["panel"])
    gate = "    qualification: {items: 4, reviewers: 1, pass_mark: 0.5, retry_after_hours: 24, attempts: 2}\n"
    assert gate in loaded.text
    make_project(store, loaded=load_text(loaded.text.replace(gate, ""), loaded.guideline_text, "panel"))
    make_items(store, dimension="near", fields=FIELDS)


def weigh(store: Store, person: Person, verdict: str | None, *, why: str | None = None) -> TaskView:
    view = claimed(store, person)
    reasons = {"verdict": why} if why else {}
    submissions.submit(store, person=person, task=view.id, key=view.id, values={"verdict": verdict}, reasons=reasons)
    return view


def test_two_skips_of_three_retire_an_item(store: Store) -> None:
    clock = store.clock = Clock()
    panel(store)
    ann, bob, cy = make_people(store, "ann", "bob", "cy")
    held = claimed(store, cy)
    weigh(store, ann, None, why="not_visible")
    assert state_of(store) is ItemState.IN_VERIFICATION
    weigh(store, bob, None, why="needs_expert")
    assert state_of(store) is ItemState.REJECTED
    assert slots(store, Stage.VERIFICATION) == {TaskState.DONE: 2, TaskState.WITHDRAWN: 1}
    with pytest.raises(LeaseLostError):
        submissions.submit(store, person=cy, task=held.id, key="k", values={"verdict": "yes"})
    clock.advance(minutes=31)
    with pytest.raises(ConflictError):
        submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    with store.read() as session:
        (why,) = [row.data["why"] for row in session.exec(select(EventRow).where(EventRow.kind == "item.state"))]
    assert "It cannot be seen (1), It takes an expert (1)" in why
    assert check(store) == []


def test_a_skip_taken_back_in_time_brings_a_retired_item_back(store: Store) -> None:
    panel(store)
    ann, bob, cy = make_people(store, "ann", "bob", "cy")
    weigh(store, ann, None, why="not_visible")
    view = weigh(store, bob, None, why="needs_expert")
    assert state_of(store) is ItemState.REJECTED
    submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    submissions.submit(store, person=bob, task=view.id, key="again", values={"verdict": "yes"})
    assert state_of(store) is ItemState.IN_VERIFICATION
    weigh(store, cy, "yes")
    assert state_of(store) is not ItemState.IN_VERIFICATION
    assert check(store) == []


@pytest.mark.both_databases
def test_what_a_vote_weighs_is_read_from_the_vote(store: Store) -> None:
    """The stored weights decide, and ``check`` recomputes with them."""
    panel(store)
    for person, verdict in zip(make_people(store, "ann", "bob", "cy"), ("yes", "no", "no"), strict=True):
        weigh(store, person, verdict, why="wrong_answer" if verdict == "no" else None)
    assert state_of(store) is ItemState.REJECTED  # no one was scored: two of three
    with store.write() as session:
        # As if they had been scored: 0.9 against 0.3 and 0.4. What is stored cannot be changed, so it comes anew.
        votes = session.exec(select(AnnotationRow).order_by(text("id"))).all()
        taken = [
            vote.model_dump(exclude={"id", "public_id", "submit_key", "weight", "supersedes_id"}) for vote in votes
        ]
        for vote, content, weight in zip(votes, taken, (0.9, 0.3, 0.4), strict=True):
            session.add(AnnotationRow(**content, submit_key=f"w{vote.id}", weight=weight, supersedes_id=vote.id))
    (found,) = check(store, rebuild=True)
    assert "stored as rejected, but according to its votes the state is kept" in found
    assert state_of(store) is ItemState.KEPT
    assert check(store) == []


@pytest.mark.both_databases
def test_slots_that_should_have_been_called_off_are_found(store: Store) -> None:
    jury(store)
    say(store, make_person(store, "ann"), answer_right=None)
    with store.write() as session:
        session.connection().execute(text("UPDATE task SET state = 'open' WHERE state = 'withdrawn'"))
    (found,) = check(store, rebuild=True)
    assert "no longer in verification, but has slots for 1 more vote" in found
    assert check(store) == []


def test_a_weight_that_is_no_share_is_found(store: Store) -> None:
    jury(store)
    view = say(store, make_person(store, "ann"))
    with store.write() as session:
        vote = session.exec(select(AnnotationRow)).one()
        content = vote.model_dump(exclude={"id", "public_id", "submit_key", "weight", "supersedes_id"})
        session.add(AnnotationRow(**content, submit_key="again", weight=1.5, supersedes_id=vote.id))
    (found,) = check(store)
    assert "has the weight 1.5" in found
    assert view.id


@pytest.mark.thorough
def test_seniors_get_the_most_contested_item_first(store: Store) -> None:
    """About one item the two differ in both questions, about the others in one."""
    jury(store, 4)
    make_items(store, dimension="kitchen", fields={**FIELDS, "question": "What do I stir?"})
    make_items(store, 4, dimension="kitchen", fields=FIELDS)
    ann, bob = make_people(store, "ann", "bob")
    for _ in range(9):
        say(store, ann)
        view = claimed(store, bob)
        worst = view.fields["question"] == "What do I stir?"
        say(store, bob, view, image_fits="no", answer_right="wrong" if worst else "right")
    sue = make_person(store, "sue", role=Role.SENIOR)
    view = claimed(store, sue, Stage.ADJUDICATION)
    assert view.fields["question"] == "What do I stir?"
    claims.release(store, person=sue, task=view.id)
    again = claimed(store, sue, Stage.ADJUDICATION, postponed=view.item)
    assert again.fields["question"] == "What do I hold?"


def test_the_gates_that_items_come_through(store: Store) -> None:
    """Of five: two as wanted, one unanimously wrong, one contested, one skipped at once and then settled."""
    jury(store, 5)
    ann, bob = make_people(store, "ann", "bob")
    plan: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, {}),
        ({}, {"difficulty": 3}),
        ({"answer_right": "wrong"}, {"answer_right": "wrong"}),
        ({"image_fits": "no"}, {}),
        ({"answer_right": None}, {}),
    ]
    with store.read() as session:
        place = {item.public_id: at for at, item in enumerate(session.exec(select(ItemRow)).all())}
    for which, person in enumerate((ann, bob)):
        while isinstance(
            view := claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION), TaskView
        ):
            say(store, person, view, **plan[place[str(view.item)]][which])
    sue = make_person(store, "sue", role=Role.SENIOR)
    for _ in range(2):
        view = claimed(store, sue, Stage.ADJUDICATION)
        decision = "accept" if len(view.votes) == 1 else "reject"
        values = {"decision": decision, "cause": "ambiguous"}
        submissions.submit(store, person=sue, task=view.id, key=view.id, values=values)
    with store.read() as session:
        found = gates(session, access=access_to(session, person=None, project="p"))
    assert found == {
        "imported": 5,
        "voted": 5,
        "skipped": 1,
        "unanimous": 3,
        "as_wanted": 2,
        "adjudicated": 2,
        "kept": 3,
        "rejected": 2,
    }
    assert check(store) == []


@pytest.mark.both_databases
@pytest.mark.thorough
def test_many_hands_skipping_at_once_settle_every_item_once(store: Store) -> None:
    """Eight people, every third vote a skip that calls a senior: what they were told against what is stored."""
    jury(store, 24)
    people = make_people(store, *(f"p{n}" for n in range(8)))
    told: list[tuple[str, bool]] = []
    late = []

    def work(person: Person) -> None:
        while isinstance(
            view := claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION), TaskView
        ):
            skips = (person.id + len(told)) % 3 == 0
            try:
                say(store, person, view, answer_right=None if skips else "right")
                told.append((str(view.item), skips))
            except LeaseLostError:
                late.append(view.item)

    with ThreadPoolExecutor(len(people)) as threads:
        for done in [threads.submit(work, person) for person in people]:
            done.result()
    votes, skipped = Counter(item for item, _ in told), {item for item, skips in told if skips}
    assert len(votes) == 24
    assert max(votes.values()) <= 2
    assert all(n == 2 for item, n in votes.items() if item not in skipped)
    with store.read() as session:
        states = {item.public_id: item.state for item in session.exec(select(ItemRow))}
        assert len(session.exec(select(AnnotationRow)).all()) == len(told)
    assert states == {item: ItemState.IN_ADJUDICATION if item in skipped else ItemState.KEPT for item in votes}
    assert check(store) == []


@pytest.mark.both_databases
def test_a_vote_is_stored_with_its_raters_score_of_that_moment(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """0.9 for yes against 0.3 and 0.4 for no; a better score afterwards changes nothing."""
    panel(store)
    ann, bob, cy = make_people(store, "ann", "bob", "cy")
    scores = {ann.id: 0.9, bob.id: 0.3, cy.id: 0.4}
    monkeypatch.setattr(verification, "score_of", lambda session, access, person_id, stage: scores[person_id])
    for person, said in ((bob, "no"), (ann, "yes"), (cy, "no")):
        weigh(store, person, said, why="wrong_answer" if said == "no" else None)
        scores[person.id] = 1.0
    with store.read() as session:
        cast = session.exec(select(AnnotationRow).order_by(text("id"))).all()
        assert [(row.weight, row.answers["verdict"]) for row in cast] == [(0.3, "no"), (0.9, "yes"), (0.4, "no")]
    assert state_of(store) is ItemState.KEPT
    assert check(store) == []
