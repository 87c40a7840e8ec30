"""Claims that end, drafts that stay, and what becomes of a late submission."""

from __future__ import annotations

import pytest
from sqlmodel import select

from db.engine import Store
from db.tables import AnnotationRow, DraftRow
from domain.errors import LeaseLostError, NotFoundError
from domain.policies import LEASE
from domain.states import Stage
from testkit.factories import Clock, claimed, make_items, make_people, make_person, make_project, make_schema, vote
from workflow.annotate import claims, drafts, submissions
from workflow.files.project_check import check

pytestmark = [pytest.mark.both_databases, pytest.mark.essential]


@pytest.fixture
def clock(store: Store) -> Clock:
    """Time stands still until the test moves it."""
    moved = Clock()
    store.clock = moved
    return moved


def test_an_open_claim_comes_back_first(store: Store, clock: Clock) -> None:
    make_project(store)
    make_items(store, 5)
    ann = make_person(store, "ann")
    view = claimed(store, ann)
    assert view.lease_until == clock.now + LEASE
    clock.advance(minutes=10)
    again = claimed(store, ann)
    assert (again.id, again.lease_until) == (view.id, clock.now + LEASE)


@pytest.mark.thorough
def test_an_abandoned_claim_goes_to_someone_else_and_the_late_text_is_kept(store: Store, clock: Clock) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    view = claimed(store, ann)
    clock.advance(minutes=31)
    assert claimed(store, bob).id == view.id
    with pytest.raises(LeaseLostError):
        claims.heartbeat(store, person=ann, task=view.id)
    with pytest.raises(LeaseLostError):
        submissions.submit(store, person=ann, task=view.id, key="late", values={"choice": "blue"}, note="long text")
    with store.read() as session:
        kept = session.exec(select(DraftRow)).one()
        assert session.exec(select(AnnotationRow)).all() == []
    assert (kept.person_id, kept.lost) == (ann.id, True)
    assert kept.content == {"values": {"choice": "blue"}, "reasons": {}, "note": "long text"}
    submissions.submit(store, person=bob, task=view.id, key="k", values={"choice": "red"})
    with pytest.raises(LeaseLostError):
        submissions.submit(store, person=ann, task=view.id, key="later", values={"choice": "blue"})
    with store.read() as session:
        assert session.exec(select(AnnotationRow.person_id)).all() == [bob.id]
    assert check(store) == []


def test_a_late_submission_counts_if_no_one_took_the_task(store: Store, clock: Clock) -> None:
    make_project(store)
    make_items(store)
    ann = make_person(store, "ann")
    view = claimed(store, ann)
    clock.advance(hours=20)
    assert not submissions.submit(store, person=ann, task=view.id, key="late", values={"choice": "red"}).repeated


def test_heartbeat_and_typing_keep_a_claim(store: Store, clock: Clock) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    view = claimed(store, ann)
    clock.advance(minutes=20)
    assert claims.heartbeat(store, person=ann, task=view.id) == clock.now + LEASE
    clock.advance(minutes=20)
    drafts.save_draft(store, person=ann, task=view.id, seq=1, values={"values": {}})
    clock.advance(minutes=20)
    left = claims.next_task(store, person=bob, project="p", stage=Stage.VERIFICATION)
    assert getattr(left, "code", None) == "waiting_for_others"


def test_a_released_task_is_free_and_comes_last(store: Store) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 3)
    ann = make_person(store, "ann")
    later = claimed(store, ann)
    claims.release(store, person=ann, task=later.id)
    order = [vote(store, ann).id for _ in range(3)]
    assert order[-1] == later.id
    assert len(set(order)) == 3


def test_drafts_only_go_forward(store: Store) -> None:
    make_project(store)
    make_items(store)
    ann = make_person(store, "ann")
    view = claimed(store, ann)
    drafts.save_draft(store, person=ann, task=view.id, seq=5, values={"note": "five"})
    older = drafts.save_draft(store, person=ann, task=view.id, seq=4, values={"note": "four"})
    assert (older.seq, older.values) == (5, {"note": "five"})
    again = claimed(store, ann)
    assert again.draft is not None
    assert again.draft.values == {"note": "five"}
    submissions.submit(store, person=ann, task=view.id, key="k", values={"choice": "red"})
    straggler = drafts.save_draft(store, person=ann, task=view.id, seq=6, values={"note": "six"})
    assert straggler.values == {"note": "five"}
    again = submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    claims.release(store, person=ann, task=again.id)
    drafts.save_draft(store, person=ann, task=view.id, seq=99, values={"note": "late"})
    with store.read() as session:
        assert session.exec(select(DraftRow)).all() == [], "an edit that was left has no draft"


def test_a_draft_needs_a_task_that_one_has_held(store: Store) -> None:
    make_project(store)
    make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    view = claimed(store, ann)
    for task in (view.id, "no-such-task"):
        with pytest.raises(NotFoundError):
            drafts.save_draft(store, person=bob, task=task, seq=1, values={})


@pytest.mark.thorough
def test_everyone_walks_in_an_order_of_their_own(store: Store) -> None:
    make_project(store)
    make_items(store, 30)
    orders = {}
    for person in make_people(store, "ann", "bob"):
        orders[person.login] = [vote(store, person).item for _ in range(30)]
    assert set(orders["ann"]) == set(orders["bob"])
    assert orders["ann"] != orders["bob"]
    where = orders["bob"].index(orders["ann"][0])
    assert orders["ann"] != orders["bob"][where:] + orders["bob"][:where], "no mere rotation"


def test_what_comes_next_can_be_fetched_beforehand(store: Store) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    make_items(store, 2)
    assert claims.peek(store, person=ann, project="p", stage=Stage.VERIFICATION) == []
