"""The operator's provider, from environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from domain.errors import SettingsError
from domain.settings import Settings
from extensions.oidc.role_mapping import RoleMapping, mapping_of

ISSUER = "TOUCHSTONE_OIDC_ISSUER"
CLIENT_ID = "TOUCHSTONE_OIDC_CLIENT_ID"
CLIENT_SECRET = "TOUCHSTONE_OIDC_CLIENT_SECRET"
SCOPES = "TOUCHSTONE_OIDC_SCOPES"
CLAIM = "TOUCHSTONE_OIDC_CLAIM"
ROLES = "TOUCHSTONE_OIDC_ROLES"
LABEL = "TOUCHSTONE_OIDC_LABEL"
ACCOUNTS = "TOUCHSTONE_OIDC_ACCOUNTS"
PASSWORDS = "TOUCHSTONE_OIDC_PASSWORDS"
NAMES = (ISSUER, CLIENT_ID, CLIENT_SECRET, SCOPES, CLAIM, ROLES, LABEL, ACCOUNTS, PASSWORDS)


class NewAccounts(StrEnum):
    """Who gets an account at the first sign-in."""

    INVITED = "invited"
    MAPPED = "mapped"
    ALL = "all"


@dataclass(frozen=True)
class OidcSettings:
    """The provider as the operator names it."""

    oidc_issuer: str = ""
    """The issuer URL of an OpenID Connect provider, such as `https://sso.example.org/realms/lab`. Without it, people
    sign in with passwords only.
    """
    oidc_client_id: str = ""
    """The client ID that the provider knows this server by."""
    oidc_client_secret: str = field(default="", repr=False)
    """The client's secret. Without it, Touchstone is a public client with PKCE."""
    oidc_scopes: str = "openid profile email"
    """The scopes to request, separated by spaces."""
    oidc_claim: str = "groups"
    """The claim of the ID token that names a person's groups or roles, such as `groups` or `realm_access.roles`."""
    oidc_roles: str = ""
    """The roles for values of the claim, separated by semicolons: `VALUE=admin`, `VALUE=member` (an account only) or
    `VALUE=PROJECT:ROLE`.
    """
    oidc_label: str = ""
    """The text of the button on the sign-in page. Default: `Single sign-on`."""
    oidc_accounts: str = NewAccounts.INVITED.value
    """Who gets an account at the first sign-in: `invited` (people with an invitation link), `mapped` (also everyone
    with a value of `TOUCHSTONE_OIDC_ROLES`) or `all` (everyone with an account at the provider).
    """
    oidc_passwords: str = "on"
    """`off` turns off all passwords. Sign-in links from `touchstone person link` still work."""

    @classmethod
    def read(cls, env: Mapping[str, str], folder: Path) -> OidcSettings:
        """Return the settings of an environment. Raise ``SettingsError`` now, not at the first sign-in."""
        given = {name.removeprefix("TOUCHSTONE_").lower(): env.get(name, "").strip() for name in NAMES}
        settings = cls(**{name: value for name, value in given.items() if value})
        settings.check()
        return settings

    def check(self) -> None:
        """Raise ``SettingsError`` for values that are not valid together."""
        if not self.oidc_issuer:
            if self != OidcSettings():
                raise SettingsError(f"{ISSUER} is missing. Set it to the provider's issuer URL.")
            return
        if not self.oidc_issuer.startswith(("https://", "http://")):
            raise SettingsError(
                f"{ISSUER} is {self.oidc_issuer!r}. Set it to a URL such as https://sso.example.org/realms/lab."
            )
        if not self.oidc_client_id:
            raise SettingsError(f"{CLIENT_ID} is missing. Set it to the client ID that the provider gave you.")
        if "openid" not in self.oidc_scopes.split():
            raise SettingsError(f"{SCOPES} is {self.oidc_scopes!r}. Add the scope openid.")
        if self.oidc_accounts not in list(NewAccounts):
            raise SettingsError(f"{ACCOUNTS} is {self.oidc_accounts!r}. Use {', '.join(NewAccounts)}.")
        if self.oidc_passwords not in ("on", "off"):
            raise SettingsError(f"{PASSWORDS} is {self.oidc_passwords!r}. Use on or off.")
        mapping_of(self.oidc_roles, ROLES)

    @property
    def is_set_up(self) -> bool:
        """Whether the operator has named a provider."""
        return bool(self.oidc_issuer)

    @property
    def mapping(self) -> RoleMapping:
        """The roles for values of the claim."""
        return mapping_of(self.oidc_roles, ROLES)


def provider_settings(settings: Settings) -> OidcSettings:
    """Return the provider of an installation. Raise ``SettingsError`` if none is set up."""
    own = settings.of(OidcSettings)
    if not own.is_set_up:
        raise SettingsError(f"This server has no OpenID Connect provider. Set {ISSUER} and {CLIENT_ID}.")
    return own
