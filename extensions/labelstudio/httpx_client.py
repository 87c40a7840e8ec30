"""The guard around httpx, which Label Studio's SDK uses: blocking calls."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from net.guard import CONNECT_SECONDS, KEPT_SECONDS, Guard, NoConnection, Passage, Traffic, tls, translate_error

if TYPE_CHECKING:
    import ssl

    import httpcore
    import httpx
    from httpx import Response as Response

SLICE = 65_536
"""The number of bytes that are passed to a connection at once."""


def client(guard: Guard, traffic: Traffic, *, seconds: float) -> httpx.Client:
    """Return a client for one server. ``seconds`` is the limit for a single read, unless a request sets another.

    The client raises ``NoAnswer``, and ``ForbiddenAddress`` if the name now has an address that is not allowed.
    """
    import httpx

    # Debug messages of httpcore would contain the headers of replies.
    logging.getLogger("httpcore").setLevel(logging.INFO)
    return httpx.Client(
        transport=_transport(guard, traffic),
        follow_redirects=False,
        trust_env=False,
        timeout=httpx.Timeout(seconds),
    )


def _backend(guard: Guard, now: ContextVar[Passage]) -> httpcore.NetworkBackend:
    """Return what opens connections: to checked addresses only, and each step within the time of its request."""
    import httpcore

    class TimedStream(httpcore.NetworkStream):
        """A connection whose steps all end by the deadline of their request."""

        def __init__(self, stream: httpcore.NetworkStream) -> None:
            self._stream = stream

        def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            return self._stream.read(max_bytes, now.get().seconds_left(timeout))

        def write(self, buffer: bytes, timeout: float | None = None) -> None:
            for begin in range(0, len(buffer), SLICE):
                self._stream.write(buffer[begin : begin + SLICE], now.get().seconds_left(timeout))

        def close(self) -> None:
            self._stream.close()

        def start_tls(
            self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
        ) -> httpcore.NetworkStream:
            return TimedStream(self._stream.start_tls(ssl_context, server_hostname, now.get().seconds_left(timeout)))

        def get_extra_info(self, info: str) -> Any:
            return self._stream.get_extra_info(info)

    class PinnedBackend(httpcore.NetworkBackend):
        """A backend that connects to the checked addresses, whatever the name's addresses are by now."""

        def __init__(self) -> None:
            self._system = httpcore.SyncBackend()

        def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,
            local_address: str | None = None,
            socket_options: Iterable[Any] | None = None,
        ) -> httpcore.NetworkStream:
            error: Exception = NoConnection()
            for address in guard.addresses:
                limit = now.get().seconds_left(CONNECT_SECONDS if timeout is None else min(timeout, CONNECT_SECONDS))
                try:
                    return TimedStream(self._system.connect_tcp(address, port, limit, local_address, socket_options))
                except (httpcore.ConnectError, httpcore.ConnectTimeout) as failed:
                    error = failed
            raise error

        def sleep(self, seconds: float) -> None:
            time.sleep(seconds)

    return PinnedBackend()


def _body(stream: Any, passage: Passage, now: ContextVar[Passage]) -> httpx.SyncByteStream:
    """Return the body of a reply, read within the time and up to the size that its request has."""
    import httpx

    class Body(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            pieces = iter(stream)
            while True:
                token = now.set(passage)
                try:
                    piece = next(pieces, None)
                except Exception as error:
                    raise translate_error(error, passage) from error
                finally:
                    now.reset(token)
                if piece is None:
                    return
                yield passage.counted(piece)

        def close(self) -> None:
            stream.close()

    return Body()


def _transport(guard: Guard, traffic: Traffic) -> httpx.BaseTransport:
    """Return what sends requests through the guard."""
    import httpcore
    import httpx

    now: ContextVar[Passage] = ContextVar("passage")

    class GuardedTransport(httpx.BaseTransport):
        def __init__(self) -> None:
            self._pool = httpcore.ConnectionPool(
                ssl_context=tls(guard.place), keepalive_expiry=KEPT_SECONDS, network_backend=_backend(guard, now)
            )

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            passage = Passage(
                guard,
                traffic,
                method=request.method,
                server=(request.url.scheme, request.url.host, request.url.port),
                path=request.url.path,
                reading=request.extensions.get("timeout", {}).get("read"),
            )
            if guard.stale:
                guard.look_up()
            sent = httpcore.Request(
                request.method,
                httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=passage.headers(request.headers),
                content=request.stream,
                extensions={**request.extensions, **passage.extensions},
            )
            token = now.set(passage)
            try:
                came = self._pool.handle_request(sent)
            except Exception as error:
                raise translate_error(error, passage) from error
            finally:
                now.reset(token)
            try:
                headers = passage.begun(came.status, came.headers)
            except Exception:
                came.close()
                raise
            return httpx.Response(
                came.status, headers=headers, stream=_body(came.stream, passage, now), extensions=came.extensions
            )

        def close(self) -> None:
            self._pool.close()

    return GuardedTransport()
