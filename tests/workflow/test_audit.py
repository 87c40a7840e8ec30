"""The log says who did what, when, from where; it can be filtered."""

from __future__ import annotations

from datetime import timedelta

import pytest

from db.engine import Store
from domain.errors import NotAllowedError, NotFoundError
from domain.origin import acting_from
from domain.roles import Role
from testkit.factories import Clock, make_items, make_person, make_project, vote
from workflow.access import accounts, audit, sign_in

pytestmark = pytest.mark.both_databases


@pytest.fixture
def clock(store: Store) -> Clock:
    store.clock = Clock()
    return store.clock


def test_who_what_when_and_from_where(store: Store, clock: Clock) -> None:
    make_project(store)
    make_items(store, 2)
    ann, ben = (make_person(store, login) for login in ("ann", "ben"))
    lea = make_person(store, "lea", role=Role.LEAD)
    first = clock()
    with acting_from("10.0.0.7"):
        vote(store, ann)
    clock.advance(hours=1)
    with acting_from("10.0.0.8"):
        vote(store, ben)
        vote(store, ben)
    found = audit.entries(store, by=lea, project="p", kinds=["task.submitted"])
    assert [(entry.who, entry.origin, entry.at - first) for entry in found] == [
        ("ben", "10.0.0.8", timedelta(hours=1)),
        ("ben", "10.0.0.8", timedelta(hours=1)),
        ("ann", "10.0.0.7", timedelta(0)),
    ]
    assert {entry.kind for entry in audit.entries(store, by=lea, project="p", kinds=["task."])} == {
        "task.claimed",
        "task.submitted",
    }
    assert len(audit.entries(store, by=lea, project="p", kinds=["task.submitted"], who="Ben")) == 2
    assert len(audit.entries(store, by=lea, project="p", kinds=["task.submitted"], item=found[2].item)) in (1, 2)
    early = audit.entries(store, by=lea, project="p", kinds=["task."], until=first + timedelta(minutes=1))
    assert {entry.who for entry in early} == {"ann"}
    assert all(
        entry.at > first for entry in audit.entries(store, by=lea, project="p", since=first + timedelta(seconds=1))
    )
    with pytest.raises(NotFoundError, match="no item 'x'"):
        audit.entries(store, by=lea, project="p", item="x")
    with pytest.raises(NotFoundError, match="No account has the login 'nobody'"):
        audit.entries(store, by=lea, project="p", who="nobody")


def test_only_leads_read_it_and_only_admins_read_all_of_it(store: Store) -> None:
    make_project(store)
    ann, lea = make_person(store, "ann"), make_person(store, "lea", role=Role.LEAD)
    with pytest.raises(NotAllowedError):
        audit.entries(store, by=ann, project="p")
    with pytest.raises(NotAllowedError, match="Only an admin"):
        audit.entries(store, by=lea, project=None)
    assert audit.entries(store, by=None, project=None, kinds=["person."])


def test_failed_sign_ins_are_written_down_without_the_password(store: Store) -> None:
    accounts.create_person(store, login="ann", name="Ann", password="correct horse battery")
    with acting_from("192.0.2.1"), pytest.raises(NotAllowedError):
        sign_in.authenticate(store, login="ann", password="wrong-secret")
    (entry,) = audit.entries(store, by=None, project=None, kinds=["person.sign_in_failed"])
    assert (entry.who, entry.origin, entry.data) == ("ann", "192.0.2.1", {"login": "ann"})
    assert "wrong-secret" not in repr(entry)
