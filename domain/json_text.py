"""Lossless splitting of JSON files: records keep the text around them.

A file of records is an array, or has one object a line. It is split into a head, for each record the text before it
and the record itself, and a tail. Joined again (``domain.json_layout``), they equal the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

Shape = Literal["array", "lines"]

_SPACE = re.compile(r"[ \t\n\r]*")
STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_CLOSER = {"{": "}", "[": "]"}
SURROGATE = re.compile(r"[\ud800-\udfff]")
_DEEPEST = 100
"""The maximum nesting of a value that is parsed. Deeper values pass through as text, but some programs cannot show
them.
"""
_BROKEN_BYTE = re.compile(r"[\udc80-\udcff]")


class NotJson(ValueError):
    """An error for text that is not valid here. ``at`` is the position and ``str(error)`` the problem."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at = at


@dataclass(frozen=True, slots=True)
class Piece:
    """One record of a file: ``lead`` is the text before it; ``problem`` describes its error, if it has one."""

    lead: str
    raw: str
    problem: str | None = None


@dataclass(frozen=True)
class Split:
    """A file of records in pieces: ``head + every lead and raw + tail`` is the text, to the byte.

    In an array, a piece with a problem may be the rest of the file, because records after a syntax error cannot be
    separated.
    """

    shape: Shape
    head: str
    pieces: Sequence[Piece]
    tail: str


def decode(data: bytes) -> str:
    """Return the text of a UTF-8 file with its line ends and byte order mark.

    Raise ``NotJson`` for UTF-16 and the like. Bytes that are not UTF-8 are kept as lone surrogates (Python's
    ``surrogateescape``); ``split`` reports their records.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\x00" in data[:4]:
        raise NotJson(
            0, "the text is encoded in UTF-16 or UTF-32 instead of UTF-8; save the file as UTF-8 and try again"
        )
    return data.decode("utf-8", "surrogateescape")


def split(text: str) -> Split:
    """Split a file that holds an array of objects, or one object a line. Raise ``NotJson`` for other files."""
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    opening = text[start : start + 1]
    if not opening:
        raise NotJson(start, "it is empty")
    if opening == "[":
        return _split_array(text, start + 1)
    if opening == "{" and _is_lines(text, start):
        return _split_lines(text, start)
    raise NotJson(
        start, "the text is not a JSON array of records; put the records between [ and ], or write one record per line"
    )


def _is_lines(text: str, start: int) -> bool:
    """Tell whether the file has one object a line, judging by the first line: it must end with a closing brace."""
    return text[start:].split("\n", 1)[0].rstrip().endswith("}")


def _split_array(text: str, start: int) -> Split:
    pieces: list[Piece] = []
    at = start
    while True:
        here = _skip(text, at)
        closing = text[here : here + 1] == "]"
        if pieces and not closing:
            if text[here : here + 1] != ",":
                return _broken(text, start, pieces, at, here, "a comma or the closing ] is missing")
            here = _skip(text, here + 1)
            if text[here : here + 1] == "]":
                return _broken(text, start, pieces, at, here, "a record is missing after the last comma")
        if closing:
            end = _skip(text, here + 1)
            if end < len(text):
                return _broken(text, start, pieces, at, end, "there is more text after the closing ]")
            return Split("array", text[:start], pieces, text[at:])
        try:
            end, twice = _end_and_twice(text, here)
        except NotJson as error:
            return _broken(text, start, pieces, at, error.at, str(error))
        raw = text[here:end]
        problem = _not_a_record(raw) or (_told_twice(text, here, end) if twice else None)
        pieces.append(Piece(text[at:here], raw, problem))
        at = end


def _broken(text: str, start: int, pieces: list[Piece], at: int, where: int, reason: str) -> Split:
    here = min(_skip(text, at), len(text))
    piece = Piece(
        text[at:here],
        text[here:],
        f"{reason} ({place(text, where)}); correct the file, because Touchstone cannot read the text after this "
        "position",
    )
    return Split("array", text[:start], [*pieces, piece], "")


def _split_lines(text: str, start: int) -> Split:
    pieces: list[Piece] = []
    at = start
    while (here := _skip(text, at)) < len(text):
        stop = text.find("\n", here)
        line_end = here + len((text[here:stop] if stop >= 0 else text[here:]).rstrip(" \t\r"))
        raw = text[here:line_end]
        try:
            end, twice = _end_and_twice(raw, 0)
            problem = (
                _not_a_record(raw)
                if end == len(raw)
                else "there is more text after the record; put each record on its own line"
            )
            problem = problem or (_told_twice(text, here, here + end) if twice else None)
        except NotJson as error:
            problem = f"{error} ({place(text, here + error.at)})"
        pieces.append(Piece(text[at:here], raw, problem))
        at = line_end
    return Split("lines", text[:start], pieces, text[at:])


def _not_a_record(raw: str) -> str | None:
    if not raw.startswith("{"):
        return "the record is not a JSON object {...}"
    return "the record is not UTF-8; save the file as UTF-8" if has_broken_bytes(raw) else None


def has_broken_bytes(text: str) -> bool:
    """Whether ``decode`` replaced bytes of this text that are not UTF-8."""
    return _BROKEN_BYTE.search(text) is not None


def printable(text: str) -> str:
    """The text with bytes that are not UTF-8 written out: ``\\xe9``."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def place(text: str, at: int) -> str:
    """Return a position as line and column, both counted from 1."""
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def token_end(pattern: re.Pattern[str], text: str, at: int, wanted: str) -> int:
    match = pattern.match(text, at)
    if match:
        return match.end()
    if at >= len(text):
        raise NotJson(at, "the file ends in the middle of this record")
    raise NotJson(at, f"{wanted} is missing or invalid")


def _key_to_value(text: str, at: int) -> int:
    at = _skip(text, token_end(STRING, text, at, "a key in double quotes"))
    if text[at : at + 1] != ":":
        token_end(re.compile(":"), text, at, "a colon")
    return _skip(text, at + 1)


def _end_and_twice(text: str, at: int) -> tuple[int, bool]:
    """Return the end of the value that begins at ``at``, and whether one of its objects repeats a key."""
    with suppress(ValueError, RecursionError):
        try:
            return _ONCE.raw_decode(text, at)[1], False
        except DuplicateKey:
            return _end(text, at), True
    return _end(text, at), False


def _told_twice(text: str, at: int, end: int) -> str | None:
    repeated = repeated_key(text, at, end)
    return (
        f"the key {repeated[0]!r} appears twice in one object ({place(text, repeated[1])}); remove one of the two keys"
        if repeated
        else None
    )


def repeated_key(text: str, at: int = 0, end: int | None = None) -> tuple[str, int] | None:
    """Return the first key that one object of a JSON text repeats, and the place of the repetition; None if there is no
    such key.

    >>> repeated_key('[{"a": {"a": 1}}, {"a": 1, "b": 2, "a": 3}]')
    ('a', 35)
    """
    open_: list[set[str] | None] = []
    before: re.Match[str] | None = None
    for token in _TOKEN.finditer(text, at, len(text) if end is None else end):
        sign = token[0]
        if sign in "{[":
            open_.append(set() if sign == "{" else None)
        elif sign in "}]":
            del open_[-1:]
        elif sign == ":" and before is not None and open_ and (keys := open_[-1]) is not None:
            with suppress(ValueError):
                key = str(json.loads(before[0]))
                if key in keys:
                    return key, before.start()
                keys.add(key)
        before = token if sign[0] == '"' else None
    return None


def _end(text: str, at: int) -> int:
    """Return the end of the value that begins at ``at``. Any depth works, because the fallback is a loop without
    recursion.
    """
    with suppress(ValueError, RecursionError):  # the loop reports the error
        return _STRICT.raw_decode(text, at)[1]
    return _end_of_any(text, at)


def _end_of_any(text: str, at: int) -> int:
    open_: list[str] = []
    while True:
        first = text[at : at + 1]
        if first == '"':
            at = token_end(STRING, text, at, "a string in double quotes")
        elif first in _CLOSER and first:
            at = _skip(text, at + 1)
            if text[at : at + 1] != _CLOSER[first]:
                open_.append(_CLOSER[first])
                if first == "{":
                    at = _key_to_value(text, at)
                continue
            at += 1
        else:
            at = token_end(_SCALAR, text, at, "a value")
        while open_:
            at = _skip(text, at)
            if text[at : at + 1] == ",":
                at = _skip(text, at + 1)
                if open_[-1] == "}":
                    at = _key_to_value(text, at)
                break
            if text[at : at + 1] != open_[-1]:
                token_end(re.compile("(?!)"), text, at, f"a comma or the closing {open_[-1]}")
            open_.pop()
            at += 1
        else:
            return at


@dataclass(frozen=True)
class Entry:
    """A member of an object (with ``key``) or an element of a list, with its positions in the text."""

    key: str | None
    start: int
    value: int
    end: int


def entries_of(raw: str) -> list[Entry]:
    """Return the entries of an object or a list, in order."""
    entries: list[Entry] = []
    at = _skip(raw, 1)
    while raw[at] not in "]}":
        value = _key_to_value(raw, at) if raw[0] == "{" else at
        key = json.loads(raw[at : token_end(STRING, raw, at, "a key")]) if raw[0] == "{" else None
        end = _end(raw, value)
        entries.append(Entry(key, at, value, end))
        at = _skip(raw, end)
        if raw[at] == ",":
            at = _skip(raw, at + 1)
    return entries


def keys(raw: str) -> list[str]:
    """Return the keys of a record in order. A repeated key appears each time."""
    return [str(entry.key) for entry in entries_of(raw)]


def values(raw: str, wanted: Container[str]) -> dict[str, Any]:
    """Return the values of the wanted keys; for a repeated key, the last value.

    Raise ``NotJson`` if a value is too deep or too large. Lone surrogates and U+0000 cannot be stored or shown
    everywhere. They become U+FFFD in the result and stay unchanged in the text.
    """
    by_key: dict[str, Any] = {}
    if raw.isascii() and "\\u" not in raw and raw.count("{") + raw.count("[") < _DEEPEST:  # as in nearly all records
        with suppress(ValueError):  # the loop reports the error with its key
            return {key: value for key, value in _PLAIN.decode(raw).items() if key in wanted}
    for entry in entries_of(raw):
        if entry.key is not None and entry.key in wanted:
            by_key[entry.key] = value_of(raw[entry.value : entry.end], entry.key)
    return by_key


def loaded(text: str, **how: Any) -> Any:
    """Return the value of a JSON text. ``NaN`` and ``Infinity`` are accepted, because other programs write them.

    Raise ``NotJson`` for any other text, and for an object with a repeated key, because its value is ambiguous.
    ``how`` is passed to ``json.loads``. Pass values that are stored or shown through ``showable``.

    >>> loaded('{"score": NaN}')
    {'score': nan}
    """
    try:
        return json.loads(text, **{"object_pairs_hook": once, **how})
    except DuplicateKey as error:
        repeated = repeated_key(text)
        raise NotJson(repeated[1] if repeated else 0, str(error)) from error
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        raise NotJson(error.pos, "the text ends too early" if cut else f"the text is not JSON: {error.msg}") from error
    except RecursionError:
        raise NotJson(0, "the JSON is nested too deeply") from None
    except ValueError as error:
        raise NotJson(0, "the JSON has a number that is too large") from error


def showable(value: Any) -> Any:
    """Return the value with U+FFFD for lone surrogates and U+0000, which cannot be stored or shown everywhere."""
    return _showable(value, _DEEPEST)


def value_of(text: str, name: str) -> Any:
    try:
        return _showable(json.loads(text, parse_float=_finite), _DEEPEST)
    except RecursionError:
        raise NotJson(0, f"{name} is nested too deeply") from None
    except ValueError as error:
        raise NotJson(0, f"{name} has a number that is too large") from error


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(text)
    return number


_PLAIN = json.JSONDecoder(parse_float=_finite)
"""The fast decoder for records in which no character must be replaced."""


def _no_json(text: str) -> None:
    raise ValueError(text)


class DuplicateKey(ValueError):
    """An error for an object with a repeated key; ``str(error)`` names the key."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r} appears twice in one object; remove one of the two keys")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these pairs. Raise ``DuplicateKey`` for a repeated key. An ``object_pairs_hook``."""
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        raise DuplicateKey(next(name for at, name in enumerate(names) if name in names[:at]))
    return members


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]', re.DOTALL)
_ONCE = json.JSONDecoder(parse_constant=_no_json, object_pairs_hook=once)
_STRICT = json.JSONDecoder(parse_constant=_no_json)
"""Finds the end of a value ten times as fast as ``_end_of_any``, which accepts deeper values and describes errors."""


def _showable(value: Any, depth: int) -> Any:
    if depth == 0:
        raise RecursionError
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value).replace("\x00", "\ufffd")
    if isinstance(value, list):
        return [_showable(entry, depth - 1) for entry in value]
    if isinstance(value, dict):
        return {_showable(key, depth - 1): _showable(entry, depth - 1) for key, entry in value.items()}
    return value
