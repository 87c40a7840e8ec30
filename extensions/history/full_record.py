"""The full record of an item, in a dialog: its origin, answers, revisions and events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from annotation_schemas.model import Stages
from app import markup, shell
from app.reruns import dialogs
from app.services import Services
from app.widgets import field_values
from domain.records import ProjectView
from domain.states import Purpose
from extensions.history import item_history
from extensions.history.records import AnswerView, ItemHistory, OriginStep, RevisionView, Step

By = Callable[[str | None], markup.Markup]
"""Returns a person's displayed name; the login appears as a tooltip."""
PURPOSES = {Purpose.QUALIFICATION: "qualification", Purpose.GOLD: "gold check", Purpose.ASKED_AGAIN: "asked again"}


def offer(services: Services, view: ProjectView, item: str) -> None:
    """Draw the button that opens the full record of an item, by its id on pages."""
    body = partial(_dialog, services, view, item)
    about = {"name": f"history.record.{item}", "width": "large"}
    st.button("Full record", key="history.record", on_click=dialogs.show, args=("Full record", body), kwargs=about)


def _dialog(services: Services, view: ProjectView, item: str) -> None:
    found = item_history.history(services.store, person=services.person, project=view.name, item=item)
    draw(services, view, found)


def draw(services: Services, view: ProjectView, found: ItemHistory) -> None:
    """Draw everything that is stored about an item."""
    rows = (found.origin, found.answers, found.revisions, found.steps)
    by = shell.named(services, [found.author, *(row.by for of_kind in rows for row in of_kind)])
    hidden = " · names are hidden until the item is settled" if found.names_hidden else ""
    facts = (markup.text("By "), by(found.author), markup.text(" · "), markup.mono(found.name), markup.quiet(hidden))
    shell.show(markup.tag("p", *facts, style="ts", data_part="author"))
    shell.section("How the item was made")
    shell.show(markup.tag("div", origin(found.origin, by), data_part="origin"))
    shell.section("Answers")
    answer_table = answers(view.schema.schema_.stages, found.answers, by)
    shell.show(answer_table if found.answers else markup.notice("Nobody has answered yet."))
    shell.section("Revisions")
    shell.show(revisions(found.revisions, by))
    shell.section("Events")
    shell.show(steps(found.steps, by))


def origin(rows: Sequence[OriginStep], by: By = markup.text) -> markup.Markup:
    """Return a table of the steps that made the item, with the known facts about each step."""
    heads = [("Step", ""), ("Facts", "wide"), ("When", "line"), ("Who", "")]
    return markup.table(
        heads,
        [
            [
                markup.text(row.name),
                markup.joined(
                    [
                        markup.tag("div", markup.quiet(f"{name}: "), markup.text(value), data_fact=name)
                        for name, value in row.facts
                    ]
                ),
                markup.text(markup.moment(row.at, seconds=True) if row.at is not None else ""),
                by(row.by) if row.by else markup.text(""),
            ]
            for row in rows
        ],
    )


def answers(stages: Stages, rows: Sequence[AnswerView], by: By) -> markup.Markup:
    """Return a table of the submissions, oldest first. Submissions that no longer count are muted."""
    heads = [
        ("When", ""),
        ("Who", ""),
        ("Stage", ""),
        ("Answer", "wide"),
        ("Note", ""),
        ("Seconds", "number"),
        ("", ""),
    ]
    return markup.table(heads, [_answer(stages, row, by) for row in rows])


def _answer(stages: Stages, row: AnswerView, by: By) -> list[markup.Markup]:
    lines = [
        f"{name.replace('_', ' ')}: {field_values.in_words(value)}"
        + (f" ({field_values.in_words(row.reasons[name])})" if row.reasons.get(name) else "")
        for name, value in row.values.items()
    ]
    remarks = [
        PURPOSES.get(row.purpose, ""),
        "" if row.counts or row.purpose is not Purpose.LIVE else "replaced by a later answer",
        "replaces an earlier answer" if row.corrects else "",
        f"revision {row.revision}",
        f"guideline {row.guideline}" if row.guideline is not None else "",
        row.about,
    ]
    style = "" if row.counts else "ts-quiet"
    return [
        markup.tag("span", markup.text(markup.moment(row.at, seconds=True)), style=style),
        markup.tag(
            "span", markup.joined([markup.text(row.label)] * bool(row.label) + [by(row.by)], " · "), style=style
        ),
        markup.text(stages.title_of(row.stage)),
        markup.joined([markup.tag("div", markup.text(line), style=style) for line in lines]),
        markup.text(row.note),
        markup.text("-" if row.seconds is None else f"{row.seconds:.0f}"),
        markup.tag("span", markup.text(", ".join(part for part in remarks if part)), style="ts-quiet ts-small"),
    ]


def revisions(rows: Sequence[RevisionView], by: By = markup.text) -> markup.Markup:
    """Return a table of the revisions with their changes."""
    heads = [("Revision", ""), ("When", ""), ("Who", ""), ("Field", ""), ("Before", "wide"), ("After", "wide")]
    lines = []
    for row in rows:
        for at, (name, before, after) in enumerate(row.changes or [("nothing", None, None)]):
            first = [markup.text(row.number), markup.text(markup.moment(row.at, seconds=True)), by(row.by)]
            lines.append(
                [
                    *(first if at == 0 else [markup.text("")] * 3),
                    markup.text(name.replace("_", " ")),
                    markup.tag("del", markup.text(field_values.in_words(before)))
                    if row.number > 1
                    else markup.quiet("-"),
                    markup.text(field_values.in_words(after)),
                ]
            )
    return markup.table(heads, lines)


def steps(rows: Sequence[Step], by: By = markup.text) -> markup.Markup:
    """Return a table of the item's events, oldest first."""
    heads = [("When", "line"), ("Who", ""), ("Event", "wide")]
    return markup.table(
        heads, [[markup.text(markup.moment(row.at, seconds=True)), by(row.by), markup.text(row.words)] for row in rows]
    )
