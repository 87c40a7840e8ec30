"""The session cookie, and the address to go to after sign-in. Independent of any framework."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

COOKIE = "touchstone_session"
COOKIE_SECONDS = 30 * 24 * 60 * 60
CSRF_HEADER = "X-Touchstone-CSRF"

_NOT_WORTH_RETURNING_TO = ("/login", "/demo", "/logout", "/link/", "/invite/", "/api/", "/_stcore/", "/media/")
_LONGEST_TOKEN = 200


def token_of(cookies: Mapping[str, str]) -> str | None:
    """Return the session token of a request. None if the cookie is missing or cannot be a token."""
    token = cookies.get(COOKIE, "")
    return token if token and len(token) <= _LONGEST_TOKEN and token.isascii() else None


def local_path(wanted: str | None) -> str:
    """Return ``wanted`` if it is a path on this server, else the start page.

    A path that a browser could read as another site is rejected: ``//host``, ``/\\host``, a scheme, control characters.
    """
    if not wanted or not wanted.startswith("/") or wanted[1:2] in ("/", "\\"):
        return "/"
    if "\\" in wanted or any(ord(character) < 0x21 or ord(character) == 0x7F for character in wanted):
        return "/"
    try:
        parts = urlsplit(wanted)
    except ValueError:
        return "/"
    if parts.scheme or parts.netloc or any(parts.path.startswith(path) for path in _NOT_WORTH_RETURNING_TO):
        return "/"
    return wanted
