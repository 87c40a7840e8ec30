"""Send one request to a Label Studio server through its SDK, repeat it where that is safe, and read the outcome.

The SDK knows the addresses, and renews the short-lived tokens of a personal access token. It neither repeats a request
here nor follows a redirect.
"""

from __future__ import annotations

import gc
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from domain.errors import ServiceError, ServiceUnreachableError
from domain.installation import install_hint
from extensions.labelstudio import httpx_client, tokens
from extensions.labelstudio.objects import Objects
from extensions.labelstudio.settings import LABEL_STUDIO_URL
from extensions.labelstudio.tokens import Token
from net.addresses import ForbiddenAddress, Resolve, Rules, UnknownHost
from net.guard import Guard, NoAnswer, NoConnection, NotReadable, Redirect, ReplyLimits, TooSlow, Traffic

if TYPE_CHECKING:
    from extensions.labelstudio.httpx_client import Response

SECONDS = 60.0
"""Seconds for one request and its whole reply."""
PAUSES = (0.5, 2.0)
"""Seconds before each repetition of a request."""
LONGEST_PAUSE = 30.0
"""Longest pause in seconds, however long a server asks to wait."""
LARGEST_REPLY = 64 * 2**20
"""Largest reply in bytes."""
_REFRESH = "/api/token/refresh/"

Send = Callable[[Any], object]
"""Sends a request through the SDK."""


class _Unreachable(ServiceUnreachableError):
    """The server does not answer.

    ``arrived``: the request may have been carried out. ``pause``: the seconds that the server asks to wait.
    """

    def __init__(self, sentence: str, *, arrived: bool, pause: float = 0.0) -> None:
        super().__init__(sentence)
        self.arrived, self.pause = arrived, pause


class _Unknown(ServiceError):
    """The server does not accept the token."""


class _NoSuchAddress(ServiceError):
    """The address does not exist."""


class Requests:
    """Sends requests to one server with one account's token. Safe for several threads.

    Raises
    ------
    ServiceError
        The address is not allowed, or the SDK is not installed.
    ServiceUnreachableError
        The server's name cannot be resolved at the moment.
    """

    def __init__(
        self,
        address: str,
        token: Token,
        *,
        listed: Sequence[str],
        seconds: float,
        pauses: Sequence[float],
        largest: int,
        resolve: Resolve | None,
    ) -> None:
        self.address = tokens.normal(address)
        self.read = Objects(self.address)
        place = tokens.place(self.address)
        self._token, self._pauses = token, tuple(pauses)
        try:
            guard = Guard(place, Rules(listed), resolve)
        except ForbiddenAddress as error:
            self._not_found(error)
        if guard.unencrypted:
            raise ServiceError(
                f"Touchstone would send the token to {place.host} unencrypted over a public network. Use https://."
            )
        try:
            import label_studio_sdk  # noqa: F401
        except ImportError as error:
            raise ServiceError(
                "The package label-studio-sdk, which connects Touchstone to Label Studio, is not installed. "
                f"{install_hint('labelstudio')}"
            ) from error
        traffic = Traffic(lambda method, path: ReplyLimits(largest), sent=("accept", "authorization"))
        self._http = httpx_client.client(guard, traffic, seconds=seconds)
        self._http.event_hooks = {"response": [self._keep]}
        self._last: Response | None = None
        self._lock = threading.RLock()
        self._sdk: Any = None

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def ask(self, send: Send, *, again: bool = True, gone: bool = False) -> Any:
        """Return the JSON of a request's reply, or None without content.

        ``again``: repeat the request even if it may have arrived. ``gone``: return None if the address does not exist.
        """
        pauses, renewed = iter(self._pauses), False
        while True:
            try:
                with self._lock:
                    return self._once(send)
            except _NoSuchAddress:
                if gone:
                    return None
                raise
            except _Unknown:
                if renewed or not self._token.personal:
                    raise
                renewed, self._sdk = True, None  # perhaps only the short-lived token is no longer accepted
            except _Unreachable as down:
                pause = next(pauses, None)
                if pause is None or (down.arrived and not again):
                    raise
                time.sleep(max(pause, min(down.pause, LONGEST_PAUSE)))

    def _once(self, send: Send) -> Any:
        self._last = None
        try:
            if self._sdk is None:
                self._sdk = _sdk_class()(
                    base_url=self.address + "/", api_key=self._token.value(), max_retries=0, httpx_client=self._http
                )
            send(self._sdk)
        except Exception as error:
            self._not_answered(error)
        reply = self._last
        if reply is None:
            raise ServiceError(
                f"Touchstone cannot reach Label Studio at {self.address}. Check that Label Studio is running, then "
                "try again."
            )
        self._refused(reply)
        if reply.request.url.path.endswith(_REFRESH):
            self.read.odd("the token")  # it was accepted, but the reply was useless
        if not reply.content:
            return None
        try:
            return json.loads(reply.content)
        except (ValueError, RecursionError):
            self.read.odd("the reply is not JSON")

    def _keep(self, reply: Response) -> None:
        self._last = reply

    def _not_answered(self, error: Exception) -> None:
        """Raise the error behind an exception, unless the reply itself has the reason."""
        where = f"Label Studio at {self.address}"
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, ForbiddenAddress):
                self._not_found(cause)
            if isinstance(cause, Redirect):
                raise ServiceError(
                    f"{where} redirects to another address. Use the redirect's target address, which usually "
                    "starts with https://."
                ) from None
            if isinstance(cause, NotReadable):
                raise ServiceError(
                    f"Touchstone cannot read the reply from {where}: {cause}. Check the address of Label Studio."
                ) from None
            if isinstance(cause, NoAnswer):
                arrived = not isinstance(cause, NoConnection)
                if isinstance(cause, TooSlow):
                    why = "did not answer in time"
                elif arrived:
                    why = "closed the connection before answering"
                else:
                    why = "does not answer"
                raise _Unreachable(
                    f"{where} {why}. No data was lost. Check that Label Studio is running, then try again.",
                    arrived=arrived,
                ) from None
            cause = cause.__cause__ or cause.__context__
        if self._last is None:
            raise ServiceError(
                f"Touchstone cannot reach {where} ({type(error).__name__}). Check the address and the network "
                "connection."
            ) from None

    def _not_found(self, error: ForbiddenAddress) -> NoReturn:
        if isinstance(error, UnknownHost):
            raise _Unreachable(str(error), arrived=False) from None
        raise ServiceError(str(error)) from None

    def _refused(self, reply: Response) -> None:
        """Raise the error for a reply's status. Statuses of success raise nothing."""
        status, where = reply.status_code, f"Label Studio at {self.address}"
        if 200 <= status < 300:
            return
        if status == 401:
            kind = (
                "the token was revoked or has expired"
                if self._token.personal
                else "the token was replaced, or legacy tokens are turned off"
            )
            raise _Unknown(
                f"{where} refuses the token in {self._token.whence}: {kind}. Create a personal access token in Label "
                f"Studio under Account & Settings, and put the new token into {self._token.whence}."
            )
        detail = self._said(reply)
        if status == 403:
            raise ServiceError(
                f"{where}: the token's account lacks permission for this request{detail}. Use the token of an "
                "account with this permission."
            )
        if status == 404:
            raise _NoSuchAddress(
                f"{where} has no page {reply.request.url.path}{detail}. Check the address in {LABEL_STUDIO_URL}."
            )
        if status in (408, 425, 429) or status >= 500:
            # Statuses 408, 425 and 429 refuse before any effect. For the others, the effect is unknown.
            wait = reply.headers.get("retry-after", "")
            raise _Unreachable(
                f"{where} cannot answer now (status {status}){detail}. No data was lost. Try again later.",
                arrived=status >= 500,
                pause=float(wait) if wait.isdigit() and len(wait) < 6 else 0.0,
            )
        raise ServiceError(
            f"{where} refused the request (status {status}){detail}. See Label Studio's log for the reason."
        )

    def _said(self, reply: Response) -> str:
        """Return the server's reason for a refusal, shortened, as the rest of a sentence.

        Empty if the reply is a page.
        """
        try:
            body = json.loads(reply.content)
        except (ValueError, RecursionError):
            return ""
        if not isinstance(body, dict):
            return ""
        parts = [body.get("detail"), body.get("validation_errors")]
        text = "; ".join(dict.fromkeys(_flat(parts)))
        text = " ".join(self._token.hidden(text).split()).rstrip(".")
        return f": {text[:300]}" if text else ""


def _sdk_class() -> Any:
    """Return the SDK's client class. The first import takes two seconds and makes a hundred thousand objects.

    The web process excludes its loaded objects from garbage collection, because each collection takes time in
    proportion to them. The SDK's objects are excluded in the same way.
    """
    loaded = "label_studio_sdk.client" in sys.modules
    from label_studio_sdk import LabelStudio

    if not loaded and gc.get_freeze_count():
        gc.collect()
        gc.freeze()
    return LabelStudio


def _flat(value: object) -> Iterator[str]:
    """Yield all texts in a nested reply."""
    if isinstance(value, str):
        yield "".join(letter for letter in value if letter.isprintable() or letter.isspace())
    elif isinstance(value, dict):
        for name, part in value.items():
            for text in _flat(part):
                yield text if name in ("detail", "non_field_errors") else f"{name}: {text}"
    elif isinstance(value, list):
        for part in value:
            yield from _flat(part)
