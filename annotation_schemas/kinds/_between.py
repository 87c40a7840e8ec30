"""Evaluation of rules between several values of a form."""

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
    """Return the type of its values for rules that compare: a number, a plain value, or a list; None if
    incomparable.
    """
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
    """Yield the broken rules, each with the name of the wrong value.

    ``asked`` are the values that the form asks for or allows. Only these can be missing. A missing value breaks no
    rule, unless the rule is about missing values.
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
            any(same(values.get(name), value) for value in wanted) for name, wanted in rule.when.items()
        ):
            continue
        names = [name for name in rule.of if name in asked] if row.about_absence else list(rule.of)
        numbers = any(sort_of(parts[name]) == NUMBER for name in names if name in parts)
        place = row.broken([value(name, numbers=numbers) for name in names])
        if place is not None:
            at = [*reversed(names[: place + 1]), *names[place + 1 :]]
            yield next(name for name in at if name in asked), rule
