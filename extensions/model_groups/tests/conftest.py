"""The world of core's test of the command ``result show``."""

from __future__ import annotations

from tests.app.test_results_command import home  # noqa: F401
