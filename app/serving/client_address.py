"""The address of the client in a web process that listens on a Unix socket, where every request has none.

Only the front server can connect to the socket. It appends the address of the client's connection to the headers.
"""

from __future__ import annotations

import os

from starlette.types import ASGIApp, Receive, Scope, Send

from app.serving.front_server import TRUSTED, TRUSTED_BY_DEFAULT

FRONT_SERVER = "the front server"


def behind_front_server(app: ASGIApp) -> ASGIApp:
    """Return an application that gets the client's address and scheme from the headers of our front server.

    The last address of the headers counts that is not in ``FORWARDED_ALLOW_IPS``. Earlier ones may be made up.
    """
    from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

    trusted = os.environ.get(TRUSTED) or TRUSTED_BY_DEFAULT
    hosts = trusted if trusted == "*" else [*trusted.split(","), FRONT_SERVER]
    believing = ProxyHeadersMiddleware(app, trusted_hosts=hosts)  # type: ignore[arg-type]

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            scope["client"] = (FRONT_SERVER, 0)
        await believing(scope, receive, send)  # type: ignore[arg-type]

    return answer
