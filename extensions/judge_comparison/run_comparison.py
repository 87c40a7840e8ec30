"""Two runs of judges compared on the same answers: two versions of a template, two models, two parsers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.alpha import krippendorff_alpha
from agreement.chance import percent_agreement
from agreement.kappa import cohen_kappa
from agreement.ratings import Ratings, Scale
from agreement.statistic import Statistic
from db import files, judging
from db import items as stored_items
from db.engine import Session, Store
from db.records import StoredRun
from domain.comparison import same
from domain.errors import ConflictError
from domain.judging import JudgePlan, ReplyOutcome, Value
from domain.rated_units import unit_of
from domain.records import Person, Rating
from domain.states import Items, Stage
from workflow.access.counted_items import counting
from workflow.access.projects import Access
from workflow.runs import stored_runs

_Key = tuple[int, int | None, int | None, bool, str | None]
"""The subject of a reply: item, answer, the compared answer, the order, and the attack."""


@dataclass(frozen=True)
class ReplyDifference:
    """An answer with the values of two runs. In ``RunComparison.differing`` the values differ, or one is missing."""

    item: str
    """External id."""
    item_id: int
    model: str | None
    """The model of the answer; None for the item itself or an attack answer."""
    dimension: str
    criterion: str
    swapped: bool
    attack: str | None
    a: Value | None
    b: Value | None
    """The two values, for the answers in their own order; None for a missing value."""
    verdict_a: ReplyOutcome
    verdict_b: ReplyOutcome
    attempt_a: int
    attempt_b: int
    """The replies that they were read from."""

    @property
    def both_scored(self) -> bool:
        """Whether there are two values, which differ."""
        return self.verdict_a.scored and self.verdict_b.scored

    @property
    def differ(self) -> bool:
        """Whether there are two values that differ, or one alone."""
        if self.both_scored:
            return not same(self.a, self.b)
        return self.verdict_a.scored != self.verdict_b.scored


@dataclass(frozen=True)
class CriterionComparison:
    """Two runs on one criterion."""

    criterion: str
    n_both_asked: int
    n_a_scored: int
    n_b_scored: int
    """The number of scored replies of each run, over the subjects of both runs."""
    n_both_scored: int
    n_same: int
    share_same: Statistic
    kappa: Statistic
    """Cohen's, with quadratic weights where the values are numbers."""
    alpha: Statistic
    mean_a: float | None
    mean_b: float | None
    """The mean over the answers that both scored; None if the values are not numbers."""
    crossed: Mapping[tuple[Value | ReplyOutcome, Value | ReplyOutcome], int]
    """The count of each pair of outcomes: a value, or the reason for a missing value."""


@dataclass(frozen=True)
class RunComparison:
    """The agreement of two runs, and the replies on which they differ."""

    a: str
    b: str
    """The names of the two judges."""
    plan_a: JudgePlan
    plan_b: JudgePlan
    only_a: int
    only_b: int
    """The number of answers that only one of the judges was asked about."""
    criteria: tuple[CriterionComparison, ...]
    differing: tuple[ReplyDifference, ...]
    """In the order of the items: values that differ, and failures of one of the two."""
    counted: str = ""
    """Which items were counted, as a sentence."""


def compare_runs(
    store: Store, *, by: Person | None, run_a: str, run_b: str, items: Items | str | None = None
) -> RunComparison:
    """Return a comparison of two judge runs in one project, over the subjects of both. Runs have public ids.

    Only answers to items that count are compared (``items``, see ``workflow.access.counted_items``). Judges of items
    are compared on all items. Of repeated questions, the first sample counts. An unfinished run is compared as far as
    it got. ``by`` None is a command on the machine itself.

    Raises
    ------
    ConflictError
        A run is not a judge's or was withdrawn, the runs belong to two projects, or they have no subject in
        common.
    """
    if run_a == run_b:
        raise ConflictError("You chose the same run twice. Choose another run to compare.")
    with store.read() as session:
        row_a, access = stored_runs.run_and_access(session, by, run_a)
        row_b, _ = stored_runs.run_and_access(session, by, run_b)
        if row_a.project_id != row_b.project_id:
            raise ConflictError(
                f"{row_a.name} and {row_b.name} are runs of different projects, so they share no answers. Choose "
                "runs of the same project."
            )
        plan_a, plan_b = (_plan_of(row, access) for row in (row_a, row_b))
        read_a, read_b = (_read(session, row.id) for row in (row_a, row_b))
        places = {id: (name, part) for id, name, part in files.item_ids(session, project_id=access.project_id)}
        answers = {reply.prediction_id for reply in read_a.values() if reply.prediction_id is not None}
        models = stored_items.models_of(session, prediction_ids=sorted(answers))
        about_items = all(reply.prediction_id is None and reply.attack is None for reply in read_a.values())
        stage = Stage.VERIFICATION if about_items else Stage.GRADING
        counted = counting(session, access=access, items_=items, stage=stage)
    a, b = (
        _Side(plan, {key: reply for key, reply in read.items() if counted.counts(reply.item_id)})
        for plan, read in ((plan_a, read_a), (plan_b, read_b))
    )
    shared = [place for place in a.read if place in b.read]
    if not shared:
        raise ConflictError(
            f"{row_a.name} and {row_b.name} share no answers yet. Wait until both runs have replies to the same "
            "answers."
        )
    reply_differences: dict[str, list[ReplyDifference]] = {}
    for place in shared:
        item_id = a.read[place].item_id
        pair = _pair(a, b, place, *places[item_id], models)
        reply_differences.setdefault(pair.criterion, []).append(pair)
    values = tuple(dict.fromkeys([*plan_a.values, *plan_b.values]))
    order = {id: at for at, id in enumerate(places)}
    differing = [difference for pairs in reply_differences.values() for difference in pairs if difference.differ]
    differing.sort(key=lambda each: (order[each.item_id], each.model or "", each.criterion, each.swapped))
    return RunComparison(
        row_a.name,
        row_b.name,
        plan_a,
        plan_b,
        len(a.asked - b.asked),
        len(b.asked - a.asked),
        tuple(_compared(name, pairs, values) for name, pairs in reply_differences.items()),
        tuple(differing),
        counted.sentence,
    )


def _plan_of(row: StoredRun, access: Access) -> JudgePlan:
    """Return the plan of a judge run. Raises ``ConflictError`` for any other run, and for a withdrawn one."""
    if not isinstance(stored_runs.plan_of_run(row), JudgePlan):
        raise ConflictError(f"{row.name} is a run of a model. Choose a run of a judge.")
    stored_runs.refuse_withdrawn(row, "before you compare the run")
    return stored_runs.judge_plan_now(row, access.reading)


@dataclass(frozen=True)
class _Side:
    """One of the two runs: its plan, and the readings of its replies about items that count."""

    plan: JudgePlan
    read: Mapping[tuple[_Key, str], judging.UnitResult]

    @property
    def asked(self) -> set[_Key]:
        """Return the subjects of the run."""
        return {key for key, _ in self.read}

    def value(self, reply: judging.UnitResult) -> Value | None:
        """Return the value of a reply, for the answers in their own order; None without a value."""
        return self.plan.straight(reply.value, swapped=reply.swapped) if reply.verdict.scored else None


def _pair(
    a: _Side, b: _Side, place: tuple[_Key, str], item: str, dimension: str, models: Mapping[int, str]
) -> ReplyDifference:
    """Return the replies of both runs about the same subject."""
    said_a, said_b = a.read[place], b.read[place]
    return ReplyDifference(
        item,
        said_a.item_id,
        models.get(said_a.prediction_id or 0),
        dimension,
        said_a.criterion,
        said_a.swapped,
        said_a.attack,
        a.value(said_a),
        b.value(said_b),
        said_a.verdict,
        said_b.verdict,
        said_a.attempt_id,
        said_b.attempt_id,
    )


def _read(session: Session, run_id: int) -> dict[tuple[_Key, str], judging.UnitResult]:
    """Return the first sample of each reply, by subject and criterion."""
    return {
        (
            (result.item_id, result.prediction_id, result.other_id, result.swapped, result.attack),
            result.criterion,
        ): result
        for result in judging.results_of_runs(session, run_ids=[run_id])
        if result.sample == 0
    }


def _compared(criterion: str, pairs: Sequence[ReplyDifference], values: Sequence[Value]) -> CriterionComparison:
    both = [pair for pair in pairs if pair.both_scored]
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    scale = Scale("ordinal" if numeric else "nominal", tuple(sorted(values) if numeric else values))
    table = _table(both, scale)
    return CriterionComparison(
        criterion,
        len(pairs),
        sum(pair.verdict_a.scored for pair in pairs),
        sum(pair.verdict_b.scored for pair in pairs),
        len(both),
        sum(same(pair.a, pair.b) for pair in both),
        percent_agreement(table),
        cohen_kappa(table, weights="quadratic" if numeric else "none"),
        krippendorff_alpha(table, level=scale.level),
        _mean([pair.a for pair in both]) if numeric else None,
        _mean([pair.b for pair in both]) if numeric else None,
        Counter((_said(pair.a, pair.verdict_a), _said(pair.b, pair.verdict_b)) for pair in pairs),
    )


def _said(value: Value | None, verdict: ReplyOutcome) -> Value | ReplyOutcome:
    return verdict if value is None else value


def _table(both: Sequence[ReplyDifference], scale: Scale) -> Ratings:
    rows = []
    for number, pair in enumerate(both):
        unit = f"{number}. {unit_of(pair.item, pair.model)}"  # an attack answer or an order is a unit of its own
        for name, value in (("a", pair.a), ("b", pair.b)):
            rows.append(Rating(unit, name, pair.criterion, value, cluster=pair.item))
    return Ratings.from_rows(rows, scale=scale)


def _mean(values: Sequence[Any]) -> float | None:
    return sum(values) / len(values) if values else None
