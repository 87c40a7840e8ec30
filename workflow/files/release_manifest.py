"""The manifest of a release: the origin and votes of each kept item, the counts at each gate, the guideline."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation_schemas.keys import votes_tell
from annotation_schemas.model import Schema, Verification
from db import events, files, guidelines, projects, schema_changes
from db.engine import Session
from db.items import OutgoingItem
from domain.states import VERIFICATIONS, VOTED_ON, ItemState, Stage
from workflow.access.projects import Access
from workflow.annotate.verdicts import decided_in
from workflow.files.gate_counts import gates
from workflow.files.items_going_out import ItemsOut
from workflow.files.one_version import ItemSubset
from workflow.results.file_raters import people_names


def places_of_kept_items(
    state: ItemsOut, kept: Collection[str], file_name: str | None
) -> dict[str, tuple[str | None, int]]:
    """Return the file of every kept item, and its place in the file, from 0."""
    found: dict[str, tuple[str | None, int]] = {}
    for file in state.files:
        written = [item.external_id for item in file.items if item.external_id in kept]
        found.update({name: (file_name or file.path, place) for place, name in enumerate(written)})
    return found


def part_name(name: str, split: ItemSubset | None, written: Collection[str] | None, of: int) -> str:
    """Return the name of a file. A file of chosen items has their number and the total in its name."""
    if split is None or split.only is None:
        return name
    stem, dot, suffix = name.rpartition(".")
    return f"{stem or suffix}.{part_words(len(written or ()), of)}{dot}{suffix if stem else ''}"


def part_words(n: int, of: int) -> str:
    """Return the part of a file name that marks chosen items."""
    return f"chosen-{n}-of-{of}"


def about_release(
    session: Session,
    access: Access,
    state: ItemsOut,
    *,
    format: str,
    without: Sequence[str],
    places: Mapping[str, tuple[str | None, int]],
    split: ItemSubset,
) -> dict[str, Any]:
    """Return the manifest without its files: policy, versions, counts at each gate, and the votes behind every item.

    An export of chosen items declares that first and counts only these items. It has no gates, because gates are about
    a whole project. If chosen items need not be kept, it has no policy and no votes, because votes may still follow.
    """
    schema = access.schema
    rows = [row for row in state.rows if split.only is None or row.external_id in split.only]
    names = people_names(session, project_id=access.project_id)
    last = events.last_at(session, project_id=access.project_id)
    about = {
        **({} if split.only is None else {"restricted": _restricted(state, rows, split)}),
        "project": access.name,
        "title": access.title,
        "made_up": access.made_up,
        "date": last.isoformat() if last else None,
        "format": format,
        "left_out": list(without),
        "schema": schema_of(session, access) | ({} if split.version is None else {"only": split.version}),
    }
    if not split.verified:
        there = [{**_item(state, names, places, row), "state": row.state.value} for row in rows]
        return {**about, "verified": False, "counts": counts_of(access, rows), "items": there}
    votes = _votes(session, access, names, hidden=votes_tell(access.schema, without))
    return {
        **about,
        "guideline": _guideline(session, access, rows, votes.under),
        "policy": policy_of(schema),
        "counts": counts_of(access, rows),
        **({} if split.only is not None else {"gates": gates(session, access=access)}),
        **_by_reference(votes, _kept_items(session, access, state, names, places, votes, split)),
    }


def _restricted(state: ItemsOut, chosen: Sequence[OutgoingItem], split: ItemSubset) -> dict[str, Any]:
    """Return the entry about chosen items: how many of how many, and which of them the files leave out."""
    written = sum(split.takes(row) for row in chosen)
    n, of = f"{written:,}", f"{len(state.rows):,}"
    under = "" if split.version is None else f" under version {split.version} of the schema"
    left = len(chosen) - written
    more = f" {left:,} more were chosen and are left out: not kept{under}." if left else ""
    says = f"A part: {n} of the {of} items of the project, which someone chose. It is not the whole.{more}"
    if written == len(state.rows):
        says = f"All {of} items of the project as it was then, each of which someone chose."
    return {
        "says": says,
        "written": written,
        "of": len(state.rows),
        "chosen": len(chosen),
        "chosen_and_not_written": [row.external_id for row in chosen if not split.takes(row)],
    }


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
    session: Session, access: Access, rows: Sequence[OutgoingItem], under: Mapping[int, Collection[str]]
) -> dict[str, Any]:
    """Return the guideline in force, every version with its submissions, and kept items with votes under several."""
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


def counts_of(access: Access, rows: Iterable[OutgoingItem]) -> dict[str, Any]:
    """Return the number of items at each gate, in all and by dimension. The rows are iterated only once."""
    counted = Counter((row.dimension, row.state, row.current_revision > 1) for row in rows)
    further = {VOTED_ON[stage] for stage in VERIFICATIONS[1:]}
    there = [state for state in ItemState if state not in further or _has(access.schema, state)]

    def count(dimension: str | None) -> dict[str, int]:
        own = [(state, edited, n) for (of, state, edited), n in counted.items() if dimension in (None, of)]
        states = {state.value: sum(n for each, _, n in own if each is state) for state in there}
        return {"items": sum(n for _, _, n in own), "edited": sum(n for _, edited, n in own if edited), **states}

    by_dimension = {part.id: count(part.id) for part in access.schema.dimensions}
    return {**count(None), "by_dimension": by_dimension}


def _has(schema: Schema, state: ItemState) -> bool:
    """Return whether items of a schema can be in a verification state."""
    return any(VOTED_ON[Stage(name)] is state for name in schema.stages.verifications)


@dataclass
class _Votes:
    """The votes behind the items that are kept: each that differs from all others once, and which of them an item
    has."""

    cast: list[dict[str, Any]] = field(default_factory=list)
    of_item: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    under: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The versions of the guideline that an item's votes were cast under, by their hashes."""


def _votes(session: Session, access: Access, names: Mapping[int, str], *, hidden: bool) -> _Votes:
    """Return the votes behind kept items. ``hidden`` leaves out their values."""
    versions = guidelines.numbers(session, project_id=access.project_id)
    found = _Votes()
    places: dict[tuple[Any, ...], int] = {}
    rounds = [Stage(name) for name in access.schema.stages.verifications]
    for vote in (
        each
        for stage in rounds or (Stage.VERIFICATION,)
        for each in files.on_kept_items(session, project_id=access.project_id, stage=stage)
    ):
        said = () if hidden else (vote.answers, vote.reasons)
        key = (vote.person_id, vote.stage, vote.weight, vote.guideline_hash, vote.schema_version_id, *said)
        if key not in places:
            places[key] = len(places)
            values = {} if hidden else _said(access, vote)
            weight = {} if vote.weight is None else {"weight": vote.weight}
            under = versions.get(vote.guideline_hash)
            earlier = vote.schema_version_id != access.schema_version_id
            schema = {"schema": access.reading.numbers.get(vote.schema_version_id)} if earlier else {}
            stage = {"stage": vote.stage.value} if len(rounds) > 1 else {}
            found.cast.append(
                {"rater": names[vote.person_id], **stage, "guideline": under, **schema, **weight, **values}
            )
        found.of_item[vote.item_id].append(places[key])
        found.under[vote.item_id].add(vote.guideline_hash)
    return found


def _said(access: Access, vote: files.KeptVote) -> dict[str, Any]:
    """Return the values and reasons of a vote, in the words of the schema in force."""
    version, reading = vote.schema_version_id, access.reading
    return {
        "values": reading.answers(version, vote.stage, json.loads(vote.answers)),
        "reasons": reading.reasons(version, json.loads(vote.reasons)),
    }


def _by_reference(votes: _Votes, items: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the votes in the order in which items refer to them, whatever order they were cast in.

    Two projects with the same votes then have the same manifest.
    """
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
    split: ItemSubset,
) -> list[dict[str, Any]]:
    versions = guidelines.numbers(session, project_id=access.project_id)
    decisions: dict[int, list[dict[str, Any]]] = defaultdict(list)
    several = len(access.schema.stages.verifications) > 1
    for decision in files.on_kept_items(session, project_id=access.project_id, stage=Stage.ADJUDICATION):
        answers = json.loads(decision.answers)
        about = {"stage": decided_in(answers).value} if several else {}
        told = {
            **about,
            "by": names[decision.person_id],
            "decision": answers.get("decision"),
            "cause": answers.get("cause"),
            "guideline": versions.get(decision.guideline_hash),
        }
        decisions[decision.item_id].append(told)
    return [
        {
            **_item(state, names, places, row),
            "votes": sorted(votes.of_item.get(row.id, ()), key=lambda place: str(votes.cast[place]["rater"])),
            **(
                {"decisions": decisions.get(row.id, [])}
                if several
                else {"decision": decisions[row.id][-1] if row.id in decisions else None}
            ),
        }
        for row in state.rows
        if split.takes(row)
    ]


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
