"""The plan of what each person gets on another tool's screens: people, stages, forms, and numbers of tasks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from db.engine import Session
from db.records import StoredBridgePerson
from domain.errors import NotAvailableError, NotFoundError
from domain.records import Person
from domain.states import Stage
from extensions.labelstudio.exchange.sync_lock import Link
from extensions.labelstudio.queries import servers
from workflow.access.accounts import person_of
from workflow.access.projects import Access, access_to, stages_of


@dataclass(frozen=True)
class Looks:
    """The forms of a stage there."""

    by_dimension: Mapping[str, tuple[str, str]]
    """The labeling and its hash."""
    refused: str = ""
    """Why the stage cannot be shown there."""

    @property
    def hashes(self) -> set[str]:
        """Return the hashes of all its labelings."""
        return {hash for _, hash in self.by_dimension.values()}


@dataclass(frozen=True)
class Plan:
    """The plan of who gets what there."""

    stages: Mapping[Stage, Looks]
    ahead: int
    hold: timedelta
    stay: bool
    people: Mapping[int, StoredBridgePerson]
    persons: Mapping[int, Person]
    """People with an active account and a role in the project."""
    title: str


def find_people(link: Link) -> None:
    """Find the accounts of people who are not found there yet."""
    with link.store.read() as session:
        wanted = [row for row, _ in servers.people(session, bridge_id=link.bridge_id) if row.outside_user is None]
    if not wanted:
        return
    there = {user.email.strip().casefold(): user.id for user in link.front.users()}
    for row in wanted:
        if row.email in there:
            with link.write() as session:
                known = servers.person(session, bridge_id=link.bridge_id, person_id=row.person_id)
                if known is not None and known.email == row.email:
                    servers.recognise(session, row=known, outside_user=there[row.email])


def plan_of(link: Link) -> Plan:
    """Return the current plan."""
    with link.store.read() as session:
        row = servers.by_id(session, id=link.bridge_id)
        access = access_to(session, person=None, project=link.project)
        mapped = servers.people(session, bridge_id=link.bridge_id)
        persons = {}
        for mapping, who in mapped:
            if who.active and part_of(session, link, person_of(who)) is not None:
                persons[mapping.person_id] = person_of(who)
        return Plan(
            stages={stage: _looks(link, access, stage) for stage in map(Stage, row.stages)},
            ahead=row.ahead,
            hold=timedelta(hours=row.hold_hours),
            stay=row.stay,
            people={mapping.person_id: mapping for mapping, _ in mapped},
            persons=persons,
            title=access.title,
        )


def _looks(link: Link, access: Access, stage: Stage) -> Looks:
    if stage not in stages_of(access.schema):
        return Looks({}, f"This project has no {stage.value} stage. Choose another stage.")
    configurations = {}
    try:
        for dimension in access.schema.dimensions:
            labeling = link.forms.labeling(access.schema, stage, dimension.id)
            configurations[dimension.id] = (labeling, hashlib.sha256(labeling.encode()).hexdigest())
    except NotAvailableError as error:
        return Looks({}, str(error))
    return Looks(configurations)


def part_of(session: Session, link: Link, person: Person) -> Access | None:
    """Return a person's access to the project. None if the person is not in it."""
    try:
        return access_to(session, person=person, project=link.project)
    except NotFoundError:
        return None
