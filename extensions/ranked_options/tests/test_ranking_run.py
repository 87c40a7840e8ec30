"""A run that ranks options over a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from domain.runs import Outcome, RunPlan, RunState
from domain.settings import settings_from
from extensions.ranked_options.accuracy import rank_options
from media.store import MediaStore
from testkit.scripted import Asked, Reply, ScriptedServer, as_json, error
from tests.workflow.test_endpoint_runs import begun, rows
from workflow.results import project_answers
from workflow.runs import run_control, run_views
from workflow.runs.worker import means_of, work


@pytest.mark.one_database
def test_options_are_ranked_over_a_server_that_fails_now_and_then(store: Store, tmp_path: Path) -> None:
    """Of each item the prompt and two options are asked about. A step that failed is asked again, and no other; an item
    that a stop has left half ranked is ranked anew."""
    likely = {"red": -1.5, "blue": -1.6}

    def script(asked: Asked, number: int) -> Reply:
        last = asked.body["messages"][-1]
        if number in (4, 8):  # an option of the second item, and one of the third
            return error(500 if number == 4 else 401)
        tokens: list[Any] = [None, {"1": {"logprob": -9.0, "decoded_token": "?"}}]
        if last["role"] == "assistant":
            option = last["content"]
            tokens.append({str(len(option)): {"logprob": likely[option], "decoded_token": option}})
        message = {"role": "assistant", "content": "x"}
        choices = [{"index": 0, "message": message, "finish_reason": "length"}]
        return as_json({"choices": choices, "prompt_logprobs": tokens}, kind="ok")

    plan = RunPlan(strategy="rank_options", score="sum_logprob", text_only=True)
    with ScriptedServer(script) as server:
        run = begun(store, server.url, 6, plan=plan, likelihoods={"by": "chat"}, concurrency=1)
        means = means_of(store, MediaStore(tmp_path), settings_from({"TOUCHSTONE_HOME": str(tmp_path)}, tmp_path))
        assert work(store, run, means=means) is RunState.STOPPED
        assert dict(run_views.view(store, by=None, run=run).by_outcome) == {Outcome.ANSWERED: 2}
        run_control.resume(store, by=None, run=run)
        assert work(store, run, means=means) is RunState.DONE
        assert server.counts == {"ok": 19, "500": 1, "401": 1}
    assert dict(rows(store, "SELECT outcome, count(*) FROM attempt GROUP BY outcome")) == {
        "step": 13,
        "transport_error": 2,
        "answered": 6,
    }
    assert rows(store, "SELECT count(*), count(DISTINCT item_id) FROM prediction WHERE text = 'red'") == [(6, 6)]
    view = run_views.view(store, by=None, run=run)
    assert dict(view.by_outcome) == {Outcome.ANSWERED: 6}
    found = project_answers.read_project(store, person=None, project="p")
    assert found.ways["scripted, text only"].how == "options ranked by sum_logprob"
    scores = rank_options(store, found, person=None)
    assert scores is not None
    assert {name: line.found.value for (_, name), line in scores.by_score.items()} == {
        "mean_logprob": 1.0,
        "sum_logprob": 1.0,
        "per_byte_logprob": 0.0,  # -1.5 / 3 of "red" is less than -1.6 / 4 of "blue"
    }
