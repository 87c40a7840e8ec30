"""Two runs of judges next to each other, against a server that replies by a script."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.engine import Store
from domain.errors import ConflictError, NotFoundError
from domain.judging import ReplyOutcome
from domain.run_kinds import RunKind
from domain.runs import RunState
from extensions.judge_comparison.run_comparison import compare_runs
from testkit.scripted import Asked, Reply, ScriptedServer, chat
from tests.workflow.test_judge_runs import FILLS, SCORE, World
from workflow.runs import run_control, run_views

pytestmark = pytest.mark.both_databases

STRICT = SCORE.replace("Rating?", "Rating, strictly?").replace("version: 1", "version: 2")


@pytest.fixture
def world(store: Store, tmp_path: Path) -> World:
    return World(store, tmp_path, items=4)


def test_two_versions_of_a_template_on_the_same_answers(world: World) -> None:
    asked_about: dict[str, int] = {}

    def script(asked: Asked, _: int) -> Reply:
        strict = "strictly" in asked.text
        place = asked_about.setdefault(asked.text.replace("Rating, strictly?", "Rating?"), len(asked_about))
        lenient = ["1", "1", "1", "0.5", "0.5", "0", "0", "?"][place]
        strictly = ["1", "1", "0.5", "0.5", "0", "0", "?", "0"][place]
        return chat(f"Rating: [[{strictly if strict else lenient}]]")

    with ScriptedServer(script) as server:
        first = world.run(server.url, world.plan(), concurrency=1)
        assert world.work(first) is RunState.DONE
        assert len(asked_about) == 8
        second = world.run(server.url, world.plan(STRICT, fills=FILLS), concurrency=1)
        assert world.work(second) is RunState.DONE
    found = compare_runs(world.store, by=None, run_a=first, run_b=second)
    assert (found.a, found.b) == ("judge by likeness 1", "judge by likeness 2")
    assert found.plan_a.template_hash != found.plan_b.template_hash
    (score,) = found.criteria
    assert (score.n_both_asked, score.n_a_scored, score.n_b_scored, score.n_both_scored) == (8, 7, 7, 6)
    # both scored: 1 1, 1 1, 1 0.5, 0.5 0.5, 0.5 0, 0 0
    assert score.n_same == 4
    assert score.share_same.value == pytest.approx(4 / 6)
    assert score.mean_a == pytest.approx(4 / 6)
    assert score.mean_b == pytest.approx(3 / 6)
    # by hand: squared differences 2 * 0.25; means of squares over all pairs of a and b: 36 pairs, of which
    # (1: 3 of a, 2 of b), (0.5: 2 of a, 2 of b), (0: 1 of a, 2 of b)
    expected = (3 * 2 * 0.25 + 3 * 2 * 1 + 2 * 2 * 0.25 + 2 * 2 * 0.25 + 1 * 2 * 1 + 1 * 2 * 0.25) / 36
    assert score.kappa.value == pytest.approx(1 - (0.5 / 6) / expected)
    assert [(each.a, each.b) for each in found.differing if each.both_scored] in (
        [(1, 0.5), (0.5, 0)],
        [(0.5, 0), (1, 0.5)],
    )
    failed = [each for each in found.differing if not each.both_scored]
    assert {(each.a, each.verdict_b) for each in failed if each.verdict_a.scored} == {(0, ReplyOutcome.OUT_OF_RANGE)}
    assert {(each.b, each.verdict_a) for each in failed if each.verdict_b.scored} == {(0, ReplyOutcome.OUT_OF_RANGE)}
    models = [each.model for each in found.differing]
    assert set(models) <= {"one", "two"}
    (answers,) = run_views.runs_of(world.store, by=None, project="p", kind=RunKind.IMPORT)
    run_control.withdraw(world.store, by=None, run=answers.id, reason="asked with the wrong pictures")
    again = compare_runs(world.store, by=None, run_a=first, run_b=second)
    assert [each.model for each in again.differing] == models, "whose answers they are is known all the same"
    run_control.withdraw(world.store, by=None, run=second, reason="the wrong template")
    with pytest.raises(ConflictError, match=r"judge by likeness 2 was withdrawn \(the wrong template\)"):
        compare_runs(world.store, by=None, run_a=first, run_b=second)


@pytest.mark.one_database
def test_what_only_one_was_asked_about_is_counted_and_not_compared(world: World) -> None:
    with ScriptedServer([chat("Rating: [[1]]")]) as server:
        whole = world.run(server.url, world.plan(samples=2))
        world.work(whole)
        part = world.run(server.url, world.plan(STRICT, fills=FILLS, models=("one",)))
        world.work(part)
        other = world.run(server.url, world.plan(attacks=True))
        world.work(other)
    found = compare_runs(world.store, by=None, run_a=whole, run_b=part)
    assert (found.only_a, found.only_b) == (4, 0)
    assert [score.n_both_scored for score in found.criteria] == [4]
    assert found.differing == ()
    with pytest.raises(ConflictError, match="share no answers yet"):
        compare_runs(world.store, by=None, run_a=whole, run_b=other)
    with pytest.raises(ConflictError, match="same run twice"):
        compare_runs(world.store, by=None, run_a=whole, run_b=whole)
    with pytest.raises(NotFoundError, match="no run 'x'"):
        compare_runs(world.store, by=None, run_a=whole, run_b="x")
