"""Ten million ratings in a Parquet file: by patterns in DuckDB, and as columns in numpy, in one run.

    .venv/bin/python benchmarks/ratings.py [--quick] [--ratings N]

Three raters with noise and habits of their own give five grades, of which one in twenty is missing. ``patterns`` is
``touchstone agreement show --ratings FILE.parquet --json``. ``columns`` reads the same file with pandas and measures
it with the same statistics, one row for each unit. Each runs in a process of its own, and reports its seconds, the
highest memory of the process, and all results. Then the results are compared: values, limits and counts of units. The
last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from benchmarks import machine
from benchmarks.agreement import RATERS, grades, memory_mb
from testkit.paths import ROOT

Results = list[dict[str, Any]]
_PIECE = 1_000_000
"""Units that are written at once."""


def write_file(path: Path, n: int) -> int:
    """Write about n ratings, and return how many rows there are."""
    import pyarrow as pa
    from pyarrow import parquet

    table = grades(-(-n // RATERS), gaps=0.05)
    schema = pa.schema([(name, pa.string()) for name in ("unit", "rater", "criterion")] + [("value", pa.float64())])
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, len(table), _PIECE):
            piece = table[start : start + _PIECE]
            names = np.arange(start, start + len(piece)).repeat(RATERS)
            cells = {
                "unit": [f"unit-{at}" for at in names.tolist()],
                "rater": [f"rater-{at}" for at in range(RATERS)] * len(piece),
                "criterion": ["score"] * piece.size,
                "value": pa.array(piece.ravel(), from_pandas=True),
            }
            writer.write_table(pa.table(cells, schema=schema))
    return int(table.size)


def by_patterns(path: Path) -> Results:
    """Return what the command prints as JSON."""
    from app.commands.agreement import agreement

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        agreement(ratings=path, as_json=True)
    found: Results = json.loads(printed.getvalue())
    return found


def by_columns(path: Path) -> Results:
    """Return the results of a data frame of all ratings."""
    import pandas as pd

    from agreement.summary import summarise
    from agreement.table import LongTable

    return [result.as_json() for result in summarise(LongTable.from_frame(pd.read_parquet(path)))]


PATHS: Mapping[str, Callable[[Path], Results]] = {"patterns": by_patterns, "columns": by_columns}


def measure(name: str, path: Path) -> None:
    """Print the seconds, memory and results of one path as JSON."""
    begun, cpu = time.monotonic(), time.process_time()
    results = PATHS[name](path)
    figures = {
        "wall_s": round(time.monotonic() - begun, 2),
        "cpu_s": round(time.process_time() - cpu, 2),
        "peak_mb": memory_mb("VmHWM"),
    }
    print(json.dumps({"figures": figures, "results": results}))


def measured(name: str, path: Path) -> tuple[dict[str, float], Results]:
    """Return the figures and results of one path, run in a process of its own."""
    command = [sys.executable, __file__, "--measure", name, str(path)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return found["figures"], found["results"]


def compare(ours: Results, other: Results) -> dict[str, Any]:
    """Return how many results are equal in all digits, and the largest difference of the others."""
    numbers, counts = ("value", "low", "high"), ("statistic", "n_units", "n_raters", "n_left_out", "method", "reason")
    if [[line[key] for key in counts] for line in ours] != [[line[key] for key in counts] for line in other]:
        raise SystemExit("The two paths differ in statistics, methods, reasons or counts of units.")
    apart = {}
    for one, two in zip(ours, other, strict=True):
        pairs = [(one[key], two[key]) for key in numbers if one[key] != two[key]]
        if any(None in pair for pair in pairs):
            raise SystemExit(f"Only one path has a number for {one['statistic']}.")
        if pairs:
            name = f"{one['statistic']} {one['args'].get('form', '')}".strip()
            apart[name] = max(abs(a - b) for a, b in pairs)
    return {
        "statistics": len(ours),
        "equal_in_all_digits": len(ours) - len(apart),
        "largest_difference": max(apart.values(), default=0.0),
        "differing": sorted(apart),
    }


def main() -> int:
    """Measure both paths on one file, and print one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="100,000 ratings; under a minute")
    parser.add_argument("--ratings", type=int, help="how many (10,000,000)")
    parser.add_argument("--measure", nargs=2, metavar=("PATH", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure[0], Path(options.measure[1]))
        return 0
    n = options.ratings or (100_000 if options.quick else 10_000_000)
    figures: dict[str, Any] = {
        "benchmark": "ratings",
        "quick": options.quick,
        **machine.described(),
        "machine_busy_percent_before": machine.busy_percent(),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.parquet"
        figures["rows"] = write_file(path, n)
        figures["file_mb"] = round(path.stat().st_size / 1e6, 1)
        results = {}
        for name in PATHS:
            figures[name], results[name] = measured(name, path)
            print(f"{name}: {figures[name]}", flush=True)
    figures["difference"] = compare(results["patterns"], results["columns"])
    for key in ("cpu_s", "peak_mb"):
        figures[f"columns_over_patterns_{key}"] = round(figures["columns"][key] / figures["patterns"][key], 1)
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
