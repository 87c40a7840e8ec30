"""Who is at work and what they have in hand, against counts made by hand."""

from __future__ import annotations

import pytest

from db.engine import Store
from domain.errors import NotAllowedError
from domain.roles import Role
from testkit.factories import Clock, claimed, make_items, make_person, make_project, vote
from workflow.annotate import claims, drafts
from workflow.lead import people_at_work

pytestmark = pytest.mark.both_databases


def test_people_at_work(store: Store) -> None:
    store.clock = clock = Clock()
    make_project(store)
    make_items(store, 6)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben = make_person(store, "ann"), make_person(store, "ben")
    vote(store, ann)
    vote(store, ann)
    clock.advance(days=2)
    vote(store, ann)
    first = claimed(store, ann)
    drafts.save_draft(store, person=ann, task=first.id, seq=1, values={"note": "half a thought"})
    claims.postpone(store, person=ann, task=first.id)
    claimed(store, ann)
    claimed(store, ben)
    clock.advance(minutes=20)
    claimed(store, ben)
    found = {one.login: one for one in people_at_work.at_work(store, by=lea, project="p")}
    assert {login: (one.today, one.week, one.held, one.postponed, one.drafts) for login, one in found.items()} == {
        "ann": (1, 3, 2, 1, 1),
        "ben": (0, 0, 1, 0, 0),
        "lea": (0, 0, 0, 0, 0),
    }
    assert {login for login, one in found.items() if one.now} == {"ben"}, "ann's page was silent for twenty minutes"
    clock.advance(minutes=15)
    again = {one.login: one for one in people_at_work.at_work(store, by=lea, project="p")}
    assert (again["ann"].held, again["ann"].over, again["ben"].over) == (0, 2, 0)
    with pytest.raises(NotAllowedError):
        people_at_work.at_work(store, by=ann, project="p")
