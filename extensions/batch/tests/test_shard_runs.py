"""Runs in shards: a real server that fails by script, the real executor in a process of its own, a real database."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from db.engine import Store
from domain.errors import ConflictError
from domain.judging import ReplyOutcome
from domain.runs import Outcome, RunState
from domain.settings import settings_from
from extensions.batch import execution, executors, shard_runs
from extensions.batch.settings import VLLM
from extensions.batch.shard_ask import Ask
from extensions.batch.shard_files import ShardFolder
from testkit.scripted import Asked, Reply, ScriptedServer, chat, error
from tests.paths import ROOT
from tests.workflow.test_judge_runs import World, by_item
from workflow.runs import judge_readings, run_control, run_start, run_views


class Shards(World):
    """A project with answers of two models, and a judge whose questions go in shards."""

    def __init__(self, store: Store, folder: Path, items: int = 10) -> None:
        super().__init__(store, folder, items)
        self.folder = folder / "shards"
        self.settings = settings_from({"TOUCHSTONE_HOME": str(folder)}, folder)

    def start(self, url: str, executor: str = "local", **endpoint: Any) -> str:
        run = self.run(url, self.plan(batch=True), **endpoint)
        shard_runs.choose(self.store, by=None, run=run, folder=self.folder, executor=executor)
        return run

    def execute(self, run: str, **given: Any) -> RunState:
        given = {"means": self.means, **given}
        return shard_runs.execute(self.store, by=None, run=run, **given)

    def read(self, run: str, *files: Path) -> tuple[int, int]:
        given = {"means": self.means, "home": self.settings.home / "batches", "files": files}
        stored = shard_runs.read(self.store, by=None, run=run, **given)
        return stored.attempts, stored.problems

    def said(self, run: str) -> str:
        return run_views.view(self.store, by=None, run=run).said

    def rows(self) -> list[Any]:
        """Everything that reading a file may change."""
        tables = ("attempt", "judgement", "run_batch", "run_batch_unit", "run_batch_problem", "run_chunk")
        return [self.all(f"SELECT * FROM {table} ORDER BY id") for table in tables]

    def questions(self) -> list[dict[str, Any]]:
        files = ShardFolder.open(self.folder).files("questions")
        return [row for file in files for row in pq.read_table(file).to_pylist()]

    def replies(self) -> list[Path]:
        return ShardFolder.open(self.folder).files("replies")


@pytest.fixture
def world(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shards:
    monkeypatch.setattr(shard_runs, "LOOK_SECONDS", 0.2)
    return Shards(store, tmp_path)


def storm(asked: Asked, number: int) -> Reply:
    """Every fourth request fails."""
    if number % 4 == 3:
        return error(429, headers={"retry-after": "0"}) if number % 8 == 3 else error(500)
    return chat(f"Rating: [[{(0, 0.5, 1)[by_item(asked) % 3]}]]")


@pytest.mark.both_databases
@pytest.mark.slow
def test_a_run_in_shards_ends_as_a_run_of_a_worker_does(world: Shards) -> None:
    with ScriptedServer(storm) as server:
        worker = world.run(server.url, world.plan(), attempts=9)
        assert world.work(worker) is RunState.DONE
        run = world.start(server.url, attempts=9)
        server.counts.clear()
        assert world.execute(run) is RunState.DONE
        counts = server.counts.copy()
    (first,), (last,) = world.all("SELECT id FROM run WHERE kind = 'judge' ORDER BY id")
    ledger = "SELECT outcome, text, tokens_in, tokens_out, prompt_hash FROM attempt WHERE final AND run_id = {}"
    outcomes = {run_id: Counter(world.all(ledger.format(run_id))) for run_id in (first, last)}
    assert outcomes[last] == outcomes[first]
    assert sum(outcomes[last].values()) == 20
    tries = Counter(status for (status,) in world.all(f"SELECT status FROM attempt WHERE run_id = {last}"))
    assert tries[429] == counts["429"] > 0
    assert tries[500] == counts["500"] > 0
    assert judge_readings.verdicts_of(world.store, by=None, run=run) == judge_readings.verdicts_of(
        world.store, by=None, run=worker
    )
    before = world.rows()
    assert world.read(run, *world.replies()) == (0, 0)
    assert world.rows() == before
    assert len(world.questions()) == 20


def answered(world: Shards) -> list[dict[str, Any]]:
    """Answer all questions as a program of somebody else does."""
    body = json.loads(chat("Rating: [[1]]").body)
    fixed = {"try": 1, "status": 200, "raw": json.dumps(body), "prompt_hash": None}
    return [{"id": row["id"], **fixed} for row in world.questions()]


def put(world: Shards, name: str, rows: list[dict[str, Any]]) -> Path:
    path = world.folder / "replies" / f"part-{name}.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_replies_that_answer_no_question_are_counted_and_named(world: Shards) -> None:
    run = world.start("http://127.0.0.1:9/v1", "none")
    told: list[str] = []
    assert world.execute(run, tell=told.append) is RunState.BATCH
    assert f"touchstone batch import {run}" in told[0]
    rows = answered(world)
    first, second, third, fourth, *rest = rows
    stranger = {**first, "id": "somebody-1-1"}
    nobody = {**first, "id": None}
    other_run = {**first, "id": "x" + first["id"]}
    no_try = {**third, "try": 0}
    no_status = {**fourth, "status": 99_999}
    put(world, "a", [*rest, first, {**first, "raw": json.dumps({"other": 1})}])
    put(world, "b", [first, stranger, nobody, other_run, no_try, no_status, {**second, "prompt_hash": "0" * 64}])
    whole = put(world, "c", [second]).read_bytes()
    half = world.folder / "replies" / "part-d.parquet"
    half.write_bytes(whole[: len(whole) // 2])
    put(world, "e", [{"id": first["id"], "text": "yes"}])
    put(world, "f", [{**second, "status": "fine"}])
    (world.folder / "replies" / ".part-g.parquet.1.part").write_bytes(whole)  # still being written
    world.replies()[2].unlink()
    stored = world.read(run, *world.replies())
    assert stored == (17, 11)
    before = world.rows()
    assert world.read(run, *world.replies()) == (0, 0)
    assert world.rows() == before
    assert world.all("SELECT count(*), count(DISTINCT unit_id) FROM attempt") == [(17, 17)]
    whys = sorted(why for (why,) in world.all("SELECT why FROM run_batch_problem"))
    wanted = {
        "incomplete, or is not a Parquet file": 1,
        "has no column `raw`, `status`, `try`": 1,
        "`status` is not of the type int64": 1,
        "Another line has the same custom_id": 2,
        "No question has the custom_id": 2,
        "The row has no id": 1,
        "has no valid try": 1,
        "has no valid status": 1,
        "answers another prompt": 1,
    }
    assert {part: sum(part in why for why in whys) for part in wanted} == wanted
    assert any(str(half) in why for why in whys)
    put(world, "h", [second, third, fourth])
    half.unlink()
    assert world.read(run, *world.replies())[0] == 3
    assert run_views.view(world.store, by=None, run=run).state is RunState.DONE
    assert judge_readings.verdicts_of(world.store, by=None, run=run) == {"score": Counter({ReplyOutcome.SCORED: 20})}


@pytest.mark.slow
def test_an_executor_and_its_driver_may_be_killed(world: Shards, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extensions.batch.shard_runs.SIZE", 8)
    begun: list[executors.ProcessExecution] = []
    really = executors.ProcessExecution.__init__

    def remembered(self: executors.ProcessExecution, *given: Any) -> None:
        really(self, *given)
        begun.append(self)

    monkeypatch.setattr(executors.ProcessExecution, "__init__", remembered)

    class Kill(BaseException):
        """The driver is gone."""

    with ScriptedServer(lambda asked, number: chat("Rating: [[1]]", after=0.2)) as server:
        run = world.start(server.url, concurrency=2)

        def executor_dies() -> bool:
            if begun and len(begun) == 1 and len(server.asked) >= 4 and begun[0].is_running():
                os.kill(begun[0].process.pid, signal.SIGKILL)
            if len(begun) == 2 and len(server.asked) >= 12:
                raise Kill
            return False

        with pytest.raises(Kill):
            world.execute(run, stop=executor_dies)
        assert world.execute(run) is RunState.DONE
    assert world.all("SELECT count(*), count(DISTINCT unit_id) FROM attempt WHERE final") == [(20, 20)]
    assert len({row["id"] for row in world.questions()}) == len(world.questions()) == 20


@pytest.mark.slow
def test_a_run_in_shards_can_be_paused_resumed_and_canceled(world: Shards) -> None:
    with ScriptedServer(lambda asked, number: chat("Rating: [[1]]", after=0.3)) as server:
        run = world.start(server.url, concurrency=1)
        states: list[RunState] = []
        thread = threading.Thread(target=lambda: states.append(world.execute(run)))
        thread.start()
        wait(lambda: len(server.asked) > 1)
        assert run_views.view(world.store, by=None, run=run).is_active
        with pytest.raises(ConflictError, match="executes the run"):
            world.execute(run)
        run_control.pause(world.store, by=None, run=run)
        thread.join(30)
        assert states == [RunState.PAUSED]
        n = world.all("SELECT count(*) FROM attempt")[0][0]
        assert 0 < n < 20, "what had come was stored, and the rest was not asked"
        run_control.resume(world.store, by=None, run=run)
        assert run_views.view(world.store, by=None, run=run).state is RunState.BATCH
        run_control.cancel(world.store, by=None, run=run)
        with pytest.raises(ConflictError, match="cancelled"):
            world.execute(run)
    assert world.all("SELECT count(*) FROM attempt")[0][0] == n


def wait(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_a_wrong_key_stops_a_run_with_the_reason(world: Shards) -> None:
    def script(asked: Asked, number: int) -> Reply:
        return error(401, "no such key") if number >= 5 else chat("Rating: [[1]]")

    with ScriptedServer(script) as server:
        run = world.start(server.url, concurrency=1)
        assert world.execute(run) is RunState.STOPPED
    assert "no such key" in world.said(run)
    assert "The key is missing, is wrong, or has no access" in world.said(run)
    assert world.all("SELECT count(*) FROM attempt WHERE outcome = 'answered'") == [(5,)]
    with ScriptedServer(lambda asked, number: chat("Rating: [[1]]")) as server:
        described = json.loads((world.folder / "run.json").read_text())
        described["spec"]["endpoint"]["base_url"] = server.url  # the server is back with a right key
        (world.folder / "run.json").write_text(json.dumps(described))
        assert world.execute(run) is RunState.DONE
        assert len(server.asked) == 15


def test_the_worker_of_ray_asks_a_batch_and_asks_it_only_once(world: Shards) -> None:
    """Ray calls this class with Arrow tables, and calls it again for batches of a dead worker."""

    async def asked(ask: Ask, table: pa.Table) -> list[dict[str, list[Any]]]:
        return [told async for told in ask(table)]

    with ScriptedServer(storm) as server:
        run = world.start(server.url, "none", attempts=9, requests_per_minute=6000)
        world.execute(run)
        ask = Ask(str(world.folder), 2, (), "ray")
        table = pq.read_table(ShardFolder.open(world.folder).files("questions")[0])
        assert asyncio.run(asked(ask, table)) == [{"asked": [20], "stopped": [""]}]
        n = len(server.asked)
        assert n == 20 + server.counts["429"] + server.counts["500"] > 20
        assert asyncio.run(asked(ask, table)) == [{"asked": [20], "stopped": [""]}]
        assert len(server.asked) == n
        ask.close()
    (path,) = world.replies()
    rows = pq.read_table(path).to_pylist()
    assert len(rows) == n
    assert {row["engine"] for row in rows} == {"ray"}
    assert world.read(run, path) == (20, 0)
    assert Counter(status for (status,) in world.all("SELECT status FROM attempt")) == Counter(
        row["status"] for row in rows
    )


STAND_IN = """
import argparse, json, sys
from testkit.scripted import chat
p = argparse.ArgumentParser()
for name in ("-i", "-o", "--model", "--served-model-name", "--allowed-local-media-path"):
    p.add_argument(name)
given = p.parse_args()
with open(given.o, "w") as out:
    for number, line in enumerate(open(given.i)):
        asked = json.loads(line)
        body = json.loads(chat("Rating: [[1]]").body)
        response = {"status_code": 200, "request_id": "r", "body": body}
        if number == 3:
            response = {"status_code": 400, "request_id": "r", "body": {"error": {"message": "too long"}}}
        print(json.dumps({"id": "v", "custom_id": asked["custom_id"], "response": response, "error": None}), file=out)
"""


@pytest.mark.slow
def test_vllm_and_slurm_go_through_batch_files_of_vllm(
    world: Shards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VLLM, shlex.join([sys.executable, "-c", STAND_IN]))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(shard_runs, "SIZE", 8)
    run = world.start("http://127.0.0.1:9/v1", "slurm")
    told: list[str] = []
    assert world.execute(run, tell=told.append) is RunState.BATCH
    assert "#SBATCH --array=1-3\n" in told[0]
    assert f'batch execute {world.folder} --executor vllm --shard "$SLURM_ARRAY_TASK_ID"' in told[0]
    settings = settings_from(os.environ, tmp_path)
    execution.execute_shards(ShardFolder.open(world.folder), "vllm", numbers=[2], settings=settings)
    assert world.read(run, *world.replies()) == (8, 0)
    told.clear()
    world.execute(run, tell=told.append)
    assert "#SBATCH --array=1,3\n" in told[0], "only files with open questions are executed"
    shard_runs.choose(world.store, by=None, run=run, folder=world.folder, executor="vllm")
    assert world.execute(run) is RunState.DONE
    assert run_views.view(world.store, by=None, run=run).by_outcome == {
        Outcome.ANSWERED: 17,
        Outcome.TRANSPORT_ERROR: 3,
    }
    assert world.all("SELECT DISTINCT error FROM attempt WHERE status = 400") == [
        ("The endpoint returned status 400: too long.",)
    ]
    monkeypatch.setenv(VLLM, "no-such-program")
    assert run_control.retry_failed(world.store, by=None, run=run) == 3
    assert world.execute(run) is RunState.STOPPED
    assert "Touchstone cannot start no-such-program" in world.said(run)


def test_a_folder_has_one_run(world: Shards) -> None:
    run = world.start("http://127.0.0.1:9/v1")
    other = run_start.start(
        world.store, by=None, project="p", spec=world.spec("http://127.0.0.1:9/v1"), plan=world.plan(batch=True)
    )
    with pytest.raises(ConflictError, match=f"has the shards of the run {run}"):
        shard_runs.choose(world.store, by=None, run=other, folder=world.folder, executor="local")
    with pytest.raises(ConflictError, match="no folder of shards"):
        world.execute(other)
