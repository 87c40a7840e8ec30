"""Limit the open files of the server: use as many as the machine allows, and refuse new pages before they run out.

An open page holds one file, its websocket, and for some seconds the connections that fetched its parts. The process
also needs files for the database, for the pictures it sends, and for the processes it starts.
"""

from __future__ import annotations

import errno
import logging
import os
import resource
import threading
import time
from collections.abc import Callable

from domain.errors import DatabaseUnavailableError

MOST = 1_048_576
"""The limit on a machine without one: the default of Linux."""
RESERVE = 256
"""Open files that new pages leave free for the requests of open pages."""
CROWDED = "Too many pages are open on this server. Close pages that you do not need, then try again."
NO_FILES = "The server cannot open more files, so new connections wait. Raise the limit of open files (ulimit -n)."
SHORT = (
    "The server refuses new pages, because %d of %d files are open, and open pages need %d more. Raise the hard "
    "limit (ulimit -n, or LimitNOFILE in a systemd unit), and restart the server."
)
TOLD_SECONDS = 60.0
REFUSED_WEBSOCKET = "ASGI callable returned without completing handshake."
"""The log line of uvicorn for a websocket that was answered with a status. The client did get its answer."""
log = logging.getLogger("touchstone")
_NONE_LEFT = (errno.EMFILE, errno.ENFILE)


def raise_limit() -> int:
    """Raise this process's limit of open files to the highest allowed value, and return the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else hard
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return MOST if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # a kernel that allows fewer than it reports
        return soft
    return wanted


def count() -> int:
    """Return how many files this process has open."""
    return len(os.listdir("/dev/fd")) - 1  # the folder itself is open during the listing


def none_left(error: BaseException) -> bool:
    """Tell whether an error means that this process, or the machine, can open no more files."""
    return isinstance(error, OSError) and error.errno in _NONE_LEFT


def as_unavailable(error: Exception) -> Exception:
    """Return ``DatabaseUnavailableError`` with a sentence in place of an error of open files, and any other error
    unchanged.
    """
    return DatabaseUnavailableError(CROWDED) if none_left(error) else error


class OpenFiles:
    """Tells whether open files are short.

    It counts them at most ten times a second, or once a second if many are free.
    """

    def __init__(
        self, limit: int, *, counts: Callable[[], int] = count, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.limit, self.counts, self.clock = limit, counts, clock
        self.reserve = min(RESERVE, limit // 4)
        self._free, self._until = limit, float("-inf")
        self._told_until = float("-inf")

    def free(self) -> int:
        """Return how many more files can be opened."""
        now = self.clock()
        if now >= self._until:
            try:
                self._free = self.limit - self.counts()
            except OSError:
                self._free = 0
            self._until = now + (1.0 if self._free > 8 * self.reserve else 0.1)
        return self._free

    def refusal(self) -> str:
        """Return the sentence for a refused page. Once a minute, log the limit and how to raise it."""
        now = self.clock()
        if now >= self._told_until:
            self._told_until = now + TOLD_SECONDS
            log.warning(SHORT, self.limit - self._free, self.limit, self.reserve)
        return f"{CROWDED} The limit is {self.limit:,} open files (ulimit -n, LimitNOFILE)."

    def are_short(self, *, page: bool) -> bool:
        """Tell whether a new page, or a request of an open page, must wait. Requests may use half of the reserve."""
        return self.free() < (self.reserve if page else self.reserve // 2)


class Calm(logging.Filter):
    """A log filter that logs one line a minute while connections wait for open files.

    Without it, ``asyncio`` logs a traceback every time, and uvicorn a line for each websocket refused with a status.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.clock = clock
        self._told = float("-inf")
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace records about open files by one line a minute. Other records pass unchanged."""
        if record.msg == REFUSED_WEBSOCKET:
            return False
        error = record.exc_info[1] if record.exc_info else None
        if error is None or not none_left(error):
            return True
        with self._lock:
            now = self.clock()
            if now - self._told < TOLD_SECONDS:
                return False
            self._told = now
        record.msg, record.args, record.exc_info = NO_FILES, (), None
        return True
