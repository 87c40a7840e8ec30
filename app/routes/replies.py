"""Read the bodies of requests, and turn errors into replies. The one place that maps errors to HTTP statuses."""

from __future__ import annotations

import hmac
import json
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from app.serving.open_files import CROWDED, none_left
from app.serving.request_records import current_id
from app.session import CSRF_HEADER
from domain.errors import (
    BadRequestError,
    ConflictError,
    DatabaseUnavailableError,
    InvalidInputError,
    MediaUnavailableError,
    NotAllowedError,
    NotFoundError,
    RequestTooLargeError,
    SignInRequiredError,
    TooManyRequestsError,
    TouchstoneError,
)
from domain.language import _
from domain.records import SignedIn

log = logging.getLogger("touchstone")

BODY_LIMIT = 1024 * 1024
"""Largest request in bytes. A submission is text, and no real answer has a megabyte."""

RETRY_SECONDS = 5
"""Seconds in the header Retry-After of every 503 reply."""

STATUS: tuple[tuple[type[TouchstoneError], int], ...] = (
    (SignInRequiredError, 401),
    (NotAllowedError, 403),
    (NotFoundError, 404),
    (ConflictError, 409),
    (InvalidInputError, 422),
    (RequestTooLargeError, 413),
    (TooManyRequestsError, 429),
    (DatabaseUnavailableError, 503),
    (MediaUnavailableError, 503),
    (TouchstoneError, 400),
)
"""The status of each kind of error. The first matching row counts."""


def signed_in(request: Request) -> SignedIn:
    """Return the session of a request. Raise ``SignInRequiredError`` without one; the gate has already looked it up."""
    identity: SignedIn | None = getattr(request.state, "signed_in", None)
    if identity is None:
        raise SignInRequiredError(_("You are not signed in, or your session has ended. Sign in and try again."))
    return identity


def from_own_page(request: Request) -> SignedIn:
    """Return the session of a request from an open page of ours.

    Raise ``NotAllowedError`` if its CSRF token is wrong.
    """
    session = signed_in(request)
    if not hmac.compare_digest(request.headers.get(CSRF_HEADER, "").encode(), session.csrf.encode()):
        raise NotAllowedError(_("This page is from an earlier session. Reload the page. Your text is kept."))
    return session


async def read_body(request: Request) -> bytes:
    """Return the body. Raise ``RequestTooLargeError`` above the limit, without reading the body to its end."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > BODY_LIMIT:
        raise RequestTooLargeError(_("This request is too large. Send at most one megabyte of text per request."))
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_LIMIT:
            raise RequestTooLargeError(_("This request is too large. Send at most one megabyte of text per request."))
    return bytes(body)


def _no_constant(name: str) -> Any:
    raise ValueError(name)


async def read_json(request: Request) -> Mapping[str, Any]:
    """Return the body as a JSON object whose text any database can store."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise BadRequestError(
            _("The Content-Type of this request is not application/json. Send JSON with this Content-Type.")
        )
    body = await read_body(request)
    try:
        document = json.loads(body, parse_constant=_no_constant)
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)  # 1e999 is read as infinity
        text.encode()
    except (ValueError, RecursionError):
        raise BadRequestError(
            _("This request is not valid JSON in UTF-8. Correct the JSON and send the request again.")
        ) from None
    if "\\u0000" in text:
        raise BadRequestError(_("This request contains a null character. Remove the character from the text."))
    if not isinstance(document, dict):
        raise BadRequestError(_("This request must be one JSON object."))
    return document


def body_value(body: Mapping[str, Any], name: str, kind: type, *, default: Any = ...) -> Any:
    """Return one value of a request's body, of the required kind. A whole number is accepted for a ``float``."""
    value = body.get(name, default)
    if value is ...:
        raise BadRequestError(f"The request has no field “{name}”. Add the field.")
    if value is default:
        return value
    if not isinstance(value, (int, float) if kind is float else kind) or (kind is not bool and isinstance(value, bool)):
        raise BadRequestError(f"“{name}” in this request must be {_KINDS[kind]}.")
    if kind is float:
        try:
            return float(value)  # type: ignore[arg-type]
        except OverflowError:
            raise BadRequestError(f"The number “{name}” in this request is too large. Send a smaller number.") from None
    return value


_KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", dict: "an object"}
_KINDS |= {list: "a list"}


def status_of(error: TouchstoneError) -> int:
    """Return the HTTP status of an error."""
    return next(status for kind, status in STATUS if isinstance(error, kind))


def error_reply(error: TouchstoneError) -> JSONResponse:
    """Return an error as JSON: its sentence, and the problem of each field."""
    problems = [{"name": problem.name, "message": problem.message} for problem in getattr(error, "problems", ())]
    return JSONResponse({"error": str(error), "problems": problems}, status_code=status_of(error))


def report(error: Exception) -> str:
    """Log an unexpected error with its traceback. Return a sentence for people, with the id of the request."""
    number = current_id()
    log.error("Error %s", number, exc_info=error)
    return (
        "An internal error occurred. You did not cause this error, and your submissions are not lost. Report the "
        f"error number {number} to the people who run this server."
    )


Endpoint = Callable[[Request], Awaitable[Response]]


class Refusals:
    """Logs a refused change once, and then only counts while the same change is refused again."""

    def __init__(self, *, seconds: float = 60.0, most: int = 1000, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self.most, self.clock = seconds, most, clock
        self._seen: dict[tuple[object, ...], tuple[float, int]] = {}
        self._lock = threading.Lock()

    def note(self, where: str, person: int | None, error: TouchstoneError) -> None:
        """Record a refused change. ``where`` is the address of its route, and never text that a person wrote."""
        key = (where, person, type(error))
        with self._lock:
            now = self.clock()
            since, n = self._seen.get(key, (float("-inf"), 0))
            if now - since < self.seconds:
                self._seen[key] = (since, n + 1)
                return
            if len(self._seen) >= self.most:
                self._seen.clear()
            self._seen[key] = (now, 0)
        more = f" (refused before: {n})" if n else ""
        who = f"person {person}" if person is not None else "a visitor who is not signed in"
        # Other errors may repeat what the person wrote. The sentence about a database is ours.
        why = repr(str(error)) if isinstance(error, DatabaseUnavailableError) else type(error).__name__
        log.warning("Refused %s of %s with %d: %.300s%s", where, who, status_of(error), why, more)


REFUSALS = Refusals()


def _noted(request: Request, error: TouchstoneError) -> None:
    if request.method in ("GET", "HEAD"):
        return
    route = request.scope.get("route")
    session = getattr(request.state, "signed_in", None)
    where = str(getattr(route, "path", "a change"))
    REFUSALS.note(where, session.person.id if session else None, error)


def answering(endpoint: Endpoint) -> Endpoint:
    """Return an endpoint whose errors become JSON replies with a sentence."""

    async def answer(request: Request) -> Response:
        try:
            response = await endpoint(request)
        except TouchstoneError as error:
            _noted(request, error)
            response = error_reply(error)
        except ClientDisconnect:  # the client has gone, so no reply is needed
            response = Response(status_code=400)
        except Exception as error:  # the frame around a request: a general message, and the full error in the log
            if none_left(error):
                return error_reply(DatabaseUnavailableError(CROWDED))
            response = JSONResponse({"error": report(error), "problems": []}, status_code=500)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return answer
