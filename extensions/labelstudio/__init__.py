"""Label Studio as a second front end: forms, results, files, a client of its server, and the exchange of work.

``results`` reads a Label Studio result and writes the result for given answers. ``labeling`` builds the configuration
of a form and the data of its tasks, and ``ways`` has a module for each kind of question. ``import_file`` and
``export_file`` read and write Label Studio's JSON, with the team's own ``names`` and ``values``. ``client`` sends
requests to a server with the token from ``tokens``. ``controls`` reads other people's forms.

``exchange`` decides which tasks go out and which answers count. It uses a server only through ``front_end``.
``serving`` has the parts that run on this server: pictures for Label Studio's pages, webhooks, the model backend. The
tables are in ``db/``, so a project with exchanged work is complete without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _formats() -> Sequence[Any]:
    from extensions.labelstudio.formats import ROWS

    return ROWS


def _pages() -> Sequence[Any]:
    from extensions.labelstudio.pages import label_studio

    return (label_studio,)


def _commands() -> Sequence[Any]:
    from extensions.labelstudio.commands import labelstudio

    return (labelstudio,)


def _routes() -> Sequence[Any]:
    from extensions.labelstudio.serving import hook_route, media_link_route

    return hook_route, media_link_route


def _settings() -> Sequence[Any]:
    from extensions.labelstudio.settings import LabelStudioSettings

    return (LabelStudioSettings,)


def _jobs() -> Sequence[Any]:
    from extensions.labelstudio.serving.sync_process import SYNC

    return (SYNC,)


EXTENSION = Extension(
    name="labelstudio",
    title="Label Studio",
    formats=_formats,
    pages=_pages,
    commands=_commands,
    routes=_routes,
    settings=_settings,
    jobs=_jobs,
)
