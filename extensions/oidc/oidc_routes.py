"""``/oidc/start`` and ``/oidc/callback``: from the sign-in page to the provider, and back.

What the callback needs (state, nonce, the secret of PKCE) is in a signed cookie, one for each sign-in, so any web
process can answer the callback, and only for the browser that began. The cookie is deleted at the first callback.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from app.routes import plain_pages
from app.routes.auth import Pages, calmly
from app.routes.replies import status_of
from app.services import Resources
from app.serving import signing_key
from app.session import COOKIE_SECONDS, local_path
from domain.errors import NotFoundError, ServiceError, TouchstoneError
from domain.language import _, marked
from extensions.oidc import accounts
from extensions.oidc.provider import Provider, require_packages
from extensions.oidc.settings import OidcSettings
from extensions.oidc.sign_in_way import SIGNED_IN, base_address

PUBLIC = ("/oidc/",)
CALLBACK = "/oidc/callback"
COOKIE = "touchstone_oidc_"
"""The beginning of the cookies of started sign-ins. The rest comes from the state."""
MINUTES = 10
"""Minutes that a person may take at the provider."""
LONGEST = 4096
"""Longest code and state that are read, in characters."""
OVER = marked(
    "This sign-in was already used, or it began in another browser or more than {n} minutes ago. Nothing was changed. "
    "Sign in again."
)
DENIED = marked("You canceled the sign-in, or the sign-in service does not let you use Touchstone.")
FAILED = marked("The sign-in service reported the error {error}. Try again, or tell the people who run this server.")


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the two routes."""
    pages = OidcPages(resources)
    return [
        Route("/oidc/start", calmly(pages.start), methods=["GET"]),
        Route(CALLBACK, calmly(pages.callback), methods=["GET"]),
    ]


class OidcPages:
    """The handlers of one installation."""

    def __init__(self, resources: Resources) -> None:
        self.settings, self.store = resources.settings, resources.store
        self.own = resources.settings.of(OidcSettings)
        self.provider = Provider(self.own, resources.settings.endpoints)
        self.pages = Pages(resources)

    async def start(self, request: Request) -> Response:
        """Redirect to the provider, and keep in a cookie what the callback needs."""
        self._require_provider()
        kept = {
            "state": secrets.token_urlsafe(32),
            "nonce": secrets.token_urlsafe(32),
            "verifier": secrets.token_urlsafe(48),
            "redirect_uri": base_address(self.settings, request) + CALLBACK,
        }
        try:
            address = await self.provider.authorization_url(**kept)
        except ServiceError as error:
            return _refused(str(error), 502)
        onward, invitation = (request.query_params.get(name, "")[:1000] for name in ("next", "invitation"))
        response = RedirectResponse(address, status_code=303, headers={"Cache-Control": "no-store"})
        sealed = await run_in_threadpool(self._sealed, {**kept, "next": local_path(onward), "invitation": invitation})
        response.set_cookie(
            _cookie(kept["state"]),
            sealed,
            max_age=MINUTES * 60,
            path=CALLBACK,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return response

    async def callback(self, request: Request) -> Response:
        """Check the provider's answer, and sign the person in. Each refusal is a page with a way back."""
        self._require_provider()
        asked = request.query_params
        if error := asked.get("error", "")[:100]:  # some providers leave out the state, and the page changes nothing
            logging.getLogger(__name__).warning("The provider %s reported %r", self.provider.host, error)
            return _refused(_(DENIED) if error == "access_denied" else _(FAILED).format(error=error), 403)
        state, code = asked.get("state", "")[:LONGEST], asked.get("code", "")[:LONGEST]
        kept = await run_in_threadpool(self._unsealed, request.cookies.get(_cookie(state), ""))
        if kept is None or not hmac.compare_digest(kept["state"].encode(), state.encode(errors="replace")):
            return _refused(_(OVER).format(n=MINUTES), 400)
        try:
            response = await self._signed_in(request, kept, code)
        except ServiceError as error:
            response = _refused(str(error), 502)
        except TouchstoneError as error:
            response = _refused(str(error), status_of(error))
        response.delete_cookie(_cookie(state), path=CALLBACK, httponly=True, samesite="lax")
        return response

    async def _signed_in(self, request: Request, kept: Mapping[str, str], code: str) -> Response:
        claims = await self.provider.claims(
            code=code, redirect_uri=kept["redirect_uri"], nonce=kept["nonce"], verifier=kept["verifier"]
        )
        person = await run_in_threadpool(
            accounts.sign_in,
            self.store,
            identity=accounts.identity_of(claims, self.own),
            settings=self.own,
            invitation=kept["invitation"],
        )
        response = await self.pages.welcome(request, person, local_path(kept["next"]))
        response.set_cookie(
            SIGNED_IN,
            "1",
            max_age=COOKIE_SECONDS,
            path="/logout",
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return response

    def _require_provider(self) -> None:
        if not self.own.is_set_up:
            raise NotFoundError(_("This server has no sign-in service. Sign in with your password."))
        require_packages()

    def _serializer(self) -> Any:
        from itsdangerous import URLSafeTimedSerializer

        key = signing_key.key_of(self.settings.home)
        return URLSafeTimedSerializer(key, salt="OpenID Connect", signer_kwargs={"digest_method": hashlib.sha256})

    def _sealed(self, kept: Mapping[str, str]) -> str:
        sealed: str = self._serializer().dumps(dict(kept))
        return sealed

    def _unsealed(self, sealed: str) -> dict[str, str] | None:
        """Return what a cookie of ours keeps, or None if it is missing, too old, or not ours."""
        from itsdangerous import BadData

        try:
            kept: dict[str, str] = self._serializer().loads(sealed, max_age=MINUTES * 60)
        except BadData:
            return None
        return kept


def _cookie(state: str) -> str:
    """Return the name of the cookie of a sign-in."""
    return COOKIE + hashlib.sha256(state.encode(errors="replace")).hexdigest()[:16]


def _refused(why: str, status: int) -> Response:
    body = plain_pages.paragraph(why, style="bad")
    page = plain_pages.page(_("Sign-in failed"), body, plain_pages.link("/login", _("Back to the sign-in page")))
    return HTMLResponse(page, status_code=status, headers={"Cache-Control": "no-store"})
