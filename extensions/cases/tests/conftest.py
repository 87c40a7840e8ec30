"""Worlds of core's tests, for tests of cases."""

from __future__ import annotations

from tests.workflow.test_file_raters import rated  # noqa: F401
from tests.workflow.test_results_of_judges import world  # noqa: F401
from tests.workflow.test_temporal_grounding import project  # noqa: F401
