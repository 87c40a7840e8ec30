"""Win rates by pairwise judges, with both orders of a pair as one comparison.

A judge is asked about every pair of answers twice, the second time with swapped positions. If both replies prefer the
same answer, it wins. If both call it even, it is a tie. If they differ, the judge decided by position: each answer gets
half a win, and the pair is counted separately.
"""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agreement import Statistic, clustered_mean
from agreement.limits import wilson
from agreement.means import share
from db import judging, runs
from db.engine import Store
from domain import csv_text
from domain.english import with_noun
from domain.judging import JudgePlan, ReplyOutcome
from domain.records import Person
from domain.run_kinds import RunKind
from extensions.preferences import queries
from workflow.access.projects import require_lead
from workflow.results.clusters import cluster_of, clusters_of
from workflow.results.project_answers import ProjectAnswers
from workflow.runs import stored_runs

Key = tuple[str, str, str]
"""A judge, and the two models whose answers it compares."""
Unit = tuple[int, int, int, int]
"""An item, an answer of each of the two, and which time of asking it is."""
COLUMNS = (
    *("judge", "model", "baseline", "win_rate", "low", "high", "comparisons", "wins", "losses", "ties"),
    *("inconsistent", "failed", "waiting", "about_an_earlier_answer", "lowest", "highest"),
    *("first_preferred", "second_preferred", "reason"),
)


@dataclass(frozen=True)
class ModelComparison:
    """One judge's comparison of one model's answers with another model's."""

    judge: str
    model: str
    baseline: str
    wins: int
    """Comparisons in which both orders prefer the model's answer."""
    losses: int
    ties: int
    """Both orders call it even."""
    inconsistent: int
    """The two orders differ: half a win for each."""
    failed: int
    """The number of pairs in which one or both replies have no verdict. The rate leaves them out."""
    waiting: int
    """The number of pairs in which one reply has not been asked for or never came. The rate leaves them out."""
    earlier: int
    """The number of pairs about an answer that its model has replaced. The rate leaves them out."""
    first: int
    """The number of replies that prefer the answer shown first, among those with a verdict for one answer."""
    second: int
    """… and how many the other one."""
    rate: Statistic
    """The share of comparisons won, ties and inconsistent ones counted half; of items, with limits."""
    together: str
    """The clusters for the limits; ``none`` is every item alone."""
    lowest: float
    """The rate if all that failed or waits were lost …"""
    highest: float
    """… and if they were won."""

    @property
    def n(self) -> int:
        """Comparisons that the rate is of."""
        return self.wins + self.losses + self.ties + self.inconsistent

    def as_row(self) -> dict[str, Any]:
        """Return all values by name; None for missing numbers."""
        at = self.rate
        return {
            "judge": self.judge,
            "model": self.model,
            "baseline": self.baseline,
            "win_rate": at.value if at.defined else None,
            "low": at.low if at.defined and at.low == at.low else None,
            "high": at.high if at.defined and at.high == at.high else None,
            "comparisons": self.n,
            "wins": self.wins,
            "losses": self.losses,
            "ties": self.ties,
            "inconsistent": self.inconsistent,
            "failed": self.failed,
            "waiting": self.waiting,
            "about_an_earlier_answer": self.earlier,
            "lowest": self.lowest if self.n else None,
            "highest": self.highest if self.n else None,
            "first_preferred": self.first,
            "second_preferred": self.second,
            "reason": at.reason or None,
        }


def favoured(plan: JudgePlan, value: Any) -> int | None:
    """Return which answer a value prefers: 1 the first, -1 the second, 0 neither; None if the template is silent.

    Two values may mirror each other when places are exchanged (``mirror``). The value that the template lists first is
    then for the first answer.
    """
    if not plan.mirror:
        return None
    values = [str(choice) for choice in plan.values]
    mirrored = str(plan.mirror.get(str(value), value))
    if str(value) not in values or mirrored not in values:
        return None
    one, other = values.index(str(value)), values.index(mirrored)
    return (one < other) - (one > other)


@dataclass(frozen=True)
class PairJudgements:
    """The questions to judges about pairs of answers, and their replies in each order."""

    orders: Mapping[Key, Mapping[Unit, Mapping[bool, int | None]]]
    """Judge and models -> item, answers and sample -> whether the places were exchanged -> the preferred answer. 1 is
    the first, -1 the second, 0 neither, and None a missing verdict. An order that was not asked has no entry.
    """
    gone: Mapping[Key, int]
    """The number of pairs about an answer that its model has replaced."""
    about: Mapping[str, frozenset[str]]
    """Judge -> the criteria that its replies are about."""

    @property
    def keys(self) -> list[Key]:
        """Every judge with the models that it compares."""
        return sorted({*self.orders, *self.gone})


def comparisons(
    store: Store, found: ProjectAnswers, *, person: Person | None, together: str | None = None
) -> list[ModelComparison]:
    """Return the verdicts of every pairwise judge on every pair of models, for leads.

    Parameters
    ----------
    found
        A read of the project. Only its items and answers count.
    together
        The clusters for the limits, as on the leaderboard.
    """
    there = judged_pairs(store, found, person=person)
    by, _ = clusters_of(found, together)
    return [_counted(found, key, there.orders.get(key, {}), there.gone.get(key, 0), by) for key in there.keys]


def judged_pairs(store: Store, found: ProjectAnswers, *, person: Person | None) -> PairJudgements:
    """Return judges' replies about pairs of answers, in each order, for the items and answers that count in
    ``found``.
    """
    with store.read() as session:
        access = require_lead(session, by=person, project=found.project)
        plans = {
            run.id: (run.name, plan)
            for run in runs.of_project(session, project_id=access.project_id, kind=RunKind.JUDGE)
            if run.withdrawn_at is None
            and (plan := stored_runs.judge_plan_now(run, access.reading)).swap
            and not plan.attacks
        }
        if not plans:
            return PairJudgements({}, {}, {})
        replies = judging.results_of_runs(session, run_ids=sorted(plans), attacks=False)
        asked = queries.comparisons(session, run_ids=sorted(plans))
    answers = {answer.id: answer for answer in found.answers}
    models = {(unit.prediction_id, unit.other_id): (unit.model, unit.other_model) for unit in asked}
    seen: dict[Key, dict[Unit, dict[bool, int | None]]] = defaultdict(dict)
    gone: Counter[Key] = Counter()
    for unit in asked:
        name, _ = plans[unit.run_id]
        if unit.item_id not in found.items:
            continue
        key = (name, unit.model, unit.other_model)
        if unit.prediction_id not in answers or unit.other_id not in answers:
            gone[key] += not unit.swapped
            continue
        seen[key].setdefault((unit.item_id, unit.prediction_id, unit.other_id, unit.sample), {})
    for reply in replies:
        name, plan = plans[reply.run_id]
        if reply.prediction_id is None or reply.other_id is None or reply.item_id not in found.items:
            continue
        if reply.prediction_id not in answers or reply.other_id not in answers:
            continue
        key = (name, *models[reply.prediction_id, reply.other_id])
        orders = seen[key].setdefault((reply.item_id, reply.prediction_id, reply.other_id, reply.sample), {})
        says = None
        if reply.verdict is ReplyOutcome.SCORED:
            says = favoured(plan, plan.straight(reply.value, swapped=reply.swapped))
        if orders.get(reply.swapped) is None:
            orders[reply.swapped] = says
    about: dict[str, frozenset[str]] = {}
    for name, plan in plans.values():
        about[name] = about.get(name, frozenset()) | frozenset(plan.criteria.values())
    return PairJudgements(seen, gone, about)


def _counted(
    found: ProjectAnswers,
    key: Key,
    units: Mapping[Unit, Mapping[bool, int | None]],
    earlier: int,
    by: str,
) -> ModelComparison:
    judge, model, baseline = key
    n: Counter[str] = Counter()
    values: list[float] = []
    clusters: list[str] = []
    first = second = 0
    for (item, *_), orders in units.items():
        straight, exchanged = orders.get(False), orders.get(True)
        first += (straight == 1) + (exchanged == -1)
        second += (straight == -1) + (exchanged == 1)
        if len(orders) < 2:
            n["waiting"] += 1
        elif straight is None or exchanged is None:
            n["failed"] += 1
        else:
            if straight == exchanged:
                n["wins" if straight > 0 else "losses" if straight < 0 else "ties"] += 1
                values.append((straight + 1) / 2)
            else:
                n["inconsistent"] += 1
                values.append(0.5)
            clusters.append(cluster_of(found, by, item))
    left_out = n["failed"] + n["waiting"]
    total = len(values) + left_out
    low = sum(values) / total if total else float("nan")
    return ModelComparison(
        judge,
        model,
        baseline,
        n["wins"],
        n["losses"],
        n["ties"],
        n["inconsistent"],
        n["failed"],
        n["waiting"],
        earlier,
        first,
        second,
        replace(_rate(values, clusters), n_left_out=left_out),
        by,
        low,
        low + left_out / total if total else float("nan"),
    )


def _rate(values: Sequence[float], clusters: Sequence[str]) -> Statistic:
    """Return the mean with limits over clusters.

    Wins and losses without ties have Wilson limits. Equal values everywhere have Wilson limits over the number of
    clusters, because they give no estimate of the variance.
    """
    array = np.array(values, dtype=float)
    if set(values) <= {0.0, 1.0}:
        return share(array, clusters=clusters)
    mean: Statistic = clustered_mean(array, clusters=clusters)
    if len(set(values)) == 1:
        limits = wilson(mean.value, len(set(clusters)))
        return replace(mean, low=limits.low, high=limits.high, method=limits.method)
    return replace(mean, low=max(0.0, mean.low), high=min(1.0, mean.high)) if mean.low == mean.low else mean


def sentence(each: ModelComparison) -> str:
    """Return the counts of a comparison as a sentence."""
    parts = [f"{each.wins} won", f"{each.losses} lost", with_noun(each.ties, "tie"), f"{each.inconsistent} by position"]
    parts += [f"{each.failed} without two verdicts"] if each.failed else []
    parts += [f"{each.waiting} not yet asked in both orders"] if each.waiting else []
    parts += [f"{each.earlier} on an earlier answer"] if each.earlier else []
    return ", ".join(parts)


def as_csv(some: Iterable[ModelComparison]) -> str:
    """Return all comparisons as a CSV table, which always has its header."""
    file = io.StringIO()
    writer = csv_text.DictWriter(file, COLUMNS)
    writer.writeheader()
    for win_rate in some:
        writer.writedict(win_rate.as_row())
    return file.getvalue()
