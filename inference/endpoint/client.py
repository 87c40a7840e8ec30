"""One request to an endpoint through the `openai` package, and its outcome.

The package neither retries nor follows redirects here, and connects only to a checked address. The key is added where
the request leaves the process, so no other object holds it.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from domain.errors import ModelError
from domain.installation import install_hint
from domain.request_settings import FROM_ENVIRONMENT, is_key_name
from domain.runs import Outcome
from domain.settings import ENDPOINTS
from inference.endpoint import replies
from inference.endpoint.replies import EndpointReply
from inference.spec import Endpoint
from net import addresses, httpx2_client
from net.addresses import AddressWords, ForbiddenAddress, Rules, ServerAddress, UnknownHost
from net.guard import BrokenOff, Guard, NoConnection, NotReadable, Redirect, ReplyLimits, TooSlow, Traffic

if TYPE_CHECKING:
    from typing import BinaryIO

    import openai

LARGEST_REPLY = 16 * 2**20
"""Bytes; more is no answer to a question."""
LARGEST_FILE = 2**30
"""Bytes of a file that is fetched."""
FILE_SECONDS = 3600.0
"""For a file that is fetched, however often a little more of it comes."""
BASE_URL = AddressWords(
    "base URL",
    key="put the key into an environment variable, and name the variable under `key`",
    path="the path, usually /v1",
)
SHORTEST_HIDDEN = 8
"""Keys shorter than this are placeholders, and striking them out would strike out words."""


class Key:
    """A key out of the environment, which never shows itself."""

    def __init__(self, value: str) -> None:
        self._value = value

    def value(self) -> str:
        """Return the key for a header with only the key as its value."""
        return self._value

    def __repr__(self) -> str:
        return "Key(...)"

    def header(self) -> str:
        """Return the value of the request's authorization header."""
        return f"Bearer {self._value}"

    def hidden(self, text: str) -> str:
        """Return the text without the key, in case a server repeats it."""
        return text.replace(self._value, "[key]") if len(self._value) >= SHORTEST_HIDDEN else text


def key_of(endpoint: Endpoint, place: ServerAddress, environment: Mapping[str, str]) -> Key | None:
    """Return the key that the description names; None if the description names no key.

    The author of a description chooses both the variable and the server that receives it. So only variables with the
    name of an endpoint key are read. A variable can also be bound to its servers: with ``LAB_API_KEY_HOSTS=vllm.lab``,
    the key in ``LAB_API_KEY`` is sent to no other host.

    Raises
    ------
    ModelError
        The variable is missing, or its key may not be sent to that server.
    """
    if endpoint.key is None:
        return None
    check_key_name(endpoint)
    return _key_in(endpoint.key, place, environment)


def header_keys_of(endpoint: Endpoint, place: ServerAddress, environment: Mapping[str, str]) -> dict[str, Key]:
    """Return the keys that headers name, by header. Raises ``ModelError`` as ``key_of``."""
    return {
        header: _key_in(value.removeprefix(FROM_ENVIRONMENT), place, environment)
        for header, value in endpoint.headers.items()
        if value.startswith(FROM_ENVIRONMENT)
    }


def _key_in(name: str, place: ServerAddress, environment: Mapping[str, str]) -> Key:
    value = environment.get(name, "").strip()
    if not value:
        raise ModelError(
            f"The worker has no environment variable {name}. Set the variable to the key for {place.host}."
        )
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ModelError(
            f"The environment variable {name} has no valid key. Remove spaces and special characters from the key."
        )
    hosts = environment.get(f"{name}_HOSTS")
    if hosts is not None and place.host not in {host.strip().lower().removesuffix(".") for host in hosts.split(",")}:
        raise ModelError(
            f"Touchstone cannot send the key in {name} to {place.host}, because {name}_HOSTS does not list this "
            "host. Add the host to the list."
        )
    return Key(value)


def check_key_name(endpoint: Endpoint) -> None:
    """Refuse (``ModelError``) a variable that is not named as a key, or a key in its place."""
    name = endpoint.key
    if name is not None and not is_key_name(name):
        raise ModelError(
            "`key` must name an environment variable that ends with _API_KEY or _API_TOKEN, such as LAB_API_KEY. "
            "Touchstone reads no other variables. Do not write the key itself into the description."
        )


def place_of(endpoint: Endpoint) -> ServerAddress:
    """Return the address of an endpoint. Raises ``ModelError`` if the URL is not the address of a server."""
    try:
        return addresses.place_of(endpoint.base_url, BASE_URL)
    except ForbiddenAddress as error:
        raise ModelError(str(error)) from None


def bounds(method: str, path: str) -> ReplyLimits:
    """Return the limits on the size and time of a reply. Files have higher limits than answers."""
    if method == "GET" and path.endswith("/content"):
        return ReplyLimits(LARGEST_FILE, FILE_SECONDS)
    return ReplyLimits(LARGEST_REPLY)


class Client:
    """An endpoint that can be asked, from one event loop.

    Raises
    ------
    ModelError
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
        self.place = place_of(endpoint)
        try:
            guard = Guard(self.place, Rules(listed), resolve)
        except ForbiddenAddress as error:
            raise ModelError(str(error)) from error
        environment = os.environ if environment is None else environment
        self._key = key_of(endpoint, self.place, environment)
        header_keys = header_keys_of(endpoint, self.place, environment)
        keys = [*([self._key] if self._key is not None else []), *header_keys.values()]
        self._keys = sorted(keys, key=lambda key: -len(key.value()))
        if keys and guard.unencrypted:
            raise ModelError(
                f"The key would go to {self.place.host} unencrypted over a public network. Use https://, or ask "
                f"the person who runs this server to list this host in {ENDPOINTS}."
            )
        try:
            import openai

            self.versions = {"openai": openai.__version__, "httpx2": httpx2_client.version()}
        except ImportError as error:
            raise ModelError(
                f"Models behind an endpoint need the package openai, which is not installed. {install_hint('judges')}"
            ) from error
        traffic = Traffic(
            bounds,
            authorization=self._key.header if self._key is not None else None,
            hidden=self._hidden if keys else None,
            headers=lambda: {
                name.lower(): header_keys[name].value() if name in header_keys else value
                for name, value in endpoint.headers.items()
            },
        )
        self._client = openai.AsyncOpenAI(
            base_url=self.place.url,
            # Without a key, the package would take OPENAI_API_KEY. The real key is added when the request leaves.
            api_key="unused",
            max_retries=0,
            timeout=endpoint.timeout_seconds,
            http_client=httpx2_client.client(
                guard, traffic, seconds=endpoint.timeout_seconds, pools=min(16, -(-endpoint.concurrency // 4))
            ),
        )

    async def complete(
        self,
        asked: Sequence[Mapping[str, Any]] | str,
        parameters: Mapping[str, Any],
        *,
        seconds: float | None = None,
    ) -> EndpointReply:
        """Ask for one completion, once: of messages, or of a text alone.

        ``seconds``: not longer than that, if the description allows as much.
        """
        text = isinstance(asked, str)
        body = {"model": self.model, "prompt" if text else "messages": asked, **parameters}
        return await self._request("POST", "/completions" if text else "/chat/completions", body, seconds)

    async def models(self, *, seconds: float | None = None) -> EndpointReply:
        """Ask for the list of models, once. Only ``status``, ``error`` and ``raw`` mean something."""
        return await self._request("GET", "/models", None, seconds)

    async def exchanged(
        self, send: Callable[[openai.AsyncOpenAI], Awaitable[Any]], *, seconds: float
    ) -> tuple[int, dict[str, str], str]:
        """Send a request other than a question, once. Return the status, the headers and the text of the response.

        ``send`` uses one of the ``with_raw_response`` calls of the package's client.

        Raises
        ------
        NoReply
            No response came, so it is unknown whether the request has arrived.
        """
        import openai

        try:
            try:
                response = (await send(self._client.with_options(timeout=seconds))).http_response
            except openai.APIStatusError as error:
                response = error.response
            text = self._hidden(response.content.decode("utf-8", "surrogateescape"))
            headers = {name.lower(): value for name, value in response.headers.items()}
        except Exception as error:
            reply = self._not_answered(error)
            if reply.status is not None:
                return reply.status, {}, ""
            raise NoReply(reply.error) from None
        return response.status_code, headers, text

    async def download(self, file: str, to: BinaryIO) -> None:
        """Fetch a file from the endpoint, line by line.

        Raises
        ------
        NoReply
            The download ended early.
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
            raise NoReply(replies.read_response(status, {}, text).error) from None
        except Exception as error:
            raise NoReply(self._not_answered(error).error) from None

    def _without_key(self, line: bytes) -> bytes:
        if not self._keys:
            return line
        return self._hidden(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _request(
        self, method: str, path: str, body: Mapping[str, Any] | None, seconds: float | None
    ) -> EndpointReply:
        import openai

        begun = time.monotonic()
        kind = httpx2_client.reply_type()
        options: openai.RequestOptions = {"timeout": min(seconds or math.inf, self.endpoint.timeout_seconds)}
        try:
            try:
                if method == "GET":
                    response = await self._client.get(path, cast_to=kind, options=options)
                else:
                    response = await self._client.post(path, cast_to=kind, body=body, options=options)
            except openai.APIStatusError as error:
                response = error.response
            text = self._hidden(response.content.decode("utf-8", "surrogateescape"))
            headers = {name.lower(): value for name, value in response.headers.items()}
            reply = replies.read_response(response.status_code, headers, text)
        except Exception as error:  # whatever it is, it is an outcome of this request
            reply = self._not_answered(error)
        return replace(reply, seconds=time.monotonic() - begun)

    def _not_answered(self, error: Exception) -> EndpointReply:
        """Return the outcome of an exception of the package. The reason is in the exceptions that caused it."""
        where = f"{self.place.host}:{self.place.port}"
        cause: BaseException | None = error
        while cause is not None:
            words = self._hidden(str(cause))
            if isinstance(cause, UnknownHost):
                return _failed(words)
            if isinstance(cause, ForbiddenAddress):
                # The name has another address than at the start of the run.
                return replace(_failed(words), again=False, stop=words)
            if isinstance(cause, Redirect):
                return replies.read_response(cause.status, {}, "")
            if isinstance(cause, NotReadable):
                return EndpointReply(Outcome.UNREADABLE, error=_sentence(words))
            if isinstance(cause, TooSlow):
                return _failed(_sentence(words))
            if isinstance(cause, NoConnection):
                return _failed(
                    f"Touchstone cannot connect to {where}{f': {words}' if words else ''}. Check that the endpoint "
                    "is running."
                )
            if isinstance(cause, BrokenOff):
                return _failed(f"{where} closed the connection before the whole reply arrived.")
            cause = cause.__cause__ or cause.__context__
        return _failed(f"The request to {where} failed ({type(error.__cause__ or error).__name__}).")

    def _hidden(self, text: str) -> str:
        for key in self._keys:
            text = key.hidden(text)
        return text


def _failed(sentence: str) -> EndpointReply:
    return EndpointReply(Outcome.TRANSPORT_ERROR, again=True, error=sentence)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


class NoReply(Exception):
    """No response, or an incomplete one, came back. The message is a sentence."""
