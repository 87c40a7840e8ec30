"""What a payload that leaves the server tells of an item: found in the payload, not in what it was meant to be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from domain.states import Stage


class Route(StrEnum):
    """By which way something was sent to a person."""

    PAGE = "page"
    """A working page."""
    LABEL_STUDIO = "label_studio"
    """A task of Label Studio's, for this person."""
    MEDIA = "media"
    """A picture or clip, asked for by a page or fetched beforehand."""
    MEDIA_LINK = "media_link"
    """A picture or clip, by a link that Label Studio's page has."""
    COMMENTS = "comments"
    OWN = "my_submissions"
    PREVIEW = "preview"
    HISTORY = "history"
    CASES = "cases"
    GOLD = "gold"
    QUALIFICATION = "qualification"
    EXPIRED = "expired_submissions"


WORKING = (Route.PAGE, Route.LABEL_STUDIO)
"""The ways by which a task comes to the person who answers it."""

FORMS = (*WORKING, Route.OWN, Route.PREVIEW)
"""Ways whose payload is one task, with nothing in it that the form does not know."""


class Fact(StrEnum):
    """A kind of fact about an item, besides its fields."""

    KEY = "key"
    AUTHOR = "author"
    MODEL = "model"
    """The name of a model whose answer it is."""
    JUDGE = "judge"
    """What a judge said of an answer."""
    VERDICT = "verdict"
    """What became of the item."""
    VOTES = "votes"
    """What another person said; ``Told.said`` has the stages, where they are known."""
    ANSWER = "answer"
    """A model's answer."""
    COMMENTS = "comments"


_NAMED: Sequence[tuple[Fact, re.Pattern[str]]] = (
    (Fact.AUTHOR, re.compile(r"author|writer|written_by")),
    (Fact.JUDGE, re.compile(r"judge|score")),
    (Fact.VOTES, re.compile(r"vote|annotation|ballot|grades")),
    (Fact.MODEL, re.compile(r"model")),
    (Fact.VERDICT, re.compile(r"verdict|state|history")),
    (Fact.KEY, re.compile(r"key|correct|right|gold|reference|answer")),
)
"""What a part that no page has is probably about, by what it is called; the first that fits."""


@dataclass(frozen=True)
class Told:
    """What kinds of facts were in a payload."""

    fields: Sequence[str] = ()
    """The item's fields whose values were in it."""
    facts: Sequence[Fact] = ()
    said: Sequence[Stage] = ()
    """The stages of which it had what others said."""
    other: Sequence[str] = ()
    """Where in it something stood that a payload of its kind does not have."""

    def as_json(self) -> dict[str, list[str]]:
        """As it is stored: one and the same whatever the order."""
        return {
            "fields": sorted(set(self.fields)),
            "facts": sorted({each.value for each in self.facts}),
            "said": sorted({each.value for each in self.said}),
            "other": sorted(set(self.other)),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Sequence[str]]) -> Told:
        """What ``as_json`` gave."""
        return cls(
            tuple(stored["fields"]),
            tuple(Fact(each) for each in stored["facts"]),
            tuple(Stage(each) for each in stored["said"]),
            tuple(stored["other"]),
        )


@dataclass(frozen=True)
class Secrets:
    """What there is to be found of an item. It is compared with a payload, and never goes into one."""

    content: Mapping[str, Any] = field(default_factory=dict)
    """The item's fields, all of them."""
    author: Sequence[str] = ()
    """The login and the name of whoever wrote it."""
    models: Sequence[str] = ()
    """The names of the models whose answers to it there are."""
    settles: Sequence[Stage] = ()
    """The stages whose votes the task is about."""


ANY_KEY = "*"


class Known:
    """What a payload of some kind has, by key (``ANY_KEY``: whatever it is called); below those of ``anything`` it may
    be whatever it is."""

    def __init__(self, *anything: str, parts: Mapping[str, Known] | None = None) -> None:
        self._parts: Mapping[str, Known | None] = {**dict.fromkeys(anything), **(parts or {})}

    def stray(self, payload: Any, path: str = "") -> Iterator[tuple[str, Any]]:
        """Whatever else there is in it, and where: empty values say nothing."""
        if isinstance(payload, (list, tuple)):
            for each in payload:
                yield from self.stray(each, f"{path}[]")
        elif isinstance(payload, dict):
            for key, value in payload.items():
                here = f"{path}.{key}" if path else str(key)
                if key in self._parts or ANY_KEY in self._parts:
                    part = self._parts.get(key, self._parts.get(ANY_KEY))
                    if part is not None:
                        yield from part.stray(value, here)
                elif value not in (None, False) and value not in ("", [], (), {}):
                    yield here, value
        elif payload not in (None, ""):
            yield path, payload


def look_through(
    payload: Mapping[str, Any],
    known: Known,
    secrets: Secrets,
    *,
    fields: Mapping[str, Any],
    texts: Sequence[Any] = (),
    facts: Sequence[Fact] = (),
) -> Told:
    """What a payload tells of an item.

    Parameters
    ----------
    known
        What payloads of its kind have; anything else in it is found, and named after its place and its values.
    fields
        The part of it that holds fields of the item, by name.
    texts
        Parts of it that hold no fields, in which a value of one may have got.
    facts
        What it has by its design.
    """
    names, found, other = set(fields), set(facts), []
    for path, value in known.stray(payload):
        other.append(path)
        in_it = set(strings(value))
        names |= _fields_in(in_it, secrets, but=fields)
        told = _people_in(in_it, secrets)
        last = path.rpartition(".")[2].lower()
        found |= told or {fact for fact, name in _NAMED if name.search(last) and not names & {last}}
    shown = {text for value in fields.values() for text in strings(value)}
    for name, value in fields.items():
        strange = set(strings(value)) - set(strings(secrets.content.get(name)))
        if strange:
            other.append(f"fields.{name}")
            names |= {
                hidden
                for hidden, content in secrets.content.items()
                if hidden not in fields and any(part and part in text for part in strings(content) for text in strange)
            }
            found |= _people_in(strange, secrets)
    written = {text for part in texts for text in strings(part)} - shown
    names |= _fields_in(written, secrets, but=fields)
    found |= _people_in(written, secrets)
    said = secrets.settles if Fact.VOTES in found else ()
    return Told(tuple(names), tuple(found), tuple(said), tuple(other))


def strings(value: Any) -> Iterator[str]:
    """All texts and numbers in a value, as texts.

    >>> sorted(strings({"a": ["Red ", 2], "b": None}))
    ['2', 'Red']
    """
    if isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from strings(each)
    elif isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)


def _fields_in(told: set[str], secrets: Secrets, *, but: Mapping[str, Any]) -> set[str]:
    """Fields whose whole value is among these texts."""
    found = set()
    for name, value in secrets.content.items():
        parts = set(strings(value))
        if name not in but and parts and parts <= told:
            found.add(name)
    return found


def _people_in(told: set[str], secrets: Secrets) -> set[Fact]:
    """Whether an author's or a model's name stands in these texts, as a word of its own."""
    found = set()
    for fact, names in ((Fact.AUTHOR, secrets.author), (Fact.MODEL, secrets.models)):
        for name in filter(None, names):
            word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
            if any(word.search(text) for text in told):
                found.add(fact)
    return found
