"""What tests of whole releases share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from db.engine import Store, open_store
from media.store import MediaStore
from workflow.releases import evidence


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


@pytest.fixture
def made_tables(sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store to recompute in has its tables at once; that it makes them is shown by the command's test."""

    def opened(url: str | None, home: Path, *, lasting: bool) -> Store:
        shutil.copyfile(sqlite_template, home / "touchstone.db")
        return open_store(url, home, lasting=lasting)

    monkeypatch.setattr(evidence, "open_store", opened)
