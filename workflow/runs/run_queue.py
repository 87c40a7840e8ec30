"""The queue that wakes waiting workers at once, and the loop of such a worker.

A message is JSON with only the public id of a run; the run itself is in the database. A lost or corrupted queue costs a
few seconds at most, because workers also look for open runs themselves.
"""

from __future__ import annotations

import json
import logging
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from typing import Any

from domain.errors import ModelRefused, SettingsError
from domain.installation import install_hint
from domain.settings import QUEUE_URL, Settings

TASK = "work_on_run"
"""The one thing that the queue can ask for."""

_LONGEST = 10_000
_NAME = "touchstone"
_SEEN = "worker seen"
_LOOK_SECONDS = 3.0
"""The seconds between two searches of a worker for runs without a message."""

_log = logging.getLogger(__name__)


def wake(settings: Settings, run: str) -> None:
    """Tell a waiting worker of a run."""
    queue_of(settings).task_of(run)


def worker_seen(settings: Settings) -> float | None:
    """Return how many seconds ago a worker was last seen; None if never, or if the queue cannot be reached."""
    try:
        said = queue_of(settings).huey.storage.peek_data(_SEEN)
        return max(time.time() - float(bytes(said)), 0.0)
    except Exception:  # of whatever package reaches the queue
        return None


def queue_of(settings: Settings) -> Queue:
    """Return the queue of the settings. A worker's consumer runs on its ``huey``."""
    return _opened(settings.queue_url or "", settings.database_url, str(settings.home))


@cache
def _opened(queue_url: str, database_url: str, home: str) -> Queue:
    try:
        return Queue(_huey(queue_url, database_url, home))
    except SettingsError:
        raise
    except Exception:  # two processes that begin at once may both want to make the queue's tables
        time.sleep(0.3)
        return Queue(_huey(queue_url, database_url, home))


class JsonMessages:
    """Huey's messages as JSON. No message is ever unpickled, and only our own task is read."""

    def serialize(self, message: Any) -> bytes:
        """Return a message as bytes, with only its task and the run."""
        told = {"id": message.id, "name": message.name, "args": list(message.args)}
        return json.dumps(told, separators=(",", ":")).encode()

    def deserialize(self, data: Any) -> Any:
        """Return the message. Raises ``ValueError`` for data that Touchstone did not write."""
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
    """A Huey queue with one task, and the function that the task calls in a worker."""

    def __init__(self, huey: Any) -> None:
        self.huey = huey
        self.work: Callable[[str], None] | None = None
        """Called with a run's public id."""
        self.task_of = huey.task(name=TASK)(self._work)

    def do(self, work: Callable[[str], None]) -> None:
        """Set the function that this process calls with a run's public id. The process then is a worker."""
        self.work = work

    def _work(self, run: str) -> None:
        if self.work is not None:
            self.work(run)


def _huey(queue_url: str, database_url: str, home: str) -> Any:
    from huey import api

    common = {"serializer": JsonMessages(), "results": False}
    if queue_url.startswith("redis"):
        if find_spec("redis") is None:
            raise SettingsError(
                f"{QUEUE_URL} names a Redis server. That needs the package redis, which is not installed. "
                f"{install_hint('redis')}"
            )
        return api.RedisHuey(_NAME, url=queue_url, **common)
    address = queue_url or database_url
    if address.startswith("postgres"):
        return api.PostgresHuey(_NAME, dsn=address.replace("postgresql+psycopg://", "postgresql://", 1), **common)
    return api.SqliteHuey(_NAME, filename=f"{home}/queue.db", **common)


# ---- a worker -------------------------------------------------------------------------------------------------------


def serve(
    settings: Settings,
    *,
    waiting: Callable[[], list[str]],
    work: Callable[[str, Callable[[], bool]], None],
    threads: int = 1,
    leave: Callable[[], bool] = lambda: False,
) -> None:
    """Wait for runs and work on them until a signal (SIGINT, SIGTERM) or ``leave`` ends the loop.

    Parameters
    ----------
    waiting
        Return the public ids of runs that need a worker. Called every few seconds while a thread is idle.
    work
        Work on a run. The second argument tells when to leave the run.
    """
    queue = queue_of(settings)
    busy: set[str] = set()
    refused: set[str] = set()
    consumer = queue.huey.create_consumer(workers=threads, periodic=False, max_delay=1.0)
    leaving = {signal.SIGINT: (False, True), signal.SIGTERM: (False, True)}
    consumer._signal_actions = leaving  # huey has no setting for it

    def work_on(run: str) -> None:
        if run in refused or run in busy or consumer.stop_flag.is_set():
            return
        busy.add(run)
        try:
            work(run, consumer.stop_flag.is_set)
        except ModelRefused:
            refused.add(run)
        finally:
            busy.discard(run)

    def look() -> None:
        while not consumer.stop_flag.wait(_LOOK_SECONDS):
            if leave():
                consumer.stop_flag.set()
                return
            try:
                queue.huey.storage.put_data(_SEEN, str(time.time()).encode())
                if len(busy) < threads and not queue.huey.storage.queue_size():
                    for run in waiting():
                        if run not in refused:
                            queue.task_of(run)
            except Exception:
                _log.warning("the queue or the database cannot be reached; trying again", exc_info=True)

    queue.do(work_on)
    looker = threading.Thread(target=look, name="look", daemon=True)
    looker.start()
    with suppress(KeyboardInterrupt):
        consumer.run()
    looker.join(_LOOK_SECONDS)
