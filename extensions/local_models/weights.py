"""Loading of a model's weights, or a sentence with the reason why they cannot be loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from domain.errors import ModelError
from extensions.local_models.families import Family
from extensions.local_models.libraries import out_of_memory, short_error, version_of
from extensions.local_models.processors import MissingPackage, explained
from inference.spec import ModelSpec


def packages_to_install(spec: ModelSpec, family: Family, error: MissingPackage, *, part: str = "processor") -> str:
    """Return the missing package, and the command that installs it."""
    command = f"pip install {error.package}"
    build = ""
    if error.package == "torchvision":
        torch = version_of("torch")
        match = re.match(r"2\.(\d+)", torch)
        # torchvision's versions follow torch's: 0.15 is for 2.0, 0.28 for 2.13.
        command += f"=={'0.' + str(int(match[1]) + 15) if match else '0'}.*"
        build = (
            f" Use the build for the installed version of torch ({torch}). With another build, Python cannot import "
            "transformers."
        )
        if "+" in torch:  # such builds come from an index of their own; the usual one has another build
            command += " --index-url INDEX"
            build += " INDEX is the package index that has your build of torch."
    return (
        f"The {part} of {spec.name} ({family.title}) needs the package {error.package}, which is not installed. "
        f"Install the package where the worker runs: {command}.{build}"
    )


def load_weights(
    spec: ModelSpec, family: Family, where: str, config: Any, dtype: str, device: Any, common: Mapping[str, Any]
) -> Any:
    """Return the model of a checkpoint on its device. Raises ``ModelError`` with the reason if it cannot be loaded."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForImageTextToText
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES

    if "Diffusion" in str(MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES.get(config.model_type)):
        raise ModelError(
            f"{spec.name} has the type {config.model_type}, which writes all words of an answer at once (diffusion). "
            "Touchstone needs models that write word by word. Import the model's answers as a file, or connect the "
            "model as an endpoint."
        )
    kind = AutoModelForCausalLM if family.modality == "text" else AutoModelForImageTextToText
    try:
        model, report = kind.from_pretrained(
            where, config=config, dtype=getattr(torch, dtype), output_loading_info=True, **common
        )
        missing = sorted(
            key for key in report.get("missing_keys", ()) if not key.endswith(("position_ids", "inv_freq"))
        )
        if missing:
            raise ModelError(
                f"Parameters missing from the weights of {spec.name}: {len(missing)} (such as {missing[0]}). The "
                "folder is incomplete, or does not match its config.json. Download the model again."
            )
        return model.to(device).eval()
    except ModelError:
        raise
    except MemoryError as error:
        raise ModelError(_too_large(spec, dtype, device)) from error
    except Exception as error:
        if out_of_memory(error):
            raise ModelError(_too_large(spec, dtype, device)) from error
        text = f"{type(error).__name__} {error}"
        missing_package = explained(error)
        if isinstance(missing_package, MissingPackage):
            raise ModelError(packages_to_install(spec, family, missing_package, part="model")) from error
        if "Unrecognized configuration class" in text:
            raise ModelError(
                f"{spec.name} has the type {config.model_type}, which transformers does not support for questions "
                "about images. Import the model's answers as a file, or connect the model as an endpoint."
            ) from error
        if "ignore_mismatched_sizes" in text or "size mismatch" in text:
            raise ModelError(
                f"The sizes of the weights of {spec.name} differ from its config.json, so the weights belong to "
                "another model. Download the model again."
            ) from error
        if "accelerate" in text or "bitsandbytes" in text or "quant" in text.lower():
            raise ModelError(
                f"The quantized weights of {spec.name} need another package: " + short_error(error)
            ) from error
        if "safetensor" in text.lower() or "header" in text.lower() or "zip archive" in text:
            raise ModelError(
                f"The weights of {spec.name} are damaged or incomplete. Download the model again. Error: "
                f"{short_error(error)}"
            ) from error
        raise ModelError(
            f"Touchstone cannot load the weights of {spec.name}. Check the model's files. Error: {short_error(error)}"
        ) from error


def _too_large(spec: ModelSpec, dtype: str, device: Any) -> str:
    return (
        f"There is not enough memory on {device} for {spec.name} with dtype {dtype}. Use a smaller model, or a "
        "machine with more memory."
    )


def remove_defaults(model: Any, tokenizer: Any) -> tuple[int, ...]:
    """Remove every default for generation from the model, so that only the description decides.

    The tokens that end an answer are kept and returned.
    """
    from transformers import GenerationConfig

    ends: list[int] = []
    for module in model.modules():
        told_ends = getattr(getattr(module, "generation_config", None), "eos_token_id", None)
        ends += told_ends if isinstance(told_ends, list) else [told_ends] if told_ends is not None else []
    ends += [tokenizer.eos_token_id] if tokenizer.eos_token_id is not None else []
    text = model.config.get_text_config()
    if not ends and getattr(text, "eos_token_id", None) is not None:
        ends += [text.eos_token_id] if isinstance(text.eos_token_id, int) else list(text.eos_token_id)
    kept = tuple(dict.fromkeys(ends))
    start = None
    for module in model.modules():
        before = getattr(module, "generation_config", None)
        if before is None:
            continue
        start = getattr(before, "decoder_start_token_id", None)
        if start is None:
            start = getattr(text, "decoder_start_token_id", None)
        module.generation_config = GenerationConfig(
            eos_token_id=list(kept) or None,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=before.bos_token_id if before.bos_token_id is not None else tokenizer.bos_token_id,
            decoder_start_token_id=start,
        )
    return kept
