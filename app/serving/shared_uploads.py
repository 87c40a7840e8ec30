"""Uploads that outlive a web process: each is also a file in the home folder, which every web process can read.

Streamlit keeps an upload in the memory of the process that received it. If that process dies, the browser connects to
another one and names its uploads by their random ids. The other process then reads the files.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
import uuid
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from streamlit.runtime import memory_uploaded_file_manager
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

FOLDER = "uploads"
"""The folder below ``TOUCHSTONE_HOME``. Only its owner can read it."""
KEPT_SECONDS = 24 * 60 * 60
"""Age at which the next start of a server removes files that a dead process has left."""

log = logging.getLogger(__name__)


class SharedUploads(MemoryUploadedFileManager):
    """Streamlit's uploads in memory, with a copy of each in a folder."""

    def __init__(self, upload_endpoint: str, *, folder: Path) -> None:
        super().__init__(upload_endpoint)
        self.folder = folder

    def add_file(self, session_id: str, file: UploadedFileRec) -> None:
        """Keep an upload in memory and in the folder. Without room on the disk, keep it in memory only."""
        super().add_file(session_id, file)
        path = self._path(file.file_id)
        if path is not None:
            try:
                _write(path, file)
            except OSError:
                log.warning("cannot store an upload, which will be lost if this process dies", exc_info=True)

    def get_files(self, session_id: str, file_ids: Sequence[str]) -> list[UploadedFileRec]:
        """Return a session's uploads. Uploads of a process that has died now belong to this session."""
        known = {file.file_id for file in super().get_files(session_id, file_ids)}
        for file_id in file_ids:
            path = None if file_id in known else self._path(file_id)
            file = _read(path) if path is not None else None
            if file is not None:
                super().add_file(session_id, file)
        return super().get_files(session_id, file_ids)

    def remove_file(self, session_id: str, file_id: str) -> None:
        """Remove an upload."""
        super().remove_file(session_id, file_id)
        self._forget(file_id)

    def remove_session_files(self, session_id: str) -> None:
        """Remove a session's uploads."""
        mine = list(self.file_storage.get(session_id, ()))
        super().remove_session_files(session_id)
        for file_id in mine:
            self._forget(file_id)

    def _forget(self, file_id: str) -> None:
        path = self._path(file_id)
        if path is not None:
            path.unlink(missing_ok=True)

    def _path(self, file_id: str) -> Path | None:
        """Return the path of an upload. None: the browser sent an id that Streamlit has not made."""
        try:
            return self.folder / uuid.UUID(file_id).hex
        except ValueError:
            return None


def share(home: Path) -> None:
    """Make Streamlit keep uploads below a home folder, too. Call this before the application is built."""
    folder = home / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    memory_uploaded_file_manager.MemoryUploadedFileManager = partial(SharedUploads, folder=folder)  # type: ignore


def remove_old(home: Path) -> None:
    """Remove uploads that processes have left when they died."""
    folder = home / FOLDER
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.stat().st_mtime < time.time() - KEPT_SECONDS:
            path.unlink(missing_ok=True)


def _write(path: Path, file: UploadedFileRec) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent)  # its mode is 600
    try:
        with os.fdopen(handle, "wb") as out:
            head = {"id": file.file_id, "name": file.name, "type": file.type}
            out.write(json.dumps(head).encode() + b"\n" + file.data)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _read(path: Path) -> UploadedFileRec | None:
    try:
        head, _, data = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    told = json.loads(head)
    return UploadedFileRec(file_id=told["id"], name=told["name"], type=told["type"], data=data)
