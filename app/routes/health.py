"""``GET /healthz``: whether the disk and the database can store and read, and whether the collector is frozen.

A media storage that does not answer is named, but the status stays 200: votes do not need it.

Anyone may ask at any rate, so the results are kept for a few seconds. The whole database file is read only now and
then, because that takes time.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from pathlib import Path

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from app.services import Resources
from app.serving.disk import find_write_error
from db.engine import Store

KEPT_SECONDS = 5.0
PATIENCE_SECONDS = 2.0
"""Longest wait of a monitor in seconds.

Database and disk are checked in threads, because they may not answer at all.
"""
WHOLE_EVERY_SECONDS = 600.0
SLOW_DATABASE = (
    f"The database has not answered for {PATIENCE_SECONDS:.0f} seconds. Another program, such as a backup, may be "
    "writing to the database. Wait, then check again."
)
SLOW_DISK = f"The disk of the home folder has not answered for {PATIENCE_SECONDS:.0f} seconds. Check the disk."


class Look:
    """A check whose result is kept for some seconds. Only one thread runs the check at a time."""

    def __init__(self, ask: Callable[[], str | None], *, late: str, clock: Callable[[], float]) -> None:
        """Set the two callables: ``ask`` returns the fault, and ``late`` is the answer after the time limit."""
        self.ask, self.late, self.clock = ask, late, clock
        self._answer: str | None = None
        self._asked = self._answered = float("-inf")
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Start the check, if the last result is old and no other thread checks."""
        with self._lock:
            if self.is_open() or self.clock() - self._answered <= KEPT_SECONDS:
                return
            self._asked = self.clock()
            self._thread = threading.Thread(target=self._run, name="health", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        self._answer = self.ask()
        self._answered = self.clock()

    def is_open(self) -> bool:
        """Tell whether the answer is pending."""
        return self._thread is not None and self._thread.is_alive()

    def is_worth_waiting(self) -> bool:
        """Tell whether the answer is pending and was requested a moment ago."""
        return self.is_open() and self.clock() - self._asked < PATIENCE_SECONDS

    def answer(self) -> str:
        """Return ``ok``, or a sentence about the fault."""
        return self.late if self.is_open() else self._answer or "ok"

    def last(self) -> str:
        """Return the last answer, although a new one may be pending."""
        return self._answer or "ok"


class Health:
    """The state of the database, the disk and the media storage. Results older than a few seconds are checked again."""

    def __init__(
        self,
        store: Store,
        home: Path,
        media: Callable[[], str | None] = lambda: None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store, self.clock = store, clock
        self.database = Look(store.trouble, late=SLOW_DATABASE, clock=clock)
        self.disk = Look(lambda: find_write_error(home), late=SLOW_DISK, clock=clock)
        self._media = Look(media, late="", clock=clock)
        self._lock = threading.Lock()
        self._whole_at = float("-inf")
        self._damage: str | None = None
        self.looking: threading.Thread | None = None

    async def state(self) -> tuple[str, str]:
        """Return ``ok`` or a sentence about the database and the disk, within ``PATIENCE_SECONDS``."""
        self._look_at_all(self.clock())
        for look in (self.database, self.disk):
            look.begin()
        while self.database.is_worth_waiting() or self.disk.is_worth_waiting():
            await anyio.sleep(0.005)
        database = self.database.answer()
        return (self._damage or database if database == "ok" else database), self.disk.answer()

    def media(self) -> str:
        """Return ``ok`` or the last known fault of the media storage. No one waits for it, because votes go on."""
        self._media.begin()
        return self._media.last()

    def _look_at_all(self, now: float) -> None:
        """Start to read the whole database file, if a check is due and none is running."""
        with self._lock:
            if now - self._whole_at <= WHOLE_EVERY_SECONDS or (self.looking is not None and self.looking.is_alive()):
                return
            self._whole_at = now

            def look() -> None:
                self._damage = self.store.damage()

            self.looking = threading.Thread(target=look, name="database check", daemon=True)
            self.looking.start()


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the one route. It needs no session and reveals nothing about the data."""
    health = Health(resources.store, resources.settings.home, resources.media.trouble)

    async def healthz(_request: Request) -> JSONResponse:
        database, disk = await health.state()
        well = (database, disk) == ("ok", "ok")
        state = {
            "status": "ok"
            if well
            else " ".join(dict.fromkeys(status for status in (database, disk) if status != "ok")),
            "database": database,
            "disk": disk,
            "media": health.media(),
            "frozen": gc.get_freeze_count() > 0,
        }
        return JSONResponse(state, status_code=200 if well else 503, headers={"Cache-Control": "no-store"})

    return [Route("/healthz", healthz, methods=["GET"])]
