"""The guard around httpx2, which the packages `openai` and `authlib` use: asynchronous calls."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Any

from net.guard import CONNECT_SECONDS, KEPT_SECONDS, Guard, NoConnection, Passage, Traffic, tls, translate_error

if TYPE_CHECKING:
    import httpcore2
    import httpx2


def client(guard: Guard, traffic: Traffic, *, seconds: float, pools: int = 1) -> httpx2.AsyncClient:
    """Return a client for one server. ``seconds`` is the limit for a single read, unless a request sets another.

    A pool checks all of its connections for each request. Spread a large number of them over several ``pools``.
    The client raises ``NoAnswer``, and ``ForbiddenAddress`` if the name now has an address that is not allowed.
    """
    import httpx2

    return httpx2.AsyncClient(
        transport=transport(guard, traffic, pools=pools),
        follow_redirects=False,
        trust_env=False,
        timeout=httpx2.Timeout(seconds),
    )


def transport(guard: Guard, traffic: Traffic, *, pools: int = 1) -> httpx2.AsyncBaseTransport:
    """Return the transport of ``client``, for a package that makes its own client of httpx2."""
    import httpcore2
    import httpx2

    # Debug messages of httpcore2 would contain the headers of replies.
    logging.getLogger("httpcore2").setLevel(logging.INFO)

    class PinnedBackend(httpcore2.AsyncNetworkBackend):
        """A backend that connects to the checked addresses, whatever the name's addresses are by now."""

        def __init__(self) -> None:
            self._system = httpcore2.AnyIOBackend()

        async def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,
            local_address: str | None = None,
            socket_options: Iterable[Any] | None = None,
        ) -> httpcore2.AsyncNetworkStream:
            error: Exception = NoConnection()
            for address in guard.addresses:
                limit = CONNECT_SECONDS if timeout is None else min(timeout, CONNECT_SECONDS)
                try:
                    return await self._system.connect_tcp(address, port, limit, local_address, socket_options)
                except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as failed:
                    error = failed
            raise error

        async def sleep(self, seconds: float) -> None:
            await asyncio.sleep(seconds)

    class Body(httpx2.AsyncByteStream):
        def __init__(self, stream: Any, passage: Passage) -> None:
            self._stream, self._passage = stream, passage

        async def __aiter__(self) -> AsyncIterator[bytes]:
            pieces = aiter(self._stream)
            while True:
                try:
                    async with asyncio.timeout(self._passage.seconds_left()):
                        piece = await anext(pieces, None)
                except TimeoutError:
                    raise self._passage.too_slow() from None
                except Exception as error:
                    raise translate_error(error, self._passage) from error
                if piece is None:
                    return
                yield self._passage.counted(piece)

        async def aclose(self) -> None:
            await self._stream.aclose()

    class GuardedTransport(httpx2.AsyncBaseTransport):
        def __init__(self) -> None:
            trusted = tls(guard.place)
            self._pools = [
                httpcore2.AsyncConnectionPool(
                    ssl_context=trusted,
                    max_connections=None,
                    max_keepalive_connections=-(-64 // pools),
                    keepalive_expiry=KEPT_SECONDS,
                    network_backend=PinnedBackend(),
                )
                for _ in range(pools)
            ]
            self._turns = itertools.cycle(self._pools)

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            passage = Passage(
                guard,
                traffic,
                method=request.method,
                server=(request.url.scheme, request.url.host, request.url.port),
                path=request.url.path,
                reading=request.extensions.get("timeout", {}).get("read"),
            )
            if guard.stale:
                await asyncio.to_thread(guard.look_up)
            sent = httpcore2.Request(
                request.method,
                httpcore2.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=passage.headers(request.headers),
                content=request.stream,
                extensions={**request.extensions, **passage.extensions},
            )
            try:
                async with asyncio.timeout(passage.seconds_left()):
                    came = await next(self._turns).handle_async_request(sent)
            except TimeoutError:
                raise passage.too_slow() from None
            except Exception as error:
                raise translate_error(error, passage) from error
            try:
                headers = passage.begun(came.status, came.headers)
            except Exception:
                await came.aclose()
                raise
            return httpx2.Response(
                came.status, headers=headers, stream=Body(came.stream, passage), extensions=came.extensions
            )

        async def aclose(self) -> None:
            for pool in self._pools:
                await pool.aclose()

    return GuardedTransport()


def version() -> str:
    """Return the version of the package."""
    import httpx2

    return httpx2.__version__


def reply_type() -> type[Any]:
    """Return the class of replies."""
    import httpx2

    return httpx2.Response


def error_type() -> type[Exception]:
    """Return the class of the package's own errors, such as a status that a package of ours refuses."""
    import httpx2

    return httpx2.HTTPError
