"""``GET /healthz``: is the server up, does the database answer, has the collector been frozen."""

from __future__ import annotations

import gc

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from app.services import Resources


def routes(resources: Resources) -> list[BaseRoute]:
    """The one route; it needs no session and says nothing about the data."""

    async def healthz(_request: Request) -> JSONResponse:
        well = await run_in_threadpool(resources.store.answers)
        state = {
            "status": "ok" if well else "no database",
            "database": "ok" if well else "does not answer",
            "frozen": gc.get_freeze_count() > 0,
        }
        return JSONResponse(state, status_code=200 if well else 503, headers={"Cache-Control": "no-store"})

    return [Route("/healthz", healthz, methods=["GET"])]
