"""Agreement statistics next to a bare numpy prototype and next to their peers, called as users would, in one run.

    .venv/bin/python benchmarks/agreement.py [--quick] [--units N] [--only REGEX] [--without-peers]

All get the same array of grades. ``point`` is the coefficient alone; ``interval`` adds 1,000 resamples of units, which
the peers' users have to write as a loop. A loop that would take too long is stopped, and its time scaled by how much
of it ran. Ours includes making the table of ratings from the array, with its checks. Times are processor time, because
other work on the machine does not change it; each is taken between two of the prototype, and what counts are the
ratios. Then a million ratings as a file and as columns, and the memory of 10,000 draws.

The peers (krippendorff, pingouin, scikit-learn, irrCAC, statsmodels, scipy) are installed once into an environment of
their own, in which all of this runs. The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from agreement import Bootstrap, Ratings, Scale, Statistic, krippendorff_alpha
from benchmarks import agreement_prototype as prototype
from benchmarks import machine
from testkit.paths import ROOT

RESAMPLES = 1000
RATERS = 3
MEMORY_GB = 4
"""A peer that would ask for more is left out."""

PEERS = ("krippendorff==0.9.0", "pingouin==0.6.1", "statsmodels==0.15.0")
"""What is installed next to the versions of numpy, scipy and scikit-learn that Touchstone is tested with."""
ALONE = "irrCAC==0.4.4"
"""Asks for years-old scipy and pandas, and mostly runs with today's: installed without what it asks for."""
OWN = "TOUCHSTONE_BENCHMARK_PYTHON"
"""The environment variable that keeps which Python the program was started with."""

Array = np.ndarray[Any, np.dtype[np.float64]]
Found = tuple[float, float, float]
NAN = math.nan


def grades(n: int, *, gaps: float = 0.0, continuous: bool = False) -> Array:
    """What three raters with noise and habits of their own say about the same units: five grades, or measurements."""
    random = np.random.default_rng(0)
    drawn = random.normal(size=(n, 1)) + 0.7 * random.normal(size=(n, RATERS)) + 0.1 * np.arange(RATERS)
    table: Array = drawn if continuous else np.digitize(drawn, [-1.2, -0.4, 0.4, 1.2]) + 1.0
    table[random.random(table.shape) < gaps] = np.nan
    return table


def data(n: int) -> dict[str, Array]:
    """The arrays that the keys are measured on."""
    return {
        "disc": grades(n),
        "disc_miss": grades(n, gaps=0.1),
        "cont": grades(n, continuous=True),
        "cont_miss": grades(n, gaps=0.1, continuous=True),
    }


# ---- ours, the prototype, the peers ---------------------------------------------------------------------------------


def _named(name: str) -> Callable[..., Statistic]:
    found: Callable[..., Statistic] = getattr(importlib.import_module("agreement"), name)
    return found


def _ours(statistic: Callable[..., Statistic], columns: int) -> Callable[[Array, int, int], Found]:
    """A statistic of an array, its table included; without draws its own limits, if it has analytic ones."""

    def compute(table: Array, draws: int, seed: int) -> Found:
        found = statistic(Ratings.from_array(table[:, :columns]), bootstrap=Bootstrap(draws, seed))
        return found.value, found.low, found.high

    return compute


KEYS: dict[str, tuple[str, Callable[[], Callable[..., Statistic]], int, Any]] = {
    "wkappa": ("disc", lambda: partial(_named("cohen_kappa"), weights="quadratic"), 2, prototype.weighted_kappa),
    "fleiss": ("disc", lambda: _named("fleiss_kappa"), RATERS, prototype.fleiss),
    "alpha": ("disc_miss", lambda: partial(krippendorff_alpha, level="interval"), RATERS, prototype.alpha),
    "alpha_cont": ("cont_miss", lambda: partial(krippendorff_alpha, level="interval"), RATERS, prototype.alpha),
    "icc21": ("disc", lambda: partial(_named("icc"), form="ICC(2,1)"), RATERS, prototype.icc21),
    "icc21_cont": ("cont", lambda: partial(_named("icc"), form="ICC(2,1)"), RATERS, prototype.icc21),
    "pearson": ("cont", lambda: _named("pearson"), 2, prototype.pearson),
    "spearman": ("cont", lambda: _named("spearman"), 2, None),
    "kendall": ("cont", lambda: _named("kendall_tau"), 2, None),
    "spearman_disc": ("disc", lambda: _named("spearman"), 2, prototype.spearman),
    "kendall_disc": ("disc", lambda: _named("kendall_tau"), 2, prototype.kendall),
}
"""What is measured: on which array, our statistic, of how many raters, and the prototype if there is one."""


def measurements(arrays: dict[str, Array]) -> dict[str, tuple[Callable[[], float], Callable[[int, int], Found]]]:
    """Ours by key, as (value alone, value with limits of so many draws from a seed)."""
    found = {}
    for key, (where, statistic, columns, _) in KEYS.items():
        ours = _ours(statistic(), columns)
        table = arrays[where]
        found[key] = (
            lambda ours=ours, table=table: ours(table, 0, 0)[0],
            lambda draws, seed, ours=ours, table=table: ours(table, draws, seed),
        )
    return found


def peers() -> dict[str, list[tuple[str, str, Callable[[Array], float]]]]:
    """Key -> (package, function, how its user would call it with an array)."""
    import krippendorff
    import pandas as pd
    import pingouin
    from irrCAC.raw import CAC
    from scipy import stats
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa, to_table

    def alpha(table: Array) -> float:
        needs = len(table) * len(np.unique(table[~np.isnan(table)])) ** 2 * 8 / 1e9
        if needs > MEMORY_GB:
            raise MemoryError(f"it would ask for {needs:,.0f} GB (units x values^2)")
        return float(krippendorff.alpha(table.T, level_of_measurement="interval"))

    def icc(table: Array) -> float:
        n, k = table.shape
        columns = {"unit": np.repeat(np.arange(n), k), "rater": np.tile(np.arange(k), n), "value": table.ravel()}
        found = pingouin.intraclass_corr(pd.DataFrame(columns), targets="unit", raters="rater", ratings="value")
        return float(found.set_index("Type")["ICC"]["ICC(A,1)"])

    def weighted(table: Array) -> float:
        return float(cohen_kappa_score(table[:, 0].astype(int), table[:, 1].astype(int), weights="quadratic"))

    def of_table(table: Array) -> float:
        return float(cohens_kappa(to_table(table[:, :2].astype(int))[0], wt="quadratic").kappa)

    def fleiss(table: Array) -> float:
        return float(fleiss_kappa(aggregate_raters(table.astype(int))[0]))

    def by_cac(method: str, **options: Any) -> Callable[[Array], float]:
        def compute(table: Array) -> float:
            found = getattr(CAC(pd.DataFrame(table), digits=12, **options), method)()
            return float(found["est"]["coefficient_value"])

        return compute

    def of_pair(function: Callable[..., Any]) -> Callable[[Array], float]:
        return lambda table: float(function(table[:, 0], table[:, 1])[0])

    spearman, kendall = (
        ("scipy", "spearmanr", of_pair(stats.spearmanr)),
        ("scipy", "kendalltau", of_pair(stats.kendalltau)),
    )
    return {
        "wkappa": [
            ("scikit-learn", "cohen_kappa_score", weighted),
            ("statsmodels", "cohens_kappa", of_table),
        ],
        "fleiss": [("statsmodels", "fleiss_kappa", fleiss), ("irrCAC", "CAC.fleiss", by_cac("fleiss"))],
        "alpha": [
            ("krippendorff", "alpha", alpha),
            ("irrCAC", "CAC.krippendorff", by_cac("krippendorff", weights="quadratic")),
        ],
        "alpha_cont": [("krippendorff", "alpha", alpha)],
        "icc21": [("pingouin", "intraclass_corr", icc)],
        "icc21_cont": [("pingouin", "intraclass_corr", icc)],
        "pearson": [
            ("scipy", "pearsonr", of_pair(stats.pearsonr)),
            ("numpy", "corrcoef", lambda table: float(np.corrcoef(table[:, 0], table[:, 1])[0, 1])),
        ],
        "spearman": [spearman],
        "kendall": [kendall],
        "spearman_disc": [spearman],
        "kendall_disc": [kendall],
    }


# ---- measuring ------------------------------------------------------------------------------------------------------


def clock(call: Callable[[], Any], *, at_least: float = 0.2) -> tuple[float, Any]:
    """Median processor seconds of a call that is repeated for a while, and what it returned."""
    seconds: list[float] = []
    while sum(seconds) < at_least or len(seconds) < 3:
        begun = time.process_time()
        result = call()
        seconds.append(time.process_time() - begun)
        if len(seconds) == 1 and seconds[0] > 2:
            break
    return float(np.median(seconds)), result


def between(measured: Callable[[], Any], base: Callable[[], Any] | None) -> tuple[float, Any, float | None]:
    """Seconds of a call and what it returned, and the seconds of ``base`` taken before and after it."""
    before = clock(base)[0] if base else None
    seconds, result = clock(measured)
    after = clock(base)[0] if base else None
    return seconds, result, None if before is None or after is None else (before + after) / 2


def looped(peer: Callable[[Array], float], table: Array, limit: float) -> tuple[float, int, Found]:
    """Processor seconds that 1,000 resamples take in a loop, how many of them ran, and what came out."""
    random = np.random.default_rng(1)
    value = peer(table)
    values: list[float] = []
    begun = time.process_time()
    spent = 0.0
    while len(values) < RESAMPLES and spent <= limit:
        values.append(peer(table[random.integers(0, len(table), len(table))]))
        spent = time.process_time() - begun
    low, high = np.quantile(values, [0.025, 0.975]) if len(values) > 1 else (NAN, NAN)
    return spent * RESAMPLES / len(values), len(values), (value, float(low), float(high))


def line(key: str, mode: str, who: str, seconds: float, found: Found, base: float | None, ours: float | None) -> Any:
    """One measurement, said and returned; ratios to the prototype and to ours."""
    row = {
        "key": key,
        "mode": mode,
        "who": who,
        "cpu_ms": round(1000 * seconds, 3),
        "value": _or_none(found[0]),
        "low": _or_none(found[1]),
        "high": _or_none(found[2]),
        "times_prototype": _or_none(seconds / base if base else NAN),
        "times_ours": _or_none(seconds / ours if ours else NAN),
    }
    shown = " ".join(
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}" for name, value in row.items()
    )
    print(shown, flush=True)
    return row


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def of_key(key: str, table: Array, theirs: list[Any], limit: float) -> Iterator[Any]:
    """All measurements of one key."""
    _, statistic, columns, bare = KEYS[key]
    ours = _ours(statistic(), columns)
    seconds: dict[str, float] = {}
    for mode, draws in (("point", 0), ("interval", RESAMPLES)):
        base = partial(bare, table, draws, 0) if bare else None
        if base:
            alone, found = clock(base)
            yield line(key, mode, "prototype", alone, found, alone, None)
        seconds[mode], found, by = between(partial(ours, table, draws, 0), base)
        yield line(key, mode, "touchstone", seconds[mode], found, by, seconds[mode])
    for package, function, peer in theirs:
        who = f"{package} {version(package)} {function}"
        try:
            spent, value = clock(partial(peer, table))
            if math.isnan(value):
                raise ValueError("it gives no number for these ratings with today's numpy and pandas")
            yield line(key, "point", who, spent, (value, NAN, NAN), None, seconds["point"])
            spent, ran, found = looped(peer, table, limit)
            row = line(key, "interval", who, spent, found, None, seconds["interval"])
            yield {**row, "resamples_run": ran}
        except (MemoryError, ValueError) as error:
            print(f"key={key} who={who} left out: {error}", flush=True)
            yield {"key": key, "who": who, "left_out": str(error)}


# ---- many ratings ---------------------------------------------------------------------------------------------------


def run(name: str, *arguments: str) -> dict[str, Any]:
    """Seconds of another process of this program, and what it printed last, as JSON."""
    begun = time.monotonic()
    command = [
        os.environ.get(OWN, sys.executable),
        "-c",
        f"from benchmarks import agreement as a; a.{name}",
        *arguments,
    ]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{name} ended with {process.returncode}")
    return {
        "wall_s": round(time.monotonic() - begun, 2),
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 2),
        **(json.loads(output.splitlines()[-1]) if output.strip() else {}),
    }


def memory_mb(what: str) -> int:
    """Resident memory of this process in megabytes: VmRSS now, VmHWM at its highest since the process began."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return round(next(int(line.split()[1]) for line in lines if line.startswith(what)) / 1024)


def write_file(path: Path, n: int, *, continuous: bool) -> None:
    """A CSV file of n ratings by three raters."""
    table = grades(-(-n // RATERS), continuous=continuous)
    with path.open("w", encoding="utf-8") as file:
        file.write("unit,rater,criterion,value\n")
        for unit, row in enumerate(table.tolist()):
            file.writelines(f"unit-{unit},rater-{at},score,{value:.6g}\n" for at, value in enumerate(row))


def read_file(path: str) -> None:
    """What ``touchstone agreement show --ratings F --json`` does, and how much it printed."""
    import contextlib
    import io

    from app.commands.agreement import agreement

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        agreement(ratings=Path(path), as_json=True)
    found = json.loads(printed.getvalue())
    units = max(each["n_units"] for each in found)
    print(json.dumps({"statistics": len(found), "units": units, "peak_mb": memory_mb("VmHWM")}))


def read_columns(n: int) -> None:
    """The table of n ratings as columns, and one statistic of it."""
    table = grades(-(-n // RATERS))
    units, raters = np.repeat(np.arange(len(table)), RATERS), np.tile(np.arange(RATERS), len(table))
    begun = time.process_time()
    ratings = Ratings.from_columns(units, raters, table.ravel(), scale=Scale("interval", (1, 2, 3, 4, 5)))
    made = time.process_time() - begun
    found = krippendorff_alpha(ratings, level="interval")
    took = time.process_time() - begun - made
    figures = {"table_cpu_s": round(made, 3), "alpha_cpu_s": round(took, 3), "alpha": found.value}
    print(json.dumps({**figures, "peak_mb": memory_mb("VmHWM")}))


def draw(continuous: bool, draws: int, kind: str) -> None:
    """Alpha of 10,000 units with many draws; how much memory there was before."""
    ratings = Ratings.from_array(grades(10_000, continuous=continuous))
    before = memory_mb("VmRSS")
    found = krippendorff_alpha(ratings, level="interval", bootstrap=Bootstrap(draws, kind=kind))  # type: ignore[arg-type]
    print(json.dumps({"before_mb": before, "peak_mb": memory_mb("VmHWM"), "low": found.low}))


def main() -> int:
    """Measure, and print one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="2,000 units and 100,000 ratings; under a minute")
    parser.add_argument("--units", type=int, help="how many (10,000)")
    parser.add_argument("--only", default="", help="keys that match this regular expression; also 'many' and 'memory'")
    parser.add_argument("--without-peers", action="store_true", help="only ours and the prototype; installs nothing")
    parser.add_argument("--limit", type=float, help="processor seconds of a peer's loop before its time is scaled (20)")
    options = parser.parse_args()
    n = options.units or (2000 if options.quick else 10_000)
    limit = options.limit or (1.0 if options.quick else 20.0)
    if not options.without_peers:
        tested = [f"{name}=={version(name)}" for name in ("numpy", "scipy", "scikit-learn", "psutil", "pytest")]
        python = machine.environment("agreement-peers", *PEERS, *tested) / "python"
        if subprocess.run([python, "-c", "import irrCAC.raw"], capture_output=True).returncode:
            subprocess.run([python, "-m", "pip", "install", "-qq", "--no-deps", ALONE], check=True, stdout=sys.stderr)
        if Path(sys.prefix) != python.parents[1]:
            os.execve(python, [str(python), __file__, *sys.argv[1:]], {**os.environ, OWN: sys.executable})
    figures: dict[str, object] = {
        "benchmark": "agreement",
        "quick": options.quick,
        **machine.described(),
        "machine_busy_percent_before": machine.busy_percent(),
        "units": n,
        "raters": RATERS,
        "resamples": RESAMPLES,
    }
    arrays, others = data(n), {} if options.without_peers else peers()
    rows = [
        row
        for key in KEYS
        if re.search(options.only, key)
        for row in of_key(key, arrays[KEYS[key][0]], others.get(key, []), limit)
    ]
    many: dict[str, object] = {}
    if re.search(options.only, "many"):
        ratings = 100_000 if options.quick else 1_000_000
        for kind in ("graded", "continuous"):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "ratings.csv"
                write_file(path, ratings, continuous=kind == "continuous")
                many[f"file_{kind}"] = {"ratings": ratings, **run("read_file(a.sys.argv[1])", str(path))}
                print(f"file_{kind}: {many[f'file_{kind}']}", flush=True)
        many["columns"] = {"ratings": ratings, **run(f"read_columns({ratings})")}
        print(f"columns: {many['columns']}", flush=True)
    memory: dict[str, object] = {}
    if re.search(options.only, "memory"):
        draws = 1000 if options.quick else 10_000
        for kind in ("percentile", "bca"):
            for continuous in (False, True):
                name = f"{'continuous' if continuous else 'graded'}_{kind}"
                memory[name] = {"draws": draws, **run(f"draw({continuous}, {draws}, {kind!r})")}
                print(f"{name}: {memory[name]}", flush=True)
    print(json.dumps({**figures, "statistics": rows, "many_ratings": many, "memory": memory}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
