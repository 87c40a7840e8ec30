"""Compare two values by the one rule that people, keys, models, gold and checks share."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class AnyOrder:
    """Compares lists as sets: neither the order of entries nor an entry that is there twice matters."""

    def holds(self, one: Any, other: Any) -> bool:
        """Tell whether two lists have the same entries; two empty lists have.

        >>> AnyOrder().holds(["b", "a"], ("a", "b")), AnyOrder().holds([], []), AnyOrder().holds([], None)
        (True, True, False)
        """
        if not isinstance(one, list | tuple) or not isinstance(other, list | tuple):
            return same(one, other)
        return all(any(same(a, b) for b in other) for a in one) and all(any(same(b, a) for a in one) for b in other)

    def in_words(self) -> str:
        """As in ``in any order``."""
        return "in any order"


def same(left: Any, right: Any) -> bool:
    """Tell whether two JSON values are equal: 1 is 1.0, but true is not 1. Texts are compared in NFC."""
    if isinstance(left, bool) != isinstance(right, bool):
        return False
    return bool(left == right) or (_has_text(left) and _has_text(right) and bool(_in_nfc(left) == _in_nfc(right)))


def spelled(value: Any, offered: Iterable[Any]) -> Any:
    """Return the offered value that is the same as a value, or the value itself if none is.

    >>> spelled("cafe\u0301", ["tea", "caf\u00e9"]) == "caf\u00e9", spelled("cocoa", ["tea"])
    (True, 'cocoa')
    """
    return next((option for option in offered if same(option, value)), value)


def _has_text(value: Any) -> bool:
    """Tell whether NFC may change a value."""
    return not value.isascii() if isinstance(value, str) else isinstance(value, list | tuple | Mapping)


def _in_nfc(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, Mapping):
        return {name: _in_nfc(child) for name, child in value.items()}
    return [_in_nfc(child) for child in value] if isinstance(value, list | tuple) else value
