"""A schema as Python objects: the content of the YAML file, checked and frozen. ``annotation_schemas.loader`` creates
them.

The module is long because it is the whole grammar: the reference and the JSON Schema take every key from it, in this
order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from domain import decimals
from domain.comparison import AnyOrder
from domain.overlap import Apart, Overlap
from domain.request_settings import find_body_problems, find_header_problems
from domain.states import VERIFICATIONS

Scalar = str | int | float | bool

PREDICTION = "prediction"
"""The value of ``of`` for a criterion about the model's answer. Criteria about the item's fields use the
field's name.
"""

StageName = Literal[
    "triage",
    "authoring",
    "verification",
    "verification_2",
    "verification_3",
    "verification_4",
    "verification_5",
    "verification_6",
    "verification_7",
    "verification_8",
    "verification_9",
    "adjudication",
    "refinement",
    "answering",
    "grading",
    "comparison",
    "coding",
]


def as_words(name: Scalar) -> str:
    """Return a name as readable words: ``goal_ambiguous`` becomes ``Goal ambiguous``."""
    text = str(name).replace("_", " ").strip()
    return text[:1].upper() + text[1:]


class _SchemaPart(BaseModel):
    """A frozen part of a schema. Unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    lacks: ClassVar[Mapping[str, str]] = {}
    """Keys of other parts that are not allowed here, each with the reason or the key to use instead."""


def _known(name: str, info: ValidationInfo, names: str) -> str:
    """Return the name. Raise an error if the reader passed the known names (``context``) and the name is unknown."""
    known: list[str] = (info.context or {}).get(names, [name])
    if name in known:
        return name
    expected = ", ".join(f"'{expected_name}'" for expected_name in known)
    raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": expected})


class Dimension(_SchemaPart):
    """One of the aspects that a benchmark measures; items belong to exactly one."""

    id: str
    """Small letters, digits and underscores. People and files refer to the dimension by it."""
    title: str
    """The title that people read."""
    definition: str = ""
    """What the dimension covers, in a sentence; shown on working pages."""
    group: str | None = None
    """The capability or domain that the dimension belongs to."""
    wanted: int | None = None
    """The target number of kept items."""
    folder: str | None = None
    """In formats with a folder for each dimension: the folder's path below the import path, with forward slashes."""
    named: str | None = None
    """In formats that name the dimension in every record: the name they use."""


class AssetSlot(_SchemaPart):
    """A place in an item for images or a clip."""

    role: str
    """The role of the asset in the item, which is also its name in files and in `judges.sees`."""
    kind: Literal["image", "clip"]
    """An image or a clip."""
    min: int = 1
    """The minimum number; 0 makes the asset optional. Items that lack a required image or clip are not shown to
    people.
    """
    max: int | None = 1
    """The maximum number; null means no limit."""
    alt: str | None = None
    """The item's field with a description of the image, read out to people who cannot see it: a text, or a list with
    an entry for each image. Only stages that show the field have it.
    """


class Choice(_SchemaPart):
    """A value with its label: an option, a scale step, a reason. For a bare value, the label is made from the value."""

    value: Scalar
    """The stored value."""
    label: str
    """The label that is shown; by default the value in words."""
    help: str | None = None
    """A hint, shown next to the label."""
    reasons: tuple[Choice, ...] = ()
    """Reasons for this choice. The rater gives one of them, or types one."""

    @model_validator(mode="before")
    @classmethod
    def _from_value(cls, data: Any) -> Any:
        if isinstance(data, str | int | float):
            return {"value": data, "label": as_words(data)}
        return data


class Tolerance(_SchemaPart):
    """The largest difference at which two answers still agree. Give one key; the limit itself counts."""

    absolute: int | float | None = None
    """The largest difference, in the number's own unit."""
    relative: int | float | None = None
    """The largest difference as a share of the right number, between 0 and 1. Between two raters, it is a share of the
    larger absolute value. For a right number of 0, no difference is allowed.
    """
    within: str | None = None
    """A unit of the same quantity as the number's `unit`. Numbers agree if they round to the same multiple of it, with
    halves away from 0.
    """
    iou: int | float | None = None
    """For spans of time and boxes: the minimum IoU at which two answers agree, above 0 and at most 1."""

    @property
    def overlap(self) -> Overlap | None:
        """Return the tolerance for spans and boxes, or None for numbers."""
        return Overlap(decimals.exact(self.iou) or Fraction(0)) if self.iou is not None else None

    def of(self, unit: str | None) -> decimals.Tolerance:
        """Return the tolerance for a number that is measured in ``unit``."""
        if self.within is not None:
            return decimals.Tolerance(rounded=decimals.step_of(unit, self.within))
        return decimals.Tolerance(decimals.exact(self.absolute), decimals.exact(self.relative))


class WordLimits(_SchemaPart):
    """Limits for the number of words, which are separated by spaces."""

    least: int | None = None
    """The minimum."""
    most: int | None = None
    """The maximum."""


class Wording(_SchemaPart):
    """Rules for the wording of a field's text. Authors see which rules are broken; rules in `stops` refuse the text."""

    person: Literal["first", "second", "third"] | None = None
    """The grammatical person of English text: only first (I, my, we), only second (you, your), or neither (`third`)."""
    words: WordLimits | None = None
    """The number of words; in a list, of each entry."""
    forbidden: tuple[str, ...] = ()
    """Words or phrases that must not occur. Case is ignored."""
    ends_with: str | None = None
    """The required ending, such as `?`; in a list, of each entry."""
    not_in: tuple[str, ...] = ()
    """Fields whose text must not contain this one, such as a question that holds its answer or equals one of the
    options. One option may occur if other options do too.
    """
    alike_length: int | float | None = None
    """For a list: the maximum ratio of the longest entry's characters to those of the shortest."""
    no_rewording: bool = False
    """For a list: no two entries may be rewordings of each other. Case and punctuation are ignored, and in English
    also articles, plurals and the position of particles.
    """
    stops: tuple[str, ...] = ()
    """The rules that are strict. The server refuses a text that breaks them, also in files. `true` means all rules."""

    @model_validator(mode="before")
    @classmethod
    def _all_or_none(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and isinstance(data.get("stops"), bool):
            given = [name for name in WORDING_RULES if data.get(name) not in (None, (), False)]
            return {**data, "stops": tuple(given) if data["stops"] else ()}
        return data

    @property
    def rules(self) -> tuple[str, ...]:
        """Return the keys of the rules that are set."""
        return tuple(name for name in WORDING_RULES if getattr(self, name) not in (None, (), False))


WORDING_RULES = ("person", "words", "forbidden", "ends_with", "not_in", "alike_length", "no_rewording")
"""The keys of ``Wording`` that are rules, in the order of messages."""


class ItemField(_SchemaPart):
    """A field of an item."""

    name: str
    """Small letters, digits and underscores. It is also the default key in files."""
    kind: str = "text"
    """The name of a registered field kind."""
    title: str | None = None
    """The title that people read; by default made from the name."""
    help: str | None = None
    """A hint, shown on the authoring form."""
    required: bool = True
    """Whether an item needs a value in this field."""
    options: tuple[Choice, ...] = ()
    """The meaning depends on the kind."""
    field: str | None = None
    """The meaning depends on the kind."""
    form: str | None = None
    """The meaning depends on the kind."""
    forms: dict[str, str] = Field(default_factory=dict)
    """The meaning depends on the kind."""
    drawn: str | None = None
    """The meaning depends on the kind."""
    by_dimension: dict[str, tuple[Scalar, ...]] = Field(default_factory=dict)
    """The meaning depends on the kind."""
    length: int | None = None
    """The meaning depends on the kind."""
    min_length: int | None = None
    """The meaning depends on the kind."""
    max_length: int | None = None
    """The meaning depends on the kind."""
    role: str | None = None
    """The meaning depends on the kind."""
    cover: Literal["inside", "outside"] | None = None
    """The meaning depends on the kind."""
    distinct: bool = False
    """The meaning depends on the kind."""
    authored: bool = True
    """False for a field that only files provide, and that is not on the authoring form."""
    secret_in: tuple[StageName, ...] = ()
    """Stages in which raters must not see the field. It is never sent to them."""
    read_as: Literal["yes_no", "number", "text", "form", "time_span"] | None = None
    """The meaning depends on the kind."""
    unit: str | None = None
    """The meaning depends on the kind."""
    min: int | float | None = None
    """The meaning depends on the kind."""
    max: int | float | None = None
    """The meaning depends on the kind."""
    step: int | float | None = None
    """The meaning depends on the kind."""
    tolerance: Tolerance | None = None
    """The meaning depends on the kind."""
    none: str | None = None
    """The meaning depends on the kind."""
    language: str | None = None
    """The meaning depends on the kind."""
    wording: Wording | None = None
    """The meaning depends on the kind."""

    @field_validator("kind")
    @classmethod
    def _of_a_kind(cls, name: str, info: ValidationInfo) -> str:
        return _known(name, info, "field_kind")


class Skip(_SchemaPart):
    """A way to leave a criterion unanswered, with a reason."""

    label: str = "Skip"
    """The label that is shown."""
    reasons: tuple[Choice, ...] = ()
    """The reasons to choose from. If the list is empty, the rater types a reason."""


class Aspect(_SchemaPart):
    """Guidance for a criterion that is not scored by itself."""

    name: str
    """Small letters, digits and underscores."""
    title: str
    """The title that people read."""
    definition: str
    """The meaning, in a sentence."""


class PlanAction(_SchemaPart):
    """An action that a plan may contain. A condition is a word and the numbers of one or two objects, such as ``near
    1``, ``not open 2``, ``inside 1 2`` or, for any object, ``not holding *``.
    """

    name: str
    """The name that models write, before the objects in round brackets."""
    objects: int = 1
    """The number of objects."""
    help: str | None = None
    """The effect, in a sentence."""
    needs: tuple[str, ...] = ()
    """Conditions that must hold before the action."""
    makes: tuple[str, ...] = ()
    """Conditions that hold after the action."""
    ends: tuple[str, ...] = ()
    """Conditions that no longer hold after the action."""
    turns: tuple[str, ...] = ()
    """Conditions that the action reverses. An unknown condition stays unknown."""
    states: tuple[str, ...] | None = None
    """The postconditions that the model's own line must name, if the criterion has `says`; by default those in
    `makes`.
    """


class Criterion(_SchemaPart):
    """One question to a rater."""

    name: str
    """The name in ratings, unique in the whole schema."""
    kind: str
    """The name of a registered criterion kind."""
    prompt: str
    """The question to the rater."""
    help: str | None = None
    """A hint, shown below the question."""
    options: tuple[Choice, ...] = ()
    """The meaning depends on the kind."""
    field: str | None = None
    """The meaning depends on the kind."""
    values: tuple[Scalar, ...] = ()
    """The meaning depends on the kind."""
    min: int | float | None = None
    """The meaning depends on the kind."""
    max: int | float | None = None
    """The meaning depends on the kind."""
    step: int | float | None = None
    """The meaning depends on the kind."""
    unit: str | None = None
    """The meaning depends on the kind."""
    tolerance: Tolerance | None = None
    """The meaning depends on the kind."""
    none: str | None = None
    """The meaning depends on the kind."""
    cannot_tell: str | None = None
    """The meaning depends on the kind."""
    of: str | None = None
    """The meaning depends on the kind."""
    actions: tuple[PlanAction, ...] = ()
    """The meaning depends on the kind."""
    begins: tuple[str, ...] = ()
    """The meaning depends on the kind."""
    says: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """The meaning depends on the kind."""
    follows: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """The meaning depends on the kind."""
    labels: tuple[str, ...] = ()
    """The meaning depends on the kind."""
    role: str | None = None
    """The meaning depends on the kind."""
    aspects: tuple[Aspect, ...] = ()
    """Aspects to consider; they are shown but not rated."""
    dimensions: tuple[str, ...] | None = None
    """The dimensions whose items get this question; by default all."""
    required: bool = True
    """Whether a submission needs an answer."""
    show_if: dict[str, tuple[Scalar, ...]] = Field(default_factory=dict)
    """The question appears only if each of these earlier criteria has one of these values."""
    skip: Skip | None = None
    """How to skip the question; by default it must be answered."""

    @field_validator("kind")
    @classmethod
    def _of_a_kind(cls, name: str, info: ValidationInfo) -> str:
        return _known(name, info, "criterion_kind")


SETS: set[str] = set()
"""The kinds of criteria whose answers are sets. ``annotation_schemas.kinds`` adds their names."""


def tolerances_of(criteria: Sequence[Criterion]) -> dict[str, Apart]:
    """Return the tolerance of each criterion that has one. Sets are compared in any order."""
    limited = [(criterion, criterion.tolerance) for criterion in criteria if criterion.tolerance is not None]
    sets: dict[str, Apart] = {criterion.name: AnyOrder() for criterion in criteria if criterion.kind in SETS}
    return sets | {
        criterion.name: tolerance.overlap or tolerance.of(criterion.unit) for criterion, tolerance in limited
    }


class CrossRule(_SchemaPart):
    """A rule between several values: fields of an item, or answers of one rater. A missing value breaks no rule,
    unless the rule is about missing values.
    """

    rule: str
    """The name of a registered rule between values."""
    of: tuple[str, ...]
    """The fields or criteria to compare, in the order of the rule. In a stage, the fields that it shows are allowed
    too.
    """
    when: dict[str, tuple[Scalar, ...]] = Field(default_factory=dict)
    """The rule applies only if each of these has one of these values; by default always."""
    say: str
    """The message that people read if the rule is broken, shown at the field or criterion."""


class KeepPart(_SchemaPart):
    """One of several conditions for keeping an item: a criterion and the wanted answers. It has a `key`, a `value`, or
    limits.
    """

    criterion: str
    """The criterion that decides. Each part has a different one."""
    key: str | None = None
    """The item's field that holds the right answer."""
    value: Scalar | None = None
    """The value that keeps an item."""
    at_least: int | float | None = None
    """The lowest number that keeps an item. Votes on the same side of a limit agree."""
    at_most: int | float | None = None
    """The highest number that keeps an item. Votes on the same side of a limit agree."""


class Keep(_SchemaPart):
    """The rule that turns votes into a verdict."""

    rule: str
    """The name of a registered keep rule."""
    criterion: str | None = None
    """The criterion that decides."""
    criteria: tuple[str, ...] = ()
    """Instead of `criterion`: several criteria. Every criterion must keep the item."""
    key: str | None = None
    """The item's field that holds the right answer."""
    value: Scalar | None = None
    """The value that keeps an item."""
    values: dict[str, Scalar] = Field(default_factory=dict)
    """Instead of `value`: the value that keeps an item, for each criterion."""
    parts: tuple[KeepPart, ...] = ()
    """Instead of the other keys: criteria with a target each. The rule is applied to each part, and every part must
    keep the item.
    """
    _tolerances: dict[str, Apart] = PrivateAttr(default_factory=dict)

    @property
    def tolerances(self) -> Mapping[str, Apart]:
        """Return the tolerance of votes by criterion, as the stage's criteria define it."""
        return self._tolerances


class Skips(_SchemaPart):
    """The effect of skips on an item before all votes are in. A vote counts as a skip if it skips a deciding
    criterion.
    """

    after: int
    """The number of skips that has this effect."""
    then: str = "retire"
    """The name of a registered effect of skips."""


class Qualification(_SchemaPart):
    """A test that people must pass before they work in a stage."""

    items: int
    """The number of items in the test."""
    reviewers: int
    """The number of seniors who review the answers."""
    pass_mark: float
    """The share of right answers that passes, between 0 and 1."""
    against: Literal["key", "seniors", "both"] | None = None
    """The right answer: the item's key, the answer of most seniors, or both. By default the key if there is one,
    otherwise the seniors' answer.
    """
    retry_after_hours: float = 0
    """Hours to wait after a failed attempt."""
    attempts: int | None = None
    """The maximum number of attempts; by default unlimited."""


class Gold(_SchemaPart):
    """Settled items mixed into live work, to measure how well people answer. Their pages look like all others."""

    rate: float
    """The share of gold among a person's tasks, from 0.01 to 0.5, in hundredths."""
    after: int = 10
    """The number of answers to gold before warnings and stops apply."""
    warn_below: float | None = None
    """Below this share of right answers, the person and the leads get a warning."""
    stop_below: float | None = None
    """Below this share, the person gets no more work in the stage until a lead allows it."""


class Triage(_SchemaPart):
    """Triage of candidate frames."""

    per_source: int | None = None
    """The maximum number of frames from one source."""
    reasons: tuple[Choice, ...] = ()
    """Reasons for dropping a frame."""


class Authoring(_SchemaPart):
    """Writing items about media from a shared pool."""

    people: int | None = None
    """The number of authors. The dashboard reports if more people were assigned."""
    dimensions_per_person: int | None = None
    """The number of dimensions for each author. The dashboard reports if an author has more."""
    people_per_dimension: int | None = None
    """The number of authors for each dimension. The dashboard reports if a dimension has more."""
    per_source: int | None = None
    """The maximum number of images from one source."""


class Verification(_SchemaPart):
    """Independent votes on every item. A further verification stage covers the items that the previous one kept."""

    title: str | None = None
    """The title that people read; by default "Verification", "Verification 2"."""
    raters: int
    """The number of people who vote on an item. The author never does."""
    by: Literal["annotator", "senior", "lead"] = "annotator"
    """The lowest role that may vote."""
    again: bool = False
    """Whether people who voted on an item in an earlier verification stage may vote on it again."""
    shuffle: tuple[Literal["options"], ...] = ()
    """`options`: each person sees an item's options in a different order."""
    show_others: Literal["settled"] | None = None
    """`settled`: when an item is decided and a voter can no longer edit their vote, *My submissions* shows them the
    other votes, without names and notes. By default, voters never see them.
    """
    criteria: tuple[Criterion, ...]
    """The questions to the voters."""
    rules: tuple[CrossRule, ...] = ()
    """Rules between the answers of one vote."""
    keep: Keep
    """The rule that turns votes into a verdict."""
    skips: Skips | None = None
    """The effect of skips. By default, a skip is a vote that agrees with no other vote."""
    contested: Literal["adjudicate", "drop"] = "adjudicate"
    """Whether items with split votes go to adjudication, if the schema has it, or are dropped."""
    qualification: Qualification | None = None
    """The test to pass before voting."""
    gold: Gold | None = None
    """Items with a known answer among the items to vote on."""
    order: str = "random"
    """The name of a registered order in which items are handed out."""

    @property
    def adjudicates(self) -> bool:
        """Whether items with split votes go to a senior, if the schema has an adjudication."""
        return self.contested == "adjudicate"

    def model_post_init(self, _context: Any) -> None:
        """Pass the criteria's tolerances to the keep rule."""
        self.keep._tolerances.update(tolerances_of(self.criteria))


class Adjudication(_SchemaPart):
    """Decisions about items with split votes."""

    by: Literal["senior", "lead"] = "senior"
    """The lowest role that may decide."""
    reasons: tuple[Choice, ...] = Field(default=(), serialization_alias="causes")
    """Reasons for the disagreement. The senior chooses one."""
    edit: bool = True
    """Whether a senior may edit the item; it is then verified again."""


class Refinement(_SchemaPart):
    """A search for second right answers with the help of models' answers."""

    criteria: tuple[Criterion, ...] = ()
    """The questions about a model's answer."""
    rules: tuple[CrossRule, ...] = ()
    """Rules between the answers of one decision."""
    until: str | None = None
    """The name of a registered condition for ending refinement; by default `one_right_answer`."""
    done: dict[str, Scalar] = Field(default_factory=dict)
    """The value of each criterion which says that the annotated answer is the only right one."""


class GradingSample(_SchemaPart):
    """The answers that people grade, chosen in advance. Grading starts when a lead opens the sample."""

    models: tuple[str, ...] | None = None
    """The names of the models whose answers are graded; by default all models that answered."""
    dimensions: tuple[str, ...] | None = None
    """The dimensions to draw from; by default all graded dimensions."""
    outputs: int | None = None
    """The number of answers to draw; by default all."""
    strata: tuple[str, ...] | None = None
    """The strata over which the sample is even, the most important first: `dimension`, `group` (of the dimension),
    `model`, or a field with a single value. By default `dimension`, then `model`. With an empty list, all answers are
    equally likely.
    """
    seed: int | None = None
    """The seed of the draw; by default the project's own."""
    items: tuple[str, ...] | None = None
    """Instead of a number: the external IDs of the items whose answers are all graded."""


class Answering(_SchemaPart):
    """People answer items themselves, as models do."""

    people: int
    """The number of people who answer an item. People who wrote, verified, settled, refined, graded or opened it never
    do.
    """
    criteria: tuple[Criterion, ...]
    """The single question: a choice (the option's text is the answer), or a text, which is read like a
    model's answer.
    """
    items: Literal["kept", "all"] = "kept"
    """`kept`: items that verification kept; `all`: all items at once. Without a verification stage both mean all."""
    dimensions: tuple[str, ...] | None = None
    """The dimensions whose items are answered; by default all."""
    per_dimension: int | None = None
    """The number of items from each dimension, drawn by the project's seed; by default all."""
    shows: tuple[str, ...] | None = None
    """The item's fields on the page; by default all fields that do not reveal the right answer and are secret in no
    stage.
    """
    order: str = "random"
    """The name of a registered order in which items are handed out."""


class Grading(_SchemaPart):
    """People grade models' answers."""

    raters: int
    """The number of people who grade an answer."""
    shuffle: tuple[Literal["options", "predictions"], ...] = ()
    """`options`: each person sees an item's options in a different order; `predictions`: the same for the models'
    answers.
    """
    show_others: Literal["settled"] | None = None
    """`settled`: when all answers to an item are graded, *My submissions* shows graders the other grades, without names
    and notes. A grader who looks can no longer edit the grade. By default, graders never see them.
    """
    criteria: tuple[Criterion, ...]
    """The questions to the graders."""
    rules: tuple[CrossRule, ...] = ()
    """Rules between the answers of one grade."""
    outputs: int | None = None
    """The number of models' answers to grade, drawn evenly over the dimensions, then over the models, by the project's
    seed; by default all.
    """
    sample: GradingSample | None = None
    """Instead of `outputs`: a plan for the answers to grade, which a lead reviews before grading opens."""
    combine: Literal["majority", "mean"] = "majority"
    """How grades are combined: the value of more than half of the graders, or the mean."""
    dimensions: tuple[str, ...] | None = None
    """The dimensions whose answers are graded; by default all."""
    shows: tuple[str, ...] | None = None
    """The item's fields shown with the answer; by default all fields that are not secret in grading."""
    qualification: Qualification | None = None
    """The test to pass before grading. Its items are models' answers, and seniors decide which grades are right."""
    gold: Gold | None = None
    """Answers with a known grade among the answers to grade."""
    order: str = "random"
    """The name of a registered order in which answers are handed out."""


class Comparison(_SchemaPart):
    """People compare two models' answers to an item, without knowing the models."""

    raters: int
    """The number of people who compare a pair of answers."""
    show_others: Literal["settled"] | None = None
    """`settled`: when all pairs of an item are compared, *My submissions* shows raters the other preferences, without
    names and notes. A rater who looks can no longer edit the preference, and gets no pairs of the item that open later.
    By default, raters never see them.
    """
    criteria: tuple[Criterion, ...]
    """The questions to the raters; at least one is of kind `preference`."""
    rules: tuple[CrossRule, ...] = ()
    """Rules between the answers of one rater."""
    models: tuple[str, ...] | None = None
    """The names of the models to compare, each with each; by default all models that answered."""
    per_item: int | None = None
    """The number of pairs for each item. The project's seed draws them so that all pairs of models are compared
    equally often. By default every pair.
    """
    dimensions: tuple[str, ...] | None = None
    """The dimensions whose answers are compared; by default all."""
    shows: tuple[str, ...] | None = None
    """The item's fields shown with the answers; by default all fields that are not secret in comparison."""

    lacks: ClassVar[Mapping[str, str]] = {
        "gold": "comparisons have no key and therefore no gold checks; remove `gold`",
        "qualification": "comparisons have no qualification set; choose people for this stage on the People page",
        "adjudication": "comparisons have no adjudication, because every preference counts; remove `adjudication`",
        "order": (
            "everyone gets the pairs in the same shuffled order, so that pairs are completed one "
            "after another; remove `order`"
        ),
        "shuffle": "each person always sees the two answers in random order; remove `shuffle`",
        "outputs": "use `per_item` to set the number of pairs for each item",
    }


class CodedAnswers(_SchemaPart):
    """The models' answers that are coded."""

    score: Literal["key", "human", "judge"] | None = None
    """The source that marks answers as wrong: the `key`, people's combined grades (`human`), or a `judge` or reference
    metric. By default every answer to the `items` is coded.
    """
    criterion: str | None = None
    """For `human` and `judge`: the grading criterion, or a derived criterion (`report: derived`)."""
    judge: str | None = None
    """The name of the judge's run or of the metric, as on Results; by default the only one."""
    below: float | None = None
    """The limit below which an answer is wrong; by default every answer below the highest score."""
    items: tuple[str, ...] = ()
    """IDs of the items whose answers are coded; by default all."""


class Coding(_SchemaPart):
    """People describe the errors in models' answers. The codes are the options of the criteria."""

    raters: int
    """The number of people who code an answer, each without knowing the model or other people's codes."""
    criteria: tuple[Criterion, ...]
    """The questions to the coders. Criteria with `options` are settled and counted."""
    rules: tuple[CrossRule, ...] = ()
    """Rules between the answers of one coder."""
    of: CodedAnswers
    """The answers to code."""
    outputs: int | None = None
    """The number of answers to code, drawn evenly over the dimensions, then over the models, by the project's seed; by
    default all.
    """
    dimensions: tuple[str, ...] | None = None
    """The dimensions whose answers are coded; by default all."""
    arbitration: bool = True
    """Whether a senior annotator settles codes on which people disagree; otherwise the answer stays unsettled."""


class Arbitration(_SchemaPart):
    """Settling codes on which coders disagree. It follows from `coding` and has no keys of its own in a schema."""

    criteria: tuple[Criterion, ...]
    """The criteria of coding."""
    rules: tuple[CrossRule, ...] = ()
    """The rules of coding."""


class Stages(_SchemaPart):
    """The steps of the protocol. A step that is absent or ``none`` in YAML does not take place."""

    triage: Triage | None = None
    """Triage of candidate frames."""
    authoring: Authoring | None = None
    """Writing items."""
    verification: Verification | None = None
    """Independent votes on items."""
    verification_2: Verification | None = None
    """Votes on the items that `verification` kept."""
    verification_3: Verification | None = None
    """Votes on the items that `verification_2` kept."""
    verification_4: Verification | None = None
    """Votes on the items that `verification_3` kept."""
    verification_5: Verification | None = None
    """Votes on the items that `verification_4` kept."""
    verification_6: Verification | None = None
    """Votes on the items that `verification_5` kept."""
    verification_7: Verification | None = None
    """Votes on the items that `verification_6` kept."""
    verification_8: Verification | None = None
    """Votes on the items that `verification_7` kept."""
    verification_9: Verification | None = None
    """Votes on the items that `verification_8` kept."""
    adjudication: Adjudication | None = None
    """Decisions about items with split votes; without it, these items are dropped."""
    refinement: Refinement | None = None
    """A search for second right answers."""
    answering: Answering | None = None
    """People answer items as models do."""
    grading: Grading | None = None
    """Rating models' answers."""
    comparison: Comparison | None = None
    """Choosing the better of two models' answers."""
    coding: Coding | None = None
    """Describing the errors in models' answers."""

    @property
    def verifications(self) -> Mapping[str, Verification]:
        """Return the verification stages by name, in order."""
        every = {stage.value: getattr(self, stage) for stage in VERIFICATIONS}
        return {name: part for name, part in every.items() if part is not None}

    @property
    def again(self) -> list[str]:
        """Return the verification stages that allow people to vote on an item again."""
        return [name for name, part in self.verifications.items() if part.again]

    def title_of(self, stage: str) -> str:
        """Return the title of a stage.

        >>> Stages().title_of("verification_2")
        'Verification 2'
        """
        return getattr(getattr(self, stage, None), "title", None) or as_words(stage)

    def in_a_sentence(self, stage: str) -> str:
        """Return the title of a stage as it follows "the" in a sentence.

        >>> Stages().in_a_sentence("verification_2")
        'verification 2'
        """
        title = getattr(getattr(self, stage, None), "title", None)
        return f"stage {title}" if title else stage.replace("_", " ")

    @property
    def arbitration(self) -> Arbitration | None:
        """Return the stage in which a senior settles codes, or None if the schema has none."""
        if self.coding is None or not self.coding.arbitration:
            return None
        return Arbitration(criteria=self.coding.criteria, rules=self.coding.rules)

    @model_validator(mode="before")
    @classmethod
    def _none_is_absent(cls, data: Any) -> Any:
        if isinstance(data, dict):
            return {name: None if stage == "none" else stage for name, stage in data.items()}
        return data


class Judge(_SchemaPart):
    """An LLM that rates predictions, with its template, its parser and the fields that it sees."""

    name: str
    """The name; by default the template's name."""
    criteria: tuple[str, ...]
    """The rated criteria. ``criterion: x`` is short for ``criteria: [x]``."""
    dimensions: tuple[str, ...] | None = None
    """The dimensions; by default all."""
    template: str
    """The name of a registered judge template."""
    parser: str | None = None
    """The name of the parser; by default the parser of the template."""
    sees: tuple[str, ...] = ()
    """Fields of the item, roles of its assets, and ``prediction``."""
    fills: dict[str, str] = Field(default_factory=dict)
    """The value for each placeholder of the template, where the names differ."""
    values: tuple[Scalar, ...] = ()
    """The allowed scores. Any other value in a reply is a failure."""
    model: str | None = None
    """The model that these settings are for, if several judges share a template."""
    temperature: float | None = None
    """The temperature if the model's description gives none; by default the model's own default."""
    max_tokens: int | None = None
    """The maximum reply length if the model's description gives none."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Further fields of every request to an endpoint, such as `{reasoning_effort: low}`. Fields in the model's
    description take precedence.
    """
    headers: dict[str, str] = Field(default_factory=dict)
    """Headers of every request to an endpoint. Headers in the model's description take precedence. Put secrets into an
    environment variable of the worker: `{X-Api-Key: "env:LAB_API_KEY"}`.
    """

    @model_validator(mode="after")
    def _can_be_sent(self) -> Judge:
        _check_request(self.extra_body, self.headers)
        return self

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


class Models(_SchemaPart):
    """How models answer the items."""

    strategy: str
    """The name of a registered strategy."""
    prompts: str | None = None
    """The name of a registered prompt set."""
    variants: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """The dimensions that each prompt variant is for; all other dimensions get ``general``."""
    prompt_seed: int | None = None
    """The seed that chooses a wording of the prompt for each item; by default the first wording."""
    score: str | None = None
    """For ranking: the name of a registered score."""
    temperature: float | None = None
    """The temperature if the model's description gives none; by default the model's own default."""
    max_tokens: int | None = None
    """The maximum answer length if the model's description gives none."""
    clips: dict[str, Scalar] = Field(default_factory=dict)
    """How clips become frames, unless the model's description says it: `recent_segments` (the number of last segments;
    0: none), `frames_per_segment`, `observation_frames` (the number of last frames of the clip, used if the image of
    the observation is missing).
    """
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Further fields of every request to an endpoint, such as `{reasoning_effort: low}`. Fields in the model's
    description take precedence.
    """
    headers: dict[str, str] = Field(default_factory=dict)
    """Headers of every request to an endpoint. Headers in the model's description take precedence. Put secrets into an
    environment variable of the worker: `{X-Api-Key: "env:LAB_API_KEY"}`.
    """

    @model_validator(mode="after")
    def _can_be_sent(self) -> Models:
        _check_request(self.extra_body, self.headers)
        return self


def _check_request(extra_body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    """Raise ``ValueError`` for fields and headers that cannot be sent to a model's server, or that hold a secret."""
    problems = [*find_body_problems(extra_body), *find_header_problems(headers)]
    if problems:
        raise ValueError("; ".join(problems))


OptionPlace = Literal["letter", "from_1", "from_0"]
"""The way in which a file names one of an item's options, other than by its text."""


class Source(_SchemaPart):
    """The origin of items: a file format, and the mapping of its names."""

    format: str
    """The name of a registered format."""
    id: str | None = None
    """The key that identifies a record, in formats that leave it open."""
    fields: dict[str, str] = Field(default_factory=dict)
    """The file's key for each field and asset of the item, where the names differ. In `csv` and `jsonl` also
    `dimension`. A list may have several columns or keys, one for each entry: `options: "a, b, c, d"`.
    """
    separator: str | None = Field(default=None, min_length=1)
    """In `csv`: the separator of list entries in a cell, unless the cell holds JSON."""
    places: dict[str, OptionPlace] = Field(default_factory=dict)
    """In `csv` and `jsonl`: fields of the kind `option_of` that files store as a position: `letter` (A, B, C),
    `from_1` or `from_0` (a number).
    """
    media: dict[str, Scalar] = Field(default_factory=dict)
    """How media are cut and chosen at import; each value is a number. `clip_ends_before_action_seconds` is for records
    with the first frame of the action instead of the observation. For `goal_actions_min`, an import reports how many
    goals show fewer actions. A record with more than `goal_actions_max` is refused. `frame_every` is the distance of
    frames that are taken from a video for the pool.
    """


class DerivedCriterion(_SchemaPart):
    """A criterion that is computed from others. Each part is settled first (people's grades by `combine`, a judge's by
    its own rule), then the parts are combined. Answers that lack a part are left out.
    """

    name: str
    """The name in results, different from all other criteria."""
    all_of: tuple[str, ...] = ()
    """The value is 1 if all these grading criteria have their highest value, otherwise 0."""
    not_all_of: tuple[str, ...] = ()
    """With `all_of`: the value is 1 only if at least one of these grading criteria is below its highest value."""
    mean_of: tuple[str, ...] = ()
    """The value is the mean of these grading criteria."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the criteria that it is computed from."""
        return (*self.all_of, *self.not_all_of, *self.mean_of)


class VerdictRule(_SchemaPart):
    """The requirements for using a judge. Omitted keys have the values of the default rule."""

    units: int | None = None
    """The minimum number of units that people and the judge share; default: 30."""
    people: int | None = None
    """The minimum number of people; default: 3."""
    reliability: float | None = None
    """The lower limit of people's own agreement (Krippendorff's alpha) must be above this value; default: 0.4."""
    margin: float | None = None
    """How much worse than a person a judge may be that replaces one, by the lower limit of the difference; default:
    0.05.
    """
    association: float | None = None
    """The lower limit of the judge's agreement with people must be above this value if the judge only helps with
    correction; default: 0.3.
    """
    constant: bool | None = None
    """Whether a judge that replaces a person must be significantly better than a judge that always gives the same
    score; default: true.
    """
    test: bool | None = None
    """Whether the judge must also pass the alternative annotator test; default: true."""
    epsilon: float | None = None
    """The epsilon of that test: 0.2 against experts, 0.15 against trained people, 0.1 against a crowd; default: 0.2."""


class Pairs(_SchemaPart):
    """Pairs of items that are two variants of each other, such as with and without marks, or asked as yes/no and
    openly.
    """

    pair: str
    """The field with the same value for both items of a pair."""
    variant: str
    """The field that names the variant. If the field has options, the first one is the baseline."""


class SuccessRegression(_SchemaPart):
    """A regression of success on the scores in the other dimensions (`regression run`, the page Regression)."""

    success: str
    """The grading criterion, with numbers, that measures the success of a plan. Its `dimensions` define which answers
    are plans.
    """
    task: str | None = None
    """The field with an item's task. Each plan is then a unit, with the scores of its task's items. By default each
    model is a unit, with the share of its plans that succeed.
    """


class Report(_SchemaPart):
    """The first view of Results, Agreement and Calibration. Choices on the page or the command line override it."""

    unit: Literal["item", "prediction", "dimension"] = "item"
    """The unit of the statistics: `item` uses the votes of verification (if there is one), `prediction` the grades of
    models' answers, `dimension` the means of a model's answers in each dimension.
    """
    by: Literal["dimension", "group"] | None = None
    """The groups with separate numbers. By default agreement covers all groups together, and results and calibration
    are by dimension.
    """
    statistics: tuple[str, ...] = ()
    """Names of registered statistics. Statistics of agreement are shown on the pages Agreement and Calibration (by
    default all that fit). Results begins with `accuracy` and `derived`.
    """
    scales: dict[str, Literal["nominal", "ordinal", "interval", "ratio"]] = Field(default_factory=dict)
    """The measurement level of a criterion's values, if its kind does not define it."""
    derived: tuple[DerivedCriterion, ...] = ()
    """Criteria that are computed from grading criteria."""
    rule: VerdictRule | None = None
    """The rule for verdicts on judges from the project's beginning. A rule that is stored later (`touchstone
    calibration run --rule`) replaces it. By default no rule is set in advance.
    """
    regression: SuccessRegression | None = None
    """The initial choice on the page Regression; by default none."""
    unreadable: Literal["wrong", "left_out"] = "wrong"
    """How accuracy against the key treats unreadable answers (a format violation, a refusal, an answer cut off): they
    count as wrong, or they are left out. Both counts appear next to the number.
    """
    pairs: Pairs | None = None
    """Pairs of item variants whose difference is shown."""


class Floor(_SchemaPart):
    """The agreement of raters that a release requires: a statistic and its minimum."""

    criterion: str
    """The criterion. If it has several parts, every part must reach the minimum."""
    statistic: str
    """The name of a registered statistic that is 1 for perfect agreement."""
    variant: str | None = None
    """The variant of the statistic: its weights (`none`, `linear`, `quadratic`), the level of an alpha, or the form of
    an ICC. By default no weights, the criterion's own level, and ICC(1,1).
    """
    at_least: int | float
    """The minimum, above 0 and at most 1. For a statistic of two raters, every pair must reach it."""
    bound: Literal["value", "low"] = "value"
    """The number that must reach the minimum: the value itself, or the lower limit of its interval."""

    @property
    def name(self) -> str:
        """Return the floor's unique name: ``choice.cohen_kappa``, with the variant if it names one."""
        variant = re.sub(r"[^A-Za-z0-9_]+", "-", self.variant or "").strip("-")
        return ".".join(filter(None, (self.criterion, self.statistic, variant)))


class Shortcuts(_SchemaPart):
    """Limits for answering items without their images, which a release must meet (`touchstone shortcut check`)."""

    above_chance: int | float = 0.05
    """The maximum advantage of each shortcut over blind guessing, as a share of the items. `constant` is the best
    fixed position. `position` and `answer` are the position and text that are most often right in other sources.
    `longest`, `shortest` and `overlap` (most words of the question) choose an option by its text, and `text_only` is
    the classifier.
    """
    at_most: dict[str, int | float] = Field(default_factory=dict)
    """The maximum share of right answers for single shortcuts, which replaces `above_chance`: `{longest: 0.3}`."""
    bound: Literal["value", "low", "high"] = "value"
    """The number that must not exceed the limit: the share itself, the lower end of its interval (only clear
    violations stop a release), or the upper end (possible violations stop it too).
    """
    score: int | float | None = None
    """Items are flagged if the classifier gives the right option a higher probability than this. By default, randomly
    drawn keys set the limit.
    """
    flagged: int | float | None = None
    """The maximum share of flagged items. By default unlimited, because a flag only asks a person to look."""
    orders: int = 3
    """For runs without images (`touchstone shortcut run`): the minimum number of option orders in which a model must
    be right to flag an item. The model must also be right in every order that was asked.
    """
    models: int = 1
    """The number of models that must be right to flag an item."""
    without_images: int | float | None = None
    """The maximum share of items that models flag in this way. A release waits until enough models were asked. By
    default unlimited, because a flag only asks a person to look.
    """


class Export(_SchemaPart):
    """The formats of a release, and its requirements."""

    formats: tuple[str, ...] = ()
    """Names of registered formats."""
    public_without: tuple[str, ...] = ()
    """Fields that are left out of public files."""
    private_splits: tuple[str, ...] = ()
    """The splits whose public files lack these fields, such as `[test]`; by default all splits."""
    floors: tuple[Floor, ...] = ()
    """The agreement of raters that a release requires."""
    shortcuts: Shortcuts | None = None
    """Limits for answering items without their images. By default there is no check."""


class Item(_SchemaPart):
    """The parts of an item."""

    assets: tuple[AssetSlot, ...] = ()
    """Images and clips."""
    fields: tuple[ItemField, ...] = ()
    """Texts and other values."""
    rules: tuple[CrossRule, ...] = ()
    """Rules between the fields."""

    @property
    def needed_roles(self) -> tuple[str, ...]:
        """Return the roles whose images or clips an item needs. Assets with `min: 0` are optional."""
        return tuple(slot.role for slot in self.assets if slot.min)

    def field(self, name: str) -> ItemField:
        """Return the field of that name. Raise ``KeyError`` if there is none."""
        for candidate in self.fields:
            if candidate.name == name:
                return candidate
        raise KeyError(name)


class Schema(_SchemaPart):
    """A protocol: the questions of a benchmark, the people who answer them, and the use of the answers."""

    name: str
    """Small letters, digits and underscores."""
    version: int
    """The version, counted from 1. Raise it with every change."""
    title: str
    """The title that people read."""
    guideline: str | None = None
    """The path of the guideline next to the schema file."""
    source: Source | None = None
    """The origin of items, if they do not all come from authors here."""
    dimensions: tuple[Dimension, ...]
    """The measured aspects."""
    item: Item
    """The parts of an item."""
    stages: Stages = Stages()
    """The steps of the protocol."""
    judges: tuple[Judge, ...] = ()
    """LLMs that rate predictions."""
    models: Models | None = None
    """How models answer the items."""
    report: Report = Report()
    """The first view of the results."""
    export: Export = Export()
    """How releases are written."""
    translations: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Titles, prompts, labels and hints in other languages, by language and by the text of this schema. Texts without a
    translation stay as they are.
    """

    def dimension(self, id: str) -> Dimension:
        """Return the dimension with that ID. Raise ``KeyError`` if there is none."""
        for candidate in self.dimensions:
            if candidate.id == id:
                return candidate
        raise KeyError(id)


class LoadedSchema(_SchemaPart):
    """A schema with its source texts. It is stored with a project, so that a version in use never changes."""

    schema_: Schema = Field(alias="schema")
    text: str
    """The original YAML text."""
    guideline_text: str
    """The guideline in Markdown."""
    hash: str
    """The SHA-256 of the canonical JSON of the schema and of the guideline text."""
    guideline_hash: str

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


Json = dict[str, Any]
