"""Which items of a project are wanted, and in which order: one grammar for the page, its address and the command."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

from domain.errors import InvalidInput, Problem
from domain.states import ItemState

FROM_FILE = "-"
"""As an author: no one here wrote it, it came from a file."""
SIZES = (25, 50, 100)
"""So many items may stand on a page."""
LONGEST = 300
"""So many characters of a text are looked for at most."""


class Comments(StrEnum):
    """What is asked of an item's comments."""

    ANY = "any"
    OPEN = "open"
    """The last one is by an annotator: it waits for an answer."""
    NONE = "none"


@dataclass(frozen=True)
class Range:
    """Whole or broken numbers from ``low`` to ``high``, both included; None: no limit."""

    low: float | None = None
    high: float | None = None

    @classmethod
    def parse(cls, text: str, name: str) -> Range:
        """``3``, ``2..5``, ``2..`` or ``..5``; ``InvalidInput`` for anything else."""
        low, dots, high = text.strip().partition("..")
        try:
            found = cls(_number(low), _number(high) if dots else _number(low))
        except ValueError:
            found = cls()
        if found.low is None and found.high is None:
            raise InvalidInput([Problem(name, f"{text!r} is no number and no range; write 3, 2..5, 2.. or ..5.")])
        if found.low is not None and found.high is not None and found.low > found.high:
            raise InvalidInput([Problem(name, f"{text!r} begins after its end; write the smaller number first.")])
        return found

    def holds(self, value: float) -> bool:
        """Whether a number lies in it."""
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        low, high = (f"{each:.15g}" if each is not None else "" for each in (self.low, self.high))
        return low if low == high else f"{low}..{high}"


def _number(text: str) -> float | None:
    found = float(text) if text.strip() else None
    if found is not None and not math.isfinite(found):
        raise ValueError("not a number that can be compared")
    return found


_TEST = re.compile(r"(?P<name>\w+)(?P<how>=|~|:)(?P<value>.*)", re.DOTALL)


@dataclass(frozen=True)
class FieldTest:
    """What is asked of a field of an item; of a list, of any of its entries."""

    name: str
    how: str
    """``=`` equals, ``~`` contains, ``:`` is ``empty``, ``given``, or a number in a range."""
    value: str

    @classmethod
    def parse(cls, text: str) -> FieldTest:
        """``answer=yes``, ``question~cup``, ``reason:empty``, ``reason:given`` or ``steps:2..5``."""
        found = _TEST.fullmatch(text)
        if found is None:
            told = "write NAME=VALUE, NAME~TEXT, NAME:empty, NAME:given or NAME:2..5."
            raise InvalidInput([Problem("where", f"{text!r} says nothing about a field; {told}")])
        made = cls(found["name"], found["how"], found["value"])
        if made.how == ":" and made.value not in ("empty", "given"):
            Range.parse(made.value, made.name)
        return made

    def holds(self, content: Mapping[str, Any]) -> bool:
        """Whether an item with these fields is wanted."""
        value = content.get(self.name)
        if self.how == ":":
            if self.value in ("empty", "given"):
                return (value in (None, "", [], {})) is (self.value == "empty")
            limits = Range.parse(self.value, self.name)
            return any(limits.holds(each) for each in _leaves(value) if _is_number(each))
        wanted = self.value.lower()
        if self.how == "~":
            return any(wanted in written(each).lower() for each in _leaves(value))
        return any(wanted == written(each).lower() for each in _leaves(value))

    def __str__(self) -> str:
        return f"{self.name}{self.how}{self.value}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _leaves(value: Any) -> Iterator[Any]:
    """The single values in a field: of a list its entries, however deep."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)
    elif value is not None:
        yield value


def written(value: Any) -> str:
    """A single value as people type it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def texts(content: Mapping[str, Any]) -> Iterator[str]:
    """All texts of an item's fields, and the names within those that have parts of their own."""
    for value in content.values():
        yield from _texts(value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from map(str, value)
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)


def sort_key(value: Any) -> tuple[int, float, str]:
    """Where a value stands among others of its field: numbers, then texts; what is empty comes last."""
    if value in (None, "", [], {}):
        return 2, 0.0, ""
    if _is_number(value):
        return 0, float(value), ""
    return 1, 0.0, " ".join(written(each) for each in _leaves(value)).lower()


OPEN_COLUMNS: Mapping[str, str] = {
    "id": "Id",
    "dimension": "Dimension",
    "state": "State",
    "comments": "Comments",
    "missing": "Missing media",
    "version": "Schema version",
    "priority": "Priority",
}
"""What a table may show and sort by for everyone who may see it, by its word in the address."""
LEADS_COLUMNS: Mapping[str, str] = {"votes": "Votes", "differ": "Votes differ", "author": "Author", "checks": "Checks"}
"""The same for leads alone: others must not know who wrote or how many voted, nor learn it from an order."""
COLUMNS = {**OPEN_COLUMNS, **LEADS_COLUMNS}
UNSORTED = {"checks"}
"""Columns that nothing is sorted by."""
FOR_LEADS = ("author", "voter", "votes", "differ", "with_author", "gold", "qualification")
"""Filters for leads alone, likewise."""
OF_FIELD = "field."
"""What the word of a column begins with that is a field of the items."""


@dataclass(frozen=True)
class ItemFilter:
    """Which items: everything that is given has to hold."""

    text: str = ""
    """Words in any text of the item, or in its id, whatever their case."""
    state: tuple[ItemState, ...] = ()
    """One of these; none: any."""
    dimension: tuple[str, ...] = ()
    author: str = ""
    """A login, or ``FROM_FILE``."""
    voter: str = ""
    """The login of someone who has voted on it, also on an earlier revision."""
    votes: Range | None = None
    """How many votes count on it now, in all stages of verification."""
    differ: bool | None = None
    """Whether votes of one stage differ."""
    comments: Comments | None = None
    missing: bool | None = None
    """Whether it names an image or clip that is not there."""
    version: int | None = None
    """The version of the schema that its present content was given under."""
    with_author: bool | None = None
    """Whether it was sent back to its author, who has not changed it since."""
    gold: bool | None = None
    """Whether it is a gold check that is in use."""
    qualification: bool | None = None
    """Whether it is in the newest qualification set of a stage."""
    where: tuple[FieldTest, ...] = ()
    ids: tuple[str, ...] = ()
    """Ids as in files."""

    @property
    def of_content(self) -> bool:
        """Whether it asks about what an item says."""
        return bool(self.text or self.where)

    def for_leads(self) -> list[str]:
        """What it asks that only leads may ask."""
        return [name for name in FOR_LEADS if getattr(self, name) not in (None, "")]


@dataclass(frozen=True)
class ItemList:
    """A list of items: which, in which order, with which columns, and where it stands."""

    filter: ItemFilter = field(default_factory=ItemFilter)
    sort: str = ""
    """A word of ``COLUMNS`` or ``OF_FIELD`` with a field's name; empty: as they came."""
    down: bool = False
    """The largest, or the newest, first."""
    columns: tuple[str, ...] = ()
    """As ``sort``; none: the usual ones."""
    size: int = 50
    page: int = 1

    @classmethod
    def parse(cls, asked: Mapping[str, Sequence[str]]) -> ItemList:
        """What an address or a command asks, each word with all its values; unknown words are left alone.

        Raises
        ------
        InvalidInput
            With everything that makes no sense.
        """
        problems: list[Problem] = []
        found: dict[str, Any] = {}
        for each in fields(ItemFilter):
            values = [value for value in asked.get(each.name, ()) if value]
            if not values:
                continue
            try:
                found[each.name] = _READ[each.name](values)
            except InvalidInput as error:
                problems += error.problems
            except ValueError:
                problems.append(Problem(each.name, f"{each.name}={values[-1]} is not known here; {_TAKES[each.name]}."))
        last = {name: values[-1] for name, values in asked.items() if values}
        sort = last.get("sort", "")
        down, sort = sort.startswith("-"), sort.removeprefix("-")
        size, page = (_whole(last.get(name, ""), usual) for name, usual in (("size", 50), ("page", 1)))
        columns = tuple(dict.fromkeys(part for part in last.get("columns", "").split(",") if part))
        if problems:
            raise InvalidInput(problems)
        size = size if size in SIZES else 50
        return cls(ItemFilter(**found), sort, down, columns, size, max(page, 1))

    def asked(self) -> dict[str, list[str]]:
        """The same as words of an address; what is as usual says nothing."""
        found: dict[str, list[str]] = {}
        for each in fields(ItemFilter):
            value = getattr(self.filter, each.name)
            if value in (None, "", ()):
                continue
            many = value if isinstance(value, tuple) else (value,)
            found[each.name] = [{True: "yes", False: "no"}[one] if isinstance(one, bool) else str(one) for one in many]
        if self.sort or self.down:
            found["sort"] = [("-" if self.down else "") + self.sort]
        if self.columns:
            found["columns"] = [",".join(self.columns)]
        usual = ItemList()
        found |= {
            name: [str(getattr(self, name))] for name in ("size", "page") if getattr(self, name) != getattr(usual, name)
        }
        return found

    def address(self, project: str) -> str:
        """Where the page shows it."""
        return "/items?" + urlencode({"project": project, **self.asked()}, doseq=True)

    def at(self, **other: Any) -> ItemList:
        """The same list otherwise sorted or turned to another page."""
        return replace(self, **other)


def _yes_or_no(values: Sequence[str]) -> bool:
    if values[-1] not in ("yes", "no"):
        raise ValueError(values[-1])
    return values[-1] == "yes"


def _text(values: Sequence[str]) -> str:
    found = values[-1].strip()
    if len(found) > LONGEST:
        raise InvalidInput([Problem("text", f"Look for at most {LONGEST} characters; these are {len(found):,}.")])
    return found


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
    "where": lambda values: tuple(dict.fromkeys(map(FieldTest.parse, values))),
    "ids": lambda values: tuple(dict.fromkeys(values)),
}
_YES_OR_NO = "say yes or no"
_TAKES = {
    "state": f"states are {', '.join(ItemState)}",
    "comments": f"say {', '.join(Comments)}",
    "version": "say its number",
    **dict.fromkeys(("differ", "missing", "with_author", "gold", "qualification"), _YES_OR_NO),
}
