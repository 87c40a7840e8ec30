"""Actions on the ticked or matching items of the page *Items*.

Each action asks first, with counts, and is done once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from app import markup, shell
from app.items import bulk_previews, chosen_export
from app.items.added_actions import DONE, ItemAction, SelectedItems
from app.reruns import messages, session_values
from app.screens import SCREENS
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Confirmation
from app.workbench.ticks import ticks, untick
from domain import extensions
from domain.errors import ConflictError, TouchstoneError
from domain.item_filter import ItemList
from domain.records import ProjectView
from domain.states import Stage
from workflow.access import memberships
from workflow.lead import bulk, bulk_plans, item_list
from workflow.lead.bulk_plans import Action, BulkSelection
from workflow.lead.send_back import Reasons

EXPORT = "export"
"""Export only these items."""
WORDS = {
    Action.ASSIGN: "Assign them to people",
    Action.PRIORITISE: "Set their priority",
    Action.VERIFY_AGAIN: "Have them verified again",
    Action.SEND_BACK: "Send them back to their authors",
}


NOTHING, TICKED, EVERY = "nothing", "what is ticked", "all that fit"
"""The choices of items for an action."""


def offer(services: Services, view: ProjectView, asked: ItemList, n: int) -> None:
    """Draw the choice of items and of an action, the preview, and the button."""
    called = {EVERY: f"{EVERY} ({markup.count(n, 'item')})"}
    # always present and of the same height, so that the table does not move while a person ticks boxes with the mouse
    counted = f"items.round.{view.name}"
    above = st.container()
    which = st.radio(
        "Do something with",
        (NOTHING, TICKED, EVERY),
        horizontal=True,
        key=f"items.which.{view.name}.{hash(asked.filter)}.{session_values.place().get(counted, 0)}",
        format_func=lambda each: called.get(each, each),
    )
    with above:
        ticked = ticks(view.name, services.person.id, wanted=which == TICKED)
    if which == NOTHING:
        tell_done()
    if which == TICKED and ticked is None:
        shell.show(markup.quiet("Asking what is ticked."))  # until the browser has replied
    elif which == TICKED and not ticked:
        shell.show(markup.notice("Nothing is ticked. Tick items in the table below."))
    elif which == EVERY and n > bulk_plans.MOST:
        most = f"{bulk_plans.MOST:,}"
        sentence = f"These are {n:,}; one change takes at most {most}. Narrow the list with a filter, or tick some."
        shell.show(markup.notice(f"{sentence} They can be exported."))
        chosen_export.offer(services, view, n, partial(_all, services, view, asked, n), of=asked.filter)
    elif which != NOTHING:
        _offer(services, view, asked, ticked if which == TICKED else None, counted)


def tell_done() -> None:
    """Show the message about a finished action."""
    if done := messages.kept_message(DONE):
        shell.show(markup.notice(done, style="good"))


def _all(services: Services, view: ProjectView, asked: ItemList, n: int) -> Sequence[str]:
    names = item_list.names(services.store, person=services.person, project=view.name, wanted=asked.filter)
    if len(names) != n:
        raise ConflictError(f"The list has {len(names):,} items by now, so nothing was made; look at it again.")
    return names


def _offer(services: Services, view: ProjectView, asked: ItemList, ticked: Sequence[str] | None, counted: str) -> None:
    look: dict[str, Any] = {"person": services.person, "project": view.name}
    seen = item_list.picked(services.store, **look, wanted=asked.filter, ticked=ticked)
    if seen.gone:
        _say_gone(services, view, seen.gone, len(ticked or ()))
    names = seen.names
    if not names:
        return

    def still() -> None:
        item_list.must_be_as(services.store, **look, seen=seen)

    selected = SelectedItems(names, still, counted)
    stages = [stage for stage in Stage if _part(view, stage) is not None]
    written = _part(view, Stage.AUTHORING) is not None
    others = sorted(extensions.rows("item_actions"), key=lambda each: each.place)
    added: dict[str, ItemAction] = {other.name: other for other in others if other.is_offered(view)}
    words = WORDS | {name: action.words for name, action in added.items()} | {EXPORT: "Export them"}
    doing = [word for word in words if word != Action.SEND_BACK or written]
    what = st.selectbox(
        f"With {markup.count(len(names), 'item')}", doing, format_func=words.__getitem__, key="items.what"
    )

    def as_seen() -> Sequence[str]:
        still()
        return names

    if what == EXPORT:
        chosen_export.offer(services, view, len(names), as_seen, of=names)
    elif len(names) > bulk_plans.MOST:
        sentence = (
            f"These are {len(names):,}; one change takes at most {bulk_plans.MOST:,}. Untick some, or export them."
        )
        shell.show(markup.notice(sentence))
    elif what in added:
        added[what].draw(services, view, selected)
    else:
        _change(services, view, stages, Action(what or Action.ASSIGN), selected)


ELSEWHERE = "They may have changed meanwhile, or a filter hides them."


def _say_gone(services: Services, view: ProjectView, gone: Sequence[str], n: int) -> None:
    one = len(gone) == 1
    words = f"{len(gone):,} of the {n:,} ticked {'does' if one else 'do'} not fit this list, and "
    words += f"{'is' if one else 'are'} left out: {item_list.first_names(gone)}. {ELSEWHERE}"
    shell.show(markup.notice(words))
    drop = partial(untick, view.name, services.person.id, gone)
    st.button("Untick it" if one else "Untick them", key=f"items.untick.{hash(tuple(gone))}", on_click=drop)


def _part(view: ProjectView, stage: Stage) -> object:
    """Return the schema's part for a stage, or None."""
    return getattr(view.schema.schema_.stages, stage.value)


def _change(
    services: Services,
    view: ProjectView,
    stages: list[Stage],
    action: Action,
    selected: SelectedItems,
) -> None:
    """Draw one of the bulk actions, with its own preview and confirmation."""
    stage, priority, why = None, 0, ""
    among: tuple[str, ...] = ()
    if action is Action.ASSIGN:
        members = memberships.list_members(services.store, person=services.person, project=view.name)
        logins = [member.person.login for member in members]
        left, right = st.columns(2)
        called = shell.called(services, logins)
        among = tuple(left.multiselect("To", logins, format_func=called, key="items.to", placeholder="choose"))
        held = [stage for stage in stages if stage not in (Stage.TRIAGE, Stage.AUTHORING)]
        stage = right.selectbox("Stage", held, key="items.stage", format_func=view.schema.schema_.stages.title_of)
        if not among:
            return
    elif action is Action.PRIORITISE:
        priority = int(st.number_input("Priority", value=0, step=1, key="items.priority"))
    elif action is Action.SEND_BACK:
        why = bulk_previews.reason("items.why")
    ask = {"by": services.person, "project": view.name, "action": action, "among": among, "priority": priority}
    ask["reasons"] = Reasons(why)
    chosen = BulkSelection(stage=stage, items=selected.names)
    try:
        preview = bulk.preview(services.store, chosen=chosen, **ask)  # type: ignore[arg-type]
    except TouchstoneError as error:
        shell.show(markup.notice(str(error)))
        return
    shell.show(*bulk_previews.previewed(preview, "item"), *bulk_previews.without_effect(view, action))
    if preview.shares:
        rows = [[markup.text(called(login)), markup.text(f"{n:,}")] for login, n in preview.shares.items()]
        shell.show(markup.table([("Person", ""), ("Items", "number")], rows))
    if not preview.can:
        return

    def do() -> None:
        selected.still()
        n = bulk.do(services.store, chosen=chosen, token=preview.token, **ask)  # type: ignore[arg-type]
        selected.done(f"Done: {markup.count(n, 'item')} changed.")

    n_items = markup.count(len(preview.can), "item")
    words = f"{bulk_previews.ACTIONS[action]}: {n_items}."
    if action is Action.ASSIGN:
        words = f"{n_items} for {' and '.join(map(called, preview.shares or among))}."
        whom = "this person" if len(among) == 1 else "each of these people"
        words += f" They wait for {whom} alone for {bulk.ASSIGNED_FOR.days} days; then anyone who asks gets them."
    undo = bulk_previews.UNDO[action]
    if action is Action.ASSIGN and "bulk" in SCREENS:
        undo = "It can be undone: give each person's assignments back on Bulk actions."
    question = Confirmation(f"Change {n_items}?", words, undo, f"Yes, change {n_items}")
    confirm.button(f"Change {n_items}", services, question, do, key="items.do", sure="items.sure")
