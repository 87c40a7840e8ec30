"""The dialog with actions on the ticked or matching items of the page *Items*, or on one item.

The dialog first shows what an action would change, and then offers one button.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from app import markup, shell
from app.items import added_actions, bulk_previews, chosen_export
from app.items.added_actions import DIALOG, ItemAction, SelectedItems
from app.reruns import dialogs, session_values
from app.services import Services
from app.workbench.ticks import ticks, untick
from domain import extensions
from domain.errors import TouchstoneError
from domain.item_filter import ItemFilter, ItemList
from domain.records import ProjectView
from domain.states import Stage
from workflow.access import memberships
from workflow.lead import bulk, bulk_plans, item_list
from workflow.lead.bulk_plans import Action, BulkSelection
from workflow.lead.item_list import ItemLine
from workflow.lead.send_back import Reasons

EXPORT = "export"
"""Export only these items."""
WORDS = {
    Action.ASSIGN: "Assign to people",
    Action.PRIORITISE: "Set priority",
    Action.VERIFY_AGAIN: "Verify again",
    Action.SEND_BACK: "Send back to authors",
}


def offer(services: Services, view: ProjectView, asked: ItemList, n: int) -> None:
    """Draw how many items are ticked, and the button that opens the dialog with the actions."""
    ticked = ticks(view.name, services.person.id, wanted=dialogs.is_open(DIALOG))
    session_values.place()[_TICKED] = ticked
    body = partial(_dialog, services, view, asked, n, None)
    st.button("Change items", key="items.change", on_click=dialogs.show, args=("Change items", body), kwargs=_NAMED)


def offer_one(services: Services, view: ProjectView, line: ItemLine) -> None:
    """Draw the button that opens the dialog with the actions for one item."""
    body = partial(_dialog, services, view, ItemList(), 1, line.name)
    st.button("Change item", key="items.change.one", on_click=dialogs.show, args=("Change item", body), kwargs=_NAMED)


_NAMED = {"name": DIALOG}
_TICKED = "items.ticked"
"""The session value with the ticked items: None until the browser has replied."""
TICKED, EVERY = "ticked", "every"


def _dialog(services: Services, view: ProjectView, asked: ItemList, n: int, one: str | None) -> None:
    """Draw the choice of items and of an action, the preview, and the button."""
    shell.tell_refused()
    if one is not None:
        _offer(services, view, ItemList(), [one])
        return
    ticked = session_values.place().get(_TICKED)
    if ticked is None:
        shell.show(markup.quiet("Reading your selection…"))  # until the browser has replied
        return
    match = "matches" if n == 1 else "match"
    matching = f"that {match} the filter" if asked.filter != ItemFilter() else "of the project"
    words = {EVERY: f"All {markup.count(n, 'item')} {matching}" if n != 1 else f"1 item {matching}"}
    if ticked:
        words = {TICKED: f"{markup.count(len(ticked), 'selected item')}", **words}
    which = st.radio("Items", list(words), key=f"items.which.{bool(ticked)}", format_func=words.__getitem__)
    _offer(services, view, asked, ticked if which == TICKED else None)


def _offer(services: Services, view: ProjectView, asked: ItemList, ticked: Sequence[str] | None) -> None:
    look: dict[str, Any] = {"person": services.person, "project": view.name}
    seen = item_list.picked(services.store, **look, wanted=asked.filter, ticked=ticked)
    if seen.gone:
        _say_gone(services, view, seen.gone, len(ticked or ()))
    names = seen.names
    if not names:
        return

    def still() -> None:
        item_list.must_be_as(services.store, **look, seen=seen)

    selected = SelectedItems(names, still, every=seen.every and asked.filter == ItemFilter())
    stages = [stage for stage in Stage if _part(view, stage) is not None]
    written = _part(view, Stage.AUTHORING) is not None
    others = sorted(extensions.rows("item_actions"), key=lambda each: each.place)
    added: dict[str, ItemAction] = {other.name: other for other in others if other.is_offered(view)}
    words = WORDS | {name: action.words for name, action in added.items()} | {EXPORT: "Export"}
    doing = [word for word in words if word != Action.SEND_BACK or written]
    what = st.selectbox("Action", doing, format_func=words.__getitem__, key="items.what")

    def as_seen() -> Sequence[str]:
        still()
        return names

    if what == EXPORT:
        chosen_export.offer(services, view, len(names), as_seen, of=names)
    elif len(names) > bulk_plans.MOST:
        words_ = (
            f"You chose {len(names):,} items, which is too many for one action. Choose at most {bulk_plans.MOST:,} "
            "items, or export the items."
        )
        shell.show(markup.notice(words_))
    elif what in added:
        added[what].draw(services, view, selected)
    else:
        _change(services, view, stages, Action(what or Action.ASSIGN), selected)


def _say_gone(services: Services, view: ProjectView, gone: Sequence[str], n: int) -> None:
    one = len(gone) == 1
    words = (
        f"{len(gone):,} of {markup.count(n, 'selected item')} {'does' if one else 'do'} not match this list and "
        f"{'is' if one else 'are'} excluded: {item_list.first_names(gone)}. The items may have changed, or a filter "
        "may hide the items."
    )
    shell.show(markup.notice(words))
    drop = partial(untick, view.name, services.person.id, gone)
    label = f"Deselect {markup.count(len(gone), 'item')}"
    if st.button(label, key=f"items.untick.{hash(tuple(gone))}", on_click=drop):
        st.rerun()


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
            added_actions.refusal("Assign items", "Choose at least one person.", key="items.do")
            return
    elif action is Action.PRIORITISE:
        priority = int(st.number_input("Priority", value=0, step=1, key="items.priority"))
    elif action is Action.SEND_BACK:
        why = bulk_previews.reason("items.why")
    ask = {"by": services.person, "project": view.name, "action": action, "among": among, "priority": priority}
    ask["reasons"] = Reasons(why)
    chosen = BulkSelection(stage=stage, items=selected.names)
    n_items = markup.count(len(selected.names), "item")
    try:
        preview = bulk.preview(services.store, chosen=chosen, **ask)  # type: ignore[arg-type]
    except TouchstoneError as error:
        added_actions.refusal(f"Change {n_items}", str(error), key="items.do")
        return
    shell.show(*bulk_previews.previewed(preview, "item"), *bulk_previews.without_effect(view, action))
    if preview.shares:
        rows = [[markup.text(called(login)), markup.text(f"{n:,}")] for login, n in preview.shares.items()]
        shell.show(markup.table([("Person", ""), ("Items", "number")], rows))
    if not preview.can:
        added_actions.refusal(
            f"Change {n_items}",
            "This action cannot change any of these items. Choose other items or another action.",
            key="items.do",
        )
        return

    def do() -> None:
        selected.still()
        n = bulk.do(services.store, chosen=chosen, token=preview.token, **ask)  # type: ignore[arg-type]
        selected.done(f"{markup.count(n, 'item')} changed.")

    n_items = markup.count(len(preview.can), "item")
    undo = bulk_previews.UNDO[action]
    added_actions.button(f"Change {n_items}", services, do, selected, can=preview.can, key="items.do", undo=undo)
