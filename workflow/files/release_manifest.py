"""What a release says of itself: where each kept item came from, its votes, counts at each gate, the guideline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation_schemas.keys import votes_tell
from db import events, files, guidelines
from db.engine import Session
from db.records import StoredItem
from domain.states import ItemState, Stage
from workflow.access.projects import Access
from workflow.files.items_going_out import ItemsOut
from workflow.files.project_check import gates
from workflow.results.ratings import people_names


def places_of_kept_items(
    state: ItemsOut, kept: Collection[str], file_name: str | None
) -> dict[str, tuple[str | None, int]]:
    """Where every kept item is written: the file, and the place in it counted from 0."""
    found: dict[str, tuple[str | None, int]] = {}
    for file in state.files:
        written = [item.external_id for item in file.items if item.external_id in kept]
        found.update({name: (file_name or file.path, place) for place, name in enumerate(written)})
    return found


def about_release(
    session: Session,
    access: Access,
    state: ItemsOut,
    *,
    format: str,
    without: Sequence[str],
    places: Mapping[str, tuple[str | None, int]],
) -> dict[str, Any]:
    """What a manifest says besides the files: policy, versions, counts at each gate, and the votes behind every
    item."""
    schema = access.schema
    names = people_names(session, project_id=access.project_id)
    last = events.last_at(session, project_id=access.project_id)
    verification = schema.stages.verification
    return {
        "project": access.name,
        "title": access.title,
        "made_up": access.made_up,
        "date": last.isoformat() if last else None,
        "format": format,
        "left_out": list(without),
        "schema": {"name": schema.name, "version": schema.version, "sha256": access.loaded.hash},
        "guideline": _guideline(session, access, state.rows),
        "policy": {
            "raters": verification.raters if verification else 0,
            "keep": verification.keep.model_dump(mode="json", exclude_defaults=True) if verification else None,
            "skips": verification.skips.model_dump(mode="json") if verification and verification.skips else None,
            "adjudication": schema.stages.adjudication.by if schema.stages.adjudication else None,
        },
        "counts": _counts(access, state.rows),
        "gates": gates(session, access=access),
        "items": _kept_items(session, access, state, names, places, hidden=votes_tell(access.schema, without)),
    }


def _guideline(session: Session, access: Access, rows: Sequence[StoredItem]) -> dict[str, Any]:
    """The version in force, every version with the submissions under it, and the kept items voted on under several."""
    counts = guidelines.count_submissions(session, project_id=access.project_id)
    kept = {row.id: row for row in rows if row.state is ItemState.KEPT}
    under: dict[int, set[str]] = defaultdict(set)
    for vote, _ in files.counting_annotations(session, project_id=access.project_id, stage=Stage.VERIFICATION):
        if vote.item_id in kept and vote.revision == kept[vote.item_id].current_revision:
            under[vote.item_id].add(vote.guideline_hash)
    return {
        "sha256": access.loaded.guideline_hash,
        "version": access.guideline,
        "versions": [
            {
                "version": row.number,
                "sha256": row.hash,
                "submissions": {stage.value: counts[row.hash, stage] for stage in Stage if (row.hash, stage) in counts},
            }
            for row, _ in guidelines.of_project(session, project_id=access.project_id)
        ],
        "items_under_several": [row.external_id for id, row in kept.items() if len(under[id]) > 1],
    }


def _counts(access: Access, rows: Sequence[StoredItem]) -> dict[str, Any]:
    """Items at each gate, in all and by dimension."""

    def count(some: Sequence[StoredItem]) -> dict[str, int]:
        states = {state.value: sum(1 for row in some if row.state is state) for state in ItemState}
        return {"items": len(some), "edited": sum(1 for row in some if row.current_revision > 1), **states}

    by_dimension = {
        part.id: count([row for row in rows if row.dimension == part.id]) for part in access.schema.dimensions
    }
    return {**count(rows), "by_dimension": by_dimension}


def _kept_items(
    session: Session,
    access: Access,
    state: ItemsOut,
    names: Mapping[int, str],
    places: Mapping[str, tuple[str | None, int]],
    *,
    hidden: bool,
) -> list[dict[str, Any]]:
    versions = guidelines.numbers(session, project_id=access.project_id)
    votes: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for vote, person in files.counting_annotations(session, project_id=access.project_id, stage=Stage.VERIFICATION):
        said = {} if hidden else {"values": vote.answers, "reasons": vote.reasons}
        weight = {} if vote.weight is None else {"weight": vote.weight}
        under = versions.get(vote.guideline_hash)
        votes[vote.item_id, vote.revision].append({"rater": names[person.id], "guideline": under, **weight, **said})
    decisions: dict[tuple[int, int], dict[str, Any]] = {}
    for decision, person in files.counting_annotations(session, project_id=access.project_id, stage=Stage.ADJUDICATION):
        decisions[decision.item_id, decision.revision] = {
            "by": names[person.id],
            "decision": decision.answers.get("decision"),
            "cause": decision.answers.get("cause"),
            "guideline": versions.get(decision.guideline_hash),
        }
    return [
        {
            "id": row.external_id,
            "file": places[row.external_id][0],
            "position": places[row.external_id][1],
            "dimension": row.dimension,
            "revision": row.current_revision,
            "author": names.get(row.author_id or 0),
            "media": [
                {"role": role, "name": name, "sha256": sha256} for role, name, _, sha256 in state.assets.get(row.id, ())
            ],
            "votes": sorted(votes[row.id, row.current_revision], key=lambda vote: vote["rater"]),
            "decision": decisions.get((row.id, row.current_revision)),
        }
        for row in state.rows
        if row.state is ItemState.KEPT
    ]
