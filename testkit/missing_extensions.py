"""Tests of core that ask for something of an extension: they do not run where its folder is deleted."""

from __future__ import annotations

import pytest

from domain import extensions


def needs(point: str, name: str) -> pytest.MarkDecorator:
    """Return a mark that skips a test if an extension of ours is missing: ``needs("kinds", "plan")``."""
    why = extensions.missing(point, name)
    return pytest.mark.skipif(why is not None, reason=why or "")


def needs_every(point: str) -> pytest.MarkDecorator:
    """Return a mark that skips a test if any extension of ours that adds to this register is missing."""
    away = extensions.all_missing(point)
    return pytest.mark.skipif(bool(away), reason=" ".join(away.values()))
