"""The demo's sign-in page: its people, who sign in without a password.

Only ``touchstone demo`` calls ``offer``. The sign-in page asks ``offered`` for each request, because a proxy on this
machine forwards requests of strangers.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from db.engine import Store
from domain.errors import TouchstoneError
from domain.records import Person, SignedIn
from domain.states import Stage
from workflow.access import item_counts, sign_in
from workflow.annotate import progress

FORWARDED = (
    "forwarded",
    "via",
    "x-forwarded",
    "x-real-ip",
    "x-client-ip",
    "x-cluster",
    "x-envoy",
    "true-client-ip",
    "cf-",
    "fly-",
    "x-original",
)
"""The beginnings of headers that proxies add. A browser on this machine sends none of them."""


@dataclass(frozen=True)
class DemoRole:
    """A role in which visitors try the demo."""

    login: str
    title: str
    does: str
    page: str
    """The page that opens first, by its path."""
    stage: Stage | None
    """The stage whose waiting tasks are counted. None: the kept items are counted."""
    counted: Callable[[int], str]
    """Returns the words about a number of tasks, with a place for the number: "{n} items wait"."""


@dataclass(frozen=True)
class DemoOffer:
    """The demo project, its roles, and the logins of all its people."""

    project: str
    roles: Sequence[DemoRole]
    logins: frozenset[str]


@dataclass(frozen=True)
class DemoPerson:
    """A person of the demo as the sign-in page shows them."""

    role: DemoRole
    name: str
    waits: str


_offers: list[DemoOffer] = []
"""The offer of this process, which serves a demo. Empty on every other server."""


def offer(demo: DemoOffer) -> None:
    """Offer the demo's people on the sign-in page of this process."""
    _offers[:] = [demo]


def is_on() -> bool:
    """Tell whether this process serves a demo."""
    return bool(_offers)


def signed_in(store: Store, *, token: str) -> SignedIn | None:
    """Return the person of a session, or None if there is no such session on this server.

    A session without a password ends with the demo: no other server of the same folder accepts it.
    """
    return sign_in.signed_in(store, token=token, demo=is_on())


def offered(connection: HTTPConnection) -> DemoOffer | None:
    """Return the demo that this request may sign in to. None on other servers, and for requests of other machines."""
    return _offers[0] if _offers and is_from_this_machine(connection) else None


def is_from_this_machine(connection: HTTPConnection) -> bool:
    """Tell whether a browser on this machine sent the request itself, without a proxy."""
    if any(name.startswith(FORWARDED) for name in connection.headers):
        return False
    if connection.scope.get("http_version") == "1.0":  # no browser: some proxies forward in it, without a header
        return False
    client = connection.client
    host = urlsplit(f"//{connection.headers.get('host', '')}").hostname or ""
    return client is not None and _is_loopback(client.host) and (host == "localhost" or _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def people(store: Store, demo: DemoOffer) -> list[DemoPerson]:
    """Return the people that a visitor can be, with what waits for each of them."""
    found = []
    for role in demo.roles:
        try:
            person = sign_in.demo_person(store, login=role.login, logins=demo.logins)
            waits = _waiting(store, person, demo.project, role)
        except TouchstoneError:  # someone changed the demo: the others stay
            continue
        found.append(DemoPerson(role, person.name, waits))
    return found


def _waiting(store: Store, person: Person, project: str, role: DemoRole) -> str:
    if role.stage is None:
        n = item_counts.counts_of(store, person=person, project=project).kept
    else:
        work = progress.my_work(store, person=person)
        rows = [row for row in work if (row.project, row.stage) == (project, role.stage)]
        n = progress.count_waiting(store, person=person, project=project, stage=role.stage, rows=rows)
    return role.counted(n).format(n=f"{n:,}")
