"""Give slots that are open or held by another person to someone, who must be allowed to have them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from db import people, task_claims
from db.engine import Session
from db.records import StoredMember, StoredTask
from domain.records import Person
from domain.roles import at_least
from domain.states import Purpose, Stage, TaskState
from workflow.access.accounts import person_of
from workflow.access.event_log import log
from workflow.access.projects import Access, role_for
from workflow.annotate import qualification


class Taker:
    """Someone who is to get some slots: whether they may have each, prepared once for many slots."""

    def __init__(self, session: Session, access: Access, member: StoredMember, rows: Sequence[StoredTask]) -> None:
        self._session, self._access, self._member = session, access, member
        self.id = member.person_id
        self._may = task_claims.may_take_of(session, rows=rows, person_id=self.id)
        self._stages: dict[Stage, tuple[str, str]] = {}

    def why_not(self, row: StoredTask) -> str:
        """Return why the person cannot have the slot; empty if they can."""
        if row.state not in (TaskState.OPEN, TaskState.CLAIMED):
            return "The author has submitted the item and is correcting it."
        if row.stage is Stage.AUTHORING:
            return "You cannot reassign an item while its author is writing the item. Give the item back instead."
        if row.purpose is not Purpose.LIVE:
            return "This task is for one person only."
        if row.stage not in self._stages:
            self._stages[row.stage] = self._part(row.stage), self._standing(row.stage)
        part, standing = self._stages[row.stage]
        if part:
            return part
        if self._member.dimensions is not None and row.dimension not in self._member.dimensions:
            return f"{row.dimension!r} is not one of this person's dimensions."
        return standing or ("" if row.id in self._may else "This person wrote, edited, answered or inspected the item.")

    def _part(self, stage: Stage) -> str:
        has_role = at_least(self._member.role, role_for(self._access.schema, stage))
        if has_role and (self._member.stages is None or stage.value in self._member.stages):
            return ""
        return f"This person does not work in the {self._called(stage)}."

    def _standing(self, stage: Stage) -> str:
        person = people.by_id(self._session, id=self.id)
        if person is None or not person.active:
            return "This person's account is deactivated."
        if qualification.require(self._session, access=self._access, person=person_of(person), stage=stage) is None:
            return ""
        return f"This person has not qualified for the {self._called(stage)}."

    def _called(self, stage: Stage) -> str:
        return self._access.schema.stages.in_a_sentence(stage.value)


def hand_over(session: Session, row: StoredTask, *, to: int, by: Person | None, now: datetime) -> None:
    """Give a locked slot to someone, for as long as a claim lasts."""
    before = row.person_id
    task_claims.claim(session, row=row, person_id=to, now=now)
    logins = people.logins(session, ids={to, before or 0})
    data = {"stage": row.stage.value, "from": logins.get(before or 0), "to": logins[to]}
    log(session, "task.reassigned", by=by, task=row, now=now, data=data)
    by_whom = {"stage": row.stage.value, "by": by.login if by else "command"}
    log(session, "task.given", by=to, task=row, now=now, data=by_whom)
