"""Leaks in public tables: the statements of each column and of the row order about private items."""

from __future__ import annotations

import hashlib
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation_schemas.asked import plain
from annotation_schemas.formats import id_keys
from domain.reading.answers import AnswerKind
from exporters.release_keys import KeyItem
from extensions.leaks.encoded import EncodedKeys
from extensions.leaks.keys import NAMES, IndexedKeys, looks_like_a_path
from extensions.leaks.lists import PLACE, list_of, option_lists
from extensions.leaks.media import in_base64
from extensions.leaks.sets import KeyPart, as_letters, least_of_parts, place_of
from extensions.leaks.stats import (
    FEW,
    MOST_KINDS,
    NOTHING,
    Codes,
    ShareTest,
    chain,
    goes_with,
    matches,
    trend,
    within,
)  # fmt: skip
from extensions.leaks.tables import Row, Table, written
from extensions.leaks.writing import HIDDEN, Writing, kinds_of

_IDS = (*dict.fromkeys(("id", "item", "item_id", *id_keys(), "question_id", "index")), "(name)")
_MOST_COLUMNS = 400
_WORDS = re.compile(r"\s")
_CONTENT = frozenset({"dimension", "category", "l2-category", "group", "split", "source", "type", "task", "aspect"})
"""Columns about an item's content, like its question. A key that depends on them is no leak."""

_ENCODINGS = {"from 0": "a number from 0", "from 1": "a number from 1"}
OPTIONS = "(options)"
"""The name of an item's options when they are compared with each other."""

STATED, NAMED = "stated", "named"
"""Kinds of columns other than plain cells: a statement in a longer text, and a word in a file's name."""
ENCODED, SURE = "encoded", "surely encoded"
"""Cells that are the key in another form: perhaps by chance, or beyond it."""
ODD = "odd"
"""The one option that is written unlike the others."""
IDS = "files with ids"
"""The name of the table that holds the items' own ids."""


@dataclass(frozen=True)
class Signal:
    """Something in a table that may tell the key."""

    kind: str
    """A row of ``leaks.DO``, such as ``key`` (a column), ``names`` (of files), ``order`` (of rows) or ``ids``."""
    where: str
    what: str
    tried: ShareTest
    certain: bool = False
    """The signal is a leak, whatever its test shows."""
    column: str = ""
    """For a column: its name."""
    same: bytes = b""
    """Equal for tests of the same values in several files: these count as one test."""

    is_of_writing: bool = False
    """The signal tests how texts are written, which is one of very many tests."""

    @property
    def place(self) -> tuple[str, str]:
        """The column with all that is derived from it, such as the entries and the length of a list."""
        return self.where, PLACE.sub("", self.column).removesuffix(" (length)").removesuffix("[]")


@dataclass
class Rows:
    """A table that was read: its statements about each private item, and the values that rows share."""

    table: Table
    known: IndexedKeys
    ids: list[str] = field(default_factory=list)
    said: dict[tuple[str, str, str], array[int]] = field(default_factory=dict)
    """The code that each row states, by column, kind and encoding; -1 for none."""
    plain: dict[str, dict[int, str | float]] = field(default_factory=dict)
    """For each column without the item's own texts: the value of each row, by its place."""
    writing: dict[str, Writing] = field(default_factory=dict)
    """For each column: how its texts are written."""
    tried: dict[bytes, tuple[str, ShareTest]] = field(default_factory=dict)
    """Tests of earlier tables, which need not be made again for the same values."""
    kept_back: Counter[str] = field(default_factory=Counter)
    """Rows that have something in a column called as a field that is kept back."""

    def __post_init__(self) -> None:
        self._encoded = EncodedKeys(self.known)
        self._names: frozenset[str] = frozenset()

    def take(self, row: Row, id: str) -> None:
        """Add a row about a private item."""
        at = len(self.ids)
        self.ids.append(id)
        item = self.known.keys.items[id]
        options: dict[int, str] = {}
        listed = option_lists(item, row) if item.asked.kind is AnswerKind.MULTI else frozenset()
        for column, value in with_lists(row):
            leaf = _leaf(column)
            if leaf in self.known.withheld and value not in ("", None):
                self.kept_back[column] += 1
            said = dict(self.known.said(item, value))
            for encoding, code in said.items() if list_of(column) not in listed else ():
                self._note(column, "cell", encoding, at, code)
            if id in self.known.places:
                if list_of(column) not in listed:
                    stated = as_letters(item.asked.options, value) if isinstance(value, str) else value
                    self._take_plain(column, stated, at, entries=True)
            elif item.asked.kind is AnswerKind.OPTION and "text" not in said:
                self._take_plain(column, value, at)
            if isinstance(value, str) and len(value) < 20_000:
                self._take_text(column, value, at)
            if (text := written(value)) is not None:
                is_option = "text" in said or (column.endswith("[]") and _has_options(item, text))
                self._take_writing(item, column, text, at, is_option=is_option)
                place = place_of(text, item.asked.options) if id in self.known.places else said.get("text")
                if place is not None:
                    options.setdefault(place, text)
        self._take_odd_option(item, options, at)
        self._take_order(row, at)
        if item.asked.kind is AnswerKind.OPTION or id in self.known.places:
            for column, n in _lengths(row).items():
                if n != len(item.asked.options):  # a list of this length may be the options, which include the key
                    self._take_plain(column, n, at)

    @property
    def _is_of_ids(self) -> bool:
        return self.table.file == IDS

    def _take_writing(self, item: KeyItem, column: str, text: str, at: int, *, is_option: bool) -> None:
        """Note how a text is written, and the key that its decoded form states."""
        if in_base64(text) is not None:
            return
        if not self._is_of_ids and item.id in text:  # ids have tests of their own
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(item.id)}(?![A-Za-z0-9])", "#", text)
        if column in self.writing or len(self.writing) < _MOST_COLUMNS:
            seen = self._is_of_ids or (not is_option and self.known.is_place(item) and _leaf(column) not in _CONTENT)
            self.writing.setdefault(column, Writing()).note(at, text, seen=seen)
        for how, code, sure in self._encoded.said(item, text):
            self._note(column, SURE if sure else ENCODED, how, at, code)

    def _take_order(self, row: Row, at: int) -> None:
        """Note the order of a row's columns, of rows with the same ones."""
        names = list(dict.fromkeys(re.split(r"[.\[]", column)[0] for column in row))
        self._names = self._names or frozenset(names)
        if self._names == set(names) and not self._is_of_ids:
            order = sorted(range(len(names)), key=names.__getitem__)
            self.plain.setdefault("(order of columns)", {})[at] = ",".join(map(str, order))

    def _take_odd_option(self, item: KeyItem, options: Mapping[int, str], at: int) -> None:
        """Note which options are written unlike the others, in each property: one where one option is the key."""
        places = range(len(item.asked.options))
        if len(options) < 3 or set(options) != set(places):  # orders have codes of their own
            return
        kinds = [kinds_of(options[place]) for place in places]
        for name in kinds[0]:
            if item.id in self.known.places:
                values = sorted({each[name] for each in kinds})
                for odd, how in zip(values, ("", ", the other way round"), strict=False) if len(values) == 2 else ():
                    marked = tuple(place for place in places if kinds[place][name] == odd)
                    self._note(OPTIONS, ODD, f"{name}{how}", at, self.known.code_of(marked))
                continue
            counts = Counter(each[name] for each in kinds)
            if len(counts) == 2 and 1 in counts.values():
                odd = min(counts, key=counts.__getitem__)
                self._note(OPTIONS, ODD, name, at, next(n for n, each in enumerate(kinds) if each[name] == odd))

    def _take_plain(self, column: str, value: Any, at: int, *, entries: bool = False) -> None:
        """Note a number or a short code, such as an index or a name, which may go along with the place of the key.

        With ``entries``, columns that are entries of a list count too. Only places are tested. A yes, a number
        or a word may legitimately depend on the item's content.
        """
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_code = isinstance(value, bool) or (isinstance(value, str) and len(value) < 60 and not _WORDS.search(value))
        if _leaf(column) in _CONTENT or (PLACE.search(column) and not entries) or not (is_number or is_code):
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
        """Yield every signal that may reveal a key, with its test."""
        for column, n in self.kept_back.items():
            name = _leaf(column)
            what = f"{n:,} private items have something in {column}, and {name} is kept back"
            yield Signal("key", self.table.name, what, NOTHING, certain=True)
        keys = np.array([self.known.codes.get(id, -1) for id in self.ids], dtype=np.int64)
        there = keys >= 0
        if not there.any():
            return
        items = [self.known.keys.items[id] for id in np.array(self.ids)[there].tolist()]
        _, groups = np.unique([str(self.known.layout(each)) for each in items], return_inverse=True)
        for (column, kind, encoding), codes in self.said.items():
            yield from self._of_column(column, kind, encoding, codes, keys, there, groups)
        ranks = [self.known.ranks[id] for id in self.ids if id in self.known.ranks]
        parts = self.known.parts([each.id for each in items], keys[there])
        yield from self._of_order(parts, np.array(ranks))
        for column, values in self.plain.items():
            cells = [values.get(at) for at in np.flatnonzero(there).tolist()]
            what = f"is associated with the column {column}"
            for said in (in_kinds(cells), in_order(cells)):
                if said is not None:
                    yield self._association("ids" if self._is_of_ids else "columns", what, said, parts, groups, column)
        yield from self._of_writing(items, parts, there, groups)

    def _association(
        self,
        kind: str,
        what: str,
        said: Codes,
        parts: Sequence[KeyPart],
        groups: Codes,
        column: str,
        *,
        is_of_writing: bool = False,
    ) -> Signal:
        same = hashlib.sha256(said.tobytes() + parts[0].codes.tobytes()).digest()
        if same not in self.tried:
            self.tried[same] = least_of_parts(parts, lambda part: within(goes_with, part.of(said), part.codes, groups))
        part, tried = self.tried[same]
        what = f"{part} {what}"
        return Signal(kind, self.table.name, what, tried, column=column, same=same, is_of_writing=is_of_writing)

    def _of_writing(
        self, items: Sequence[KeyItem], parts: Sequence[KeyPart], there: Any, groups: Codes
    ) -> Iterator[Signal]:
        """Yield every property of how texts are written that may be associated with the key."""
        kind, name = ("ids", "the ids") if self._is_of_ids else ("writing", "")
        places = np.array([self._is_of_ids or self.known.is_place(each) for each in items])
        quartered = parts
        if len(np.unique(parts[0].codes)) > MOST_KINDS:
            quarters = in_kinds([self.known.ranks[each.id] for each in items])
            quartered = [replace(parts[0], codes=quarters), *parts[1:]]
        for column, writing in self.writing.items():
            is_content = _leaf(column) in _CONTENT
            for each, codes in writing.properties(len(self.ids)):
                said = codes[there]
                if each not in HIDDEN:
                    said = np.where(places, said, -1)
                    if is_content or not places.any():
                        continue
                what = f"is associated with {each} of {name or f'the column {column}'}"
                right = quartered if each in HIDDEN else parts
                yield self._association(kind, what, said, right, groups, column, is_of_writing=True)

    def _of_column(
        self, column: str, kind: str, encoding: str, codes: array[int], keys: Codes, there: Any, groups: Codes
    ) -> Iterator[Signal]:
        said = np.full(len(self.ids), -1, dtype=np.int64)
        said[: len(codes)] = codes
        said = said[there]
        some, right = said >= 0, keys[there]
        n, hits = int(some.sum()), int((said == right).sum())
        always = n > 0 and hits == n
        several = len(set(said[some].tolist())) > 1
        certain = always and (
            (kind == "cell" and _leaf(column) in NAMES) or (kind in (STATED, SURE) and (several or n == 1))
        )
        words = {
            "cell": f"the column {column} is the key",
            STATED: f"texts in {column} state the key",
            NAMED: f"names of files in {column} have the right option in them",
            ENCODED: f"the column {column} is the key in another form",
            SURE: f"the column {column} is the key in another form",
            ODD: f"the only option that differs in {encoding} is the right one"
            if not self.known.places
            else f"{encoding} of the options tells which ones are right",
        }[kind]
        how = "" if encoding == "text" or kind == ODD else f", as {_ENCODINGS.get(encoding, encoding)}"
        sort = "writing" if kind == ODD else "key"
        if kind == NAMED or (kind in (STATED, ENCODED, SURE) and self.table.part == FILES):
            sort = "names"
        if self._is_of_ids:
            sort = "ids"
        yield Signal(
            sort,
            self.table.name,
            f"{words}{how} in {hits:,} of {n:,} rows",
            within(matches, said, right, groups),
            certain=certain,
            column=column,
        )

    def _of_order(self, parts: Sequence[KeyPart], ranks: NDArray[np.float64]) -> Iterator[Signal]:
        part, found = least_of_parts(parts, lambda each: chain(each.known))
        if found.n:
            of_next = f"the row before predicts {part} in {found.share:.0%} (by chance: {found.expected:.0%})"
            yield Signal("order", self.table.name, of_next, found)
        ranked = [replace(parts[0], codes=ranks - ranks.min()), *parts[1:]]
        part, risen = least_of_parts(ranked, lambda each: trend(each.known.astype(float)))
        if risen.n:
            what = f"{part} is associated with the order (rho {risen.share:.2f})"
            yield Signal("order", self.table.name, what, risen)


def in_kinds(values: Sequence[str | float | None]) -> Codes:
    """Return a code for each value: one for each text, quarters of equal size for numbers with many values, -1 for
    missing values.
    """
    there = [value for value in values if value is not None]
    distinct = sorted(set(map(str, there)))
    if len(distinct) > FEW and there and all(isinstance(value, int | float) for value in there):
        limits = np.quantile(np.array(there, dtype=float), [0.25, 0.5, 0.75])
        return np.array([-1 if v is None else int(np.searchsorted(limits, float(v))) for v in values], dtype=np.int64)
    code = {text: at for at, text in enumerate(distinct)}
    return np.array([-1 if value is None else code[str(value)] for value in values], dtype=np.int64)


def in_order(values: Sequence[str | float | None]) -> Codes | None:
    """Return in which of four parts of the sorted order each of many distinct texts is, such as dates; None for few
    texts.
    """
    texts = {value for value in values if isinstance(value, str)}
    if len(texts) <= FEW:
        return None
    place = {text: float(at) for at, text in enumerate(sorted(texts))}
    return in_kinds([place.get(value) if isinstance(value, str) else None for value in values])


def _has_options(item: KeyItem, text: str) -> bool:
    seen = plain(text)
    return bool(item.asked.options) and all(plain(each) in seen for each in item.asked.options)


FILES = "names of its files"
"""The name of the table that holds a folder's own file names."""


def with_lists(row: Row) -> Iterator[tuple[str, Any]]:
    """Yield the cells of a row, and then each list of plain values as one text, named ``path[]``."""
    lists: dict[str, list[str]] = {}
    for column, value in row.items():
        yield column, value
        match = PLACE.search(column)
        if match is not None and match.end() == len(column) and isinstance(value, str | int | float):
            lists.setdefault(column[: match.start()], []).append(str(value))
    for name, values in lists.items():
        if len(values) < 12:
            yield f"{name}[]", ", ".join(values)


def _lengths(row: Row) -> Mapping[str, int]:
    """Return the number of entries of each list of a row, named ``path (length)``."""
    counts: Counter[str] = Counter()
    for column in row:
        if (match := PLACE.search(column)) is not None and match.end() == len(column):
            counts[f"{column[: match.start()]} (length)"] += 1
    return counts


def _leaf(column: str) -> str:
    return PLACE.sub("", column).rpartition(".")[2].strip("()").removesuffix("[]").casefold()


def id_column(table: Table, knowns: Mapping[str, IndexedKeys]) -> str | None:
    """Return the column that names the items: the one with the most ids of private items. None if no column has any.

    Among equals, a column with the name of an id column wins.
    """
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
    """Return the longer texts of a row without case and white space; empty if the row has no longer texts."""
    texts = [
        plain(value)
        for value in row.values()
        if isinstance(value, str) and len(value) >= 12 and value != id and not looks_like_a_path(value)
    ]
    return "\n".join(sorted(texts)) if sum(map(len, texts)) >= 30 else ""
