"""The contents of a stored run: its model, its plan, and whether it may continue."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from pathlib import Path

from db import runs
from db.engine import Session
from db.records import StoredRun
from domain.errors import ConflictError, ModelError, NotFoundError
from domain.judging import JudgePlan, Plan
from domain.records import Person
from domain.rewording import Rewording
from domain.run_kinds import plan_of
from inference.spec import ModelSpec
from workflow.access.projects import Access, access_to, require_lead


def folder_hash(spec: ModelSpec) -> str | None:
    """Return the SHA-256 of a model folder: the contents of its configuration files, and the names and sizes of others.

    None for a description without a folder.
    """
    if spec.adapter in ("endpoint", "file") or not spec.model or not Path(spec.model).is_dir():
        return None
    file_hashes = []
    for path in sorted(Path(spec.model).iterdir()):
        if not path.is_file() or path.name.startswith("."):
            continue
        if path.suffix in (".json", ".jinja", ".txt", ".py"):
            file_hashes.append((path.name, hashlib.sha256(path.read_bytes()).hexdigest()))
        else:
            file_hashes.append((path.name, str(path.stat().st_size)))
    return hashlib.sha256(json.dumps(file_hashes).encode()).hexdigest()


def refuse_changed(row: StoredRun) -> None:
    """Raise ``ModelError`` if the model's folder has changed since the run was started."""
    known = row.params.get("folder")
    if known is None:
        return
    spec = spec_of_run(row)
    now = folder_hash(spec)
    if now is not None and now != known:
        raise ModelError(
            f"The model in {spec.model} has changed since this run started, so new answers would not match the earlier"
            " answers. Restore the old files, or start a new run."
        )


def refuse_withdrawn(row: StoredRun, before: str) -> None:
    """Raise ``ConflictError`` for a withdrawn run. ``before`` completes the advice to take the run back."""
    if row.withdrawn_at is not None:
        raise ConflictError(f"The run of {row.name} was withdrawn ({row.withdrawn_why}). Undo the withdrawal {before}.")


def spec_of_run(row: StoredRun) -> ModelSpec:
    """Return the model description of a run, as it was at its start."""
    return ModelSpec.model_validate(row.params["spec"])


def plan_of_run(row: StoredRun) -> Plan:
    """Return the plan of a run. Its class depends on the kind of the run."""
    return plan_of(row.kind, row.params.get("plan", {}))


def judge_plan_now(row: StoredRun, reading: Rewording) -> JudgePlan:
    """Return the plan of a judge run, with the present names of its criteria and values.

    Readings of the run's replies use the same names.
    """
    plan = JudgePlan.of(row.params["plan"])
    version = reading.version_of((row.params.get("schema") or {}).get("version"))
    return plan if version is None else plan.reworded(partial(reading.rating, version))


def in_batches(row: StoredRun) -> bool:
    """Return whether a run's questions are submitted as batch files."""
    return plan_of_run(row).batch


def run_and_access(session: Session, by: Person | None, run: str) -> tuple[StoredRun, Access]:
    """Return a run and its project, for leads. For others the run does not exist."""
    row = runs.by_public_id(session, public_id=run)
    name = runs.project_of(session, public_id=run)
    if row is None or name is None:
        raise NotFoundError(f"There is no run {run!r}. To see all runs, run `touchstone run list PROJECT`.")
    access_to(session, person=by, project=name)
    return row, require_lead(session, by=by, project=name)
