"""Triage progress: waiting and dropped images with reasons, and all decisions as a table."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence

from db import people
from db.engine import Store
from domain import csv_text
from domain.records import Person
from domain.states import TriageState
from extensions.image_pool import queries
from extensions.image_pool.triage_records import DroppedFrame, TriageCounts, TriageProgress
from workflow.access.projects import require_lead

HEAD = ("asset", "file", "source", "sharpness", "decision", "reason", "typed", "by", "name", "at", "stands")


def dropped(
    store: Store, *, by: Person | None, project: str, words: str = "", limit: int = 200
) -> tuple[list[DroppedFrame], int]:
    """Return the last dropped images and the number of all dropped ones; leads only.

    ``words`` limits both to images with these words in name, source or reason.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        text = words.strip()
        part = access.schema.stages.triage
        meant = [reason.value for reason in part.reasons if text.casefold() in reason.label.casefold()] if part else []
        rows, n = queries.dropped(
            session, project_id=access.project_id, words=text, reasons=[str(value) for value in meant], limit=limit
        )
        return [DroppedFrame(asset.public_id, asset.name, decision.reason) for asset, decision in rows], n


def progress(store: Store, *, by: Person | None, project: str) -> TriageProgress:
    """Return how many candidates are left, kept and dropped, by reason, in total and by source; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        part = access.schema.stages.triage
        rows = queries.counts(
            session, project_id=access.project_id, per_source=part.per_source if part is not None else None
        )
    by_source = {
        name: triage_counts([row for row in rows if (row[0] or "") == name])
        for name in sorted({row[0] or "" for row in rows})
    }
    return TriageProgress(total=triage_counts(rows), by_source=by_source)


def as_csv(store: Store, *, by: Person | None, project: str) -> str:
    """Return every decision as CSV text, oldest first, including decisions that were taken back; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        out = io.StringIO()
        writer = csv_text.Writer(out)
        writer.writerow(HEAD)
        decisions = queries.decisions(session, project_id=access.project_id)
        called = people.called(session, logins={login for *_, login in decisions if login})
        for row, asset, candidate, source, login in decisions:
            sharp = "" if candidate.sharpness is None else f"{candidate.sharpness:.2f}"
            writer.writerow(
                [
                    asset.public_id,
                    asset.name,
                    source or "",
                    sharp,
                    row.action,
                    row.reason,
                    "yes" if row.typed else "no",
                    login or "",
                    called.get(login or "", ""),
                    row.created_at.isoformat(),
                    "yes" if candidate.decision_id == row.id and candidate.state is not TriageState.WAITING else "no",
                ]
            )
        return out.getvalue()


def triage_counts(rows: Sequence[tuple[str | None, TriageState, str, bool, int]]) -> TriageCounts:
    """Count candidates by the decision about them."""
    reasons: Counter[str] = Counter()
    left = kept = surplus = 0
    for _, state, reason, room, n in rows:
        if state is TriageState.DROPPED:
            reasons[reason] += n
        elif state is TriageState.KEPT:
            kept += n
        elif room:
            left += n
        else:
            surplus += n
    return TriageCounts(left=left, kept=kept, dropped=dict(reasons), surplus=surplus)
