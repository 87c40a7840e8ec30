"""A release with nothing in it but its evidence, and what verification and replay say of a release.

These two are of an extension whose folder may be missing. So a test that calls them has the mark ``needs_replay``.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from db import items, project_rows
from db.engine import Store
from domain.module_names import import_own
from exporters.release_folder import FolderWriter
from testkit.missing_extensions import needs
from workflow.access.projects import access_to
from workflow.releases.evidence import Evidence, names_in, write_evidence

needs_replay = needs("commands", "release check")


def write_manifest(root: Path) -> None:
    """Write the manifest of a release, with the hash of every file below its root."""
    files = [
        {
            "path": path.relative_to(root).as_posix(),
            "bytes": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in sorted(root.rglob("*"))
        if path.is_file() and path != root / "manifest.json"
    ]
    (root / "manifest.json").write_text(json.dumps({"files": files}, indent=1), encoding="utf-8")


def release(store: Store, root: Path, *, project: str = "p", name: str = "p/1", **asked: Any) -> Evidence:
    """Write the evidence of a project into a new folder, and a manifest over it."""
    names = names_in(store, project=project, release=name)
    with store.read() as session:
        project_rows.hold_still(session)
        access = access_to(session, person=None, project=project)
        if asked.get("only_released"):
            every = items.with_states(session, project_id=access.project_id)
            asked["items"] = [id for id, _, _, state in every if state.value == "kept"]
        done = write_evidence(session, access, FolderWriter(root), names=names, **asked)
    write_manifest(root)
    return done


def verify(folder: Path, **asked: Any) -> list[str]:
    """Return the faults of a release."""
    found: list[str] = import_own("extensions.replay.verification").verify(folder, **asked)
    return found


def replay(folder: Path) -> Any:
    """Recompute a release."""
    return import_own("extensions.replay.recomputation").replay(folder)


needs_withdrawal = needs("commands", "release withdraw")


def withdraw(*given: Any, **asked: Any) -> Any:
    """Make a point release without an item."""
    return import_own("extensions.point_releases.withdrawal").withdraw(*given, **asked)


def in_words(found: Any) -> list[str]:
    """Return the lines of a replay for people."""
    return [*import_own("extensions.replay.recomputation").in_words(found)]
