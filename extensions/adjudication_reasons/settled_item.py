"""An item that a senior has settled, as a lead sees it behind a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from db import item_revisions, items
from db.engine import Store
from domain.errors import NotFoundError
from domain.records import Fields, Person, VoteView
from domain.states import Stage
from workflow.access.projects import Access, require_lead
from workflow.annotate.task_views import votes_on
from workflow.annotate.verdicts import decided_in


@dataclass(frozen=True)
class ContestedItem:
    """An item behind an adjudication reason, as a lead sees it: its content at that time, its votes and the senior's
    note.
    """

    item: str
    dimension: str
    revision: int
    fields: Fields
    votes: Sequence[VoteView]
    decision: str
    reason: str
    note: str


def contested(store: Store, *, by: Person | None, project: str, item: str, revision: int) -> ContestedItem:
    """Return the settled state of an item: content, votes without names, and the senior's decision."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        row = items.by_external_id(session, project_id=access.project_id, external_id=item)
        if row is None:
            raise NotFoundError(f"There is no item {item!r} in {project}.")
        decided = items.latest_annotations(session, item_id=row.id, revision=revision, stage=Stage.ADJUDICATION)
        if not decided:
            raise NotFoundError(f"No senior has settled revision {revision} of {item!r}.")
        decision = decided[-1]
        *earlier, _ = [_told(access, each.answers) for each in decided]
        return ContestedItem(
            item=item,
            dimension=row.dimension,
            revision=revision,
            fields=item_revisions.content(session, item_id=row.id, revision=revision),
            votes=tuple(votes_on(session, item_id=row.id, revision=revision)),
            decision=str(decision.answers.get("decision")),
            reason=str(decision.answers.get("cause") or ""),
            note="\n".join([*earlier, decision.note]).strip() if earlier else decision.note,
        )


def _told(access: Access, said: Mapping[str, Any]) -> str:
    """Return one line for a decision about an item that came to a senior more than once."""
    title = access.schema.stages.title_of(decided_in(said).value)
    return f"{title}: {said.get('decision')}, {said.get('cause') or 'no reason'}"
