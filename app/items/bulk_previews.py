"""Previews of bulk actions on items, for the page *Items* and for pages that send items back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

import streamlit as st

from app import markup
from domain.records import ProjectView
from domain.states import Stage
from workflow.lead.bulk import ASSIGNED_FOR
from workflow.lead.bulk_plans import Action, BulkPreview
from workflow.lead.send_back import LONGEST_REASON

UNDO: dict[StrEnum, str] = {
    Action.PRIORITISE: "You cannot undo this action in one step, because Touchstone does not store earlier priorities.",
    Action.VERIFY_AGAIN: "You cannot undo this action. Earlier votes are stored but no longer count.",
    Action.SEND_BACK: (
        "To undo this action, use the action Verify again. Authors can still read the reason. Earlier "
        "votes are stored but no longer count."
    ),
    Action.ASSIGN: f"After {ASSIGNED_FOR.days} days, other people can also get these items.",
}
SHOWN = 50
"""Number of listed ids. The counts are exact."""


def without_effect(view: ProjectView, action: Action) -> list[markup.Markup]:
    """Return a notice that priorities have no effect yet, if no stage hands out its items by priority."""
    stages = view.schema.schema_.stages
    by_priority = any(getattr(getattr(stages, stage), "order", "") == "priority" for stage in Stage)
    if action is not Action.PRIORITISE or by_priority:
        return []
    words = (
        "Priorities have no effect yet, because no stage of the schema has “order: priority”. Add this order to a "
        "stage."
    )
    return [markup.notice(words)]


def reason(key: str) -> str:
    """Draw a text area for the reason why items are sent back, and return the text."""
    return str(st.text_area("Reason for the authors", key=key, height=80, max_chars=LONGEST_REASON))


def previewed(found: BulkPreview, noun: str) -> list[markup.Markup]:
    """Return the preview: exact counts, then the ids. ``noun`` is what changes, such as "item"."""
    counts = f"{markup.count(len(found.can), noun)} will change, {len(found.cannot):,} will not. {found.out}".strip()
    return describe_preview(counts, found.can, found.cannot)


def describe_preview(counts: str, can: Sequence[str], cannot: Sequence[tuple[str, str]]) -> list[markup.Markup]:
    """Return a preview: the counts, the ids that would change, and the ids that would not, with reasons."""
    parts = [markup.tag("p", markup.tag("b", markup.text(counts)), style="ts", data_part="preview")]
    if can:
        more = f" and {len(can) - SHOWN:,} more" if len(can) > SHOWN else ""
        parts.append(markup.tag("p", markup.quiet(", ".join(can[:SHOWN]) + more), style="ts ts-small"))
    if cannot:
        reasons = Counter(why for _, why in cannot).most_common()
        lines = [markup.tag("li", markup.text(f"{n:,}: {why}")) for why, n in reasons]
        rows = [[markup.text(name), markup.text(why)] for name, why in cannot[:SHOWN]]
        rest = [markup.quiet(f"And {len(cannot) - SHOWN:,} more.")] if len(cannot) > SHOWN else []
        summary = markup.tag("summary", markup.text("Items that stay unchanged"))
        table = markup.table([("Will not change", ""), ("Why", "wide")], rows)
        parts.append(markup.tag("ul", *lines, style="ts ts-small"))
        parts.append(markup.tag("details", summary, table, *rest, style="ts ts-small"))
    return parts
