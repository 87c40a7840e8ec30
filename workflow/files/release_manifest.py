"""What a release says of itself: where each kept item came from, its votes, counts at each gate, the guideline."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation_schemas.keys import votes_tell
from db import events, files, guidelines, projects, schema_changes
from db.engine import Session
from db.items import Outgoing
from domain.states import ItemState, Stage
from workflow.access.projects import Access
from workflow.files.items_going_out import ItemsOut
from workflow.files.project_check import gates
from workflow.results.file_raters import people_names


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
    votes = _votes(session, access, names, hidden=votes_tell(access.schema, without))
    return {
        "project": access.name,
        "title": access.title,
        "made_up": access.made_up,
        "date": last.isoformat() if last else None,
        "format": format,
        "left_out": list(without),
        "schema": _schema(session, access),
        "guideline": _guideline(session, access, state.rows, votes.under),
        "policy": {
            "raters": verification.raters if verification else 0,
            "keep": verification.keep.model_dump(mode="json", exclude_defaults=True) if verification else None,
            "skips": verification.skips.model_dump(mode="json") if verification and verification.skips else None,
            "adjudication": schema.stages.adjudication.by if schema.stages.adjudication else None,
        },
        "counts": _counts(access, state.rows),
        "gates": gates(session, access=access),
        **_by_reference(votes, _kept_items(session, access, state, names, places, votes)),
    }


def _schema(session: Session, access: Access) -> dict[str, Any]:
    """The version in force; where something that counts was given under others, every version with how much."""
    told = {"name": access.schema.name, "version": access.schema.version, "sha256": access.loaded.hash}
    counts = schema_changes.votes_by_version(session, project_id=access.project_id) if access.reading.numbers else {}
    under = {id for id, _ in counts}
    if under <= {access.schema_version_id}:
        return told
    versions = [
        {
            "version": number,
            "sha256": projects.schema_version(session, id=id).hash,
            "submissions": {stage.value: counts[id, stage] for stage in Stage if (id, stage) in counts},
        }
        for id, number in sorted(access.reading.numbers.items(), key=lambda each: each[1])
        if id in under
    ]
    return {**told, "versions": versions}


def _guideline(
    session: Session, access: Access, rows: Sequence[Outgoing], under: Mapping[int, Collection[str]]
) -> dict[str, Any]:
    """The version in force, every version with the submissions under it, and the kept items voted on under several."""
    counts = guidelines.count_submissions(session, project_id=access.project_id)
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
        "items_under_several": [row.external_id for row in rows if len(under.get(row.id, ())) > 1],
    }


def _counts(access: Access, rows: Sequence[Outgoing]) -> dict[str, Any]:
    """Items at each gate, in all and by dimension."""

    def count(some: Sequence[Outgoing]) -> dict[str, int]:
        states = {state.value: sum(1 for row in some if row.state is state) for state in ItemState}
        return {"items": len(some), "edited": sum(1 for row in some if row.current_revision > 1), **states}

    by_dimension = {
        part.id: count([row for row in rows if row.dimension == part.id]) for part in access.schema.dimensions
    }
    return {**count(rows), "by_dimension": by_dimension}


@dataclass
class _Votes:
    """The votes behind the items that are kept: each that differs from all others once, and which of them an item
    has."""

    cast: list[dict[str, Any]] = field(default_factory=list)
    of_item: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    under: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The versions of the guideline that an item's votes were cast under, by their hashes."""


def _votes(session: Session, access: Access, names: Mapping[int, str], *, hidden: bool) -> _Votes:
    """``hidden``: without what was said."""
    versions = guidelines.numbers(session, project_id=access.project_id)
    found = _Votes()
    places: dict[tuple[Any, ...], int] = {}
    for vote in files.on_kept_items(session, project_id=access.project_id, stage=Stage.VERIFICATION):
        said = () if hidden else (vote.answers, vote.reasons)
        key = (vote.person_id, vote.weight, vote.guideline_hash, vote.schema_version_id, *said)
        if key not in places:
            places[key] = len(places)
            values = {} if hidden else _said(access, vote)
            weight = {} if vote.weight is None else {"weight": vote.weight}
            under = versions.get(vote.guideline_hash)
            earlier = vote.schema_version_id != access.schema_version_id
            schema = {"schema": access.reading.numbers.get(vote.schema_version_id)} if earlier else {}
            found.cast.append({"rater": names[vote.person_id], "guideline": under, **schema, **weight, **values})
        found.of_item[vote.item_id].append(places[key])
        found.under[vote.item_id].add(vote.guideline_hash)
    return found


def _said(access: Access, vote: files.KeptVote) -> dict[str, Any]:
    """What was said, in the words of the schema that is in force."""
    version, reading = vote.schema_version_id, access.reading
    return {
        "values": reading.answers(version, Stage.VERIFICATION, json.loads(vote.answers)),
        "reasons": reading.reasons(version, json.loads(vote.reasons)),
    }


def _by_reference(votes: _Votes, items: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The votes in the order in which items name them, whichever was cast first: two projects in which the same was
    said have the same manifest."""
    places = {old: new for new, old in enumerate(dict.fromkeys(at for item in items for at in item["votes"]))}
    return {
        "votes": [votes.cast[old] for old in places],
        "items": [{**item, "votes": [places[old] for old in item["votes"]]} for item in items],
    }


def _kept_items(
    session: Session,
    access: Access,
    state: ItemsOut,
    names: Mapping[int, str],
    places: Mapping[str, tuple[str | None, int]],
    votes: _Votes,
) -> list[dict[str, Any]]:
    versions = guidelines.numbers(session, project_id=access.project_id)
    decisions: dict[int, dict[str, Any]] = {}
    for decision in files.on_kept_items(session, project_id=access.project_id, stage=Stage.ADJUDICATION):
        answers = json.loads(decision.answers)
        decisions[decision.item_id] = {
            "by": names[decision.person_id],
            "decision": answers.get("decision"),
            "cause": answers.get("cause"),
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
            "votes": sorted(votes.of_item.get(row.id, ()), key=lambda place: str(votes.cast[place]["rater"])),
            "decision": decisions.get(row.id),
        }
        for row in state.rows
        if row.state is ItemState.KEPT
    ]
