"""A run that was withdrawn counts nowhere, stays listed with the reason, and can be taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db import events
from db.engine import Store
from domain.errors import ConflictError, InvalidInputError
from domain.run_kinds import RunKind
from domain.runs import Attempt, Outcome, RunState
from domain.states import Stage
from testkit.factories import (
    claimed,
    make_items,
    make_people,
    make_person,
    make_predictions,
    make_project,
    make_run,
    vote,
)
from testkit.missing_extensions import needs
from testkit.scripted import ScriptedServer, chat
from testkit.stage_work import open_work
from tests.workflow.test_judge_runs import World
from workflow.annotate import submissions
from workflow.annotate.authoring import edit_item
from workflow.results import project_answers, rater_agreement
from workflow.results.ratings import raters_of, ratings_of
from workflow.runs import attempt_keeper, judge_readings, run_control, run_grading, run_views

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_keeper, "LOOK_SECONDS", 0.05)


@pytest.fixture
def world(store: Store, tmp_path: Path) -> World:
    """Four items, two models: eight answers, of which a person has graded three; and a judge over all."""
    world = World(store, tmp_path, items=4)
    person = make_person(store, "ann")
    for at in range(3):
        task = claimed(store, person, Stage.GRADING)
        submissions.submit(store, person=person, task=task.id, key=f"k{at}", values={"score": 0.5})
    return world


def state(world: World) -> tuple[object, ...]:
    """What is counted of a project."""
    found = project_answers.read_project(world.store, person=None, project="p")
    rated = ratings_of(world.store, project="p", stage=Stage.GRADING)
    slots = world.all("SELECT state, count(*) FROM task WHERE stage = 'grading' GROUP BY state ORDER BY state")
    raters = raters_of(world.store, person=None, project="p", stage=Stage.GRADING)
    return (
        [(answer.id, answer.model) for answer in found.answers],
        {place: dict(given) for place, given in found.judged.items()},
        {name: {id: list(each) for id, each in given.items()} for name, given in found.grades.items()},
        sorted((row.unit, row.rater, str(row.value)) for row in rated),
        slots,
        tuple(raters.judges),
    )


def test_a_judges_run_counts_nowhere_and_comes_back_as_it_was(world: World) -> None:
    with ScriptedServer([chat("Rating: [[1]]")]) as server:
        run = world.run(server.url, world.plan())
        waiting = state(world)
        with pytest.raises(ConflictError, match="This run is in progress"):
            run_control.withdraw(world.store, by=None, run=run, reason="the wrong template")
        world.work(run)
    before = state(world)
    mark = rater_agreement.mark(world.store, person=None, project="p", stage=Stage.GRADING)
    with pytest.raises(InvalidInputError, match="Enter a reason"):
        run_control.withdraw(world.store, by=None, run=run, reason=" ")
    run_control.withdraw(world.store, by=None, run=run, reason="the wrong template")
    assert state(world) == waiting
    assert rater_agreement.mark(world.store, person=None, project="p", stage=Stage.GRADING) != mark
    (view,) = run_views.runs_of(world.store, by=None, project="p", kind=RunKind.JUDGE)
    assert (view.name, view.withdrawn, view.answered) == ("judge by likeness 1", "the wrong template", 8)
    assert judge_readings.verdicts_of(world.store, by=None, run=run)["score"].total() == 8, "its replies can be read"
    with pytest.raises(ConflictError, match=r"already withdrawn\. Reason: the wrong template"):
        run_control.withdraw(world.store, by=None, run=run, reason="again")
    run_control.take_back(world.store, by=None, run=run)
    assert state(world) == before
    with world.store.read() as session:
        told = [
            (row.kind, row.data.get("reason")) for row, *_ in events.find_events(session, project_id=1, kinds=("run.",))
        ]
    assert told[:2] == [("run.taken_back", None), ("run.withdrawn", "the wrong template")]
    with pytest.raises(ConflictError, match="is not withdrawn"):
        run_control.take_back(world.store, by=None, run=run)


def test_answers_that_were_withdrawn_are_not_judged_graded_or_counted(world: World) -> None:
    with ScriptedServer([chat("Rating: [[1]]")]) as server:
        world.work(world.run(server.url, world.plan()))
    before = state(world)
    assert len(before[0]) == 8  # type: ignore[arg-type]
    (answers,) = [view.id for view in run_views.runs_of(world.store, by=None, project="p", kind=RunKind.IMPORT)]
    run_control.withdraw(world.store, by=None, run=answers, reason="asked with the wrong pictures")
    assert state(world)[:4] == ([], {}, {}, [])
    slots = dict(world.all("SELECT state, count(*) FROM task WHERE stage = 'grading' GROUP BY state"))
    assert slots == {"done": 3, "withdrawn": 13}
    with pytest.raises(InvalidInputError, match="No items to judge"):
        world.run("http://127.0.0.1:9/v1", world.plan())
    run_control.take_back(world.store, by=None, run=answers)
    assert state(world) == before
    assert world.all("SELECT count(*) FROM annotation") == [(3,)]


@pytest.mark.one_database
def test_pages_see_whichever_runs_are_withdrawn(store: Store) -> None:
    make_project(store)
    ids = make_items(store, 1)
    for model in ("one", "two", "three"):
        make_predictions(store, ids, models=[model])
    third, second, first = [view.id for view in run_views.runs_of(store, by=None, project="p", kind=RunKind.IMPORT)]
    for run in (first, second):
        run_control.withdraw(store, by=None, run=run, reason="by mistake")
    assert {each.model for each in project_answers.current(store, person=None, project="p").answers} == {"three"}
    before = rater_agreement.mark(store, person=None, project="p", stage=Stage.GRADING)
    for run in (first, second):
        run_control.take_back(store, by=None, run=run)
    run_control.withdraw(store, by=None, run=third, reason="it was this one")  # 3 = 1 + 2
    assert {each.model for each in project_answers.current(store, person=None, project="p").answers} == {"one", "two"}
    assert rater_agreement.mark(store, person=None, project="p", stage=Stage.GRADING) != before


def test_a_verdict_hands_people_the_answers_that_count(store: Store) -> None:
    make_project(store)
    ids = make_items(store, 2)
    for model in ("one", "two", "two"):
        make_predictions(store, ids, models=[model])
    *_, first = [view.id for view in run_views.runs_of(store, by=None, project="p", kind=RunKind.IMPORT)]
    run_control.withdraw(store, by=None, run=first, reason="asked with the wrong pictures")
    for person in make_people(store, "ann", "bob"):
        for _ in ids:
            vote(store, person)
    with store.read() as session:
        wanted = text("SELECT prediction_id, count(*) FROM task WHERE stage = 'grading' AND state = 'open' GROUP BY 1")
        slots = sorted(tuple(row) for row in session.connection().execute(wanted))
    assert slots == [(5, 2), (6, 2)], "those of the third run: the second's were answered again"


FIELDS = {
    "question": "Put the cup on the shelf.",
    "actions": ["Pick up the cup.", "Go to the shelf."],
    "answer": "Pick up the cup.",
    "reason": "It is before me.",
    "key_concepts": ["cup"],
}
DIMENSION = "domestic_robot"


@needs("stages", "refinement")
def test_no_one_looks_at_answers_that_were_withdrawn_next_to_their_items(store: Store) -> None:
    make_project(store, loaded=load_schema(shipped()["pca_bench"]))
    ids = make_items(store, 3, dimension=DIMENSION, fields=FIELDS)
    for model in ("one", "two"):
        make_predictions(store, ids, models=[model], dimension=DIMENSION)
        open_work(store, Stage.REFINEMENT, models=[model])
    _, first = [view.id for view in run_views.runs_of(store, by=None, project="p", kind=RunKind.IMPORT)]

    def waiting() -> list[tuple[int, int]]:
        wanted = "SELECT prediction_id, revision FROM task WHERE stage = 'refinement' AND state = 'open' ORDER BY 1, 2"
        with store.read() as session:
            return [(id, revision) for id, revision in session.connection().execute(text(wanted))]

    assert waiting() == [(id, 1) for id in (1, 2, 3, 4, 5, 6)]
    run_control.withdraw(store, by=None, run=first, reason="asked with the wrong pictures")
    assert waiting() == [(4, 1), (5, 1), (6, 1)]
    edit_item(store, person=None, project="p", item=f"{DIMENSION}/0", fields={"reason": "It stands before me."})
    assert waiting() == [(4, 2), (5, 1), (6, 1)]
    run_control.take_back(store, by=None, run=first)
    assert waiting() == [(1, 2), (2, 1), (3, 1), (4, 2), (5, 1), (6, 1)]


@pytest.mark.one_database
def test_a_withdrawn_run_does_not_go_on_until_it_is_taken_back(store: Store) -> None:
    make_project(store)
    one, two = make_items(store, 2)
    attempts = [Attempt(one, Outcome.ANSWERED, "red"), Attempt(two, Outcome.TRANSPORT_ERROR, "")]
    run = make_run(store, attempts, state=RunState.RUNNING)
    with pytest.raises(ConflictError, match="Pause or cancel the run"):
        run_control.withdraw(store, by=None, run=run, reason="the wrong model")
    run_control.pause(store, by=None, run=run)
    run_control.withdraw(store, by=None, run=run, reason="the wrong model")
    for go_on in (run_control.resume, run_control.retry_failed, run_grading.send_to_grading):
        with pytest.raises(
            ConflictError, match=r"little-model was withdrawn \(the wrong model\)\. Undo the withdrawal before"
        ):
            go_on(store, by=None, run=run)  # type: ignore[operator]
    assert run_views.view(store, by=None, run=run).state is RunState.PAUSED
    run_control.take_back(store, by=None, run=run)
    assert run_control.retry_failed(store, by=None, run=run) == 1
