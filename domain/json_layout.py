"""Writing records into a JSON file in the layout that the file has.

An edited record changes only at the changed values; a new record is formatted like the file's other records.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from typing import Any

from domain.json_text import STRING, SURROGATE, Entry, Shape, Split, entries_of, token_end, value_of
from domain.records import Fragment

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")

_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")


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
    sample = next((piece.raw for piece in good if len(entries_of(piece.raw)) > 1), good[0].raw)
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
    entries = entries_of(raw)
    if not entries:
        return layout
    opening = raw[1 : entries[0].start]
    closing = raw[entries[-1].end : -1]
    key_end = token_end(STRING, raw, entries[0].start, "a key")
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
        if text.startswith("[") and (inside := entries_of(text)) and text[inside[0].value] not in "{[":
            in_line = "\n" not in text
            comma = text[inside[0].end : inside[1].start] if in_line and len(inside) > 1 else layout.comma
            return replace(layout, lists_in_line=in_line, comma=comma)
    return layout


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
        return SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
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
        text = SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
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
        entries = entries_of(raw)
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
    if same(value_of(old, "the value"), new):
        return old
    kind = "[" if isinstance(new, list | tuple) else "{" if isinstance(new, Mapping) else None
    entries = entries_of(old) if kind and old.startswith(kind) else []
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


def _without(raw: str, entry: Entry) -> str:
    entries = entries_of(raw)
    place = next(i for i, other in enumerate(entries) if other.start == entry.start)
    if place + 1 < len(entries):
        return raw[: entry.start] + raw[entries[place + 1].start :]
    if place:
        return raw[: entries[place - 1].end] + raw[entry.end :]
    return "{}"


def _with(raw: str, entries: list[Entry], key: str, value: Any, layout: Layout, order: Sequence[str]) -> str:
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
