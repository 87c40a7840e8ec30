"""The kinds of runs, one row each: their subject, the results that are kept, and the words on pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from domain import extensions
from domain.judging import JudgePlan, Plan
from domain.runs import RunPlan


class _Row(NamedTuple):
    """A row of ``RunKind``."""

    value: str
    one: str
    failed: str
    answers: bool
    page: str = ""
    own_plan: type[RunPlan] | type[JudgePlan] | None = None
    no_one: str = ""
    state: str = ""
    heading: str = ""
    began: str = "Started"
    own_scale: bool = False
    people: bool = False
    rates: bool = False


class RunKind(StrEnum):
    """The kind of a run. Code that starts, executes, stores, counts or shows runs reads these rows."""

    one: str
    """The word for one subject of a run."""
    failed: str
    """The words for subjects without a result."""
    answers: bool
    """Whether the results of its attempts are answers to items."""
    page: str
    """The path of the page that lists such runs; empty if only ``touchstone run list`` does."""
    own_plan: type[RunPlan] | type[JudgePlan] | None
    """The class of the run's settings, if core executes such runs."""
    no_one: str
    """If no model is asked: the sentence that says so, with the placeholders ``run``, ``name`` and ``file``."""
    state: str
    """The word for the state of a run that has no state of its own; empty if it has one."""
    heading: str
    """The heading above the list, if it is not the first list of its page."""
    began: str
    """The word for the event that created the run."""
    own_scale: bool
    """For ratings: whether the numbers go from 0 to 1, whatever the criterion's values are."""
    people: bool
    """Whether its answers are given by a person, who answers items as models do."""
    rates: bool
    """Whether its attempts rate answers or items, as raters do. A kind that neither answers nor rates counts in no
    result; only its attempts are kept.
    """

    def __new__(cls, *told: Any) -> RunKind:
        row = _Row(*told)
        made = str.__new__(cls, row.value)
        made._value_ = row.value
        for name in _Row._fields[1:]:
            setattr(made, name, getattr(row, name))
        return made

    @property
    def plan(self) -> type[RunPlan] | type[JudgePlan] | None:
        """Return the class of the run's settings, a different one for each kind. None if no model is asked, so that
        previewing, pausing and asking again are impossible.
        """
        executed = executed_by_extension(self) if self.own_plan is None else None
        return self.own_plan if executed is None else executed.plan

    MODEL = _Row(
        "model",
        one="item",
        failed="without an answer",
        answers=True,
        page="models",
        own_plan=RunPlan,
    )
    IMPORT = _Row(
        "import",
        one="answer",
        failed="without an answer",
        answers=True,
        page="models",
        no_one="The answers of the run {run} came from a file ({file}), so there is no model to ask. Choose the "
        "run of a model or judge.",
        state="imported",
        heading="Imported answers",
        began="Imported",
    )
    PEOPLE = _Row(
        "people",
        one="answer",
        failed="without an answer",
        answers=True,
        page="models",
        no_one=(
            "A person ({name}) gave the answers of the run {run}, so there is no model to ask. Choose "
            "the run of a model or judge."
        ),
        state="answered",
        heading="Answers of people",
        people=True,
    )
    JUDGE = _Row(
        "judge",
        one="request",
        failed="without a reply",
        answers=False,
        page="judges",
        own_plan=JudgePlan,
        rates=True,
    )
    SHORTCUT = _Row(
        "shortcut",
        one="item",
        failed="without an answer",
        answers=False,
    )
    METRIC = _Row(
        "metric",
        one="answer",
        failed="without a number",
        answers=False,
        no_one="The run {run} computes the metric {name}, so there is no model to ask. Choose the run of a model "
        "or judge.",
        own_scale=True,
        rates=True,
    )


@dataclass(frozen=True)
class ExecutedKind:
    """A kind of runs that an extension executes: a row of the register ``run_kinds``."""

    kind: RunKind
    plan: type[RunPlan]
    asking: Callable[[], Any]
    """Imports and returns the ``workflow.runs.run_kinds.RunFunctions`` of the kind."""


def executed_by_extension(kind: RunKind) -> ExecutedKind | None:
    """Return how an extension executes runs of that kind, or None if no installed extension does."""
    return next((row for row in extensions.rows("run_kinds") if row.kind is kind), None)


def plan_of(kind: RunKind, dumped: Mapping[str, Any]) -> Plan:
    """Return the plan of a run of that kind, as ``dump`` stored it; an empty plan if no model is asked."""
    return (kind.plan or RunPlan).of(dumped)


def kind_of(plan: Plan) -> RunKind:
    """Return the kind of runs that a plan belongs to."""
    return next(kind for kind in RunKind if kind.plan is type(plan))
