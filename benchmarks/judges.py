"""A judge at an endpoint: 32 requests in flight next to one at a time, and ten thousand judgements in little memory.

    .venv/bin/python benchmarks/judges.py [--quick] [--delay-ms 50]

The endpoint is a scripted one in a process of its own, which answers every request after the same delay, so what
differs is what the runner does between a reply and the next question. Runs are those of ``touchstone judge run``, in a
process of its own each, with every raw reply and its reading stored in SQLite.

A table goes to standard error; the last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from testkit.paths import ROOT
from testkit.serving import COMMAND, environment

DELAY_MS = 50.0
LEAST_RATIO, MOST_MB = 15.0, 300.0
ITEMS_A_MODEL = 500
PATIENCE = 1800.0
"""Seconds after which a run has failed."""

TEMPLATE = """---
id: likeness
version: 1
meaning: how like
variables: [question, reference, answer]
parser: double_brackets
values: [0, 0.5, 1]
---
Question: {question}
Reference: {reference}
[Begin]
{answer}
[End]
Say why in a few sentences, then rate as [[0]], [[0.5]] or [[1]].
"""
WHY = "The answer names the same thing as the reference and adds nothing that contradicts it. " * 8


def main() -> int:
    """Run it and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer judgements")
    parser.add_argument(
        "--delay-ms", type=float, default=DELAY_MS, help=f"of the endpoint ({DELAY_MS:g})", metavar="MS"
    )
    given = parser.parse_args()
    busy = machine.busy_percent()
    one, many, all_of_them = (60, 960, 2_000) if given.quick else (200, 3_000, 10_000)
    figures: dict[str, Any] = {"delay_ms": given.delay_ms}
    rates = {}
    for at_once, n in ((1, one), (32, many)):
        machine.log(f"{n:,} judgements, {at_once} in flight")
        found = judged(n, at_once=at_once, delay=given.delay_ms / 1000)
        rates[at_once] = found["per_second"]
        figures |= {f"per_second_{at_once}": round(found["per_second"], 1), f"judgements_{at_once}": n}
        figures[f"cpu_ms_per_judgement_{at_once}"] = round(1000 * found["cpu_seconds"] / n, 2)
    figures["throughput_ratio_32"] = round(rates[32] / rates[1], 1)
    machine.log(f"{all_of_them:,} judgements with their raw replies")
    found = judged(all_of_them, at_once=32, delay=given.delay_ms / 1000)
    figures |= {
        "judgements": all_of_them,
        "peak_mb_10000": found["peak_mb"],
        "all_attempts_stored": found["all_stored"],
        "outcomes": found["outcomes"],
        "raw_mb": found["raw_mb"],
        "machine_busy_percent_before": busy,
        "machine": machine.described(),
    }
    for name, value in figures.items():
        print(f"{name:<28} {value}", file=sys.stderr)
    print(json.dumps(figures))
    reached = figures["throughput_ratio_32"] >= LEAST_RATIO and figures["peak_mb_10000"] < MOST_MB
    return 0 if reached and figures["all_attempts_stored"] else 1


def judged(n: int, *, at_once: int, delay: float) -> dict[str, Any]:
    """The figures of one run of ``n`` judgements."""
    with tempfile.TemporaryDirectory(prefix="touchstone-judges-") as folder, served(delay) as (url, tell):
        home = Path(folder) / "home"
        prepared(home, n)
        template = Path(folder) / "likeness.txt"
        template.write_text(TEMPLATE, encoding="utf-8")
        spec = Path(folder) / "judge.yaml"
        spec.write_text(
            "name: scripted\nadapter: endpoint\nmodel: scripted\nmodality: text\n"
            f"endpoint: {{base_url: '{url}', concurrency: {at_once}, probe: false}}\n",
            encoding="utf-8",
        )
        arguments = [
            "judge",
            "run",
            "p",
            "--template",
            str(template),
            "--spec",
            str(spec),
            "--criterion",
            "score=score",
        ]
        arguments += ["--fill", "reference=answer", "--fill", "answer=prediction"]
        peak, cpu = watched([*COMMAND, *arguments], home)
        first, last, served_n, most = tell()
        if served_n != n:
            raise RuntimeError(f"{n} judgements, and {served_n} requests came")
        return {
            "per_second": (n - 1) / (last - first),
            "peak_mb": peak,
            "cpu_seconds": cpu,
            "at_once": most,
            **stored(home, n),
        }


def watched(command: list[str], home: Path) -> tuple[float, float]:
    """Run a command to its end; the most memory that it had, in megabytes, and its processor time in seconds."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment(home), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        peak, cpu, end = 0.0, 0.0, time.monotonic() + PATIENCE
        while process.poll() is None:
            if time.monotonic() > end:
                process.kill()
                raise RuntimeError(f"the run did not finish within {PATIENCE:g} seconds")
            # the kernel's own high-water mark, which forgets nothing between two looks
            try:
                lines = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").splitlines()
                told = [line.split() for line in lines if line.startswith("VmHWM")]
                times = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            except OSError:
                continue
            if told:
                peak = max(peak, int(told[0][1]) * 1024 / 1e6)
                cpu = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
            time.sleep(0.05)
        if process.returncode:
            output.seek(0)
            raise RuntimeError(f"touchstone judge run ended with {process.returncode}:\n{output.read()[-3000:]}")
    return round(peak, 1), cpu


def prepared(home: Path, n: int) -> None:
    """A project with ``n`` answers, of as many models as it takes."""
    from db.engine import open_store
    from testkit.factories import make_items, make_predictions, make_project

    store = open_store(None, home)
    try:
        store.upgrade()
        make_project(store)
        items = make_items(store, min(n, ITEMS_A_MODEL))
        left, models = n, 0
        while left:
            some = items[:left]
            models, left = models + 1, left - len(some)
            make_predictions(store, some, models=[f"model-{models}"])
    finally:
        store.close()


def stored(home: Path, n: int) -> dict[str, Any]:
    """What is on disk, read straight from the file."""
    with sqlite3.connect(f"file:{home / 'touchstone.db'}?mode=ro", uri=True, timeout=30) as database:
        attempts = database.execute("SELECT unit_id, text, json_extract(detail, '$.raw') FROM attempt").fetchall()
        verdicts = Counter(verdict for (verdict,) in database.execute("SELECT verdict FROM judgement"))
    raw = [json.loads(text) for _, _, text in attempts]
    # the script's own figures: every twentieth reply has no verdict, and every reply is kept as it was sent
    whole = all(
        reply["choices"][0]["message"]["content"] == text for (_, text, _), reply in zip(attempts, raw, strict=True)
    )
    once = len({unit for unit, _, _ in attempts}) == len(attempts) == n
    return {
        "all_stored": once and whole and verdicts == {"scored": n - (n + 19) // 20, "unparseable": (n + 19) // 20},
        "outcomes": dict(verdicts),
        "raw_mb": round(sum(len(text) for _, _, text in attempts) / 1e6, 1),
    }


# ---- the endpoint ---------------------------------------------------------------------------------------------------


@contextmanager
def served(delay: float) -> Iterator[tuple[str, Any]]:
    """A scripted endpoint in a process of its own: its base URL, and what tells the moments of its first and last
    request, how many there were, and how many at once."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there, delay), daemon=True)
    process.start()

    def tell() -> Any:
        here.send("tell")
        return here.recv()

    try:
        yield here.recv(), tell
    finally:
        here.send("end")
        process.join(20)


def serve(pipe: Connection, delay: float) -> None:
    """The endpoint's process."""
    from testkit.scripted import Asked, Reply, ScriptedServer, chat

    good = chat(f"{WHY}Rating: [[1]]", after=delay, usage=(250, 140))
    without = chat(f"{WHY}I would rather not rate it.", after=delay, usage=(250, 140))

    def script(asked: Asked, number: int) -> Reply:
        return good if number % 20 else without

    with ScriptedServer(script) as server:
        pipe.send(server.url)
        while pipe.recv() == "tell":
            moments = [each.at for each in server.asked]
            pipe.send((min(moments), max(moments), len(moments), server.at_once))


if __name__ == "__main__":
    sys.exit(main())
