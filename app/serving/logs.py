"""The log of every process: lines of text, or one JSON object a line, on the standard error stream.

No line contains what people typed: the log is read by more people than the database.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

from domain.log_facts import log_facts
from domain.settings import JSON_LOG, Settings

TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
FOREIGN = ("streamlit", "uvicorn", "websockets")
"""Loggers of packages that write their own lines. In a JSON log they write ours."""
LONGEST_MESSAGE = 200
"""The most characters of an error's message in the log. Only its first line is logged: in the next lines, databases and
parsers repeat values, which may be people's answers.
"""
NEXT = "\nThis error led to the next one:\n"


class TextLines(logging.Formatter):
    """Formats a record as text."""

    def __init__(self) -> None:
        super().__init__(TEXT)

    def formatException(self, ei: Any) -> str:
        """Return the traceback, with the first line of each error's message."""
        return traceback_of(ei[1]) if ei[1] is not None else ""


class JsonLines(TextLines):
    """Formats a record as one JSON object on one line, with the facts of its request or job."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line. ``extra={"facts": ...}`` adds facts of this record alone."""
        line = {
            "time": _iso(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **log_facts(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            line["error"] = type(record.exc_info[1]).__name__
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def traceback_of(error: BaseException) -> str:
    """Return the traceback of an error and of its causes, the first cause first."""
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        message = str(current).strip().partition("\n")[0][:LONGEST_MESSAGE]
        of_group = [traceback_of(each) for each in getattr(current, "exceptions", ())]
        name = f"{type(current).__module__}.{type(current).__qualname__}".removeprefix("builtins.")
        told = f"{name}: {message}" if message else name
        parts.append("".join([*of_group, *traceback.format_tb(current.__traceback__), told, "\n"]))
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return NEXT.join(reversed(parts)).rstrip()


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def configure(settings: Settings) -> None:
    """Set the format of this process's log. Call this once, before the first line."""
    as_json = settings.log == JSON_LOG
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if as_json else TextLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    if not as_json:
        return
    logging.getLogger("touchstone").setLevel(logging.INFO)
    logging.captureWarnings(True)
    sys.excepthook = lambda kind, error, trace: root.critical("The process ended", exc_info=(kind, error, trace))
    for name in [*logging.root.manager.loggerDict]:
        if name.partition(".")[0] in FOREIGN:
            foreign = logging.getLogger(name)
            foreign.handlers.clear()
            foreign.propagate = True
