"""The encoding of prompts for a local model: tokens, pixels, and padding."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain.runs import Picture, Question
from extensions.local_models.loading import PLACES, LoadedModel
from extensions.local_models.prompts import CannotEncode, PromptText, prompt_of

CLIP, STILL = PLACES


@dataclass(frozen=True)
class EncodedBatch:
    """Questions as a batch."""

    inputs: Mapping[str, Any]
    """The inputs of the model, on its device."""
    prompts: tuple[PromptText, ...]
    lengths: tuple[int, ...]
    """Tokens of each question, pictures included, padding not."""

    @property
    def width(self) -> int:
        """Tokens of the longest question, which is how wide the batch is."""
        return int(self.inputs["input_ids"].shape[1])


def batch_key(loaded: LoadedModel, question: Question) -> tuple[Any, ...]:
    """Return a key that is equal for questions of one batch: all with pictures or all without, and clips of equal
    length.
    """
    if loaded.family.adapter != "video_llava":
        return (bool(question.pictures),)
    clips: dict[int, int] = {}
    for picture in question.pictures:
        if picture.clip is not None:
            clips[picture.clip] = clips.get(picture.clip, 0) + 1
    stills = sum(1 for picture in question.pictures if picture.clip is None)
    return (tuple(clips.values()), stills > 0)


def encode(loaded: LoadedModel, questions: Sequence[Question]) -> EncodedBatch:
    """Return questions as one batch. Raises ``CannotEncode`` if a question does not fit the model."""
    return encode_prompts(loaded, [prompt_of(loaded, question) for question in questions])


def encode_prompts(loaded: LoadedModel, prompts: Sequence[PromptText]) -> EncodedBatch:
    """Return prompts as one batch. Raises ``CannotEncode`` for an unreadable picture or a prompt that is too long."""
    inputs = _inputs(loaded, prompts)
    lengths = tuple(int(row.sum()) for row in inputs["attention_mask"])
    if loaded.room is not None and max(lengths) >= loaded.room:
        raise CannotEncode(
            f"The question and its pictures have {max(lengths)} tokens, but {loaded.spec.name} accepts at most "
            f"{loaded.room} for question and answer together. Use fewer pictures, or a model with a longer context."
        )
    if loaded.family.model_type == "instructblip":
        prompts = [_with_cut(loaded, prompt) for prompt in prompts]
    return EncodedBatch(_moved(loaded, inputs), tuple(prompts), lengths)


def _with_cut(loaded: LoadedModel, prompt: PromptText) -> PromptText:
    """Return the prompt with a note if InstructBLIP's second part reads only its beginning."""
    limit = loaded.model.config.qformer_config.max_position_embeddings
    count = len(loaded.processor.qformer_tokenizer(prompt.text)["input_ids"])
    if count <= limit:
        return prompt
    cut = f"The vision part reads only the first {limit} of {count} tokens. The language model reads all tokens."
    return replace(prompt, notes={**prompt.notes, "instruction": cut})


def _inputs(loaded: LoadedModel, prompts: Sequence[PromptText]) -> dict[str, Any]:
    texts = [prompt.text for prompt in prompts]
    common: dict[str, Any] = {"return_tensors": "pt", "padding": True}
    first = loaded.tokenizer.bos_token
    if loaded.template is not None and first and all(text.startswith(first) for text in texts):
        common["add_special_tokens"] = False  # the template has written it already
    if loaded.text_only:
        return dict(loaded.tokenizer(texts, **common))
    if any(prompt.clips for prompt in prompts):
        texts, pixels = _with_videos(loaded, prompts)
        return {**loaded.tokenizer(texts, **common), **pixels}
    pictures = [[_opened(picture) for picture in prompt.stills] for prompt in prompts]
    images: Any = pictures if any(pictures) else None
    kind = loaded.family.model_type
    if kind in ("blip-2", "instructblip", "kosmos-2"):
        images = [one[0] for one in pictures]
    elif images is not None and kind == "video_llava":
        images = [picture for one in pictures for picture in one]
        common["return_legacy_image_output"] = True
    if kind == "kosmos-2":
        common["num_image_tokens"] = loaded.model.config.latent_query_num
    if images is None:
        inputs = dict(loaded.tokenizer(texts, **common))
    else:
        inputs = dict(_processed(loaded, images, texts, common))
        _add_token_types(loaded, inputs)
    inputs.pop("labels", None)
    if kind == "instructblip":
        inputs.update(_for_qformer(loaded, texts))
    return inputs


def _processed(loaded: LoadedModel, images: Any, texts: list[str], common: Mapping[str, Any]) -> Any:
    """Return the processor's result for texts and pictures.

    Most processors take a list of pictures for each text. Some take the pictures of all texts in one list.
    """
    flat = [picture for one in images for picture in (one if isinstance(one, list) else [one])]
    if not loaded.cached.get("flat"):
        try:
            return loaded.processor(images=images, text=texts, **common)
        except (ValueError, TypeError, AttributeError):
            if flat == images or loaded.family.known:
                raise
            made = _or_none(lambda: loaded.processor(images=flat, text=texts, **common))
            if made is None:
                raise
            loaded.cached["flat"] = True
            return made
    return loaded.processor(images=flat, text=texts, **common)


def _or_none(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except (ValueError, TypeError, AttributeError):
        return None


def _add_token_types(loaded: LoadedModel, inputs: dict[str, Any]) -> None:
    """Add which tokens are pictures, where the model asks for that and its processor leaves it out by default."""
    made = getattr(loaded.processor, "create_mm_token_type_ids", None)
    name = "mm_token_type_ids"
    if made is None or name in inputs or name not in inspect.signature(loaded.model.forward).parameters:
        return
    import torch

    inputs[name] = torch.as_tensor(made(inputs["input_ids"].tolist()))


def _opened(picture: Picture) -> Any:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(picture.path) as image:
            return image.convert("RGB")
    except FileNotFoundError:
        raise CannotEncode(f"The picture {picture.path.name} is missing. Import the picture again.") from None
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise CannotEncode(
            f"Touchstone cannot open the picture {picture.path.name}. Import the picture again. Error: {error}"
        ) from error


def _with_videos(loaded: LoadedModel, prompts: Sequence[PromptText]) -> tuple[list[str], dict[str, Any]]:
    """Return texts and inputs for clips, and for pictures with them, in the form of Video-LLaVA.

    They are made here because its own video processor needs torchvision.
    """
    import torch

    processor = loaded.processor
    more = processor.num_additional_image_tokens
    videos, images, wide = [], [], []
    for prompt in prompts:
        text = prompt.text
        for frames in prompt.clips:
            pixels = _pixels(loaded, frames)
            videos.append(pixels)
            text = text.replace(processor.video_token, CLIP * (len(frames) * (_patches(processor, pixels) + more)), 1)
        for still in prompt.stills:
            pixels = _pixels(loaded, [still])
            images.append(pixels)
            left = more - (processor.vision_feature_select_strategy == "default")
            text = text.replace(processor.image_token, STILL * (_patches(processor, pixels) + left), 1)
        wide.append(text.replace(CLIP, processor.video_token).replace(STILL, processor.image_token))
    if len({tuple(video.shape) for video in videos}) > 1:
        raise CannotEncode(
            "The clips of the question have different numbers of frames. Use the same number of frames for each clip."
        )
    made = {"pixel_values_videos": torch.stack(videos)}
    return wide, {**made, "pixel_values_images": torch.cat(images)} if images else made


def _pixels(loaded: LoadedModel, pictures: Sequence[Picture]) -> Any:
    opened = [_opened(picture) for picture in pictures]
    made = loaded.processor.image_processor(opened, return_tensors="pt")
    return made["pixel_values"] if "pixel_values" in made else made["pixel_values_images"]


def _patches(processor: Any, pixels: Any) -> int:
    height, width = pixels.shape[-2:]
    return int(height // processor.patch_size) * int(width // processor.patch_size)


def _for_qformer(loaded: LoadedModel, texts: Sequence[str]) -> dict[str, Any]:
    """Return the instruction for InstructBLIP's second part.

    Its positions are absolute, so its batch is padded on the right, whatever the language model needs. The processor's
    own padding would change the result within a batch.
    """
    limit = loaded.model.config.qformer_config.max_position_embeddings
    tokens = loaded.processor.qformer_tokenizer(
        list(texts), return_tensors="pt", padding=True, padding_side="right", truncation=True, max_length=limit
    )
    return {"qformer_input_ids": tokens["input_ids"], "qformer_attention_mask": tokens["attention_mask"]}


def _moved(loaded: LoadedModel, inputs: Mapping[str, Any]) -> dict[str, Any]:
    import torch

    moved: dict[str, Any] = {}
    for name, value in inputs.items():
        if not isinstance(value, torch.Tensor):
            continue
        value = value.to(loaded.device)
        moved[name] = value.to(loaded.model.dtype) if value.is_floating_point() else value
    return moved
