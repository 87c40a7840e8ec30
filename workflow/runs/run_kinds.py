"""What kinds of runs there are, a row each. Whatever previews, starts, works on, keeps or shows a run reads its row.

Nothing heavy is loaded before a model is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from annotation_schemas.model import Schema
from db.engine import Session, Store
from db.records import StoredRun
from domain.judging import JudgePlan, Plan
from domain.runs import Answerer, Attempt, Preview, Question, RunKind, RunPlan
from inference.spec import Allowed, ModelSpec
from workflow.access.counted_items import Counting
from workflow.access.projects import Access
from workflow.runs import judge_questions, judge_readings, judge_runs, judge_units, model_answers, model_runs
from workflow.runs.model_questions import Asker

if TYPE_CHECKING:
    from media.store import MediaStore


class Asks(Protocol):
    """What makes questions of units."""

    def ask(self, item_ids: Sequence[int]) -> list[Question]:
        """The questions, in the order of the units."""


class Keep(Protocol):
    """Keeps what attempts have brought."""

    def prepare(self, store: Store, row: StoredRun, attempts: Sequence[Attempt]) -> None:
        """Do whatever keeping them takes that no one else has to wait for, before the transaction that stores them."""

    def __call__(self, session: Session, row: StoredRun, written: Sequence[tuple[int, Attempt]], now: datetime) -> None:
        """Keep attempts, given with their ids, in the transaction that writes them."""


@dataclass(frozen=True)
class Words:
    """What is said of a kind's runs, on screen and in a terminal."""

    one: str
    """What a run asks about, one of them."""
    failed: str
    """What those are that were asked to the end for nothing."""
    nobody: str = ""
    """Why no one can be asked, about the ``run`` of this ``name`` out of the ``file``; empty: someone can."""
    state: str = ""
    """What stands for the state of a run that has none of its own; empty: it has one."""


@dataclass(frozen=True)
class Asking:
    """How someone is asked. ``Any`` is the kind's own plan."""

    plan: type[RunPlan] | type[JudgePlan]
    check: Callable[[ModelSpec, Any], None]
    """Refuses with a sentence what no worker could do."""
    counted: Callable[[Session, Access, Any], Counting | None]
    """Which items count; None where the plan names their states itself."""
    units: Callable[[Session, Access, Any], Sequence[Any]]
    """What is asked about, in order; refuses with a sentence where there is nothing."""
    store_units: Callable[[Session, int, Sequence[Any]], list[int]]
    """Stores units of a run; their ids in order."""
    items_of: Callable[[Session, Sequence[int]], Mapping[int, int]]
    """The item that each unit is about."""
    described: Callable[[Schema, ModelSpec, Any], ModelSpec]
    """The description with what schema and plan add to it."""
    label: Callable[[ModelSpec, Any], str]
    """What tables call anyone who is asked in this way."""
    open: Callable[[ModelSpec, Any, Allowed], Answerer]
    ask: Callable[[Store, MediaStore, Schema, ModelSpec, Any, Path], Asks]
    keep: Callable[[Any], Keep]
    preview: Callable[..., Preview]
    """Looks at what a run would ask (``workflow.runs.preview_run``)."""


@dataclass(frozen=True)
class Kind:
    """A kind of runs."""

    kind: RunKind
    words: Words
    answers: bool
    """Whether what is kept of its attempts are answers to items."""
    asking: Asking | None = None
    """None: no one is asked, so there is nothing to preview, to pause or to ask again."""


def _open_model(spec: ModelSpec, plan: RunPlan, allowed: Allowed) -> Answerer:
    from inference.opening import open_answerer

    return open_answerer(
        spec, strategy=plan.strategy, allowed=allowed, score=plan.score, without_image=plan.without_image
    )


def _open_judge(spec: ModelSpec, plan: JudgePlan, allowed: Allowed) -> Answerer:
    from inference.opening import open_answerer

    return open_answerer(spec, strategy="generate", allowed=allowed)


KINDS: Mapping[RunKind, Kind] = {
    each.kind: each
    for each in (
        Kind(
            RunKind.MODEL,
            Words(one="item", failed="without an answer"),
            answers=True,
            asking=Asking(
                plan=RunPlan,
                check=model_runs.check_plan,
                counted=model_runs.counted_in,
                units=model_runs.wanted_items,
                store_units=lambda session, run_id, units: list(units),
                items_of=lambda session, ids: {id: id for id in ids},
                described=lambda schema, spec, plan: model_runs.as_schema_says(schema, spec),
                label=model_runs.label_of,
                open=_open_model,
                ask=lambda store, media, schema, spec, plan, cache: Asker(
                    store, media, schema=schema, plan=plan, spec=spec, cache=cache
                ),
                keep=lambda plan: model_answers.KeepAnswers(),
                preview=model_runs.preview,
            ),
        ),
        Kind(
            RunKind.JUDGE,
            Words(one="request", failed="without a reply"),
            answers=False,
            asking=Asking(
                plan=JudgePlan,
                check=judge_runs.check_plan,
                counted=judge_units.counted_in,
                units=judge_units.units_of,
                store_units=judge_units.store_units,
                items_of=judge_units.items_of,
                described=judge_runs.described,
                label=judge_runs.label_of,
                open=_open_judge,
                ask=lambda store, media, schema, spec, plan, cache: judge_questions.asker_of(
                    store, media, schema=schema, spec=spec, plan=plan, cache=cache
                ),
                keep=judge_readings.KeepReadings,
                preview=judge_runs.preview,
            ),
        ),
        Kind(
            RunKind.METRIC,
            Words(
                one="answer",
                failed="without a number",
                nobody="The run {run} is {name}, a metric: there is no one to ask.",
            ),
            answers=False,
        ),
        Kind(
            RunKind.IMPORT,
            Words(
                one="answer",
                failed="without an answer",
                nobody="The run {run} is answers out of a file ({file}): there is no one to ask.",
                state="imported",
            ),
            answers=True,
        ),
    )
}
"""The kinds by name."""


def asked_by(plan: Plan) -> tuple[RunKind, Asking]:
    """The kind of runs that a plan is for, and how someone is asked in them."""
    return next(
        (row.kind, row.asking) for row in KINDS.values() if row.asking is not None and type(plan) is row.asking.plan
    )


def asking_of(row: StoredRun) -> Asking:
    """How someone is asked in a stored run, which is of a kind in which someone is."""
    asking = KINDS[row.kind].asking
    assert asking is not None, row.kind
    return asking
