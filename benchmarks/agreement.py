"""Agreement statistics beside scikit-learn and krippendorff, called as their users would, in one run.

    .venv/bin/python benchmarks/agreement.py [--quick]

Both get the same array of grades. ``point`` is the coefficient alone; ``interval`` adds 1,000 resamples of units, which
the peers' users have to write as a loop. A loop that would take too long is stopped, and its time scaled by how much
of it ran. Times are processor time, because other work on the machine does not change it; ours is taken just before
and just after each peer, and what counts are the ratios.

The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import krippendorff
import numpy as np
from sklearn.metrics import cohen_kappa_score

from agreement import Bootstrap, Ratings, Scale, cohen_kappa, krippendorff_alpha, light_kappa
from benchmarks import machine

RESAMPLES = 1000
RATERS = 3
MEMORY_GB = 4
"""A peer that would ask for more is left out."""

Grades = np.ndarray[Any, np.dtype[np.float64]]
SCALE = Scale("interval", (1, 2, 3, 4, 5))


def grades(n: int, *, gaps: float = 0.0, continuous: bool = False) -> Grades:
    """What three raters with noise of their own say about the same units: five grades, or measurements."""
    random = np.random.default_rng(0)
    drawn = random.normal(size=(n, 1)) + 0.7 * random.normal(size=(n, RATERS))
    table: Grades = drawn if continuous else np.digitize(drawn, [-1.2, -0.4, 0.4, 1.2]) + 1.0
    table[random.random(table.shape) < gaps] = np.nan
    return table


def ours_kappa(table: Grades, draws: int) -> tuple[float, float, float]:
    """Quadratic kappa of the first two raters; its own limits are analytic, so the same resampling is added."""
    ratings = Ratings.from_array(table[:, :2], scale=SCALE)
    found = cohen_kappa(ratings, weights="quadratic")
    if not draws:
        return found.value, found.low, found.high
    resampled = light_kappa(ratings, weights="quadratic", bootstrap=Bootstrap(draws))  # of two raters: of the one pair
    return resampled.value, resampled.low, resampled.high


def ours_alpha(level: str, scale: Scale | None) -> Callable[[Grades, int], tuple[float, float, float]]:
    """Krippendorff's alpha of all raters."""

    def compute(table: Grades, draws: int) -> tuple[float, float, float]:
        found = krippendorff_alpha(Ratings.from_array(table, scale=scale), level=level, bootstrap=Bootstrap(draws))  # type: ignore[arg-type]
        return found.value, found.low, found.high

    return compute


def peer_kappa(table: Grades) -> float:
    """scikit-learn."""
    return float(cohen_kappa_score(table[:, 0].astype(int), table[:, 1].astype(int), weights="quadratic"))


def peer_alpha(level: str) -> Callable[[Grades], float]:
    """krippendorff."""

    def compute(table: Grades) -> float:
        values = len(np.unique(table[~np.isnan(table)]))
        needs = len(table) * values**2 * 8 / 1e9
        if needs > MEMORY_GB:
            raise MemoryError(f"it would ask for {needs:,.0f} GB (units x values^2)")
        return float(krippendorff.alpha(table.T, level_of_measurement=level))

    return compute


def clock(call: Callable[[], Any], *, at_least: float = 0.2) -> tuple[float, Any]:
    """Median processor seconds of a call that is repeated for a while, and what it returned."""
    seconds: list[float] = []
    while sum(seconds) < at_least or len(seconds) < 3:
        begun = time.process_time()
        result = call()
        seconds.append(time.process_time() - begun)
        if len(seconds) == 1 and seconds[0] > 5:
            break
    return float(np.median(seconds)), result


def peer_loop(peer: Callable[[Grades], float], table: Grades, limit: float) -> tuple[float, int]:
    """Processor seconds that 1,000 resamples take in a loop, and how many of them ran."""
    random = np.random.default_rng(1)
    begun = time.process_time()
    done, spent = 0, 0.0
    while done < RESAMPLES and spent <= limit:
        peer(table[random.integers(0, len(table), len(table))])
        done, spent = done + 1, time.process_time() - begun
    return spent * RESAMPLES / done, done


def compared(
    table: Grades,
    ours: Callable[[Grades, int], tuple[float, float, float]],
    name: str,
    peer: Callable[[Grades], float],
    limit: float,
) -> dict[str, object]:
    """One statistic, ours and a peer's."""
    before, (value, *_) = clock(lambda: ours(table, 0))
    before_interval, (_, low, high) = clock(lambda: ours(table, RESAMPLES))
    figures: dict[str, object] = {
        "units": len(table),
        "ratings": int(np.count_nonzero(~np.isnan(table))),
        "value": value,
        "low": low,
        "high": high,
        "peer": f"{name} {version(name)}",
    }
    try:
        peer_point, peer_value = clock(lambda: peer(table))
        peer_interval, ran = peer_loop(peer, table, limit)
    except MemoryError as error:
        nothing = dict.fromkeys(
            ("peer_value", "difference", "peer_point_cpu_ms", "peer_interval_cpu_ms", "peer_resamples_run")
        )
        ratios = dict.fromkeys(("times_faster_point", "times_faster_interval"))
        own = {"point_cpu_ms": 1000 * before, "interval_cpu_ms": 1000 * before_interval}
        return {**figures, **own, **nothing, **ratios, "left_out": f"{name}: {error}"}
    after, _ = clock(lambda: ours(table, 0))
    after_interval, _ = clock(lambda: ours(table, RESAMPLES))
    point, interval = (before + after) / 2, (before_interval + after_interval) / 2
    return {
        **figures,
        "point_cpu_ms": 1000 * point,
        "interval_cpu_ms": 1000 * interval,
        "peer_value": peer_value,
        "difference": abs(peer_value - value),
        "peer_point_cpu_ms": 1000 * peer_point,
        "peer_interval_cpu_ms": 1000 * peer_interval,
        "peer_resamples_run": ran,
        "times_faster_point": peer_point / point,
        "times_faster_interval": peer_interval / interval,
        "left_out": None,
    }


def main() -> int:
    """Measure, and print one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="2,000 units instead of 10,000; a few seconds")
    options = parser.parse_args()
    n, limit = (2000, 1.0) if options.quick else (10_000, 20.0)
    figures: dict[str, object] = {
        "benchmark": "agreement",
        "quick": options.quick,
        **machine.described(),
        "machine_busy_percent_before": machine.busy_percent(),
        "raters": RATERS,
        "resamples": RESAMPLES,
    }
    graded, gaps = grades(n), grades(n, gaps=0.1)
    measured: dict[str, object] = {}
    measured["cohen_kappa_quadratic"] = compared(graded, ours_kappa, "scikit-learn", peer_kappa, limit)
    for level in ("nominal", "ordinal", "interval"):
        machine.log(f"alpha, {level}")
        ours = ours_alpha(level, SCALE)
        measured[f"krippendorff_alpha_{level}"] = compared(gaps, ours, "krippendorff", peer_alpha(level), limit)
    machine.log("alpha of measurements")
    continuous = grades(n, gaps=0.1, continuous=True)
    ours = ours_alpha("interval", None)
    measured["krippendorff_alpha_continuous"] = compared(
        continuous, ours, "krippendorff", peer_alpha("interval"), limit
    )
    print(json.dumps({**figures, "statistics": measured}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
