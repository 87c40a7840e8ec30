"""Files with test cases for readers: one JSON object a line, with a text and its expected reading.

`touchstone reading check --judge` and `touchstone reading check` test their readers on these files. A faulty line is
refused with its file and line number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from domain.errors import InvalidFileError

LONGEST = 4_000_000
"""Longest line in bytes. A text of a million characters fits; a file without line breaks does not."""


@dataclass(frozen=True)
class CaseRecord:
    """One line of a file of cases."""

    file: str
    line: int
    keys: Mapping[str, Any]
    expected: tuple[Any, ...] | None
    """Every acceptable reading. None if the line states no expectation."""

    @property
    def id(self) -> str:
        """Return the line's own id, or its line number."""
        return str(self.keys.get("id", self.line))

    def refused(self, what: str) -> InvalidFileError:
        """Return the error for a broken line."""
        return InvalidFileError(f"{self.file}, line {self.line}: {what}.")

    def text(self, key: str) -> str:
        """Return the text under a key. Raise ``InvalidFileError`` if the key is missing or its value is not a text."""
        value = self.keys.get(key)
        if not isinstance(value, str):
            raise self.refused(f"`{key}` is missing" if key not in self.keys else f"`{key}` must be text")
        return value

    def text_or_none(self, key: str) -> str | None:
        """Return the text under a key, or None if the key is missing or null. Otherwise the same as ``text``."""
        return None if self.keys.get(key) is None else self.text(key)


@dataclass(frozen=True)
class CaseReading:
    """A reader's result for one case."""

    outcome: str
    """The outcome by the reader's own name for it."""
    values: str
    """The value in words. Empty if no value was read."""
    words: Sequence[str]
    """The words that the value was read from, or the words that do not fit."""
    why: str
    """The reason, as a sentence, if no value was read."""
    read: bool
    """Whether the case has a value."""


def cases(path: Path) -> Iterator[CaseRecord]:
    """Yield the cases of a file in file order.

    Raises
    ------
    InvalidFileError
        The file cannot be read, is empty, or has a line that is not a case.
    """
    has_cases = False
    try:
        with path.open("rb") as lines:
            number = 0
            while line := lines.readline(LONGEST + 1):
                number += 1
                if len(line) > LONGEST:
                    raise InvalidFileError(
                        f"{path.name}, line {number}: the line is longer than {LONGEST:,} bytes. Shorten the text."
                    )
                if number == 1 and (line[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\x00" in line[:4]):
                    raise InvalidFileError(
                        f"{path.name}, line 1: the file is UTF-16 or UTF-32. Save the file as UTF-8."
                    )
                try:
                    text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    raise InvalidFileError(
                        f"{path.name}, line {number}: the line is not UTF-8. Save the file as UTF-8."
                    ) from error
                if text.strip():
                    has_cases = True
                    yield _case(path.name, number, text)
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {path}: {error.strerror or error}. Check the path and the permissions."
        ) from error
    if not has_cases:
        raise InvalidFileError(f"{path.name} is empty. Write one JSON object per line.")


def _case(file: str, number: int, text: str) -> CaseRecord:
    try:
        keys = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", "") or "too many nested levels"
        column = getattr(error, "colno", 1)
        raise InvalidFileError(
            f"{file}, line {number}: the line is not valid JSON ({reason}, column {column}). Correct the line."
        ) from error
    if not isinstance(keys, dict):
        raise InvalidFileError(f"{file}, line {number}: the line is not a JSON object. Write one case per line.")
    expected = keys.get("expected")
    case = CaseRecord(
        file, number, keys, None if expected is None else tuple(expected) if isinstance(expected, list) else ()
    )
    if expected is not None and (
        not case.expected or not all(isinstance(expectation, dict) for expectation in case.expected)
    ):
        raise case.refused("`expected` must be a list of readings")
    return case


def print_cases(
    path: Path, read: Callable[[CaseRecord], tuple[CaseReading, Callable[[Mapping[str, Any]], bool]]]
) -> None:
    """Print each case's id, outcome, value and words, separated by tabs, and then how many cases are as expected.

    ``read`` returns the reader's result for a case, and a function that checks the result against an expected reading.
    """
    as_expected = other = silent = 0
    for case in cases(path):
        reading, meets = read(case)
        mark = ""
        if case.expected is not None:
            fits = any(meets(expectation) for expectation in case.expected)
            as_expected += fits
            other += not fits
            silent += reading.read and not fits
            mark = "" if fits else "SILENTLY WRONG" if reading.read else "NOT AS EXPECTED"
        words = " … ".join(json.dumps(word, ensure_ascii=False) for word in reading.words)
        typer.echo(
            "\t".join(
                _one_line(cell) for cell in (case.id, reading.outcome, reading.values, words, reading.why, mark)
            ).rstrip()
        )
    if as_expected or other:
        typer.echo(f"As expected: {as_expected}. Not as expected: {other}, including {silent} silently wrong.")


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
