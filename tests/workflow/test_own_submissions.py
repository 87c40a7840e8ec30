"""What someone has submitted, for themselves: found, as it was, corrected, and no word about what became of it."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from annotation_schemas.loader import load_text
from db.engine import Store
from domain.errors import NotFoundError
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from testkit.factories import Clock, claimed, make_items, make_people, make_person, make_predictions, make_project, vote
from testkit.missing_extensions import needs
from workflow.annotate import own_submissions, submissions
from workflow.annotate.own_submissions import SubmissionPage

pytestmark = pytest.mark.both_databases

VERIFY = Stage.VERIFICATION


def found(store: Store, person: Person, **wanted: Any) -> SubmissionPage:
    return own_submissions.find(store, person=person, project="p", **wanted)


def execute(store: Store, statement: str, **values: Any) -> None:
    with store.write() as session:
        session.connection().execute(text(statement), values)


@pytest.mark.thorough
def test_one_finds_what_one_said_and_nothing_that_was_hidden(store: Store) -> None:
    clock = Clock()
    store.now = clock  # type: ignore[method-assign]
    make_project(store)
    ana, bob = make_people(store, "ana", "bob")
    items = [*make_items(store, 2), *make_items(store, 1, dimension="shape")]
    make_predictions(store, items[:1], models=["model-of-no-name"])
    seen = []
    for choice in ("red", None, "blue"):
        seen.append(vote(store, ana, choice))
        clock.advance(days=1)
    task = claimed(store, ana, Stage.GRADING)
    submissions.submit(store, person=ana, task=task.id, key="grade", values={"score": 0.5}, note="🙂 <b>half</b>")
    seen.append(task)

    listed = found(store, ana)
    assert [row.task for row in listed.rows] == [view.id for view in reversed(seen)]
    assert [[(line.title, line.text) for line in row.said] for row in listed.rows] == [
        [("How good?", "0.5"), ("Note", "🙂 <b>half</b>")],
        [("Which one?", "blue")],
        [("Which one?", "Unclear")],
        [("Which one?", "red")],
    ]
    assert [row.words for row in listed.rows] == [view.fields["question"] for view in reversed(seen)]
    second = seen[1]
    words = str(second.fields["question"])
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"stage": Stage.GRADING}, [task.id]),
        ({"dimension": "shape"}, [view.id for view in seen if view.dimension == "shape"]),
        ({"day": date(2026, 5, 5)}, [second.id]),
        ({"day": date(2026, 5, 3)}, []),
        ({"text": words.upper(), "stage": VERIFY}, [second.id]),
        ({"text": "no such words"}, []),
        ({"text": "origin-"}, []),  # a field that neither stage shows
        ({"text": "model-of-no-name"}, []),
        ({"text": "%"}, []),
        ({"offset": 1, "limit": 2}, [seen[2].id, seen[1].id]),
        ({"stage": Stage.ADJUDICATION}, []),  # not this person's
    ]
    for wanted, expected in cases:
        assert [row.task for row in found(store, ana, **wanted).rows] == expected, wanted
    assert found(store, ana, offset=1, limit=2).n == 4
    assert found(store, ana, text="question").n == 4
    assert found(store, bob).n == 0
    assert found(store, ana, text="red", stage=VERIFY).n == 3, "the options are shown"
    with pytest.raises(NotFoundError, match="None of your submissions in this project has this ID"):
        own_submissions.look(store, person=bob, project="p", submission=listed.rows[0].id)


def test_nothing_tells_what_became_of_an_item_or_that_it_was_a_check(store: Store) -> None:
    """Others vote and disagree, a senior edits the item, and one of them turns out to be a gold check."""
    make_project(store)
    ana, bob = make_people(store, "ana", "bob")
    sue = make_person(store, "sue", role=Role.SENIOR)
    make_items(store, 4)
    said = [vote(store, ana, "red").id, vote(store, ana, "red").id]
    for purpose in ("gold", "qualification"):
        task = claimed(store, ana)
        execute(store, "UPDATE task SET purpose = :purpose WHERE public_id = :id", purpose=purpose, id=task.id)
        submissions.submit(store, person=ana, task=task.id, key=purpose, values={"choice": "red"})
        said += [task.id] if purpose == "gold" else []

    def everything() -> list[Any]:
        rows = found(store, ana).rows
        return [(row, own_submissions.look(store, person=ana, project="p", submission=row.id)) for row in rows]

    before = everything()
    assert [row.task for row, _ in before] == said[::-1], "a gold check stands among them, a qualification does not"
    assert [each.view.fields["options"] for _, each in before] == [["red", "blue"]] * 3
    assert all("answer" not in each.view.fields and each.view.item is None for _, each in before)
    vote(store, bob, "red")
    vote(store, bob, "blue")
    contested = claimed(store, sue, Stage.ADJUDICATION)
    fields = {"question": "Something else?", "options": ["green", "grey"], "answer": "green"}
    values = {"decision": "edit", "cause": "wrong_key", "fields": fields}
    submissions.submit(store, person=sue, task=contested.id, key="edit", values=values)
    assert everything() == before
    (own,) = found(store, sue).rows
    assert [line.text for line in own.said][:2] == ["Edit", "Wrong key"], "as the form says it"


def test_a_correction_counts_once_and_what_was_said_before_stands_below_it(store: Store) -> None:
    make_project(store)
    (ana,) = make_people(store, "ana")
    make_items(store, 2)
    first, _ = vote(store, ana, "red"), vote(store, ana, "red")
    again = submissions.undo(store, person=ana, project="p", stage=VERIFY, task=first.id)
    assert again.id == first.id
    assert found(store, ana).n == 2, "what was submitted stands while it is corrected"
    submissions.submit(store, person=ana, task=first.id, key="anew", values={"choice": "blue"})
    newest, other = found(store, ana).rows
    assert (newest.task, newest.said[0].text, newest.corrected, other.corrected) == (first.id, "blue", True, False)
    whole = own_submissions.look(store, person=ana, project="p", submission=newest.id)
    assert [(each.id == newest.id, each.said[0].text) for each in whole.before] == [(False, "red")]
    assert whole.view.draft is not None
    assert whole.view.draft.values["values"] == {"choice": "blue"}


def test_what_is_asked_once_more_is_not_shown_as_long_as_it_is_in_hand(store: Store) -> None:
    make_project(store)
    (ana,) = make_people(store, "ana")
    make_items(store, 3)
    first, second = vote(store, ana, "red"), vote(store, ana, "blue")
    rows = {row.task: row for row in found(store, ana).rows}
    claimed_now = claimed(store, ana)
    assert found(store, ana).n == 2
    execute(
        store,
        "UPDATE task SET item_id = (SELECT item_id FROM annotation WHERE public_id = :id) WHERE public_id = :task",
        id=rows[first.id].id,
        task=claimed_now.id,
    )
    assert [row.task for row in found(store, ana).rows] == [second.id]
    with pytest.raises(NotFoundError):
        own_submissions.look(store, person=ana, project="p", submission=rows[first.id].id)


@pytest.mark.one_database
def test_a_page_asks_the_database_as_often_for_one_row_as_for_fifty(store: Store, tmp_path: Path) -> None:
    from sqlalchemy import event

    make_project(store)
    (ana,) = make_people(store, "ana")
    make_items(store, 60)
    asked: list[str] = []

    def count(limit: int) -> int:
        asked.clear()
        assert len(found(store, ana, limit=limit).rows) == limit
        return len(asked)

    for _ in range(12):
        vote(store, ana, "red")
    with store.read() as session:
        engine = session.connection().engine
    event.listen(engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    count(1)
    assert count(12) == count(1)


NOTHING = """
name: when
version: 1
title: When
dimensions: [{id: colour, title: Colour}]
item:
  assets: [{role: clip, kind: clip, min: 0}]
  fields: [{name: question, kind: text}]
stages:
  verification:
    raters: 1
    criteria:
      - {name: at, kind: time_span, prompt: When is it?}
      - {name: which, kind: multi_choice, prompt: Which ones?, options: [cup, lid], none: Not one of them}
      - {name: sure, kind: choice, prompt: Sure?, options: ["yes", "no"]}
    keep: {rule: unanimous, criterion: sure, value: "yes"}
"""


@needs("kinds", "time_span")
def test_that_nothing_applies_is_said_as_an_answer(store: Store) -> None:
    make_project(store, loaded=load_text(NOTHING, "", "when"))
    make_items(store, 1, fields={"question": "When is the cup there?"})
    (ana,) = make_people(store, "ana")
    task = claimed(store, ana, VERIFY)
    submissions.submit(store, person=ana, task=task.id, key="k", values={"at": [], "which": [], "sure": "yes"})
    (row,) = found(store, ana).rows
    assert [(line.title, line.text) for line in row.said] == [
        ("When is it?", "The event does not happen."),
        ("Which ones?", "Not one of them"),
        ("Sure?", "Yes"),
    ]
