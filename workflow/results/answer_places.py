"""Answers that choose among an item's own options, as places that items have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.kinds import options_of
from annotation_schemas.model import Criterion
from domain.comparison import same
from domain.rated_units import BETWEEN
from domain.records import Rating


def ratings_by_place(
    rows: Sequence[Rating], criteria: Sequence[Criterion], fields: Mapping[str, Mapping[str, Any]]
) -> list[Rating]:
    """Return the ratings with the place of each option instead of its text. A text that is not an option stays.

    The places in a set follow the order of the options, each place once, whatever order the file has.
    """
    known = {criterion.name: criterion for criterion in criteria}
    sets = {name for name, criterion in known.items() if kinds.of_criterion(criterion).is_set}

    @cache
    def options(criterion: str, unit: str) -> list[Any]:
        of_item = fields.get(unit) or fields.get(unit.split(BETWEEN)[0], {})
        offered = [option.value for option in options_of(known[criterion], of_item)]
        return [value for value in offered if value not in _BESIDES]

    return [
        replace(row, value=_in_places(row.value, options(row.criterion, row.unit), is_set=row.criterion in sets))
        if row.criterion in known
        else row
        for row in rows
    ]


_BESIDES = (kinds.NONE_OF_THESE, kinds.CANNOT_TELL)
"""Answers without a place among an item's options. All items share these categories."""


def _in_places(value: Any, options: Sequence[Any], *, is_set: bool) -> Any:
    """Return a value that two items can share: ``option 2``, or ``options 3, 1`` for a list."""

    def place(entry: Any) -> int | None:
        return next((at for at, option in enumerate(options, 1) if same(option, entry)), None)

    if isinstance(value, list | tuple) and len(value) == 1 and value[0] in _BESIDES:
        return value[0]
    if isinstance(value, list | tuple):
        places = [place(entry) for entry in value]
        if None in places:
            return str(value)
        named = [at for at in places if at is not None]
        ordered = sorted(set(named)) if is_set else named
        return f"options {', '.join(map(str, ordered))}" if ordered else "none"
    at = place(value)
    return value if at is None else f"option {at}"
