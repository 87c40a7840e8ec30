"""Whole projects packed, unpacked, copied and deleted, for tests of what goes along.

The code is of an extension whose folder may be missing. So a test that calls one of these functions has the mark
``needs_archives``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from db.engine import Store
from domain.module_names import import_own
from media.store import MediaStore
from testkit.missing_extensions import needs

needs_archives = needs("commands", "project import")


def export_project(store: Store, media: MediaStore, *, project: str = "p", out: Path, **asked: Any) -> None:
    """Pack a project, as the command does."""
    import_own("extensions.archives.exporting").export_project(store, media, by=None, project=project, out=out, **asked)


def import_project(
    store: Store, media: MediaStore, *, path: Path, name: str | None = None, people: str | None = None, **how: Any
) -> Any:
    """Create the project of an archive. ``people`` says who is who; ``how`` are other fields of the options."""
    who = import_own("extensions.archives.parts").WhoIsWho(people) if people else None
    options = import_own("extensions.archives.storing").ArchiveOptions(people=who, **how)
    return import_own("extensions.archives.importing").import_project(store, media, path=path, name=name, how=options)


def clone_project(store: Store, media: MediaStore, *, project: str = "p", name: str, **asked: Any) -> None:
    """Copy a project."""
    import_own("extensions.archives.copying").clone_project(store, media, project=project, name=name, **asked)


def delete_project(store: Store, media: MediaStore, *, project: str = "p", home: Path | None = None) -> None:
    """Delete a project for good."""
    import_own("extensions.archives.deletion").delete_project(
        store, media, by=None, project=project, typed=project, home=home
    )
