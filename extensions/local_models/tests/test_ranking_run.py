"""Ranked options all the way: items of a project, a run of a tiny model, attempts and answers in the database."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from db.engine import Store
from domain.option_scores import Ranking
from domain.runs import Outcome, RunState
from domain.settings import settings_from
from inference.spec import ModelSpec
from media.store import MediaStore
from testkit.factories import make_items, make_project
from workflow.access.projects import access_to
from workflow.runs import run_start, run_views, worker
from workflow.runs.model_plans import plan_for

if TYPE_CHECKING:
    from testkit.tiny import Shelf

# Looked for, not imported: collecting tests takes seconds less.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("torch") is None or find_spec("transformers") is None, reason="the extra `models` is not installed"
    ),
]


@pytest.mark.parametrize("score", ["mean_logprob", "sum_logprob", "per_byte_logprob"])
def test_a_run_keeps_every_score_and_answers_by_the_one_that_was_chosen(
    score: str, store: Store, tmp_path: Path, tiny_models: Shelf
) -> None:
    project = make_project(store)
    make_items(store, 5)
    spec = ModelSpec(name="tiny", adapter="chat", modality="text", model=str(tiny_models.folder("text")))
    with store.read() as session:
        schema = access_to(session, person=None, project=project).schema
    plan = plan_for(schema, spec, prompts="plain", strategy="rank_options", score=score, text_only=True)
    run = run_start.start(store, by=None, project=project, spec=spec, plan=plan)
    means = worker.means_of(
        store, MediaStore(tmp_path / "media"), settings_from({"TOUCHSTONE_HOME": str(tmp_path)}, tmp_path)
    )
    assert worker.work(store, run, means=means) is RunState.DONE
    kept = [view.attempt for view in run_views.attempts_of(store, by=None, run=run)]
    assert len(kept) == 5
    for attempt in kept:
        assert attempt.outcome is Outcome.ANSWERED, attempt.error
        ranking = Ranking.read(attempt.detail)
        assert (ranking.score, ranking.winner.text) == (score, attempt.text)
        assert [option.text for option in ranking.options] == ["red", "blue"]
    assert run_views.view(store, by=None, run=run).answered == 5
