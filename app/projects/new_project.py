"""The form of the page *New project*: a protocol, a name, an ID, and one button."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from functools import cache

import streamlit as st

from annotation_schemas import shipped, yaml_text
from annotation_schemas.loader import examine, examine_text
from annotation_schemas.model import LoadedSchema
from app import markup, shell
from app.projects.project_actions import NewProject, project_beginnings
from app.projects.start_cards import PUBLISHED
from app.reruns import messages, session_values
from app.schema_pages import form_preview
from app.screens import SCREENS
from app.services import Services
from domain.display_names import distinct_names
from domain.errors import InvalidInputError, SchemaError, TouchstoneError
from domain.records import ProjectView
from workflow.access import projects
from workflow.access.project_names import LONGEST_NAME, LONGEST_TITLE, name_out_of, name_problems, title_problems

WHO_MAY = "Only admins and project leads can create a project. Ask an admin or a project lead."
SHIPPED, FILE = "Published protocol", "YAML file"
_ROUND = "new_project.round"
"""The session's token of this form. A press makes one project, and the next form has a new token."""
_MADE, _SAID = "new_project.made", "new_project.said"
SECONDS = 10.0
"""Seconds during which the new project is opened in place of this page.

The second press of a double press may ask for this page again, after Overview has opened.
"""


def form(services: Services, led: Sequence[ProjectView]) -> None:
    """Draw the choice of a protocol, the names, and a preview of the forms. Projects that are ``led`` can be copied.

    A new project is opened at once. Otherwise the old page, with the form still filled in, would make a second project.
    """
    made, since = session_values.place().get(_MADE, ("", 0.0))
    if made and time.monotonic() - since < SECONDS:
        shell.go("overview", project=made)
    round = session_values.place().setdefault(_ROUND, secrets.token_hex(4))
    others = {beginning.label: beginning for beginning in project_beginnings()} if led else {}
    ways = [SHIPPED, FILE, *others]
    first = ways.index(FILE) if st.query_params.get("from") == "file" else 0
    way = st.radio("Start from", ways, index=first, horizontal=True, key="new_project.way")
    if way in others:
        new, loaded = others[way].draw(services, led), None
    else:
        loaded = _shipped() if way == SHIPPED else _uploaded()
        new = None if loaded is None else _of_schema(services, loaded)
    if new is not None:
        _called(services, new, round)
    if loaded is not None:
        _about(loaded)


def _of_schema(services: Services, loaded: LoadedSchema) -> NewProject:
    def make(name: str, title: str) -> None:
        made = projects.create_project(services.store, name=name, title=title, loaded=loaded, by=services.person)
        session_values.place()[_MADE] = made.name, time.monotonic()
        messages.keep(_SAID, f"Project {made.title} was created. The list below shows your first steps.")

    return NewProject(loaded.schema_.title, loaded.hash[:12], make)


def _about(loaded: LoadedSchema) -> None:
    """Draw what a protocol consists of, and a preview of its forms."""
    schema = loaded.schema_
    stages = ", ".join(schema.stages.title_of(stage).lower() for stage in projects.stages_of(schema)) or "none"
    dimensions = markup.count(len(schema.dimensions), "dimension")
    shell.section("Preview of the forms")
    words = f"{schema.title}, version {schema.version}: {dimensions}. Stages: {stages}. "
    published = schema.name in shipped() and "builder" in SCREENS
    change = [markup.link("Change the form first", f"/builder?published={schema.name}")] if published else []
    shell.show(markup.tag("p", markup.text(words), *change, style="ts ts-quiet"))
    form_preview.forms([(f"Version {schema.version}", loaded)], key=f"new_project.preview.{loaded.hash[:12]}")


def tell_made() -> None:
    """Show on Overview of a new project that the project was created."""
    if message := messages.kept_message(_SAID):
        shell.show(markup.notice(message, style="good"))


def _shipped() -> LoadedSchema | None:
    titles = _titles()
    names = list(titles)
    named = st.query_params.get("schema")
    place, _ = st.columns([2, 3])
    with place:
        first = names.index(named) if named in names else 0
        chosen = st.selectbox(
            "Protocol", names, index=first, key="new_project.shipped", format_func=lambda name: titles.get(name, name)
        )
    return examine(shipped()[chosen]).loaded if chosen in titles else None


@cache
def _titles() -> Mapping[str, str]:
    """Return the title of each schema that comes with Touchstone, by name. Those of published benchmarks come first."""
    there = shipped()
    names = [name for name in (*PUBLISHED, *there) if name in there]
    loaded = {name: examine(there[name]).loaded for name in dict.fromkeys(names)}
    return distinct_names({name: schema.schema_.title if schema else name for name, schema in loaded.items()})


def _uploaded() -> LoadedSchema | None:
    """Draw the upload of a schema and return the schema.

    None without a file, or with an invalid one, whose faults are shown.
    """
    left, right = st.columns(2, gap="large")
    with left:
        file = st.file_uploader("Schema (YAML)", type=["yaml", "yml"], key="new_project.file")
    with right:
        guideline = st.file_uploader("Guideline (Markdown, optional)", type=["md"], key="new_project.guideline")
    if file is None:
        return None
    try:
        text = yaml_text.decode(file.getvalue())
        guideline_text = yaml_text.decode(guideline.getvalue()) if guideline is not None else ""
    except ValueError as error:
        shell.show(
            markup.notice(f"Touchstone cannot read the file: {error}. Upload a YAML file in UTF-8.", style="bad")
        )
        return None
    try:
        examined = examine_text(text, guideline_text, "line")
    except SchemaError as error:
        lines = str(error).splitlines()
        form_preview.problems(
            "The schema has errors. Correct the errors and upload the schema again.", lines, style="bad"
        )
        return None
    if examined.warnings:
        form_preview.problems("The schema is valid but has warnings. Check these lines.", examined.warnings)
    return examined.loaded


def _called(services: Services, new: NewProject, round: str) -> None:
    """Draw the name, the ID and the button, which makes the project once. The button is off for a wrong name."""
    keys = f"new_project.title.{round}.{new.key}", f"new_project.name.{round}.{new.key}"
    left, middle = st.columns([3, 2])
    with left:
        st.text_input("Name", value=new.title, max_chars=LONGEST_TITLE, key=keys[0])
    typed = str(st.session_state.get(keys[0]) or "")
    taken = projects.taken_names(services.store)
    with middle:
        st.text_input(
            "Project ID",
            placeholder=name_out_of(typed, taken=taken),
            max_chars=LONGEST_NAME,
            key=keys[1],
            help="Addresses, files and commands use the ID. You cannot change the ID later. If you leave this field "
            "empty, Touchstone derives the ID from the name.",
        )
    id = str(st.session_state.get(keys[1]) or "").strip()
    problems = [*title_problems(typed), *(name_problems(id) if id else [])]
    reason = " ".join(problem.message for problem in problems)
    if id in taken:
        reason = f"Another project has the ID {id}. Choose another ID."

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

    round = session_values.place()[_ROUND]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Create project",
            type="primary",
            key="new_project.make",
            on_click=press,
            args=(round,),
            disabled=bool(reason),
        )
        if reason:
            shell.show(markup.tag("p", markup.text(reason), style="ts", data_part="reason"))
