"""The button *Withdraw item* of a release on the page *Past releases*."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import markup, shell
from app.projects import project_jobs
from app.releasing.release_actions import ReleaseAction
from app.reruns import dialogs
from app.services import Services
from domain.records import ProjectView
from extensions.point_releases.job import WITHDRAW
from extensions.point_releases.withdrawal import LONGEST, withdrawable
from workflow.releases.listing import Release


def _draw(services: Services, view: ProjectView, release: Release) -> None:
    items = withdrawable(services.store, by=services.person, project=view.name, version=release.version)
    why = _why_not(view, release, items)
    st.button(
        "Withdraw item",
        key="release.withdraw",
        help=why,
        disabled=why is not None,
        on_click=_ask,
        args=(services, view, release, items),
    )


def _why_not(view: ProjectView, release: Release, items: Sequence[str]) -> str | None:
    """Return why no item of a release can be withdrawn, or None."""
    if view.archived:
        return "This project is archived. Restore the project in Settings first."
    if release.told.get("schema", {}).get("sha256") != view.schema.hash:
        return f"The schema has changed since release {release.version} was made. Create a new release instead."
    return (
        (
            "A release needs at least one item, and this release has only one item. Create a new release with other "
            "items "
            "instead."
        )
        if len(items) < 2
        else None
    )


def _ask(services: Services, view: ProjectView, release: Release, items: Sequence[str]) -> None:
    name = f"release.withdraw.{release.version}"

    def draw() -> None:
        about = f"Release {release.version} stays valid. A new point release leaves out the item."
        shell.show(markup.paragraph(about, style="ts ts-quiet"))
        item = st.selectbox("Item", items, index=None, placeholder="Choose an item by its ID", key=f"{name}.item")
        reason = st.text_area(
            "Reason", key=f"{name}.reason", height=80, help="The manifest publishes the reason.", max_chars=LONGEST
        )
        left, right = st.columns(2)
        no = left.button("Cancel", key=f"{name}.no", width="stretch", on_click=dialogs.close, args=(name,))
        yes = right.button(
            "Withdraw item",
            key=f"{name}.yes",
            type="primary",
            width="stretch",
            on_click=_withdraw,
            args=(services, view, release, name),
        )
        if yes and not (item and reason.strip()):
            shell.show(markup.notice("Choose an item and give a reason.", style="bad"))
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
