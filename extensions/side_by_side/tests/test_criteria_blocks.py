"""Criteria next to each other: flukes beside the genuine score, by people and by a judge, counted apart from dice."""

from __future__ import annotations

import csv
import io
import math
import random
from collections import Counter

import pytest
from scipy import stats

from annotation_schemas import shipped
from annotation_schemas.expected_answers import NO_KEY
from annotation_schemas.loader import load_schema
from domain.records import ProjectView
from domain.roles import Role
from extensions.side_by_side import criteria_blocks, page_section
from workflow.results import leaderboard, score_choices
from workflow.results.graded_answers import Answer
from workflow.results.project_answers import ProjectAnswers
from workflow.results.score_choices import Scores
from workflow.results.slices import Item

PCA = load_schema(shipped()["pca_bench"]).schema_
DOMAINS = [each.id for each in PCA.dimensions]
PARTS = ("perception", "cognition", "action")
MODELS = ("blip", "<b>gpt")
Bits = tuple[int, int, int]


def diced() -> tuple[ProjectAnswers, dict[int, list[Bits]], dict[int, Bits]]:
    """Answers of two models in three domains: the grades of three people, and a judge's of four answers of five."""
    dice = random.Random(4)
    items = {at: Item(f"i{at}", f"n{at}", DOMAINS[at % 3], None, {}) for at in range(40)}
    answers = [Answer(2 * at + m, at, model, math.nan, why=NO_KEY) for at in items for m, model in enumerate(MODELS)]

    def bits() -> Bits:
        return int(dice.random() < 0.7), int(dice.random() < 0.6), int(dice.random() < 0.6)

    people = {answer.id: [bits() for _ in range(3)] for answer in answers}
    judge = {answer.id: bits() for answer in answers if answer.id % 5}
    grades = {part: {id: [each[at] for each in said] for id, said in people.items()} for at, part in enumerate(PARTS)}
    judged = {(part, "gpt-4"): {id: each[at] for id, each in judge.items()} for at, part in enumerate(PARTS)}
    return ProjectAnswers("p", "P", PCA, (), items, answers, {}, grades, judged), people, judge


def counted(settled: dict[int, Bits]) -> dict[tuple[str, str | None], Counter[str]]:
    """By model and domain (None: all): how many answers there are, and how many have what."""
    found: dict[tuple[str, str | None], Counter[str]] = {}
    for id, (p, c, a) in settled.items():
        for domain in (None, DOMAINS[(id // 2) % 3]):
            lot = found.setdefault((MODELS[id % 2], domain), Counter())
            genuine, fluke = p + c + a == 3, a == 1 and p + c < 2
            lot.update(n=1, perception=p, cognition=c, action=a, genuine=genuine, fluke=fluke)
    return found


def boards(found: ProjectAnswers, *kinds: str) -> list[leaderboard.SlicedScores]:
    return [leaderboard.sliced_scores(found, each) for each in score_choices.selected_scores(found, kinds=kinds)]


def test_flukes_stand_next_to_the_genuine_score() -> None:
    found, people, judge = diced()
    majority = {id: tuple(int(sum(each[at] for each in said) >= 2) for at in range(3)) for id, said in people.items()}
    truth = {"human": counted(majority), "judge": counted(judge)}  # type: ignore[arg-type]
    told = criteria_blocks.blocks(boards(found, "human", "judge"))
    assert [block.title for block in told] == ["People", "gpt-4"]
    cells = 0
    for block in told:
        assert set(block.criteria) == {*PARTS, "genuine", "fluke"}
        expected = truth[block.scores.kind]
        for row in block.rows:
            if row.over == "parts":
                genuine = [expected[row.model, domain] for domain in DOMAINS]
                mean = sum(lot["genuine"] / lot["n"] for lot in genuine) / 3  # as Table 3 has it
                assert row.lines["genuine"].found.value == pytest.approx(mean)
                assert row.counts == {}
                continue
            lot = expected[row.model, row.part]
            for name, line in row.lines.items():
                limits = stats.binomtest(lot[name], lot["n"]).proportion_ci(method="wilson")
                assert (row.counts[name], line.found.n_units) == (lot[name], lot["n"])
                assert (line.found.low, line.found.high) == pytest.approx((limits.low, limits.high))
                cells += 1
            assert row.counts["genuine"] + row.counts["fluke"] == row.counts["action"]
    assert cells == 2 * 2 * 4 * 5


def test_as_csv_and_on_the_page() -> None:
    found, _, judge = diced()
    made = boards(found, "human", "judge")
    told = criteria_blocks.blocks(made)
    rows = list(csv.DictReader(io.StringIO(criteria_blocks.as_csv(told))))
    lot = counted(judge)["blip", DOMAINS[1]]
    (row,) = [each for each in rows if (each["judge"], each["model"], each["part"]) == ("gpt-4", "blip", DOMAINS[1])]
    assert (row["fluke_count"], row["fluke_n"]) == (str(lot["fluke"]), str(lot["n"]))
    assert float(row["fluke_value"]) == lot["fluke"] / lot["n"]
    (mean,) = [each for each in rows if (each["judge"], each["model"], each["mean_over"]) == ("gpt-4", "blip", "parts")]
    assert mean["fluke_count"] == ""
    ends = {each.scores: (0.0, 1.0) for each in made}
    view = ProjectView("p", "P", False, None, Role.LEAD)
    shown = str(page_section.beside_table(view, told[1], made[0], ends, common=False, bins=4))
    assert f"{lot['fluke']} of {lot['n']}" in shown
    assert "&lt;b&gt;gpt" in shown
    assert "<b>gpt" not in shown
    assert "mean over dimensions" in shown


def test_one_criterion_has_nothing_beside_it() -> None:
    found, _, _ = diced()
    assert criteria_blocks.blocks([leaderboard.sliced_scores(found, Scores("human", "fluke"))]) == []


def test_the_note_says_what_a_fluke_is() -> None:
    found, _, _ = diced()
    notes = leaderboard.sliced_scores(found, Scores("human", "fluke")).notes
    assert any(
        note.startswith("Fluke is 1 if action has its highest value and perception or cognition does not, otherwise 0.")
        for note in notes
    )
