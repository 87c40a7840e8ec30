"""Questions as texts for a local model, with places for pictures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.runs import Picture, Question
from extensions.local_models.loading import LoadedModel
from extensions.local_models.processors import image_mark, processor_token


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


def neutral(text: str, special: Sequence[str]) -> tuple[str, list[str]]:
    """Return a text without any piece that the tokenizer takes for more than text, and the pieces found.

    A space is inserted after the first character of each piece.

    >>> neutral("the sign says <image> and <|im_end|>", ["<|im_end|>", "<image>"])
    ('the sign says < image> and < |im_end|>', ['<image>', '<|im_end|>'])
    """
    pieces: list[str] = []
    if not special:
        return text, pieces
    pattern = re.compile("|".join(re.escape(mark) for mark in special))

    def apart(match: re.Match[str]) -> str:
        pieces.append(match.group())
        return f"{match.group()[0]} {match.group()[1:]}"

    for _ in range(3):
        text, count = pattern.subn(apart, text)
        if not count:
            break
    return text, pieces


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
            text, pieces = neutral(part, loaded.special)
            marked += pieces
            clean.append(text)
        else:
            clean.append(part)
    system, pieces = neutral(question.system, loaded.special) if question.system else (None, [])
    if marked + pieces:
        notes["made_plain"] = sorted({*marked, *pieces})
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
            f"{spec.name} cannot see images, but the question has {_pictures(len(pictures))}. Run the model "
            "without pictures."
        )
    if pictures and spec.modality == "text":
        raise CannotEncode(
            f"{spec.name} is described as `modality: text`, but the question has {_pictures(len(pictures))}. Run "
            "the model without pictures, or correct `modality`."
        )
    if not pictures and family.needs_picture:
        raise CannotEncode(
            f"{family.title} needs a picture, but the question has no picture. Choose a model that accepts questions "
            "without pictures."
        )
    if len(pictures) > 1 and (spec.modality == "one_image" or family.modality == "one_image"):
        if any(picture.clip is not None for picture in pictures):
            last = pictures[-1]
            notes["pictures"] = {
                "shown": 1,
                "of": len(pictures),
                "why": "The model accepts one picture. For a clip, the model gets the last frame.",
            }
            at = max(index for index, part in enumerate(question.parts) if part is last)
            return [
                [part] if isinstance(part, Picture) else part
                for index, part in enumerate(question.parts)
                if isinstance(part, str) or index == at
            ]
        raise CannotEncode(
            f"{spec.name} accepts only one picture, but the question has {len(pictures)}. Choose a model that "
            "accepts several pictures."
        )
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
        notes["clips"] = f"The model gets clips as single pictures ({frames} frames)."
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
        notes["system"] = (
            "The model's template has no system turn, so Touchstone puts system text before the user's text."
        )
        text = _rendered(loaded, [{"role": "user", "content": _folded(content, system)}])
    if text is None:
        raise CannotEncode(
            f"The chat template of {loaded.spec.name} does not accept this question. Choose another model."
        )
    images, videos = _places(loaded, text)
    if loaded.family.modality != "text" and (images, videos) != (len(stills), len(clips)):
        raise CannotEncode(
            f"The chat template of {loaded.spec.name} has {images + videos} placeholders for "
            f"{len(stills) + len(clips)} pictures. Choose another model."
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
