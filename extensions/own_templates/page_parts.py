"""The parts *Edit* and *Upload a file* below the choice of a judge's template."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import streamlit as st

from annotation_schemas import registry, yaml_text
from app import markup, shell
from app.judging import templates
from app.markup import Markup
from app.running import shown
from app.services import Services
from domain.errors import InvalidInputError, Problem, SchemaError
from domain.records import ProjectView
from extensions.own_templates import published_prompts
from workflow.runs import judge_templates
from workflow.runs.judge_templates import TemplateView


def edit(services: Services, view: ProjectView, found: TemplateView) -> None:
    """Draw the text of a template, to be saved as a new version."""
    text = st.text_area(
        "Template, including its head",
        found.template.text,
        height=420,
        key=f"judges.template.text.{found.hash[:12]}",
        help="Saving creates a new version. Touchstone measures agreement with people for each version.",
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
    templates.pick(made)


_LINE = re.compile(r"the template:(\d+): (.*)", re.DOTALL)


def troubles(error: SchemaError | InvalidInputError) -> Markup:
    """Return the faults of a template's text, by line."""
    rows = []
    for line in str(error).splitlines():
        match = _LINE.fullmatch(line)
        number, problem = (match[1], match[2]) if match else ("-", line)
        rows.append([markup.text(number), markup.text(shown.opening(problem, 600))])
    return markup.tag(
        "div",
        markup.text("This template is not valid yet. Correct these lines:"),
        markup.table([("Line", "number"), ("What is wrong", "")], rows),
        style="ts ts-notice bad",
        role="alert",
    )


def upload(services: Services, view: ProjectView, found: TemplateView) -> None:
    """Draw the upload of a template, or of published prompts."""
    file = st.file_uploader(
        "Template (.txt) or published prompts (.jsonl)",
        type=["txt", "jsonl", "json"],
        key="judges.template.file",
    )
    if file is None:
        return
    try:
        text = yaml_text.decode(file.getvalue())
    except ValueError as error:
        shell.show(markup.notice(shown.tame(f"Touchstone cannot read {file.name}: {error}."), style="bad"))
        return
    if file.name.endswith(".txt"):
        if st.button("Add this template", key="judges.template.add"):
            _keep(services, view, text, origin=f"out of {file.name}")
        return
    _published(services, view, text, file.name)


def _published(services: Services, view: ProjectView, text: str, name: str) -> None:
    shell.show(
        markup.paragraph(
            "A file of published prompts does not define how Touchstone reads replies. Define the rules for replies "
            "below.",
            style="ts ts-small",
        )
    )
    left, middle, right = st.columns(3)
    with left:
        parser = st.selectbox(
            "Parser for replies",
            [row.name for row in registry.rows("parser") if row.available],
            key="judges.published.parser",
        )
    with middle:
        typed = st.text_input("Possible judge answers", "0, 0.5, 1", key="judges.published.values")
    values = values_of(typed or "")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prompts.jsonl"
        path.write_text(text, "utf-8")
        try:
            names = list(published_prompts.published_texts(path, parser=parser, values=values))
        except SchemaError as error:
            message = str(error).replace(str(path), name)
            shell.show(markup.notice(shown.tame(message), style="bad"))
            return
        with right:
            wanted = st.multiselect("Prompts", names, default=names[:1], key=f"judges.published.names.{name}")
        pair = st.multiselect(
            "Prompts that compare two answers", wanted, placeholder="none", key="judges.published.pair"
        )
        published_texts = published_prompts.published_texts(path, parser=parser, values=values, pair=pair)
    if not wanted or not st.button(f"Add {markup.count(len(wanted), 'template')}", key="judges.published.add"):
        return
    if not values:
        raise InvalidInputError([Problem("values", "Enter the values that a judge may give, such as 0, 0.5, 1.")])
    for text_name in wanted[1:]:
        judge_templates.add_version(
            services.store,
            by=services.person,
            project=view.name,
            text=published_texts[text_name],
            origin=f"{text_name} from {name}",
        )
    _keep(services, view, published_texts[wanted[0]], origin=f"{wanted[0]} from {name}")


def values_of(typed: str) -> list[Any]:
    """Return comma-separated values: numbers where possible, else words.

    >>> values_of("0, 0.5, 1"), values_of("A, B, C")
    ([0, 0.5, 1], ['A', 'B', 'C'])
    """
    values: list[Any] = []
    for part in typed.split(","):
        word = part.strip()
        if re.fullmatch(r"-?\d{1,15}", word):
            values.append(int(word))
        elif re.fullmatch(r"-?\d{1,15}\.\d{1,15}", word):
            values.append(float(word))
        elif word:
            values.append(word)
    return values
