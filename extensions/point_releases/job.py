"""The job that makes a point release."""

from __future__ import annotations

from typing import Any

from app.jobs.projects import project_of, release_since, releases_before
from extensions.point_releases import withdrawal
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome


def _work(context: JobContext) -> JobOutcome:
    asked = context.input
    sentence = "Release {} was made without {}. Release {} is unchanged."
    there = releases_before(context)
    made = release_since(context, there) if context.job.result is not None else None
    if made is None:
        context.note([release.version for release in there])
        about: Any = {"version": asked["version"], "item": asked["item"], "reason": asked["reason"]}
        media, by = context.media, context.by
        about |= {"by": by, "project": project_of(context), "progress": context.progress}
        created = withdrawal.withdraw(context.store, media, context.home, **about)
        version, notes = created.version, created.notes
    else:
        version, notes = made.version, ()
    return JobOutcome(" ".join([sentence.format(version, asked["item"], asked["version"]), *notes]))


WITHDRAW = JobKind("withdraw", "Point release", "Making a point release of {}", _work)
