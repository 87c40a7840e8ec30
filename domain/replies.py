"""Counts of a judge's replies: the scored ones, the failures by reason, and the bounds that failures leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.english import with_noun

NO_SCORE = "no score: "
"""The prefix of failures in lists of values (``ReplyOutcome.words``)."""
WARNING = "Warning: "
"""The prefix of a warning about losses, by which pages distinguish it from a note."""
MOST_VALUES = 12
"""The maximum number of values for which shares are listed."""


@dataclass(frozen=True)
class Bounds:
    """A mean or a share over the scored replies, and its bounds over all possible scores of the other replies."""

    what: str
    """"mean", or "share of yes"."""
    value: float | None
    """The mean or share; None if no reply was scored."""
    lowest: float
    """The value if every other reply had the lowest score."""
    highest: float

    @property
    def sure(self) -> bool:
        """Whether all replies were scored, so that the bounds coincide."""
        return self.value is not None and self.lowest == self.highest


@dataclass(frozen=True)
class Replies:
    """Counts of a judge's replies on one criterion, in total or in one dimension."""

    judge: str
    criterion: str
    dimension: str | None
    asked: int
    scored: int
    with_people: int
    """The number of judged units that people rated too."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """The number of failures by reason, the most frequent first."""
    bounds: tuple[Bounds, ...] = ()

    @property
    def words(self) -> str:
        """Return the counts in one sentence.

        >>> Replies("gpt", "score", None, 20, 17, 20, {"truncated": 2, "refused": 1}).words
        '17 of 20 scored; 2 truncated, 1 refused'
        """
        rest = ", ".join(f"{n:,} {why}" for why, n in self.failures.items())
        return f"{self.scored:,} of {self.asked:,} scored{'; ' if rest else ''}{rest}"


def reason_of(value: Any) -> str:
    """Return the reason from the value of a failure: ``truncated`` from ``no score: truncated``."""
    return str(value).removeprefix(NO_SCORE)


def counted_reasons(reasons: Mapping[str, int]) -> str:
    """Return counts with their reasons, the most frequent first.

    >>> counted_reasons({"refused": 2, "the model sent an empty answer": 1})
    '2 (refused), 1 (the model sent an empty answer)'
    """
    return ", ".join(f"{n:,} ({why})" for why, n in sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])))


def replies_of(
    judge: str,
    criterion: str,
    dimension: str | None,
    *,
    values: Mapping[str, Any],
    failed: Mapping[str, str],
    people: Collection[str] = (),
    scale: Sequence[Any] = (),
) -> Replies:
    """Return the counts of a judge's replies.

    ``values`` and ``failed`` (reasons) are keyed by unit; ``people`` are the units that people rated. ``scale`` lists
    the possible values. With numbers, the mean gets bounds; with a few names, the share of each name does. A unit
    with a value counts as scored, even if it is in ``failed`` too.

    >>> found = replies_of("gpt", "score", None, values={"a": 1, "b": 0.5}, failed={"c": "empty"}, scale=[0, 0.5, 1])
    >>> [(round(each.lowest, 3), each.value, round(each.highest, 3)) for each in found.bounds]
    [(0.5, 0.75, 0.833)]
    """
    lost = {unit: why for unit, why in failed.items() if unit not in values}
    asked = [*values, *lost]
    reasons = sorted(Counter(lost.values()).items(), key=lambda each: (-each[1], each[0]))
    return Replies(
        judge,
        criterion,
        dimension,
        len(asked),
        len(values),
        sum(unit in people for unit in asked) if people else 0,
        dict(reasons),
        tuple(_bounds(list(values.values()), len(lost), scale)),
    )


def _bounds(values: Sequence[Any], rest: int, scale: Sequence[Any]) -> list[Bounds]:
    n = len(values) + rest
    if not n or not scale:
        return []
    if all(_is_number(number) for number in (*scale, *values)):
        if len(scale) < 2 and rest:
            return []
        total = float(sum(values))
        return [
            Bounds(
                "mean",
                total / len(values) if values else None,
                (total + rest * float(min(scale))) / n,
                (total + rest * float(max(scale))) / n,
            )
        ]
    if len(scale) > MOST_VALUES:
        return []
    counted = Counter(map(str, values))
    return [
        Bounds(
            f"share of {label}",
            counted[label] / len(values) if values else None,
            counted[label] / n,
            (counted[label] + rest) / n,
        )
        for label in map(str, scale)
    ]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# ---- attacks --------------------------------------------------------------------------------------------------------

CONTROL = "plain"
"""The answer without an attack. The judge's score for it is the baseline for the attacks."""


@dataclass(frozen=True)
class AttackResult:
    """The result of a judge's reply about one attack answer."""

    judge: str
    criterion: str
    kind: str
    """The kind of attack."""
    item: str
    fell: bool | None
    """Whether the score was above the lowest value; None if there is no score."""
    failure: str | None = None
    """The reason for a missing score."""


# ---- what a judge is ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JudgeAbout:
    """The identity of a judge whose ratings are measured. Agreement holds for exactly this judge."""

    judge: str
    model: str
    """The model's name at the endpoint, or its folder; for imported ratings, the name in the file."""
    spec_hash: str | None
    """The SHA-256 of the model's description; None if there is no description."""
    template: str | None
    template_version: int | None
    template_hash: str | None
    parser: str | None
    parser_version: int | None
    """The newest version that read its replies."""
    asked_at: str | None
    """The day on which the run began; for several runs, the first and the last day."""
    state: str
    """The state of the run."""
    wanted: int
    """The number of questions in the run, including repeats and both orders."""
    done: int
    attempts: int
    failed_attempts: int
    """Attempts without a reply."""
    cost: float | None
    """The cost of all attempts with a known cost; None if no cost is known."""
    without_cost: int
    currency: str | None
    runs: int = 1
    """The number of runs of this judge."""
    repeated: int = 0
    """Replies that do not count, because a later run of the same judge scored the same question again."""

    def told(self) -> list[tuple[str, str | int | None]]:
        """Return all facts by name, for a table or a card; None for unknown facts."""
        template = None if self.template is None else f"{self.template}, version {self.template_version}"
        parser = None if self.parser is None else f"{self.parser}, version {self.parser_version}"
        cost = "not known" if self.cost is None else f"{self.cost:.4f} {self.currency or ''}".strip()
        if self.cost is not None and self.without_cost:
            cost += f", plus {with_noun(self.without_cost, 'request')} with unknown cost"
        return [
            ("model", self.model),
            ("description, SHA-256", self.spec_hash),
            ("template", template),
            ("template, SHA-256", self.template_hash),
            ("parser", parser),
            ("asked on", self.asked_at),
            (
                "run" if self.runs == 1 else f"{self.runs} runs",
                f"{self.state}, {self.done:,} of {with_noun(self.wanted, 'question')} asked",
            ),
            (
                "asked about again",
                f"{self.repeated:,} (only the newest score counts)" if self.repeated else None,
            ),
            ("attempts", self.attempts),
            ("attempts without a reply", self.failed_attempts),
            ("cost", cost),
        ]
