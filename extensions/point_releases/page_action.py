"""The button *Withdraw an item* of a release on the page *Release*."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.projects import project_jobs
from app.releasing.release_actions import ReleaseAction
from app.reruns import dialogs
from app.services import Services
from domain.records import ProjectView
from extensions.point_releases.job import WITHDRAW
from workflow.releases.listing import Release


def _draw(services: Services, view: ProjectView, release: Release) -> None:
    st.button("Withdraw an item", key="release.withdraw", on_click=_ask, args=(services, view, release))


def _ask(services: Services, view: ProjectView, release: Release) -> None:
    name = f"release.withdraw.{release.version}"

    def draw() -> None:
        shell.show(
            markup.paragraph(
                f"Release {release.version} stays as it is, and still verifies. The next point release lacks the item.",
                style="ts ts-quiet",
            )
        )
        item = st.text_input("Item, by its id in files", key=f"{name}.item")
        reason = st.text_input("Why: people who use it will ask", key=f"{name}.reason")
        left, right = st.columns(2)
        no = left.button("Cancel", key=f"{name}.no", width="stretch", on_click=dialogs.close, args=(name,))
        yes = right.button(
            "Withdraw it",
            key=f"{name}.yes",
            type="primary",
            width="stretch",
            on_click=_withdraw,
            args=(services, view, release, name),
        )
        if yes and not (item.strip() and reason.strip()):
            shell.show(markup.notice("Name the item and say why.", style="bad"))
        elif no or yes:
            st.rerun()

    dialogs.show(f"Withdraw an item from release {release.version}", draw, name=name)


def _withdraw(services: Services, view: ProjectView, release: Release, name: str) -> None:
    item, reason = (str(st.session_state.get(f"{name}.{part}") or "").strip() for part in ("item", "reason"))
    if item and reason and dialogs.is_open(name):
        dialogs.close(name)
        with shell.pressed(services):
            project_jobs.begin(services, WITHDRAW.name, view.name, version=release.version, item=item, reason=reason)


ACTION = ReleaseAction(WITHDRAW.name, _draw)
