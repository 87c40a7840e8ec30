"""The page *Project*: rename, archive, and what extensions add, such as *Export whole* and *Delete*."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.jobs import page
from app.projects.project_actions import ProjectAction, project_actions
from app.reruns import messages
from app.screens import Action, Room, Screen
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Confirmation
from domain.records import ProjectView
from domain.roles import Role
from workflow.access import project_care
from workflow.access.project_names import LONGEST_TITLE, title_problems

SCREEN = Screen(
    "Project",
    place=617,
    room=Room.SETTINGS,
    role=Role.LEAD,
    words="project settings id",
    actions=(
        Action("Rename project", "title name"),
        Action("Archive project", "close finish"),
        Action("Delete project", "remove erase"),
    ),
)


def render(services: Services) -> None:
    """Draw the name, and the actions on the whole project."""
    view = shell.lead_of(services)
    shell.heading("Project", made_up=view.made_up)
    with st.container():
        shell.tell_refused()
        if done := messages.kept_message("projects.done"):
            shell.show(markup.notice(done, style="good"))
    actions = project_actions()
    page.show(services, [action.job for action in actions], project=view.name)
    _name(services, view)
    shell.section("Whole project")
    with st.container(horizontal=True):
        if view.archived:
            st.button("Restore project", key="projects.unarchive", on_click=_unarchive, args=(services, view))
        else:
            st.button("Archive project", key="projects.archive", on_click=_archive, args=(services, view))
        for action in actions:
            key = f"projects.{action.verb}"
            st.button(action.label, key=key, on_click=_press, args=(services, view, action))
    for action in actions:
        if action.draw_below is not None:
            action.draw_below(services, view)


def _name(services: Services, view: ProjectView) -> None:
    key = f"projects.title.{view.name}.{view.title}"
    left, middle, right = st.columns([3, 2, 1], vertical_alignment="bottom")
    title = left.text_input("Name", value=view.title, max_chars=LONGEST_TITLE, key=key)
    middle.text_input(
        "Project ID",
        value=view.name,
        disabled=True,
        key=f"projects.id.{view.name}",
        help="Addresses, files and commands use the ID. You cannot change the ID.",
    )
    right.button(
        "Rename",
        key="projects.rename",
        on_click=_rename,
        args=(services, view, key),
        disabled=title.strip() == view.title or bool(title_problems(title)),
        width="stretch",
    )


def _rename(services: Services, view: ProjectView, key: str) -> None:
    with shell.pressed(services):
        title = str(st.session_state.get(key) or "")
        made = project_care.rename(services.store, by=services.person, project=view.name, title=title)
        messages.keep("projects.done", f"The project's title is now {made.title}.")


def _archive(services: Services, view: ProjectView) -> None:
    def act() -> None:
        project_care.archive(services.store, by=services.person, project=view.name)
        messages.keep("projects.done", f"{view.title} is archived.")

    question = Confirmation(
        f"Archive {view.title}?",
        "The menus no longer list the project. Members can still read the project, and leads can export it. Nobody "
        "can claim tasks, vote or make changes.",
        "You can restore the project on this page.",
        f"Archive {view.title}",
    )
    confirm.ask(services, question, act, key="projects.archive.sure")


def _unarchive(services: Services, view: ProjectView) -> None:
    with shell.pressed(services):
        project_care.unarchive(services.store, by=services.person, project=view.name)
        messages.keep("projects.done", f"{view.title} is restored.")


def _press(services: Services, view: ProjectView, action: ProjectAction) -> None:
    with shell.pressed(services):
        action.press(services, view)
