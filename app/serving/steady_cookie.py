"""Keep Streamlit's XSRF cookie as it is while it is valid, so that browsers can use their cached pictures.

Streamlit writes the same token in another form with every page. Pictures vary by cookie, so each new form made the
browser ask for every cached picture again.
"""

from __future__ import annotations

from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME


class SteadyCookie:
    """ASGI middleware that leaves out the cookie if the browser has a valid one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_valid_cookie(scope):
            await self.app(scope, receive, send)
            return

        async def without(message: Message) -> None:
            if message["type"] == "http.response.start":
                mark = f"{XSRF_COOKIE_NAME}=".encode()
                message["headers"] = [
                    (name, value)
                    for name, value in message.get("headers", ())
                    if not (name.lower() == b"set-cookie" and value.startswith(mark))
                ]
            await send(message)

        await self.app(scope, receive, without)


def _has_valid_cookie(scope: Scope) -> bool:
    sent = "; ".join(value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie")
    token = cookie_parser(sent).get(XSRF_COOKIE_NAME)
    return token is not None and decode_xsrf_token_string(token)[0] is not None
