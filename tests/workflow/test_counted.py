"""What is counted: over which dimensions, and that the parts of a count add up to the whole."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest

from annotation_schemas.loader import load_text
from annotation_schemas.model import Schema
from workflow import board as numbers
from workflow.results import Answer, Method, Read, Scores
from workflow.slicing import Item

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
) -> Read:
    """A project in memory with one criterion and one judge; an answer's id is its place."""
    place = ("score", "j")
    return Read(
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
    cut = numbers.board(found, JUDGE)
    assert cut.slicing.labels == DIMENSIONS
    assert [cut.cells["m", at].found.value for at in range(12)] == [1.0] * 5 + [0.0] * 7
    assert (cut.whole["m"].found.n_units, cut.whole["m"].found.value) == (120, pytest.approx(50 / 120))
    line = numbers.overview(found, [JUDGE])["m", JUDGE]
    assert (line.found.n_units, line.asked) == (120, 120)


def test_people_s_grades_are_over_the_dimensions_that_people_grade() -> None:
    dimension = [id for id in DIMENSIONS for _ in range(2)]
    answers = [(item, "m") for item in range(24)]
    found = read_of(answers, dimension=dimension, grades={at: [1.0, 1.0, 0.0] for at in range(10)})
    cut = numbers.board(found, Scores("human", "score"))
    assert cut.slicing.labels == PEOPLE_S
    assert (cut.whole["m"].asked, cut.whole["m"].found.n_units) == (10, 10)


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
    cut = numbers.board(found, CORRECTED)
    assert cut.slicing.labels == ("d00", "d01")
    line = cut.whole["m"]
    assert (line.asked, line.found.n_units, line.people) == (40, 40, 20)
    assert line.found.value == pytest.approx(0.5)  # a judge without any contrast adds nothing to people's 10 of 20
    said = next(note for note in cut.notes if "nothing says how far it is off" in note)
    assert "D02, D03, D04, D05, D06, D07, D08, D09, D10, D11" in said
    whole = numbers.board(found, JUDGE)
    assert (whole.whole["m"].found.n_units, len(whole.slicing.labels)) == (240, 12)
    assert not any("nothing says how far" in note for note in whole.notes)


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
    cut = numbers.board(found, Scores("human", "score"))
    assert "m has answered 5 of 17 items: 7 refused; 5 not asked yet." in " ".join(cut.notes)
    assert sum(cut.whole["m"].missing.values()) == 12


def _history(seed: int) -> tuple[Read, dict[str, int]]:
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
                cut = numbers.board(found, scores, common=common)
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
