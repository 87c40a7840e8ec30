"""The verdict, from limits of intervals under a rule; never from a point estimate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from agreement.alternative import alternative_test
from agreement.verdict import Outcome, Rule, judge_verdict
from domain.errors import RatingsError
from reports.content import Ruling, Rulings, Section, Table, Verdict
from reports.judging import ceiling_of, constant_of, human_table, numbers_or_codes, said_always
from reports.people import main_statistic
from reports.study import Slice, Study
from reports.words import some

OUTCOMES: dict[Outcome, tuple[Verdict, str]] = {
    "usable as replacement": ("replace", "May stand in for a person"),
    "usable with correction": ("correct", "Usable, with correction by people"),
    "not usable": ("no", "Not usable"),
    "people agree too little": ("people", "People agree too little for any judge to be judged"),
    "not enough data": ("open", "Not enough data"),
}
NAMES = {
    "units": "least_units",
    "people": "least_people",
    "reliability": "least_reliability",
    "margin": "margin",
    "association": "least_association",
    "constant": "beat_constant",
    "test": "alternative_test",
    "epsilon": "epsilon",
}
"""The parts of a rule as the command names them."""


def rule_from_text(text: str) -> Rule:
    """The rule of ``margin=0.1,units=50``; what is not named stays as it is.

    >>> rule_from_text("margin=0.1, people=2").margin
    0.1
    """
    rule = Rule()
    for entry in text.split(","):
        name, sign, value = (part.strip() for part in entry.partition("="))
        if not sign or name not in NAMES:
            raise RatingsError(
                f"--rule {entry.strip()!r} does not read NAME=NUMBER; NAME is one of {', '.join(NAMES)}."
            )
        kind = type(getattr(rule, NAMES[name]))
        try:
            number = {"yes": True, "no": False}[value] if kind is bool else kind(value)
        except (KeyError, ValueError):
            wanted = "yes or no" if kind is bool else "a number"
            raise RatingsError(f"--rule {name} is {value!r}; it takes {wanted}.") from None
        rule = replace(rule, **{NAMES[name]: number})
    return rule


def rule_of(values: Mapping[str, float | bool | None]) -> Rule:
    """The rule with these parts, by the names of the command; what is None or absent stays as it is.

    >>> rule_of({"margin": 0.1, "people": None}) == rule_from_text("margin=0.1")
    True
    """
    return Rule(**{NAMES[name]: value for name, value in values.items() if value is not None})  # type: ignore[arg-type]


def rule_in_sentences(rule: Rule) -> tuple[str, ...]:
    """The rule in sentences."""
    least = f"{rule.least_association:g}"
    base = (
        ", it says what people say surely more often than one that always says the same" if rule.beat_constant else ""
    )
    test = ", and it passes the alternative annotator test" if rule.alternative_test else ""
    return (
        f"A verdict takes {rule.least_units} units that the judge and people share, {rule.least_people} people, and "
        "people "
        f"whose own agreement (Krippendorff's alpha) is above {rule.least_reliability:g}, by its lower limit.",
        f"May stand in for a person: it is at most {rule.margin:g} below a person on the same footing, by the lower "
        "limit of "
        f"the difference{base}{test} (epsilon {rule.epsilon:g}).",
        f"Usable with correction: otherwise, if its agreement with people is above {least}, by its lower limit. Its "
        "scores "
        "then help to estimate people's, together with a sample that people grade.",
        f"Not usable: that agreement is below {least}, by its upper limit, or it always says the same. People agree"
        f" too little: their own agreement is below {rule.least_reliability:g}, by its upper limit. Anything else: not"
        " enough data.",
        "All limits are those of 95 % intervals; each verdict stands for itself, without correction for their number.",
    )


def verdicts(study: Study, rule: Rule, when: str) -> Section:
    """Section 0; ``when`` says whether the rule was set before anyone looked."""
    rulings = tuple(ruling(study, part, judge, rule) for part in study.slices for judge in part.judges)
    rulings += tuple(
        Ruling(each.judge, each.criterion, None, "open", "Not enough data", (f"It has scored nothing: {each.words}.",))
        for each in study.scoreless
        if each.judge in study.judges
    )
    whole = [each for each in rulings if each.dimension is None]
    told = some([f"{each.judge} on {each.criterion}: {each.words[:1].lower()}{each.words[1:]}" for each in whole])
    parts = tuple(
        (each.criterion, each.dimension, each.judge, each.words, " ".join(each.why))
        for each in rulings
        if each.dimension is not None
    )
    columns = ("criterion", "dimension", "judge", "verdict", "why")
    blocks = (
        Rulings(rule_in_sentences(rule), tuple(whole), when),
        Table("verdicts", "The same rule, dimension by dimension", columns, parts),
    )
    return Section(0, "verdict", "Verdict", f"{told}.", blocks)


def ruling(study: Study, part: Slice, judge: str, rule: Rule) -> Ruling:
    """The verdict on a judge in one criterion and dimension, and the sentences that say why."""
    _, statistic = main_statistic(part)
    found = ceiling_of(part, judge)
    constant = constant_of(part, judge)
    test = constant_test = None
    if rule.alternative_test and len(part.humans) > 2:
        test, constant_test = (
            alternative_test(
                human_table(part),
                column,
                raters=part.humans,
                score="neg_rmse" if part.numeric else "accuracy",
                epsilon=rule.epsilon,
            )
            for column in (numbers_or_codes(part, judge), constant.column)
        )
    verdict = judge_verdict(
        people=statistic(part.people),
        ceiling=found,
        association=found.judge,
        alternative=test,
        rule=rule,
        dimension=part.dimension,
        humans=part.humans,
        machines=tuple(study.machines),
        held_out=not study.tuned,
        constant=constant,
        constant_says=said_always(part, constant),
        constant_test=constant_test,
    )
    why = list(verdict.reasons)
    if part.failed.get(judge):
        told = study.reply(part, judge)
        lost = f" ({told.words})" if told else ""
        why.append(f"{len(part.failed[judge]):,} replies hold no score and are not part of this{lost}.")
    kind, words = OUTCOMES[verdict.outcome]
    return Ruling(judge, part.criterion, part.dimension, kind, words, tuple(map(_with_minus, why)))


def _with_minus(sentence: str) -> str:
    return re.sub(r"(?<=[ \[])-(?=[0-9])", "\N{MINUS SIGN}", sentence)
