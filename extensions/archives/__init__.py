"""Archives: whole projects as files, for another server, copies of projects next to them, and their deletion.

``exporting`` writes a project into one file, and ``importing`` makes a project of such a file: ``archive_reader`` reads
it, and ``storing`` stores the rows while others work. ``copying`` does both.
``deletion`` removes a project, and ``transit_cleanup`` removes what an interrupted import or deletion has left. The
page *Projects* has a button for each (``page_actions``, ``copy_form``), and the work is done by ``jobs``. Which rows
belong to a project is core's (``db.carried``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.archives.commands import project_archive

    return (project_archive,)


def _routes() -> Sequence[Any]:
    from extensions.archives import archive_route

    return (archive_route,)


def _jobs() -> Sequence[Any]:
    from extensions.archives import jobs

    return jobs.ROWS


def _project_actions() -> Sequence[Any]:
    from extensions.archives.page_actions import ACTIONS

    return ACTIONS


def _project_beginnings() -> Sequence[Any]:
    from extensions.archives.copy_form import COPY

    return (COPY,)


EXTENSION = Extension(
    name="archives",
    title="Archives, copies and deletion of projects",
    commands=_commands,
    routes=_routes,
    jobs=_jobs,
    project_actions=_project_actions,
    project_beginnings=_project_beginnings,
)
