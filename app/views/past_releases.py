"""The page *Past releases*: each release with its files, its manifest, and what changed since another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from app import addresses, markup, shell
from app.jobs import page
from app.releasing import release_table
from app.releasing.release_actions import release_actions
from app.screens import Need, Room, Screen
from app.services import Services
from db import project_facts
from domain.records import ProjectView
from domain.roles import Role
from workflow.releases import listing
from workflow.releases.extension_checks import missing_parts_in
from workflow.releases.listing import Release

SCREEN = Screen(
    "Past releases",
    place=503,
    room=Room.RELEASE,
    role=Role.LEAD,
    words="versions history withdraw verify compare download",
    needs=Need("No release exists yet. Create a release on the Next page.", project_facts.has_releases),
)

MOST = 200
"""Largest number of differences that are listed."""


def render(services: Services) -> None:
    """Draw the list of releases, and below it the chosen release."""
    view = shell.lead_of(services)
    shell.heading("Past releases", made_up=view.made_up)
    shell.tell_refused()
    releases = listing.all_releases(services.store, services.settings.home, by=services.person, project=view.name)
    if not releases:
        way = markup.link("Show the checklist for the first release", addresses.page("release", view.name))
        shell.show(markup.finding(markup.text("No release exists yet. "), way))
        return
    newest = releases[-1]
    withdrawn = markup.count(len(newest.withdrawn), "item is", "items are")
    words = f"Release {newest.version} is the newest release and has {markup.count(newest.items, 'item')}."
    more = f" {withdrawn} withdrawn from this release." if newest.withdrawn else ""
    shell.show(markup.finding(markup.text(words + more)))
    shell.show(release_table.table(view, list(reversed(releases))))
    with st.container():
        page.show(services, tuple(action.job for action in release_actions()), project=view.name)
    _one(services, view, list(reversed(releases)))


def _one(services: Services, view: ProjectView, releases: Sequence[Release]) -> None:
    """Draw the actions on one release, its manifest, and the comparison with another release."""
    versions = [release.version for release in releases]
    chosen = versions[0]
    if len(versions) > 1:
        chosen = st.selectbox("Release", versions, key="release.chosen", width=240)
    else:
        shell.section(f"Release {chosen}")
    release = next(release for release in releases if release.version == chosen)
    if lacking := missing_parts_in(release.told):
        shell.show(markup.notice(lacking, style="bad"))
    with st.container(horizontal=True):
        for action in release_actions():
            action.draw(services, view, release)
    with st.expander("Manifest", key=f"release.told.{chosen}"):
        st.json({**release.told, "manifest_sha256": release.manifest_sha256}, expanded=1)
    others = [release for release in releases if release.is_there and release.version != chosen]
    if release.is_there and others:
        _compare(release, others)


def _compare(release: Release, others: Sequence[Release]) -> None:
    with st.expander("Compare releases", key=f"release.diff.{release.version}"):
        other = st.selectbox("Compare with", [candidate.version for candidate in others], key="release.other")
        base = next(candidate for candidate in others if candidate.version == other)
        changes = listing.difference(base.place / "public", release.place / "public")
        shell.show(difference(changes))


def difference(found: listing.ReleaseDifference) -> markup.Markup:
    """Return the differences between two releases, item by item, up to a page's limit."""
    if found.equal:
        return markup.notice("The two releases differ only in their version numbers.", style="good")
    rows: list[tuple[str, str]] = [(id, "withdrawn or no longer kept") for id in found.removed]
    rows += [(id, "new") for id in found.added]
    rows += [(id, ", ".join(what)) for id, what in found.changed.items()]
    rows += [(path, what) for path, what in found.files.items()]
    n: Mapping[str, int] = {"added": len(found.added), "removed": len(found.removed), "changed": len(found.changed)}
    words = ", ".join(f"{count:,} {name}" for name, count in n.items())
    cut = [[markup.text(name), markup.text(what)] for name, what in rows[:MOST]]
    more = f" The table shows the first {MOST} of {len(rows):,} changes." if len(rows) > MOST else ""
    return markup.joined(
        [
            markup.paragraph(f"Items: {words}.{more}", style="ts"),
            markup.table([("Item or file", ""), ("Change", "wide")], cut),
        ]
    )
