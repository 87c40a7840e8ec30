"""Where the page *Items* opens a saved view."""

from __future__ import annotations

from urllib.parse import urlencode

ADDRESS = "view"
"""The word of the address that names a view."""


def address(project: str, id: str) -> str:
    """The path at which a view is opened."""
    return "/items?" + urlencode({"project": project, ADDRESS: id})
