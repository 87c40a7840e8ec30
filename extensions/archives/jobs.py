"""Jobs about a whole project: its archive, a copy, and its deletion.

Each job makes one thing. If a process dies after making the thing and before the job's end, the next process finds the
thing and does not make a second one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from db.engine import Store
from domain.project_parts import ProjectPart, archive_in
from domain.records import Person
from extensions.archives import copying, deletion, exporting
from workflow.access.event_log import log
from workflow.access.projects import all_projects, require_lead
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome


def _archive(context: JobContext) -> JobOutcome:
    project, home = _project(context), context.home
    if context.job.result is None:
        out = archive_in(home, project)
        out.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = out.with_name(f"{project}.{context.job.id}.partial")  # someone may still read the existing archive
        _clear(made)
        try:
            about: Any = {"by": context.by, "project": project}
            exporting.export_project(context.store, context.media, **about, out=made, progress=context.progress)
            made.replace(out)
        finally:
            _clear(made)
        context.note({"packed": True})
    assert context.by is not None
    _note_export(context.store, by=context.by, project=project)
    return JobOutcome("The archive is ready.")


def _clear(made: Path) -> None:
    """Remove the leftovers of an archive from a process that died."""
    for path in (made, *made.parent.glob(f".{made.name}.*")):
        path.unlink(missing_ok=True)


def _copy(context: JobContext) -> JobOutcome:
    asked = context.input
    name, title = asked["name"], asked["title"]
    if context.is_resumed and any(project.name == name for project in all_projects(context.store)):
        return JobOutcome(f"Copy created: {title}.")
    parts = frozenset(map(ProjectPart, asked["without"]))
    about: Any = {"project": _project(context), "name": name, "title": title, "without": parts, "by": context.by}
    made = copying.clone_project(context.store, context.media, progress=context.progress, **about)
    return JobOutcome(" ".join([f"Copy created: {title}.", *made.notes]))


def _delete(context: JobContext) -> JobOutcome:
    project, media = _project(context), context.media
    about: Any = {"home": context.home, "project": project, "progress": context.progress}
    runs = context.job.result
    if runs is not None and all(other.name != project for other in all_projects(context.store)):
        deletion.finish_deletion(context.store, media, **about, of_runs=runs)
    else:
        context.note(deletion.runs_of(context.store, by=context.by, project=project))
        deletion.delete_project(context.store, media, by=context.by, typed=context.input["typed"], **about)
    return JobOutcome(f"{project} is deleted.")


def _note_export(store: Store, *, by: Person, project: str) -> None:
    """Log on the server that a person has downloaded the archive of a project.

    The event belongs to no project, because equal states of a project must give equal archives.
    """
    with store.write(archived_too=True) as session:
        access = require_lead(session, by=by, project=project)
        log(session, "project.exported", by=by, now=store.now(), data={"name": access.name})


def _project(context: JobContext) -> str:
    assert context.job.project is not None
    return context.job.project


ARCHIVE = JobKind("archive", "Archive", "Packing {}", _archive)
COPY = JobKind("copy", "Copy", "Copying {}", _copy)
DELETE = JobKind("delete", "Deletion", "Deleting {}", _delete)
ROWS = (ARCHIVE, COPY, DELETE)
