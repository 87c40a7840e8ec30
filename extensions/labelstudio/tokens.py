"""Tokens for Label Studio: where they come from, their kinds, and the server that each may go to.

A lead may name any address, so the operator of this machine ties each token to its server. In the file, a line has
both. In the keyring, the entry's user name is the address. For the environment's token, ``TOUCHSTONE_LABEL_STUDIO_URL``
is the address. Touchstone never stores a token.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import json
import re
import time
from pathlib import Path
from urllib.parse import urlsplit

from domain.errors import ServiceError
from extensions.labelstudio.settings import (
    LABEL_STUDIO_TOKEN,
    LABEL_STUDIO_TOKEN_FILE,
    LABEL_STUDIO_URL,
    LabelStudioSettings,
)
from net.addresses import AddressWords, ForbiddenAddress, ServerAddress, place_of

KEYRING = "touchstone-label-studio"
"""The service name in the system's keyring. The user name is the server's address."""
SHORTEST_HIDDEN = 8
"""Shortest text that is hidden as a token. Hiding shorter texts would hide words."""
ADDRESS = AddressWords("address of Label Studio", key=f"put the token into {LABEL_STUDIO_TOKEN}, not into the address")

_JWT = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)+")
_WHERE = "in Label Studio under Account & Settings"


def place(address: str) -> ServerAddress:
    """Return the parts of a server's address.

    Raises
    ------
    ServiceError
        The text is not a server's address, or has parts that do not belong there.
    """
    try:
        return place_of(address.strip(), ADDRESS)
    except ForbiddenAddress as error:
        raise ServiceError(str(error)) from None


def normal(address: str) -> str:
    """Return the canonical form of a server's address.

    >>> normal("HTTP://Labels.Example.org:80/studio/")
    'http://labels.example.org/studio'
    """
    location = place(address)
    host = f"[{location.host}]" if ":" in location.host else location.host
    port = "" if location.port == (443 if location.scheme == "https" else 80) else f":{location.port}"
    return f"{location.scheme}://{host}{port}{urlsplit(location.url).path.rstrip('/')}"


class Token:
    """A token that never shows its value.

    Raises
    ------
    ServiceError
        The value is not a token, or the token has expired or lasts only minutes.
    """

    def __init__(self, value: str, *, whence: str) -> None:
        self._value, self.whence = value, whence
        if not value.isascii() or not value.isprintable() or " " in value or len(value) < SHORTEST_HIDDEN:
            raise ServiceError(f"{whence} does not contain a Label Studio token. Copy a token {_WHERE}.")
        self.personal = _JWT.fullmatch(value) is not None
        if self.personal:
            self._check(value.split("."))

    def _check(self, parts: list[str]) -> None:
        if len(parts) == 2:
            raise ServiceError(
                f"The token in {self.whence} is incomplete. Label Studio shows a personal access token in full only "
                f"once, after its creation. Create a new token {_WHERE}."
            )
        try:
            claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
            kind, ends = claims["token_type"], float(claims["exp"])
        except (binascii.Error, ValueError, TypeError, KeyError):
            raise ServiceError(
                f"The token in {self.whence} must be a personal access token or a legacy token. Copy a token {_WHERE}."
            ) from None
        if kind != "refresh":
            raise ServiceError(
                f"The token in {self.whence} is a short-lived access token. Use a personal access token instead. "
                f"You can create a new token {_WHERE}."
            )
        if ends < time.time():
            raise ServiceError(f"The personal access token in {self.whence} has expired. Create a new token {_WHERE}.")

    def __repr__(self) -> str:
        return f"Token({'personal' if self.personal else 'legacy'}, {self.whence})"

    def value(self) -> str:
        """Return the value, for the request."""
        return self._value

    def hidden(self, text: str) -> str:
        """Return a text without this token, and without any other long token, in case a server repeats one."""
        return re.sub(r"eyJ[\w-]*\.[\w-]+(\.[\w-]*)?", "[token]", text.replace(self._value, "[token]"))


def token_for(address: str, settings: LabelStudioSettings) -> Token:
    """Return the token for a server: from the file, the environment, or the system's keyring, in this order.

    Raises
    ------
    ServiceError
        There is no token, or the value is not one.
    """
    wanted = normal(address)
    value = _in_file(wanted, settings.label_studio_token_file) if settings.label_studio_token_file else None
    if value:
        return Token(value, whence=LABEL_STUDIO_TOKEN_FILE)
    tied = ""
    if settings.label_studio_token:
        meant = normal(settings.label_studio_url) if settings.label_studio_url else None
        if wanted == meant or (meant is None and _on_this_machine(wanted)):
            return Token(settings.label_studio_token, whence=LABEL_STUDIO_TOKEN)
        tied = f" The token in {LABEL_STUDIO_TOKEN} is only for {meant or 'a server on this machine'}."
    value = _in_keyring(wanted)
    if value:
        return Token(value, whence="the keyring")
    first = f"{LABEL_STUDIO_URL}={wanted} and " if not _on_this_machine(wanted) else ""
    raise ServiceError(
        f"There is no token for {wanted}.{tied} Create a personal access token {_WHERE}. Then set {first}"
        f"{LABEL_STUDIO_TOKEN} on Touchstone's server. For several Label Studio servers, name a file of tokens in "
        f"{LABEL_STUDIO_TOKEN_FILE}."
    )


def _on_this_machine(address: str) -> bool:
    host = place(address).host
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _in_file(wanted: str, path: Path) -> str | None:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "the file is not text"
        raise ServiceError(
            f"Touchstone cannot read {path}, the file that {LABEL_STUDIO_TOKEN_FILE} names: {why}. Correct the "
            "path or the file."
        ) from None
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2:
            raise ServiceError(
                f"Line {number} of {path} must contain an address and a token, separated by a space. Correct the line."
            )
        if normal(words[0]) == wanted:
            return words[1]
    return None


def _in_keyring(wanted: str) -> str | None:
    """Return the password in the system's keyring. None without the package `keyring`, or without an entry."""
    try:
        import keyring
    except ImportError:
        return None
    try:
        password = keyring.get_password(KEYRING, wanted)
    except Exception:  # a missing, locked or unreachable keyring
        return None
    return password if isinstance(password, str) else None
