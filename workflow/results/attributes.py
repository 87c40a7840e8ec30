"""Attributes of models (size, base model, tuning) and labels of items (scene, concept).

Attributes of models come from their descriptions and from files. Labels of items come from files. Both are stored as
events of the project: a later value replaces an earlier one, and no vote refers to either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from annotation_schemas.keys import key_field
from annotation_schemas.kinds import of_field
from annotation_schemas.model import Schema
from db import answers, files, item_revisions
from db import attributes as stored
from db.attributes import DESCRIBED, LABELLED
from db.engine import Session, Store
from db.records import StoredRun
from domain.attributes import Attribute
from domain.records import BadRow, Person
from importers.attributes import ReadAttributes
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead

Said = Mapping[str, Mapping[str, Attribute]]
"""The attributes of each model or item, by name."""
Refuse = Callable[[Sequence[BadRow]], None]
"""Raises if rows that do not fit are not to be left out."""


def of_models(session: Session, *, project_id: int, runs: Sequence[StoredRun] | None = None) -> Said:
    """Return the attributes of a project's models. Values from files override those of descriptions.

    ``runs`` are the rows of ``answers.runs``, if the caller has them.
    """
    by_model: dict[str, dict[str, Attribute]] = {}
    for run in answers.runs(session, project_id=project_id) if runs is None else runs:
        own = (run.params.get("spec") or {}).get("attributes") or {}
        by_model.setdefault(run.name, {}).update(own)
    for record in stored.recorded_attributes(session, project_id=project_id, kind=DESCRIBED):
        for model, own in record.items():
            by_model.setdefault(model, {}).update(own)
    return {model: own for model, own in by_model.items() if own}


def of_items(session: Session, *, project_id: int) -> Said:
    """Return the labels of a project's items, by their external ids."""
    by_item: dict[str, dict[str, Attribute]] = {}
    for record in stored.recorded_attributes(session, project_id=project_id, kind=LABELLED):
        for item, own in record.items():
            by_item.setdefault(item, {}).update(own)
    return by_item


def names(said: Iterable[Mapping[str, Attribute]]) -> list[str]:
    """Return the names of all attributes, in the order of first use."""
    return list(dict.fromkeys(name for own in said for name in own))


def names_in(store: Store, *, person: Person | None, project: str) -> tuple[list[str], list[str]]:
    """Return the names of the attributes of models and of the labels of items in a project, for its leads."""
    with store.read() as session:
        id = require_lead(session, by=person, project=project).project_id
        return names(of_models(session, project_id=id).values()), names(of_items(session, project_id=id).values())


def import_attributes(
    store: Store, *, by: Person | None, project: str, path: Path, read: ReadAttributes, kind: str, refuse: Refuse
) -> tuple[int, int, list[BadRow]]:
    """Store the attributes of a file. Return the number of new and of known models or items, and the invalid rows.

    ``kind`` is the event: ``DESCRIBED`` or ``LABELLED``.
    """
    refuse(read.bad)
    bad = list(read.bad)
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        id = access.project_id
        known = of_models(session, project_id=id) if kind == DESCRIBED else of_items(session, project_id=id)
        check = _model_check(session, access) if kind == DESCRIBED else _item_check(session, access)
        new: dict[str, Mapping[str, Attribute]] = {}
        repeated = 0
        for name, own, here in read.rows:
            if why := check(name, own):
                bad.append(replace(here, reason=why))
            elif all(known.get(name, {}).get(attribute) == value for attribute, value in own.items()):
                repeated += 1
            else:
                new[name] = own
        refuse(bad)
        if new:
            sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
            data = {"file": path.name, "sha256": sha256, "said": new}
            log(session, kind, by=by, project=access, now=store.now(), data=data)
        return len(new), repeated, bad


def _model_check(session: Session, access: Access) -> Callable[[str, Mapping[str, Attribute]], str]:
    there = stored.models(session, project_id=access.project_id)

    def check(name: str, own: Mapping[str, Attribute]) -> str:
        known = ", ".join(there) or "none"
        return "" if name in there else f"the model {name!r} has no answers; models with answers: {known}"

    return check


OF_THE_ITEM = ("dimension", "group", "source")


def _item_check(session: Session, access: Access) -> Callable[[str, Mapping[str, Attribute]], str]:
    """Return a check for imported labels. A label may fill an optional field that an item lacks, but never contradict
    it.
    """
    contents = item_revisions.current_content(session, project_id=access.project_id)
    there = {name: contents.get(id, {}) for id, name, _ in files.item_ids(session, project_id=access.project_id)}
    fixed = fixed_fields(access.schema)

    def check(name: str, own: Mapping[str, Attribute]) -> str:
        if name not in there:
            return f"there is no item {name!r} in this project"
        for label, value in own.items():
            if label in fixed:
                return f"{label} is part of the item, so a label cannot set this value; edit the item instead"
            present = there[name].get(label)
            if present not in (None, "", value):
                return f"the item already has the {label} {present!r}; edit the item instead"
        return ""

    return check


def fixed_fields(schema: Schema) -> frozenset[str]:
    """Return the names that no label may take: properties of every item, the key, and fields without text or number
    values.
    """
    own = {field.name for field in schema.item.fields if field.required or of_field(field).sliced == "entries"}
    return frozenset({*OF_THE_ITEM, *own, *filter(None, [key_field(schema)])})
