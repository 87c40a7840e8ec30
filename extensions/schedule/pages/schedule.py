"""The page *Targets and dates*: the number of items wanted, the deadlines of stages, and the order of stages."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotation_schemas.model import LoadedSchema
from app import addresses, jobs, markup, shell
from app.reruns import messages
from app.screens import Room, Screen
from app.services import Services
from domain import extensions
from domain.errors import ConflictError, NotAvailableError
from domain.item_counts import ItemCounts
from domain.jobs import JobState
from domain.language import ENGLISH, speaking
from domain.records import ProjectView
from domain.roles import Role
from domain.schedule import Schedule, said_of
from domain.states import Stage
from extensions.schedule import changes
from extensions.schedule.wanted_numbers import wanting
from workflow.access import projects, schedule
from workflow.access.projects import stages_of
from workflow.annotate import project_progress
from workflow.jobs import desk

SCREEN = Screen(
    "Targets and dates",
    place=615,
    room=Room.SETTINGS,
    role=Role.LEAD,
    words="schedule deadline due order of stages how many items wanted quota target",
)

SHOWN_CHANGES = 100
BESIDE = 3
"""Number of dimensions side by side."""


def render(services: Services) -> None:
    """Draw deadlines and order, targets, and the changes so far."""
    view = shell.lead_of(services)
    shell.heading(
        "Schedule",
        "Set deadlines, the order of stages and the number of wanted items. People see their deadlines on My work "
        "and get a notice three days before each deadline.",
        made_up=view.made_up,
    )
    shell.tell_refused()
    for name in ("schedule.done", "schema.done"):
        if done := messages.kept_message(name):
            shell.show(markup.notice(done, style="good"))
    now = schedule.schedule(services.store, by=services.person, project=view.name)
    _stages(services, view, now)
    _targets(services, view)
    _past(services, view)


def _stages(services: Services, view: ProjectView, now: Schedule) -> None:
    shell.section("Deadlines and order")
    usual = stages_of(view.schema.schema_)
    if not usual:
        shell.show(markup.notice("The schema of this project has no stages."))
        return
    titles = view.schema.schema_.stages.title_of
    key = f"schedule.{view.name}.{now.number}"
    with st.form(f"{key}.stages", border=False):
        for at, stage in enumerate(now.in_order(usual), 1):
            due, place, remark_cell = st.columns([2, 1.4, 3], vertical_alignment="bottom")
            with due:
                st.date_input(
                    f"{titles(stage)}: last day (UTC)",
                    now.deadlines.get(stage),
                    key=f"{key}.due.{stage}",
                    format="YYYY-MM-DD",
                )
            with place:
                st.number_input(f"{titles(stage)}: place", 1, len(usual), at, key=f"{key}.place.{stage}")
            with remark_cell:
                if stage in now.deadlines:
                    with speaking(ENGLISH):
                        words = said_of(now.deadlines[stage], services.store.now())
                    shell.show(markup.tag("div", markup.quiet(f"It {words}."), style="ts ts-small"))
        st.caption("A stage without a last day has no deadline. My work offers stage 1 first.")
        st.form_submit_button("Save", on_click=_save, args=(services, view, now, key, usual), key="schedule.save")


def _save(services: Services, view: ProjectView, now: Schedule, key: str, usual: Sequence[Stage]) -> None:
    with shell.pressed(services):
        due_dates = {stage: st.session_state[f"{key}.due.{stage}"] for stage in usual}
        shown = now.in_order(usual)
        # of two stages in the same place, the stage that was moved there comes first
        places = {stage: (st.session_state[f"{key}.place.{stage}"], at) for at, stage in enumerate(shown, 1)}
        order = sorted(usual, key=lambda stage: (places[stage][0], places[stage][0] == places[stage][1], places[stage]))
        changed = changes.set_deadlines(
            services.store,
            by=services.person,
            project=view.name,
            deadlines={stage: due for stage, due in due_dates.items() if due is not None},
            order=order if order != list(usual) else (),
            based_on=now.number,
        )
        if changed:
            messages.keep("schedule.done", "Saved.")
        elif not messages.is_new("schedule.done"):  # after the second of two presses, the answer to the first stays
            messages.keep("schedule.done", "Nothing was changed.")


def _targets(services: Services, view: ProjectView) -> None:
    shell.section("Items wanted")
    board = project_progress.dashboard(services.store, person=services.person, project=view.name)
    by_dimension = {row.dimension: row.counts for row in board.rows}
    key = f"schedule.wanted.{view.schema.hash}"
    with st.form(key, border=False):
        known = view.schema.schema_.dimensions
        for begin in range(0, len(known), BESIDE):
            for column, dimension in zip(st.columns(BESIDE), known[begin : begin + BESIDE], strict=False):
                counts = by_dimension[dimension.id]
                with column:
                    st.number_input(
                        f"{markup.label(dimension.title)}{_counted(counts)}",
                        1,
                        10_000_000,
                        dimension.wanted,
                        key=f"{key}.{dimension.id}",
                        placeholder="no number",
                    )
        st.caption(
            "These numbers are part of the schema. If you change a number, people keep working and all "
            "votes still count. You can undo the change on the Form page."
        )
        st.form_submit_button(
            "Change wanted numbers", on_click=_put_wanted, args=(services, view, key), key="schedule.wanted"
        )


def _counted(counts: ItemCounts) -> str:
    left = f", {counts.left:,} left to write" if counts.left else ""
    return f" ({counts.kept:,} kept of {counts.written:,} written{left})"


def _put_wanted(services: Services, view: ProjectView, key: str) -> None:
    with shell.pressed(services):
        numbers = {
            dimension.id: int(n) if (n := st.session_state[f"{key}.{dimension.id}"]) is not None else None
            for dimension in view.schema.schema_.dimensions
        }
        in_force = projects.project(services.store, person=services.person, project=view.name).schema
        if in_force.hash != view.schema.hash:
            now = {dimension.id: dimension.wanted for dimension in in_force.schema_.dimensions}
            if numbers == now:  # the second of two presses
                return
            raise ConflictError(
                f"Another person changed the form to version {in_force.schema_.version} before you saved. Check the "
                "new numbers, then enter your changes again."
            )
        version = changes.latest_version(services.store, by=services.person, project=view.name) + 1
        loaded = wanting(view.schema, numbers, version=version)
        if loaded is None:
            messages.keep("schedule.done", "Nothing was changed.")
        else:
            _change_schema(services, view.name, loaded)
            messages.keep(
                "schedule.done",
                "Touchstone is changing the numbers. See the Form page for the progress.",
            )


def _change_schema(services: Services, project: str, loaded: LoadedSchema) -> None:
    """Begin the job ``schema``, which another extension adds. It looks at no item, so it ends within the request.

    Raises
    ------
    NotAvailableError
        The other extension is missing.
    ConflictError
        The change was refused.
    """
    if (reason := extensions.missing("jobs", "schema")) is not None:
        raise NotAvailableError(reason)
    job = jobs.begin(services, "schema", slot=f"schema/{project}", project=project, input=loaded, here=True)
    if job.is_open:  # the second of two presses
        return
    desk.mark_read(services.store, id=job.id)
    if job.state is not JobState.DONE:
        raise ConflictError(job.said)
    messages.keep("schema.done", job.said)


def _past(services: Services, view: ProjectView) -> None:
    shell.section("Changes so far")
    past = changes.history(services.store, by=services.person, project=view.name)
    if not past:
        shell.show(markup.paragraph("None.", style="ts ts-quiet"))
        return
    by = shell.named(services, [change.by for change in past])
    rows = [
        [
            markup.text(markup.moment(change.at)),
            by(change.by or "on the machine"),
            markup.joined([markup.tag("div", markup.text(line)) for line in change.what]),
        ]
        for change in past[:SHOWN_CHANGES]
    ]
    shell.show(markup.table([("When", "line"), ("By", ""), ("What", "wide")], rows))
    if len(past) > SHOWN_CHANGES:
        audit = addresses.page("audit", view.name)
        link = markup.tag("a", markup.text("Audit"), href=audit, target="_self")
        older = markup.text(f"Older changes: {len(past) - SHOWN_CHANGES:,}, on the page ")
        shell.show(markup.tag("p", older, link, style="ts ts-small"))
