"""What the pages *Items* and *Bulk actions* share: names of actions, how to undo them, and their preview."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import markup
from app.reruns import session_values
from domain.comments import LONGEST_COMMENT
from domain.records import ProjectView
from domain.states import Stage
from workflow.lead import bulk_plans
from workflow.lead.bulk_plans import Action, Preview

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

_ROUND = "bulk.round"


def empty_boxes() -> None:
    """Make the input widgets new and empty for the next action. The same action again would be refused."""
    values = session_values.place()
    values[_ROUND] = values.get(_ROUND, 0) + 1


def box(name: str) -> str:
    """Return the key of an input widget. The key changes after each action, so that the widget is empty again.

    A double press sends the browser's old values a second time. Under the old key they would fill the widget again.
    """
    round = session_values.place().get(_ROUND, 0)
    return f"bulk.{name}.{round}" if round else f"bulk.{name}"


def noun_of(action: Action) -> str:
    """Return what the action changes: assignments or items."""
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


def reason(key: str) -> str:
    """Draw a text area for the reason why items are sent back, and return the text."""
    return str(st.text_area("Why, as the authors read it", key=key, height=80, max_chars=LONGEST_COMMENT))


def previewed(found: Preview, action: Action) -> list[markup.Markup]:
    """Return the preview: exact counts, then the ids."""
    noun = noun_of(action)
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
