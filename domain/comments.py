"""Comments on items and the history of an item: the records, and the one rule of who may read a comment."""

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
    """The logins that a text mentions, as ``@login``, each once.

    >>> mentioned("@ann and @Ben.k, see a@b.c; thanks @ann.")
    ['ann', 'ben.k']
    """
    return list(dict.fromkeys(found.casefold() for found in _MENTION.findall(text)))


def may_read(*, whole: bool, mine: bool, for_me: bool, early: bool, open_: bool) -> bool:
    """Whether someone may read a comment.

    Anyone who sees the whole thread reads it all, and everyone what they wrote. Others read what is for them, and that
    only when no one answers about the item blind any more (``open_`` is False), unless its writer, a senior or lead,
    has said that it gives nothing away (``early``).
    """
    return whole or mine or (for_me and (early or not open_))


def gives_away(text: str, secrets: Mapping[str, Any]) -> list[str]:
    """The names of the secret fields whose words stand in a text; words of fewer than three letters say nothing.

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
    """A login, or a word where names are hidden."""
    at: datetime
    text: str
    mine: bool
    name: str = ""
    """What ``by`` is called on a page, told apart from others in the thread."""
    reply_to: str | None = None
    for_me: bool = False
    unread: bool = False
    """For this person, and shown to them for the first time."""
    held: bool = False
    """Some of those whom it is for read it only when the item is settled. Told to who wrote it and who sees all."""


@dataclass(frozen=True)
class Thread:
    """The comments on an item that one person may read."""

    project: str
    item: str
    title: str
    """How the item is called for this person: the first text of it that they may see."""
    dimension: str
    comments: Sequence[CommentView]
    people: Sequence[str]
    """Whom this person may mention."""
    open: bool
    """Others still answer about it blind."""
    may_free: bool
    """Whether this person may say that a comment gives nothing away, so that it is read before the verdict."""
    whole: bool
    """Whether this is all of it, for a senior or lead."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What ``people`` are called on a page."""
    closed: bool = False
    """In a list of threads: anyone who opens it sees what others said, and could still be asked about the item
    blind."""


@dataclass(frozen=True)
class Mentions:
    """What comments wait for someone in a project."""

    unread: int
    """Comments for them that they have not read."""
    unanswered: int = 0
    """For seniors and leads: items whose last comment no senior and no lead has answered."""


@dataclass(frozen=True)
class RevisionView:
    """A revision, and what it changed: field, value before, value after."""

    number: int
    by: str
    at: datetime
    changes: Sequence[tuple[str, Any, Any]]


@dataclass(frozen=True)
class AnswerView:
    """What someone submitted."""

    label: str
    """A vote's name on the page of adjudication, where names are hidden; else empty."""
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
    """False if a later one of the same person took its place."""
    corrects: bool
    """Whether it took the place of an earlier one."""
    about: str = ""
    """Grading: the model whose answer it is about."""
    purpose: Purpose = Purpose.LIVE


@dataclass(frozen=True)
class Step:
    """Something that happened to an item."""

    at: datetime
    by: str
    words: str


@dataclass(frozen=True)
class OriginStep:
    """A step of how an item came to be."""

    name: str
    facts: Sequence[tuple[str, str]]
    """What is known of it: its name, and what it is."""
    at: datetime | None = None
    by: str = ""
    """Who did it, as the reader may call them; empty: no one is known."""


@dataclass(frozen=True)
class ItemHistory:
    """All that is kept of an item."""

    project: str
    item: str
    name: str
    """Its external id."""
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
    """How it came to be, the first step first."""


@dataclass(frozen=True)
class FoundItem:
    """A line of the list in which one finds an item."""

    item: str
    name: str
    title: str
    dimension: str
    state: ItemState
