"""Judges that compare two models: how often one wins, against counts worked out by hand."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from scipy import stats

from annotation_schemas import judge_templates
from app.cli import command
from db.engine import Store
from domain.errors import InvalidInputError
from domain.judging import JudgePlan
from extensions.preferences.judge_comparisons import ComparisonSection
from extensions.preferences.judge_win_rates import COLUMNS, ModelComparison, as_csv, comparisons, favoured
from extensions.preferences.page_parts import comparison_table
from testkit.factories import make_predictions
from testkit.scripted import Asked, Reply, ScriptedServer, chat
from tests.workflow.test_judge_runs import FILLS, SCORE, World
from workflow.access.projects import access_to
from workflow.results import project_answers
from workflow.runs import judge_plans, run_control


@pytest.fixture
def world(store: Store, tmp_path: Path) -> World:
    return World(store, tmp_path)


def answers_of(asked: Asked) -> tuple[int, int]:
    """The item that a question is about, counted from 0, and the number of the model whose answer comes first."""
    (first, item), (_, _) = re.findall(r"Answer (\d) of (\d+)", asked.text)
    return int(item), int(first)


SAYS = "wwwwwlt==x"
"""What the judge says of ten items: won, lost, even, by place (always the first one), and a reply without a verdict in
one of the two orders."""


def script(says: str, ids: list[int]) -> object:
    def reply(asked: Asked, number: int) -> Reply:
        item, first = answers_of(asked)
        kind = says[ids.index(item)]
        mine, other = ("A", "B") if first == 0 else ("B", "A")
        said = {"w": mine, "l": other, "t": "C", "=": "A"}.get(kind)
        if said is None:
            said = "A" if first == 0 else "D"
        return chat(f"So be it. [[{said}]]")

    return reply


def compared(world: World) -> list[ModelComparison]:
    read = project_answers.read_project(world.store, person=None, project="p")
    return comparisons(world.store, read, person=None)


@pytest.mark.both_databases
def test_both_orders_of_a_pair_are_one_comparison(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer(script(SAYS, world.items)) as server:  # type: ignore[arg-type]
        world.work(world.run(server.url, world.plan("better_of_two", baseline="two", pictures=False), attempts=1))
    (found,) = compared(world)
    assert (found.model, found.baseline) == ("one", "two")
    assert found.judge.startswith("judge by better_of_two")
    assert (found.wins, found.losses, found.ties, found.inconsistent) == (5, 1, 1, 2)
    assert (found.failed, found.waiting, found.earlier, found.n) == (1, 0, 0, 9)
    # 5 wins, 1 even and 2 by place at a half each: 6.5 of 9; with the failed one lost 6.5 of 10, won 7.5 of 10
    assert found.rate.value == pytest.approx(6.5 / 9)
    assert (found.lowest, found.highest) == (pytest.approx(0.65), pytest.approx(0.75))
    # items stand for themselves: t limits of the mean of nine values
    values = [1, 1, 1, 1, 1, 0, 0.5, 0.5, 0.5]
    low, high = stats.t.interval(0.95, 8, loc=sum(values) / 9, scale=stats.sem(values))
    assert (found.rate.low, found.rate.high) == (pytest.approx(low, abs=1e-9), pytest.approx(min(1, high), abs=1e-9))
    # the judge took the first one in each won or lost pair once, in the two by place twice, and in the failed one once
    assert (found.first, found.second) == (6 + 4 + 1, 6)
    row = found.as_row()
    assert row["win_rate"] == pytest.approx(6.5 / 9)
    assert json.loads(json.dumps(row, allow_nan=False)) == row
    told = list(ComparisonSection().ending([found]))
    assert re.search(r"one against two +0\.722 .* 9 +1 +0\.650 to 0\.750$", told[3])
    assert told[4].strip() == "5 won, 1 lost, 1 tie, 2 by position, 1 without two verdicts"
    shown = str(comparison_table([found]))
    assert all(f">{part}<" in shown for part in ("one", "two", "72 %", "5", "65 to 75 %"))
    assert as_csv([found]).splitlines()[0].startswith("judge,model,baseline,win_rate,low,high,comparisons,wins,losses")

    # the command's CSV says that it lacks them, and writes them into a table of their own
    here = SimpleNamespace(store=world.store, settings=SimpleNamespace(home=tmp_path))
    monkeypatch.setattr("app.services.resources", lambda: here)
    command().main(["result", "show", "p", "--format", "csv"], standalone_mode=False)
    assert (
        "Not in this table: 1 comparison. To export the comparisons, use --comparisons FILE.csv."
        in capsys.readouterr().err
    )
    out = tmp_path / "pairs.csv"
    command().main(["result", "show", "p", "--format", "csv", "--comparisons", str(out)], standalone_mode=False)
    assert "Not in this table" not in capsys.readouterr().err
    (line,) = csv.DictReader(out.read_text(encoding="utf-8").splitlines())
    assert (line["model"], line["baseline"], line["wins"], line["comparisons"]) == ("one", "two", "5", "9")
    assert float(line["win_rate"]) == pytest.approx(6.5 / 9)
    assert as_csv([]).splitlines() == [",".join(COLUMNS)]


def test_a_rate_without_spread_has_limits_that_say_so(world: World) -> None:
    with ScriptedServer(script("t" * 10, world.items)) as server:  # type: ignore[arg-type]
        world.work(world.run(server.url, world.plan("better_of_two", baseline="two", pictures=False), attempts=1))
    (found,) = compared(world)
    assert (found.ties, found.rate.value) == (10, 0.5)
    # Wilson, 5 of 10: 0.237 to 0.763 (scipy: binomtest(5, 10).proportion_ci(method="wilson"))
    assert (round(found.rate.low, 3), round(found.rate.high, 3)) == (0.237, 0.763)


def test_what_was_said_about_an_earlier_answer_does_not_count(world: World) -> None:
    with ScriptedServer(script("w" * 10, world.items)) as server:  # type: ignore[arg-type]
        world.work(world.run(server.url, world.plan("better_of_two", baseline="two", pictures=False), attempts=1))
    make_predictions(world.store, world.items[:3], models=["one"])
    (found,) = compared(world)
    assert (found.wins, found.earlier, found.n) == (7, 3, 7)


def test_a_withdrawn_run_counts_nowhere(world: World) -> None:
    with ScriptedServer(script("w" * 10, world.items)) as server:  # type: ignore[arg-type]
        run = world.run(server.url, world.plan("better_of_two", baseline="two", pictures=False), attempts=1)
        world.work(run)
    run_control.withdraw(world.store, by=None, run=run, reason="the wrong baseline")
    assert compared(world) == []


def test_a_project_without_comparisons_has_none(world: World) -> None:
    with ScriptedServer([chat("Rating: [[1]]")]) as server:
        world.work(world.run(server.url, world.plan()))
    assert compared(world) == []


def test_what_a_value_prefers_follows_from_the_template(world: World) -> None:
    plan = world.plan("better_of_two", baseline="two")
    assert [favoured(plan, value) for value in ("A", "B", "C", "D")] == [1, -1, 0, None]
    five = JudgePlan.of(
        {
            **plan.dump(),
            "values": ["A>>B", "A>B", "A=B", "B>A", "B>>A"],
            "mirror": {"A>>B": "B>>A", "A>B": "B>A", "B>A": "A>B", "B>>A": "A>>B"},
        }
    )
    assert [favoured(five, value) for value in five.values] == [1, 1, 0, -1, -1]
    assert favoured(JudgePlan.of({**plan.dump(), "mirror": {}}), "A") is None
    shipped = judge_templates.shipped()["better_of_two"]
    for mirror, sentence in (
        ("", "its `mirror` does not say which values swap when the answers swap places"),
        ('mirror: {A: "B"}', "has `A: B` but not `B: A`"),
        ('mirror: {A: "X", X: "A"}', "has `X`, which is not a value of the template; use these values: A, B, C"),
    ):
        text = shipped.text.replace('mirror: {A: "B", B: "A"}', mirror)
        template = judge_templates.parse_template(text, name="t")
        with world.store.read() as session:
            schema = access_to(session, person=None, project="p").schema
        with pytest.raises(InvalidInputError, match=sentence):
            judge_plans.plan_for(schema, template, baseline="two", pictures=False)


def test_a_criterion_that_cannot_hold_what_a_judge_answers_is_refused(world: World) -> None:
    with pytest.raises(
        InvalidInputError, match="cannot rate 'score': the template better_of_two gives A, B and C, but"
    ):
        world.plan("better_of_two", baseline="two", criteria={"score": "score"})
    with pytest.raises(InvalidInputError, match=r"'score' accepts 0, 0\.5, 1"):
        world.plan(SCORE.replace("[0, 0.5, 1]", "[1, 2, 3]"), fills=FILLS)
    assert world.plan(SCORE.replace("[0, 0.5, 1]", "[0, 1]"), fills=FILLS).criteria == {"score": "score"}
