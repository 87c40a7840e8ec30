"""Passwords that are hashed in a moment: as in real life, but for what makes guessing them expensive.

A hash takes a quarter of a second of a processor, as it should. The suite makes and checks a few thousand.
"""

from __future__ import annotations

from argon2 import PasswordHasher

from workflow.access import passwords

REAL = passwords.hasher
"""What the product hashes with."""


def quicken() -> None:
    """From now on this process, and what is forked of it, hashes in a moment."""
    passwords.hasher = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
