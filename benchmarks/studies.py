"""The studies of four papers from their files to their tables, with scripted models, judges and people.

    .venv/bin/python benchmarks/studies.py [--quick] [--only NAME ...] [--shared DIR]

Models answer as real ones do (letters, sentences, reasoning, refusals, nonsense), judges write their scores in many
manners and sometimes none, and people err as often as their dice say. Everything comes in through the touchstone
command, and every table that ``touchstone table export`` prints is held, cell by cell, against what
``benchmarks/papers`` computes from the dice alone: as JSON, as CSV and as it stands on its page.

The papers' own files are looked for in ``../shared``; items that are not there are made up in their shape. A line for
each table goes to standard error; the last line of the output is one JSON object. The exit status is 1 if a cell is
wrong, or a judge's reply was lost although it holds a score.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from benchmarks.manners_judges import count_losses
from benchmarks.papers.run import LOSSES, Compared, run
from testkit.paths import ROOT

PAPERS = ("egothink", "pca_bench", "egoplan", "egoplan_test", "etp_bench")


def main() -> int:
    """Run the studies and print what came of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few items and models of each")
    parser.add_argument("--only", nargs="+", choices=PAPERS, default=PAPERS, metavar="NAME")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared", metavar="DIR")
    given = parser.parse_args()
    shared = given.shared if (given.shared / "data").is_dir() else None
    began = time.monotonic()
    found: list[Compared] = []
    lost = 0
    with tempfile.TemporaryDirectory(prefix="touchstone-studies-") as name:
        for paper in given.only:
            started = time.process_time()
            tables, losses = study(paper, Path(name), shared=shared, quick=given.quick)
            machine.log(f"{paper}: {len(tables)} tables, {time.process_time() - started:.0f} s of processor time")
            for table in tables:
                machine.log(f"  {table.name}: {table.cells:,} cells, {len(table.wrong):,} wrong")
                for words in table.wrong[:5]:
                    machine.log(f"    {words}")
            found += tables
            lost += losses
            machine.log(f"  {losses:,} replies of judges lost that hold a score")
    answers = sum(len(table.wrong) for table in found if table.name == LOSSES)
    wrong, lost = sum(len(table.wrong) for table in found) - answers, lost + answers
    told = {
        "tables": sum(bool(table.cells) for table in found),
        "cells": sum(table.cells for table in found),
        "cells_wrong": wrong,
        "unexplained_losses": lost,
        "seconds": round(time.monotonic() - began, 1),
    }
    print(json.dumps(told))
    return 1 if wrong or lost else 0


def study(paper: str, folder: Path, *, shared: Path | None, quick: bool) -> tuple[list[Compared], int]:
    """Run one paper's study in a folder of its own; return its compared tables, and how many judges' replies were lost
    although they hold a score."""
    made = import_module(f"benchmarks.papers.{paper}").study(folder / paper, shared=shared, quick=quick)
    home = folder / paper / "home"
    return run(made, home), count_losses(home, made.readable)


if __name__ == "__main__":
    sys.exit(main())
