"""A model or a judge is who it is, whichever run asked it: one name, one rater, whatever was asked when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from db.engine import Store
from domain.module_names import import_own
from domain.replies import JudgeAbout
from domain.run_kinds import RunKind
from domain.runs import RunPlan
from domain.states import Stage
from inference.spec import ModelSpec
from testkit.factories import make_items, make_project
from testkit.missing_extensions import needs
from testkit.scripted import ScriptedServer, chat
from tests.workflow.test_judge_runs import FILLS, SCORE, World
from workflow.access.projects import access_to
from workflow.results import project_answers
from workflow.results.judge_facts import about_judges, runs_by_judge
from workflow.results.ratings import raters_of, ratings_of
from workflow.runs import attempt_keeper, run_start, run_views


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_keeper, "LOOK_SECONDS", 0.05)


@pytest.fixture
def world(store: Store, tmp_path: Path) -> World:
    return World(store, tmp_path)


def judged(world: World, replies: Any, *, plan: dict[str, Any] | None = None, **endpoint: Any) -> str:
    """A run of the judge, done."""
    with ScriptedServer(replies) as server:
        run = world.run(server.url, world.plan(**(plan or {})), **endpoint)
        world.work(run)
    return run


def eve_grades(store: Store, model: str, *, item: int | None = None) -> None:
    """A person's grades of a model's answers, out of a file."""
    with store.write() as session:
        session.connection().execute(
            text(
                "INSERT INTO imported_rating (project_id, stage, unit, rater, criterion, value, created_at)"
                " SELECT 1, 'grading', external_id || ' · ' || CAST(:model AS VARCHAR), 'eve', 'score', '1', created_at"
                f" FROM item {'WHERE id = :id' if item else ''}"
            ),
            {"model": model, **({"id": item} if item else {})},
        )


def about_judge(world: World) -> JudgeAbout:
    """What reports and data cards say of the only judge that there is."""
    eve_grades(world.store, "one")
    with world.store.read() as session:
        runs = runs_by_judge(session, access=access_to(session, person=None, project="p"))
    (about,) = about_judges(world.store, runs, ["judge by likeness 1"])
    return about


def test_further_answers_are_judged_by_the_same_rater(world: World) -> None:
    """Two lots of answers, another port, other pace, another limit of money: one judge, and all of it counts."""
    judged(world, [chat("Rating: [[1]]")], plan={"models": ("one",)}, max_calls=50)
    judged(world, [chat("Rating: [[0]]")], plan={"models": ("two",), "samples": 1}, concurrency=2, timeout_seconds=9.0)
    (name,) = raters_of(world.store, person=None, project="p", stage=Stage.GRADING).judges
    assert name == "judge by likeness 1"
    rated = ratings_of(world.store, project="p", stage=Stage.GRADING)
    assert {(row.rater, row.unit.partition(" · ")[2], row.value) for row in rated} == {
        (name, "one", 1),
        (name, "two", 0),
    }
    assert len(rated) == 20
    found = project_answers.read_project(world.store, person=None, project="p")
    assert {place: len(given) for place, given in found.judged.items()} == {("score", name): 20}
    about = about_judge(world)
    assert (about.runs, about.wanted, about.done, about.repeated) == (2, 20, 20, 0)


@needs("pages", "cases")
@pytest.mark.both_databases
def test_of_the_same_answer_twice_the_newest_score_counts_and_the_other_is_counted(world: World) -> None:
    queries = import_own("extensions.cases.queries")
    judged(world, [chat("Rating: [[1]]")], plan={"models": ("one",)})
    # 10 answers of `one` again: 5 get another score, 5 replies hold none
    replies = [chat("Rating: [[0]]")] * 5 + [chat("I cannot say.")] * 5
    judged(world, lambda asked, number: replies[number], plan={"models": ("one",)}, concurrency=1)
    rated = ratings_of(world.store, project="p", stage=Stage.GRADING)
    assert sorted(row.value for row in rated) == [0] * 5 + [1] * 5
    found = project_answers.read_project(world.store, person=None, project="p")
    assert sorted(found.judged["score", "judge by likeness 1"].values()) == [0.0] * 5 + [1.0] * 5
    assert not found.unscored.get(("score", "judge by likeness 1"))
    with world.store.read() as session:
        said = queries.judge_scores(session, answer_ids=[answer.id for answer in found.answers])
    assert sorted(each.value for each in said) == [0] * 5 + [1] * 5
    about = about_judge(world)
    assert about.repeated == 10
    assert ("asked about again", "10 (only the newest score counts)") in about.told()


@pytest.mark.parametrize(
    ("plan", "model", "said"),
    [
        ({"values": (0, 1)}, "scripted", "values: [0, 1], not [0, 0.5, 1]"),
        ({}, "another", "model: another, not scripted"),
        ({"template": SCORE.replace("Rating?", "How like?"), "fills": FILLS}, "scripted", "template hash"),
        ({"fills": {"reference": "question", "answer": "prediction"}}, "scripted", "placeholders"),
    ],
)
def test_another_judge_of_the_same_label_is_told_apart(
    world: World, plan: dict[str, Any], model: str, said: str
) -> None:
    spec = world.spec("http://127.0.0.1:9/v1")
    other = spec.model_copy(update={"model": model})
    first = run_start.start(world.store, by=None, project="p", spec=spec, plan=world.plan())
    second = run_start.start(world.store, by=None, project="p", spec=other, plan=world.plan(**plan))
    third = run_start.start(world.store, by=None, project="p", spec=other, plan=world.plan(**plan))
    views = {view.id: view for view in run_views.runs_of(world.store, by=None, project="p", kind=RunKind.JUDGE)}
    assert [views[run].name for run in (first, second, third)] == [
        "judge by likeness 1",
        "judge by likeness 1 (2)",
        "judge by likeness 1 (2)",
    ]
    assert views[first].differs == ""
    assert said in views[second].differs
    assert views[second].identity == views[third].identity != views[first].identity


def test_a_model_that_goes_on_with_further_items_is_one_model(store: Store) -> None:
    make_project(store)
    make_items(store, 4)
    make_items(store, 3, dimension="shape")
    spec = ModelSpec(name="fish", adapter="chat", model="folder")

    def start(**plan):
        return run_start.start(store, by=None, project="p", spec=plan.pop("spec", spec), plan=RunPlan(**plan))

    started = [
        start(dimensions=("colour",)),
        start(dimensions=("shape",), spec=spec.model_copy(update={"batch_size": 4})),
        start(dimensions=("shape",), spec=spec.model_copy(update={"dtype": "float16"})),
        start(dimensions=("shape",), family="other"),
    ]
    names = {view.id: view.name for view in run_views.runs_of(store, by=None, project="p")}
    assert [names[run] for run in started] == ["fish", "fish", "fish (2)", "fish (3)"]
