"""How the tables and figures of a benchmark are laid out, as data: rows, columns, and where each number comes from.

A layout is a YAML file with a list of ``tables``. What a table says of its numbers (``source``, ``criterion``, ...)
holds for all of its cells; a row says what is different in it, and a column what is different in that. A row or column
may stand for one of each: every model, every dimension.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from annotation_schemas import HOME, typed_yaml
from annotation_schemas.yaml_text import Document
from annotation_schemas.yaml_text import Path as Keys
from domain.errors import SchemaError
from domain.statistics import summarised

Source = Literal["key", "people", "judge", "corrected", "agreement", "failures", "regression"]
Each = Literal["model", "attribute", "judge", "evaluator", "dimension", "group", "slice", "criterion", "code"]
Kind = Literal["radar", "bars", "heat"]

PEOPLE, JUDGES, METRICS = "people", "judges", "metrics"
"""Evaluators that a layout may name besides a judge by its own name."""
FALLBACK = "any"
"""The layout of projects whose schema has none of its own."""

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


class _Part(BaseModel):
    """Frozen; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Says(_Part):
    """What a table, a row or a column says of the numbers in it."""

    source: Source | None = None
    """Who says what an answer is worth: the key, people, a judge, or a judge corrected by people. Or what is counted
    instead of scores: how far raters agree, failures that people have coded, or the coefficient of a dimension (`part`)
    in the regression of plans' success on the judge's scores, or else on what has scored most (`touchstone
    regression`)."""
    judge: str | None = None
    """Which judge: its own name, or what the schema calls it. Without it the first of the schema's judges that has
    rated, or the only one there is."""
    method: Literal["ppi", "rogan_gladen", "post_stratified"] | None = None
    """How a judge is corrected; without it by PPI++."""
    criterion: str | None = None
    """Which criterion of grading or coding, or which derived one; without it the first that has numbers, or codes."""
    option: str | None = None
    """Of a criterion whose values are names: the option whose share of the answers is meant."""
    model: str | None = None
    """Only answers of this model."""
    models: str | None = None
    """Instead of one model the mean of all that are alike, by the value of what `group_by` says."""
    group_by: str | None = None
    """An attribute of models, or several (`family/size`), as `touchstone results --group-models-by` says it. With
    `each: [attribute]` there is one for each value. With `each: [model]` the value stands over those that have it, in
    the order of the numbers in them, those without a number first."""
    by: str | None = None
    """How items are cut into slices, as `touchstone results --by` says it; by dimension unless something else is
    said."""
    bins: int | tuple[float, ...] | None = None
    """Into how many slices numbers are cut, or where each of them begins; 4 unless something else is said."""
    part: str | None = None
    """One slice, by its id or label: a dimension, a group, a value of a field."""
    over: Literal["answers", "dimensions", "groups"] | None = None
    """What a mean over everything is over: `answers`, each of which counts alike, or the means of `dimensions` or
    `groups`, each of which counts alike. Without it over answers."""
    statistic: str | None = None
    """Of `agreement`: the statistic."""
    form: str | None = None
    """Of `agreement`: the variant, such as `quadratic`, `ordinal` or `ICC(1,1)`; without it the first there is. Of
    `regression`: `linear`, or `logistic`."""
    unit: Literal["answer", "dimension", "model", "item"] | None = None
    """Of `agreement`: what is compared. Grades of an `answer`; means of a model's answers in a `dimension`; means of a
    `model`; votes on an `item`. Without it answers."""
    between: tuple[str, ...] | None = None
    """Of `agreement`: whom it is between. `[people]` are people among each other; of two, people are one rater, whose
    grade of an answer is what the schema makes of several."""
    graded: bool | None = None
    """Only answers that people have graded."""
    code: str | None = None
    """Of `failures`: the code whose share of the coded answers is meant."""
    attribute: str | None = None
    """Instead of a number: what is said of the model, such as its `size` (`touchstone import PROJECT models`). A column
    of which no model has anything is left out."""
    percent: bool | None = None
    """Whether numbers are printed as 100 times what they are."""
    digits: int | None = None
    """How many decimals are printed; 3 unless something else is said, with `percent` 1."""


class Line(Says):
    """A row or a column, or one for each of something."""

    title: str | None = None
    """What stands at it; of `each` that is the name of the model, dimension and so on, which stands above the title
    where there is one, too."""
    group: str | None = None
    """What stands above several columns, or over several rows."""
    each: tuple[Each, ...] = ()
    """One for each of this. Of two, such as `[dimension, criterion]`, the first is the group above the second. `slice`
    goes with `by`, `attribute` with `group_by`; evaluators are people, judges and metrics."""
    only: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Only these, in this order, by what `each` names: `{dimension: [existence, navigation]}`. Evaluators may be
    `people`, `judges` and `metrics`."""
    titles: dict[str, str] = Field(default_factory=dict)
    """What is printed instead of a name."""
    top: int | None = None
    """Of models: only so many, those with the highest means."""
    order: Literal["mean", "rising", "name"] = "mean"
    """Of models: the highest mean first, the lowest first, or by name."""


class TableLayout(Says):
    """One table, with the chart that is drawn of it."""

    name: str
    """Small letters, digits, dashes and underscores; files are called so."""
    title: str
    """What it shows, in our words."""
    paper: str = ""
    """Which table or figure of the paper it corresponds to."""
    note: str = ""
    """How it differs from the paper's, or what has to be known to read it."""
    corner: str = ""
    """What stands above the names of the rows."""
    rows: tuple[Line, ...]
    """From top to bottom. A row or column of a model that has no number at all is left out."""
    columns: tuple[Line, ...]
    """From left to right."""
    common: bool = False
    """Only items that every model of the table has answered."""
    best: bool = False
    """Mark the highest number of each column, and the second highest."""
    chart: tuple[Kind, ...] = ()
    """`radar`: columns around, a line for each row; `bars`: rows next to each other in each column, with intervals;
    `heat`: the table in colours."""


class _File(_Part):
    tables: tuple[TableLayout, ...]


def shipped() -> dict[str, Path]:
    """The layouts that come along, by the name of the schema that they are for."""
    return {path.stem: path for path in sorted((HOME / "tables").glob("*.yaml"))}


def layout_of(schema: str) -> tuple[TableLayout, ...]:
    """The tables of the schema of that name; the ones that fit any schema, if it has none of its own."""
    there = shipped()
    return read_layout(there.get(schema, there[FALLBACK]))


def read_layout(path: Path) -> tuple[TableLayout, ...]:
    """The tables of a file.

    Raises
    ------
    SchemaError
        One line per problem: ``file:line: key: what is wrong``.
    """
    return parse_layout(typed_yaml.read_file(path), file=str(path))


def parse_layout(text: str, *, file: str) -> tuple[TableLayout, ...]:
    """The tables of a YAML text; ``file`` stands for the file in messages. Raises as ``read_layout`` does."""
    document, found = typed_yaml.parse(text, _File)
    if found is not None:
        for path, message in _troubles(found):
            document.add(path, message)
    if found is None or document.errors:
        raise SchemaError(typed_yaml.in_lines(_told(document), file))
    return found.tables


def _told(document: Document) -> Document:
    if not document.troubles:
        document.add((), "a layout has `tables`")
    return document


def _troubles(found: _File) -> Iterator[tuple[Keys, str]]:
    if not found.tables:
        yield ("tables",), "a layout has at least one table"
    often = Counter(table.name for table in found.tables)
    for at, table in enumerate(found.tables):
        path: Keys = ("tables", at)
        if not _NAME.fullmatch(table.name):
            yield (*path, "name"), "a name has small letters, digits, dashes and underscores"
        elif often[table.name] > 1:
            yield (*path, "name"), f"`{table.name}` is there twice"
        yield from _of_numbers(table, path)
        for axis in ("rows", "columns"):
            lines: tuple[Line, ...] = getattr(table, axis)
            if not lines:
                yield (*path, axis), f"a table has at least one of its {axis}"
            for number, line in enumerate(lines):
                place: Keys = (*path, axis, number)
                yield from _of_numbers(line, place)
                yield from _of_line(line, place, by=line.by or table.by)


def _of_numbers(said: Says, path: Keys) -> Iterator[tuple[Keys, str]]:
    if said.statistic is not None and said.statistic not in summarised():
        yield (*path, "statistic"), f"there is no statistic `{said.statistic}`; known: {', '.join(summarised())}"
    if said.between is not None and not 1 <= len(said.between) <= 2:
        yield (*path, "between"), "agreement is between one or two: `[people]`, or people or a judge with another"
    if said.between is not None and len(said.between) == 1 and said.between[0] != PEOPLE:
        yield (*path, "between"), f"one alone is `{PEOPLE}`, among each other"
    if said.digits is not None and not 0 <= said.digits <= 6:
        yield (*path, "digits"), "from 0 to 6 decimals"
    if isinstance(said.bins, int) and not 2 <= said.bins <= 20:
        yield (*path, "bins"), "from 2 to 20 slices"


def _of_line(line: Line, path: Keys, *, by: str | None) -> Iterator[tuple[Keys, str]]:
    if not line.each and line.title is None:
        yield path, "a `title`, or `each`, says what stands at it"
    if len(line.each) > 2 or len(set(line.each)) < len(line.each):
        yield (*path, "each"), "one thing, or two different ones"
    if "slice" in line.each and by is None:
        yield (*path, "each"), "`slice` needs `by`, which says how items are cut"
    for name in line.only:
        if name not in line.each:
            yield (*path, "only", name), f"`only` is about what `each` names: {', '.join(line.each) or 'nothing here'}"
    if "attribute" in line.each and line.group_by is None:
        yield (*path, "each"), "`attribute` needs `group_by`, which says which one"
    if line.top is not None and ("model" not in line.each or line.top < 1):
        yield (*path, "top"), "at least 1, of `each: [model]`"
