"""The format of files with results of tools."""

from __future__ import annotations

from typing import Any

from annotation_schemas.formats.row import Format, Takes


def _imported(*args: Any, **options: Any) -> Any:
    from extensions.holmes.result_import import import_tool_results

    return import_tool_results(*args, **options)


ROWS = (
    Format(
        "tool_results",
        "tool results for items, JSON lines: `item`, `tool`, `result`",
        Takes.RESULTS,
        place=60,
        marks=("item", "tool", "result"),
        reads=_imported,
    ),
)
