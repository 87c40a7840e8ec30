"""The parts of one case: the item's fields, each answer with its reading and grades, and failed requests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.expected_answers import NO_KEY
from annotation_schemas.kinds import title_of
from app import markup
from app.running import shown
from app.widgets import field_values
from domain.reading.answers import AnswerKind, ReadOutcome
from domain.reading.spans import in_words
from domain.records import RULES, AnswerReading, ProjectView
from extensions.cases import case_list
from extensions.cases.case_content import Case, CaseAnswer, Grade
from workflow.results.score_choices import iou_in_words

MOST_LETTERS = 110
"""Largest number of letters of an answer in a line."""
MOST_REASON = 160
"""Largest number of letters of a reason in the list."""


def fields(view: ProjectView, told: Case) -> markup.Markup:
    """Return all fields of an item. The key is marked, and options have the letters that models use."""
    item = view.schema.schema_.item
    chosen_from = {field.field for field in item.fields if kinds.of_field(field).answer is AnswerKind.OPTION}
    parts = []
    for field in view.schema.schema_.item.fields:
        value = told.fields.get(field.name)
        if value in (None, "", []):
            continue
        is_key = field.name == told.key
        title = title_of(field) + (" (key)" if is_key else "")
        parts.append(markup.tag("dt", markup.text(title)))
        shown = _lettered(value) if field.name in chosen_from else markup.text(field_values.in_words(value))
        parts.append(markup.tag("dd", shown, style="key" if is_key else ""))
    return markup.tag("dl", *parts, style="ts-fields", data_part="fields")


def _lettered(options: object) -> markup.Markup:
    if not isinstance(options, list) or len(options) > len(ascii_uppercase):
        return markup.text(field_values.in_words(options))
    rows = (
        f"{letter}. {field_values.in_words(option)}" for letter, option in zip(ascii_uppercase, options, strict=False)
    )
    return markup.joined(markup.tag("div", markup.text(row)) for row in rows)


def answer_card(answer: CaseAnswer, *, chosen: bool = False, called: Mapping[str, str] | None = None) -> markup.Markup:
    """Return a model's answer with its reading and grades.

    ``called`` has the names of people with an account, by login.
    """
    style = " ".join(["ts-answer", *(["chosen"] if chosen else []), *([] if answer.latest else ["old"])])
    remarks = [] if answer.latest else ["A later answer replaced this answer."]
    remarks += ["This answer was cut off at the token limit."] if answer.truncated else []
    parts = [
        markup.tag("div", markup.tag("b", markup.text(answer.model)), markup.text(" "), _verdict(answer)),
        marked(answer) if answer.text else markup.tag("div", markup.quiet("(empty)")),
        _read(answer),
        *(markup.tag("div", markup.quiet(remark), style="ts-small") for remark in remarks),
    ]
    people = [grade for grade in answer.grades if grade.person]
    machines = [grade for grade in answer.grades if not grade.person]
    if people:
        parts.append(_grades_line("People", people, _together_in_words(answer.combined), called))
    if machines:
        parts.append(_grades_line("Judges", machines, ""))
    if not answer.grades:
        parts.append(markup.tag("div", markup.quiet("No grades yet."), style="ts-small"))
    if answer.ranked is not None:
        parts.append(markup.tag("div", shown.ranking(answer.ranked, key=answer.key), data_part="options"))
    return markup.tag("div", *parts, style=style, data_model=answer.model)


def short_answer(answer: CaseAnswer) -> markup.Markup:
    """Return an answer for the list of cases: its first words, its scores, and a reason."""
    words = markup.joined([markup.quiet(f"{answer.model}: "), markup.text(shown.opening(answer.text, MOST_LETTERS))])
    scores = [_verdict(answer)] if _verdict(answer) else []
    people = _together_in_words(answer.combined)
    scores += [markup.text(f"People: {people}")] if people else []
    machines = [grade for grade in answer.grades if not grade.person]
    scores += [markup.text(f"{grade.who}: {', '.join(map(_value, grade.values.values()))}") for grade in machines]
    parts = [markup.tag("div", words), markup.tag("div", markup.joined(scores, " · "), style="scores")]
    if why := _why(answer):
        parts.append(markup.tag("div", markup.quiet(why), style="why"))
    return markup.tag("div", *parts, style="ts-given", data_model=answer.model)


def _why(answer: CaseAnswer) -> str:
    """Return the first reason that a judge or a person gave for a grade."""
    noted = [grade for grade in sorted(answer.grades, key=lambda grade: grade.person) if grade.note]
    return shown.opening(f"{noted[0].who}: {noted[0].note}", MOST_REASON) if noted else ""


def _verdict(answer: CaseAnswer) -> markup.Markup:
    """Return whether the answer's reading equals the key, in words."""
    unread = answer.reading is not None and answer.reading.outcome is not ReadOutcome.READ
    if unread and not answer.why:
        return markup.tag("span", markup.text("unreadable"), style="ts-wrong ts-small")
    if math.isnan(answer.right):
        return markup.quiet(answer.why) if answer.why and answer.why != NO_KEY else markup.text("")
    words = "right" if answer.right else "wrong"
    if answer.reading is not None and answer.reading.kind is AnswerKind.SPANS:
        words = f"IoU {iou_in_words(answer.right)} with the key"
    style = "ts-wrong ts-small" if answer.right < case_list.HALF_RIGHT else "ts-right ts-small"
    return markup.tag("span", markup.text(words), style=style)


def marked(answer: CaseAnswer) -> markup.Markup:
    """Return the answer, with the words marked that its reading is based on."""
    read = answer.reading
    text = answer.text
    if read is None or read.kind is AnswerKind.TEXT or not read.spans:
        return shown.text_block(text)
    style = "ts-mark" if read.outcome is ReadOutcome.READ else "ts-mark bad"
    parts: list[markup.Markup] = []
    spans = sorted((start, end) for start, end in read.spans if 0 <= start < end <= len(text))
    last = min(len(text), max(shown.LONGEST_TEXT, *(end + 1000 for _, end in spans))) if spans else shown.LONGEST_TEXT
    at = 0
    for start, end in spans:
        if start < at:
            continue
        parts.append(markup.text(shown.tame(text[at:start])))
        parts.append(markup.tag("mark", markup.text(shown.tame(text[start:end])), style=style, title=read_as(read)))
        at = end
    parts.append(markup.text(shown.tame(text[at:last])))
    if last < len(text):
        parts.append(markup.quiet(f"\n… {len(text) - last:,} more characters are in the download"))
    return markup.tag("div", *parts, style="ts ts-said", dir="auto", data_part="said")


def read_as(read: AnswerReading) -> str:
    """Return an answer's reading in words."""
    if read.outcome is not ReadOutcome.READ:
        return read.outcome.words
    letters = "".join(f"{ascii_uppercase[at]}. " for at in read.places[:1] if at < len(ascii_uppercase))
    if read.kind is AnswerKind.SPANS:
        return in_words(read.value)
    if isinstance(read.value, list | tuple):
        return "; ".join(map(str, read.value))
    value = f"{read.value:g}" if isinstance(read.value, float) else str(read.value)
    return f"{letters}{value}" if read.kind is AnswerKind.OPTION else value


def _read(answer: CaseAnswer) -> markup.Markup:
    """Return the reading and the rule that read it, or the reason why there is no reading."""
    read = answer.reading
    if read is None or (read.kind is AnswerKind.TEXT and read.outcome is ReadOutcome.READ):
        return markup.text("")
    by = f"rule {read.rule}" if read.reader == RULES else f"{read.reader}"
    why = read.why or by if read.outcome is not ReadOutcome.READ else f"{by}, version {read.version}"
    return markup.tag(
        "div",
        markup.text("Read as " if read.outcome is ReadOutcome.READ else "Not read: "),
        markup.tag("b", markup.text(shown.opening(read_as(read), MOST_LETTERS))),
        markup.quiet(f" ({why})"),
        style="ts-small",
        data_part="read",
    )


def _together_in_words(combined: Mapping[str, float | str | None]) -> str:

    def of(value: float | str | None) -> str:
        return "no majority" if value is None else value if isinstance(value, str) else f"{value:.3g}"

    clauses = [f"{name.replace('_', ' ')} {of(value)}" for name, value in combined.items()]
    return ", ".join(clauses)


def _grades_line(
    title: str, grades: Sequence[Grade], come_to: str, called: Mapping[str, str] | None = None
) -> markup.Markup:
    lines = []
    for grade in grades:
        values = ", ".join(
            f"{name.replace('_', ' ')} {_value(value)}" for name, value in grade.values.items() if value is not None
        )
        note = markup.tag("div", markup.quiet(grade.note), style="ts-small") if grade.note else markup.text("")
        own = grade.person and not grade.from_file
        who = f"{grade.who} (imported)" if grade.from_file and grade.person else grade.who
        who = (called or {}).get(grade.who, who) if own else who
        who = f"{who} (settled the codes)" if grade.settles else who
        lines.append(markup.tag("li", markup.text(f"{who}: {values}"), note))
    head = f"{title} (combined: {come_to})" if come_to else title
    return markup.tag(
        "div",
        markup.tag("div", markup.quiet(head), style="ts-small"),
        markup.tag("ul", *lines),
        data_part=title.lower(),
    )


def _value(value: Any) -> str:
    """Return a grade as text. 1 and 1.0 give the same text."""
    return (
        f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else field_values.in_words(value)
    )


def failures(told: Case) -> markup.Markup:
    """Return a table of the requests that gave no answer."""
    heads = [("Model", ""), ("Outcome", ""), ("Message", "wide"), ("Attempts", "number"), ("When", "")]
    return markup.table(
        heads,
        [
            [
                markup.text(failure.model),
                markup.text(failure.outcome),
                markup.text(failure.error),
                markup.text(failure.attempts),
                markup.text(markup.moment(failure.at, seconds=True)),
            ]
            for failure in told.failures
        ],
    )
