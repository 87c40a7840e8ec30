"""Leaks in public tables: what each column and the order of the rows say about private items."""

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

from annotation_schemas.expected_answers import plain
from domain.english import with_noun
from domain.reading.answers import AnswerKind
from exporters.release_keys import KeyItem
from extensions.leaks.encoded import EncodedKeys
from extensions.leaks.keys import NAMES, SecretKeys, looks_like_a_path
from extensions.leaks.option_sets import KeyPart, as_letters, place_of, strongest_part
from extensions.leaks.pictures import in_base64
from extensions.leaks.signals import Signal
from extensions.leaks.stats import (
    MOST_KINDS,
    NOT_TESTED,
    ChanceTest,
    Codes,
    association_test,
    codes_in_order,
    codes_of,
    match_test,
    neighbor_test,
    trend_test,
    within_groups,
)
from extensions.leaks.tables import PLACE, Row, Table, list_lengths, list_of, name_of, spelled_value, with_lists
from extensions.leaks.writing import HIDDEN, ColumnStyle, kinds_of

_MOST_COLUMNS = 400
_WORDS = re.compile(r"\s")
_CONTENT = frozenset({"dimension", "category", "l2-category", "group", "split", "source", "type", "task", "aspect"})
"""Columns about an item's content, like its question. A key that depends on them is no leak."""

FILES = "file names"
"""The name of the table that holds a folder's own file names."""
IDS = "files with ids"
"""The name of the table that holds the items' own ids."""

_OPTIONS = "(options)"
"""The name of an item's options when they are compared with each other."""
_CELL, _STATED, _NAMED = "cell", "stated", "named"
"""Plain cells, a statement in a longer text, and a word in a file's name."""
_ENCODED, _SURE = "encoded", "surely encoded"
"""Cells that are the key in another form: perhaps by chance, or beyond it."""
_ODD = "odd"
"""The one option that is written unlike the others."""
_ONE_FORM, _OTHER_FORM = "one form", "the other form"
"""The options that share one of two forms, of items with several right options."""
_ENCODINGS = {"from 0": "a number from 0", "from 1": "a number from 1"}


@dataclass
class TableCheck:
    """A table as it is read: its statements about each private item, and the values that rows share."""

    table: Table
    keys: SecretKeys
    tests: dict[bytes, tuple[str, ChanceTest]] = field(default_factory=dict)
    """Tests of earlier tables, which need not be made again for the same values."""
    ids: list[str] = field(default_factory=list)
    _stated: dict[tuple[str, str, str], array[int]] = field(default_factory=dict)
    """The code that each row states, by column, kind and encoding; -1 for none."""
    _plain: dict[str, dict[int, str | float]] = field(default_factory=dict)
    """For each column without the item's own texts: the value of each row, by its place."""
    _writing: dict[str, ColumnStyle] = field(default_factory=dict)
    """For each column: how its texts are written."""
    _withheld: Counter[str] = field(default_factory=Counter)
    """Rows that have something in a column called as a field that is kept back."""

    def __post_init__(self) -> None:
        self._encoded = EncodedKeys(self.keys)
        self._columns: frozenset[str] = frozenset()
        self._is_of_ids = self.table.file == IDS

    # ---- rows --------------------------------------------------------------------------------------------------------

    def add_row(self, row: Row, id: str) -> None:
        """Add a row about a private item."""
        at = len(self.ids)
        self.ids.append(id)
        item = self.keys.items[id]
        is_set, is_option = id in self.keys.places, item.asked.kind is AnswerKind.OPTION
        options: dict[int, str] = {}
        own_lists = _lists_of_options(item, row) if item.asked.kind is AnswerKind.MULTI else frozenset()
        for column, value in with_lists(row):
            if name_of(column) in self.keys.withheld and value not in ("", None):
                self._withheld[column] += 1
            stated = dict(self.keys.in_cell(item, value))
            if list_of(column) not in own_lists:
                for encoding, code in stated.items():
                    self._note(column, _CELL, encoding, at, code)
                if is_set:
                    letters = as_letters(item.asked.options, value) if isinstance(value, str) else value
                    self._add_plain(column, letters, at, entries=True)
            if is_option and not is_set and "text" not in stated:
                self._add_plain(column, value, at)
            if isinstance(value, str) and len(value) < 20_000:
                self._add_text(item, column, value, at)
            if (text := spelled_value(value)) is not None:
                has_option = "text" in stated or (column.endswith("[]") and _has_options(item, text))
                self._add_writing(item, column, text, at, has_option=has_option)
                place = place_of(text, item.asked.options) if is_set else stated.get("text")
                if place is not None:
                    options.setdefault(place, text)
        self._add_odd_option(item, options, at)
        self._add_order(row, at)
        if is_option or is_set:
            for column, n in list_lengths(row).items():
                if n != len(item.asked.options):  # a list of this length may be the options, which include the key
                    self._add_plain(column, n, at)

    def _add_writing(self, item: KeyItem, column: str, text: str, at: int, *, has_option: bool) -> None:
        """Note how a text is written, and the key that its decoded form states."""
        if in_base64(text) is not None:
            return
        if not self._is_of_ids and item.id in text:  # ids have tests of their own
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(item.id)}(?![A-Za-z0-9])", "#", text)
        if column in self._writing or len(self._writing) < _MOST_COLUMNS:
            seen = not has_option and self.keys.is_place(item) and name_of(column) not in _CONTENT
            self._writing.setdefault(column, ColumnStyle()).note(at, text, seen=seen or self._is_of_ids)
        for how, code, sure in self._encoded.in_text(item, text):
            self._note(column, _SURE if sure else _ENCODED, how, at, code)

    def _add_order(self, row: Row, at: int) -> None:
        """Note the order of a row's columns, of rows with the same ones."""
        names = list(dict.fromkeys(re.split(r"[.\[]", column)[0] for column in row))
        self._columns = self._columns or frozenset(names)
        if self._columns == set(names) and not self._is_of_ids:
            order = sorted(range(len(names)), key=names.__getitem__)
            self._plain.setdefault("(order of columns)", {})[at] = ",".join(map(str, order))

    def _add_odd_option(self, item: KeyItem, options: Mapping[int, str], at: int) -> None:
        """Note which options are written unlike the others, in each property: one where one option is the key."""
        places = range(len(item.asked.options))
        if len(options) < 3 or set(options) != set(places):  # orders have codes of their own
            return
        kinds = [kinds_of(options[place]) for place in places]
        for name in kinds[0]:
            counts = Counter(kind[name] for kind in kinds)
            if len(counts) != 2:
                continue
            if item.id in self.keys.places:
                for form, kind in zip(sorted(counts), (_ONE_FORM, _OTHER_FORM), strict=True):
                    marked = tuple(place for place in places if kinds[place][name] == form)
                    self._note(_OPTIONS, kind, name, at, self.keys.code_of(marked))
            elif 1 in counts.values():
                odd = min(counts, key=counts.__getitem__)
                self._note(_OPTIONS, _ODD, name, at, next(n for n, kind in enumerate(kinds) if kind[name] == odd))

    def _add_plain(self, column: str, value: Any, at: int, *, entries: bool = False) -> None:
        """Note a number or a short code, such as an index or a name, which may go along with the place of the key.

        With ``entries``, columns that are entries of a list count too. Only places are tested. A yes, a number
        or a word may legitimately depend on the item's content.
        """
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_code = isinstance(value, bool) or (isinstance(value, str) and len(value) < 60 and not _WORDS.search(value))
        if name_of(column) in _CONTENT or (PLACE.search(column) and not entries) or not (is_number or is_code):
            return
        if column in self._plain or len(self._plain) < _MOST_COLUMNS:
            self._plain.setdefault(column, {})[at] = value if is_number else str(value)

    def _add_text(self, item: KeyItem, column: str, value: str, at: int) -> None:
        """Note the key that a longer text states, if it states only one, and the one in a file's name."""
        stated: dict[str, set[int]] = {}
        for encoding, code in self.keys.in_text(item, value):
            stated.setdefault(encoding, set()).add(code)
        for encoding, codes in stated.items():
            if len(codes) == 1:
                self._note(column, _STATED, encoding, at, codes.pop())
        if looks_like_a_path(value) and (place := self.keys.in_name(item, value)) is not None:
            self._note(column, _NAMED, "text", at, place)

    def _note(self, column: str, kind: str, encoding: str, at: int, code: int) -> None:
        key = (column, kind, encoding)
        if key not in self._stated and len(self._stated) >= _MOST_COLUMNS:
            return
        codes = self._stated.setdefault(key, array("i"))
        codes.extend([-1] * (at - len(codes)))
        if len(codes) == at:
            codes.append(code)

    # ---- signals -----------------------------------------------------------------------------------------------------

    def signals(self) -> Iterator[Signal]:
        """Yield every signal that may reveal a key, with its test."""
        for column, n in self._withheld.items():
            have = with_noun(n, "private item has", "private items have")
            what = f"{have} a value in {column}, but {name_of(column)} is private"
            yield Signal("key", self.table.name, what, NOT_TESTED, is_certain=True)
        keys = np.array([self.keys.codes.get(id, -1) for id in self.ids], dtype=np.int64)
        there = keys >= 0
        if not there.any():
            return
        items = [self.keys.items[id] for id in self.ids if id in self.keys.codes]
        _, groups = np.unique([str(self.keys.layout(item)) for item in items], return_inverse=True)
        for (column, kind, encoding), codes in self._stated.items():
            stated = np.full(len(self.ids), -1, dtype=np.int64)
            stated[: len(codes)] = codes
            yield self._of_column(column, kind, encoding, stated[there], keys[there], groups)
        parts = self.keys.parts([item.id for item in items])
        yield from self._of_order(parts, np.array([self.keys.ranks[item.id] for item in items]))
        for column, values in self._plain.items():
            cells = [values.get(at) for at in np.flatnonzero(there).tolist()]
            what = f"is associated with the column {column}"
            for coded in (codes_of(cells), codes_in_order(cells)):
                if coded is not None:
                    yield self._association("ids" if self._is_of_ids else "columns", what, coded, parts, groups, column)
        yield from self._of_writing(items, parts, there, groups)

    def _association(
        self,
        kind: str,
        what: str,
        values: Codes,
        parts: Sequence[KeyPart],
        groups: Codes,
        column: str,
        *,
        is_of_writing: bool = False,
    ) -> Signal:
        same = hashlib.sha256(values.tobytes() + parts[0].codes.tobytes()).digest()
        if same not in self.tests:
            self.tests[same] = strongest_part(
                parts, lambda part: within_groups(association_test, part.of(values), part.codes, groups)
            )
        part, test = self.tests[same]
        what = f"{part} {what}"
        return Signal(kind, self.table.name, what, test, column=column, same=same, is_of_writing=is_of_writing)

    def _of_writing(
        self, items: Sequence[KeyItem], parts: Sequence[KeyPart], there: Any, groups: Codes
    ) -> Iterator[Signal]:
        """Yield every property of how texts are written that may be associated with the key."""
        kind, name = ("ids", "the ids") if self._is_of_ids else ("writing", "")
        places = np.array([self._is_of_ids or self.keys.is_place(item) for item in items])
        quartered = parts
        if len(np.unique(parts[0].codes)) > MOST_KINDS:
            quartered = [replace(parts[0], codes=codes_of([self.keys.ranks[item.id] for item in items])), *parts[1:]]
        for column, writing in self._writing.items():
            is_content = name_of(column) in _CONTENT
            for way, codes in writing.properties(len(self.ids)):
                values, right = codes[there], quartered
                if way not in HIDDEN:
                    if is_content or not places.any():
                        continue
                    values, right = np.where(places, values, -1), parts
                what = f"is associated with {way} of {name or f'the column {column}'}"
                yield self._association(kind, what, values, right, groups, column, is_of_writing=True)

    def _of_column(self, column: str, kind: str, encoding: str, stated: Codes, keys: Codes, groups: Codes) -> Signal:
        some = stated >= 0
        n, hits = int(some.sum()), int((stated == keys).sum())
        several = len(np.unique(stated[some])) > 1
        is_certain = (
            n > 0
            and hits == n
            and ((kind == _CELL and name_of(column) in NAMES) or (kind in (_STATED, _SURE) and (several or n == 1)))
        )
        words = {
            _CELL: f"the column {column} is the key",
            _STATED: f"texts in {column} state the key",
            _NAMED: f"file names in {column} contain the right option",
            _ENCODED: f"the column {column} is the key in another form",
            _SURE: f"the column {column} is the key in another form",
            _ODD: f"the only option that differs in {encoding} is the right option",
            _ONE_FORM: f"options with one form of {encoding} are the right options",
            _OTHER_FORM: f"options with the other form of {encoding} are the right options",
        }[kind]
        is_of_writing = kind in (_ODD, _ONE_FORM, _OTHER_FORM)
        how = "" if encoding == "text" or is_of_writing else f", as {_ENCODINGS.get(encoding, encoding)}"
        sort = "writing" if is_of_writing else "key"
        if kind == _NAMED or (kind in (_STATED, _ENCODED, _SURE) and self.table.part == FILES):
            sort = "names"
        if self._is_of_ids:
            sort = "ids"
        what = f"{words}{how} in {hits:,} of {with_noun(n, 'row')}"
        test = within_groups(match_test, stated, keys, groups)
        return Signal(sort, self.table.name, what, test, is_certain=is_certain, column=column)

    def _of_order(self, parts: Sequence[KeyPart], ranks: NDArray[np.float64]) -> Iterator[Signal]:
        part, test = strongest_part(parts, lambda each: neighbor_test(each.present))
        if test.n:
            of_next = (
                f"the previous row predicts {part} in {test.share:.0%} of rows, compared with {test.expected:.0%} by "
                "chance"
            )
            yield Signal("order", self.table.name, of_next, test)
        ranked = [replace(parts[0], codes=ranks - ranks.min()), *parts[1:]]
        part, trend = strongest_part(ranked, lambda each: trend_test(each.present.astype(float)))
        if trend.n:
            what = f"{part} is associated with the order (rho {trend.share:.2f})"
            yield Signal("order", self.table.name, what, trend)


def _lists_of_options(item: KeyItem, row: Row) -> frozenset[str]:
    """Return the lists of a row that are the item's own options. Each option alone may be the key by chance."""
    by_column: dict[str, list[str]] = {}
    for column, value in row.items():
        if (name := list_of(column)) is not None:
            by_column.setdefault(name, []).append(plain(str(value)))
    own = sorted(map(plain, item.asked.options))
    return frozenset(name for name, values in by_column.items() if sorted(values) == own)


def _has_options(item: KeyItem, text: str) -> bool:
    seen = plain(text)
    return bool(item.asked.options) and all(plain(option) in seen for option in item.asked.options)
