"""Notices: what someone is told of that others did, and that concerns them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urlencode

TOLD_FOR = timedelta(days=30)
"""So long a notice stands in the list; a comment stands there until it is read."""


class NoticeKind(StrEnum):
    """What a notice is about."""

    PART = "part"
    """Someone gave you a part in a project, or another one."""
    GIVEN = "given"
    """Someone gave you tasks that you still have in hand."""
    COMMENT = "comment"
    """There are comments for you that you may read and have not read."""
    QUALIFIED = "qualified"
    """You may work in a stage that asks for a qualification."""
    SENT_BACK = "sent_back"
    """Your qualification was sent back, or not passed."""
    DEADLINE = "deadline"
    """The deadline of a stage that you may work in is near or over, and something is left there."""
    WORK = "work"
    """Work waits for you in a stage in which you have done nothing for a while. Only mails tell it: in the app, My work
    does."""


@dataclass(frozen=True)
class Notice:
    """One line for one person. It names no item, no other rater and no text of anyone: those stand on the page that it
    leads to, which knows who may see what."""

    kind: NoticeKind
    project: str
    title: str
    """What the project is called."""
    words: str
    at: datetime
    keys: tuple[str, ...]
    """What it tells of, one or more facts: what was seen is kept by these."""
    seen: bool = False

    @property
    def path(self) -> str:
        """Where it leads on the server: to My work, if there is no better place."""
        return f"/{_PAGES.get(self.kind, '')}?" + urlencode({"project": self.project})


_PAGES = {NoticeKind.COMMENT: "comments", NoticeKind.QUALIFIED: "qualify", NoticeKind.SENT_BACK: "qualify"}
