"""The similarity of two texts of each item, by a language model, stored as a label that can cut results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation_schemas.model import Schema
from db import attributes as stored
from db import files, item_revisions
from db.engine import Session, Store
from domain.attributes import NAME
from domain.errors import InvalidInputError, Problem
from domain.records import Person
from extensions.reference_metrics import queries, text_similarity
from workflow.access.event_log import log
from workflow.access.projects import require_lead
from workflow.results import attributes
from workflow.results.slices import texts

NAMED = "bertscore"
"""The default name of the label."""
_DIGITS = 6


@dataclass(frozen=True)
class SimilarityResult:
    """The result of a measurement."""

    name: str
    about: Mapping[str, Any]
    new: int
    """Items that have a number now, or another one than before."""
    known: int
    """The number of items whose value has not changed."""
    without: int
    """Items that lack a text, or whose texts have no tokens."""


def measure(
    store: Store,
    *,
    by: Person | None,
    project: str,
    fields: tuple[str, str],
    folder: Path,
    layer: int | None = None,
    name: str = NAMED,
) -> SimilarityResult:
    """Measure all items of a project. Items that are already measured and unchanged are skipped.

    Parameters
    ----------
    fields
        The two texts of an item.
    folder, layer
        The arguments of ``text_similarity.opened``.
    name
        The name of the label.

    Raises
    ------
    InvalidInputError
        A field or the layer is unknown, the name is taken, or the label was measured with other settings.
    ModelError
        The model cannot be loaded here.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        _check(access.schema, fields, name)
    made = text_similarity.opened(folder, layer=layer)
    about = {**made.about, "fields": list(fields)}
    with store.read() as session:
        _refuse_other(session, access.project_id, name, about)
        contents = item_revisions.current_content(session, project_id=access.project_id)
        pairs = {
            item: (one, other)
            for id, item, _ in files.item_ids(session, project_id=access.project_id)
            if isinstance(one := contents.get(id, {}).get(fields[0]), str)
            and isinstance(other := contents.get(id, {}).get(fields[1]), str)
        }
    values = made.measure(list(pairs.values()))
    similarities = {item: round(value, _DIGITS) for item, value in zip(pairs, values, strict=True) if value is not None}
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        _refuse_other(session, access.project_id, name, about)
        known = attributes.of_items(session, project_id=access.project_id)
        new = {item: {name: value} for item, value in similarities.items() if known.get(item, {}).get(name) != value}
        if new:
            data = {"similarity": about, "name": name, "said": new}
            log(session, stored.LABELLED, by=by, project=access, now=store.now(), data=data)
    return SimilarityResult(name, about, len(new), len(similarities) - len(new), len(contents) - len(similarities))


def _check(schema: Schema, fields: tuple[str, str], name: str) -> None:
    there = [field.name for field in texts(schema)]
    problems = []
    if len(set(fields)) < 2 or not set(fields) <= set(there):
        problems.append(
            Problem("of", f"Name two different fields, joined by ~. The possible fields are {', '.join(there)}.")
        )
    if not NAME.fullmatch(name) or name in {field.name for field in schema.item.fields} | set(attributes.OF_THE_ITEM):
        problems.append(
            Problem(
                "name",
                f"{name!r} is not a valid label name. Use lowercase letters, digits and _, but not the name of a "
                "field.",
            )
        )
    if problems:
        raise InvalidInputError(problems)


def _refuse_other(session: Session, project_id: int, name: str, about: Mapping[str, Any]) -> None:
    """Raise ``InvalidInputError`` if the label was measured with other settings before."""
    for before in queries.similarities(session, project_id=project_id, name=name):
        differs = [f"{key}: {before.get(key)}, not {value}" for key, value in about.items() if before.get(key) != value]
        if differs:
            sentence = (
                f"{name} was already measured with other settings ({'; '.join(differs[:3])}). Give this measurement "
                "another name."
            )
            raise InvalidInputError([Problem("name", sentence)])
