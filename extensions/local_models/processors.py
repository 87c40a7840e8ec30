"""The processor of a checkpoint, from the parts that are used here: tokenizers and the image processor.

Processors of newer families also have parts for video and audio. Clips come here as pictures and audio never does, so
these parts are left out: they need torchvision or other packages, and many checkpoints do not even hold their settings.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_USED = ("tokenizer", "image_processor")
_HUB = ("local_files_only", "revision")


class MissingPackage(Exception):
    """A processor cannot be loaded without a package that is not installed."""

    def __init__(self, package: str, why: str) -> None:
        super().__init__(why)
        self.package = package


class _AbsentPart:
    """A replacement for a part that a new processor does not need. Every setting of this part is None."""

    def __bool__(self) -> bool:
        return False

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)


def load_processor(where: str, config: Any, common: Mapping[str, Any]) -> Any:
    """Return the processor of a checkpoint without its parts for video and audio.

    Raises
    ------
    MissingPackage
        A package is missing that the family's processor needs for pictures, too.
    """
    from transformers import AutoImageProcessor, AutoProcessor

    try:
        full = _class_of(where, config, common)
        parts = [] if full is None else full.get_attributes()
        absent = [part for part in parts if not any(used in part for used in _USED)]
        is_usual = full is None or getattr(importlib.import_module("transformers"), full.__name__, None) is full
        if full is None or (not absent and is_usual):
            processor = AutoProcessor.from_pretrained(where, **common)
        else:
            processor = _without(full, absent).from_pretrained(where, **common)
    except Exception as error:
        raise explained(error) from error
    if hasattr(processor, "image_processor"):
        # One way of resizing everywhere, whether torchvision is installed or not: the two differ slightly.
        try:
            processor.image_processor = AutoImageProcessor.from_pretrained(where, backend="pil", **common)
        except Exception as error:
            raise explained(error) from error
    return processor


def image_mark(processor: Any) -> str:
    """Return the mark for a picture in a text before the processor widens it; empty without such a mark."""
    return processor_token(processor, "image_placeholder_token") or processor_token(processor, "image_token")


def processor_token(processor: Any, name: str) -> str:
    """Return a special token of a processor as text; empty: it has none of that name."""
    value = getattr(processor, name, None)
    return str(getattr(value, "content", value) or "")


def absent_parts(config: Any) -> tuple[str, ...]:
    """Return the parts for video and audio that processors of a family have, and that are left out here."""
    full = processor_class(_mapped(config))
    parts = [] if full is None else full.get_attributes()
    return tuple(part for part in parts if not any(used in part for used in _USED))


def _without(full: type, absent: list[str]) -> Any:
    """Return a family's processor class without some of its parts."""
    from transformers.processing_utils import ProcessorMixin

    present = [part for part in full.get_attributes() if part not in absent]  # type: ignore[attr-defined]
    taken = inspect.signature(full.__init__).parameters  # type: ignore[misc]

    def begin(self: Any, *given: Any, **named: Any) -> None:
        kept = {name: part for name, part in named.items() if not isinstance(part, _AbsentPart)}
        ProcessorMixin.__init__(self, *[part for part in given if not isinstance(part, _AbsentPart)], **kept)
        for name in absent:
            object.__setattr__(self, name, _AbsentPart())

    def build(cls: Any, /, args: Any, processor_dict: Mapping[str, Any], **kwargs: Any) -> Any:
        settings = {name: value for name, value in {**processor_dict, **kwargs}.items() if name in taken}
        settings = {name: value for name, value in settings.items() if name not in (*present, *absent)}
        parts = {name: _AbsentPart() for name in absent if name in taken}
        made = cls(**parts, **dict(zip(present, args, strict=True)), **settings)
        if "chat_template" not in settings and processor_dict.get("chat_template"):
            made.chat_template = processor_dict["chat_template"]
        for name in absent:
            object.__delattr__(made, name)
        return made

    module = sys.modules[full.__module__]
    if getattr(module, "num2words", True) is None:
        # SmolVLM spells the number of a video's frames with this package; no video comes here.
        module.__dict__["num2words"] = str
    # This base is between the family's class and that of transformers, and does not pass on absent parts.
    between = type("WithoutParts", (ProcessorMixin,), {"__init__": begin})
    changed = {
        "get_attributes": classmethod(lambda cls: list(present)),
        "from_args_and_dict": classmethod(build),
        "check_argument_for_proper_class": lambda self, name, part: type(part),
    }
    return type(full.__name__, (full, between), changed)


def _class_of(where: str, config: Any, common: Mapping[str, Any]) -> Any:
    """Return the class of a checkpoint's processor; None if transformers finds it, or the checkpoint has its own."""
    from transformers.utils import cached_file

    hub = {key: common[key] for key in _HUB if key in common}
    for name in (
        "processor_config.json",
        "preprocessor_config.json",
        "video_preprocessor_config.json",
        "tokenizer_config.json",
    ):
        path = cached_file(
            where,
            name,
            _raise_exceptions_for_gated_repo=False,
            _raise_exceptions_for_missing_entries=False,
            _raise_exceptions_for_connection_errors=False,
            **hub,
        )
        if path is None:
            continue
        settings = json.loads(Path(path).read_text(encoding="utf-8"))
        if common.get("trust_remote_code") and "AutoProcessor" in (settings.get("auto_map") or {}):
            return None
        if isinstance(settings.get("processor_class"), str):
            return processor_class(settings["processor_class"])
    return processor_class(_mapped(config))


def _mapped(config: Any) -> str | None:
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

    name = PROCESSOR_MAPPING_NAMES.get(config.model_type)
    return name if isinstance(name, str) else None


def processor_class(name: str | None) -> Any:
    """Return transformers' class of that name, also where it asks for a package that pictures do not need."""
    import transformers

    processor = getattr(transformers, name, None) if name else None
    if processor is None or not getattr(processor, "is_dummy", False):
        return processor
    where = getattr(transformers, "_class_to_module", {}).get(name)
    try:
        return getattr(importlib.import_module(f"transformers.{where}"), name or "")
    except (ImportError, AttributeError):
        return processor


def explained(error: Exception) -> Exception:
    """Return the error of a missing package in place of the error that it caused, and any other error unchanged."""
    chain: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in chain:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__
    for link in chain:
        if isinstance(link, ModuleNotFoundError) and link.name:
            return MissingPackage(link.name.partition(".")[0], str(error))
    text = " ".join(str(cause) for cause in chain).lower()
    for package in (
        "torchvision",
        "torchaudio",
        "sentencepiece",
        "tiktoken",
        "protobuf",
        "num2words",
        "librosa",
        "timm",
    ):
        if re.search(rf"(requires the|missing optional dependencies:|install) .{{0,80}}\b{package}\b", text):
            return MissingPackage(package, str(error))
    return error
