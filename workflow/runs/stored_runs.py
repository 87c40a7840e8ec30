"""What a stored run says of itself: who is asked, by which plan, and whether it may go on."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from pathlib import Path

from db import runs
from db.engine import Session
from db.records import StoredRun
from domain.errors import Conflict, ModelRefused, NotFound
from domain.judging import JudgePlan, Plan
from domain.records import Person
from domain.rewording import Reading
from domain.run_kinds import plan_of
from inference.spec import ModelSpec
from workflow.access.projects import Access, access_to, require_lead


def folder_hash(spec: ModelSpec) -> str | None:
    """SHA-256 of a model folder's configurations and of the names and sizes of its other files; None without one."""
    if spec.adapter in ("endpoint", "file") or not spec.model or not Path(spec.model).is_dir():
        return None
    told = []
    for path in sorted(Path(spec.model).iterdir()):
        if not path.is_file() or path.name.startswith("."):
            continue
        if path.suffix in (".json", ".jinja", ".txt", ".py"):
            told.append((path.name, hashlib.sha256(path.read_bytes()).hexdigest()))
        else:
            told.append((path.name, str(path.stat().st_size)))
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def refuse_changed(row: StoredRun) -> None:
    """Refuse to go on with a model whose folder is no longer what it was when the run was started."""
    known = row.params.get("folder")
    if known is None:
        return
    spec = spec_of_run(row)
    now = folder_hash(spec)
    if now is not None and now != known:
        raise ModelRefused(
            f"The model in {spec.model} has changed since this run was started: its answers would not belong to those"
            " that are there. Put the old files back, or start a new run."
        )


def refuse_withdrawn(row: StoredRun, before: str) -> None:
    """Refuse what would count nowhere; ``before`` says what it is to be taken back for."""
    if row.withdrawn_at is not None:
        raise Conflict(f"The run of {row.name} was withdrawn ({row.withdrawn_why}); take it back {before}.")


def spec_of_run(row: StoredRun) -> ModelSpec:
    """The model of a run, as it was when it was started."""
    return ModelSpec.model_validate(row.params["spec"])


def plan_of_run(row: StoredRun) -> Plan:
    """The plan of a run: what kind it has depends on what it is a run of."""
    return plan_of(row.kind, row.params.get("plan", {}))


def judge_plan_now(row: StoredRun, reading: Reading) -> JudgePlan:
    """The plan of a run of a judge, its criteria and values as they are called now: what was read of its replies is
    said in these words, too."""
    plan = JudgePlan.of(row.params["plan"])
    version = reading.version_of((row.params.get("schema") or {}).get("version"))
    return plan if version is None else plan.reworded(partial(reading.rating, version))


def in_batches(row: StoredRun) -> bool:
    """Whether a run's questions are handed in as batch files."""
    return plan_of_run(row).batch


def run_and_access(session: Session, by: Person | None, run: str) -> tuple[StoredRun, Access]:
    """A run and its project, for leads; to others it does not exist."""
    row = runs.by_public_id(session, public_id=run)
    name = runs.project_of(session, public_id=run)
    if row is None or name is None:
        raise NotFound(f"There is no run {run!r}; `touchstone run list PROJECT` shows those that there are.")
    access_to(session, person=by, project=name)
    return row, require_lead(session, by=by, project=name)
