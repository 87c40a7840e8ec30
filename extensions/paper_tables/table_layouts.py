"""Layouts of a benchmark's tables and figures as data: rows, columns, and the source of each number.

A layout is a YAML file with a list of ``tables``. Settings of a table (``source``, ``criterion``, ...) hold for all
its cells; a row may override them, and a column may override those of the row. A row or column may stand for a whole
series, such as every model or every dimension.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from annotation_schemas import typed_yaml
from annotation_schemas.yaml_text import Document
from annotation_schemas.yaml_text import Path as Keys
from domain.errors import SchemaError
from domain.statistics import summarised

Source = Literal["key", "people", "judge", "corrected", "agreement", "failures", "regression"]
Each = Literal["model", "attribute", "judge", "evaluator", "dimension", "group", "slice", "criterion", "code"]
Kind = Literal["radar", "bars", "heat"]

PEOPLE, JUDGES, METRICS = "people", "judges", "metrics"
"""Evaluators that a layout may name, in addition to judges by name."""
LAYOUTS = Path(__file__).parent / "layouts"
FALLBACK = "any"
"""The layout for projects whose schema has no layout."""

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


class _LayoutPart(BaseModel):
    """A frozen part of a layout. Unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NumberSettings(_LayoutPart):
    """Settings of a table, row or column that define its numbers."""

    source: Source | None = None
    """The source of scores: the key, people, a judge, or a judge corrected by people. Other sources give other
    numbers: the agreement of raters, coded failures, or the coefficient of a dimension (`part`) in the regression of
    plans' success on scores (`touchstone regression run`). The regression uses the judge's scores, or else the source
    with the most scores.
    """
    judge: str | None = None
    """The judge: its own name, or the name in the schema. By default the first of the schema's judges that has rated,
    or the only judge.
    """
    method: Literal["ppi", "rogan_gladen", "post_stratified"] | None = None
    """The correction of a judge; by default PPI++."""
    criterion: str | None = None
    """The criterion of grading or coding, or a derived one; by default the first with numbers, or with codes."""
    option: str | None = None
    """For a criterion with names as values: the option whose share of the answers is shown."""
    model: str | None = None
    """Only answers of this model count."""
    models: str | None = None
    """Instead of a single model: the mean of all models with this value of `group_by`."""
    group_by: str | None = None
    """An attribute of models, or several (`family/size`), as in `touchstone result show --group-models-by`. With `each:
    [attribute]`, each value gets a row or column. With `each: [model]`, models are grouped below their value, sorted
    by the numbers in it; values without a number come first.
    """
    by: str | None = None
    """The property that divides items into slices, as in `touchstone result show --by`; by default the dimension."""
    bins: int | tuple[float, ...] | None = None
    """The number of slices for numbers, or the starts of the slices; by default 4."""
    part: str | None = None
    """One slice, by its ID or label: a dimension, a group, or a value of a field."""
    over: Literal["answers", "dimensions", "groups"] | None = None
    """The units of an overall mean, all with equal weight: `answers`, or the means of `dimensions` or `groups`. By
    default `answers`.
    """
    statistic: str | None = None
    """For `agreement`: the statistic."""
    form: str | None = None
    """For `agreement`: the variant, such as `quadratic`, `ordinal` or `ICC(1,1)`; by default the first. For
    `regression`: `linear` or `logistic`.
    """
    unit: Literal["answer", "dimension", "model", "item"] | None = None
    """For `agreement`: the compared values. They are grades of an `answer`, means of a model's answers in a
    `dimension`, means of a `model`, or votes on an `item`. By default `answer`.
    """
    between: tuple[str, ...] | None = None
    """For `agreement`: the raters. `[people]` compares people with each other. With two entries, people count as one
    rater, whose grade is combined as the schema says.
    """
    graded: bool | None = None
    """Whether only answers that people graded count."""
    code: str | None = None
    """For `failures`: the code whose share of the coded answers is shown."""
    attribute: str | None = None
    """Instead of a number: an attribute of the model, such as `size` (`touchstone item import PROJECT models`). A
    column without any values is left out.
    """
    percent: bool | None = None
    """Whether numbers are multiplied by 100."""
    digits: int | None = None
    """The number of decimal places; by default 3, with `percent` 1."""


class LayoutLine(NumberSettings):
    """A row or a column, or a series of them."""

    title: str | None = None
    """The heading. In a series, each heading is the name of its model, dimension and so on; a title then goes below
    it.
    """
    group: str | None = None
    """The heading above several columns or rows."""
    each: tuple[Each, ...] = ()
    """The series that this line stands for. With two entries, such as `[dimension, criterion]`, the first one groups
    the second. `slice` needs `by`, `attribute` needs `group_by`; evaluators are people, judges and metrics.
    """
    only: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """The members of a series to show, in this order: `{dimension: [existence, navigation]}`. Evaluators may be
    `people`, `judges` and `metrics`.
    """
    titles: dict[str, str] = Field(default_factory=dict)
    """Display names that replace names."""
    top: int | None = None
    """For models: the number of models to show, those with the highest means."""
    order: Literal["mean", "rising", "name"] = "mean"
    """For models: the highest mean first, the lowest first (`rising`), or by name."""


class TableLayout(NumberSettings):
    """One table, with the charts that are drawn of it."""

    name: str
    """Small letters, digits, dashes and underscores; also the name of files."""
    title: str
    """The content, in our words."""
    paper: str = ""
    """The corresponding table or figure of the paper."""
    note: str = ""
    """Differences from the paper's table, or hints for reading it."""
    corner: str = ""
    """The heading above the names of the rows."""
    rows: tuple[LayoutLine, ...]
    """Rows from top to bottom. A row or column of a model without any number is left out."""
    columns: tuple[LayoutLine, ...]
    """Columns from left to right."""
    common: bool = False
    """Whether only items that every model of the table has answered count."""
    best: bool = False
    """Whether to mark the highest and second highest number of each column."""
    chart: tuple[Kind, ...] = ()
    """`radar`: an axis for each column, a line for each row; `bars`: grouped bars for each column, with intervals;
    `heat`: the table in colors.
    """


class _File(_LayoutPart):
    tables: tuple[TableLayout, ...]


def shipped() -> dict[str, Path]:
    """Return the files of the layouts that Touchstone includes, by schema name."""
    return {path.stem: path for path in sorted(LAYOUTS.glob("*.yaml"))}


def layout_of(schema: str) -> tuple[TableLayout, ...]:
    """Return the tables for the schema of that name, or the general ones if it has no layout."""
    there = shipped()
    return read_layout(there.get(schema, there[FALLBACK]))


def read_layout(path: Path) -> tuple[TableLayout, ...]:
    """Return the tables of a file.

    Raises
    ------
    SchemaError
        One line per problem: ``file:line: key: what is wrong``.
    """
    return parse_layout(typed_yaml.read_file(path), file=str(path))


def parse_layout(text: str, *, file: str) -> tuple[TableLayout, ...]:
    """Return the tables of a YAML text. Messages name ``file``. Raises the errors of ``read_layout``."""
    document, layout_file = typed_yaml.parse(text, _File)
    if layout_file is not None:
        for path, message in _troubles(layout_file):
            document.add(path, message)
    if layout_file is None or document.errors:
        raise SchemaError(typed_yaml.in_lines(_told(document), file))
    return layout_file.tables


def _told(document: Document) -> Document:
    if not document.troubles:
        document.add((), "the layout needs `tables`")
    return document


def _troubles(found: _File) -> Iterator[tuple[Keys, str]]:
    if not found.tables:
        yield ("tables",), "the layout needs at least one table"
    often = Counter(table.name for table in found.tables)
    for at, table in enumerate(found.tables):
        path: Keys = ("tables", at)
        if not _NAME.fullmatch(table.name):
            yield (*path, "name"), "use only lowercase letters, digits, dashes and underscores in a name"
        elif often[table.name] > 1:
            yield (*path, "name"), f"the name `{table.name}` occurs twice; use each name once"
        yield from _of_numbers(table, path)
        for axis in ("rows", "columns"):
            lines: tuple[LayoutLine, ...] = getattr(table, axis)
            if not lines:
                yield (*path, axis), f"the table needs `{axis}`"
            for number, line in enumerate(lines):
                place: Keys = (*path, axis, number)
                yield from _of_numbers(line, place)
                yield from _of_line(line, place, by=line.by or table.by)


def _of_numbers(said: NumberSettings, path: Keys) -> Iterator[tuple[Keys, str]]:
    if said.statistic is not None and said.statistic not in summarised():
        yield (*path, "statistic"), f"there is no statistic `{said.statistic}`; choose from: {', '.join(summarised())}"
    if said.between is not None and not 1 <= len(said.between) <= 2:
        yield (*path, "between"), "name only people (`[people]`), people and a judge, or two judges"
    if said.between is not None and len(said.between) == 1 and said.between[0] != PEOPLE:
        yield (*path, "between"), f"a single entry must be `{PEOPLE}`; to compare two raters, name two entries"
    if said.digits is not None and not 0 <= said.digits <= 6:
        yield (*path, "digits"), "from 0 to 6 decimals"
    if isinstance(said.bins, int) and not 2 <= said.bins <= 20:
        yield (*path, "bins"), "from 2 to 20 slices"


def _of_line(line: LayoutLine, path: Keys, *, by: str | None) -> Iterator[tuple[Keys, str]]:
    if not line.each and line.title is None:
        yield path, "add `title` or `each`"
    if len(line.each) > 2 or len(set(line.each)) < len(line.each):
        yield (*path, "each"), "name one or two entries, and each entry only once"
    if "slice" in line.each and by is None:
        yield (*path, "each"), "`slice` needs `by`, the property that splits the items"
    for name in line.only:
        if name not in line.each:
            yield (*path, "only", name), f"`only` must name entries of `each`: {', '.join(line.each) or 'none'}"
    if "attribute" in line.each and line.group_by is None:
        yield (*path, "each"), "`attribute` needs `group_by`, the name of the attribute"
    if line.top is not None and ("model" not in line.each or line.top < 1):
        yield (*path, "top"), "`top` needs a number of at least 1 and `each: [model]`"
