"""Worlds of core's tests, for tests of calibration."""

from __future__ import annotations

from tests.app.test_losses_shown import home as of_commands  # noqa: F401
from tests.workflow.test_file_raters import rated  # noqa: F401
from tests.workflow.test_report_first import here  # noqa: F401
