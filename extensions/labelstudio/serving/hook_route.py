"""``POST /label-studio/hook``: Label Studio's webhook, which starts a pull at once.

The content of the request is neither read nor trusted. The pull itself finds what has happened.
"""

from __future__ import annotations

import hmac

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from app.routes.replies import answering
from app.services import Resources
from domain.errors import NotAllowedError, NotFoundError
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.serving.bridging import HOOK_HEADER
from extensions.labelstudio.settings import LabelStudioSettings

PUBLIC = ("/label-studio/hook",)


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the one route. Without a secret in the settings, it refuses every request."""

    async def hook(request: Request) -> Response:
        wanted = resources.settings.of(LabelStudioSettings).label_studio_hook
        if wanted is None:
            raise NotFoundError(
                "Webhooks are off. Set TOUCHSTONE_LABEL_STUDIO_HOOK to a secret and restart the server."
            )
        given = request.headers.get(HOOK_HEADER, "")
        if not hmac.compare_digest(given.encode(), wanted.encode()):
            raise NotAllowedError(
                f"The header {HOOK_HEADER} does not contain this server's secret. Send the secret in this header."
            )
        await run_in_threadpool(bridge.wake, resources.store)
        return Response(status_code=204)

    return [Route("/label-studio/hook", answering(hook), methods=["POST"])]
