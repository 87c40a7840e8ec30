"""Add or remove many members of a project at once; either all changes happen or none."""

from __future__ import annotations

from collections.abc import Sequence

from db.engine import Store
from domain.errors import Conflict, InvalidInput, NotFound, Problem
from domain.records import MemberSettings, Membership, Person
from domain.roles import Role
from workflow.access.projects import lead_alone, put_part, take_out


def set_parts(store: Store, *, by: Person | None, project: str, parts: Sequence[MemberSettings]) -> list[Membership]:
    """Add people to a project or change their roles; leads come first, so that a project can change its lead.

    Raises
    ------
    InvalidInput
        Lists a problem for each invalid membership, by login. Nothing was changed.
    """
    problems = [
        Problem(part.login, f"{part.login!r} is there twice.")
        for at, part in enumerate(parts)
        if part.login in {each.login for each in parts[:at]}
    ]
    made: list[Membership] = []
    with store.write(archived_too=True) as session:
        access, now = lead_alone(session, by=by, project=project), store.now()
        for part in sorted(parts, key=lambda part: part.role is not Role.LEAD):
            try:
                made.append(put_part(session, access, part, by=by, now=now))
            except (NotFound, Conflict) as error:
                problems.append(Problem(part.login, str(error)))
            except InvalidInput as error:
                problems += [Problem(part.login, f"{part.login}: {each.message}") for each in error.problems]
        if problems:
            raise InvalidInput([*problems, Problem("", "Nothing was changed.")])
    return sorted(made, key=lambda each: each.person.login)


def remove_members(store: Store, *, by: Person | None, project: str, logins: Sequence[str]) -> None:
    """Remove people from a project and keep their submissions; raises ``InvalidInput`` as ``set_parts`` does."""
    problems = []
    with store.write(archived_too=True) as session:
        access, now = lead_alone(session, by=by, project=project), store.now()
        for login in dict.fromkeys(logins):
            try:
                take_out(session, access, login, by=by, now=now)
            except (NotFound, Conflict) as error:
                problems.append(Problem(login, str(error)))
        if problems:
            raise InvalidInput([*problems, Problem("", "Nothing was changed.")])
