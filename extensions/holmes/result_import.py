"""Import of tool results, which answer a model's calls."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from db import files
from db.engine import IntegrityError, Store
from domain.errors import ConflictError
from domain.records import BadRow, Person
from extensions.holmes import queries
from extensions.holmes.result_file import read_tool_results
from extensions.holmes.tool_sets import holmes
from workflow.access.event_log import log
from workflow.access.projects import require_lead


def import_tool_results(
    store: Store,
    *,
    by: Person | None,
    project: str,
    path: Path,
    refuse: Callable[[Sequence[BadRow]], None],
) -> tuple[int, int, list[BadRow]]:
    """Store a file's results. Return the number of new and of known results, and the invalid rows.

    ``refuse`` raises if invalid rows must not be left out.
    """
    rows, unreadable = read_tool_results(path, tools=holmes().names())
    refuse(unreadable)
    bad = list(unreadable)
    try:
        with store.write() as session:
            access = require_lead(session, by=by, project=project)
            ids = {name: id for id, name, _ in files.item_ids(session, project_id=access.project_id)}
            known = {
                (row.item_id, row.tool, row.arguments_key): row.result
                for row in queries.of_project(session, project_id=access.project_id)
            }
            new: dict[tuple[int, str, str], dict[str, Any]] = {}
            repeated = 0
            for record, here in rows:
                if record.item not in ids:
                    bad.append(replace(here, reason=f"this project has no item {record.item!r}"))
                    continue
                key = (ids[record.item], record.tool, arguments_key(record.arguments))
                if key in known:
                    if known[key] == record.result:
                        repeated += 1
                    else:
                        bad.append(replace(here, reason=f"{record.tool} already has another result for this item"))
                    continue
                known[key] = record.result
                new[key] = {
                    "item_id": key[0],
                    "tool": key[1],
                    "arguments": record.arguments,
                    "arguments_key": key[2],
                    "result": record.result,
                    "created_at": store.now(),
                }
            refuse(bad)
            queries.add(session, rows=list(new.values()))
            if new:
                data = {"results": len(new), "file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
                log(session, "tool_results.imported", by=by, project=access, now=store.now(), data=data)
            return len(new), repeated, bad
    except IntegrityError as error:
        raise ConflictError("Another import into this project has just finished. Import again.") from error


def arguments_key(arguments: Any) -> str:
    """Return arguments as a text that is equal for equal arguments; empty for a result of every call."""
    return "" if arguments is None else json.dumps(arguments, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
