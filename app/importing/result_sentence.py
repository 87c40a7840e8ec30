"""The result of an import on pages: a sentence, and what could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agreement.losses import Losses
from app import markup, shell
from workflow.files.import_answers import words_of_texts_instead
from workflow.files.read_losses import read_sentences

NOTHING_NEW = "No new data was imported"


def imported_sentence(done: Any) -> str:
    """Return in one line how much was imported, repeated and left out."""
    came = {"item": done.items, "answer": done.predictions, "rating": done.ratings, "result": done.tool_results}
    came |= {"described model": getattr(done, "described", 0), "labeled item": getattr(done, "labelled", 0)}
    parts = [f"{markup.count(n, name)} imported" for name, n in came.items() if n] or [NOTHING_NEW]
    if done.unanswered:
        why = ", ".join(f"{outcome.value.replace('_', ' ')} {n}" for outcome, n in sorted(done.unanswered.items()))
        parts.append(f"{markup.count(sum(done.unanswered.values()), 'row')} without an answer ({why})")
    if instead := getattr(done, "instead", {}):
        parts.append(f"failed requests, not counted as answers: {words_of_texts_instead(instead)}")
    if done.repeated:
        parts.append(f"{markup.count(done.repeated, 'identical row')} already imported")
    if done.assets_found or done.assets_missing:
        parts.append(f"{done.assets_found:,} of {done.assets_found + done.assets_missing:,} images and clips found")
    if missing := getattr(done, "missing", ()):
        left_out = done.assets_missing - done.assets_refused - len(missing)
        more = f" and {left_out:,} more" if left_out > 0 else ""
        parts.append(f"missing: {', '.join(missing)}{more}")
    if without_media := getattr(done, "without_media", 0):
        wait = "waits for its files" if without_media == 1 else "wait for their files"
        parts.append(f"{markup.count(without_media, 'item')} with missing media {wait}")
    refused = done.assets_refused  # the row's item was imported
    if refused:
        parts.append(f"{markup.count(refused, 'file')} refused (see the rows below); the items wait for these files")
    if len(done.bad) > refused:
        parts.append(f"{markup.count(len(done.bad) - refused, 'invalid row')} skipped")
    if left := getattr(done, "left", ()):
        parts.append(f"{markup.count(len(left), 'changed row')} skipped; the existing items stay unchanged")
    words = [getattr(done, "note", None), *(f"Warning: {warning}" for warning in getattr(done, "warnings", ()))]
    return "; ".join(parts) + "." + "".join(f" {word}" for word in words if word)


def show_losses(losses: Sequence[Losses], *, new: int, repeated: int, noun: str) -> None:
    """Show the counts of read and unreadable rows, with a highlighted warning if needed."""
    warned = {loss.warning for loss in losses if loss.warns}
    for sentence in read_sentences(losses, new=new, repeated=repeated, noun=noun):
        style = "bad" if sentence in warned else ""
        shell.show(markup.notice(sentence, style=style) if style else markup.paragraph(sentence, style="ts"))
