"""The result of reading a judge's reply: a score with the words it was read from, or a reason for having no score."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, ClassVar, Final, Literal, NamedTuple

from domain.runs import Outcome, RunPlan

Value = str | int | float | bool


class _OutcomeRow(NamedTuple):
    """A row of ``ReplyOutcome``."""

    value: str
    meaning: str
    colour: str
    stripes: int = 0
    after: Outcome | None = None


class ReplyOutcome(StrEnum):
    """The result of reading a reply, in the order of bars and lists.

    Only ``SCORED`` holds values. Every other result is a failure, and no failure counts as the lowest or middle
    value.
    """

    meaning: str
    """The meaning as a sentence, for the reference."""
    colour: str
    """The color of bars, as a CSS value."""
    stripes: int
    """The angle in degrees of the stripes that distinguish similar colors; 0 means no stripes."""
    after: Outcome | None
    """The request outcome that leads to this result without reading a reply; None if the reply must be read."""

    def __new__(cls, *row: Any) -> ReplyOutcome:
        entry = _OutcomeRow(*row)
        made = str.__new__(cls, entry.value)
        made._value_ = entry.value
        made.meaning, made.colour, made.stripes, made.after = entry.meaning, entry.colour, entry.stripes, entry.after
        return made

    SCORED = _OutcomeRow(
        "scored", "The reply has an allowed value. Touchstone stores this value and the words that state it.", "#1f8a64"
    )
    UNPARSEABLE = _OutcomeRow("unparseable", "The reply has no verdict in the requested form.", "#c4622d", 135)
    OUT_OF_RANGE = _OutcomeRow("out_of_range", "The reply has a verdict, but the value is not allowed.", "#d99a2b")
    CONTRADICTORY = _OutcomeRow(
        "contradictory", "The reply has two different verdicts and does not say which verdict is final.", "#b5477a", 45
    )
    REFUSED = _OutcomeRow(
        "refused",
        "The endpoint reports a refusal or a content filter, or the judge says that it cannot decide.",
        "#8b6fc0",
        after=Outcome.REFUSED,
    )
    TRUNCATED = _OutcomeRow(
        "truncated",
        "The reply was cut off at the maximum length.",
        "#8fbf6a",
        45,
        after=Outcome.TRUNCATED,
    )
    EMPTY = _OutcomeRow("empty", "The reply is empty.", "#a9b3ba", after=Outcome.EMPTY)
    ONLY_REASONING = _OutcomeRow(
        "only_reasoning", "The judge sent its reasoning but no reply.", "#5f7fa8", 45, after=Outcome.ONLY_REASONING
    )
    TRANSPORT_ERROR = _OutcomeRow("transport_error", "No reply came.", "#8a4a2b", 135, after=Outcome.TRANSPORT_ERROR)
    SKIPPED = _OutcomeRow("skipped", "Touchstone sent no request to the judge.", "#7d8a94", after=Outcome.SKIPPED)

    @property
    def label(self) -> str:
        """Return its name on pages, in commands and in files.

        >>> ReplyOutcome.OUT_OF_RANGE.label, ReplyOutcome.UNPARSEABLE.label
        ('out of range', 'unparseable')
        """
        return self.value.replace("_", " ")

    @property
    def scored(self) -> bool:
        """Whether there are values."""
        return self is ReplyOutcome.SCORED

    @property
    def words(self) -> str:
        """Return the label of a failure in lists of values. A failure is never one of the judge's values."""
        return f"no score: {self.label}"

    @classmethod
    def of_asking(cls, outcome: Outcome) -> ReplyOutcome:
        """Return the result for a request without a readable answer. The default is ``TRANSPORT_ERROR``."""
        return next((reply_outcome for reply_outcome in cls if reply_outcome.after is outcome), cls.TRANSPORT_ERROR)


@dataclass(frozen=True)
class ReplyReading:
    """A reply as a parser reads it."""

    verdict: ReplyOutcome
    values: Mapping[str, Value] = field(default_factory=dict)
    """Values by the parser's own names; empty unless the verdict is ``SCORED``."""
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Start and end position of each value in the reply; for a failure, the positions of the text that does not fit."""
    why: str = ""
    """For a failure: the problem, as a sentence."""

    @property
    def scored(self) -> bool:
        """Whether it holds values."""
        return self.verdict is ReplyOutcome.SCORED


COMPARED: Final = "compared"
"""The sample of a judge that compares answers: the pairs that people compare."""
Chosen = Literal["all", "graded", "stratified", "compared"]
"""The answers to judge: all, those that people graded, a seeded sample from each dimension, or compared pairs."""


@dataclass(frozen=True)
class JudgePlan:
    """The settings of a judge's run, apart from its model. They are frozen when the run starts.

    Model, template, parameters and parser together define the judge whose agreement with people is measured.
    """

    NOT_IDENTITY: ClassVar[frozenset[str]] = frozenset(
        {
            *("template", "template_version", "template_text", "parser_version", "fills"),
            *("models", "chosen", "per_dimension", "seed", "dimensions", "items", "limit", "samples", "batch"),
        }
    )
    """Settings that do not identify the judge: the choice of answers, the size of pieces and the timing. The
    template's hash stands for its text and for the placeholders.
    """

    template: str
    """The ID of the template."""
    template_version: int
    template_hash: str
    """The SHA-256 of the template's text, kept with every score."""
    template_text: str
    """The whole template file with its head, so that every worker uses the same text."""
    parser: str
    parser_version: int
    values: tuple[Value, ...]
    """The values that the judge may give."""
    criteria: Mapping[str, str]
    """The schema's criterion for each rated part of the reply, such as ``{"score": "score"}``."""
    fills: Mapping[str, str] = field(default_factory=dict)
    """The item's field, or ``prediction``, for each placeholder with another name."""
    mirror: Mapping[str, Value] = field(default_factory=dict)
    """In a comparison: the value that each value becomes when the two sides are swapped."""
    pictures: bool = False
    """Whether the item's pictures are sent with the text."""
    samples: int = 1
    """The number of separate requests for each answer."""
    baseline: str | None = None
    """In a comparison: the model that every other model is compared with, once in each order."""
    models: tuple[str, ...] | None = None
    """The models whose answers are judged; None means all models."""
    chosen: Chosen = "all"
    per_dimension: int | None = None
    """In a stratified sample: the number of answers from each dimension."""
    seed: int = 0
    """The seed of the sample."""
    dimensions: tuple[str, ...] | None = None
    """The dimensions; None means all of them."""
    items: str | None = None
    """The items that count, a value of ``domain.states.Items``. None means kept items if there are verdicts, otherwise
    all.
    """
    limit: int | None = None
    """The maximum number of answers."""
    attacks: bool = False
    """Whether to judge attack answers instead of models' answers. Attack answers try to talk the judge into a score;
    every item gets one of each kind.
    """
    batch: bool = False
    """True if questions are sent as batch files, which are submitted and fetched later."""

    def reworded(self, said: Callable[[str, Any], tuple[str, Any]]) -> JudgePlan:
        """Return the plan with current names; ``said`` maps a criterion and its value to their current names."""

        def now(value: Any) -> Any:
            return next((new for name in rated if (new := said(name, value)[1]) != value), value)

        rated = tuple(self.criteria.values())
        return replace(
            self,
            criteria={part: said(name, None)[0] for part, name in self.criteria.items()},
            values=tuple(dict.fromkeys(map(now, self.values))),
            mirror={str(now(value)): now(other) for value, other in self.mirror.items()},
        )

    def straight(self, value: Value, *, swapped: bool) -> Value:
        """Return the value for the answers in their own order, even if the judge saw them swapped."""
        return self.mirror.get(str(value), value) if swapped else value

    @property
    def swap(self) -> bool:
        """Whether the judge compares two answers. Every pair is then judged twice, the second time with the sides
        swapped.
        """
        return self.baseline is not None or self.chosen == COMPARED

    def dump(self) -> dict[str, Any]:
        """Return all settings as JSON values."""
        dumped: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return dumped

    @classmethod
    def of(cls, dumped: Mapping[str, Any]) -> JudgePlan:
        """Return the plan that ``dump`` stored; missing settings get their defaults."""
        known = {field.name for field in fields(cls)}
        given = {name: value for name, value in dumped.items() if name in known}
        for name in ("values", "models", "dimensions"):
            if given.get(name) is not None:
                given[name] = tuple(given[name])
        return cls(**given)


@dataclass(frozen=True)
class ReplyFilter:
    """A filter for replies of a run; None means no restriction."""

    verdicts: Sequence[ReplyOutcome] | None = None
    """The verdicts to find, in any criterion."""
    criterion: str | None = None
    """The only criterion to search for the verdicts."""
    dimension: str | None = None
    model: str | None = None
    attack: str | None = None
    unit_ids: Sequence[int] | None = None
    before: int | None = None
    """The ID of an attempt; only older attempts match."""


Plan = RunPlan | JudgePlan
"""The settings of a run of any kind."""
