"""A check of the media store against a project: every original must exist, unchanged, with all derived copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from db import checks as queries
from db import projects
from db.engine import Store
from domain.errors import InvalidMediaError, NotAvailableError, NotFoundError
from media.store import MediaStore

SAMPLE = 200
"""Files whose content is read unless all are asked for; of every other one only whether it is there, and its length."""
NAMED = 3


def check_media(store: Store, media: MediaStore, *, project: str | None = None, whole: bool = False) -> list[str]:
    """Return the faults of a project's images and clips (or of all projects'); empty for none.

    Parameters
    ----------
    whole
        Read every file and compare its SHA-256, and not only an evenly spread sample. The parts of clips are checked
        in any case.
    """
    faults: list[str] = []
    with store.read() as session:
        for row in projects.everything(session):
            if project in (None, row.name):
                used = queries.media_used(session, project_id=row.id)
                faults += [f"{row.name}: {sentence}" for sentence in _wrong(media, used, whole=whole)]
    return faults


def _wrong(media: MediaStore, used: Sequence[queries.UsedMedia], *, whole: bool) -> Iterator[str]:
    every = 1 if whole else max(1, -(-len(used) // SAMPLE))
    for number, medium in enumerate(used):
        content = number % every == 0
        try:
            media.verify(medium.sha256, n_bytes=medium.bytes, content=content)
        except (NotFoundError, InvalidMediaError) as error:
            yield f"{error} {_shown_by(medium)}"
            continue
        try:
            media.must_show(medium.sha256, content=content)
        except (NotFoundError, InvalidMediaError, NotAvailableError) as error:
            yield (
                f"Touchstone cannot show the file {medium.sha256[:12]}... in the media store. {error} "
                f"{_shown_by(medium)}"
            )


def _shown_by(each: queries.UsedMedia) -> str:
    if not each.items:
        return f"The file is {each.name}, which no item uses yet."
    more = len(each.items) - NAMED
    names = ", ".join(each.items[:NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"The file is {each.name}, used by: {names}."
