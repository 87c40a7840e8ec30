"""Requests of the builder: check and save a draft, begin or open one, and create the project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_schemas import yaml_text
from annotation_schemas.grammar import no_name
from annotation_schemas.loader import examine_document
from annotation_schemas.model import LoadedSchema
from app import addresses
from app.routes.replies import body_value
from app.routes.work import Body, WorkAction
from db.engine import Store
from domain.errors import BadRequestError, InvalidInputError, Problem
from domain.records import Person
from extensions.form_builder import drafts, starts
from extensions.form_builder.drafts import FormDraft
from extensions.form_builder.form_state import form_state
from extensions.form_builder.row_edits import apply_row_edits
from extensions.form_builder.yaml_edits import Edit, EditError
from workflow.access import projects
from workflow.access.project_names import name_out_of, name_problems, title_problems

DOING = ("set", "remove", "insert", "move", "rename", "kind", "name")
MOST_EDITS = 50
DEEPEST = 20
UNTITLED = "Untitled form"


def check_form(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{draft, revision, text, guideline, project, stage, dimension, edits, save}``: edit, check and save a draft."""
    project = body_value(body, "project", str, default=None)
    _require_rights(store, person, project)
    text, guideline = body_value(body, "text", str).replace("\r\n", "\n"), body_value(body, "guideline", str)
    refused = ""
    try:
        edited = apply_row_edits(text, parsed_edits(body_value(body, "edits", list, default=None) or ()))
    except EditError as error:
        edited, refused = text, str(error)
    state = form_state(
        edited,
        guideline,
        stage=body_value(body, "stage", str, default=None) or "",
        dimension=body_value(body, "dimension", str, default=None) or "",
    )
    draft = FormDraft(
        id=body_value(body, "draft", str, default=None) or "",
        text=edited,
        guideline=guideline,
        project=project,
        title="",
        revision=body_value(body, "revision", int),
        saved_at=store.now(),
    )
    if project is not None:
        force = projects.project(store, person=person, project=project).schema
        state["findings"] += _version_finding(state, edited, force)
    saved = draft
    if body_value(body, "save", bool, default=True):
        saved = drafts.save_draft(store, person=person, draft=draft, title=_title(state["value"]))
    return {
        **state,
        "text": edited,
        "refused": refused,
        "draft": saved.id,
        "revision": saved.revision,
        "saved_at": saved.saved_at.isoformat(),
        "copied": bool(draft.id) and saved.id != draft.id,
    }


def open_form(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{draft}``, ``{blank}`` or ``{published}``: return the text and the guideline to begin with."""
    _require_rights(store, person, body_value(body, "project", str, default=None))
    if "draft" in body:
        project = body_value(body, "project", str, default=None)
        draft = drafts.read_draft(store, person=person, id=body_value(body, "draft", str), project=project)
        return opened(draft)
    if "blank" in body:
        text, guideline = starts.blank_form(body_value(body, "blank", str))
    else:
        text, guideline = starts.published_form(body_value(body, "published", str))
    return {"draft": "", "revision": 0, "text": text, "guideline": guideline}


def list_forms(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{project}``: return the person's drafts, newest first."""
    project = body_value(body, "project", str, default=None)
    _require_rights(store, person, project)
    return {"drafts": plain_drafts(drafts.list_drafts(store, person=person, project=project))}


def delete_form(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{draft, project}``: delete a draft, and return the others."""
    drafts.delete_draft(store, person=person, id=body_value(body, "draft", str))
    return list_forms(store, person, body)


def propose_name(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{title}``: return a free ID for a project with this title."""
    _require_rights(store, person, None)
    return {"name": name_out_of(body_value(body, "title", str), taken=projects.taken_names(store))}


def create_project(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{draft, text, guideline, title, name}``: create the project. Return the address for adding items."""
    _require_rights(store, person, None)
    title, name = body_value(body, "title", str), body_value(body, "name", str).strip()
    text = body_value(body, "text", str).replace("\r\n", "\n")
    if not name:
        name = name_out_of(title, taken=projects.taken_names(store))
    if problems := [*title_problems(title), *name_problems(name)]:
        raise InvalidInputError(problems)
    text = _named(text, title)
    document, loaded = examine_document(text, body_value(body, "guideline", str))
    if loaded is None:
        first = document.errors[0]
        raise InvalidInputError(
            [Problem("text", f"Line {first.line} of the form: {first.message}. Fix this line first.")]
        )
    made = projects.create_project(store, name=name, title=title, loaded=loaded, by=person)
    drafts.delete_draft(store, person=person, id=body_value(body, "draft", str))
    written = loaded.schema_.stages.authoring is not None
    return {"href": addresses.pool_images(made.name) if written else addresses.page("import", made.name)}


def opened(draft: FormDraft) -> dict[str, Any]:
    """Return a draft as the page opens it."""
    return {"draft": draft.id, "revision": draft.revision, "text": draft.text, "guideline": draft.guideline}


def plain_drafts(found: Sequence[FormDraft]) -> list[dict[str, Any]]:
    """Return drafts for the page, without their texts."""
    return [
        {"draft": draft.id, "title": draft.title or UNTITLED, "saved_at": draft.saved_at.isoformat()} for draft in found
    ]


def _require_rights(store: Store, person: Person, project: str | None) -> None:
    if project is None:
        projects.require_creator(store, person)
        return
    with store.read() as session:
        projects.require_lead(session, by=person, project=project)


def _named(text: str, title: str) -> str:
    """Return a blank form with the title of its project, and with an ID made of the title."""
    value = yaml_text.parse_yaml(text).value
    if not isinstance(value, dict) or value.get("name") != starts.NAME:
        return text
    id = name_out_of(title)
    edits = [Edit("set", ("title",), title)] if value.get("title") == starts.TITLE else []
    if no_name(id) is None:
        edits.append(Edit("set", ("name",), id))
    return apply_row_edits(text, edits)


def _version_finding(state: Mapping[str, Any], text: str, force: LoadedSchema) -> list[dict[str, Any]]:
    """Return the reminder that a changed schema needs a higher version, with its fix."""
    version = force.schema_.version
    now = state["value"].get("version") if isinstance(state["value"], dict) else None
    if text == force.text or not isinstance(now, int) or now > version:
        return []
    edit = {"do": "set", "path": ["version"], "value": version + 1, "at": 0}
    return [
        {
            "line": state["lines"].get("version", [1])[0],
            "path": ["version"],
            "key": "version",
            "level": "warning",
            "message": f"Version {version} is in use. Raise the version number before you use this form.",
            "fixes": [{"label": f"Raise to {version + 1}", "edits": [edit]}],
        }
    ]


def _title(value: Any) -> str:
    title = value.get("title") if isinstance(value, dict) else None
    return title[:200] if isinstance(title, str) else ""


def parsed_edits(given: Sequence[Any]) -> list[Edit]:
    """Return the edits of a request. Raise ``BadRequestError`` for an invalid edit."""
    if len(given) > MOST_EDITS:
        raise BadRequestError(f"“edits” can have at most {MOST_EDITS} edits.")
    return [_edit(each) for each in given]


def _edit(given: Any) -> Edit:
    if not isinstance(given, Mapping) or given.get("do") not in DOING:
        raise BadRequestError("Each edit needs “do”: one of " + ", ".join(DOING) + ".")
    path: Any = given.get("path")
    steps = isinstance(path, list) and all(isinstance(step, str) or type(step) is int for step in path)
    if not steps or not 1 <= len(path) <= DEEPEST:
        raise BadRequestError("Each edit needs “path”: a list of keys and indexes.")
    at = given.get("at") or 0
    if type(at) is not int or not 0 <= at <= yaml_text.LARGEST_BYTES or any(type(s) is int and s < 0 for s in path):
        raise BadRequestError("“at” of an edit must be an index of 0 or more.")
    return Edit(given["do"], tuple(path), given.get("value"), at)


ACTIONS = (
    WorkAction("form_check", check_form),
    WorkAction("form_open", open_form),
    WorkAction("form_list", list_forms),
    WorkAction("form_delete", delete_form),
    WorkAction("form_name", propose_name),
    WorkAction("form_create", create_project),
)
