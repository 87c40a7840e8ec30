"""The page *Bulk actions*: apply one action to many items or claims, after a preview; to all of them or to none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from annotation_schemas.state_words import state_called, states_of
from app import confirm, markup, shell
from app.confirm import Confirmation
from app.reruns import messages, session_values
from app.screens import Group, Screen
from app.services import Services
from domain.comments import LONGEST_COMMENT
from domain.errors import TouchstoneError
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Stage
from workflow.access import projects
from workflow.lead import bulk, bulk_plans
from workflow.lead.bulk_plans import Action, BulkPreview, BulkSelection
from workflow.lead.send_back import Reasons

SCREEN = Screen("Bulk actions", place=160, role=Role.LEAD, group=Group.ITEMS)

ACTIONS = {
    Action.GIVE_BACK: "Give a person's assignments back to everyone",
    Action.REASSIGN: "Give a person's assignments to someone else",
    Action.PRIORITISE: "Set the priority of items",
    Action.VERIFY_AGAIN: "Have items verified again",
    Action.SEND_BACK: "Send items back to their authors, with the reason",
    Action.ASSIGN: "Assign items to people",
}
UNDO = {
    Action.GIVE_BACK: "It cannot be undone: anyone who asks next gets them. What was typed is kept for its writer.",
    Action.REASSIGN: "It can be undone: give them back to the first person in the same way.",
    Action.PRIORITISE: "It cannot be undone in one step: what the priorities were before is not kept.",
    Action.VERIFY_AGAIN: "It cannot be undone: votes cast so far stay on record and no longer count.",
    Action.SEND_BACK: (
        "It can be undone: have them verified again, which takes them from their authors. These keep the reason, and "
        "votes cast so far stay on record and no longer count."
    ),
    Action.ASSIGN: "It can be undone: give each person's assignments back on Bulk actions.",
}
SHOWN = 50
"""Number of listed ids. The counts are exact."""


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
    shell.show(*previewed(found, action), *without_effect(view, action))
    noun = _noun(action)
    label = f"Change {markup.count(len(found.can), noun)}"

    def do() -> None:
        n = bulk.do(services.store, **ask, token=found.token)
        messages.keep("bulk.said", f"Done: {markup.count(n, noun)} changed.")
        values = session_values.place()
        values[_ROUND] = values.get(_ROUND, 0) + 1  # the same action again would be refused

    if found.can:
        n_items = markup.count(len(found.can), noun)
        whole = f"every {noun} of the project that can change ({n_items})" if chosen.every else n_items
        words = f"{ACTIONS[action]}: {whole}."
        if action in bulk_plans.ON_CLAIMS:
            called = shell.called(services, filter(None, (chosen.person, to)))
            words = f"{whole} of {called(chosen.person or '')} for {called(to) if to else 'anyone who asks next'}."
        question = Confirmation(f"{label}?", words, UNDO[action], f"Yes, {label.lower()}")
        confirm.button(label, services, question, do, key="bulk.do", sure="bulk.sure")


_ROUND = "bulk.round"


def box(name: str) -> str:
    """Return the key of an input widget. The key changes after each action, so that the widget is empty again.

    A double press sends the browser's old values a second time. Under the old key they would fill the widget again.
    """
    round = session_values.place().get(_ROUND, 0)
    return f"bulk.{name}.{round}" if round else f"bulk.{name}"


def _noun(action: Action) -> str:
    return "assignment" if action in bulk_plans.ON_CLAIMS else "item"


def without_effect(view: ProjectView, action: Action) -> list[markup.Markup]:
    """Return a notice that priorities have no effect yet, if no stage hands out its items by priority."""
    stages = view.schema.schema_.stages
    by_priority = any(getattr(getattr(stages, stage), "order", "") == "priority" for stage in Stage)
    if action is not Action.PRIORITISE or by_priority:
        return []
    words = (
        "No stage of this project hands out its items by priority, so it is kept and changes nothing. The schema says "
        "so in a stage: order: priority."
    )
    return [markup.notice(words)]


def _form(services: Services, view: ProjectView) -> tuple[Action, BulkSelection, str | None, int, str]:
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    stages = view.schema.schema_.stages
    members = projects.members(services.store, person=services.person, project=view.name)
    logins = [row.person.login for row in members]
    voters = bulk.voters(services.store, by=services.person, project=view.name)
    called = shell.called(services, [*logins, *voters])
    action = st.selectbox(
        "What",
        [one for one in Action if one is not Action.ASSIGN and (stages.authoring or one is not Action.SEND_BACK)],
        format_func=lambda one: ACTIONS[one],
        key="bulk.action",
    )
    action = action or Action.GIVE_BACK
    claims = action in bulk_plans.ON_CLAIMS
    one, two, three, four = st.columns(4)
    with one:
        label = "Whose assignments" if claims else "Voted on by"
        whose = logins if claims else voters
        key, nobody = (box("person"), "choose") if claims else (box("voter"), "anyone")
        person = st.selectbox(label, whose, index=None, format_func=called, key=key, placeholder=nobody)
    with two:
        dimension = st.selectbox(
            "Dimension",
            list(titles),
            index=None,
            format_func=titles.__getitem__,
            key=box("dimension"),
            placeholder="any",
        )
    with three:
        state = st.selectbox(
            "State of the item",
            states_of(stages),
            index=None,
            format_func=partial(state_called, stages),
            key=box("state"),
            placeholder="any",
        )
    with four:
        stage, to, priority = None, None, 0
        if claims:
            asked = [each for each in Stage if getattr(stages, each) is not None]
            stage = st.selectbox(
                "Stage", asked, index=None, format_func=stages.title_of, key=box("stage"), placeholder="any"
            )
        elif action is Action.PRIORITISE:
            priority = int(st.number_input("Priority", value=0, step=1, key="bulk.priority"))
    if action is Action.REASSIGN:
        others = [login for login in logins if login != person]
        to = st.selectbox("To", others, index=None, format_func=called, key=box("to"))
    pasted = st.text_area("Only these items (ids as in files, one a line)", key=box("items"), height=80)
    ids = tuple(dict.fromkeys(line.strip() for line in pasted.splitlines() if line.strip()))
    some = BulkSelection(stage=stage, dimension=dimension, state=state, person=person, items=ids)
    every = not claims and some.nothing and st.checkbox("Every item of the project", key=box("every"))
    why = reason(box("why")) if action is Action.SEND_BACK else ""
    return action, replace(some, every=every), to, priority, why


def reason(key: str) -> str:
    """Draw a text area for the reason why items are sent back, and return the text."""
    return str(st.text_area("Why, as the authors read it", key=key, height=80, max_chars=LONGEST_COMMENT))


def previewed(found: BulkPreview, action: Action) -> list[markup.Markup]:
    """Return the preview: exact counts, then the ids."""
    noun = _noun(action)
    counts = f"{markup.count(len(found.can), noun)} would change, {len(found.cannot):,} would not."
    return told(counts, found.can, found.cannot)


def told(counts: str, can: Sequence[str], cannot: Sequence[tuple[str, str]]) -> list[markup.Markup]:
    """Return a preview: the counts, the ids that would change, and the ids that would not, with reasons."""
    parts = [markup.tag("p", markup.tag("b", markup.text(counts)), style="ts", data_part="preview")]
    if can:
        more = f" and {len(can) - SHOWN:,} more" if len(can) > SHOWN else ""
        parts.append(markup.tag("p", markup.quiet(", ".join(can[:SHOWN]) + more), style="ts ts-small"))
    if cannot:
        rows = [[markup.text(name), markup.text(why)] for name, why in cannot[:SHOWN]]
        parts.append(markup.table([("Would not change", ""), ("Why", "wide")], rows))
        if len(cannot) > SHOWN:
            parts.append(markup.tag("p", markup.quiet(f"And {len(cannot) - SHOWN:,} more."), style="ts ts-small"))
    return parts
