"""The HTTP routes besides Streamlit's: signing in, the work that a page sends, health."""

from __future__ import annotations

from starlette.routing import BaseRoute

from app.routes import (
    archives,
    auth,
    health,
    mail_off,
    media,
    moved,
    work,
)
from app.services import Resources
from app.workbench import assets
from domain import extensions


def routes(resources: Resources) -> list[BaseRoute]:
    """All routes of ours that Streamlit's application takes, wired to one store."""
    return [
        *auth.routes(resources),
        *health.routes(resources),
        *mail_off.routes(resources),
        *assets.routes,
    ]


def routes_before(resources: Resources) -> list[BaseRoute]:
    """Those that are answered before Streamlit's application: media, because it keeps ``/media/NAME`` for itself, and
    what needs nothing of its sessions and compression."""
    return [
        *archives.routes(resources),
        *media.routes(resources),
        *work.routes(resources),
        *moved.routes(),
        *(route for module in extensions.rows("routes") for route in module.routes(resources)),
    ]
