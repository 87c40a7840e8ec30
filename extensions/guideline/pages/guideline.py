"""The page *Guideline*: the guideline's text, its versions, and the form for a new version."""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

from app import markup, shell
from app.reruns import messages
from app.screens import Room, Screen
from app.services import Services
from app.widgets import confirm, text_difference
from app.widgets.confirm import Confirmation
from app.workbench.page import guideline_html
from domain import extensions
from domain.records import ProjectView
from domain.roles import Role
from extensions.guideline import versions as stored_versions
from extensions.guideline.versions import GuidelineVersion
from workflow.access.guidelines import GuidelineQuestions, changes

SCREEN = Screen(
    "Guideline",
    place=610,
    room=Room.SETTINGS,
    role=Role.LEAD,
    words="instructions manual rules handbook write",
)

STYLE = """
.ts-prose { font-size: .92rem; line-height: 1.5; max-height: 420px; overflow: auto; padding-right: .8rem; }
.ts-prose h2 { font-size: 1.2rem; padding: 0; } .ts-prose h3 { font-size: 1.02rem; padding: .6rem 0 0; }
.ts-prose h4 { font-size: .95rem; padding: .4rem 0 0; }
"""


def render(services: Services) -> None:
    """Draw the published version with an editor, and the earlier versions."""
    view = shell.lead_of(services)
    st.html(f"<style>{STYLE}{text_difference.STYLE}</style>")
    versions = stored_versions.versions(services.store, by=services.person, project=view.name)
    (now,) = (version for version in versions if version.in_force)
    shell.heading(
        "Guideline",
        f"Version {now.number} is published. Touchstone stores each vote with the version that its rater saw. When "
        "you publish a new version, people who worked under another version get a notice.",
        made_up=view.made_up,
    )
    shell.tell_refused()
    done = messages.kept_message("guideline.done")
    if done:
        shell.show(markup.notice(done, style="good"))
    _edit(services, view, now)
    shell.section("Versions")
    _versions(services, versions)


def _edit(services: Services, view: ProjectView, now: GuidelineVersion) -> None:
    base = st.session_state.setdefault(f"guideline.base.{view.name}", now.number)
    if base != now.number:
        shell.show(
            markup.notice(
                f"Version {now.number} was published while you were writing ({now.why or 'no reason given'}). The "
                "comparison shows the changes that your version would undo.",
                style="bad",
            )
        )
        if st.button("I have seen the changes", key="guideline.seen"):
            st.session_state[f"guideline.base.{view.name}"] = now.number
            st.rerun()
    left, right = st.columns(2, gap="large")
    with left:
        number = st.session_state.get(f"guideline.round.{view.name}", 0)
        text = st.text_area(
            "Guideline in Markdown",
            value=now.text,
            height=420,
            key=f"guideline.text.{view.name}.{number}",
            help="People in a stage see the section with the stage's name, such as `## Verification`.",
        )
    with right:
        preview, changed = st.tabs(["Preview", "What changes"], key=f"guideline.tabs.{view.name}")
        with preview:
            shell.show(_scrolled(text, "Preview of the guideline"))
        with changed:
            shell.show(text_difference.lines_of(changes(now.text, text, around=2)))
    if text != now.text:
        _save(services, view, text, base)
    else:
        shell.show(markup.tag("div", markup.quiet("Change the text to make a new version."), style="ts ts-small"))


def _scrolled(text: str, about: str) -> markup.Markup:
    """Return a guideline in a box that scrolls, also by keyboard."""
    return markup.tag("div", _prose(text), style="ts-prose", role="region", tabindex="0", aria_label=about)


def _prose(text: str) -> markup.Markup:
    """Return a guideline as HTML with each heading one level lower, for below the page's own heading."""
    return markup.Markup(re.sub(r"<(/?)h([1-5])>", lambda m: f"<{m[1]}h{int(m[2]) + 1}>", guideline_html(text)))


def _save(services: Services, view: ProjectView, text: str, base: int) -> None:
    questions: Sequence[GuidelineQuestions] = extensions.rows("guideline_questions")
    titles = {
        key: title
        for module in questions
        for key, title in module.waiting(services.store, by=services.person, view=view).items()
    }
    wanted = [pair for pair in st.session_state.get("guideline.answers", ()) if tuple(pair) in titles]
    with st.form("guideline", border=False):
        why = st.text_input("Summary for annotators", key="guideline.why")
        answers = (
            st.multiselect(
                "Adjudication reasons that this version settles",
                list(titles),
                default=[tuple(pair) for pair in wanted],
                format_func=lambda pair: titles.get(pair, str(pair)),
                placeholder="none" if titles else "no open reason",
                key="guideline.answered",
            )
            if questions
            else []
        )
        stages = view.schema.schema_.stages
        asked = any(
            part is not None and part.qualification is not None
            for part in (*stages.verifications.values(), stages.grading)
        )
        again = asked and st.checkbox(
            "Require a new qualification",
            key="guideline.requalify",
        )
        sent = st.form_submit_button("Publish", type="primary", key="guideline.save")
    if not sent:
        return

    def put() -> None:
        made = stored_versions.publish_version(
            services.store,
            by=services.person,
            project=view.name,
            text=text,
            why=why,
            answers=answers,
            based_on=base,
            requalify=bool(again),
        )
        answered = f" It answers {markup.count(made.answers, 'decision')}." if made.answers else ""
        messages.keep("guideline.done", f"Version {made.number} is published.{answered}")
        st.session_state[f"guideline.base.{view.name}"] = made.number
        st.session_state[f"guideline.round.{view.name}"] = st.session_state.get(f"guideline.round.{view.name}", 0) + 1
        st.session_state.pop("guideline.answers", None)

    if again and why.strip():
        question = Confirmation(
            f"Publish version {base + 1} of the guideline of {view.title} and require a new qualification?",
            "People who already qualified for a stage get no more work in that stage until they qualify under this "
            "version.",
            (
                "You cannot undo this action, but you can exempt people on the Qualification page. "
                "Submissions stay and count."
            ),
            f"Publish version {base + 1}",
        )
        confirm.ask(services, question, put, key="guideline.sure")
        return
    with shell.guard(services):
        put()
        st.rerun()


def _versions(services: Services, versions: Sequence[GuidelineVersion]) -> None:
    before = {version.number: version for version in versions}
    by = shell.named(services, [version.by for version in versions])
    for version in reversed(versions):
        submitted = sum(version.submissions.values())
        about = [
            f"Version {version.number}" + (" (current)" if version.in_force else ""),
            markup.label(version.why or "came with the schema"),
            markup.count(submitted, "submission"),
        ]
        if version.answers:
            about.append(f"answers {markup.count(version.answers, 'decision')}")
        with st.expander(" · ".join(about)):
            at = markup.quiet(f", {markup.moment(version.at)}")
            shell.show(markup.tag("div", by(version.by or "on the machine"), at, style="ts ts-small"))
            if version.number > 1:
                shell.show(text_difference.lines_of(changes(before[version.number - 1].text, version.text)))
            else:
                shell.show(_scrolled(version.text, f"Version {version.number}"))
