"""What people had been sent before they voted: clean work has no fault, and what is planted is found and named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import col, select

from annotation_schemas.loader import load_text
from app.services import Services
from app.workbench import page, sent
from db.engine import Store
from db.tables import ExposureRow, ExposureShapeRow
from domain.errors import InvalidInputError
from domain.exposure import Disclosure, Route
from domain.records import Person, TaskView
from domain.roles import Role
from domain.settings import Settings
from domain.states import Stage
from media.store import MediaStore
from testkit.factories import (
    BLIND,
    SETTLING,
    make_items,
    make_people,
    make_person,
    make_predictions,
    make_project,
    make_schema,
)
from testkit.project_archives import delete_project, needs_archives
from testkit.schema_versions import take_schema
from workflow.access import exposure
from workflow.access.projects import access_to
from workflow.annotate import claims, submissions
from workflow.annotate.authoring import edit_item
from workflow.annotate.next_page import PageRequest, next_page
from workflow.files import exposures
from workflow.files.project_check import check, remarks

pytestmark = pytest.mark.both_databases

Change = Callable[[dict[str, Any]], None]


def show(store: Store, person: Person, stage: Stage = Stage.VERIFICATION, change: Change | None = None) -> TaskView:
    """Send someone their page, as a server does; ``change`` is what a faulty one does to it."""
    turn = next_page(store, person=person, wanted=PageRequest(project="p", stage=stage))
    assert isinstance(turn.found, TaskView), turn.found
    data = page.task_page(
        person=person,
        csrf="csrf",
        static=page.static_part(turn.view.schema, stage, project="p", title="P"),
        schema=turn.view.schema.schema_,
        task=turn.found,
        progress=turn.numbers,
    )
    if change is not None:
        change(data)
    sent.page(Services(store, MediaStore(Path("media")), Settings(Path(), ""), person, "csrf"), data)
    return turn.found


def say(store: Store, person: Person, view: TaskView, key: str = "", **values: Any) -> None:
    submissions.submit(store, person=person, task=view.id, key=key or view.id, values=values or {"choice": "red"})


def faults(store: Store, **how: Any) -> list[exposures.Fault]:
    with store.read() as session:
        return list(exposures.faults(session, access=access_to(session, person=None, project="p"), **how))


def rows(store: Store, *routes: Route) -> list[ExposureRow]:
    with store.read() as session:
        wanted = select(ExposureRow).where(col(ExposureRow.route).in_(routes or list(Route)))
        return list(session.exec(wanted.order_by(col(ExposureRow.id))))


@pytest.mark.thorough
def test_clean_work_has_no_fault_and_says_what_it_does_not_know(store: Store) -> None:
    make_project(store)
    make_items(store, 1)
    ann, bob = make_people(store, "ann", "bob")
    say(store, ann, show(store, ann))
    view = claims.next_task(store, person=bob, project="p", stage=Stage.VERIFICATION)
    assert isinstance(view, TaskView)
    say(store, bob, view)  # by a script, without a page
    found = exposures.report(store, by=None, project="p")
    (line,) = found.stages
    assert (line.votes, line.complete, line.without, line.faulty) == (2, 1, 1, 0)
    assert (found.faults, remarks(store, project="p"), check(store)) == ([], [], [])
    with store.read() as session:
        (shape,) = session.exec(select(ExposureShapeRow)).all()
    assert shape.told == {"facts": [], "fields": ["options", "question"], "other": [], "said": []}


def into_fields(data: dict[str, Any]) -> None:
    data["task"]["fields"]["answer"] = "red"


def beside_fields(data: dict[str, Any]) -> None:
    data["task"]["hint"] = {"mark": "red"}


def into_the_question(data: dict[str, Any]) -> None:
    data["task"]["fields"]["question"] += " (origin-0)"


def into_a_picture(data: dict[str, Any]) -> None:
    data["task"]["assets"] = [{"id": "a", "alt": "origin-0"}]


def author(data: dict[str, Any]) -> None:
    data["task"]["history"] = ["Zoe wrote it."]


def author_above(data: dict[str, Any]) -> None:
    data["written_by"] = "zoe"


def votes(data: dict[str, Any]) -> None:
    data["task"]["votes"] = [{"label": "Vote A", "values": {"choice": "blue"}, "reasons": {}, "note": ""}]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (into_fields, {"field answer"}),
        (beside_fields, {"field answer", "part task.hint"}),
        (into_the_question, {"field origin", "part fields.question"}),
        (into_a_picture, {"field origin"}),
        (author, {"author", "verdict"}),
        (author_above, {"author", "part written_by"}),
        (votes, {"votes"}),
    ],
)
def test_what_a_faulty_page_sends_is_found_and_named(store: Store, change: Change, what: set[str]) -> None:
    make_project(store)
    zoe = make_person(store, "zoe")
    make_items(store, 1, author_id=zoe.id)
    ann, bob = make_people(store, "ann", "bob")
    say(store, bob, show(store, bob), choice="blue")
    show(store, ann, change=change)
    say(store, ann, show(store, ann))  # reloaded, and right again: what was sent was sent
    found = faults(store)
    assert {fault.what for fault in found} == what
    assert {(fault.item, fault.person_id) for fault in found} == {("colour/0", ann.id)}
    planted = rows(store, Route.PAGE)[1]
    assert {(fault.sha256, fault.bytes, fault.sent_at) for fault in found} == {
        (planted.sha256, planted.bytes, planted.at)
    }
    said = [each for each in remarks(store, project="p") if " had received " in each]
    assert len(said) == len(what)
    assert "red" not in exposures.as_csv(found).replace("hundred", ""), "the report gives nothing away itself"


@pytest.mark.parametrize(("key", "what"), [("model", "model"), ("judge_score", "judge"), ("grades", "votes")])
def test_a_grader_who_was_sent_the_model_a_score_or_a_grade(store: Store, key: str, what: str) -> None:
    make_project(store)
    (item,) = make_items(store, 1)
    ann, bob = make_people(store, "ann", "bob")
    for person in (ann, bob):
        say(store, person, show(store, person))
    make_predictions(store, [item], models=["gpt-x"])
    say(store, bob, show(store, bob, Stage.GRADING), score=1)
    value = {"model": "gpt-x", "judge_score": 0.5, "grades": [1]}[key]
    say(store, ann, show(store, ann, Stage.GRADING, lambda data: data["task"].update({key: value})), score=1)
    assert {(fault.person_id, fault.what) for fault in faults(store)} == {(ann.id, what), (ann.id, f"part task.{key}")}
    assert not faults(store, stages=[Stage.VERIFICATION])


def faults_after_a_look(store: Store, look: Callable[..., Any]) -> list[exposures.Fault]:
    """The faults of a lead who looks at an item by such a use case, and then votes in its next round."""
    make_project(store)
    make_items(store, 1)
    people = make_people(store, "ann", "bob")
    lea, cat = make_person(store, "lea", role=Role.LEAD), make_person(store, "cat")
    for person in people:
        say(store, person, show(store, person))
    look(store, person=lea, project="p", item="colour/0")
    edit_item(store, person=None, project="p", item="colour/0", fields={"question": "Which, then?"})
    for person in (lea, cat):
        say(store, person, show(store, person))
    found = faults(store)
    assert {fault.person_id for fault in found} == {lea.id}
    assert "field answer" in {fault.what for fault in found}
    assert "votes" not in {fault.what for fault in found}, "no one had voted on this revision by then"
    ours = faults(store, item_ids=[found[0].item_id])
    assert ours == found
    assert not faults(store, item_ids=[found[0].item_id + 1])
    return found


def test_a_field_that_was_made_secret_after_it_was_shown(store: Store) -> None:
    make_project(store)
    make_items(store, 1)
    ann = make_person(store, "ann")
    say(store, ann, show(store, ann))
    assert not faults(store)
    text_ = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", SETTLING)
    later = text_.replace("version: 1", "version: 2").replace(
        "{name: question, kind: text}", "{name: question, kind: text, secret_in: [verification]}"
    )
    take_schema(store, load_text(later, "Be exact.", "blind"))
    assert [fault.what for fault in faults(store)] == ["field question"]


def test_each_time_that_something_is_sent_is_there(store: Store) -> None:
    make_project(store)
    make_items(store, 1)
    ann = make_person(store, "ann")
    first = show(store, ann)
    claims.release(store, person=ann, task=first.id)  # opened, and left
    assert [row.task_id for row in rows(store)] != []
    again = show(store, ann)
    show(store, ann)  # a second tab
    say(store, ann, again)
    submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    corrected = show(store, ann, change=into_fields)
    say(store, ann, corrected, key="again", choice="blue")
    sent_ = rows(store, Route.PAGE)
    assert len(sent_) == 4
    assert len({row.task_id for row in sent_}) == 1
    (fault,) = faults(store)
    assert (fault.what, fault.counts, fault.sha256) == ("field answer", True, sent_[-1].sha256)
    (line,) = exposures.report(store, by=None, project="p").stages
    assert (line.votes, line.complete, line.faulty) == (2, 2, 1)


@pytest.mark.thorough
def test_what_many_are_sent_at_once_is_there(store: Store) -> None:
    """More people than there are connections that note, the first page of a project among them."""
    make_project(store, loaded=make_schema(raters=20, adjudication=False))
    make_items(store, 3)
    people = make_people(store, *(f"p{number}" for number in range(20)))
    with ThreadPoolExecutor(20) as threads:
        shown = list(threads.map(lambda person: [show(store, person).id for _ in range(3)], people))
    assert len(shown) == 20
    of = Counter(row.person_id for row in rows(store, Route.PAGE))
    assert of == {person.id: 3 for person in people}
    with store.read() as session:
        assert len(session.exec(select(ExposureShapeRow)).all()) == 1


def test_a_task_that_no_database_can_hold_is_none(store: Store) -> None:
    """After it, pages are noted as before."""
    make_project(store)
    make_items(store, 1)
    ann = make_person(store, "ann")
    task = show(store, ann).id
    given: dict[str, Any] = {"person": ann, "route": Route.PAGE, "body": b"", "look": lambda secrets: Disclosure()}
    for strange in (f"{task}\0", f"{task}\0'; DROP TABLE exposure; --", "\ud800", "$1", "é" * 100_000):
        with suppress(InvalidInputError):
            exposure.sent_task(store, **given, task=strange)
    assert len(rows(store)) == 1
    show(store, ann)
    assert [row.stage for row in rows(store)] == [Stage.VERIFICATION.value] * 2


@needs_archives
@pytest.mark.thorough
@pytest.mark.parametrize("table", ["exposure", "exposure_shape"])
def test_a_project_takes_its_ledger_away_with_it(store: Store, home: Path, table: str) -> None:
    make_project(store)
    make_items(store, 1)
    ann = make_person(store, "ann")
    show(store, ann)
    with store.read() as session:
        assert session.connection().scalar(text(f"SELECT count(*) FROM {table}"))
    delete_project(store, MediaStore(home / "media"))
    with store.read() as session:
        assert not session.connection().scalar(text(f"SELECT count(*) FROM {table}"))
