"""The tables and charts of a benchmark's paper, made of a project's numbers.

``table_layouts`` reads layouts: data in ``layouts/``, one file for each schema. ``paper_table_places`` expands their
rows and columns. ``table_numbers`` finds each number among those of core, or asks the extension that has its source
(register ``table_sources``). ``paper_tables`` puts the tables together. ``table_files``, ``drawn_tables`` and
``table_charts`` write and draw them, for the page *Tables* and ``touchstone tables``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.paper_tables.pages import tables

    return (tables,)


def _commands() -> Sequence[Any]:
    from extensions.paper_tables.commands import tables

    return (tables,)


def _figures() -> Sequence[Any]:
    from extensions.paper_tables.paper_tables import of_project

    return (("tables", of_project),)


EXTENSION = Extension(name="paper_tables", title="Paper tables", pages=_pages, commands=_commands, figures=_figures)
