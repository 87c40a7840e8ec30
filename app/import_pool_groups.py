"""The page Import takes groups of images and clips into the pool, from folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from app import markup, shell
from app.services import Services
from domain.records import ProjectView
from importers.media_groups import MediaGroup, groups_of_folders
from workflow.annotate import pool_groups

_SHOWN = 200
"""So many groups that were not taken are named."""


def add(services: Services, view: ProjectView, folder: Path, dimension: str | None) -> None:
    """Add each folder below ``folder`` as a group, and say what was not taken, and why."""
    with shell.progress_bar("Looking at images") as progress:

        def counted(roles: Sequence[str]) -> Iterator[MediaGroup]:
            found = groups_of_folders(folder, roles=roles)
            for number, group in enumerate(found):
                progress("looking at images", number, len(found))
                yield group

        added = pool_groups.add_groups(
            services.store,
            services.media,
            by=services.person,
            project=view.name,
            groups_of=counted,
            dimension=dimension,
        )
    shell.show(markup.notice(added.sentence, style="good" if not added.refused else ""))
    if added.refused:
        rows = [[markup.text(name), markup.text(why)] for name, why in added.refused[:_SHOWN]]
        shell.show(markup.table([("Group", ""), ("Why it was not taken", "")], rows))
        if (more := len(added.refused) - _SHOWN) > 0:
            shell.show(markup.quiet(f"and {more:,} more"))
