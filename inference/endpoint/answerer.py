"""A model behind an endpoint, asked about items."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from domain.errors import ModelError
from domain.runs import Attempt, Outcome, Picture, Question
from inference.endpoint import estimate, probe
from inference.endpoint.asking import Call, CannotRequest, EndpointAsker, Messages
from inference.endpoint.client import Client, check_key_name, place_of
from inference.spec import Endpoint, Generation, ModelSpec

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)

LOCAL_ONLY = ("top_k", "num_beams", "min_new_tokens", "repetition_penalty", "length_penalty", "no_repeat_ngram_size")
"""Parameters that the protocol does not have; some servers take some of them (``Endpoint.also``)."""
_ALSO = {"top_k": "top_k", "min_new_tokens": "min_tokens", "repetition_penalty": "repetition_penalty"}
"""The names of these parameters on servers."""


class EndpointAnswerer:
    """Implements ``domain.runs.Answerer`` for ``generate``."""

    def __init__(self, spec: ModelSpec, client: Client) -> None:
        assert spec.endpoint is not None
        self._spec = spec
        self._parameters, omitted = parameters(spec.generation, spec.endpoint)
        self._asking = EndpointAsker(client)
        self._about: dict[str, Any] = {
            "libraries": dict(client.versions),
            "base_url": client.place.url,
            "model": spec.model,
            "parameters": dict(self._parameters),
            "omitted": omitted,
            **({"headers": dict(spec.endpoint.headers)} if spec.endpoint.headers else {}),
            "concurrency": spec.endpoint.concurrency,
        }
        # Where every request counts, none is spent on anything but items.
        if spec.endpoint.probe and spec.endpoint.max_calls is None:
            self._about["probe"] = self._probed(spec.endpoint)

    def _probed(self, endpoint: Endpoint) -> dict[str, Any]:
        return probe.probed(
            functools.partial(self._asking.once, seconds=probe.SECONDS),
            functools.partial(self._asking.models, seconds=probe.SECONDS),
            model=self._spec.model or "",
            endpoint=endpoint,
            parameters=self._parameters,
            pictures=self._spec.modality != "text",
        )

    @property
    def about(self) -> Mapping[str, Any]:
        """Versions, where it is asked, every parameter that is sent, and those that were left out."""
        return self._about

    def answer(
        self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]
    ) -> None:
        """Answer questions as ``Answerer.answer`` does."""
        calls = []
        for question in questions:
            if question.cannot:
                tell(not_asked(question, Outcome.SKIPPED, question.cannot))
            else:
                calls.append(self._call(question))
        if calls:
            self._asking.ask(calls, tell=tell, stop=stop)

    def spent(self, calls: int, cost: float) -> None:
        """Set the amount that all workers of the run have spent so far. The budget continues from there."""
        self._asking.spent(calls, cost)

    def close(self) -> None:
        """Close the connections."""
        self._asking.close()

    def _call(self, question: Question) -> Call:
        return Call(
            unit_id=question.unit_id,
            messages=functools.partial(turns, self._spec, question),
            parameters=self._parameters,
            tokens=estimate.tokens_of(question),
            longest=self._spec.generation.max_new_tokens,
            prompt_hash=question.prompt_hash,
            image_hashes=tuple(picture.sha256 for picture in question.pictures),
        )


def not_asked(question: Question, outcome: Outcome, why: str) -> Attempt:
    """Return the attempt for a question that is not sent."""
    hashes = tuple(picture.sha256 for picture in question.pictures)
    return Attempt(question.unit_id, outcome, error=why, prompt_hash=question.prompt_hash, image_hashes=hashes)


def check(spec: ModelSpec) -> None:
    """Raise an error for visible faults of a description, without any name lookup, before the description is stored.

    Raises
    ------
    ModelError
        The base URL carries a password or cannot be asked, ``key`` is not the name of a key's variable, or a parameter
        would not reach the server.
    """
    if spec.endpoint is not None:
        place_of(spec.endpoint)
        check_key_name(spec.endpoint)
        parameters(spec.generation, spec.endpoint)


def parameters(generation: Generation, endpoint: Endpoint) -> tuple[dict[str, Any], list[str]]:
    """Return the parameters that are sent with the messages, and those that the description omits.

    Raises
    ------
    ModelError
        A parameter that changes answers would not reach the server, or ``omit`` names a parameter that is not sent.
    """
    all_of_it: dict[str, Any] = {
        "temperature": generation.temperature,
        "top_p": generation.top_p,
        endpoint.length_parameter: generation.max_new_tokens,
        "seed": generation.seed,
    }
    if generation.stop:
        all_of_it["stop"] = list(generation.stop)
    if generation.response_format:
        all_of_it["response_format"] = generation.response_format
    all_of_it |= {_ALSO[name]: getattr(generation, name) for name in endpoint.also}
    for name in LOCAL_ONLY:
        if name not in endpoint.also and getattr(generation, name) != Generation.model_fields[name].default:
            raise ModelError(
                f"`{name}` of `generation` is not part of the protocol, so the endpoint would not receive this "
                "setting: "
                + (
                    "list the setting under `also` if the server accepts it (as vLLM does), or "
                    if name in _ALSO
                    else ""
                )
                + "remove it."
            )
    unknown = [name for name in endpoint.omit if name not in {*all_of_it, "stop", "response_format"}]
    if unknown:
        raise ModelError(
            f"`omit` lists {', '.join(unknown)}, which {'is' if len(unknown) == 1 else 'are'} never sent. List only "
            f"fields of a request: {', '.join(all_of_it)}."
        )
    twice = [name for name in all_of_it if name in generation.extra_body]
    if twice:
        raise ModelError(
            f"`extra_body` cannot set {', '.join(twice)}, because the description already sets the same fields. Set "
            "each field only once."
        )
    sent = {name: value for name, value in all_of_it.items() if name not in endpoint.omit} | generation.extra_body
    return sent, [name for name in all_of_it if name in endpoint.omit]


def turns(spec: ModelSpec, question: Question, url_of: Callable[[Picture], str] | None = None) -> Messages:
    """Return the same as ``messages``, if the model accepts this number of pictures.

    Raises
    ------
    CannotAsk
        The model accepts fewer pictures, or the question cannot be sent.
    """
    shown = len(question.pictures)
    if shown > {"text": 0, "one_image": 1}.get(spec.modality, shown):
        raise CannotRequest(
            f"The question has {shown} picture{'s' if shown > 1 else ''}, but `modality` in the description says "
            f"that {spec.name} accepts {'none' if spec.modality == 'text' else 'one'}. Correct `modality`, or choose "
            "another model."
        )
    return messages(question, url_of or data_uri)


def messages(question: Question, url_of: Callable[[Picture], str]) -> Messages:
    """Return the turns of a question. ``url_of`` returns the URL of each picture.

    Raises
    ------
    CannotAsk
        A picture is unreadable or has changed, or a text cannot be sent.
    """
    try:
        (question.system or "").encode(), question.text.encode()
    except UnicodeEncodeError as error:
        raise CannotRequest(
            "The text of the question has unpaired surrogate characters, which Touchstone cannot send. Correct "
            "the item."
        ) from error
    turns: list[Mapping[str, Any]] = []
    if question.system is not None:
        turns.append({"role": "system", "content": question.system})
    if not question.pictures:
        # Servers of text models often accept only plain text.
        return [*turns, {"role": "user", "content": question.text}]
    content = [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": {"url": url_of(part)}}
        for part in question.parts
        if part != ""
    ]
    return [*turns, {"role": "user", "content": content}]


def data_uri(picture: Picture) -> str:
    """Return a picture as a data URI, with the exact bytes of its file.

    Raises
    ------
    CannotAsk
        The picture is unreadable, has a type that endpoints do not accept, or does not match its hash.
    """
    what = f"the picture {picture.role}" if picture.role else "a picture"
    try:
        content = picture.path.read_bytes()
    except OSError as error:
        raise CannotRequest(
            f"Touchstone cannot read the item's file for {what}: "
            f"{(error.strerror or 'no such file').lower()}. Import the file again."
        ) from error
    if picture.sha256 and hashlib.sha256(content).hexdigest() != picture.sha256:
        raise CannotRequest(
            f"The item's file for {what} has changed: the SHA-256 of the file differs. Restore the original file."
        )
    kind = media_type(content)
    if kind is None:
        raise CannotRequest(
            f"The item's file for {what} is not PNG, JPEG, WebP or GIF. Endpoints accept only these "
            "types. Convert the file."
        )
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"


def media_type(content: bytes) -> str | None:
    r"""Return the media type of the bytes, whatever the file's name is.

    >>> media_type(b"\xff\xd8\xff\xe0")
    'image/jpeg'
    """
    for magic, kind in _MAGIC:
        if content.startswith(magic):
            return kind
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return None
