"""Ways of cutting a project's items into slices: by dimension, group, source, or any field of theirs."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from annotation_schemas import kinds
from annotation_schemas.kinds import title_of
from annotation_schemas.model import ItemField, Schema
from domain.errors import InvalidInputError, Problem

MOST_VALUES = 12
"""More different values than these are not slices of their own."""
BINS = 4
Bins = int | tuple[float, ...]
"""How numbers are cut: into a number of slices of similar size, or at these numbers."""
MOST_EDGES = 20
OTHERS, NO_VALUE = "others", "no value"

WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Item:
    """An item as results know it."""

    public: str
    """The item's id on pages."""
    name: str
    """The item's id in files."""
    dimension: str
    source: str | None
    """The video or collection of its first image or clip."""
    fields: Mapping[str, Any]
    labels: Mapping[str, Any] = field(default_factory=dict)
    """The item's imported labels."""


@dataclass(frozen=True)
class SliceAxis:
    """A way to cut items into slices."""

    name: str
    """The name on the command line."""
    title: str
    about: str = ""
    """The measured quantity, if the title does not explain it."""


@dataclass(frozen=True)
class Slicing:
    """Items in slices."""

    way: SliceAxis
    labels: tuple[str, ...]
    """The labels in order: numbers in ascending order, other values by descending frequency."""
    of_item: Mapping[int, int]
    """The slice's place by item id. Items without a value are not here."""
    titles: tuple[str, ...] = ()
    """The titles of the slices; empty if the labels are the titles."""
    of_numbers: bool = False
    """Whether it is numbers that are cut."""

    def title(self, at: int) -> str:
        """Return the title of a slice."""
        return self.titles[at] if self.titles else self.labels[at]


DIMENSION = SliceAxis("dimension", "Dimension")
GROUP = SliceAxis("group", "Group")
SOURCE = SliceAxis("source", "Source")


def ways(schema: Schema, labels: Iterable[str] = ()) -> list[SliceAxis]:
    """Return the ways to cut items, by the schema and the items' labels.

    Any two texts can also be compared: ``question~answer``.
    """
    axes = [DIMENSION]
    if any(dimension.group for dimension in schema.dimensions):
        axes.append(GROUP)
    if schema.item.assets:
        axes.append(SOURCE)
    for own in schema.item.fields:
        title = title_of(own)
        if kinds.of_field(own).sliced == "text":
            axes.append(SliceAxis(own.name, title))
            axes.append(SliceAxis(f"{own.name}.words", f"{title}: number of words", "words, counted"))
        elif kinds.of_field(own).sliced == "entries":
            axes.append(
                SliceAxis(f"{own.name}.entries", f"{title}: number of entries", "the number of entries in the list")
            )
        else:
            axes.append(SliceAxis(own.name, title))
    known = {axis.name for axis in axes}
    return axes + [SliceAxis(name, name.replace("_", " ").capitalize()) for name in labels if name not in known]


def texts(schema: Schema) -> list[ItemField]:
    """Return the fields that can be compared as texts."""
    return [field for field in schema.item.fields if kinds.of_field(field).sliced == "text"]


def similarity_of(first: str, second: str, schema: Schema) -> SliceAxis:
    """Return a way that cuts items by the share of words that two fields have in common."""
    titles = {field.name: title_of(field) for field in schema.item.fields}
    return SliceAxis(
        f"{first}~{second}",
        f"Shared words of {titles[first]} and {titles[second]}",
        "share of the words in either text that occur in both texts (Jaccard index), from 0 to 1, ignoring case",
    )


def way(schema: Schema, name: str, labels: Iterable[str] = ()) -> SliceAxis:
    """Return the way with this name. ``labels`` are the labels of the items.

    Raises
    ------
    InvalidInputError
        The name is unknown.
    """
    known = {axis.name: axis for axis in ways(schema, labels)}
    if name in known:
        return known[name]
    compared = {field.name for field in texts(schema)}
    first, between, second = name.partition("~")
    if between and first in compared and second in compared and first != second:
        return similarity_of(first, second, schema)
    there = ", ".join(known)
    more = f"; or join two of these names with ~: {', '.join(sorted(compared))}" if len(compared) > 1 else ""
    raise InvalidInputError([Problem("by", f"Touchstone cannot slice items by {name!r}. Choose from: {there}{more}.")])


def edges_of(text: str) -> tuple[float, ...]:
    """Return the numbers at which slices begin.

    >>> edges_of("1, 5,9")
    (1.0, 5.0, 9.0)

    Raises
    ------
    InvalidInputError
        The text has a part that is not a number, too many numbers, or numbers out of order.
    """
    try:
        edges = tuple(float(part) for part in text.split(","))
    except ValueError:
        edges = ()
    rising = all(one < other for one, other in pairwise(edges))
    if not edges or len(edges) > MOST_EDGES or not rising or not all(map(math.isfinite, edges)):
        sentence = f"{text!r} is not valid. Enter up to {MOST_EDGES} numbers from low to high, such as 1,5,9."
        raise InvalidInputError([Problem("edges", sentence)])
    return edges


def edges_in_words(edges: Sequence[float]) -> str:
    """Return the numbers as a text that ``edges_of`` can read.

    >>> edges_in_words((1.0, 2.5))
    '1,2.5'
    """
    return ",".join(f"{edge:.15g}" for edge in edges)


def sliced(schema: Schema, items: Mapping[int, Item], name: str, *, bins: Bins = BINS) -> Slicing:
    """Return the items in slices. ``bins`` applies only to numbers."""
    wanted = way(schema, name, dict.fromkeys(label for item in items.values() for label in item.labels))
    if wanted == DIMENSION:
        return _in_order(
            wanted,
            items,
            {dimension.id: dimension.title for dimension in schema.dimensions},
            lambda item: item.dimension,
        )
    if wanted == GROUP:
        groups = {dimension.id: dimension.group for dimension in schema.dimensions if dimension.group}
        order = {group: group for group in groups.values()}
        return _in_order(wanted, items, order, lambda item: groups.get(item.dimension))
    values = {id: value for id, item in items.items() if (value := value_of(wanted.name, item)) is not None}
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values.values())
    if values and numeric:
        numbers = {id: float(value) for id, value in values.items()}
        cut = _by_number(wanted, numbers, bins) if isinstance(bins, int) else _at_edges(wanted, numbers, bins)
        return replace(cut, of_numbers=True)
    return _by_value(wanted, {id: str(value) for id, value in values.items()})


def similarity(first: str, second: str) -> float | None:
    """Return the share of words that two texts have in common; None if neither has words.

    >>> similarity("Take the red cup", "take the bowl")
    0.4
    """
    one, other = (set(WORDS.findall(text.casefold())) for text in (first, second))
    return len(one & other) / len(one | other) if one | other else None


def value_of(name: str, item: Item) -> Any:
    """Return an item's value for a way of cutting; None without a value."""
    if name == SOURCE.name:
        return item.source
    first, between, second = name.partition("~")
    if between:
        one, other = item.fields.get(first), item.fields.get(second)
        return similarity(one, other) if isinstance(one, str) and isinstance(other, str) else None
    own, _, measure = name.partition(".")
    value = item.fields.get(own)
    if measure == "words":
        return len(WORDS.findall(value)) if isinstance(value, str) else None
    if measure == "entries":
        return len(value) if isinstance(value, list | dict) else None
    if value in (None, ""):
        value = item.labels.get(own)
    if isinstance(value, str):
        return value.strip() or None
    return value


def _in_order(
    wanted: SliceAxis, items: Mapping[int, Item], titles: Mapping[str, str], of: Callable[[Item], str | None]
) -> Slicing:
    """Return slices in the schema's order, without empty ones."""
    values = {id: value for id, item in items.items() if (value := of(item)) is not None}
    there = set(values.values())
    labels = [*(name for name in titles if name in there), *sorted(there - set(titles))]
    place = {label: at for at, label in enumerate(labels)}
    shown = tuple(titles.get(label, label) for label in labels)
    return Slicing(wanted, tuple(labels), {id: place[value] for id, value in values.items()}, shown)


def _by_value(wanted: SliceAxis, values: Mapping[int, Hashable]) -> Slicing:
    counted = Counter(values.values()).most_common()
    counted.sort(key=lambda pair: (-pair[1], str(pair[0])))
    kept = [value for value, _ in counted[: MOST_VALUES if len(counted) <= MOST_VALUES else MOST_VALUES - 1]]
    labels = [str(value) for value in kept]
    if len(counted) > len(kept):
        labels.append(f"{OTHERS} ({len(counted) - len(kept)} values)")
    place = {value: at for at, value in enumerate(kept)}
    return Slicing(wanted, tuple(labels), {id: place.get(value, len(kept)) for id, value in values.items()})


def _by_number(wanted: SliceAxis, values: Mapping[int, float], bins: int) -> Slicing:
    different = sorted(set(values.values()))
    if len(different) <= max(bins, 2):
        place = {value: at for at, value in enumerate(different)}
        return Slicing(wanted, tuple(f"{number:g}" for number in different), {id: place[v] for id, v in values.items()})
    known = np.array(list(values.values()))
    edges = np.unique(np.quantile(known, np.arange(1, bins) / bins, method="inverted_cdf"))
    of_value = np.searchsorted(edges, known, side="left")  # up to and with an edge
    places, codes = np.unique(of_value, return_inverse=True)
    labels = []
    for at in range(len(places)):
        inside = known[codes == at]
        low, high = _short(float(inside.min())), _short(float(inside.max()))
        labels.append(low if low == high else f"{low} to {high}")
    return Slicing(wanted, tuple(labels), {id: int(code) for id, code in zip(values, codes, strict=True)})


def _at_edges(wanted: SliceAxis, values: Mapping[int, float], edges: Sequence[float]) -> Slicing:
    """Return slices that begin at these numbers, and one below the first, without empty ones."""
    whole = all(float(value).is_integer() for value in [*values.values(), *edges])

    def label(at: int) -> str:
        if at == 0:
            return f"below {edges[0]:g}"
        if at == len(edges):
            return f"{edges[-1]:g} and more"
        low, high = edges[at - 1], edges[at]
        if not whole:
            return f"{low:g} to below {high:g}"
        return f"{low:g}" if high - low == 1 else f"{low:g} to {high - 1:g}"

    known = np.array(list(values.values()))
    places, codes = np.unique(np.searchsorted(edges, known, side="right"), return_inverse=True)
    labels = tuple(label(at) for at in places.tolist())
    return Slicing(wanted, labels, {id: int(code) for id, code in zip(values, codes, strict=True)})


def _short(value: float) -> str:
    return f"{value:.0f}" if math.isclose(value, round(value)) else f"{value:.2f}"
