"""Submissions that came too late: leads see that there are some, and the blind stay blind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from domain.errors import LeaseLostError, NotAllowedError, NotFoundError
from domain.item_filter import ItemFilter, ItemList
from domain.roles import Role
from extensions.expired_submissions.late_texts import expired_submission, expired_submissions
from testkit.factories import (
    Clock,
    claimed,
    make_fields,
    make_items,
    make_people,
    make_person,
    make_pool,
    make_project,
    make_schema,
    vote,
)
from tests.app.screens import drawn, part, words
from tests.workflow.test_expired_drafts import clock, late
from workflow.annotate import claims, drafts, image_pool, submissions
from workflow.lead import item_list

__all__ = ["clock"]  # a fixture

pytestmark = pytest.mark.both_databases


def test_a_late_text_is_on_the_leads_list(store: Store, clock: Clock) -> None:
    ann, bob, _ = late(store, clock)
    lead = make_person(store, "lea", role=Role.LEAD)
    (seen,) = expired_submissions(store, by=lead, project="p")
    assert (seen.login, seen.at, seen.item, seen.taken_up) == ("ann", clock.now, "colour/0", False)
    assert "long text" not in str(seen), "the list says that there is a text, not what it is"
    assert [line.text for line in expired_submission(store, by=lead, project="p", id=seen.id)] == [
        "blue",
        "long text",
    ]
    make_items(store, 1)
    late_alone = ItemList(ItemFilter(expired=True))
    found = item_list.listing(store, person=lead, project="p", asked=late_alone)
    assert ([line.name for line in found.lines], found.has_expired) == (["colour/0"], True)
    for other in (ann, bob):
        with pytest.raises(NotAllowedError):
            expired_submissions(store, by=other, project="p")
        with pytest.raises(NotAllowedError):
            expired_submission(store, by=other, project="p", id=seen.id)
    with pytest.raises(NotFoundError):
        expired_submission(store, by=lead, project="p", id=seen.id + 1)


@pytest.mark.one_database
def test_a_lead_who_reads_it_is_not_asked_blind_any_more(store: Store, clock: Clock) -> None:
    late(store, clock, raters=3)
    lead, other = make_people(store, "lea", "lou", role=Role.LEAD)
    (seen,) = expired_submissions(store, by=lead, project="p")
    expired_submission(store, by=lead, project="p", id=seen.id)
    with pytest.raises(AssertionError, match="NoTask"):
        claimed(store, lead)
    mine = claimed(store, other)
    with pytest.raises(NotAllowedError):
        expired_submission(store, by=other, project="p", id=seen.id)
    submissions.submit(store, person=other, task=mine.id, key="k", values={"choice": "red"})


def test_a_late_text_that_its_writer_takes_up_again_says_so(store: Store, clock: Clock) -> None:
    ann, bob, task = late(store, clock)
    claims.release(store, person=bob, task=task)
    claims.take_back(store, person=ann, task=task)
    submissions.submit(store, person=ann, task=task, key="again", values={"choice": "blue"})
    assert [each.taken_up for each in expired_submissions(store, by=None, project="p")] == [True]


@pytest.mark.one_database
def test_the_page_says_why_its_table_is_empty_below_late_answers(store: Store, clock: Clock, home: Path) -> None:
    make_project(store)
    ann, bob = make_people(store, "ann", "bob")
    make_person(store, "lea", role=Role.LEAD)
    (image,) = make_pool(store, 1)
    about: Any = {"project": "p", "dimension": "colour", "assets": [image]}
    task = image_pool.pick(store, person=ann, **about).id
    clock.advance(minutes=61)
    image_pool.pick(store, person=bob, **about)
    with pytest.raises(LeaseLostError):
        submissions.submit(store, person=ann, task=task, key="late", values=make_fields(1))
    page = drawn(store, home, "items", "lea", project="p", expired="yes")
    assert "an unfinished item" in part(page, "about")
    assert "The table is empty. The list above shows unfinished or hidden items." in words(page)
    assert "No items match" not in words(page)


def test_a_draft_that_was_never_sent_is_not_listed(store: Store, clock: Clock) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 2)
    ann, bob = make_people(store, "ann", "bob")
    view = claimed(store, ann)
    drafts.save_draft(store, person=ann, task=view.id, seq=1, values={"values": {}, "note": "half"})
    clock.advance(minutes=31)
    vote(store, bob)
    vote(store, bob)
    assert expired_submissions(store, by=None, project="p") == []
