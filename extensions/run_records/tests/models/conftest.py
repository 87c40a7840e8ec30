"""The world of core's tests of the page *Models*."""

from __future__ import annotations

from tests.app.test_models_page import first_home, home, items, show, store  # noqa: F401
