"""The part of the page *Form* about the changes so far."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import markup, shell
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Confirmation
from domain.records import ProjectView
from domain.states import BLIND
from extensions.schema_migration import change_jobs
from extensions.schema_migration.change_history import PastChange
from extensions.schema_migration.schema_job import SchemaOrder
from workflow.access.schema_changes import submissions_by_version


def _decided(option: str) -> str:
    """Return a stored decision in words. It is stored as an option of a command."""
    way, _, subject = option.partition(" ")
    return f"{way.removeprefix('--').replace('-', ' ')}: {subject}"


def show_past(services: Services, view: ProjectView, past: Sequence[PastChange], *, under_way: bool) -> None:
    """Draw the changes so far, newest first, and a button that takes the last one back."""
    if not past:
        shell.show(markup.tag("div", markup.quiet("No changes yet. The project uses its first schema."), style="ts"))
        return
    by = shell.named(services, [change.by for change in past])
    undoes = {change.number: f", undoes {change.undoes}" if change.undoes else "" for change in past}
    rows = [
        [
            markup.number(change.number),
            markup.text(f"{change.version} → {change.new_version}{undoes[change.number]}"),
            markup.text("; ".join(map(_decided, change.decisions)) or "none"),
            by(change.by or "command line"),
            markup.text(markup.moment(change.at)),
            markup.text("undone" if change.undone else "running" if change.finished_at is None else "in force"),
        ]
        for change in reversed(past)
    ]
    heads = [("Change", "number"), ("Versions", ""), ("Decisions", ""), ("By", ""), ("Time", ""), ("State", "")]
    shell.show(markup.table(heads, rows))
    last = next((change for change in reversed(past) if change.undoes is None and not change.undone), None)
    if last is None or past[-1].finished_at is None or under_way:
        return

    def undo() -> None:
        change_jobs.do_change(services, SchemaOrder(view.name, "undo"))

    if st.button(f"Undo change {last.number}", key="schema.undo"):
        counts = submissions_by_version(services.store, person=services.person, project=view.name, stages=BLIND)
        given = counts.get(last.new_version, 0)
        question = Confirmation(
            f"Undo change {last.number} of {view.title}?",
            (
                f"The project will use version {last.version} again. Items and earlier votes return to their "
                f"state before the change. Touchstone keeps {markup.count(given, 'vote')} from version "
                f"{last.new_version}. People are asked again for votes that do not fit the earlier schema."
            ),
            "You can repeat the change later.",
            f"Undo change {last.number}",
        )
        confirm.ask(services, question, undo, key="schema.back")
