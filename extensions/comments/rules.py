"""Records of comments on items, and the rule for who may read a comment."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

_MENTION = re.compile(r"(?<![\w@.+-])@([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)")


def mentioned(text: str) -> list[str]:
    """Return the logins that a text mentions as ``@login``, each once.

    >>> mentioned("@ann and @Ben.k, see a@b.c; thanks @ann.")
    ['ann', 'ben.k']
    """
    return list(dict.fromkeys(login.casefold() for login in _MENTION.findall(text)))


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
    folded_text = text.casefold()
    return [name for name, value in secrets.items() if any(word in folded_text for word in _words(value))]


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
