"""What models said where it was looked whether items need their pictures: each reply read against the options as they
were shown, and held against the key."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas.asked import asked_of, held_against
from annotation_schemas.keys import key_field, options_field
from annotation_schemas.model import Schema
from db import readings, run_attempts, runs
from db.engine import Session
from db.readings import AttemptEnd
from db.records import StoredAttempt, StoredRun
from domain.reading.answers import ReadOutcome
from domain.run_kinds import RunKind
from domain.runs import ANSWERS, RunPlan
from extensions.shortcuts.model_asking import STRATEGIES
from extensions.shortcuts.run_plan import ShortcutPlan
from workflow.access.projects import Access
from workflow.annotate.answer_readings import as_stored
from workflow.annotate.reading_rows import read_one, state_at
from workflow.runs import identities
from workflow.runs.stored_runs import plan_of_run

WITH, WITHOUT = ShortcutPlan().condition, ShortcutPlan(text_only=True).condition
RANKED = "rank_options"
"""The strategy in which a model writes nothing."""
_CONDITION = frozenset({"frames", "order", "orders", "seed", "text_only", "without_marks"})


@dataclass(frozen=True)
class Argument:
    """What a model wrote, for people to read."""

    text: str
    options: Sequence[str]
    """In the order in which it saw them: its letters are theirs."""


@dataclass(frozen=True)
class ModelReply:
    """What a model said of an item under a condition, with its options in one order."""

    model: str
    condition: str
    order: str
    item: str
    value: float
    """1: it is the key; 0: it is not, or states no option, or not one; nan: no one knows what it would have said."""
    chose: str = ""
    """The option that it states; empty: none."""
    why: str = ""
    """Why nothing is known of it, or why no option was read."""
    argument: Argument | None = None
    """How it came to another answer than the key, with images."""


@dataclass(frozen=True)
class ModelReplies:
    """What all models said, the newest run of each condition and order."""

    said: Sequence[ModelReply]
    earlier: int
    """Replies to items that have been changed since: they count for nothing."""


def read_replies(session: Session, access: Access, names: Mapping[int, str]) -> ModelReplies:
    """Of the models of a project about these items, by their ids. Ordinary runs of a model that was looked at count as
    what it says with images, and those that leave pictures out as what it says without."""
    rows = [
        row
        for kind in (RunKind.MODEL, RunKind.SHORTCUT)
        for row in runs.of_project(session, project_id=access.project_id, kind=kind)
        if row.withdrawn_at is None and "spec" in row.params and _plan(row).strategy in STRATEGIES
    ]
    called = _models(rows)
    found: dict[tuple[str, str, str, str], ModelReply] = {}
    earlier = 0
    states = readings.revisions(session, item_ids=names)
    for row in sorted(rows, key=lambda each: each.id):
        if row.id not in called:
            continue
        plan = _plan(row)
        shown = plan.condition if isinstance(plan, ShortcutPlan) else WITHOUT if plan.text_only else WITH
        order = _order(plan)
        for attempt in run_attempts.last_ones(session, run_ids=[row.id]):
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
            each = ModelReply(called[row.id], shown, order, names[attempt.item_id], value, chose, why, argument)
            found[each.model, each.condition, each.order, each.item] = each
    return ModelReplies(list(found.values()), earlier)


def _plan(row: StoredRun) -> RunPlan:
    plan = plan_of_run(row)
    assert isinstance(plan, RunPlan)
    return plan


def _order(plan: RunPlan) -> str:
    """Which order of options it is: the same in runs that show the same one."""
    return f"{plan.seed}/{plan.order}" if isinstance(plan, ShortcutPlan) and plan.order else ""


def _models(rows: Sequence[StoredRun]) -> dict[int, str]:
    """Whom each run asks, by its id: the model whatever it is shown; of those alone that were asked for shortcuts, or
    without pictures."""
    who: dict[int, str] = {}
    looked: set[str] = set()
    label: dict[str, str] = {}
    for row in sorted(rows, key=lambda each: each.id):
        parts = {name: each for name, each in identities.parts_of_run(row).items() if name not in _CONDITION}
        who[row.id] = identity = identities.identity(parts)
        plan = _plan(row)
        spec: Mapping[str, Any] = row.params["spec"]
        label.setdefault(identity, " ".join([str(spec["name"]), *(f"+{name}" for name in plan.injections)]))
        if isinstance(plan, ShortcutPlan) or plan.text_only:
            looked.add(identity)
    seen: Counter[str] = Counter()
    called = {}
    for identity in dict.fromkeys(each for each in who.values() if each in looked):
        seen[label[identity]] += 1
        number = seen[label[identity]]
        called[identity] = label[identity] + (f" ({number})" if number > 1 else "")
    return {id: called[identity] for id, identity in who.items() if identity in called}


def _as_shown(schema: Schema, attempt: StoredAttempt, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """An item's fields, its options in the order in which the model saw them."""
    name, order = options_field(schema) or "", attempt.detail.get("order")
    return fields if order is None else {**fields, name: [fields[name][at] for at in order]}


def _read(schema: Schema, plan: RunPlan, attempt: StoredAttempt, fields: Mapping[str, Any]) -> tuple[float, str, str]:
    """Whether a reply is the key, which option it states, and why none."""
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
    """What was said of each item, in the order in which items came."""
    found: dict[str, list[ModelReply]] = {}
    for each in said:
        found.setdefault(each.item, []).append(each)
    yield from found.items()
