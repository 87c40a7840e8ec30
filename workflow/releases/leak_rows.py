"""What the rows of public tables say of private items: column by column, in the order of the rows."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation_schemas.asked import plain
from annotation_schemas.formats import id_keys
from workflow.releases.leak_keys import NAMES, Known, looks_like_a_path
from workflow.releases.leak_stats import NOTHING, Codes, Tried, chain, matches, trend
from workflow.releases.leak_tables import Row, Table

_IDS = (*dict.fromkeys(("id", "item", "item_id", *id_keys(), "question_id", "index")), "(name)")
_PLACE = re.compile(r"\[\d+\]")
_MOST_COLUMNS = 400

STATED, NAMED = "stated", "named"
"""Kinds of columns besides plain cells: what a longer text states, and what a file's name has in it."""


@dataclass(frozen=True)
class Signal:
    """Something in a table that may tell the key."""

    kind: str
    """``key``: a column; ``names``: names of files; ``order``: the order of rows."""
    where: str
    what: str
    tried: Tried
    certain: bool = False
    """It is one, whatever the test says."""


@dataclass
class Rows:
    """A table that was read: what it says of each private item, and what other rows have in common with these."""

    table: Table
    known: Known
    ids: list[str] = field(default_factory=list)
    said: dict[tuple[str, str, str], array[int]] = field(default_factory=dict)
    """By column, kind and encoding: what each row says; -1: nothing."""
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
            for encoding, code in self.known.said(item, value):
                self._note(column, "cell", encoding, at, code)
            if isinstance(value, str) and len(value) < 20_000:
                self._take_text(column, value, at)

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
            sort, self.table.name, f"{words}{how} in {hits:,} of {n:,} rows", matches(said, right), certain=certain
        )

    def _of_order(self, keys: Codes, ranks: NDArray[np.float64]) -> Iterator[Signal]:
        found = chain(keys)
        if found is not NOTHING:
            chance = f"by chance in {found.expected:.0%}"
            what = f"from the key of a row that of the next is foretold in {found.share:.0%}, {chance}"
            yield Signal("order", self.table.name, what, found)
        risen = trend(ranks)
        if risen is not NOTHING:
            yield Signal("order", self.table.name, f"the key goes along with the order (rho {risen.share:.2f})", risen)


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
