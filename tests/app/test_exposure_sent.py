"""What the ledger says was sent is what came: hashed and measured apart, from the bytes that a client received."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from annotation_schemas.loader import load_text
from app.workbench import page
from benchmarks.client import WorkingPage
from db.engine import Store
from db.tables import AnnotationRow, ExposureRow, ExposureShapeRow, PersonRow
from domain.exposure import Route
from domain.records import Person, TaskView
from domain.roles import Role
from domain.states import Stage
from testkit.coded_world import CODING
from testkit.compared_world import COMPARISON
from testkit.factories import (
    BLIND,
    SETTLING,
    make_items,
    make_people,
    make_person,
    make_predictions,
    make_project,
)
from testkit.missing_extensions import needs
from testkit.qualification import begin_try, make_set, needs_qualification
from testkit.serving import Server, touchstone
from testkit.stage_work import open_work
from tests.app.client import Client
from tests.app.homes import PASSWORD, make_home
from tests.app.screens import drawn
from workflow.access import sign_in
from workflow.annotate import claims, image_pool, submissions, task_views
from workflow.files import exposures

ASKED = "{items: 2, reviewers: 1, pass_mark: 0.5}"


def schema(*, raters: str = "2") -> Any:
    text = BLIND.replace("RATERS", raters).replace("PER_SOURCE", "2").replace("ADJUDICATION", SETTLING)
    return load_text(text + COMPARISON + CODING, "Be exact.", "blind")


def noted(store: Store, person: Person, *routes: Route) -> list[tuple[str, str, int]]:
    """What the ledger has of a person: stage, hash, size, in the order in which it was sent."""
    with store.read() as session:
        wanted = select(ExposureRow).where(ExposureRow.person_id == person.id, col(ExposureRow.route).in_(routes))
        rows = session.exec(wanted.order_by(col(ExposureRow.id))).all()
        return [(row.stage, row.sha256, row.bytes) for row in rows]


def told(store: Store, stage: Stage) -> set[tuple[str, ...]]:
    """What kinds of facts pages of a stage had."""
    with store.read() as session:
        wanted = (
            select(ExposureShapeRow.told)
            .join(ExposureRow, col(ExposureRow.shape_id) == ExposureShapeRow.id)
            .where(ExposureRow.stage == stage.value, ExposureRow.route == Route.PAGE)
        )
        return {tuple(sorted([*each["fields"], *each["facts"], *each["other"]])) for each in session.exec(wanted)}


def hashed(received: Sequence[str]) -> list[tuple[str, int]]:
    """Return hash and size of each page with a task, and of each task that waits behind a page's own."""
    texts = []
    for text in received:
        page = json.loads(text)
        if page.get("task"):
            texts += [text, json.dumps({"task": page["upcoming"]})] if page.get("upcoming") else [text]
    return [(hashlib.sha256(text.encode()).hexdigest(), len(text.encode())) for text in texts]


def work(
    server: Server, store: Store, person: Person, path: str, project: str, answers: Callable[[Any], Any], n: int = 9
) -> list[tuple[str, int]]:
    """Open a page, answer what comes as long as something does (``n`` at most), and close it."""

    async def go() -> list[str]:
        token = sign_in.start_session(store, person=person)
        desk = WorkingPage(server.url, path=path, project=project, token=token)
        desk.kept = []
        await desk.open()
        for _ in range(n):
            if not desk.data.get("task"):
                break
            await desk.submit(answers(desk.data["task"]))
        await desk.close()
        return desk.kept

    return hashed(run(go()))


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(coroutine)


@needs_qualification
@needs("stages", "coding")
@needs("stages", "comparison")
@pytest.mark.both_databases
@pytest.mark.slow
def test_the_ledger_has_what_clients_received_in_each_stage(store: Store, store_url: str, home: Path) -> None:
    make_project(store, loaded=schema())
    item_ids = make_items(store, 3)
    ann, bob = make_people(store, "ann", "bob")
    sen = make_person(store, "sen", role=Role.SENIOR)
    make_project(store, name="q", loaded=schema(raters=f"2\n    qualification: {ASKED}"))
    make_items(store, 4, project="q")
    make_set(store, project="q", n=2)
    new = make_person(store, "new", project="q")
    begin_try(store, new, project="q")
    more = {} if store.is_sqlite else {"TOUCHSTONE_DATABASE_URL": store_url}
    server = Server(home, **more).start()
    try:
        received: dict[tuple[str, Stage], list[tuple[str, int]]] = {}

        def by(person: Person, path: str, stage: Stage, answers: Callable[[Any], Any], project: str = "p") -> None:
            received[person.login, stage] = work(server, store, person, path, project, answers)

        by(ann, "verify", Stage.VERIFICATION, lambda task: {"choice": "red"})
        said = iter(["red", "blue", "red"])
        by(bob, "verify", Stage.VERIFICATION, lambda task: {"choice": next(said)})
        by(sen, "adjudicate", Stage.ADJUDICATION, lambda task: {"decision": "accept", "cause": "wrong_key"})
        make_predictions(store, item_ids, models=["gpt-x", "llama-y"])
        by(ann, "grade", Stage.GRADING, lambda task: {"score": 0.5})
        open_work(store, Stage.COMPARISON)
        by(bob, "compare", Stage.COMPARISON, lambda task: {"better": "left"})
        open_work(store, Stage.CODING)
        by(ann, "code", Stage.CODING, lambda task: {"failure": ["format"]})
        work(server, store, new, "verify", "q", lambda task: {"choice": "red"})
    finally:
        server.stop()
    people = {each.login: each for each in (ann, bob, sen)}
    for (login, stage), came in received.items():
        assert came, (login, stage)
        rows = [(hash, size) for row, hash, size in noted(store, people[login], Route.PAGE) if row == stage.value]
        assert rows == came, (login, stage)
    assert len(noted(store, new, Route.PAGE)) >= 2, "a qualification's items, too"
    assert told(store, Stage.VERIFICATION) == {("options", "question")}
    assert told(store, Stage.ADJUDICATION) == {("answer", "options", "question", "verdict", "votes")}
    assert told(store, Stage.GRADING) == {("answer", "answer", "question")}, "the reference, and a model's answer"
    with store.read() as session:
        live = len(session.exec(select(AnnotationRow.id).where(AnnotationRow.purpose == "live")).all())
    found = exposures.report(store, by=None, project="p")
    assert not found.faults
    assert sum(line.votes for line in found.stages) == live
    assert all(line.complete == line.votes for line in found.stages), "each vote has what was sent before it"
    command = touchstone("exposure", "check", "p", home=home, **more)
    assert command.returncode == 0, command.stderr
    assert "verification,6,6,0,0" in command.stdout.splitlines()


@pytest.mark.slow
def test_media_are_noted_by_the_bytes_that_came_and_once(tmp_path: Path, sqlite_template: Path) -> None:
    home = make_home(tmp_path, sqlite_template, pictures=2)
    store = home.store()
    with store.read() as session:
        ana = session.exec(select(PersonRow).where(PersonRow.login == "ana")).one()
    person = Person(id=ana.id, login="ana", name="Ana", is_admin=False)
    asset = image_pool.pool(store, person=person, project="tiny").assets[0].id
    server = Server(home.path).start()
    try:
        client = Client(server.url).sign_in("ana", PASSWORD)
        came = {size: client.get(f"/media/{asset}/{size}") for size in ("display", "original")}
        again = client.get(f"/media/{asset}/display")
        unchanged = client.get(f"/media/{asset}/display", If_None_Match=came["display"].headers["etag"])
    finally:
        server.stop()
    assert (again.body, unchanged.status) == (came["display"].body, 304)
    wanted = {(hashlib.sha256(reply.body).hexdigest(), len(reply.body)) for reply in came.values()}
    rows = [(hash, size) for _, hash, size in noted(store, person, Route.MEDIA)]
    assert (set(rows), len(rows)) == (wanted, len(wanted))
    store.close()


@pytest.mark.thorough
def test_a_page_that_sends_every_field_is_found_by_what_it_sent(
    store: Store, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(store, loaded=schema())
    make_items(store, 1)
    ann, bob = make_people(store, "ann", "bob")
    drawn(store, home, "verify", "bob", project="p")
    with monkeypatch.context() as faulty:
        faulty.setattr(page, "_static", {})
        for module in (page, task_views):
            faulty.setattr(module, "shown_fields", lambda schema, stage: list(schema.item.fields))
        shown = drawn(store, home, "verify", "ann", project="p")
    (component,) = shown.get("bidi_component")
    text = component.proto.json
    assert json.loads(text)["task"]["fields"]["answer"] == "red", "the page that ann gets has the key"
    assert noted(store, ann, Route.PAGE)[-1][1:] == (hashlib.sha256(text.encode()).hexdigest(), len(text))
    for person in (ann, bob):
        task = claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION)
        assert isinstance(task, TaskView)
        submissions.submit(store, person=person, task=task.id, key=task.id, values={"choice": "red"})
    found = exposures.report(store, by=None, project="p").faults
    assert {(fault.person_id, fault.what) for fault in found} == {(ann.id, "field answer"), (ann.id, "field origin")}
