"""Opening pairs of models' answers for comparison: all pairs, or the number for every item that the schema plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation_schemas.kinds import CANNOT_TELL
from annotation_schemas.model import Comparison
from db import projects, task_slots
from db.answers import COMPARISON_OPENED
from db.engine import Session, Store
from domain.english import with_noun
from domain.errors import ConflictError
from domain.records import Person
from domain.states import Stage
from extensions.preferences.comparison_plan import PairPlan, plan_of, slots_of
from extensions.preferences.kinds.preference import BOTH_BAD, TIE
from workflow.access.counted_items import counting
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead

_AT_ONCE = 1_000
"""The number of pairs that one transaction opens, so that people who submit do not wait for all of them."""
NO_COMPARISON = (
    "The schema {name} has no comparison stage, so people cannot compare two models' answers. Add `stages: "
    "comparison` to the schema, and migrate the project to the new version."
)

NO_WINNERS = {TIE, BOTH_BAD, CANNOT_TELL}
NAMED_LIKE_NO_WINNER = (
    "The model name {name} is not allowed, because files of preferences use {name} for pairs that neither model "
    "won. Import the model's answers under another name, or remove the model from `models` of the comparison."
)


@dataclass(frozen=True)
class PairIntake:
    """The pairs that people compare, their progress, and the pairs to open now. All counts are about pairs of last
    answers to items that count.
    """

    models: Sequence[str]
    """The compared models, each with each."""
    raters: int
    """The number of people who compare each pair."""
    asked: int
    """Pairs to compare."""
    same: int
    """The number of planned pairs with identical answers. They are shown to no person and are a separate kind of
    tie.
    """
    missing: int
    """The number of planned pairs without an answer from one of the models."""
    before: int
    """Pairs that are open to people, or done, already."""
    complete: int
    """Pairs that all people who are asked have compared."""
    opened: int
    """The number of pairs that opening opens now."""
    anew: int
    """The number of these pairs that were open before a model answered again. Without a request, they stay closed; if a
    person asks for work, they open by themselves.
    """
    called_off: int
    """The number of offered pairs that opening withdraws, because a model has answered again or the plan has
    changed.
    """

    @property
    def sentence(self) -> str:
        """Return the counts as a sentence.

        >>> PairIntake(["a", "b", "c"], 2, 57, 2, 1, 50, 20, 7, 3, 0).sentence
        '3 models give 57 pairs of answers, each to be compared by 2 people. 2 pairs have identical answers and \
are ties without a vote; 1 pair lacks an answer. Of all pairs, 50 are already open, including 20 complete. Opening \
adds 7, including 3 reopened because a model answered again.'
        """
        people = f"{self.raters} {'person' if self.raters == 1 else 'people'}"
        parts = []
        if self.same:
            ties = ("has", "is a tie") if self.same == 1 else ("have", "are ties")
            parts.append(f"{with_noun(self.same, 'pair')} {ties[0]} identical answers and {ties[1]} without a vote")
        if self.missing:
            parts.append(f"{with_noun(self.missing, 'pair')} {'lacks' if self.missing == 1 else 'lack'} an answer")
        left_out = f" {'; '.join(parts)}." if parts else ""
        off = (
            f" Open pairs that are no longer in the plan and will be withdrawn: {self.called_off:,}."
            if self.called_off
            else ""
        )
        anew = f", including {self.anew:,} reopened because a model answered again" if self.anew else ""
        return (
            f"{len(self.models):,} models give {with_noun(self.asked, 'pair')} of answers, each to be compared by "
            f"{people}.{left_out} Of all pairs, {self.before:,} {'is' if self.before == 1 else 'are'} already open, "
            f"including {self.complete:,} complete. Opening adds {self.opened:,}{anew}.{off}"
        )


def preview_pairs(store: Store, *, by: Person | None, project: str) -> PairIntake:
    """Return the pairs that ``open_pairs`` would open now, for leads. Nothing is changed."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        _, plan = _plan(session, access)
        return _intake(plan)


def open_pairs(store: Store, *, by: Person | None, project: str) -> PairIntake:
    """Open the pairs of answers that the schema's `comparison` plans, for leads. Repeated calls open each pair once.

    Open pairs stay open. Pairs with a replaced answer, and pairs that are no longer planned, are withdrawn unless a
    person has begun them. Their votes are kept, but no longer count.

    Raises
    ------
    ConflictError
        The schema has no comparison, or a model has the name that files use for "no winner".
    """
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        projects.lock(session, id=access.project_id)
        stage, plan = _plan(session, access)
        if taken := set(plan.models) & NO_WINNERS:
            raise ConflictError(NAMED_LIKE_NO_WINNER.format(name=sorted(taken)[0]))
        done = _intake(plan)
        task_slots.withdraw(session, units=plan.stale, held=False)
        task_slots.call_off_surplus(session, project_id=access.project_id, stage=Stage.COMPARISON, most=stage.raters)
        if done.opened or done.called_off:
            data = {"pairs": done.opened, "called_off": done.called_off, "seed": access.seed}
            log(session, COMPARISON_OPENED, by=by, project=access, now=now, data=data)
    lacking = [pair for pair in plan.asked if not plan.is_open(pair)]
    for begin in range(0, len(lacking), _AT_ONCE):
        with store.write() as session:
            access = require_lead(session, by=by, project=project)
            counted = counting(session, access=access, stage=Stage.COMPARISON)
            some = [pair for pair in lacking[begin : begin + _AT_ONCE] if counted.counts(pair.first.item_id)]
            slots = [slot for pair in some for slot in slots_of(pair, stage=stage, access=access, now=now)]
            task_slots.open_slots(session, slots=slots, needed=access.needed_roles)
            task_slots.offer_units(session, units=[pair.unit for pair in some], most=stage.raters)
    return done


def open_all(store: Store, *, by: Person | None, project: str, models: Sequence[str] | None) -> None:
    """Open the pairs of all models, whatever ``models`` are: the schema says which are compared."""
    open_pairs(store, by=by, project=project)


def _plan(session: Session, access: Access) -> tuple[Comparison, PairPlan]:
    stage = access.schema.stages.comparison
    if stage is None:
        raise ConflictError(NO_COMPARISON.format(name=access.schema.name))
    counted = counting(session, access=access, stage=Stage.COMPARISON)
    return stage, plan_of(session, access=access, stage=stage, counted=counted)


def _intake(plan: PairPlan) -> PairIntake:
    before = [pair for pair in plan.asked if plan.is_open(pair)]
    return PairIntake(
        models=plan.models,
        raters=plan.raters,
        asked=len(plan.asked),
        same=len(plan.same),
        missing=plan.missing,
        before=len(before),
        complete=sum(plan.is_complete(pair) for pair in before),
        opened=len(plan.asked) - len(before),
        anew=sum((pair.first.item_id, pair.models) in plan.anew for pair in plan.asked if not plan.is_open(pair)),
        called_off=len(plan.stale),
    )
