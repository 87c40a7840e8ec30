"""All kinds there are: each module of this folder whose name begins with no underscore is one, found by itself."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from annotation_schemas.kinds._rows import CRITERIA, FIELDS, CriterionKind, FieldKind, Kind
from annotation_schemas.model import SETS, Criterion, ItemField
from domain.module_names import import_own


def _find() -> None:
    """Fill the tables of rows. A row that lacks something stops the import with a sentence that names it."""
    criteria: list[CriterionKind] = []
    fields: list[FieldKind] = []
    for module in pkgutil.iter_modules(import_own("annotation_schemas.kinds").__path__):
        if module.name.startswith("_"):
            continue
        kind = import_own(f"annotation_schemas.kinds.{module.name}")
        rows = [row for name in ("CRITERION", "FIELD") if (row := getattr(kind, name, None)) is not None]
        if not rows or any(getattr(row, "name", None) != module.name for row in rows):
            raise ImportError(f"{kind.__name__} needs a CRITERION or a FIELD, called {module.name!r} as the module is.")
        criteria += [row for row in rows if isinstance(row, CriterionKind)]
        fields += [row for row in rows if isinstance(row, FieldKind)]
    CRITERIA.update(_listed_by_place(criteria))
    FIELDS.update(_listed_by_place(fields))
    SETS.update(row.name for row in criteria if row.is_set)


Row = TypeVar("Row", bound=Kind)


def _listed_by_place(rows: Sequence[Row]) -> dict[str, Row]:
    for row in rows:
        lacking = [key for key in ("place", "meaning") if not hasattr(row, key)]
        if lacking:
            raise ImportError(f"The kind {row.name!r} says no `{lacking[0]}`.")
    return {row.name: row for row in sorted(rows, key=lambda row: row.place)}


_find()


def of_criterion(criterion: Criterion) -> CriterionKind:
    """The row of a criterion's kind."""
    return CRITERIA[criterion.kind]


def of_field(field: ItemField) -> FieldKind:
    """The row of a field's kind."""
    return FIELDS[field.kind]


def in_words(entry: Mapping[str, Any]) -> str | None:
    """An entry of an answer or of a field as a person reads it; None: it is of no kind that has words for it."""
    said = (row.entry_in_words(entry) for row in (*CRITERIA.values(), *FIELDS.values()))
    return next((words for words in said if words is not None), None)


def meanings(rows: Mapping[str, Kind]) -> dict[str, str]:
    """What each key says that only some kinds take: ``For number: the least. For spans and boxes: ...``."""
    said: dict[str, dict[str, list[str]]] = {}
    for row in rows.values():
        for key, meaning in row.keys.items():
            said.setdefault(key, {}).setdefault(meaning, []).append(row.name)
    return {
        key: " ".join(f"For {_listed(names)}: {meaning}." for meaning, names in found.items())
        for key, found in said.items()
    }


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
