"""The content of the section *Adjudication reasons*: why seniors settled items, and why verifiers skipped."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas import registry
from db import comment_threads, events, files, item_revisions, items
from db.engine import Store
from domain import csv_text
from domain.errors import NotFoundError
from domain.records import Fields, Person, VoteView
from domain.states import VERIFICATIONS, Stage
from extensions.adjudication_reasons import queries
from extensions.adjudication_reasons.reasons import AdjudicationReason, reasons
from workflow.access.projects import Access, require_lead
from workflow.annotate.task_views import votes_on
from workflow.annotate.verdicts import decided_in


@dataclass(frozen=True)
class SkipReasonRow:
    """A reason that verifiers gave for skips in a dimension, and the items that they skipped for it."""

    criterion: str
    reason: str
    label: str
    dimension: str
    items: Sequence[str]
    """External IDs of the items, one entry for each skip."""


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


def skips(store: Store, *, by: Person | None, project: str) -> list[SkipReasonRow]:
    """Return the reasons for skips, by reason and dimension, the most frequent first, for leads. Typed reasons are
    included.

    A skip that was taken back does not count. A skip of an item's earlier content does.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        asked = [criterion for stage in VERIFICATIONS for criterion in registry.criteria_of(access.schema, stage)]
        labels = {
            (criterion.name, str(one.value)): one.label
            for criterion in asked
            if criterion.skip
            for one in criterion.skip.reasons
        }
        may_skip = any(criterion.skip for criterion in asked)
        names_by_reason: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        for vote in queries.votes_with_reasons(session, project_id=access.project_id) if may_skip else ():
            for criterion in asked:
                reason = vote.reasons.get(criterion.name)
                if criterion.skip and vote.answers.get(criterion.name) is None and reason is not None:
                    names_by_reason[criterion.name, str(reason), vote.dimension].append(vote.item)
        lines = [
            SkipReasonRow(criterion, reason, labels.get((criterion, reason), reason), dimension, tuple(names))
            for (criterion, reason, dimension), names in names_by_reason.items()
        ]
        return sorted(lines, key=lambda line: (-len(line.items), line.criterion, line.reason, line.dimension))


@dataclass(frozen=True)
class Overview:
    """The content of the section about a project's reasons."""

    lines: Sequence[AdjudicationReason]
    file: str
    """``reasons_csv`` of them."""
    skipped: Sequence[SkipReasonRow]


def overview(store: Store, *, by: Person | None, project: str) -> Overview:
    """Return reasons and skips together. With ``by`` None, the caller checks that the person may see them."""
    lines = reasons(store, by=by, project=project)
    return Overview(lines, reasons_csv(lines), skips(store, by=by, project=project))


def mark(store: Store, *, by: Person | None, project: str) -> tuple[int | str, ...]:
    """Return a state that changes whenever the reasons may change: votes, decisions, guideline and schema."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        id = access.project_id
        stages = (*access.schema.stages.verifications, Stage.ADJUDICATION)
        newest = [n for stage in stages for n in comment_threads.newest(session, project_id=id, stage=Stage(stage))]
        return (access.began, access.loaded.hash, *newest, events.newest(session, project_id=id))


def size(store: Store, *, by: Person | None, project: str) -> int:
    """Return the number of counted rows: decisions, and votes in stages where verifiers may skip."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        voted = [
            stage
            for stage in VERIFICATIONS
            if any(criterion.skip for criterion in registry.criteria_of(access.schema, stage))
        ]
        counted = (Stage.ADJUDICATION, *voted)
        return sum(files.n_ratings(session, project_id=access.project_id, stage=stage) for stage in counted)


def has_reasons(store: Store, *, by: Person | None, project: str) -> bool:
    """Tell whether there is anything to list: a decision of a senior, or a reason of a verifier."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return queries.has_reasons(session, project_id=access.project_id)


def contested(store: Store, *, by: Person | None, project: str, item: str, revision: int) -> ContestedItem:
    """Return the settled state of an item: content, votes without names, and the senior's decision."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        row = items.by_external_id(session, project_id=access.project_id, external_id=item)
        if row is None:
            raise NotFoundError(f"The project {project} has no item {item!r}. Check the item's ID.")
        decided = items.latest_annotations(session, item_id=row.id, revision=revision, stage=Stage.ADJUDICATION)
        if not decided:
            raise NotFoundError(
                f"No senior annotator has settled revision {revision} of {item!r}. Check the item and the revision."
            )
        decision = decided[-1]
        *earlier, _ = [_told(access, decision.answers) for decision in decided]
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


def skips_csv(lines: Iterable[SkipReasonRow]) -> str:
    """Return a CSV file with one row per skip."""
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    writer.writerow(["criterion", "reason", "dimension", "item"])
    for line in lines:
        for item in line.items:
            writer.writerow([line.criterion, line.reason, line.dimension, item])
    return out.getvalue()


def reasons_csv(lines: Iterable[AdjudicationReason]) -> str:
    """Return a CSV file with one row per decision, from which every count can be computed."""
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    writer.writerow(
        [
            "reason",
            "dimension",
            "item",
            "revision",
            "decision",
            "note",
            "at",
            "guideline",
            "state",
            "answered_by",
            "answer",
        ]
    )
    for line in lines:
        for case in line.cases:
            done = case.answered_by is not None
            writer.writerow(
                [
                    line.reason,
                    line.dimension,
                    case.item,
                    case.revision,
                    case.decision,
                    case.note,
                    case.at.isoformat(),
                    case.guideline,
                    "done" if done else "open",
                    case.answered_by if done else "",
                    case.answer,
                ]
            )
    return out.getvalue()
