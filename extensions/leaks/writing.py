"""How public texts are written: simple properties that may hide a key, such as trailing blanks.

A key can hide in any property that a writer can vary: blanks, invisible characters, the number of letters, a check
digit, the order of a list. So every column is tested for every property below, and not for known tricks alone. All
tests share one level (``stats``), so the number of tests does not raise the rate of false alarms.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence

import numpy as np

from extensions.leaks.stats import MOST_KINDS, NONE, Codes, codes_of_amounts

_LONGEST = 20_000
"""Characters of a text that is looked at."""
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f"
    "\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_INSIDE = re.compile(r"(?<=\S)\s{2,}(?=\S)")
_NUMBER = re.compile(r"([+-]?)(0*)(\d*)(?:([.,])(\d*))?([eE%]?).*", re.DOTALL)
_FOREIGN = re.compile("[\u0370-\u03ff\u0400-\u04ff\uff00-\uff5e]")
_LATIN = re.compile("[A-Za-z]")
_PARTS = re.compile(r"\s*[,;|]\s*")
_DIGITS = re.compile(r"[0-9]+")
_NO_DIGITS = bytes(code for code in range(256) if not 48 <= code <= 57)
HIDDEN = (
    *("the spaces at the end", "the spaces at the beginning", "the spaces inside", "the invisible characters"),
    "the Unicode form",
)
"""Properties that no reader sees, so that an item's content does not decide them."""
THERE = "the presence"
_SEEN = (
    "the case",
    "the decimal places",
    "the position of the alphabetically first value",
    "the position of the alphabetically last value",
)
_AMOUNTS = ("the length", "the capitals", "the digit sum", "the number", "the character sum")
_ENDS = ("the last character", "the first character")
_CHECKS = ("the check digit", "the Luhn check digit")
_MODULO = {
    "the length": (2, 3, 4, 5),
    "the digit sum": (2, 3, 4, 5, 10),
    "the number": (2, 3, 4, 5, 10),
    "the character sum": (2, 3, 4, 5),
    "the last character": (2, 3, 4, 5),
}
_QUARTERED = ("the length", "the capitals", "the number", *_ENDS)


class ColumnStyle:
    """How the texts of a column are written, row by row."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[str, int]] = {name: {} for name in (*HIDDEN, *_SEEN)}
        self._codes: dict[str, array[int]] = {name: array("b") for name in (*HIDDEN, *_SEEN)}
        self._amounts: dict[str, array[int]] = {name: array("q") for name in (*_AMOUNTS, *_ENDS, *_CHECKS)}
        self._there: array[int] = array("q")
        self._n = 0

    def note(self, at: int, text: str, *, seen: bool) -> None:
        """Note the text of the row ``at``. Rows must come in order. With ``seen``, visible properties are noted too."""
        if len(text) > _LONGEST or self._n > at:
            return
        self._pad(at)
        self._there.append(at)
        for name, kind in _hidden(text):
            self._kind(name, kind)
        for name, value in _visible(text) if seen else ():
            if isinstance(value, str):
                self._kind(name, value)
            else:
                self._amounts[name].append(value)
        self._n = at + 1

    def properties(self, n: int) -> Iterator[tuple[str, Codes]]:
        """Yield each property that varies, with a code for each of ``n`` rows; -1 for a row without the property."""
        self._pad(n)
        there = np.zeros(n, dtype=np.int64)
        there[np.array(self._there, dtype=np.int64)] = 1
        yield THERE, there
        for name, codes in self._codes.items():
            self._fill(codes)
            if 1 < len(self._kinds[name]) <= MOST_KINDS:
                yield name, np.array(codes, dtype=np.int64)
        for name, values in self._amounts.items():
            self._fill(values)
            numbers = np.array(values, dtype=np.int64)
            some = numbers >= 0
            if not some.any():
                continue
            if name in _CHECKS:
                yield name, numbers
            if name in _QUARTERED:
                yield name, codes_of_amounts(numbers)
            for by in _MODULO.get(name, ()):
                yield f"{name} modulo {by}", np.where(some, numbers % by, -1)

    def _kind(self, name: str, kind: str) -> None:
        kinds = self._kinds[name]
        if len(kinds) <= MOST_KINDS:
            self._fill(self._codes[name])
            self._codes[name].append(kinds.setdefault(kind, len(kinds)))

    def _pad(self, n: int) -> None:
        """Note that the rows up to ``n`` have no text, and so no trailing blank."""
        while self._n < n:
            self._kind(HIDDEN[0], "")
            self._n += 1

    def _fill(self, values: array[int]) -> None:
        values.extend([NONE] * (self._n - len(values)))


def kinds_of(text: str) -> dict[str, str]:
    """Return the properties of a text that are no amounts, apart from those of a list."""
    properties = dict(_hidden(text))
    return properties | {"the case": _case(text.strip()), "the full stop": str(text.rstrip().endswith("."))}


def _case(bare: str) -> str:
    return f"{bare.isupper():d}{bare.islower():d}{bare[:1].isupper():d}{bare.istitle():d}"


def _hidden(text: str) -> Iterator[tuple[str, str]]:
    bare = text.strip()
    yield HIDDEN[0], text[len(text.rstrip()) :][:12]
    yield HIDDEN[1], text[: len(text) - len(text.lstrip())][:12] if bare else ""
    yield HIDDEN[2], "" if "  " not in bare and "\t" not in bare else str(len(_INSIDE.findall(bare)))
    yield HIDDEN[3], "" if text.isascii() and text.isprintable() else "".join(_INVISIBLE.findall(text))[:12]
    if text.isascii():
        yield HIDDEN[4], ""
    else:
        form = "".join("01"[unicodedata.is_normalized(name, text)] for name in ("NFC", "NFD"))
        mixed = any(_FOREIGN.search(word) and _LATIN.search(word) for word in bare.split())
        yield HIDDEN[4], f"{form}{mixed:d}" if mixed or form == "01" else ""


def _visible(text: str) -> Iterator[tuple[str, str | int]]:
    bare = text.strip()
    if not bare:
        return
    raw = bare.encode()
    digits = raw.translate(None, _NO_DIGITS)
    yield "the case", _case(bare)
    yield "the length", len(bare)
    yield "the capitals", sum(map(str.isupper, bare))
    yield "the character sum", sum(raw)
    yield "the last character", ord(bare[-1])
    yield "the first character", ord(bare[0])
    if digits:
        values = [digit - 48 for digit in digits]
        yield "the digit sum", sum(values)
        yield "the number", int(_DIGITS.findall(bare)[-1][-15:])
        if len(values) > 1:
            yield "the check digit", (values[-1] - sum(values[:-1])) % 10
            doubled = (sum(divmod(2 * value, 10)) for value in values[-2::-2])
            yield "the Luhn check digit", (sum(values[::-2]) + sum(doubled)) % 10
        number = _NUMBER.match(bare)
        if number is not None and number[3] + (number[5] or ""):
            yield "the decimal places", f"{number[1]}{len(number[2])}{number[4] or ''}{len(number[5] or '')}{number[6]}"
    if len(bare) < 400 and len(parts := _PARTS.split(bare)) > 1:
        yield from order_of(parts)


def order_of(values: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the positions of the first and the last of several values in alphabetical order."""
    if len(set(values)) > 1:
        yield _SEEN[2], str(min(range(len(values)), key=values.__getitem__))
        yield _SEEN[3], str(max(range(len(values)), key=values.__getitem__))
