"""A file that a command writes repeatedly as it proceeds, but never after people have changed it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from domain.errors import ConflictError, InvalidFileError
from exporters.file_manifest import manifest_file
from exporters.writing import write_files


def sha256(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


class ResultFile(NamedTuple):
    """The file that a command makes, with companion files: its journal, and how it was made."""

    out: Path
    made_by: str

    def beside(self, what: str) -> Path:
        """Return the path of a companion file, such as ``goals.made.json`` for ``goals.json``."""
        return self.out.with_name(f"{self.out.stem}.{what}")

    def must_be_ours(self, data: bytes, ours: frozenset[str] = frozenset()) -> frozenset[str]:
        """Return the SHA-256 of contents that may be replaced; refuse a file that people changed, or another file."""
        if self.out.is_dir():
            raise InvalidFileError(f"{self.out} is a folder. Name a file.")
        known = ours or frozenset({*self._recorded(), sha256(data)})
        if self.out.exists() and sha256(self.out.read_bytes()) not in known:
            raise ConflictError(
                f"Someone or another program changed {self.out}, so Touchstone did not replace the file. Rename the "
                "file, then run the same command again. Touchstone does not request finished replies again."
            )
        return known

    def _recorded(self) -> list[str]:
        """Return the SHA-256 of the files in our manifest."""
        path = self.beside("made.json")
        try:
            value = json.loads(path.read_bytes())
        except FileNotFoundError:
            return []
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict) or value.get("made_by") != self.made_by:
            raise InvalidFileError(f"{path} exists, but Touchstone did not create this file. Name another file.")
        return [str(file["sha256"]) for file in value.get("files", [])]

    def write(self, data: bytes, made: Mapping[str, Any]) -> None:
        """Write the file, and how it was made."""
        manifest = manifest_file(made, {self.out.name: data}, made_by=self.made_by)
        write_files({self.out: data, self.beside("made.json"): manifest})
