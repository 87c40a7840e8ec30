"""A preview of a run: the questions, the items that cannot be asked, and the likely cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from db.engine import Store
from domain.judging import Plan
from domain.records import Person
from domain.run_kinds import kind_of
from domain.runs import Preview, Question
from domain.settings import Settings
from inference.spec import ModelSpec
from workflow.access.projects import require_lead
from workflow.runs.askings import asking_of

if TYPE_CHECKING:
    from media.store import MediaStore

LOOKED_AT = 2_000
"""The number of units in a preview, so that the page of a large project answers within a moment."""


def preview(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    spec: ModelSpec,
    plan: Plan,
    settings: Settings,
    first: int = 3,
    most: int = LOOKED_AT,
) -> Preview:
    """Preview the questions of ``run_start.start``, with the same errors. Nothing is stored."""
    asking = asking_of(kind_of(plan))
    asking.check(spec, plan)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        units = asking.units(session, access, plan)
    return asking.preview(
        store,
        media,
        access=access,
        units=units,
        spec=spec,
        plan=plan,
        cache=cache_of(settings),
        first=first,
        most=most,
    )


@dataclass(frozen=True)
class RunEstimate:
    """The estimated requests, tokens and cost of a run, extrapolated from its first requests."""

    requests: int
    """The number of requests if each succeeds at once."""
    worked_out_from: int
    tokens_in: int
    tokens_out: int
    """At most."""
    cost: float | None
    """The highest cost, in the currency of the price; None without a price."""
    currency: str | None
    rule: str


def estimate(spec: ModelSpec, questions: Sequence[Question], *, asked: int, blind: bool = False) -> RunEstimate:
    """Return an estimate for ``asked`` questions like these. Nothing is sent.

    ``blind`` means that options are also ranked without pictures.
    """
    from inference.endpoint.estimate import estimated

    totals = estimated(questions, spec, blind=blind)
    times = asked / len(questions) if questions else 0
    return RunEstimate(
        requests=round(totals.requests * times) if questions else asked,
        worked_out_from=len(questions),
        tokens_in=round(totals.tokens_in * times),
        tokens_out=round(totals.tokens_out * times),
        cost=None if totals.cost is None else totals.cost * times,
        currency=totals.currency,
        rule=totals.rule,
    )


def cache_of(settings: Settings) -> Path:
    """Return the folder of prepared pictures."""
    return settings.home / "prepared"
