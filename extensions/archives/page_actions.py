"""The buttons *Export project* and *Delete project* of the page *Project*."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from urllib.parse import quote

import streamlit as st

from app import markup, shell
from app.projects import project_jobs
from app.projects.project_actions import ProjectAction
from app.reruns import dialogs
from app.services import Services
from domain.records import ProjectView
from extensions.archives import deletion, exporting, jobs

MEGABYTE = 1024 * 1024


def _export(services: Services, view: ProjectView) -> None:
    project_jobs.begin(services, jobs.ARCHIVE.name, view.name)


def _archive_file(services: Services, view: ProjectView) -> None:
    path = exporting.archive_for(services.store, services.settings.home, by=services.person, project=view.name)
    if path is None:
        return
    about = path.stat()
    made = markup.moment(datetime.fromtimestamp(about.st_mtime, UTC))
    words = f"Download {view.name}.zip"
    link = markup.tag("a", markup.text(words), href=f"/archive/{quote(view.name)}", target="_self", download="")
    size = max(about.st_size / MEGABYTE, 0.1)
    rest = f" ({size:,.1f} MB, made {made}). The file has all data of the project. Keep the file confidential."
    shell.show(markup.tag("p", link, markup.quiet(rest), style="ts", data_part="archive"))


def _delete(services: Services, view: ProjectView) -> None:
    lost = deletion.losses(services.store, by=services.person, project=view.name)
    name = f"projects.delete.{view.name}"
    dialogs.show(f"Delete {view.title}?", partial(_ask, services, view, lost.words, name), name=name)


def _ask(services: Services, view: ProjectView, lost: str, name: str) -> None:
    key = f"{name}.typed"
    shell.show(
        markup.paragraph(f"This action deletes {lost}. People's accounts remain.", style="ts"),
        markup.paragraph(
            "You cannot undo this action. If you may need the project again, export it first.", style="ts ts-quiet"
        ),
    )
    typed = st.text_input(f"To confirm, type the project ID, {view.name}", key=key)

    def do() -> None:
        if dialogs.is_open(name) and str(st.session_state.get(key) or "").strip() == view.name:
            dialogs.close(name)
            with shell.pressed(services):
                project_jobs.begin(services, jobs.DELETE.name, view.name, of_project=False, typed=view.name)

    left, right = st.columns(2)
    no = left.button("Cancel", key=f"{name}.no", width="stretch", on_click=dialogs.close, args=(name,))
    yes = right.button("Delete project", key=f"{name}.yes", type="primary", width="stretch", on_click=do)
    if yes and typed.strip() != view.name:
        shell.show(markup.notice(f"Nothing was deleted. Type the project ID, {view.name}, exactly.", style="bad"))
    elif no or yes:
        st.rerun()


ACTIONS = (
    ProjectAction("export", "Export project", jobs.ARCHIVE.name, _export, _archive_file),
    ProjectAction("delete", "Delete project", jobs.DELETE.name, _delete),
)
