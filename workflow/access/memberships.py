"""The members of a project: list, add, change and remove them, one by one or many at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from db import people, projects
from db.engine import Session, Store
from domain.errors import ConflictError, InvalidInputError, NotFoundError, Problem
from domain.records import MemberSettings, Membership, Person
from domain.roles import Role
from domain.states import Stage
from workflow.access.event_log import log
from workflow.access.projects import Access, keep_a_lead, lead_alone, require_lead, subset_of_schema


def list_members(store: Store, *, person: Person | None, project: str, active: bool = True) -> list[Membership]:
    """Return a project's members; deactivated accounts only if ``active`` is false; leads only."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        return [
            Membership(
                person=Person(id=row.id, login=row.login, name=row.name, is_admin=row.is_admin),
                role=member.role,
                dimensions=tuple(member.dimensions) if member.dimensions is not None else None,
                stages=tuple(Stage(stage) for stage in member.stages) if member.stages is not None else None,
            )
            for member, row in projects.members(session, project_id=access.project_id, active=active)
        ]


def set_member(
    store: Store,
    *,
    by: Person | None,
    project: str,
    login: str,
    role: Role,
    dimensions: Sequence[str] | None = None,
    stages: Sequence[Stage] | None = None,
) -> Membership:
    """Add a person to a project or change their role; None for dimensions or stages means all of them.

    Raises
    ------
    ConflictError
        The person is the last active lead of the project and would lose that role.
    """
    with store.write(archived_too=True) as session:
        access = lead_alone(session, by=by, project=project)
        part = MemberSettings(login, role, dimensions, stages)
        return put_part(session, access, part, by=by, now=store.now())


def remove_member(store: Store, *, by: Person | None, project: str, login: str) -> None:
    """Remove a person from a project and keep their submissions.

    Raises
    ------
    ConflictError
        The person is the last active lead of the project.
    """
    with store.write(archived_too=True) as session:
        access = lead_alone(session, by=by, project=project)
        take_out(session, access, login, by=by, now=store.now())


def set_parts(store: Store, *, by: Person | None, project: str, parts: Sequence[MemberSettings]) -> list[Membership]:
    """Add people to a project or change their roles; leads come first, so that a project can change its lead.

    Raises
    ------
    InvalidInputError
        Lists a problem for each invalid membership, by login. Nothing was changed.
    """
    problems = [
        Problem(part.login, f"{part.login!r} is listed twice. List each person once.")
        for at, part in enumerate(parts)
        if part.login in {earlier.login for earlier in parts[:at]}
    ]
    made: list[Membership] = []
    with store.write(archived_too=True) as session:
        access, now = lead_alone(session, by=by, project=project), store.now()
        for part in sorted(parts, key=lambda part: part.role is not Role.LEAD):
            try:
                made.append(put_part(session, access, part, by=by, now=now))
            except (NotFoundError, ConflictError) as error:
                problems.append(Problem(part.login, str(error)))
            except InvalidInputError as error:
                problems += [Problem(part.login, f"{part.login}: {problem.message}") for problem in error.problems]
        if problems:
            raise InvalidInputError([*problems, Problem("", "Nothing was changed.")])
    return sorted(made, key=lambda each: each.person.login)


def remove_members(store: Store, *, by: Person | None, project: str, logins: Sequence[str]) -> None:
    """Remove people from a project and keep their submissions; raises ``InvalidInputError`` as ``set_parts`` does."""
    problems = []
    with store.write(archived_too=True) as session:
        access, now = lead_alone(session, by=by, project=project), store.now()
        for login in dict.fromkeys(logins):
            try:
                take_out(session, access, login, by=by, now=now)
            except (NotFoundError, ConflictError) as error:
                problems.append(Problem(login, str(error)))
        if problems:
            raise InvalidInputError([*problems, Problem("", "Nothing was changed.")])


# ---- for other use cases ---------------------------------------------------------------------------------------------


def put_part(
    session: Session,
    access: Access,
    part: MemberSettings,
    *,
    by: Person | None,
    now: datetime,
    reason: Mapping[str, str] = MappingProxyType({}),
) -> Membership:
    """Add or change a member of a locked project (``lead_alone``); raises the same errors as ``set_member``.

    ``reason`` is added to the data of the event.
    """
    dimensions, stages = subset_of_schema(access, dimensions=part.dimensions, stages=part.stages)
    row = people.by_login(session, login=part.login.strip().casefold())
    if row is None:
        raise NotFoundError(
            f"No account has the login {part.login!r}. Check the spelling, send an invitation, or create the account "
            "with `touchstone person create`."
        )
    if part.role is not Role.LEAD:
        keep_a_lead(session, project_id=access.project_id, without=row)
    projects.put_member(
        session, project_id=access.project_id, person_id=row.id, role=part.role, dimensions=dimensions, stages=stages
    )
    data = {"login": row.login, "role": part.role.value, "dimensions": dimensions, "stages": stages, **reason}
    log(session, "member.set", by=by, project=access, now=now, data=data)
    return Membership(
        person=Person(id=row.id, login=row.login, name=row.name, is_admin=row.is_admin),
        role=part.role,
        dimensions=tuple(dimensions) if dimensions is not None else None,
        stages=tuple(Stage(stage) for stage in stages) if stages is not None else None,
    )


def take_out(
    session: Session,
    access: Access,
    login: str,
    *,
    by: Person | None,
    now: datetime,
    reason: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Remove a member of a locked project; raises the same errors as ``remove_member``."""
    row = people.by_login(session, login=login.strip().casefold())
    member = projects.member(session, project_id=access.project_id, person_id=row.id) if row else None
    if row is None or member is None:
        raise NotFoundError(f"{login!r} is not a member of the project {access.name!r}. Check the login.")
    keep_a_lead(session, project_id=access.project_id, without=row)
    projects.remove_member(session, row=member)
    log(session, "member.removed", by=by, project=access, now=now, data={"login": row.login, **reason})
