"""All kinds there are: the rows of a criterion or field, and what the rows say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_schemas.kinds._away import away_fields, away_kinds
from annotation_schemas.kinds._rows import CRITERIA, FIELDS, CriterionKind, FieldKind, Kind
from annotation_schemas.model import Criterion, ItemField
from domain.module_names import import_own
from domain.registers import modules_of

for _name in modules_of(__package__ or ""):
    if "._" not in _name:
        import_own(_name)  # now, as the package has functions that are called as modules are


def of_criterion(criterion: Criterion) -> CriterionKind:
    """The row of a criterion's kind, be it of an extension that is not installed."""
    return CRITERIA.get(criterion.kind) or away_kinds()[criterion.kind]


def of_field(field: ItemField) -> FieldKind:
    """The row of a field's kind, be it of an extension that is not installed."""
    return FIELDS.get(field.kind) or away_fields()[field.kind]


def in_words(entry: Mapping[str, Any]) -> str | None:
    """An entry of an answer or of a field as a person reads it; None: it is of no kind that has words for it."""
    sentences = (row.entry_in_words(entry) for row in (*CRITERIA.values(), *FIELDS.values()))
    return next((words for words in sentences if words is not None), None)


def meanings(rows: Mapping[str, Kind]) -> dict[str, str]:
    """Return the meaning of each key that only some kinds accept: ``For number: the least. For boxes: ...``."""
    by_key: dict[str, dict[str, list[str]]] = {}
    for row in rows.values():
        for key, meaning in row.keys.items():
            by_key.setdefault(key, {}).setdefault(meaning, []).append(row.name)
    return {
        key: " ".join(f"For {_listed(names)}: {meaning}." for meaning, names in names_by_meaning.items())
        for key, names_by_meaning in by_key.items()
    }


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
