"""Section 4: whether a judge could replace one of the people."""

from __future__ import annotations

from domain.english import with_noun
from extensions.calibration.report.charts import LineChart, Point
from extensions.calibration.report.judging import constant_of, human_table, numbers_or_codes, said_always
from extensions.calibration.report.study import Slice, Study
from extensions.calibration.statistics.alternative import AlternativeTest, alternative_test, winning_rates
from reports.content import Block, Cell, Figure, ReportTable, Section
from reports.words import count, first_parts, nothing, p_value

EPSILON, OMEGA, RHO = "\N{GREEK SMALL LETTER EPSILON}", "\N{GREEK SMALL LETTER OMEGA}", "\N{GREEK SMALL LETTER RHO}"


def alternative(study: Study, epsilon: float) -> Section:
    """Return section 4."""
    title = "Could the judge replace a person?"
    if len(study.humans) < 3:
        return nothing(
            4,
            "alternative",
            title,
            f"The alternative annotator test needs at least three people, but you named {len(study.humans)}. Name "
            "more people, because the test compares each person with at least two other people.",
        )
    rows: list[tuple[Cell, ...]] = []
    people: list[tuple[Cell, ...]] = []
    lines: dict[str, tuple[Point, ...]] = {}
    clauses: list[str] = []
    for part in study.slices:
        score = "neg_rmse" if part.numeric else "accuracy"
        for judge in part.judges:
            table, mine = human_table(part), numbers_or_codes(part, judge)
            test = alternative_test(table, mine, raters=part.humans, score=score, epsilon=epsilon)  # type: ignore[arg-type]
            rows.append((*part.where, judge, f"winning rate {OMEGA}", Figure.of(test.winning_rate)))
            rows.append((*part.where, judge, f"advantage {RHO}", Figure.of(test.advantage_probability)))
            people += _of_people(part, judge, test)
            constant = constant_of(part, judge)
            always = alternative_test(table, constant.column, raters=part.humans, score=score, epsilon=epsilon)  # type: ignore[arg-type]
            said_ = said_always(part, constant)
            what = f"winning rate {OMEGA} of a judge that always gives {said_}"
            rows.append((*part.where, judge, what, Figure.of(always.winning_rate)))
            if part.dimension is None:
                rates = winning_rates(table, mine, raters=part.humans, score=score)  # type: ignore[arg-type]
                points = tuple(Point(margin, rate.value) for margin, rate in rates if rate.defined)
                if points:
                    lines[judge if len(study.slices) == 1 else f"{judge} · {part.criterion}"] = points
                clauses.append(_in_words(part, judge, test, always, said_))
    blocks: list[Block] = []
    if lines:
        blocks.append(
            LineChart(
                "epsilon",
                f"Winning rate by {EPSILON}",
                f"{EPSILON}: how much worse the judge may be, because the judge costs less",
                f"winning rate {OMEGA}",
                tuple(lines.items()),
            )
        )
    possible = ", ".join(f"{at / len(study.humans):.2f}" for at in range(len(study.humans) + 1))
    blocks += [
        ReportTable(
            "alternative",
            "Alternative annotator test",
            ("criterion", "dimension", "judge", "what", "value"),
            tuple(rows),
            note=f"The judge passes if {OMEGA} is at least 0.5. With {count(len(study.humans), 'person', 'people')}, "
            f"{OMEGA} is one of {possible} and has no interval. {RHO} is the mean share of units on which the judge is "
            "at least as close to the other people as a person is.",
        ),
        ReportTable(
            "alternative_people",
            "Person by person",
            (
                "criterion",
                "dimension",
                "judge",
                "person",
                "judge at least as close",
                "person at least as close",
                "p",
                "may replace",
            ),
            tuple(people),
            note="The first share counts units on which the judge is at least as close to the other people as the "
            "person is. The second share counts units on which the person is at least as close. Ties count in "
            "both shares. One-sided t test, Benjamini-Yekutieli at 0.05.",
        ),
    ]
    lead = f"Alternative annotator test at {EPSILON} = {epsilon:g}: {first_parts(clauses)}."
    return Section(4, "alternative", title, lead, tuple(blocks))


def _in_words(part: Slice, judge: str, found: AlternativeTest, always: AlternativeTest, constant: str) -> str:
    """Return whether a judge passes, and whether a constant judge does."""
    if not found.winning_rate.defined:
        return f"{judge} cannot be tested ({part.criterion}): {found.winning_rate.reason}"
    replaced = round(found.winning_rate.value * len(found.people))
    verdict = "passes" if found.passed else "does not pass"
    as_well = ""
    if always.winning_rate.defined:
        n_always = sum(person.rejected for person in always.people)
        passes = "passes" if always.passed else "does not pass"
        as_well = f"; a judge that always says {constant} {passes} ({n_always} of {len(always.people)})"
    units = with_noun(found.winning_rate.n_units, "unit")
    return f"{judge} {verdict} ({replaced} of {len(found.people)} people, {part.criterion}, {units}){as_well}"


def _of_people(part: Slice, judge: str, found: AlternativeTest) -> list[tuple[Cell, ...]]:
    return [
        (
            *part.where,
            judge,
            person.rater,
            Figure.of(person.advantage, share=True),
            person.person_advantage,
            p_value(person.test.p_value) if person.test else None,
            "yes" if person.rejected else "no" if person.test else "not tested",
        )
        for person in found.people
    ]
