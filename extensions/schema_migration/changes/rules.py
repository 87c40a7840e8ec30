"""Rules that find the kind of change when the value of a key differs. The table of all keys is made of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from annotation_schemas.model import Scalar, Schema
from extensions.schema_migration.changes import rows
from extensions.schema_migration.changes.comparison import Change
from extensions.schema_migration.changes.rows import ChangeKind

Found = Iterator[Change]


@dataclass(frozen=True)
class ComparedKey:
    """A key of the grammar in two schemas."""

    old_schema: Schema
    new_schema: Schema
    steps: tuple[str, ...] = ()
    old_part: Any = None
    """The part that the key belongs to, before and after."""
    new_part: Any = None
    walk: Callable[[ComparedKey, Any, Any], Found] | None = None
    """A function that compares two parts of a schema, key by key."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Dimensions whose items go to another one, with that one."""

    def under(self, *steps: str) -> ComparedKey:
        """A place further in."""
        return replace(self, steps=(*self.steps, *steps))

    def found(self, row: ChangeKind, old: Any, new: Any, hint: str = "") -> Change:
        """A change here."""
        return Change(self.steps, row, plain(old), plain(new), hint)

    def parts(self, old: Any, new: Any) -> Found:
        """Yield the changes between two parts at this path."""
        assert self.walk is not None
        return self.walk(self, old, new)


Rule = Callable[[ComparedKey, Any, Any], Found]
"""A function from a key and its two values to the changes."""


def plain(value: Any) -> Any:
    """Return a value of a schema as JSON values."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_defaults=True)
    if isinstance(value, Mapping):
        return {name: plain(member) for name, member in value.items()}
    return [plain(member) for member in value] if isinstance(value, tuple | list) else value


def spelled(value: Scalar) -> str:
    """A value as paths and options of commands spell it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def differ(old: Any, new: Any) -> bool:
    """Whether two values give different hashes of a schema. Unlike Python, it distinguishes true and 1."""
    one, other = (json.dumps(plain(value), sort_keys=True) for value in (old, new))
    return one != other


def as_is(row: ChangeKind) -> Rule:
    """Whatever differs is of one kind."""

    def rule(at: ComparedKey, old: Any, new: Any) -> Found:
        if differ(old, new):
            yield at.found(row, old, new)

    return rule


def one_of_two(row: ChangeKind, otherwise: ChangeKind, when: Callable[[Any, Any], bool]) -> Rule:
    """One kind of change where something holds of the two values, and another where it does not."""

    def rule(at: ComparedKey, old: Any, new: Any) -> Found:
        if differ(old, new):
            yield at.found(row if when(old, new) else otherwise, old, new)

    return rule


def least(narrower: ChangeKind, wider: ChangeKind) -> Rule:
    """A lower limit: nothing, or more of it, is narrower."""
    return one_of_two(wider, narrower, lambda old, new: new is None or (old is not None and new <= old))


def most(narrower: ChangeKind, wider: ChangeKind) -> Rule:
    """An upper limit: less of it is narrower."""
    return one_of_two(wider, narrower, lambda old, new: new is None or (old is not None and new >= old))


def switched(on: ChangeKind, off: ChangeKind) -> Rule:
    """A switch that is put on, or off."""
    return one_of_two(on, off, lambda old, new: bool(new))


def part(added: ChangeKind, removed: ChangeKind) -> Rule:
    """A part that may be absent."""

    def rule(at: ComparedKey, old: Any, new: Any) -> Found:
        if old is None or new is None:
            if old is not new:
                yield at.found(added if old is None else removed, old, new)
        else:
            yield from at.parts(old, new)

    return rule


def always_there(at: ComparedKey, old: Any, new: Any) -> Found:
    """A part that every schema has."""
    return at.parts(old, new)


def entries(
    key: str | Callable[[Any], Any],
    *,
    added: ChangeKind | Callable[[ComparedKey, Any], ChangeKind],
    removed: ChangeKind,
    reordered: ChangeKind = rows.ORDER_OF_ENTRIES,
) -> Rule:
    """Return the rule for a list of parts that are matched by one of their keys, regardless of position."""

    def named(listed: Sequence[Any]) -> dict[str, Any]:
        return {spelled(getattr(part, key) if isinstance(key, str) else key(part)): part for part in listed}

    def rule(at: ComparedKey, old: Any, new: Any) -> Found:
        before, after = named(old), named(new)
        for name, part in before.items():
            if name not in after:
                yield at.under(name).found(removed, part, None)
            else:
                yield from at.under(name).parts(part, after[name])
        for name, part in after.items():
            if name not in before:
                here = at.under(name)
                yield here.found(added(here, part) if callable(added) else added, None, part)
        yield from in_other_order(at, list(before), list(after), reordered)

    return rule


def in_other_order(at: ComparedKey, old: Sequence[str], new: Sequence[str], row: ChangeKind) -> Found:
    """Whether the common entries of two lists have another order."""
    before, after = ([name for name in names if name in other] for names, other in ((old, new), (new, old)))
    if before != after:
        yield at.found(row, list(old), list(new))
