"""Texts whose task was lost: their writer finds them."""

from __future__ import annotations

import pytest

from db.engine import Store
from domain.errors import LeaseLostError, NotFoundError
from domain.records import Person
from testkit.factories import Clock, claimed, make_items, make_people, make_project, make_schema, vote
from workflow.annotate import claims, drafts, expired_drafts, submissions

pytestmark = pytest.mark.both_databases


@pytest.fixture
def clock(store: Store) -> Clock:
    """Time stands still until the test moves it."""
    moved = Clock()
    store.clock = moved
    return moved


def late(store: Store, clock: Clock, *, raters: int = 1) -> tuple[Person, Person, str]:
    """Ann loses an item to Bob and sends her answer all the same; both, and the task."""
    make_project(store, loaded=make_schema(raters=raters))
    make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    view = claimed(store, ann)
    clock.advance(minutes=31)
    assert claimed(store, bob).id == view.id
    with pytest.raises(LeaseLostError):
        submissions.submit(store, person=ann, task=view.id, key="late", values={"choice": "blue"}, note="long text")
    return ann, bob, view.id


def test_a_late_text_is_on_its_writers_list(store: Store, clock: Clock) -> None:
    ann, bob, task = late(store, clock)
    (text,) = expired_drafts.of_person(store, person=ann)
    assert (text.task, text.at, text.why, text.free) == (task, clock.now, expired_drafts.LATE, False)
    assert text.words == "Question 0?"
    assert [(line.title, line.text) for line in text.lines] == [("Which one?", "blue"), ("Note", "long text")]
    assert expired_drafts.of_person(store, person=bob) == []


@pytest.mark.one_database
def test_a_kept_text_can_be_taken_up_when_the_item_is_free_again(store: Store, clock: Clock) -> None:
    ann, bob, task = late(store, clock)
    claims.release(store, person=bob, task=task)
    (text,) = expired_drafts.of_person(store, person=ann)
    assert text.free
    claims.take_back(store, person=ann, task=task)
    view = claimed(store, ann)
    assert view.draft is not None
    assert (view.id, view.draft.values["note"]) == (task, "long text")
    assert expired_drafts.of_person(store, person=ann) == []
    submissions.submit(store, person=ann, task=task, key="again", values={"choice": "blue"})
    assert expired_drafts.of_person(store, person=ann) == []


def test_typed_but_never_sent_is_kept_too_and_can_be_put_away(store: Store, clock: Clock) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 2)
    ann, bob = make_people(store, "ann", "bob")
    view = claimed(store, ann)
    drafts.save_draft(store, person=ann, task=view.id, seq=1, values={"values": {}, "note": "half"})
    assert expired_drafts.of_person(store, person=ann) == [], "it is in hand"
    clock.advance(minutes=31)
    vote(store, bob)
    vote(store, bob)
    (text,) = expired_drafts.of_person(store, person=ann)
    assert (text.why, text.lines[0].text) == (expired_drafts.GONE, "half")
    with pytest.raises(NotFoundError):
        expired_drafts.put_away(store, person=bob, task=view.id)
    expired_drafts.put_away(store, person=ann, task=view.id)
    assert expired_drafts.of_person(store, person=ann) == []


def test_what_is_postponed_and_what_is_given_back_are_listed(store: Store, clock: Clock) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 3)
    ann, bob = make_people(store, "ann", "bob")
    first = claimed(store, ann)
    claims.postpone(store, person=ann, task=first.id)
    second = claimed(store, ann)
    claims.release(store, person=ann, task=second.id)
    listed = expired_drafts.postponed_tasks(store, person=ann)
    assert [(row.task, row.released) for row in listed] == [(first.id, False), (second.id, True)]
    assert [row.yours_until for row in listed] == [first.lease_until, None]
    assert expired_drafts.postponed_tasks(store, person=bob) == []
    for _ in range(2):
        vote(store, bob)
    assert [row.task for row in expired_drafts.postponed_tasks(store, person=ann)] == [first.id], (
        "bob has done the others"
    )
    clock.advance(minutes=31)
    assert [row.yours_until for row in expired_drafts.postponed_tasks(store, person=ann)] == [None]
    vote(store, bob)
    assert expired_drafts.postponed_tasks(store, person=ann) == []
