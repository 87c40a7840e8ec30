"""The adapters of models on this machine, as core asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from domain.errors import ModelError
from domain.runs import Answerer
from extensions.local_models import fit
from inference.adapters import ChatModel, ModelAdapter, ModelDevice
from inference.spec import ModelPermissions, ModelSpec


def open_model(spec: ModelSpec, allowed: ModelPermissions, strategy: str, score: str, without_image: bool) -> Answerer:
    """Open a model for questions. See ``ModelAdapter.open``."""
    refuse_request_settings(spec)
    if strategy == "generate":
        from extensions.local_models.generation import open_generate

        return open_generate(spec, allowed)
    if strategy == "rank_options":
        from extensions.local_models.ranking import open_ranker

        return open_ranker(spec, allowed, score, without_image)
    raise ModelError(f"Touchstone cannot open {spec.name} ({spec.adapter}) for {strategy}. Choose another strategy.")


def open_chat(spec: ModelSpec, allowed: ModelPermissions, tools: Sequence[Mapping[str, Any]]) -> ChatModel:
    """Open a model for conversations. See ``ModelAdapter.open_chat``."""
    from extensions.local_models import chat

    refuse_request_settings(spec)
    return chat.open_chat(spec, allowed, tools)


def refuse_request_settings(spec: ModelSpec) -> None:
    """Raise ``ModelError`` for settings of requests, which a model on this machine cannot follow."""
    if spec.generation.response_format:
        raise ModelError(
            f"{spec.name} runs on this machine, where Touchstone cannot enforce a `response_format`. Remove "
            "`response_format`, or run the model behind a server."
        )
    if spec.generation.extra_body:
        raise ModelError(
            f"{spec.name} runs on this machine, so `extra_body` has no effect. Remove `extra_body`, or run the model "
            "behind a server."
        )


def find_device(spec: ModelSpec) -> ModelDevice:
    """Return the device of a model, whether the model fits, and its missing requirements."""
    folder = Path(spec.model or "")
    if not folder.is_dir():
        return ModelDevice(
            f"{spec.model} is not a folder on this machine. The worker looks for the model in its own hub "
            "cache. The worker checks the model's size when it loads the model."
        )
    model = fit.look(folder)
    place = fit.fit(model, device=spec.device, dtype=spec.dtype)
    return ModelDevice(place.sentence, place.fits, tuple(fit.needs(model)))


ROWS = tuple(
    ModelAdapter(name, open=open_model, open_chat=open_chat, find_device=find_device)
    for name in ("chat", "completion", "encoder_decoder", "video_llava")
)
