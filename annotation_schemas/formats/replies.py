"""Formats of judges' replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ReplyFiles:
    """Functions of an extension that import the files of its format."""

    imports: Callable[..., Any]
    """Takes a file into a project: store, and by name ``by, project, path, plan, skip_bad, format``. Its result has
    ``bad``, the rows that were left out."""
    look: Callable[..., Any]
    """Previews an import, with the same arguments but for ``skip_bad``. Returns a
    ``workflow.files.rows_look.RowsLook``."""
    sentences: Callable[[Any], Iterable[str]]
    """From the result of an import to the lines that a terminal shows."""
    draw: Callable[[Any], None]
    """Draws the result of an import on a page."""
