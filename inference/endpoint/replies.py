"""Readers of an endpoint's replies. They send no request, so a stored reply can be read again.

The reason for the end of an answer is checked before the answer, and missing values are never filled in. A reply is an
answer, or has another outcome with a reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from domain.runs import Outcome
from inference.endpoint.messages import MessageParts, read_message

LONGEST_RAW = 65_536
"""The largest number of characters stored of a raw reply."""
LONGEST_TOLD = 300
"""The largest number of characters of a server's own words in a message."""

REPLACED = "The database cannot store some characters of the reply. Touchstone replaced these characters with U+FFFD."

_ENDED = {"stop", "eos", "end_turn", "stop_sequence"}
_CUT = {"length", "max_tokens"}
_FILTERED = {"content_filter", "safety", "prohibited_content", "recitation", "blocklist"}
_ASKS = {"tool_calls", "function_call"}
_BROKEN_OFF = {"abort", "error", "cancelled"}

_QUOTA = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "account_deactivated"}
_FILTER_CODES = {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
_PARAMETER_CODES = {"unsupported_parameter", "unsupported_value", "unknown_parameter"}
_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|maximum.{0,20}(length|tokens)|too many tokens|prompt is too long"
    r"|longer than the maximum|exceeds? the (available )?context",
    re.IGNORECASE,
)
_ONLY_REASONING = "The model reasoned but gave no answer."
_ONLY_REASONING_CUT = (
    "The reply reached the maximum length while the model was still reasoning. Raise max_new_tokens, or request "
    "less reasoning with `extra_body`."
)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_AGAIN = {408, 409, 425, 429}


@dataclass(frozen=True)
class EndpointReply:
    """The result of one request."""

    outcome: Outcome
    text: str = ""
    again: bool = False
    """Asking once more may help."""
    stop: str = ""
    """Why the whole run has to stop, as a sentence; empty if it can continue."""
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    status: int | None = None
    error: str = ""
    request_id: str | None = None
    reasoning: str = ""
    """The reasoning before the answer, if the server separates the two."""
    model: str | None = None
    """The model that answered, as the reply names it."""
    raw: str = ""
    """The body, cut at `LONGEST_RAW`."""
    length: int = 0
    """The length of the whole body, in characters."""
    seconds: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case. Never kept."""
    message: Mapping[str, Any] | None = None
    """The assistant's raw turn, if any, with its tool calls and its reasoning."""
    value: Any = None
    """The body as JSON, where it is an answer. Never kept."""


def read_response(status: int, headers: Mapping[str, str], body: str) -> EndpointReply:
    """Return the content of a response.

    >>> read_response(200, {}, '<html>').outcome.value
    'unreadable'
    """
    clean, _ = storable(body)
    value = _json(clean)
    if status >= 300:
        reply = _refused(status, headers, value)
    elif value is _NOTHING:
        reply = EndpointReply(Outcome.UNREADABLE, again=True, error=_no_json(headers, clean))
    elif isinstance(value, dict) and value.get("error") and not value.get("choices"):
        reply = _error_with_200(headers, value)
    else:
        reply = _completion(value)
    if status < 300 and _is_paid(value):
        reply = replace(reply, again=False)
    fields = {**vars(reply), "status": status, "headers": headers, "raw": clean[:LONGEST_RAW], "length": len(clean)}
    fields["request_id"] = _request_id(headers)
    fields["value"] = value if status < 300 and isinstance(value, dict) else None
    return EndpointReply(**fields)


def storable(text: str) -> tuple[str, bool]:
    r"""Return the text in a form that any database can store, and whether half surrogates or NUL were replaced.

    >>> storable("a" + chr(0))
    ('a\ufffd', True)
    """
    clean = _UNSTORABLE.sub("\ufffd", text)
    return clean, clean != text


def usage(value: Any) -> tuple[int | None, int | None]:
    """Return the tokens of the question and the answer in a reply; None if missing."""
    counts = value.get("usage") if isinstance(value, dict) else None
    if not isinstance(counts, dict):
        return None, None
    return _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens"))


def _is_paid(value: Any) -> bool:
    """Return whether a reply holds something that a model wrote: the same request would be charged for once more."""
    if not isinstance(value, dict):
        return False
    if usage(value)[1]:
        return True
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict):
        return False
    return isinstance(first.get("message"), dict) and first.get("finish_reason") not in _BROKEN_OFF


def _reasoning_tokens(value: Mapping[str, Any]) -> int:
    """Return how many tokens of reasoning a reply counts, where the server does not show them."""
    counts = value.get("usage")
    details = counts.get("completion_tokens_details") if isinstance(counts, dict) else None
    return _count(details.get("reasoning_tokens")) or 0 if isinstance(details, dict) else 0


def _completion(value: Any) -> EndpointReply:
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return EndpointReply(
            Outcome.UNREADABLE,
            again=True,
            error="The reply is JSON, but contains no answer (`choices`). Check base_url.",
        )
    choice = choices[0]
    message = choice.get("message")
    finish = choice.get("finish_reason")
    tokens_in, tokens_out = usage(value)
    parts = read_message(message) if isinstance(message, dict) else MessageParts(None)
    text, replaced = storable(parts.text or "")
    served = value.get("model")

    def reply(outcome: Outcome, error: str = "", *, again: bool = False, words: str = text) -> EndpointReply:
        return EndpointReply(
            outcome,
            text=words,
            again=again,
            error=f"{error} {REPLACED}".strip() if replaced else error,
            finish_reason=storable(finish)[0][:100] if isinstance(finish, str) else None,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            reasoning=storable(parts.reasoning)[0],
            model=storable(served)[0][:200] if isinstance(served, str) and served.strip() else None,
            message=_clean(message) if isinstance(message, dict) else None,
        )

    if finish is not None and not isinstance(finish, str):
        return reply(Outcome.UNREADABLE, "The finish_reason of the reply is not text.", again=True)
    if finish in _FILTERED:
        return reply(Outcome.REFUSED, "A content filter of the endpoint blocked the answer.")
    if finish in _BROKEN_OFF:
        return reply(Outcome.TRANSPORT_ERROR, f"The endpoint ended the answer early ({finish}).", again=True)
    if not isinstance(message, dict):
        return reply(Outcome.UNREADABLE, "The reply is JSON, but the answer has no message.", again=True)
    if parts.refusal:
        return reply(Outcome.REFUSED, "The model refused.", words=text or storable(parts.refusal)[0])
    if parts.text is None:
        kinds = f" ({', '.join(map(_server_words, parts.other))})" if parts.other else ""
        return reply(Outcome.UNREADABLE, f"The reply is JSON, but the answer is not text{kinds}.")
    calls = finish in _ASKS or bool(message.get("tool_calls"))
    if not text.strip() and not calls and (parts.has_reasoning or _reasoning_tokens(value)):
        return reply(Outcome.ONLY_REASONING, _ONLY_REASONING_CUT if finish in _CUT else _ONLY_REASONING, words="")
    if finish in _CUT:
        if not text.strip():
            return reply(
                Outcome.EMPTY,
                "The reply reached the maximum length before the model wrote any text. Raise max_new_tokens.",
            )
        return reply(Outcome.TRUNCATED)
    if calls and not text.strip():
        return reply(Outcome.EMPTY, "The model requested a tool and wrote no text.")
    if finish is not None and finish not in _ENDED | _ASKS:
        return reply(Outcome.UNREADABLE, f"The reply ended for an unknown reason: {_server_words(finish)}.")
    if not text.strip():
        return reply(Outcome.EMPTY, "The model returned an empty answer.")
    return reply(Outcome.ANSWERED)


def _refused(status: int, headers: Mapping[str, str], value: Any) -> EndpointReply:
    """Return the reply for a status of 300 and above."""
    error = value.get("error") if isinstance(value, dict) else None
    # vLLM and others put the parts of the error at the top; some give a bare sentence.
    parts = error if isinstance(error, dict) else value if isinstance(value, dict) else {}
    message = next(
        (text for text in (parts.get("message"), error, parts.get("detail")) if isinstance(text, str) and text), ""
    )
    codes = {str(parts.get(name) or "").lower() for name in ("code", "type")}
    sentence = f"The endpoint returned status {status}" + (f": {_server_words(message)}" if message else "") + "."
    if status < 400:
        return EndpointReply(
            Outcome.TRANSPORT_ERROR,
            error=sentence,
            stop=f"{sentence} Touchstone does not follow redirects. If the new address is correct, set base_url to "
            "the new address.",
        )
    if codes & _QUOTA or status == 402:
        return EndpointReply(
            Outcome.TRANSPORT_ERROR,
            error=sentence,
            stop=f"{sentence} The quota is used up, or the account has no credit. Add credit, then resume the run.",
        )
    if codes & _FILTER_CODES:
        return EndpointReply(Outcome.REFUSED, error=sentence)
    if status in (401, 403):
        return EndpointReply(
            Outcome.TRANSPORT_ERROR,
            error=sentence,
            stop=f"{sentence} The key is missing, is wrong, or has no access to this model. Set the environment "
            "variable that the description names under `key`, then resume the run.",
        )
    if status in (404, 405, 410):
        return EndpointReply(
            Outcome.TRANSPORT_ERROR,
            error=sentence,
            stop=f"{sentence} The endpoint does not offer this model, or base_url is wrong. Check `model` and "
            "base_url, which usually ends with /v1.",
        )
    if status == 413 or (status in (400, 422) and ("context_length_exceeded" in codes or _TOO_LONG.search(message))):
        return EndpointReply(
            Outcome.FAILED,
            error=f"{sentence} The question is too long for the model. Shorten the question, or use a model with "
            f"a longer "
            "context.",
        )
    if status in (400, 422) and codes & _PARAMETER_CODES:
        name = parts.get("param")
        which = f"`{_server_words(name)}`" if isinstance(name, str) and name else "that parameter"
        return EndpointReply(
            Outcome.TRANSPORT_ERROR,
            error=sentence,
            stop=(f"{sentence} The model does not accept {which}. Add the parameter to `omit` in the description."),
        )
    return EndpointReply(Outcome.TRANSPORT_ERROR, error=sentence, again=status in _AGAIN or status >= 500)


def _error_with_200(headers: Mapping[str, str], value: Mapping[str, Any]) -> EndpointReply:
    """Return the reply for an error with status 200, as some gateways send it."""
    error = value["error"]
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and not isinstance(code, bool) and 400 <= code < 600:
        return _refused(code, headers, value)
    message = error.get("message") if isinstance(error, dict) else error
    words = f": {_server_words(message)}" if isinstance(message, str) else ""
    return EndpointReply(
        Outcome.UNREADABLE, again=True, error=f"The reply is an error, although the status of the reply is 200{words}."
    )


_NOTHING = object()


def _clean(value: Any) -> Any:
    """Return a JSON value whose texts can be stored and sent."""
    if isinstance(value, str):
        return storable(value)[0]
    if isinstance(value, list):
        return [_clean(part) for part in value]
    if isinstance(value, dict):
        return {storable(name)[0]: _clean(part) for name, part in value.items()}
    return value


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING


def _no_json(headers: Mapping[str, str], text: str) -> str:
    if not text.strip():
        return "The reply has no body."
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/html" or text.lstrip()[:15].lower().startswith(("<!doctype", "<html")):
        return (
            "The reply is a web page, not JSON. Check base_url. The page may be the sign-in page of a proxy, for "
            "example."
        )
    return "The reply is not JSON. Check base_url."


def _request_id(headers: Mapping[str, str]) -> str | None:
    for name in ("x-request-id", "request-id", "apim-request-id"):
        if headers.get(name):
            return storable(headers[name])[0][:200]
    return None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def _server_words(text: str) -> str:
    """Return a server's words for use in a sentence: one line of limited length."""
    line = " ".join(storable(text)[0].split()).rstrip(".")
    return line if len(line) <= LONGEST_TOLD else line[: LONGEST_TOLD - 3] + "..."
