"""Replies of models that were asked with and without images. Each reply is read with the options as the model saw them,
and compared with the key."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas.expected_answers import asked_of, held_against
from annotation_schemas.keys import key_field, options_field
from annotation_schemas.model import Schema
from db import readings, runs
from db.engine import Session
from db.readings import AttemptEnd
from db.records import StoredAttempt, StoredRun
from domain.reading.answers import ReadOutcome
from domain.run_kinds import RunKind
from domain.runs import ANSWERS, RunPlan
from extensions.shortcuts import queries
from extensions.shortcuts.model_asking import STRATEGIES
from extensions.shortcuts.run_plan import ShortcutPlan
from workflow.access.projects import Access
from workflow.annotate.answer_readings import as_stored
from workflow.annotate.reading_rows import read_one, state_at
from workflow.runs import identities
from workflow.runs.stored_runs import plan_of_run

WITH, WITHOUT = ShortcutPlan().condition, ShortcutPlan(text_only=True).condition
RANKED = "rank_options"
"""The strategy in which a model ranks options and writes no text."""
_CONDITION = frozenset({"frames", "order", "orders", "seed", "text_only", "without_marks"})


@dataclass(frozen=True)
class Argument:
    """The text of a model, for people to read."""

    text: str
    options: Sequence[str]
    """The options in the order in which the model saw them."""


@dataclass(frozen=True)
class ModelReply:
    """A model's reply to an item, under a condition and with the options in one order."""

    model: str
    condition: str
    order: str
    item: str
    value: float
    """1 for the key; 0 for another option, no option or several; nan if no reply came."""
    chose: str = ""
    """The stated option; empty if there is none."""
    why: str = ""
    """The reason for a missing reply, or for a reply without an option."""
    argument: Argument | None = None
    """The text behind a differing answer with images."""


@dataclass(frozen=True)
class ModelReplies:
    """The replies of all models, from the newest run of each condition and order."""

    said: Sequence[ModelReply]
    earlier: int
    """The number of replies to earlier revisions of items. They do not count."""


def read_replies(session: Session, access: Access, names: Mapping[int, str]) -> ModelReplies:
    """Return the replies of a project's models to these items. ``names`` are the items' names by id.

    Ordinary runs of a model that was also asked without images count too, with or without images as they were made.
    """
    rows = [
        row
        for kind in (RunKind.MODEL, RunKind.SHORTCUT)
        for row in runs.of_project(session, project_id=access.project_id, kind=kind)
        if row.withdrawn_at is None and "spec" in row.params and _plan(row).strategy in STRATEGIES
    ]
    called = _models(rows)
    model_replies: dict[tuple[str, str, str, str], ModelReply] = {}
    earlier = 0
    states = readings.revisions(session, item_ids=names)
    for row in sorted(rows, key=lambda each: each.id):
        if row.id not in called:
            continue
        plan = _plan(row)
        shown = plan.condition if isinstance(plan, ShortcutPlan) else WITHOUT if plan.text_only else WITH
        order = _order(plan)
        for attempt in queries.last_ones(session, run_ids=[row.id]):
            if attempt.item_id not in names:
                continue
            number, fields = state_at(states[attempt.item_id], attempt.created_at)
            if number != states[attempt.item_id][-1][0]:
                earlier += 1
                continue
            seen = _as_shown(access.schema, attempt, fields)
            value, chose, why = _read(access.schema, plan, attempt, seen)
            argument = None
            if shown == WITH and value == 0 and chose and plan.strategy != RANKED:
                argument = Argument(attempt.text or "", seen.get(options_field(access.schema) or "", ()))
            reply = ModelReply(called[row.id], shown, order, names[attempt.item_id], value, chose, why, argument)
            model_replies[reply.model, reply.condition, reply.order, reply.item] = reply
    return ModelReplies(list(model_replies.values()), earlier)


def _plan(row: StoredRun) -> RunPlan:
    plan = plan_of_run(row)
    assert isinstance(plan, RunPlan)
    return plan


def _order(plan: RunPlan) -> str:
    """Return the name of the order of options, which is equal in runs with the same order."""
    return f"{plan.seed}/{plan.order}" if isinstance(plan, ShortcutPlan) and plan.order else ""


def _models(rows: Sequence[StoredRun]) -> dict[int, str]:
    """Return the model of each run, by the run's id. Models that were never asked for shortcuts or without pictures are
    left out."""
    who: dict[int, str] = {}
    looked: set[str] = set()
    label: dict[str, str] = {}
    for row in sorted(rows, key=lambda each: each.id):
        parts = {name: part for name, part in identities.parts_of_run(row).items() if name not in _CONDITION}
        who[row.id] = identity = identities.identity(parts)
        plan = _plan(row)
        spec: Mapping[str, Any] = row.params["spec"]
        label.setdefault(identity, " ".join([str(spec["name"]), *(f"+{name}" for name in plan.injections)]))
        if isinstance(plan, ShortcutPlan) or plan.text_only:
            looked.add(identity)
    seen: Counter[str] = Counter()
    called = {}
    for identity in dict.fromkeys(model for model in who.values() if model in looked):
        seen[label[identity]] += 1
        number = seen[label[identity]]
        called[identity] = label[identity] + (f" ({number})" if number > 1 else "")
    return {id: called[identity] for id, identity in who.items() if identity in called}


def _as_shown(schema: Schema, attempt: StoredAttempt, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an item's fields, with the options in the order in which the model saw them."""
    name, order = options_field(schema) or "", attempt.detail.get("order")
    return fields if order is None else {**fields, name: [fields[name][at] for at in order]}


def _read(schema: Schema, plan: RunPlan, attempt: StoredAttempt, fields: Mapping[str, Any]) -> tuple[float, str, str]:
    """Return whether a reply is the key, the stated option, and the reason for no option."""
    if attempt.outcome not in ANSWERS:
        return 0.0 if attempt.outcome.silent else math.nan, "", attempt.outcome.why_none
    asked = asked_of(schema, fields)
    ended = AttemptEnd(attempt.finish_reason, attempt.outcome)
    read = read_one(as_stored(attempt.text), asked, ended, ranked=plan.strategy == RANKED)
    if read.outcome is not ReadOutcome.READ:
        return 0.0, "", read.outcome.words
    value, why = held_against(read.value, asked, fields.get(key_field(schema) or ""))
    return value, str(read.value), why


def by_item(said: Collection[ModelReply]) -> Iterator[tuple[str, list[ModelReply]]]:
    """Yield each item with its replies."""
    model_replies: dict[str, list[ModelReply]] = {}
    for reply in said:
        model_replies.setdefault(reply.item, []).append(reply)
    yield from model_replies.items()
