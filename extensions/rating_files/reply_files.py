"""The format of judges' replies, and the result of their import in a terminal and on the page *Add items*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from annotation_schemas.formats import Format, ReplyFiles, Takes

if TYPE_CHECKING:
    from extensions.rating_files.import_judgements import ImportedJudgements
    from workflow.files.rows_look import RowsLook

SHOWN_DIFFERENCES = 20
"""Number of replies listed one by one when our reading differs from the file's."""


def _read(*args: Any, **options: Any) -> Any:
    from extensions.rating_files.judgements import read_judgements

    return read_judgements(*args, **options)


def _imports(*args: Any, **options: Any) -> ImportedJudgements:
    from extensions.rating_files.import_judgements import import_judgements

    return import_judgements(*args, **options)


def _look(*args: Any, **options: Any) -> RowsLook:
    from extensions.rating_files.replies_look import look_at_replies

    return look_at_replies(*args, **options)


def sentences(done: ImportedJudgements) -> Iterator[str]:
    """Yield the result of an import for a terminal: what came in, what could not be read, and where scores differ."""
    from workflow.files.read_losses import read_sentences

    again = f", {done.repeated} already imported" if done.repeated else ""
    yield f"New replies from {', '.join(done.judges) or 'nobody'}: {done.replies:,}{again}."
    yield from read_sentences(done.losses, new=done.replies, repeated=done.repeated, noun="replies")
    if done.same or done.differ:
        yield f"Readings that agree with the scores in the file: {done.same:,} of {done.same + len(done.differ):,}."
    yield from (f"  {sentence}" for sentence in done.differ[:SHOWN_DIFFERENCES])
    if len(done.differ) > SHOWN_DIFFERENCES:
        yield f"  and {len(done.differ) - SHOWN_DIFFERENCES:,} more"
    yield from done.notes
    yield from (f"Warning: {warning}" for warning in done.warnings)


def draw(done: ImportedJudgements) -> None:
    """Draw the result of an import on the page *Add items*."""
    from app import markup, shell
    from app.importing.result_sentence import show_losses
    from app.running import shown

    shell.show(markup.notice(page_sentence(done), style="good" if not done.bad else ""))
    show_losses(done.losses, new=done.replies, repeated=done.repeated, noun="replies")
    for sentence in done.differ[:SHOWN_DIFFERENCES]:
        shell.show(markup.tag("p", markup.text(shown.opening(sentence, 400)), style="ts"))
    if len(done.differ) > SHOWN_DIFFERENCES:
        shell.show(markup.paragraph(f"And {len(done.differ) - SHOWN_DIFFERENCES:,} more.", style="ts ts-quiet"))


def page_sentence(done: ImportedJudgements) -> str:
    """Return the result of an import in one line."""
    from app import markup
    from app.importing.result_sentence import NOTHING_NEW
    from app.running import shown

    judges = shown.opening(", ".join(done.judges), 200)
    parts = [
        f"{markup.count(done.replies, 'reply', 'replies')} from {judges} imported" if done.replies else NOTHING_NEW
    ]
    if done.repeated:
        parts.append(f"{markup.count(done.repeated, 'row')} already imported with the same text")
    if done.same or done.differ:
        parts.append(
            f"readings that agree with the scores in the file: {done.same:,} of {done.same + len(done.differ):,}"
        )
    if done.bad:
        parts.append(f"{markup.count(len(done.bad), 'row')} skipped because of errors")
    more = [*done.notes, *(f"Warning: {warning}" for warning in done.warnings)]
    return "; ".join(parts) + "." + "".join(f" {sentence}" for sentence in more)


ROWS = (
    Format(
        "judgements",
        "judges' replies: FastChat files, or JSON lines with `judge`, `item` and `text`",
        Takes.REPLIES,
        place=55,
        marks=("judge", "item", "text"),
        reads=_read,
        replies=ReplyFiles(imports=_imports, look=_look, sentences=sentences, draw=draw),
    ),
)
