"""The page *Projects*: the person's projects, a form for a new one, and actions on a whole project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import streamlit as st

from annotation_schemas.state_words import BAR_STATES, state_called
from app import markup, rooms, shell
from app.jobs import page
from app.jobs.projects import ROWS
from app.projects import new_project
from app.projects.project_actions import ProjectAction, project_actions, project_beginnings
from app.releasing.release_actions import release_actions
from app.reruns import messages
from app.screens import Action, Screen
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Confirmation
from domain.display_names import distinct_names
from domain.records import ProjectView, StageWork
from domain.roles import Role
from domain.states import ItemState
from workflow.access import accounts, project_care, projects
from workflow.annotate import progress
from workflow.lead import project_list

SCREEN = Screen(
    "Projects",
    place=900,
    words="all projects list switch",
    actions=(
        Action("New project", "create begin start benchmark schema form", Role.LEAD, part="new"),
        Action("Delete project", "remove erase", Role.LEAD),
        Action("Archive project", "close finish", Role.LEAD),
        Action("Rename project", "title name", Role.LEAD),
    ),
)


def render(services: Services) -> None:
    """Draw the table, the actions on one project, and the form for a new one. Rights decide what a person sees."""
    mine = projects.projects_of(services.store, person=services.person)
    may_create = accounts.leads_any(services.store, person=services.person)
    shell.heading("Projects", "Every project that you take part in. Its title leads to it.")
    shell.tell_refused()
    done = messages.kept_message("projects.done")
    if done:
        shell.show(markup.notice(done, style="good"))
    added = [*(row.job for row in project_actions()), *(row.job for row in project_beginnings())]
    added += [action.job for action in release_actions()]
    page.show(services, [*(row.name for row in ROWS), *added])
    if mine:
        shell.show(_table(services, mine))
    else:
        shell.show(markup.notice("There is no project yet." if may_create else shell.NO_PROJECT))
    led = [view for view in mine if view.role is Role.LEAD]
    if led:
        _one(services, led)
    if may_create:
        shell.section("A new project")
        new_project.form(services, led)
    elif mine:
        shell.show(markup.paragraph(new_project.WHO_MAY, style="ts ts-quiet ts-small"))


def _table(services: Services, mine: Sequence[ProjectView]) -> markup.Markup:
    items = project_list.item_counts(services.store, person=services.person)
    work = progress.my_work(services.store, person=services.person)
    heads = [
        ("Title", ""),
        ("Name", ""),
        ("Your role", ""),
        ("Items", "number"),
        ("How far", ""),
        ("Waits for you", "number"),
        ("Archived", ""),
    ]
    rows = []
    for view in sorted(mine, key=lambda view: (view.archived, view.title.casefold())):
        href = rooms.address(view, rooms.home(view))
        waits = _waits(services, view, [row for row in work if row.project == view.name])
        rows.append(
            [
                markup.tag("a", markup.tag("b", markup.text(view.title)), href=href, target="_self"),
                markup.mono(view.name),
                markup.text(view.role.value),
                markup.number(sum(items[view.name].values())),
                _how_far(view, items[view.name]),
                markup.quiet("-") if view.archived else markup.number(waits),
                markup.text("archived" if view.archived else ""),
            ]
        )
    return markup.table(heads, rows)


def _how_far(view: ProjectView, n: Mapping[ItemState, int]) -> markup.Markup:
    """Return the items by state, as on the dashboard, for people who may open the dashboard."""
    if view.role is not Role.LEAD:
        return markup.quiet("-")
    stages = view.schema.schema_.stages
    wanted = sum(dimension.wanted or 0 for dimension in view.schema.schema_.dimensions)
    parts = [(state, state_called(stages, state), n[state]) for state in BAR_STATES if n.get(state)]
    kept = markup.tag("div", markup.quiet(f"{n.get(ItemState.KEPT, 0):,} kept"), style="ts-small")
    return markup.joined([markup.bar(parts, total=max(wanted + n.get(ItemState.REJECTED, 0), sum(n.values()))), kept])


def _waits(services: Services, view: ProjectView, work: Sequence[StageWork]) -> int:
    stages = groupby(work, key=lambda row: row.stage)
    return sum(
        progress.count_waiting(services.store, person=services.person, project=view.name, stage=stage, rows=list(rows))
        for stage, rows in stages
    )


# ---- actions on a whole project --------------------------------------------------------------------------------------


def _one(services: Services, led: Sequence[ProjectView]) -> None:
    actions = project_actions()
    shell.section(", ".join(["Rename", "archive", *(action.verb for action in actions)]))
    titles = distinct_names({view.name: view.title for view in led})
    names = list(titles)
    named = st.query_params.get("project") or st.session_state.get("touchstone.project")
    first = names.index(named) if named in names else 0
    if named is not None and named not in names:
        other = titles[names[0]]
        sentence = f"You lead no project called {named}. The buttons below change {other}; choose another project here."
        shell.show(markup.notice(sentence))
    place, _ = st.columns([2, 3])
    with place:
        chosen = st.selectbox("Project", names, index=first, format_func=titles.__getitem__, key="projects.one")
    view = next((view for view in led if view.name == chosen), led[0])
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    with left:
        title = st.text_input("Title", value=view.title, max_chars=200, key=f"projects.title.{view.name}.{view.title}")
    with right:
        st.button(
            "Rename",
            key="projects.rename",
            on_click=_rename,
            args=(services, view, f"projects.title.{view.name}.{view.title}"),
            disabled=title.strip() == view.title,
            help="The short name stays: addresses, files and commands call the project by it.",
        )
    with st.container(horizontal=True):
        if view.archived:
            st.button("Take back into use", key="projects.unarchive", on_click=_unarchive, args=(services, view))
        else:
            st.button("Archive", key="projects.archive", on_click=_archive, args=(services, view))
        for action in actions:
            key = f"projects.{action.verb}"
            st.button(action.label, key=key, on_click=_press, args=(services, view, action))
    for action in actions:
        if action.draw_below is not None:
            action.draw_below(services, view)


def _rename(services: Services, view: ProjectView, key: str) -> None:
    with shell.pressed(services):
        title = str(st.session_state.get(key) or "")
        made = project_care.rename(services.store, by=services.person, project=view.name, title=title)
        messages.keep("projects.done", f"{view.name} is called {made.title} from now on.")


def _archive(services: Services, view: ProjectView) -> None:
    def act() -> None:
        project_care.archive(services.store, by=services.person, project=view.name)
        messages.keep("projects.done", f"{view.title} is archived.")

    question = Confirmation(
        f"Archive {view.title}?",
        "It leaves the menus and stays as it is: everyone in it can read, leads can export, and no one can claim, vote "
        "or change anything.",
        "You can take it back into use on this page.",
        f"Archive {view.title}",
    )
    confirm.ask(services, question, act, key="projects.archive.sure")


def _unarchive(services: Services, view: ProjectView) -> None:
    with shell.pressed(services):
        project_care.unarchive(services.store, by=services.person, project=view.name)
        messages.keep("projects.done", f"{view.title} is in use again.")


def _press(services: Services, view: ProjectView, action: ProjectAction) -> None:
    with shell.pressed(services):
        action.press(services, view)
