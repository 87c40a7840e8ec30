"""Import images and clips for authors on the page Add items: one by one, or in groups."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from app import addresses, markup, shell
from app.importing import file_inputs
from app.services import Services
from domain.records import ProjectView
from extensions.image_pool import media_groups, pool_groups
from importers import zip_archives
from importers.media_files import files_below, folder_of
from workflow.annotate import image_pool
from workflow.files import uploads

TITLE = "Images for new items"
_SHOWN = 200
"""Number of refused files or groups that are named."""
POOLED = "Images, clips, videos or ZIP files"
SINGLE, FOLDERS, TABLE = "One file", "Files in a folder", "Files in a table"
COLUMN = "group=COLUMN, one per line"
_Each = TypeVar("_Each")


def draw(services: Services, view: ProjectView) -> None:
    """Draw the inputs, and the result of the last import."""
    schema = view.schema.schema_
    if schema.stages.authoring is None:
        shell.show(
            markup.notice(
                "This project has no authoring stage, so people do not write items in the browser. To use the "
                "pool, add "
                "authoring to the schema."
            )
        )
        return
    dimension = file_inputs.dimension(view, "Dimension", "import.pool.dimension", none="all dimensions")
    roles = [slot.role for slot in schema.item.assets]
    role = None
    about = SINGLE
    if len(roles) > 1 or any(slot.max != 1 for slot in schema.item.assets):
        about = st.selectbox("Files per item", [SINGLE, FOLDERS, TABLE], key="import.pool.groups", help=_help(roles))
    if len(roles) > 1 and about == SINGLE:
        role = st.selectbox(
            "Only for", [None, *roles], format_func=lambda name: name or "any role", key="import.pool.role"
        )
    where = file_inputs.where(services, "import.pool")
    table: Any = None
    columns = ""
    if about == TABLE:
        if where == file_inputs.UPLOAD:
            table = st.file_uploader(
                "Table (CSV, Excel or JSON Lines)", type=["csv", "tsv", "xlsx", "jsonl"], key="import.pool.table"
            )
        else:
            table = st.text_input("Table (CSV, Excel or JSON Lines)", key="import.pool.table_path").strip()
        columns = st.text_area("Column mapping", key="import.pool.columns", height=68)
    files = path = None
    if where == file_inputs.UPLOAD:
        files = st.file_uploader(
            POOLED,
            accept_multiple_files=True,
            key="import.pool.files",
        )
    else:
        path = st.text_input("Folder of media files", key="import.pool.path")
    if about == SINGLE:
        st.caption("Files in one folder count as one source, for example one video or one place.")
    ready = (files or path) and (table or about != TABLE)
    if not st.button("Add to the pool", type="primary", key="import.pool.go", disabled=not ready):
        return
    with tempfile.TemporaryDirectory(prefix="touchstone-pool-") as folder, uploads.as_uploaded(folder):
        if path:
            source = file_inputs.typed_path(path)
        else:
            source = zip_archives.store([(file.name, file) for file in files or ()], Path(folder) / "pool")
            source = source if source.is_dir() else source.parent
        if not files_below(source):
            shell.show(markup.notice("There are no files to add. Upload a file, or check the folder.", style="bad"))
        elif about == SINGLE:
            _add_files(services, view, source, dimension, role)
        elif about == FOLDERS:
            _add_groups(services, view, source, dimension, None, {})
        else:
            named = file_inputs.named_otherwise(columns, COLUMN)
            at = file_inputs.typed_path(table) if path else uploads.copied(table, Path(folder))
            _add_groups(services, view, source, dimension, at, named)


def _help(roles: Sequence[str]) -> str:
    return (
        f"Name the files in a folder by role, such as one/{roles[0]}.jpg. If a role has several files, "
        f"number the files: one/{roles[0]}_1.jpg, one/{roles[0]}_2.jpg. A table has either the columns "
        f"group, role and file, or the column group and one column for each role: {', '.join(roles)}."
    )


def _add_files(services: Services, view: ProjectView, source: Path, dimension: str | None, role: str | None) -> None:
    with shell.progress_bar("Looking at images") as progress:
        added = image_pool.add_to_pool(
            services.store,
            services.media,
            by=services.person,
            project=view.name,
            files=_counted(files_below(source), progress),
            source_of=folder_of,
            dimension=dimension,
            role=role,
        )
    triage = view.schema.schema_.stages.triage is not None
    where = "for triage" if triage else "to the pool"
    words = f"{image_pool.files_in_words(added)} added {where}"
    if added.repeated:
        words += f"; {added.repeated:,} already there"
    if added.refused:
        words += f"; {len(added.refused):,} not taken"
    shell.show(markup.notice(words + ".", style="good" if not added.refused else ""))
    _tell("File", added.refused)
    task, page = ("sort the images", "triage") if triage else ("write items", "author")
    own = markup.link(task, addresses.page(page, view.name))
    others = markup.link("invite people", addresses.page("people", view.name))
    steps = [markup.text("Next: "), own, markup.text(" yourself, or "), others, markup.text(".")]
    shell.show(markup.tag("p", *steps, style="ts"))


def _add_groups(
    services: Services,
    view: ProjectView,
    folder: Path,
    dimension: str | None,
    table: Path | None,
    columns: dict[str, str],
) -> None:
    """Add the groups that ``table`` names. Without a table, add each folder below ``folder`` as a group."""
    with shell.progress_bar("Looking at images") as progress:

        def counted(roles: Sequence[str]) -> Iterator[media_groups.MediaGroup]:
            if table is None:
                groups = media_groups.groups_of_folders(folder, roles=roles)
            else:
                groups = media_groups.groups_of_table(table, folder, roles=roles, columns=columns)
            yield from _counted(groups, progress)

        added = pool_groups.add_groups(
            services.store,
            services.media,
            by=services.person,
            project=view.name,
            groups_of=counted,
            dimension=dimension,
        )
    shell.show(markup.notice(added.sentence, style="good" if not added.refused else ""))
    _tell("Group", added.refused)


def _tell(head: str, refused: Sequence[tuple[str, str]]) -> None:
    if not refused:
        return
    rows = [[markup.text(name), markup.text(why)] for name, why in refused[:_SHOWN]]
    shell.show(markup.table([(head, ""), ("Reason for rejection", "")], rows))
    if (more := len(refused) - _SHOWN) > 0:
        shell.show(markup.quiet(f"and {more:,} more"))


def _counted(found: Sequence[_Each], progress: Any) -> Iterator[_Each]:
    for number, each in enumerate(found):
        progress("looking at images", number, len(found))
        yield each
