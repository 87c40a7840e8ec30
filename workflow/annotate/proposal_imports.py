"""What is known of proposals that came into a project: each file, how it was made, and what became of its images.

For leads alone, who see it on *Pipelines* and *Drafting*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from db import drafting, events
from db.engine import Session, Store
from domain.drafting import Arm
from domain.records import Person
from workflow.access.projects import Access, require_lead
from workflow.annotate.proposals import BEGUN, IMPORTED


@dataclass(frozen=True)
class ProposalsCame:
    """Proposals of one file, as they came in."""

    at: datetime
    by: str | None
    """The login of who gave them; None: the command."""
    name: str
    """Of the file; empty: it was not noted."""
    model: str
    share: float
    seed: int
    arms: Mapping[Arm, int]
    """Images that were given to each."""
    before: int
    """Images that had a proposal already."""
    refused: int
    why: Sequence[Mapping[str, Any]] = ()
    """``why``, ``n`` and the first ``image`` of those that were refused."""
    made: Mapping[str, Any] | None = None
    """How they were made; None: nothing was given that tells it."""

    @property
    def offered(self) -> int:
        """Proposals in the file."""
        return sum(self.arms.values()) + self.before + self.refused


@dataclass(frozen=True)
class ProposalsHere:
    """All of them, and how far people are with their images."""

    came: Sequence[ProposalsCame] = ()
    """The oldest first."""
    images: Mapping[Arm, int] = field(default_factory=lambda: dict.fromkeys(Arm, 0))
    begun: Mapping[Arm, int] = field(default_factory=lambda: dict.fromkeys(Arm, 0))
    """Items that someone has begun, of the dimension of the proposal."""
    written: Mapping[Arm, int] = field(default_factory=lambda: dict.fromkeys(Arm, 0))


def of_project(store: Store, *, by: Person | None, project: str) -> ProposalsHere:
    """What is known of a project's proposals, for its leads."""
    with store.read() as session:
        return found_in(session, require_lead(session, by=by, project=project))


def found_in(session: Session, access: Access) -> ProposalsHere:
    """The same within a transaction that has asked whether one may."""
    lines = events.of_kinds(session, project_id=access.project_id, kinds=(IMPORTED, BEGUN))
    came = [_came(event.at, login, event.data) for event, login in lines if event.kind == IMPORTED]
    arm_of = {
        event.task_id: Arm(event.data["arm"])
        for event, _ in lines
        if event.kind == BEGUN and event.task_id is not None
    }  # fmt: skip
    written = drafting.authored(session, project_id=access.project_id, task_ids=arm_of)
    begun, done = Counter(arm_of.values()), Counter(arm_of[id] for id in written)
    return ProposalsHere(
        came,
        images={arm: sum(each.arms[arm] for each in came) for arm in Arm},
        begun={arm: begun[arm] for arm in Arm},
        written={arm: done[arm] for arm in Arm},
    )


def _came(at: datetime, login: str | None, told: Mapping[str, Any]) -> ProposalsCame:
    return ProposalsCame(
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
