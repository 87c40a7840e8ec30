"""A copy of a project next to it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from db.engine import Store
from domain.errors import InvalidInputError
from domain.jobs import Progress, unheard
from domain.project_parts import ProjectPart
from domain.records import Person
from extensions.archives.exporting import export_project
from extensions.archives.importing import ImportedProject, import_project, name_is_free
from extensions.archives.parts import WhoIsWho, left_out
from extensions.archives.storing import ArchiveOptions
from workflow.access.project_names import title_problems

if TYPE_CHECKING:
    from media.store import MediaStore


def clone_project(
    store: Store,
    media: MediaStore,
    *,
    project: str,
    name: str,
    without: frozenset[ProjectPart] = frozenset(),
    title: str | None = None,
    by: Person | None = None,
    progress: Progress = unheard,
) -> ImportedProject:
    """Copy a project, without some of its parts. Images and clips are not stored twice.

    The copy is active, even if the original is archived. ``by`` None is a command on the machine itself. Any other
    person must lead the project, and leads the copy.

    Raises
    ------
    AlreadyTakenError
        A project with this name exists.
    """
    name_is_free(store, name)
    if title is not None and (problems := title_problems(title)):
        raise InvalidInputError(problems)
    with tempfile.TemporaryDirectory(prefix="touchstone-clone-") as folder:
        path = Path(folder) / "project.zip"
        export_project(store, media, by=by, project=project, out=path, with_media=False, progress=progress)
        changed = {"archived_at": None} | ({} if title is None else {"title": title.strip()})
        here = ArchiveOptions(people=WhoIsWho.MATCH, old_schemas=True, without=left_out(without), copy=True)
        how = replace(here, changed=changed, lead=by, progress=progress)
        return import_project(store, media, path=path, name=name, how=how)
