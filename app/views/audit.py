"""Audit: who did what, when, from where."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta

import streamlit as st

from app import markup, shell
from app.services import Services
from domain.records import AuditEntry
from workflow import audit, projects

PAGE = 200
"""So many events are shown at once; the files have all of them."""


def render(services: Services) -> None:
    """Choose, read, take along."""
    view = shell.lead_of(services)
    shell.heading(
        "Audit",
        "Everything that was done in this project, the newest first. The log is only ever added to.",
        made_up=view.made_up,
    )
    kinds = audit.kinds(services.store, by=services.person, project=view.name)
    logins = [row.person.login for row in projects.members(services.store, person=services.person, project=view.name)]
    one, two, three, four = st.columns([2, 1, 1, 1])
    with one:
        chosen = st.multiselect("What", kinds, key="audit.kinds", placeholder="everything")
    with two:
        who = st.selectbox("Who", logins, index=None, key="audit.who", placeholder="anybody")
    with three:
        since = st.date_input("From", value=None, key="audit.since")
    with four:
        until = st.date_input("To", value=None, key="audit.until")
    found = audit.entries(
        services.store,
        by=services.person,
        project=view.name,
        kinds=chosen,
        who=who,
        since=datetime.combine(since, time(), UTC) if since else None,
        until=datetime.combine(until, time(), UTC) + timedelta(days=1) if until else None,
    )
    left, middle, right = st.columns([4, 1, 1], vertical_alignment="center")
    with left:
        more = f"; the newest {PAGE} are shown" if len(found) > PAGE else ""
        shell.show(markup.tag("p", markup.text(f"{markup.count(len(found), 'event')}{more}"), style="ts"))
    with middle:
        st.download_button("CSV", audit.as_csv(found), f"{view.name}-audit.csv", "text/csv", key="audit.csv")
    with right:
        name = f"{view.name}-audit.jsonl"
        st.download_button("JSON lines", audit.as_jsonl(found), name, "application/jsonl", key="audit.jsonl")
    shell.show(table(found[:PAGE]))


def table(found: Sequence[AuditEntry]) -> markup.Markup:
    """One line for each event."""
    return markup.table(
        [(name, "") for name in ("When (UTC)", "What", "Who", "Item", "From", "More")],
        [
            [
                markup.text(entry.at.strftime("%Y-%m-%d %H:%M:%S")),
                markup.text(entry.kind),
                markup.text(entry.who or ""),
                markup.text(entry.item or ""),
                markup.text(entry.origin or ""),
                markup.quiet(", ".join(f"{key} {value}" for key, value in entry.data.items())),
            ]
            for entry in found
        ],
    )
