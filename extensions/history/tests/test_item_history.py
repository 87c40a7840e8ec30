"""The history of an item holds everything that happened to it, and names no one too early."""

from __future__ import annotations

import pytest
from sqlmodel import select

from db import items
from db.engine import Store
from db.tables import ItemRow
from domain.roles import Role
from domain.states import ItemState, Stage
from extensions.history import item_history
from testkit.factories import claimed, make_items, make_people, make_person, make_project, make_schema, vote
from workflow.access.event_log import log
from workflow.access.projects import access_to
from workflow.annotate import claims, submissions

pytestmark = pytest.mark.both_databases


@pytest.mark.one_database
def test_everything_is_in_it_and_names_are_hidden_until_the_decision(store: Store) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 1)
    ann, ben = make_people(store, "ann", "ben")
    sam = make_person(store, "sam", role=Role.SENIOR, stages=[Stage.ADJUDICATION])
    lea = make_person(store, "lea", role=Role.LEAD)
    with store.read() as session:
        item = session.exec(select(ItemRow.public_id)).one()
    given_back = claimed(store, ben)
    claims.release(store, person=ben, task=given_back.id)
    vote(store, ann, "red")
    again = submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    submissions.submit(store, person=ann, task=again.id, key="2", values={"choice": "blue"}, note="I looked again.")
    vote(store, ben, "red")
    view = claimed(store, sam, Stage.ADJUDICATION)

    told = item_history.history(store, person=sam, project="p", item=item)
    assert told.state is ItemState.IN_ADJUDICATION
    assert told.names_hidden
    said = repr(told)
    assert "ann" not in said.replace("annotator", "")
    assert "ben" not in said
    labels = {answer.label: answer.values["choice"] for answer in told.answers if answer.counts}
    assert labels == {each.label: each.values["choice"] for each in view.votes}, "as on the page of adjudication"

    submissions.submit(
        store,
        person=sam,
        task=view.id,
        key="s",
        values={"decision": "edit", "cause": "wrong_key", "fields": {"question": "Which colour?"}},
    )
    told = item_history.history(store, person=lea, project="p", item=item)
    assert [(one.number, one.by) for one in told.revisions] == [(1, "a file"), (2, "sam")]
    assert told.revisions[1].changes == [("question", "Question 0?", "Which colour?")]
    answers = [(a.by, str(a.stage), a.values.get("choice"), a.counts, a.corrects, a.guideline) for a in told.answers]
    assert answers == [
        ("ann", "verification", "red", False, False, 1),
        ("ann", "verification", "blue", True, True, 1),
        ("ben", "verification", "red", True, False, 1),
        ("sam", "adjudication", None, True, False, 1),
    ]
    assert told.answers[1].note == "I looked again."
    steps = [(step.by, step.words) for step in told.steps]
    assert ("ben", "started the item (verification)") in steps
    assert ("ben", "gave the item back (verification)") in steps
    assert ("ann", "reopened the answer (verification)") in steps
    assert ("ann", "corrected an earlier answer (verification)") in steps
    assert ("sam", "edited the item") in steps
    assert item_history.history(store, person=lea, project="p", item=told.name).item == item, (
        "also by its name in files"
    )


def test_an_event_that_has_no_words_is_shown_to_leads_alone(store: Store) -> None:
    make_project(store)
    make_items(store, 1)
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        item = items.by_external_id(session, project_id=access.project_id, external_id="colour/0")
        log(session, "drafting.time_by_field", by=None, project=access, item=item, now=store.now())
    for role, times in ((Role.SENIOR, 0), (Role.LEAD, 1)):
        person = make_person(store, role.value, role=role, stages=[Stage.ADJUDICATION])
        steps = item_history.history(store, person=person, project="p", item="colour/0").steps
        assert [step.words for step in steps].count("drafting time by field") == times
