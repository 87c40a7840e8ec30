"""Check whether a disk accepts new data."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

TRIED_BYTES = 65_536
"""The number of bytes that a check writes and removes to test for free space."""


def find_write_error(folder: Path) -> str | None:
    """Return a sentence with the reason why nothing can be written below a home folder. None if writing works."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(os.urandom(TRIED_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        return (
            f"Touchstone cannot write to the home folder: {'its disk is full' if full else error.strerror}. Check "
            "the disk and the folder's permissions."
        )
    return None
