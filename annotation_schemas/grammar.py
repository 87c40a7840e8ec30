"""Small checks that the schema's checks and the kinds share: names, choices, counts, media."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence

from annotation_schemas.model import Choice, Criterion, ItemField, Scalar, Schema, Tolerance
from annotation_schemas.yaml_text import Path
from domain.comparison import same
from domain.decimals import step_of
from domain.reading.units import unit_of

Found = Iterator[tuple[Path, str]]

MOST = 1_000
"""The maximum number of things that a person is shown, or that an item needs."""


_NAME = re.compile(r"[a-z][a-z0-9_]*")


def no_name(text: str) -> str | None:
    """Return the reason why a text is not a valid name in a schema, or None."""
    if _NAME.fullmatch(text):
        return None
    return f"`{text}` must have only lowercase letters, digits and underscores, and start with a letter"


def suggestion(given: str, known: Sequence[str]) -> str:
    """Return the name that was probably meant, as the end of a sentence."""
    close = difflib.get_close_matches(given, known, n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


def among(given: str, known: Sequence[str]) -> str:
    """Return the name that was probably meant, or else the possible names, as the end of a sentence."""
    known = list(dict.fromkeys(known))
    near = suggestion(given, known)
    if near or not 0 < len(known) <= _LISTED:
        return near
    names = [f"`{name}`" for name in known]
    return f"; use {' or '.join(filter(None, (', '.join(names[:-1]), names[-1])))}"


_LISTED = 12
"""The maximum number of names that a sentence lists."""


def unique(named: Iterable[tuple[Path, Scalar]]) -> Found:
    """Yield the names that occur twice."""
    seen: list[Scalar] = []
    for path, name in named:
        if any(same(name, other) for other in seen):
            yield path, f"`{name}` appears twice; rename or remove the duplicate"
        seen.append(name)


def choices(offered: Sequence[Choice], path: Path, *, least: int = 0) -> Found:
    """Yield the problems of a list of choices, including their reasons."""
    if len(offered) < least:
        yield path, f"the list needs at least {least} {'entry' if least == 1 else 'entries'}"
    if len(offered) > MOST:
        yield path, f"the list has {len(offered):,} entries, but at most {MOST:,} are allowed; remove entries"
        return
    yield from unique([((*path, index), choice.value) for index, choice in enumerate(offered)])
    for index, choice in enumerate(offered):
        yield from choices(choice.reasons, (*path, index, "reasons"))


def scale(criterion: Criterion, path: Path) -> Found:
    """Yield the problems of `values` and `labels`."""
    values = criterion.values
    if len(values) < 2:
        yield (*path, "values") if values else path, "a scale needs at least two `values`"
    yield from unique([((*path, "values", index), value) for index, value in enumerate(values)])
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) == len(values) and numbers not in (sorted(numbers), sorted(numbers, reverse=True)):
        yield (*path, "values"), "the values of a scale must be in order; sort the values together with their labels"
    if values and criterion.labels and len(criterion.labels) != len(values):
        yield (
            (*path, "labels"),
            f"there are {len(criterion.labels)} labels for {len(values)} values; write one label for each value, "
            "or remove all labels",
        )


def media_of(schema: Schema, role: str | None, path: Path, *, kind: str, why: str) -> Found:
    """Check that the item has the image or clip that a part needs; ``why`` is the purpose."""
    roles = [slot.role for slot in schema.item.assets if slot.kind == kind]
    if not roles:
        yield path, f"the item has no {kind} to {why}; add an asset of this kind to the item"
    elif role is not None and role not in roles:
        yield (*path, "role"), f"the item has no {kind} `{role}`{among(role, roles)}"


def other_media(schema: Schema, criterion: Criterion, field: ItemField, *, kind: str) -> str | None:
    """Return half a sentence if an answer and a field are about different images or clips, otherwise None."""
    first = next((slot.role for slot in schema.item.assets if slot.kind == kind), None)
    mine, its = (part.role or first for part in (criterion, field))
    if mine == its:
        return None
    return f"`{criterion.name}` is about `{mine}`, but `{field.name}` is about `{its}`; give both the same `role`"


def count(criterion: Criterion, path: Path) -> Found:
    """Check that the required number of entries can be reached."""
    if criterion.min is not None and criterion.min < 0:
        yield (*path, "min"), "`min` cannot be negative; remove `min` to allow an empty answer"
    if criterion.max is not None and criterion.max < max(criterion.min or 0, 1):
        yield (*path, "max"), "`max` must be at least 1 and not less than `min`"


def overlap(given: Tolerance, path: Path) -> Found:
    """Yield the problems of a minimum overlap."""
    other = next((name for name in ("absolute", "relative", "within") if getattr(given, name) is not None), None)
    if other is not None:
        yield (
            (*path, other),
            f"`{other}` is for numbers; give the minimum overlap, such as `{{iou: 0.5}}`",
        )
    elif given.iou is None:
        yield path, "the rule is empty; give `iou`, such as `{iou: 0.5}`"
    elif not 0 < given.iou <= 1:
        share = f"; {given.iou:g} % is {given.iou / 100:g}" if 1 < given.iou <= 100 else ""
        yield (*path, "iou"), f"an IoU must be above 0 and at most 1{share}"


def tolerance(given: Tolerance, unit: str | None, path: Path) -> Found:
    """Yield the problems of a tolerance for a number that is measured in ``unit``."""
    if given.iou is not None:
        yield (*path, "iou"), "`iou` is for spans of time and boxes; use `absolute`, `relative` or `within` for numbers"
        return
    limits = [name for name in ("absolute", "relative", "within") if getattr(given, name) is not None]
    if len(limits) != 1:
        why = f"this has {' and '.join(limits)}" if limits else "the tolerance is empty"
        yield path, f"{why}; give one of `absolute`, `relative` and `within`"
    elif given.absolute is not None and given.absolute <= 0:
        yield (*path, "absolute"), "`absolute` must be more than 0; remove the tolerance to require equal numbers"
    elif given.relative is not None and not 0 < given.relative < 1:
        yield (*path, "relative"), "`relative` is a share of the right number; give a value above 0 and below 1"
    elif given.within is not None and unit_of(given.within) is None:
        yield (*path, "within"), f"`{given.within}` is not a known unit; use a unit such as cm, g, s or %"
    elif given.within is not None and step_of(unit, given.within) is None:
        own = f"is in `{unit}`" if unit else "has no `unit`"
        yield (
            (*path, "within"),
            f"the number {own}, so Touchstone cannot round the number to {given.within}; use a matching unit",
        )
