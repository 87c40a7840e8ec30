"""The page *Bulk actions*: apply one action to many items or claims, after a preview; to all of them or to none."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from annotation_schemas.state_words import state_called, states_of
from app import markup, shell
from app.items import bulk_preview
from app.reruns import messages
from app.screens import Group, Screen
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Question
from domain.errors import TouchstoneError
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Stage
from workflow.access import projects
from workflow.lead import bulk, bulk_plans
from workflow.lead.bulk_plans import Action, Chosen
from workflow.lead.send_back import Reasons

SCREEN = Screen("Bulk actions", place=160, role=Role.LEAD, group=Group.ITEMS)


def render(services: Services) -> None:
    """Draw the choice of an action and items, the preview, and the button that applies the action."""
    view = shell.lead_of(services)
    shell.heading(
        "Bulk actions",
        "Do one thing to many items or assignments. You first see what it would change and what not, and why. If any of"
        " that changes before you confirm, nothing is done.",
        made_up=view.made_up,
    )
    shell.tell_refused()
    said = messages.kept("bulk.said")
    if said:
        shell.show(markup.notice(said, style="good"))
    action, chosen, to, priority, why = _form(services, view)
    ask: dict[str, Any] = {
        "by": services.person,
        "project": view.name,
        "action": action,
        "chosen": chosen,
        "to": to,
        "priority": priority,
        "reasons": Reasons(why),
    }
    try:
        found = bulk.preview(services.store, **ask)
    except TouchstoneError as error:
        shell.show(markup.notice(str(error)))
        return
    shell.show(*bulk_preview.previewed(found, action), *bulk_preview.without_effect(view, action))
    noun = bulk_preview.noun_of(action)
    label = f"Change {markup.count(len(found.can), noun)}"

    def do() -> None:
        n = bulk.do(services.store, **ask, token=found.token)
        messages.keep("bulk.said", f"Done: {markup.count(n, noun)} changed.")
        bulk_preview.empty_boxes()

    if found.can:
        n_items = markup.count(len(found.can), noun)
        whole = f"every {noun} of the project that can change ({n_items})" if chosen.every else n_items
        words = f"{bulk_preview.ACTIONS[action]}: {whole}."
        if action in bulk_plans.ON_CLAIMS:
            called = shell.called(services, filter(None, (chosen.person, to)))
            words = f"{whole} of {called(chosen.person or '')} for {called(to) if to else 'anyone who asks next'}."
        question = Question(f"{label}?", words, bulk_preview.UNDO[action], f"Yes, {label.lower()}")
        confirm.button(label, services, question, do, key="bulk.do", sure="bulk.sure")


def _form(services: Services, view: ProjectView) -> tuple[Action, Chosen, str | None, int, str]:
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    stages = view.schema.schema_.stages
    members = projects.members(services.store, person=services.person, project=view.name)
    logins = [row.person.login for row in members]
    voters = bulk.voters(services.store, by=services.person, project=view.name)
    called = shell.called(services, [*logins, *voters])
    action = st.selectbox(
        "What",
        [one for one in Action if one is not Action.ASSIGN and (stages.authoring or one is not Action.SEND_BACK)],
        format_func=lambda one: bulk_preview.ACTIONS[one],
        key="bulk.action",
    )
    action = action or Action.GIVE_BACK
    claims = action in bulk_plans.ON_CLAIMS
    one, two, three, four = st.columns(4)
    with one:
        label = "Whose assignments" if claims else "Voted on by"
        whose = logins if claims else voters
        key, nobody = (bulk_preview.box("person"), "choose") if claims else (bulk_preview.box("voter"), "anyone")
        person = st.selectbox(label, whose, index=None, format_func=called, key=key, placeholder=nobody)
    with two:
        dimension = st.selectbox(
            "Dimension",
            list(titles),
            index=None,
            format_func=titles.__getitem__,
            key=bulk_preview.box("dimension"),
            placeholder="any",
        )
    with three:
        state = st.selectbox(
            "State of the item",
            states_of(stages),
            index=None,
            format_func=partial(state_called, stages),
            key=bulk_preview.box("state"),
            placeholder="any",
        )
    with four:
        stage, to, priority = None, None, 0
        if claims:
            asked = [each for each in Stage if getattr(stages, each) is not None]
            stage = st.selectbox(
                "Stage",
                asked,
                index=None,
                format_func=stages.title_of,
                key=bulk_preview.box("stage"),
                placeholder="any",
            )
        elif action is Action.PRIORITISE:
            priority = int(st.number_input("Priority", value=0, step=1, key="bulk.priority"))
    if action is Action.REASSIGN:
        others = [login for login in logins if login != person]
        to = st.selectbox("To", others, index=None, format_func=called, key=bulk_preview.box("to"))
    pasted = st.text_area("Only these items (ids as in files, one a line)", key=bulk_preview.box("items"), height=80)
    ids = tuple(dict.fromkeys(line.strip() for line in pasted.splitlines() if line.strip()))
    some = Chosen(stage=stage, dimension=dimension, state=state, person=person, items=ids)
    every = not claims and some.nothing and st.checkbox("Every item of the project", key=bulk_preview.box("every"))
    why = bulk_preview.reason(bulk_preview.box("why")) if action is Action.SEND_BACK else ""
    return action, replace(some, every=every), to, priority, why
