"""A probe of an endpoint's abilities by requests, because servers accept parameters and then ignore them.

One short request asks for every feature at once, and one for the list of models. Each feature is requested separately
only if the first request is refused. The result is stored with every run, and does not change how items are asked.
"""

from __future__ import annotations

import base64
import functools
import io
import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from inference.endpoint.asking import Messages
from inference.endpoint.replies import EndpointReply, usage
from inference.spec import Endpoint

LONGEST = 32
"""Tokens of an answer to a probe."""
SECONDS = 30.0
"""For one request."""

_SCHEMA = {
    "type": "object",
    "properties": {"seen": {"type": "boolean"}},
    "required": ["seen"],
    "additionalProperties": False,
}
_FEATURES: Mapping[str, Mapping[str, Any]] = {
    "n": {"n": 2},
    "json_schema": {
        "response_format": {"type": "json_schema", "json_schema": {"name": "probe", "strict": True, "schema": _SCHEMA}}
    },
    "logprobs": {"logprobs": True},
    "images": {},
}


class FeatureSupport(StrEnum):
    """The outcome of a requested feature."""

    WORKS = "works"
    IGNORED = "ignored"
    """The server accepted the feature and ignored it."""
    ACCEPTED = "accepted"
    """Whether it had an effect cannot be seen from outside."""
    REFUSED = "refused"
    UNKNOWN = "unknown"


Complete = Callable[[Messages, Mapping[str, Any]], EndpointReply]


def probed(
    complete: Complete,
    models: Callable[[], EndpointReply],
    *,
    model: str,
    endpoint: Endpoint,
    parameters: Mapping[str, Any],
    pictures: bool,
) -> dict[str, Any]:
    """Return the abilities of the endpoint as JSON values. No behavior of an endpoint raises an error.

    Parameters
    ----------
    parameters
        The parameters of questions. The longest answer is shortened.
    pictures
        Whether the description declares that the model accepts pictures.
    """
    features: dict[str, Any] = {name: FeatureSupport.UNKNOWN.value for name in (*_FEATURES, "usage")}
    features |= {**_listed(models(), model), "requests": 0, "error": ""}
    wanted = [name for name in _FEATURES if name != "images" or pictures]
    shorter = {**parameters}
    if endpoint.length_parameter in shorter:
        shorter[endpoint.length_parameter] = LONGEST

    def asked(names: list[str]) -> EndpointReply:
        features["requests"] += 1
        extra = {key: value for name in names for key, value in _FEATURES[name].items()}
        return complete(_messages("images" in names), {**shorter, **extra})

    reply = asked(wanted)
    if reply.status == 200:
        return features | _seen(reply, wanted)
    if reply.status not in (400, 413, 415, 422, 500, 501):
        return features | {"error": reply.error}
    bare = asked([])
    if bare.status != 200:
        return features | {"error": bare.error}
    features |= _seen(bare, [])
    for name in wanted:
        reply = asked([name])
        if reply.status == 200:
            features |= _seen(reply, [name])
        elif reply.status is not None and reply.status not in (408, 429, 503):
            features[name] = FeatureSupport.REFUSED.value
    return features


def _seen(reply: EndpointReply, names: list[str]) -> dict[str, Any]:
    """Return which of the requested features a reply shows."""
    try:
        value = json.loads(reply.raw)
    except ValueError:
        return {"error": reply.error}
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list) or not choices or not all(isinstance(choice, dict) for choice in choices):
        return {"error": reply.error}
    logprobs = choices[0].get("logprobs")
    works = {
        "n": len(choices) == 2,
        "json_schema": _follows(reply.text),
        "logprobs": isinstance(logprobs, dict) and bool(logprobs.get("content")),
    }
    seen = {
        name: (FeatureSupport.WORKS if works[name] else FeatureSupport.IGNORED).value for name in names if name in works
    }
    if "images" in names:
        seen["images"] = FeatureSupport.ACCEPTED.value
    tokens = usage(value)
    seen["usage"] = (FeatureSupport.IGNORED if None in tokens else FeatureSupport.WORKS).value
    return seen


def _follows(text: str) -> bool:
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and set(value) == {"seen"} and isinstance(value["seen"], bool)


def _listed(reply: EndpointReply, model: str) -> dict[str, Any]:
    """Return whether the server lists the model, and the context length that it reports."""
    nothing = {"listed": None, "context": None}
    try:
        value = json.loads(reply.raw)
    except ValueError:
        return nothing
    data = value.get("data") if isinstance(value, dict) and reply.status == 200 else None
    if not isinstance(data, list):
        return nothing
    entries = [entry for entry in data if isinstance(entry, dict)]
    own = [entry for entry in entries if entry.get("id") == model]
    context = own[0].get("max_model_len") if own else None
    return {"listed": bool(own), "context": context if isinstance(context, int) else None}


def _messages(picture: bool) -> Messages:
    # It asks for no JSON, so that JSON can only come from the schema.
    question = "Answer with one word: is this a question?"
    if not picture:
        return [{"role": "user", "content": question}]
    image = {"type": "image_url", "image_url": {"url": _picture()}}
    return [{"role": "user", "content": [image, {"type": "text", "text": question}]}]


@functools.cache
def _picture() -> str:
    """Return a picture of two colors, with the smallest size that vision encoders accept."""
    from PIL import Image

    image = Image.new("RGB", (64, 64), (200, 60, 40))
    image.paste((40, 90, 200), (0, 0, 32, 64))
    content = io.BytesIO()
    image.save(content, "PNG")
    return "data:image/png;base64," + base64.b64encode(content.getvalue()).decode("ascii")
