"""Runs over an endpoint: a real server that fails by script, the real client, a real database, and a worker that is
killed."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from annotation_schemas import HOME
from annotation_schemas.loader import load_schema
from db.engine import Store, open_store
from domain.errors import ModelError
from domain.runs import Outcome, RunPlan, RunState
from domain.settings import settings_from
from inference.spec import Endpoint, ModelSpec
from media.store import MediaStore
from testkit.factories import make_items, make_project
from testkit.forked import Forked
from testkit.scripted import Asked, Reply, ScriptedServer, chat, closed, cut, error, html
from testkit.serving import environment
from tests.paths import ROOT
from tests.workflow.endpoint_worker import MEANS
from workflow.runs import attempt_keeper, run_control, run_start, run_views
from workflow.runs.model_plans import plan_for
from workflow.runs.worker import means_of, work

pytestmark = pytest.mark.both_databases

CANARY = "sk-canary-0123456789abcdef"


def begun(store: Store, url: str, items: int, *, plan: RunPlan | None = None, **endpoint: Any) -> str:
    make_project(store)
    make_items(store, items)
    told = {"probe": False, "longest_wait_seconds": 0.05, "concurrency": 8, **endpoint}
    spec = ModelSpec(name="scripted", adapter="endpoint", model="scripted", endpoint=Endpoint(base_url=url, **told))
    return run_start.start(store, by=None, project="p", spec=spec, plan=plan or RunPlan())


def rows(store: Store, sql: str) -> list[Any]:
    with store.read() as session:
        return [tuple(row) for row in session.connection().execute(text(sql))]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_keeper, "LOOK_SECONDS", 0.05)


def test_a_storm_is_in_the_database_as_the_script_has_it(store: Store) -> None:
    """Every fifth request fails, each time otherwise; none of it becomes an answer."""
    bad = [error(429, headers={"retry-after": "0"}), html(), closed(), error(500), cut()]

    def script(asked: Asked, number: int) -> Reply:
        return bad[number // 5 % 5] if number % 5 == 4 else chat("a cup")

    with ScriptedServer(script) as server:
        run = begun(store, server.url, 60)
        assert work(store, run, means=MEANS) is RunState.DONE
        counts = server.counts
    found = Counter(outcome for (outcome,) in rows(store, "SELECT outcome FROM attempt"))
    assert found == {
        "answered": counts["ok"],
        "unreadable": counts["html"],
        "transport_error": counts["429"] + counts["closed"] + counts["500"] + counts["cut"],
    }
    assert counts["ok"] == 60
    assert rows(store, "SELECT count(*), count(DISTINCT item_id) FROM prediction") == [(60, 60)]


def test_reasoning_and_other_models_are_counted_and_paid_once(store: Store) -> None:
    reasoned = {"reasoning_content": "Hm."}
    script = [
        chat("a cup", message=reasoned, model="scripted-2026-08-06"),
        chat("", finish="length", message=reasoned),
        chat("a pan", model="scripted-mini"),
        chat("a lid"),
    ]
    with ScriptedServer(script) as server:
        run = begun(store, server.url, 4, concurrency=1)
        assert work(store, run, means=MEANS) is RunState.DONE
        assert len(server.asked) == 4
    view = run_views.view(store, by=None, run=run)
    assert view.by_outcome == {Outcome.ANSWERED: 3, Outcome.ONLY_REASONING: 1}
    assert view.answered == 3
    assert "1 reply came from a model other than scripted: scripted-mini (1)." in view.other_model
    assert view.snapshots == ("1 reply came from a dated snapshot or an alias of scripted: scripted-2026-08-06 (1).")
    kept = [each.attempt for each in run_views.attempts_of(store, by=None, run=run)]
    assert sorted(str(each.detail.get("reasoning")) for each in kept) == ["Hm.", "Hm.", "None", "None"]
    (failure,) = run_views.failures_of(store, by=None, run=run)
    assert (failure.outcome, failure.items) == (Outcome.ONLY_REASONING, 1)
    assert "still reasoning" in failure.reason


def test_a_wrong_key_stops_a_run_which_goes_on_with_the_right_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_API_KEY", CANARY)

    def script(asked: Asked, number: int) -> Reply:
        wrong = asked.headers["authorization"] != "Bearer right-key-0123456789"
        if wrong and number >= 10:
            return error(401, f"Incorrect API key provided: {CANARY}")
        return chat("a cup")

    with ScriptedServer(script) as server:
        run = begun(store, server.url, 40, key="LAB_API_KEY")
        assert work(store, run, means=MEANS) is RunState.STOPPED
        view = run_views.view(store, by=None, run=run)
        assert "returned status 401: Incorrect API key provided: [key]" in view.said
        assert view.answered == 10
        monkeypatch.setenv("LAB_API_KEY", "right-key-0123456789")
        run_control.resume(store, by=None, run=run)
        assert work(store, run, means=MEANS) is RunState.DONE
    assert rows(store, "SELECT count(*), count(DISTINCT item_id) FROM prediction") == [(40, 40)]
    for table in ("run", "run_chunk", "run_worker", "attempt", "prediction", "event"):
        assert CANARY not in repr(rows(store, f"SELECT * FROM {table}")), table


@pytest.mark.one_database
def test_the_budget_of_a_run_holds_over_its_workers(store: Store) -> None:
    with ScriptedServer([chat("a cup")]) as server:
        run = begun(store, server.url, 40, max_calls=10)
        assert work(store, run, means=MEANS) is RunState.STOPPED
        assert len(server.asked) == 10
        run_control.resume(store, by=None, run=run)
        assert work(store, run, means=MEANS) is RunState.STOPPED
        assert len(server.asked) == 10
    assert "10 requests" in run_views.view(store, by=None, run=run).said


EXPLAINED = {
    "The plate is on the table, so the cup is next.\nAnswer: B": "take cup",
    "Plate: done. I now see the cup.\n\n**Answer:** B. take cup": "take cup",
    "<think>It may be A, take plate.</think>The plate is there.\nAnswer: (B)": "take cup",
    "First I thought of A. take plate, but it is done.\nAnswer: B": "take cup",
    "The plate is missing.\nAnswer: A": "take plate",
    "The plate is on the table, and the cup is in view.": None,
    "It could be two of them.\nAnswer: A or B": None,
}
"""What models write that explain first, and what the last line says."""


@pytest.mark.one_database
def test_the_answer_after_an_explanation_is_read_by_the_usual_rules(store: Store, tmp_path: Path) -> None:
    """Each item gets one of these; in the project's own order, so the number in the question says which."""
    loaded = load_schema(HOME / "egoplan.yaml")
    make_project(store, loaded=loaded)
    options = ["take plate", "take cup", "fold napkin", "close drawer"]
    for number in range(len(EXPLAINED)):
        fields = {"task_goal": "Lay the table", "question": f"Next {number}?", "options": options, "answer": "take cup"}
        make_items(store, 1, dimension="next_action", fields=fields)

    def script(asked: Asked, number: int) -> Reply:
        which = re.search(r"Next (\d+)\?", asked.text)
        assert which is not None
        assert asked.text.endswith('begins with "Answer:", with the letter of the best action.')
        return chat(list(EXPLAINED)[int(which[1])])

    with ScriptedServer(script) as server:
        endpoint = Endpoint(base_url=server.url, probe=False)
        spec = ModelSpec(name="explains", adapter="endpoint", model="far", endpoint=endpoint)
        plan = plan_for(loaded.schema_, spec, prompts="egoplan_explain", strategy="generate", text_only=True)
        run = run_start.start(store, by=None, project="p", spec=spec, plan=plan)
        means = means_of(store, MediaStore(tmp_path), settings_from({"TOUCHSTONE_HOME": str(tmp_path)}, tmp_path))
        assert work(store, run, means=means) is RunState.DONE
    found = rows(
        store,
        "SELECT p.text, r.outcome, r.value FROM prediction p JOIN reading r ON r.prediction_id = p.id",
    )
    assert {said: json.loads(value or "null") for said, _, value in found} == EXPLAINED
    assert Counter(outcome for _, outcome, _ in found) == {"read": 5, "unreadable": 2}


@pytest.mark.parametrize(
    ("endpoint", "says"),
    [
        ({"base_url": f"http://me:{CANARY}@127.0.0.1/v1"}, "user name or a password"),
        ({"base_url": f"http://127.0.0.1/v1?key={CANARY}"}, "contains ? or #"),
        ({"key": CANARY}, "Do not write the key itself into the description"),
        ({"key": "DATABASE_URL"}, "Touchstone reads no other variables"),
        ({"omit": ("top_k",)}, "which is never sent"),
    ],
)
def test_a_description_with_a_secret_in_it_is_not_even_written_down(
    store: Store, endpoint: dict[str, Any], says: str
) -> None:
    with pytest.raises(ModelError, match=re.escape(says)) as refused:
        begun(store, **{"url": "http://127.0.0.1:9/v1", "items": 1, **_renamed(endpoint)})
    assert CANARY not in str(refused.value)
    assert rows(store, "SELECT count(*) FROM run") == [(0,)]


def _renamed(endpoint: dict[str, Any]) -> dict[str, Any]:
    return {"url" if name == "base_url" else name: value for name, value in endpoint.items()}


@pytest.mark.slow
def test_killed_again_and_again_it_ends_with_one_answer_for_each_item(sqlite_template: Path, tmp_path: Path) -> None:
    """What was under way when a worker died, or not on disk yet, is asked again; nothing else is."""
    shutil.copyfile(sqlite_template, tmp_path / "touchstone.db")
    store = open_store(None, tmp_path)
    try:
        with ScriptedServer([chat("a cup")]) as server:
            run = begun(store, server.url, 400, concurrency=4)
            log = tmp_path / "worker"
            ends = [40, 110, 190, 260, 330]
            for end in [*ends, None]:
                server.most = end
                process = Forked(
                    [tmp_path, run],
                    env=environment(tmp_path),
                    cwd=ROOT,
                    out=log.with_suffix(f".{end}"),
                    err=log,
                    main="tests.workflow.endpoint_worker:main",
                )
                late = time.monotonic() + 120
                while end is not None and len(server.asked) < end:
                    assert process.poll() is None, log.read_text()
                    assert time.monotonic() < late
                    time.sleep(0.005)
                if end is not None:
                    process.kill()
                process.wait(120)
                assert end is not None or process.output().split() == ["begun", RunState.DONE.value], log.read_text()
            asked = Counter(request.text for request in server.asked)
        assert rows(store, "SELECT count(*), count(DISTINCT item_id) FROM prediction") == [(400, 400)]
        assert rows(store, "SELECT DISTINCT outcome FROM attempt") == [(Outcome.ANSWERED.value,)]
        assert len(asked) == 400
        assert 400 <= asked.total() <= 400 + 30 * len(ends)
    finally:
        store.close()
