"""The provider: its discovery, the exchange of a code for an ID token, and the checks of the token.

All requests go through ``net``, which limits hosts, time and size. The package Authlib writes the requests and checks
claims; joserfc checks signatures.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard
from urllib.parse import urlencode, urlsplit

from domain.errors import NotAvailableError, ServiceError
from domain.installation import install_hint
from domain.language import _, marked
from extensions.oidc.settings import CLIENT_SECRET, ISSUER, OidcSettings
from net import httpx2_client
from net.addresses import AddressWords, ForbiddenAddress, Rules, place_of
from net.guard import Guard, NoAnswer, ReplyLimits, Traffic

SECONDS = 5.0
"""Seconds for one request and its whole reply. A sign-in sends up to three."""
LARGEST_REPLY = 2**20
"""Largest reply in bytes."""
LEEWAY_SECONDS = 120
"""How far the clocks of the provider and of this server may differ."""
KNOWN_FOR = 300.0
"""Seconds for which a process keeps the provider's addresses."""
SIGNED_BY = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Accepted signatures of ID tokens: those with a public key."""
WORDS = AddressWords("address of the OpenID Connect provider", key=f"put the secret into {CLIENT_SECRET}")

UNREACHABLE = marked(
    "The sign-in service {host} did not answer: {why}. Try again in a few minutes. If this happens again, tell the "
    "people who run this server."
)
UNREADABLE = marked(
    "Touchstone does not accept the answer of the sign-in service {host}: {why}. Tell the people who run this server."
)
CLOCKS = marked(
    "the time in the answer is not valid now. The clocks of the two servers differ, or the answer is old. Sign in again"
)


@dataclass(frozen=True)
class Endpoints:
    """The provider's addresses, from its discovery document."""

    issuer: str
    authorization: str
    token: str
    keys: str
    end_session: str | None
    sends_basic: bool
    """Whether the client's secret is sent in a header. Otherwise it is sent in the body."""


class Provider:
    """The provider of an installation."""

    def __init__(self, settings: OidcSettings, listed: tuple[str, ...]) -> None:
        """Set up the provider. ``listed`` are the hosts of private networks that may be reached."""
        self.settings, self._listed = settings, listed
        self.host = urlsplit(settings.oidc_issuer).hostname or ""
        self._known: tuple[float, Endpoints] | None = None

    async def endpoints(self) -> Endpoints:
        """Return the provider's addresses. Raise ``ServiceError`` if the provider does not tell them."""
        if self._known is not None and time.monotonic() - self._known[0] < KNOWN_FOR:
            return self._known[1]
        found = await self._json(f"{self.settings.oidc_issuer.rstrip('/')}/.well-known/openid-configuration")
        if str(found.get("issuer", "")).rstrip("/") != self.settings.oidc_issuer.rstrip("/"):
            raise self._unreadable(f"the issuer in the discovery document differs from {ISSUER}")
        addresses = {name: found.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
        if not all(map(_is_address, addresses.values())):
            raise self._unreadable("the discovery document lacks an address")
        ways = found.get("token_endpoint_auth_methods_supported")
        end = found.get("end_session_endpoint")
        endpoints = Endpoints(
            issuer=str(found["issuer"]),
            authorization=str(addresses["authorization_endpoint"]),
            token=str(addresses["token_endpoint"]),
            keys=str(addresses["jwks_uri"]),
            end_session=end if _is_address(end) else None,
            sends_basic=not isinstance(ways, list) or "client_secret_basic" in ways,
        )
        self._known = (time.monotonic(), endpoints)
        return endpoints

    async def authorization_url(self, *, redirect_uri: str, state: str, nonce: str, verifier: str) -> str:
        """Return the address to which the browser goes to sign in.

        Parameters
        ----------
        verifier
            The secret of PKCE, which the provider gets as its SHA-256.
        """
        endpoints = await self.endpoints()
        from authlib.oauth2.rfc7636 import create_s256_code_challenge

        query = {
            "response_type": "code",
            "client_id": self.settings.oidc_client_id,
            "redirect_uri": redirect_uri,
            "scope": self.settings.oidc_scopes,
            "state": state,
            "nonce": nonce,
            "code_challenge": create_s256_code_challenge(verifier),
            "code_challenge_method": "S256",
        }
        return f"{endpoints.authorization}{'&' if '?' in endpoints.authorization else '?'}{urlencode(query)}"

    async def claims(self, *, code: str, redirect_uri: str, nonce: str, verifier: str) -> dict[str, Any]:
        """Return the claims of the ID token that the provider gives for a code, after all checks of the token.

        Raises
        ------
        ServiceError
            The provider does not answer, refuses the code, or its token is not valid.
        """
        endpoints = await self.endpoints()
        token = await self._token(endpoints, code=code, redirect_uri=redirect_uri, verifier=verifier)
        text = token.get("id_token")
        if not isinstance(text, str):
            raise self._unreadable("it contains no ID token")
        keys: Any = await self._json(endpoints.keys)
        return self._checked(text, keys, endpoints, nonce=nonce, access_token=token.get("access_token"))

    def _checked(
        self, text: str, keys: Any, endpoints: Endpoints, *, nonce: str, access_token: object
    ) -> dict[str, Any]:
        """Return the claims of a token. Check signature, issuer, audience, times and nonce."""
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.errors import ClaimError, JoseError
        from joserfc.jwk import KeySet
        from joserfc.jws import JWSRegistry

        try:
            registry = JWSRegistry(algorithms=list(SIGNED_BY), strict_check_header=False)
            token = jwt.decode(text, key=KeySet.import_key_set(keys), registry=registry)
            options = {
                "iss": {"essential": True, "value": endpoints.issuer},
                "aud": {"essential": True, "value": self.settings.oidc_client_id},
                "sub": {"essential": True},
            }
            params = {"nonce": nonce, "client_id": self.settings.oidc_client_id}
            if isinstance(access_token, str):
                params["access_token"] = access_token
            CodeIDToken(token.claims, token.header, options, params).validate(leeway=LEEWAY_SECONDS)
        except ClaimError as error:
            if error.claim in ("exp", "iat", "nbf"):
                raise self._unreadable(_(CLOCKS), error) from error
            raise self._unreadable(f"the claim {error.claim} of the ID token is wrong", error) from error
        except (JoseError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise self._unreadable("the ID token or its signature is not valid", error) from error
        subject = token.claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= 255 or not subject.isprintable():
            raise self._unreadable("the claim sub of the ID token is wrong")
        return dict(token.claims)

    async def _token(self, endpoints: Endpoints, *, code: str, redirect_uri: str, verifier: str) -> Mapping[str, Any]:
        from authlib.integrations.httpx_client import AsyncOAuth2Client, OAuthError

        secret = self.settings.oidc_client_secret
        way = ("client_secret_basic" if endpoints.sends_basic else "client_secret_post") if secret else "none"
        transport = httpx2_client.transport(await self._guard(endpoints.token, secret=bool(secret)), _traffic())
        client = AsyncOAuth2Client(
            client_id=self.settings.oidc_client_id,
            client_secret=secret or None,
            token_endpoint_auth_method=way,
            redirect_uri=redirect_uri,
            transport=transport,
            timeout=SECONDS,
            trust_env=False,
            follow_redirects=False,
        )
        try:
            async with client:
                token = await client.fetch_token(
                    endpoints.token, grant_type="authorization_code", code=code, code_verifier=verifier
                )
        except OAuthError as error:
            why = "the sign-in was already used or has expired" if error.error == "invalid_grant" else str(error.error)
            raise self._unreadable(why[:100], error) from error
        except NoAnswer as error:
            raise self._unreachable(error) from error
        except (httpx2_client.error_type(), ValueError, TypeError, AttributeError) as error:
            raise self._unreadable("it is not an answer to a sign-in", error) from error
        if not isinstance(token, Mapping):
            raise self._unreadable("it is not an answer to a sign-in")
        return token

    async def _json(self, url: str) -> Mapping[str, Any]:
        guard = await self._guard(url)
        try:
            async with httpx2_client.client(guard, _traffic(), seconds=SECONDS) as client:
                reply = await client.get(url)
                found = reply.json() if reply.status_code == 200 else None
        except NoAnswer as error:
            raise self._unreachable(error) from error
        except ValueError as error:
            raise self._unreadable("it is not JSON", error) from error
        if found is None and reply.status_code != 200:
            raise self._unreadable(f"HTTP status {reply.status_code} at {urlsplit(url).path}")
        if not isinstance(found, Mapping):
            raise self._unreadable("it is not a JSON object")
        return found

    async def _guard(self, url: str, *, secret: bool = False) -> Guard:
        parts = urlsplit(url)
        try:
            place = place_of(f"{parts.scheme}://{parts.netloc}", WORDS)
            guard = await asyncio.to_thread(Guard, place, Rules(self._listed))
        except ForbiddenAddress as error:
            raise ServiceError(str(error)) from error
        if secret and guard.unencrypted:
            raise self._unreadable("Touchstone would send the client secret over http://. Use https://")
        return guard

    def _unreachable(self, error: NoAnswer) -> ServiceError:
        logging.getLogger(__name__).warning("The provider %s did not answer: %s", self.host, error)
        return ServiceError(_(UNREACHABLE).format(host=self.host, why=str(error) or "no connection"))

    def _unreadable(self, why: str, error: Exception | None = None) -> ServiceError:
        detail = f"{why} ({type(error).__name__})" if error is not None else why
        logging.getLogger(__name__).warning("The answer of the provider %s was refused: %s", self.host, detail)
        return ServiceError(_(UNREADABLE).format(host=self.host, why=why))


def _is_address(text: object) -> TypeGuard[str]:
    shape = re.compile(r"https?://[!-~]{1,2000}")
    return isinstance(text, str) and shape.fullmatch(text) is not None


def _traffic() -> Traffic:
    limits = ReplyLimits(LARGEST_REPLY, SECONDS)
    return Traffic(lambda method, path: limits, sent=("authorization",))


def require_packages() -> None:
    """Raise ``NotAvailableError`` with the command that installs the extra ``oidc`` if a package of it is missing."""
    try:
        import authlib  # noqa: F401
        import itsdangerous  # noqa: F401
    except ImportError as error:
        raise NotAvailableError(
            f"Sign-in with OpenID Connect needs the package {error.name}, which is not installed. "
            f"{install_hint('oidc')}"
        ) from error
