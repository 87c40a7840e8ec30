"""The origins of items as W3C PROV-JSON: one line per item, and each line is a document.

An item's revisions are entities, the steps of its making are activities, and people are agents with their pseudonyms.
The content of votes is left out. A document only says that there was a vote, by whom, when, and about which revision.
The plan of the step is the version of the schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import quote

from annotation_schemas.formats.released import ReleasedItem, ReleasedSet, ReleasedStep, ReleaseFolder
from exporters.release_items import by_split, json_bytes

NAME = "prov"
_ITEM, _MEDIA, _SOURCE, _BY, _STEP, _SCHEMA = "item", "media", "source", "agent", "step", "schema"
_PERSON = {"$": "prov:Person", "type": "prov:QUALIFIED_NAME"}
_SOFTWARE = {"$": "prov:SoftwareAgent", "type": "prov:QUALIFIED_NAME"}
_PLAN = {"$": "prov:Plan", "type": "prov:QUALIFIED_NAME"}


def written(released: ReleasedSet, folder: ReleaseFolder) -> None:
    """Write ``prov/<split>.jsonl``."""
    for split, items in by_split(released):
        with folder.open(f"{NAME}/{split.name}.jsonl") as out:
            for item in items:
                out.write(json_bytes(NAME, item, document(released, item)) + b"\n")


def document(released: ReleasedSet, item: ReleasedItem) -> dict[str, Any]:
    """Return the known history of an item."""
    steps = list(released.provenance(item)) if released.provenance else []
    base = f"urn:touchstone:{quote(released.name, safe='')}:"
    document: dict[str, Any] = {
        "prefix": {name: f"{base}{name}:" for name in (_ITEM, _MEDIA, _SOURCE, _BY, _STEP, _SCHEMA)},
        "entity": {},
    }
    revisions = sorted({step.revision for step in steps} or {1})
    last = _revision(item, revisions[-1])
    for number in revisions:
        document["entity"][_revision(item, number)] = {"prov:label": item.id, f"{_ITEM}:revision": number}
    document["entity"][last] |= {
        f"{_ITEM}:dimension": item.dimension,
        f"{_ITEM}:split": item.split,
        f"{_ITEM}:release": released.version,
    }
    derived = [
        {"prov:generatedEntity": _revision(item, after), "prov:usedEntity": _revision(item, before), **_REVISED}
        for before, after in pairwise(revisions)
    ]
    derived += _media(item, last, document["entity"])
    _steps(item, steps, document)
    if derived:
        document["wasDerivedFrom"] = {f"_:d{number}": derivation for number, derivation in enumerate(derived)}
    return document


_REVISED = {"prov:type": {"$": "prov:Revision", "type": "prov:QUALIFIED_NAME"}}


def _revision(item: ReleasedItem, number: int) -> str:
    return f"{_ITEM}:{quote(item.id, safe='')}.r{number}"


def _media(item: ReleasedItem, last: str, entities: dict[str, Any]) -> list[dict[str, Any]]:
    """Add the images, clips and sources of an item as entities. Return the derivations between them."""
    derivations = []
    for asset in item.assets:
        name = f"{_MEDIA}:{asset.sha256}"
        roles = list(dict.fromkeys(medium.role for medium in item.assets if medium.sha256 == asset.sha256))
        attributes = {"prov:type": asset.mime, f"{_MEDIA}:sha256": asset.sha256, f"{_MEDIA}:role": roles}
        entities[name] = attributes | ({"prov:location": asset.path} if asset.path else {})
        derivations.append({"prov:generatedEntity": last, "prov:usedEntity": name})
        if asset.source:
            source = f"{_SOURCE}:{quote(asset.source, safe='')}"
            entities[source] = {"prov:label": asset.source}
            derivations.append({"prov:generatedEntity": name, "prov:usedEntity": source})
    return [derivation for at, derivation in enumerate(derivations) if derivation not in derivations[:at]]


def _steps(item: ReleasedItem, steps: Sequence[ReleasedStep], found: dict[str, Any]) -> None:
    """Add the steps of an item and the agents who did them."""
    if not steps:
        return
    parts: dict[str, dict[str, Any]] = {"activity": {}, "agent": {}}
    for number, step in enumerate(steps):
        name, agent = f"{_STEP}:{quote(item.id, safe='')}.{number}", f"{_BY}:{quote(step.by, safe='')}"
        when = {"prov:startTime": step.at, "prov:endTime": step.at} if step.at else {}
        parts["activity"][name] = {"prov:type": step.stage, **when}
        parts["agent"][agent] = {"prov:type": _PERSON if step.person else _SOFTWARE}
        relations = [
            ("wasAssociatedWith", {"prov:activity": name, "prov:agent": agent, **_plan(step, found["entity"])})
        ]
        revision = _revision(item, step.revision)
        if step.makes:
            relations.append(("wasGeneratedBy", {"prov:entity": revision, "prov:activity": name}))
            relations.append(("wasAttributedTo", {"prov:entity": revision, "prov:agent": agent}))
        else:
            relations.append(("used", {"prov:activity": name, "prov:entity": revision}))
        for kind, relation in relations:
            those = parts.setdefault(kind, {})
            those[f"_:{kind}{len(those)}"] = relation
    found.update(parts)


def _plan(step: ReleasedStep, entities: dict[str, Any]) -> dict[str, str]:
    """Return the schema of a step, which becomes an entity. Empty: the schema is unknown."""
    if step.schema_sha256 is None:
        return {}
    name = f"{_SCHEMA}:{step.schema_sha256}"
    label = {"prov:label": step.schema} if step.schema else {}
    entities[name] = {"prov:type": _PLAN, **label, f"{_SCHEMA}:sha256": step.schema_sha256}
    return {"prov:plan": name}
