"""What several checks of a schema share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.grammar import among, no_name, unique
from annotation_schemas.model import Criterion, Schema
from annotation_schemas.yaml_text import Path
from domain.states import VERIFICATIONS

Found = Iterator[tuple[Path, str]]
"""Problems as they are found: the path and the message."""


def known_dimensions(schema: Schema, names: Sequence[str] | None, path: Path) -> Found:
    known = [dimension.id for dimension in schema.dimensions]
    for index, name in enumerate(names or ()):
        if name not in known:
            yield (*path, index), f"`{name}` is not a dimension{among(name, known)}"


def check_names(named: Sequence[tuple[Path, str]]) -> Found:
    for path, name in named:
        if wrong := no_name(name):
            yield path, wrong
    yield from unique(named)


def no_value(criterion: Criterion, value: Any) -> str | None:
    """Return the reason why a rater cannot give this answer, with the possible answers, or None.

    Values that depend on the item count as possible. So do all values if there are no options, which is another
    problem.
    """
    row = kinds.of_criterion(criterion)
    listed = row.listed(criterion)
    if row.can_be(criterion, value) or (not listed and {"options", "values"}.intersection(row.keys)):
        return None
    complaint = f"`{value}` is not a value of `{criterion.name}`"
    labelled = dict(zip(criterion.labels, criterion.values, strict=False))
    labelled |= {option.label: option.value for option in criterion.options}
    if value in labelled:
        return f"{complaint}; write the value `{labelled[value]}` instead of its label"
    alike = next((listed_value for listed_value in listed if str(listed_value) == str(value)), None)
    if alike is not None:
        return f"{complaint}; {'remove the quotes' if isinstance(value, str) else 'add quotes'}"
    return f"{complaint}{among(str(value), [str(known) for known in listed]) or f'; an answer is {row.meaning}'}"


def of_percent(share: float) -> str:
    """Return the share for a number that looks like a percentage, as the end of a sentence."""
    return f"; {share:g} % is {share / 100:g}" if 1 < share <= 100 else ""


def called(stage: str) -> str:
    """Return the name of a stage in messages."""
    return stage if stage == VERIFICATIONS[0] else f"`{stage}`"
