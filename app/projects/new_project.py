"""Create a project on the page Projects: from an included schema, a YAML file, or a copy of another project."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence

import streamlit as st

from annotation_schemas import shipped, yaml_text
from annotation_schemas.loader import examine, examine_text
from annotation_schemas.model import LoadedSchema
from app import markup, shell
from app.jobs.projects import COPY as COPY_JOB
from app.projects import project_jobs
from app.reruns import messages, session_values
from app.schema_pages import form_preview
from app.services import Services
from domain.display_names import distinct_names
from domain.errors import InvalidInputError, SchemaError, TouchstoneError
from domain.project_parts import ProjectPart, left_out
from domain.records import ProjectView
from workflow.access import projects
from workflow.access.project_names import LONGEST_NAME, LONGEST_TITLE, name_out_of, name_problems, title_problems

WHO_MAY = "Admins make projects, and people who lead one."
SHIPPED, FILE, COPY = "A schema that comes along", "A YAML file of your own", "A copy of a project"
PARTS = {
    ProjectPart.ITEMS: "Items, with images and clips",
    ProjectPart.PEOPLE: "People with their roles",
    ProjectPart.VOTES: "Votes and all that people did",
    ProjectPart.RUNS: "Runs of models and judges",
}
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
        shell.go("dashboard", project=made)
    round = session_values.place().setdefault(_ROUND, secrets.token_hex(4))
    ways = [SHIPPED, FILE, *([COPY] if led else [])]
    way = st.radio("It begins from", ways, horizontal=True, key="new_project.way")
    if way == COPY:
        _copy(services, led, round)
        return
    loaded = _shipped() if way == SHIPPED else _uploaded()
    if loaded is None:
        return
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

    _called(services, schema.title, f"{round}.{loaded.hash[:12]}", make)


def tell_made() -> None:
    """Show on the Dashboard of a new project that the project was created."""
    if said := messages.kept_message(_SAID):
        shell.show(markup.notice(said, style="good"))


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
        told = yaml_text.decode(guideline.getvalue()) if guideline is not None else ""
    except ValueError as error:
        shell.show(markup.notice(f"The file cannot be read: {error}.", style="bad"))
        return None
    try:
        examined = examine_text(text, told, "line")
    except SchemaError as error:
        form_preview.problems("This schema does not fit yet:", str(error).splitlines(), style="bad")
        return None
    if examined.warnings:
        form_preview.problems("To look at:", examined.warnings)
    return examined.loaded


def _copy(services: Services, led: Sequence[ProjectView], round: str) -> None:
    titles = distinct_names({view.name: view.title for view in led})
    left, right = st.columns([2, 3])
    with left:
        names = list(titles)
        chosen = st.selectbox("Project to copy", names, format_func=titles.__getitem__, key="new_project.of")
    with right:
        parts = st.multiselect(
            "What comes along; its schema and guideline always do",
            list(PARTS),
            default=[ProjectPart.ITEMS],
            format_func=PARTS.__getitem__,
            key="new_project.parts",
        )
    view = next((view for view in led if view.name == chosen), led[0])
    without = left_out(frozenset(PARTS) - frozenset(parts))
    lacking = [PARTS[part].split(",")[0] for part in parts if part in without]
    if lacking:
        shell.show(markup.notice(f"{' and '.join(lacking)}: not without items, so that is left out."))

    def make(name: str, title: str) -> None:
        about = {"name": name, "title": title, "without": [part.value for part in without]}
        project_jobs.begin(services, COPY_JOB.name, view.name, **about)

    _called(services, f"Copy of {view.title}"[:LONGEST_TITLE], f"{round}.{view.name}", make)


def _called(services: Services, title: str, key: str, make: Callable[[str, str], None]) -> None:
    """Draw the title, the name and the button. ``make`` is called once with title and name."""
    keys = f"new_project.title.{key}", f"new_project.name.{key}"
    left, middle, right = st.columns([3, 2, 1.2], vertical_alignment="bottom")
    with left:
        st.text_input("Title, as people read it", value=title, max_chars=LONGEST_TITLE, key=keys[0])
    typed = str(st.session_state.get(keys[0]) or title)
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
                make(name, called)
            except TouchstoneError:
                place[_ROUND] = round
                raise

    with right:
        round = session_values.place()[_ROUND]
        st.button("Make it", type="primary", key="new_project.make", on_click=press, args=(round,), width="stretch")
