"""Tiny models that several modules of tests ask."""

from __future__ import annotations

from functools import cache

import pytest

from extensions.local_models.tests.asking import (
    Kept,
    opened,
)
from testkit.tiny import Shelf


@pytest.fixture(scope="module")
def kept(tiny_models: Shelf) -> Kept:
    """``kept("llava")`` is that model, loaded once for all tests that only ask it, six questions at a time."""
    return cache(lambda family: opened(tiny_models.folder(family), batch_size=6))
