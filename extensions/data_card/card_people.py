"""The sections of a data card about people and judges: numbers, hours, pay and agreement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from annotation_schemas.model import Schema
from domain.english import with_noun
from domain.replies import WARNING
from extensions.data_card.card_facts import Facts
from extensions.data_card.card_words import NOT_SAID, field_text, sentence, told_of
from reports.content import Block, Cell, Figure, Paragraph, ReportTable, Section

_PAY = re.compile(r"(?:([A-Z]{3})\s*)?(\d+(?:\.\d{1,2})?)(?:\s*([A-Z]{3}))?")
"""An amount with its currency. Any other text is printed unchanged, and no total is computed."""


def people(schema: Schema, facts: Facts, about: Mapping[str, Any]) -> Section:
    """Return the section with the number of people in each stage, their hours and their pay."""
    work = facts["work"]
    rows: list[tuple[Cell, ...]] = [
        (
            schema.stages.title_of(stage_work["stage"]),
            stage_work["people"],
            stage_work["submissions"],
            f"{stage_work['seconds'] / 3600:.2f}" if "seconds" in stage_work else NOT_SAID,
            stage_work.get("untimed"),
        )
        for stage_work in work["stages"]
    ]
    hours = sum(stage_work.get("seconds", 0.0) for stage_work in work["stages"]) / 3600
    beside = work["beside"]
    blocks: list[Block] = []
    if rows:
        heads = ("Stage", "People", "Submissions", "Hours", "Without a time")
        note = (
            "Hours are the recorded time on working pages, including replaced submissions. Hours exclude "
            "submissions without a recorded time, so the real hours are higher."
        )
        blocks.append(ReportTable("people", "People and hours by stage", heads, tuple(rows), note=note))
    if beside["submissions"]:
        blocks.append(
            Paragraph(
                f"Submissions in qualification and gold checks: {beside['submissions']:,}, with "
                f"{beside['seconds'] / 3600:.2f} recorded hours."
            )
        )
    blocks += [Paragraph(_pay(about, hours + beside["seconds"] / 3600)), told_of("Demographics", about, "demographics")]
    n = work["people"]
    lead = (
        "There are no submissions." if not n else f"{n:,} {'person' if n == 1 else 'people'} worked on this data set."
    )
    return Section(0, "people", "People", lead, tuple(blocks))


def _pay(about: Mapping[str, Any], hours: float) -> str:
    """Return the hourly pay, and the total over the recorded hours if the amount can be read."""
    text = field_text(about, "pay")
    pay = _PAY.fullmatch(text)
    currency = (pay[1] or pay[3]) if pay else None
    if pay is None or currency is None or (pay[1] and pay[3]) or not hours:
        return f"Hourly pay: {text}"
    return (
        f"Hourly pay: {text}. Total pay for {hours:.2f} recorded hours, including qualification and gold checks: "
        f"{float(pay[2]) * hours:.2f} {currency}."
    )


def qualification(schema: Schema, facts: Facts) -> Section:
    """Return the section about the qualification that people had to pass."""
    qualifications = facts["qualification"]
    heads = ("Stage", "Items", "Pass mark", "Reviewers", "Tried", "Passed", "Exempt")
    rows = tuple(
        (
            schema.stages.title_of(requirement["stage"]),
            requirement["items"],
            f"{100 * requirement['pass_mark']:g} %",
            requirement["reviewers"],
            requirement["tried"],
            requirement["passed"],
            requirement["exempted"],
        )
        for requirement in qualifications
    )
    if not rows:
        return Section(0, "qualification", "Qualification", "No stage requires a qualification.")
    titles = [schema.stages.title_of(requirement["stage"]) for requirement in qualifications]
    lead = f"People must qualify for {sentence(titles)}."
    return Section(
        0,
        "qualification",
        "Qualification",
        lead,
        (ReportTable("qualification", "Qualification results", heads, rows, "people"),),
    )


def agreement(schema: Schema, facts: Facts) -> Section:
    """Return the section about agreement between people."""
    blocks: list[Block] = []
    for of_stage in facts["agreement"]:
        title = schema.stages.title_of(of_stage["stage"])
        if of_stage.get("why"):
            blocks.append(Paragraph(f"{title}: {of_stage['why']}", "missing"))
        elif not of_stage["people"]:
            blocks.append(Paragraph(f"{title}: there are no ratings from people.", "missing"))
        elif of_stage["people"] == 1:
            blocks.append(
                Paragraph(f"{title}: only one person has rated, so there is no agreement to measure.", "missing")
            )
        else:
            blocks += _table(title, of_stage)
        blocks += _losses(title, of_stage)
    lead = (
        "Each number has a 95 % interval and the number of units. Agreement on votes includes items that were not kept."
        if facts["agreement"]
        else "The protocol has no stage in which several people rate the same units."
    )
    return Section(0, "agreement", "Agreement", lead, tuple(blocks))


def answers(facts: Facts) -> Iterator[Block]:
    """Yield the number of model answers that accuracy left out, if the release records it."""
    yield from _losses("Models' answers against the key", facts.get("answers", {}))


def _losses(title: str, told: Facts) -> Iterator[Block]:
    for words in told.get("losses", ()):
        yield Paragraph(f"{title}: {words}", "warning" if words.startswith(WARNING) else "note")


def _table(title: str, each: Facts) -> Iterator[Block]:
    """Yield the statistics that have a value, then the names of the others.

    If no statistic has a value, all are listed with their reasons.
    """
    lines = [line for line in each["lines"] if line["value"] is not None] or each["lines"]
    heads = ("Criterion", "Statistic", "Under", "Value")
    note = "" if each["people"] == 2 else "To protect people's identities, the table does not show pairs of people."
    yield ReportTable(
        f"agreement_{each['stage']}",
        f"{title}: {with_noun(each['people'], 'person', 'people')}",
        heads,
        tuple(map(_line, lines)),
        note=note,
    )
    others = dict.fromkeys(line["name"] for line in each["lines"] if line not in lines)
    if others:
        yield Paragraph(f"Not defined for these ratings: {', '.join(others)}.", "note")


def _line(line: Facts) -> tuple[Cell, ...]:
    under = [f"guideline {line['guideline']}"] if "guideline" in line else []
    under += [f"schema {line['schema']}"] if "schema" in line else []
    figure = Figure(
        line["value"],
        line["low"],
        line["high"],
        line["method"],
        line["n_units"],
        line["n_left_out"],
        line["n_raters"],
        line["reason"],
    )
    return line["criterion"], line["name"], ", ".join(under), figure


def judges(schema: Schema, facts: Facts) -> Section:
    """Return the section about the judges that rated, and whether each may stand in for people."""
    judge_facts = facts["judges"]
    rows = tuple(
        (
            judge["judge"],
            schema.stages.title_of(judge["stage"]),
            judge["model"],
            judge["template"] or NOT_SAID,
            judge["asked"] or NOT_SAID,
            "; ".join(f"{one['criterion']}: {one['words']}" for one in judge["verdicts"]) or judge["why_none"],
        )
        for judge in judge_facts
        if "judge" in judge
    )
    blocks: list[Block] = []
    if rows:
        heads = ("Judge", "Stage", "Model", "Template", "Asked", "Verdict")
        blocks.append(ReportTable("judges", "Judges", heads, rows))
    blocks += [Paragraph(line) for line in _others(schema, judge_facts)]
    rules = dict.fromkeys(judge["rule"] for judge in judge_facts if judge.get("rule"))
    blocks += [Paragraph(f"{rule}.", "note") for rule in rules]
    lead = (
        "There are no ratings from judges."
        if not judge_facts
        else "These machines gave ratings. Counts of people do not include machines."
    )
    return Section(0, "judges", "Judges", lead, tuple(blocks))


def _others(schema: Schema, found: list[Facts]) -> Iterator[str]:
    for judge in found:
        title = schema.stages.title_of(judge["stage"])
        if "metrics" in judge:
            yield f"Reference metrics in {title}: {sentence(judge['metrics'])}."
        if "from_files" in judge:
            n = judge["from_files"]
            yield (
                f"{title}: the ratings of {n:,} {'rater' if n == 1 else 'raters'} were imported. The project does not "
                f"mark {'this rater as a person' if n == 1 else 'these raters as people'}."
            )
