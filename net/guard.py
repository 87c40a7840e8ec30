"""The limits on every request that leaves this machine, whichever package sends it.

The address is looked up and checked before the connection, and the connection uses the checked address. Redirects are
not followed, proxies of the environment are not used, and compressed replies are refused. A reply is limited in bytes
and in seconds, including its headers and the handshake.
"""

from __future__ import annotations

import os
import re
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from net.addresses import Resolve, Rules, ServerAddress

LOOKED_UP_FOR = 60.0
"""The seconds for which the addresses of a name are cached."""
CONNECT_SECONDS = 20.0
"""The maximum seconds for one attempt to connect."""
KEPT_SECONDS = 5.0
"""The seconds for which an idle connection stays open."""


class NoAnswer(Exception):
    """A request without a usable reply. The text is the end of a sentence."""


class NoConnection(NoAnswer):
    """No connection was made, so no part of the request has arrived. The text is the system's message, if any."""


class BrokenOff(NoAnswer):
    """The connection ended before the reply was complete."""


class TooSlow(NoAnswer):
    """The reply was not complete in time."""


class NotReadable(NoAnswer):
    """The reply is not read to its end."""


class Redirect(NoAnswer):
    """The server redirects to another address, which is never followed."""

    def __init__(self, status: int) -> None:
        super().__init__("the server redirects to another address, but Touchstone does not follow redirects")
        self.status = status


@dataclass(frozen=True)
class ReplyLimits:
    """The limits on a reply."""

    largest: int
    """The maximum bytes of its body."""
    seconds: float | None = None
    """The seconds for the request and the whole reply. None: the request's own limit for a single read."""


@dataclass(frozen=True)
class Traffic:
    """The allowed content of requests to one server and of their replies."""

    bounds: Callable[[str, str], ReplyLimits]
    """The limits by method and path."""
    sent: tuple[str, ...] = ()
    """Names of headers that may be sent in addition to those that a body needs."""
    authorization: Callable[[], str] | None = None
    """A function for the header's value. It runs when a request is sent, so that no earlier code holds the key."""
    headers: Callable[[], Mapping[str, str]] | None = None
    """A function for further headers, by name in lower case. It runs when a request is sent."""
    hidden: Callable[[str], str] | None = None
    """A function that removes secrets from a reply's headers."""


class Guard:
    """One server that may receive requests, with its addresses.

    Raises
    ------
    AddressRefused
        Its name is not known, or one of its addresses is not allowed.
    """

    def __init__(self, place: ServerAddress, rules: Rules, resolve: Resolve | None = None) -> None:
        self.place, self._rules, self._resolve = place, rules, resolve
        self.addresses = rules.look_up(place, resolve)
        """The addresses for connections. The first that answers is used."""
        self._found_at = time.monotonic()

    @property
    def unencrypted(self) -> bool:
        """Whether a key would be sent over a public network without encryption."""
        return self._rules.unencrypted(self.place, self.addresses)

    @property
    def stale(self) -> bool:
        """Whether the addresses have to be looked up again, which may take some time."""
        return not self.place.is_address and time.monotonic() - self._found_at > LOOKED_UP_FOR

    def look_up(self) -> None:
        """Look up the addresses again. Raise ``ForbiddenAddress`` if one is not allowed."""
        self.addresses, self._found_at = self._rules.look_up(self.place, self._resolve), time.monotonic()


class Passage:
    """One request and its reply, with the limits on them.

    Raises
    ------
    NotReadable
        The request is for another server.
    """

    def __init__(
        self,
        guard: Guard,
        traffic: Traffic,
        *,
        method: str,
        server: tuple[str, str, int | None],
        path: str,
        reading: float | None,
    ) -> None:
        scheme, host, port = server
        place = guard.place
        asked = (scheme, host.lower().strip("[]").removesuffix("."), port or (443 if scheme == "https" else 80))
        if asked != (place.scheme, place.host, place.port):
            raise NotReadable("the request would go to another server")
        self._host = place.host
        self._traffic = traffic
        self._bounds = traffic.bounds(method, path)
        self._size = 0
        self._reading = reading
        self._seconds = reading if self._bounds.seconds is None else self._bounds.seconds
        self._end = None if self._seconds is None else time.monotonic() + self._seconds

    @property
    def extensions(self) -> dict[str, str]:
        """The options of the connection: a certificate belongs to the name, not to the address."""
        return {"sni_hostname": self._host}

    def seconds_left(self, limit: float | None = None) -> float | None:
        """Return the seconds that the next step may take, at most ``limit``. Raise ``TooSlow`` if no time is left."""
        if self._end is None:
            return limit
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.too_slow()
        return left if limit is None else min(left, limit)

    def too_slow(self) -> TooSlow:
        """Return the error for a reply that takes too long."""
        if self._seconds is None or (self._end is not None and self._end - time.monotonic() > 0.1):
            return TooSlow(f"no data arrived for {self._reading:g} seconds")
        return TooSlow(f"no complete reply arrived within {self._seconds:g} seconds")

    def headers(self, wanted: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return the headers to send, out of those that a package would send."""
        kept = {"accept": "application/json"}
        passed = ("host", "content-type", "content-length", "transfer-encoding", *self._traffic.sent)
        kept |= {name: wanted[name] for name in passed if name in wanted}
        kept |= {"accept-encoding": "identity", "user-agent": "touchstone"}
        if self._traffic.headers is not None:
            kept = {**self._traffic.headers(), **kept}
        if self._traffic.authorization is not None:
            kept["authorization"] = self._traffic.authorization()
        return list(kept.items())

    def begun(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """Return the headers of a reply whose body may be read, without secrets.

        Raises
        ------
        Redirected
            The server redirects to another address.
        NotReadable
            The reply is too large or compressed.
        """
        hidden = self._traffic.hidden
        shown = list(headers)
        if hidden is not None:
            shown = [(name, hidden(value.decode("latin-1")).encode("latin-1", "replace")) for name, value in shown]
        if 300 <= status < 400:
            raise Redirect(status)
        named = {name.decode("latin-1").lower(): value.decode("latin-1").strip() for name, value in shown}
        if named.get("content-encoding", "identity").lower() not in ("", "identity"):
            raise NotReadable("the reply is compressed, although the request asked for an uncompressed reply")
        length = named.get("content-length", "")
        if length.isdecimal() and int(length) > self._bounds.largest:
            raise self._large()
        return shown

    def counted(self, piece: bytes) -> bytes:
        """Return a piece of the reply's body. Raise ``NotReadable`` if the body is too large, or ``TooSlow``."""
        self._size += len(piece)
        if self._size > self._bounds.largest:
            raise self._large()
        self.seconds_left()
        return piece

    def _large(self) -> NotReadable:
        return NotReadable(f"the reply is larger than {self._bounds.largest / 2**20:g} MiB")


_MEANT: Mapping[str, type[NoAnswer]] = {
    "ConnectError": NoConnection,
    "ConnectTimeout": NoConnection,
    "PoolTimeout": NoConnection,
    "TimeoutException": TooSlow,
    "NetworkError": BrokenOff,
    "ProtocolError": NotReadable,
}
"""Our errors by the names of the exceptions of httpcore and httpcore2, which are the same in both."""
_SAID: Mapping[type[NoAnswer], str] = {
    BrokenOff: "the connection ended before the reply was complete",
    NotReadable: "the reply is not valid HTTP, or the headers of the reply are too large",
}


def translate_error(error: Exception, passage: Passage) -> Exception:
    """Return our error for an exception during a request, or the exception itself if it has another cause."""
    reason = str(error).strip().rstrip(".")
    for kind in type(error).__mro__:
        if kind.__module__.partition(".")[0] in ("httpcore", "httpcore2") and kind.__name__ in _MEANT:
            made = _MEANT[kind.__name__]
            if made is NotReadable and re.search("disconnected|closed connection", reason):
                made = BrokenOff
            return passage.too_slow() if made is TooSlow else made(_SAID.get(made, reason))
    return error


def tls(place: ServerAddress) -> ssl.SSLContext:
    """Return the context with the trusted certificates.

    They are the machine's authorities, or those that ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` name. If the machine has
    none, they are those of the package certifi.
    """
    if place.scheme != "https":  # reading certificates takes time, and none is checked
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    paths = ssl.get_default_verify_paths()
    if paths.cafile or (paths.capath and os.listdir(paths.capath)):
        return ssl.create_default_context()
    import certifi

    return ssl.create_default_context(cafile=certifi.where())
