"""Rules between several values of one form, held against what was filled in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from annotation_schemas.kinds._table import of_criterion, of_field
from annotation_schemas.model import Criterion, CrossRule, ItemField
from domain.comparison import same
from domain.cross_rules import CROSS_RULES
from domain.decimals import exact

NUMBER, TEXT, LIST = "number", "text", "list"


def sort_of(part: Criterion | ItemField) -> str | None:
    """What its values are for a rule that compares: a number, a text or plain value, or a list; None: nothing that can
    be compared."""
    if isinstance(part, ItemField):
        row = of_field(part)
        if row.holds in {"whole number", "decimal"}:
            return NUMBER
        return LIST if row.holds == "texts" else TEXT if row.holds == "text" or row.of_options else None
    asked = of_criterion(part)
    if asked.ends(part) is not None:
        return NUMBER
    return LIST if asked.picks_several else TEXT if asked.compared or asked.in_words else None


def broken_rules(
    rules: Sequence[CrossRule],
    values: Mapping[str, Any],
    parts: Mapping[str, Criterion | ItemField],
    *,
    asked: Collection[str],
    is_blank: Callable[[Any], bool],
) -> Iterator[tuple[str, CrossRule]]:
    """The rules that do not hold, each with the name of the value at fault.

    ``asked`` are the values that are asked for, or may be given: nothing else can be missing. A rule about a value that
    is not there holds, unless it is about just that.
    """

    def value(name: str, *, numbers: bool) -> Any:
        given = values.get(name)
        if is_blank(given):
            return None
        number = exact(given) if numbers else None
        return given if number is None else number

    for rule in rules:
        row = CROSS_RULES.get(rule.rule)
        if row is None or not all(
            any(same(values.get(name), each) for each in wanted) for name, wanted in rule.when.items()
        ):
            continue
        names = [name for name in rule.of if name in asked] if row.about_absence else list(rule.of)
        numbers = any(sort_of(parts[name]) == NUMBER for name in names if name in parts)
        place = row.broken([value(name, numbers=numbers) for name in names])
        if place is not None:
            at = [*reversed(names[: place + 1]), *names[place + 1 :]]
            yield next(name for name in at if name in asked), rule
