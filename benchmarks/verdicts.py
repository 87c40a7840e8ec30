"""Judges of known quality and the verdicts that they get: biased, constant, copied, drifting, worse and good ones.

    .venv/bin/python benchmarks/verdicts.py [--quick]

Every study has 300 questions, six models and three people unless its line says otherwise, and is ruled on as
``touchstone calibration run`` does. The number of studies is fixed before the first one is drawn, and every share comes
with its exact (Clopper-Pearson) Monte Carlo interval. Four tables go to standard error: how often each kind of judge
gets a green verdict ("may stand in for a person"); the same for biases of exactly 5 points, and for good judges on 600
questions, by seeds of their own; how often a lower limit is too high with 12 to 300 questions, next to the jackknife's
own; how many studies of 12 dimensions make a false claim, with and without Holm. The last line of the output is one
JSON object. The exit status is 1 if a bias of exactly 5 points certainly (by the interval) gets more than 1 % green
verdicts, or if fewer than half of good judges get one. ``--only green`` leaves out the last two tables.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from numpy.typing import NDArray
from scipy import special

from agreement.limits import exact_binomial
from benchmarks import machine
from domain.records import Rating, UnitFacts
from extensions.calibration.report.ruling import rulings_of, verdict_of
from extensions.calibration.report.ruling_biases import copies_of
from extensions.calibration.report.study import Runs, Study
from extensions.calibration.statistics.ceiling import Ceiling, human_ceiling
from extensions.calibration.statistics.small_sample import LEVEL
from extensions.calibration.statistics.verdict import Rule

Floats = NDArray[np.float64]
PEOPLE = ("ann", "bob", "cem")
JUDGE, COPY, SWAPPED = "judge", "copy", "judge, swapped"
SEED = 20261129


@dataclass(frozen=True)
class World:
    """The settings of a simulated study."""

    questions: int = 300
    models: int = 6
    people_errs: float = 0.03
    judge_errs: float = 0.02
    family: float = 0.0
    """Points that the judge adds to the first two models, its family."""
    length: float = 0.0
    """Points that it adds to answers longer than the median."""
    model: float = 0.0
    """Points that it adds to the third model."""
    position: float = 0.0
    """Points that the judge adds when answers keep the original order."""
    lenient: float = 0.0
    """Points that it adds to every answer."""
    drift: float = 0.0
    """Points that it adds to the last model asked; none to the first, and evenly in between."""
    constant: bool = False
    copied: bool = False
    values: int = 2
    """Values of the scale, evenly from 0 to 1; an error is a step to the next one."""
    dimensions: int = 1

    @property
    def points(self) -> float:
        """The largest bias."""
        return max(self.family, self.length, self.model, self.position, self.lenient, self.drift)


GOOD = World()
FIVE = World(values=5, people_errs=0.3, judge_errs=0.2)
KINDS: dict[str, World] = {
    "good": GOOD,
    "good, 3 % errors": World(judge_errs=0.03),
    "good, 12 models": World(models=12),
    "good, copied": World(copied=True),
    "good, five values": FIVE,
    "family, 5 points": World(family=5),
    "family, 11 points": World(family=11),
    "family, 11 points, copied": World(family=11, copied=True),
    "length, 5 points": World(length=5),
    "length, 11 points": World(length=11),
    "position, 5 points": World(position=5),
    "position, 11 points": World(position=11),
    "leniency, 5 points, five values": replace(FIVE, people_errs=0.45, judge_errs=0.1, lenient=5),
    "leniency, 8 points, five values": replace(FIVE, people_errs=0.45, judge_errs=0.1, lenient=8),
    "one model, 5 points": World(model=5),
    "one model, 8 points": World(model=8),
    "drifting to 10 points": World(drift=10),
    "constant": World(constant=True),
    "worse: 15 % errors": World(judge_errs=0.15),
}
BORDER = {
    "one model, 5 points": (400, World(model=5)),
    "one of 12 models, 5 points": (100, World(model=5, models=12)),
    **{name: (100, KINDS[name]) for name in KINDS if ", 5 points" in name and name != "one model, 5 points"},
}
"""Biases of exactly 5 points, with the number of studies."""
LARGER = {
    f"{name}, 600 questions": (100, replace(KINDS[name], questions=600))
    for name in ("good", "good, 3 % errors", "good, 12 models")
}
NEW_SEEDS = 100_000
"""The first seed of these studies, far from those of the other tables."""
HARD = {
    "as good as people, 10 % errors": (5, 0.5, 0.10, 0.10, 0.2),
    "near-perfect, half of errors by question": (5, 0.5, 0.05, 0.05, 0.5),
    "near-perfect, 90 % right answers": (5, 0.9, 0.03, 0.03, 0.5),
    "worse, half of errors by question": (5, 0.5, 0.10, 0.15, 0.5),
    "one answer a question": (1, 0.5, 0.05, 0.05, 0.0),
}
"""Answers a question, share of right ones, errors of a person and of the judge, share of questions that err as one."""
RULE = Rule()


def study_of(world: World, seed: int) -> Study:
    """Draw a study from a seed: right and wrong answers, people and judges who err at their given rates."""
    random = np.random.default_rng([SEED, seed])
    shape = (world.questions, world.models)
    skill = special.logit(np.linspace(0.45, 0.75, world.models))
    truth = (random.random(shape) < special.expit(skill + random.normal(0, 0.5, (world.questions, 1)))).astype(float)

    step = 1 / (world.values - 1)
    if world.values > 2:
        truth = np.rint((0.7 * random.random(shape) + 0.3 * truth) / step) * step

    def err(of: Floats, share: float) -> Floats:
        up = of + step * (1 if world.values == 2 else np.where(random.random(shape) < 0.5, 1, -1))
        return np.where(random.random(shape) < share, np.where((up < 0) | (up > 1), 2 * of - up, up), of)

    def seen(share: float) -> Floats:
        return err(truth, share)

    values = {name: seen(world.people_errs) for name in PEOPLE}
    fair = np.ones(shape) if world.constant else seen(world.judge_errs)
    lengths = np.exp(random.normal(3.5, 0.5, shape))
    extra = world.length * (lengths > np.median(lengths)) + np.linspace(0, world.drift, world.models) + world.lenient
    extra[:, :2] += world.family
    extra[:, 2] += world.model
    values[JUDGE] = _lifted(fair, extra + world.position, step, random)
    if world.copied:
        values[COPY] = err(values[JUDGE], 0.005)
    values[SWAPPED] = _lifted(err(fair, 0.005), extra, step, random)
    places = [(q, m) for q in range(world.questions) for m in range(world.models)]
    names = {place: f"q{place[0]} · m{place[1]}" for place in places}
    rows = [
        Rating(names[place], rater, "score", float(given[place]), f"d{place[0] % world.dimensions:02}")
        for rater, given in values.items()
        for place in places
    ]
    about = {names[place]: UnitFacts(f"q{place[0]}", f"m{place[1]}", float(lengths[place])) for place in places}
    judges = (JUDGE, COPY) if world.copied else (JUDGE,)
    families = {name: ("m0", "m1") for name in judges}
    return Study(rows, PEOPLE, judges, about=about, families=families, runs=Runs(swapped={JUDGE: (SWAPPED,)}))


def _lifted(values: Floats, points: Floats, step: float, random: np.random.Generator) -> Floats:
    """The values after enough answers go up a step (from wrong to right) to raise means by these points."""
    below = values < 1 - step / 2
    share = points / 100 / step / np.maximum(below.mean(axis=0), 1e-9)  # model by model: each rises by its points
    found: Floats = np.where(below & (random.random(values.shape) < share), values + step, values)
    return found


def outcome_of(world: World, seed: int) -> str:
    """The kind of verdict that the judge gets on the whole; "several" if copies are not counted as one."""
    made = study_of(world, seed)
    found = [each for each in rulings_of(made, RULE, copies_of(made)) if each.dimension is None]
    return found[0].verdict if len(found) == 1 else "several"


# ---- lower limits ---------------------------------------------------------------------------------------------------


def ceiling_drawn(
    questions: int, models: int, right: float, person: float, judge: float, whole: float, random: np.random.Generator
) -> tuple[Ceiling, Ceiling]:
    """Judge and people on right and wrong answers: with the cautious lower limit, and the jackknife's own."""
    shape = (questions, models)
    truth = (random.random(shape) < right).astype(float)

    def seen(err: float) -> Floats:
        own, together = random.random(shape) < err, random.random((questions, 1)) < err
        errs = np.where(random.random((questions, 1)) < whole, together, own)
        return np.where(errs, 1 - truth, truth).ravel()

    people, judged = np.stack([seen(person) for _ in PEOPLE], axis=1), seen(judge)
    clusters = np.repeat(np.arange(questions), models).tolist()
    found = human_ceiling(people, judged, measure="quadratic", clusters=clusters)
    gap = found.difference
    plain = gap.value - float(special.stdtrit(questions - 1, 1 - LEVEL)) * gap.se
    return found, replace(found, difference=replace(gap, low=plain))


def true_gap(right: float, person: float, judge: float) -> float:
    """Kappa of judge and person minus that of two people, of errors that are independent of the truth."""

    def kappa(one: float, other: float) -> float:
        both = right * (1 - one) * (1 - other) + (1 - right) * one * other
        p, q = right * (1 - one) + (1 - right) * one, right * (1 - other) + (1 - right) * other
        same = 2 * both + 1 - p - q
        chance = p * q + (1 - p) * (1 - q)
        return (same - chance) / (1 - chance)

    return kappa(person, judge) - kappa(person, person)


# ---- several verdicts -----------------------------------------------------------------------------------------------

BORDERLINE = World(questions=1_200, models=3, people_errs=0.05, judge_errs=0.0778, dimensions=12)
"""Kappa of two people 0.81 and of judge and person 0.76 on half right answers: 0.05 apart, as much as the margin."""


def false_claims(seed: int) -> tuple[bool, bool]:
    """Tell whether any of 12 borderline dimensions lets the judge stand in, with Holm and without."""
    made = study_of(BORDERLINE, seed)
    plain = [verdict_of(made, part, JUDGE, RULE) for part in made.slices if part.dimension is not None]
    claims = ("usable as replacement", "usable except to rank")
    corrected = [each for each in rulings_of(made, RULE, copies_of(made)) if each.dimension is not None]
    return (
        any(each.verdict in ("replace", "limited") for each in corrected),
        any(each.outcome in claims for each in plain),
    )


# ---- the run --------------------------------------------------------------------------------------------------------


def share(hits: Sequence[bool]) -> dict[str, Any]:
    """Return a share with its exact 95 % Monte Carlo interval."""
    n, k = len(hits), sum(map(bool, hits))
    limits = exact_binomial(k, n)
    return {"share": round(k / n, 4), "of": n, "low": round(limits.low, 4), "high": round(limits.high, 4)}


def log_share(name: str, found: dict[str, Any]) -> None:
    """Return a line of a table."""
    machine.log(f"  {name:<52} {found['share']:>7.1%} of {found['of']:,} [{found['low']:.1%}, {found['high']:.1%}]")


def main() -> int:
    """Run it and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer studies")
    parser.add_argument("--only", choices=["green"], help="green: only the tables of green verdicts")
    given = parser.parse_args()
    began = time.monotonic()
    many, draws, studies = (4, 200, 8) if given.quick else (40, 1_000, 60)
    figures: dict[str, Any] = {"studies": many * len(KINDS)}
    machine.log(f"green verdicts, {many} studies of each kind")
    outcomes = {name: [outcome_of(world, seed) for seed in range(many)] for name, world in KINDS.items()}
    figures["green"] = {name: share([each == "replace" for each in found]) for name, found in outcomes.items()}
    for name, found in figures["green"].items():
        log_share(name, found)
    biased = [each == "replace" for name, found in outcomes.items() if KINDS[name].points >= 5 for each in found]
    good = [each == "replace" for name, found in outcomes.items() if name.startswith("good") for each in found]
    stands = [
        each in ("replace", "limited") for name, row in outcomes.items() if name.startswith("good") for each in row
    ]
    other = [each == "replace" for name in ("constant", "worse: 15 % errors") for each in outcomes[name]]
    figures |= {"biased_green": share(biased), "useless_green": share(other)}
    figures |= {"good_green": share(good), "good_green_or_not_to_rank": share(stands)}
    for key in ("biased_green", "useless_green", "good_green", "good_green_or_not_to_rank"):
        log_share(key, figures[key])
    kinds = {name: (many if given.quick else n, world) for name, (n, world) in (BORDER | LARGER).items()}
    figures |= {"border_green": {}, "good_600_green": {}}
    for name, (n, world) in kinds.items():
        found = [outcome_of(world, NEW_SEEDS + seed) == "replace" for seed in range(n)]
        figures["border_green" if name in BORDER else "good_600_green"][name] = share(found)
        log_share(f"{name}, new seeds", share(found))
    if given.only is None:
        figures |= others(draws, studies)
    figures["seconds"] = round(time.monotonic() - began, 1)
    print(json.dumps(figures))
    most = max(each["low"] for each in figures["border_green"].values())
    return 1 if most > 0.01 or figures["good_green"]["share"] < 0.5 else 0


def others(draws: int, studies: int) -> dict[str, Any]:
    """Return the figures of lower limits and of several verdicts."""
    figures: dict[str, Any] = {"lower_limit_too_high": limits_table(draws)}
    machine.log(f"a false claim in 12 dimensions, {studies} studies")
    claims = [false_claims(seed) for seed in range(studies)]
    figures["false_claims_holm"] = share([one for one, _ in claims])
    figures["false_claims_plain"] = share([other for _, other in claims])
    for key in ("false_claims_holm", "false_claims_plain"):
        log_share(key, figures[key])
    return figures


def limits_table(draws: int) -> dict[str, Any]:
    """Return how often the lower limit of judge minus people exceeds the truth (nominal: 2.5 %)."""
    machine.log(f"lower limit above the truth, {draws} runs each: cautious, then the jackknife's own")
    table: dict[str, Any] = {}
    for name, (models, right, person, judge, whole) in HARD.items():
        truth = true_gap(right, person, judge)
        for questions in (12, 20, 50, 300):
            random = np.random.default_rng([SEED, questions])
            pairs = [ceiling_drawn(questions, models, right, person, judge, whole, random) for _ in range(draws)]
            key = f"{name}, {questions} questions"
            table[key] = {
                "cautious": share([one.difference.low > truth for one, _ in pairs]),
                "jackknife": share([plain.difference.low > truth for _, plain in pairs]),
            }
            log_share(key, table[key]["cautious"])
            log_share("", table[key]["jackknife"])
    return table


if __name__ == "__main__":
    sys.exit(main())
