"""What every request that leaves this machine is held to, whichever package sends it.

The address is looked up and checked before the connection, and the connection goes to what was checked. No redirect is
followed, no proxy of the environment is used, nothing compressed is unpacked, and a reply ends after so many bytes and
so many seconds, its headers and the handshake included.
"""

from __future__ import annotations

import os
import re
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from net.addresses import Place, Resolve, Rules

LOOKED_UP_FOR = 60.0
"""Seconds for which the addresses of a name are remembered."""
CONNECT_SECONDS = 20.0
"""For one attempt to connect, at most."""
KEPT_SECONDS = 5.0
"""For which a connection that is not needed stays open."""


class NotAnswered(Exception):
    """A request without a reply that can be used; the text is the end of a sentence."""


class NotConnected(NotAnswered):
    """No connection: nothing of the request has arrived. The text is what the system says of it, if anything."""


class BrokenOff(NotAnswered):
    """The connection ended before the whole reply was here."""


class TooSlow(NotAnswered):
    """The whole reply was not here in time."""


class NotReadable(NotAnswered):
    """The reply is not read to its end."""


class Redirected(NotAnswered):
    """The server sends on to another address, which is never followed."""

    def __init__(self, status: int) -> None:
        super().__init__("the server sends on to another address, which is not followed")
        self.status = status


@dataclass(frozen=True)
class Bounds:
    """How much of a reply is waited for."""

    largest: int
    """Bytes of its body."""
    seconds: float | None = None
    """For the request and the whole reply; None: as long as the request lets a single reading take."""


@dataclass(frozen=True)
class Traffic:
    """What goes out with requests to one server, and what may come back."""

    bounds: Callable[[str, str], Bounds]
    """By method and path."""
    sent: tuple[str, ...] = ()
    """Names of headers that may go out besides those that a body needs."""
    authorization: Callable[[], str] | None = None
    """The header's value, added where a request leaves, so that nothing before it holds the key."""
    headers: Callable[[], Mapping[str, str]] | None = None
    """Further headers by name in lower case, added in the same way."""
    hidden: Callable[[str], str] | None = None
    """Strikes out of a reply's headers what must not be repeated."""


class Guard:
    """One server that may be asked, and the addresses at which.

    Raises
    ------
    AddressRefused
        Its name is not known, or one of its addresses may not be asked.
    """

    def __init__(self, place: Place, rules: Rules, resolve: Resolve | None = None) -> None:
        self.place, self._rules, self._resolve = place, rules, resolve
        self.addresses = rules.look_up(place, resolve)
        """To which connections go, the first that answers."""
        self._found_at = time.monotonic()

    @property
    def unencrypted(self) -> bool:
        """Whether a key would go over a public network for everyone to read."""
        return self._rules.unencrypted(self.place, self.addresses)

    @property
    def stale(self) -> bool:
        """Whether the addresses are to be looked up again, which may take a while."""
        return not self.place.is_address and time.monotonic() - self._found_at > LOOKED_UP_FOR

    def look_up(self) -> None:
        """Look the addresses up again. Raises ``AddressRefused``."""
        self.addresses, self._found_at = self._rules.look_up(self.place, self._resolve), time.monotonic()


class Passage:
    """One request and its reply, held to what is allowed.

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
        """For the connection: a certificate is for the name, not for the address."""
        return {"sni_hostname": self._host}

    def seconds_left(self, limit: float | None = None) -> float | None:
        """Seconds that the next step may take, at most ``limit``. Raises ``TooSlow``."""
        if self._end is None:
            return limit
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.too_slow()
        return left if limit is None else min(left, limit)

    def too_slow(self) -> TooSlow:
        """What it means that nothing more is waited for."""
        if self._seconds is None or (self._end is not None and self._end - time.monotonic() > 0.1):
            return TooSlow(f"nothing came for {self._reading:g} seconds")
        return TooSlow(f"no whole reply came within {self._seconds:g} seconds")

    def headers(self, wanted: Mapping[str, str]) -> list[tuple[str, str]]:
        """The headers that go out, of those that a package would send."""
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
        """The headers of a reply that may be read on, without what is to be hidden.

        Raises
        ------
        Redirected
            It sends on to somewhere else.
        NotReadable
            It is too large or compressed.
        """
        hidden = self._traffic.hidden
        told = list(headers)
        if hidden is not None:
            told = [(name, hidden(value.decode("latin-1")).encode("latin-1", "replace")) for name, value in told]
        if 300 <= status < 400:
            raise Redirected(status)
        named = {name.decode("latin-1").lower(): value.decode("latin-1").strip() for name, value in told}
        if named.get("content-encoding", "identity").lower() not in ("", "identity"):
            raise NotReadable("the reply is compressed, although it was asked not to be")
        length = named.get("content-length", "")
        if length.isdecimal() and int(length) > self._bounds.largest:
            raise self._large()
        return told

    def counted(self, piece: bytes) -> bytes:
        """A piece of the reply's body. Raises ``NotReadable`` where there have been too many, ``TooSlow``."""
        self._size += len(piece)
        if self._size > self._bounds.largest:
            raise self._large()
        self.seconds_left()
        return piece

    def _large(self) -> NotReadable:
        return NotReadable(f"the reply is larger than {self._bounds.largest / 2**20:g} MiB")


_MEANT: Mapping[str, type[NotAnswered]] = {
    "ConnectError": NotConnected,
    "ConnectTimeout": NotConnected,
    "PoolTimeout": NotConnected,
    "TimeoutException": TooSlow,
    "NetworkError": BrokenOff,
    "ProtocolError": NotReadable,
}
"""What the exceptions of httpcore and httpcore2 come to, by their names, which are the same in both."""
_SAID: Mapping[type[NotAnswered], str] = {
    BrokenOff: "the connection ended before the whole reply was here",
    NotReadable: "the reply is not written as HTTP has it, or its headers are too large",
}


def meant(error: Exception, passage: Passage) -> Exception:
    """What an exception while asking means; the exception itself if it is none of a connection."""
    said = str(error).strip().rstrip(".")
    for kind in type(error).__mro__:
        if kind.__module__.partition(".")[0] in ("httpcore", "httpcore2") and kind.__name__ in _MEANT:
            made = _MEANT[kind.__name__]
            if made is NotReadable and re.search("disconnected|closed connection", said):
                made = BrokenOff
            return passage.too_slow() if made is TooSlow else made(_SAID.get(made, said))
    return error


def tls(place: Place) -> ssl.SSLContext:
    """Whose certificates are trusted: this machine's authorities, or those that ``SSL_CERT_FILE`` and ``SSL_CERT_DIR``
    name; where the machine has none, those that the package certifi brings."""
    if place.scheme != "https":  # reading them takes a while, and none is looked at
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    paths = ssl.get_default_verify_paths()
    if paths.cafile or (paths.capath and os.listdir(paths.capath)):
        return ssl.create_default_context()
    import certifi

    return ssl.create_default_context(cafile=certifi.where())
