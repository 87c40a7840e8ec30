"""Cost, progress and gaps of the planned sample of grading, for leads and next to results."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotation_schemas import grading_sample
from db.engine import Session, Store
from domain.english import with_noun
from domain.errors import ConflictError
from domain.records import Person
from domain.states import Items, Stage
from workflow.access.counted_items import Counting, counting
from workflow.access.projects import Access, require_lead
from workflow.annotate.grading_sample import Frame, SamplePlace, frame, is_open, plan_of, planned

MOST_NAMED = 5
"""Maximum number of items named in a sentence."""


@dataclass(frozen=True)
class StratumCounts:
    """A model's part of a stratum; all counts are of answers."""

    strata: tuple[str, ...]
    """One value for each stratum of the sample except the model."""
    model: str
    there: int
    """Number in the frame."""
    drawn: int
    """Number in the sample, the sum of the following counts."""
    graded: int
    """Number graded by as many people as required."""
    begun: int
    untouched: int
    closed: int
    """Number that can be opened now."""
    unanswered: int
    """Number without the model's answer yet."""
    undecided: int
    """Number without a verdict about their item yet."""


COUNTS: Mapping[str, str] = {
    "there": "could be drawn",
    "drawn": "in the sample",
    "graded": "graded",
    "begun": "begun",
    "untouched": "untouched",
    "closed": "can be opened",
    "unanswered": "no answer yet",
    "undecided": "no verdict yet",
}
"""Title of each count."""
_ALWAYS = ("there", "drawn")
_ONCE_OPEN = ("graded", "begun", "untouched")
"""Counts shown once the sample is open; the other counts are shown if they are not zero."""


@dataclass(frozen=True)
class SampleProgress:
    """A planned sample with its cost and progress."""

    planned: int | None
    """Number of answers drawn; None means the whole frame."""
    opened: bool
    """Whether a lead has opened it."""
    raters: int
    seed: int
    strata: Sequence[str]
    """Strata over which the draw is even, including the model."""
    lines: Sequence[StratumCounts]
    """Counts by stratum, then by model."""
    missing_slots: int
    """Number of slots that would open now."""
    troubles: Sequence[str] = ()
    """Sentences on parts of the plan that match nothing in the project."""
    remarks: Sequence[str] = ()
    """Sentences with further remarks on the frame."""

    @property
    def others(self) -> list[str]:
        """Strata without the model: the keys for the values of ``StratumCounts.strata``."""
        return [name for name in self.strata if name != grading_sample.MODEL]

    @property
    def columns(self) -> dict[str, str]:
        """Counts worth showing now, with their titles."""
        always = (*_ALWAYS, *(_ONCE_OPEN if self.opened else ()))
        return {name: words for name, words in COUNTS.items() if name in always or self.total(name)}

    def total(self, name: str) -> int:
        """Return the sum of a count over all lines."""
        return sum(getattr(line, name) for line in self.lines)

    @property
    def passed_on(self) -> int:
        """Number of answers that the plan may draw."""
        return self.total("there")

    @property
    def drawn(self) -> int:
        """Number of answers drawn."""
        return self.total("drawn")

    @property
    def slots(self) -> int:
        """Cost of the sample: one slot for each answer and person."""
        return self.drawn * self.raters

    @property
    def short(self) -> int:
        """Number of answers that the plan wants but the frame lacks."""
        return max((self.planned or 0) - self.drawn, 0)

    @property
    def done(self) -> bool:
        """Whether every answer in the sample is graded by as many people as required."""
        return self.opened and self.drawn > 0 and self.total("graded") == self.drawn

    @property
    def what(self) -> str:
        """Description of the sample, as the beginning of a sentence."""
        if self.planned is None:
            return f"A planned sample: all {with_noun(self.drawn, 'answer')}"
        return f"A planned sample of {self.drawn:,} of {with_noun(self.passed_on, 'answer')}"

    @property
    def cost(self) -> str:
        """Cost of the sample as a sentence; empty if no answer can be drawn."""
        if not self.drawn:
            return ""
        now = (
            f"; {with_noun(self.missing_slots, 'slot')} can be opened now"
            if self.missing_slots
            else "; no slots can be opened now"
        )
        return f"{with_noun(self.drawn, 'answer')} x {self.people} = {with_noun(self.slots, 'slot')}{now}."

    @property
    def people(self) -> str:
        """Number of people who grade each answer, in words."""
        return with_noun(self.raters, "person", "people")

    @property
    def how(self) -> str:
        """How the sample was drawn, as a sentence; empty if it is the whole frame."""
        if self.planned is None:
            return ""
        over = f"evenly over {', then '.join(self.strata)}" if self.strata else "with equal chances for all answers"
        return f"Drawn {over}, with seed {self.seed}."

    @property
    def sentence(self) -> str:
        """Progress of the sample as a sentence."""
        if not self.passed_on:
            return "A sample is planned, but no answers are available for the sample yet."
        short = (
            f" The sample has {with_noun(self.short, 'fewer answer')} than planned, because no more answers exist."
            if self.short
            else ""
        )
        if not self.opened:
            return f"{self.what}. No answers are open to people yet. A lead can open the sample.{short}"
        if self.done:
            return f"{self.what} is done: {self.people} graded every answer.{short}"
        lots = [("graded", f"graded by {self.people}"), ("begun", "begun"), ("untouched", "untouched")]
        parts = ", ".join(f"{self.total(name):,} {words}" for name, words in lots)
        rest = [
            ("closed", "can be opened now"),
            ("unanswered", "not answered by their model yet"),
            ("undecided", "without a verdict on their item yet"),
        ]
        more = "".join(f" {self.total(name):,} {words}." for name, words in rest if self.total(name))
        return f"{self.what}: {parts}.{more}{short}"


def standing(session: Session, *, access: Access, outputs: int | None = None) -> SampleProgress:
    """Return the state of the planned sample; ``outputs`` previews a larger number of answers."""
    stage, plan = access.schema.stages.grading, plan_of(access)
    assert stage is not None
    assert plan is not None
    there = frame(session, access=access)
    n = planned(session, access=access)
    if n is not None and outputs is not None:
        n = max(n, outputs)
    drawn = there.drawn(n)
    names = grading_sample.strata_of(plan)
    asked = (stage.raters, access.reading.fewest(stage.raters, Stage.GRADING))
    lines = _lines(there, drawn, names, *asked)
    closed = [place.slots for place in drawn if place.slots is not None and _state(place, *asked) == "closed"]
    return SampleProgress(
        n,
        is_open(session, access=access),
        stage.raters,
        there.seed,
        names,
        lines,
        sum(slots.withdrawn for slots in closed),
        _troubles(there),
        [*_remarks(there), *(_uneven(names, lines) if n is not None else ())],
    )


def _state(place: SamplePlace, raters: int, fewest: int) -> str:
    """Return the name of the count that a place of the sample belongs to."""
    slots = place.slots
    if slots is None:
        return "unanswered"
    if slots.is_complete(raters, fewest=fewest):
        return "graded"
    if slots.touched:
        return "begun"
    if not place.counts:
        return "undecided"
    return "untouched" if slots.open else "closed"


def _lines(
    there: Frame, drawn: Sequence[SamplePlace], names: Sequence[str], raters: int, fewest: int
) -> list[StratumCounts]:
    counts: dict[tuple[tuple[str, ...], str], Counter[str]] = defaultdict(Counter)
    others = [at for at, name in enumerate(names) if name != grading_sample.MODEL]

    def line_of(place: SamplePlace) -> Counter[str]:
        return counts[tuple(place.strata[at] for at in others), place.model]

    for place in there.places:
        line_of(place)["there"] += 1
    for place in drawn:
        line_of(place).update(("drawn", _state(place, raters, fewest)))
    return [
        StratumCounts(strata, model, **{name: counts[strata, model][name] for name in COUNTS})
        for strata, model in sorted(counts)
    ]


# ---- mismatches and shortages ----------------------------------------------------------------------------------------


def _troubles(there: Frame) -> list[str]:
    sentences = []
    if there.unknown_models:
        here = ", ".join(there.answering) or "none"
        unknown = ", ".join(there.unknown_models)
        sentences.append(f"The plan names models without answers: {unknown}. Models with answers: {here}.")
    if there.unknown_items:
        sentences.append(f"The plan names unknown items: {_first_names(there.unknown_items)}.")
    if there.ungraded_items:
        sentences.append(
            f"The plan names items in dimensions that people do not grade: {_first_names(there.ungraded_items)}."
        )
    return sentences


def _remarks(there: Frame) -> list[str]:
    sentences = []
    if there.rejected_items:
        sentences.append(f"Verification has rejected these items of the plan: {_first_names(there.rejected_items)}.")
    if there.empty_dimensions:
        sentences.append(f"There are no items to draw in {', '.join(there.empty_dimensions)}.")
    wanted = Counter(place.model for place in there.places)
    missing = Counter(place.model for place in there.places if place.slots is None)
    for model in sorted(set(missing) - set(there.unknown_models)):
        sentences.append(
            f"{model} has not answered {missing[model]:,} of {with_noun(wanted[model], 'item')} that the plan may draw."
        )
    return sentences


def _uneven(strata: Sequence[str], lines: Sequence[StratumCounts]) -> list[str]:
    """Return, for each level, the values that are used up while others have at least two more."""
    others = [name for name in strata if name != grading_sample.MODEL]
    sentences = []
    for name in strata:
        there: Counter[str] = Counter()
        drawn: Counter[str] = Counter()
        for line in lines:
            value = line.model if name == grading_sample.MODEL else line.strata[others.index(name)]
            there[value] += line.there
            drawn[value] += line.drawn
        most = max(drawn.values(), default=0)
        few = [f"{value} ({n:,})" for value, n in there.items() if drawn[value] == n < most - 1]
        if few:
            sentences.append(
                f"The sample has up to {most:,} answers per {name}, but fewer answers exist for {_first_names(few)}."
            )
    return sentences


def _first_names(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


# ---- for other use cases ---------------------------------------------------------------------------------------------


def counting_in_stage(session: Session, *, access: Access, items_: Items | str | None, stage: Stage) -> Counting:
    """Return ``counting``; for grades from a planned sample, with a description of the sample."""
    counted = counting(session, access=access, items_=items_, stage=stage)
    if stage is not Stage.GRADING or plan_of(access) is None:
        return counted
    progress = standing(session, access=access)
    return replace(counted, sample=f"People grade a planned sample. {progress.sentence} {progress.how}".rstrip())


def counting_of_stage(
    store: Store, *, person: Person | None, project: str, items_: Items | str | None, stage: Stage
) -> Counting:
    """Return ``counting_in_stage`` for a lead of the project."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        return counting_in_stage(session, access=access, items_=items_, stage=stage)


def refuse_unknown(found: SampleProgress) -> None:
    """Raise ``ConflictError`` if the plan matches nothing in the project."""
    if found.troubles:
        raise ConflictError(
            f"{' '.join(found.troubles)} Nothing was opened. Import the missing answers or items, or correct the "
            "schema."
        )
    if not found.passed_on:
        raise ConflictError("No answers are available for the plan yet. Import models' answers first.")
