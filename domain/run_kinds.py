"""What kinds of runs there are, a row each: what they are about, what is kept of them, what people are told of them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from domain.judging import JudgePlan, Plan
from domain.runs import RunPlan
from domain.shortcut_plan import ShortcutPlan


class _Row(NamedTuple):
    """A row of ``RunKind``."""

    value: str
    one: str
    failed: str
    answers: bool
    page: str = ""
    plan: type[RunPlan] | type[JudgePlan] | None = None
    no_one: str = ""
    state: str = ""
    heading: str = ""
    began: str = "Started"
    own_scale: bool = False
    people: bool = False
    rates: bool = False


class RunKind(StrEnum):
    """What a run is an execution of, a row each. Whatever starts, works on, keeps, counts or shows a run reads it."""

    one: str
    """What a run is about, one of them."""
    failed: str
    """What those are of which nothing came."""
    answers: bool
    """Whether what is kept of its attempts are answers to items."""
    page: str
    """The path of the page that lists it; empty: only ``touchstone run list`` does."""
    plan: type[RunPlan] | type[JudgePlan] | None
    """By what someone is asked, a class of its own for each kind; None: no one is asked, so there is nothing to
    preview, to pause or to ask again."""
    no_one: str
    """Where no one is asked: the sentence that says so, about the ``run`` of this ``name``, out of the ``file``."""
    state: str
    """What stands for the state of a run that has none of its own; empty: it has one."""
    heading: str
    """Above its list, where it is not the first one of its page."""
    began: str
    """What happened when it came to be."""
    own_scale: bool
    """Of what rates: its numbers go from 0 to 1, whatever the criterion's values are."""
    people: bool
    """Its answers are a person's own, who answers items as models do."""
    rates: bool
    """Whether its attempts rate answers or items, as raters do. A kind that neither answers nor rates counts in no
    result: its attempts are kept, and nothing else."""

    def __new__(cls, *told: Any) -> RunKind:
        row = _Row(*told)
        made = str.__new__(cls, row.value)
        made._value_ = row.value
        for name in _Row._fields[1:]:
            setattr(made, name, getattr(row, name))
        return made

    MODEL = _Row(
        "model",
        one="item",
        failed="without an answer",
        answers=True,
        page="models",
        plan=RunPlan,
    )
    IMPORT = _Row(
        "import",
        one="answer",
        failed="without an answer",
        answers=True,
        page="models",
        no_one="The run {run} is answers out of a file ({file}): there is no one to ask.",
        state="imported",
        heading="Answers out of files",
        began="Brought in",
    )
    PEOPLE = _Row(
        "people",
        one="answer",
        failed="without an answer",
        answers=True,
        page="models",
        no_one="The run {run} is the answers of a person ({name}), given on their page: there is no one to ask.",
        state="answered",
        heading="Answers of people",
        began="Begun",
        people=True,
    )
    JUDGE = _Row(
        "judge",
        one="request",
        failed="without a reply",
        answers=False,
        page="judges",
        plan=JudgePlan,
        rates=True,
    )
    SHORTCUT = _Row(
        "shortcut",
        one="item",
        failed="without an answer",
        answers=False,
        plan=ShortcutPlan,
    )
    METRIC = _Row(
        "metric",
        one="answer",
        failed="without a number",
        answers=False,
        no_one="The run {run} is {name}, a metric: there is no one to ask.",
        own_scale=True,
        rates=True,
    )


def plan_of(kind: RunKind, dumped: Mapping[str, Any]) -> Plan:
    """The plan of a run of that kind, as ``dump`` made it; an empty one where no one is asked."""
    return (kind.plan or RunPlan).of(dumped)


def kind_of(plan: Plan) -> RunKind:
    """The kind of runs that a plan is for."""
    return next(kind for kind in RunKind if kind.plan is type(plan))
