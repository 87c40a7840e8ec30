"""Leak check: does the public folder of a release reveal what its private part withholds?

``check`` reads both folders and reports the leaks. ``release_check`` refuses a release with leaks, apart from the kinds
that a lead accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _folder_checks() -> Sequence[Any]:
    from extensions.leaks.release_check import CHECK

    return (CHECK,)


EXTENSION = Extension(name="leaks", title="Leak check", folder_checks=_folder_checks)
