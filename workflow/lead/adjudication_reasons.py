"""Adjudication reasons, counted for the lead who works on the guideline, and why verifiers skipped."""

from __future__ import annotations

from collections import defaultdict

from annotation_schemas import registry
from db import comment_threads, events, guidelines
from db.engine import Store
from domain.records import AdjudicationReason, Person, ProjectView, SettledCase, SkipReasonRow
from domain.states import VERIFICATIONS, Stage
from workflow.access.projects import require_lead

NO_REASON = "No reason given"


def reasons(store: Store, *, by: Person | None, project: str) -> list[AdjudicationReason]:
    """Return every reason in each dimension where it was given, those with most open decisions first, for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        adjudication = access.schema.stages.adjudication
        labels = {str(one.value): one.label for one in adjudication.reasons} if adjudication else {}
        place = {dimension.id: at for at, dimension in enumerate(access.schema.dimensions)}
        number = guidelines.numbers(session, project_id=access.project_id)
        versions = {row.id: row.number for row, _ in guidelines.of_project(session, project_id=access.project_id)}
        found: dict[tuple[str, str], list[SettledCase]] = defaultdict(list)
        for decision in guidelines.decisions(session, project_id=access.project_id):
            answer = decision.version_id
            found[decision.cause, decision.dimension].append(
                SettledCase(
                    item=decision.item,
                    revision=decision.revision,
                    decision=str(decision.answers.get("decision")),
                    note=decision.note,
                    at=decision.created_at,
                    guideline=number.get(decision.guideline_hash, 1),
                    answered_by=None if answer is None else versions[answer],
                    answer=decision.why or "",
                )
            )
        lines = [
            AdjudicationReason(
                reason=reason, label=labels.get(reason, reason) or NO_REASON, dimension=dimension, cases=tuple(cases)
            )
            for (reason, dimension), cases in found.items()
        ]
        order = list(labels)
        return sorted(
            lines,
            key=lambda line: (
                -line.open,
                -len(line.cases),
                order.index(line.reason) if line.reason in order else len(order),
                place.get(line.dimension, len(place)),
            ),
        )


def skips(store: Store, *, by: Person | None, project: str) -> list[SkipReasonRow]:
    """Return the reasons for skips, by reason and dimension, the most frequent first, for leads. Typed reasons are
    included.

    A skip that was taken back does not count. A skip of an item's earlier content does.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        asked = [each for stage in VERIFICATIONS for each in registry.criteria_of(access.schema, stage)]
        labels = {
            (criterion.name, str(one.value)): one.label
            for criterion in asked
            if criterion.skip
            for one in criterion.skip.reasons
        }
        may_skip = any(criterion.skip for criterion in asked)
        found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        for vote in guidelines.votes_with_reasons(session, project_id=access.project_id) if may_skip else ():
            for criterion in asked:
                reason = vote.reasons.get(criterion.name)
                if criterion.skip and vote.answers.get(criterion.name) is None and reason is not None:
                    found[criterion.name, str(reason), vote.dimension].append(vote.item)
        lines = [
            SkipReasonRow(criterion, reason, labels.get((criterion, reason), reason), dimension, tuple(names))
            for (criterion, reason, dimension), names in found.items()
        ]
        return sorted(lines, key=lambda line: (-len(line.items), line.criterion, line.reason, line.dimension))


def mark(store: Store, *, by: Person | None, project: str) -> tuple[int | str, ...]:
    """Return a state that changes whenever the reasons may change: votes, decisions, guideline and schema."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        id = access.project_id
        stages = (*access.schema.stages.verifications, Stage.ADJUDICATION)
        newest = [n for each in stages for n in comment_threads.newest(session, project_id=id, stage=Stage(each))]
        return (access.began, access.loaded.hash, *newest, events.newest(session, project_id=id))


def title_of(view: ProjectView, line: AdjudicationReason) -> str:
    """Return the heading of a line."""
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    where = titles.get(line.dimension, line.dimension)
    state = f"{line.open} open of {len(line.cases)}" if line.open else f"{len(line.cases)} done"
    return f"{line.label} · {where} · {state}"
