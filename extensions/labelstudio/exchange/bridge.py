"""Another tool as a front end: which stages and whose work go to which server, and the synchronization of both sides.

Each task that goes out is one vote, claimed for one person. It goes into a project on the server that has only that
person's work of one stage. Answers are stored through ``submit``, like those of our own screens.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from db import people, projects
from db.engine import Session, Store
from db.records import StoredPerson
from domain.errors import (
    AlreadyTakenError,
    ConflictError,
    InvalidInputError,
    NotFoundError,
    Problem,
    ServiceUnreachableError,
)
from domain.records import Person
from domain.states import ONLY_HERE, Stage
from extensions.labelstudio.exchange.pull import PullResult, pull
from extensions.labelstudio.exchange.push import PushResult, push
from extensions.labelstudio.exchange.status import BridgeStatus, PersonThere, StageThere, status
from extensions.labelstudio.exchange.sync_lock import Answer, Forms, find_server, plain
from extensions.labelstudio.front_end import FrontEnd
from extensions.labelstudio.queries import servers
from workflow.access.accounts import normal_login
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead, stages_of

__all__ = [
    "Answer",
    "BridgeStatus",
    "Forms",
    "PersonThere",
    "PullResult",
    "PushResult",
    "StageThere",
    "connect",
    "map_person",
    "match_people",
    "pull",
    "push",
    "status",
    "sync",
    "unmap_person",
    "wake",
]

MOST_AHEAD = 1_000
LONGEST_HOLD = 24 * 14.0
OFTENEST, SELDOMEST = 1.0, 10.0
"""Shortest and longest time between two rounds of ``sync``, in seconds."""
WAKING = 0.5
"""Seconds between two checks for a wake-up call."""
LONGEST_PAUSE = 60.0
"""Longest pause between two rounds while the server does not answer, in seconds."""


def connect(
    store: Store,
    *,
    by: Person | None,
    project: str,
    address: str,
    stages: Sequence[Stage],
    ahead: int = 3,
    hold_hours: float = 8.0,
    stay: bool = False,
) -> None:
    """Send the work of stages to the server at an address, or change the settings. For leads.

    Parameters
    ----------
    by
        None is the command on the machine itself.
    stages
        Without any, the next push calls back all tasks.
    ahead
        Number of tasks that a person has there at once, in each stage.
    hold_hours
        Hours that a task stays with a person who does not answer.
    stay
        Stored tasks also stay there for this time, so that their rater may still change them. Only for a server with
        one rater, because others could open them.
    """
    address = _address(address)
    problems = []
    if not 1 <= ahead <= MOST_AHEAD:
        problems.append(Problem("ahead", f"Give a person 1 to {MOST_AHEAD} tasks at once."))
    if not 0 < hold_hours <= LONGEST_HOLD:
        problems.append(Problem("hold_hours", f"Reserve a task for at most {LONGEST_HOLD:g} hours."))
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        problems += [
            Problem(
                "stages",
                f"Label Studio cannot show the stage {stage.value} of {project!r}. Choose from: {_can_go(access)}.",
            )
            for stage in stages
            if stage not in stages_of(access.schema) or stage in ONLY_HERE
        ]
        row = servers.find(session, project_id=access.project_id, address=address, lock=True)
        if stay and row is not None and len(servers.people(session, bridge_id=row.id)) > 1:
            problems.append(Problem("stay", _ONE_ONLY))
        if problems:
            raise InvalidInputError(problems)
        chosen = list(dict.fromkeys(stages))
        how: dict[str, Any] = {"address": address, "ahead": ahead, "hold_hours": hold_hours, "stay": stay}
        servers.set_bridge(session, project_id=access.project_id, stages=chosen, now=store.now(), **how)
        data = {**how, "stages": [stage.value for stage in chosen]}
        log(session, "bridge.connected", by=by, project=access, now=store.now(), data=data)


def map_person(store: Store, *, by: Person | None, project: str, address: str, login: str, email: str) -> None:
    """Send a member's work to a server on which the person has this mail address. For leads.

    The account there is looked up at the next push, so the person may be invited there later.
    """
    email = email.strip().casefold()
    if not 3 <= len(email) <= 254 or email.count("@") != 1 or not email.isprintable() or " " in email:
        raise InvalidInputError(
            [
                Problem(
                    "email",
                    f"{email!r} is not an email address. Give the address that the person uses to sign in to Label "
                    "Studio.",
                )
            ]
        )
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        row = find_server(session, project_id=access.project_id, address=address)
        who = _member(session, access, login)
        for known, other in servers.people(session, bridge_id=row.id):
            if known.email == email and other.id != who.id:
                raise AlreadyTakenError(f"{email} already belongs to {other.login!r}. Use another address.")
            if row.stay and other.id != who.id:
                raise InvalidInputError([Problem("stay", _ONE_ONLY)])
        mapped = servers.person(session, bridge_id=row.id, person_id=who.id)
        if mapped is not None and mapped.email == email:
            return
        servers.put_person(session, bridge_id=row.id, person_id=who.id, email=email, now=store.now())
        data = {"address": row.address, "login": who.login, "email": email}
        log(session, "bridge.person_mapped", by=by, project=access, now=store.now(), data=data)


def unmap_person(store: Store, *, by: Person | None, project: str, address: str, login: str) -> None:
    """Stop sending a person's work to a server. The next push calls back the person's tasks. For leads."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        row = find_server(session, project_id=access.project_id, address=address)
        who = people.by_login(session, login=normal_login(login))
        mapped = servers.person(session, bridge_id=row.id, person_id=who.id) if who else None
        if who is None or mapped is None:
            raise NotFoundError(f"{login!r} is not mapped to {row.address}. Check the login.")
        servers.remove_person(session, row=mapped)
        data = {"address": row.address, "login": who.login}
        log(session, "bridge.person_unmapped", by=by, project=access, now=store.now(), data=data)


def match_people(store: Store, front: FrontEnd, *, by: Person | None, project: str) -> list[str]:
    """Send the work of all members whose login is the mail address of an account there.

    Return the logins. For leads.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        row = find_server(session, project_id=access.project_id, address=front.address, lock=False)
        known = {mapping.person_id for mapping, _ in servers.people(session, bridge_id=row.id)}
        members = [who for _, who in projects.members(session, project_id=access.project_id) if who.id not in known]
    there = {user.email.strip().casefold() for user in front.users()}
    matched = [who.login for who in members if who.login in there]
    for login in matched:
        map_person(store, by=by, project=project, address=front.address, login=login, email=login)
    return matched


def sync(
    store: Store,
    front: FrontEnd,
    forms: Forms,
    *,
    by: Person | None,
    project: str,
    every: float = 5.0,
    stop: Callable[[], bool] = lambda: False,
    tell: Callable[[PullResult | None, PushResult | None, str], None] | None = None,
) -> None:
    """Fetch and send in a loop, until ``stop`` returns True.

    A server that does not answer is asked again after longer and longer pauses. ``tell`` gets the result of each round,
    or the reason why it failed. ``wake`` ends a pause at once.
    """
    every = min(max(every, OFTENEST), SELDOMEST)
    pause = every
    while not stop():
        pulled, pushed, problem = None, None, ""
        woken = _woken(store, project, front.address)
        try:
            pulled = pull(store, front, forms, by=by, project=project)
            pushed = push(store, front, forms, by=by, project=project)
            pause = every
        except ServiceUnreachableError as error:
            problem, pause = str(error), min(pause * 2, LONGEST_PAUSE)
        except ConflictError as error:  # another process does the same
            problem = str(error)
        if tell is not None:
            tell(pulled, pushed, problem)
        until, look = time.monotonic() + pause, time.monotonic() + WAKING
        while not stop() and time.monotonic() < until:
            time.sleep(min(0.2, max(until - time.monotonic(), 0.0)))
            if time.monotonic() >= look:
                if _woken(store, project, front.address) != woken:
                    break
                look = time.monotonic() + WAKING


def wake(store: Store) -> None:
    """Wake every running ``sync``, in all processes, for an immediate round."""
    with store.write() as session:
        servers.wake(session, now=store.now())


def _woken(store: Store, project: str, address: str) -> datetime | None:
    """Return the time of the last wake-up call."""
    with store.read() as session:
        row = projects.by_name(session, name=project)
        return servers.woken_at(session, project_id=row.id, address=plain(address)) if row else None


_ONE_ONLY = (
    "Stored answers can stay in Label Studio only if the server has one rater. Otherwise, other raters "
    "could open these answers. First turn off the setting Keep stored answers editable."
)


def _address(given: str) -> str:
    address = plain(given)
    try:
        parts = urlsplit(address)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and len(address) <= 500
    except ValueError:
        fits = False
    if not fits or parts.username or parts.password or parts.query or parts.fragment or not address.isprintable():
        raise InvalidInputError(
            [
                Problem(
                    "address",
                    ("Give the server's address, such as https://labels.example.org, without a login or a token."),
                )
            ]
        )
    return address


def _can_go(access: Access) -> str:
    return ", ".join(stage.value for stage in stages_of(access.schema) if stage not in ONLY_HERE)


def _member(session: Session, access: Access, login: str) -> StoredPerson:
    who = people.by_login(session, login=normal_login(login))
    member = projects.member(session, project_id=access.project_id, person_id=who.id) if who else None
    if who is None or (member is None and not who.is_admin):
        raise NotFoundError(f"{login!r} is not in the project {access.name!r}. Add this person first.")
    return who
