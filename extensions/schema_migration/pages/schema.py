"""The page *Form*: the schema in force, the effects of an edited one, the decisions it needs, and undo."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st

from annotation_schemas.loader import SchemaCheck, examine_text
from annotation_schemas.model import LoadedSchema
from annotation_schemas.state_words import state_called
from app import markup, shell
from app.jobs import figure_requests
from app.jobs.figure_requests import FigureState
from app.reruns import messages
from app.reruns.pending_figures import show_pending
from app.schema_pages import form_preview
from app.schema_pages.schema_editor import EditedSchema, SchemaEditor, schema_editor
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
        f"Version {view.schema.schema_.version} is in force. You can see the effects of a change before you make the "
        "change, and undo the change later. Each vote keeps its schema version.",
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
    if going is not None or (past and past[-1].finished_at is None):
        _go_on(services, view, going)
    else:
        _edit(services, view)
    shell.section("Earlier changes")
    show_past(services, view, past, under_way=going is not None)


def _go_on(services: Services, view: ProjectView, going: Job | None) -> None:
    """Draw the progress of a running change. A change without a running process may have been interrupted."""
    if going is None:
        shell.show(
            markup.notice(
                "A schema change is not finished. If the number below stops increasing, finish or undo "
                "the change. No votes are lost, and people can keep working."
            )
        )
    else:
        shell.show(markup.notice("The change is running. People keep working, and you can leave this page."))
    _how_far(services, view, going)
    if going is not None:
        return
    left, right, _ = st.columns([1, 1, 3])
    finish = left.button("Finish change", type="primary", key="schema.finish", width="stretch")
    back = right.button("Undo change", key="schema.interrupted", width="stretch")
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
            text = f"{stands.done:,} of {markup.count(stands.items, 'item')} updated"
            st.progress(min(stands.done / stands.items, 1.0), text=text)
        else:
            st.progress(0.0, text="Reading stored votes")


# ---- a new version --------------------------------------------------------------------------------------------------


def _edit(services: Services, view: ProjectView) -> None:
    """Draw the effects of the edited schema, and the decisions that it needs."""
    examined = _new(services, view)
    if examined is None:
        return
    loaded = examined.loaded
    hash = hashlib.sha256(f"{view.schema.hash} {loaded.hash}".encode()).hexdigest()
    seen: SchemaPreview | None = st.session_state.get(f"schema.seen.{view.name}")
    if seen is not None and seen.hash != hash:
        seen = None
    made = _decide(seen) if seen is not None else Decisions()
    looking: PreviewRequest | None = st.session_state.get(f"schema.looking.{view.name}")
    if looking is not None and looking.hash == hash:
        _look(services, view, loaded, looking, seen)
        return
    asked = seen is None and st.query_params.pop("effects", None) is not None  # the editor's button led here
    if st.button("See effects", key="schema.look", type="secondary" if seen else "primary") or asked:
        st.session_state[f"schema.looking.{view.name}"] = PreviewRequest(hash, made, secrets.token_hex(8))
        st.rerun()
    if seen is None:
        return
    if made != seen.decisions:
        shell.show(markup.notice("Your decisions changed. Press “See effects” again."))
        return
    _found(seen.found)
    _take(services, view, examined, seen)


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
        show_pending(services, there, ask, about="The effects are")
        return
    del st.session_state[f"schema.looking.{view.name}"]
    if there is not None and there.figure is not None:
        preview: MigrationPreview = there.figure.value
        plain = seen.plain if seen is not None else preview
        st.session_state[f"schema.seen.{view.name}"] = SchemaPreview(looking.hash, plain, looking.decisions, preview)
    st.rerun()


def _new(services: Services, view: ProjectView) -> SchemaCheck | None:
    """Draw the way to the editor. Return the edited schema; None if it equals the schema in force, or is invalid."""
    editor = schema_editor()
    if editor is None:
        text = st.text_area("Schema (YAML)", value=view.schema.text, height=320, key=f"schema.text.{view.schema.hash}")
        edited: EditedSchema | None = EditedSchema(text or "", view.schema.guideline_text)
    else:
        edited = _draft(services, view, editor)
    if edited is None or edited == EditedSchema(view.schema.text, view.schema.guideline_text):
        shell.show(
            markup.paragraph(
                "Nothing has changed yet. Edit the form to see the effects of a change.", style="ts ts-quiet"
            )
        )
        return None
    try:
        examined = examine_text(edited.text, edited.guideline, "line")
    except SchemaError as error:
        form_preview.problems("The form has errors. Fix these lines first.", str(error).splitlines(), style="bad")
        return None
    if examined.warnings:
        form_preview.problems("The form is valid, but these lines have warnings.", examined.warnings)
    return examined


def _draft(services: Services, view: ProjectView, editor: SchemaEditor) -> EditedSchema | None:
    """Draw the link to the editor, and return the person's draft."""
    draft = editor.draft(services.store, services.person, view.name)
    label = "Continue editing" if draft is not None else "Edit form"
    link = markup.tag("a", markup.text(label), href=editor.address(view.name), target="_self", style="ts-button")

    def discard() -> None:
        with shell.pressed(services):
            editor.discard(services.store, services.person, view.name)

    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(link, width="content")
        if draft is not None:
            st.button("Discard draft", key="schema.discard", on_click=discard)
            st.html(markup.quiet("You have a draft. Other people do not see your draft."))
    return draft


# ---- decisions ------------------------------------------------------------------------------------------------------


def _decide(seen: SchemaPreview) -> Decisions:
    """Draw a line for each change that needs a decision, with its options. Return the decisions."""
    shell.section("Decisions")
    waiting = list(_to_decide(seen))
    if not waiting:
        shell.show(markup.tag("div", markup.quiet("This change needs no decision."), style="ts ts-small"))
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
                placeholder="Choose",
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
        return st.selectbox(
            "to", known, index=None, placeholder="Choose a target", key=key, label_visibility="collapsed"
        )
    if way.renames:
        shell.show(
            markup.tag(
                "div",
                markup.quiet("The new form has no name that can replace this name. Choose another decision."),
                style="ts ts-small",
            )
        )
        return None
    return st.text_input("value", key=key, placeholder="Value", label_visibility="collapsed").strip() or None


def _count(change: Change) -> markup.Markup:
    return markup.quiet(f"  {change.used.in_words}" if change.used else "")


# ---- preview --------------------------------------------------------------------------------------------------------


def _found(found: MigrationPreview) -> None:
    shell.section("Effects")
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
    shell.show(markup.table([("Effect", ""), ("Place", ""), ("Change", ""), ("Meaning", "")], rows))
    for sentence in found.refused:
        shell.show(markup.notice(sentence, style="bad"))
    words = {state: state_called(found.comparison.new.stages, state) for state in ItemState}
    states = [
        [markup.text(words[state]), markup.number(found.before.get(state, 0)), markup.number(found.after.get(state, 0))]
        for state in ItemState
        if found.before.get(state) or found.after.get(state)
    ]
    shell.show(markup.table([("Items", ""), ("Now", "number"), ("After", "number")], states))
    if found.placed:
        placed = [
            [markup.mono(name), markup.number(before), markup.number(after)]
            for name, (before, after) in found.placed.items()
        ]
        shell.show(markup.table([("Dimension", ""), ("Items now", "number"), ("After", "number")], placed))
    shell.show(
        markup.tag(
            "p",
            markup.text(
                f"People will be asked again for {found.asked_again:,} of "
                f"{markup.count(found.votes, 'vote')} that count. Touchstone keeps "
                f"{markup.count(found.in_hand, 'open task')} and {markup.count(found.drafts, 'draft')}."
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
        with st.expander(f"{markup.count(len(found.moved), 'item')} with a changed result"):
            shell.show(markup.table([("Item", ""), ("State", ""), ("Why", "")], lines))
            if len(found.moved) > SHOWN_ITEMS:
                shell.show(markup.tag("p", markup.quiet(f"The table shows the first {SHOWN_ITEMS} items."), style="ts"))


def _take(services: Services, view: ProjectView, examined: SchemaCheck, seen: SchemaPreview) -> None:
    for change in seen.found.comparison.missing:
        shell.show(markup.notice(f"{change.path}: choose what happens to stored votes."))
    if not seen.found.can_be_done:
        return
    shell.show(
        markup.tag(
            "p",
            markup.quiet("People keep working during the change. You can undo the change on this page."),
            style="ts",
        )
    )
    if st.button(f"Use version {seen.found.new_version}", type="primary", key="schema.take"):
        with shell.pressed(services):
            change_jobs.do_change(services, SchemaOrder(view.name, "take", examined.loaded, seen.decisions))
            st.session_state.pop(f"schema.seen.{view.name}", None)
            if (editor := schema_editor()) is not None:
                editor.discard(services.store, services.person, view.name)
        st.rerun()
