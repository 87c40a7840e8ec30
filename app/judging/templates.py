"""Choose a judge's template: an included one, or a project's own version. Extensions add ways to write more."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.markup import Markup
from app.running import shown
from app.services import Services
from domain import extensions
from domain.records import ProjectView
from workflow.runs import judge_templates
from workflow.runs.judge_templates import TemplateView

READ = "Template text"
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
    template_view = known[picked]
    shell.show(_facts(template_view))
    added = dict(extensions.rows("template_parts"))
    part = st.segmented_control("Template", [READ, *added], key="judges.template.part", label_visibility="collapsed")
    if part == READ:
        st.code(template_view.template.text, language=None, wrap_lines=True)
    elif part in added:
        added[part](services, view, template_view)
    return template_view


def _default(view: ProjectView, known: list[TemplateView]) -> tuple[str, int]:
    """Return the newest version of the schema's template.

    Fall back to a template for its benchmark, or to the first.
    """
    schema = view.schema.schema_
    wanted = [judge.template for judge in schema.judges]
    wanted += [template_view.name for template_view in known if template_view.template.head.benchmark == schema.name]
    for name in wanted:
        for template_view in known:
            if template_view.name == name:
                return template_view.name, template_view.version
    return known[0].name, known[0].version


def _title(each: TemplateView) -> str:
    from_ = "" if each.ours else " · your own"
    return f"{each.name}, version {each.version} · {shown.opening(each.template.head.meaning, 120)}{from_}"


def _facts(found: TemplateView) -> Markup:
    head = found.template.head
    facts = [
        f"Parser: {head.parser}. Possible values: {', '.join(map(str, head.values))}.",
        "The judge compares two answers, in both orders." if head.pair else "",
        "The judge sees the item's pictures." if head.pictures == "item" else "",
        f"{found.origin}." if found.origin else "",
    ]
    return markup.tag(
        "p",
        markup.quiet(shown.opening(" ".join(part for part in facts if part), 600) + " "),
        shown.mono(found.hash[:10]),
        style="ts ts-small",
    )


def pick(version: TemplateView) -> None:
    """Choose a template that a part has added, and draw the page again."""
    st.session_state["judges.template.next"] = (version.name, version.version)
    st.session_state.pop("judges.template.part", None)
    st.rerun()
