"""Queries on what happened with the goals of a video."""

from __future__ import annotations

from sqlmodel import Session, col, select

from db.records import StoredEvent
from db.tables import EventRow, PersonRow


def of_video(session: Session, *, project_id: int, kind: str, video: str) -> list[tuple[StoredEvent, str | None]]:
    """Return the events of a kind about a video, with the login of the person who caused each, oldest first.

    Only the events of this video are read.
    """
    about = col(EventRow.data)["video"].as_string() == video
    wanted = (
        select(EventRow, PersonRow.login)
        .join(PersonRow, col(PersonRow.id) == EventRow.person_id, isouter=True)
        .where(EventRow.project_id == project_id, EventRow.kind == kind, about)
    )  # sorted here, as in ``of_kinds``
    return sorted(session.exec(wanted).all(), key=lambda found: found[0].id or 0)
