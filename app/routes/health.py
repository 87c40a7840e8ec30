"""``GET /healthz``: can something be stored and read, here and in the database; has the collector been frozen.

Anyone may ask, as often as they like, so what is looked at is kept for a few seconds, and the whole database file is
read only now and then, as it takes time.
"""

from __future__ import annotations

import errno
import gc
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from app.services import Resources
from db.engine import Store

KEPT_SECONDS = 5.0
WHOLE_EVERY_SECONDS = 600.0
TRIED_BYTES = 65_536
"""What is written below the home, and taken out again, to see whether there is room."""


class Health:
    """What is known of the database and the disk, looked at anew when it is older than a few seconds."""

    def __init__(self, store: Store, home: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.store, self.home, self.clock = store, home, clock
        self._lock = threading.Lock()
        self._found: tuple[str, str] | None = None
        self._at = self._whole_at = float("-inf")
        self._damage: str | None = None
        self.looking: threading.Thread | None = None

    def state(self) -> tuple[str, str]:
        """``ok`` or a sentence, of the database and of the disk."""
        with self._lock:
            now = self.clock()
            if self._found is None or now - self._at > KEPT_SECONDS:
                self._look_at_all(now)
                self._found = (self.store.trouble() or self._damage or "ok", room(self.home) or "ok")
                self._at = self.clock()
            return self._found

    def _look_at_all(self, now: float) -> None:
        """Begin to read the whole database file, if that is due and no one does."""
        if now - self._whole_at > WHOLE_EVERY_SECONDS and (self.looking is None or not self.looking.is_alive()):
            self._whole_at = now

            def look() -> None:
                self._damage = self.store.damage()

            self.looking = threading.Thread(target=look, name="database check", daemon=True)
            self.looking.start()


def room(home: Path) -> str | None:
    """Why nothing can be written below the home, in a sentence; None if it can."""
    try:
        with tempfile.TemporaryFile(dir=home) as file:
            file.write(os.urandom(TRIED_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        return f"Nothing can be written below the home folder: {'its disk is full' if full else error.strerror}."
    return None


def routes(resources: Resources) -> list[BaseRoute]:
    """The one route; it needs no session and says nothing about the data."""
    health = Health(resources.store, resources.settings.home)

    async def healthz(_request: Request) -> JSONResponse:
        database, disk = await run_in_threadpool(health.state)
        well = (database, disk) == ("ok", "ok")
        state = {
            "status": "ok" if well else " ".join(dict.fromkeys(told for told in (database, disk) if told != "ok")),
            "database": database,
            "disk": disk,
            "frozen": gc.get_freeze_count() > 0,
        }
        return JSONResponse(state, status_code=200 if well else 503, headers={"Cache-Control": "no-store"})

    return [Route("/healthz", healthz, methods=["GET"])]
