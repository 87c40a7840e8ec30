"""Create a project on the page Projects: from an included schema, a YAML file, or as extensions offer."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence

import streamlit as st

from annotation_schemas import shipped, yaml_text
from annotation_schemas.loader import examine, examine_text
from annotation_schemas.model import LoadedSchema
from app import markup, shell
from app.projects.project_actions import NewProject, project_beginnings
from app.reruns import messages, session_values
from app.schema_pages import form_preview
from app.services import Services
from domain.errors import InvalidInputError, SchemaError, TouchstoneError
from domain.records import ProjectView
from workflow.access import projects
from workflow.access.project_names import LONGEST_NAME, LONGEST_TITLE, name_out_of, name_problems, title_problems

WHO_MAY = "Admins make projects, and people who lead one."
SHIPPED, FILE = "A schema that comes along", "A YAML file of your own"
_ROUND = "new_project.round"
"""The session's token of this form. A press makes one project, and the next form has a new token."""
_MADE, _SAID = "new_project.made", "new_project.said"
SECONDS = 10.0
"""Seconds during which the new project is opened in place of this page.

The second press of a double press may ask for this page again, after the Dashboard has opened.
"""


def form(services: Services, led: Sequence[ProjectView]) -> None:
    """Draw the choice of a schema, the names, and a preview of the forms. ``led`` are the projects that can be copied.

    A new project is opened at once. Otherwise the old page, with the form still filled in, would make a second project.
    """
    made, since = session_values.place().get(_MADE, ("", 0.0))
    if made and time.monotonic() - since < SECONDS:
        shell.go("overview", project=made)
    round = session_values.place().setdefault(_ROUND, secrets.token_hex(4))
    others = {beginning.label: beginning for beginning in project_beginnings()} if led else {}
    way = st.radio("It begins from", [SHIPPED, FILE, *others], horizontal=True, key="new_project.way")
    new = others[way].draw(services, led) if way in others else _of_schema(services, way)
    if new is not None:
        _called(services, new, round)


def _of_schema(services: Services, way: str) -> NewProject | None:
    """Draw the choice of a schema, and a preview of its forms. None as long as there is no schema."""
    loaded = _shipped() if way == SHIPPED else _uploaded()
    if loaded is None:
        return None
    schema = loaded.schema_
    words = f"{schema.title}: version {schema.version}, {markup.count(len(schema.dimensions), 'dimension')}, stages "
    stages = ", ".join(schema.stages.title_of(stage).lower() for stage in projects.stages_of(schema)) or "none"
    shell.show(markup.tag("p", markup.quiet(words + stages + "."), style="ts"))
    with st.expander("The forms that people will see", key="new_project.forms"):
        form_preview.forms([(f"Version {schema.version}", loaded)], key=f"new_project.preview.{loaded.hash[:12]}")

    def make(name: str, title: str) -> None:
        made = projects.create_project(services.store, name=name, title=title, loaded=loaded, by=services.person)
        session_values.place()[_MADE] = made.name, time.monotonic()
        messages.keep(_SAID, f"{made.title} is made. This list says what comes first.")

    return NewProject(schema.title, loaded.hash[:12], make)


def tell_made() -> None:
    """Show on the Dashboard of a new project that the project was created."""
    if message := messages.kept_message(_SAID):
        shell.show(markup.notice(message, style="good"))


def _shipped() -> LoadedSchema | None:
    there = shipped()
    place, _ = st.columns([2, 3])
    with place:
        chosen = st.selectbox("Schema", list(there), key="new_project.shipped")
    return examine(there[chosen]).loaded if chosen in there else None


def _uploaded() -> LoadedSchema | None:
    """Draw the upload of a schema and return the schema.

    None without a file, or with an invalid one, whose faults are shown.
    """
    left, right = st.columns(2, gap="large")
    with left:
        file = st.file_uploader("The schema, as YAML", type=["yaml", "yml"], key="new_project.file")
    with right:
        guideline = st.file_uploader("Its guideline, if there is one", type=["md"], key="new_project.guideline")
    if file is None:
        return None
    try:
        text = yaml_text.decode(file.getvalue())
        guideline_text = yaml_text.decode(guideline.getvalue()) if guideline is not None else ""
    except ValueError as error:
        shell.show(markup.notice(f"The file cannot be read: {error}.", style="bad"))
        return None
    try:
        examined = examine_text(text, guideline_text, "line")
    except SchemaError as error:
        form_preview.problems("This schema does not fit yet:", str(error).splitlines(), style="bad")
        return None
    if examined.warnings:
        form_preview.problems("To look at:", examined.warnings)
    return examined.loaded


def _called(services: Services, new: NewProject, round: str) -> None:
    """Draw the title, the name and the button, which makes the project once."""
    keys = f"new_project.title.{round}.{new.key}", f"new_project.name.{round}.{new.key}"
    left, middle, right = st.columns([3, 2, 1.2], vertical_alignment="bottom")
    with left:
        st.text_input("Title, as people read it", value=new.title, max_chars=LONGEST_TITLE, key=keys[0])
    typed = str(st.session_state.get(keys[0]) or new.title)
    out_of_title = name_out_of(typed, taken=projects.taken_names(services.store))
    with middle:
        st.text_input(
            "Short name, which stays",
            placeholder=out_of_title,
            max_chars=LONGEST_NAME,
            key=keys[1],
            help="For addresses, files and commands: letters, digits, dots, dashes, underscores. By itself it is made "
            "from the title.",
        )

    def press(round: str) -> None:
        if session_values.place().get(_ROUND) != round:
            return  # the second press of a double press: the first one has made it
        with shell.pressed(services):
            called = str(st.session_state.get(keys[0]) or "")
            taken = projects.taken_names(services.store)
            name = str(st.session_state.get(keys[1]) or "").strip() or name_out_of(called, taken=taken)
            if problems := [*title_problems(called), *name_problems(name)]:
                raise InvalidInputError(problems)
            place = session_values.place()
            place[_ROUND] = secrets.token_hex(4)  # before a press can end this run
            try:
                new.make(name, called)
            except TouchstoneError:
                place[_ROUND] = round
                raise

    with right:
        round = session_values.place()[_ROUND]
        st.button("Make it", type="primary", key="new_project.make", on_click=press, args=(round,), width="stretch")
