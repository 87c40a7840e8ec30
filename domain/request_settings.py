"""Check settings that go to a model's server unchanged: extra fields of the request's body, and headers.

They are stored with every run and shown on pages, so they hold no secret. A header with a secret names an environment
variable instead: ``X-Api-Key: env:LAB_API_KEY``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from domain.errors import InvalidInputError, Problem

KEY_NAME = re.compile(r"[A-Z][A-Z0-9_]*_API_(KEY|TOKEN)")
"""Environment variables that may hold the key of an endpoint."""
FROM_ENVIRONMENT = "env:"
"""Before the name of the environment variable that holds a header's value."""

OWN_FIELDS: Mapping[str, str] = {
    "model": "set `model` in the description",
    "messages": "remove this field, because Touchstone creates the messages from the questions",
    "prompt": "remove this field, because Touchstone creates the messages from the questions",
    "tools": "choose a strategy that uses tools",
    "tool_choice": "choose a strategy that uses tools",
    "functions": "choose a strategy that uses tools",
    "n": "remove this field, because Touchstone reads only one answer and you would pay for several",
    "stream": "remove this field, because Touchstone reads only complete replies",
    "stream_options": "remove this field, because Touchstone reads only complete replies",
    "temperature": "set `temperature` under `generation`",
    "top_p": "set `top_p` under `generation`",
    "seed": "set `seed` under `generation`",
    "stop": "set `stop` under `generation`",
    "response_format": "set `response_format` under `generation`",
    "max_tokens": "set `max_new_tokens` under `generation`",
    "max_completion_tokens": "set `max_new_tokens` under `generation`, and `length_parameter` under `endpoint`",
    "echo": "set `likelihoods` under `endpoint`",
    "logprobs": "set `likelihoods` under `endpoint`",
    "prompt_logprobs": "set `likelihoods` under `endpoint`",
}
"""Fields of a request that have a place of their own, with that place."""
_OWN_HEADERS: Mapping[str, str] = {
    "authorization": "set `key` to the name of the environment variable that has the API key",
    "proxy-authorization": "remove this header, because Touchstone uses no proxy",
    "host": "set `base_url`",
    **dict.fromkeys(
        (
            "accept",
            "accept-encoding",
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
            "expect",
            "keep-alive",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "user-agent",
        ),
        "Touchstone sets it",
    ),
}
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,998}[\x21-\x7e])?")
_SECRET_HEADER = re.compile(
    r"(?:^|[-_])(?:api[-_]?key|apikey|key|token|secret|passw(?:or)?d|pwd|auth|credentials?|cookie|signature|bearer)"
    r"(?:[-_]|$)",
    re.IGNORECASE,
)
_SECRET_FIELD = re.compile(
    r"(?:^|[-_])(?:api[-_]?key|apikey|(?:access|auth|bearer)[-_]?token|token|secret(?:[-_]key)?|passw(?:or)?d"
    r"|authorization|credentials?|cookie)$",
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(
    r"(?:Bearer|Basic|Token)\s+\S"
    r"|(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}"
    r"|(?:gsk|hf|ghp|gho|ghs|ghu|xai|nvapi|glpat|xox[abp])[-_][A-Za-z0-9_-]{8,}"
    r"|AKIA[0-9A-Z]{12,}|AIza[0-9A-Za-z_-]{20,}|eyJ[A-Za-z0-9_-]{8,}\.",
)
_LONG = re.compile(r"(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9+/]{32,}={0,2}")
_LONGEST_BODY = 20_000


def find_header_problems(headers: Mapping[str, str]) -> list[str]:
    """Return the faults of headers, a sentence for each. No sentence repeats a value."""
    problems = []
    seen: set[str] = set()
    for name, value in headers.items():
        lower = name.lower()
        if not _HEADER.fullmatch(name):
            problems.append("a name in `headers` is not a valid HTTP header name; correct the name")
        elif lower in _OWN_HEADERS:
            problems.append(f"`headers` cannot set {name}; {_OWN_HEADERS[lower]}")
        elif lower in seen:
            problems.append(f"`headers` has {name} twice (ignoring case); remove one of the two headers")
        elif value.startswith(FROM_ENVIRONMENT):
            if not is_key_name(value.removeprefix(FROM_ENVIRONMENT)):
                problems.append(
                    f"`headers`: {name} uses an unsupported environment variable. Use a variable that ends with "
                    f"_API_KEY or _API_TOKEN, such as {FROM_ENVIRONMENT}LAB_API_KEY"
                )
        elif _SECRET_HEADER.search(name) or _is_secret(value):
            problems.append(
                f"`headers`: {name} looks like a secret, and Touchstone would store and show its value. Put the "
                f"value into an environment variable of the worker, and write {FROM_ENVIRONMENT}LAB_API_KEY instead "
                "of the value"
            )
        elif not _VALUE.fullmatch(value):
            problems.append(f"`headers`: the value of {name} must be at most 1,000 printable ASCII characters")
        seen.add(lower)
    return problems


def find_body_problems(body: Mapping[str, Any]) -> list[str]:
    """Return the faults of extra fields of a request's body, a sentence for each. No sentence repeats a value."""
    problems = [f"`extra_body` cannot set {name}; {OWN_FIELDS[name]}" for name in body if name in OWN_FIELDS]
    try:
        if len(json.dumps(body, allow_nan=False)) > _LONGEST_BODY:
            problems.append(f"`extra_body` is longer than {_LONGEST_BODY:,} characters of JSON; remove some fields")
    except (TypeError, ValueError):
        return [*problems, "`extra_body` has values that JSON does not support, such as NaN; remove these values"]
    for name in dict.fromkeys(_secret_fields(body)):
        problems.append(
            f"`extra_body`: {name} looks like a secret, and Touchstone would store and show its value. Send the "
            f"secret as a header with the value {FROM_ENVIRONMENT}LAB_API_KEY"
        )
    return problems


def read_json_object(text: str, where: str) -> dict[str, Any]:
    """Return a JSON object that a person typed. An empty text gives an empty object.

    Raises
    ------
    InvalidInputError
        The text is not a JSON object. The message does not repeat it.
    """
    if not text.strip():
        return {}
    try:
        settings = json.loads(text)
    except (ValueError, RecursionError):
        settings = None
    if not isinstance(settings, dict):
        example = '{"reasoning_effort": "low"}'
        raise InvalidInputError(
            [Problem(where, f"{where}: the value is not a JSON object. Write an object such as {example}.")]
        )
    return settings


def read_headers(lines: Iterable[str], mark: str, where: str) -> dict[str, str]:
    """Return headers that someone typed, a line each, with ``mark`` between name and value.

    Raises
    ------
    InvalidInputError
        A line has no name or no value. The message does not repeat it, as it may hold a secret.

    >>> read_headers(["X-Routing: fast"], ":", "Headers")
    {'X-Routing': 'fast'}
    """
    headers: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        name, _, value = (part.strip() for part in line.partition(mark))
        if not name or not value:
            example = f"X-Routing{mark}{' ' if mark == ':' else ''}fast"
            raise InvalidInputError(
                [Problem(where, f"{where}: line {number} needs a name and a value. Write a line such as {example}.")]
            )
        headers[name] = value
    return headers


def is_key_name(name: str) -> bool:
    """Return whether an environment variable of that name is read as the key of an endpoint."""
    return KEY_NAME.fullmatch(name) is not None and not name.startswith("TOUCHSTONE_")


def _secret_fields(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, child in value.items():
            yield from _secret_fields(child, str(key))
    elif isinstance(value, list | tuple):
        for child in value:
            yield from _secret_fields(child, name)
    elif isinstance(value, str) and value and (_SECRET_FIELD.search(name) or _is_secret(value)):
        yield name or "a value"


def _is_secret(value: str) -> bool:
    return _SECRET_VALUE.match(value) is not None or _LONG.fullmatch(value) is not None
