"""Loading of a model from a folder or a repository into memory, or a sentence with the reason why it cannot be
loaded.

Each step of loading has a refusal of its own, in words for the person who asked.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from domain.errors import ModelError
from extensions.local_models import fit
from extensions.local_models.families import NO_CLASS, TEXT, Family, family_of, own_template
from extensions.local_models.libraries import needs_libraries, short_error, version_of
from extensions.local_models.processors import MissingPackage, image_mark, load_processor
from extensions.local_models.weights import load_weights, packages_to_install, remove_defaults
from inference.spec import ModelPermissions, ModelSpec

PLACES = ("<|touchstone clip|>", "<|touchstone still|>")
"""Temporary marks for the places of a clip and of a picture while a text is expanded."""

RANKS = {"text": 0, "one_image": 1, "images": 2, "video": 3}


@dataclass(frozen=True)
class LoadedModel:
    """A model in memory with its tokenizer, processor and settings. ``encode`` turns questions into the model's
    inputs.
    """

    spec: ModelSpec
    family: Family
    model: Any
    processor: Any
    """The processor; the tokenizer of a text model."""
    tokenizer: Any
    device: Any
    """A `torch.device`."""
    padding: str
    template: str | None
    """The chat template; None if texts are used without one."""
    own_template: bool
    """The checkpoint brings no chat template: it is ours."""
    about: Mapping[str, Any]
    """Facts about the model and its device, as JSON values."""
    special: tuple[str, ...] = ()
    """The texts that the tokenizer takes for more than text, the longest first."""
    end_ids: tuple[int, ...] = ()
    """Tokens that end an answer."""
    room: int | None = None
    """The largest number of tokens of a question and its answer together; None if no limit is known."""
    cached: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def text_only(self) -> bool:
        """Return whether the model accepts no pictures."""
        return self.family.modality == "text"

    @property
    def encoder_decoder(self) -> bool:
        """Return whether the model answers with the decoder alone."""
        return self.family.padding == "right" or bool(getattr(self.model.config, "is_encoder_decoder", False))


def load(spec: ModelSpec, allowed: ModelPermissions) -> LoadedModel:
    """Return the loaded model of a description.

    Raises
    ------
    ModelError
        The model cannot be loaded here; the message names the missing requirement.
    """
    needs_libraries()
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    name = spec.model or ""
    where, folder = _place(name)
    _remote_code_allowed(spec, allowed)
    common: dict[str, Any] = {"trust_remote_code": spec.remote_code, "local_files_only": folder is not None}
    if folder is None and spec.revision:
        common["revision"] = spec.revision
    model_folder = fit.look(folder) if folder else _fetched(name, spec.revision)
    if model_folder is not None and model_folder.trouble and not (spec.remote_code and model_folder.remote_code):
        raise ModelError(f"Touchstone cannot load {spec.name}: {model_folder.trouble}")
    config = _config(spec, where, common, model_folder)
    family = _family(spec, config)
    device = _device(spec)
    dtype = fit.chosen_dtype(spec.dtype, _stored(model_folder, config), on_gpu=device.type != "cpu")
    _enough_memory(spec, model_folder, device, dtype)
    processor, tokenizer = _processor(spec, family, where, config, common)
    padding = family.padding if spec.padding == "auto" else spec.padding
    tokenizer.padding_side = padding
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    model = load_weights(spec, family, where, config, dtype, device, common)
    if spec.generation.do_sample and spec.generation.temperature <= 0:
        raise ModelError(
            f"{spec.name}: `do_sample` turns on sampling, which needs a temperature above 0. Set a temperature, or "
            "remove `do_sample`."
        )
    ends = remove_defaults(model, tokenizer)
    template, ours = _template(processor, tokenizer, family)
    return LoadedModel(
        spec,
        family,
        model,
        processor,
        tokenizer,
        device,
        padding,
        template,
        ours,
        _about(spec, family, model, processor, device, padding, template, ours, model_folder, config),
        _special(tokenizer, processor, family),
        ends,
        _room(model.config, model_folder),
    )


def _place(name: str) -> tuple[str, Path | None]:
    """Return where transformers looks for a model, and the folder if the name is one."""
    path = Path(name).expanduser()
    if path.is_dir():
        return str(path.resolve()), path.resolve()
    if path.is_file():
        raise ModelError(f"{name} is a file. Give the path of a model folder that contains a config.json.")
    if path.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1 or not re.fullmatch(r"[\w./-]+", name):
        raise ModelError(f"The folder {name} does not exist. Check the path.")
    return name, None


def _fetched(name: str, revision: str | None) -> fit.ModelFolder | None:
    """Return the content of a repository's folder in the hub's cache; None if it is missing or incomplete."""
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(name, "config.json", revision=revision)
    folder = fit.look(Path(path).parent) if isinstance(path, str) else None
    return folder if folder is not None and not folder.trouble else None


def _remote_code_allowed(spec: ModelSpec, allowed: ModelPermissions) -> None:
    name = spec.model or ""
    if not spec.remote_code:
        return
    same = {name, str(Path(name).expanduser().resolve())}
    if not same & set(allowed.remote_code):
        raise ModelError(
            f"{spec.name} contains its own code, which runs only if TOUCHSTONE_REMOTE_CODE names {name}. The code "
            "can do everything that the person who runs Touchstone can do. If you trust the code, ask the operator "
            "to allow the model."
        )


def _config(spec: ModelSpec, where: str, common: Mapping[str, Any], found: fit.ModelFolder | None) -> Any:
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(where, **common)
    except Exception as error:
        text = f"{error}"
        kind = str(found.settings.get("model_type", "")) if found else ""
        if "trust_remote_code" in text or (found is not None and found.remote_code):
            raise ModelError(
                f"{spec.name} needs code from its repository (model_type {kind or 'unknown'} is not part of "
                "transformers). If you trust the code, set `remote_code: true` in the description and ask the "
                "operator to allow the model by name."
            ) from error
        if kind and ("model type" in text or "model_type" in text or "KeyError" in type(error).__name__):
            title = NO_CLASS.get(kind.lower())
            raise ModelError(
                f"{spec.name} has the type {kind}{f' ({title})' if title else ''}, which the installed transformers ("
                f"{version_of('transformers')}) does not support. Install a newer version, import the model's "
                "answers as a file, or connect the model as an endpoint."
            ) from error
        raise ModelError(_not_found(spec, error)) from error


def _not_found(spec: ModelSpec, error: Exception) -> str:
    name = spec.model or ""
    if os.environ.get("HF_HUB_OFFLINE", "") in ("1", "true", "TRUE") and not Path(name).expanduser().is_dir():
        return (
            f"{name} is not a folder on this machine, and Touchstone cannot download the model because this machine "
            "is offline (HF_HUB_OFFLINE). Give the path of the model's folder."
        )
    if "gated" in str(error).lower() or "401" in str(error):
        return (
            f"{name} requires a license agreement or does not exist. Accept the license on the hub, download the "
            "model, and give the path of its folder."
        )
    if "revision" in str(error).lower() and spec.revision:
        return f"{name} has no revision {spec.revision}. Choose another revision."
    return f"Touchstone could not read {name} as a model. Check the name or path. Error: {short_error(error)}"


def _family(spec: ModelSpec, config: Any) -> Family:
    settings = config.to_dict()
    family = family_of(settings)
    if spec.modality == "text" and not family.known and not _for_images(config):
        return (
            TEXT
            if not family.model_type
            else Family(family.model_type, family.model_type, ranking="cached", modality="text", known=False)
        )
    if family.modality == "text":
        if _for_images(config):
            family = Family(family.model_type, family.title, modality="images", known=False)
        elif spec.modality != "text":
            raise ModelError(
                f"{spec.name} is a text model ({family.model_type}) and cannot see images. Set `modality: text` "
                "in its description."
            )
    if RANKS[spec.modality] > RANKS[family.modality] and not (spec.modality == "video" and family.modality == "images"):
        most = "one picture" if family.modality == "one_image" else "no picture"
        raise ModelError(
            f"{family.title} accepts {most}, but the description of {spec.name} says `modality: {spec.modality}`. "
            f"Set `modality: {family.modality}`."
        )
    adapters = {family.adapter} if family.known else {"chat", "completion"}
    if spec.adapter not in adapters:
        raise ModelError(
            f"The description of {spec.name} says `adapter: {spec.adapter}`, but {family.title} needs another "
            f"adapter. Set `adapter: {family.adapter}`."
        )
    return family if family.known else replace(family, adapter=spec.adapter)


def _for_images(config: Any) -> bool:
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES

    return config.model_type in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES


def _device(spec: ModelSpec) -> Any:
    import torch

    cuda = bool(torch.cuda.is_available())
    mps = bool(torch.backends.mps.is_available())
    if spec.device == "auto":
        return torch.device("cuda" if cuda else "mps" if mps else "cpu")
    if spec.device.startswith("cuda") and not cuda:
        why = "this build of torch supports CPUs only" if torch.version.cuda is None else "torch finds no GPU"
        raise ModelError(
            f"{spec.name} requires a GPU (`device: {spec.device}`), but {why}. Set `device: auto` or `cpu`, or start "
            "the worker on a machine with a GPU."
        )
    if spec.device == "mps" and not mps:
        raise ModelError(f"{spec.name} requires `device: mps`, but this machine has no Apple GPU. Set `device: auto`.")
    try:
        device = torch.device(spec.device)
    except (RuntimeError, ValueError):
        raise ModelError(
            f"{spec.name}: `device: {spec.device}` is unknown. Choose `auto`, `cpu`, `cuda` or `mps`."
        ) from None
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ModelError(
            f"{spec.name} requires {spec.device}, but the number of GPUs on this machine is "
            f"{torch.cuda.device_count()}. Choose another device."
        )
    return device


def _stored(found: fit.ModelFolder | None, config: Any) -> str:
    if found is not None and found.stored:
        return found.stored
    return str(getattr(config, "dtype", None) or "").removeprefix("torch.")


def _enough_memory(spec: ModelSpec, found: fit.ModelFolder | None, device: Any, dtype: str) -> None:
    if found is None:
        return
    memory = fit.free_memory()
    if device.type == "cuda":
        import torch

        free = int(torch.cuda.mem_get_info(device)[0])
        memory = fit.Memory(memory.main, free, torch.cuda.get_device_name(device))
    place = "cuda" if device.type == "cuda" else "cpu"
    fitting = fit.fit(found, device=place, dtype=dtype, memory=memory)
    if not fitting.fits:
        raise ModelError(f"Touchstone did not load {spec.name}. {fitting.sentence}")


def _processor(spec: ModelSpec, family: Family, where: str, config: Any, common: Mapping[str, Any]) -> tuple[Any, Any]:
    from transformers import AutoTokenizer

    try:
        if family.modality == "text":
            tokenizer = AutoTokenizer.from_pretrained(where, **common)
            return tokenizer, tokenizer
        processor = load_processor(where, config, common)
    except MissingPackage as error:
        raise ModelError(packages_to_install(spec, family, error)) from error
    except Exception as error:
        text = f"{error}"
        if "sentencepiece" in text or "tiktoken" in text or "protobuf" in text:
            raise ModelError(
                f"{spec.name} has no tokenizer.json. To read its older tokenizer, install another package: "
                f"{short_error(error)}"
            ) from error
        raise ModelError(
            f"Touchstone cannot load the processor of {spec.name}. Check the model's files. Error: {short_error(error)}"
        ) from error
    missing = [setting for setting in family.needs if getattr(processor, setting, None) is None]
    if missing:
        raise ModelError(
            f"The processor of {spec.name} lacks {' and '.join(missing)}, so picture positions would be counted "
            "incorrectly. The checkpoint is old. Use a newer revision, or add the missing settings to its "
            "processor_config.json."
        )
    if getattr(processor, "image_processor", None) is None or getattr(processor, "tokenizer", None) is None:
        raise ModelError(
            f"{spec.name} has no image processor, because preprocessor_config.json is missing from its folder. "
            "Download the missing file."
        )
    return processor, processor.tokenizer


def _template(processor: Any, tokenizer: Any, family: Family) -> tuple[str | None, bool]:
    if family.adapter in ("completion", "encoder_decoder"):
        return None, False
    for holder in (processor, tokenizer):
        template = getattr(holder, "chat_template", None)
        if isinstance(template, Mapping):
            template = template.get("default")
        if isinstance(template, str) and template:
            return template, False
    if family.modality == "text":
        return None, False
    mark = image_mark(processor)
    if not family.known and mark:
        family = replace(family, image=mark)  # of a family without a row, its processor knows the mark
    return own_template(family), True


def _special(tokenizer: Any, processor: Any, family: Family) -> tuple[str, ...]:
    """Return every piece of text that would be taken for more than text."""
    special_texts = {str(token) for token in tokenizer.all_special_tokens}
    for token in getattr(tokenizer, "added_tokens_decoder", {}).values():
        text = str(token)
        if getattr(token, "special", False) or re.fullmatch(r"[<\[].+[>\]]", text):
            special_texts.add(text)
    for name in ("image_token", "video_token", "boi_token", "fake_image_token"):
        value = getattr(processor, name, None)
        special_texts.add(str(getattr(value, "content", value) or ""))
    if family.modality != "text":
        special_texts |= {"<image>", "<video>", *PLACES, *re.findall(r"<[^>]+>", family.image)}
    return tuple(sorted((text for text in special_texts if len(text.strip()) > 1), key=lambda text: (-len(text), text)))


def _room(config: Any, found: fit.ModelFolder | None) -> int | None:
    """Return the largest number of tokens of a question and its answer together; None if unknown.

    Without a table of positions or a value in the checkpoint, the library's default does not describe the model.
    """
    text = config.get_text_config()
    if getattr(text, "model_type", "") in ("t5", "mt5", "umt5"):
        return None  # positions are relative
    written = dict((found.settings.get("text_config") or found.settings) if found else {})
    if "max_position_embeddings" not in written and hasattr(text, "rope_parameters"):
        return None
    size = getattr(text, "max_position_embeddings", None)
    return size if isinstance(size, int) and size > 0 else None


def _about(
    spec: ModelSpec,
    family: Family,
    model: Any,
    processor: Any,
    device: Any,
    padding: str,
    template: str | None,
    ours: bool,
    found: fit.ModelFolder | None,
    config: Any,
) -> dict[str, Any]:
    import torch

    images = getattr(processor, "image_processor", None)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.processor() or platform.machine()
    return {
        "versions": {
            "python": platform.python_version(),
            **{package: version_of(package) for package in ("torch", "transformers", "tokenizers", "pillow", "numpy")},
        },
        "device": str(device),
        "device_name": name,
        "dtype": str(model.dtype).removeprefix("torch."),
        "batch_size": _batch_size(spec, family),
        "padding": padding,
        "family": family.title,
        "model_type": config.model_type,
        "model_class": type(model).__name__,
        "processor": type(processor).__name__,
        "image_processor": type(images).__name__ if images is not None else None,
        "attention": getattr(config, "_attn_implementation", None),
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "revision": _revision(config, found) or spec.revision,
        "weights": found.hash if found else None,
        "chat_template": {
            "sha256": hashlib.sha256(template.encode()).hexdigest() if template else None,
            "whose": "none" if template is None else "Touchstone's" if ours else "the checkpoint's",
        },
        "generation": json.loads(spec.generation.model_dump_json()),
    }


def _revision(config: Any, found: fit.ModelFolder | None) -> str | None:
    """Return the hub's commit of the weights, if they are in the hub's cache."""
    if found is not None and found.path.parent.name == "snapshots":
        return found.path.name
    commit = getattr(config, "_commit_hash", None)
    return str(commit) if commit else None


def _batch_size(spec: ModelSpec, family: Family) -> int:
    return 1 if spec.generation.do_sample or not family.batches else max(1, spec.batch_size)
