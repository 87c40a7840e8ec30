"""Ways to sign in that extensions add to the sign-in page: the register, and its questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.requests import Request

from app.services import Resources
from domain import extensions
from domain.settings import Settings


@dataclass(frozen=True)
class SignInWay:
    """A way to sign in other than a password."""

    path: str
    """The address that begins the sign-in by GET. Its parameters are ``next``, the page that opens after the sign-in,
    and ``invitation``, the token of an invitation that a new account uses up."""
    label: Callable[[Settings], str | None]
    """Returns the words of the button. None: the operator has not set up this way."""
    replaces_passwords: Callable[[Settings], bool]
    """Tells whether nobody can sign in with a password."""
    sign_out: Callable[[Resources, Request], str | None]
    """Returns the address at which the browser also ends the session of another server. It may take seconds."""


@dataclass(frozen=True)
class Button:
    """A link of the sign-in page that begins a sign-in."""

    href: str
    label: str


def ways(settings: Settings) -> Sequence[SignInWay]:
    """Return the ways that the operator has set up."""
    return [way for way in extensions.rows("sign_in_ways") if way.label(settings) is not None]


def buttons(settings: Settings, *, onward: str = "/", invitation: str = "") -> list[Button]:
    """Return the links for a page that opens ``onward`` after the sign-in, or for an invitation."""
    asked = {"invitation": invitation} if invitation else {} if onward == "/" else {"next": onward}
    query = f"?{urlencode(asked)}" if asked else ""
    return [Button(way.path + query, way.label(settings) or "") for way in ways(settings)]


def has_passwords(settings: Settings) -> bool:
    """Tell whether people can sign in with a password."""
    return not any(way.replaces_passwords(settings) for way in ways(settings))


def sign_out_address(resources: Resources, request: Request) -> str | None:
    """Return the address of another server at which the browser also has to sign out, or None."""
    return next((address for way in ways(resources.settings) if (address := way.sign_out(resources, request))), None)
