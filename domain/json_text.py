"""Lossless splitting and editing of JSON files: records keep the text around them, and edits change nothing else.

A file of records is an array, or has one object a line. It is split into a head, for each record the text before it
and the record itself, and a tail. Joined again, they equal the file. An edited record changes only at the changed
values; a new record is formatted like the file's other records.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from typing import Any, Literal

from domain.records import Fragment

Shape = Literal["array", "lines"]

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_CLOSER = {"{": "}", "[": "]"}
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
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


# ---- reading --------------------------------------------------------------------------------------------------------


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
        raise NotJson(0, "it is UTF-16 or UTF-32, not UTF-8; save it as UTF-8 and try again")
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
    raise NotJson(start, "it is not an array of records")


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
    piece = Piece(text[at:here], text[here:], f"{reason} ({place(text, where)}); the file cannot be read from here on")
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
            problem = _not_a_record(raw) if end == len(raw) else "there is more text after the record"
            problem = problem or (_told_twice(text, here, here + end) if twice else None)
        except NotJson as error:
            problem = f"{error} ({place(text, here + error.at)})"
        pieces.append(Piece(text[at:here], raw, problem))
        at = line_end
    return Split("lines", text[:start], pieces, text[at:])


def _not_a_record(raw: str) -> str | None:
    if not raw.startswith("{"):
        return "it is not an object {...}"
    return "it is not UTF-8" if has_broken_bytes(raw) else None


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


def _token(pattern: re.Pattern[str], text: str, at: int, wanted: str) -> int:
    match = pattern.match(text, at)
    if match:
        return match.end()
    if at >= len(text):
        raise NotJson(at, "the file ends in the middle of this record")
    raise NotJson(at, f"{wanted} is missing or broken")


def _key_to_value(text: str, at: int) -> int:
    at = _skip(text, _token(_STRING, text, at, "a key in double quotes"))
    if text[at : at + 1] != ":":
        _token(re.compile(":"), text, at, "a colon")
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
    found = repeated_key(text, at, end)
    return f"the key {found[0]!r} stands twice in one object ({place(text, found[1])}); keep one" if found else None


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
            at = _token(_STRING, text, at, "the end of a text")
        elif first in _CLOSER and first:
            at = _skip(text, at + 1)
            if text[at : at + 1] != _CLOSER[first]:
                open_.append(_CLOSER[first])
                if first == "{":
                    at = _key_to_value(text, at)
                continue
            at += 1
        else:
            at = _token(_SCALAR, text, at, "a value")
        while open_:
            at = _skip(text, at)
            if text[at : at + 1] == ",":
                at = _skip(text, at + 1)
                if open_[-1] == "}":
                    at = _key_to_value(text, at)
                break
            if text[at : at + 1] != open_[-1]:
                _token(re.compile("(?!)"), text, at, f"a comma or the closing {open_[-1]}")
            open_.pop()
            at += 1
        else:
            return at


@dataclass(frozen=True)
class _Entry:
    """A member of an object (with ``key``) or an element of a list, with its positions in the text."""

    key: str | None
    start: int
    value: int
    end: int


def _entries(raw: str) -> list[_Entry]:
    """Return the entries of an object or a list, in order."""
    found: list[_Entry] = []
    at = _skip(raw, 1)
    while raw[at] not in "]}":
        value = _key_to_value(raw, at) if raw[0] == "{" else at
        key = json.loads(raw[at : _token(_STRING, raw, at, "a key")]) if raw[0] == "{" else None
        end = _end(raw, value)
        found.append(_Entry(key, at, value, end))
        at = _skip(raw, end)
        if raw[at] == ",":
            at = _skip(raw, at + 1)
    return found


def keys(raw: str) -> list[str]:
    """Return the keys of a record in order. A repeated key appears each time."""
    return [str(entry.key) for entry in _entries(raw)]


def values(raw: str, wanted: Container[str]) -> dict[str, Any]:
    """Return the values of the wanted keys; for a repeated key, the last value.

    Raise ``NotJson`` if a value is too deep or too large. Lone surrogates and U+0000 cannot be stored or shown
    everywhere. They become U+FFFD in the result and stay unchanged in the text.
    """
    found: dict[str, Any] = {}
    if raw.isascii() and "\\u" not in raw and raw.count("{") + raw.count("[") < _DEEPEST:  # as in nearly all records
        with suppress(ValueError):  # the loop reports the error with its key
            return {key: value for key, value in _PLAIN.decode(raw).items() if key in wanted}
    for entry in _entries(raw):
        if entry.key is not None and entry.key in wanted:
            found[entry.key] = _value(raw[entry.value : entry.end], entry.key)
    return found


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
        found = repeated_key(text)
        raise NotJson(found[1] if found else 0, str(error)) from error
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        raise NotJson(error.pos, "it breaks off in the middle" if cut else f"it is no JSON: {error.msg}") from error
    except RecursionError:
        raise NotJson(0, "it is nested too deep") from None
    except ValueError as error:
        raise NotJson(0, "it has a number that is too large") from error


def showable(value: Any) -> Any:
    """Return the value with U+FFFD for lone surrogates and U+0000, which cannot be stored or shown everywhere."""
    return _showable(value, _DEEPEST)


def _value(text: str, name: str) -> Any:
    try:
        return _showable(json.loads(text, parse_float=_finite), _DEEPEST)
    except RecursionError:
        raise NotJson(0, f"{name} is nested too deep") from None
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
        super().__init__(f"the key {key!r} stands twice in one object; keep one")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these pairs. Raise ``DuplicateKey`` for a repeated key. An ``object_pairs_hook``."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise DuplicateKey(next(name for at, name in enumerate(names) if name in names[:at]))
    return found


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]', re.DOTALL)
_ONCE = json.JSONDecoder(parse_constant=_no_json, object_pairs_hook=once)
_STRICT = json.JSONDecoder(parse_constant=_no_json)
"""Finds the end of a value ten times as fast as ``_end_of_any``, which accepts deeper values and describes errors."""


def _showable(value: Any, depth: int) -> Any:
    if depth == 0:
        raise RecursionError
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value).replace("\x00", "\ufffd")
    if isinstance(value, list):
        return [_showable(entry, depth - 1) for entry in value]
    if isinstance(value, dict):
        return {_showable(key, depth - 1): _showable(entry, depth - 1) for key, entry in value.items()}
    return value


# ---- how a file is written ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """The formatting of a file's records. The defaults are those of ``json.dump``."""

    shape: Shape = "array"
    first: str = ""
    """The text before the first record."""
    between: str = ", "
    """The text between two records."""
    base: str = ""
    """The indentation of a record's closing brace."""
    unit: str | None = None
    """The indentation of one level; None if a record takes one line."""
    newline: str = "\n"
    comma: str = ", "
    """The text between members of a record or list on one line."""
    colon: str = ": "
    pad: str = ""
    """The text inside the braces of a record on one line."""
    lists_in_line: bool = False
    """Whether lists take one line within a record of several lines."""
    ascii: bool = True
    """Whether characters outside of ASCII are written as escapes."""
    upper: bool = False
    """Whether escapes use capital letters: backslash-u00E9."""
    slash: bool = False
    """Whether slashes are escaped by a backslash."""

    def as_json(self) -> dict[str, Any]:
        """Return the layout as JSON values, for ``FileRecord.meta``."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Layout:
        """Return the layout that ``as_json`` stored. Unknown keys are ignored."""
        return cls(**{part.name: stored[part.name] for part in fields(cls) if part.name in stored})


ONE_LINE = Layout()
INDENTED = Layout(first="\n    ", between=",\n    ", base="    ", unit="    ", comma=", ")
"""The layout of ``json.dump(records, file, indent=4)``."""


def layout_of(found: Split, default: Layout) -> Layout:
    """Return the layout of a file. Properties that the file does not show are taken from ``default``."""
    good = [piece for piece in found.pieces if piece.problem is None]
    if not good:
        return replace(default, shape=found.shape)
    layout = replace(_escapes((piece.raw for piece in good), default), shape=found.shape)
    sample = next((piece.raw for piece in good if len(_entries(piece.raw)) > 1), good[0].raw)
    layout = _spacing(sample, layout)
    first = found.pieces[0].lead
    leads = Counter(piece.lead for piece in found.pieces[1:] if piece.problem is None)
    if found.shape == "lines":
        between = "\r\n" if "\r\n" in "".join([*leads, found.tail]) else "\n"
    elif leads:
        between = leads.most_common(1)[0][0]
    else:
        between = "," + (first if "\n" in first else layout.comma.removeprefix(","))
    return replace(layout, first=first, between=between)


def _escapes(raws: Iterator[str] | Sequence[str], default: Layout) -> Layout:
    literal, escaped, upper, lower, slash, plain_slash = False, False, False, False, False, False
    for raw in raws:
        literal = literal or _NOT_ASCII.search(raw) is not None
        if "\\" in raw:
            for code, char in _ESCAPED.findall(raw):
                escaped = escaped or (bool(code) and int(code, 16) > 0x7F)
                upper = upper or any(letter in "ABCDEF" for letter in code)
                lower = lower or any(letter in "abcdef" for letter in code)
                slash = slash or char == "/"
            plain_slash = plain_slash or "/" in raw.replace("\\/", "")
        else:
            plain_slash = plain_slash or "/" in raw
    layout = default
    if literal != escaped:
        layout = replace(layout, ascii=escaped)
    if upper != lower:
        layout = replace(layout, upper=upper)
    if slash != plain_slash:
        layout = replace(layout, slash=slash)
    return layout


def _spacing(raw: str, layout: Layout) -> Layout:
    """Return the layout with the white space of one record."""
    entries = _entries(raw)
    if not entries:
        return layout
    opening = raw[1 : entries[0].start]
    closing = raw[entries[-1].end : -1]
    key_end = _token(_STRING, raw, entries[0].start, "a key")
    layout = replace(layout, colon=raw[key_end : entries[0].value])
    if "\n" not in opening:
        layout = replace(layout, unit=None, pad=opening)
        if len(entries) > 1:
            layout = replace(layout, comma=raw[entries[0].end : entries[1].start])
        return layout
    inner, outer = opening.rpartition("\n")[2], closing.rpartition("\n")[2]
    unit = inner[len(outer) :] if inner.startswith(outer) else inner
    layout = replace(layout, unit=unit, base=outer, newline="\r\n" if "\r\n" in opening else "\n")
    for entry in entries:
        text = raw[entry.value : entry.end]
        if text.startswith("[") and (inside := _entries(text)) and text[inside[0].value] not in "{[":
            in_line = "\n" not in text
            comma = text[inside[0].end : inside[1].start] if in_line and len(inside) > 1 else layout.comma
            return replace(layout, lists_in_line=in_line, comma=comma)
    return layout


# ---- writing --------------------------------------------------------------------------------------------------------


def join(fragments: Sequence[Fragment | str], *, head: str | None, tail: str | None, layout: Layout) -> str:
    """Return a file of records.

    Records from the file keep their own lead; new records, given as text, get the layout's lead. ``head`` and
    ``tail`` are None for a new file.
    """
    lines = layout.shape == "lines"
    parts = [head if head is not None else ("" if lines else "[")]
    for index, fragment in enumerate(fragments):
        lead, raw = (fragment.lead, fragment.raw) if isinstance(fragment, Fragment) else (layout.between, fragment)
        if index == 0:
            lead = lead if _fits_first(lead, lines) and isinstance(fragment, Fragment) else layout.first
        elif not _fits_between(lead, lines):
            lead = layout.between
        parts += [lead, raw]
    parts.append(_closing(layout) if tail is None or (not lines and "]" not in tail) else tail)
    if not fragments and (head is None or (lines and not "".join(parts).strip("\ufeff \t\r\n"))):
        return "" if lines else "[]"  # an empty line would not be a record
    return "".join(parts)


def _fits_first(lead: str, lines: bool) -> bool:
    return "\n" not in lead if lines else "," not in lead


def _fits_between(lead: str, lines: bool) -> bool:
    return "\n" in lead if lines else "," in lead


def _closing(layout: Layout) -> str:
    if layout.shape == "lines":
        return "\n"
    return f"{layout.first.rpartition(chr(10))[0]}{layout.newline}]" if "\n" in layout.first else "]"


def ends(layout: Layout) -> tuple[str, str]:
    """Return the head and tail of a new file that is written record by record.

    Write ``layout.first`` before the first record and ``layout.between`` before each further one, as ``join`` does.

    >>> ends(ONE_LINE), ends(Layout(shape="lines", between="\\n"))
    (('[', ']'), ('', '\\n'))
    """
    return ("" if layout.shape == "lines" else "["), _closing(layout)


def record_text(record: Mapping[str, Any], layout: Layout) -> str:
    """Return a new record in the layout of its file."""
    if layout.unit is None and not (layout.pad or layout.upper or layout.slash):  # the json module is ten times as fast
        between = (layout.comma, layout.colon)
        text = json.dumps(record, ensure_ascii=layout.ascii, allow_nan=False, separators=between)
        return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    return _render(record, layout, layout.base, in_line=layout.unit is None)


def _render(value: Any, layout: Layout, indent: str, *, in_line: bool) -> str:
    if isinstance(value, Mapping):
        inside = [
            f"{_scalar(key, layout)}{layout.colon}{_nested(entry, layout, indent, in_line)}"
            for key, entry in value.items()
        ]
        return _wrapped(inside, "{}", layout, indent, in_line)
    if isinstance(value, list | tuple):
        return _wrapped([_nested(entry, layout, indent, in_line) for entry in value], "[]", layout, indent, in_line)
    return _scalar(value, layout)


def _nested(value: Any, layout: Layout, indent: str, in_line: bool) -> str:
    simple = isinstance(value, list | tuple) and not any(isinstance(entry, Mapping | list | tuple) for entry in value)
    return _render(value, layout, indent + (layout.unit or ""), in_line=in_line or (layout.lists_in_line and simple))


def _wrapped(inside: list[str], braces: str, layout: Layout, indent: str, in_line: bool) -> str:
    opening, closing = braces[0], braces[1]
    if not inside:
        return braces
    if in_line or layout.unit is None:
        pad = layout.pad if opening == "{" else ""
        return f"{opening}{pad}{layout.comma.join(inside)}{pad}{closing}"
    line = f"{layout.newline}{indent}{layout.unit}"
    return f"{opening}{line}{f',{line}'.join(inside)}{layout.newline}{indent}{closing}"


def _scalar(value: Any, layout: Layout) -> str:
    text = json.dumps(value, ensure_ascii=layout.ascii, allow_nan=False)
    if isinstance(value, str):
        text = _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
        if layout.upper:
            text = re.sub(r"(?<!\\)((?:\\\\)*\\u)([0-9a-f]{4})", lambda match: match[1] + match[2].upper(), text)
        if layout.slash:
            text = text.replace("/", "\\/")
    return text


def edited(raw: str, changes: Mapping[str, Any], layout: Layout, *, order: Sequence[str] = ()) -> str:
    """Return the record with some values changed and every other byte unchanged.

    A new key goes after the last of the keys that precede it in ``order``, or to the end. Setting a key to None
    removes every occurrence of it. For a repeated key, the last value counts and is edited.
    """
    layout = _spacing(raw, _escapes([raw], layout))
    for key, value in changes.items():
        entries = _entries(raw)
        places = [entry for entry in entries if entry.key == key]
        if value is None:
            for entry in reversed(places):
                raw = _without(raw, entry)
        elif places:
            entry = places[-1]
            raw = raw[: entry.value] + _changed(raw[entry.value : entry.end], value, layout, 1) + raw[entry.end :]
        else:
            raw = _with(raw, entries, key, value, layout, order)
    return raw


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal. Unlike Python, JSON distinguishes 1, 1.0 and true."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _changed(old: str, new: Any, layout: Layout, depth: int) -> str:
    """Return a value with changes, leaving unchanged parts as they were written."""
    if same(_value(old, "the value"), new):
        return old
    kind = "[" if isinstance(new, list | tuple) else "{" if isinstance(new, Mapping) else None
    entries = _entries(old) if kind and old.startswith(kind) else []
    if not entries:
        return _nested(new, layout, layout.base + (layout.unit or "") * (depth - 1), layout.unit is None)
    if isinstance(new, Mapping):
        if [entry.key for entry in entries] != list(new):
            return _nested(new, layout, layout.base + (layout.unit or "") * (depth - 1), "\n" not in old)
        texts = [
            old[entry.start : entry.value] + _changed(old[entry.value : entry.end], new[entry.key], layout, depth + 1)
            for entry in entries
            if entry.key is not None
        ]
    else:
        texts = [
            _changed(old[entry.value : entry.end], value, layout, depth + 1)
            for entry, value in zip(entries, new, strict=False)
        ]
        sample = old[entries[0].value : entries[0].end]
        one_line = "\n" not in sample and (layout.unit is None or sample[:1] not in "{[" or "\n" not in old)
        indent = layout.base + (layout.unit or "") * depth
        texts += [_nested(value, layout, indent, one_line) for value in new[len(entries) :]]
    if not texts:
        return "[]"
    gap = old[entries[0].end : entries[1].start] if len(entries) > 1 else None
    opening, closing = old[: entries[0].start], old[entries[-1].end :]
    if gap is None:
        gap = "," + opening[1:] if "\n" in opening else layout.comma
    gaps = [old[one.end : two.start] for one, two in pairwise(entries)]
    gaps += [gap] * len(texts)
    return opening + "".join(text + (gaps[i] if i < len(texts) - 1 else "") for i, text in enumerate(texts)) + closing


def _without(raw: str, entry: _Entry) -> str:
    entries = _entries(raw)
    place = next(i for i, other in enumerate(entries) if other.start == entry.start)
    if place + 1 < len(entries):
        return raw[: entry.start] + raw[entries[place + 1].start :]
    if place:
        return raw[: entries[place - 1].end] + raw[entry.end :]
    return "{}"


def _with(raw: str, entries: list[_Entry], key: str, value: Any, layout: Layout, order: Sequence[str]) -> str:
    member = f"{_scalar(key, layout)}{layout.colon}{_nested(value, layout, layout.base, layout.unit is None)}"
    if not entries:
        return _wrapped([member], "{}", layout, layout.base, layout.unit is None)
    gap = raw[entries[0].end : entries[1].start] if len(entries) > 1 else layout.comma
    if len(entries) == 1 and "\n" in (opening := raw[1 : entries[0].start]):
        gap = "," + opening
    before = set(order[: order.index(key)]) if key in order else {str(entry.key) for entry in entries}
    earlier = [entry for entry in entries if entry.key in before]
    if not earlier:
        return raw[: entries[0].start] + member + gap + raw[entries[0].start :]
    return raw[: earlier[-1].end] + gap + member + raw[earlier[-1].end :]
