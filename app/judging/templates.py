"""Choose a judge's template: an included one, a project's own version, or a published file; and write a new version."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import streamlit as st

from annotation_schemas import registry, yaml_text
from app import markup, shell
from app.markup import Markup
from app.running import shown
from app.services import Services
from domain.errors import InvalidInputError, Problem, SchemaError
from domain.records import ProjectView
from workflow.runs import judge_templates
from workflow.runs.judge_templates import TemplateView

READ, EDIT, FILE = "Its text", "Edit", "Upload a file"
_PICKED = "judges.template"
_KEPT = "judges.template.kept"


def choose(services: Services, view: ProjectView, *, pairs: bool = True) -> TemplateView:
    """Draw the choice and return the template. ``pairs=False``: without templates that compare two answers."""
    shell.section("Template")
    known = {
        (template.name, template.version): template
        for template in judge_templates.templates_of(services.store, by=services.person, project=view.name)
        if pairs or not template.template.head.pair
    }
    names = list(known)
    kept = st.session_state.pop("judges.template.next", None) or st.session_state.get(_KEPT)
    first = names.index(kept) if kept in known else names.index(_default(view, list(known.values())))
    picked = st.selectbox(
        "Template",
        names,
        index=first,
        format_func=lambda name: _title(known[name]) if name in known else str(name),
        key=f"{_PICKED}.{view.name}.{len(names)}",
        label_visibility="collapsed",
    )
    st.session_state[_KEPT] = picked
    found = known[picked]
    shell.show(_facts(found))
    part = st.segmented_control(
        "Template", [READ, EDIT, FILE], key="judges.template.part", label_visibility="collapsed"
    )
    if part == READ:
        st.code(found.template.text, language=None, wrap_lines=True)
    elif part == EDIT:
        _edit(services, view, found)
    elif part == FILE:
        _file(services, view)
    return found


def _default(view: ProjectView, known: list[TemplateView]) -> tuple[str, int]:
    """Return the newest version of the schema's template.

    Fall back to a template for its benchmark, or to the first.
    """
    schema = view.schema.schema_
    wanted = [judge.template for judge in schema.judges]
    wanted += [each.name for each in known if each.template.head.benchmark == schema.name]
    for name in wanted:
        for each in known:
            if each.name == name:
                return each.name, each.version
    return known[0].name, known[0].version


def _title(each: TemplateView) -> str:
    from_ = "" if each.ours else " · this project's own"
    return f"{each.name}, version {each.version} · {shown.opening(each.template.head.meaning, 120)}{from_}"


def _facts(found: TemplateView) -> Markup:
    head = found.template.head
    told = [
        f"Replies are read by {head.parser}; a judge may say {', '.join(map(str, head.values))}.",
        "It compares two answers, each pair in both orders." if head.pair else "",
        "The item's pictures come with it." if head.pictures == "item" else "",
        f"{found.origin}." if found.origin else "",
    ]
    return markup.tag(
        "p",
        markup.quiet(shown.opening(" ".join(part for part in told if part), 600) + " "),
        shown.mono(found.hash[:10]),
        style="ts ts-small",
    )


# ---- another version -------------------------------------------------------------------------------------------------


def _edit(services: Services, view: ProjectView, found: TemplateView) -> None:
    text = st.text_area(
        "The template, head and all",
        found.template.text,
        height=420,
        key=f"judges.template.text.{found.hash[:12]}",
        help="Saving makes a version with the next number; agreement with people belongs to a version.",
    )
    if not st.button("Save as a new version", key="judges.template.save"):
        return
    _keep(services, view, text or "", origin=f"edited from {found.name} {found.version}")


def _keep(services: Services, view: ProjectView, text: str, *, origin: str) -> None:
    try:
        made = judge_templates.add_version(
            services.store, by=services.person, project=view.name, text=text, origin=origin
        )
    except (SchemaError, InvalidInputError) as error:
        shell.show(troubles(error))
        return
    st.session_state["judges.template.next"] = (made.name, made.version)
    st.session_state.pop("judges.template.part", None)
    st.rerun()


_LINE = re.compile(r"the template:(\d+): (.*)", re.DOTALL)


def troubles(error: SchemaError | InvalidInputError) -> Markup:
    """Return the faults of a template's text, by line."""
    rows = []
    for line in str(error).splitlines():
        found = _LINE.fullmatch(line)
        number, told = (found[1], found[2]) if found else ("-", line)
        rows.append([markup.text(number), markup.text(shown.opening(told, 600))])
    return markup.tag(
        "div",
        markup.text("This template does not fit yet:"),
        markup.table([("Line", "number"), ("What is wrong", "")], rows),
        style="ts ts-notice bad",
        role="alert",
    )


# ---- import from a file ----------------------------------------------------------------------------------------------


def _file(services: Services, view: ProjectView) -> None:
    file = st.file_uploader(
        "A template with its head (.txt), or published prompts (.jsonl)",
        type=["txt", "jsonl", "json"],
        key="judges.template.file",
    )
    if file is None:
        return
    try:
        text = yaml_text.decode(file.getvalue())
    except ValueError as error:
        shell.show(markup.notice(shown.tame(f"{file.name} cannot be read: {error}."), style="bad"))
        return
    if file.name.endswith(".txt"):
        if st.button("Add this template", key="judges.template.add"):
            _keep(services, view, text, origin=f"out of {file.name}")
        return
    _published(services, view, text, file.name)


def _published(services: Services, view: ProjectView, text: str, name: str) -> None:
    shell.show(
        markup.paragraph("A published file says nothing of how replies are read: say it here.", style="ts ts-small")
    )
    left, middle, right = st.columns(3)
    with left:
        parser = st.selectbox(
            "Replies are read by",
            [row.name for row in registry.rows("parser") if row.available],
            key="judges.published.parser",
        )
    with middle:
        typed = st.text_input("A judge may say", "0, 0.5, 1", key="judges.published.values")
    values = values_of(typed or "")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prompts.jsonl"
        path.write_text(text, "utf-8")
        try:
            names = list(judge_templates.published_texts(path, parser=parser, values=values))
        except SchemaError as error:
            told = str(error).replace(str(path), name)
            shell.show(markup.notice(shown.tame(told), style="bad"))
            return
        with right:
            wanted = st.multiselect("Prompts", names, default=names[:1], key=f"judges.published.names.{name}")
        pair = st.multiselect(
            "Of them, these compare two answers", wanted, placeholder="none", key="judges.published.pair"
        )
        published_texts = judge_templates.published_texts(path, parser=parser, values=values, pair=pair)
    if not wanted or not st.button(f"Add {markup.count(len(wanted), 'template')}", key="judges.published.add"):
        return
    if not values:
        raise InvalidInputError([Problem("values", "Say what a judge may answer, such as 0, 0.5, 1.")])
    for each in wanted[1:]:
        judge_templates.add_version(
            services.store,
            by=services.person,
            project=view.name,
            text=published_texts[each],
            origin=f"{each} out of {name}",
        )
    _keep(services, view, published_texts[wanted[0]], origin=f"{wanted[0]} out of {name}")


def values_of(typed: str) -> list[Any]:
    """Return comma-separated values: numbers where possible, else words.

    >>> values_of("0, 0.5, 1"), values_of("A, B, C")
    ([0, 0.5, 1], ['A', 'B', 'C'])
    """
    found: list[Any] = []
    for part in typed.split(","):
        word = part.strip()
        if re.fullmatch(r"-?\d{1,15}", word):
            found.append(int(word))
        elif re.fullmatch(r"-?\d{1,15}\.\d{1,15}", word):
            found.append(float(word))
        elif word:
            found.append(word)
    return found
