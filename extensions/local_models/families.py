"""The requirements of each family of models, by the ``model_type`` of its checkpoints. The module does not import
torch.

All values were measured with tiny models of the family. They cover the padding with which a batch answers like single
questions, and the fast way of ranking options that equals the slow one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from inference.spec import Adapter, Modality

Ranking = Literal["cached", "positions", "token_types", "language_model", "encoder_decoder", "naive"]
"""A way to rank options that is faster than one whole pass for each.

- ``cached``: continues from the cache of the prefix.
- ``positions``: the same, with given positions.
- ``token_types``: the same, with zeros as token types.
- ``language_model``: the text half continues by itself.
- ``encoder_decoder``: image and prompt are encoded once.
- ``naive``: only the slow way is right.
"""


@dataclass(frozen=True)
class Family:
    """A family of models, with the requirements of its checkpoints."""

    model_type: str
    """The model type in `config.json`."""
    title: str
    """The usual name of the family."""
    adapter: Adapter = "chat"
    padding: Literal["left", "right"] = "left"
    """The side on which shorter questions of a batch are padded."""
    ranking: Ranking = "naive"
    modality: Modality = "one_image"
    """The most that it can be shown."""
    image_only: bool = False
    """Its processor has a video part that needs torchvision, so images use a processor without that part."""
    needs_picture: bool = False
    """The model answers only about a picture and cannot be asked without one."""
    batches: bool = True
    """False: questions are asked one by one whatever the batch size, since a batch would answer otherwise."""
    image: str = "<image>"
    """The mark for a picture in our own template."""
    needs: tuple[str, ...] = ()
    """Settings of the processor that old checkpoints lack, and without which the marks are counted wrongly."""
    prompts: str | None = None
    """The family of prompts that comes nearest."""
    known: bool = True
    """False: no row here; treated with the greatest care."""


_LLAVA = ("patch_size", "vision_feature_select_strategy")

FAMILIES: tuple[Family, ...] = (
    Family("llava", "LLaVA", ranking="cached", modality="images", needs=_LLAVA, prompts="llava"),
    Family("llava_next", "LLaVA-NeXT", ranking="cached", modality="images", needs=_LLAVA, prompts="llava"),
    Family(
        "llava_onevision",
        "LLaVA-OneVision",
        ranking="cached",
        modality="images",
        image_only=True,
        needs=("num_image_tokens", "vision_feature_select_strategy"),
        prompts="llava",
    ),
    Family(
        "video_llava",
        "Video-LLaVA",
        adapter="video_llava",
        ranking="cached",
        modality="video",
        image_only=True,
        needs=_LLAVA,
        prompts="llava",
    ),
    Family(
        "blip-2",
        "BLIP-2",
        adapter="completion",
        ranking="language_model",
        needs_picture=True,
        needs=("num_query_tokens",),
        prompts="blip",
    ),
    Family(
        "instructblip",
        "InstructBLIP",
        adapter="completion",
        ranking="language_model",
        needs_picture=True,
        needs=("num_query_tokens",),
        prompts="blip",
    ),
    Family("kosmos-2", "Kosmos-2", adapter="completion", needs_picture=True, batches=False, prompts="blip"),
    Family("paligemma", "PaliGemma", adapter="completion", modality="images", needs_picture=True, prompts="blip"),
    Family("idefics3", "Idefics3", ranking="cached", modality="images"),
    Family("smolvlm", "SmolVLM", ranking="cached", modality="images", image_only=True),
    Family(
        "qwen2_vl",
        "Qwen2-VL",
        ranking="positions",
        modality="images",
        image_only=True,
        image="<|vision_start|><|image_pad|><|vision_end|>",
    ),
    Family(
        "qwen2_5_vl",
        "Qwen2.5-VL",
        ranking="positions",
        modality="images",
        image_only=True,
        image="<|vision_start|><|image_pad|><|vision_end|>",
    ),
    Family(
        "qwen3_vl",
        "Qwen3-VL",
        ranking="positions",
        modality="images",
        image_only=True,
        image="<|vision_start|><|image_pad|><|vision_end|>",
    ),
    Family("internvl", "InternVL", ranking="cached", modality="images", image_only=True, image="<IMG_CONTEXT>"),
    Family("gemma3", "Gemma 3", ranking="token_types", modality="images", image="<start_of_image>"),
)

BY_TYPE: Mapping[str, Family] = {family.model_type: family for family in FAMILIES}

NO_CLASS: Mapping[str, str] = {
    "mplug-owl": "mPLUG-Owl",
    "mplug_owl": "mPLUG-Owl",
    "mplug-owl2": "mPLUG-Owl2",
    "mplug_owl2": "mPLUG-Owl2",
    "mplugowl3": "mPLUG-Owl3",
    "flamingo": "OpenFlamingo",
    "otter": "Otter",
    "minigpt4": "MiniGPT-4",
    "pandagpt": "PandaGPT",
    "videochat": "VideoChat",
}
"""Families without a class in transformers, by the names in their checkpoints."""

TEXT = Family("", "a text model", ranking="cached", modality="text", known=False)
"""A model that accepts no pictures."""


def family_of(config: Mapping[str, Any]) -> Family:
    """Return the family of a checkpoint's `config.json`. An unknown family gets cautious defaults.

    >>> family_of({"model_type": "blip-2", "text_config": {"model_type": "t5"}}).padding
    'right'
    """
    kind = str(config.get("model_type", ""))
    family = BY_TYPE.get(kind)
    text = config.get("text_config") or {}
    if family is None:
        if not text and not _sees(config):
            return replace(TEXT, model_type=kind, title=kind or TEXT.title)
        return Family(kind, kind or "an unknown family", modality="images", known=False)
    if family.model_type in ("blip-2", "instructblip") and _is_encoder_decoder(config, text):
        return replace(
            family,
            title=f"{family.title} with {str(text.get('model_type', 't5')).upper()}",
            adapter="encoder_decoder",
            padding="right",
            ranking="encoder_decoder",
        )
    return family


def _sees(config: Mapping[str, Any]) -> bool:
    """Return whether a configuration has a part for pictures, at any depth."""
    if any(config.get(name) is not None for name in _EYES):
        return True
    return any(_sees(part) for name, part in config.items() if name in _PARTS and isinstance(part, Mapping))


_EYES = ("vision_config", "vq_config", "image_token_id", "image_token_index", "image_size")
_PARTS = ("encoder", "decoder", "text_config", "thinker_config")


def _is_encoder_decoder(config: Mapping[str, Any], text: Mapping[str, Any]) -> bool:
    return (
        text.get("model_type") in ("t5", "mt5", "umt5")
        or bool(text.get("is_encoder_decoder"))
        or config.get("use_decoder_only_language_model") is False
    )


def own_template(family: Family) -> str:
    """Return a plain chat template, with the family's marks, for a checkpoint without one."""
    video = "<video>" if family.adapter == "video_llava" else family.image
    return (
        "{% for message in messages %}"
        "{% if message['role'] == 'system' %}"
        "{% for part in message['content'] %}{{ part['text'] }}{% endfor %}{{ ' ' }}"
        "{% else %}{{ 'USER: ' if message['role'] == 'user' else 'ASSISTANT: ' }}"
        "{% for part in message['content'] %}"
        "{% if part['type'] == 'image' %}{{ '" + family.image + "\\n' }}"
        "{% elif part['type'] == 'video' %}{{ '" + video + "\\n' }}"
        "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{{ ' ' }}{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}"
    )
