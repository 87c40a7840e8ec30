"""Filters and sort orders for a project's items. The page, its address and the command share this grammar."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

from domain.errors import InvalidInputError, Problem
from domain.states import Items, ItemState

FROM_FILE = "-"
"""An author filter for items that were imported and have no author here."""
SIZES = (25, 50, 100)
"""The choices for the number of items on a page."""
LONGEST = 300
"""The maximum number of characters in a text search."""


class Comments(StrEnum):
    """A filter by the item's comments."""

    ANY = "any"
    OPEN = "open"
    """Items whose last comment is by an annotator and waits for an answer."""
    NONE = "none"


@dataclass(frozen=True)
class Range:
    """Numbers from ``low`` to ``high``, both included; None means no limit."""

    low: float | None = None
    high: float | None = None

    @classmethod
    def parse(cls, text: str, name: str) -> Range:
        """Return the range written as ``3``, ``2..5``, ``2..`` or ``..5``. Raise ``InvalidInputError`` for
        any other text.
        """
        low, dots, high = text.strip().partition("..")
        try:
            bounds = cls(_number(low), _number(high) if dots else _number(low))
        except ValueError:
            bounds = cls()
        if bounds.low is None and bounds.high is None:
            raise InvalidInputError([Problem(name, f"{text!r} is not a number or a range. Write 3, 2..5, 2.. or ..5.")])
        if bounds.low is not None and bounds.high is not None and bounds.low > bounds.high:
            raise InvalidInputError(
                [Problem(name, f"{text!r} has the larger number first. Write the smaller number first.")]
            )
        return bounds

    def holds(self, value: float) -> bool:
        """Whether the range contains a number."""
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        low, high = (f"{bound:.15g}" if bound is not None else "" for bound in (self.low, self.high))
        return low if low == high else f"{low}..{high}"


def _number(text: str) -> float | None:
    number = float(text) if text.strip() else None
    if number is not None and not math.isfinite(number):
        raise ValueError("the number is not finite")
    return number


_TEST = re.compile(r"(?P<name>\w+)(?P<how>=|~|:)(?P<value>.*)", re.DOTALL)


@dataclass(frozen=True)
class FieldTest:
    """A test of one field of an item. In a list, any entry may pass."""

    name: str
    how: str
    """``=`` equals, ``~`` contains, ``:`` is ``empty``, ``given``, or a number in a range."""
    value: str

    @classmethod
    def parse(cls, text: str) -> FieldTest:
        """Return the test written as ``answer=yes``, ``question~cup``, ``reason:empty``, ``reason:given`` or
        ``steps:2..5``.
        """
        match = _TEST.fullmatch(text)
        if match is None:
            advice = "Write NAME=VALUE, NAME~TEXT, NAME:empty, NAME:given or NAME:2..5."
            raise InvalidInputError([Problem("where", f"{text!r} is not a condition for a field. {advice}")])
        made = cls(match["name"], match["how"], match["value"])
        if made.how == ":" and made.value not in ("empty", "given"):
            Range.parse(made.value, made.name)
        return made

    def holds(self, content: Mapping[str, Any]) -> bool:
        """Whether an item with these fields passes the test."""
        value = content.get(self.name)
        if self.how == ":":
            if self.value in ("empty", "given"):
                return (value in (None, "", [], {})) is (self.value == "empty")
            limits = Range.parse(self.value, self.name)
            return any(limits.holds(leave) for leave in _leaves(value) if _is_number(leave))
        wanted = self.value.lower()
        if self.how == "~":
            return any(wanted in typed_value(leave).lower() for leave in _leaves(value))
        return any(wanted == typed_value(leave).lower() for leave in _leaves(value))

    def __str__(self) -> str:
        return f"{self.name}{self.how}{self.value}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the single values in a field, including the entries of nested lists."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for child in value:
            yield from _leaves(child)
    elif value is not None:
        yield value


def typed_value(value: Any) -> str:
    """Return a single value as people type it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def texts(content: Mapping[str, Any]) -> Iterator[str]:
    """Yield all texts of an item's fields, and the keys of fields with named parts."""
    for value in content.values():
        yield from _texts(value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from map(str, value)
        for child in value.values():
            yield from _texts(child)
    elif isinstance(value, list | tuple):
        for child in value:
            yield from _texts(child)


def sort_key(value: Any) -> tuple[int, float, str]:
    """Return the sort key of a field's value: numbers first, then texts, then empty values."""
    if value in (None, "", [], {}):
        return 2, 0.0, ""
    if _is_number(value):
        return 0, float(value), ""
    return 1, 0.0, " ".join(typed_value(leave) for leave in _leaves(value)).lower()


OPEN_COLUMNS: Mapping[str, str] = {
    "id": "Id",
    "dimension": "Dimension",
    "state": "State",
    "comments": "Comments",
    "missing": "Missing media",
    "version": "Schema version",
    "priority": "Priority",
}
"""Columns that every reader of the table may show and sort by, by their name in the address."""
LEADS_COLUMNS: Mapping[str, str] = {
    "votes": "Votes",
    "differ": "Differ",
    "reasons": "Reasons",
    "author": "Author",
    "checks": "Checks",
}
"""Columns for leads only. Other people must not learn the author or the number of votes, not even from a sort order."""
COLUMNS = {**OPEN_COLUMNS, **LEADS_COLUMNS}
UNSORTED = {"checks", "reasons"}
"""Columns that cannot be sorted."""
FOR_LEADS = ("author", "voter", "votes", "differ", "with_author", "gold", "qualification", "expired", "raters")
"""Filters for leads only, for the same reason."""
OF_FIELD = "field."
"""The prefix of columns that show a field of the items."""


@dataclass(frozen=True)
class ItemFilter:
    """A filter of items. An item must meet all given conditions."""

    text: str = ""
    """Words to find in any text of the item or in its ID, ignoring case."""
    state: tuple[ItemState, ...] = ()
    """Accepted states; empty means any."""
    dimension: tuple[str, ...] = ()
    author: str = ""
    """A login, or ``FROM_FILE``."""
    voter: str = ""
    """The login of a person who voted on the item, on any revision."""
    votes: Range | None = None
    """The number of valid votes now, in all verification stages."""
    differ: bool | None = None
    """Whether votes of one stage differ."""
    comments: Comments | None = None
    missing: bool | None = None
    """Whether the item names an image or clip that is missing."""
    version: int | None = None
    """The schema version of the item's current content."""
    with_author: bool | None = None
    """Whether the item was sent back to its author and is still unchanged."""
    gold: bool | None = None
    """Whether the item is an active gold check."""
    qualification: bool | None = None
    """Whether the item is in the newest qualification set of a stage."""
    expired: bool | None = None
    """Whether someone's answer about the item came after the lease had ended."""
    where: tuple[FieldTest, ...] = ()
    ids: tuple[str, ...] = ()
    """External IDs, as in files."""
    differ_in: str = ""
    """A stage: items on which its answers differ, or on which the named raters differ."""
    raters: tuple[str, ...] = ()
    """Logins, or names in files of ratings. Only together with ``differ_in``, like the next two."""
    criterion: str = ""
    values: tuple[str, ...] = ()
    """The value of most of the first raters, and the value of the last one; empty for any difference."""
    items: Items | None = None
    """Only items that count in a number about these items."""
    group: str = ""
    """A group of dimensions."""

    def for_leads(self) -> list[str]:
        """Return the names of the conditions that only leads may use."""
        return [name for name in FOR_LEADS if getattr(self, name) not in (None, "", ())]


@dataclass(frozen=True)
class ItemList:
    """A list of items: the filter, sort order, columns and page."""

    filter: ItemFilter = field(default_factory=ItemFilter)
    sort: str = ""
    """A key of ``COLUMNS``, or ``OF_FIELD`` with a field's name; empty means the order of creation."""
    down: bool = False
    """Whether the largest or newest item comes first."""
    columns: tuple[str, ...] = ()
    """Columns, named as in ``sort``; empty means the default columns."""
    size: int = 50
    page: int = 1

    @classmethod
    def parse(cls, asked: Mapping[str, Sequence[str]]) -> ItemList:
        """Return the list that an address or a command asks for.

        ``asked`` holds all values of each word. Unknown words are ignored.

        Raises
        ------
        InvalidInputError
            With a problem for each invalid value.
        """
        problems: list[Problem] = []
        conditions: dict[str, Any] = {}
        for filter_field in fields(ItemFilter):
            values = [value for value in asked.get(filter_field.name, ()) if value]
            if not values:
                continue
            try:
                conditions[filter_field.name] = _READ[filter_field.name](values)
            except InvalidInputError as error:
                problems += error.problems
            except ValueError:
                problems.append(
                    Problem(
                        filter_field.name,
                        f"{filter_field.name}={values[-1]} is unknown. {_TAKES[filter_field.name]}.",
                    )
                )
        last = {name: values[-1] for name, values in asked.items() if values}
        sort = last.get("sort", "")
        down, sort = sort.startswith("-"), sort.removeprefix("-")
        size, page = (_whole(last.get(name, ""), usual) for name, usual in (("size", 50), ("page", 1)))
        columns = tuple(dict.fromkeys(part for part in last.get("columns", "").split(",") if part))
        if problems:
            raise InvalidInputError(problems)
        size = size if size in SIZES else 50
        return cls(ItemFilter(**conditions), sort, down, columns, size, max(page, 1))

    def asked(self) -> dict[str, list[str]]:
        """Return the list as words of an address. Default values are left out."""
        query: dict[str, list[str]] = {}
        for filter_field in fields(ItemFilter):
            value = getattr(self.filter, filter_field.name)
            if value in (None, "", ()):
                continue
            many = value if isinstance(value, tuple) else (value,)
            query[filter_field.name] = [
                {True: "yes", False: "no"}[one] if isinstance(one, bool) else str(one) for one in many
            ]
        if self.sort or self.down:
            query["sort"] = [("-" if self.down else "") + self.sort]
        if self.columns:
            query["columns"] = [",".join(self.columns)]
        usual = ItemList()
        query |= {
            name: [str(getattr(self, name))] for name in ("size", "page") if getattr(self, name) != getattr(usual, name)
        }
        return query

    def address(self, project: str) -> str:
        """Return the address of the page with this list."""
        return "/items?" + urlencode({"project": project, **self.asked()}, doseq=True)

    def at(self, **other: Any) -> ItemList:
        """Return the list with another sort order or page."""
        return replace(self, **other)


def _yes_or_no(values: Sequence[str]) -> bool:
    if values[-1] not in ("yes", "no"):
        raise ValueError(values[-1])
    return values[-1] == "yes"


def _text(values: Sequence[str]) -> str:
    text = values[-1].strip()
    if len(text) > LONGEST:
        raise InvalidInputError(
            [Problem("text", f"The search text has {len(text):,} characters. Use at most {LONGEST} characters.")]
        )
    return text


def _whole(text: str, usual: int) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else usual


_READ: Mapping[str, Any] = {
    "text": _text,
    "state": lambda values: tuple(dict.fromkeys(map(ItemState, values))),
    "dimension": lambda values: tuple(dict.fromkeys(values)),
    "author": lambda values: values[-1],
    "voter": lambda values: values[-1],
    "votes": lambda values: Range.parse(values[-1], "votes"),
    "differ": _yes_or_no,
    "comments": lambda values: Comments(values[-1]),
    "missing": _yes_or_no,
    "version": lambda values: int(values[-1]),
    "with_author": _yes_or_no,
    "gold": _yes_or_no,
    "qualification": _yes_or_no,
    "expired": _yes_or_no,
    "where": lambda values: tuple(dict.fromkeys(map(FieldTest.parse, values))),
    "ids": lambda values: tuple(dict.fromkeys(values)),
    "differ_in": lambda values: values[-1],
    "raters": lambda values: tuple(dict.fromkeys(values)),
    "criterion": lambda values: values[-1],
    "values": tuple,
    "items": lambda values: Items(values[-1]),
    "group": lambda values: values[-1],
}
_YES_OR_NO = "Use yes or no"
_TAKES = {
    "state": f"States: {', '.join(ItemState)}",
    "comments": f"Use {', '.join(Comments)}",
    "version": "Use a version number",
    "items": f"Use {', '.join(Items)}",
    **dict.fromkeys(("differ", "missing", "with_author", "gold", "qualification", "expired"), _YES_OR_NO),
}


@dataclass(frozen=True)
class AnswerFilter:
    """A filter by answers: named raters differ on an item, or one value met another."""

    raters: Sequence[str]
    """Logins, or the names in files of ratings."""
    criterion: str | None = None
    values: tuple[str, str] | None = None
    """The value of most of the first raters, and the value of the last one; None for any difference."""
