"""The start of a run of any kind, as rows that workers take. No model is loaded here.

A run is rows: chunks of units in a shuffled order, which workers (``workflow.runs.worker``) take one after the other,
and every attempt.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from db import run_chunks, runs
from db.engine import Session, Store
from db.records import StoredRun
from domain.errors import ModelError
from domain.judging import Plan
from domain.records import Person
from domain.run_kinds import RunKind, kind_of
from domain.runs import RunPlan, RunState, chunked
from domain.settings import Settings
from inference.endpoint import answerer as endpoints
from inference.spec import ModelSpec
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.runs import identities, run_jobs
from workflow.runs.askings import asking_of
from workflow.runs.stored_runs import folder_hash, plan_of_run, spec_of_run


def start(
    store: Store,
    *,
    by: Person | None,
    project: str,
    spec: ModelSpec,
    plan: Plan,
    settings: Settings | None = None,
) -> str:
    """Store a new run of a model or a judge, so that workers can take it. Return its public id.

    Parameters
    ----------
    by
        None is a command on the machine itself.
    settings
        Wake a waiting worker at once. Without settings, the worker finds the run a few seconds later.

    Raises
    ------
    NotAvailableError
        A strategy, prompt set, score or parser of the plan is not available.
    ModelError
        No worker could ask with this description.
    InvalidInputError
        The plan selects no unit.
    """
    kind = kind_of(plan)
    asking = asking_of(kind)
    asking.check(spec, plan)
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        counted = asking.counted(session, access, plan)
        if counted is not None and counted.verdicts:
            plan = replace(plan, items=counted.which.value)
        units = asking.units(session, access, plan)
        spec = asking.described(access.schema, spec, plan)
        run = write_down(
            session,
            store,
            access,
            by=by,
            kind=kind,
            label=asking.label(spec, plan),
            spec=with_full_path(spec, settings, by=by),
            plan=plan,
            n_units=len(units),
        )
        add_chunks(session, run, asking.store_units(session, run.id, units))
    if not plan.batch:
        wake(store, settings, run.public_id)
    return run.public_id


def write_down(
    session: Session,
    store: Store,
    access: Access,
    *,
    by: Person | None,
    kind: RunKind,
    label: str,
    spec: ModelSpec,
    plan: Plan,
    n_units: int,
) -> StoredRun:
    """Store a new run without its chunks.

    The run has the name of its model or judge, which only runs with the same identity share
    (``workflow.runs.identities``). Raises ``ModelError`` for an endpoint that no worker would ask, so that a password
    in a URL is never stored.
    """
    endpoints.check(spec)
    folder = folder_hash(spec)
    parts = identities.parts_of(spec.dump(), plan, folder=folder)
    there = runs.of_project(session, project_id=access.project_id, kind=kind)
    known = identities.name_of(there, kind=kind, label=label, parts=parts)
    row = runs.add(
        session,
        project_id=access.project_id,
        kind=kind,
        name=known or free_name(session, access, label),
        params={
            "spec": spec.dump(),
            "plan": plan.dump(),
            "folder": folder,
            "schema": {"name": access.schema.name, "version": access.schema.version, "hash": access.loaded.hash},
        },
        state=RunState.BATCH if plan.batch else RunState.WAITING,
        spec_hash=_hash(spec, plan),
        wanted=n_units,
        by_id=by.id if by else None,
        now=store.now(),
    )
    log(session, "run.started", by=by, run=row, now=store.now(), data={"wanted": n_units, "hash": row.spec_hash})
    return row


def add_chunks(session: Session, row: StoredRun, unit_ids: Sequence[int]) -> None:
    """Cut a run's units into the chunks that workers take."""
    spec, plan = spec_of_run(row), plan_of_run(row)
    clips = isinstance(plan, RunPlan) and bool(plan.clips) and not plan.text_only
    size = _chunk_size(spec, len(unit_ids), clips=clips)
    run_chunks.add_chunks(session, run_id=row.id, chunks=chunked(unit_ids, size))


def with_full_path(spec: ModelSpec, settings: Settings | None, *, by: Person | None = None) -> ModelSpec:
    """Return the description with the full path of the model's folder, so that every worker finds it.

    A lead can name folders below the operator's folder of models. An admin, and a command on the machine itself, can
    name any folder.

    Raises
    ------
    ModelError
        The folder is outside the operator's folder.
    """
    if spec.adapter in ("endpoint", "file") or not spec.model:
        return spec
    home = settings.model_folder.resolve() if settings else None
    trusted = by is None or by.is_admin
    given = Path(spec.model).expanduser()
    below = home / spec.model if home else None
    for folder in (given, below) if trusted else (below,):
        if folder is not None and folder.is_dir() and (trusted or _inside(folder, home)):
            return spec.model_copy(update={"model": str(folder.resolve())})
    elsewhere = given.is_absolute() or ".." in given.parts or given.exists() or (below is not None and below.exists())
    if elsewhere and not trusted:
        raise ModelError(
            f"A model folder on this machine must be inside {home or 'the folder of models'}, but {spec.model} is "
            "not. Ask the person who runs this server to move the folder."
        )
    return spec


def _inside(folder: Path, home: Path | None) -> bool:
    return home is not None and folder.resolve().is_relative_to(home)


def free_name(session: Session, access: Access, label: str) -> str:
    """Return the label, with a number if a run or a model of the project already has this name."""
    taken = runs.names(session, project_id=access.project_id)
    number, name = 2, label
    while name in taken:
        number, name = number + 1, f"{label} ({number})"
    return name


def _chunk_size(spec: ModelSpec, wanted: int, *, clips: bool = False) -> int:
    """Return the number of units in a chunk.

    The size keeps a worker busy for a while, lets several workers share small runs, and fills batches. A chunk's
    pictures are made before its first question is asked, and ``clips`` means dozens of pictures for each question.
    """
    at_once = spec.endpoint.concurrency if spec.endpoint else spec.batch_size
    most = at_once * (max(2, -(-8 // at_once)) if clips else max(16, -(-64 // at_once)))
    shares = 2 if spec.endpoint else 8  # mostly one worker asks an endpoint, and between two pieces it falls silent
    return max(at_once, min(most, -(-wanted // (shares * at_once)) * at_once))


def _hash(spec: ModelSpec, plan: Plan) -> str:
    text = json.dumps({"spec": spec.dump(), "plan": plan.dump()}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def wake(store: Store, settings: Settings | None, run: str) -> None:
    """Have a worker work on a run. Without settings whoever started the run works on it."""
    if settings is not None:
        run_jobs.wake(store, run)
