"""Who looks into an item, and who is asked about it blind no more."""

from __future__ import annotations

import pytest
from sqlmodel import select

from db.engine import Store
from db.tables import InsightRow, ItemRow
from domain.errors import NotAllowedError
from domain.records import NoTask, Person
from domain.roles import Role
from domain.states import Stage
from testkit.factories import make_items, make_people, make_person, make_project, make_schema, vote
from testkit.looks import look
from workflow.annotate import claims


@pytest.fixture
def people(store: Store) -> dict[str, Person]:
    """An item to be verified by two; ann, ben and cy verify, sam settles, lea leads."""
    make_project(store, loaded=make_schema())
    make_items(store, 1)
    found = {person.login: person for person in make_people(store, "ann", "ben", "cy")}
    found["sam"] = make_person(store, "sam", role=Role.SENIOR, stages=[Stage.ADJUDICATION])
    found["lea"] = make_person(store, "lea", role=Role.LEAD)
    return found


def item_of(store: Store) -> str:
    with store.read() as session:
        return session.exec(select(ItemRow.public_id)).one()


@pytest.mark.both_databases
def test_who_has_looked_is_asked_blind_no_more(store: Store, people: dict[str, Person]) -> None:
    lea = people["lea"]
    look(store, lea, item_of(store))
    assert isinstance(claims.next_task(store, person=lea, project="p", stage=Stage.VERIFICATION), NoTask)
    with store.read() as session:
        assert session.exec(select(InsightRow.person_id)).all() == [lea.id]


def test_a_senior_who_may_still_be_asked_looks_into_nothing(store: Store, people: dict[str, Person]) -> None:
    sue = make_person(store, "sue", role=Role.SENIOR)
    with pytest.raises(NotAllowedError, match="may still be asked"):
        look(store, sue, item_of(store))
    vote(store, people["ann"], "red")
    vote(store, people["ben"], "blue")
    assert not look(store, sue, item_of(store)).names
