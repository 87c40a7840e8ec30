"""The identity of a model or a judge, independent of the run: the questions, the model, and the reading of replies.

A run asks about some items or answers. Their choice, the speed and the budget do not make another model or judge. Runs
with the same identity share one name, and all counts treat them as one rater.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from annotation_schemas import judge_templates
from annotation_schemas.judge_templates import PAIR, PREDICTION
from db.records import StoredRun
from domain.addresses import place_of
from domain.judging import JudgePlan, Plan
from domain.run_kinds import RunKind, plan_of

_NUMBERED = re.compile(r" \(\d+\)\Z")

NOT_ASKED_BY = frozenset({"name", "note", "device", "batch_size", "attributes"})
"""Parts of a model's description that make no other model of it."""
NOT_SAID = frozenset(
    {
        "key",
        "concurrency",
        "requests_per_minute",
        "tokens_per_minute",
        "timeout_seconds",
        "attempts",
        "longest_wait_seconds",
        "price",
        "max_cost",
        "max_calls",
        "probe",
    }
)
"""Parts of an endpoint's description that set the speed and duration of requests, and not their content."""


def filled(plan: JudgePlan) -> dict[str, str]:
    """Return the source of each placeholder of a plan: a field of the item, ``dimension``, or ``prediction``.

    ``prediction`` is the model's answer. A placeholder without an entry in the plan is a field of its own name.
    """
    template = judge_templates.parse_template(plan.template_text, name=plan.template)
    pair = PAIR if template.head.pair else ()
    return {name: plan.fills.get(name, PREDICTION if name in pair else name) for name in template.prompt.placeholders}


def described(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a model's description without settings that do not change the model, with a name for each part."""
    parts = {name: value for name, value in spec.items() if name not in NOT_ASKED_BY}
    endpoint = parts.pop("endpoint", None)
    if isinstance(endpoint, Mapping):
        parts |= {name: value for name, value in endpoint.items() if name not in NOT_SAID}
        parts["base_url"] = place_of(str(endpoint.get("base_url", "")))
    generation = parts.pop("generation", None)
    return parts | (dict(generation) if isinstance(generation, Mapping) else {})


def description(spec: Mapping[str, Any]) -> str:
    """Return a hash of a model's description, without settings that do not change the model."""
    text = json.dumps(described(spec), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def parts_of(spec: Mapping[str, Any] | None, plan: Plan, *, folder: str | None = None) -> dict[str, Any]:
    """Return all parts that identify a model or a judge, by name."""
    parts = described(spec or {})
    parts |= {"folder": folder} if folder else {}
    parts |= {name: value for name, value in plan.dump().items() if name not in plan.NOT_IDENTITY}
    if isinstance(plan, JudgePlan):
        parts["placeholders"] = filled(plan)
    return parts


def parts_of_run(row: StoredRun) -> dict[str, Any]:
    """Return the same as ``parts_of`` for a stored run, as it was at its start."""
    plan = plan_of(row.kind, row.params.get("plan", {}))
    return parts_of(row.params.get("spec"), plan, folder=row.params.get("folder"))


def identity(parts: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the parts. Equal identities have equal hashes."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def same_judge(row: StoredRun) -> str:
    """Return the identity of a judge, which is the same for models' answers and for attack answers."""
    parts = parts_of_run(row) if "spec" in row.params else {"judge": row.name} | parts_of_run(row)
    return identity({name: value for name, value in parts.items() if name not in ("attacks", "criteria")})


def name_of(rows: Sequence[StoredRun], *, kind: RunKind, label: str, parts: Mapping[str, Any]) -> str | None:
    """Return the name that runs of a project have for this label and identity; None for a new identity."""
    wanted = identity(parts)
    for row in sorted(rows, key=lambda each: each.id):
        labelled = row.kind is kind and "spec" in row.params and label in (row.name, label_of(row.name))
        if labelled and identity(parts_of_run(row)) == wanted:
            return row.name
    return None


def label_of(name: str) -> str:
    """Return a name without the number that separates it from others of the same label.

    >>> label_of("gpt-4 by pca_anchors 1 (2)"), label_of("gpt-4 by pca_anchors 1")
    ('gpt-4 by pca_anchors 1', 'gpt-4 by pca_anchors 1')
    """
    return _NUMBERED.sub("", name)


def differences(one: Mapping[str, Any], other: Mapping[str, Any], *, most: int = 4) -> str:
    """Return the differences between two identities in words; empty for equal ones."""
    names = [name for name in dict.fromkeys([*one, *other]) if one.get(name) != other.get(name)]
    differing = []
    for name in names[:most]:
        values = [_short(side.get(name)) for side in (one, other)]
        words = name.replace("_", " ")
        differing.append(words if None in values else f"{words}: {values[0]}, not {values[1]}")
    more = len(names) - len(differing)
    return "; ".join([*differing, *([f"{more} more"] if more > 0 else [])])


def _short(value: Any) -> str | None:
    """Return a value as a short text; None if the text is too long for a line."""
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 40 else None
