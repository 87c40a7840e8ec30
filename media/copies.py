"""Record the copies of an original, and check that each file is unchanged.

    copies.json    {"display.jpg": SHA-256, "bare": SHA-256, ...}

A disk that was full, a power cut or a restored backup may leave a file that is cut short or holds zeros. Before a copy
is shown, its content is compared with the hash from its creation. Each file is read once in a process.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from media import file_hashes

RECORD = "copies.json"

_ENDS = {".png": b"\0\0\0\0IEND\xaeB`\x82", ".jpg": b"\xff\xd9"}
"""The last bytes of a complete image."""


def begin(folder: Path, *paths: Path) -> None:
    """Record the hashes of these files, in a folder that is still being filled."""
    (folder / RECORD).write_bytes(_told({}, paths))


def record(folder: Path, *paths: Path) -> None:
    """Record the hashes of these files of a folder, next to the existing records."""
    write_whole(folder / RECORD, _told(_recorded(folder), paths))


def _told(before: dict[str, str], paths: Sequence[Path]) -> bytes:
    return json.dumps({**before, **{path.name: file_hashes.of(path)[0] for path in paths}}, sort_keys=True).encode()


def _recorded(folder: Path) -> dict[str, str]:
    try:
        record = json.loads((folder / RECORD).read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def is_whole(path: Path, *, reads: Callable[[Path], bool]) -> bool:
    """Tell whether a copy is unchanged.

    There is no record of a copy from an older version. If ``reads`` says that the copy can be read, it counts as
    unchanged and is recorded now.
    """
    known = _recorded(path.parent).get(path.name)
    if known is not None:
        return file_hashes.of(path)[0] == known
    if not reads(path):
        return False
    record(path.parent, path)
    return True


def ends_whole(path: Path) -> bool:
    """Tell whether a PNG or JPEG that Touchstone wrote is complete."""
    end = _ENDS[path.suffix]
    try:
        with path.open("rb") as file:
            file.seek(-len(end), os.SEEK_END)
            return file.read() == end
    except OSError:  # it is shorter than that, or gone
        return False


def to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file completely or leave the old file unchanged, even after a power cut."""
    handle, name = tempfile.mkstemp(prefix=".copy-", dir=path.parent)
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        partial.chmod(0o644)
        settle(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def settle(partial: Path, path: Path) -> None:
    """Move a file to its final place. The file was written next to that place, or below the same root."""
    to_disk(partial)
    partial.replace(path)
    to_disk(path.parent)
