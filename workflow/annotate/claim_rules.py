"""Rules of extensions about claims: who gets no new work in a stage, and which tasks come among the live ones.

Extensions register modules in ``domain.extensions.Extension.claim_rules``. A stage whose schema asks for a rule of a
missing extension is closed (``no_work.why_closed``), so no one works without the rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from db.engine import Session, Store
from db.records import StoredTask
from domain import extensions
from domain.records import NoTask, Person, ProjectView
from domain.states import Stage
from workflow.access.projects import Access

STOPPED = "stopped"
"""Code of a refusal after which people may finish the tasks that they hold."""

AssignTask = Callable[[datetime], StoredTask | None]
"""Assigns a task to a person at a moment. Returns None if the person has had the task."""


class ClaimRule(Protocol):
    """The functions of a registered module."""

    def why_stopped(self, session: Session, *, access: Access, person: Person, stage: Stage) -> NoTask | None:
        """Return why a person gets no new live work in a stage, with the code ``STOPPED``; None if they get work."""

    def due(
        self, session: Session, *, access: Access, person: Person, stage: Stage, dimensions: Sequence[str] | None
    ) -> AssignTask | None:
        """Return what assigns the task that comes next, before the person's next live task; None if live work is next.

        Live work must remain for the person, so such a task is never their last one.
        """

    def count_left(
        self, session: Session, *, access: Access, person: Person, stage: Stage, live: Mapping[str, int]
    ) -> Mapping[str, int]:
        """Return how many such tasks, by dimension, come before the last of a person's ``live`` tasks."""

    def mixed_in(
        self,
        session: Session,
        *,
        access: Access,
        person: Person,
        stage: Stage,
        dimensions: Sequence[str] | None,
        ahead: Sequence[int | None],
    ) -> Sequence[int | None]:
        """Return the items of a person's next live tasks, with the items of such tasks mixed in."""

    def warnings(self, store: Store, *, person: Person, project: ProjectView) -> Sequence[str]:
        """Return what the page My work tells a person about their work in a project, in sentences."""

    def lead_warnings(self, session: Session, *, access: Access) -> Sequence[str]:
        """Return what the page Overview tells the leads of a project, in sentences."""


def _registered() -> list[ClaimRule]:
    return extensions.rows("claim_rules")


def why_stopped(session: Session, *, access: Access, person: Person, stage: Stage) -> NoTask | None:
    """Return why a person gets no new live work in a stage, or None if they get work."""
    reasons = (rule.why_stopped(session, access=access, person=person, stage=stage) for rule in _registered())
    return next((nothing for nothing in reasons if nothing is not None), None)


def due(
    session: Session, *, access: Access, person: Person, stage: Stage, dimensions: Sequence[str] | None
) -> AssignTask | None:
    """Return what assigns the task that comes before a person's next live task; None if live work is next."""
    about = {"access": access, "person": person, "stage": stage, "dimensions": dimensions}
    assigns = (rule.due(session, **about) for rule in _registered())  # type: ignore[arg-type]
    return next((assign for assign in assigns if assign is not None), None)


def count_left(
    session: Session, *, access: Access, person: Person, stage: Stage, live: Mapping[str, int]
) -> dict[str, int]:
    """Return how many tasks of extensions, by dimension, come before the last of a person's ``live`` tasks."""
    counts: Counter[str] = Counter()
    for rule in _registered():
        counts.update(rule.count_left(session, access=access, person=person, stage=stage, live=live))
    return dict(counts)


def mixed_in(
    session: Session,
    *,
    access: Access,
    person: Person,
    stage: Stage,
    dimensions: Sequence[str] | None,
    ahead: Sequence[int | None],
) -> Sequence[int | None]:
    """Return the items of a person's next live tasks, with the items of the extensions' tasks mixed in."""
    for rule in _registered():
        ahead = rule.mixed_in(session, access=access, person=person, stage=stage, dimensions=dimensions, ahead=ahead)
    return ahead


def warnings(store: Store, *, person: Person, project: ProjectView) -> list[str]:
    """Return what the page My work tells a person about their work in a project."""
    return [sentence for rule in _registered() for sentence in rule.warnings(store, person=person, project=project)]


def lead_warnings(session: Session, *, access: Access) -> list[str]:
    """Return what the page Overview tells the leads of a project."""
    return [sentence for rule in _registered() for sentence in rule.lead_warnings(session, access=access)]
