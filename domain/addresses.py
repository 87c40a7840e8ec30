"""Addresses of servers, as far as they say who answers."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def place_of(address: str) -> str:
    """An address without the port, where it is this machine's: a server is started again on another one.

    >>> place_of("http://127.0.0.1:8000/v1"), place_of("https://models.example:8000/v1")
    ('http://127.0.0.1/v1', 'https://models.example:8000/v1')
    """
    parts = urlsplit(address)
    host = parts.hostname or ""
    try:
        here = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = False
    return parts._replace(netloc=host).geturl() if here else address
