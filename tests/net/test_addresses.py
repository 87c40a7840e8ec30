"""Which servers may be asked: written tricks, names that stand for private addresses, the operator's list."""

from __future__ import annotations

import pytest

from inference.endpoint.client import BASE_URL
from net import addresses
from net.addresses import ForbiddenAddress, Rules, ServerAddress, UnknownHost


def place_of(url: str) -> ServerAddress:
    return addresses.place_of(url, BASE_URL)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("ftp://127.0.0.1/v1", "http:// or https://"),
        ("file:///etc/passwd", "http:// or https://"),
        ("127.0.0.1:8000/v1", "http:// or https://"),
        ("http://user:secret@example.org/v1", "user name or a password"),
        ("http://sk-secret@127.0.0.1/v1", "user name or a password"),
        ("http://2130706433/v1", "four decimal numbers"),
        ("http://0x7f000001/v1", "four decimal numbers"),
        ("http://0177.0.0.1/v1", "four decimal numbers"),
        ("http://127.1/v1", "four decimal numbers"),
        ("http://10.0.0.0x7/v1", "four decimal numbers"),
        ("http://169.254.169.254.:80:90/v1", "the host or the port is not valid"),
        ("http://example.org:99999/v1", "the host or the port is not valid"),
        ("http://example.org:0/v1", "1 to 65535"),
        ("http://[::1%25eth0]/v1", "IPv6"),
        ("http://[fe80::1%eth0]/v1", "IPv6"),
        ("http://example.org/v1?key=secret", "contains ? or #"),
        ("http://example.org/v1#x", "contains ? or #"),
        ("http://exa mple.org/v1", "spaces"),
        ("http://example.org\\@10.0.0.1/v1", "spaces"),
        ("http://\uff11\uff12\uff17.0.0.1/v1", "xn--"),
        ("http:///v1", "the host name is not valid"),
        ("http://a..b/v1", "the host name is not valid"),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused_with_a_sentence(url: str, says: str) -> None:
    with pytest.raises(ForbiddenAddress) as refused:
        place_of(url)
    assert says in str(refused.value)
    assert "secret" not in str(refused.value)
    assert str(refused.value).endswith(".")


ADDRESSES = [
    # loopback
    ("127.0.0.1", True),
    ("127.8.8.8", True),
    ("::1", True),
    ("::ffff:127.0.0.1", True),
    # public
    ("93.184.215.14", True),
    ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
    # RFC 1918, 6598, 3927, 4193, 4291, 5737; multicast; unspecified; broadcast
    ("10.0.0.7", False),
    ("172.16.0.1", False),
    ("172.31.255.255", False),
    ("192.168.1.1", False),
    ("100.64.0.1", False),
    ("169.254.1.1", False),
    ("fe80::1", False),
    ("fc00::1", False),
    ("fd12:3456::1", False),
    ("fec0::1", False),
    ("192.0.2.1", False),
    ("224.0.0.1", False),
    ("224.0.1.1", False),
    ("ff02::1", False),
    ("ff0e::1", False),
    ("0.0.0.0", False),
    ("::", False),
    ("0.1.2.3", False),
    ("255.255.255.255", False),
    ("240.0.0.1", False),
    # where clouds keep secrets: AWS, Azure, Alibaba, AWS over IPv6
    ("169.254.169.254", False),
    ("168.63.129.16", False),
    ("100.100.100.200", False),
    ("fd00:ec2::254", False),
    # the same in wrappings: mapped, compatible, 6to4, NAT64, Teredo
    ("::ffff:10.0.0.7", False),
    ("::ffff:169.254.169.254", False),
    ("::10.0.0.7", False),
    ("2002:0a00:0007::1", False),
    ("64:ff9b::10.0.0.7", False),
    ("64:ff9b::169.254.169.254", False),
    ("64:ff9b::127.0.0.1", False),
    ("64:ff9b:1:a00:7::", False),
    ("64:ff9b:1::10.0.0.7", False),
    ("2002:7f00:1::1", False),
    ("::7f00:1", False),
    ("::ffff:0:10.0.0.7", False),
    ("::ffff:0:127.0.0.1", False),
    ("2a00::5efe:10.0.0.7", False),
    ("2a00::200:5efe:169.254.169.254", False),
    ("fe80::1%eth0", False),
    ("fd00:ec2::254%1", False),
    ("::1%lo", True),
    ("2001:0:4136:e378:8000:63bf:f5ff:fff8", False),
]


@pytest.mark.parametrize(("address", "may"), ADDRESSES)
def test_addresses(address: str, may: bool) -> None:
    assert (Rules().why_not("example.org", address) == "") is may


@pytest.mark.parametrize("address", [address for address, may in ADDRESSES if not may])
def test_a_name_that_stands_for_one_of_them_is_refused_although_it_has_a_public_address_too(address: str) -> None:
    place = place_of("https://rebind.example.org/v1")
    with pytest.raises(ForbiddenAddress) as refused:
        Rules().look_up(place, lambda host, port: ["93.184.215.14", address])
    assert "rebind.example.org resolves to" in str(refused.value)
    assert "TOUCHSTONE_ENDPOINTS=rebind.example.org" in str(refused.value)


def test_the_operator_may_list_names_addresses_and_ranges() -> None:
    rules = Rules(["vllm.lab", "10.0.0.0/24", "192.168.1.7", "fd00::/8"])
    assert rules.why_not("vllm.lab", "172.16.5.5") == ""
    assert rules.why_not("other.lab", "172.16.5.5")
    assert rules.why_not("x", "10.0.0.255") == ""
    assert rules.why_not("x", "::ffff:10.0.0.255") == ""
    assert rules.why_not("x", "10.0.1.0")
    assert rules.why_not("x", "192.168.1.7") == ""
    assert rules.why_not("x", "192.168.1.8")
    assert rules.why_not("x", "fd12::1") == ""
    assert rules.look_up(place_of("http://VLLM.lab.:8000/v1"), lambda host, port: ["172.16.5.5"]) == ("172.16.5.5",)


@pytest.mark.parametrize("entry", ["http://vllm.lab", "vllm.lab:8000", "10.0.0.0/33", "10.0.0", "*", "a b"])
def test_an_entry_that_is_none_of_these_is_told(entry: str) -> None:
    with pytest.raises(ForbiddenAddress, match="TOUCHSTONE_ENDPOINTS lists"):
        Rules([entry])


def test_an_address_is_not_looked_up() -> None:
    def never(host: str, port: int) -> list[str]:
        raise AssertionError

    assert Rules().look_up(place_of("http://127.0.0.1:8000/v1"), never) == ("127.0.0.1",)
    assert Rules().look_up(place_of("http://[::1]:8000/v1"), never) == ("::1",)
    with pytest.raises(ForbiddenAddress, match=r"10\.0\.0\.7 is not allowed: it is a private network address"):
        Rules().look_up(place_of("http://10.0.0.7/v1"), never)


def test_a_name_that_no_one_knows() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise OSError("nodename nor servname provided")

    with pytest.raises(UnknownHost, match=r"Touchstone found no address for the name vllm\.lab"):
        Rules().look_up(place_of("http://vllm.lab/v1"), unknown)
    with pytest.raises(ForbiddenAddress, match="has no IP address"):
        Rules().look_up(place_of("http://vllm.lab/v1"), lambda host, port: [])


def test_a_key_over_a_public_network_without_encryption() -> None:
    public = ["93.184.215.14"]
    assert Rules().unencrypted(place_of("http://example.org/v1"), public)
    assert not Rules().unencrypted(place_of("https://example.org/v1"), public)
    assert not Rules().unencrypted(place_of("http://127.0.0.1/v1"), ["127.0.0.1"])
    assert not Rules(["example.org"]).unencrypted(place_of("http://example.org/v1"), public)
    assert not Rules(["10.0.0.0/8"]).unencrypted(place_of("http://vllm.lab/v1"), ["10.0.0.7"])
