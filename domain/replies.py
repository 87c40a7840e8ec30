"""What became of everything that a judge was asked: how much was scored, why the rest was not, and what that hides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

NO_SCORE = "no score: "
"""What failures begin with where they stand among values (``Verdict.words``)."""
WARNING = "Warning: "
"""The beginning of a warning about losses, by which pages tell it from a note."""
MOST_VALUES = 12
"""Values beyond which shares are not given one by one."""


@dataclass(frozen=True)
class Bounds:
    """A mean or a share over what was scored, and where it lies whatever the rest would have been."""

    what: str
    """"mean", or "share of yes"."""
    value: float | None
    """None: nothing was scored."""
    lowest: float
    """If everything that was not scored had the lowest value."""
    highest: float

    @property
    def sure(self) -> bool:
        """Whether there is no rest."""
        return self.value is not None and self.lowest == self.highest


@dataclass(frozen=True)
class Replies:
    """What became of a judge's replies on one criterion, whole or in one dimension."""

    judge: str
    criterion: str
    dimension: str | None
    asked: int
    scored: int
    with_people: int
    """How many of those asked about a person has rated."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """How many were not scored, by the reason; the most frequent first."""
    bounds: tuple[Bounds, ...] = ()

    @property
    def words(self) -> str:
        """In one sentence: how much was scored, and why the rest was not.

        >>> Replies("gpt", "score", None, 20, 17, 20, {"truncated": 2, "refused": 1}).words
        '17 of 20 scored; 2 truncated, 1 refused'
        """
        rest = ", ".join(f"{n:,} {why}" for why, n in self.failures.items())
        return f"{self.scored:,} of {self.asked:,} scored{'; ' if rest else ''}{rest}"


def reason_of(value: Any) -> str:
    """The reason in a value that stands for a failure: ``truncated`` of ``no score: truncated``."""
    return str(value).removeprefix(NO_SCORE)


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
    """What became of a judge's replies: ``values`` and ``failed`` (reasons) by unit, ``people`` the units they rated.

    ``scale`` are the values that there are: of numbers the mean has bounds at its ends, of a few names every share has.
    A unit with a value is scored, whatever else was said of it.

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
    if all(_is_number(each) for each in (*scale, *values)):
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
"""The answer that tries nothing: what a judge gives to it is what the others are compared with."""


@dataclass(frozen=True)
class Attacked:
    """What a judge's reply about one attack answer comes to."""

    judge: str
    criterion: str
    kind: str
    """Which of the attack answers."""
    item: str
    fell: bool | None
    """Whether it gave more than the lowest value; None: there is no score."""
    failure: str | None = None
    """Why there is none."""


# ---- what a judge is ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JudgeAbout:
    """What a judge is whose ratings are measured: agreement belongs to exactly this."""

    judge: str
    model: str
    """What the endpoint or the folder is called; of ratings out of a file, that."""
    spec_hash: str | None
    """SHA-256 of the model's description; None: no one gave one."""
    template: str | None
    template_version: int | None
    template_hash: str | None
    parser: str | None
    parser_version: int | None
    """The newest that has read its replies."""
    asked_at: str | None
    """The day on which the run began; of several runs the first and the last one's."""
    state: str
    """Of the run."""
    wanted: int
    """How many questions the run is about, repeats and both orders included."""
    done: int
    attempts: int
    failed_attempts: int
    """That brought no reply."""
    cost: float | None
    """Of the attempts whose cost is known; None: of none."""
    without_cost: int
    currency: str | None
    runs: int = 1
    """How many runs asked it; they are one judge."""
    repeated: int = 0
    """Replies about what a later run of the same judge has a score for too: the newest score counts, and not these."""

    def told(self) -> list[tuple[str, str | int | None]]:
        """All of it by name, for a table or a card; None where no one knows."""
        template = None if self.template is None else f"{self.template}, version {self.template_version}"
        parser = None if self.parser is None else f"{self.parser}, version {self.parser_version}"
        cost = "not known" if self.cost is None else f"{self.cost:.4f} {self.currency or ''}".strip()
        if self.cost is not None and self.without_cost:
            cost += f", and {self.without_cost:,} requests of unknown cost"
        return [
            ("model", self.model),
            ("description, SHA-256", self.spec_hash),
            ("template", template),
            ("template, SHA-256", self.template_hash),
            ("parser", parser),
            ("asked on", self.asked_at),
            (
                "run" if self.runs == 1 else f"{self.runs} runs",
                f"{self.state}, {self.done:,} of {self.wanted:,} questions asked",
            ),
            (
                "asked about again",
                f"{self.repeated:,}: the newest score counts, the others do not" if self.repeated else None,
            ),
            ("attempts", self.attempts),
            ("attempts without a reply", self.failed_attempts),
            ("cost", cost),
        ]
