"""The ledger of what was sent keeps who opened a history, and finds those who voted afterwards."""

from __future__ import annotations

import pytest

from db.engine import Store
from domain.exposure import Route
from domain.roles import Role
from extensions.history import item_history
from testkit.factories import make_items, make_person, make_project
from tests.workflow.test_exposure import faults, faults_after_a_look, rows, say, show

pytestmark = pytest.mark.both_databases


def test_what_was_sent_after_the_vote_is_no_fault(store: Store) -> None:
    make_project(store)
    make_items(store, 2)
    ann = make_person(store, "ann", role=Role.LEAD)
    bob = make_person(store, "bob")
    for person in (ann, bob):
        for _ in range(2):
            say(store, person, show(store, person))
    item_history.history(store, person=ann, project="p", item="colour/0")
    assert len(rows(store, Route.HISTORY)) == 1
    assert not faults(store)


@pytest.mark.thorough
def test_a_lead_who_looked_at_an_item_and_votes_in_its_next_round(store: Store) -> None:
    assert {fault.route for fault in faults_after_a_look(store, item_history.history)} == {Route.HISTORY}
