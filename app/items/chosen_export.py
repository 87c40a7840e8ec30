"""Export only the chosen items of the page *Items*. The files state that they are a subset."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from annotation_schemas.formats import Takes
from app import markup, shell
from app.releasing import prepared_export
from app.services import Services
from domain.errors import TouchstoneError
from domain.records import ProjectView

READY = "items.ready"


def offer(services: Services, view: ProjectView, n: int, names: Callable[[], Sequence[str]], *, of: object) -> None:
    """Draw the format, the button, and the prepared files.

    Parameters
    ----------
    names
        Returns the items (ids as in files) when the button is pressed. Raises if they are no longer the items shown.
    of
        Identifies the list. Files of another list are not shown.
    """
    formats = {
        row.name: row for row in prepared_export.formats_of(services, view) if row.takes in (Takes.ITEMS, Takes.TASKS)
    }
    if not formats:
        shell.show(
            markup.notice(
                "This project's schema has no export format for items. Add a format to the list “formats” under "
                "“export” in the schema."
            )
        )
        return
    left, _ = st.columns([1, 2])
    format = left.selectbox("Format", list(formats), key="items.format") or next(iter(formats))
    asked = (view.name, format, of)
    if st.button(f"Prepare {markup.count(n, 'item')}", type="primary", key=READY + ".prepare"):
        try:
            made = prepared_export.prepare(services, view, formats[format], only=names())
        except TouchstoneError as error:
            st.session_state.pop(READY, None)
            shell.show_error(error)
        else:
            st.session_state[READY] = (asked, made)
    kept = st.session_state.get(READY)
    if kept and kept[0] == asked:
        prepared_export.show_ready(kept[1], key=READY + ".download")
