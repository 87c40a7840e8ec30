"""How requests to Label Studio leave: to addresses that were checked, for a limited time, for a limited reply."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from inference.endpoint.addresses import Place, Resolve, Rules

if TYPE_CHECKING:
    import httpx

LOOKED_UP_FOR = 60.0
"""Seconds for which the addresses of a name are remembered."""
SENT = ("accept", "content-type", "content-length", "transfer-encoding", "authorization", "host")
"""Headers that go out."""


class NotReadable(Exception):
    """A reply that is not read to its end."""


def client(
    place: Place,
    rules: Rules,
    found: tuple[str, ...],
    *,
    seconds: float,
    largest: int,
    resolve: Resolve | None = None,
) -> httpx.Client:
    """A client for one server. ``seconds`` is for a whole request, ``largest`` for the bytes of a reply."""
    import httpx

    # Its most talkative lines hold the headers of replies.
    logging.getLogger("httpcore").setLevel(logging.INFO)

    class Bounded(httpx.SyncByteStream):
        def __init__(self, stream: httpx.SyncByteStream, end: float) -> None:
            self._stream, self._end = stream, end

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for piece in self._stream:
                size += len(piece)
                if size > largest:
                    raise NotReadable(f"its reply is larger than {largest // 2**20} MiB")
                if time.monotonic() > self._end:
                    raise httpx.ReadTimeout("the whole reply took too long")
                yield piece

        def close(self) -> None:
            self._stream.close()

    class Checked(httpx.BaseTransport):
        def __init__(self) -> None:
            self._pool = httpx.HTTPTransport(verify=httpx.create_ssl_context())
            self._found, self._found_at = found, time.monotonic()

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            url = request.url
            if url.host.lower().strip("[]").removesuffix(".") != place.host or url.scheme != place.scheme:
                raise NotReadable("the request would go to another server")
            if time.monotonic() - self._found_at > LOOKED_UP_FOR and not place.is_address:
                self._found, self._found_at = rules.look_up(place, resolve), time.monotonic()
            limit = request.extensions.get("timeout", {}).get("read") or seconds
            end = time.monotonic() + limit
            headers = {name: request.headers[name] for name in SENT if name in request.headers}
            headers |= {"accept-encoding": "identity", "user-agent": "touchstone"}
            for number, address in enumerate(self._found, start=1):
                try:
                    response = self._pool.handle_request(
                        httpx.Request(
                            request.method,
                            url.copy_with(host=address),
                            headers=headers,
                            stream=request.stream,
                            extensions={**request.extensions, "sni_hostname": place.host},
                        )
                    )
                    break
                except (httpx.ConnectError, httpx.ConnectTimeout):
                    if number == len(self._found):
                        raise
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                response.close()
                raise NotReadable("its reply is compressed, although it was asked not to be")
            assert isinstance(response.stream, httpx.SyncByteStream)
            response.stream = Bounded(response.stream, end)
            return response

        def close(self) -> None:
            self._pool.close()

    return httpx.Client(
        transport=Checked(),
        follow_redirects=False,
        trust_env=False,
        timeout=httpx.Timeout(seconds, connect=min(10.0, seconds)),
    )
