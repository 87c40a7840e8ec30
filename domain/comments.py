"""Records of comments on items and of an item's history, and the rule for who may read a comment."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from domain.records import AssetView
from domain.states import ItemState, Purpose, Stage

LONGEST_COMMENT = 5_000
_MENTION = re.compile(r"(?<![\w@.+-])@([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)")


def mentioned(text: str) -> list[str]:
    """Return the logins that a text mentions as ``@login``, each once.

    >>> mentioned("@ann and @Ben.k, see a@b.c; thanks @ann.")
    ['ann', 'ben.k']
    """
    return list(dict.fromkeys(found.casefold() for found in _MENTION.findall(text)))


def may_read(*, whole: bool, mine: bool, for_me: bool, early: bool, open_: bool) -> bool:
    """Whether a person may read a comment.

    People who see the whole thread read every comment, and all people read their own. Others read comments that are
    meant for them, but only when blind work on the item has ended (``open_`` is False). They read a comment earlier
    if its author, a senior or lead, marked it as safe (``early``).
    """
    return whole or mine or (for_me and (early or not open_))


def gives_away(text: str, secrets: Mapping[str, Any]) -> list[str]:
    """Return the names of the secret fields whose values a text contains.

    Values of fewer than three letters are ignored.

    >>> gives_away("It is the Red cup.", {"answer": "red cup", "letter": "a", "names": ["mug", "Red"]})
    ['answer', 'names']
    """
    told = text.casefold()
    return [name for name, value in secrets.items() if any(word in told for word in _words(value))]


def _words(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value.strip().casefold()] if len(value.strip()) >= 3 else []
    if isinstance(value, Mapping):
        return [word for part in value.values() for word in _words(part)]
    if isinstance(value, Collection):
        return [word for part in value for word in _words(part)]
    return []


@dataclass(frozen=True)
class CommentView:
    """A comment as one person may read it."""

    id: str
    by: str
    """A login, or a placeholder if names are hidden."""
    at: datetime
    text: str
    mine: bool
    name: str = ""
    """The author's name on the page, distinct within the thread."""
    reply_to: str | None = None
    for_me: bool = False
    unread: bool = False
    """Whether the comment is meant for this person and shown for the first time."""
    held: bool = False
    """Whether some of its readers see it only after the item is settled. Shown to its author and to people who see all
    comments.
    """


@dataclass(frozen=True)
class Thread:
    """The comments on an item that one person may read."""

    project: str
    item: str
    title: str
    """The item's title for this person: the first of its texts that they may see."""
    dimension: str
    comments: Sequence[CommentView]
    people: Sequence[str]
    """Logins that this person may mention."""
    open: bool
    """Whether other people still work on the item blind."""
    may_free: bool
    """Whether this person may mark a comment as safe to read before the verdict."""
    whole: bool
    """Whether this is the complete thread, for a senior or lead."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Display names of ``people``."""
    closed: bool = False
    """In a list of threads: True if opening the thread would show other people's answers to a person who may still
    work on the item blind.
    """


@dataclass(frozen=True)
class Mentions:
    """The number of comments in a project that wait for a person."""

    unread: int
    """Unread comments that are meant for the person."""
    unanswered: int = 0
    """For seniors and leads: items whose last comment has no answer by a senior or lead."""


@dataclass(frozen=True)
class RevisionView:
    """A revision and its changes: field, earlier value, later value."""

    number: int
    by: str
    at: datetime
    changes: Sequence[tuple[str, Any, Any]]


@dataclass(frozen=True)
class AnswerView:
    """A submission on an item."""

    label: str
    """A vote's label on the page of adjudication, if names are hidden; otherwise empty."""
    by: str
    at: datetime
    stage: Stage
    revision: int
    values: Mapping[str, Any]
    reasons: Mapping[str, Any]
    note: str
    seconds: float | None
    guideline: int | None
    counts: bool
    """False if a later submission of the same person replaced it."""
    corrects: bool
    """Whether it replaced an earlier submission."""
    about: str = ""
    """Grading: the model that gave the answer."""
    purpose: Purpose = Purpose.LIVE


@dataclass(frozen=True)
class Step:
    """An event in an item's history."""

    at: datetime
    by: str
    words: str


@dataclass(frozen=True)
class OriginStep:
    """A step in the creation of an item."""

    name: str
    facts: Sequence[tuple[str, str]]
    """Names and values of the known facts."""
    at: datetime | None = None
    by: str = ""
    """The person's name for this reader; empty if the person is not known."""


@dataclass(frozen=True)
class ItemHistory:
    """The complete stored history of an item."""

    project: str
    item: str
    name: str
    """The item's external ID."""
    title: str
    dimension: str
    state: ItemState
    author: str
    names_hidden: bool
    assets: Sequence[AssetView]
    revisions: Sequence[RevisionView]
    answers: Sequence[AnswerView]
    steps: Sequence[Step]
    thread: Thread
    origin: Sequence[OriginStep] = ()
    """The steps of its creation, in order."""


@dataclass(frozen=True)
class FoundItem:
    """A row of the search results for items."""

    item: str
    name: str
    title: str
    dimension: str
    state: ItemState
