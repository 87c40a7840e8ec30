"""Where tests find things: the checkout, and real files of other people that are never part of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from testkit.paths import ROOT

SHARED = ROOT.parent / "shared"
"""The folder next to the checkout with published files that we test against and may not redistribute."""


def shared(*parts: str) -> Path:
    """A file or folder below ``SHARED``; where it is absent the calling test is skipped, and the report says so."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is absent: published files are tested against, but not redistributed with the project")
    return path
