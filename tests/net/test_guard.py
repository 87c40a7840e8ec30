"""Requests that leave this machine: servers that send on, never end, or are elsewhere."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from net import guard as guard_module
from net import httpx2_client
from net.addresses import AddressWords, ForbiddenAddress, Rules, place_of
from net.guard import (
    BrokenOff,
    Guard,
    NoConnection,
    NotReadable,
    Redirect,
    ReplyLimits,
    TooSlow,
    Traffic,
)
from testkit.serving import free_port

MIB = 2**20
SERVER = AddressWords("address", key="leave it out")
Answer = Callable[[socket.socket], None]
Ask = Callable[..., bytes]


class Raw:
    """A server on loopback that answers each connection with a test's bytes, and keeps what it was asked."""

    def __init__(self, answer: Answer, trusted: ssl.SSLContext | None = None) -> None:
        self._answer, self._trusted = answer, trusted
        self.asked: list[bytes] = []
        self.ended = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def _run(self) -> None:
        while not self.ended.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        try:
            with connection:
                stream = self._trusted.wrap_socket(connection, server_side=True) if self._trusted else connection
                asked = b""
                while b"\r\n\r\n" not in asked:
                    piece = stream.recv(65_536)
                    if not piece:
                        return
                    asked += piece
                self.asked.append(asked)
                self._answer(stream)
        except OSError:
            return  # anyone who asked has gone, as most of these tests want

    def __enter__(self) -> Raw:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


def says(body: bytes = b"{}", *, status: str = "200 OK", **headers: str) -> Answer:
    named = {"content_length": str(len(body)), "connection": "close", **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in named.items())
    return lambda stream: stream.sendall(f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body)


def over_httpx2(guard: Guard, traffic: Traffic, url: str, *, seconds: float = 30.0, **more: Any) -> bytes:
    async def asked() -> bytes:
        async with httpx2_client.client(guard, traffic, seconds=seconds) as client:
            return (await client.get(url, **more)).content

    return asyncio.run(asked())


@pytest.fixture
def ask() -> Ask:
    """One request over the package. The extension Label Studio runs these tests over another one."""
    return over_httpx2


def guarded(url: str, *, resolve: Any = None) -> Guard:
    return Guard(place_of(url, SERVER), Rules(), resolve)


def within(largest: int = MIB, seconds: float | None = None) -> Traffic:
    return Traffic(lambda method, path: ReplyLimits(largest, seconds))


def test_a_reply_comes_whole_and_nothing_else_goes_out(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the environment, a cookie, a password in a header: none of that is for this server."""
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("NO_PROXY", "")
    with Raw(says(b'{"a": 1}')) as server:
        traffic = Traffic(
            lambda method, path: ReplyLimits(MIB), sent=("x-wanted",), authorization=lambda: "Bearer ours"
        )
        sent = {"authorization": "Bearer theirs", "cookie": "c=1", "x-wanted": "w", "x-other": "o", "user-agent": "u"}
        assert ask(guarded(server.url), traffic, server.url, headers=sent) == b'{"a": 1}'
        first, *lines = server.asked[0].decode().strip().split("\r\n")
    assert first == "GET /v1 HTTP/1.1"
    assert dict(line.lower().split(": ", 1) for line in lines) == {
        "host": f"127.0.0.1:{server.port}",
        "accept": "application/json",
        "accept-encoding": "identity",
        "user-agent": "touchstone",
        "authorization": "bearer ours",
        "x-wanted": "w",
    }


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect"])
def test_a_redirect_is_not_followed_even_where_a_package_would(ask: Ask, status: str) -> None:
    with Raw(says()) as other:
        for location in (f"{other.url}/x", "http://169.254.169.254/latest/meta-data", "/elsewhere"):
            with Raw(says(b"", status=status, location=location)) as server:
                with pytest.raises(Redirect) as sent_on:
                    ask(guarded(server.url), within(), server.url, follow_redirects=True)
                assert sent_on.value.status == int(status[:3])
                assert len(server.asked) == 1
        assert other.asked == []


@pytest.mark.parametrize(
    "wrong", ["http://127.0.0.1:{other}/v1", "http://localhost:{port}/v1", "https://127.0.0.1:{port}/v1"]
)
def test_no_other_server_is_asked_and_no_other_port(ask: Ask, wrong: str) -> None:
    with Raw(says()) as other, Raw(says()) as server:
        with pytest.raises(NotReadable, match="another server"):
            ask(guarded(server.url), within(), wrong.format(other=other.port, port=server.port))
        assert (other.asked, server.asked) == ([], [])


def test_the_connection_goes_to_what_was_checked_whatever_the_name_stands_for_by_then(ask: Ask) -> None:
    """No one but the test knows the name, so a second look-up by the package that sends would find nothing."""
    looked_up = iter([["127.0.0.1"], ["169.254.169.254"]])
    with Raw(says(b"here")) as server:
        url = f"http://rebind.invalid:{server.port}/v1"
        guard = guarded(url, resolve=lambda host, port: next(looked_up))
        assert ask(guard, within(), url) == b"here"
        assert f"Host: rebind.invalid:{server.port}".lower() in server.asked[0].decode().lower()
    assert next(looked_up) == ["169.254.169.254"]


def test_a_name_is_looked_up_again_after_a_while_and_checked_again(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_module, "LOOKED_UP_FOR", -1.0)
    looked_up = iter([["127.0.0.1"], ["127.0.0.1"], ["169.254.169.254"]])
    with Raw(says(b"here")) as server:
        url = f"http://rebind.invalid:{server.port}/v1"
        guard = guarded(url, resolve=lambda host, port: next(looked_up))
        assert ask(guard, within(), url) == b"here"
        with pytest.raises(ForbiddenAddress, match=r"rebind\.invalid resolves to 169\.254\.169\.254"):
            ask(guard, within(), url)
        assert len(server.asked) == 1


def test_the_next_address_is_tried_where_no_one_answers(ask: Ask) -> None:
    with Raw(says(b"here")) as server:
        url = f"http://two.invalid:{server.port}/v1"
        assert ask(guarded(url, resolve=lambda host, port: ["127.0.0.2", "127.0.0.1"]), within(), url) == b"here"
    with pytest.raises(NoConnection):
        ask(guarded(url, resolve=lambda host, port: ["127.0.0.2", "127.0.0.1"]), within(), url)


def endless(stream: socket.socket) -> None:
    stream.sendall(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
    while True:
        stream.sendall(b"x" * 65_536)


def announced(stream: socket.socket) -> None:
    """So much is announced that nothing of it needs to come."""
    stream.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 9999999999999\r\n\r\n")
    stream.recv(1)


@pytest.mark.parametrize("answer", [endless, announced])
def test_a_body_without_end_is_not_read(ask: Ask, answer: Answer) -> None:
    with Raw(answer) as server, pytest.raises(NotReadable, match="the reply is larger than 1 MiB"):
        ask(guarded(server.url), within(MIB), server.url)


@pytest.mark.parametrize(("more", "comes"), [(0, True), (1, False)])
def test_the_largest_reply_is_exact(ask: Ask, more: int, comes: bool) -> None:
    body = b"x" * (MIB + more)

    def chunked(stream: socket.socket) -> None:
        """Its length is not announced."""
        stream.sendall(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" + body)

    for answer in (says(body), chunked):
        with Raw(answer) as server:
            if comes:
                assert ask(guarded(server.url), within(MIB), server.url) == body
            else:
                with pytest.raises(NotReadable, match="larger than 1 MiB"):
                    ask(guarded(server.url), within(MIB), server.url)


def drip(begun: bytes) -> Answer:
    """A byte now and then, so that no single reading takes long, for longer than any request here may take."""

    def answer(stream: socket.socket) -> None:
        stream.sendall(begun)
        pause = threading.Event()
        for _ in range(600):
            stream.sendall(b"x")
            pause.wait(0.05)

    return answer


@pytest.mark.thorough
@pytest.mark.parametrize(
    "begun",
    [b"", b"HTTP/1.1 200 OK\r\nx-long: ", b"HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n"],
    ids=["status", "headers", "body"],
)
def test_what_comes_in_drips_ends_with_the_time_for_the_whole(ask: Ask, begun: bytes) -> None:
    with Raw(drip(begun)) as server, pytest.raises(TooSlow, match=r"no complete reply arrived within 0\.3 seconds"):
        ask(guarded(server.url), within(seconds=0.3), server.url)


@pytest.mark.thorough
def test_the_time_for_the_whole_is_that_of_a_reading_where_nothing_else_is_said(ask: Ask) -> None:
    with Raw(drip(b"HTTP/1.1 200 OK\r\n")) as server, pytest.raises(TooSlow, match=r"within 0\.3 seconds"):
        ask(guarded(server.url), within(), server.url, seconds=0.3)


def test_silence_ends_before_the_time_for_the_whole(ask: Ask) -> None:
    with (
        Raw(lambda stream: stream.recv(1) and None) as server,
        pytest.raises(TooSlow, match=r"no data arrived for 0\.2 seconds"),
    ):
        ask(guarded(server.url), within(seconds=600.0), server.url, seconds=0.2)


def large_header(stream: socket.socket) -> None:
    stream.sendall(b"HTTP/1.1 200 OK\r\nx-large: " + b"x" * 2 * MIB + b"\r\ncontent-length: 2\r\n\r\n{}")


@pytest.mark.parametrize("answer", [large_header, lambda stream: stream.sendall(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")])
def test_headers_that_are_too_large_or_none_at_all(ask: Ask, answer: Answer) -> None:
    with Raw(answer) as server, pytest.raises(NotReadable, match="not valid HTTP"):
        ask(guarded(server.url), within(), server.url)


@pytest.mark.parametrize("answer", [lambda stream: None, says(b"abc", content_length="9")])
def test_a_connection_that_ends_too_early(ask: Ask, answer: Answer) -> None:
    with Raw(answer) as server, pytest.raises(BrokenOff):
        ask(guarded(server.url), within(), server.url)


def test_what_is_compressed_is_not_unpacked(ask: Ask) -> None:
    with Raw(says(b"\x1f\x8b", content_encoding="gzip")) as server, pytest.raises(NotReadable, match="compressed"):
        ask(guarded(server.url), within(), server.url)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ssl.SSLContext]:
    """A certificate for vllm.invalid, and a server's settings with it."""
    openssl = shutil.which("openssl")
    assert openssl is not None, "`make system` installs it"
    folder = tmp_path_factory.mktemp("certificate")
    public, secret = folder / "certificate.pem", folder / "secret.pem"
    named = ["-subj", "/CN=vllm.invalid", "-addext", "subjectAltName=DNS:vllm.invalid", "-days", "2", "-nodes"]
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    command = [openssl, "req", "-x509", *named, *kind, "-keyout", str(secret), "-out", str(public)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(public, secret)
    return public, serving


@pytest.mark.parametrize("name", ["vllm.invalid", "other.invalid", "127.0.0.1"])
def test_a_certificate_is_for_the_name_and_not_for_the_address(
    ask: Ask, certificate: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    public, serving = certificate
    monkeypatch.setenv("SSL_CERT_FILE", str(public))
    with Raw(says(b"here"), serving) as server:
        url = f"https://{name}:{server.port}/v1"
        guard = guarded(url, resolve=lambda host, port: ["127.0.0.1"])
        if name == "vllm.invalid":
            assert ask(guard, within(), url) == b"here"
        else:
            with pytest.raises(NoConnection, match="certificate"):
                ask(guard, within(), url)
            assert server.asked == []


def test_a_certificate_that_no_one_here_vouches_for(ask: Ask, certificate: tuple[Path, ssl.SSLContext]) -> None:
    with Raw(says(), certificate[1]) as server:
        url = f"https://vllm.invalid:{server.port}/v1"
        guard = guarded(url, resolve=lambda host, port: ["127.0.0.1"])
        with pytest.raises(NoConnection, match="certificate"):
            ask(guard, within(), url)
