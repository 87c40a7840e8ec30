"""The result of an import in one sentence for pages."""

from __future__ import annotations

from typing import Any

from app import markup
from workflow.files.import_answers import words_of_texts_instead

NOTHING_NEW = "Nothing new was imported"


def imported_sentence(done: Any) -> str:
    """Return in one line how much was imported, repeated and left out."""
    came = {"item": done.items, "answer": done.predictions, "rating": done.ratings, "result": done.tool_results}
    came |= {"described model": getattr(done, "described", 0), "labelled item": getattr(done, "labelled", 0)}
    parts = [f"{markup.count(n, name)} imported" for name, n in came.items() if n] or [NOTHING_NEW]
    if done.unanswered:
        why = ", ".join(f"{outcome.value.replace('_', ' ')} {n}" for outcome, n in sorted(done.unanswered.items()))
        parts.append(f"{markup.count(sum(done.unanswered.values()), 'row')} without an answer ({why})")
    if said := getattr(done, "instead", {}):
        parts.append(f"failed requests, not counted as answers: {words_of_texts_instead(said)}")
    if done.repeated:
        parts.append(f"{markup.count(done.repeated, 'row')} there already, word for word")
    if done.assets_found or done.assets_missing:
        parts.append(f"{done.assets_found:,} of {done.assets_found + done.assets_missing:,} images and clips found")
    if missing := getattr(done, "missing", ()):
        left_out = done.assets_missing - done.assets_refused - len(missing)
        more = f" and {left_out:,} more" if left_out > 0 else ""
        parts.append(f"missing: {', '.join(missing)}{more}")
    if done.assets_missing:
        parts.append("no one gets an item until its missing media are imported")
    refused = done.assets_refused  # the row's item was imported
    if refused:
        parts.append(f"{markup.count(refused, 'file')} refused; the rows are below, and their items wait")
    if len(done.bad) > refused:
        parts.append(f"{markup.count(len(done.bad) - refused, 'row')} did not fit and were left out")
    if left := getattr(done, "left", ()):
        parts.append(f"{markup.count(len(left), 'changed row')} left out: their items stay as they are")
    words = [getattr(done, "note", None), *(f"Warning: {each}" for each in getattr(done, "warnings", ()))]
    return "; ".join(parts) + "." + "".join(f" {word}" for word in words if word)
