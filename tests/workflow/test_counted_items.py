"""What is counted: over which dimensions, and that the parts of a count add up to the whole."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from scipy import stats
from sqlmodel import select

from annotation_schemas.judge_templates import parse_template
from annotation_schemas.loader import load_text
from annotation_schemas.model import Schema
from db import items as stored_items
from db.engine import Store
from db.tables import ImportedRatingRow, PersonRow, PredictionRow, RunRow, TaskRow
from domain.errors import InvalidInputError, SchemaError
from domain.records import TaskView
from domain.roles import Role
from domain.run_kinds import RunKind
from domain.runs import RunPlan
from domain.states import Items, ItemState, Stage
from inference.spec import ModelSpec
from testkit import factories
from workflow.access.accounts import person_of
from workflow.access.counted_items import counting_of
from workflow.access.projects import access_to
from workflow.annotate import authoring, claims, submissions
from workflow.results import criterion_values, project_answers, score_choices
from workflow.results import leaderboard as numbers
from workflow.results.graded_answers import Answer
from workflow.results.project_answers import ProjectAnswers
from workflow.results.rater_agreement import agreement_of
from workflow.results.ratings import ratings_of
from workflow.results.reply_counts import replies_of_judges
from workflow.results.score_choices import Method, Scores
from workflow.results.slices import Item
from workflow.runs import judge_plans, judge_units, model_runs, run_start, run_views

pytestmark = pytest.mark.thorough

NAN = math.nan
DIMENSIONS = tuple(f"d{at:02}" for at in range(12))
PEOPLE_S = DIMENSIONS[:5]

TWELVE = """
name: twelve
version: 1
title: Twelve
dimensions: [{}]
item:
  fields: [{{name: question, kind: text}}]
stages:
  grading:
    raters: 3
    combine: majority
    dimensions: [{}]
    criteria: [{{name: score, kind: scale, prompt: "?", values: [0, 0.5, 1]}}]
""".format(
    ", ".join(f'{{id: {id}, title: "{id.upper()}", definition: "x"}}' for id in DIMENSIONS),
    ", ".join(PEOPLE_S),
)


def twelve() -> Schema:
    return load_text(TWELVE, "g", "twelve").schema_


def read_of(
    answers: Sequence[tuple[int, str]],
    *,
    dimension: Sequence[str],
    grades: dict[int, Sequence[float]] | None = None,
    judged: dict[int, float] | None = None,
    unanswered: dict[str, dict[int, str]] | None = None,
    metrics: frozenset[str] = frozenset(),
    right: Sequence[float] | None = None,
    unscored: dict[int, str] | None = None,
) -> ProjectAnswers:
    """A project in memory with one criterion and one judge; an answer's id is its place."""
    place = ("score", "j")
    return ProjectAnswers(
        "p",
        "Project",
        twelve(),
        (),
        {id: Item(f"i{id}", f"n{id}", each, None, {}) for id, each in enumerate(dimension)},
        [Answer(at, item, model, right[at] if right else NAN) for at, (item, model) in enumerate(answers)],
        unanswered or {},
        {"score": grades} if grades else {},
        {place: judged} if judged is not None else {},
        {place: unscored} if unscored else {},
        metrics,
    )


JUDGE = Scores("judge", "score", "j")
CORRECTED = Scores("corrected", "score", "j", "ppi")


# ---- people's dimensions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metrics", [frozenset(), frozenset({"j"})])
def test_a_judge_that_scored_twelve_dimensions_is_shown_in_twelve(metrics: frozenset[str]) -> None:
    # one item of each dimension for each of 10: the judge says 1 in the first five dimensions and 0 in the others
    dimension = [id for id in DIMENSIONS for _ in range(10)]
    answers = [(item, "m") for item in range(120)]
    found = read_of(answers, dimension=dimension, judged={at: float(at < 50) for at in range(120)}, metrics=metrics)
    cut = numbers.sliced_scores(found, JUDGE)
    assert cut.slicing.labels == DIMENSIONS
    assert [cut.cells["m", at].found.value for at in range(12)] == [1.0] * 5 + [0.0] * 7
    assert (cut.whole["m"].found.n_units, cut.whole["m"].found.value) == (120, pytest.approx(50 / 120))
    line = numbers.overview(found, [JUDGE])["m", JUDGE]
    assert (line.found.n_units, line.asked) == (120, 120)


def test_people_s_grades_are_over_the_dimensions_that_people_grade() -> None:
    dimension = [id for id in DIMENSIONS for _ in range(2)]
    answers = [(item, "m") for item in range(24)]
    found = read_of(answers, dimension=dimension, grades={at: [1.0, 1.0, 0.0] for at in range(10)})
    cut = numbers.sliced_scores(found, Scores("human", "score"))
    assert cut.slicing.labels == PEOPLE_S
    assert (cut.whole["m"].asked, cut.whole["m"].found.n_units) == (10, 10)


def test_what_a_planned_sample_stands_for_is_said() -> None:
    found = read_of([(0, "m"), (1, "m")], dimension=["d00", "d01"], grades={0: [1.0] * 3, 1: [0.0] * 3})
    planned = load_text(TWELVE.replace("raters: 3", "raters: 3\n    outputs: 30"), "g", "twelve").schema_
    for schema, said in ((found.schema, False), (planned, True)):
        cut = numbers.sliced_scores(replace(found, schema=schema), Scores("human", "score"))
        assert any("planned sample" in note for note in cut.notes) is said


def test_a_correction_is_about_the_dimensions_that_people_have_graded_and_says_so() -> None:
    # The judge scored 240 answers in twelve dimensions, always 1. People graded 10 of 20 in d00 and d01: right is half.
    dimension = [id for id in DIMENSIONS for _ in range(20)]
    answers = [(item, "m") for item in range(240)]
    graded = [at for at in range(40) if at % 20 < 10]
    found = read_of(
        answers,
        dimension=dimension,
        grades={at: [float(at % 2)] * 3 for at in graded},
        judged=dict.fromkeys(range(240), 1.0),
    )
    cut = numbers.sliced_scores(found, CORRECTED)
    assert cut.slicing.labels == ("d00", "d01")
    line = cut.whole["m"]
    assert (line.asked, line.found.n_units, line.people) == (40, 40, 20)
    assert line.found.value == pytest.approx(0.5)  # a judge without any contrast adds nothing to people's 10 of 20
    said = next(note for note in cut.notes if "the judge's error in these dimensions is unknown" in note)
    assert "D02, D03, D04, D05, D06, D07, D08, D09, D10, D11" in said
    whole = numbers.sliced_scores(found, JUDGE)
    assert (whole.whole["m"].found.n_units, len(whole.slicing.labels)) == (240, 12)
    assert not any("the judge's error in these dimensions is unknown" in note for note in whole.notes)


# ---- counts add up --------------------------------------------------------------------------------------------------


def test_what_a_model_has_not_answered_is_counted_over_the_items_of_the_number() -> None:
    # 17 items lie where people grade, 22 elsewhere; m lacks 12 of the first and all others
    dimension = ["d00"] * 17 + ["d07"] * 22
    why = {**dict.fromkeys(range(5, 12), "refused"), **dict.fromkeys(range(12, 17), "not asked yet")}
    why |= dict.fromkeys(range(17, 39), "refused")
    found = read_of(
        [(item, "m") for item in range(5)],
        dimension=dimension,
        grades={at: [1.0] * 3 for at in range(5)},
        unanswered={"m": why},
    )
    cut = numbers.sliced_scores(found, Scores("human", "score"))
    assert "m has answered 5 of 17 items: 7 (refused), 5 (not asked yet)." in " ".join(cut.notes)
    assert sum(cut.whole["m"].missing.values()) == 12


def _history(seed: int) -> tuple[ProjectAnswers, dict[str, int]]:
    """A random project, and how many items each model was asked, counted apart."""
    pick = Random(seed)
    n = pick.randint(1, 40)
    dimension = [pick.choice(DIMENSIONS[:7]) for _ in range(n)]
    answers: list[tuple[int, str]] = []
    unanswered: dict[str, dict[int, str]] = {}
    asked: Counter[str] = Counter()
    for model in ("a", "b", "c"):
        for item in range(n):
            came = pick.choice(["answered", "answered", "refused", "the model raised an error", "never asked"])
            asked[model] += came != "never asked"
            if came == "answered":
                answers.append((item, model))
            elif came != "never asked":
                unanswered.setdefault(model, {})[item] = came
    places = range(len(answers))
    found = read_of(
        answers,
        dimension=dimension,
        unanswered=unanswered,
        right=[pick.choice([0.0, 1.0, NAN]) for _ in places],
        grades={at: [pick.choice([0.0, 0.5, 1.0, NAN]) for _ in range(pick.randint(1, 3))] for at in places if at % 3},
        judged={at: pick.choice([0.0, 1.0, NAN]) for at in places if pick.random() < 0.7},
        unscored={at: "unreadable" for at in places if pick.random() < 0.1},
    )
    return found, dict(asked)


@pytest.mark.parametrize("method", ["ppi", "rogan_gladen", "post_stratified"])
def test_the_parts_of_every_count_sum_to_the_whole(method: Method) -> None:
    for seed in range(60):
        found, asked = _history(seed)
        ways = [Scores("key"), JUDGE, Scores("human", "score"), Scores("corrected", "score", "j", method)]
        for scores in ways:
            for common in (False, True):
                cut = numbers.sliced_scores(found, scores, common=common)
                for line in cut.lines():
                    assert line.answered + sum(line.missing.values()) == line.asked, (seed, line)
                    if line.over == "answers" or line.found.defined:
                        assert line.found.n_units + sum(line.left_out.values()) == line.asked, (seed, line)
                for model, whole in cut.whole.items():
                    cells = [cut.cells[model, at] for at in range(len(cut.slicing.labels))]
                    assert sum(cell.asked for cell in cells) == whole.asked
                    assert sum(cell.answered for cell in cells) == whole.answered
                    assert Counter(whole.missing) == sum((Counter(cell.missing) for cell in cells), Counter())
                    if scores.kind == "key" and not common:
                        assert whole.asked == asked.get(model, 0)
                for note in cut.notes:
                    if " has answered " in note:
                        of, _, rest = note.partition(" has answered ")
                        said = [int(word) for word in rest.split(".")[0].replace(":", " ").split() if word.isdecimal()]
                        answered, every, *parts = said
                        assert (answered + sum(parts), of) == (every, of), note


# ---- kept items -----------------------------------------------------------------------------------------------------

KEPT, DROPPED, OPEN = 20, 6, 4


def project_with_verdicts(store: Store) -> dict[str, list[int]]:
    """Thirty items of which a lone voter has kept 20 and dropped 6, four wait; models a and b answered all of them.

    On kept items a is right in half of its answers and b never; on all the others both are. The judge j says 1 of
    every answer to a kept item, 0 of the others.
    """
    factories.make_project(store, loaded=factories.make_schema(raters=1, adjudication=False))
    voter = factories.make_person(store, "val", stages=[Stage.VERIFICATION])
    factories.make_items(store, KEPT + DROPPED + OPEN)
    for at in range(KEPT + DROPPED):
        factories.vote(store, voter, "red" if at < KEPT else "blue")
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        every = stored_items.of_project(session, project_id=access.project_id)
        by: dict[str, list[int]] = {"kept": [], "rejected": [], "in_verification": []}
        run = RunRow(project_id=access.project_id, kind=RunKind.IMPORT, name="answers", created_at=store.now())
        session.add(run)
        session.flush()
        for item in every:
            by[item.state.value].append(item.id)
            for model in ("a", "b"):
                right = len(by["kept"]) % 2 if model == "a" else 0
                if item.state is not ItemState.KEPT:
                    right = 1
                session.add(
                    PredictionRow(
                        project_id=access.project_id,
                        item_id=item.id,
                        run_id=run.id,
                        model=model,
                        text="red" if right else "blue",
                        created_at=store.now(),
                    )
                )
                session.add(
                    ImportedRatingRow(
                        project_id=access.project_id,
                        stage=Stage.GRADING,
                        unit=f"{item.external_id} · {model}",
                        rater="j",
                        criterion="score",
                        value=float(item.state is ItemState.KEPT),
                        dimension=item.dimension,
                        created_at=store.now(),
                    )
                )
    assert [len(ids) for ids in by.values()] == [KEPT, DROPPED, OPEN]
    return by


def means(store: Store, scores: Scores, items: str | None = None) -> dict[str, tuple[int, float]]:
    found = project_answers.read_project(store, person=None, project="p", items=items)
    cut = numbers.sliced_scores(found, scores)
    return {model: (line.found.n_units, round(line.found.value, 9)) for model, line in cut.whole.items()}


def test_kept_items_alone_are_scored_as_soon_as_there_are_verdicts(store: Store) -> None:
    by = project_with_verdicts(store)
    key, judge = Scores("key"), Scores("judge", "score", "j")
    said = "20 kept items; 6 rejected, 4 open left out."
    assert means(store, key) == means(store, key, "kept") == {"a": (20, 0.5), "b": (20, 0.0)}
    assert means(store, key, "all") == {"a": (30, round(20 / 30, 9)), "b": (30, round(10 / 30, 9))}
    assert means(store, judge) == {"a": (20, 1.0), "b": (20, 1.0)}
    assert means(store, judge, "all") == {"a": (30, round(20 / 30, 9)), "b": (30, round(20 / 30, 9))}
    found = project_answers.read_project(store, person=None, project="p")
    assert found.counting is not None
    assert (found.counting.sentence, found.unknown, set(found.items)) == (said, 0, set(by["kept"]))
    every = project_answers.read_project(store, person=None, project="p", items="all")
    assert every.counting is not None
    assert every.counting.sentence == "All 30 items: 20 kept, 6 rejected, 4 open."
    as_json = numbers.as_json(found, [numbers.sliced_scores(found, key)])
    assert (as_json["items"], as_json["counted"]) == ("kept", said)


def test_ratings_are_counted_by_what_they_are_about(store: Store) -> None:
    by = project_with_verdicts(store)
    grades = ratings_of(store, project="p", stage=Stage.GRADING)
    assert (len(grades), {grade.value for grade in grades}) == (40, {1.0})
    assert len(ratings_of(store, project="p", stage=Stage.GRADING, items="all")) == 60
    votes = ratings_of(store, project="p", stage=Stage.VERIFICATION)  # what was rejected was voted on, too
    assert (len(votes), len({vote.unit for vote in votes})) == (26, 26)
    assert len(ratings_of(store, project="p", stage=Stage.VERIFICATION, items="kept")) == 20
    (lot,) = replies_of_judges(store, person=None, project="p", stage=Stage.GRADING)
    assert (lot.asked, lot.scored) == (40, 40)
    (lot,) = replies_of_judges(store, person=None, project="p", stage=Stage.GRADING, items=Items.ALL)
    assert lot.asked == 60
    lines = agreement_of(store, person=None, project="p", stage=Stage.GRADING, raters=["j"])
    assert {line.args["items"] for line in lines} == {"20 kept items; 6 rejected, 4 open left out."}
    assert by["kept"]


@pytest.mark.both_databases
def test_runs_ask_about_kept_items_and_write_down_which(store: Store) -> None:
    by = project_with_verdicts(store)
    spec = ModelSpec(name="m", adapter="chat", model="folder")
    with store.read() as session:
        access = access_to(session, person=None, project="p")
        asked = {
            items: set(model_runs.wanted_items(session, access, RunPlan(items=items)))
            for items in (None, "kept", "all")
        }
        states = set(model_runs.wanted_items(session, access, RunPlan(states=("rejected",))))
    assert asked[None] == asked["kept"] == set(by["kept"])
    assert asked["all"] == {id for ids in by.values() for id in ids}
    assert states == set(by["rejected"])
    run = run_start.start(store, by=None, project="p", spec=spec, plan=RunPlan())
    view = run_views.view(store, by=None, run=run)
    assert (view.wanted, view.plan.items) == (20, "kept")


def test_judges_of_answers_are_asked_about_kept_items_and_judges_of_items_about_all(store: Store) -> None:
    by = project_with_verdicts(store)
    head = "id: T\nversion: 1\nmeaning: x\nvalues: [0, 0.5, 1]\nparser: double_brackets\nvariables: [VARIABLE]"
    plans = {}
    for name, placeholder, criterion in (("of_answers", "prediction", "score"), ("of_items", "question", "choice")):
        text = f"---\n{head.replace('T', name).replace('VARIABLE', placeholder)}\n---\n{{{placeholder}}}\n"
        plans[name] = judge_plans.plan_for(
            factories.make_schema().schema_, parse_template(text, name=name), criteria={"score": criterion}
        )
    with store.read() as session:
        access = access_to(session, person=None, project="p")
        about = {
            (name, items): {row["item_id"] for row in judge_units.units_of(session, access, replace(plan, items=items))}
            for name, plan in plans.items()
            for items in (None, "all", "kept")
        }
    every = {id for ids in by.values() for id in ids}
    kept = set(by["kept"])
    assert about == {
        ("of_answers", None): kept,
        ("of_answers", "kept"): kept,
        ("of_answers", "all"): every,
        ("of_items", None): every,
        ("of_items", "kept"): kept,
        ("of_items", "all"): every,
    }


def test_an_item_that_is_kept_later_counts_from_then_on_and_one_that_is_edited_waits_for_its_votes(
    store: Store,
) -> None:
    by = project_with_verdicts(store)
    lea = factories.make_person(store, "lea", role=Role.LEAD)
    before = project_answers.current(store, person=lea, project="p")
    assert len(before.items) == 20
    with store.read() as session:
        voter = next(person_of(row) for row in session.exec(select(PersonRow)) if row.login == "val")
    factories.vote(store, voter, "red")
    after = project_answers.current(store, person=lea, project="p")
    assert (len(after.items), len(before.items)) == (21, 20)
    assert after.counting is not None
    assert after.counting.sentence == "21 kept items; 6 rejected, 3 open left out."
    with store.read() as session:
        name = stored_items.by_id(session, id=by["kept"][0]).external_id
    authoring.edit_item(store, person=lea, project="p", item=name, fields={"question": "Another?"})
    edited = project_answers.current(store, person=lea, project="p")
    assert by["kept"][0] not in edited.items
    assert edited.counting is not None
    assert edited.counting.sentence == "20 kept items; 6 rejected, 4 open left out."


def test_a_project_without_verdicts_counts_all_and_says_why(store: Store) -> None:
    factories.make_project(store)
    factories.make_items(store, 3)
    found = counting_of(store, person=None, project="p")
    assert (found.which, found.sentence) == (Items.ALL, "All 3 items: no item has a verdict yet.")
    with pytest.raises(InvalidInputError, match="no kept items: no item has a verdict yet"):
        counting_of(store, person=None, project="p", items_="kept")


# ---- named options --------------------------------------------------------------------------------------------------

CHOICE = """
name: choice
version: 1
title: Choice
dimensions: [{id: d1, title: D1, definition: "x"}, {id: d2, title: D2, definition: "x"}]
item:
  assets: [{role: image, kind: image}]
  fields: [{name: question, kind: text}]
stages:
  grading:
    raters: 3
    combine: COMBINE
    criteria:
      - {name: quality, kind: choice, prompt: "?", options: [{value: good, label: Good}, {value: fair, label: Fair},
         {value: bad, label: Bad}]}
      - {name: number, kind: choice, prompt: "?", options: [{value: 0, label: "No"}, {value: 1, label: "Yes"}]}
"""


def test_a_mean_of_names_is_refused_and_one_of_numbers_is_not() -> None:
    with pytest.raises(SchemaError, match="the options of `quality` are not numbers, so `mean` cannot combine grades"):
        load_text(CHOICE.replace("COMBINE", "mean"), "g", "choice")
    numbered = CHOICE.replace("COMBINE", "mean").replace("value: good", "value: 2").replace("value: fair", "value: 1")
    loaded = load_text(numbered.replace("value: bad", "value: 0"), "g", "choice")
    assert [each.name for each in criterion_values.scored_criteria(loaded.schema_)] == ["quality", "number"]


def test_choices_between_names_come_out_as_shares(store: Store) -> None:
    # six answers; three people's grades of each in one of three patterns
    loaded = load_text(CHOICE.replace("COMBINE", "majority"), "g", "choice")
    factories.make_project(store, loaded=loaded)
    people = factories.make_people(store, "ann", "bob", "cy")
    patterns = [("good", "good", "bad"), ("good", "fair", "bad"), ("bad", "bad", "bad")]
    settled = {"good": 1, "fair": 0, "bad": 1}  # of three; the middle one has no majority
    items = factories.make_items(store, 6, dimension="d1", fields={"question": "?"})
    factories.make_predictions(store, items, models=["a"], dimension="d1")
    for at, person in enumerate(people):
        while isinstance(view := claims.next_task(store, person=person, project="p", stage=Stage.GRADING), TaskView):
            with store.read() as session:
                item = session.exec(select(TaskRow.item_id).where(TaskRow.public_id == view.id)).one() or 0
            given = patterns[items.index(item) % 3][at]
            submissions.submit(
                store, person=person, task=view.id, key=view.id, values={"quality": given, "number": int(at > 0)}
            )
    with store.write() as session:
        project_id = access_to(session, person=None, project="p").project_id
        for at, item in enumerate(items):
            name = stored_items.by_id(session, id=item).external_id
            session.add(
                ImportedRatingRow(
                    project_id=project_id,
                    stage=Stage.GRADING,
                    unit=f"{name} · a",
                    rater="j",
                    criterion="quality",
                    value="good" if at < 4 else "fair",
                    dimension="d1",
                    created_at=store.now(),
                )
            )
    found = project_answers.read_project(store, person=None, project="p")
    titles = [each.title for each in score_choices.scores_of(found)]
    assert titles[:1] == ["People, number"]
    assert "People, quality: share of good" in titles
    for option, n in settled.items():
        line = numbers.sliced_scores(found, Scores("human", "quality", option=option)).whole["a"]
        assert (line.found.n_units, line.found.value) == (4, pytest.approx(2 * n / 4))
        limits = stats.binomtest(2 * n, 4).proportion_ci(method="wilson")
        assert (line.found.low, line.found.high) == (pytest.approx(limits.low), pytest.approx(limits.high))
        assert dict(line.left_out) == {"without a majority of grades": 2}
        row = line.as_row()
        assert (row["criterion"], row["option"], row["value"]) == ("quality", option, pytest.approx(2 * n / 4))
        # of the four answers with a majority, items 0, 2, 3 and 5, the judge says good of 0, 2 and 3, fair of 5
        judge = numbers.sliced_scores(found, Scores("judge", "quality", "j", option=option))
        share = {"good": 4 / 6, "fair": 2 / 6, "bad": 0.0}[option]
        assert (judge.whole["a"].found.n_units, judge.whole["a"].found.value) == (6, pytest.approx(share))
        assert judge.cells["a", 0].found.value == pytest.approx(share)
    corrected = numbers.sliced_scores(found, Scores("corrected", "quality", "j", "ppi", "good")).whole["a"]
    assert (corrected.people, corrected.asked) == (4, 6)
    yes = numbers.sliced_scores(found, Scores("human", "number")).whole["a"]
    assert (yes.found.n_units, yes.found.value) == (6, 1.0)  # two of three say 1, so all are 1
    assert numbers.as_csv([yes]).splitlines()[0].split(",")[:3] == ["scores", "criterion", "option"]
    with pytest.raises(InvalidInputError, match=r"no option 'great'. Its options: good, fair, bad"):
        numbers.sliced_scores(found, Scores("human", "quality", option="great"))
