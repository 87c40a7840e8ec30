"""Find the facts about an item that a payload reveals when it leaves the server.

The search reads the payload itself, because its design may differ from its content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from domain.states import Stage


class Route(StrEnum):
    """The route by which data was sent to a person."""

    PAGE = "page"
    """A working page."""
    LABEL_STUDIO = "label_studio"
    """A task in Label Studio for this person."""
    MEDIA = "media"
    """A picture or clip that a page requested or prefetched."""
    MEDIA_LINK = "media_link"
    """A picture or clip behind a link in a page of Label Studio."""
    COMMENTS = "comments"
    OWN = "my_submissions"
    PREVIEW = "preview"
    HISTORY = "history"
    CASES = "cases"
    GOLD = "gold"
    QUALIFICATION = "qualification"
    EXPIRED = "expired_submissions"


WORKING = (Route.PAGE, Route.LABEL_STUDIO)
"""Routes by which a task reaches the person who answers it."""

FORMS = (*WORKING, Route.OWN, Route.PREVIEW)
"""Routes whose payload is one task, with no data beyond the form's."""


class Fact(StrEnum):
    """A kind of fact about an item, apart from its fields."""

    KEY = "key"
    AUTHOR = "author"
    MODEL = "model"
    """The name of the model that gave an answer."""
    JUDGE = "judge"
    """A judge's score or comment on an answer."""
    VERDICT = "verdict"
    """The item's state or result."""
    VOTES = "votes"
    """Another person's answers; ``Disclosure.said`` lists the stages, if they are known."""
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
"""Patterns that guess the kind of an unexpected part from its name. The first match counts."""


@dataclass(frozen=True)
class Disclosure:
    """The facts that a payload reveals."""

    fields: Sequence[str] = ()
    """Names of the item's fields whose values the payload contains."""
    facts: Sequence[Fact] = ()
    said: Sequence[Stage] = ()
    """Stages whose votes or answers by other people the payload contains."""
    other: Sequence[str] = ()
    """Paths of parts that a payload of its kind should not have."""

    def as_json(self) -> dict[str, list[str]]:
        """Return the record as JSON values, sorted so that equal records give equal JSON."""
        return {
            "fields": sorted(set(self.fields)),
            "facts": sorted({fact.value for fact in self.facts}),
            "said": sorted({stage.value for stage in self.said}),
            "other": sorted(set(self.other)),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Sequence[str]]) -> Disclosure:
        """Return the record that ``as_json`` stored."""
        return cls(
            tuple(stored["fields"]),
            tuple(Fact(fact) for fact in stored["facts"]),
            tuple(Stage(stage) for stage in stored["said"]),
            tuple(stored["other"]),
        )


@dataclass(frozen=True)
class Secrets:
    """The facts to search for. They are compared with a payload and never sent."""

    content: Mapping[str, Any] = field(default_factory=dict)
    """All fields of the item."""
    author: Sequence[str] = ()
    """The author's login and name."""
    models: Sequence[str] = ()
    """Names of the models that answered the item."""
    settles: Sequence[Stage] = ()
    """Stages whose votes the task is about."""


ANY_KEY = "*"


class ExpectedKeys:
    """The expected keys of a kind of payload. ``ANY_KEY`` matches every key.

    A key in ``anything`` may hold any value.
    """

    def __init__(self, *anything: str, parts: Mapping[str, ExpectedKeys] | None = None) -> None:
        self._parts: Mapping[str, ExpectedKeys | None] = {**dict.fromkeys(anything), **(parts or {})}

    def stray(self, payload: Any, path: str = "") -> Iterator[tuple[str, Any]]:
        """Yield the path and value of each unexpected part. Empty values are ignored."""
        if isinstance(payload, (list, tuple)):
            for child in payload:
                yield from self.stray(child, f"{path}[]")
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
    known: ExpectedKeys,
    secrets: Secrets,
    *,
    fields: Mapping[str, Any],
    texts: Sequence[Any] = (),
    facts: Sequence[Fact] = (),
) -> Disclosure:
    """Return the facts about an item that a payload reveals.

    Parameters
    ----------
    known
        The expected keys of such payloads. Other parts are reported by path, and their facts by name and value.
    fields
        The part of the payload that holds fields of the item, by name.
    texts
        Parts that hold no fields but might contain the value of a field.
    facts
        Facts that the payload reveals by design.
    """
    names, sent_facts, other = set(fields), set(facts), []
    for path, value in known.stray(payload):
        other.append(path)
        in_it = set(strings(value))
        names |= _fields_in(in_it, secrets, but=fields)
        people = _people_in(in_it, secrets)
        last = path.rpartition(".")[2].lower()
        sent_facts |= people or {fact for fact, name in _NAMED if name.search(last) and not names & {last}}
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
            sent_facts |= _people_in(strange, secrets)
    written = {text for part in texts for text in strings(part)} - shown
    names |= _fields_in(written, secrets, but=fields)
    sent_facts |= _people_in(written, secrets)
    stages = secrets.settles if Fact.VOTES in sent_facts else ()
    return Disclosure(tuple(names), tuple(sent_facts), tuple(stages), tuple(other))


def strings(value: Any) -> Iterator[str]:
    """Yield all texts and numbers in a value, as texts.

    >>> sorted(strings({"a": ["Red ", 2], "b": None}))
    ['2', 'Red']
    """
    if isinstance(value, dict):
        for child in value.values():
            yield from strings(child)
    elif isinstance(value, (list, tuple)):
        for child in value:
            yield from strings(child)
    elif isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)


def _fields_in(told: set[str], secrets: Secrets, *, but: Mapping[str, Any]) -> set[str]:
    """Return the fields whose whole value is among these texts."""
    field_names = set()
    for name, value in secrets.content.items():
        parts = set(strings(value))
        if name not in but and parts and parts <= told:
            field_names.add(name)
    return field_names


def _people_in(told: set[str], secrets: Secrets) -> set[Fact]:
    """Return the facts (author, model) whose names these texts contain as whole words."""
    facts = set()
    for fact, names in ((Fact.AUTHOR, secrets.author), (Fact.MODEL, secrets.models)):
        for name in filter(None, names):
            word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
            if any(word.search(text) for text in told):
                facts.add(fact)
    return facts
