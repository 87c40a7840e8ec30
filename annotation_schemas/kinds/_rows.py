"""What a kind says about itself: one row for criteria, one for fields of an item.

Each kind is a module next to this one. Whatever lists kinds or treats them differently asks the row, so that a new kind
is its own module, its control on the page, and nothing else. What most kinds have in common is said here.
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
"""Problems as they are found: where, and what."""
Texts = Mapping[str, Any]
"""The item's fields, and the model's answer under ``prediction``."""
Json = dict[str, Any]
Ends = tuple[float | None, float | None]
Level = Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True)
class Measured:
    """One thing about which raters agree or not: a criterion, or a part of it."""

    name: str
    level: Level
    """The scale that it is on."""
    values: tuple[Any, ...] | None = None
    """All there are, in order; None: any."""
    shape: Shape | None = None
    """Its values are compared by how far they overlap, as JSON; None: as values of the scale."""


class Kind(ABC):
    """What rows of criteria and of fields have in common."""

    name: ClassVar[str]
    """As schemas write it."""
    place: ClassVar[int]
    """Where it stands among the others, wherever they are listed."""
    meaning: ClassVar[str]
    """In a line."""
    keys: ClassVar[Mapping[str, str]] = {}
    """The keys that only some kinds take, each with what it says here."""
    by_overlap: ClassVar[bool] = False
    """Its values are compared by how far they overlap, so a key and the votes on it are of the same kind."""

    def entry_in_words(self, entry: Mapping[str, Any]) -> str | None:
        """An entry of a value as a person reads it, such as a box or a passage; None: it is none of this kind."""
        return None


class CriterionKind(Kind):
    """A kind of criterion: what a rater is asked."""

    # ---- the schema

    least_options: ClassVar[int] = 1
    """So many entries of `options` at least, where it takes them."""
    counts_entries: ClassVar[bool] = False
    """Its answers are lists, and `min` and `max` say how long."""
    never_alike: ClassVar[str] = ""
    """What no two people do alike, as a verb, so that votes on it can only decide about an item with a `tolerance`;
    empty: they can."""

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        """What is wrong with such a criterion in a schema, apart from keys that are not its own."""
        if "field" in self.keys and ("options" not in self.keys or criterion.field is not None):
            yield from refers_to_list(schema, criterion.field, path, stage=stage)
            if criterion.options:
                yield (*path, "options"), "there is `field` already, which names the item's own"
        elif "options" in self.keys:
            yield from grammar.choices(criterion.options, (*path, "options"), least=self.least_options)

    def unlike_key(self, schema: Schema, criterion: Criterion, field: ItemField) -> str | None:
        """Why votes never are what a field of the same kind holds, as half a sentence; None: they may be."""
        return None

    def can_be(self, criterion: Criterion, value: Any) -> bool:
        """Whether a rater can answer one plain value; what depends on the item is taken as possible."""
        return criterion.field is not None

    def listed(self, criterion: Criterion) -> tuple[Any, ...]:
        """The plain values that the schema lists, of which an answer is one; none where it lists none."""
        return ()

    def ends(self, criterion: Criterion) -> Ends | None:
        """The lowest and the highest value; None where values are no numbers."""
        return None

    names: ClassVar[bool] = False
    """Its values may be names, which have no order and no mean."""

    # ---- answers

    missing: ClassVar[str] = "Choose an answer."
    """What is said where an answer is needed and there is none."""
    reorders: ClassVar[bool] = False
    """Its answers are lists in the order of the options, whatever order a page showed them in."""
    none_is_answer: ClassVar[bool] = False
    """That nothing applies is an answer, where `min` does not ask for more."""
    nothing: ClassVar[str] = "None"
    """That answer in words, where the schema has none for it."""

    def options(self, criterion: Criterion, fields: Mapping[str, Any]) -> list[Choice]:
        """What is offered for an item with these fields, in order."""
        if criterion.field is None:
            return list(criterion.options)
        entries = fields.get(criterion.field)
        if not isinstance(entries, list | tuple):
            return []
        return [Choice(value=entry, label=entry) for entry in entries if isinstance(entry, str)]

    def is_blank(self, value: Any) -> bool:
        """Whether a value is no answer at all."""
        return value is None

    @abstractmethod
    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        """What is wrong with an answer that is not blank, as a sentence; None if nothing is."""

    in_clip: ClassVar[bool] = False
    """An answer is about moments of a clip, so that it may lie outside of it (``outside``)."""

    def outside(self, criterion: Criterion, value: Any, clips: Mapping[str, float | None]) -> str | None:
        """What of an answer lies outside of the item's clips, as the end of a sentence; None: nothing that is known.

        ``clips`` is how long each lasts, in seconds (None: no one knows), by role, in their order. Answers are stored
        whatever this says.
        """
        return None

    def in_order(self, value: Any, options: Sequence[Choice]) -> Any:
        """The normal form of an answer: two raters who say the same say it in the same words.

        What does not fit is left as it is, to be told.
        """
        return value

    is_set: ClassVar[bool] = False
    """Its answers are lists whose order means nothing: people, keys, models and checks compare them as sets."""

    def agree(self, criterion: Criterion, one: Any, other: Any) -> bool:
        """Whether two raters' answers say the same."""
        return AnyOrder().holds(one, other) if self.is_set else same(one, other)

    answers_items: ClassVar[bool] = False
    """A person may answer an item by it, as models do: its value is a plain one that reads as a text."""

    compares_answers: ClassVar[bool] = False
    """It says which of two models' answers is better."""

    def of_pair(self, value: Any, left: str) -> Any:
        """An answer about the left and the right one, as one about a pair's ``a`` and ``b``, of which ``left`` stood on
        the left."""
        return value

    def said_of_sides(self, value: Any) -> list[tuple[str, Any]]:
        """What an answer says of the left and of the right one, each by itself; nothing where it says no such thing."""
        return []

    # ---- numbers about answers

    compared: ClassVar[bool] = False
    """Its values are the same or not, so that grades can be compared by them, and conditions can name them."""
    level: ClassVar[Level] = "nominal"
    """The scale that values are on where the report plan says nothing."""
    by_place: ClassVar[bool] = False
    """Two items have no value in common but by where an option stands among its item's."""
    not_measured: ClassVar[str] = ""
    """Why no coefficient is made of its values, whether or not they are ``measured`` by overlap; empty: some are."""
    as_json: ClassVar[bool] = True
    """In the cell of a table a value is JSON."""
    of_the_item: ClassVar[bool] = False
    """Values are about a text that a table of ratings does not bring along, so they are taken as they are."""

    def measured(self, criterion: Criterion, level: Level) -> list[Measured]:
        """What is compared, by coefficients or by overlap; ``level`` is the report plan's, else the kind's own."""
        return [] if self.not_measured else [Measured(criterion.name, level)]

    def taken_apart(self, criterion: Criterion, value: Any) -> list[tuple[str, Any]]:
        """A value as the values of what is ``measured``, by its name."""
        return [(criterion.name, value)]

    # ---- a protocol that is played

    typed: ClassVar[bool] = False
    """It is typed, so that no list limits its values."""
    in_words: ClassVar[bool] = False
    """It is typed in the rater's own words."""
    picks_several: ClassVar[bool] = False
    """An answer is several of the options, in their order."""

    @abstractmethod
    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        """A few answers that may be possible; what is not is left out later."""

    def limits(self, criterion: Criterion) -> str:
        """The limits of its values in words, such as ``from 1 to 5``; empty: there are none."""
        return ""

    # ---- the page

    def page(self, criterion: Criterion) -> Json:
        """What the control needs besides name, prompt and options: the keys that only some kinds take."""
        plain = [key for key in self.keys if key not in ("options", "field", "values", "labels", "tolerance")]
        return {key: getattr(criterion, key) for key in plain}

    def page_options(self, criterion: Criterion) -> list[Json] | None:
        """The options as the control shows them; None: the schema's as they are."""
        return None

    def page_of_item(self, criterion: Criterion, texts: Texts) -> Any:
        """What the control needs of the item at hand; None: nothing."""
        return None

    # ---- forms of other programs

    asks_reasons: ClassVar[bool] = False
    """Options of its own may ask there for a reason."""
    is_about: ClassVar[Literal["item", "image", "text"]] = "item"
    """What on the page there an answer is attached to."""


_COLUMNS: Mapping[str, ColumnType] = {
    "text": column_types.TEXT,
    "texts": column_types.TEXTS,
    "whole number": column_types.WHOLE,
    "decimal": column_types.TEXT,
}
"""The columns of values by what these are; a decimal keeps its digits, so that 0.10 stays what it is."""


class FieldKind(Kind):
    """A kind of field: what an item shows or holds."""

    # ---- the schema

    least_options: ClassVar[int | None] = None
    """So many entries of `options` at least; None: it takes none."""
    chosen: ClassVar[bool] = False
    """It is taken from the entries of a list field, which `field` names."""
    is_list: ClassVar[bool] = False
    """It is a list of texts that others are taken from."""
    written: ClassVar[bool] = False
    """It is text that someone writes."""
    of_options: ClassVar[bool] = False
    """It is one of the options that the schema lists."""
    reads_as: ClassVar[tuple[str, ...]] = ()
    """What `read_as` may say of such a key; none: the kind says it."""
    refuses_read_as: ClassVar[str] = ""
    """What is said where it may not."""

    def check_schema(self, schema: Schema, field: ItemField, path: Path) -> Found:
        """What else is wrong with such a field in a schema."""
        yield from ()

    # ---- values

    in_files: ClassVar[bool] = False
    """A value that does not fit is refused in files of others, too: it cannot be true."""

    @abstractmethod
    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        """What is wrong with a value that is there, as half a sentence; None if nothing is."""

    def in_order(self, field: ItemField, value: Any) -> Any:
        """The normal form of a value, as it is kept; what does not fit is left as it is, to be told."""
        return value

    def offered(self, field: ItemField, fields: Mapping[str, Any]) -> Sequence[Any]:
        """The entries of the list that a value is taken from; none where there is no list."""
        options = fields.get(field.field or "")
        return options if isinstance(options, list | tuple) else ()

    # ---- the key

    answer: ClassVar[AnswerKind | None] = None
    """What models' answers are read as where such a field is the key, and its list has entries."""
    limited: ClassVar[bool] = True
    """Its values are those of a list, or of a plain form; no text or free value."""
    votes_equal: ClassVar[bool] = True
    """A vote may equal it."""
    picks_several: ClassVar[bool] = False
    """It is several entries of a list, in any order."""

    def key_values(self, field: ItemField, entries: Sequence[Any], some: Any, tried: Sequence[Any]) -> Sequence[Any]:
        """Right answers that items may have: ``some`` is the value of a simulated item, ``tried`` what raters say."""
        return tried

    def some(self, field: ItemField, entries: Sequence[Any], wanted: Sequence[Any]) -> Any:
        """The value of a simulated item; ``wanted`` is what criteria ask for among its entries."""
        return None

    # ---- how it is shown, cut and kept

    sliced: ClassVar[Literal["text", "entries", "value"]] = "value"
    """How items are cut by it: by the text and its words, by the number of entries, by the value."""
    comparable: ClassVar[bool] = True
    """A metric can hold answers against it."""
    holds: ClassVar[Literal["text", "texts", "whole number", "decimal", "list", "anything"]] = "anything"
    """What a value is in files and commands; lists of texts are ``texts``, a ``decimal`` is a number's text."""
    has_unit: ClassVar[bool] = False
    """Its `unit` is its own, whether or not it is the key."""

    def unit_of(self, field: ItemField) -> str | None:
        """What it counts in."""
        return field.unit

    timed: ClassVar[bool] = False
    """A value is a list of parts of a clip."""
    drawn: ClassVar[bool] = False
    """It is drawn on images."""

    @property
    def typed_as_it_is(self) -> bool:
        """What is typed is the value itself, whatever else it could be read as."""
        return self.holds in {"text", "decimal"}

    def in_words(self, field: ItemField, value: Any) -> Any:
        """A value as models are told it: text, a list of texts, or else a value to be told as JSON; None: it is not."""
        return value

    def column(self, field: ItemField) -> ColumnType:
        """What a column of such values holds in a typed table."""
        return _COLUMNS.get(self.holds, column_types.JSON)

    def in_column(self, field: ItemField, value: Any) -> Any:
        """A value as it stands there; what does not fit the column is left as it is, to be told."""
        return value

    def drawing_problem(self, value: Any) -> str | None:
        """What keeps a value from being drawn, as a sentence; None if nothing does, or nothing is drawn."""
        return None

    def shapes(self, field: ItemField, entries: Sequence[Any]) -> list[Any]:
        """Entries that are drawn, as ``media.drawn.draw`` takes them."""
        return list(entries)

    def page(self, field: ItemField) -> Json:
        """What its control needs besides name, title, options and lengths."""
        return {"role": field.role} if "role" in self.keys else {}

    # ---- forms of other programs

    several_rows: ClassVar[bool] = False
    """It is typed in a box of several rows."""
    picked_by_place: ClassVar[bool] = False
    """It is picked from a list on the same page, by the places of its entries."""

    def as_criterion(self, field: ItemField, places: Sequence[Choice]) -> Json:
        """Kind, options and limits of the criterion that fills it in there; ``places`` are those of its list."""
        return {"kind": "text"}


def place_of(options: Sequence[Choice], value: Any) -> int | None:
    """Where an option stands, from 0; None if it is none of them."""
    return next((at for at, option in enumerate(options) if same(option.value, value)), None)


def count_problem(least: float | None, most: float | None, n: int, noun: str) -> str | None:
    """What is wrong with the number of entries of an answer."""
    if least is not None and n < least:
        return f"At least {least:g} {noun}{'' if least == 1 else 's'}; {n} now."
    if most is not None and n > most:
        return f"At most {most:g} {noun}{'' if most == 1 else 's'}; {n} now."
    return None


def sorted_by(value: Sequence[Any], places: Sequence[int | None]) -> Any:
    """The entries of an answer by their places among the options; as they are where one has no place."""
    if None in places:
        return value
    return [entry for _, entry in sorted(zip(places, value, strict=True), key=lambda pair: pair[0] or 0)]


def is_list(value: Any) -> bool:
    """Whether a value is a list."""
    return isinstance(value, list | tuple)


OVERLAP = "how far two answers have to overlap to say the same, in keep rules: `{iou: 0.5}`"
"""What `tolerance` says where values are compared by overlap."""


def _of_modules(name: str) -> list[Any]:
    """Return the rows that modules of this folder and of extensions have under a name, by their places."""
    found = []
    modules = [import_own(each) for each in modules_of(__package__ or "") if "._" not in each]
    for module in [*modules, *extensions.rows("kinds")]:
        rows = [row for each in ("CRITERION", "FIELD") if (row := getattr(module, each, None)) is not None]
        called = module.__name__.rpartition(".")[2]
        if not rows or any(getattr(row, "name", None) != called for row in rows):
            raise ImportError(f"{module.__name__} needs a CRITERION or a FIELD, called {called!r} as the module is.")
        found += [row for row in (getattr(module, name, None),) if row is not None]
    for row in found:
        lacking = [key for key in ("place", "meaning") if not hasattr(row, key)]
        if lacking:
            raise ImportError(f"The kind {row.name!r} says no `{lacking[0]}`.")
    return sorted(found, key=lambda row: float(row.place))


def _criteria() -> list[CriterionKind]:
    found = [row for row in _of_modules("CRITERION") if isinstance(row, CriterionKind)]
    SETS.update(row.name for row in found if row.is_set)
    return found


def _fields() -> list[FieldKind]:
    return [row for row in _of_modules("FIELD") if isinstance(row, FieldKind)]


CRITERIA: Register[CriterionKind] = Register(_criteria)
FIELDS: Register[FieldKind] = Register(_fields)
"""The rows by their names, in the order in which they are listed."""


def refers_to_list(schema: Schema, name: str | None, path: Path, *, stage: str | None = None) -> Found:
    """What is wrong with a `field` that names the list that is chosen from."""
    lists = [field.name for field in schema.item.fields if FIELDS[field.kind].is_list]
    if name is None:
        yield path, "`field` is missing; it names the text_list field that holds the options"
    elif name not in lists:
        yield (*path, "field"), f"`{name}` is no text_list field of the item{grammar.among(name, lists)}"
    elif stage is not None and stage in schema.item.field(name).secret_in:
        yield (*path, "field"), f"`{name}` is secret in {stage}, so raters cannot choose from it"


def text_of(schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
    """The text that passages or steps are taken from must be one that raters see."""
    texts = [field.name for field in schema.item.fields if FIELDS[field.kind].written]
    if criterion.of is None:
        if stage not in ("grading", "coding"):
            why = "a model's answer is graded and coded only"
            yield path, f"`of` is missing; it names the item's field with the text ({why})"
    elif criterion.of not in texts:
        yield (*path, "of"), f"`{criterion.of}` is no text field of the item{grammar.among(criterion.of, texts)}"
    elif stage in schema.item.field(criterion.of).secret_in:
        yield (*path, "of"), f"`{criterion.of}` is secret in {stage}"
