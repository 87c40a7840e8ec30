"""Jobs about a whole project: a release, and a point release.

Each job makes one thing. If a process dies after making the thing and before the job's end, the next process finds the
thing and does not make a second one.
"""

from __future__ import annotations

from typing import Any

from media.store import MediaStore
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome
from workflow.releases import create, withdraw
from workflow.releases.listing import Release, all_releases
from workflow.releases.settings import ReleaseOptions


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


RELEASE = JobKind("release", "Release", "Making a release of {}", _release)
WITHDRAW = JobKind("withdraw", "Point release", "Making a point release of {}", _withdraw)
ROWS = (RELEASE, WITHDRAW)
