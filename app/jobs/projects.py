"""The job that makes a release.

If a process dies after making the release and before the job's end, the next process finds the release and does not
make a second one. Extensions make point releases by the same functions.
"""

from __future__ import annotations

from workflow.jobs.kinds import JobContext, JobKind, JobOutcome
from workflow.releases import create
from workflow.releases.listing import Release, all_releases
from workflow.releases.settings import ReleaseOptions


def _release(context: JobContext) -> JobOutcome:
    asked = ReleaseOptions.load(context.input)
    there = releases_before(context)
    made = release_since(context, there) if context.job.result is not None else None
    if made is not None:
        return JobOutcome(f"Release {made.version} is complete. Items: {made.items:,}.")
    context.note([release.version for release in there])
    created = create.create(
        context.store,
        context.media,
        context.home,
        by=context.by,
        project=project_of(context),
        asked=asked,
        progress=context.progress,
    )
    sentence = f"Release {created.version} is complete. Items: {created.items:,}. Files: {created.files:,}."
    return JobOutcome(" ".join([sentence, *created.notes]))


def project_of(context: JobContext) -> str:
    """Return the name of a job's project."""
    assert context.job.project is not None
    return context.job.project


def releases_before(context: JobContext) -> list[Release]:
    """Return the releases of a job's project that there are now."""
    return all_releases(context.store, context.home, by=context.by, project=project_of(context))


def release_since(context: JobContext, there: list[Release]) -> Release | None:
    """Return the release that this person made since the job first began.

    There is one only if a process died between the release and the end of the job.
    """
    before, by = set(context.job.result), context.by.login if context.by is not None else None
    new = [release for release in there if release.version not in before and release.by == by]
    return new[-1] if new else None


RELEASE = JobKind("release", "Release", "Creating a release of {}", _release)
ROWS = (RELEASE,)
