"""Entries of manifests: chosen items and their places in files, the schema, the policy, the counts at each gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from annotation_schemas.model import Schema, Verification
from db import events, projects, schema_changes
from db.engine import Session
from db.items import OutgoingItem
from domain.states import VERIFICATIONS, VOTED_ON, ItemState, Stage
from workflow.access.projects import Access
from workflow.files.items_going_out import ItemsOut
from workflow.results.file_raters import people_names


def places_of_items(
    state: ItemsOut, names: Collection[str], file_name: str | None
) -> dict[str, tuple[str | None, int]]:
    """Return the file of every item, and its place in the file, from 0."""
    places: dict[str, tuple[str | None, int]] = {}
    for file in state.files:
        written = [item.external_id for item in file.items if item.external_id in names]
        places.update({name: (file_name or file.path, place) for place, name in enumerate(written)})
    return places


def part_name(name: str, chosen: Collection[str] | None, of: int) -> str:
    """Return the name of a file. A file of chosen items has their number and the total in its name."""
    if chosen is None:
        return name
    stem, dot, suffix = name.rpartition(".")
    return f"{stem or suffix}.{part_words(len(chosen), of)}{dot}{suffix if stem else ''}"


def part_words(n: int, of: int) -> str:
    """Return the part of a file name that marks chosen items."""
    return f"chosen-{n}-of-{of}"


def about_chosen(
    session: Session,
    access: Access,
    state: ItemsOut,
    *,
    format: str,
    without: Sequence[str],
    places: Mapping[str, tuple[str | None, int]],
    chosen: Collection[str],
) -> dict[str, Any]:
    """Return the manifest of chosen items without its files: how many of how many, versions, and every item.

    It has no gates, because gates are about a whole project, and no votes, because votes may still follow.
    """
    rows = [row for row in state.rows if row.external_id in chosen]
    names = people_names(session, project_id=access.project_id)
    last = events.last_at(session, project_id=access.project_id)
    return {
        "restricted": _restricted(len(rows), len(state.rows)),
        "project": access.name,
        "title": access.title,
        "made_up": access.made_up,
        "date": last.isoformat() if last else None,
        "format": format,
        "left_out": list(without),
        "schema": schema_of(session, access),
        "verified": False,
        "counts": counts_of(access, rows),
        "items": [{**_item(state, names, places, row), "state": row.state.value} for row in rows],
    }


def _restricted(written: int, of: int) -> dict[str, Any]:
    """Return the entry about chosen items: how many of how many."""
    says = f"Partial export: {written:,} of the project's {of:,} items, selected for this export."
    if written == of:
        says = f"All {of:,} items that the project had at the time of the export were selected."
    return {"says": says, "written": written, "of": of, "chosen": written, "chosen_and_not_written": []}


def policy_of(schema: Schema) -> dict[str, Any]:
    """Return the policy that made verdicts of votes: of the first verification stage, and of each further one by
    name.
    """
    stages = schema.stages

    def of(part: Verification | None) -> dict[str, Any]:
        settled = stages.adjudication if part is None or part.adjudicates else None
        return {
            "raters": part.raters if part else 0,
            "keep": part.keep.model_dump(mode="json", exclude_defaults=True) if part else None,
            "skips": part.skips.model_dump(mode="json") if part and part.skips else None,
            "adjudication": settled.by if settled else None,
        }

    further = {name: of(part) for name, part in stages.verifications.items() if part is not stages.verification}
    return of(stages.verification) | further


def schema_of(session: Session, access: Access) -> dict[str, Any]:
    """Return the schema version in force. If submissions under others count, return every version with their number."""
    in_force = {"name": access.schema.name, "version": access.schema.version, "sha256": access.loaded.hash}
    counts = schema_changes.votes_by_version(session, project_id=access.project_id) if access.reading.numbers else {}
    under = {id for id, _ in counts}
    if under <= {access.schema_version_id}:
        return in_force
    versions = [
        {
            "version": number,
            "sha256": projects.schema_version(session, id=id).hash,
            "submissions": {stage.value: counts[id, stage] for stage in Stage if (id, stage) in counts},
        }
        for id, number in sorted(access.reading.numbers.items(), key=lambda each: each[1])
        if id in under
    ]
    return {**in_force, "versions": versions}


def counts_of(access: Access, rows: Iterable[OutgoingItem]) -> dict[str, Any]:
    """Return the number of items at each gate, in all and by dimension. The rows are iterated only once."""
    counted = Counter((row.dimension, row.state, row.current_revision > 1) for row in rows)
    further = {VOTED_ON[stage] for stage in VERIFICATIONS[1:]}
    there = [state for state in ItemState if state not in further or _has(access.schema, state)]

    def count(dimension: str | None) -> dict[str, int]:
        own = [(state, edited, n) for (of, state, edited), n in counted.items() if dimension in (None, of)]
        states = {state.value: sum(n for item_state, _, n in own if item_state is state) for state in there}
        return {"items": sum(n for _, _, n in own), "edited": sum(n for _, edited, n in own if edited), **states}

    by_dimension = {part.id: count(part.id) for part in access.schema.dimensions}
    return {**count(None), "by_dimension": by_dimension}


def _has(schema: Schema, state: ItemState) -> bool:
    """Return whether items of a schema can be in a verification state."""
    return any(VOTED_ON[Stage(name)] is state for name in schema.stages.verifications)


def _item(
    state: ItemsOut, names: Mapping[int, str], places: Mapping[str, tuple[str | None, int]], row: OutgoingItem
) -> dict[str, Any]:
    """Return the entry of an item: its file and place, and its content."""
    return {
        "id": row.external_id,
        "file": places[row.external_id][0],
        "position": places[row.external_id][1],
        "dimension": row.dimension,
        "revision": row.current_revision,
        "author": names.get(row.author_id or 0),
        "media": [
            {"role": role, "name": name, "sha256": sha256} for role, name, _, sha256 in state.assets.get(row.id, ())
        ],
    }
