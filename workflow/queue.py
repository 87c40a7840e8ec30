"""The queue through which waiting workers hear of runs at once.

A message holds the public id of a run and nothing else, as JSON: what a run is stands in the database. A queue that is
lost, or that somebody else writes to, costs a few seconds at most, because workers look for open runs by themselves.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from typing import Any

from domain.errors import SettingsError
from domain.settings import QUEUE_URL, Settings

TASK = "work_on_run"
"""The one thing that the queue can ask for."""

_LONGEST = 10_000
_NAME = "touchstone"


def wake(settings: Settings, run: str) -> None:
    """Tell a waiting worker of a run."""
    queue_of(settings).task_of(run)


def queue_of(settings: Settings) -> Queue:
    """The queue that the settings name; on its ``huey`` a worker's consumer runs."""
    return _opened(settings.queue_url or "", settings.database_url, str(settings.home))


@cache
def _opened(queue_url: str, database_url: str, home: str) -> Queue:
    return Queue(_huey(queue_url, database_url, home))


class JsonMessages:
    """Huey's messages as JSON: nothing that lies in a queue is ever unpickled, and only our own task is read."""

    def serialize(self, message: Any) -> bytes:
        """A message as bytes; all that it says is which task is asked for which run."""
        told = {"id": message.id, "name": message.name, "args": list(message.args)}
        return json.dumps(told, separators=(",", ":")).encode()

    def deserialize(self, data: Any) -> Any:
        """The message; ``ValueError`` for anything that we did not write."""
        from huey.registry import Message

        stranger = ValueError("something that Touchstone did not write lies in the queue; it is left alone")
        raw = bytes(data)
        if len(raw) > _LONGEST:
            raise stranger
        try:
            told = json.loads(raw.decode("utf-8"))
            id, name, (run,) = told["id"], told["name"], told["args"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise stranger from None
        if not (isinstance(id, str) and isinstance(run, str) and isinstance(name, str)):
            raise stranger
        return Message(id=id, name=name, args=(run,), kwargs={}, retries=0, retry_delay=0)


class Queue:
    """Huey with one task, and what that task does where a worker says so."""

    def __init__(self, huey: Any) -> None:
        self.huey = huey
        self.work: Any = None
        """Called with a run's public id; set by a worker."""
        self.task_of = huey.task(name=TASK)(self._work)

    def _work(self, run: str) -> None:
        if self.work is not None:
            self.work(run)


def _huey(queue_url: str, database_url: str, home: str) -> Any:
    from huey import api

    common = {"serializer": JsonMessages(), "results": False}
    if queue_url.startswith("redis"):
        if find_spec("redis") is None:
            raise SettingsError(f"{QUEUE_URL} names a Redis server, which needs a package: install touchstone[redis].")
        return api.RedisHuey(_NAME, url=queue_url, **common)
    address = queue_url or database_url
    if address.startswith("postgres"):
        return api.PostgresHuey(_NAME, dsn=address.replace("postgresql+psycopg://", "postgresql://", 1), **common)
    return api.SqliteHuey(_NAME, filename=f"{home}/queue.db", **common)
