"""Passwords, hashed with argon2: compute a hash, and check a password.

One hash takes a processor a quarter of a second, so that a reader of the database cannot guess passwords.
"""

from __future__ import annotations

import secrets
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

SHORTEST = 8
"""Minimum length of a password."""

hasher = PasswordHasher()
"""Hasher of all passwords."""


def hash_of(password: str) -> str:
    """Return the hash to store for a password."""
    return hasher.hash(_bytes(password))


def matches(password_hash: str | None, password: str) -> bool:
    """Return whether the password is right; without a hash the result is False, after the same time."""
    try:
        hasher.verify(password_hash or _no_ones(), _bytes(password))
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


def _bytes(password: str) -> bytes:
    return password[:1000].encode("utf-8", "surrogatepass")


@lru_cache(maxsize=1)
def _no_ones() -> str:
    """Return a hash that no password fits, so that an unknown login takes as long as a known one."""
    return hasher.hash(secrets.token_urlsafe(32))
