"""Reading JSON from left to right: everything before a break is read, and the line of every part is known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from domain import json_text

_SPACE = " \t\r\n"
_DEEPEST = 30


_DECODER = json.JSONDecoder(parse_float=Decimal, parse_constant=str, object_pairs_hook=json_text.once)
"""It reads ``NaN`` and the like as texts, because no one means them as numbers."""


class JsonBreak(Exception):
    """The text cannot be read from position ``at`` on."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at = at


class Walk:
    """A position in a JSON text, which moves from left to right."""

    def __init__(self, text: str, line: int = 1) -> None:
        self.text = text
        self.at = 0
        self._line, self._counted = line, 0

    def line(self, at: int) -> int:
        """Return the line of a position; a later call needs a later position."""
        self._line += self.text.count("\n", self._counted, at)
        self._counted = max(self._counted, at)
        return self._line

    def skip(self) -> str:
        """Skip white space and return the next character; an empty text at the end."""
        text, at = self.text, self.at
        while at < len(text) and text[at] in _SPACE:
            at += 1
        self.at = at
        return text[at : at + 1]

    def value(self) -> Any:
        """Read and return the value that begins here."""
        self.skip()
        try:
            value, self.at = _DECODER.raw_decode(self.text, self.at)
        except json_text.DuplicateKey as error:
            repeated_key = json_text.repeated_key(self.text, self.at)
            raise JsonBreak(repeated_key[1] if repeated_key else self.at, str(error)) from None
        except RecursionError:
            raise JsonBreak(self.at, "the JSON is nested too deeply") from None
        except ValueError as error:
            at = getattr(error, "pos", self.at)
            cut = at >= len(self.text.rstrip()) or "Unterminated" in str(error)
            raise JsonBreak(
                at, "the file ends in the middle of a value" if cut else "the text is not valid JSON"
            ) from error
        return value

    def members(self) -> Iterator[str]:
        """Yield the keys of the object that begins here; the caller reads each value before the next key."""
        for _ in self._parts("{", "}"):
            key = self.value()
            if not isinstance(key, str) or self.skip() != ":":
                raise JsonBreak(self.at, "a key or a colon is missing")
            self.at += 1
            self.skip()
            yield key

    def elements(self) -> Iterator[int]:
        """Yield the position of each element of the list that begins here; the caller reads each element."""
        for _ in self._parts("[", "]"):
            yield self.at

    def _parts(self, opening: str, closing: str) -> Iterator[None]:
        if self.skip() != opening:
            raise JsonBreak(self.at, f"{opening} is missing")
        self.at += 1
        if self.skip() == closing:
            self.at += 1
            return
        while True:
            self.skip()
            yield None
            mark = self.skip()
            if mark not in (",", closing):
                what = f"a comma or the closing {closing} is missing"
                raise JsonBreak(self.at, what if mark else "the file ends in the middle of a value")
            self.at += 1
            if mark == closing:
                return

    def tree(self, depth: int = _DEEPEST) -> Any:
        """Read and return the value that begins here; each object has its first line under the empty key."""
        first = self.skip()
        if first not in ("{", "["):
            return self.value()
        if depth == 0:
            raise JsonBreak(self.at, "the JSON is nested too deeply")
        if first == "[":
            return [self.tree(depth - 1) for _ in self.elements()]
        line = self.line(self.at)
        members: dict[str, Any] = {}
        for key in self.members():
            if key in members:
                raise JsonBreak(self.at, str(json_text.DuplicateKey(key)))
            members[key] = self.tree(depth - 1)
        return {**members, "": line}
