"""Is a question lost or doubled if a Ray cluster dies while it asks? How much slower is Ray than one process?

    .venv/bin/python benchmarks/shards.py [--quick] [--questions N]

A scripted server answers each question by its text, after some time. Each 50th request gets the status 429, each 70th
the status 500. The same questions go through a worker without shards, the executor local, the executor ray, and once
more ray, with kills: a worker of Ray, one of the two nodes, and the command itself, which is then started again.

What was answered is counted in the database and by the server. The script runs in a network namespace of its own
(Linux), because a Ray cluster listens on all addresses. The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import signal
import site
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import psutil

from benchmarks import machine
from db.engine import open_store
from domain.module_names import process_of
from testkit.factories import make_items, make_project
from testkit.paths import ROOT
from testkit.serving import free_port

INSIDE = "TOUCHSTONE_BENCHMARK_INSIDE"
NODES = 2
CONCURRENCY = 32
DELAY = 0.05
"""The mean seconds of an answer."""
RAY = "ray[data]==2.60.0"


# ---- the server -----------------------------------------------------------------------------------------------------


class Server:
    """An OpenAI-compatible server in one thread. Its answer depends on the question alone."""

    def __init__(self) -> None:
        self.answers: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.requests = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = next((int(line[15:]) for line in head.splitlines() if line.startswith("content-length:")), 0)
                body = await reader.readexactly(length)
                status, value = (200, self.told()) if head.startswith("get") else await self.answer(body)
                sent = json.dumps(value).encode()
                first = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: application/json\r\n"
                wait = "retry-after: 0.2\r\n" if status == 429 else ""
                writer.write(f"{first}{wait}content-length: {len(sent)}\r\n\r\n".encode() + sent)
                await writer.drain()
        writer.close()

    async def answer(self, body: bytes) -> tuple[int, Any]:
        self.requests += 1
        number = self.requests
        status = 429 if number % 50 == 0 else 500 if number % 70 == 0 else 200
        self.statuses[status] += 1
        if status != 200:
            return status, {"error": {"message": HTTPStatus(status).phrase}}
        digest = hashlib.sha256(json.dumps(json.loads(body)["messages"]).encode()).hexdigest()
        await asyncio.sleep(DELAY * (0.5 + int(digest[:2], 16) / 255))
        self.answers[digest] += 1
        message = {"role": "assistant", "content": f"answer {digest[:8]}"}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return 200, {"model": "m", "choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}

    def told(self) -> dict[str, Any]:
        """Return the counts since the last request for them."""
        told = {"answers": self.answers.total(), "distinct": len(self.answers), "statuses": dict(self.statuses)}
        self.answers.clear()
        self.statuses.clear()
        return told


def serve(port: int) -> None:
    """Serve until the process is ended."""

    async def run() -> None:
        async with await asyncio.start_server(Server().handle, "127.0.0.1", port, backlog=1024) as server:
            await server.serve_forever()

    asyncio.run(run())


# ---- the cluster ----------------------------------------------------------------------------------------------------


class Cluster:
    """A head without workers, and nodes with one processor each."""

    def __init__(self, folder: Path) -> None:
        self.bin = machine.environment("ray", RAY)
        library = next((self.bin.parent / "lib").glob("python*/site-packages"))
        (library / "touchstone.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
        self.env = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", "HOME": str(folder)}
        self.env |= {"PYTHONPATH": str(ROOT)}
        self.port = 6399  # outside the ports of Ray's workers; the namespace is ours alone
        self.nodes: list[int] = []

    def start(self) -> None:
        token = [self.bin / "ray", "get-auth-token", "--generate"]
        subprocess.run(token, env=self.env, check=True, capture_output=True)
        self._start("--head", f"--port={self.port}", "--num-cpus=0", "--include-dashboard=false")
        for _ in range(NODES):
            before = self._raylets()
            self._start(f"--address=127.0.0.1:{self.port}", "--num-cpus=1")
            self.nodes += sorted(self._raylets() - before)
        self.env["RAY_ADDRESS"] = f"127.0.0.1:{self.port}"

    def _start(self, *options: str) -> None:
        fixed = ("--node-ip-address=127.0.0.1", "--disable-usage-stats", "--object-store-memory=200000000")
        subprocess.run([self.bin / "ray", "start", *options, *fixed], env=self.env, check=True, capture_output=True)

    def _mine(self) -> list[psutil.Process]:
        """Return the processes of this cluster, which have its home folder."""
        mine = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.pid != os.getpid() and process.environ().get("HOME") == self.env["HOME"]:
                    mine.append(process)
        return mine

    def _raylets(self) -> set[int]:
        return {process.pid for process in self._mine() if process.name() == "raylet"}

    def workers(self) -> list[int]:
        """Return the processes that ask."""
        return [process.pid for process in self._mine() if "MapWorker" in " ".join(process.cmdline())]

    def stop(self) -> None:
        for process in self._mine():
            with suppress(psutil.Error):
                process.kill()


# ---- runs -----------------------------------------------------------------------------------------------------------


class Study:
    """A project of questions, and its runs."""

    def __init__(self, folder: Path, questions: int, port: int) -> None:
        self.folder, self.questions, self.port = folder, questions, port
        self.home = folder / "home"
        self.home.mkdir()
        with closing(open_store(None, self.home)) as store:
            store.upgrade()
            make_project(store)
            make_items(store, questions)
        self.spec = folder / "model.yaml"
        self.spec.write_text(
            "name: scripted\nadapter: endpoint\nmodel: m\nendpoint:\n"
            f"  {{base_url: 'http://127.0.0.1:{port}/v1', probe: false, concurrency: {CONCURRENCY}, attempts: 20, "
            "longest_wait_seconds: 1}\n",
            encoding="utf-8",
        )

    def command(self, python: Path | str, env: dict[str, str], *options: str) -> subprocess.Popen[bytes]:
        """Start ``touchstone model run``."""
        command = [str(python), *process_of("touchstone_vlm")[1:], "model", "run", "p", *options]
        with (self.folder / "commands.log").open("ab") as log:
            return subprocess.Popen(
                command, env={**env, "TOUCHSTONE_HOME": str(self.home)}, cwd=ROOT, stdout=log, stderr=log
            )

    def rows(self, sql: str) -> list[Any]:
        with closing(sqlite3.connect(self.home / "touchstone.db")) as base:
            return base.execute(sql).fetchall()

    def run(self, python: Path | str, env: dict[str, str], *options: str) -> tuple[int, float]:
        """Execute a run. Return its id in the database, and the seconds."""
        begun = time.monotonic()
        status = self.command(python, env, "--spec", str(self.spec), "--text-only", *options).wait()
        seconds = time.monotonic() - begun
        if status:
            raise SystemExit((self.folder / "commands.log").read_text(encoding="utf-8")[-2000:])
        return self.rows("SELECT max(id) FROM run")[0][0], seconds

    def replies(self, run: int) -> list[Any]:
        """Return what each question got in the end, by question."""
        wanted = "SELECT unit_id, outcome, text, prompt_hash FROM attempt WHERE run_id = {} AND final ORDER BY 1, 2, 3"
        return self.rows(wanted.format(run))

    def told(self) -> dict[str, Any]:
        """Return what the server has counted since it was asked last."""
        with urlopen(f"http://127.0.0.1:{self.port}/counts", timeout=30) as reply:
            told: dict[str, Any] = json.load(reply)
        return told


def killed(study: Study, cluster: Cluster, python: Path, folder: Path) -> tuple[int, list[str]]:
    """Execute a run with Ray, and kill a worker, a node and the command. Return the run, and when each was killed."""
    first = ("--spec", str(study.spec), "--text-only", "--shards", str(folder), "--executor", "ray")
    command = study.command(python, cluster.env, *first)
    kills = []

    def wait_for(share: float) -> None:
        wanted = share * study.questions
        while command.poll() is None:
            files = list((folder / "replies").glob("part-*.parquet")) if folder.is_dir() else []
            if len(files) * 25 >= wanted:
                return
            time.sleep(0.2)
        raise SystemExit("The command ended before everything was killed.")

    victims: tuple[tuple[float, str, Callable[[], int]], ...] = (
        (0.15, "worker", lambda: cluster.workers()[0]),
        (0.3, "node", lambda: cluster.nodes[-1]),
        (0.6, "command", lambda: command.pid),
    )
    for share, what, pid_of in victims:
        wait_for(share)
        os.kill(pid_of(), signal.SIGKILL)
        kills.append(f"{what} at {share:.0%}")
    command.wait()
    run, name = study.rows("SELECT id, public_id FROM run ORDER BY id DESC LIMIT 1")[0]
    if study.command(python, cluster.env, "--resume", name).wait():
        raise SystemExit((study.folder / "commands.log").read_text(encoding="utf-8")[-2000:])
    return run, kills


def measure(folder: Path, questions: int) -> dict[str, Any]:
    """Return all figures."""
    port = free_port()
    server = subprocess.Popen([sys.executable, __file__, "--serve", str(port)])
    cluster = Cluster(folder)
    try:
        machine.log(f"writing {questions:,} items")
        study = Study(folder, questions, port)
        own = {**os.environ, "PYTHONPATH": str(ROOT)}
        machine.log("without shards")
        plain, plain_seconds = study.run(sys.executable, own)
        machine.log(f"{plain_seconds:.0f} s; executor local")
        local, local_seconds = study.run(sys.executable, own, "--shards", str(folder / "local"))
        machine.log(f"{local_seconds:.0f} s; executor ray")
        cluster.start()
        python = cluster.bin / "python"
        options = ("--shards", str(folder / "ray"), "--executor", "ray")
        ray, ray_seconds = study.run(python, cluster.env, *options)
        machine.log(f"{ray_seconds:.0f} s; executor ray with kills")
        study.told()
        begun = time.monotonic()
        run, kills = killed(study, cluster, python, folder / "killed")
        machine.log(f"{time.monotonic() - begun:.0f} s")
        told = study.told()
        found = study.replies(run)
        units = {unit for unit, *_ in found}
        answered = {unit for unit, outcome, *_ in found if outcome == "answered"}
        expected = study.replies(local)
        return {
            "questions": questions,
            "nodes": NODES,
            "lost": questions - len(answered),
            "doubled": len(found) - len(units),
            "equal_to_local": found == expected,
            "ray_without_kills_equal_to_local": study.replies(ray) == expected,
            "local_equal_to_no_shards": study.replies(plain) == expected,
            "answered_twice": told["answers"] - told["distinct"],
            "kills": kills,
            "failed_requests": {status: n for status, n in told["statuses"].items() if status != "200"},
            "seconds_without_shards": round(plain_seconds, 1),
            "seconds_local": round(local_seconds, 1),
            "seconds_ray": round(ray_seconds, 1),
            "overhead_ms_per_question": round(1000 * (ray_seconds - local_seconds) / questions, 2),
            "ratio_to_local": round(ray_seconds / local_seconds, 2),
            "local_to_no_shards": round(local_seconds / plain_seconds, 2),
            **machine.described(),
        }
    finally:
        cluster.stop()
        server.kill()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="2,000 questions instead of 100,000")
    parser.add_argument("--questions", type=int)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.serve:
        serve(given.serve)
        return 0
    if not os.environ.get(INSIDE):
        machine.environment("ray", RAY)  # while the network is there
        os.environ[INSIDE] = "1"
        rest = sys.argv[1:] if arguments is None else list(arguments)
        os.execvp("unshare", ["unshare", "-rn", sys.executable, __file__, *rest])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.TemporaryDirectory(prefix="shards-", ignore_cleanup_errors=True) as folder:
        print(json.dumps(measure(Path(folder), given.questions or (2_000 if given.quick else 100_000))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
