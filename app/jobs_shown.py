"""What someone has begun with whole projects, as pages show it: how far it is, or what came of it."""

from __future__ import annotations

import streamlit as st

from app import markup, project_jobs, shell
from app.project_jobs import Job
from app.services import Services

LOOK_SECONDS = 1.0
DOING = {
    "export": "Packing {}",
    "copy": "Copying {}",
    "delete": "Deleting {}",
    "release": "Making a release of {}",
    "withdraw": "Making a point release of {}",
}


def show(services: Services, *, project: str | None = None) -> None:
    """Each job of this person (or theirs with one project): how far it is, or what came of it, until they have read
    that."""
    for job in project_jobs.jobs_of(services):
        if project not in (None, job.project):
            continue
        if job.over.is_set():
            words = job.refused or job.said
            shell.show(markup.notice(shell.on_page(words), style="bad" if job.refused else "good"))
            put = f"projects.read.{job.project}"
            st.button("Put away", key=put, on_click=project_jobs.forget, args=(services, job))
        else:
            _watch(services, job)


@st.fragment(run_every=LOOK_SECONDS)
def _watch(services: Services, job: Job) -> None:
    with shell.guard(services):
        if job.over.is_set():
            st.rerun()
        words, n = DOING[job.kind].format(job.project), f", {job.done:,} of {job.of:,}" if job.of > 1 else ""
        st.progress(min(job.done / job.of, 1.0) if job.of else 0.0, text=f"{words}: {job.at or 'begins'}{n}")
