"""Show on a page that a job computes figures (``app.jobs.figure_requests``), and reload them when they are ready."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import streamlit as st

from app import markup, shell
from app.jobs.figure_requests import FigureState
from app.jobs.figures import Figure
from app.services import Services

LOOK_SECONDS = 1.0
"""Seconds between two checks for new figures."""


def show_pending(services: Services, found: FigureState, ask: Callable[[], FigureState], *, about: str) -> None:
    """Show that figures are being computed, if so, and draw the page again when newer ones are ready.

    ``ask`` requests the figures again. ``about`` is the first words of the notice, with the subject.
    """
    if not found.current:
        _look(services, found, ask, about)


@st.fragment(run_every=LOOK_SECONDS)
def _look(services: Services, found: FigureState, ask: Callable[[], FigureState], about: str) -> None:
    with shell.guard(services):
        now = ask()
        if now.current or _made(now) != _made(found):
            st.rerun()
        shell.show(_words(found, about))


def _made(found: FigureState) -> datetime | None:
    return found.figure.at if found.figure else None


def _words(found: FigureState, about: str) -> markup.Markup:
    if found.figure is None:
        return markup.notice(
            f"{about} being computed and will appear on this page. Large projects take several minutes. You can "
            "leave this page and return later."
        )
    return words_of_earlier(found.figure)


def words_of_earlier(figure: Figure) -> markup.Markup:
    """Return a notice that the shown figures are of an earlier state, and that newer ones are being computed."""
    at = markup.moment(figure.at, seconds=True)
    words = f"These figures are from {at}. Touchstone is computing newer figures."
    return markup.tag("p", markup.quiet(words), style="ts", data_part="as-of")
