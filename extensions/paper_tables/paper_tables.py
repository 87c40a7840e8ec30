"""The tables of a benchmark's paper, made of a project's numbers in the paper's layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from agreement.losses import Losses
from db.engine import Store
from domain.errors import InvalidInputError, Problem, TouchstoneError
from domain.records import Person
from domain.states import Items
from extensions.paper_tables.cell_number import Number
from extensions.paper_tables.table_layouts import Kind, NumberSettings, TableLayout, layout_of
from extensions.paper_tables.table_numbers import Numbers
from extensions.paper_tables.table_places import Head, LayoutExpansion, TablePlace, says_of
from workflow.access.counted_items import Counting
from workflow.results.losses import left_out_in_words
from workflow.results.project_answers import current

NOTHING = "\N{EN DASH}"
"""The text of a cell without a number."""


@dataclass(frozen=True)
class PaperCell:
    """A printed number with its unrounded value."""

    shown: str
    number: Number
    rank: int = 0
    """1: the highest of its column, 2: the second highest, where the layout marks them."""


@dataclass(frozen=True)
class PaperRow:
    """A line of a table."""

    head: Head
    cells: tuple[PaperCell, ...]


@dataclass(frozen=True)
class PaperTable:
    """A table in the paper's layout."""

    name: str
    title: str
    paper: str
    note: str
    corner: str
    columns: tuple[Head, ...]
    rows: tuple[PaperRow, ...]
    chart: tuple[Kind, ...]
    percent: bool
    """All charted cells are percentages."""
    why: str = ""
    """Why the table is missing, as a sentence; empty for a complete table."""
    losses: tuple[Losses, ...] = ()
    """Unreadable or unscored answers, for each way of scoring in the table."""
    grades_left_out: int = 0
    """For a table of agreement: the imported grades of empty, missing or replaced answers."""

    @property
    def loss_notes(self) -> list[str]:
        """Return the losses behind the numbers, in sentences; empty without losses."""
        notes: list[str] = []
        for loss in self.losses:
            if loss.lost:
                notes.append(
                    loss.sentence if loss.warns else f"{loss.count} They {loss.counts_as}. {loss.bounds}".strip()
                )
                notes += [loss.by_model] if loss.by_model else []
        return [*notes, *([left_out_in_words(self.grades_left_out)] if self.grades_left_out else [])]

    @property
    def reasons(self) -> list[str]:
        """Return the reasons for empty cells, each once."""
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
    """Return the tables of a layout, for leads. A missing table gives its reason.

    ``layout`` None is that of the project's schema, and ``names`` selects tables. ``person`` None is a command on the
    machine itself.

    Raises
    ------
    InvalidInputError
        The layout has no table with this name.
    """
    read = current(store, person=person, project=project, items=items)
    layout = layout_of(read.schema.name) if layout is None else layout
    known = [table.name for table in layout]
    for name in names:
        if name not in known:
            raise InvalidInputError(
                [Problem("table", f"The layout has no table {name!r}. Choose from: {', '.join(known)}.")]
            )
    shared = Numbers(store, read, person=person, items=items)

    def numbers(of: TableLayout) -> Numbers:
        if not of.common:
            return shared
        models = [name for line in (*of.rows, *of.columns) for name in line.only.get("model", ())]
        return Numbers(store, read, person=person, items=items, common=models)

    made = [_made(table, numbers(table)) for table in layout if not names or table.name in names]
    return PaperTables(read.project, read.title, read.counting, tuple(made))


def of_project(store: Store, *, project: str, items: Items | str | None) -> PaperTables:
    """Return the tables of a project's schema. The caller checks that the person may see them."""
    return paper_tables(store, person=None, project=project, items=items)


def _made(layout: TableLayout, numbers: Numbers) -> PaperTable:
    about = says_of(layout)
    try:
        columns = [place for line in layout.columns for place in LayoutExpansion(numbers, about, line).places()]
        rows = [place for line in layout.rows for place in LayoutExpansion(numbers, about, line).places()]
    except TouchstoneError as error:
        return _without(layout, str(error))
    cells = [[_cell(numbers, about, row, column) for column in columns] for row in rows]
    if about.get("source") == "agreement" and _of_evaluators(rows) and _of_evaluators(columns):
        rows, columns, cells = _each_pair_once(rows, columns, cells)
    in_words = bool(columns) and all(
        "attribute" in column.said for column in columns
    )  # a table of models' attributes, without numbers
    says = _any_words if in_words else _any_number
    down = [at for at, row in enumerate(rows) if not row.model or says(cells[at])]
    across = [at for at, column in enumerate(columns) if _is_kept(column, [line[at] for line in cells])]
    table = _without(layout, "")
    if not any(says(line) for line in cells):
        why = (
            "No model has any of the table's attributes. Import attributes in the format “models”."
            if in_words and cells
            else ""
        )
        return replace(
            table, why=why or _most_frequent(cells) or "No model has answered yet. Run a model, or import answers."
        )
    cells = [[cells[row][column] for column in across] for row in down]
    if layout.best:
        cells = _ranked(cells)
    evaluators = [place.evaluator for place in (*rows, *columns) if place.evaluator]
    lost, left_out = _losses(numbers, about, evaluators, [cell.number for line in cells for cell in line])
    table = replace(table, losses=lost, grades_left_out=left_out)
    return replace(
        table,
        columns=tuple(replace(columns[at].head, of_several=columns[at].of_several) for at in across),
        rows=tuple(PaperRow(rows[at].head, tuple(line)) for at, line in zip(down, cells, strict=True)),
    )


def _losses(
    numbers: Numbers, about: Mapping[str, Any], evaluators: Collection[str], there: Sequence[Number]
) -> tuple[tuple[Losses, ...], int]:
    """Return the losses behind the numbers of a table, and how many imported grades a table of agreement leaves out."""
    if about.get("source") == "agreement" and about.get("unit") != "item":
        criterion = about.get("criterion") or numbers.criterion()
        judges = [name for name in numbers.judges() if name in evaluators]
        losses = [numbers.losses_of_judge(name, criterion) for name in judges]
        return tuple(loss for loss in losses if loss is not None), numbers.read.left_out_grades
    boards: list[Losses] = []
    for number in there:
        if number.losses is not None and not any(number.losses is board for board in boards):
            boards.append(number.losses)
    return tuple(boards), 0


def _is_kept(column: TablePlace, cells: Sequence[PaperCell]) -> bool:
    """Return whether a column is shown. A model's column needs a number, and an attribute's column a value."""
    if "attribute" in column.said:
        return _any_words(cells)
    return not column.model or _any_number(cells)


def _without(layout: TableLayout, why: str) -> PaperTable:
    about = (layout.name, layout.title, layout.paper, layout.note, layout.corner)
    return PaperTable(*about, (), (), layout.chart, bool(layout.percent), why)


def _cell(numbers: Numbers, about: Mapping[str, Any], row: TablePlace, column: TablePlace) -> PaperCell:
    number_settings = NumberSettings(**{**about, **row.said, **column.said})
    if number_settings.attribute is not None:
        attribute = numbers.read.attributes.get(number_settings.model or "", {}).get(number_settings.attribute)
        return PaperCell("" if attribute is None else str(attribute), Number(None))
    between = [place.evaluator for place in (row, column) if place.evaluator is not None]
    if number_settings.source == "agreement" and len(between) == 2 and between[0] == between[1]:
        return PaperCell("", Number(None))
    number = numbers.of(number_settings, between)
    return PaperCell(
        printed(number.value, percent=bool(number_settings.percent), digits=number_settings.digits), number
    )


def printed(value: float | None, *, percent: bool, digits: int | None) -> str:
    """Return a number as a paper prints it. Halves are rounded up in decimal, whatever the float's last bit is.

    >>> printed(0.655, percent=True, digits=1), printed(0.125, percent=False, digits=2)
    ('65.5', '0.13')
    """
    if value is None:
        return NOTHING
    exact = Decimal(repr(round(value * (100 if percent else 1), 9)))
    places = digits if digits is not None else 1 if percent else 3
    rounded = exact.copy_abs().quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return f"{'-' if exact < 0 and rounded else ''}{rounded}"


def _any_number(cells: Sequence[PaperCell]) -> bool:
    return any(cell.number.value is not None for cell in cells)


def _any_words(cells: Sequence[PaperCell]) -> bool:
    return any(cell.shown for cell in cells)


def _most_frequent(cells: Sequence[Sequence[PaperCell]]) -> str:
    reasons = Counter(cell.number.reason for line in cells for cell in line if cell.number.reason)
    return reasons.most_common(1)[0][0] if reasons else ""


def _of_evaluators(places: Sequence[TablePlace]) -> bool:
    return all(place.evaluator is not None for place in places)


def _each_pair_once(
    rows: Sequence[TablePlace], columns: Sequence[TablePlace], cells: Sequence[Sequence[PaperCell]]
) -> tuple[list[TablePlace], list[TablePlace], list[list[PaperCell]]]:
    """Return a table of evaluators by evaluators with each pair once, below the diagonal."""
    at = {column.evaluator: number for number, column in enumerate(columns)}
    blank = PaperCell("", Number(None))
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


def _ranked(cells: Sequence[Sequence[PaperCell]]) -> list[list[PaperCell]]:
    """Return the cells with the highest and the second highest printed number of each column marked."""
    marked = [list(line) for line in cells]
    for column in range(len(cells[0])):
        shown = [Decimal(line[column].shown) for line in cells if line[column].number.value is not None]
        best = sorted(set(shown), reverse=True)[:2] if len(shown) > 1 else []
        for line in marked:
            cell = line[column]
            if cell.number.value is not None and Decimal(cell.shown) in best:
                line[column] = replace(cell, rank=1 + best.index(Decimal(cell.shown)))
    return marked
