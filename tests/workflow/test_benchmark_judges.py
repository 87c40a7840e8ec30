"""The judges of three benchmarks on projects with their schemas, and a server that replies by script.

``tests/inference/test_served_model.py`` asks a real model as a judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from annotation_schemas.judge_templates import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain.judging import ReplyOutcome
from domain.runs import RunState
from domain.states import Stage
from inference.spec import Endpoint, ModelSpec
from media.store import MediaStore
from testkit.factories import make_items, make_predictions, make_project
from testkit.scripted import Asked, Reply, ScriptedServer, chat, error, html
from tests.paths import ROOT
from tests.workflow.test_judge_runs import means
from workflow.results.ratings import ratings_of
from workflow.runs import attempt_keeper, judge_plans, judge_readings, run_start, worker

Script = list[tuple[Reply, ReplyOutcome, Mapping[str, Any]]]
"""Replies, what they come to, and the values by criterion."""

ANYWHERE: Script = [
    (chat("Rating: [[1]] action score: 1", finish="length"), ReplyOutcome.TRUNCATED, {}),
    (chat("", finish="content_filter"), ReplyOutcome.REFUSED, {}),
    (chat(None, message={"refusal": "I would rather not."}), ReplyOutcome.REFUSED, {}),
    (chat(""), ReplyOutcome.EMPTY, {}),
    (chat(None, message={"reasoning_content": "It is right, so one point."}), ReplyOutcome.ONLY_REASONING, {}),
    (chat("It is fine, I would say."), ReplyOutcome.UNPARSEABLE, {}),
    (html(), ReplyOutcome.TRANSPORT_ERROR, {}),
    (error(500), ReplyOutcome.TRANSPORT_ERROR, {}),
]


def six(action: str, perception: str, cognition: str, more: str = "") -> Reply:
    said = {"action": action, "perception": perception, "cognition": cognition}
    lines = [f"{name} assessment evidence: it says so\n{name} score: {score}" for name, score in said.items() if score]
    return chat("\n".join(lines) + more)


@dataclass(frozen=True)
class Benchmark:
    """A schema with its judge, and replies in the form that the judge is asked for."""

    schema: str
    template: str
    dimension: str
    fields: Mapping[str, Any]
    script: Script
    lacking: Mapping[str, Any] | None = None
    """What an item holds about which the judge cannot be asked; None: every item has what it needs."""


BENCHMARKS = [
    Benchmark(
        "egothink",
        "egothink_single",
        "existence",
        {"question": "What is in my hand?", "answer": "a cup"},
        [
            (chat("The same.\nRating: [[1]]"), ReplyOutcome.SCORED, {"score": 1}),
            (chat("Partly.\nRating: [0.5]"), ReplyOutcome.SCORED, {"score": 0.5}),
            (chat("Rating: [[0.75]]"), ReplyOutcome.OUT_OF_RANGE, {}),
            (chat("Rating: [[2]]"), ReplyOutcome.OUT_OF_RANGE, {}),
            (chat("Rating: [[0]] ... Rating: [[1]]"), ReplyOutcome.CONTRADICTORY, {}),
        ],
    ),
    Benchmark(
        "pca_bench",
        "pca_anchors",
        "domestic_robot",
        {
            "question": "What next?",
            "actions": ["wait", "go"],
            "answer": "go",
            "reason": "No one is there.",
            "key_concepts": ["nobody"],
        },
        [
            (six("1", "1", "0"), ReplyOutcome.SCORED, {"action": 1, "perception": 1, "cognition": 0}),
            (six("0", "1", "1"), ReplyOutcome.SCORED, {"action": 0, "perception": 1, "cognition": 1}),
            (six("2", "1", "0"), ReplyOutcome.OUT_OF_RANGE, {}),
            (six("1", "1", ""), ReplyOutcome.UNPARSEABLE, {}),
            (six("1", "1", "0", "\naction score: 0"), ReplyOutcome.CONTRADICTORY, {}),
        ],
    ),
    Benchmark(
        "etp_bench",
        "etp_answer",
        "type",
        {"question": "What is marked?", "form": "open", "answer": "a cup"},
        [
            (chat('{"Assessment": "near", "Final Score": "0.5"}'), ReplyOutcome.SCORED, {"score": 0.5}),
            (chat('{"Assessment": "no", "Final Score": 0}'), ReplyOutcome.SCORED, {"score": 0}),
            (chat('{"Assessment": "so", "Final Score": "0.75"}'), ReplyOutcome.OUT_OF_RANGE, {}),
            (chat('{"Assessment": "so"}'), ReplyOutcome.UNPARSEABLE, {}),
            (chat('{"Final Score": "1"} {"Final Score": "0"}'), ReplyOutcome.CONTRADICTORY, {}),
        ],
        lacking={"question": "What is marked?", "form": "open"},
    ),
]
N = 13
"""Items; with the answers of two models every reply of a script comes twice at least."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_keeper, "LOOK_SECONDS", 0.05)


def judged(store: Store, folder: Path, benchmark: Benchmark, spec: ModelSpec, models: tuple[str, ...]) -> str:
    """A finished run of the benchmark's judge over a small project; its id."""
    make_project(store, loaded=load_schema(ROOT / "annotation_schemas" / f"{benchmark.schema}.yaml"))
    items = make_items(store, N, dimension=benchmark.dimension, fields=benchmark.fields)
    if benchmark.lacking is not None:
        items += make_items(store, 1, dimension=benchmark.dimension, fields=benchmark.lacking)
    make_predictions(store, items, models=models, dimension=benchmark.dimension)
    template = shipped()[benchmark.template]
    plan = judge_plans.plan_of_project(store, by=None, project="p", template=template)
    run = run_start.start(store, by=None, project="p", spec=spec, plan=plan)
    work_with = means(store, MediaStore(folder / "media"), folder / "prepared")
    assert worker.work(store, run, means=work_with) is RunState.DONE
    return run


def rows(store: Store, sql: str) -> list[Any]:
    with store.read() as session:
        return [tuple(row) for row in session.connection().execute(text(sql))]


@pytest.mark.both_databases
@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda each: each.template)
def test_counts_of_every_outcome_equal_the_scripts(store: Store, tmp_path: Path, benchmark: Benchmark) -> None:
    script = [*benchmark.script, *ANYWHERE]
    given: dict[str, int] = {}

    def by_turn(asked: Asked, number: int) -> Reply:
        return script[given.setdefault(asked.text, len(given)) % len(script)][0]

    with ScriptedServer(by_turn) as server:
        endpoint = Endpoint(base_url=server.url, probe=False, attempts=2, longest_wait_seconds=0.05, concurrency=2)
        spec = ModelSpec(name="judge", adapter="endpoint", model="scripted", modality="text", endpoint=endpoint)
        run = judged(store, tmp_path, benchmark, spec, ("one", "two"))
        asked = len(server.asked)
    assert len(given) == 2 * N  # every unit is asked in words of its own
    said = [script[turn % len(script)] for turn in given.values()]
    verdicts = Counter(verdict for _, verdict, _ in said)
    skipped = 2 if benchmark.lacking is not None else 0
    verdicts += Counter({ReplyOutcome.SKIPPED: skipped})
    criteria = list(benchmark.script[0][2])
    assert judge_readings.verdicts_of(store, by=None, run=run) == dict.fromkeys(criteria, verdicts)
    assert set(verdicts) == set(ReplyOutcome) - ({ReplyOutcome.SKIPPED} if not skipped else set())
    rated = Counter((row.criterion, row.value) for row in ratings_of(store, project="p", stage=Stage.GRADING))
    assert rated == Counter(pair for _, _, values in said for pair in values.items())
    # what brought no reply was asked twice, and every time is kept
    again = sum(1 for reply, _, _ in said if reply.kind in ("html", "500"))
    assert rows(store, "SELECT count(*) FROM attempt") == [(asked + skipped,)] == [(2 * N + again + skipped,)]
    assert rows(store, "SELECT count(*) FROM judgement") == [((2 * N + skipped) * len(criteria),)]
