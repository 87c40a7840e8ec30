"""``GET /metrics``: the operator's metrics, for this machine alone or with the token of the settings."""

from __future__ import annotations

import hmac

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from app.serving.demo_people import is_from_this_machine
from app.serving.metrics import CONTENT_TYPE, Metrics
from domain.settings import METRICS_TOKEN

PATH = "/metrics"
ONLY_HERE = (
    f"Without {METRICS_TOKEN}, only programs on this machine can read the metrics, and only of a single web process. "
    f"Set {METRICS_TOKEN} for other machines or several processes.\n"
)
WRONG_TOKEN = f"Send the token of {METRICS_TOKEN} in the header Authorization: Bearer TOKEN.\n"


def routes(metrics: Metrics, token: str) -> list[BaseRoute]:
    """Return the one route. With a ``token``, every request needs it; without one, only this machine gets an answer."""

    async def answer(request: Request) -> Response:
        if token:
            given = request.headers.get("authorization", "")
            if not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
                return PlainTextResponse(WRONG_TOKEN, status_code=401, headers={"WWW-Authenticate": "Bearer"})
        elif not is_from_this_machine(request):
            return PlainTextResponse(ONLY_HERE, status_code=404)
        body = await run_in_threadpool(metrics.text)
        return Response(body, headers={"Content-Type": CONTENT_TYPE, "Cache-Control": "no-store"})

    return [Route(PATH, answer, methods=["GET"])]
