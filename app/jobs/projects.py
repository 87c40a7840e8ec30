"""Jobs about a whole project: its archive, a copy, its deletion, a release, and a point release.

Each job makes one thing. If a process dies after making the thing and before the job's end, the next process finds the
thing and does not make a second one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from domain.project_parts import ProjectPart
from media.store import MediaStore
from workflow.access import project_care
from workflow.access.projects import all_projects
from workflow.files import project_copy, project_export, project_removal
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome
from workflow.releases import create, withdraw
from workflow.releases.listing import Release, all_releases
from workflow.releases.settings import ReleaseOptions


def _archive(context: JobContext) -> JobOutcome:
    project, home = _project(context), context.home
    if context.job.result is None:
        out = project_export.archive_in(home, project)
        out.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = out.with_name(f"{project}.{context.job.id}.partial")  # someone may still read the existing archive
        _clear(made)
        try:
            media = MediaStore(home / "media")
            about: Any = {"by": context.by, "project": project}
            project_export.export_project(context.store, media, **about, out=made, progress=context.progress)
            made.replace(out)
        finally:
            _clear(made)
        context.note({"packed": True})
    assert context.by is not None
    project_care.note_export(context.store, by=context.by, project=project)
    return JobOutcome("The archive is ready.")


def _clear(made: Path) -> None:
    """Remove the leftovers of an archive from a process that died."""
    for path in (made, *made.parent.glob(f".{made.name}.*")):
        path.unlink(missing_ok=True)


def _copy(context: JobContext) -> JobOutcome:
    asked = context.input
    name, title = asked["name"], asked["title"]
    if context.is_resumed and any(project.name == name for project in all_projects(context.store)):
        return JobOutcome(f"The copy is made: {title}.")
    parts = frozenset(map(ProjectPart, asked["without"]))
    about: Any = {"project": _project(context), "name": name, "title": title, "without": parts, "by": context.by}
    media = MediaStore(context.home / "media")
    made = project_copy.clone_project(context.store, media, progress=context.progress, **about)
    return JobOutcome(" ".join([f"The copy is made: {title}.", *made.notes]))


def _delete(context: JobContext) -> JobOutcome:
    project, media = _project(context), MediaStore(context.home / "media")
    about: Any = {"home": context.home, "project": project, "progress": context.progress}
    runs = context.job.result
    if runs is not None and all(each.name != project for each in all_projects(context.store)):
        project_removal.finish_deletion(context.store, media, **about, of_runs=runs)
    else:
        context.note(project_removal.runs_of(context.store, by=context.by, project=project))
        project_removal.delete_project(context.store, media, by=context.by, typed=context.input["typed"], **about)
    return JobOutcome(f"{project} is deleted.")


def _release(context: JobContext) -> JobOutcome:
    asked = ReleaseOptions.load(context.input)
    there = _releases(context)
    made = _since(context, there) if context.job.result is not None else None
    if made is not None:
        return JobOutcome(f"Release {made.version} is made: {made.items:,} items.")
    context.note([each.version for each in there])
    created = create.create(
        context.store,
        MediaStore(context.home / "media"),
        context.home,
        by=context.by,
        project=_project(context),
        asked=asked,
        progress=context.progress,
    )
    said = f"Release {created.version} is made: {created.items:,} items in {created.files:,} files."
    return JobOutcome(" ".join([said, *created.notes]))


def _withdraw(context: JobContext) -> JobOutcome:
    asked = context.input
    said = "Release {} is made, without {}. Release {} stays as it is."
    there = _releases(context)
    made = _since(context, there) if context.job.result is not None else None
    if made is None:
        context.note([each.version for each in there])
        about: Any = {"version": asked["version"], "item": asked["item"], "reason": asked["reason"]}
        media, by = MediaStore(context.home / "media"), context.by
        about |= {"by": by, "project": _project(context), "progress": context.progress}
        created = withdraw.withdraw(context.store, media, context.home, **about)
        version, notes = created.version, created.notes
    else:
        version, notes = made.version, ()
    return JobOutcome(" ".join([said.format(version, asked["item"], asked["version"]), *notes]))


def _project(context: JobContext) -> str:
    assert context.job.project is not None
    return context.job.project


def _releases(context: JobContext) -> list[Release]:
    return all_releases(context.store, context.home, by=context.by, project=_project(context))


def _since(context: JobContext, there: list[Release]) -> Release | None:
    """Return the release that this person made since the job first began.

    There is one only if a process died between the release and the end of the job.
    """
    before, by = set(context.job.result), context.by.login if context.by is not None else None
    new = [each for each in there if each.version not in before and each.by == by]
    return new[-1] if new else None


ARCHIVE = JobKind("archive", "Archive", "Packing {}", _archive)
COPY = JobKind("copy", "Copy", "Copying {}", _copy)
DELETE = JobKind("delete", "Deletion", "Deleting {}", _delete)
RELEASE = JobKind("release", "Release", "Making a release of {}", _release)
WITHDRAW = JobKind("withdraw", "Point release", "Making a point release of {}", _withdraw)
ROWS = (ARCHIVE, COPY, DELETE, RELEASE, WITHDRAW)
