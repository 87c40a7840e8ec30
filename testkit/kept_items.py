"""The kept items of a project: their ids, the votes behind them, and the counts at each gate."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from db import files
from db.engine import Store
from db.items import outgoing
from domain.states import VERIFICATIONS, ItemState
from testkit.serving import touchstone
from workflow.access.projects import access_to
from workflow.files.gate_counts import gates


def kept_ids(store: Store, project: str = "p") -> list[str]:
    """Return the ids of the kept items as in files, in the project's order."""
    with store.read() as session:
        id = access_to(session, person=None, project=project).project_id
        return [row.external_id for row in outgoing(session, project_id=id) if row.state is ItemState.KEPT]


def gates_of(store: Store, project: str = "p") -> dict[str, Any]:
    """Return the number of items at each gate."""
    with store.read() as session:
        return gates(session, access=access_to(session, person=None, project=project))


def votes_on_kept(store: Store, project: str = "p") -> dict[str, list[dict[str, Any]]]:
    """Return the values of the votes that count on every kept item, by the item's id in files."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with store.read() as session:
        id = access_to(session, person=None, project=project).project_id
        names = {row.id: row.external_id for row in outgoing(session, project_id=id)}
        for stage in VERIFICATIONS:
            for vote in files.on_kept_items(session, project_id=id, stage=stage):
                found[names[vote.item_id]].append(json.loads(vote.answers))
    return dict(found)


def export_kept(home: Path, project: str, format: str, out: Path) -> dict[str, Any]:
    """Export a project's kept items with the commands that a lead types. Return the manifest."""
    listed = touchstone("item", "list", project, "--state", "kept", "--only-ids", home=home)
    assert listed.returncode == 0, listed.stderr
    ids = out.with_name(f"{out.name}.ids.txt")
    ids.write_text(listed.stdout, encoding="utf-8")
    done = touchstone("item", "export", project, format, "--items", str(ids), "--out", str(out), home=home)
    assert done.returncode == 0, done.stderr
    manifest: dict[str, Any] = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    return manifest
