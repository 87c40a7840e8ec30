"""The page Preview without a browser, and the links to it."""

from __future__ import annotations

from db.engine import Store
from tests.app.screens import part, words
from tests.app.test_lead_screens import Show, first_home, home, show, store, write_item

__all__ = ["first_home", "home", "show", "store"]  # fixtures


def test_the_overview_links_to_a_preview(store: Store, show: Show) -> None:
    assert "preview a form" in part(show("overview", "lea"), "next")
    assert "This is a made-up item." in words(show("preview", "lea", stage="verification"))
    write_item(store)
    page = words(show("preview", "lea", stage="verification"))
    assert "This is a preview. Touchstone assigns and saves nothing" in page
    assert "made-up item" not in page
