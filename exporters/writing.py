"""Writing files to the disk: each file completely or not at all, and never over a file that is not ours."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from domain.errors import InvalidFileError
from domain.manifests import NAME, is_manifest, read_manifest, restricted

_TEMPORARY = re.compile(r"\..+\.touchstone-[0-9a-f]{8}\.tmp")
"""Names of temporary files that an interrupted write leaves behind."""


def write_files(files: Mapping[Path, bytes]) -> list[Path]:
    """Write files, each in one step that replaces an existing file. A manifest is last, and replaces only our
    manifests.
    """
    for out in files:
        if out.is_dir():
            raise InvalidFileError(f"{out} is a folder. Give a file name.")
        if out.name == NAME and out.exists() and not is_manifest(out.read_bytes()):
            raise InvalidFileError(f"{out} already exists and is not a Touchstone manifest. Choose another folder.")
        if out.name == NAME and out.exists():
            _must_not_mislead(out, files)
    return [_write(out, files[out]) for out in sorted(files, key=lambda out: out.name == NAME)]


def _must_not_mislead(out: Path, files: Mapping[Path, bytes]) -> None:
    """Raise ``InvalidFileError`` if a new manifest would hide whether the files next to it are all of a project."""
    new, old = restricted(files[out]), restricted(out.read_bytes())
    if bool(new) != bool(old):
        there = "a part" if old else "all"
        raise InvalidFileError(f"{out} already describes an export of {there} of the items. Choose another folder.")
    listed_files = (read_manifest(out.read_bytes()) or {}).get("files", []) if new else []
    others = [out.parent / str(listed_file.get("path")) for listed_file in listed_files]
    if left := [other.name for other in others if other not in files and other.exists()]:
        raise InvalidFileError(
            f"{out} also describes {left[0]}, which is not part of this export. Choose another folder."
        )


def _write(out: Path, data: bytes) -> Path:
    temporary = out.with_name(f".{out.name}.touchstone-{secrets.token_hex(4)}.tmp")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(out)
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot write {out}: {error.strerror}. Check the folder and its permissions."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    return out


def write_folder(out: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write files below a folder that is new, empty, or holds only an earlier export with the same names."""
    for path in files:
        parts = PurePosixPath(path)
        if parts.is_absolute() or ".." in parts.parts or not parts.name:
            raise InvalidFileError(f"The file name {path!r} is outside {out}. Use a relative path.")
    if out.exists() and not out.is_dir():
        raise InvalidFileError(
            f"{out} is a file, but this export of {len(files)} files needs a folder. Choose a folder."
        )
    if foreign := _foreign(out, files):
        named = ", ".join(foreign[:3]) + (", ..." if foreign[3:] else "")
        raise InvalidFileError(f"{out} has files that are not part of this export ({named}). Choose an empty folder.")
    written = write_files({out / path: data for path, data in files.items()})
    if NAME not in files:
        (out / NAME).unlink(missing_ok=True)  # our manifest of files that no longer exist
    return written


def _foreign(out: Path, files: Mapping[str, bytes]) -> list[str]:
    if not out.is_dir():
        return []
    for left_over in out.rglob(".*.tmp"):
        if _TEMPORARY.fullmatch(left_over.name):
            left_over.unlink()
    there = [path.relative_to(out).as_posix() for path in sorted(out.rglob("*")) if not path.is_dir()]
    return [
        path for path in there if path not in files and not (path == NAME and is_manifest((out / NAME).read_bytes()))
    ]
