"""What people prefer, counted apart; agreement by who won and not by side; judges next to people."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from agreement import Bootstrap
from domain.errors import InvalidInputError
from extensions.preferences import page_parts as drawn
from extensions.preferences.judges_of_pairs import JudgedPair
from extensions.preferences.preference_figures import PreferenceFigures, figures_of
from extensions.preferences.preference_files import as_csv, as_json, as_text
from extensions.preferences.project_preferences import Mark, Preference, Preferences, SamePair
from tests.workflow.test_results import made

NOW = datetime(2026, 5, 4, tzinfo=UTC)
FEW = Bootstrap(draws=200)
EVIL = "<script>alert(1)</script>"


def vote(
    item: int, models: str, said: str, *, rater: str = "ann", left: str = "a", criterion: str = "better"
) -> Preference:
    """``said`` as pressed; ``models`` by name, the first letter's answer being ``a``."""
    winner: Any = {"tie": "tie", "both_bad": "tie", "cannot_tell": None}.get(said)
    if said in ("left", "right"):
        winner = left if said == "left" else {"a": "b", "b": "a"}[left]
    return Preference(
        f"n{item}",
        "near",
        criterion,
        rater,
        models[0],
        models[1],
        winner,
        said,
        left,
        1.0,
        NOW,
        1,
        None,
        None,
        "",  # type: ignore[arg-type]
    )


def given(*votes: Preference, **more: Any) -> Preferences:
    told: dict[str, Any] = {
        "criteria": ("better",),
        "titles": {"better": "Which one is better?"},
        "models": ("x", "y", "z"),
        "raters": 2,
        "votes": votes,
        "marks": (),
        "same": (),
        "planned": 9,
        "opened": 6,
        "complete": 4,
        "missing": 0,
        "earlier": 0,
        "outside": 0,
    }
    return Preferences(**{**told, **more})


def read(n: int = 8, **more: Any) -> Any:
    return made([], items={at: "near" if at % 2 else "far" for at in range(n)}, **more)


def figures(*votes: Preference, judged: Any = (), **more: Any) -> PreferenceFigures:
    return figures_of(given(*votes, **more), read(), judged=judged, bootstrap=FEW)


VOTES = [
    vote(0, "xy", "left"),  # x
    vote(0, "xy", "right", rater="bob", left="b"),  # x, though on the other side
    vote(1, "xy", "tie"),
    vote(1, "xy", "both_bad", rater="bob"),
    vote(2, "xy", "right"),  # y
    vote(2, "xy", "left", rater="bob"),  # x
    vote(3, "yz", "left"),  # y
    vote(3, "yz", "cannot_tell", rater="bob"),
    vote(4, "xz", "left", rater="cem", left="b"),  # z, and no one else
]


def test_everything_is_counted() -> None:
    found = figures(
        *VOTES,
        same=(SamePair("n5", "far", "x", "y", None), SamePair("n6", "near", "x", "y", None)),
        missing=2,
        earlier=1,
        outside=3,
    )
    (own,) = found.criteria
    whole = own.whole
    assert (whole.items, whole.pairs, whole.raters, whole.votes) == (5, 5, 3, 9)
    assert (whole.ties, whole.both_bad, whole.cannot_tell, whole.same) == (2, 1, 1, 2)
    rates = {(each.name, each.against): (each.wins, each.ties, each.losses) for each in whole.rates}
    assert rates["x", "y"] == (3, 2, 1)
    assert rates["x", None] == (3, 2, 2)
    assert rates["z", None] == (1, 0, 1)
    # odd items are near: those of n1 and n3; of the pairs with one answer twice n6 is even
    parts = {part.label: part for part in own.parts}
    assert {label: (part.votes, part.same) for label, part in parts.items()} == {
        None: (9, 2),
        "near": (4, 1),
        "far": (5, 1),
    }
    # left on n0 (ann), n2 (bob), n3 and n4; right on n0 (bob) and n2 (ann)
    assert (own.left.value, own.left.n_units) == (4 / 6, 6)
    assert own.alone == ("cem",)
    told = "\n".join(as_text(found))
    for words in (
        "9 pairs of 3 models to compare, each by 2 people. Open or done: 6. Complete: 4.",
        "2 pairs have identical answers",
        "2 pairs lack an answer.",
        "Excluded: 1 submission about answers that no longer count.",
        "Excluded: 3 submissions about items that do not count.",
        "9 votes on 5 pairs of 5 items by 3 people: 2 ties, including 1 where both answers are bad;",
        "1 with the answer “cannot tell” is excluded.",
        "Votes that are not ties: 6. The left answer won 4 of these votes: 0.667",
        "Agreement is unknown for cem, because nobody else compared any of their pairs.",
    ):
        assert words in told
    rows = list(csv.DictReader(io.StringIO(as_csv(found))))
    (line,) = [row for row in rows if (row["slice"], row["model"], row["against"]) == ("", "x", "y")]
    assert (line["wins"], line["ties"], line["losses"], float(line["win_rate"])) == (
        "3",
        "2",
        "1",
        pytest.approx(4 / 6),
    )
    dumped = as_json(found)
    assert json.loads(json.dumps(dumped, allow_nan=False)) == dumped
    assert len(dumped["rows"]) == len(rows)


def test_agreement_is_about_who_won_and_not_about_sides() -> None:
    """Ann and bob on four pairs: x x, tie tie, y x, y (bob cannot tell). Of three that both decided two are equal."""
    lines = {line.statistic: line for line in figures(*VOTES).criteria[0].agreement}
    assert (lines["percent_agreement"].value, lines["percent_agreement"].n_units) == (pytest.approx(2 / 3), 3)
    # kappa: ann a, tie, b; bob a, tie, a: chance 1/3 x 2/3 + 1/3 x 1/3 + 1/3 x 0 = 1/3; (2/3 - 1/3) / (2/3) = 1/2
    assert lines["cohen_kappa"].value == pytest.approx(0.5)
    mirrored = [replace(each, left={"a": "b", "b": "a"}[each.left]) for each in VOTES]
    again = {line.statistic: line for line in figures(*mirrored).criteria[0].agreement}
    assert {name: line.value for name, line in again.items()} == {name: line.value for name, line in lines.items()}


def test_known_strengths_come_back_and_charts_say_them() -> None:
    """400 items, three models; z never meets x. Rates by a plain count."""
    dice = random.Random(4)
    worth = {"x": 0.8, "y": 0.0, "z": -0.8}
    votes = []
    for item in range(400):
        models = ("xy", "yz")[item % 2]
        odds = [2.718281828459045 ** worth[name] for name in models]
        winner = dice.choices("ab", odds)[0]
        left = dice.choice("ab")
        votes.append(vote(item, models, "left" if winner == left else "right", left=left))
    found = figures_of(given(*votes), read(400), bootstrap=FEW)
    part = found.criteria[0].whole
    for name, each in part.strengths.of.items():
        assert each.low < worth[name] < each.high
    won = Counter(each.model_a if each.winner == "a" else each.model_b for each in votes)
    rates = {(each.name, each.against): each for each in part.rates}
    assert {name: rates[name, None].wins for name in "xyz"} == dict(won)
    assert ("x", "z") not in rates
    tables = drawn.models_table(part), drawn.matrix(part), drawn.slices_table(found.criteria[0], found.by)
    page = "".join(map(str, tables))
    assert page.count("ts-range") == 3
    # in the first table one cell a model, in the second two for each pair that met, in the third one a model and slice
    # in which it is: even items are x and y, odd ones y and z
    assert page.count("ts-heat") == 3 + 4 + 4
    assert [page.count(f"· n {n}<") for n in (400, 200)] == [1, 2 + 4 + 4]


def test_where_nothing_can_be_said_there_is_a_sentence() -> None:
    none = figures().criteria[0]
    assert none.whole.sentence == "No votes yet."
    assert (none.agreement, none.whole.rates, none.left.reason) == ((), (), "No vote prefers either answer.")
    ties = figures(*(vote(at, "xy", "tie") for at in range(4)))
    three = figures(*(vote(0, "xy", "left", rater=rater) for rater in ("ann", "bob", "cat")))
    assert "Percent agreement: ann and cat: 1.000" in "\n".join(as_text(three))
    assert "No strengths: All votes are ties" in "\n".join(as_text(ties))
    wins = figures(*(vote(at, "xy", "left") for at in range(4)))
    assert "No strengths: x won every vote against all other models, so the estimate is infinite." in "\n".join(
        as_text(wins)
    )
    assert "ts-range" not in str(drawn.models_table(wins.criteria[0].whole))
    assert wins.criteria[0].alone == ("ann",)
    assert next(as_text(figures(models=("x",)))) == (
        "There are no pairs to compare. At least two models must answer, and only x has answered so far."
    )
    unsure = figures(vote(0, "xy", "cannot_tell")).criteria[0].whole
    assert (unsure.votes, unsure.cannot_tell, unsure.rates) == (1, 1, ())
    with pytest.raises(InvalidInputError, match="Touchstone cannot slice items by 'colour'"):
        figures_of(given(*VOTES), read(), by="colour")


def test_a_judge_next_to_most_people() -> None:
    """n0 x, n1 tie, n2 tie (one against one), n3 y, n4 z. The judge: x, by place, y, no verdict; n4 not asked."""
    said = {"n0": ("a", False), "n1": ("tie", True), "n2": ("b", False), "n3": (None, False)}
    models = {"n3": ("y", "z")}
    judged = [
        JudgedPair("gpt", (item, *models.get(item, ("x", "y"))), *about)  # type: ignore[arg-type]
        for item, about in said.items()
    ]
    (found,) = figures(*VOTES, judged=judged).criteria[0].judges
    assert (found.pairs, found.by_place, found.without_verdict, found.not_asked) == (3, 1, 1, 1)
    assert found.same.value == pytest.approx(2 / 3)
    # people a, tie, tie; judge a, tie, b: chance 1/3 x 1/3 + 2/3 x 1/3 = 1/3
    assert found.kappa.value == pytest.approx(0.5)
    assert (found.decided.value, found.decided.n_units) == (1.0, 1)
    table = str(drawn.judges_table(figures(*VOTES, judged=[replace(each, judge=EVIL) for each in judged]).criteria[0]))
    assert "<script" not in table


def test_what_is_said_of_each_answer() -> None:
    marks = [
        Mark("n0", "far", "harmful", rater, model, against, value, "left", NOW)
        for rater, model, against, value in (
            ("ann", "x", "y", "no"),
            ("ann", "y", "x", "yes"),
            ("bob", "x", "y", "yes"),
            ("bob", "y", "x", "yes"),
        )
    ]
    found = figures(*VOTES, marks=tuple(marks)).marks
    assert {(each.model, each.value): (each.n, each.share.value) for each in found} == {
        ("x", "no"): (1, 0.5),
        ("x", "yes"): (1, 0.5),
        ("y", "no"): (0, 0.0),
        ("y", "yes"): (2, 1.0),
    }
    assert str(drawn.marks_table(found)).count("ts-heat") == 4
