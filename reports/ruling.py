"""The verdict, from bounds of intervals under a rule that was set beforehand; never from a point estimate."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from agreement.statistic import Statistic
from domain.errors import RatingsError
from reports.content import Figure, Ruling, Rulings, Section, Verdict
from reports.judging import MEASURES, ceiling_of, main_measure
from reports.people import main_statistic
from reports.study import Slice, Study
from reports.words import said, some

WORDS: dict[Verdict, str] = {
    "replace": "May stand in for a person",
    "correct": "Usable, with correction by people",
    "no": "Not usable",
    "open": "Not decided",
}


@dataclass(frozen=True)
class Rule:
    """What decides. Declare it before you look."""

    margin: float = 0.1
    """How far behind a person the judge may be, in the agreement of the scale, and still stand in for one."""
    people: float = 0.4
    """The agreement of the people that is needed for a verdict at all."""
    judge: float = 0.2
    """The agreement with people below which a judge is of no use, even with correction."""
    units: int = 30
    """The units, rated by the judge and by two people, that are needed for a verdict."""
    epsilon: float = 0.2
    """How much better a person may be in the alternative annotator test."""

    def sentences(self) -> tuple[str, ...]:
        """The rule for people."""
        return (
            f"No verdict on fewer than {self.units} units that the judge and at least two people rated, nor where "
            "the lower "
            f"limit of the people's own agreement (Krippendorff's alpha) is below {self.people:g}.",
            f"May stand in for a person: the lower limit of judge minus people, on the same footing, is "
            f"{-self.margin:g} or "
            "higher.".replace("-", "\N{MINUS SIGN}"),
            f"Usable with correction: otherwise, if the lower limit of the judge's agreement with people is above "
            f"{self.judge:g}. "
            "Its scores are then corrected by a sample that people grade.",
            f"Not usable: the upper limit of the judge's agreement with people is {self.judge:g} or lower.",
            "Not decided: everything else; the intervals are too wide, and more grades by people would tell.",
            "All limits are those of 95 % intervals; each verdict stands for itself, without correction for their "
            "number.",
        )


def rule_from_text(text: str) -> Rule:
    """The rule of ``margin=0.05,units=50``; what is not named stays as it is.

    >>> rule_from_text("margin=0.05").margin
    0.05
    """
    rule = Rule()
    kinds = {each.name: type(getattr(rule, each.name)) for each in fields(rule)}
    for entry in text.split(","):
        name, sign, value = (part.strip() for part in entry.partition("="))
        if not sign or name not in kinds:
            raise RatingsError(
                f"--rule {entry.strip()!r} does not read NAME=NUMBER; NAME is one of {', '.join(kinds)}."
            )
        try:
            number = kinds[name](value)
        except ValueError:
            number = -1
        if not 0 <= number <= (1 if kinds[name] is float else 10**9):
            raise RatingsError(f"--rule {name} is {value!r}, which is no number that fits.")
        rule = replace(rule, **{name: number})
    return rule


def verdicts(study: Study, rule: Rule) -> Section:
    """Section 0."""
    rulings = tuple(_ruling(part, judge, rule) for part in study.slices for judge in part.judges)
    whole = [each for each in rulings if each.dimension is None]
    told = some([f"{each.judge} on {each.criterion}: {each.words[:1].lower()}{each.words[1:]}" for each in whole])
    return Section(0, "verdict", "Verdict", f"{told}.", (Rulings(rule.sentences(), rulings),))


def _ruling(part: Slice, judge: str, rule: Rule) -> Ruling:
    verdict, why = decide(part, judge, rule)
    return Ruling(judge, part.criterion, part.dimension, verdict, WORDS[verdict], why)


def decide(part: Slice, judge: str, rule: Rule) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict on a judge, and the sentences that say why."""
    if len(part.humans) < 2:
        return "open", ("Only one person rated: nobody knows how far people agree.",)
    name, statistic = main_statistic(part)
    people = statistic(part.people)
    found = ceiling_of(part, judge)
    measure = MEASURES[main_measure(part)]
    why = [
        f"People among themselves: {said(Figure.of(people))} ({name}, {people.n_units:,} units).",
        f"Judge with a person {said(Figure.of(found.judge))}, person with a person {said(Figure.of(found.people))}; "
        f"difference {said(Figure.of(found.difference))} ({measure}, {found.judge.n_units:,} units).",
    ]
    if part.failed.get(judge):
        why.append(f"{len(part.failed[judge]):,} replies could not be read and are not part of this.")
    for each, words in (
        (people, "people's agreement"),
        (found.judge, "judge's agreement"),
        (found.difference, "difference"),
    ):
        if not _bounded(each):
            return "open", (*why, f"The {words} has no interval: {each.reason}")
    if found.judge.n_units < rule.units:
        return "open", (*why, f"{found.judge.n_units} units are fewer than the {rule.units} that the rule asks for.")
    if people.low < rule.people:
        return "open", (
            *why,
            f"The people's own agreement may be as low as {people.low:.2f}, below the {rule.people:g} that the rule "
            "asks "
            "for: there is no firm ground to judge a judge on. Make the guideline clearer first.",
        )
    if found.difference.low >= -rule.margin:
        return "replace", tuple(why)
    if found.judge.low > rule.judge:
        return "correct", tuple(why)
    if found.judge.high <= rule.judge:
        return "no", tuple(why)
    return "open", (*why, "The interval is too wide to decide; more grades by people would tell.")


def _bounded(each: Statistic) -> bool:
    return each.defined and each.low == each.low and each.high == each.high
