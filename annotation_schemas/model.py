"""A schema as Python objects: what the YAML says, checked and frozen. ``annotation_schemas.loader`` makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from domain import decimals
from domain.comparison import AnyOrder
from domain.overlap import Apart, Overlap
from domain.request_settings import find_body_problems, find_header_problems

Scalar = str | int | float | bool

PREDICTION = "prediction"
"""What a criterion is about that looks at the model's answer, in ``of``; fields of the item go by their names."""

StageName = Literal[
    "triage",
    "authoring",
    "verification",
    "verification_2",
    "verification_3",
    "adjudication",
    "refinement",
    "answering",
    "grading",
    "comparison",
    "coding",
]


def as_words(name: Scalar) -> str:
    """A name as a person reads it: ``goal_ambiguous`` becomes ``Goal ambiguous``."""
    text = str(name).replace("_", " ").strip()
    return text[:1].upper() + text[1:]


class _Part(BaseModel):
    """Frozen; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    lacks: ClassVar[Mapping[str, str]] = {}
    """Keys of other parts that this one has not, each with why, or with what to say instead."""


def _known(name: str, info: ValidationInfo, names: str) -> str:
    """A name, refused where anyone who reads a file says which ones there are (``context``) and it is none of them."""
    known: list[str] = (info.context or {}).get(names, [name])
    if name in known:
        return name
    expected = ", ".join(f"'{each}'" for each in known)
    raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": expected})


class Dimension(_Part):
    """One of the aspects that a benchmark measures; items belong to exactly one."""

    id: str
    """Small letters, digits and underscores; people and files are given dimensions by it."""
    title: str
    """As people read it."""
    definition: str = ""
    """What belongs to it, in a sentence; shown on working pages."""
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
    """What it is in the item; its name in files and in `judges.sees`."""
    kind: Literal["image", "clip"]
    """An image or a clip."""
    min: int = 1
    """0: an item may come without it. Otherwise no one is asked about an item whose image or clip is not there."""
    max: int | None = 1
    """None: any number."""
    alt: str | None = None
    """The item's field that says in words what is seen there, read out to those who do not see it: one text, or a list
    with an entry for each image. Only stages that show the field have it."""


class Choice(_Part):
    """A value with its label: an option, a scale step, a reason. A bare value gets a label made from it."""

    value: Scalar
    """What is stored."""
    label: str
    """What is shown; of a bare value, the value in words."""
    help: str | None = None
    """Shown next to it."""
    reasons: tuple[Choice, ...] = ()
    """Choosing this asks for one of these reasons (or a typed one)."""

    @model_validator(mode="before")
    @classmethod
    def _from_value(cls, data: Any) -> Any:
        if isinstance(data, str | int | float):
            return {"value": data, "label": as_words(data)}
        return data


class Tolerance(_Part):
    """How far two answers may be apart and still say the same, ends included. One of its keys."""

    absolute: int | float | None = None
    """So much at most, in the number's own unit."""
    relative: int | float | None = None
    """At most this share of the right number, between 0 and 1: nothing of 0. Of two raters' numbers, of the one that is
    further from 0."""
    within: str | None = None
    """Equal when both are rounded to this unit, halves away from 0; it measures what the number's own `unit` does."""
    iou: int | float | None = None
    """Of spans of time and boxes: the least IoU of two answers that say the same, above 0 and at most 1."""

    @property
    def overlap(self) -> Overlap | None:
        """As it is computed with, of spans and boxes; None: it is of numbers."""
        return Overlap(decimals.exact(self.iou) or Fraction(0)) if self.iou is not None else None

    def of(self, unit: str | None) -> decimals.Tolerance:
        """As it is computed with, for a number that counts in ``unit``."""
        if self.within is not None:
            return decimals.Tolerance(rounded=decimals.step_of(unit, self.within))
        return decimals.Tolerance(decimals.exact(self.absolute), decimals.exact(self.relative))


class WordLimits(_Part):
    """How many words a text has, as what stands between spaces."""

    least: int | None = None
    """So many at least."""
    most: int | None = None
    """So many at most."""


class Wording(_Part):
    """How a field's text is written. Whoever writes it is told what does not hold; what is in `stops` is refused."""

    person: Literal["first", "second", "third"] | None = None
    """English that speaks in this person (I, my, we; you, your) and in no other, or in neither of them (`third`)."""
    words: WordLimits | None = None
    """How many words it has; of a list, each entry."""
    forbidden: tuple[str, ...] = ()
    """Words, or several in a row, that do not stand in it, whatever their case."""
    ends_with: str | None = None
    """What it ends with, such as `?`; of a list, each entry."""
    not_in: tuple[str, ...] = ()
    """Fields in whose text it does not stand: a question that holds its answer, or is one of the options. One of the
    options may stand there if others do, too."""
    alike_length: int | float | None = None
    """Of a list: the longest entry has at most so many times the characters of the shortest."""
    no_rewording: bool = False
    """Of a list: no two entries say the same in other words, which is to say but for case, marks and, in English,
    articles, plurals and where a particle stands."""
    stops: tuple[str, ...] = ()
    """Which of these rules are no advice: the server refuses a text that breaks them, in files, too. `true`: all."""

    @model_validator(mode="before")
    @classmethod
    def _all_or_none(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and isinstance(data.get("stops"), bool):
            given = [name for name in WORDING_RULES if data.get(name) not in (None, (), False)]
            return {**data, "stops": tuple(given) if data["stops"] else ()}
        return data

    @property
    def rules(self) -> tuple[str, ...]:
        """Those that say something, by their keys."""
        return tuple(name for name in WORDING_RULES if getattr(self, name) not in (None, (), False))


WORDING_RULES = ("person", "words", "forbidden", "ends_with", "not_in", "alike_length", "no_rewording")
"""The keys of ``Wording`` that are rules, in the order in which they are told."""


class ItemField(_Part):
    """A field of an item: what it shows or holds."""

    name: str
    """Small letters, digits and underscores; also the key in files that do not say otherwise."""
    kind: str = "text"
    """A row of the registry of field kinds."""
    title: str | None = None
    """As people read it; else made from the name."""
    help: str | None = None
    """Shown on the authoring form."""
    required: bool = True
    """An item without it does not fit."""
    options: tuple[Choice, ...] = ()
    """What it says is said by the kind."""
    field: str | None = None
    """What it says is said by the kind."""
    form: str | None = None
    """What it says is said by the kind."""
    forms: dict[str, str] = Field(default_factory=dict)
    """What it says is said by the kind."""
    drawn: str | None = None
    """What it says is said by the kind."""
    by_dimension: dict[str, tuple[Scalar, ...]] = Field(default_factory=dict)
    """What it says is said by the kind."""
    length: int | None = None
    """What it says is said by the kind."""
    min_length: int | None = None
    """What it says is said by the kind."""
    max_length: int | None = None
    """What it says is said by the kind."""
    role: str | None = None
    """What it says is said by the kind."""
    cover: Literal["inside", "outside"] | None = None
    """What it says is said by the kind."""
    distinct: bool = False
    """What it says is said by the kind."""
    authored: bool = True
    """False: it comes from files only and is not on the authoring form."""
    secret_in: tuple[StageName, ...] = ()
    """Stages in which raters must not see it; it is never sent to them."""
    read_as: Literal["yes_no", "number", "text", "form", "time_span"] | None = None
    """What it says is said by the kind."""
    unit: str | None = None
    """What it says is said by the kind."""
    min: int | float | None = None
    """What it says is said by the kind."""
    max: int | float | None = None
    """What it says is said by the kind."""
    step: int | float | None = None
    """What it says is said by the kind."""
    tolerance: Tolerance | None = None
    """What it says is said by the kind."""
    none: str | None = None
    """What it says is said by the kind."""
    language: str | None = None
    """What it says is said by the kind."""
    wording: Wording | None = None
    """What it says is said by the kind."""

    @field_validator("kind")
    @classmethod
    def _of_a_kind(cls, name: str, info: ValidationInfo) -> str:
        return _known(name, info, "field_kind")


class Skip(_Part):
    """A way not to answer a criterion; it needs one of the reasons."""

    label: str = "Skip"
    """What is shown."""
    reasons: tuple[Choice, ...] = ()
    """One of them has to be given; a typed one if there are none."""


class Aspect(_Part):
    """Guidance for a criterion that is not scored by itself."""

    name: str
    """Small letters, digits and underscores."""
    title: str
    """As people read it."""
    definition: str
    """What it means, in a sentence."""


class PlanAction(_Part):
    """An action that a plan may consist of. Conditions are a word and the places of one or two of its objects, such as
    ``near 1``, ``not open 2``, ``inside 1 2`` or, about any object, ``not holding *``."""

    name: str
    """As models write it, before the objects in round brackets."""
    objects: int = 1
    """How many objects it takes."""
    help: str | None = None
    """What it does, in a sentence."""
    needs: tuple[str, ...] = ()
    """What has to hold before."""
    makes: tuple[str, ...] = ()
    """What holds after."""
    ends: tuple[str, ...] = ()
    """What no longer holds after."""
    turns: tuple[str, ...] = ()
    """What is the other way round after; where nothing is known of it, nothing is known after either."""
    states: tuple[str, ...] | None = None
    """What the model's own line of postconditions has to say, where the criterion has `says`; absent: what it makes."""


class Criterion(_Part):
    """One thing a rater is asked."""

    name: str
    """Its name in ratings; unique in the whole schema."""
    kind: str
    """A row of the registry of criterion kinds."""
    prompt: str
    """The question to the rater."""
    help: str | None = None
    """Shown below the question."""
    options: tuple[Choice, ...] = ()
    """What it says is said by the kind."""
    field: str | None = None
    """What it says is said by the kind."""
    values: tuple[Scalar, ...] = ()
    """What it says is said by the kind."""
    min: int | float | None = None
    """What it says is said by the kind."""
    max: int | float | None = None
    """What it says is said by the kind."""
    step: int | float | None = None
    """What it says is said by the kind."""
    unit: str | None = None
    """What it says is said by the kind."""
    tolerance: Tolerance | None = None
    """What it says is said by the kind."""
    none: str | None = None
    """What it says is said by the kind."""
    cannot_tell: str | None = None
    """What it says is said by the kind."""
    of: str | None = None
    """What it says is said by the kind."""
    actions: tuple[PlanAction, ...] = ()
    """What it says is said by the kind."""
    begins: tuple[str, ...] = ()
    """What it says is said by the kind."""
    says: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """What it says is said by the kind."""
    follows: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """What it says is said by the kind."""
    labels: tuple[str, ...] = ()
    """What it says is said by the kind."""
    role: str | None = None
    """What it says is said by the kind."""
    aspects: tuple[Aspect, ...] = ()
    """What to weigh; shown, not asked."""
    dimensions: tuple[str, ...] | None = None
    """The dimensions whose items it is asked about; None: all of them."""
    required: bool = True
    """A submission without it does not fit."""
    show_if: dict[str, tuple[Scalar, ...]] = Field(default_factory=dict)
    """Asked only if every one of these earlier criteria got one of these values."""
    skip: Skip | None = None
    """How not to answer it; absent: it has to be answered."""

    @field_validator("kind")
    @classmethod
    def _of_a_kind(cls, name: str, info: ValidationInfo) -> str:
        return _known(name, info, "criterion_kind")


SETS: set[str] = set()
"""The kinds of criteria whose answers are sets. ``annotation_schemas.kinds`` adds their names."""


def tolerances_of(criteria: Sequence[Criterion]) -> dict[str, Apart]:
    """How far two answers may be apart and still say the same, by criterion, where one says so; sets in any order."""
    said = [(each, each.tolerance) for each in criteria if each.tolerance is not None]
    sets: dict[str, Apart] = {each.name: AnyOrder() for each in criteria if each.kind in SETS}
    return sets | {each.name: tolerance.overlap or tolerance.of(each.unit) for each, tolerance in said}


class CrossRule(_Part):
    """What has to hold between several values: fields of an item, or answers of one rater. A value that is not there
    breaks no rule, unless the rule is about just that."""

    rule: str
    """A row of the registry of rules between values."""
    of: tuple[str, ...]
    """The fields or criteria that it is about, in the order that the rule means. In a stage also fields that are shown
    there, to compare answers with."""
    when: dict[str, tuple[Scalar, ...]] = Field(default_factory=dict)
    """It has to hold only if every one of these got one of these values; absent: always."""
    say: str
    """The sentence that people read where it does not hold, at the field or criterion."""


class KeepPart(_Part):
    """One of several things that have to hold for an item to be kept: a criterion, and which answers to it are
    wanted. It names `key`, `value`, or limits."""

    criterion: str
    """The criterion that decides; each part has another."""
    key: str | None = None
    """The item's field that holds the right answer."""
    value: Scalar | None = None
    """The value that keeps an item."""
    at_least: int | float | None = None
    """Numbers that are not lower keep an item; votes on the same side of a limit agree."""
    at_most: int | float | None = None
    """Numbers that are not higher keep an item; votes on the same side of a limit agree."""


class Keep(_Part):
    """The rule that makes a verdict of the votes: a row of the registry of keep rules."""

    rule: str
    """A row of the registry of keep rules."""
    criterion: str | None = None
    """The criterion that decides."""
    criteria: tuple[str, ...] = ()
    """Instead of `criterion`: several, and each of them must come to keep the item."""
    key: str | None = None
    """The item's field that holds the right answer."""
    value: Scalar | None = None
    """The value that keeps an item."""
    values: dict[str, Scalar] = Field(default_factory=dict)
    """Instead of `value`: each criterion with the value that keeps an item."""
    parts: tuple[KeepPart, ...] = ()
    """Instead of all of these: criteria, each with its own target. The rule is applied to each, and every one must come
    to keep the item."""
    _tolerances: dict[str, Apart] = PrivateAttr(default_factory=dict)

    @property
    def tolerances(self) -> Mapping[str, Apart]:
        """How far votes may be apart, by criterion; the stage's criteria say it."""
        return self._tolerances


class Skips(_Part):
    """What skips do to an item, before all votes are in. A vote is a skip if it skips a criterion that decides."""

    after: int
    """So many skips do it."""
    then: str = "retire"
    """A row of the registry of what skips do."""


class Qualification(_Part):
    """The gate before a stage."""

    items: int
    """How many items a candidate works on."""
    reviewers: int
    """How many seniors look at them."""
    pass_mark: float
    """The share of right ones that passes, between 0 and 1."""
    against: Literal["key", "seniors", "both"] | None = None
    """What an answer has to equal to be right: the item's key, what most seniors answered, or both; absent: the key
    where there is one, else the seniors."""
    retry_after_hours: float = 0
    """How long someone who did not pass waits before the next try."""
    attempts: int | None = None
    """How many tries there are; absent: any number."""


class Gold(_Part):
    """Settled items mixed into live work, to see how well people answer. Their pages look like all others."""

    rate: float
    """The share of gold among what a person is given, from 0.01 to 0.5; it counts in hundredths."""
    after: int = 10
    """So many answers to gold are needed before anything follows from them."""
    warn_below: float | None = None
    """With a smaller share of right answers, the person and the leads are warned."""
    stop_below: float | None = None
    """With a smaller share, the person gets no more work in the stage until a lead lets them."""


class Triage(_Part):
    """Triage of candidate frames."""

    per_source: int | None = None
    """At most so many frames of one source."""
    reasons: tuple[Choice, ...] = ()
    """Why a frame is dropped."""


class Authoring(_Part):
    """Writing items about media from a shared pool."""

    people: int | None = None
    """How many people write; the dashboard says where more were given a part."""
    dimensions_per_person: int | None = None
    """How many dimensions each of them has; the dashboard says where it is more."""
    people_per_dimension: int | None = None
    """How many people write for a dimension; the dashboard says where it is more."""
    per_source: int | None = None
    """At most so many images of one source."""


class Verification(_Part):
    """Independent votes on every item; in a further stage of verification, on every item that the one before kept."""

    title: str | None = None
    """As people read it; absent: "Verification", "Verification 2"."""
    raters: int
    """How many people vote on an item; never its author."""
    by: Literal["annotator", "senior", "lead"] = "annotator"
    """The least role that may vote."""
    again: bool = False
    """Whether people who voted on an item in an earlier stage of verification may vote on it in this one."""
    shuffle: tuple[Literal["options"], ...] = ()
    """`options`: an item's options come in an order of their own for each person."""
    criteria: tuple[Criterion, ...]
    """What they are asked."""
    rules: tuple[CrossRule, ...] = ()
    """What has to hold between the answers of a vote."""
    keep: Keep
    """What makes of their votes a verdict."""
    skips: Skips | None = None
    """What skips do; absent: a skip is a vote that agrees with no other."""
    contested: Literal["adjudicate", "drop"] = "adjudicate"
    """What becomes of what the votes leave open, where the schema has an adjudication: it goes there, or it is
    dropped."""
    qualification: Qualification | None = None
    """What to pass before one may vote."""
    gold: Gold | None = None
    """Items with a known answer among those that are voted on."""
    order: str = "random"
    """In which order the items are handed out: a row of the registry of orders."""

    @property
    def adjudicates(self) -> bool:
        """Whether what the votes leave open goes to a senior, where the schema has them settle anything."""
        return self.contested == "adjudicate"

    def model_post_init(self, _context: Any) -> None:
        """Tell the keep rule what its criteria say."""
        self.keep._tolerances.update(tolerances_of(self.criteria))


class Adjudication(_Part):
    """Settling what the votes left open."""

    by: Literal["senior", "lead"] = "senior"
    """The least role that may settle."""
    reasons: tuple[Choice, ...] = Field(default=(), serialization_alias="causes")
    """Why an item was contested; one of them is chosen."""
    edit: bool = True
    """Whether an item may be changed; it is then verified again."""


class Refinement(_Part):
    """Looking for second right answers by means of a model's answer."""

    criteria: tuple[Criterion, ...] = ()
    """What is asked about a model's answer."""
    rules: tuple[CrossRule, ...] = ()
    """What has to hold between the answers of a decision."""
    until: str | None = None
    """When an item is done: a row of the registry of ends of refinement; absent: `one_right_answer`."""
    done: dict[str, Scalar] = Field(default_factory=dict)
    """The value of each criterion that says that the annotated answer is the only right one."""


class GradingSample(_Part):
    """Which answers people grade, settled before anyone does: nothing is open to them before a lead opens it."""

    models: tuple[str, ...] | None = None
    """The models whose answers are graded, by their names; None: all that have answered."""
    dimensions: tuple[str, ...] | None = None
    """The dimensions that they are drawn from; None: all that are graded."""
    outputs: int | None = None
    """How many answers are drawn; None: all of them."""
    strata: tuple[str, ...] | None = None
    """What the draw is as even as can be over, and within that over the next: `dimension`, `group` (of the dimension),
    `model`, or a field of the item with one value; None: `dimension`, then `model`; an empty list: nothing, all
    answers are equally likely."""
    seed: int | None = None
    """The draw follows from it; None: from the project's own seed."""
    items: tuple[str, ...] | None = None
    """Instead of a number: the items, by their names in files, to which all answers are graded."""


class Answering(_Part):
    """People answer items themselves, as models do."""

    people: int
    """How many people answer an item; never those who wrote, verified, settled, refined, graded or looked into it."""
    criteria: tuple[Criterion, ...]
    """The one thing they are asked: a choice (an option's text is the answer), or a text, read as models' are."""
    items: Literal["kept", "all"] = "kept"
    """`kept`: an item is answered when verification has kept it; `all`: as soon as it is there. Without a verification
    stage both are all."""
    dimensions: tuple[str, ...] | None = None
    """The dimensions whose items are answered; None: all of them."""
    per_dimension: int | None = None
    """How many items of each dimension are answered, drawn by the project's seed; None: all of them."""
    shows: tuple[str, ...] | None = None
    """The item's fields on the page; None: all that do not tell the right answer and are secret in no stage."""
    order: str = "random"
    """In which order the items are handed out: a row of the registry of orders."""


class Grading(_Part):
    """People grade models' answers."""

    raters: int
    """How many people grade an answer."""
    shuffle: tuple[Literal["options", "predictions"], ...] = ()
    """`options`: an item's options come in an order of their own for each person; `predictions`: the models' answers to
    an item do."""
    criteria: tuple[Criterion, ...]
    """What they are asked."""
    rules: tuple[CrossRule, ...] = ()
    """What has to hold between the answers of a grade."""
    outputs: int | None = None
    """How many models' answers people grade: drawn evenly over the dimensions, then over the models, by the project's
    seed; None: all of them."""
    sample: GradingSample | None = None
    """Instead of `outputs`: which answers people grade, by a plan that a lead looks at before anything opens."""
    combine: Literal["majority", "mean"] = "majority"
    """What becomes of their grades: the value of more than half of them, or their mean."""
    dimensions: tuple[str, ...] | None = None
    """The dimensions whose answers are graded; None: all of them."""
    shows: tuple[str, ...] | None = None
    """The item's fields shown with the answer; None: all that are not secret in grading."""
    qualification: Qualification | None = None
    """What to pass before one may grade; its items are models' answers, and seniors say what is right."""
    gold: Gold | None = None
    """Answers with a known grade among those that are graded."""
    order: str = "random"
    """In which order the answers are handed out: a row of the registry of orders."""


class Comparison(_Part):
    """People compare two models' answers to an item, without knowing the models."""

    raters: int
    """How many people compare a pair of answers."""
    criteria: tuple[Criterion, ...]
    """What they are asked; at least one is of kind `preference`."""
    rules: tuple[CrossRule, ...] = ()
    """What has to hold between the answers of one rater."""
    models: tuple[str, ...] | None = None
    """The models whose answers are compared, each with each, by their names; None: all that have answered."""
    per_item: int | None = None
    """How many pairs of an item's answers are compared, drawn by the project's seed so that all pairs of models are
    compared equally often; None: every pair."""
    dimensions: tuple[str, ...] | None = None
    """The dimensions whose answers are compared; None: all of them."""
    shows: tuple[str, ...] | None = None
    """The item's fields shown with the answers; None: all that are not secret in comparison."""

    lacks: ClassVar[Mapping[str, str]] = {
        "gold": "no one knows which answer is better, so there are no gold checks of pairs",
        "qualification": "there is no set to pass before one compares; give the stage to whom you choose, on People",
        "adjudication": "no one settles pairs on which people differ; every preference goes into the figures",
        "order": "all go through the pairs in one shuffled order, so that pairs are complete early",
        "shuffle": "the sides are always drawn for each person",
        "outputs": "say how many pairs of an item are drawn, as `per_item`",
    }


class CodedAnswers(_Part):
    """Which models' answers are coded."""

    score: Literal["key", "human", "judge"] | None = None
    """What says that an answer is wrong: the `key`, people's grades as they are combined (`human`), or a `judge` or
    reference metric. None: every answer to the `items` is coded."""
    criterion: str | None = None
    """Of `human` and `judge`: the criterion of grading, or one that follows from several (`report: derived`)."""
    judge: str | None = None
    """Whose scores: the name of the judge's run or of the metric, as on Results; None: the only one that there is."""
    below: float | None = None
    """An answer with a lower score is wrong; None: one that has less than the highest."""
    items: tuple[str, ...] = ()
    """Only answers to the items with these ids; none: to all."""


class Coding(_Part):
    """People say what is wrong with models' answers: the codes are the options of the criteria."""

    raters: int
    """How many people code an answer, each without knowing the model or what others say."""
    criteria: tuple[Criterion, ...]
    """What they are asked; those with `options` are settled and counted."""
    rules: tuple[CrossRule, ...] = ()
    """What has to hold between the answers of one coder."""
    of: CodedAnswers
    """Which answers are coded."""
    outputs: int | None = None
    """So many of these answers: drawn evenly over the dimensions, then over the models, by the project's seed; None:
    all of them."""
    dimensions: tuple[str, ...] | None = None
    """The dimensions whose answers are coded; None: all of them."""
    arbitration: bool = True
    """Whether a senior annotator settles the codes on which people differ; otherwise such an answer stays unsettled."""


class Arbitration(_Part):
    """Settling what those who coded an answer differ about. It follows from `coding`; no schema says more of it."""

    criteria: tuple[Criterion, ...]
    """As in coding."""
    rules: tuple[CrossRule, ...] = ()
    """As in coding."""


class Stages(_Part):
    """The steps of the protocol; None (``none`` in YAML, or absent) is a step it does not have."""

    triage: Triage | None = None
    """Triage of candidate frames."""
    authoring: Authoring | None = None
    """Writing items."""
    verification: Verification | None = None
    """Independent votes on items."""
    verification_2: Verification | None = None
    """Votes on the items that `verification` has kept."""
    verification_3: Verification | None = None
    """Votes on the items that `verification_2` has kept."""
    adjudication: Adjudication | None = None
    """Settling what the votes left open; without it, what differs is dropped."""
    refinement: Refinement | None = None
    """Looking for second right answers."""
    answering: Answering | None = None
    """People answer items as models do."""
    grading: Grading | None = None
    """Rating models' answers."""
    comparison: Comparison | None = None
    """Saying which of two models' answers is better."""
    coding: Coding | None = None
    """Saying what is wrong with models' answers."""

    @property
    def verifications(self) -> Mapping[str, Verification]:
        """The stages in which people vote on items, by name, in the order in which an item goes through them."""
        every = {
            "verification": self.verification,
            "verification_2": self.verification_2,
            "verification_3": self.verification_3,
        }
        return {name: part for name, part in every.items() if part is not None}

    @property
    def again(self) -> list[str]:
        """The stages of verification in which people may vote who have voted on an item in an earlier one."""
        return [name for name, part in self.verifications.items() if part.again]

    def title_of(self, stage: str) -> str:
        """What people call a stage.

        >>> Stages().title_of("verification_2")
        'Verification 2'
        """
        return getattr(getattr(self, stage, None), "title", None) or as_words(stage)

    def in_a_sentence(self, stage: str) -> str:
        """As ``title_of``, after *the* in a sentence.

        >>> Stages().in_a_sentence("verification_2")
        'verification 2'
        """
        title = getattr(getattr(self, stage, None), "title", None)
        return f"stage {title}" if title else stage.replace("_", " ")

    @property
    def arbitration(self) -> Arbitration | None:
        """Settling the codes on which people differ; None: no one does."""
        if self.coding is None or not self.coding.arbitration:
            return None
        return Arbitration(criteria=self.coding.criteria, rules=self.coding.rules)

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
    """A row of the registry of judge templates."""
    parser: str | None = None
    """Absent: the parser that the template was written for."""
    sees: tuple[str, ...] = ()
    """Fields of the item, roles of its assets, and ``prediction``."""
    fills: dict[str, str] = Field(default_factory=dict)
    """The template's placeholders by what fills them, where the names differ."""
    values: tuple[Scalar, ...] = ()
    """The scale that it has to keep to; anything else in a reply is a failure."""
    model: str | None = None
    """Whom it is about: of judges with one template, what follows is for the one whose model is asked."""
    temperature: float | None = None
    """Where the model's description says none; None: its own default."""
    max_tokens: int | None = None
    """The longest reply, where the model's description says none."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Further fields of every request to an endpoint, such as `{reasoning_effort: low}`; of the same field the
    description's own counts."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Headers of every request to an endpoint; of the same header the description's own counts. A secret stands in an
    environment variable of the worker: `{X-Api-Key: "env:LAB_API_KEY"}`."""

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


class Models(_Part):
    """How models answer the items."""

    strategy: str
    """A row of the registry of strategies."""
    prompts: str | None = None
    """A row of the registry of prompt sets."""
    variants: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Variant of the prompts by the dimensions that it is for; the others get ``general``."""
    prompt_seed: int | None = None
    """Chooses for each item one of the wordings that its prompt has; None: the first."""
    score: str | None = None
    """For ranking: a row of the registry of scores."""
    temperature: float | None = None
    """Where the model's description says none; None: its own default."""
    max_tokens: int | None = None
    """The longest answer, where the model's description says none."""
    clips: dict[str, Scalar] = Field(default_factory=dict)
    """How clips become frames for models whose description says nothing else: `recent_segments` (so many of the last
    ones; 0: none), `frames_per_segment`, `observation_frames` (the clip's last ones, where the image of the observation
    is missing)."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Further fields of every request to an endpoint, such as `{reasoning_effort: low}`; of the same field the
    description's own counts."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Headers of every request to an endpoint; of the same header the description's own counts. A secret stands in an
    environment variable of the worker: `{X-Api-Key: "env:LAB_API_KEY"}`."""

    @model_validator(mode="after")
    def _can_be_sent(self) -> Models:
        _check_request(self.extra_body, self.headers)
        return self


def _check_request(extra_body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    """Refuse (``ValueError``) fields and headers that cannot be sent to a model's server, or that hold a secret."""
    problems = [*find_body_problems(extra_body), *find_header_problems(headers)]
    if problems:
        raise ValueError("; ".join(problems))


OptionPlace = Literal["letter", "from_1", "from_0"]
"""How a file says which of an item's options one is, other than by its text."""


class Source(_Part):
    """Where items come from: a file format and how its names map to ours."""

    format: str
    """A row of the registry of formats."""
    id: str | None = None
    """The key of a record that identifies it, for formats that leave it open."""
    fields: dict[str, str] = Field(default_factory=dict)
    """Fields and assets of the item by the key that the file has for them, where the names differ; in `csv` and
    `jsonl` also `dimension`, and for a list several columns or keys, one for each entry: `options: "a, b, c, d"`."""
    separator: str | None = Field(default=None, min_length=1)
    """In `csv`: what stands between the entries of a list in one cell, where they are not JSON."""
    places: dict[str, OptionPlace] = Field(default_factory=dict)
    """In `csv` and `jsonl`: fields of the kind `option_of` that files hold as the place of the option: `letter` (A, B,
    C), `from_1` or `from_0` (a number)."""
    media: dict[str, Scalar] = Field(default_factory=dict)
    """How media are cut and chosen at import, each a number: `clip_ends_before_action_seconds` (where a record has
    the frame with which the action begins instead of that of the observation), `goal_actions_min` (an import says how
    many goals show fewer), `goal_actions_max` (a record that shows more is bad), `frame_every` (of a video that is
    added to the pool, each frame that is so far from the last)."""


class Derived(_Part):
    """A criterion that no one is asked: it follows from others. Each part of an answer is settled first (of people by
    `combine`, of a judge as it says), then they are put together; an answer that lacks a part is left out."""

    name: str
    """Its name in results; no other criterion has it."""
    all_of: tuple[str, ...] = ()
    """1 where each of these criteria of grading has its highest value, else 0."""
    not_all_of: tuple[str, ...] = ()
    """With `all_of`: 1 only where at least one of these criteria of grading has not its highest value."""
    mean_of: tuple[str, ...] = ()
    """The mean of these criteria of grading."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The criteria that it follows from."""
        return (*self.all_of, *self.not_all_of, *self.mean_of)


class VerdictRule(_Part):
    """What is asked of a judge before it may be used; what is not said is as in the default rule."""

    units: int | None = None
    """So many units that people and the judge share, at least; default: 30."""
    people: int | None = None
    """So many people at least; default: 3."""
    reliability: float | None = None
    """What people's own agreement (Krippendorff's alpha) has to be above, by its lower limit; default: 0.4."""
    margin: float | None = None
    """How far a judge that stands in for a person may be below one, by the lower limit of the difference; default:
    0.05."""
    association: float | None = None
    """What the judge's agreement with people has to be above, by its lower limit, to help with correction; default:
    0.3."""
    constant: bool | None = None
    """Whether a judge that stands in for a person has to be surely better than one that always says the same; default:
    true."""
    test: bool | None = None
    """Whether it has to pass the alternative annotator test, too; default: true."""
    epsilon: float | None = None
    """Of that test: 0.2 against experts, 0.15 against trained people, 0.1 against a crowd; default: 0.2."""


class Pairs(_Part):
    """Which items are two variants of one: with and without marks, asked as yes or no and as what."""

    pair: str
    """The field that is the same for the items of a pair."""
    variant: str
    """The field that says which of the variants an item is; of a field with options the first is compared with."""


class SuccessRegression(_Part):
    """How success follows from the scores in the other dimensions (`touchstone regression`, the page Regression)."""

    success: str
    """What says that a plan succeeds: a criterion of grading with numbers, which says by its `dimensions` which answers
    are plans."""
    task: str | None = None
    """The field that names an item's task: each plan is a unit, with the scores of the items of its task. None: each
    model is a unit, with the share of its plans that succeed."""


class Report(_Part):
    """What Results, Agreement and Calibration show first; a choice on the page or the command line comes before it."""

    unit: Literal["item", "prediction", "dimension"] = "item"
    """What is one unit: `item` begins with the votes of verification (where there is one), `prediction` with the grades
    of models' answers, `dimension` with the means of a model's answers in each dimension."""
    by: Literal["dimension", "group"] | None = None
    """One set of numbers for each of these; absent: agreement is of all together, results and calibration are by
    dimension."""
    statistics: tuple[str, ...] = ()
    """Rows of the registry of statistics: those of agreement that are shown, on calibration, too (none: all that fit);
    `accuracy` and `derived` are what Results begins with."""
    scales: dict[str, Literal["nominal", "ordinal", "interval", "ratio"]] = Field(default_factory=dict)
    """How a criterion's values are measured, where it is not plain from its kind."""
    derived: tuple[Derived, ...] = ()
    """Criteria that follow from those of grading."""
    rule: VerdictRule | None = None
    """The rule of the verdict on judges, which holds from the project's beginning; one that is stored later
    (`touchstone calibrate --rule`) takes its place. None: none is set beforehand."""
    regression: SuccessRegression | None = None
    """What Regression begins with. None: nothing, it is chosen there."""
    unreadable: Literal["wrong", "left_out"] = "wrong"
    """What becomes, in the accuracy against the key, of answers that are there and cannot be read (a format violation,
    a refusal, an answer cut off): they count as wrong, or they are left out. Both are counted next to the number."""
    pairs: Pairs | None = None
    """Items that are variants of each other, between which differences are shown."""


class Floor(_Part):
    """How far raters have to agree before a release: a statistic of agreement, and the least that it comes to."""

    criterion: str
    """The criterion that they answer; of one with several parts each part has to come to it."""
    statistic: str
    """A row of the registry of statistics, of those that are 1 where all agree."""
    variant: str | None = None
    """Which one, of a statistic with several: its weights (`none`, `linear`, `quadratic`), the level of an alpha, or
    the form of an ICC. None: without weights, on the criterion's own level, ICC(1,1)."""
    at_least: int | float
    """The floor, above 0 and at most 1. Of a statistic of two raters each pair has to come to it."""
    bound: Literal["value", "low"] = "value"
    """What has to come to it: the value itself, or the lower limit of its interval."""


class Shortcuts(_Part):
    """How far items may be answered without their images before there is a release (`touchstone shortcuts`)."""

    above_chance: int | float = 0.05
    """How much more often than an option drawn blindly each of these may be right, as a share of the items: `constant`
    (always one place, the best of them), `position` and `answer` (the place and the text that were right most often in
    other sources), `longest`, `shortest`, `overlap` (most words of the question), and `text_only`, the classifier."""
    at_most: dict[str, int | float] = Field(default_factory=dict)
    """How often some of them may be right, in place of that: `{longest: 0.3}`."""
    bound: Literal["value", "low", "high"] = "value"
    """What must not be more: the share itself, the lower end of its interval (only what is surely too much stops a
    release), or the upper end (what may be too much does)."""
    score: int | float | None = None
    """Items are flagged whose right option the classifier takes to be likelier than this. None: those that it takes to
    be likelier than keys drawn anew come out."""
    flagged: int | float | None = None
    """The largest share of items that may be flagged. None: any, as a flag is a reason for a person to look."""
    orders: int = 3
    """Of runs without images (`touchstone run shortcut`): an item is flagged that a model gets right in at least so
    many orders of its options, and in every order in which it was asked."""
    models: int = 1
    """So many models have to."""
    without_images: int | float | None = None
    """The largest share of items that may be flagged by models in this way. A release waits until enough of them were
    asked. None: any, as a flag is a reason for a person to look."""


class Export(_Part):
    """The formats that a release is written in, and what has to hold before there is one."""

    formats: tuple[str, ...] = ()
    """Rows of the registry of formats."""
    public_without: tuple[str, ...] = ()
    """Fields that stay out of public files."""
    private_splits: tuple[str, ...] = ()
    """Of a release: the splits from whose public files these fields stay out, such as `[test]`; none: from all."""
    floors: tuple[Floor, ...] = ()
    """How far raters have to agree before there is a release."""
    shortcuts: Shortcuts | None = None
    """How far items may be answered without their images before there is a release. None: no one looks."""


class Item(_Part):
    """What an item is made of."""

    assets: tuple[AssetSlot, ...] = ()
    """Its images and clips."""
    fields: tuple[ItemField, ...] = ()
    """Its texts and other values."""
    rules: tuple[CrossRule, ...] = ()
    """What has to hold between its fields."""

    @property
    def needed_roles(self) -> tuple[str, ...]:
        """The roles whose images or clips an item waits for; it may come without those of the others (`min: 0`)."""
        return tuple(slot.role for slot in self.assets if slot.min)

    def field(self, name: str) -> ItemField:
        """The field of that name; ``KeyError`` if there is none."""
        for candidate in self.fields:
            if candidate.name == name:
                return candidate
        raise KeyError(name)


class Schema(_Part):
    """A protocol: what a benchmark asks, of whom, and what becomes of the answers."""

    name: str
    """Small letters, digits and underscores."""
    version: int
    """Counts from 1; raise it with every change."""
    title: str
    """As people read it."""
    guideline: str | None = None
    """Path of the guideline next to the schema file."""
    source: Source | None = None
    """Where items come from, if they are not only written here."""
    dimensions: tuple[Dimension, ...]
    """What is measured."""
    item: Item
    """What an item is made of."""
    stages: Stages = Stages()
    """The steps of the protocol."""
    judges: tuple[Judge, ...] = ()
    """LLMs that rate predictions."""
    models: Models | None = None
    """How models answer."""
    report: Report = Report()
    """What the report says."""
    export: Export = Export()
    """How releases are written."""

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
