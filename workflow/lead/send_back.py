"""Items sent back to their authors with a reason. Until the author has changed an item, other people are not asked
about it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from db import comment_threads, item_revisions, items, projects, tasks
from db.engine import Session
from db.events import SENT_BACK
from db.records import StoredItem
from domain.errors import InvalidInputError, Problem
from domain.json_text import showable
from domain.records import Person
from domain.states import Stage
from workflow.access.event_log import log
from workflow.access.projects import Access, as_member
from workflow.annotate import authoring, sent_back

LONGEST_REASON = 5_000
"""Largest number of characters of a reason, and of any comment."""
SAY_WHY = "Enter a reason. The author will see the reason."
FROM_FILE = "The item was imported from a file, so the item has no author."
WITH_AUTHOR = "The author already has the item."
GONE = "The author no longer writes items of this dimension."
NO_SLOT = "This project does not contain the author's submission, so the author cannot correct the item."


@dataclass(frozen=True)
class Reasons:
    """The reasons for sending items back, as their authors read them."""

    all: str = ""
    """The reason for every item without its own."""
    own: Mapping[str, str] = field(default_factory=dict)
    """The reasons of single items, by id in files."""

    def of(self, item: str) -> str:
        """Return the reason for one item."""
        return str(showable(self.own.get(item, self.all))).strip()


NO_REASONS = Reasons()


def must_be_said(by: Person | None, reasons: Reasons, names: Collection[str]) -> None:
    """Raise ``InvalidInputError`` if an item has no reason, a reason is too long, or the sender is unknown to the
    author.
    """
    problems = (
        []
        if by is not None
        else [Problem("by", "Name the person who sends the item back. The author will see the name.")]
    )
    silent = [name for name in names if not reasons.of(name)]
    if silent or (not names and not reasons.of("")):
        which = f" {silent[0]} has no reason." if reasons.own and silent else ""
        problems.append(Problem("why", SAY_WHY + which))
    long = [name for name in names if len(reasons.of(name)) > LONGEST_REASON]
    if long or len(reasons.all) > LONGEST_REASON:
        problems.append(Problem("why", f"Shorten the reason to {LONGEST_REASON} characters."))
    if problems:
        raise InvalidInputError(problems)


def why_not(
    session: Session, access: Access, found: Sequence[StoredItem], back: Mapping[int, sent_back.SentBack]
) -> dict[int, str]:
    """Return why items cannot be sent back, by id. Items that can be sent back are absent."""
    rows = projects.members(session, project_id=access.project_id)
    writers = {person.id: as_member(access, member) for member, person in rows}
    wrote = tasks.submitted_items(session, item_ids=[item.id for item in found])
    reasons: dict[int, str] = {}
    for item in found:
        author = writers.get(item.author_id or 0)
        if item.author_id is None:
            reasons[item.id] = FROM_FILE
        elif item.id in back:
            reasons[item.id] = WITH_AUTHOR
        elif author is None or not author.may_do(Stage.AUTHORING) or not author.may_use(item.dimension):
            reasons[item.id] = GONE
        elif wrote.get(item.id) != item.author_id:
            reasons[item.id] = NO_SLOT
    return reasons


def send(session: Session, access: Access, item: StoredItem, *, why: str, by: Person, now: datetime) -> None:
    """Send a locked item back, as a revision with the same content that other people are not asked about.

    A comment tells its author the reason. Other people who are asked blind never see this comment.
    """
    fields = item_revisions.content(session, item_id=item.id, revision=item.current_revision)
    number = authoring.revise(session, access=access, item=item, fields=fields, editor_id=None, now=now)
    item = items.lock(session, id=item.id)
    authoring.call_off(session, access=access, item=item)
    log(session, SENT_BACK, by=by, project=access, item=item, now=now, data={"revision": number, "why": why})
    comment_threads.add(
        session,
        item=item,
        person_id=by.id,
        key=f"sent-back.{item.public_id}.{number}",
        text=why,
        reply_to_id=None,
        early=True,
        people={person_id for person_id in (item.author_id,) if person_id is not None} - {by.id},
        now=now,
    )
