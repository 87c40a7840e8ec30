"""Sign-in through an OpenID Connect provider, with roles from its claims.

``settings`` names the provider, and ``role_mapping`` reads the roles of claims. ``provider`` sends requests to the
provider and checks its tokens. ``accounts`` finds the account of an identity, makes accounts, and stores roles;
``queries`` has the SQL of identities. ``oidc_routes`` is the way from the sign-in page to the provider and back, and
``sign_in_way`` the button.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.oidc.commands import identity

    return (identity,)


def _routes() -> Sequence[Any]:
    from extensions.oidc import oidc_routes

    return (oidc_routes,)


def _sign_in_ways() -> Sequence[Any]:
    from extensions.oidc.sign_in_way import WAY

    return (WAY,)


def _settings() -> Sequence[Any]:
    from extensions.oidc.settings import OidcSettings

    return (OidcSettings,)


EXTENSION = Extension(
    name="oidc",
    title="Sign-in with OpenID Connect",
    commands=_commands,
    routes=_routes,
    sign_in_ways=_sign_in_ways,
    settings=_settings,
)
