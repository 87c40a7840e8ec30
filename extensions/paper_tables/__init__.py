"""Paper tables: the tables of a benchmark's paper, made of a project's numbers.

``table_layouts`` reads layouts: those in ``layouts/`` by the name of the schema, or a file. ``table_places`` expands a
layout to a project's models, judges and dimensions; ``table_numbers`` looks up the number of each cell, and
``paper_tables`` puts both together. ``table_files`` writes tables as files, and ``drawn_tables`` draws them with charts
(``table_charts``). The page *Tables* and ``touchstone table export`` show them.
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
