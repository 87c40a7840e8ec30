"""The button on the sign-in page, and the sign-out at the provider."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from starlette.requests import Request

from app.routes.sign_in_ways import SignInWay
from app.services import Resources
from domain.errors import TouchstoneError
from domain.language import _, marked
from domain.settings import Settings
from extensions.oidc.provider import Provider
from extensions.oidc.settings import OidcSettings

LABEL = marked("Single sign-on")
SIGNED_IN = "touchstone_oidc_session"
"""The cookie of a browser whose session began at the provider. Only the sign-out page gets it."""


def _label(settings: Settings) -> str | None:
    own = settings.of(OidcSettings)
    return (own.oidc_label or _(LABEL)) if own.is_set_up else None


def _replaces_passwords(settings: Settings) -> bool:
    return settings.of(OidcSettings).oidc_passwords == "off"


def base_address(settings: Settings, request: Request) -> str:
    """Return the address of this server as the browser knows it, without a final slash."""
    return settings.public_url or str(request.base_url).rstrip("/")


def _sign_out(resources: Resources, request: Request) -> str | None:
    """Return the provider's address for the sign-out, if the session began there and the provider has the address."""
    if SIGNED_IN not in request.cookies:
        return None
    settings = resources.settings
    own = settings.of(OidcSettings)
    try:
        end = asyncio.run(Provider(own, settings.endpoints).endpoints()).end_session
    except TouchstoneError:  # logged there; the session here has ended in any case
        return None
    query = {
        "client_id": own.oidc_client_id,
        "post_logout_redirect_uri": f"{base_address(settings, request)}/login",
    }
    return f"{end}{'&' if '?' in end else '?'}{urlencode(query)}" if end else None


WAY = SignInWay("/oidc/start", _label, _replaces_passwords, _sign_out)
