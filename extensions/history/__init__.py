"""History: what happened to an item and in a project.

``item_history`` reads the full record of one item, which it logs as a look. ``item_origin`` adds how the item was made.
``item_section`` draws the votes and the events beside the table of items, and ``full_record`` draws everything in a
dialog. Core keeps the log of events and reads it (``workflow.access.audit``). The page *Audit* shows the log, and
``log_files`` writes it as files, also for ``touchstone event list``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.history.pages import audit

    return (audit,)


def _commands() -> Sequence[Any]:
    from extensions.history.commands import audit

    return (audit,)


def _item_sections() -> Sequence[Any]:
    from extensions.history import item_section

    return ((10, item_section.draw),)


EXTENSION = Extension(
    name="history",
    title="History and audit log",
    pages=_pages,
    commands=_commands,
    item_sections=_item_sections,
)
