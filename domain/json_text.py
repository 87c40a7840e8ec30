"""JSON text taken apart without loss: records with the bytes around them, and edits that leave the rest as it was.

A file of records (an array, or one object a line) becomes pieces: head, then for each record what stands before it and
the record itself, then the tail. Joined again they are the file. An edited record changes only where its values
changed; a new one is written the way the file writes its records.
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
"""Levels of a value that is read. Deeper ones pass through as text, but not every program could show them."""
_BROKEN_BYTE = re.compile(r"[\udc80-\udcff]")


class NotJson(ValueError):
    """The text is not what it should be; ``at`` is the position and ``str(error)`` what is wrong there."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at = at


# ---- reading --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Piece:
    """One record of a file: ``lead`` stands before it; ``problem`` says what is wrong with it, if anything is."""

    lead: str
    raw: str
    problem: str | None = None


@dataclass(frozen=True)
class Split:
    """A file of records in pieces: ``head + every lead and raw + tail`` is the text, to the byte.

    A piece with a problem in an array may be the rest of the file: after a break nothing can be told apart any more.
    """

    shape: Shape
    head: str
    pieces: Sequence[Piece]
    tail: str


def decode(data: bytes) -> str:
    """The text of a UTF-8 file, line ends and byte order mark included; ``NotJson`` for UTF-16 and the like.

    Bytes that are not UTF-8 are kept as lone surrogates (Python's ``surrogateescape``); ``split`` finds their records.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\x00" in data[:4]:
        raise NotJson(0, "it is UTF-16 or UTF-32, not UTF-8; save it as UTF-8 and try again")
    return data.decode("utf-8", "surrogateescape")


def split(text: str) -> Split:
    """The pieces of a file that holds an array of objects, or one object a line; ``NotJson`` if it is neither."""
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
    """One object a line, as far as the first line shows it: it ends where an object does."""
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
    """Whether ``decode`` met bytes here that are not UTF-8."""
    return _BROKEN_BYTE.search(text) is not None


def printable(text: str) -> str:
    """The text with bytes that are not UTF-8 written out: ``\\xe9``."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def place(text: str, at: int) -> str:
    """A position as a person counts."""
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
        except Twice:
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
    """Where the value that begins at ``at`` ends. A loop, not a recursion: nesting may be as deep as it likes."""
    with suppress(ValueError, RecursionError):  # said below, with what is wrong
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
    """A member of an object (with ``key``) or an element of a list, by its places in the text."""

    key: str | None
    start: int
    value: int
    end: int


def _entries(raw: str) -> list[_Entry]:
    """What an object or a list holds, in order."""
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
    """The keys of a record in their order, a repeated one as often as it is there."""
    return [str(entry.key) for entry in _entries(raw)]


def values(raw: str, wanted: Container[str]) -> dict[str, Any]:
    """The values of some keys of a record; the last one of a repeated key. ``NotJson`` if one is too deep or too large.

    Lone surrogates and U+0000 cannot be stored or shown everywhere: they become U+FFFD here, and stay as they are in
    the text.
    """
    found: dict[str, Any] = {}
    if raw.isascii() and "\\u" not in raw and raw.count("{") + raw.count("[") < _DEEPEST:  # as nearly all are
        with suppress(ValueError):  # said below, with the key that it is about
            return {key: value for key, value in _PLAIN.decode(raw).items() if key in wanted}
    for entry in _entries(raw):
        if entry.key is not None and entry.key in wanted:
            found[entry.key] = _value(raw[entry.value : entry.end], entry.key)
    return found


def loaded(text: str, **how: Any) -> Any:
    """Return the value of a text that is one JSON value, as other programs write it: ``NaN`` and ``Infinity`` pass.

    Raises ``NotJson`` for any other text, and for an object with the same key twice, because its value is ambiguous.
    ``how`` goes to ``json.loads``. What of it is stored or shown has to go through ``showable``.

    >>> loaded('{"score": NaN}')
    {'score': nan}
    """
    try:
        return json.loads(text, **{"object_pairs_hook": once, **how})
    except Twice as error:
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
    """The value without lone surrogates and U+0000, which cannot be stored or shown everywhere: they become U+FFFD."""
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
"""For records in which nothing has to be replaced."""


def _no_json(text: str) -> None:
    raise ValueError(text)


class Twice(ValueError):
    """An object has the same key twice; ``str(error)`` names the key."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r} stands twice in one object; keep one")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs; raises where a key stands twice (an ``object_pairs_hook``)."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise Twice(next(name for at, name in enumerate(names) if name in names[:at]))
    return found


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]', re.DOTALL)
_ONCE = json.JSONDecoder(parse_constant=_no_json, object_pairs_hook=once)
_STRICT = json.JSONDecoder(parse_constant=_no_json)
"""Finds where a value ends ten times as fast as ``_end_of_any``, which takes deeper ones and says what is wrong."""


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
    """How a file writes its records. The defaults are ``json.dump``'s."""

    shape: Shape = "array"
    first: str = ""
    """Before the first record."""
    between: str = ", "
    """Between two records."""
    base: str = ""
    """What a record's closing brace is indented by."""
    unit: str | None = None
    """What one level is indented by; None: a record is one line."""
    newline: str = "\n"
    comma: str = ", "
    """Between the members of a one-line record or list."""
    colon: str = ": "
    pad: str = ""
    """Inside the braces of a one-line record."""
    lists_in_line: bool = False
    """A record takes several lines, the lists in it do not."""
    ascii: bool = True
    """Other characters are written as escapes."""
    upper: bool = False
    """Escapes have capital letters: backslash-u00E9."""
    slash: bool = False
    """A slash is written with a backslash before it."""

    def as_json(self) -> dict[str, Any]:
        """For ``FileRecord.meta``."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Layout:
        """The inverse of ``as_json``; keys it does not know are left out."""
        return cls(**{part.name: stored[part.name] for part in fields(cls) if part.name in stored})


ONE_LINE = Layout()
INDENTED = Layout(first="\n    ", between=",\n    ", base="    ", unit="    ", comma=", ")
"""What ``json.dump(records, file, indent=4)`` writes."""


def layout_of(found: Split, default: Layout) -> Layout:
    """How this file writes its records, as far as it shows it; the rest as ``default`` does."""
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
    """The layout with the white space that one record shows."""
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
    """A file of records: those that came from it with their own lead, new ones (given as text) with its usual one.

    ``head`` and ``tail`` are None for a new file.
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
        return "" if lines else "[]"  # a line that is empty would be a record that is none
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
    """What a new file of records begins and ends with, for one that is written record by record: between them stand
    ``layout.first`` once and then ``layout.between``, as ``join`` has it.

    >>> ends(ONE_LINE), ends(Layout(shape="lines", between="\\n"))
    (('[', ']'), ('', '\\n'))
    """
    return ("" if layout.shape == "lines" else "["), _closing(layout)


def record_text(record: Mapping[str, Any], layout: Layout) -> str:
    """A new record, written as its file writes records."""
    if layout.unit is None and not (layout.pad or layout.upper or layout.slash):  # json's own, ten times as fast
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
    """The record with some values changed and every other byte as it was.

    A key that is not there yet is added after the last of those that come before it in ``order``, else at the end; a
    change to None takes its key away (all of them, if it is repeated; else the last one counts and is edited).
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
    """Whether two JSON values are the same. Unlike Python, JSON tells 1, 1.0 and true apart."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _changed(old: str, new: Any, layout: Layout, depth: int) -> str:
    """A value written anew, the parts of it that are as before left as they are."""
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
