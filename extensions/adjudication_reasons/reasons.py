"""Adjudication reasons: why seniors had to settle items, for the lead who works on the guideline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from db import guidelines
from db.engine import Store
from domain.records import Person, ProjectView
from extensions.adjudication_reasons import queries
from workflow.access.projects import require_lead

NO_REASON = "No reason given"


@dataclass(frozen=True)
class SettledCase:
    """One decision of a senior, as an entry of the list of reasons."""

    item: str
    """The item's external id."""
    revision: int
    decision: str
    note: str
    at: datetime
    guideline: int
    """The guideline version that the senior worked with."""
    answered_by: int | None = None
    """The guideline version that answers the case; None if the case is open."""
    answer: str = ""
    """The reason why the guideline needed no change, if it needed none."""


@dataclass(frozen=True)
class AdjudicationReason:
    """An adjudication reason in one dimension, with the decisions that name it, the oldest first."""

    reason: str
    """The reason's value in the schema; empty for decisions without a reason."""
    label: str
    dimension: str
    cases: Sequence[SettledCase]

    @property
    def open(self) -> int:
        """Return the number of decisions that the guideline does not answer yet."""
        return sum(case.answered_by is None for case in self.cases)


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
        for decision in queries.decisions(session, project_id=access.project_id):
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
    state = f"{line.open} of {len(line.cases)} open" if line.open else f"{len(line.cases)} done"
    return f"{line.label} · {where} · {state}"
