"""Valid names for the splits of a release."""

from __future__ import annotations

import re

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TAKEN = frozenset({"all"})
"""Names with a special meaning for loaders."""

RULE = "a split name must have 1 to 40 lowercase letters, digits or underscores, start with a letter, and not be 'all'"


def is_split_name(name: str) -> bool:
    """Whether a split may have this name.

    >>> is_split_name("test_seen"), is_split_name("Test A"), is_split_name("all")
    (True, False, False)
    """
    return _NAME.fullmatch(name) is not None and name not in _TAKEN
