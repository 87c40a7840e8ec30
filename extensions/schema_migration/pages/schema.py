"""The page *Schema*: the schema in force, a preview of another version, the decisions it needs, and undo."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st

from annotation_schemas import yaml_text
from annotation_schemas.loader import SchemaCheck, examine_text
from annotation_schemas.model import LoadedSchema
from annotation_schemas.state_words import state_called
from app import markup, shell
from app.jobs import figure_requests
from app.jobs.figure_requests import FigureState
from app.reruns import messages
from app.reruns.pending_figures import show_pending
from app.schema_pages import form_preview
from app.screens import Room, Screen
from app.services import Services
from domain.errors import SchemaError
from domain.jobs import Job
from domain.records import ProjectView
from domain.roles import Role
from domain.states import ItemState
from extensions.schema_migration import change_history, change_jobs
from extensions.schema_migration.changes import WAYS, Change, Decision, DecisionKind, Decisions, Status, targets
from extensions.schema_migration.changes.rules import spelled
from extensions.schema_migration.migration import MigrationPreview
from extensions.schema_migration.past_changes import show_past
from extensions.schema_migration.schema_job import SchemaOrder
from extensions.schema_migration.value_words import values_in_line

SCREEN = Screen(
    "Form",
    place=600,
    room=Room.SETTINGS,
    role=Role.LEAD,
    words="schema protocol yaml criteria questions fields dimensions keep rule raters edit change",
)

STYLE = """
[class*="st-key-schema-text"] textarea { font-family: ui-monospace, monospace; font-size: .85rem; }
"""
SHOWN_ITEMS = 50
"""Number of items with a changed outcome that are shown one by one."""
_STATUS = {Status.INCOMPATIBLE: "bad", Status.DECISION: "", Status.COMPATIBLE: "good"}


ITEM = 10
"""The cost of an item in ratings, for the decision whether another process computes the preview."""


@dataclass(frozen=True)
class PreviewRequest:
    """A press of the preview button."""

    hash: str
    """The same as in ``SchemaPreview``."""
    decisions: Decisions
    press: str
    """A unique name of the press."""


@dataclass(frozen=True)
class SchemaPreview:
    """The last preview and its inputs."""

    hash: str
    """The hash of the schema texts."""
    plain: MigrationPreview
    """The preview without decisions. It shows what must be decided."""
    decisions: Decisions
    found: MigrationPreview
    """The preview with the decisions."""


def render(services: Services) -> None:
    """Draw the editor of the schema, and the changes so far."""
    view = shell.lead_of(services)
    st.html(f"<style>{STYLE}</style>")
    past = change_history.history(services.store, by=services.person, project=view.name)
    shell.heading(
        "Schema",
        f"Version {view.schema.schema_.version} is in force. Every vote keeps the version it was given under; a change "
        "shows what it would do before it is made, and can be taken back.",
        made_up=view.made_up,
    )
    going = change_jobs.current_change(services, view.name)
    if going is not None and not going.is_open:
        if going.refused:
            shell.show(markup.notice(going.refused, style="bad"))
        else:
            messages.keep("schema.done", going.said)
        change_jobs.mark_seen(services, going)
        going = None
    shell.tell_refused()
    done = messages.kept_message("schema.done")
    if done:
        shell.show(markup.notice(done, style="good"))
    new = None
    if going is not None or (past and past[-1].finished_at is None):
        _go_on(services, view, going)
    else:
        new = _edit(services, view)
    shell.section("What people see")
    _forms(view, new)
    shell.section("Changes so far")
    show_past(services, view, past, under_way=going is not None)


def _go_on(services: Services, view: ProjectView, going: Job | None) -> None:
    """Draw the progress of a running change. A change without a running process may have been interrupted."""
    if going is None:
        shell.show(
            markup.notice(
                "A change is not at its end. If the number below stands still, it was interrupted: bring it to its "
                "end, or take it back. Nothing is lost, and people work on."
            )
        )
    else:
        shell.show(markup.notice("A change is being made. People work on, and you may leave this page."))
    _how_far(services, view, going)
    if going is not None:
        return
    left, right, _ = st.columns([1, 1, 3])
    finish = left.button("Bring it to its end", type="primary", key="schema.finish", width="stretch")
    back = right.button("Take it back", key="schema.interrupted", width="stretch")
    if finish or back:
        with shell.pressed(services):
            change_jobs.do_change(services, SchemaOrder(view.name, "finish" if finish else "back"))
        st.rerun()


@st.fragment(run_every=1.0)
def _how_far(services: Services, view: ProjectView, going: Job | None) -> None:
    with shell.guard(services):
        stands = change_history.under_way(services.store, by=services.person, project=view.name)
        now = change_jobs.current_change(services, view.name)
        if (going is not None and (now is None or not now.is_open)) or (going is None and stands is None):
            st.rerun()
        if stands is not None and stands.items:
            text = f"Items brought up to it: {stands.done:,} of {stands.items:,}"
            st.progress(min(stands.done / stands.items, 1.0), text=text)
        else:
            st.progress(0.0, text="Looking at what is stored")


# ---- a new version --------------------------------------------------------------------------------------------------


def _edit(services: Services, view: ProjectView) -> LoadedSchema | None:
    """Draw the preview of the edited schema. Return the schema, or None if it is unchanged or invalid."""
    examined = _new(view)
    if examined is None:
        return None
    loaded = examined.loaded
    hash = hashlib.sha256(f"{view.schema.hash} {loaded.hash}".encode()).hexdigest()
    seen: SchemaPreview | None = st.session_state.get(f"schema.seen.{view.name}")
    if seen is not None and seen.hash != hash:
        seen = None
    made = _decide(seen) if seen is not None else Decisions()
    looking: PreviewRequest | None = st.session_state.get(f"schema.looking.{view.name}")
    if looking is not None and looking.hash == hash:
        _look(services, view, loaded, looking, seen)
        return loaded
    if st.button("See what it would do", key="schema.look", type="secondary" if seen else "primary"):
        st.session_state[f"schema.looking.{view.name}"] = PreviewRequest(hash, made, secrets.token_hex(8))
        st.rerun()
    if seen is None:
        return loaded
    if made != seen.decisions:
        shell.show(markup.notice("You have decided otherwise since: see again what it would do."))
        return loaded
    _found(seen.found)
    _take(services, view, examined, seen)
    return loaded


def _look(
    services: Services, view: ProjectView, loaded: LoadedSchema, looking: PreviewRequest, seen: SchemaPreview | None
) -> None:
    """Compute the preview; in a process of its own if the project is large."""
    n = sum(change_history.in_each_state(services.store, by=services.person, project=view.name).values())
    about = {"project": view.name, "loaded": loaded, "decisions": looking.decisions, "press": looking.press}

    def ask() -> FigureState:
        state = (looking.press,)
        figure = figure_requests.request_figure(
            services.store, services.settings, "schema", about, state=state, size=ITEM * n
        )
        return figure if figure.current else FigureState(None, current=False)

    there: FigureState | None = None
    with shell.pressed(services):
        there = ask()
    if there is not None and not there.current:
        show_pending(services, there, ask, about="What it would do is")
        return
    del st.session_state[f"schema.looking.{view.name}"]
    if there is not None and there.figure is not None:
        preview: MigrationPreview = there.figure.value
        plain = seen.plain if seen is not None else preview
        st.session_state[f"schema.seen.{view.name}"] = SchemaPreview(looking.hash, plain, looking.decisions, preview)
    st.rerun()


def _forms(view: ProjectView, new: LoadedSchema | None) -> None:
    shell.show(
        markup.tag(
            "p", markup.quiet("Each form with a made-up item. Try it: nothing is saved, no one sees it."), style="ts"
        )
    )
    in_force = (f"In force: version {view.schema.schema_.version}", view.schema)
    written = [(f"Written above: version {new.schema_.version}", new)] if new is not None else []
    form_preview.forms([*written, in_force], key=f"schema.preview.{view.name}")


def _new(view: ProjectView) -> SchemaCheck | None:
    """Return the edited or uploaded schema. None if it equals the schema in force, or is invalid."""
    left, right = st.columns(2, gap="large")
    with left:
        file = st.file_uploader("The new version, as YAML; or write it below", type=["yaml", "yml"], key="schema.file")
    with right:
        guideline = st.file_uploader("Its guideline, if that changes, too", type=["md"], key="schema.guideline")
    text = guideline_text = None
    try:
        text = yaml_text.decode(file.getvalue()) if file is not None else None
        guideline_text = yaml_text.decode(guideline.getvalue()) if guideline is not None else None
    except ValueError as error:
        shell.show(markup.notice(f"The file cannot be read: {error}.", style="bad"))
        return None
    if file is None:
        text = st.text_area("The schema", value=view.schema.text, height=320, key=f"schema.text.{view.schema.hash}")
    if text == view.schema.text and guideline_text is None:
        shell.show(markup.tag("div", markup.quiet("Change it to see what that would do."), style="ts ts-small"))
        return None
    try:
        examined = examine_text(
            text or "", guideline_text if guideline_text is not None else view.schema.guideline_text, "line"
        )
    except SchemaError as error:
        form_preview.problems("This schema does not fit yet:", str(error).splitlines(), style="bad")
        return None
    if examined.warnings:
        form_preview.problems("To look at:", examined.warnings)
    return examined


# ---- decisions ------------------------------------------------------------------------------------------------------


def _decide(seen: SchemaPreview) -> Decisions:
    """Draw a line for each change that needs a decision, with its options. Return the decisions."""
    shell.section("Decisions")
    waiting = list(_to_decide(seen))
    if not waiting:
        shell.show(markup.tag("div", markup.quiet("Nothing is to be decided."), style="ts ts-small"))
    made: list[Decision] = []
    for preview, change in waiting:
        about = markup.tag("div", markup.quiet(change.row.meaning), style="ts-small")
        shell.show(markup.tag("div", markup.mono(change.path), _count(change), about, style="ts"))
        left, right = st.columns(2)
        with left:
            chosen = st.selectbox(
                change.path,
                [way.name for way in change.row.decisions],
                index=None,
                format_func=lambda name: WAYS[name].meaning[0].upper() + WAYS[name].meaning[1:],
                placeholder="decide",
                key=f"schema.way.{seen.hash[:12]}.{change.path}",
                label_visibility="collapsed",
            )
        way = WAYS[chosen] if chosen is not None else None
        with right:
            target = _target(preview, change, way, seen.hash[:12]) if way is not None and way.has_target else None
        if way is not None and (target or not way.has_target):
            made.append(Decision(way, change.short if way.renames else change.path, target))
    return Decisions(tuple(made))


def _to_decide(seen: SchemaPreview) -> Iterator[tuple[MigrationPreview, Change]]:
    """Yield the changes that need a decision, alone or because of other decisions."""
    paths = set()
    for preview in (seen.plain, seen.found):
        for change in preview.comparison.changes:
            if change.row.decisions and change.status is not Status.COMPATIBLE and change.path not in paths:
                paths.add(change.path)
                yield preview, change


def _target(preview: MigrationPreview, change: Change, way: DecisionKind, round: str) -> str | None:
    key = f"schema.target.{round}.{change.path}.{way.name}"
    known = [spelled(target) for target in targets(preview.comparison, change, way)]
    if known:
        return st.selectbox("to", known, index=None, placeholder="to which", key=key, label_visibility="collapsed")
    if way.renames:
        shell.show(markup.tag("div", markup.quiet("Nothing new is there that it could be."), style="ts ts-small"))
        return None
    return st.text_input("value", key=key, placeholder="which value", label_visibility="collapsed").strip() or None


def _count(change: Change) -> markup.Markup:
    return markup.quiet(f"  {change.used.in_words}" if change.used else "")


# ---- preview --------------------------------------------------------------------------------------------------------


def _found(found: MigrationPreview) -> None:
    shell.section("What it would do")
    counts = [
        f"{n} {status.value}" for status, n in found.comparison.counts.items() if n
    ]  # in the order of the classes: changes without a decision first
    shell.show(markup.tag("p", markup.text(f"Changes: {', '.join(counts) or 'none'}."), style="ts"))
    rows = []
    for status in reversed(Status):
        for change in found.comparison.of(status):
            old, new = values_in_line(change.old, change.new)
            meaning = f"Decided: {change.decided.way.meaning}." if change.decided else change.row.meaning
            rows.append(
                [
                    markup.tag("span", markup.text(status.value), style=_STATUS[status]),
                    markup.mono(change.path),
                    markup.text(f"{old} → {new}"),
                    markup.joined([markup.text(meaning), _count(change)]),
                ]
            )
    shell.show(markup.table([("Class", ""), ("Where", ""), ("Change", ""), ("What follows", "")], rows))
    for sentence in found.refused:
        shell.show(markup.notice(sentence, style="bad"))
    words = {state: state_called(found.comparison.new.stages, state) for state in ItemState}
    states = [
        [markup.text(words[state]), markup.number(found.before.get(state, 0)), markup.number(found.after.get(state, 0))]
        for state in ItemState
        if found.before.get(state) or found.after.get(state)
    ]
    shell.show(markup.table([("Items", ""), ("now", "number"), ("then", "number")], states))
    if found.placed:
        placed = [
            [markup.mono(name), markup.number(before), markup.number(after)]
            for name, (before, after) in found.placed.items()
        ]
        shell.show(markup.table([("Dimension", ""), ("items now", "number"), ("then", "number")], placed))
    shell.show(
        markup.tag(
            "p",
            markup.text(
                f"Of {markup.count(found.votes, 'vote')} that count, {found.asked_again:,} would be asked again. "
                f"{markup.count(found.in_hand, 'task')} in hand and {markup.count(found.drafts, 'draft')} stay."
            ),
            style="ts",
        )
    )
    for beside in found.besides:
        shell.show(markup.tag("p", markup.text(beside.sentence), style="ts"))
    if found.moved:
        lines = [
            [
                markup.mono(moved_item.item),
                markup.text(f"{words[moved_item.before]} → {words[moved_item.after]}"),
                markup.text(moved_item.why),
            ]
            for moved_item in found.moved[:SHOWN_ITEMS]
        ]
        with st.expander(f"{markup.count(len(found.moved), 'item')} would come out otherwise"):
            shell.show(markup.table([("Item", ""), ("State", ""), ("Why", "")], lines))
            if len(found.moved) > SHOWN_ITEMS:
                shell.show(markup.tag("p", markup.quiet(f"The first {SHOWN_ITEMS} are shown."), style="ts"))


def _take(services: Services, view: ProjectView, examined: SchemaCheck, seen: SchemaPreview) -> None:
    for change in seen.found.comparison.missing:
        shell.show(markup.notice(f"{change.path}: this waits for your decision."))
    if not seen.found.can_be_done:
        return
    shell.show(markup.tag("p", markup.quiet("People work on meanwhile, and it can be taken back here."), style="ts"))
    if st.button(f"Bring version {seen.found.new_version} into force", type="primary", key="schema.take"):
        with shell.pressed(services):
            change_jobs.do_change(services, SchemaOrder(view.name, "take", examined.loaded, seen.decisions))
            st.session_state.pop(f"schema.seen.{view.name}", None)
        st.rerun()
