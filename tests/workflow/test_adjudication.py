"""What votes leave open, settled by seniors."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlmodel import select

from db.engine import Store
from db.tables import ItemRow
from domain.errors import Conflict, InvalidInput, NotAllowed
from domain.records import NothingLeft, TaskView
from domain.roles import Role
from domain.states import ItemState, Stage
from tests.factories import claimed, make_items, make_people, make_person, make_project, vote
from workflow import author, claim, submit, verify
from workflow.accounts import find_person
from workflow.checks import check


def contested(store: Store, **item: Any) -> None:
    """An item on which two people have voted differently."""
    make_project(store)
    make_items(store, **item)
    ann, bob = make_people(store, "ann", "bob")
    vote(store, ann, "red")
    vote(store, bob, "blue")


def decide(store: Store, person: Any, **values: Any) -> TaskView:
    view = claimed(store, person, Stage.ADJUDICATION)
    submit.submit(store, person=person, task=view.id, key=f"d-{view.id}", values=values)
    return view


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
        assert name not in repr(view)


@pytest.mark.parametrize(("decision", "state"), [("accept", ItemState.KEPT), ("reject", ItemState.REJECTED)])
def test_a_decision_settles_the_item(store: Store, decision: str, state: ItemState) -> None:
    contested(store)
    sue = make_person(store, "sue", role=Role.SENIOR)
    decide(store, sue, decision=decision, cause="wrong_key")
    assert state_of(store) is state
    with pytest.raises(Conflict):
        submit.undo(store, person=sue, project="p", stage=Stage.ADJUDICATION)
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
    reopened = submit.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    submit.submit(store, person=bob, task=reopened.id, key="again", values={"choice": other})
    now[0] += timedelta(hours=1)
    for person in (ann, bob):
        with pytest.raises(Conflict) as refused:
            submit.undo(store, person=person, project="p", stage=Stage.VERIFICATION)
        assert str(refused.value) == verify.SETTLED


def test_an_edit_is_a_new_revision_that_others_verify_again(store: Store) -> None:
    contested(store)
    sue = make_person(store, "sue", role=Role.SENIOR)
    cy = make_person(store, "cy")
    decide(store, sue, decision="edit", cause="wrong_key", fields={"answer": "blue"})
    assert state_of(store) is ItemState.IN_VERIFICATION
    nothing = claim.next_task(store, person=sue, project="p", stage=Stage.VERIFICATION)
    assert isinstance(nothing, NothingLeft)
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
        nothing = claim.next_task(store, person=person, project="p", stage=Stage.ADJUDICATION)
        assert isinstance(nothing, NothingLeft)
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
    with pytest.raises(InvalidInput):
        decide(store, make_person(store, "sue", role=Role.SENIOR), **values)
    assert state_of(store) is ItemState.IN_ADJUDICATION


def test_seniors_edit_items_and_annotators_do_not(store: Store) -> None:
    contested(store)
    sue, cy = make_person(store, "sue", role=Role.SENIOR), make_person(store, "cy")
    with pytest.raises(NotAllowed):
        author.edit_item(store, person=cy, project="p", item="colour/0", fields={"answer": "blue"})
    assert author.edit_item(store, person=sue, project="p", item="colour/0", fields={"answer": "blue"}) == 2
    assert state_of(store) is ItemState.IN_VERIFICATION
    assert isinstance(claim.next_task(store, person=sue, project="p", stage=Stage.ADJUDICATION), NothingLeft)
    assert check(store) == []
