"""The rows of criteria and fields whose kind belongs to an extension of ours that is not installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from annotation_schemas.kinds._rows import CRITERIA, CriterionKind, FieldKind, Found, Json, Texts
from annotation_schemas.model import Choice, Criterion, ItemField, Schema
from annotation_schemas.yaml_text import Path
from domain import extensions


class AwayKind(CriterionKind):
    """Keeps a project open: its schema is read and its answers are kept, but no one is asked this criterion.

    A stage with such a criterion does not start (``registry.require_available``).
    """

    place = 1_000
    of_the_item = True
    has_control = False
    compares_answers = True  # perhaps: a stored schema must open

    def __init__(self, name: str, sentence: str) -> None:
        """``sentence`` names the extension."""
        self.name = name  # type: ignore[misc]  # other rows are one for each class
        self.meaning = self.not_measured = self.only_here = sentence  # type: ignore[misc]
        self.keys = {key: meaning for row in CRITERIA.values() for key, meaning in row.keys.items()}  # type: ignore[misc]

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        """Accept the criterion as it is; only the extension knows which keys it needs."""
        yield from ()

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        """Accept the value as it is; only the extension knows what fits."""
        return None

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        return [[]]

    def page(self, criterion: Criterion) -> Json:
        return {}


class AwayField(FieldKind):
    """Keeps a project open: its schema is read and the field's values are kept, but no stage starts.

    A value is shown as the file gives it. Models' answers are not compared with it.
    """

    place = 1_000
    away = True
    limited = False
    votes_equal = False
    comparable = False
    sliced = "entries"

    def __init__(self, name: str, sentence: str) -> None:
        """``sentence`` names the extension."""
        self.name = name  # type: ignore[misc]  # other rows are one for each class
        self.meaning = self.only_here = sentence  # type: ignore[misc]

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        """Accept the value as it is; only the extension knows what fits."""
        return None


@cache
def away_kinds() -> Mapping[str, AwayKind]:
    """Return the rows of criteria of missing kinds, by name."""
    return {name: AwayKind(name, sentence) for name, sentence in extensions.all_missing("kinds").items()}


@cache
def away_fields() -> Mapping[str, AwayField]:
    """Return the rows of fields of missing kinds, by name."""
    return {name: AwayField(name, sentence) for name, sentence in extensions.all_missing("kinds").items()}
