"""Batch files: questions as lines, an endpoint that takes a file of them, and the lines of results."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domain.errors import ModelError
from domain.runs import Outcome, Question
from inference.endpoint import replies
from inference.endpoint.answerer import parameters, turns
from inference.endpoint.client import Client, NoReply
from inference.endpoint.replies import EndpointReply
from inference.spec import ModelSpec
from net.addresses import Resolve

PATH = "/v1/chat/completions"
"""The path of the requests in a batch file."""
UPLOAD_SECONDS = 900.0
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""The states of a batch that gives no further results."""
LONGEST_WORD = 100
"""The largest number of characters stored of a name that an endpoint chose."""


# ---- lines ----------------------------------------------------------------------------------------------------------


def custom_id(run: str, number: int, unit_id: int) -> str:
    """Return the ID of a line, made from run, batch and unit.

    >>> custom_id("Zk3_-x", 2, 17)
    'Zk3_-x-2-17'
    """
    return f"{run}-{number}-{unit_id}"


def unit_of(custom_id: str, run: str) -> tuple[int, int] | None:
    """Return the batch number and the unit of a line, or None if the line does not belong to this run.

    >>> unit_of("Zk3_-x-2-17", "Zk3_-x")
    (2, 17)
    >>> unit_of("Zk3_-x-02-17", "Zk3_-x") is None
    True
    """
    parts = custom_id.rsplit("-", 2)
    if len(parts) != 3 or not all(part.isascii() and part.isdecimal() and len(part) < 19 for part in parts[1:]):
        return None
    number, unit_id = int(parts[1]), int(parts[2])
    return (number, unit_id) if custom_id == f"{run}-{number}-{unit_id}" else None


def sampling_of(spec: ModelSpec) -> dict[str, Any]:
    """Return the fields of a request apart from the model and the messages."""
    assert spec.endpoint is not None
    return parameters(spec.generation, spec.endpoint)[0]


def line_of(spec: ModelSpec, question: Question, custom_id: str) -> bytes:
    """Return a question as a line of a batch file: the request that would be sent.

    Raises
    ------
    CannotAsk
        The question cannot be sent as a request.
    """
    body = {"model": spec.model, "messages": turns(spec, question), **sampling_of(spec)}
    request = {"custom_id": custom_id, "method": "POST", "url": PATH, "body": body}
    return json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


@dataclass(frozen=True)
class BatchLine:
    """A line that came back."""

    custom_id: str | None
    """The id in the line; None if unreadable."""
    reply: EndpointReply
    why: str = ""
    """Why the line answers no question, as a sentence."""


def read_line(text: str) -> BatchLine:
    """Return the content of a line of an output or error file.

    >>> read_line('{"custom_id": "a"}').reply.outcome.value
    'unreadable'
    """
    text = replies.storable(text)[0]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return BatchLine(None, _NOTHING, "The line is not JSON.")
    name = value.get("custom_id") if isinstance(value, dict) else None
    if not isinstance(name, str):
        return BatchLine(None, _NOTHING, "The line has no custom_id.")
    response, error = value.get("response"), value.get("error")
    status = response.get("status_code") if isinstance(response, dict) else None
    if isinstance(response, dict) and isinstance(status, int) and not isinstance(status, bool):
        body = response.get("body")
        if body is None and isinstance(error, dict):
            body = {"error": error}
        asked = response.get("request_id")
        headers = {"x-request-id": asked} if isinstance(asked, str) else {}
        return BatchLine(
            name, replies.read_response(status, headers, body if isinstance(body, str) else json.dumps(body))
        )
    if isinstance(error, dict):
        error_text = " ".join(str(error[part]) for part in ("code", "message") if error.get(part))[
            : replies.LONGEST_TOLD
        ]
        sentence = f"The batch returned no reply: {error_text.rstrip('.') or 'no reason given'}."
        return BatchLine(name, EndpointReply(Outcome.TRANSPORT_ERROR, error=sentence))
    return BatchLine(name, EndpointReply(Outcome.UNREADABLE, error="The line has no error and no reply with a status."))


_NOTHING = EndpointReply(Outcome.UNREADABLE)


# ---- an endpoint ----------------------------------------------------------------------------------------------------


class BatchRefusal(Exception):
    """The endpoint refused, so the batch was not submitted. The message is a sentence."""


@dataclass(frozen=True)
class BatchStatus:
    """The status of a batch as the endpoint reports it."""

    id: str
    status: str
    output_file: str | None = None
    error_file: str | None = None
    total: int | None = None
    completed: int | None = None
    failed: int | None = None
    errors: str = ""
    """Why the batch failed as a whole, in the endpoint's words."""

    @property
    def ended(self) -> bool:
        """Whether the batch gives no further results."""
        return self.status in ENDED

    def dump(self) -> dict[str, Any]:
        """Return the status as stored values."""
        return {name: value for name, value in vars(self).items() if name != "id" and value not in (None, "")}


class BatchEndpoint:
    """An endpoint that takes batch files. Addresses and keys are checked as for every other request.

    Every method raises ``NoReply`` if no response came, and ``BatchRefusal`` if the endpoint refused.

    Raises
    ------
    ModelError
        It may not be asked, its key is missing, or the package `openai` is.
    """

    def __init__(self, spec: ModelSpec, *, listed: Sequence[str] = (), resolve: Resolve | None = None) -> None:
        if spec.endpoint is None or spec.model is None:
            raise ModelError(
                f"{spec.name} is not an endpoint. Choose an endpoint, because only endpoints accept batch files."
            )
        self._seconds = spec.endpoint.timeout_seconds
        self._runner = asyncio.Runner()
        try:
            self._client = Client(spec.endpoint, spec.model, listed=listed, resolve=resolve)
        except BaseException:
            self._runner.close()
            raise
        self.about = {"libraries": dict(self._client.versions), "base_url": self._client.place.url, "model": spec.model}

    def upload(self, path: Path) -> str:
        """Upload a file, and return its id. No question is asked yet."""
        given = (path.name, path.read_bytes(), "application/jsonl")
        value = self._json(
            lambda client: client.files.with_raw_response.create(file=given, purpose="batch", timeout=UPLOAD_SECONDS),
            seconds=UPLOAD_SECONDS,
        )
        return _id(value)

    def create(self, file: str, *, token: str) -> BatchStatus:
        """Submit a file's questions as a batch. ``token`` is stored with the batch, so that ``find`` can find it."""
        return _status_of(
            self._json(
                lambda client: client.batches.with_raw_response.create(
                    input_file_id=file, endpoint=PATH, completion_window="24h", metadata={"touchstone": token}
                )
            )
        )

    def look(self, id: str) -> BatchStatus:
        """Return the status of a batch."""
        return _status_of(self._json(lambda client: client.batches.with_raw_response.retrieve(id)))

    def find(self, file: str, *, token: str) -> BatchStatus | None:
        """Return the batch that was made of a file; None if it does not exist."""
        after: str | None = None
        while True:
            more: dict[str, Any] = {} if after is None else {"after": after}
            value = self._json(lambda client, more=more: client.batches.with_raw_response.list(limit=100, **more))
            listed = value.get("data")
            if not isinstance(listed, list):
                raise BatchRefusal("The endpoint cannot list its batches.")
            for entry in listed:
                if not isinstance(entry, dict):
                    continue
                metadata = entry.get("metadata")
                if entry.get("input_file_id") == file or (
                    isinstance(metadata, dict) and metadata.get("touchstone") == token
                ):
                    return _status_of(entry)
            last = listed[-1].get("id") if listed and isinstance(listed[-1], dict) else None
            if not value.get("has_more") or not isinstance(last, str) or last == after:
                return None
            after = last

    def fetch(self, file: str, to: Path) -> None:
        """Write a file of results to ``to``, whole or not at all."""
        part = to.with_suffix(".part")
        with part.open("wb") as opened:
            self._runner.run(self._client.download(file, opened))
        part.replace(to)

    def close(self) -> None:
        """Close the connections."""
        with suppress(Exception):
            self._runner.run(self._client.close())
        self._runner.close()

    def _json(self, send: Any, *, seconds: float | None = None) -> dict[str, Any]:
        status, headers, text = self._runner.run(self._client.exchanged(send, seconds=seconds or self._seconds))
        if status >= 300:
            reply = replies.read_response(status, headers, text)
            if status >= 500 or status in (408, 409, 425):
                raise NoReply(reply.error)
            raise BatchRefusal(reply.stop or reply.error)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise NoReply("The reply does not follow the protocol. Check base_url.")
        return value


def _id(value: Mapping[str, Any]) -> str:
    server_id = value.get("id")
    if not isinstance(server_id, str) or not server_id or len(server_id) > 500 or replies.storable(server_id)[1]:
        raise NoReply("The reply has no id. Check base_url.")
    return server_id


def _status_of(value: Mapping[str, Any]) -> BatchStatus:
    counted = value.get("request_counts")
    counts: Mapping[str, Any] = counted if isinstance(counted, dict) else {}
    errors = value.get("errors")
    listed = errors.get("data") if isinstance(errors, dict) else errors
    messages = [entry.get("message") for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    words = "; ".join(text for text in messages if isinstance(text, str))
    return BatchStatus(
        id=_id(value),
        status=replies.storable(str(value.get("status") or "unknown"))[0][:LONGEST_WORD],
        output_file=_word(value.get("output_file_id")),
        error_file=_word(value.get("error_file_id")),
        total=_count(counts.get("total")),
        completed=_count(counts.get("completed")),
        failed=_count(counts.get("failed")),
        errors=" ".join(replies.storable(words)[0].split())[: replies.LONGEST_TOLD],
    )


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
