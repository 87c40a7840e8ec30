"""A search for the JSON objects of a reply, with their keys in order."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from inference.judges.standing import Span

_BRACES = 200
"""The largest number of places where an object could begin, so that a reply of only braces does not take minutes."""

_MARKS = 150_000
"""The largest number of quotes, braces and backslashes that are searched for the ends of objects."""

_STRAY = re.compile(r"\\(?![\"\\/bfnrtu])|\\u(?![0-9a-fA-F]{4})")

_TRAILING = re.compile(r",(?=\s*[}\]])")


def flat_pairs(
    pairs: Sequence[tuple[str, Any]], within: tuple[str, ...] = ()
) -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """Yield the keys of an object and of its nested objects and lists, each with the keys around it."""
    for key, value in pairs:
        yield key, value, within
        if len(within) < 6:
            inner = value if isinstance(value, list) else [value]
            for n, part in enumerate(inner[:50]):
                if isinstance(part, _Pairs):
                    yield from flat_pairs(part.pairs, (*within, f"{key} {n}" if n else key))


def key_words(key: str) -> str:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key.strip())
    return " ".join(re.split(r"[\s_-]+", spaced.lower()))


class _Pairs(dict[str, Any]):
    """An object with its keys in order, including duplicates."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = list(pairs)


def find_objects(text: str, marks: str) -> Iterator[tuple[int, int, list[tuple[str, Any]]]]:
    """Yield the outermost JSON objects in a text: start, end, and their keys with values, including duplicates.

    ``marks`` is the text with its original double quotes. Other quotes are content of JSON strings, unless objects
    exist only with them.
    """
    any_object = False
    for json_object in _objects_of(marks):
        any_object = True
        yield json_object
    if not any_object and marks != text:
        yield from _objects_of(text)


def _objects_of(text: str) -> Iterator[tuple[int, int, list[tuple[str, Any]]]]:
    at, left = text.find("{"), _MARKS
    for _ in range(_BRACES):
        if at < 0 or left <= 0:
            return
        end, looked_at = _closing(text, at, left)
        left -= looked_at
        pairs = None if end is None else _pairs(text[at:end])
        if end is None or pairs is None:
            at = text.find("{", at + 1)
            continue
        yield at, end, pairs
        at = text.find("{", end)


_STRUCTURE = re.compile(r"[\"\\{}]")


def _closing(text: str, start: int, most: int) -> tuple[int | None, int]:
    """Return where the object that begins at ``start`` ends, outside strings, and the number of marks searched."""
    depth, inside, skip, n = 0, False, -1, 0
    for match in _STRUCTURE.finditer(text, start):
        at, letter, n = match.start(), match[0], n + 1
        if n > most:
            break
        if at == skip:
            continue
        if letter == "\\":
            skip = at + 1 if inside else -1
        elif letter == '"':
            inside = not inside
        elif not inside:
            depth += 1 if letter == "{" else -1
            if depth == 0:
                return at + 1, n
    return None, n


def _pairs(piece: str) -> list[tuple[str, Any]] | None:
    """Return the keys and values of an object.

    The object may be JSON, JSON with invalid backslashes and commas, or Python.
    """
    if len(piece) > 50_000:
        return None
    for candidate in (
        piece,
        _TRAILING.sub("", piece),
        _STRAY.sub("", piece),
        _STRAY.sub("", piece.replace("\\1", "1").replace("\\0", "0")),
    ):
        try:
            read = json.loads(candidate, object_pairs_hook=_Pairs, strict=False)
        except (ValueError, RecursionError):
            continue
        return read.pairs if isinstance(read, _Pairs) else None
    return _python_pairs(piece)


def _python_pairs(piece: str) -> list[tuple[str, Any]] | None:
    if len(piece) > 5_000 or piece.count("{") > 20:
        return None
    try:
        tree = ast.parse(piece, mode="eval").body
        if not isinstance(tree, ast.Dict) or any(key is None for key in tree.keys):
            return None
        pairs = [
            (ast.literal_eval(key), ast.literal_eval(value))
            for key, value in zip(tree.keys, tree.values, strict=True)
            if key is not None
        ]
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
    return pairs if all(isinstance(key, str) for key, _ in pairs) else None


def value_place(text: str, start: int, end: int, key: str) -> Span:
    """Return the place of a key's value, or the whole object if the place is unknown."""
    matches = list(re.finditer(re.escape(key) + r"[\"']\s*:\s*[\"'\\]*([^\"'\\,}\s]+)", text[start:end]))
    return (start + matches[-1].start(1), start + matches[-1].end(1)) if matches else (start, end)
