"""The part of a page that shows jobs: the progress of each job, or its result until the person has read it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from app import markup, shell
from app.jobs.kinds import KINDS
from app.services import Services
from domain.jobs import Job, JobState
from workflow.jobs import desk

LOOK_SECONDS = 1.0


def show(services: Services, kinds: Collection[str], *, project: str | None = None) -> None:
    """Show this person's jobs of these kinds (for one project): the progress, or the result."""
    for job in _newest(services, kinds):
        if project not in (None, job.project):
            continue
        if job.is_open:
            watch(services, job)
        else:
            _ended(services, job)


def _newest(services: Services, kinds: Collection[str]) -> Sequence[Job]:
    """Return the newest unread job of each slot. Earlier jobs of a slot were replaced by the person's own new one."""
    jobs = desk.list_jobs(services.store, by=services.person, kinds=kinds)
    newest = {job.slot: job for job in reversed(jobs)}
    return sorted((job for job in newest.values() if not job.is_read), key=lambda job: job.slot)


def _ended(services: Services, job: Job) -> None:
    words = job.refused or job.said
    shell.show(markup.notice(shell.on_page(words), style="bad" if job.refused else "good"))
    put = f"projects.read.{job.project}"
    st.button("Close message", key=put, on_click=desk.mark_read, args=(services.store,), kwargs={"id": job.id})


@st.fragment(run_every=LOOK_SECONDS)
def watch(services: Services, job: Job) -> None:
    """Show the progress of an open job, and a button that cancels it."""
    with shell.guard(services):
        now = desk.job(services.store, id=job.id)
        if not now.is_open:
            st.rerun()
        st.progress(now.share, text=words(now))
        if now.canceling:
            shell.show(markup.paragraph("Touchstone is canceling this job.", style="ts ts-quiet"))
        else:
            about = {"services": services, "id": job.id}
            st.button("Cancel", key=f"jobs.cancel.{job.id}", on_click=_cancel, kwargs=about)


def words(job: Job) -> str:
    """Return what a job does now, and its progress, in words."""
    doing = KINDS[job.kind].doing.format(job.project) if job.kind in KINDS else job.kind
    n = f", {job.done:,} of {job.of:,}" if job.of > 1 else ""
    at = job.at or ("begins" if job.state is JobState.RUNNING else "waits to start")
    return f"{doing}: {at}{n}"


def _cancel(services: Services, id: str) -> None:
    with shell.pressed(services):
        desk.cancel(services.store, id=id)
