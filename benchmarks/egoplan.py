"""EgoPlan-Val from its file to a submission: every question ranked, killed on the way, gone on with, scored, written.

    .venv/bin/python benchmarks/egoplan.py [--quick] [--data FILE] [--spec FILE] [--kills N]

The questions are the authors' (3,355, which are not redistributed: ``../shared/data/egoplan`` or ``--data``), the
videos are missing, so the text-only variant of the prompt is asked. Without ``--spec`` the model is a tiny LLaVA with
random weights: it shows that everything works and knows nothing, so its accuracy is that of chance. Everything goes
through the ``touchstone`` command, in processes of its own.

A table goes to standard error; the last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from domain.option_scores import MEANINGS, Option, Ranking
from testkit.forked import Forked
from testkit.paths import ROOT
from testkit.serving import environment, touchstone

DATA = ROOT.parent / "shared" / "data" / "egoplan"
QUICK = 300
PATIENCE = 600.0
"""Seconds after which a process that writes nothing has failed."""

_ROW = r'    \{\n        "sample_id": \d+,\n        "label": "(?:[^"\\]|\\.)*"\n    \}'
FORM = re.compile(rf"\[\n{_ROW}(?:,\n{_ROW})*\n\]")
"""How the authors' submission file is written, without a line end at its end."""


def main() -> int:
    """Run it and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"only {QUICK} questions are ranked")
    parser.add_argument("--data", type=Path, default=DATA / "EgoPlan_validation.json", metavar="FILE")
    parser.add_argument("--spec", type=Path, help="a model's description instead of the tiny one", metavar="FILE")
    parser.add_argument("--kills", type=int, default=3, help="how often the run is killed (3)", metavar="N")
    parser.add_argument("--out", type=Path, help="where the submission is written", metavar="FILE")
    given = parser.parse_args()
    if not given.data.exists():
        print(
            f"{given.data} is not there: the questions are the authors', name their file with --data.", file=sys.stderr
        )
        return 2
    with tempfile.TemporaryDirectory(prefix="touchstone-egoplan-") as folder:
        figures = ranked(
            given.data, Path(folder), spec=given.spec, limit=QUICK if given.quick else None, kills=given.kills
        )
        if given.out:
            given.out.write_bytes((Path(folder) / "submission.json").read_bytes())
    for name, accuracy in figures["accuracy"].items():
        print(f"{name:<18} {accuracy:.4f}  {MEANINGS[name]}", file=sys.stderr)
    print(json.dumps({**figures, "machine": machine.described()}))
    return 0 if figures["every_question_once"] and figures["submission_in_the_authors_form"] else 1


def ranked(
    data: Path, folder: Path, *, spec: Path | None = None, limit: int | None = None, kills: int = 3
) -> dict[str, Any]:
    """The figures of one run from beginning to end; the submission stays in ``folder``."""
    home = folder / "home"
    spec = spec or tiny_spec(folder)
    _done("project", "create", "egoplan", "--schema", "egoplan", home=home)
    _done("item", "import", "egoplan", "egoplan", str(data), home=home)
    begun = time.monotonic()
    start = ["--spec", str(spec), "--text-only", *(["--limit", str(limit)] if limit else [])]
    run, killed = "", 0
    while True:
        told = folder / f"run-{killed}.log"
        arguments = ["model", "run", "egoplan", *(["--resume", run] if run else start)]
        seen = environment(home, HF_HUB_OFFLINE="1")
        process = Forked(arguments, env=seen, cwd=ROOT, out=told, err=told)
        if killed < kills and _answered_more(home, process, wanted=(limit or 3355) * (killed + 1) // (kills + 1)):
            process.kill()
            killed += 1
        status = process.wait(PATIENCE)
        run = run or _run(home)
        if status == 0:
            break
        if status != -9:
            raise RuntimeError(f"touchstone model run ended with {status}:\n{process.output()}")
    seconds = time.monotonic() - begun
    submission = folder / "submission.json"
    lacking = ["--unanswered", "N/A"] if limit else []
    _done(
        "item", "export", "egoplan", "egoplan_submission", "--run", run, "--out", str(submission), *lacking, home=home
    )
    return {
        **_figures(home, data),
        "kills": killed,
        "seconds": round(seconds, 1),
        **_submitted(submission, data, run_limit=limit),
    }


def tiny_spec(folder: Path) -> Path:
    """The description of a tiny LLaVA with random weights, which is built below the folder."""
    from testkit import tiny

    model = folder / "tiny"
    tiny.llava(model)
    spec = folder / "tiny.yaml"
    spec.write_text(f"name: Tiny LLaVA\nadapter: chat\nmodel: {model}\nmodality: images\ndtype: float32\ndevice: cpu\n")
    return spec


def _done(*arguments: str, home: Path) -> None:
    done = touchstone(*arguments, home=home)
    if done.returncode:
        raise RuntimeError(
            f"touchstone {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )


def _read(home: Path, query: str) -> list[tuple[Any, ...]]:
    """Rows, straight from the file: what is counted here is what is on disk."""
    with sqlite3.connect(f"file:{home / 'touchstone.db'}?mode=ro", uri=True, timeout=30) as database:
        return database.execute(query).fetchall()


def _run(home: Path) -> str:
    return str(_read(home, "SELECT public_id FROM run ORDER BY id DESC LIMIT 1")[0][0])


def _answered_more(home: Path, process: Forked, *, wanted: int) -> bool:
    """Wait until so many are answered; False if the process ended before."""
    end = time.monotonic() + PATIENCE
    while process.poll() is None:
        if _read(home, "SELECT count(*) FROM prediction")[0][0] >= wanted:
            return True
        if time.monotonic() > end:
            process.kill()
            raise RuntimeError(f"No answer came for {PATIENCE:g} seconds.")
        time.sleep(0.05)
    return False


def _figures(home: Path, data: Path) -> dict[str, Any]:
    """What is on disk: how often every question was ranked, with what, and how often each score is right."""
    key = {str(record["sample_id"]): record["answer"] for record in json.loads(data.read_text(encoding="utf-8"))}
    rows = _read(
        home,
        "SELECT item.external_id, attempt.outcome, attempt.final, attempt.text, attempt.detail FROM attempt "
        "JOIN item ON item.id = attempt.item_id ORDER BY attempt.id",
    )
    wanted = _read(home, "SELECT wanted FROM run")[0][0]
    predictions = dict(_read(home, "SELECT external_id, text FROM prediction JOIN item ON item.id = item_id"))
    finals = Counter(name for name, _, final, _, _ in rows if final)
    rankings = {
        name: _ranking(json.loads(detail))
        for name, outcome, final, _, detail in rows
        if final and outcome == "answered"
    }
    right: Counter[str] = Counter()
    for name, ranking in rankings.items():
        for score, place in ranking.winners.items():
            right[score] += ranking.options[place].text == key[name]
    return {
        "questions": len(key),
        "wanted": wanted,
        "answered": len(predictions),
        "every_question_once": len(finals) == wanted == len(predictions) and set(finals.values()) == {1},
        "outcomes": dict(Counter(outcome for _, outcome, final, _, _ in rows if final)),
        "options": sum(len(each.options) for each in rankings.values()),
        "logprobs": sum(len(option.logprobs) for each in rankings.values() for option in each.options),
        "winner_depends_on_score": sum(len(set(each.winners.values())) > 1 for each in rankings.values()),
        "answer_is_winner": all(predictions[name] == each.winner.text for name, each in rankings.items()),
        "accuracy": {score: round(n / len(rankings), 4) for score, n in right.items()},
    }


def _ranking(detail: Mapping[str, Any]) -> Ranking:
    return Ranking(tuple(Option.read(each) for each in detail["options"]), detail["score"])


def _submitted(path: Path, data: Path, *, run_limit: int | None) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    rows = json.loads(text)
    known = {record["sample_id"] for record in json.loads(data.read_text(encoding="utf-8"))}
    labels = Counter(row["label"] for row in rows)
    in_form = FORM.fullmatch(text) is not None and json.dumps(rows, indent=4) == text
    complete = {row["sample_id"] for row in rows} == known and len(rows) == len(known)
    lettered = set(labels) <= {*"ABCD", *(["N/A"] if run_limit else [])}
    return {
        "submission_rows": len(rows),
        "submission_labels": dict(sorted(labels.items())),
        "submission_in_the_authors_form": in_form and complete and lettered,
    }


if __name__ == "__main__":
    sys.exit(main())
