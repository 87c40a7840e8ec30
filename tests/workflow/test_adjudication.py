"""What votes leave open, settled by seniors."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlmodel import col, select

from db.engine import Store
from db.tables import AnnotationRow, ItemRow
from domain.errors import ConflictError, InvalidInputError, NotAllowedError
from domain.records import NoTask, TaskView
from domain.roles import Role
from domain.states import ItemState, Stage
from testkit.comments import read_comments, write_comment
from testkit.factories import Clock, claimed, make_items, make_people, make_person, make_project, make_schema, vote
from workflow.access.accounts import find_person
from workflow.annotate import authoring, claims, submissions, verification
from workflow.files.project_check import check


def contested(store: Store, **item: Any) -> None:
    """An item on which two people have voted differently."""
    make_project(store)
    make_items(store, **item)
    ann, bob = make_people(store, "ann", "bob")
    vote(store, ann, "red")
    vote(store, bob, "blue")


def decide(store: Store, person: Any, **values: Any) -> TaskView:
    view = claimed(store, person, Stage.ADJUDICATION)
    submissions.submit(store, person=person, task=view.id, key=f"d-{view.id}", values=values)
    return view


def states_of(store: Store) -> dict[str, ItemState]:
    with store.read() as session:
        return dict(session.exec(select(ItemRow.external_id, ItemRow.state)).all())


def state_of(store: Store) -> ItemState:
    with store.read() as session:
        return session.exec(select(ItemRow.state)).one()


def test_a_senior_sees_the_votes_without_names(store: Store) -> None:
    contested(store)
    view = claimed(store, make_person(store, "sue", role=Role.SENIOR), Stage.ADJUDICATION)
    assert {vote.label for vote in view.votes} == {"Vote A", "Vote B"}
    assert {vote.values["choice"] for vote in view.votes} == {"red", "blue"}
    assert view.fields["answer"] == "red"
    assert "origin" not in view.fields
    assert view.history
    for name in ("ann", "bob", "Ann", "Bob"):
        assert not re.search(rf"\b{name}\b", repr(view))


@pytest.mark.both_databases
def test_the_order_of_the_votes_does_not_tell_who_came_first(store: Store) -> None:
    make_project(store, loaded=make_schema(raters=6))
    make_items(store)
    for n, person in enumerate(make_people(store, *"abcdef")):
        view = claimed(store, person)
        values = {"choice": "red" if n % 2 else "blue"}
        submissions.submit(store, person=person, task=view.id, key="k", values=values, note=str(n))
    with store.read() as session:
        by_name = session.exec(select(AnnotationRow.note).order_by(col(AnnotationRow.public_id))).all()
    view = claimed(store, make_person(store, "sue", role=Role.SENIOR), Stage.ADJUDICATION)
    assert [vote.note for vote in view.votes] == by_name, "names are drawn at random"


@pytest.mark.parametrize(("decision", "state"), [("accept", ItemState.KEPT), ("reject", ItemState.REJECTED)])
def test_a_decision_settles_the_item(store: Store, decision: str, state: ItemState) -> None:
    contested(store)
    sue = make_person(store, "sue", role=Role.SENIOR)
    decide(store, sue, decision=decision, cause="wrong_key")
    assert state_of(store) is state
    with pytest.raises(ConflictError):
        submissions.undo(store, person=sue, project="p", stage=Stage.ADJUDICATION)
    assert check(store) == []


@pytest.mark.parametrize("other", ["red", "blue"])
def test_undo_does_not_tell_whether_the_votes_differ(store: Store, other: str) -> None:
    """All votes are in. For a while a slip may be mended; after that both are refused, with one sentence."""
    now = [datetime(2026, 5, 4, tzinfo=UTC)]
    store.clock = lambda: now[0]
    make_project(store)
    make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    vote(store, ann, "red")
    vote(store, bob, other)
    assert state_of(store) is (ItemState.KEPT if other == "red" else ItemState.IN_ADJUDICATION)
    reopened = submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    submissions.submit(store, person=bob, task=reopened.id, key="again", values={"choice": other})
    now[0] += timedelta(hours=1)
    for person in (ann, bob):
        with pytest.raises(ConflictError) as refused:
            submissions.undo(store, person=person, project="p", stage=Stage.VERIFICATION)
        assert str(refused.value) == verification.SETTLED


@pytest.mark.both_databases
@pytest.mark.parametrize("decision", [None, "accept", "reject", "edit"], ids=str)
def test_undo_is_the_same_whatever_a_senior_does_meanwhile(store: Store, decision: str | None) -> None:
    """Two items, voted on alike by bob, the votes agreeing on one only: what bob is told at every step is the same,
    with a senior who has taken up the other one, or decided about it."""
    clock = store.clock = Clock()
    make_project(store)
    make_items(store, 2)
    ann, bob = make_people(store, "ann", "bob")
    sue = make_person(store, "sue", role=Role.SENIOR, stages=[Stage.ADJUDICATION])
    first = vote(store, ann, "red")
    second = vote(store, ann, "red")
    said = {}
    for at, choice in enumerate(("red", "blue")):
        view = vote(store, bob, choice)
        if choice == "blue":
            begun = claimed(store, sue, Stage.ADJUDICATION)
            assert begun.item in (first.item, second.item)
            if decision is not None:
                more = {"fields": {"answer": "blue"}} if decision == "edit" else {}
                answered = {"decision": decision, "cause": "wrong_key", **more}
                submissions.submit(store, person=sue, task=begun.id, key="d", values=answered)
        before = states_of(store)
        clock.advance(minutes=5)
        back = submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
        drafted = back.draft
        assert drafted is not None
        done = submissions.submit(store, person=bob, task=back.id, key=f"again-{at}", values={"choice": choice})
        assert back.id == view.id
        assert states_of(store) == before, "the same vote, the same state"
        told = (back.fields["options"], drafted.values, back.correction, back.revision, done.state, done.repeated)
        clock.advance(minutes=31)
        with pytest.raises(ConflictError) as refused:
            submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
        said[choice] = repr((told, str(refused.value))).replace("'blue'", "'red'")
    assert said["red"] == said["blue"]
    assert check(store) == []


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_a_decision_stands_whatever_is_corrected_after_it(store: Store, decision: str) -> None:
    contested(store)
    decide(store, make_person(store, "sue", role=Role.SENIOR), decision=decision, cause="wrong_key")
    ann = find_person(store, login="ann")
    back = submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    submissions.submit(store, person=ann, task=back.id, key="again", values={"choice": "blue"})
    assert state_of(store) is (ItemState.KEPT if decision == "accept" else ItemState.REJECTED)
    assert check(store) == []


def test_who_has_read_why_a_senior_decided_mends_nothing(store: Store) -> None:
    """What waits for the verdict says what others voted; anyone who has read it is refused, and not before."""
    contested(store)
    sue = make_person(store, "sue", role=Role.SENIOR)
    item = decide(store, sue, decision="accept", cause="wrong_key").item
    bob = find_person(store, login="bob")
    write_comment(store, person=sue, item=item, text="It is red.", to=[bob])
    back = submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    submissions.submit(store, person=bob, task=back.id, key="again", values={"choice": "blue"})
    assert read_comments(store, person=bob) == ["It is red."]
    with pytest.raises(ConflictError) as refused:
        submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    assert str(refused.value) == verification.SETTLED


def test_an_edit_is_a_new_revision_that_others_verify_again(store: Store) -> None:
    contested(store)
    sue = make_person(store, "sue", role=Role.SENIOR)
    cy = make_person(store, "cy")
    decide(store, sue, decision="edit", cause="wrong_key", fields={"answer": "blue"})
    assert state_of(store) is ItemState.IN_VERIFICATION
    nothing = claims.next_task(store, person=sue, project="p", stage=Stage.VERIFICATION)
    assert isinstance(nothing, NoTask)
    ann = find_person(store, login="ann")
    again = vote(store, ann, "blue")
    assert again.revision == 2
    vote(store, cy, "blue")
    assert state_of(store) is ItemState.KEPT
    assert check(store) == []


def test_who_voted_wrote_or_is_no_senior_does_not_settle(store: Store) -> None:
    make_project(store)
    lee = make_person(store, "lee", role=Role.SENIOR)
    make_items(store, author_id=lee.id)
    ann = make_person(store, "ann", role=Role.SENIOR)
    bob = make_person(store, "bob")
    vote(store, ann, "red")
    vote(store, bob, "blue")
    for person, code in ((lee, "waiting_for_others"), (ann, "waiting_for_others"), (bob, "not_member")):
        nothing = claims.next_task(store, person=person, project="p", stage=Stage.ADJUDICATION)
        assert isinstance(nothing, NoTask)
        assert nothing.code == code


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"decision": "perhaps"},
        {"decision": "reject"},
        {"decision": "reject", "cause": "whim"},
        {"decision": "accept"},
        {"decision": "edit", "cause": "wrong_key"},
        {"decision": "edit", "cause": "wrong_key", "fields": {}},
        {"decision": "edit", "cause": "wrong_key", "fields": {"answer": "red"}},
        {"decision": "edit", "cause": "wrong_key", "fields": {"answer": "green"}},
        {"decision": "edit", "cause": "wrong_key", "fields": {"nonsense": 1}},
        {"decision": "edit", "fields": {"answer": "blue"}},
    ],
)
def test_a_decision_that_does_not_fit_is_refused(store: Store, values: dict[str, Any]) -> None:
    contested(store)
    with pytest.raises(InvalidInputError):
        decide(store, make_person(store, "sue", role=Role.SENIOR), **values)
    assert state_of(store) is ItemState.IN_ADJUDICATION


def test_seniors_edit_items_and_annotators_do_not(store: Store) -> None:
    contested(store)
    sue, tom = (make_person(store, login, role=Role.SENIOR) for login in ("sue", "tom"))
    cy = make_person(store, "cy")
    with pytest.raises(NotAllowedError):
        authoring.edit_item(store, person=cy, project="p", item="colour/0", fields={"answer": "blue"})
    assert authoring.edit_item(store, person=sue, project="p", item="colour/0", fields={"answer": "blue"}) == 2
    assert state_of(store) is ItemState.IN_VERIFICATION
    for senior in (sue, tom):  # no one settles what was said of the earlier wording
        assert isinstance(claims.next_task(store, person=senior, project="p", stage=Stage.ADJUDICATION), NoTask)
    assert check(store) == []
