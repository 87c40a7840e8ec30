"""The operator's counts over all projects, on both databases."""

from __future__ import annotations

from datetime import timedelta

import pytest

from db.engine import Store
from domain.runs import Attempt, Outcome
from domain.states import Stage
from testkit.factories import claimed, make_items, make_people, make_project, make_run
from workflow.access.server_counts import count_server, record_backup
from workflow.annotate.next_page import PageRequest, next_page

pytestmark = pytest.mark.both_databases


def test_attempts_and_their_cost_are_those_of_all_runs(store: Store) -> None:
    for project in ("p", "q"):
        make_project(store, name=project)
        make_items(store, 3, project=project)
    for project, first in (("p", 1), ("q", 4)):
        tried = [
            Attempt(first, Outcome.FAILED, cost=None),
            Attempt(first, Outcome.ANSWERED, text="red", cost=0.25),
            Attempt(first + 1, Outcome.ANSWERED, text="blue", cost=0.5),
        ]
        make_run(store, tried, project=project)
    found = count_server(store)
    assert found.attempts == {"failed": 2, "answered": 4}
    assert found.cost == 1.5  # twice 0.25 + 0.5


def test_a_claim_counts_until_its_lease_ends(store: Store) -> None:
    make_project(store)
    make_items(store, 20)
    ann, ben = make_people(store, "ann", "ben")
    claimed(store, ann)
    claimed(store, ben)
    ahead = next_page(store, person=ann, wanted=PageRequest("p", Stage.VERIFICATION, ahead=True))
    assert ahead.upcoming is not None, "the second item is reserved, and nobody sees it"
    assert count_server(store).claims == {"verification": 2}
    later = store.now() + timedelta(days=2)
    store.clock = lambda: later
    assert count_server(store).claims == {}


def test_the_last_backup_counts(store: Store) -> None:
    assert count_server(store).backed_up_at is None
    moments = [store.now() + timedelta(hours=n) for n in (1, 3)]
    for moment in moments:
        store.clock = lambda moment=moment: moment  # type: ignore[misc]
        record_backup(store, bytes=10, media=0)
    assert count_server(store).backed_up_at == moments[1]
