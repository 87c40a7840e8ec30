"""Import records of a project's proposals: each file, how its proposals were made, and the state of their images.

Only leads see these records, on *Pipelines* and *Drafting*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from db import events
from db.engine import Session, Store
from domain.records import Person
from extensions.drafting import queries
from extensions.drafting.arms import Arm
from extensions.drafting.author_form import BEGUN
from extensions.drafting.proposal_import import IMPORTED
from workflow.access.projects import Access, require_lead


@dataclass(frozen=True)
class ImportedFile:
    """Proposals imported from one file."""

    at: datetime
    by: str | None
    """Login of the person who imported the file; None for the command."""
    name: str
    """Name of the file; empty if not recorded."""
    model: str
    share: float
    seed: int
    arms: Mapping[Arm, int]
    """Number of images assigned to each arm."""
    before: int
    """Number of images that had a proposal already."""
    refused: int
    why: Sequence[Mapping[str, Any]] = ()
    """Refusals by reason: ``why``, ``n`` and the first ``image``."""
    made: Mapping[str, Any] | None = None
    """How the proposals were made; None if not recorded."""

    @property
    def offered(self) -> int:
        """Number of proposals in the file."""
        return sum(self.arms.values()) + self.before + self.refused


@dataclass(frozen=True)
class ProjectProposals:
    """All proposal imports of a project, and people's progress on the images."""

    came: Sequence[ImportedFile] = ()
    """Imports, oldest first."""
    images: Mapping[Arm, int] = field(default_factory=lambda: dict.fromkeys(Arm, 0))
    begun: Mapping[Arm, int] = field(default_factory=lambda: dict.fromkeys(Arm, 0))
    """Number of items started in the dimension of their proposal."""
    written: Mapping[Arm, int] = field(default_factory=lambda: dict.fromkeys(Arm, 0))


def of_project(store: Store, *, by: Person | None, project: str) -> ProjectProposals:
    """Return a project's proposal imports; leads only."""
    with store.read() as session:
        return found_in(session, require_lead(session, by=by, project=project))


def found_in(session: Session, access: Access) -> ProjectProposals:
    """Return a project's proposal imports inside a transaction; the caller checks the permission."""
    lines = events.of_kinds(session, project_id=access.project_id, kinds=(IMPORTED, BEGUN))
    came = [_came(event.at, login, event.data) for event, login in lines if event.kind == IMPORTED]
    arm_of = {
        event.task_id: Arm(event.data["arm"])
        for event, _ in lines
        if event.kind == BEGUN and event.task_id is not None
    }  # fmt: skip
    written = queries.authored(session, project_id=access.project_id, task_ids=arm_of)
    begun, done = Counter(arm_of.values()), Counter(arm_of[id] for id in written)
    return ProjectProposals(
        came,
        images={arm: sum(imported_file.arms[arm] for imported_file in came) for arm in Arm},
        begun={arm: begun[arm] for arm in Arm},
        written={arm: done[arm] for arm in Arm},
    )


def _came(at: datetime, login: str | None, told: Mapping[str, Any]) -> ImportedFile:
    return ImportedFile(
        at,
        login,
        name=told.get("name", ""),
        model=told["model"],
        share=told["share"],
        seed=told["seed"],
        arms={arm: int(told.get(arm.value, 0)) for arm in Arm},
        before=told.get("before", 0),
        refused=told.get("refused", 0),
        why=told.get("why", ()),
        made=told.get("made"),
    )
