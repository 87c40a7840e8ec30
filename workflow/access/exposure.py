"""Record each payload about an item before a person gets it: its hash, its size, and the kinds of facts in it.

``workflow.files.exposures`` finds the entries that should not have been sent.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, is_dataclass
from datetime import datetime
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from db import exposure
from db.engine import Direct, Session, Store
from domain.exposure import Disclosure, Route, Secrets
from domain.records import Person
from workflow.access.projects import Access

Look = Callable[[Secrets], Disclosure]
"""Function that finds the facts in a payload, given the secrets of the item."""

REMEMBERED = 10_000
"""Number of sent files and threads that this process remembers, to avoid recording them twice."""

_known: WeakKeyDictionary[Store, OrderedDict[tuple[object, ...], None]] = WeakKeyDictionary()
_known_guard = Lock()


def sent_task(
    store: Store, *, person: Person, route: Route, task: str, body: bytes, look: Look, revision: int | None = None
) -> None:
    """Record that a task (public id) is sent to a person; ``body`` is the payload.

    Nothing is recorded while the item is not written yet.
    """
    digest = hashlib.sha256(body).hexdigest()
    with store.noting() as direct:
        place = exposure.place_of_task(direct, public_id=task)
        if place is not None:
            _add(direct, place, person, route, body, digest, look, revision, store.now())


def sent_of_item(store: Store, *, person: Person, route: Route, item: str, body: bytes, look: Look) -> None:
    """Record another payload about an item (public id), once per process for the same bytes; see ``sent_task``."""
    digest = hashlib.sha256(body).hexdigest()
    if _is_known(store, person.id, item, digest):
        return
    with store.noting() as direct:
        place = exposure.place_of_item(direct, public_id=item)
        if place is not None:
            _add(direct, place, person, route, body, digest, look, None, store.now())
    _remember(store, person.id, item, digest)


def _add(
    direct: Direct,
    place: exposure.SentContent,
    person: Person,
    route: Route,
    body: bytes,
    digest: str,
    look: Look,
    revision: int | None,
    now: datetime,
    *,
    alone: bool = True,
) -> None:
    disclosure = look(place.secrets)
    exposure.add(
        direct,
        place=place,
        person_id=person.id,
        route=route,
        told=disclosure,
        sha256=digest,
        size=len(body),
        revision=revision if revision is not None else place.revision,
        now=now,
        alone=alone,
    )


def going_out(
    session: Session, *, person: Person, task: str, data: Mapping[str, Any], look: Look, now: datetime
) -> None:
    """Record, inside a transaction, that a task is sent to Label Studio for a person.

    ``data`` is the payload; its hash is that of ``written(data)``.
    """
    direct = Direct.of(session)
    place = exposure.place_of_task(direct, public_id=task)
    if place is not None:
        body = canonical_bytes(data)
        digest = hashlib.sha256(body).hexdigest()
        _add(direct, place, person, Route.LABEL_STUDIO, body, digest, look, None, now, alone=False)


def record_look(
    session: Session,
    *,
    access: Access,
    person: Person,
    item_ids: Collection[int],
    route: Route,
    record: Any,
    told: Disclosure,
    now: datetime,
) -> None:
    """Record, inside a transaction, that a person looks at items on a page built from ``record``."""
    body = canonical_bytes(record)
    exposure.add_for_items(
        session,
        project_id=access.project_id,
        schema_version_id=access.schema_version_id,
        item_ids=item_ids,
        person_id=person.id,
        route=route,
        told=told,
        sha256=hashlib.sha256(body).hexdigest(),
        size=len(body),
        now=now,
    )


def sent_media(store: Store, *, person: Person, asset: str, sha256: str, size: int) -> None:
    """Record that the file of an asset (public id) is sent to a person, the first time only."""
    _media(store, person.id, asset, None, Route.MEDIA, sha256, size)


def sent_by_link(store: Store, *, key: str, asset: str, sha256: str, size: int) -> None:
    """Record a file sent to Label Studio's page, for the person who got the task with this key; see ``sent_media``."""
    if _is_known(store, key, asset, sha256):
        return
    with store.read() as session:
        whose = exposure.whose_link(session, key=key)
    if whose is not None:
        _media(store, whose[0], asset, whose[1], Route.MEDIA_LINK, sha256, size)
    _remember(store, key, asset, sha256)


def _media(store: Store, person_id: int, asset: str, task: str | None, route: Route, sha256: str, size: int) -> None:
    if _is_known(store, person_id, asset, sha256):
        return
    with store.write(archived_too=True, unhurried=True) as session:
        given: dict[str, Any] = {"asset": asset, "person_id": person_id, "task": task, "route": route}
        exposure.add_media(session, **given, sha256=sha256, size=size, now=store.now())
    _remember(store, person_id, asset, sha256)


def canonical_bytes(record: Any) -> bytes:
    """Return the bytes to hash for a record: its JSON with sorted keys, without spaces, in UTF-8."""
    plain = asdict(record) if is_dataclass(record) and not isinstance(record, type) else record
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_plain)
    return text.encode("utf-8", "surrogatepass")


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return sorted(value, key=str) if isinstance(value, set | frozenset) else str(value)


def _is_known(store: Store, *of: object) -> bool:
    with _known_guard:
        return of in _known.get(store, ())


def _remember(store: Store, *of: object) -> None:
    with _known_guard:
        known = _known.setdefault(store, OrderedDict())
        known[of] = None
        while len(known) > REMEMBERED:
            known.popitem(last=False)
