"""The secret key of this server, which signs links and forms that clients bring back."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

from domain.errors import SettingsError

KEY_FILE = "media-links.key"
"""The file below ``TOUCHSTONE_HOME``. Deleting the file invalidates every link made before."""
KEY_BYTES = 32


def key_of(home: Path) -> bytes:
    """Return the key of a home folder. It is made on the first call; only its owner can read the file."""
    path = home / KEY_FILE
    try:
        text = path.read_text(encoding="ascii")
    except FileNotFoundError:
        _make(path)
        text = path.read_text(encoding="ascii")
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) < KEY_BYTES:
        raise SettingsError(f"{path} does not contain a valid key. Delete the file. Touchstone then creates a new key.")
    return key


def _make(path: Path) -> None:
    """Write a new key, in full or not at all. If several processes do so at once, the first key stays."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".media-links-", dir=path.parent)  # its mode is 600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(KEY_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(name, path)
        except FileExistsError:
            return
    finally:
        os.unlink(name)
