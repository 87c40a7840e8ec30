"""Fixtures for tests of the exchange with a server in this process."""

from __future__ import annotations

import pytest

from db.engine import Store
from extensions.labelstudio.tests.outside import Outside
from testkit.factories import Clock


@pytest.fixture
def clock(store: Store) -> Clock:
    """Return a clock that stands still until the test moves it."""
    moved = Clock()
    store.clock = moved
    return moved


@pytest.fixture
def front() -> Outside:
    """Return a server on which Ann, Bob and Cat have accounts."""
    return Outside("ann@x.org", "bob@x.org", "cat@x.org")
