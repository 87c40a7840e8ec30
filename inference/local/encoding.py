"""The encoding of questions for a local model: texts with places for pictures, pixels, and padding."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from domain.runs import Picture, Question
from inference.local.loading import PLACES, LoadedModel
from inference.local.processors import image_mark, processor_token


class CannotEncode(Exception):
    """A question does not fit the model: it is not asked, and the message, a sentence, becomes the attempt's."""


@dataclass(frozen=True)
class PromptText:
    """A question as the model's text, before places for pictures are widened to as many tokens as they take."""

    text: str
    stills: tuple[Picture, ...] = ()
    """The pictures for the image places, in order."""
    clips: tuple[tuple[Picture, ...], ...] = ()
    """For each place for a video, its frames."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """JSON values that describe how the question was made to fit."""


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


CLIP, STILL = PLACES


def neutral(text: str, special: Sequence[str]) -> tuple[str, list[str]]:
    """Return a text without any piece that the tokenizer takes for more than text, and the pieces found.

    A space is inserted after the first character of each piece.

    >>> neutral("the sign says <image> and <|im_end|>", ["<|im_end|>", "<image>"])
    ('the sign says < image> and < |im_end|>', ['<image>', '<|im_end|>'])
    """
    found: list[str] = []
    if not special:
        return text, found
    pattern = re.compile("|".join(re.escape(mark) for mark in special))

    def apart(match: re.Match[str]) -> str:
        found.append(match.group())
        return f"{match.group()[0]} {match.group()[1:]}"

    for _ in range(3):
        text, count = pattern.subn(apart, text)
        if not count:
            break
    return text, found


def prompt_of(loaded: LoadedModel, question: Question) -> PromptText:
    """Return a question as text with one mark for each picture, and the pictures in the order of the marks.

    Raises
    ------
    CannotAsk
        The question does not fit the model.
    """
    notes: dict[str, Any] = {}
    parts = _shown(loaded, question, notes)
    marked: list[str] = []
    clean: list[str | list[Picture]] = []
    for part in parts:
        if isinstance(part, str):
            text, found = neutral(part, loaded.special)
            marked += found
            clean.append(text)
        else:
            clean.append(part)
    system, found = neutral(question.system, loaded.special) if question.system else (None, [])
    if marked + found:
        notes["made_plain"] = sorted({*marked, *found})
    if loaded.family.adapter in ("completion", "encoder_decoder"):
        return _completion(loaded, clean, system, notes)
    if loaded.template is None:
        texts = [part for part in clean if isinstance(part, str)]
        return PromptText("\n\n".join([system, "".join(texts)]) if system else "".join(texts), notes=notes)
    return _chat(loaded, clean, system, notes)


def _shown(loaded: LoadedModel, question: Question, notes: dict[str, Any]) -> list[str | list[Picture]]:
    """Return the texts, and the pictures in groups.

    A group of several pictures, or one with a clip's number, is a clip that is shown as a video. Other groups are
    single pictures.
    """
    family, spec = loaded.family, loaded.spec
    pictures = question.pictures
    if pictures and family.modality == "text":
        raise CannotEncode(
            f"{spec.name} sees nothing, and the question has {_pictures(len(pictures))}: run it with pictures left out."
        )
    if pictures and spec.modality == "text":
        raise CannotEncode(
            f"{spec.name} is described as `modality: text`, and the question has {_pictures(len(pictures))}."
        )
    if not pictures and family.needs_picture:
        raise CannotEncode(f"{family.title} answers about a picture only, and the question has none.")
    if len(pictures) > 1 and (spec.modality == "one_image" or family.modality == "one_image"):
        if any(picture.clip is not None for picture in pictures):
            last = pictures[-1]
            notes["pictures"] = {
                "shown": 1,
                "of": len(pictures),
                "why": "It takes one picture: of a clip it gets the last one.",
            }
            at = max(index for index, part in enumerate(question.parts) if part is last)
            return [
                [part] if isinstance(part, Picture) else part
                for index, part in enumerate(question.parts)
                if isinstance(part, str) or index == at
            ]
        raise CannotEncode(f"{spec.name} takes one picture; the question has {len(pictures)}.")
    parts: list[str | list[Picture]] = []
    as_video = family.adapter == "video_llava" and spec.modality == "video"
    for part in question.parts:
        if isinstance(part, str):
            parts.append(part)
        elif as_video and part.clip is not None:
            before = parts[-1] if parts else None
            if isinstance(before, list) and before[-1].clip == part.clip:
                before.append(part)
            else:
                parts.append([part])
        else:
            parts.append([part])
    frames = sum(1 for picture in pictures if picture.clip is not None)
    if frames and not as_video:
        notes["clips"] = f"{frames} frames of clips are shown as single pictures."
    return parts


def _pictures(count: int) -> str:
    return "one picture" if count == 1 else f"{count} pictures"


def _completion(
    loaded: LoadedModel, parts: Sequence[str | list[Picture]], system: str | None, notes: dict[str, Any]
) -> PromptText:
    """Return one text that the model continues, with the picture before it."""
    text = "".join(part for part in parts if isinstance(part, str)).strip("\n")
    if system:
        text = f"{system}\n{text}"
    stills = tuple(part[0] for part in parts if not isinstance(part, str))
    if loaded.family.model_type == "paligemma":
        text = loaded.family.image * len(stills) + text
    return PromptText(text, stills, notes=notes)


def _chat(
    loaded: LoadedModel, parts: Sequence[str | list[Picture]], system: str | None, notes: dict[str, Any]
) -> PromptText:
    content: list[dict[str, Any]] = []
    stills: list[Picture] = []
    clips: list[tuple[Picture, ...]] = []
    for part in parts:
        if isinstance(part, str):
            content.append({"type": "text", "text": part})
        elif loaded.family.adapter == "video_llava" and part[0].clip is not None and loaded.spec.modality == "video":
            content.append({"type": "video"})
            clips.append(tuple(part))
        else:
            content.append({"type": "image"})
            stills.append(part[0])
    turns: list[dict[str, Any]] = [{"role": "user", "content": content}]
    text = _rendered(loaded, _with_system(turns, system))
    if system and (text is None or system not in text):
        notes["system"] = "The model's template has no system turn: it stands before the user's words."
        text = _rendered(loaded, [{"role": "user", "content": _folded(content, system)}])
    if text is None:
        raise CannotEncode(f"The chat template of {loaded.spec.name} cannot be filled in with this question.")
    images, videos = _places(loaded, text)
    if loaded.family.modality != "text" and (images, videos) != (len(stills), len(clips)):
        raise CannotEncode(
            f"The chat template of {loaded.spec.name} made {images + videos} places for {len(stills) + len(clips)} "
            "pictures."
        )
    return PromptText(text, tuple(stills), tuple(clips), notes)


def _folded(content: Sequence[dict[str, Any]], system: str) -> list[dict[str, Any]]:
    """Return the content with the system's words before the user's first words, so that leading pictures stay in
    front.
    """
    at = next((index for index, part in enumerate(content) if part["type"] == "text"), len(content))
    return [*content[:at], {"type": "text", "text": f"{system}\n\n"}, *content[at:]]


def _with_system(turns: list[dict[str, Any]], system: str | None) -> list[dict[str, Any]]:
    if not system:
        return turns
    return [{"role": "system", "content": [{"type": "text", "text": system}]}, *turns]


def rendered(
    loaded: LoadedModel, turns: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] = ()
) -> str | None:
    """Return turns rendered by the chat template; None if the template refuses them."""
    try:
        return str(
            loaded.tokenizer.apply_chat_template(
                list(turns),
                chat_template=loaded.template,
                tools=list(tools) or None,
                tokenize=False,
                add_generation_prompt=True,
            )
        )
    except Exception:  # a template is a program of the checkpoint, and may raise anything
        return None


def _rendered(loaded: LoadedModel, turns: list[dict[str, Any]]) -> str | None:
    if loaded.text_only:
        # Templates of text models take a turn's words as one text.
        turns = [{"role": turn["role"], "content": "".join(part["text"] for part in turn["content"])} for turn in turns]
    return rendered(loaded, turns)


def _places(loaded: LoadedModel, text: str) -> tuple[int, int]:
    """Return the number of image places and of video places in a text."""
    if loaded.family.modality == "text":
        return 0, 0
    image = processor_token(loaded.processor, "boi_token") if loaded.family.model_type == "gemma3" else ""
    image = image or image_mark(loaded.processor) or loaded.family.image
    video = processor_token(loaded.processor, "video_token")
    return text.count(image), text.count(video) if video else 0


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
            f"The question takes {max(lengths)} tokens with its pictures; {loaded.spec.name} holds {loaded.room}, "
            "question and answer together."
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
    cut = f"The part that looks at the picture reads the first {limit} of {count} tokens; the language model reads all."
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
        raise CannotEncode(f"The picture {picture.path.name} is not there.") from None
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise CannotEncode(f"The picture {picture.path.name} cannot be opened: {error}") from error


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
        raise CannotEncode("The clips of the question have different numbers of frames: take the same number of each.")
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
    told = loaded.processor.qformer_tokenizer(
        list(texts), return_tensors="pt", padding=True, padding_side="right", truncation=True, max_length=limit
    )
    return {"qformer_input_ids": told["input_ids"], "qformer_attention_mask": told["attention_mask"]}


def _moved(loaded: LoadedModel, inputs: Mapping[str, Any]) -> dict[str, Any]:
    import torch

    moved: dict[str, Any] = {}
    for name, value in inputs.items():
        if not isinstance(value, torch.Tensor):
            continue
        value = value.to(loaded.device)
        moved[name] = value.to(loaded.model.dtype) if value.is_floating_point() else value
    return moved
