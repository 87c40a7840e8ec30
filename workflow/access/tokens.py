"""Tokens of sessions, links and invitations: random, and stored only as SHA-256.

So a reader of the database cannot sign in.
"""

from __future__ import annotations

import hashlib


def hash_of(token: str) -> str:
    """Return the hash to store for a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
