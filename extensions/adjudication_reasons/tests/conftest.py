"""Fixtures of core's tests of guidelines."""

from __future__ import annotations

from tests.workflow.test_guidelines import senior

__all__ = ["senior"]
