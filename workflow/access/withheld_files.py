"""Files that a project withholds because a part of them was covered, and the files shown in their place.

Each decision about what to cover is an event, which is never changed. So a person who imports an original again gets
the covered file, also where the extension that covers media is not installed. Archives and moves of a project include
the decisions but not the original files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from db import events
from db.engine import Session


def instead(session: Session, *, project_id: int) -> Mapping[str, str]:
    """Return the hash of the file shown in place of each withheld file of a project."""
    covers = events.of_kinds(session, project_id=project_id, kinds=(events.COVERED,))
    return newest_files((str(event.data["before"]), str(event.data["file"])) for event, _ in covers)


def newest_files(changes: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the file that is shown now in place of each file of these changes, oldest first.

    A change is a pair: the file shown before, and the file shown since.

    >>> newest_files([("original", "covered"), ("covered", "more covered")])
    {'original': 'more covered', 'covered': 'more covered'}
    >>> newest_files([("original", "covered"), ("covered", "original")])
    {'covered': 'original'}
    """
    next_: dict[str, str] = {}
    for before, file in changes:
        next_.pop(file, None)  # this file is shown now
        if before != file:
            next_[before] = file

    def last(file: str) -> str:
        while file in next_:
            file = next_[file]
        return file

    return {file: last(file) for file in next_}
