"""The page *Audit*: who did what, when and from where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import Any

import streamlit as st

from app import markup, shell
from app.screens import Room, Screen
from app.services import Services
from domain.errors import NotFoundError
from domain.records import AuditEntry
from domain.roles import Role
from extensions.history import log_files
from workflow.access import audit

SCREEN = Screen(
    "Audit log",
    place=620,
    room=Room.SETTINGS,
    role=Role.LEAD,
    words="events who did what activity trail",
)

PAGE = 200
"""Events on one page. The files have all of them."""


def render(services: Services) -> None:
    """Draw the filters, the events and the downloads."""
    view = shell.lead_of(services)
    shell.heading(
        "Audit",
        "All events of this project, newest first. Touchstone adds events, but never changes existing events.",
        made_up=view.made_up,
    )
    where: dict[str, Any] = {"by": services.person, "project": view.name}
    kinds = log_files.kinds(services.store, **where)
    one, two, three, four, five = st.columns([2, 1, 1, 1, 1])
    with one:
        where["kinds"] = st.multiselect(
            "What", kinds, key="audit.kinds", placeholder="everything", format_func=log_files.shown_kind
        )
    with two:
        doers = log_files.doers(services.store, by=services.person, project=view.name)
        called = shell.called(services, doers)
        where["who"] = st.selectbox("Who", doers, index=None, format_func=called, key="audit.who", placeholder="anyone")
    with three:
        item = st.text_input("Item ID", key="audit.item", placeholder="any")
        where["item"] = (item or "").strip() or None
    with four:
        since = st.date_input("First day (UTC)", value=None, key="audit.since")
        where["since"] = datetime.combine(since, time(), UTC) if since else None
    with five:
        until = st.date_input("Last day (UTC)", value=None, key="audit.until")
        where["until"] = datetime.combine(until, time(), UTC) + timedelta(days=1) if until else None
    try:
        n = audit.count(services.store, **where)
    except NotFoundError as error:
        shell.show(markup.notice(str(error)))
        return
    left, middle, right = st.columns([4, 1, 1], vertical_alignment="center")
    with left:
        asked = {name: value for name, value in where.items() if name != "by"}
        offset = shell.pager(n, size=PAGE, of=asked, key="audit.page", noun="event")
    # Make the files only when they are requested: each takes a while for a long log.
    for column, label, ending, kind, write in (
        (middle, "CSV", "csv", "text/csv", log_files.as_csv),
        (right, "JSON lines", "jsonl", "application/jsonl", log_files.as_jsonl),
    ):
        with column:
            st.download_button(
                label,
                partial(_file, services, where, write),
                f"{view.name}-audit.{ending}",
                kind,
                key=f"audit.{ending}",
                on_click="ignore",
                width="stretch",
            )
    entries = audit.entries(services.store, **where, offset=offset, limit=PAGE)
    about = {login for entry in entries for login in _named_in(entry).values()}
    called = shell.called(services, about)
    shell.show(table(entries, shell.named(services, {entry.who for entry in entries}), called))


def _named_in(entry: AuditEntry) -> dict[str, str]:
    """Return the logins in an event's data, by key."""
    keys = ("login", "from", "to", "by") if entry.kind.startswith("task.") else ("login",)
    return {key: str(entry.data[key]) for key in keys if isinstance(entry.data.get(key), str)}


def _file(services: Services, where: Mapping[str, Any], write: Callable[[Iterable[AuditEntry]], str]) -> str:
    return write(audit.entries(services.store, **where))


def table(
    found: Sequence[AuditEntry],
    person: Callable[[str | None], markup.Markup] = markup.text,
    called: Callable[[str], str] = str,
) -> markup.Markup:
    """Return a table with one line for each event.

    ``called`` returns the displayed name of a login in the last column.
    """
    return markup.table(
        [(name, "line") for name in ("When", "What", "Who")] + [(name, "") for name in ("Item", "From", "More")],
        [
            [
                markup.text(markup.moment(entry.at, seconds=True)),
                markup.text(log_files.shown_kind(entry.kind)),
                person(entry.who),
                markup.text(entry.item or ""),
                markup.text(entry.origin or ""),
                markup.quiet(
                    ", ".join(
                        f"{key.replace('_', ' ')} {called(value) if key in _named_in(entry) else _words(value, key)}"
                        for key, value in entry.data.items()
                    )
                ),
            ]
            for entry in found
        ],
    )


MOST_SHOWN = 40
"""Largest number of list entries shown on the page. The files have all of them."""
WHOLE = ("goals", "narrations")
"""Lists that the page shows only by their length, however short."""
LIMITS = ("dimensions", "stages")
"""Fields that limit nothing when an event leaves them empty."""


def _words(value: Any, of: str = "") -> str:
    """Return a value of an event in words. ``of`` is the name of the value."""
    if value is None:
        return "all" if of in LIMITS else "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping | list | tuple) and (len(value) > MOST_SHOWN or (of in WHOLE and value)):
        return markup.count(len(value), "entry", "entries")
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_words(part)}" for key, part in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(_words, value)) or "none"
    return str(value)
