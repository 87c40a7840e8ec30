"""Fixtures of core's tests of releases."""

from __future__ import annotations

from tests.workflow.releases.conftest import made_tables, media

__all__ = ["made_tables", "media"]
