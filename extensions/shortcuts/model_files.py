"""The results of models without images, as JSON and as CSV."""

from __future__ import annotations

import io
import math
from typing import Any

from domain.csv_text import Writer
from extensions.shortcuts.model_replies import ModelReply, by_item
from extensions.shortcuts.model_shortcuts import ListedItem, ModelShortcuts, OtherAnswer
from reports.content import Figure


def as_json(found: ModelShortcuts) -> dict[str, Any]:
    """Return everything except the replies, as JSON values."""
    return {
        "title": found.title,
        "which": found.which,
        "items": found.items,
        "orders": found.orders,
        "models_wanted": found.wanted_models,
        "earlier": found.earlier,
        "models": [
            {
                "model": model.model,
                "condition": model.condition,
                "items": model.items,
                "orders": model.orders,
                "right": _told(model.right),
                "all_right": _told(model.all_right),
                "chance": model.chance,
                "gain": None if model.gain is None else _told(model.gain),
                "unread": model.unread,
                "silent": model.silent,
            }
            for model in found.models
        ],
        "flagged": [_given(flagged_item) for flagged_item in found.flagged],
        "unsettled": list(found.unsettled),
        "second_look": {
            "chosen": list(found.chosen),
            "strong": list(found.strong),
            "items": [_given(flagged_item) for flagged_item in found.second],
        },
    }


def _told(figure: Figure) -> dict[str, Any]:
    content = {
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "method": figure.method,
        "n": figure.n_units,
    }
    return content | ({"why": figure.reason} if figure.reason else {})


def _given(each: ListedItem) -> dict[str, Any]:
    content = {"item": each.item, "dimension": each.dimension, "reasons": list(each.reasons), "chance": each.chance}
    return content | ({"others": [_other(one) for one in each.others]} if each.others else {})


def _other(each: OtherAnswer) -> dict[str, Any]:
    content: dict[str, Any] = {"model": each.model, "orders": each.orders, "answers": list(each.options)}
    if each.argument is not None:
        content["wrote"] = {"text": each.argument.text, "options": list(each.argument.options)}
    return content


def as_csv(found: ModelShortcuts, *, second: bool = True) -> str:
    """Return a CSV file with a row for each item, condition and model: requests, right answers and unread replies.

    Without ``second`` it says nothing of a second look, which depends on the models that are chosen.
    """
    flagged = {flagged_item.item for flagged_item in found.flagged}
    looked = {flagged_item.item for flagged_item in found.second}
    out = io.StringIO(newline="")
    writer = Writer(out)
    heads = ("item", "model", "condition", "orders", "right", "unread", "no_reply", "flagged")
    writer.writerow((*heads, "second_look") if second else heads)
    lots: dict[tuple[str, str], list[ModelReply]] = {}
    for reply in found.said:
        lots.setdefault((reply.model, reply.condition), []).append(reply)
    for (model, condition), lot in lots.items():
        for id, there in by_item(lot):
            heard = [reply for reply in there if not math.isnan(reply.value)]
            cells = (
                id,
                model,
                condition,
                len(there),
                sum(reply.value == 1 for reply in heard),
                sum(not reply.chose for reply in heard),
                len(there) - len(heard),
                "yes" if id in flagged else "no",
            )
            writer.writerow((*cells, "yes" if id in looked else "no") if second else cells)
    return out.getvalue()
