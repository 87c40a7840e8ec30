"""Tokens of sessions, links and invitations: random, and stored as SHA-256 only.

Reading the database signs no one in.
"""

from __future__ import annotations

import hashlib


def hash_of(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
