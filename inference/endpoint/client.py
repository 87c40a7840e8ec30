"""One request to an endpoint through the `openai` package, and what came of it.

The package neither tries again nor follows redirects here, and the connection goes to an address that was checked.
The key is added where the request leaves, so nothing else ever holds it.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
import os
import re
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from domain.errors import ModelRefused
from domain.runs import Outcome
from inference.endpoint import addresses, replies
from inference.endpoint.addresses import NameNotFound, Place, Rules
from inference.endpoint.replies import Reply
from inference.spec import Endpoint

if TYPE_CHECKING:
    from typing import BinaryIO

    import httpx2
    import openai

LARGEST_REPLY = 16 * 2**20
"""Bytes; more is no answer to a question."""
LARGEST_FILE = 2**30
"""Bytes of a file that is fetched."""
LOOKED_UP_FOR = 60.0
"""Seconds for which the addresses of a name are remembered."""
SHORTEST_HIDDEN = 8
"""Keys shorter than this are placeholders, and striking them out would strike out words."""

_KEY_NAME = re.compile(r"[A-Z][A-Z0-9_]*_API_(KEY|TOKEN)")


class Key:
    """A key out of the environment, which never shows itself."""

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Key(...)"

    def header(self) -> str:
        """For the request's header."""
        return f"Bearer {self._value}"

    def hidden(self, text: str) -> str:
        """The text without the key, should a server repeat it."""
        return text.replace(self._value, "[key]") if len(self._value) >= SHORTEST_HIDDEN else text


def key_of(endpoint: Endpoint, place: Place, environment: Mapping[str, str]) -> Key | None:
    """The key that the description names; None: it names none.

    Whoever writes a description chooses both the variable and the server that gets it. So only variables that are
    named as keys of endpoints are read, and one may be tied to its servers: with ``LAB_API_KEY_HOSTS=vllm.lab`` the key
    in ``LAB_API_KEY`` goes nowhere else.

    Raises
    ------
    ModelRefused
        There is no such variable, or it may not go to that server.
    """
    name = endpoint.key
    if name is None:
        return None
    check_key_name(endpoint)
    value = environment.get(name, "").strip()
    if not value:
        raise ModelRefused(
            f"The environment variable {name} is not set where the worker runs; put the key of {place.host} there."
        )
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ModelRefused(
            f"What stands in the environment variable {name} is no key: it has blanks or odd characters."
        )
    hosts = environment.get(f"{name}_HOSTS")
    if hosts is not None and place.host not in {host.strip().lower().removesuffix(".") for host in hosts.split(",")}:
        raise ModelRefused(f"The key in {name} may not be sent to {place.host}: {name}_HOSTS does not list it.")
    return Key(value)


def check_key_name(endpoint: Endpoint) -> None:
    """Refuse (``ModelRefused``) a variable that is not named as a key, or a key in its place."""
    name = endpoint.key
    if name is not None and (not _KEY_NAME.fullmatch(name) or name.startswith("TOUCHSTONE_")):
        raise ModelRefused(
            "`key` is the name of an environment variable that ends with _API_KEY or _API_TOKEN, such as LAB_API_KEY; "
            "other variables are not read, and the key itself does not belong into the description."
        )


class Client:
    """An endpoint that can be asked, from one event loop.

    Raises
    ------
    ModelRefused
        It may not be asked, its name is not known, its key is missing, or the package `openai` is.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        *,
        listed: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        resolve: addresses.Resolve | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.model = model
        self.place = addresses.place_of(endpoint.base_url)
        rules = Rules(listed)
        found = rules.look_up(self.place, resolve)
        self._key = key_of(endpoint, self.place, os.environ if environment is None else environment)
        if self._key is not None and rules.unencrypted(self.place, found):
            raise ModelRefused(
                f"The key would go to {self.place.host} unencrypted over a public network; use https://, or let "
                f"whoever runs this server list it in {addresses.SETTING}."
            )
        try:
            import httpx2
            import openai
        except ImportError as error:
            raise ModelRefused(
                "Models behind an endpoint need the package openai, which is not installed here: "
                "pip install 'touchstone[judges]'."
            ) from error
        if self._key is not None:
            # Its most talkative lines hold the headers of replies, in which a server may repeat the key.
            logging.getLogger("httpcore2").setLevel(logging.INFO)
        self.versions = {"openai": openai.__version__, "httpx2": httpx2.__version__}
        self._client = openai.AsyncOpenAI(
            base_url=self.place.url,
            # The package wants one and would else take OPENAI_API_KEY; the real one is added when the request leaves.
            api_key="unused",
            max_retries=0,
            timeout=httpx2.Timeout(endpoint.timeout_seconds, connect=min(20.0, endpoint.timeout_seconds)),
            http_client=httpx2.AsyncClient(
                transport=_checked_transport(
                    self.place, rules, self._key, found, resolve, pools=min(16, -(-endpoint.concurrency // 4))
                ),
                follow_redirects=False,
                trust_env=False,
                timeout=endpoint.timeout_seconds,
            ),
        )

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        parameters: Mapping[str, Any],
        *,
        seconds: float | None = None,
    ) -> Reply:
        """Ask for one completion, once; ``seconds``: not longer than that, if the description allows as much."""
        body = {"model": self.model, "messages": messages, **parameters}
        return await self._request("POST", "/chat/completions", body, seconds)

    async def models(self, *, seconds: float | None = None) -> Reply:
        """Ask for the list of models, once. Only ``status``, ``error`` and ``raw`` mean something."""
        return await self._request("GET", "/models", None, seconds)

    async def exchanged(
        self, send: Callable[[openai.AsyncOpenAI], Awaitable[Any]], *, seconds: float
    ) -> tuple[int, dict[str, str], str]:
        """Send something else than a question, once; status, headers and text of what came back.

        ``send`` uses one of the ``with_raw_response`` calls of the package's client.

        Raises
        ------
        NoReply
            Nothing came back: whether the request has arrived is not known.
        """
        import openai

        try:
            async with asyncio.timeout(seconds):
                try:
                    response = (await send(self._client)).http_response
                except openai.APIStatusError as error:
                    response = error.response
            text = self._hidden(response.content.decode("utf-8", "surrogateescape"))
            headers = {name.lower(): value for name, value in response.headers.items()}
        except (TimeoutError, openai.APITimeoutError):
            raise NoReply(f"No whole reply came within {seconds:g} seconds.") from None
        except Exception as error:
            raise NoReply(self._not_connected(error).error) from None
        return response.status_code, headers, text

    async def download(self, file: str, to: BinaryIO) -> None:
        """Fetch a file that the endpoint keeps, line by line.

        Raises
        ------
        NoReply
            It did not come to its end.
        """
        import openai

        try:
            async with self._client.files.with_streaming_response.content(file) as response:
                begun = b""
                async for piece in response.iter_bytes():
                    *lines, begun = (begun + piece).split(b"\n")
                    for line in lines:
                        to.write(self._without_key(line) + b"\n")
                to.write(self._without_key(begun))
        except openai.APIStatusError as error:
            status, text = error.response.status_code, self._hidden(error.response.text)
            raise NoReply(replies.read(status, {}, text).error) from None
        except openai.APITimeoutError:
            raise NoReply(f"Nothing came for {self.endpoint.timeout_seconds:g} seconds.") from None
        except Exception as error:
            raise NoReply(self._not_connected(error).error) from None

    def _without_key(self, line: bytes) -> bytes:
        if self._key is None:
            return line
        return self._hidden(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _request(self, method: str, path: str, body: Mapping[str, Any] | None, seconds: float | None) -> Reply:
        import httpx2
        import openai

        begun = time.monotonic()
        longest = min(seconds or math.inf, self.endpoint.timeout_seconds)
        try:
            # The package's own limit is for each read; a reply that comes a byte at a time never reaches it.
            async with asyncio.timeout(longest):
                try:
                    if method == "GET":
                        response = await self._client.get(path, cast_to=httpx2.Response)
                    else:
                        response = await self._client.post(path, cast_to=httpx2.Response, body=body)
                except openai.APIStatusError as error:
                    response = error.response
            text = self._hidden(response.content.decode("utf-8", "surrogateescape"))
            headers = {name.lower(): value for name, value in response.headers.items()}
            reply = replies.read(response.status_code, headers, text)
        except (TimeoutError, openai.APITimeoutError):
            reply = _failed(f"No whole reply came within {longest:g} seconds.")
        except Exception as error:  # whatever it is, it is an outcome of this request
            reply = self._not_connected(error)
        return replace(reply, seconds=time.monotonic() - begun)

    def _not_connected(self, error: Exception) -> Reply:
        """What an exception of the package means: the reason stands in what it was raised from."""
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, NameNotFound):
                return _failed(str(cause))
            if isinstance(cause, ModelRefused):
                # The name stands for something else than when the run began.
                return replace(_failed(str(cause)), again=False, stop=str(cause))
            if isinstance(cause, _NotReadable):
                return Reply(Outcome.UNREADABLE, error=str(cause))
            cause = cause.__cause__ or cause.__context__
        inner = error.__cause__ or error
        kind = type(inner).__name__
        where = f"{self.place.host}:{self.place.port}"
        if kind in ("ConnectError", "ConnectTimeout"):
            words = self._hidden(str(inner)).strip().rstrip(".")
            return _failed(f"No connection to {where}{f': {words}' if words else ''}.")
        if kind in ("ReadError", "WriteError", "RemoteProtocolError", "CloseError"):
            return _failed(f"{where} closed the connection before the whole reply had come.")
        return _failed(f"The request to {where} failed ({kind}).")

    def _hidden(self, text: str) -> str:
        return self._key.hidden(text) if self._key is not None else text


def _failed(sentence: str) -> Reply:
    return Reply(Outcome.TRANSPORT_ERROR, again=True, error=sentence)


class NoReply(Exception):
    """Nothing came back of a request, or not all of it; the message is a sentence."""


class _NotReadable(Exception):
    """A reply that is not read to its end."""


def _checked_transport(
    place: Place,
    rules: Rules,
    key: Key | None,
    found: tuple[str, ...],
    resolve: addresses.Resolve | None,
    *,
    pools: int = 1,
) -> httpx2.AsyncBaseTransport:
    """Sends requests to addresses that were checked, with the headers that belong there and no others."""
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, stream: httpx2.AsyncByteStream, largest: int) -> None:
            self._stream = stream
            self._largest = largest

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for piece in self._stream:
                size += len(piece)
                if size > self._largest:
                    raise _NotReadable(f"The reply is larger than {self._largest // 2**20} MiB.")
                yield piece

        async def aclose(self) -> None:
            await self._stream.aclose()

    class Checked(httpx2.AsyncBaseTransport):
        def __init__(self) -> None:
            # A pool looks at all of its connections for each request, so many are spread over several pools.
            # Reading the certificates that this machine trusts takes a while; without https none is looked at.
            tls = place.scheme == "https"
            verify = httpx2.create_ssl_context() if tls else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            limits = httpx2.Limits(max_connections=None, max_keepalive_connections=-(-64 // pools))
            self._pools = [httpx2.AsyncHTTPTransport(verify=verify, limits=limits) for _ in range(pools)]
            self._turns = itertools.cycle(self._pools)
            self._found = found
            self._found_at = time.monotonic()

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            url = request.url
            if url.host.lower().removesuffix(".") != place.host or url.scheme != place.scheme:
                raise _NotReadable("The request would go to another server than the description names.")
            if time.monotonic() - self._found_at > LOOKED_UP_FOR and not place.is_address:
                self._found = await asyncio.to_thread(rules.look_up, place, resolve)
                self._found_at = time.monotonic()
            headers = {
                "host": request.headers["host"],
                "accept": "application/json",
                "accept-encoding": "identity",
                "user-agent": "touchstone",
            }
            for name in ("content-type", "content-length", "transfer-encoding"):
                if name in request.headers:
                    headers[name] = request.headers[name]
            if key is not None:
                headers["authorization"] = key.header()
            pool = next(self._turns)
            for number, address in enumerate(self._found, start=1):
                try:
                    response = await pool.handle_async_request(
                        httpx2.Request(
                            request.method,
                            url.copy_with(host=address),
                            headers=headers,
                            stream=request.stream,
                            extensions={**request.extensions, "sni_hostname": place.host},
                        )
                    )
                    break
                except (httpx2.ConnectError, httpx2.ConnectTimeout):
                    if number == len(self._found):
                        raise
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                await response.aclose()
                raise _NotReadable("The reply is compressed, although it was asked not to be.")
            if key is not None:
                response.headers = httpx2.Headers(
                    [(name, key.hidden(value)) for name, value in response.headers.multi_items()]
                )
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            file = request.method == "GET" and url.path.endswith("/content")
            response.stream = Bounded(response.stream, LARGEST_FILE if file else LARGEST_REPLY)
            return response

        async def aclose(self) -> None:
            for pool in self._pools:
                await pool.aclose()

    return Checked()
