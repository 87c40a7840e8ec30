"""What is done to all items that fit on the page *Items*: each asks first, with counts, and is done once."""

from __future__ import annotations

from functools import partial

import streamlit as st

from app import confirm, markup, shell
from app.confirm import Question
from app.services import Services
from app.views import bulk as bulk_page
from domain.errors import TouchstoneError
from domain.item_filter import ItemList
from domain.records import ProjectView
from domain.states import Stage
from workflow.access import projects
from workflow.annotate import qualification_sets
from workflow.lead import bulk, item_list
from workflow.lead.bulk import Action, Chosen

QUALIFY = "qualify"
"""Make a qualification set of them."""
WORDS = {
    Action.ASSIGN: "Assign them to a person",
    Action.PRIORITISE: "Set their priority",
    Action.VERIFY_AGAIN: "Have them verified again",
    QUALIFY: "Make a qualification set of them",
}


def offer(services: Services, view: ProjectView, asked: ItemList, n: int) -> None:
    """The choice of items and of what to do, the preview, and the button."""
    every = st.toggle(f"Do something with all that fit ({markup.count(n, 'item')})", key=f"items.every.{hash(asked)}")
    if not every:
        return
    if n > bulk.MOST:
        told = f"These are {n:,}; one change takes at most {bulk.MOST:,}. Narrow the list with a filter."
        shell.show(markup.notice(told))
        return
    names = item_list.names(services.store, person=services.person, project=view.name, wanted=asked.filter)
    stages = [stage for stage in Stage if getattr(view.schema.schema_.stages, stage.value) is not None]
    before = [
        each for each in stages if getattr(getattr(view.schema.schema_.stages, each.value), "qualification", None)
    ]
    doing = [each for each in WORDS if each != QUALIFY or before]
    what = st.selectbox(
        f"With {markup.count(len(names), 'item')}", doing, format_func=WORDS.__getitem__, key="items.what"
    )
    if what == QUALIFY:
        _qualify(services, view, before, names)
    else:
        _change(services, view, stages, Action(what or Action.ASSIGN), names)


def _change(services: Services, view: ProjectView, stages: list[Stage], action: Action, names: tuple[str, ...]) -> None:
    """One of the bulk actions, with its own preview and confirmation."""
    stage, to, priority = None, None, 0
    if action is Action.ASSIGN:
        members = projects.members(services.store, person=services.person, project=view.name)
        logins = [each.person.login for each in members]
        left, right = st.columns(2)
        called = shell.called(services, logins)
        to = left.selectbox("To", logins, index=None, format_func=called, key="items.to", placeholder="choose")
        held = [each for each in stages if each not in (Stage.TRIAGE, Stage.AUTHORING)]
        stage = right.selectbox("Stage", held, key="items.stage", format_func=view.schema.schema_.stages.title_of)
        if to is None:
            return
    elif action is Action.PRIORITISE:
        priority = int(st.number_input("Priority", value=0, step=1, key="items.priority"))
    ask = {"by": services.person, "project": view.name, "action": action, "to": to, "priority": priority}
    chosen = Chosen(stage=stage, items=names)
    try:
        found = bulk.preview(services.store, chosen=chosen, **ask)  # type: ignore[arg-type]
    except TouchstoneError as error:
        shell.show(markup.notice(str(error)))
        return
    shell.show(*bulk_page.previewed(found, action))
    if not found.can:
        return

    def do() -> None:
        n = bulk.do(services.store, chosen=chosen, token=found.token, **ask)  # type: ignore[arg-type]
        shell.keep_message("items.said", f"Done: {markup.count(n, 'item')} changed.")

    n_items = markup.count(len(found.can), "item")
    words = f"{bulk_page.ACTIONS[action]}: {n_items}."
    if action is Action.ASSIGN:
        words += f" They wait for this person alone for {bulk.ASSIGNED_FOR.days} days; then anyone who asks gets them."
    question = Question(f"Change {n_items}?", words, bulk_page.UNDO[action], f"Yes, change {n_items}")
    sure = partial(confirm.ask, services, question, do, key="items.sure")
    st.button(f"Change {n_items}", type="primary", key=f"items.do.{found.token[:16]}", on_click=sure)


def _qualify(services: Services, view: ProjectView, before: list[Stage], names: tuple[str, ...]) -> None:
    title_of = view.schema.schema_.stages.title_of
    stage = st.selectbox("Before", before, key="items.before", format_func=title_of) or before[0]
    n_items = markup.count(len(names), "item")

    def do() -> None:
        made = qualification_sets.make_set(
            services.store, by=services.person, project=view.name, stage=stage, names=names
        )
        told = f"Set {made.number} has {markup.count(len(made.items), 'item')}. {made.few}".strip()
        shell.keep_message("items.said", told)

    question = Question(
        f"Make a qualification set of {n_items}?",
        f"People new to {title_of(stage)} have to pass these {n_items}; the earlier set is not asked any more.",
        "It cannot be undone; the next set takes its place.",
        f"Yes, make a set of {n_items}",
    )
    sure = partial(confirm.ask, services, question, do, key="items.sure")
    st.button(f"Make a set of {n_items}", type="primary", key="items.qualify", on_click=sure)
