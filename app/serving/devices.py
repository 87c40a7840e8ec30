"""A name for the device of a request, so that people recognize their sessions."""

from __future__ import annotations

_BROWSERS = (("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("Chrome/", "Chrome"))
_BROWSERS_AFTER = (("CriOS/", "Chrome"), ("Safari/", "Safari"))
_SYSTEMS = (
    *(("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows")),
    *(("Mac OS X", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux")),
)
"""Marks in the header, most specific first: Edge also names Chrome, and Chrome names Safari."""


def device_of(user_agent: str) -> str:
    """Return the browser and the system of a User-Agent header, or an empty text if it names neither.

    >>> device_of("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox on Linux'
    >>> device_of("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0")
    'Edge on Windows'
    >>> device_of("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1")
    'Safari on iPhone'
    >>> device_of("curl/8.0")
    ''
    """
    browser = next((name for mark, name in (*_BROWSERS, *_BROWSERS_AFTER) if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), "")
    return " on ".join(part for part in (browser, system) if part)
