"""Passwords, hashed with argon2: what is stored of one, and whether one is right.

Hashing takes a processor a quarter of a second, so that someone who reads the database cannot guess what was hashed.
"""

from __future__ import annotations

import secrets
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

SHORTEST = 8
"""Characters of a password, at least."""

hasher = PasswordHasher()
"""How passwords are hashed."""


def hash_of(password: str) -> str:
    """What is stored of a password."""
    return hasher.hash(_bytes(password))


def matches(password_hash: str | None, password: str) -> bool:
    """Whether that is the password; without a hash it is not, which takes as long to say."""
    try:
        hasher.verify(password_hash or _no_ones(), _bytes(password))
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


def _bytes(password: str) -> bytes:
    return password[:1000].encode("utf-8", "surrogatepass")


@lru_cache(maxsize=1)
def _no_ones() -> str:
    """A hash that no password fits, so that an unknown login takes as long as a known one."""
    return hasher.hash(secrets.token_urlsafe(32))
