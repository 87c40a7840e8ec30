"""What a judge's reply comes to: a score with the words it was read from, or one of the reasons why there is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, ClassVar, Final, Literal, NamedTuple

from domain.runs import Outcome, RunPlan

Value = str | int | float | bool


class _Came(NamedTuple):
    """A row of ``Verdict``."""

    value: str
    meaning: str
    colour: str
    stripes: int = 0
    after: Outcome | None = None


class Verdict(StrEnum):
    """What a reply comes to, a row each, in the order of bars and lists.

    Only ``SCORED`` holds values; every other row is a failure, and nothing stands for a lowest or a middle value.
    """

    meaning: str
    """As a sentence, for the reference."""
    colour: str
    """In bars, as CSS has it."""
    stripes: int
    """Degrees of the stripes that tell it from a colour like it; 0: it has none."""
    after: Outcome | None
    """What asking came to where it follows from that alone; None: the reply is read."""

    def __new__(cls, *row: Any) -> Verdict:
        came = _Came(*row)
        made = str.__new__(cls, came.value)
        made._value_ = came.value
        made.meaning, made.colour, made.stripes, made.after = came.meaning, came.colour, came.stripes, came.after
        return made

    SCORED = _Came("scored", "A value, with the words that it was read from.", "#1f8a64")
    UNPARSEABLE = _Came("unparseable", "There is no verdict in the form that was asked for.", "#c4622d", 135)
    OUT_OF_RANGE = _Came("out_of_range", "There is a verdict, but not one of the allowed values.", "#d99a2b")
    CONTRADICTORY = _Came(
        "contradictory", "There are two verdicts that differ, and nothing says which one is meant.", "#b5477a", 45
    )
    REFUSED = _Came(
        "refused",
        "The endpoint reports a refusal or a filter, or the judge says that it cannot tell.",
        "#8b6fc0",
        after=Outcome.REFUSED,
    )
    TRUNCATED = _Came(
        "truncated",
        "The reply was cut off at the longest length: the rest is not known.",
        "#8fbf6a",
        45,
        after=Outcome.TRUNCATED,
    )
    EMPTY = _Came("empty", "The reply is empty.", "#a9b3ba", after=Outcome.EMPTY)
    ONLY_REASONING = _Came(
        "only_reasoning", "The judge reasoned and gave no reply.", "#5f7fa8", 45, after=Outcome.ONLY_REASONING
    )
    TRANSPORT_ERROR = _Came("transport_error", "No reply came.", "#8a4a2b", 135, after=Outcome.TRANSPORT_ERROR)
    SKIPPED = _Came("skipped", "It was not asked.", "#7d8a94", after=Outcome.SKIPPED)

    @property
    def label(self) -> str:
        """Return its name on pages, in commands and in files.

        >>> Verdict.OUT_OF_RANGE.label, Verdict.UNPARSEABLE.label
        ('out of range', 'unparseable')
        """
        return self.value.replace("_", " ")

    @property
    def scored(self) -> bool:
        """Whether there are values."""
        return self is Verdict.SCORED

    @property
    def words(self) -> str:
        """What a failure is called among a judge's values, which it never is one of."""
        return f"no score: {self.label}"

    @classmethod
    def of_asking(cls, outcome: Outcome) -> Verdict:
        """What asking without an answer to read comes to; no reply where no row says otherwise."""
        return next((each for each in cls if each.after is outcome), cls.TRANSPORT_ERROR)


@dataclass(frozen=True)
class Reading:
    """A reply as a parser reads it."""

    verdict: Verdict
    values: Mapping[str, Value] = field(default_factory=dict)
    """By the parser's own names; empty unless ``SCORED``."""
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Where in the reply each value stands, from and up to; of a failure, what was found and does not fit."""
    why: str = ""
    """Of a failure: what is wrong, as a sentence."""

    @property
    def scored(self) -> bool:
        """Whether it holds values."""
        return self.verdict is Verdict.SCORED


COMPARED: Final = "compared"
"""The sample of a judge that compares: the pairs of answers that people compare."""
Chosen = Literal["all", "graded", "stratified", "compared"]
"""Which answers are judged: all; those that people have graded; so many of each dimension, drawn by a seed."""


@dataclass(frozen=True)
class JudgePlan:
    """What a run of a judge will do, besides its model: frozen with the run. Model, template, parameters and parser
    together are what agreement with people belongs to."""

    NOT_IDENTITY: ClassVar[frozenset[str]] = frozenset(
        {
            *("template", "template_version", "template_text", "parser_version", "fills"),
            *("models", "chosen", "per_dimension", "seed", "dimensions", "items", "limit", "samples", "batch"),
        }
    )
    """Parts that say about what a judge is asked, in how many pieces and when: they make no other judge of it. The
    template's hash stands for its text, and what fills each placeholder for what was said of some."""

    template: str
    """The template's id."""
    template_version: int
    template_hash: str
    """SHA-256 of its text; it travels with every score."""
    template_text: str
    """The whole file, head and all, so that every worker asks by it."""
    parser: str
    parser_version: int
    values: tuple[Value, ...]
    """What the judge may answer."""
    criteria: Mapping[str, str]
    """Criterion of the schema by the part of the reply that rates it, such as ``{"score": "score"}``."""
    fills: Mapping[str, str] = field(default_factory=dict)
    """Field of the item, or ``prediction``, by the placeholder that it fills, where the names differ."""
    mirror: Mapping[str, Value] = field(default_factory=dict)
    """Of a comparison: what a value says when the places are exchanged."""
    pictures: bool = False
    """The item's pictures come with the text."""
    samples: int = 1
    """So often each answer is judged, in requests of their own."""
    baseline: str | None = None
    """Of a comparison: the model whose answer each is compared with, once in each order."""
    models: tuple[str, ...] | None = None
    """Whose answers are judged; None: everyone's."""
    chosen: Chosen = "all"
    per_dimension: int | None = None
    """Of a stratified sample: so many answers of each dimension."""
    seed: int = 0
    """Of a sample."""
    dimensions: tuple[str, ...] | None = None
    """None: all of them."""
    items: str | None = None
    """Which items count, of ``domain.states.Items``; None: the kept ones as soon as there are verdicts, else all."""
    limit: int | None = None
    """At most this many answers."""
    attacks: bool = False
    """Instead of models' answers, answers that try to talk the judge into a score are judged: one of each kind for
    every item."""
    batch: bool = False
    """Asked through batch files, which are handed in and fetched later."""

    def reworded(self, said: Callable[[str, Any], tuple[str, Any]]) -> JudgePlan:
        """The plan in other words: ``said`` gives a criterion and a value of it as they are called now."""

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
        """What a reply says of the answers in their own order, whichever way they were shown."""
        return self.mirror.get(str(value), value) if swapped else value

    @property
    def swap(self) -> bool:
        """Whether two answers are compared, and so every pair is asked about a second time, with the places
        exchanged."""
        return self.baseline is not None or self.chosen == COMPARED

    def dump(self) -> dict[str, Any]:
        """All of it as JSON values."""
        dumped: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return dumped

    @classmethod
    def of(cls, dumped: Mapping[str, Any]) -> JudgePlan:
        """The plan that ``dump`` made; what it says nothing about has its default."""
        known = {each.name for each in fields(cls)}
        given = {name: value for name, value in dumped.items() if name in known}
        for name in ("values", "models", "dimensions"):
            if given.get(name) is not None:
                given[name] = tuple(given[name])
        return cls(**given)


@dataclass(frozen=True)
class Wanted:
    """Which replies of a run are looked for; None: any."""

    verdicts: Sequence[Verdict] | None = None
    """One of these in some criterion."""
    criterion: str | None = None
    """The verdict is looked for in this one alone."""
    dimension: str | None = None
    model: str | None = None
    attack: str | None = None
    unit_ids: Sequence[int] | None = None
    before: int | None = None
    """Older than this attempt."""


Plan = RunPlan | JudgePlan
"""What a run will do, of whatever kind it is."""
