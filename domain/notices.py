"""Notices about other people's actions that concern a person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urlencode

TOLD_FOR = timedelta(days=30)
"""How long a notice stays in the list. Comments stay until they are read."""


class NoticeKind(StrEnum):
    """The subject of a notice."""

    PART = "part"
    """You got a role in a project, or another role."""
    GIVEN = "given"
    """A lead gave you tasks that are still open."""
    COMMENT = "comment"
    """You have unread comments."""
    QUALIFIED = "qualified"
    """You may work in a stage that requires a qualification."""
    SENT_BACK = "sent_back"
    """Your qualification was sent back or not passed."""
    DEADLINE = "deadline"
    """A stage that you may work in is near or past its deadline, and still has tasks."""
    WORK = "work"
    """Tasks wait in a stage that you have not worked in for a while. Only mails report this; in the app, My work shows
    it.
    """


@dataclass(frozen=True)
class Notice:
    """One line for one person. It names no item, no other rater and no person's text.

    The linked page shows these, because it knows who may see them.
    """

    kind: NoticeKind
    project: str
    title: str
    """The project's title."""
    words: str
    at: datetime
    keys: tuple[str, ...]
    """Keys of the facts that the notice reports. Seen facts are remembered by key."""
    seen: bool = False

    @property
    def path(self) -> str:
        """Return the path of the page that it links to. The default is My work."""
        return f"/{_PAGES.get(self.kind, '')}?" + urlencode({"project": self.project})


_PAGES = {NoticeKind.COMMENT: "comments", NoticeKind.QUALIFIED: "qualify", NoticeKind.SENT_BACK: "qualify"}
