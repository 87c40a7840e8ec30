"""The description of a model and of how it is asked: a YAML text, validated and frozen.

``inference/models/`` holds the descriptions that come with Touchstone, and users can write their own. A description is
data only and names no code. Every parameter that changes an answer is included, and is part of the hash of every run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from annotation_schemas import typed_yaml
from domain.attributes import NAME, Attribute
from domain.errors import ModelError, SchemaError
from domain.request_settings import find_body_problems, find_header_problems

HOME = Path(__file__).resolve().parent / "models"
"""The descriptions that come with Touchstone."""

Adapter = Literal["chat", "completion", "encoder_decoder", "video_llava", "endpoint", "file"]
Modality = Literal["text", "one_image", "images", "video"]


class _SpecPart(BaseModel):
    """Frozen; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Generation(_SpecPart):
    """How an answer is generated. Every parameter is sent, so that no default of a server or a checkpoint decides."""

    do_sample: bool = False
    """False: always the likeliest token, which the three below do not change."""
    temperature: float = 0.0
    """The temperature of sampling. An endpoint gets this value; 0 means no sampling."""
    top_p: float = 1.0
    """Sampling keeps to the likeliest tokens that make up this share."""
    top_k: int = 0
    """The number of likeliest tokens that sampling is limited to; 0 for all. For local models, and endpoints with
    `also`.
    """
    num_beams: int = 1
    """Beams of a beam search. Only for local models."""
    max_new_tokens: int = 256
    """The longest answer."""
    min_new_tokens: int = 0
    """The shortest answer. For local models, and endpoints with `also`."""
    repetition_penalty: float = 1.0
    """Above 1: tokens that are there already become less likely. For local models, and endpoints with `also`."""
    length_penalty: float = 1.0
    """The length penalty of a beam search. Only for local models."""
    no_repeat_ngram_size: int = 0
    """The length of a run of tokens that may not occur twice; 0 for no limit. Only for local models."""
    seed: int = 0
    """For sampling."""
    stop: tuple[str, ...] = ()
    """Texts at which an answer ends; they are not part of it."""
    response_format: dict[str, Any] = Field(default_factory=dict)
    """The required format of the reply, in the protocol's form, such as `{type: json_object}`; empty for none. Only for
    endpoints.
    """
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Further fields of every request, as the server has them, such as `{reasoning_effort: low}` or
    `{chat_template_kwargs: {enable_thinking: false}}`. Only for endpoints."""

    @model_validator(mode="after")
    def _can_be_sent(self) -> Generation:
        if problems := find_body_problems(self.extra_body):
            raise ValueError("; ".join(problems))
        return self


class Price(_SpecPart):
    """The price list of an endpoint on a day."""

    currency: str = "USD"
    """The currency of the price list."""
    input: float
    """For a million tokens of the question."""
    output: float
    """For a million tokens of the answer."""
    date: str
    """The day on which this was so, such as "2026-11-01"."""


class Likelihoods(_SpecPart):
    """How an endpoint returns the likelihood of a given text, so that it can rank options."""

    by: Literal["completions", "chat"]
    """`completions` is OpenAI's completions with `echo` and `logprobs`, for texts alone; the prompt is sent without a
    chat template. `chat` is chat completions with `prompt_logprobs` and `continue_final_message`, as in vLLM, also with
    pictures.
    """
    end_token: str = ""
    """The text of the token that ends an answer, such as `<|im_end|>`. It is needed where one option of an item is the
    beginning of another; empty: such items fail with a sentence."""


class Endpoint(_SpecPart):
    """An OpenAI-compatible server and how it may be asked."""

    base_url: str
    """Up to and with `/v1`."""
    key: str | None = None
    """The environment variable that holds the key, whose name ends with `_API_KEY` or `_API_TOKEN`; absent: none is
    sent. The key itself is stored nowhere."""
    concurrency: int = Field(default=4, ge=1, le=256)
    """The number of concurrent requests."""
    requests_per_minute: float | None = Field(default=None, gt=0)
    """Absent: no limit of ours."""
    tokens_per_minute: float | None = Field(default=None, gt=0)
    """Absent: no limit of ours."""
    timeout_seconds: float = Field(default=120.0, gt=0)
    """For one request, from asking to its last byte."""
    attempts: int = Field(default=4, ge=1, le=20)
    """So often a unit is asked at most, the first time included."""
    longest_wait_seconds: float = Field(default=60.0, ge=0)
    """No pause between attempts is longer, also if the server asks for it."""
    omit: tuple[str, ...] = ()
    """Parameters that this model does not accept, such as `temperature`. Every run records that they were left out."""
    also: tuple[Literal["top_k", "min_new_tokens", "repetition_penalty"], ...] = ()
    """Parameters of `generation` that are not part of the protocol and that this server still takes, as vLLM and SGLang
    do. List them for such servers, which otherwise take them from the checkpoint."""
    length_parameter: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """The server's name for the longest answer."""
    price: Price | None = None
    """Absent: costs are unknown, which is not 0."""
    max_cost: float | None = Field(default=None, gt=0)
    """A run stops before it costs more; needs prices."""
    max_calls: int | None = Field(default=None, ge=1)
    """The number of requests after which a run stops."""
    likelihoods: Likelihoods | None = None
    """How the endpoint ranks options; without this, it cannot rank them."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Additional headers of every request, such as `{X-Routing: fast}`. They are stored and shown, so put a secret into
    an environment variable that ends with `_API_KEY` or `_API_TOKEN`: `{X-Api-Key: "env:LAB_API_KEY"}`.
    """
    probe: bool = True
    """Find out the server's abilities by a few short requests before the first question, and store them with every run.
    Not done if `max_calls` limits requests.
    """

    @model_validator(mode="after")
    def _fits(self) -> Endpoint:
        if problems := find_header_problems(self.headers):
            raise ValueError("; ".join(problems))
        if self.max_cost is not None and self.price is None:
            raise ValueError("`max_cost` requires `price`, because the cost of a run depends on the price; add `price`")
        return self


class ModelSpec(_SpecPart):
    """A model and how it is asked."""

    name: str
    """The name in tables."""
    note: str = ""
    """A note for people who choose the model, in a sentence."""
    adapter: Adapter
    """`chat`: a template with turns. `completion`: one text that the model continues (BLIP-2 with OPT, Kosmos-2,
    PaliGemma). `encoder_decoder`: answers from the decoder alone (BLIP-2 with T5). `video_llava`: frames as one video.
    `endpoint`: a server. `file`: answers from a file.
    """
    model: str | None = None
    """A folder, a repository of the hub, or the name that an endpoint knows it by."""
    revision: str | None = None
    """The commit of a repository, so that the same weights are loaded again."""
    prompts: str | None = None
    """The family of the prompt set; absent: the set's default."""
    modality: Modality = "one_image"
    """The accepted input: no image, one, several, or clips. Clips become several images if the model accepts no
    video.
    """
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """The dtype of the weights. `auto` is the stored dtype, or float32 on a processor without half precision."""
    device: str = "auto"
    """`auto` for a GPU if one is available; otherwise `cpu`, `cuda`, `cuda:1`, `mps`."""
    padding: Literal["auto", "left", "right"] = "auto"
    """The side on which shorter questions of a batch are padded. `auto` follows the architecture."""
    batch_size: int = 1
    """The number of questions in a batch. In half precision the size can change answers, so every run records it."""
    ranking: Literal["auto", "cached", "packed", "naive"] = "auto"
    """How options are scored. `auto` is the fastest way that is correct for the architecture."""
    most_turns: int = Field(default=12, ge=1, le=1000)
    """The largest number of replies to a question, including the answer, in a strategy in which models ask for
    tools.
    """
    remote_code: bool = False
    """The repository needs its own code, which is refused unless the operator allows it by name."""
    clips: dict[Literal["recent_segments", "frames_per_segment", "observation_frames"], int] = Field(
        default_factory=dict
    )
    """The number of frames of a clip, if it differs from the schema's number for all models."""
    generation: Generation = Generation()
    """How answers are generated."""
    attributes: dict[str, Attribute] = Field(default_factory=dict)
    """The model's attributes for tables and groups of models, such as `{size: "7B", llm: Vicuna, tuned: "yes"}`. Choose
    names in lower case. No attribute changes an answer.
    """
    endpoint: Endpoint | None = None
    """For `endpoint`: where it is asked."""

    @model_validator(mode="after")
    def _fits(self) -> ModelSpec:
        odd = next((name for name in self.attributes if not NAME.fullmatch(name) or name == "model"), None)
        if odd is not None:
            raise ValueError(
                f"`attributes`: {odd!r} is not a valid name; use lowercase letters, digits and _, and start with a "
                "letter"
            )
        if (self.adapter == "endpoint") != (self.endpoint is not None):
            raise ValueError(
                "`adapter: endpoint` and the key `endpoint` belong together; set both keys, or remove both keys"
            )
        if self.adapter not in ("file",) and not self.model:
            raise ValueError("`model` is missing; enter a folder, a repository or the model's name at the endpoint")
        return self

    def dump(self) -> dict[str, Any]:
        """Return the description as JSON values, with defaults included.

        `clips`, `attributes`, `likelihoods`, `extra_body` and `headers` are left out if empty, so that descriptions
        from before these keys keep their hash.
        """
        silent: dict[str, Any] = {name: True for name in ("clips", "attributes") if not getattr(self, name)}
        if self.endpoint is not None:
            silent["endpoint"] = {name for name in ("likelihoods", "headers") if not getattr(self.endpoint, name)}
        if not self.generation.extra_body:
            silent["generation"] = {"extra_body"}
        return self.model_dump(mode="json", exclude=silent)

    @property
    def own_clips(self) -> dict[str, int]:
        """`clips` by plain names."""
        return {str(name): value for name, value in self.clips.items()}

    def with_defaults(
        self,
        *,
        temperature: float | None,
        max_tokens: int | None,
        extra_body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ModelSpec:
        """Return the description with a schema's generation settings where it has none itself; None for no setting.

        ``extra_body`` and ``headers`` are for endpoints. If both have the same field or header, the description's own
        wins.
        """
        own = self.generation.model_fields_set
        given: dict[str, Any] = {}
        if temperature is not None and not own & {"temperature", "do_sample"}:
            given |= {"temperature": float(temperature), "do_sample": temperature > 0}
        if max_tokens is not None and "max_new_tokens" not in own:
            given["max_new_tokens"] = max_tokens
        changed: dict[str, Any] = {}
        if self.endpoint is not None:
            if extra_body:
                given["extra_body"] = {**extra_body, **self.generation.extra_body}
            set_here = {name.lower() for name in self.endpoint.headers}
            added = {name: value for name, value in (headers or {}).items() if name.lower() not in set_here}
            if added:
                own_headers = {**added, **self.endpoint.headers}
                changed["endpoint"] = self.endpoint.model_copy(update={"headers": own_headers})
        if given:
            changed["generation"] = self.generation.model_copy(update=given)
        return self.model_copy(update=changed) if changed else self

    def with_request(self, *, extra_body: Mapping[str, Any], headers: Mapping[str, str]) -> ModelSpec:
        """Return the description with these fields and headers in place of its own of the same names.

        Raises
        ------
        ModelError
            The model is not behind an endpoint, or one of them cannot be sent.
        """
        if not extra_body and not headers:
            return self
        if self.endpoint is None:
            raise ModelError(
                f"{self.name} is not behind an endpoint, so requests to this model cannot have extra fields or "
                "headers. Remove the extra fields and headers."
            )
        problems = [*find_body_problems(extra_body), *find_header_problems(headers)]
        if problems:
            raise ModelError(f"These changes to requests to {self.name} are not valid: {'; '.join(problems)}.")
        replaced = {name.lower() for name in headers}
        kept = {name: value for name, value in self.endpoint.headers.items() if name.lower() not in replaced}
        body = {**self.generation.extra_body, **extra_body}
        return self.model_copy(
            update={
                "generation": self.generation.model_copy(update={"extra_body": body}),
                "endpoint": self.endpoint.model_copy(update={"headers": {**kept, **headers}}),
            }
        )

    @property
    def hash(self) -> str:
        """SHA-256 of all of it."""
        text = json.dumps(self.dump(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def read_spec(path: Path | str) -> ModelSpec:
    """Return the description in a YAML file.

    Raises
    ------
    ModelError
        One line per problem: ``file:line: key: what is wrong``.
    """
    path = Path(path)
    try:
        return spec_of(typed_yaml.read_file(path), name=str(path))
    except SchemaError as error:
        raise ModelError(str(error)) from error


def spec_of(text: str, *, name: str) -> ModelSpec:
    """Return a description from its text. ``name`` stands for the file in messages. Raises ``ModelError``."""
    document, spec = typed_yaml.parse(text, ModelSpec)
    if spec is None or document.troubles:
        raise ModelError(typed_yaml.in_lines(document, name))
    return spec


def spec_as_yaml(spec: ModelSpec) -> str:
    """Return the description as YAML, with defaults included. Reading the text gives the same description."""
    return yaml.dump(_without_empty(spec.dump()), Dumper=_Plain, sort_keys=False, allow_unicode=True, width=100)


class _Plain(yaml.SafeDumper):
    """Writes every part out, as our grammar has no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _without_empty(value: Any) -> Any:
    """Return a value without empty keys. Content that is sent to a server unchanged stays unchanged."""
    if isinstance(value, dict):
        return {
            key: part if key == "extra_body" else _without_empty(part)
            for key, part in value.items()
            if part is not None
        }
    return value


def shipped() -> Iterator[ModelSpec]:
    """Yield the descriptions that come with Touchstone, by file name."""
    for path in sorted(HOME.glob("*.yaml")):
        yield read_spec(path)


@dataclass(frozen=True)
class ModelPermissions:
    """What the operator allows models on this machine."""

    remote_code: tuple[str, ...] = ()
    """Folders and repositories whose own code may run, by name."""
    endpoints: tuple[str, ...] = ()
    """Hosts of private networks that may be asked, such as `vllm.lab` or `10.0.0.0/24`; loopback always may."""
    tool_sets: tuple[Path, ...] = ()
    """Files of tool sets whose programs and servers may be used."""
