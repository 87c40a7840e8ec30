"""Adjudication reasons: why seniors had to settle items, for the lead who works on the guideline."""

from __future__ import annotations

from collections import defaultdict

from db import guidelines
from db.engine import Store
from domain.records import AdjudicationReason, Person, ProjectView, SettledCase
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
        settled_cases: dict[tuple[str, str], list[SettledCase]] = defaultdict(list)
        for decision in guidelines.decisions(session, project_id=access.project_id):
            answer = decision.version_id
            settled_cases[decision.cause, decision.dimension].append(
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
            for (reason, dimension), cases in settled_cases.items()
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


def title_of(view: ProjectView, line: AdjudicationReason) -> str:
    """Return the heading of a line."""
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    where = titles.get(line.dimension, line.dimension)
    state = f"{line.open} open of {len(line.cases)}" if line.open else f"{len(line.cases)} done"
    return f"{line.label} · {where} · {state}"
