"""Read files with results of tools: JSON lines ``{"item", "tool", "result"}``, some with ``arguments``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation_schemas.formats import Misfit, short
from domain import json_text
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from domain.records import BadRow

_KEYS = ("item", "tool", "result", "arguments")


@dataclass(frozen=True)
class ToolResultRecord:
    """The result of a tool for an item. If ``arguments`` is None, the result is for every call."""

    item: str
    tool: str
    arguments: Mapping[str, Any] | None
    result: Any


def read_tool_results(
    path: Path, *, tools: Collection[str]
) -> tuple[Sequence[tuple[ToolResultRecord, BadRow]], Sequence[BadRow]]:
    """Return all results of a file with their places, and the invalid rows.

    Raises
    ------
    InvalidFileError
        There is nothing to read, or it holds no records.
    """
    try:
        pieces = json_text.split(json_text.decode(path.read_bytes())).pieces
    except NotJson as error:
        raise InvalidFileError(f"{path.name}, row 1: {error}. Nothing was imported.") from error
    except OSError as error:
        raise InvalidFileError(f"Touchstone cannot read {path}: {error.strerror}. Check the path.") from error
    rows: list[tuple[ToolResultRecord, BadRow]] = []
    bad: list[BadRow] = []
    for number, piece in enumerate(pieces, 1):
        here = BadRow(path.name, number, "", json_text.printable(piece.raw))
        try:
            if piece.problem:
                raise Misfit(piece.problem)
            rows.append((_record(json_text.values(piece.raw, _KEYS), tools), here))
        except (Misfit, NotJson) as error:
            bad.append(BadRow(here.path, number, str(error), here.raw))
    return rows, bad


def _record(record: Mapping[str, Any], tools: Collection[str]) -> ToolResultRecord:
    item, tool, arguments = record.get("item"), record.get("tool"), record.get("arguments")
    if isinstance(item, int) and not isinstance(item, bool):
        item = str(item)
    if not isinstance(item, str) or not item:
        raise Misfit("item is missing")
    if not isinstance(tool, str) or tool not in tools:
        raise Misfit(f"unknown tool {tool!r}. Choose from: {', '.join(sorted(tools))}")
    if arguments is not None and not isinstance(arguments, dict):
        raise Misfit("arguments is not an object such as {}")
    if record.get("result") is None:
        raise Misfit("result is missing. If the tool found nothing, give an empty list or text")
    return ToolResultRecord(short(item, "item"), tool, arguments, record["result"])
