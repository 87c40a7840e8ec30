"""How often 95 % intervals hold the truth, in simulated studies whose truth is known.

    .venv/bin/python benchmarks/coverage.py [--quick] [--only NAME ...] [--methods NAME ...]

Every population below is a probability model, so the true value of each statistic is worked out from its formula here,
by functions that share nothing with the package ``agreement``: from the joint probabilities of all raters' grades, or
in closed form for normal measurements. A study draws 50, 150 or 500 units; the interval is what a user would get; it
covers if the truth lies within. A study that gives no interval is counted apart.

A table goes to standard error; the last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from numpy.typing import NDArray

from agreement import (
    Bootstrap,
    Ratings,
    Scale,
    Statistic,
    cohen_kappa,
    icc,
    krippendorff_alpha,
    pearson,
    post_stratified_mean,
    ppi_mean,
    rogan_gladen,
)
from benchmarks import machine

SEED = 20240229
STUDIES = 2000
QUICK_STUDIES = 200
SIZES = (50, 150, 500)
DRAWS = 1000
"""Of percentile and BCa limits; alpha's default takes its own 2,000."""
CONFIDENCE = 0.95
BAND = (0.93, 0.97)
BATCH = 50
"""Studies that a process takes at once."""

Floats = NDArray[np.float64]
Random = np.random.Generator
Of = Callable[[Any, float, int], Statistic]
"""Of a study's data, the confidence, and a seed for resampling."""


# The truth of grades, from the joint probabilities of what all raters say: an axis per rater.


def joint_of(shares: Sequence[float], raters: Sequence[Sequence[Sequence[float]]]) -> Floats:
    """The probability of every combination of grades.

    ``shares`` are those of the true grades; each rater has a row per true grade, saying how likely each answer is.
    Raters err independently of each other once the true grade is given.
    """
    total: Floats = np.zeros((len(shares),) * len(raters))
    for share, *rows in zip(shares, *raters, strict=True):
        cells = np.array(share, dtype=float)
        for row in rows:
            cells = np.multiply.outer(cells, np.array(row))
        total += cells
    assert math.isclose(float(total.sum()), 1.0)
    return total


def margin_of(joint: Floats, *raters: int) -> Floats:
    """The joint probabilities of some of the raters alone."""
    rest = tuple(rater for rater in range(joint.ndim) if rater not in raters)
    return np.asarray(joint.sum(axis=rest), dtype=np.float64)


def true_kappa(joint: Floats, apart: Floats) -> float:
    """Cohen's kappa for the first two raters; ``apart`` (grades, grades) is what each disagreement counts."""
    pair = margin_of(joint, 0, 1)
    by_chance = np.multiply.outer(pair.sum(axis=1), pair.sum(axis=0))
    return float(1 - (pair * apart).sum() / (by_chance * apart).sum())


def true_alpha(joint: Floats, apart: Callable[[Floats], Floats]) -> float:
    """Krippendorff's alpha, also of ratings missing at random; ``apart`` takes the shares of the grades."""
    pairs = [(a, b) for a in range(joint.ndim) for b in range(a)]
    pooled = np.mean([margin_of(joint, rater) for rater in range(joint.ndim)], axis=0)
    counts = apart(pooled)
    seen = np.mean([float((margin_of(joint, *sorted(pair)) * counts).sum()) for pair in pairs])
    return float(1 - seen / (np.multiply.outer(pooled, pooled) * counts).sum())


def true_correlation(joint: Floats, values: Floats) -> float:
    """Pearson's correlation of the first two raters."""
    pair = margin_of(joint, 0, 1)
    x, y = pair.sum(axis=1), pair.sum(axis=0)
    mean_x, mean_y = float(x @ values), float(y @ values)
    together = float(values @ pair @ values) - mean_x * mean_y
    spread = (float(x @ values**2) - mean_x**2) * (float(y @ values**2) - mean_y**2)
    return together / math.sqrt(spread)


def different(grades: int) -> Floats:
    """Any difference counts the same."""
    return 1.0 - np.eye(grades)


def steps(values: Floats, power: int) -> Floats:
    """Differences of the values, to a power."""
    return np.asarray(np.abs(np.subtract.outer(values, values)) ** power, dtype=np.float64)


def ranks(shares: Floats) -> Floats:
    """Krippendorff's ordinal metric: how much of all ratings lies between the middles of two grades, squared."""
    return steps(np.cumsum(shares) - shares / 2, 2)


# Populations. Each draws a study of n units and says what is true.


@dataclass(frozen=True)
class Sample:
    """One simulated study."""

    data: Any
    truths: Mapping[str, float]


@dataclass(frozen=True)
class Population:
    """Where studies come from."""

    words: str
    draw: Callable[[Random, int], Sample]


THREE = np.array([0.0, 0.5, 1.0])
FIVE = np.array([1.0, 2.0, 3.0, 4.0, 5.0])

_CAREFUL = [[0.79, 0.20, 0.01], [0.15, 0.70, 0.15], [0.01, 0.20, 0.79]]
_STRICT = [[0.89, 0.10, 0.01], [0.30, 0.60, 0.10], [0.03, 0.28, 0.69]]
GRADED = joint_of([0.3, 0.3, 0.4], [_CAREFUL, _STRICT, _CAREFUL])
"""Three raters, 0 / 0.5 / 1, the second one stricter."""

SKEWED = joint_of(
    [0.15, 0.85], [[[0.75, 0.25], [0.05, 0.95]], [[0.70, 0.30], [0.04, 0.96]], [[0.8, 0.2], [0.08, 0.92]]]
)
"""Three raters, fail or pass; about four in five pass."""


def _around(centre: int, spread: float) -> list[float]:
    near = np.exp(-0.5 * ((np.arange(5) - centre) / spread) ** 2)
    return [float(share) for share in near / near.sum()]


LIKERT = joint_of(
    [0.08, 0.14, 0.23, 0.30, 0.25], [[_around(at, spread) for at in range(5)] for spread in (0.6, 0.8, 1.0)]
)
"""Three raters, 1 to 5, one more careful than the next."""


def grades(joint: Floats, values: Floats, gaps: float, truths: Mapping[str, float], random: Random, n: int) -> Sample:
    """n units with a grade from each rater, some missing at random."""
    cells = random.choice(joint.size, size=n, p=joint.ravel())
    table = values[np.stack(np.unravel_index(cells, joint.shape), axis=1)]
    if gaps:
        table[random.random(table.shape) < gaps] = math.nan
    return Sample(Ratings.from_array(table, scale=Scale("interval", tuple(values.tolist()))), truths)


def _pair(joint: Floats, values: Floats) -> Callable[[Random, int], Sample]:
    truths = {
        "none": true_kappa(joint, different(len(values))),
        "linear": true_kappa(joint, steps(values, 1)),
        "quadratic": true_kappa(joint, steps(values, 2)),
        "pearson": true_correlation(joint, values),
    }
    return partial(grades, margin_of(joint, 0, 1), values, 0.0, truths)


def _trio(joint: Floats, values: Floats) -> Callable[[Random, int], Sample]:
    truths = {
        "nominal": true_alpha(joint, lambda _: different(len(values))),
        "ordinal": true_alpha(joint, ranks),
        "interval": true_alpha(joint, lambda _: steps(values, 2)),
    }
    return partial(grades, joint, values, 0.1, truths)


def normal_pair(correlation: float, random: Random, n: int) -> Sample:
    """Two raters' measurements from a bivariate normal distribution."""
    x, rest = random.normal(size=(2, n))
    y = correlation * x + math.sqrt(1 - correlation**2) * rest
    return Sample(Ratings.from_array(np.stack([x, y + 0.3], axis=1)), {"pearson": correlation})


def own_raters(k: int, units: float, raters: float, rest: float, random: Random, n: int) -> Sample:
    """Every unit has k raters of its own; arguments are standard deviations."""
    table = units * random.normal(size=(n, 1)) + math.hypot(raters, rest) * random.normal(size=(n, k))
    share = units**2 / (units**2 + raters**2 + rest**2)
    return Sample(Ratings.from_array(table), {"ICC(1,1)": share, "interval": share})


def same_raters(strict: Sequence[float], units: float, rest: float, random: Random, n: int) -> Sample:
    """The same raters throughout, each with a strictness of its own that stays."""
    table = units * random.normal(size=(n, 1)) + np.array(strict) + rest * random.normal(size=(n, len(strict)))
    return Sample(Ratings.from_array(table), {"ICC(3,1)": units**2 / (units**2 + rest**2)})


def drawn_raters(k: int, units: float, raters: float, rest: float, random: Random, n: int) -> Sample:
    """The same k raters throughout, drawn anew for every study: what is true of them, and of all raters like them."""
    strict = raters * random.normal(size=k)
    table = units * random.normal(size=(n, 1)) + strict + rest * random.normal(size=(n, k))
    these = float(((strict - strict.mean()) ** 2).sum()) / (k - 1)
    return Sample(
        Ratings.from_array(table),
        {
            "these raters": units**2 / (units**2 + these + rest**2),
            "raters like these": units**2 / (units**2 + raters**2 + rest**2),
        },
    )


def judged(joint: Floats, values: Floats, others: int, by_class: float | None, random: Random, n: int) -> Sample:
    """n units that people (first axis) and a judge (second) graded, and others that only the judge did.

    ``by_class`` is the share of passes among the graded units where these are picked by class, not at random.
    """
    people = joint.sum(axis=1)
    picked = joint
    if by_class is not None:
        picked = joint / people[:, None] * np.array([1 - by_class, by_class])[:, None]
    human, judge = np.unravel_index(random.choice(joint.size, size=n, p=picked.ravel()), joint.shape)
    unlabelled = random.choice(len(values), size=others, p=joint.sum(axis=0))
    return Sample((values[human], values[judge], values[unlabelled]), {"mean": float(people @ values)})


PASS_FAIL = np.array([0.3, 0.7])[:, None] * np.array([[0.8, 0.2], [0.1, 0.9]])
"""A judge of sensitivity 0.9 and specificity 0.8, where 0.7 pass."""

RARE_FAILURES = np.array([0.07, 0.93])[:, None] * np.array([[0.8, 0.2], [0.1, 0.9]])
WEAK_JUDGE = np.array([0.3, 0.7])[:, None] * np.array([[0.65, 0.35], [0.3, 0.7]])
JUDGED_GRADES = np.array([0.25, 0.30, 0.45])[:, None] * np.array(
    [[0.6, 0.3, 0.1], [0.15, 0.5, 0.35], [0.03, 0.12, 0.85]]
)
"""A lenient judge of 0 / 0.5 / 1."""

TWO = np.array([0.0, 1.0])

POPULATIONS: Mapping[str, Population] = {
    "three_grades": Population("2 raters, 0 / 0.5 / 1", _pair(GRADED, THREE)),
    "five_grades": Population("2 raters, 1 to 5", _pair(LIKERT, FIVE)),
    "skewed": Population("2 raters, 4 of 5 pass", _pair(SKEWED, TWO)),
    "three_grades_gaps": Population("3 raters, 0 / 0.5 / 1, 10 % missing", _trio(GRADED, THREE)),
    "five_grades_gaps": Population("3 raters, 1 to 5, 10 % missing", _trio(LIKERT, FIVE)),
    "skewed_gaps": Population("3 raters, 4 of 5 pass, 10 % missing", _trio(SKEWED, TWO)),
    "normal_pair": Population("2 raters, normal, correlation 0.6", partial(normal_pair, 0.6)),
    "normal_close_pair": Population("2 raters, normal, correlation 0.9", partial(normal_pair, 0.9)),
    "own_raters": Population("3 raters of its own per unit, normal", partial(own_raters, 3, 1.0, 0.3, 0.7)),
    "same_raters": Population("3 raters, normal", partial(same_raters, (-0.4, 0.0, 0.5), 1.0, 0.7)),
    **{
        f"drawn_{k}_raters_{spread}": Population(
            f"{k} raters drawn, strictness SD {spread}", partial(drawn_raters, k, 1.0, spread, 0.7)
        )
        for spread in (0.15, 0.4)
        for k in (3, 10, 30)
    },
    "good_judge": Population(
        "pass or fail, sens 0.9, spec 0.8, 2,000 judged", partial(judged, PASS_FAIL, TWO, 2000, None)
    ),
    "rare_failures": Population(
        "the same judge, 0.93 pass, 2,000 judged", partial(judged, RARE_FAILURES, TWO, 2000, None)
    ),
    "weak_judge": Population(
        "pass or fail, sens 0.7, spec 0.65, 2,000 judged", partial(judged, WEAK_JUDGE, TWO, 2000, None)
    ),
    "graded_judge": Population(
        "0 / 0.5 / 1, lenient judge, 2,000 judged", partial(judged, JUDGED_GRADES, THREE, 2000, None)
    ),
    "judge_by_class": Population("the same, half of the graded pass", partial(judged, PASS_FAIL, TWO, 2000, 0.5)),
}


# What is asked of them.


@dataclass(frozen=True)
class Claim:
    """One method of one statistic: its intervals against one truth."""

    statistic: str
    population: str
    truth: str
    method: str
    """"analytic" is what a call without further keywords gives."""
    of: Of
    default: bool = False
    """Whether this is what a user gets who asks for nothing else."""
    band: bool = True
    """Whether its coverage must lie in the band."""


def _resampled(call: Callable[..., Statistic], kind: str) -> Of:
    def of(data: Any, confidence: float, seed: int) -> Statistic:
        return call(data, confidence=confidence, bootstrap=Bootstrap(DRAWS, seed, kind))  # type: ignore[arg-type]

    return of


def _analytic(call: Callable[..., Statistic]) -> Of:
    return lambda data, confidence, seed: call(data, confidence=confidence)


def _corrected(call: Callable[..., Any]) -> Of:
    return lambda data, confidence, seed: call(*data, confidence=confidence).mean


def _claims() -> list[Claim]:
    found: list[Claim] = []

    def ask(
        statistic: str,
        call: Callable[..., Statistic],
        population: str,
        *truths: str,
        by: Sequence[str] = ("analytic", "percentile", "bca"),
        band: bool = True,
    ) -> None:
        """The first of the methods is what users get; alpha's "analytic" takes its standard error from resampling."""
        for kind in by:
            resampling = kind in ("percentile", "bca")
            plain = partial(call, limits="normal") if kind == "normal" else call
            of = _resampled(call, kind) if resampling else _analytic(plain)
            for truth in truths:
                name = f"{statistic}, {truth}" if len(truths) > 1 else statistic
                found.append(Claim(name, population, truth, kind, of, kind == by[0], band))

    kappa = ("analytic", "normal", "percentile", "bca")
    for population in ("three_grades", "five_grades", "skewed"):
        ask("cohen_kappa", cohen_kappa, population, "none", by=kappa)
        if population != "skewed":
            for weights in ("linear", "quadratic"):
                ask(f"cohen_kappa, {weights}", partial(cohen_kappa, weights=weights), population, weights, by=kappa)
    resampled = ("analytic", "percentile", "bca")
    levels = {
        "three_grades_gaps": ("nominal", "ordinal", "interval"),
        "five_grades_gaps": ("ordinal",),
        "skewed_gaps": ("nominal",),
    }
    for population, asked in levels.items():
        for level in asked:
            call = partial(krippendorff_alpha, level=level)
            ask(f"krippendorff_alpha, {level}", call, population, level, by=resampled)
    alpha = partial(krippendorff_alpha, level="interval")
    ask("krippendorff_alpha, interval", alpha, "own_raters", "interval", by=resampled)
    both = ("analytic", "bca")
    ask("icc, ICC(1,1)", partial(icc, form="ICC(1,1)"), "own_raters", "ICC(1,1)", by=both)
    ask("icc, ICC(3,1)", partial(icc, form="ICC(3,1)"), "same_raters", "ICC(3,1)", by=both)
    for population in ("normal_pair", "normal_close_pair", "five_grades"):
        ask("pearson", pearson, population, "pearson", by=both)
    for population in POPULATIONS:
        if population.startswith("drawn_"):
            call = partial(icc, form="ICC(2,1)")
            claims = ("these raters", "raters like these")
            ask("icc, ICC(2,1)", call, population, *claims, by=("analytic", "percentile"), band=False)
    for population in ("good_judge", "rare_failures", "weak_judge", "graded_judge"):
        found.append(Claim("ppi_mean, PPI++", population, "mean", "analytic", _corrected(ppi_mean), True))
        of = _corrected(post_stratified_mean)
        found.append(Claim("post_stratified_mean", population, "mean", "analytic", of, True, False))
    for population in ("good_judge", "rare_failures", "judge_by_class"):
        found.append(Claim("rogan_gladen", population, "mean", "analytic", _corrected(rogan_gladen), True, False))
    return found


CLAIMS = _claims()


@dataclass(frozen=True)
class Batch:
    """Some studies of one population and size."""

    population: str
    n: int
    first: int
    last: int
    claims: tuple[int, ...]
    confidence: float = CONFIDENCE


def seeded(population: str, n: int, study: int) -> Random:
    """The generator of one study: the same whatever else runs, and in whatever order."""
    return np.random.default_rng([SEED, list(POPULATIONS).index(population), n, study])


def simulated(batch: Batch) -> dict[int, Floats]:
    """For each claim, a row per study: truth, value, low, high."""
    rows: dict[int, list[tuple[float, float, float, float]]] = {at: [] for at in batch.claims}
    for study in range(batch.first, batch.last):
        sample = POPULATIONS[batch.population].draw(seeded(batch.population, batch.n, study), batch.n)
        by_method: dict[Of, Statistic] = {}
        for at in batch.claims:
            of = CLAIMS[at].of
            if of not in by_method:  # one interval can be held against two truths
                by_method[of] = of(sample.data, batch.confidence, study)
            found = by_method[of]
            rows[at].append((sample.truths[CLAIMS[at].truth], found.value, found.low, found.high))
    return {at: np.array(of_claim) for at, of_claim in rows.items()}


def judge_of(rows: Floats) -> dict[str, float | int | None]:
    """Coverage and what goes with it, of rows of truth, value, low and high."""
    truth, value, low, high = rows[np.isfinite(rows[:, 2:]).all(axis=1)].T
    n = len(truth)
    if n == 0:
        nothing = ("coverage", "monte_carlo_error", "too_low", "too_high", "width", "bias", "truth")
        return {**dict.fromkeys(nothing), "without_interval": len(rows)}
    covered = float(((low <= truth) & (truth <= high)).mean())
    return {
        "coverage": covered,
        "monte_carlo_error": math.sqrt(max(covered * (1 - covered), 1 / n) / n),
        "too_low": float((high < truth).mean()),
        "too_high": float((low > truth).mean()),
        "width": float((high - low).mean()),
        "bias": float((value - truth).mean()),
        "truth": float(truth.mean()),
        "without_interval": len(rows) - n,
    }


def line_of(claim: Claim, n: int, found: Mapping[str, Any]) -> str:
    """One line of the table."""
    star = "*" if claim.default else " "
    if found["coverage"] is None:
        return (
            f"{claim.statistic:38} {POPULATIONS[claim.population].words:46} {claim.method:10}{star}{n:4}  no interval"
        )
    low, high = BAND
    outside = "  OUTSIDE" if claim.band and not low <= found["coverage"] <= high else ""
    lacking = f"  {found['without_interval']} without" if found["without_interval"] else ""
    return (
        f"{claim.statistic:38} {POPULATIONS[claim.population].words:46} {claim.method:10}{star}{n:4}  "
        f"{found['coverage']:.3f} +- {found['monte_carlo_error']:.3f}  width {found['width']:.3f}{lacking}{outside}"
    )


def main() -> int:
    """Simulate, print the table, and one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_STUDIES} studies instead of {STUDIES:,}")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="statistics whose name begins so")
    parser.add_argument("--methods", nargs="+", help="only these: analytic, normal, percentile, bca")
    parser.add_argument("--processes", type=int, help="how many at once; as many as there are cores unless told")
    options = parser.parse_args()
    studies = QUICK_STUDIES if options.quick else STUDIES
    wanted = [
        at
        for at, claim in enumerate(CLAIMS)
        if (not options.only or claim.statistic.startswith(tuple(options.only)))
        and (not options.methods or claim.method in options.methods)
    ]
    batches = [
        Batch(population, n, first, min(first + BATCH, studies), chosen)
        for n in sorted(SIZES, reverse=True)
        for population in POPULATIONS
        if (chosen := tuple(at for at in wanted if CLAIMS[at].population == population))
        for first in range(0, studies, BATCH)
    ]
    machine.log(
        f"{studies:,} studies of {', '.join(map(str, SIZES))} units; {len(wanted)} methods; {DRAWS:,} draws each"
    )
    begun = time.monotonic()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # every core has a process of its own, which starts afresh and reads this
    rows: dict[tuple[int, int], list[Floats]] = {}
    with ProcessPoolExecutor(options.processes, multiprocessing.get_context("spawn")) as pool:
        for done, (batch, found) in enumerate(zip(batches, pool.map(simulated, batches), strict=True)):
            if done % (len(batches) // 10 or 1) == 0:
                machine.log(f"{done} of {len(batches)} batches, {time.monotonic() - begun:.0f} s")
            for at, of_claim in found.items():
                rows.setdefault((at, batch.n), []).append(of_claim)
    results: list[dict[str, object]] = []
    for at in wanted:
        for n in SIZES:
            claim = CLAIMS[at]
            judged_rows = judge_of(np.concatenate(rows[at, n]))
            coverage = judged_rows["coverage"]
            inside = None if not claim.band or coverage is None else BAND[0] <= coverage <= BAND[1]
            print(line_of(claim, n, judged_rows), file=sys.stderr)
            results.append(
                {
                    "statistic": claim.statistic,
                    "population": claim.population,
                    "method": claim.method,
                    "default": claim.default,
                    "n_units": n,
                    **judged_rows,
                    "in_band": inside,
                }
            )
    outside = [row for row in results if row["default"] and row["in_band"] is False]
    machine.log(f"{time.monotonic() - begun:.0f} s; {len(outside)} defaults outside {BAND[0]:.0%} to {BAND[1]:.0%}")
    figures = {
        "benchmark": "coverage",
        "quick": options.quick,
        **machine.described(),
        "seconds": time.monotonic() - begun,
        "studies": studies,
        "draws": DRAWS,
        "confidence": CONFIDENCE,
        "band": BAND,
        "defaults_outside": len(outside),
        "results": results,
    }
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
