"""A running project, which tests of several modules change."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from db.engine import Store, open_store
from extensions.schema_migration.tests.minds import (
    build,
)


@pytest.fixture(scope="module")
def running(sqlite_store_for_module: Store) -> Path:
    build(sqlite_store_for_module)
    sqlite_store_for_module.close()
    assert sqlite_store_for_module.engine.url.database is not None
    return Path(sqlite_store_for_module.engine.url.database)


@pytest.fixture
def copied(running: Path, tmp_path: Path) -> Iterator[Store]:
    """The running project, copied for one test."""
    shutil.copyfile(running, tmp_path / "touchstone.db")
    store = open_store(f"sqlite:///{tmp_path / 'touchstone.db'}", tmp_path)
    yield store
    store.close()
