"""The HTTP routes beside Streamlit: signing in, the work that a page sends, health."""

from __future__ import annotations

from starlette.routing import BaseRoute

from app.routes import auth, health, work
from app.services import Resources
from app.workbench import assets


def routes(resources: Resources) -> list[BaseRoute]:
    """All routes of ours that Streamlit's application takes, wired to one store; media have a place before it."""
    return [
        *auth.routes(resources),
        *work.routes(resources),
        *health.routes(resources),
        *assets.routes,
    ]
