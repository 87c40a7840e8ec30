"""The log of people's rights in a project: who got which part, when, and from whom."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app import markup, shell
from app.services import Services
from domain.records import AuditEntry, ProjectView
from workflow.access import audit

RIGHTS = ("member.set", "member.removed", "member.joined")
"""The kinds of events that change a person's rights."""
PAGE = 50
"""Changes on one page of the log."""


def draw(services: Services, view: ProjectView) -> None:
    """Draw the log of changed rights, with who changed them and when. The log is loaded only when someone opens it."""
    shell.section("Rights history")
    if not st.toggle("Show all rights changes", key=f"people.past.{view.name}"):
        return
    about: dict[str, Any] = {"by": services.person, "project": view.name, "kinds": RIGHTS}
    n = audit.count(services.store, **about)
    first = shell.pager(n, size=PAGE, of=view.name, key="people.past.pages", noun="change")
    entries = audit.entries(services.store, **about, offset=first, limit=PAGE)
    by = shell.named(services, {entry.who for entry in entries})
    called = shell.called(services, {str(entry.data.get("login") or entry.who or "") for entry in entries})
    rows = [
        [
            markup.text(markup.moment(entry.at)),
            markup.text(called(str(entry.data.get("login") or entry.who or ""))),
            markup.text(_given(view, entry)),
            by(entry.who or _author(entry)),
        ]
        for entry in entries
    ]
    shell.show(markup.table([("When", "line"), ("Whose", ""), ("Since then", "wide"), ("By", "")], rows))


def _author(entry: AuditEntry) -> str:
    """Return what changed the rights if no person did."""
    return "the sign-in provider" if entry.data.get("reason") == "claims" else "on the machine"


def _given(view: ProjectView, entry: AuditEntry) -> str:
    """Return the person's rights after an event, in words."""
    if entry.kind == "member.removed":
        return "removed from the project"
    if entry.kind == "member.joined":
        return "joined the project by invitation"
    data = entry.data
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    stages, dimensions = data.get("stages"), data.get("dimensions")
    known = view.schema.schema_.stages.title_of
    within = (
        ", ".join(titles.get(name, name) for name in dimensions) or "no dimension"
        if dimensions is not None
        else "all dimensions"
    )
    at = ", ".join(map(known, stages)) or "no stage" if stages is not None else "all stages"
    return f"{data.get('role', '')} in {within}, for {at}"
