"""Base classes of the rows that describe a kind: one row for criteria, one for fields of an item.

Each kind is a module in this folder. Code that lists kinds or treats them differently asks the row. So a new kind
needs only its module and its control on the page. The defaults here hold for most kinds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from annotation_schemas import column_types, grammar
from annotation_schemas.column_types import ColumnType
from annotation_schemas.model import SETS, Choice, Criterion, ItemField, Schema
from annotation_schemas.yaml_text import Path
from domain import extensions
from domain.comparison import AnyOrder, same
from domain.module_names import import_own
from domain.overlap import Shape
from domain.reading.answers import AnswerKind
from domain.registers import Register, modules_of

Found = Iterator[tuple[Path, str]]
"""Problems as they are found: the path and the message."""
Texts = Mapping[str, Any]
"""The item's fields, and the model's answer under ``prediction``."""
Json = dict[str, Any]
Ends = tuple[float | None, float | None]
Level = Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True)
class RatedVariable:
    """A value on which raters can agree: a criterion, or a part of it."""

    name: str
    level: Level
    """The measurement level of the values."""
    values: tuple[Any, ...] | None = None
    """All possible values in order; None if they are unlimited."""
    shape: Shape | None = None
    """The shape of values that are compared by overlap, as JSON; None for other values."""


class Kind(ABC):
    """The common base of criterion kinds and field kinds."""

    name: ClassVar[str]
    """The name in schemas."""
    place: ClassVar[int]
    """The sort position in lists of kinds."""
    meaning: ClassVar[str]
    """One line of explanation."""
    keys: ClassVar[Mapping[str, str]] = {}
    """The keys that only some kinds accept, each with its meaning for this kind."""
    by_overlap: ClassVar[bool] = False
    """Whether values are compared by overlap. A key and the votes on it then have the same kind."""
    only_here: ClassVar[str] = ""
    """The reason, as a sentence, why no form of another program can ask it; empty if a form might."""

    def entry_in_words(self, entry: Mapping[str, Any]) -> str | None:
        """Return an entry of a value, such as a box or a passage, in words, or None if this kind has no
        such entries.
        """
        return None


class CriterionKind(Kind):
    """A kind of criterion, which is a question to a rater."""

    # ---- the schema

    least_options: ClassVar[int] = 1
    """The minimum number of `options`, for kinds that accept them."""
    counts_entries: ClassVar[bool] = False
    """Whether answers are lists whose length `min` and `max` limit."""
    never_alike: ClassVar[str] = ""
    """A verb for an action that no two people do exactly alike. Votes then need a `tolerance` to decide about an item.
    Empty for other kinds.
    """

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        """Yield the problems of such a criterion in a schema, apart from unknown keys."""
        if "field" in self.keys and ("options" not in self.keys or criterion.field is not None):
            yield from refers_to_list(schema, criterion.field, path, stage=stage)
            if criterion.options:
                yield (*path, "options"), "`field` already names the item's own options; remove `field` or `options`"
        elif "options" in self.keys:
            yield from grammar.choices(criterion.options, (*path, "options"), least=self.least_options)

    def unlike_key(self, schema: Schema, criterion: Criterion, field: ItemField) -> str | None:
        """Return half a sentence if votes can never equal a field of the same kind, otherwise None."""
        return None

    def can_be(self, criterion: Criterion, value: Any) -> bool:
        """Whether a rater can answer one plain value. Values that depend on the item count as possible."""
        return criterion.field is not None

    def listed(self, criterion: Criterion) -> tuple[Any, ...]:
        """Return the plain values that the schema lists as possible answers; empty if it lists none."""
        return ()

    def ends(self, criterion: Criterion) -> Ends | None:
        """Return the lowest and the highest value, or None if values are not numbers."""
        return None

    names: ClassVar[bool] = False
    """Whether values may be names, which have no order and no mean."""

    # ---- answers

    missing: ClassVar[str] = "Choose an answer."
    """The message for a required answer that is missing."""
    reorders: ClassVar[bool] = False
    """Whether answers are lists in the schema's order of options, even if a page shuffled them."""
    none_is_answer: ClassVar[bool] = False
    """Whether an empty answer is valid, unless `min` requires entries."""
    nothing: ClassVar[str] = "None"
    """The label of that answer, if the schema gives none."""

    def options(self, criterion: Criterion, fields: Mapping[str, Any]) -> list[Choice]:
        """Return the options for an item with these fields, in order."""
        if criterion.field is None:
            return list(criterion.options)
        entries = fields.get(criterion.field)
        if not isinstance(entries, list | tuple):
            return []
        return [Choice(value=entry, label=entry) for entry in entries if isinstance(entry, str)]

    def is_blank(self, value: Any) -> bool:
        """Whether a value counts as missing."""
        return value is None

    @abstractmethod
    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        """Return the problem of an answer that is not blank, as a sentence, or None."""

    in_clip: ClassVar[bool] = False
    """Whether answers refer to times in a clip, so that they may lie outside of it (``outside``)."""

    def outside(self, criterion: Criterion, value: Any, clips: Mapping[str, float | None]) -> str | None:
        """Return the end of a sentence about the part of an answer outside of the item's clips, or None.

        ``clips`` maps each role to the duration in seconds (None if unknown), in order. Answers are stored in either
        case.
        """
        return None

    def in_order(self, value: Any, options: Sequence[Choice]) -> Any:
        """Return the normal form of an answer, in which equal answers are identical.

        Invalid answers are returned unchanged, for ``check`` to report.
        """
        return value

    is_set: ClassVar[bool] = False
    """Whether answers are lists without an order. People, keys, models and checks compare them as sets."""

    def agree(self, criterion: Criterion, one: Any, other: Any) -> bool:
        """Whether two raters' answers agree."""
        return AnyOrder().holds(one, other) if self.is_set else same(one, other)

    answers_items: ClassVar[bool] = False
    """Whether people may answer an item with it, as models do: its value is plain and can be read as a text."""

    compares_answers: ClassVar[bool] = False
    """Whether it asks which of two models' answers is better."""

    def of_pair(self, value: Any, left: str) -> Any:
        """Turn an answer about left and right into one about a pair's ``a`` and ``b``; ``left`` names the one on the
        left.
        """
        return value

    def said_of_sides(self, value: Any) -> list[tuple[str, Any]]:
        """Return the parts of an answer that concern the left and the right side; empty if it has no such parts."""
        return []

    # ---- numbers about answers

    compared: ClassVar[bool] = False
    """Whether values are compared for equality, so that grades can be compared and conditions can name them."""
    level: ClassVar[Level] = "nominal"
    """The measurement level if the report plan names none."""
    by_place: ClassVar[bool] = False
    """Whether values of two items correspond only by the position of an option."""
    not_measured: ClassVar[str] = ""
    """The reason why no coefficient is computed from the values, even if overlap is ``measured``; empty if there is
    one.
    """
    as_json: ClassVar[bool] = True
    """Whether table cells hold values as JSON."""
    of_the_item: ClassVar[bool] = False
    """Whether values refer to a text that a table of ratings lacks, so that they are accepted unchecked."""

    def measured(self, criterion: Criterion, level: Level) -> list[RatedVariable]:
        """Return the values to compare, by coefficients or by overlap. ``level`` is the report plan's, or the kind's
        own.
        """
        return [] if self.not_measured else [RatedVariable(criterion.name, level)]

    def taken_apart(self, criterion: Criterion, value: Any) -> list[tuple[str, Any]]:
        """Split a value into the values that are ``measured``, with their names."""
        return [(criterion.name, value)]

    # ---- a protocol that is played

    typed: ClassVar[bool] = False
    """Whether people type the answer, so that no list limits its values."""
    in_words: ClassVar[bool] = False
    """Whether people type the answer in their own words."""
    picks_several: ClassVar[bool] = False
    """Whether an answer may hold several options, in order."""

    @abstractmethod
    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        """Return some answers that may be valid. Invalid ones are removed later."""

    def limits(self, criterion: Criterion) -> str:
        """Return the limits of its values in words, such as ``from 1 to 5``; empty without limits."""
        return ""

    # ---- the page

    has_control: ClassVar[bool] = True
    """Whether pages can ask it; not if its extension is missing."""

    def page(self, criterion: Criterion) -> Json:
        """Return the further data for the control, apart from name, prompt and options: the keys that only some kinds
        accept.
        """
        plain = [key for key in self.keys if key not in ("options", "field", "values", "labels", "tolerance")]
        return {key: getattr(criterion, key) for key in plain}

    def page_options(self, criterion: Criterion) -> list[Json] | None:
        """Return the options for the control, or None to use the schema's options."""
        return None

    def page_of_item(self, criterion: Criterion, texts: Texts) -> Any:
        """Return the item's data for the control, or None if it needs none."""
        return None

    # ---- forms of other programs

    asks_reasons: ClassVar[bool] = False
    """Whether options with reasons are supported in other programs."""
    is_about: ClassVar[Literal["item", "image", "text"]] = "item"
    """The part of the page that an answer belongs to in other programs."""


_COLUMNS: Mapping[str, ColumnType] = {
    "text": column_types.TEXT,
    "texts": column_types.TEXTS,
    "whole number": column_types.WHOLE,
    "decimal": column_types.TEXT,
}
"""Column types by the type of values. A decimal is stored as text, so that 0.10 keeps its digits."""


class FieldKind(Kind):
    """A kind of field of an item."""

    # ---- the schema

    least_options: ClassVar[int | None] = None
    """The minimum number of `options`; None if the kind accepts none."""
    chosen: ClassVar[bool] = False
    """Whether values are taken from a list field, which `field` names."""
    is_list: ClassVar[bool] = False
    """Whether it is a list of texts from which other fields take values."""
    written: ClassVar[bool] = False
    """Whether it is a text that a person writes."""
    of_options: ClassVar[bool] = False
    """Whether values are options that the schema lists."""
    reads_as: ClassVar[tuple[str, ...]] = ()
    """The allowed values of `read_as`; empty if the kind itself decides."""
    refuses_read_as: ClassVar[str] = ""
    """The message for a value that is not allowed."""

    def check_schema(self, schema: Schema, field: ItemField, path: Path) -> Found:
        """Yield further problems of such a field in a schema."""
        yield from ()

    # ---- values

    in_files: ClassVar[bool] = False
    """Whether invalid values are refused in imported files too, because they cannot be true."""

    @abstractmethod
    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        """Return the problem of a value as half a sentence, or None."""

    def in_order(self, field: ItemField, value: Any) -> Any:
        """Return the normal form of a value, in which it is stored. Invalid values are returned unchanged, for
        ``check``.
        """
        return value

    def offered(self, field: ItemField, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the entries of the list that a value is taken from; empty if there is no list."""
        options = fields.get(field.field or "")
        return options if isinstance(options, list | tuple) else ()

    def as_offered(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> Any:
        """Return a value in the spelling of what it is taken from, such as that of the item's options."""
        return value

    # ---- the key

    answer: ClassVar[AnswerKind | None] = None
    """The type as which models' answers are read if such a field is the key, and its list has entries."""
    limited: ClassVar[bool] = True
    """Whether values come from a list or have a simple form, unlike free text."""
    votes_equal: ClassVar[bool] = True
    """Whether a vote can equal the value."""
    picks_several: ClassVar[bool] = False
    """Whether a value is several entries of a list, in any order."""

    def key_values(self, field: ItemField, entries: Sequence[Any], some: Any, tried: Sequence[Any]) -> Sequence[Any]:
        """Return possible right answers. ``some`` is the value of a simulated item, ``tried`` are the
        raters' answers.
        """
        return tried

    def some(self, field: ItemField, entries: Sequence[Any], wanted: Sequence[Any]) -> Any:
        """Return the value of a simulated item. ``wanted`` holds entries that criteria ask for."""
        return None

    # ---- how it is shown, cut and kept

    sliced: ClassVar[Literal["text", "entries", "value"]] = "value"
    """The property by which items are sliced: the text and its words, the number of entries, or the value."""
    comparable: ClassVar[bool] = True
    """Whether a metric can compare answers with it."""
    holds: ClassVar[Literal["text", "texts", "whole number", "decimal", "list", "anything"]] = "anything"
    """The type of a value in files and commands. ``texts`` is a list of texts; a ``decimal`` is a number as text."""
    has_unit: ClassVar[bool] = False
    """Whether the field has a `unit` even if it is not the key."""

    def unit_of(self, field: ItemField) -> str | None:
        """Return the unit of the values."""
        return field.unit

    away: ClassVar[bool] = False
    """Whether the kind belongs to an extension that is not installed."""
    timed: ClassVar[bool] = False
    """Whether a value is a list of parts of a clip."""
    drawn: ClassVar[bool] = False
    """Whether values are drawn on images."""

    @property
    def typed_as_it_is(self) -> bool:
        """Whether the typed text is the value, even if it could be read as another type."""
        return self.holds in {"text", "decimal"}

    def in_words(self, field: ItemField, value: Any) -> Any:
        """Return a value as models get it: a text, a list of texts, or a value for JSON. None hides the value."""
        return value

    def column(self, field: ItemField) -> ColumnType:
        """Return the type of a column with such values in a typed table."""
        return _COLUMNS.get(self.holds, column_types.JSON)

    def in_column(self, field: ItemField, value: Any) -> Any:
        """Return a value for that column. Values that do not match the column are returned unchanged, to
        be reported.
        """
        return value

    def drawing_problem(self, value: Any) -> str | None:
        """Return the reason why a value cannot be drawn, as a sentence, or None."""
        return None

    def shapes(self, field: ItemField, entries: Sequence[Any]) -> list[Any]:
        """Return the entries to draw, in the form that ``media.drawn.draw`` accepts."""
        return list(entries)

    def page(self, field: ItemField) -> Json:
        """Return the further data for the control, apart from name, title, options and lengths."""
        return {"role": field.role} if "role" in self.keys else {}

    # ---- forms of other programs

    several_rows: ClassVar[bool] = False
    """Whether people type it into a box with several rows."""
    picked_by_place: ClassVar[bool] = False
    """Whether people pick it from a list on the same page, by the positions of its entries."""

    def as_criterion(self, field: ItemField, places: Sequence[Choice]) -> Json:
        """Return kind, options and limits of the criterion that fills in the field. ``places`` are the options of its
        list.
        """
        return {"kind": "text"}


def place_of(options: Sequence[Choice], value: Any) -> int | None:
    """Return the position of an option, from 0, or None if it is not an option."""
    return next((at for at, option in enumerate(options) if same(option.value, value)), None)


def count_problem(least: float | None, most: float | None, n: int, noun: str) -> str | None:
    """Return the problem with the number of entries of an answer, or None."""
    if least is not None and n < least:
        return f"Give at least {least:g} {noun}{'' if least == 1 else 's'} ({n} now)."
    if most is not None and n > most:
        return f"Give at most {most:g} {noun}{'' if most == 1 else 's'} ({n} now)."
    return None


def sorted_by(value: Sequence[Any], places: Sequence[int | None]) -> Any:
    """Return the entries of an answer in the order of the options, or unchanged if an entry has no position."""
    if None in places:
        return value
    return [entry for _, entry in sorted(zip(places, value, strict=True), key=lambda pair: pair[0] or 0)]


def is_list(value: Any) -> bool:
    """Whether a value is a list."""
    return isinstance(value, list | tuple)


OVERLAP = "minimum overlap at which two answers count as equal in keep rules, such as `{iou: 0.5}`"
"""The meaning of `tolerance` for values that are compared by overlap."""


def _of_modules(name: str) -> list[Any]:
    """Return the rows with this name from the modules of this folder and of extensions, sorted by position."""
    rows_of_kinds = []
    modules = [import_own(module_name) for module_name in modules_of(__package__ or "") if "._" not in module_name]
    for module in [*modules, *extensions.rows("kinds")]:
        rows = [row for constant in ("CRITERION", "FIELD") if (row := getattr(module, constant, None)) is not None]
        called = module.__name__.rpartition(".")[2]
        if not rows or any(getattr(row, "name", None) != called for row in rows):
            raise ImportError(f"{module.__name__} needs a CRITERION or a FIELD named {called!r}, like the module.")
        rows_of_kinds += [row for row in (getattr(module, name, None),) if row is not None]
    for row in rows_of_kinds:
        lacking = [key for key in ("place", "meaning") if not hasattr(row, key)]
        if lacking:
            raise ImportError(f"The kind {row.name!r} lacks `{lacking[0]}`. Add this attribute to the kind.")
    return sorted(rows_of_kinds, key=lambda row: float(row.place))


def _criteria() -> list[CriterionKind]:
    criteria = [row for row in _of_modules("CRITERION") if isinstance(row, CriterionKind)]
    SETS.update(row.name for row in criteria if row.is_set)
    return criteria


def _fields() -> list[FieldKind]:
    return [row for row in _of_modules("FIELD") if isinstance(row, FieldKind)]


CRITERIA: Register[CriterionKind] = Register(_criteria)
FIELDS: Register[FieldKind] = Register(_fields)
"""The rows by name, in the order of lists."""


def refers_to_list(schema: Schema, name: str | None, path: Path, *, stage: str | None = None) -> Found:
    """Yield the problems of a `field` that should name the list of options."""
    lists = [field.name for field in schema.item.fields if (row := FIELDS.get(field.kind)) and row.is_list]
    if name is None:
        yield path, "`field` is missing; name the text_list field that holds the options"
    elif name not in lists:
        yield (*path, "field"), f"`{name}` is not a text_list field of the item{grammar.among(name, lists)}"
    elif stage is not None and stage in schema.item.field(name).secret_in:
        yield (
            (*path, "field"),
            f"`{name}` is secret in {stage}, so raters cannot choose from this list; name another list",
        )


def text_of(schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
    """Yield the problems of an `of` that should name a text which raters see, from which they take
    passages or steps.
    """
    texts = [field.name for field in schema.item.fields if (row := FIELDS.get(field.kind)) and row.written]
    if criterion.of is None:
        if stage not in ("grading", "coding"):
            why = "models' answers appear only in grading and coding"
            yield path, f"`of` is missing; name the item's field with the text ({why})"
    elif criterion.of not in texts:
        yield (*path, "of"), f"`{criterion.of}` is not a text field of the item{grammar.among(criterion.of, texts)}"
    elif stage in schema.item.field(criterion.of).secret_in:
        yield (*path, "of"), f"`{criterion.of}` is secret in {stage}, so raters cannot see the text; name another field"
