"""Label Studio as a second front end: its forms, what its results mean, its files, a client of its server, and the work
that goes there and comes back.

``results`` says what a result means here and which one means given answers; ``labeling`` makes the configuration of a
form and the data of its tasks; ``ways`` says how each kind is asked there. ``import_file`` and ``export_file`` read and
write its JSON, with the ``names`` that a team gave things there and its ``values``. ``client`` asks a server with what
``tokens`` has for it; ``controls`` reads forms that others made.

``exchange`` decides what goes out and what comes back counts for; it sees a server only as ``domain.bridge`` describes
one. ``serving`` has what runs here for it: pictures for its pages, webhooks, the model backend. The tables stay in
``db/``, so that a project whose work went there is complete without this folder.
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
