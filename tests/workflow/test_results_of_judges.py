"""A judge that was run here stands on the leaderboard with what its replies held, and with how many held nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from db.engine import Store
from testkit.scripted import ScriptedServer
from tests.workflow.test_judge_runs import SCRIPT, World, by_item
from workflow.results import leaderboard as numbers
from workflow.results import project_answers, score_choices
from workflow.results.score_choices import Scores
from workflow.runs import attempt_keeper, run_views


@pytest.fixture
def world(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(attempt_keeper, "LOOK_SECONDS", 0.05)
    return World(store, tmp_path)


def test_a_judge_s_run_is_a_way_of_scoring(world: World) -> None:
    before = project_answers.mark(world.store, person=None, project="p")
    with ScriptedServer(lambda asked, number: SCRIPT[by_item(asked)][0]) as server:
        run = world.run(server.url, world.plan())
        world.work(run)
        asked = list({each.text: each for each in server.asked}.values())
    assert project_answers.mark(world.store, person=None, project="p") != before
    name = run_views.view(world.store, by=None, run=run).name
    found = project_answers.read_project(world.store, person=None, project="p")
    scores = Scores("judge", "score", name)
    assert scores in score_choices.scores_of(found)
    # each question is asked about both models' answers, so both have the same replies of the script
    replies = Counter(by_item(each) for each in asked)
    given = [value for at, value in ((0, 1.0), (1, 0.5)) for _ in range(replies[at] // 2)]
    lost = Counter(SCRIPT[at][1] for at, n in replies.items() if at > 1 for _ in range(n // 2))
    board = numbers.sliced_scores(found, scores)
    for model in ("one", "two"):
        line = board.whole[model]
        assert line.found.n_units == len(given)
        if given:
            assert line.found.value == pytest.approx(sum(given) / len(given))
        assert dict(line.left_out) == {
            f"without a score from the judge ({verdict.label})": n for verdict, n in lost.items()
        }
        n, failed = len(given), sum(lost.values())
        assert (line.failed, line.as_row()["judge_asked"], line.as_row()["judge_scored"]) == (failed, n + failed, n)
        if given:
            assert line.lowest == pytest.approx(sum(given) / (n + failed))
            assert line.highest == pytest.approx((sum(given) + failed) / (n + failed))
            assert f"{name} has scored {n} of {n + failed} answers from {model}. If the rest had" in " ".join(
                board.notes
            )
