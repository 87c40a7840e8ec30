"""The servers that may receive requests.

A lead enters the address of a server, and the request is sent from the machine that runs Touchstone. It must not reach
servers that only this machine can reach. So the machine's own addresses and public ones are allowed, and any other only
if the operator has listed it. The check covers the addresses behind a name, and the connection uses a checked address.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from domain.errors import TouchstoneError
from domain.settings import ENDPOINTS

IP = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve = Callable[[str, int], Iterable[str]]

METADATA = tuple(
    ipaddress.ip_address(text)
    for text in ("169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254")
)
"""Addresses at which clouds give a machine its own secrets."""

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_NAT64_LOCAL = ipaddress.IPv6Network("64:ff9b:1::/48")
_COMPATIBLE = ipaddress.IPv6Network("::/96")
_TRANSLATED = ipaddress.IPv6Network("::ffff:0:0:0/96")
_ISATAP = (0x00005EFE, 0x02005EFE)
"""The upper half of an interface identifier that wraps an IPv4 address in the lower half, behind any prefix."""
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")


class ForbiddenAddress(TouchstoneError):
    """The address is not allowed, or is not an address."""


class UnknownHost(ForbiddenAddress):
    """The name has no known address now. The cause may be the network or the name."""


@dataclass(frozen=True)
class AddressWords:
    """The words for an address in messages."""

    what: str
    """The users' word for the address."""
    key: str
    """The advice about a key in the address."""
    path: str = "the path"
    """The words for the end of the address."""


@dataclass(frozen=True)
class ServerAddress:
    """The address of a server, parsed."""

    scheme: str
    host: str
    """The host in lower case, without brackets and without a final dot."""
    port: int
    url: str
    """The entered address, without a final slash."""
    called: AddressWords

    @property
    def is_address(self) -> bool:
        """Whether the host is an IP address, so that there is no name to look up."""
        return _address(self.host) is not None


def place_of(address: str, called: AddressWords) -> ServerAddress:
    """Parse the address of a server.

    >>> place_of("http://127.0.0.1:8000/v1/", AddressWords("base URL", key="leave it out")).port
    8000

    Raises
    ------
    AddressRefused
        Programs read the address differently, or it is not the address of a server.
    """

    def refused(why: str) -> ForbiddenAddress:
        return ForbiddenAddress(f"Touchstone cannot use the {called.what} {_shown(address)}: {why}.")

    if not address.isascii() or re.search(r"[\x00-\x20\x7f\\]", address):
        raise refused(
            "the address has spaces or characters that are not allowed in a URL; write an international name as xn--..."
        )
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise refused("the host or the port is not valid in a URL; correct the address") from None
    if parts.scheme not in ("http", "https"):
        raise refused("the address must begin with http:// or https://")
    if "@" in parts.netloc:
        raise refused(f"the address contains a user name or a password; {called.key}")
    if "?" in address or "#" in address:
        raise refused(f"the address contains ? or #; the address must end with {called.path}")
    host = (parts.hostname or "").lower()
    if port == 0 or parts.netloc.endswith(":"):
        raise refused("the port must be a number from 1 to 65535")
    if "[" in parts.netloc:
        if "%" in host or _address(host) is None:
            raise refused("the text between [ and ] is not an IPv6 address; correct the address")
    else:
        host = host.removesuffix(".")
        labels = host.split(".")
        if _NUMBER.fullmatch(labels[-1]):
            if _address(host) is None:
                raise refused("the IP address must be four decimal numbers with dots, such as 127.0.0.1")
        elif not all(_LABEL.fullmatch(label) for label in labels) or len(host) > 253:
            raise refused("the host name is not valid; correct the host name")
    return ServerAddress(
        parts.scheme, host, port or (443 if parts.scheme == "https" else 80), address.rstrip("/"), called
    )


class Rules:
    """The operator's rules for allowed servers.

    Raises
    ------
    AddressRefused
        An entry of the list is neither a name nor an address nor a range.
    """

    def __init__(self, listed: Sequence[str] = ()) -> None:
        self._names: set[str] = set()
        self._networks: list[Network] = []
        for entry in listed:
            text = entry.strip().lower().removesuffix(".")
            try:
                self._networks.append(ipaddress.ip_network(text.strip("[]")))
                continue
            except ValueError:
                labels = text.split(".")
            if _NUMBER.fullmatch(labels[-1]) or not all(_LABEL.fullmatch(label) for label in labels):
                raise ForbiddenAddress(
                    f"{ENDPOINTS} lists {_shown(entry)}. List only names (vllm.lab), addresses (10.0.0.7) and ranges "
                    "(10.0.0.0/24), without ports or http://."
                )
            self._names.add(text)

    def why_not(self, host: str, address: str) -> str:
        """Return why this address is not allowed under this name, as the end of a sentence. Empty: it is allowed.

        >>> Rules().why_not("example.org", "10.0.0.7")
        'it is a private network address'
        >>> Rules(["10.0.0.0/8"]).why_not("example.org", "10.0.0.7")
        ''
        """
        ip = _address(address)
        if ip is None:
            return "Touchstone cannot read the address"
        meant = _meant(ip)
        if host in self._names or any(known in network for network in self._networks for known in {ip, meant}):
            return ""
        if meant in METADATA:
            return "cloud providers store the secrets of their machines at this address"
        if meant.is_loopback:
            plain = ip.is_loopback or (isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None)
            return "" if plain else ("the address embeds this machine's own address, but leads to another machine")
        if meant.is_unspecified:
            return "it is not the address of a machine"
        if meant.is_multicast:
            return "it is a multicast address"
        if meant.is_link_local:
            return "it is a link-local address"
        if not meant.is_global or (isinstance(meant, ipaddress.IPv6Address) and (meant.teredo or meant.is_site_local)):
            return "it is a private network address"
        return ""

    def unencrypted(self, place: ServerAddress, addresses: Iterable[str]) -> bool:
        """Tell whether a key would be sent over a public network without encryption."""
        if place.scheme == "https" or place.host in self._names:
            return False
        reached = [_meant(ip) for ip in map(_address, addresses) if ip is not None]
        return any(ip.is_global and not any(ip in network for network in self._networks) for ip in reached)

    def checked(self, place: ServerAddress, found: Iterable[str]) -> tuple[str, ...]:
        """Return the addresses of a name, if all of them are allowed.

        Raises
        ------
        AddressRefused
            One of them is not allowed.
        """
        addresses = tuple(dict.fromkeys(found))
        if not addresses:
            raise ForbiddenAddress(
                f"{place.host} has no IP address. Check the {place.called.what} {_shown(place.url)}."
            )
        for address in addresses:
            why = self.why_not(place.host, address)
            if why:
                stands = "" if place.host == address else f" resolves to {address}, which"
                raise ForbiddenAddress(
                    f"{place.host}{stands} is not allowed: {why}. The person who runs this server can allow this "
                    f"host with {ENDPOINTS}={place.host}."
                )
        return addresses

    def look_up(self, place: ServerAddress, resolve: Resolve | None = None) -> tuple[str, ...]:
        """Look up the addresses of a place, and check every one of them.

        Raises
        ------
        AddressRefused
            The name is not known, or one of its addresses is not allowed.
        """
        if place.is_address:
            return self.checked(place, [place.host])
        try:
            addresses = list((resolve or resolved)(place.host, place.port))
        except (OSError, UnicodeError) as error:
            raise UnknownHost(
                f"Touchstone found no address for the name {place.host}. Check the {place.called.what} "
                f"{_shown(place.url)}."
            ) from error
        return self.checked(place, addresses)


def resolved(host: str, port: int) -> list[str]:
    """Return this machine's addresses for a name. Raise ``OSError`` if the name has no address."""
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def _address(text: str) -> IP | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _meant(ip: IP) -> IP:
    """Return the IPv4 address that an IPv6 address wraps, or the address itself."""
    if isinstance(ip, ipaddress.IPv4Address):
        return ip
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    ip = ipaddress.IPv6Address(int(ip))  # a zone names the interface and is no part of the address
    last = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    if ip in _NAT64 or ip in _TRANSLATED or (ip in _COMPATIBLE and int(ip) > 1):
        return last
    if ip in _NAT64_LOCAL:  # a network chooses the prefix length, so take the more private of the wrapped addresses
        bits = int(ip)
        middle = ipaddress.IPv4Address(((bits >> 64) & 0xFFFF) << 16 | (bits >> 40) & 0xFFFF)
        return min((last, middle), key=lambda each: each.is_global)
    if (int(ip) >> 32) & 0xFFFFFFFF in _ISATAP:
        return last
    return ip


def _shown(url: str) -> str:
    """Return a URL for a message: short, and without the parts before an @ or after a ?, which may be secret."""
    text = re.sub(r"//[^/?#]*@", "//...@", url)
    text = re.sub(r"([?#]).*", r"\1...", text, flags=re.DOTALL)
    return repr(text if len(text) <= 120 else text[:120] + "...")
