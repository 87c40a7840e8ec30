"""What a run will do, before anything of it is done: what is asked, what cannot be, and what it may cost."""

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
"""So many units are looked at, so that the page of a large project answers within a moment."""


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
    """Look at what ``run_start.start`` would ask; raises what it would raise. Nothing is written down."""
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
class Estimate:
    """What so many requests to an endpoint come to, worked out from the first of them."""

    requests: int
    """If each succeeds at once."""
    worked_out_from: int
    tokens_in: int
    tokens_out: int
    """At most."""
    cost: float | None
    """At most, in the currency of the price; None: no price is known."""
    currency: str | None
    rule: str


def estimate(spec: ModelSpec, questions: Sequence[Question], *, asked: int, blind: bool = False) -> Estimate:
    """What asking ``asked`` questions like these comes to; nothing is sent.

    ``blind``: options are ranked without pictures as well.
    """
    from inference.endpoint.estimate import estimated

    told = estimated(questions, spec, blind=blind)
    times = asked / len(questions) if questions else 0
    return Estimate(
        requests=round(told.requests * times) if questions else asked,
        worked_out_from=len(questions),
        tokens_in=round(told.tokens_in * times),
        tokens_out=round(told.tokens_out * times),
        cost=None if told.cost is None else told.cost * times,
        currency=told.currency,
        rule=told.rule,
    )


def cache_of(settings: Settings) -> Path:
    """Where pictures lie as models get them."""
    return settings.home / "prepared"
