"""What people set for themselves: their language, and their keys in each stage."""

from __future__ import annotations

from collections.abc import Mapping

from db import people
from db.engine import Store
from domain.errors import InvalidInputError, Problem
from domain.language import NAMES
from domain.records import Person
from domain.states import Stage

LONGEST_NAME = 10
MOST_KEYS = 50


def set_language(store: Store, *, person: Person, language: str) -> None:
    """Store the language that a person wants to read."""
    if language not in NAMES:
        raise InvalidInputError(
            [Problem("language", "This server does not support that language. Choose another language.")]
        )
    with store.write() as session:
        people.put_setting(session, person_id=person.id, name=people.LANGUAGE, value=language, now=store.now())


def keys_of(store: Store, *, person: Person, stage: Stage) -> Mapping[str, str]:
    """Return the keys that a person has chosen in a stage, by the names of the actions. Empty: the usual keys."""
    with store.read() as session:
        return people.setting(session, person_id=person.id, name=_name(stage)) or {}


def set_keys(store: Store, *, person: Person, stage: Stage, keys: Mapping[str, str]) -> None:
    """Store the keys that a person has chosen in a stage. An empty mapping restores the usual keys.

    Raise ``InvalidInputError`` if two actions have the same key, or a key is not a single printed character.
    """
    if len(keys) > MOST_KEYS:
        raise InvalidInputError([Problem("keys", f"You can change at most {MOST_KEYS} keys. Reset some keys.")])
    problems = [
        Problem(name[:LONGEST_NAME], "This key is not a single letter, digit or symbol. Choose another key.")
        for name, key in keys.items()
        if not _is_key(key) or not 1 <= len(name) <= LONGEST_NAME
    ]
    if not problems and len(set(keys.values())) < len(keys):
        problems.append(Problem("keys", "Two actions have the same key. Give one of the actions another key."))
    if problems:
        raise InvalidInputError(problems)
    with store.write() as session:
        people.put_setting(session, person_id=person.id, name=_name(stage), value=dict(keys), now=store.now())


def _is_key(key: object) -> bool:
    return isinstance(key, str) and len(key) == 1 and key.isprintable() and not key.isspace()


def _name(stage: Stage) -> str:
    return f"keys.{stage.value}"
