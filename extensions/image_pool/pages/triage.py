"""The page *Triage*: keep or drop candidate frames with one key each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from app import markup, shell, sidebar
from app.labels import stage_title
from app.screens import Screen
from app.services import Services
from app.workbench import lead_mode, lead_preview
from domain.errors import NotFoundError
from domain.language import _
from domain.records import NoTask, ProjectView
from domain.states import Stage
from extensions.image_pool import candidate_form, triage_decisions
from extensions.image_pool.triage_records import TriageGroup

SCREEN = Screen("Triage", place=30, stage=Stage.TRIAGE, preview=candidate_form.draw_preview)

STYLE = """
[data-testid="stMainBlockContainer"] { padding: 1rem 1.6rem !important; }
[data-testid="stMain"] { overflow: auto; }
[data-testid="stMainBlockContainer"] [data-testid="stVerticalBlock"] { gap: .5rem !important; }
"""


def render(services: Services) -> None:
    """Draw the page. The part that changes with every key is a fragment."""
    view = shell.project(services)
    if not lead_mode.is_at_work(services, view, Stage.TRIAGE):
        lead_preview.draw(services, view, Stage.TRIAGE, lambda: candidate_form.draw_preview(view.schema))
        return
    st.html(f"<style>{STYLE}{candidate_form.STYLE}</style>")
    title = markup.tag(
        "b",
        markup.text(f"{view.title} · {stage_title(view.schema.schema_, Stage.TRIAGE)}"),
        role="heading",
        aria_level="1",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        shell.show(markup.tag("div", title, style="ts"))
        sidebar.keys(view, SCREEN)
    _bench(services, view)


@st.fragment
def _bench(services: Services, view: ProjectView) -> None:
    with shell.guard(services):
        shell.tell_refused()
        next_group = triage_decisions.next_group(services.store, person=services.person, project=view.name)
        if isinstance(next_group, NoTask):
            shell.show(
                markup.tag(
                    "div", markup.text(next_group.sentence), style="ts ts-notice", role="status", data_view="nothing"
                )
            )
            if next_group.code in ("all_done", "waiting_for_others"):
                with st.container(horizontal=True):
                    _undo(services, view)
                    st.button(_("Check again"), key="triage.again")
            return
        candidate_form.group(
            next_group, partial(_decide, services, view, next_group), undo=partial(_undo, services, view)
        )


def _decide(
    services: Services,
    view: ProjectView,
    found: TriageGroup,
    *,
    keep: Sequence[str] = (),
    drop: Mapping[str, str] | None = None,
) -> Callable[[], None]:
    def act() -> None:
        with shell.pressed(services):
            triage_decisions.decide(
                services.store,
                person=services.person,
                project=view.name,
                keep=keep,
                drop=drop or {},
                key=found.token,
            )

    return act


def _undo(services: Services, view: ProjectView) -> None:
    def act() -> None:
        with shell.pressed(services):
            if triage_decisions.undo(services.store, person=services.person, project=view.name) is None:
                raise NotFoundError(_("You have no decision to take back."))

    st.button(_("Take back"), key="triage.undo", shortcut="U", type="tertiary", on_click=act)
