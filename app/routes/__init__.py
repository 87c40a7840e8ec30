"""The HTTP routes in addition to Streamlit's: sign-in, requests of working pages, health."""

from __future__ import annotations

from starlette.routing import BaseRoute

from app.routes import (
    auth,
    health,
    languages,
    media,
    moved,
    release_files,
    sessions,
    work,
)
from app.services import Resources
from app.workbench import assets
from domain import extensions


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the routes that run inside of Streamlit's application, for one store."""
    return [
        *auth.routes(resources),
        *health.routes(resources),
        *languages.routes(resources),
        *sessions.routes(resources),
        *assets.routes,
    ]


def routes_before(resources: Resources) -> list[BaseRoute]:
    """Return the routes that are answered before Streamlit's application.

    These are media, because Streamlit reserves ``/media/NAME``, and routes that need none of Streamlit's sessions and
    compression.
    """
    return [
        *release_files.routes(resources),
        *media.routes(resources),
        *work.routes(resources),
        *moved.routes(),
        *(route for module in extensions.rows("routes") for route in module.routes(resources)),
    ]
