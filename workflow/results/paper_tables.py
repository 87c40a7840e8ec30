"""The tables of a benchmark's paper, made of a project's numbers in the paper's layout."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from agreement.losses import Losses
from annotation_schemas.model import as_words
from annotation_schemas.table_layouts import PEOPLE, Kind, Line, Says, TableLayout, layout_of
from db.engine import Store
from domain.errors import InvalidInput, Problem, TouchstoneError
from domain.records import Person
from domain.states import Items
from workflow.access.counted_items import Counting
from workflow.results.criterion_values import scored_criteria
from workflow.results.leaderboard_lines import Line as BoardLine
from workflow.results.project_answers import Read, current
from workflow.results.table_losses import loss_notes, table_losses
from workflow.results.table_numbers import Number, Numbers

NOTHING = "\N{EN DASH}"
"""Stands where there is no number."""


@dataclass(frozen=True)
class Cell:
    """A number as it is printed, and all of it."""

    shown: str
    number: Number
    rank: int = 0
    """1: the highest of its column, 2: the second highest, where the layout marks them."""


@dataclass(frozen=True)
class Head:
    """What stands at a row or above a column."""

    title: str
    group: str = ""
    of_several: bool = False
    """One of what the layout has one each of, and no mean over them."""


@dataclass(frozen=True)
class Row:
    """A line of a table."""

    head: Head
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class PaperTable:
    """A table in the paper's layout."""

    name: str
    title: str
    paper: str
    note: str
    corner: str
    columns: tuple[Head, ...]
    rows: tuple[Row, ...]
    chart: tuple[Kind, ...]
    percent: bool
    """Of all cells that are charted together."""
    why: str = ""
    """Why there is no table, as a sentence; empty: there is one."""
    losses: tuple[Losses, ...] = ()
    """Unreadable or unscored answers, for each way of scoring in the table."""
    grades_left_out: int = 0
    """For a table of agreement: the imported grades of empty, missing or replaced answers."""

    @property
    def loss_notes(self) -> list[str]:
        """Return what the numbers lose, in sentences; empty where they lose nothing."""
        return loss_notes(self.losses, self.grades_left_out)

    @property
    def reasons(self) -> list[str]:
        """Why cells are empty, each reason once."""
        return list(dict.fromkeys(cell.number.reason for row in self.rows for cell in row.cells if cell.number.reason))


@dataclass(frozen=True)
class PaperTables:
    """All tables of a layout for one state of a project."""

    project: str
    title: str
    counting: Counting | None
    tables: tuple[PaperTable, ...]


def paper_tables(
    store: Store,
    *,
    person: Person | None,
    project: str,
    layout: Sequence[TableLayout] | None = None,
    names: Sequence[str] = (),
    items: Items | str | None = None,
) -> PaperTables:
    """The tables of a layout (None: that of the project's schema), for leads; ``person`` None is the command itself.

    ``names`` leaves only these. A table that cannot be made says why.

    Raises
    ------
    InvalidInput
        The layout has no table of such a name.
    """
    read = current(store, person=person, project=project, items=items)
    layout = layout_of(read.schema.name) if layout is None else layout
    known = [each.name for each in layout]
    for name in names:
        if name not in known:
            raise InvalidInput([Problem("table", f"The layout has no table {name!r}; it has {', '.join(known)}.")])
    shared = Numbers(store, read, person=person, items=items)

    def numbers(of: TableLayout) -> Numbers:
        if not of.common:
            return shared
        models = [name for line in (*of.rows, *of.columns) for name in line.only.get("model", ())]
        return Numbers(store, read, person=person, items=items, common=models)

    made = [_made(each, numbers(each)) for each in layout if not names or each.name in names]
    return PaperTables(read.project, read.title, read.counting, tuple(made))


def of_project(store: Store, *, project: str, items: Items | str | None) -> PaperTables:
    """The tables of a project's schema, for anyone who has made sure that the person may see them."""
    return paper_tables(store, person=None, project=project, items=items)


@dataclass(frozen=True)
class _Place:
    """A row or a column, one of each already."""

    head: Head
    said: Mapping[str, Any]
    """What it says of its numbers, by key."""
    evaluator: str | None = None
    model: bool = False
    """Whether it stands for one of several models."""
    of_several: bool = True


def _made(layout: TableLayout, numbers: Numbers) -> PaperTable:
    about = _said(layout)
    try:
        columns = [place for line in layout.columns for place in _Expanding(numbers, about, line).places()]
        rows = [place for line in layout.rows for place in _Expanding(numbers, about, line).places()]
    except TouchstoneError as error:
        return _without(layout, str(error))
    cells = [[_cell(numbers, about, row, column) for column in columns] for row in rows]
    if about.get("source") == "agreement" and _of_evaluators(rows) and _of_evaluators(columns):
        rows, columns, cells = _each_pair_once(rows, columns, cells)
    in_words = bool(columns) and all(
        "attribute" in each.said for each in columns
    )  # a table of what models are, and of no number
    says = _any_words if in_words else _any_number
    down = [at for at, row in enumerate(rows) if not row.model or says(cells[at])]
    across = [at for at, each in enumerate(columns) if _is_kept(each, [line[at] for line in cells])]
    table = _without(layout, "")
    if not any(says(line) for line in cells):
        why = "No model has any of these attributes; import them with the format models." if in_words and cells else ""
        return replace(table, why=why or _most_frequent(cells) or "No model has answered yet.")
    cells = [[cells[row][column] for column in across] for row in down]
    if layout.best:
        cells = _ranked(cells)
    evaluators = [place.evaluator for place in (*rows, *columns) if place.evaluator]
    lost, left_out = table_losses(numbers, about, evaluators, [cell.number for line in cells for cell in line])
    table = replace(table, losses=lost, grades_left_out=left_out)
    return replace(
        table,
        columns=tuple(replace(columns[at].head, of_several=columns[at].of_several) for at in across),
        rows=tuple(Row(rows[at].head, tuple(line)) for at, line in zip(down, cells, strict=True)),
    )


def _is_kept(column: _Place, cells: Sequence[Cell]) -> bool:
    """Whether a column stands in the table: one of a model has a number, and one of an attribute says something."""
    if "attribute" in column.said:
        return _any_words(cells)
    return not column.model or _any_number(cells)


def _without(layout: TableLayout, why: str) -> PaperTable:
    about = (layout.name, layout.title, layout.paper, layout.note, layout.corner)
    return PaperTable(*about, (), (), layout.chart, bool(layout.percent), why)


def _said(part: Says) -> dict[str, Any]:
    """What a part of a layout says of its numbers, without what it leaves open."""
    return {name: value for name in Says.model_fields if (value := getattr(part, name)) is not None}


def _cell(numbers: Numbers, about: Mapping[str, Any], row: _Place, column: _Place) -> Cell:
    said = Says(**{**about, **row.said, **column.said})
    if said.attribute is not None:
        told = numbers.read.attributes.get(said.model or "", {}).get(said.attribute)
        return Cell("" if told is None else str(told), Number(None))
    between = [each.evaluator for each in (row, column) if each.evaluator is not None]
    if said.source == "agreement" and len(between) == 2 and between[0] == between[1]:
        return Cell("", Number(None))
    found = numbers.of(said, between)
    return Cell(printed(found.value, percent=bool(said.percent), digits=said.digits), found)


def printed(value: float | None, *, percent: bool, digits: int | None) -> str:
    """A number as a paper prints it: half a step is rounded up, whatever the last bit of a float says.

    >>> printed(0.655, percent=True, digits=1), printed(0.125, percent=False, digits=2)
    ('65.5', '0.13')
    """
    if value is None:
        return NOTHING
    exact = Decimal(repr(round(value * (100 if percent else 1), 9)))
    places = digits if digits is not None else 1 if percent else 3
    rounded = exact.copy_abs().quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return f"{'-' if exact < 0 and rounded else ''}{rounded}"


def _any_number(cells: Sequence[Cell]) -> bool:
    return any(cell.number.value is not None for cell in cells)


def _any_words(cells: Sequence[Cell]) -> bool:
    return any(cell.shown for cell in cells)


def _most_frequent(cells: Sequence[Sequence[Cell]]) -> str:
    reasons = Counter(cell.number.reason for line in cells for cell in line if cell.number.reason)
    return reasons.most_common(1)[0][0] if reasons else ""


def _of_evaluators(places: Sequence[_Place]) -> bool:
    return all(each.evaluator is not None for each in places)


def _each_pair_once(
    rows: Sequence[_Place], columns: Sequence[_Place], cells: Sequence[Sequence[Cell]]
) -> tuple[list[_Place], list[_Place], list[list[Cell]]]:
    """A table of evaluators by evaluators has every pair once, below its diagonal."""
    at = {column.evaluator: number for number, column in enumerate(columns)}
    blank = Cell("", Number(None))
    kept = [
        [cell if number < at.get(row.evaluator, len(columns)) else blank for number, cell in enumerate(line)]
        for row, line in zip(rows, cells, strict=True)
    ]
    down = [number for number, line in enumerate(kept) if any(cell.shown for cell in line)]
    across = [number for number in range(len(columns)) if any(line[number].shown for line in kept)]
    return (
        [rows[number] for number in down],
        [columns[number] for number in across],
        [[kept[row][column] for column in across] for row in down],
    )


def _ranked(cells: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """The highest and the second highest printed number of each column marked."""
    marked = [list(line) for line in cells]
    for column in range(len(cells[0])):
        shown = [Decimal(line[column].shown) for line in cells if line[column].number.value is not None]
        best = sorted(set(shown), reverse=True)[:2] if len(shown) > 1 else []
        for line in marked:
            cell = line[column]
            if cell.number.value is not None and Decimal(cell.shown) in best:
                line[column] = replace(cell, rank=1 + best.index(Decimal(cell.shown)))
    return marked


# ---- one of each -----------------------------------------------------------------------------------------------------


@dataclass
class _Expanding:
    """A row or a column of a layout, about to become one for each of what it names."""

    numbers: Numbers
    about: Mapping[str, Any]
    """What the table says of its numbers."""
    line: Line
    own: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.own = _said(self.line)

    @property
    def _read(self) -> Read:
        return self.numbers.read

    def places(self) -> Iterator[_Place]:
        """One for each; of two things, all of the second for each of the first."""
        if not self.line.each:
            yield _Place(Head(self.line.title or "", self.line.group or ""), self.own, of_several=False)
            return
        first = list(self._each(self.line.each[0]))
        if len(self.line.each) == 1:
            for place in first:
                head = Head(self.line.title, place.head.title) if self.line.title else place.head
                head = head if self.line.group is None else replace(head, group=self.line.group)
                yield replace(place, head=head, said={**self.own, **place.said})
            return
        for outer in first:
            for inner in self._each(self.line.each[1]):
                yield _Place(
                    Head(inner.head.title, outer.head.title),
                    {**self.own, **outer.said, **inner.said},
                    inner.evaluator or outer.evaluator,
                    inner.model or outer.model,
                )

    def _each(self, what: str) -> Iterator[_Place]:
        for place in _EACH[what](self):
            named = (*place.said.get("called", ()), place.head.title)
            said = {key: value for key, value in place.said.items() if key != "called"}
            title = next((self.line.titles[name] for name in named if name in self.line.titles), place.head.title)
            yield replace(place, head=Head(title, place.head.group), said=said)

    def _only(self, what: str, known: Sequence[str]) -> Sequence[str]:
        wanted = self.line.only.get(what)
        for name in wanted or ():
            if name not in known:
                there = ", ".join(known) or "none"
                raise InvalidInput([Problem(what, f"There is no {what} {name!r} here; there are {there}.")])
        return known if wanted is None else wanted

    def _models(self) -> Iterator[_Place]:
        said = Says(**{**self.about, **self.own})
        names = self.numbers.models(said)
        if "model" in self.line.only:
            names = list(self._only("model", names))
        elif self.line.order != "name" or self.line.top is not None:
            board = self.numbers.board(said)
            names = sorted(names, key=lambda name: _place(board.of_parts.get(name) or board.whole.get(name), name))
            if self.line.top is not None:
                names = names[: self.line.top]
            if self.line.order == "rising":
                names.reverse()
            elif self.line.order == "name":
                names.sort()
        own, by = self._read.attributes, {**self.about, **self.own}.get("group_by")
        groups = {name: str(own.get(name, {}).get(by, "")) if by else "" for name in names}
        for name in sorted(names, key=lambda name: _size(groups[name])):
            yield _Place(Head(name, groups[name]), {"model": name}, model=True)

    def _attributes(self) -> Iterator[_Place]:
        for label in self._only("attribute", self.numbers.groups(Says(**{**self.about, **self.own}))):
            yield _Place(Head(label), {"models": label, "called": (label,)})

    def _judges(self) -> Iterator[_Place]:
        for name in self.line.only.get("judge", ()):
            yield self._evaluator(self.numbers.judge(name), name)
        if "judge" not in self.line.only:
            for name in self.numbers.judges() or [self.numbers.judge(None)]:  # which says that there is none
                yield self._evaluator(name, name)

    def _evaluators(self) -> Iterator[_Place]:
        for name in self.numbers.evaluators(self.line.only.get("evaluator", ())):
            yield self._evaluator(name, name)

    def _evaluator(self, name: str, named: str) -> _Place:
        called = (named, *self.numbers.also_called(name))
        if self.about.get("source") == "agreement":
            return _Place(Head(as_words(name) if name == PEOPLE else name), {"called": called}, name)
        if name == PEOPLE:
            return _Place(Head(as_words(name)), {"source": "people", "called": called}, name)
        source = "corrected" if self.about.get("source") == "corrected" else "judge"
        return _Place(Head(name), {"source": source, "judge": name, "called": called}, name)

    def _dimensions(self) -> Iterator[_Place]:
        there = {each.id: each for each in self._read.schema.dimensions}
        for id in self._only("dimension", list(there)):
            said = {"by": "dimension", "part": id, "over": "answers", "called": (id,)}
            yield _Place(Head(there[id].title, there[id].group or ""), said)

    def _groups(self) -> Iterator[_Place]:
        there = list(dict.fromkeys(each.group for each in self._read.schema.dimensions if each.group))
        for name in self._only("group", there):
            yield _Place(Head(name), {"by": "group", "part": name, "over": "answers"})

    def _slices(self) -> Iterator[_Place]:
        board = self.numbers.board(Says(**{**self.about, **self.own, "over": "answers"}))
        titles = {label: board.slicing.title(at) for at, label in enumerate(board.slicing.labels)}
        for label in self._only("slice", list(titles)):
            yield _Place(Head(titles[label]), {"part": label, "over": "answers", "called": (label,)})

    def _criteria(self) -> Iterator[_Place]:
        schema = self._read.schema
        there = [*(each.name for each in scored_criteria(schema)), *(rule.name for rule in schema.report.derived)]
        for name in self._only("criterion", there):
            yield _Place(Head(as_words(name)), {"criterion": name, "called": (name,)})

    def _codes(self) -> Iterator[_Place]:
        there = dict(self.numbers.codes({**self.about, **self.own}.get("criterion")))
        for name in self._only("code", list(there)):
            yield _Place(Head(there[name]), {"code": name, "called": (name,)})


_EACH: Mapping[str, Callable[[_Expanding], Iterator[_Place]]] = {
    "model": _Expanding._models,
    "attribute": _Expanding._attributes,
    "judge": _Expanding._judges,
    "evaluator": _Expanding._evaluators,
    "dimension": _Expanding._dimensions,
    "group": _Expanding._groups,
    "slice": _Expanding._slices,
    "criterion": _Expanding._criteria,
    "code": _Expanding._codes,
}


def _size(group: str) -> tuple[bool, float, str]:
    """The place of a group of models: without a number first, then by the number, such as 7 of ~7B; no group last."""
    number = re.search(r"\d+(\.\d+)?", group)
    return not group, float(number[0]) if number else -1.0, group


def _place(line: BoardLine | None, name: str) -> tuple[bool, float, str]:
    """The place of a model: by its mean, the highest first; without one at the end."""
    if line is None or not line.found.defined:
        return True, 0.0, name
    return False, -line.found.value, name
