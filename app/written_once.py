"""A file that a command writes again and again as it goes on, and never over what people have changed in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from domain.errors import Conflict, FileRefused
from exporters.file_manifest import manifest_file
from exporters.writing import write_files


def sha256(data: bytes) -> str:
    """Of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


class Result(NamedTuple):
    """What a command makes: the file itself, and next to it what was asked and how it was made."""

    out: Path
    made_by: str

    def beside(self, what: str) -> Path:
        """A file next to it: ``goals.made.json`` beside ``goals.json``."""
        return self.out.with_name(f"{self.out.stem}.{what}")

    def must_be_ours(self, data: bytes, ours: frozenset[str] = frozenset()) -> frozenset[str]:
        """The SHA-256 of what stands there or may; refused, where people have changed it, or it is something else."""
        if self.out.is_dir():
            raise FileRefused(f"{self.out} is a folder; give the name of a file.")
        known = ours or frozenset({*self._recorded(), sha256(data)})
        if self.out.exists() and sha256(self.out.read_bytes()) not in known:
            raise Conflict(
                f"{self.out} has changed since it was written here, or never was: it is left as it is. Give it another "
                "name, then run the same command again; what the model has replied is not asked again."
            )
        return known

    def _recorded(self) -> list[str]:
        """The SHA-256 of files that a manifest of ours names."""
        path = self.beside("made.json")
        try:
            value = json.loads(path.read_bytes())
        except FileNotFoundError:
            return []
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict) or value.get("made_by") != self.made_by:
            raise FileRefused(f"{path} is there already and is not of Touchstone; name another --out.")
        return [str(each["sha256"]) for each in value.get("files", [])]

    def write(self, data: bytes, made: Mapping[str, Any]) -> None:
        """Write it, and how it was made."""
        manifest = manifest_file(made, {self.out.name: data}, made_by=self.made_by)
        write_files({self.out: data, self.beside("made.json"): manifest})
