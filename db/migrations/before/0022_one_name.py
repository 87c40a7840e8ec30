"""Runs of the same model or judge over further items go by one name, as they are one rater."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_NUMBERED = re.compile(r" \(\d+\)\Z")
_NOT_SPEC = {"name", "note", "device", "batch_size"}
_NOT_ENDPOINT = {
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
_NOT_PLAN = {
    "judge": {
        "template",
        "template_version",
        "template_text",
        "parser_version",
        "samples",
        "models",
        "chosen",
        "per_dimension",
        "seed",
        "dimensions",
        "items",
        "limit",
        "batch",
    },
    "model": {"prompt_text", "dimensions", "states", "items", "limit", "batch", "without_image"},
}


def upgrade() -> None:
    bind = op.get_bind()
    rows = bind.execute(
        sa.text("SELECT id, project_id, kind, name, params FROM run WHERE kind IN ('judge', 'model') ORDER BY id")
    ).all()
    first: dict[tuple[Any, ...], list[tuple[int, str]]] = {}
    for id, project_id, kind, name, stored in rows:
        params = json.loads(stored) if isinstance(stored, str) else stored
        if "spec" not in params:
            continue
        who = (project_id, kind, _NUMBERED.sub("", name), _identity(kind, params))
        before = first.setdefault(who, [])
        # runs that asked about the same things were told apart by their names, and stay so
        mine = _about(bind, id, kind)
        if before and all(mine.isdisjoint(_about(bind, other, kind)) for other, _ in before):
            _rename(bind, id, project_id, kind, name, before[0][1])
            before.append((id, before[0][1]))
        elif not before:
            before.append((id, name))


def downgrade() -> None:
    """Names stay as they are: earlier versions read them, too."""


def _identity(kind: str, params: Mapping[str, Any]) -> str:
    spec = {name: each for name, each in params["spec"].items() if name not in _NOT_SPEC}
    if isinstance(spec.get("endpoint"), dict):
        spec["endpoint"] = {name: each for name, each in spec["endpoint"].items() if name not in _NOT_ENDPOINT}
    plan = {name: each for name, each in params.get("plan", {}).items() if name not in _NOT_PLAN[kind]}
    return json.dumps([spec, plan, params.get("folder")], sort_keys=True)


def _about(bind: sa.Connection, run_id: int, kind: str) -> set[tuple[Any, ...]]:
    """What a run asks about."""
    if kind == "judge":
        asked = "SELECT item_id, prediction_id, other_id, swapped, attack, sample FROM judge_unit WHERE run_id = :run"
        return {tuple(row) for row in bind.execute(sa.text(asked), {"run": run_id})}
    found: set[tuple[Any, ...]] = set()
    for (ids,) in bind.execute(sa.text("SELECT unit_ids FROM run_chunk WHERE run_id = :run"), {"run": run_id}):
        found |= {(id,) for id in (json.loads(ids) if isinstance(ids, str) else ids)}
    answered = sa.text("SELECT item_id FROM prediction WHERE run_id = :run")
    return found | {tuple(row) for row in bind.execute(answered, {"run": run_id})}


def _rename(bind: sa.Connection, run_id: int, project_id: int, kind: str, old: str, new: str) -> None:
    bind.execute(sa.text("UPDATE run SET name = :new WHERE id = :run"), {"new": new, "run": run_id})
    if kind != "model":
        return
    answered = bind.execute(
        sa.text("SELECT i.external_id FROM prediction p JOIN item i ON i.id = p.item_id WHERE p.run_id = :run"),
        {"run": run_id},
    ).all()
    bind.execute(sa.text("UPDATE prediction SET model = :new WHERE run_id = :run"), {"new": new, "run": run_id})
    # grades of these answers that came out of files name the item and the model
    for (item,) in answered:
        there = {"project": project_id, "old": f"{item} · {old}", "new": f"{item} · {new}"}
        bind.execute(
            sa.text(
                "UPDATE imported_rating SET unit = :new WHERE project_id = :project AND unit = :old"
                " AND NOT EXISTS (SELECT 1 FROM imported_rating other WHERE other.project_id = :project"
                " AND other.unit = :new)"
            ),
            there,
        )
