"""A schema as Python objects: what the YAML says, checked and frozen. ``annotation_schemas.loader`` makes them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Scalar = str | int | float | bool

FieldKind = Literal[
    "text", "long_text", "integer", "choice", "text_list", "option_of", "options_of", "order_of", "segments", "json"
]
CriterionKind = Literal["choice", "option_of", "scale", "text"]
StageName = Literal["triage", "authoring", "verification", "adjudication", "refinement", "grading"]


def as_words(name: Scalar) -> str:
    """A name as a person reads it: ``goal_ambiguous`` becomes ``Goal ambiguous``."""
    text = str(name).replace("_", " ").strip()
    return text[:1].upper() + text[1:]


class _Part(BaseModel):
    """Frozen; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Dimension(_Part):
    """One of the aspects that a benchmark measures; items belong to exactly one."""

    id: str
    title: str
    definition: str = ""
    group: str | None = None
    """The capability or domain that it belongs to."""
    wanted: int | None = None
    """How many kept items the benchmark wants here."""
    folder: str | None = None
    """For formats with a folder per dimension: its path below the import path, with forward slashes."""
    named: str | None = None
    """For formats that name the dimension in every record: the text they use."""


class AssetSlot(_Part):
    """A place in an item for images or a clip."""

    role: str
    kind: Literal["image", "clip"]
    min: int = 1
    max: int | None = 1
    """None: any number."""


class Choice(_Part):
    """A value with its label: an option, a scale step, a cause, a reason. A bare value gets a label made from it."""

    value: Scalar
    label: str
    help: str | None = None
    reasons: tuple[Choice, ...] = ()
    """Choosing this asks for one of these reasons (or a typed one)."""

    @model_validator(mode="before")
    @classmethod
    def _from_value(cls, data: Any) -> Any:
        if isinstance(data, str | int | float):
            return {"value": data, "label": as_words(data)}
        return data


class ItemField(_Part):
    """A field of an item: what it shows or holds."""

    name: str
    kind: FieldKind = "text"
    title: str | None = None
    help: str | None = None
    required: bool = True
    options: tuple[Choice, ...] = ()
    """For choice: the values it can have."""
    field: str | None = None
    """For option_of, options_of and order_of: the text_list field that holds the options."""
    length: int | None = None
    """For text_list: the exact number of entries."""
    min_length: int | None = None
    max_length: int | None = None
    """Entries for lists, characters for text."""
    distinct: bool = False
    """For text_list: no entry twice."""
    authored: bool = True
    """False: it comes from files only and is not on the authoring form."""
    secret_in: tuple[StageName, ...] = ()
    """Stages in which raters must not see it; it is never sent to them."""


class Skip(_Part):
    """A way not to answer a criterion; it needs one of the reasons."""

    label: str = "Skip"
    reasons: tuple[Choice, ...] = ()


class Aspect(_Part):
    """Guidance for a criterion that is not scored by itself."""

    name: str
    title: str
    definition: str


class Criterion(_Part):
    """One thing a rater is asked."""

    name: str
    kind: CriterionKind
    prompt: str
    help: str | None = None
    options: tuple[Choice, ...] = ()
    """For choice."""
    field: str | None = None
    """For option_of: the item's text_list field whose entries are the options."""
    values: tuple[Scalar, ...] = ()
    """For scale: all of its values, in order."""
    labels: tuple[str, ...] = ()
    """For scale: a label per value, or none."""
    aspects: tuple[Aspect, ...] = ()
    dimensions: tuple[str, ...] | None = None
    """The dimensions whose items it is asked about; None: all of them."""
    required: bool = True
    show_if: dict[str, tuple[Scalar, ...]] = Field(default_factory=dict)
    skip: Skip | None = None


class Keep(_Part):
    """The rule that makes a verdict of the votes: a row of the registry of keep rules."""

    rule: str
    criterion: str | None = None
    criteria: tuple[str, ...] = ()
    key: str | None = None
    """The item's field that holds the right answer."""
    value: Scalar | None = None
    """The value that keeps an item."""


class Qualification(_Part):
    """The gate before a stage."""

    items: int
    reviewers: int
    pass_mark: float


class Triage(_Part):
    """Sifting candidate frames."""

    per_source: int | None = None
    reasons: tuple[Choice, ...] = ()


class Authoring(_Part):
    """Writing items about media from a shared pool."""

    people: int | None = None
    dimensions_per_person: int | None = None
    people_per_dimension: int | None = None
    per_source: int | None = None
    """At most so many images of one source."""


class Verification(_Part):
    """Independent votes on every item."""

    raters: int
    criteria: tuple[Criterion, ...]
    keep: Keep
    qualification: Qualification | None = None


class Adjudication(_Part):
    """Settling what the votes left open."""

    by: Literal["senior", "lead"] = "senior"
    causes: tuple[Choice, ...] = ()
    edit: bool = True


class Refinement(_Part):
    """Looking for second right answers beside a model's answer."""

    criteria: tuple[Criterion, ...] = ()
    until: str | None = None


class Grading(_Part):
    """People grade models' answers."""

    raters: int
    criteria: tuple[Criterion, ...]
    outputs: int | None = None
    """How many models' answers people grade, drawn evenly over the dimensions; None: all of them."""
    combine: Literal["majority", "mean"] = "majority"
    dimensions: tuple[str, ...] | None = None
    """None: all of them."""
    shows: tuple[str, ...] | None = None
    """The item's fields beside the answer; None: all that are not secret in grading."""


class Stages(_Part):
    """The steps of the protocol; None (``none`` in YAML, or absent) is a step it does not have."""

    triage: Triage | None = None
    authoring: Authoring | None = None
    verification: Verification | None = None
    adjudication: Adjudication | None = None
    refinement: Refinement | None = None
    grading: Grading | None = None

    @model_validator(mode="before")
    @classmethod
    def _none_is_absent(cls, data: Any) -> Any:
        if isinstance(data, dict):
            return {name: None if stage == "none" else stage for name, stage in data.items()}
        return data


class Judge(_Part):
    """An LLM that rates predictions: rows of the registries of templates and parsers, and what it sees."""

    name: str
    """Absent: the template's name."""
    criteria: tuple[str, ...]
    """``criterion: x`` is short for ``criteria: [x]``."""
    dimensions: tuple[str, ...] | None = None
    """None: all of them."""
    template: str
    parser: str | None = None
    """Absent: the parser that the template was written for."""
    sees: tuple[str, ...] = ()
    """Fields of the item, roles of its assets, and ``prediction``."""
    fills: dict[str, str] = Field(default_factory=dict)
    """The template's placeholders by what fills them, where the names differ."""
    values: tuple[Scalar, ...] = ()
    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        data = dict(data)
        if "criterion" in data and "criteria" not in data:
            data["criteria"] = (data.pop("criterion"),)
        if "name" not in data and "template" in data:
            data["name"] = data["template"]
        return data


class Models(_Part):
    """How models answer the items."""

    strategy: str
    prompts: str | None = None
    variants: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Variant of the prompts by the dimensions that it is for; the others get ``general``."""
    score: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    clips: dict[str, Scalar] = Field(default_factory=dict)
    """How clips become frames."""


class Source(_Part):
    """Where items come from: a file format and how its names map to ours."""

    format: str
    id: str | None = None
    fields: dict[str, str] = Field(default_factory=dict)
    media: dict[str, Scalar] = Field(default_factory=dict)
    """How media are cut and chosen at import."""


class Report(_Part):
    """What the agreement report says by default."""

    unit: Literal["item", "prediction", "dimension"] = "item"
    """What is one unit; ``dimension``: the mean of a model's answers in a dimension."""
    by: Literal["dimension", "group"] | None = None
    statistics: tuple[str, ...] = ()
    scales: dict[str, Literal["nominal", "ordinal", "interval"]] = Field(default_factory=dict)
    """How a criterion's values are measured, where it is not plain from its kind."""


class Export(_Part):
    """The formats that a release is written in."""

    formats: tuple[str, ...] = ()
    public_without: tuple[str, ...] = ()
    """Fields that stay out of public files."""


class Item(_Part):
    """What an item is made of."""

    assets: tuple[AssetSlot, ...] = ()
    fields: tuple[ItemField, ...] = ()

    def field(self, name: str) -> ItemField:
        """The field of that name; ``KeyError`` if there is none."""
        for candidate in self.fields:
            if candidate.name == name:
                return candidate
        raise KeyError(name)


class Schema(_Part):
    """A protocol: what a benchmark asks, of whom, and what becomes of the answers."""

    name: str
    version: int
    title: str
    guideline: str | None = None
    """Path of the guideline beside the schema file."""
    source: Source | None = None
    dimensions: tuple[Dimension, ...]
    item: Item
    stages: Stages = Stages()
    judges: tuple[Judge, ...] = ()
    models: Models | None = None
    report: Report = Report()
    export: Export = Export()

    def dimension(self, id: str) -> Dimension:
        """The dimension of that id; ``KeyError`` if there is none."""
        for candidate in self.dimensions:
            if candidate.id == id:
                return candidate
        raise KeyError(id)


class LoadedSchema(_Part):
    """A schema with the texts it came from; what is stored with a project, so that a version in use never changes."""

    schema_: Schema = Field(alias="schema")
    text: str
    """The YAML as it was."""
    guideline_text: str
    """Markdown."""
    hash: str
    """SHA-256 of the canonical JSON of the schema and of the guideline text."""
    guideline_hash: str

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


Json = dict[str, Any]
