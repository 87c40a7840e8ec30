"""The folders of releases on this machine, and the temporary folder in which a release is built."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workflow.files.release_folder import alone_with_releases, releases_in

_MAKING = ".making-"


def place_of(home: Path, project: str, version: str) -> Path:
    """Return the folder of a release."""
    return releases_in(home, project) / version


@contextmanager
def staging(home: Path, project: str) -> Iterator[Path]:
    """Yield a temporary folder to build a release in. The folder is deleted if the release fails.

    Folders left by killed builds are deleted first. Raises ``ConflictError`` while another release of the project is
    being built on this machine.
    """
    above = releases_in(home, project)
    above.mkdir(mode=0o700, parents=True, exist_ok=True)
    with alone_with_releases(home, project, then="create this release"):
        for left in above.glob(f"{_MAKING}*"):
            shutil.rmtree(left, ignore_errors=True)
        made = above / f"{_MAKING}{secrets.token_hex(8)}"
        made.mkdir(mode=0o700)
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)
