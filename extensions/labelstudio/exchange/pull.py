"""Fetch the answers from another tool. Each answer is stored once, or kept with the reason why not.

A task is removed there only after its answer is stored here, and is checked once more just before. After a crash at any
point, the next try finds every answer either recorded here or still there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from db import outside_work
from db.engine import Store
from db.records import StoredBridgeProject, StoredBridgeTask
from domain.bridge import BridgeOutcome, BridgeState
from domain.errors import ServiceError, ServiceUnreachableError
from domain.records import Person
from extensions.labelstudio.exchange.answers import deleted, note, take_in
from extensions.labelstudio.exchange.sync_lock import Forms, Link, opened
from extensions.labelstudio.front_end import FrontEnd, OutsideTask
from extensions.labelstudio.queries import received_answers, sent_tasks, servers

PAGE = 200
"""Number of tasks that are looked up together."""
REMOVED_AT_ONCE = 100
ONE_BY_ONE = 10
"""Number of tasks up to which they are checked one by one before removal. More tasks are read page by page."""


@dataclass(frozen=True)
class PullResult:
    """The result of fetching."""

    tasks: int
    """Number of tasks that were read there."""
    removed: int
    """Number of tasks that were removed there."""
    outcomes: Mapping[BridgeOutcome, int] = field(default_factory=dict)
    """Outcomes of annotations that were not handled before."""


def pull(
    store: Store, front: FrontEnd, forms: Forms, *, by: Person | None, project: str, only: int | None = None
) -> PullResult:
    """Store the answers from a server, and remove the finished tasks there. For leads.

    ``only`` is the id of the one project there to read. ``by`` None is the command on the machine itself.

    Raises
    ------
    ServiceUnreachableError
        The server does not answer. Answers read so far are stored, and the next try continues from there.
    ConflictError
        Another process is doing the same.
    """
    with opened(store, front, forms, by=by, project=project) as link:
        with store.read() as session:
            waiting = outside_work.unfinished(session, bridge_id=link.bridge_id)
            places = [row for row in servers.places(session, bridge_id=link.bridge_id) if row.id in waiting]
        n = 0
        for place in places:
            if place.outside_id is not None and only in (None, place.outside_id):
                n += _read(link, place)
        clear_away(link)
        if only is None:
            with link.write() as session:
                servers.note_pulled(session, id=link.bridge_id, now=store.now())
        return PullResult(tasks=n, removed=link.removed, outcomes=dict(link.outcomes))


# ---- reading a project there ----------------------------------------------------------------------------------------


def _read(link: Link, place: StoredBridgeProject) -> int:
    """Take in the answers of a project there. Return the number of tasks in it."""
    with link.store.read() as session:
        newest = sent_tasks.newest(session, place_id=place.id)
    here: dict[str, int] = {}
    doubled: list[int] = []
    strangers = 0
    try:
        for page in _pages(link.front.tasks(place.outside_id or 0)):
            strangers += _read_page(link, place, page, here, doubled)
    except ServiceError as error:
        if isinstance(error, ServiceUnreachableError) or not is_gone(link, place):
            raise
        return 0
    if strangers != place.strangers:
        with link.write() as session:
            servers.note_strangers(session, id=place.id, strangers=strangers)
    with link.store.read() as session:
        known = sent_tasks.sent_keys(session, place_id=place.id, until=newest)
    _look_for(link, place, {key: answer for key, answer in known.items() if key not in here})
    if doubled:
        link.front.remove(doubled, project=place.outside_id)
        link.count_removed(len(doubled))
    return len(here) + strangers


def _read_page(
    link: Link, place: StoredBridgeProject, page: Sequence[OutsideTask], here: dict[str, int], doubled: list[int]
) -> int:
    """Take in a page of tasks. Return the number of tasks on it that are not ours."""
    with link.store.read() as session:
        rows = sent_tasks.by_keys(session, keys=[task.key for task in page if task.key])
        answered = [row.id for task in page if (row := rows.get(task.key)) and task.annotations]
        known = received_answers.answers_known(session, ids=answered)
        stored = [row.id for row in rows.values() if row.annotation_id is not None]
        counting = received_answers.counting(session, ids=stored)
    strangers = 0
    moved: dict[int, int] = {}
    ours: list[tuple[StoredBridgeTask, OutsideTask]] = []
    for task in page:
        row = rows.get(task.key)
        if row is None or row.bridge_project_id != place.id:
            strangers += 1
            continue
        ours.append((row, task))
        if here.setdefault(task.key, task.id) != task.id:  # sent twice: accepted without a confirmation
            doubled.append(task.id)
        elif row.outside_id != task.id or row.state is BridgeState.SENDING or row.gone_at is not None:
            moved[row.id] = task.id
    if moved:
        with link.write() as session:
            sent_tasks.record_ids(session, there=moved)
    for row, task in ours:
        if task.annotations:
            take_in(link, place, row.id, task, known.get(row.id, set()))
        answer = counting.get(row.id)
        if answer is not None and answer[0] not in {annotation.id for annotation in task.annotations}:
            with link.write() as session:
                why = "The answer was deleted in Label Studio. Touchstone keeps its copy of the answer."
                note(session, link, row, *answer, BridgeOutcome.DELETED, why, {})
    return strangers


def _look_for(link: Link, place: StoredBridgeProject, missing: Mapping[str, tuple[int, int | None]]) -> None:
    """Find out what happened to tasks that were missing from the list."""
    unseen = [key for key, (_, outside) in missing.items() if outside is None]
    again = {task.key: task for task in link.front.tasks(place.outside_id or 0)} if unseen else {}
    for key, (id, outside) in missing.items():
        task = again.get(key) if outside is None else link.front.task(outside)
        if task is None:
            with link.write() as session:
                deleted(session, link, id)
        else:
            with link.write() as session:
                sent_tasks.record_ids(session, there={id: task.id})
            with link.store.read() as session:
                known = received_answers.answers_known(session, ids=[id])
            take_in(link, place, id, task, known.get(id, set()))


def is_gone(link: Link, place: StoredBridgeProject) -> bool:
    """Tell whether a project that the server refuses to show is gone. If so, record its tasks as deleted."""
    there = link.front.project_of(place.key)
    if there == place.outside_id:
        return False
    if there is not None:
        with link.write() as session:
            servers.locate(session, id=place.id, outside_id=there)
        return True
    with link.store.read() as session:
        left = [row.id for row in sent_tasks.in_state(session, place_id=place.id, states=BridgeState)]
    for id in left:
        with link.write() as session:
            deleted(session, link, id)
    with link.write() as session:
        servers.remove_place(session, id=place.id, now=link.store.now())
    return True


def located(link: Link, place: StoredBridgeProject) -> StoredBridgeProject:
    """Return a project with its id there, if an earlier try created it without getting the reply."""
    there = link.front.project_of(place.key) if place.outside_id is None else None
    if there is None:
        return place
    with link.write() as session:
        return servers.locate(session, id=place.id, outside_id=there)


# ---- removing tasks there -------------------------------------------------------------------------------------------


def clear_away(link: Link) -> None:
    """Remove finished tasks there, after one more check for answers that arrived in the meantime."""
    with link.store.read() as session:
        waiting = outside_work.unfinished(session, bridge_id=link.bridge_id)
        places = [
            row
            for row in servers.places(session, bridge_id=link.bridge_id)
            if BridgeState.REMOVING in waiting.get(row.id, {})
        ]
    for place in places:
        _clear_place(link, place)


def _clear_place(link: Link, place: StoredBridgeProject) -> None:
    with link.store.read() as session:
        rows = sent_tasks.in_state(session, place_id=place.id, states=[BridgeState.REMOVING])
        known = received_answers.answers_known(session, ids=[row.id for row in rows])
    try:
        place = located(link, place)
        there = _tasks_there(link, place, rows)
    except ServiceError as error:
        if isinstance(error, ServiceUnreachableError) or not is_gone(link, place):
            raise
        return
    for row in rows:
        for task in there.get(row.key, ()):
            if task.annotations:
                take_in(link, place, row.id, task, known.get(row.id, set()))
    for some in _pages(rows, REMOVED_AT_ONCE):
        ids = [task.id for row in some for task in there.get(row.key, ())]
        if ids:
            link.front.remove(ids, project=place.outside_id)
            link.count_removed(len(ids))
        with link.write() as session:
            sent_tasks.note_removed(session, ids=[row.id for row in some], now=link.store.now())


def _tasks_there(
    link: Link, place: StoredBridgeProject, rows: Sequence[StoredBridgeTask]
) -> dict[str, list[OutsideTask]]:
    """Return the current tasks there, by key."""
    if place.outside_id is None:
        return {}
    outside_tasks: dict[str, list[OutsideTask]] = {row.key: [] for row in rows}
    if len(rows) > ONE_BY_ONE or any(row.outside_id is None for row in rows):
        for task in link.front.tasks(place.outside_id):
            if task.key in outside_tasks:
                outside_tasks[task.key].append(task)
        return outside_tasks
    for row in rows:
        one = link.front.task(row.outside_id or 0)
        if one is not None and one.key == row.key:
            outside_tasks[row.key].append(one)
    return outside_tasks


def _pages(things: Iterable[Any], size: int = PAGE) -> Iterator[list[Any]]:
    left = iter(things)
    while page := list(islice(left, size)):
        yield page
