"""Addresses of saved views on the page *Items*."""

from __future__ import annotations

from urllib.parse import urlencode

ADDRESS = "view"
"""The address parameter with a view's id."""


def address(project: str, id: str) -> str:
    """Return the address that opens a view."""
    return "/items?" + urlencode({"project": project, ADDRESS: id})
