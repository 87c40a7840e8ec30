"""Votes, verdicts and blindness, from the claim to the item's state."""

from __future__ import annotations

import dataclasses
import json

import pytest
from sqlmodel import col, select

from db.engine import Store
from db.tables import AnnotationRow, ItemRow
from domain.errors import ConflictError, InvalidInputError, LeaseLostError, NotFoundError
from domain.records import NoTask
from domain.roles import Role
from domain.states import ItemState, Stage
from testkit.comments import write_comment
from testkit.factories import Clock, claimed, make_items, make_people, make_person, make_project, make_schema, vote
from workflow.annotate import claims, expired_drafts, submissions
from workflow.annotate.progress import progress
from workflow.files.project_check import check


def state_of(store: Store, item_id: int) -> ItemState:
    with store.read() as session:
        return session.exec(select(ItemRow.state).where(ItemRow.id == item_id)).one()


@pytest.mark.parametrize(
    ("choices", "adjudication", "state"),
    [
        (["red", "red"], True, ItemState.KEPT),
        (["blue", "blue"], True, ItemState.REJECTED),
        (["red", "blue"], True, ItemState.IN_ADJUDICATION),
        (["red", "blue"], False, ItemState.REJECTED),
        (["red", None], True, ItemState.IN_ADJUDICATION),
        ([None, None], False, ItemState.REJECTED),
        (["red"], True, ItemState.IN_VERIFICATION),
    ],
)
def test_the_verdict_follows_from_the_votes(
    store: Store, choices: list[str | None], adjudication: bool, state: ItemState
) -> None:
    make_project(store, loaded=make_schema(adjudication=adjudication))
    (item,) = make_items(store)
    for at, choice in enumerate(choices):
        vote(store, make_person(store, f"v{at}"), choice)
    assert state_of(store, item) is state
    assert check(store) == []


def test_no_one_gets_an_item_twice_and_the_author_never(store: Store) -> None:
    make_project(store, loaded=make_schema(raters=3))
    ann, bob = make_people(store, "ann", "bob")
    make_items(store, author_id=ann.id)
    vote(store, bob)
    for person, begins in ((ann, "You have no tasks in this stage now."), (bob, "You have finished your tasks.")):
        left = claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION)
        assert isinstance(left, NoTask)
        assert (left.code, left.sentence.startswith(begins)) == ("waiting_for_others", True)


def test_secrets_are_nowhere_in_what_a_verifier_gets(store: Store) -> None:
    make_project(store)
    ann, bob, sue = make_people(store, "ann", "bob", "sue")
    make_items(
        store,
        author_id=sue.id,
        fields={"question": "q?", "options": ["red", "blue"], "answer": "red", "origin": "hush", "sneaky": "psst"},
    )
    vote(store, ann, "blue")
    view = claimed(store, bob)
    assert set(view.fields) == {"question", "options"}
    said = json.dumps(dataclasses.asdict(view), default=str)
    for secret in ('"answer": "', "hush", "psst", "colour/0", "Sue", "Ann"):
        assert secret not in said
    assert view.votes == ()
    assert progress(store, person=bob, project="p", stage=Stage.VERIFICATION).decided == 0


def test_a_receipt_does_not_tell_a_voter_what_the_others_said(store: Store) -> None:
    make_project(store)
    (item,) = make_items(store)
    for person in make_people(store, "ann", "bob"):
        view = claimed(store, person)
        for _ in range(2):
            receipt = submissions.submit(store, person=person, task=view.id, key="k", values={"choice": "red"})
            assert receipt.state is None
    assert state_of(store, item) is ItemState.KEPT


def test_a_member_sees_only_their_dimensions(store: Store) -> None:
    make_project(store)
    make_items(store, 2, dimension="shape")
    ann = make_person(store, "ann", dimensions=["colour"])
    left = claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION)
    assert isinstance(left, NoTask)
    assert left.code == "not_your_dimension"
    asked = claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION, dimension="shape")
    assert isinstance(asked, NoTask)
    assert asked.code == "not_your_dimension"


def test_a_finished_dimension_is_done_though_others_are_not(store: Store) -> None:
    make_project(store)
    make_items(store, dimension="shape")
    left = claims.next_task(
        store, person=make_person(store, "ann"), project="p", stage=Stage.VERIFICATION, dimension="colour"
    )
    assert isinstance(left, NoTask)
    assert (left.code, "This dimension has no more work" in left.sentence) == ("all_done", True)


def test_strangers_are_told_that_nothing_is_there(store: Store) -> None:
    make_project(store)
    make_items(store)
    ann, stranger = make_person(store, "ann"), make_person(store, "stranger", project=None)
    with pytest.raises(NotFoundError):
        claims.next_task(store, person=stranger, project="p", stage=Stage.VERIFICATION)
    view = claimed(store, ann)
    bob = make_person(store, "bob")
    for person in (stranger, bob):
        with pytest.raises(NotFoundError):
            submissions.submit(store, person=person, task=view.id, key="k", values={"choice": "red"})


def test_a_form_that_does_not_fit_is_refused_and_nothing_is_stored(store: Store) -> None:
    make_project(store)
    make_items(store)
    ann = make_person(store, "ann")
    view = claimed(store, ann)
    for values in ({}, {"choice": "green"}, {"choice": None}, {"choice": "red", "extra": 1}, {"choice": float("nan")}):
        with pytest.raises(InvalidInputError):
            submissions.submit(store, person=ann, task=view.id, key="k", values=values)
    with store.read() as session:
        assert session.exec(select(AnnotationRow)).all() == []
    assert claimed(store, ann).id == view.id


def test_the_same_key_twice_is_one_annotation(store: Store) -> None:
    make_project(store)
    make_items(store, 2)
    ann = make_person(store, "ann")
    view = claimed(store, ann)
    first = submissions.submit(store, person=ann, task=view.id, key="k", values={"choice": "red"})
    second = submissions.submit(store, person=ann, task=view.id, key="k", values={"choice": "blue"})
    assert (first.repeated, second.repeated) == (False, True)
    assert second.annotation == first.annotation
    with pytest.raises(ConflictError):
        submissions.submit(store, person=ann, task=view.id, key="another", values={"choice": "blue"})
    other = claimed(store, ann)
    with pytest.raises(ConflictError):
        submissions.submit(store, person=ann, task=other.id, key="k", values={"choice": "blue"})


@pytest.mark.both_databases
def test_a_vote_took_no_longer_than_it_was_in_hand(store: Store) -> None:
    clock = store.clock = Clock()
    make_project(store)
    make_items(store, 2)
    ann = make_person(store, "ann")
    for said in (500, 30):
        view = claimed(store, ann)
        clock.advance(seconds=40)
        submissions.submit(store, person=ann, task=view.id, key=view.id, values={"choice": "red"}, seconds=said)
    with store.read() as session:
        assert session.exec(select(AnnotationRow.seconds).order_by(col(AnnotationRow.id))).all() == [40, 30]


def test_a_vote_remembers_schema_and_guideline(store: Store) -> None:
    loaded = make_schema()
    make_project(store, loaded=loaded)
    make_items(store)
    vote(store, make_person(store, "ann"))
    with store.read() as session:
        row = session.exec(select(AnnotationRow)).one()
    assert (row.schema_hash, row.guideline_hash) == (loaded.hash, loaded.guideline_hash)


def test_an_undone_vote_comes_back_as_a_draft_and_is_superseded(store: Store) -> None:
    make_project(store)
    (item,) = make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    view = vote(store, ann, None)
    back = submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    assert back.id == view.id
    assert back.correction
    assert back.draft is not None
    assert back.draft.values == {"values": {"choice": None}, "reasons": {"choice": "unclear"}, "note": ""}
    assert claimed(store, ann).id == view.id
    submissions.submit(store, person=ann, task=view.id, key="better", values={"choice": "red"})
    vote(store, bob)
    assert state_of(store, item) is ItemState.KEPT
    with store.read() as session:
        rows = session.exec(select(AnnotationRow).order_by(AnnotationRow.id)).all()
    assert [row.answers["choice"] for row in rows] == [None, "red", "red"]
    assert rows[1].supersedes_id == rows[0].id
    assert check(store) == []


@pytest.mark.both_databases
def test_one_can_go_back_to_anything_of_the_last_half_hour(store: Store) -> None:
    clock = store.clock = Clock()
    make_project(store)
    make_items(store, 4)
    ann, bob = make_people(store, "ann", "bob")
    old = vote(store, ann, "red")
    clock.advance(minutes=31)
    first, second = vote(store, ann, "red"), vote(store, ann, "blue")
    in_hand = claimed(store, ann)
    found = expired_drafts.earlier_submissions(store, person=ann)
    assert [each.task for each in found] == [second.id, first.id], "the newest first, and not the old one"
    assert expired_drafts.earlier_submissions(store, person=bob) == []
    back = submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION, task=first.id)
    assert (back.id, back.draft.values["values"]) == (first.id, {"choice": "red"})  # type: ignore[union-attr]
    assert claimed(store, ann).id == first.id, "it comes before what was in hand"
    submissions.submit(store, person=ann, task=first.id, key="mended", values={"choice": "blue"})
    assert claimed(store, ann).id == in_hand.id
    with pytest.raises(NotFoundError):
        submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION, task=second.id)
    with pytest.raises(NotFoundError):
        submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION, task=in_hand.id)
    assert old.id not in {first.id, second.id}
    assert check(store) == []


def test_a_slip_that_settled_an_item_can_be_mended_for_half_an_hour(store: Store) -> None:
    clock = store.clock = Clock()
    make_project(store)
    (item,) = make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    vote(store, ann, "red")
    view = vote(store, bob, "red")
    assert state_of(store, item) is ItemState.KEPT
    clock.advance(minutes=29)
    assert submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION).id == view.id
    assert state_of(store, item) is ItemState.KEPT, "what was submitted stands"
    clock.advance(minutes=5)
    submissions.submit(store, person=bob, task=view.id, key="again", values={"choice": "blue"})
    assert state_of(store, item) is ItemState.IN_ADJUDICATION
    assert check(store) == []
    submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    submissions.submit(store, person=bob, task=view.id, key="third", values={"choice": "red"})
    assert state_of(store, item) is ItemState.KEPT
    clock.advance(minutes=31)
    with pytest.raises(ConflictError, match="settled"):
        submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    assert check(store) == []


def test_who_may_know_what_others_said_mends_nothing_that_is_settled(store: Store) -> None:
    make_project(store)
    make_items(store, 2)
    ann, bob = make_people(store, "ann", "bob")
    sue = make_person(store, "sue", role=Role.SENIOR)
    asked = claimed(store, bob)
    write_comment(store, person=bob, item=asked.item, text="Is that red?")
    vote(store, bob, "red")
    vote(store, ann, "red")
    vote(store, ann, "red")
    vote(store, sue, "red")
    for person in (bob, sue):
        with pytest.raises(ConflictError, match="settled"):
            submissions.undo(store, person=person, project="p", stage=Stage.VERIFICATION)
    assert check(store) == []


def test_undo_reopens_what_a_senior_has_not_begun_to_settle(store: Store) -> None:
    make_project(store)
    (item,) = make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    sue = make_person(store, "sue", role=Role.SENIOR)
    vote(store, ann, "red")
    view = vote(store, bob, "blue")
    assert state_of(store, item) is ItemState.IN_ADJUDICATION
    submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    submissions.submit(store, person=bob, task=view.id, key="again", values={"choice": "red"})
    assert state_of(store, item) is ItemState.KEPT
    assert isinstance(claims.next_task(store, person=sue, project="p", stage=Stage.ADJUDICATION), NoTask)
    assert check(store) == []


def test_a_correction_that_takes_the_item_from_a_senior_keeps_what_the_senior_wrote(store: Store) -> None:
    make_project(store)
    (item,) = make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    sue = make_person(store, "sue", role=Role.SENIOR)
    vote(store, ann, "red")
    view = vote(store, bob, "blue")
    begun = claimed(store, sue, Stage.ADJUDICATION)
    submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    submissions.submit(store, person=bob, task=view.id, key="again", values={"choice": "red"})
    assert state_of(store, item) is ItemState.KEPT
    decision = {"decision": "reject", "cause": "wrong_key"}
    with pytest.raises(LeaseLostError, match="Your text is saved"):
        submissions.submit(store, person=sue, task=begun.id, key="d", values=decision, note="Seen twice.")
    (text,) = expired_drafts.of_person(store, person=sue)
    assert "Seen twice." in repr(text)
    assert state_of(store, item) is ItemState.KEPT
    assert check(store) == []


def test_a_correction_that_comes_after_the_verdict_is_kept_as_a_draft(store: Store) -> None:
    make_project(store)
    (item,) = make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    clock = store.clock = Clock()
    view = vote(store, ann, "red")
    submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    vote(store, bob, "red")
    clock.advance(minutes=31)
    with pytest.raises(ConflictError, match="draft"):
        submissions.submit(store, person=ann, task=view.id, key="late", values={"choice": "blue"})
    assert state_of(store, item) is ItemState.KEPT
    assert check(store) == []


def test_progress_counts_what_is_mine(store: Store) -> None:
    make_project(store)
    make_items(store, 3)
    ann, bob = make_people(store, "ann", "bob")
    vote(store, ann)
    vote(store, ann)
    now = progress(store, person=ann, project="p", stage=Stage.VERIFICATION)
    assert (now.mine_done, now.mine_left, now.kept, now.decided) == (2, 1, 0, 0)
    for _ in range(3):
        vote(store, bob)
    now = progress(store, person=bob, project="p", stage=Stage.VERIFICATION)
    assert (now.mine_done, now.mine_left, now.kept, now.decided) == (3, 0, 0, 0)
