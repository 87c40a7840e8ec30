"""Files made from a project's media, such as frames taken out of its clips.

When another file is shown in place of a clip, what was made from the old one has to go. Each capability that keeps such
files has a row here, so the code that replaces a file does not need to know what was made from it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol

from db.engine import Store
from domain import extensions
from domain.records import Person


class DerivedMedia(Protocol):
    """One sort of files made from a project's media. ``files`` are SHA-256 hashes of stored files."""

    def titles(self, home: Path, project: str, files: Collection[str]) -> list[str]:
        """Return the titles of everything that was made from these files."""

    def must_rest(self, home: Path, project: str, files: Collection[str]) -> None:
        """Raise ``Conflict`` if something is being made from one of these files now."""

    def remove(
        self, store: Store, home: Path, project: str, instead: Mapping[str, Path], *, by: Person | None
    ) -> list[str]:
        """Delete what was made from replaced files, and return its titles.

        ``instead`` maps the hash of each replaced file to the path of the file shown in its place.
        """


def derived_media() -> list[DerivedMedia]:
    """Return a row for each sort of files."""
    from app.frame_work import FrameSets

    return [FrameSets(), *extensions.rows("derived_media")]
