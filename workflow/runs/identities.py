"""Who a model or a judge is, whichever run asked it: what is asked, by what, and how its replies are read.

A run asks about some items or answers. Which ones, how fast and for how much money does not make another rater of a
model or a judge. Runs with the same identity go by one name, and everything that counts reads them as one.
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
"""Parts of an endpoint that say how fast and how long it is asked, not what."""


def filled(plan: JudgePlan) -> dict[str, str]:
    """What fills each placeholder of a plan: a field of the item, ``dimension``, or ``prediction``, the model's answer.

    A plan says all that is not a field of the placeholder's own name, also one of an earlier version.
    """
    template = judge_templates.parse_template(plan.template_text, name=plan.template)
    pair = PAIR if template.head.pair else ()
    return {name: plan.fills.get(name, PREDICTION if name in pair else name) for name in template.prompt.placeholders}


def described(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A model's description without what makes no other model of it, a name for each part."""
    told = {name: each for name, each in spec.items() if name not in NOT_ASKED_BY}
    endpoint = told.pop("endpoint", None)
    if isinstance(endpoint, Mapping):
        told |= {name: each for name, each in endpoint.items() if name not in NOT_SAID}
        told["base_url"] = place_of(str(endpoint.get("base_url", "")))
    generation = told.pop("generation", None)
    return told | (dict(generation) if isinstance(generation, Mapping) else {})


def description(spec: Mapping[str, Any]) -> str:
    """A hash of a model's description without what makes no other model of it."""
    told = json.dumps(described(spec), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(told.encode()).hexdigest()


def parts_of(spec: Mapping[str, Any] | None, plan: Plan, *, folder: str | None = None) -> dict[str, Any]:
    """All that makes a model or a judge what it is, a name for each part."""
    told = described(spec or {})
    told |= {"folder": folder} if folder else {}
    told |= {name: each for name, each in plan.dump().items() if name not in plan.NOT_IDENTITY}
    if isinstance(plan, JudgePlan):
        told["placeholders"] = filled(plan)
    return told


def parts_of_run(row: StoredRun) -> dict[str, Any]:
    """As ``parts_of``, of a run of a model or a judge, as it was when it was started."""
    plan = plan_of(row.kind, row.params.get("plan", {}))
    return parts_of(row.params.get("spec"), plan, folder=row.params.get("folder"))


def identity(parts: Mapping[str, Any]) -> str:
    """SHA-256 of the parts: the same for anyone who is the same."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def same_judge(row: StoredRun) -> str:
    """As ``identity``, of a judge, whether models' answers were put before it or answers that attack it."""
    parts = parts_of_run(row) if "spec" in row.params else {"judge": row.name} | parts_of_run(row)
    return identity({name: each for name, each in parts.items() if name not in ("attacks", "criteria")})


def name_of(rows: Sequence[StoredRun], *, kind: RunKind, label: str, parts: Mapping[str, Any]) -> str | None:
    """What the runs of a project call the model or the judge of that label and identity; None: there is none yet."""
    wanted = identity(parts)
    for row in sorted(rows, key=lambda each: each.id):
        labelled = row.kind is kind and "spec" in row.params and label in (row.name, label_of(row.name))
        if labelled and identity(parts_of_run(row)) == wanted:
            return row.name
    return None


def label_of(name: str) -> str:
    """A name without the number that tells it from another one of its label.

    >>> label_of("gpt-4 by pca_anchors 1 (2)"), label_of("gpt-4 by pca_anchors 1")
    ('gpt-4 by pca_anchors 1', 'gpt-4 by pca_anchors 1')
    """
    return _NUMBERED.sub("", name)


def differences(one: Mapping[str, Any], other: Mapping[str, Any], *, most: int = 4) -> str:
    """What makes two of the same label different ones, in words; empty: nothing."""
    names = [name for name in dict.fromkeys([*one, *other]) if one.get(name) != other.get(name)]
    told = []
    for name in names[:most]:
        values = [_short(each.get(name)) for each in (one, other)]
        words = name.replace("_", " ")
        told.append(words if None in values else f"{words}: {values[0]}, not {values[1]}")
    more = len(names) - len(told)
    return "; ".join([*told, *([f"{more} more"] if more > 0 else [])])


def _short(value: Any) -> str | None:
    """A value in a few letters; None: it is too long for a line."""
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 40 else None
