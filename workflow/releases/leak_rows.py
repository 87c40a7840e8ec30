"""What the rows of public tables say of private items: column by column, in the order of the rows."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation_schemas.asked import plain
from annotation_schemas.formats import id_keys
from domain.reading.answers import AnswerKind
from workflow.releases.leak_keys import NAMES, Known, looks_like_a_path
from workflow.releases.leak_stats import NOTHING, Codes, Tried, chain, goes_with, matches, trend
from workflow.releases.leak_tables import Row, Table

_IDS = (*dict.fromkeys(("id", "item", "item_id", *id_keys(), "question_id", "index")), "(name)")
_PLACE = re.compile(r"\[\d+\]")
_MOST_COLUMNS = 400
_FEW = 8
"""Numbers of more different values than this are tested in four parts."""
_WORDS = re.compile(r"\s")
_BETWEEN = re.compile(r"[^0-9A-Za-z]+")
_DIGITS = re.compile(r"[0-9]+")
_CONTENT = frozenset({"dimension", "category", "l2-category", "group", "split", "source", "type", "task", "aspect"})
"""Columns that say what an item is about, as its question does. A key that goes along with them is no leak."""

STATED, NAMED = "stated", "named"
"""Kinds of columns besides plain cells: what a longer text states, and what a file's name has in it."""


@dataclass(frozen=True)
class Signal:
    """Something in a table that may tell the key."""

    kind: str
    """A row of ``leaks.DO``, such as ``key`` (a column), ``names`` (of files), ``order`` (of rows) or ``ids``."""
    where: str
    what: str
    tried: Tried
    certain: bool = False
    """It is one, whatever the test says."""
    column: str = ""
    """For a column: its name."""


@dataclass
class Rows:
    """A table that was read: what it says of each private item, and what other rows have in common with these."""

    table: Table
    known: Known
    ids: list[str] = field(default_factory=list)
    said: dict[tuple[str, str, str], array[int]] = field(default_factory=dict)
    """By column, kind and encoding: what each row says; -1: nothing."""
    plain: dict[str, dict[int, str | float]] = field(default_factory=dict)
    """For each column without the item's own texts: the value of each row, by its place."""
    kept_back: Counter[str] = field(default_factory=Counter)
    """Rows that have something in a column called as a field that is kept back."""

    def take(self, row: Row, id: str) -> None:
        """A row about a private item."""
        at = len(self.ids)
        self.ids.append(id)
        item = self.known.keys.items[id]
        for column, value in with_lists(row):
            leaf = _leaf(column)
            if leaf in self.known.withheld and value not in ("", None):
                self.kept_back[column] += 1
            said = list(self.known.said(item, value))
            for encoding, code in said:
                self._note(column, "cell", encoding, at, code)
            if item.asked.kind is AnswerKind.OPTION and "text" not in dict(said):
                self._take_plain(column, value, at)
            if isinstance(value, str) and len(value) < 20_000:
                self._take_text(column, value, at)
        if item.asked.kind is AnswerKind.OPTION:
            for column, n in _lengths(row).items():
                if n != len(item.asked.options):  # else it may be the list of the options, of which the key is one
                    self._take_plain(column, n, at)

    def _take_plain(self, column: str, value: Any, at: int) -> None:
        """Note a number or a short code, such as an index or a name, which may go along with the place of the key.

        Only places are tested: a yes, a number or a word may rightly depend on what an item is about.
        """
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_code = isinstance(value, bool) or (isinstance(value, str) and len(value) < 60 and not _WORDS.search(value))
        if _leaf(column) in _CONTENT or _PLACE.search(column) or not (is_number or is_code):
            return
        if column in self.plain or len(self.plain) < _MOST_COLUMNS:
            self.plain.setdefault(column, {})[at] = value if is_number else str(value)

    def _take_text(self, column: str, value: str, at: int) -> None:
        item = self.known.keys.items[self.ids[at]]
        stated: dict[str, set[int]] = {}
        for encoding, code in self.known.stated(item, value):
            stated.setdefault(encoding, set()).add(code)
        for encoding, codes in stated.items():
            if len(codes) == 1:
                self._note(column, STATED, encoding, at, codes.pop())
        if looks_like_a_path(value) and (place := self.known.in_name(item, value)) is not None:
            self._note(column, NAMED, "text", at, place)

    def _note(self, column: str, kind: str, encoding: str, at: int, code: int) -> None:
        key = (column, kind, encoding)
        if key not in self.said:
            if len(self.said) >= _MOST_COLUMNS:
                return
            self.said[key] = array("i")
        codes = self.said[key]
        codes.extend([-1] * (at - len(codes)))
        if len(codes) == at:
            codes.append(code)

    def signals(self) -> Iterator[Signal]:
        """Everything that may tell a key, with its test."""
        for column, n in self.kept_back.items():
            name = _leaf(column)
            what = f"{n:,} private items have something in {column}, and {name} is kept back"
            yield Signal("key", self.table.name, what, NOTHING, certain=True)
        keys = np.array([self.known.codes.get(id, -1) for id in self.ids], dtype=np.int64)
        there = keys >= 0
        if not there.any():
            return
        for (column, kind, encoding), codes in self.said.items():
            yield from self._of_column(column, kind, encoding, codes, keys, there)
        ranks = [self.known.ranks[id] for id in self.ids if id in self.known.ranks]
        yield from self._of_order(keys[there], np.array(ranks))
        for column, values in self.plain.items():
            cells = [values.get(at) for at in np.flatnonzero(there).tolist()]
            what = f"the key is associated with the column {column}"
            for said in (in_kinds(cells), in_order(cells)):
                if said is not None:
                    yield Signal("columns", self.table.name, what, goes_with(said, keys[there]), column=column)

    def _of_column(
        self, column: str, kind: str, encoding: str, codes: array[int], keys: Codes, there: Any
    ) -> Iterator[Signal]:
        said = np.full(len(self.ids), -1, dtype=np.int64)
        said[: len(codes)] = codes
        said = said[there]
        some, right = said >= 0, keys[there]
        n, hits = int(some.sum()), int((said == right).sum())
        always = n > 0 and hits == n
        several = len(set(said[some].tolist())) > 1
        certain = always and ((kind == "cell" and _leaf(column) in NAMES) or (kind == STATED and (several or n == 1)))
        words = {
            "cell": f"the column {column} is the key",
            STATED: f"texts in {column} state the key",
            NAMED: f"names of files in {column} have the right option in them",
        }[kind]
        how = "" if encoding == "text" else f", as {encoding if encoding == 'letter' else 'a number ' + encoding}"
        sort = "names" if kind == NAMED or (kind == STATED and self.table.part == FILES) else "key"
        yield Signal(
            sort,
            self.table.name,
            f"{words}{how} in {hits:,} of {n:,} rows",
            matches(said, right),
            certain=certain,
            column=column,
        )

    def _of_order(self, keys: Codes, ranks: NDArray[np.float64]) -> Iterator[Signal]:
        found = chain(keys)
        if found is not NOTHING:
            chance = f"by chance in {found.expected:.0%}"
            what = f"from the key of a row that of the next is foretold in {found.share:.0%}, {chance}"
            yield Signal("order", self.table.name, what, found)
        risen = trend(ranks)
        if risen is not NOTHING:
            yield Signal(
                "order", self.table.name, f"the key is associated with the order (rho {risen.share:.2f})", risen
            )


def of_ids(known: Known) -> Iterator[Signal]:
    """Test whether a part of the ids goes along with the key: the last letter, a word, or the number."""
    ids = list(known.codes)
    keys = np.array([known.codes[id] for id in ids], dtype=np.int64)
    for name, values in id_parts(ids):
        what = f"the key is associated with {name} of the ids (such as {ids[0]!r})"
        yield Signal("ids", "files with ids", what, goes_with(in_kinds(values), keys))


def id_parts(ids: Sequence[str]) -> Iterator[tuple[str, list[str | float | None]]]:
    """Yield the parts of ids that may say something, with what each id has there (None: nothing).

    >>> dict(id_parts(["000-b", "001-a"]))["the last part"]
    ['b', 'a']
    """
    parts = [_BETWEEN.split(id) for id in ids]
    longest = max((len(each) for each in parts), default=0)
    if longest > 1:
        yield "the last part", [each[-1] if len(each) > 1 else None for each in parts]
        for at in range(min(longest - 1, 4)):
            yield f"part {at + 1}", [each[at] if len(each) > at + 1 else None for each in parts]
    yield "the last character", [id[-1:] for id in ids]
    yield "the first character", [id[:1] for id in ids]
    yield "the length", [float(len(id)) for id in ids]
    numbers = [int(found[0][-15:]) if (found := _DIGITS.findall(id)[-1:]) else None for id in ids]
    if sum(number is not None for number in numbers) > len(ids) / 2:
        for n in (2, 3, 4, 5):
            yield f"the number modulo {n}", [None if each is None else str(each % n) for each in numbers]
        yield "the number", [None if each is None else float(each) for each in numbers]


def in_kinds(values: Sequence[str | float | None]) -> Codes:
    """Return a code for each value: one for each text, quarters of equal size for numbers with many values, -1 for
    missing values.
    """
    there = [value for value in values if value is not None]
    distinct = sorted(set(map(str, there)))
    if len(distinct) > _FEW and there and all(isinstance(value, int | float) for value in there):
        limits = np.quantile(np.array(there, dtype=float), [0.25, 0.5, 0.75])
        return np.array([-1 if v is None else int(np.searchsorted(limits, float(v))) for v in values], dtype=np.int64)
    code = {text: at for at, text in enumerate(distinct)}
    return np.array([-1 if value is None else code[str(value)] for value in values], dtype=np.int64)


def in_order(values: Sequence[str | float | None]) -> Codes | None:
    """Return in which of four parts each of many different texts is, by their order, as of dates; None of few texts."""
    texts = {value for value in values if isinstance(value, str)}
    if len(texts) <= _FEW:
        return None
    place = {text: float(at) for at, text in enumerate(sorted(texts))}
    return in_kinds([place.get(value) if isinstance(value, str) else None for value in values])


FILES = "names of its files"
"""What the table of a folder's own file names is called."""


def with_lists(row: Row) -> Iterator[tuple[str, Any]]:
    """The cells of a row, and each list of plain values once more as one text, as ``path[]``."""
    lists: dict[str, list[str]] = {}
    for column, value in row.items():
        yield column, value
        match = _PLACE.search(column)
        if match is not None and match.end() == len(column) and isinstance(value, str | int | float):
            lists.setdefault(column[: match.start()], []).append(str(value))
    for name, values in lists.items():
        if len(values) < 12:
            yield f"{name}[]", ", ".join(values)


def _lengths(row: Row) -> Mapping[str, int]:
    """How many entries each list of a row has, as ``path (length)``."""
    counts: Counter[str] = Counter()
    for column in row:
        if (match := _PLACE.search(column)) is not None and match.end() == len(column):
            counts[f"{column[: match.start()]} (length)"] += 1
    return counts


def _leaf(column: str) -> str:
    return _PLACE.sub("", column).rpartition(".")[2].strip("()").removesuffix("[]").casefold()


def id_column(table: Table, knowns: Mapping[str, Known]) -> str | None:
    """The column that names the items: that in which most values are ids of private items; of equals one that is called
    so. None: it is about none of them."""
    hits: Counter[str] = Counter()
    for row in table.rows():
        for column, value in row.items():
            if isinstance(value, str | int) and not isinstance(value, bool) and str(value) in knowns:
                hits[column] += 1
    if not hits:
        return None
    place = {name: at for at, name in enumerate(_IDS)}
    return max(hits, key=lambda name: (hits[name], -place.get(_leaf(name), len(_IDS)), name))


def fingerprint(row: Row, id: str) -> str:
    """The longer texts of a row, as far as case and white space make no difference; empty: there are none."""
    texts = [
        plain(value)
        for value in row.values()
        if isinstance(value, str) and len(value) >= 12 and value != id and not looks_like_a_path(value)
    ]
    return "\n".join(sorted(texts)) if sum(map(len, texts)) >= 30 else ""
