"""The table of a project's releases, with links to their files."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from app import markup
from domain.records import ProjectView
from workflow.releases.listing import Release


def table(view: ProjectView, releases: Sequence[Release]) -> markup.Markup:
    """Return a table with a line for each release and links to its files."""
    rows = [
        [
            markup.tag("b", markup.text(release.version)),
            markup.text(markup.moment(release.at)),
            markup.text(release.by or "command"),
            markup.text(", ".join(f"{name} {split['items']:,}" for name, split in release.splits.items())),
            markup.text("; ".join(f"{gone.item}: {gone.reason}" for gone in release.withdrawn)),
            links(view, release),
        ]
        for release in releases
    ]
    heads = [("Release", ""), ("Made", ""), ("By", ""), ("Items", ""), ("Withdrawn", "wide"), ("Files", "")]
    return markup.table(heads, rows)


def links(view: ProjectView, release: Release) -> markup.Markup:
    """Return links that download the files of a release."""
    if not release.is_there:
        return markup.quiet("The files are no longer on this machine. Use the machine that created the release.")
    parts = {"public": "Download", "private": "Download private part"}
    return markup.joined(
        [
            markup.tag(
                "a",
                markup.text(title),
                href=f"/release/{quote(view.name)}/{release.version}/{part}",
                target="_self",
                download="",
                style="ts-nowrap",
            )
            for part, title in parts.items()
            if (release.place / part).is_dir()
        ],
        " · ",
    )
