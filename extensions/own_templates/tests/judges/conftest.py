"""The world of core's tests of the page *Judges*."""

from __future__ import annotations

from tests.app.test_judges_page import answers, first_home, home, show, store  # noqa: F401
