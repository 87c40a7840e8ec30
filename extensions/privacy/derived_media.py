"""Files that extensions made from stored images and clips, and keep outside a project's records.

Such a file still shows the content of its image or clip. So it is deleted as soon as a part of the image or clip is
covered. Extensions register modules in ``domain.extensions.Extension.derived_media``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol

from db.engine import Store
from domain import extensions
from domain.records import Person


class DerivedMedia(Protocol):
    """The functions of a registered module; ``files`` are names of stored files."""

    def names_of(self, home: Path, project: str, files: Collection[str]) -> list[str]:
        """Return the page names of the things that were made from these files."""

    def require_idle(self, home: Path, project: str, files: Collection[str]) -> None:
        """Raise ``ConflictError`` while something is being made from one of these files."""

    def delete(
        self, store: Store, *, by: Person | None, home: Path, project: str, instead: Mapping[str, Path]
    ) -> list[str]:
        """Delete data made from files that are no longer shown, and return the names of the changed things.

        ``instead`` maps the name of each earlier file to the file that is shown now.
        """


def _registered() -> list[DerivedMedia]:
    return extensions.rows("derived_media")


def names_of(home: Path, project: str, files: Collection[str]) -> list[str]:
    """Return the page names of the things that extensions made from these stored files."""
    return [name for row in _registered() for name in row.names_of(home, project, files)]


def require_idle(home: Path, project: str, files: Collection[str]) -> None:
    """Raise ``ConflictError`` while an extension makes something from one of these stored files."""
    for row in _registered():
        row.require_idle(home, project, files)


def delete(store: Store, *, by: Person | None, home: Path, project: str, instead: Mapping[str, Path]) -> list[str]:
    """Delete all extensions' data made from files that are no longer shown, and return the names of the changed
    things.
    """
    name_lists = [row.delete(store, by=by, home=home, project=project, instead=instead) for row in _registered()]
    return [name for names in name_lists for name in names]
