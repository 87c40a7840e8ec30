"""Send items of a list back to their authors, each with a prefilled reason that can be edited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app import markup, shell
from app.items.bulk_previews import UNDO, describe_preview
from app.reruns import messages, session_values
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Confirmation
from domain.records import ProjectView
from workflow.lead import bulk
from workflow.lead.bulk_plans import Action, BulkSelection
from workflow.lead.send_back import LONGEST_REASON, Reasons

LABEL = "Send these items back"


def offer(services: Services, view: ProjectView, reasons: Mapping[str, str], *, key: str) -> None:
    """Draw an input for the reason of each item (by id), and the button. ``key`` is the key of the list."""
    if view.schema.schema_.stages.authoring is None:
        return
    if done := messages.kept_message(f"{key}.done"):
        shell.show(markup.notice(done, style="good"))
    round = session_values.place().get(f"{key}.round", 0)  # a double press would fill the first boxes again
    if not st.checkbox(LABEL, key=f"{key}.on.{round}"):
        return
    ask: dict[str, Any] = {"by": services.person, "project": view.name, "action": Action.SEND_BACK}
    here = bulk.preview(services.store, **ask, chosen=BulkSelection(items=tuple(reasons)), reasons=Reasons(own=reasons))
    shell.show(
        markup.paragraph(
            "Authors will read exactly the text below. Items without a reason are not sent back.", style="ts"
        )
    )
    words_by_item = {
        item: str(
            st.text_area(
                f"To the author of {markup.label(item)}",
                reasons[item],
                key=f"{key}.why.{round}.{item}.{hash(reasons[item])}",
                height=68,
                max_chars=LONGEST_REASON,
            )
        ).strip()
        for item in here.can
    }
    words_by_item = {item: words for item, words in words_by_item.items() if words}
    counts = (
        f"{markup.count(len(words_by_item), 'item')} will be sent back, and {len(reasons) - len(words_by_item):,}"
        " will not."
    )
    silent = [(item, "The reason is missing.") for item in here.can if item not in words_by_item]
    shell.show(*describe_preview(counts, list(words_by_item), [*here.cannot, *silent]))
    if not words_by_item:
        return
    ask |= {"chosen": BulkSelection(items=tuple(words_by_item)), "reasons": Reasons(own=words_by_item)}
    preview = bulk.preview(services.store, **ask)

    def do() -> None:
        n = bulk.do(services.store, **ask, token=preview.token)
        messages.keep(f"{key}.done", f"Done: {markup.count(n, 'item')} sent back.")
        session_values.place()[f"{key}.round"] = round + 1

    label = f"Send back {markup.count(len(words_by_item), 'item')}"
    words = (
        f"{markup.count(len(words_by_item), 'item')} will go back to the authors, each with a reason. Nobody else "
        "gets an item until its author has corrected the item."
    )
    question = Confirmation(f"{label}?", words, UNDO[Action.SEND_BACK], f"Yes, {label.lower()}")
    confirm.button(label, services, question, do, key=f"{key}.do", sure=f"{key}.sure")
