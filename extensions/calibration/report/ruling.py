"""The verdict: derived from the limits of intervals under a rule, and never from a point estimate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agreement.losses import MOST_LOST, Losses
from domain.english import with_noun
from domain.errors import RatingsError
from extensions.calibration.report.judging import ceiling_of, constant_of, human_table, numbers_or_codes, said_always
from extensions.calibration.report.losses import Where, losses_by_part, slices_at_bounds, warning_of
from extensions.calibration.report.people import main_statistic
from extensions.calibration.report.ruling_biases import biases_of, copies_of
from extensions.calibration.report.rulings import Ruling, Rulings, Verdict
from extensions.calibration.report.study import Slice, Study
from extensions.calibration.statistics.alternative import alternative_test
from extensions.calibration.statistics.bias_sentences import BIAS_STARTS, RULED_OUT
from extensions.calibration.statistics.several_verdicts import correct_together
from extensions.calibration.statistics.small_sample import lower_limit_of
from extensions.calibration.statistics.verdict import JudgeVerdict, Outcome, Rule, judge_verdict
from extensions.calibration.statistics.verdict_losses import UNREAD, LossBound, fills_for, hold_at_bounds
from extensions.calibration.statistics.worst_question import with_split_question
from reports.content import Figure, ReportTable, Section
from reports.words import figure_in_words, first_parts

OUTCOMES: dict[Outcome, tuple[Verdict, str]] = {
    "usable as replacement": ("replace", "Can replace a person"),
    "usable except to rank": ("limited", "Can replace a person, but not to rank models"),
    "usable with correction": ("correct", "Usable with correction by people"),
    "not usable": ("no", "Not usable"),
    "people agree too little": ("people", "People agree too little to test a judge"),
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
"""The parts of a rule, by their names in the command."""


def rule_from_text(text: str) -> Rule:
    """Return the rule in a text such as ``margin=0.1,units=50``. Other parts keep their defaults.

    >>> rule_from_text("margin=0.1, people=2").margin
    0.1
    """
    rule = Rule()
    for entry in text.split(","):
        name, sign, value = (part.strip() for part in entry.partition("="))
        if not sign or name not in NAMES:
            raise RatingsError(
                f"--rule {entry.strip()!r} does not have the form NAME=NUMBER. NAME must be one of {', '.join(NAMES)}."
            )
        kind = type(getattr(rule, NAMES[name]))
        try:
            number = {"yes": True, "no": False}[value] if kind is bool else kind(value)
        except (KeyError, ValueError):
            wanted = "yes or no" if kind is bool else "a number"
            raise RatingsError(f"--rule {name} is {value!r}. Give {wanted}.") from None
        rule = replace(rule, **{NAMES[name]: number})
    return rule


def rule_of(values: Mapping[str, float | bool | None]) -> Rule:
    """Return the rule with these parts, by their names in the command. None or absent parts keep their defaults.

    >>> rule_of({"margin": 0.1, "people": None}) == rule_from_text("margin=0.1")
    True
    """
    return Rule(**{NAMES[name]: value for name, value in values.items() if value is not None})  # type: ignore[arg-type]


def rule_in_sentences(rule: Rule) -> tuple[str, ...]:
    """Return the rule in sentences."""
    least = f"{rule.least_association:g}"
    base = ", and agrees with people more often than a constant judge" if rule.beat_constant else ""
    test = f", and passes the alternative annotator test at epsilon {rule.epsilon:g}" if rule.alternative_test else ""
    return (
        (
            f"A verdict needs {rule.least_units} units that the judge and people share, {rule.least_people} "
            "people, and enough agreement among people. The lower limit of Krippendorff's alpha must be "
            f"above {rule.least_reliability:g}."
        ),
        f"Can replace a person: the judge is at most {rule.margin:g} below a person (lower limit of the difference)"
        f"{base}{test}.",
        "Usable with correction: the judge cannot replace a person, but the judge's agreement with people is above "
        f"{least} (lower limit). The judge's scores then help to estimate people's scores, together with a sample "
        "that people grade.",
        f"Not usable: the judge's agreement with people is below {least} (upper limit), or the judge always gives the "
        "same value.",
        f"People agree too little: their agreement is below {rule.least_reliability:g} (upper limit). In all other "
        "cases, there is not enough data.",
        (
            "A judge with a blocking bias can be usable with correction at best. A significant bias is "
            "blocking if it is at least 5 of 100 points, or if it changes the order of two models. Leniency "
            "is also blocking if the data do not rule out 5 points."
        ),
        (
            "A smaller significant bias forbids rankings if the bias is at least as large as the distance to "
            "the next model. A bias also forbids rankings if the data do not rule out 5 points."
        ),
        RULED_OUT,
        (
            f"The weakest verdict counts if more than {MOST_LOST:.0%} of replies are unread, or if losses "
            "depend on the model, the dimension or people's grade. To find this verdict, Touchstone computes "
            "several verdicts. In these verdicts, unread replies get the lowest value, the highest value, or "
            "the value farthest from people's values."
        ),
        "All other limits come from 95 % intervals, clustered by question if the questions are known. Lower limits "
        "include one worst-case question. Holm's method corrects for several verdicts, separately for criteria and "
        "for dimensions.",
    )


def verdicts(study: Study, rule: Rule, when: str) -> Section:
    """Return section 0. ``when`` says whether the rule was set before the first reply."""
    groups = copies_of(study)
    rulings = rulings_of(study, rule, groups)
    rulings += tuple(
        Ruling(
            failure.judge,
            failure.criterion,
            None,
            "open",
            "Not enough data",
            (f"The judge has scored no unit: {failure.words}.",),
        )
        for failure in study.scoreless
        if failure.judge in study.judges
    )
    whole = [ruling for ruling in rulings if ruling.dimension is None]
    clauses = first_parts([_in_a_sentence(study, ruling) for ruling in whole])
    parts = tuple(
        (
            *(
                ruling.criterion,
                ruling.dimension or "all",
                ruling.judge,
                ruling.words,
                ruling.questions,
                ruling.answers or None,
            ),
            " ".join(ruling.why),
        )
        for ruling in rulings
    )
    columns = ("criterion", "dimension", "judge", "verdict", "questions", "answers", "why")
    blocks = (
        Rulings(rule_in_sentences(rule), tuple(whole), when),
        ReportTable("verdicts", "All verdicts", columns, parts),
    )
    return Section(0, "verdict", "Verdict", f"{clauses}.", blocks)


def _in_a_sentence(study: Study, each: Ruling) -> str:
    """Return the verdict in words, its difference from people, and the unread replies and the bias that limit it."""
    sentence = each.sentence.rstrip(".")
    words = f"{' = '.join((each.judge, *each.copies))} on {each.criterion}: {sentence[:1].lower()}{sentence[1:]}"
    part = next((part for part in study.slices if part.dimension is None and part.criterion == each.criterion), None)
    if part is None or each.judge not in part.judges or len(part.humans) < 2:
        return words
    gap = Figure.of(ceiling_of(part, each.judge).difference)
    return (
        f"{words}. Agreement, judge minus people: {figure_in_words(gap, 3)} on {with_noun(gap.n_units, 'unit')}"
        if gap.defined
        else words
    )


def rulings_of(study: Study, rule: Rule, groups: Mapping[str, Sequence[tuple[str, ...]]]) -> tuple[Ruling, ...]:
    """Return the verdicts on all judges, criteria and dimensions, corrected for their number.

    Near-copies share one verdict.
    """
    where: list[tuple[Slice, tuple[str, ...]]] = []
    for part in study.slices:
        for group in groups.get(part.criterion) or [(judge,) for judge in part.judges]:
            there = [judge for judge in group if judge in part.judges]
            there.sort(key=lambda judge: judge not in study.families)  # prefer a copy whose family can be tested
            if there:
                where.append((part, tuple(there)))
    losses = losses_by_part(study)
    judged = [_whatever_was_lost(study, part, group, rule, losses) for part, group in where]
    whole = [at for at, (part, _) in enumerate(where) if part.dimension is None]
    parts = [at for at, (part, _) in enumerate(where) if part.dimension is not None]
    for places, what in ((whole, "verdicts on whole criteria"), (parts, "verdicts on dimensions")):
        for at, corrected in zip(places, correct_together([judged[at] for at in places], what), strict=True):
            judged[at] = corrected
    return tuple(_ruling(study, part, group, verdict) for (part, group), verdict in zip(where, judged, strict=True))


def _whatever_was_lost(
    study: Study, part: Slice, group: tuple[str, ...], rule: Rule, losses: Mapping[Where, Losses]
) -> JudgeVerdict:
    """Return the verdict that holds for all possible values of the unread replies of a judge and its copies."""
    verdict = verdict_of(study, part, group[0], rule)
    for judge in group:
        lost = warning_of(losses, part, judge)
        if lost is None:
            continue
        if judge != group[0]:
            lost = replace(lost, unit=f"replies of {judge}")
        bounds = [
            LossBound(fill, verdict_of(study, filled, judge, rule), ceiling_of(filled, judge).difference)
            for fill, filled in slices_at_bounds(part, judge, fills_for(verdict.outcome))
        ]
        verdict = hold_at_bounds(verdict, bounds, lost, ceiling_of(part, judge).difference)
    return verdict


def verdict_of(study: Study, part: Slice, judge: str, rule: Rule) -> JudgeVerdict:
    """Return the verdict on the readable replies, not yet corrected for the number of verdicts."""
    _, statistic = main_statistic(part)
    ceiling = ceiling_of(part, judge)
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
                clusters=part.table.clusters,
            )
            for column in (numbers_or_codes(part, judge), constant.column)
        )
    if part.people_alpha is None:
        part.people_alpha = (statistic(part.people), statistic(with_split_question(part.people)))
    people, with_one = part.people_alpha
    _, questions = part.shared(judge)
    return judge_verdict(
        people=people,
        ceiling=ceiling,
        association=ceiling.judge,
        alternative=test,
        rule=rule,
        dimension=part.dimension,
        humans=part.humans,
        machines=tuple(study.machines),
        held_out=not study.tuned,
        constant=constant,
        constant_says=said_always(part, constant),
        constant_test=constant_test,
        biases=biases_of(study, part, judge),
        people_low=lower_limit_of(with_one, df=max(1, len(set(part.people.clusters or part.people.units)))),
        n_clusters=questions,
    )


def _ruling(study: Study, part: Slice, group: tuple[str, ...], verdict: JudgeVerdict) -> Ruling:
    judge, *copies = group
    why = list(verdict.reasons)
    if copies:
        one = " and ".join(copies)
        give = "give" if len(copies) > 1 else "gives"
        why.insert(
            1,
            f"{one} {give} nearly the same replies with the same errors as this judge, so all of these judges count "
            "as one judge.",
        )
    if part.failed.get(judge):
        reply = study.reply(part, judge)
        lost = f" ({reply.words})" if reply else ""
        replies = with_noun(len(part.failed[judge]), "reply", "replies")
        why.append(f"The verdict excludes {replies} without a score{lost}.")
    kind, words = OUTCOMES[verdict.outcome]
    answers, questions = part.shared(judge)
    return Ruling(
        *(judge, part.criterion, part.dimension, kind, words),
        tuple(map(_with_minus, why)),
        answers,
        questions,
        tuple(copies),
        next((_with_minus(reason) for reason in why if reason.startswith(BIAS_STARTS)), ""),
        next((_with_minus(reason) for reason in why if reason.startswith(UNREAD)), ""),
    )


def _with_minus(sentence: str) -> str:
    return re.sub(r"(?<=[ (\[])-(?=[0-9])", "\N{MINUS SIGN}", sentence)
