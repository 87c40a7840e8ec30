"""A tiny random checkpoint of any image-text type of the installed transformers, as one that someone would download.

One recipe serves all types. It makes the default configuration small by the names of its numbers, takes the special
tokens from the processor's source, and writes the files like full checkpoints. ``PATCHES`` holds further needs of a
type.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from testkit import tiny

SIDE = tiny.SIDE
PATCH = tiny.PATCH

SMALL: Mapping[str, Any] = {
    **dict.fromkeys(("hidden_size", "embed_dim", "d_model", "dim", "width", "projection_dim", "out_hidden_size"), 32),
    **dict.fromkeys(("text_hidden_size", "vision_hidden_size", "encoder_hidden_size", "projector_hidden_size"), 32),
    **dict.fromkeys(("word_embed_proj_dim", "output_dim", "vision_output_dim", "cross_hidden_size", "lm_dim"), 32),
    **dict.fromkeys(("mm_hidden_size", "projection_hidden_size", "hidden_dim", "embedding_dim", "n_embd"), 32),
    **dict.fromkeys(("intermediate_size", "ffn_dim", "d_ff", "encoder_ffn_dim", "decoder_ffn_dim", "mlp_dim"), 64),
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size", "expert_intermediate_size"), 32),
    **dict.fromkeys(("intermediate_size_mlp", "dense_intermediate_size", "expert_ffn_hidden_size"), 32),
    **dict.fromkeys(("num_hidden_layers", "num_layers", "depth", "layers", "n_layers", "encoder_layers"), 2),
    **dict.fromkeys(("decoder_layers", "num_decoder_layers", "n_layer", "conf_num_hidden_layers"), 2),
    **dict.fromkeys(("num_attention_heads", "num_heads", "attention_heads", "n_heads", "encoder_attention_heads"), 2),
    **dict.fromkeys(("decoder_attention_heads", "n_head", "conf_num_attention_heads", "num_key_value_heads"), 2),
    **dict.fromkeys(("head_dim", "d_kv", "v_head_dim", "global_head_dim", "attention_head_dim"), 16),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"), 4),
    **dict.fromkeys(("num_experts_per_tok", "moe_k", "top_k_experts", "moe_topk"), 2),
    **dict.fromkeys(("n_group", "topk_group", "n_shared_experts", "first_k_dense_replace"), 1),
    **dict.fromkeys(("q_lora_rank", "kv_lora_rank", "o_lora_rank"), 16),
    **dict.fromkeys(("qk_rope_head_dim", "qk_nope_head_dim"), 8),
    "max_position_embeddings": 2048,
    "initializer_range": tiny.SPREAD,
    "init_std": tiny.SPREAD,
    "initializer_factor": 1.0,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 0,
    "tie_word_embeddings": False,
    "use_cache": True,
    "dropout": 0.0,
    "attention_dropout": 0.0,
    "sliding_window": 64,
}
IN_PICTURES: Mapping[str, Any] = {"image_size": SIDE, "patch_size": PATCH}


def image_text_types() -> dict[str, str]:
    """Return every image-text type of the installed transformers, with its class."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES

    return {
        kind: name if isinstance(name, str) else name[0]
        for kind, name in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES.items()
    }


OWN = {
    **{name: name for name in ("llava", "vipllava", "llava_next", "instructblip", "idefics3", "smolvlm", "internvl")},
    **{name: name for name in ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "gemma3", "video_llava", "llava_onevision")},
    **{"blip-2": "blip2_opt", "paligemma": "paligemma", "kosmos-2": "kosmos2"},
}
"""Types whose tiny checkpoint ``testkit.tiny`` writes."""


class NotBuilt(Exception):
    """There is no tiny checkpoint of a type; the message says why."""


def build(kind: str, folder: Path) -> None:
    """Write a tiny checkpoint of a type; without weights where its image processor cannot be made here.

    Raises
    ------
    NotBuilt
        Why there is none.
    """
    import torch
    import transformers
    from safetensors.torch import save_file
    from transformers import CONFIG_MAPPING
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    if kind in OWN:
        tiny.FAMILIES[OWN[kind]](folder)
        return
    patch = PATCHES.get(kind, {})
    processor = _processor_class(kind)
    tok = _tokenizer(kind, processor, patch)
    folder.mkdir(parents=True, exist_ok=True)
    tok.save_pretrained(folder)
    images = _image_processor(kind, patch)
    if isinstance(images, str):
        (folder / "preprocessor_config.json").write_text(json.dumps({"image_processor_type": images}), "utf-8")
    elif images is not None:
        images.save_pretrained(folder)
    settings = {"processor_class": processor.__name__} if processor is not None else {}
    settings |= patch.get("processor", {})
    (folder / "processor_config.json").write_text(json.dumps(settings), encoding="utf-8")
    begin = patch.get("begin", {})
    config = CONFIG_MAPPING[kind](**(begin(tok) if callable(begin) else begin))
    if isinstance(images, str) or getattr(processor, "is_dummy", False):
        config.save_pretrained(folder)
        save_file({"none": torch.zeros(1)}, folder / "model.safetensors", metadata={"format": "pt"})
        return
    image = patch.get("image") or _image_mark(tok, processor, folder, config)
    (folder / "chat_template.jinja").write_text(tiny.template(image), encoding="utf-8")
    told = _shrunk(config.to_dict(), "", {**SMALL, "vocab_size": len(tok), **patch.get("small", {})})
    _tokens(told, tok, image)
    for path, value in patch.get("config", {}).items():
        _set(told, path, value(tok) if callable(value) else value)
    config = CONFIG_MAPPING[kind].from_dict(told)
    torch.manual_seed(0)
    try:
        model = getattr(transformers, image_text_types()[kind])(config).eval()
    except ImportError:  # loading names the missing package
        config.save_pretrained(folder)
        save_file({"none": torch.zeros(1)}, folder / "model.safetensors", metadata={"format": "pt"})
        return
    _spread(model)
    model.save_pretrained(folder)


def _processor_class(kind: str) -> Any:
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

    from extensions.local_models.processors import processor_class

    return processor_class(PATCHES.get(kind, {}).get("processor_class") or PROCESSOR_MAPPING_NAMES.get(kind))


def _image_processor(kind: str, patch: Mapping[str, Any]) -> Any:
    import transformers
    from transformers.models.auto.image_processing_auto import IMAGE_PROCESSOR_MAPPING_NAMES

    known = IMAGE_PROCESSOR_MAPPING_NAMES.get(kind) or {}
    name = patch.get("image_processor") or known.get("pil")
    if name is None:
        return known.get("torchvision")
    return getattr(transformers, name)(**{**_picture_sizes(getattr(transformers, name)), **patch.get("images", {})})


def _picture_sizes(kind: Any) -> dict[str, Any]:
    """Return sizes of pictures for an image processor, in the form of its own."""
    found: dict[str, Any] = {}
    size = getattr(kind, "size", None)
    if isinstance(size, Mapping):
        if "longest_edge" in size and "shortest_edge" in size and size["longest_edge"] > 10_000:
            found["size"] = {"shortest_edge": (2 * 28) ** 2, "longest_edge": (4 * 28) ** 2}
        else:
            found["size"] = dict.fromkeys(size, SIDE)
    if isinstance(getattr(kind, "crop_size", None), Mapping):
        found["crop_size"] = {"height": SIDE, "width": SIDE}
    return found


def _tokenizer(kind: str, processor: Any, patch: Mapping[str, Any]) -> Any:
    named = {f"{name}": f"<|{name}|>" for name in _named_tokens(processor)}
    named |= patch.get("named", {})
    special = [mark for mark in _marks(processor) if mark not in named.values()]
    special += patch.get("special", [])
    made = (
        tiny.tokenizer(*special, named=named, unk=True) if named else tiny.tokenizer(*special or ["<image>"], unk=True)
    )
    if named and special:
        made.add_special_tokens({"additional_special_tokens": special}, replace_extra_special_tokens=False)
    return made


def _source(processor: Any) -> str:
    if processor is None or getattr(processor, "is_dummy", False):
        return ""
    return inspect.getsource(importlib.import_module(processor.__module__))


def _named_tokens(processor: Any) -> list[str]:
    """Return the special tokens that a processor asks its tokenizer for by name."""
    own = {"pad_token", "bos_token", "eos_token", "unk_token", "sep_token", "cls_token", "mask_token"}
    source = _source(processor)
    found = re.findall(r"tokenizer(?:\.|, \")(\w+_token)(?:_id)?\b", source)
    return [name for name in dict.fromkeys(found) if name not in own]


def _marks(processor: Any) -> list[str]:
    """Return the special tokens that a processor's source writes out."""
    return list(dict.fromkeys(re.findall(r"[\"'](<[^<>\s\"'{}]+>|\[[A-Z_]+\])[\"']", _source(processor))))


def _image_mark(tok: Any, processor: Any, folder: Path, config: Any) -> str:
    """Return the mark for a picture: the mark of the loaded processor, or one that its source or tokenizer names."""
    from extensions.local_models.processors import image_mark, load_processor

    try:
        loaded = load_processor(str(folder), config, {"local_files_only": True})
    except Exception:  # loading gives the reason in the row of the type
        loaded = tok
    found = image_mark(loaded)
    if found:
        return found
    for mark in _marks(processor):
        if "image" in mark.lower() or "img" in mark.lower():
            return mark
    return "<image>"


def _shrunk(told: dict[str, Any], path: str, small: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with small numbers, parts included."""
    is_vision = "vis" in path or "image" in path
    found: dict[str, Any] = {}
    for name, value in told.items():
        if not isinstance(name, str):
            return told  # labels by their number
        if isinstance(value, dict) and name == "per_layer_config":
            found[name] = {key: each for key, each in value.items() if int(key) < 2}
        elif isinstance(value, dict) and name in ("rope_parameters", "rope_scaling"):
            _rope(value)
            found[name] = value
        elif isinstance(value, dict):
            found[name] = _shrunk(value, f"{path}.{name}", small)
        elif is_vision and name in IN_PICTURES and value is not None:
            new = IN_PICTURES[name]
            found[name] = [new, new] if isinstance(value, list | tuple) else new
        elif name in small and value is not None and not isinstance(value, dict):
            found[name] = [small[name]] * 2 if isinstance(value, list | tuple) else small[name]
        elif name.endswith("layer_types") and isinstance(value, list) and value:
            kinds = list(dict.fromkeys(value))
            found[name] = (kinds * 2)[:2]
        elif isinstance(value, list) and len(value) == told.get("num_hidden_layers"):
            found[name] = value[:2]  # one for each layer
        else:
            found[name] = value
    return found


def _rope(told: dict[str, Any]) -> None:
    """Make sections of rotary positions fit into half a head, also where each kind of layer has its own."""
    for name, value in told.items():
        if name == "mrope_section":
            told[name] = [2, 3, 3]
        elif isinstance(value, dict):
            _rope(value)


def _tokens(told: dict[str, Any], tok: Any, image: str) -> None:
    """Set the ids of special tokens: those of pictures by name, the others as far as the tokenizer has them."""
    own = ("pad", "bos", "eos", "decoder_start", "sep", "cls", "mask", "forced_eos")
    for name, value in told.items():
        if not isinstance(name, str):
            return
        if isinstance(value, dict):
            _tokens(value, tok, image)
        found = re.fullmatch(r"(\w+)_token_(?:id|index)", name)
        if found is None or found[1] in own:
            continue
        mark = getattr(tok, f"{found[1]}_token", None) or (image if found[1] == "image" else None)
        if mark is not None:
            told[name] = tok.convert_tokens_to_ids(str(mark))
        elif isinstance(value, int) and value >= len(tok):
            told[name] = 3


def _set(told: dict[str, Any], path: str, value: Any) -> None:
    *steps, last = path.split(".")
    for step in steps:
        told = told[step]
    if isinstance(value, dict) and isinstance(told.get(last), dict):
        value = {**told[last], **value}
    told[last] = value


def _spread(model: Any) -> None:
    """Give weights that begin as zeros some spread, so that pictures do not all look alike."""
    import torch

    with torch.no_grad():
        for name, weight in model.named_parameters():
            if not weight.is_floating_point():
                continue
            if not weight.any() and not name.endswith("bias"):
                weight.normal_(0.0, tiny.SPREAD)


ROPE = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]}
QWEN_IMAGES = {"size": {"shortest_edge": (2 * 28) ** 2, "longest_edge": (4 * 28) ** 2}}


def _codes(tok: Any) -> dict[str, Any]:
    """Return a vocabulary of picture codes, for families that write pictures as tokens."""
    codes = {f"IMGIMG{'ABCDEFGHIJ'[n // 10]}{'ABCDEFGHIJ'[n % 10]}Z": 20 + n for n in range(16)}
    return {"vocabulary_map": {**codes, "<image>": tok.convert_tokens_to_ids(tok.image_token)}}


def _emu_codes(tok: Any) -> dict[str, Any]:
    codes = {f"<|visual token {n:06d}|>": 20 + n for n in range(16)}
    marks = {"<|extra_200|>": 40, "<image>": tok.convert_tokens_to_ids(tok.image_token)}
    return {"vocabulary_map": {**codes, **marks}}


def _id(mark: str) -> Any:
    """Return what finds the id of a special token."""
    return lambda tok: tok.convert_tokens_to_ids(mark)


GEMMA_EYES = {"model_type": "gemma4_vision", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
M_ROPE = {"text_config.rope_parameters": ROPE}

NO_QUESTIONS: Mapping[str, str] = {
    "evolla": "asks about proteins: its processor has no part for pictures",
    "instructblipvideo": "takes videos only: its processor has no part for pictures",
    "mistral4": "a text model: it has no part for pictures",
    "shieldgemma2": "a classifier of pictures: it writes no answer",
    "vision-encoder-decoder": "any two models put together: its decoder takes no question",
}
"""Types that cannot be asked a question about a picture, with the reason."""

ADAPTERS: Mapping[str, str] = dict.fromkeys(
    ("blip", "florence2", "fuyu", "git", "kosmos-2.5", "pix2struct"), "completion"
)
"""Types whose processor takes plain texts, without a mark for the picture."""

PATCHES: Mapping[str, Mapping[str, Any]] = {
    "aya_vision": {
        "images": {"max_patches": 2},
        "image": "<image>",
        "config": {"image_token_index": _id("<|IMG_PATCH|>")},
        "processor": {"img_size": SIDE},
    },
    "chameleon": {
        "begin": _codes,
        "config": {
            "vq_config": {
                "num_embeddings": 16,
                "embed_dim": 8,
                "latent_channels": 8,
                "base_channels": 32,
                "channel_multiplier": [1, 1, 1],
                "resolution": SIDE,
            }
        },
        "processor": {"image_seq_length": (SIDE // 4) ** 2},
    },
    "cohere_compass": {
        "named": {
            "image_token": "<|IMAGE_PAD|>",
            "video_token": "<|VIDEO_PAD|>",
            "vision_start_token": "<|VISION_START|>",
            "vision_end_token": "<|VISION_END|>",
        },
        "config": {
            "text_config.layer_types": ["full_attention", "full_attention"],
            "text_config.rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e4}},
        },
    },
    "cosmos3_omni": {"processor_class": "Qwen3VLProcessor", "config": M_ROPE},
    "cosmos3_edge": {"config": {"vision_config": {"patch_size": 16}}},
    "deepseek_ocr2": {
        "config": {
            "text_config": {
                "num_experts_per_tok": 2,
                "n_group": 1,
                "topk_group": 1,
                "mlp_layer_types": ["dense", "sparse"],
            },
            "vision_config.sam_config": {
                "output_channels": 16,
                "global_attn_indexes": [1],
                "downsample_channels": [16, 32],
            },
        }
    },
    "deepseek_vl": {"processor": {"num_image_tokens": 16}},
    "deepseek_vl_hybrid": {
        "processor": {"num_image_tokens": 16},
        "images": {"size": {"height": SIDE, "width": SIDE}, "high_res_size": {"height": SIDE, "width": SIDE}},
        "config": {"high_res_vision_config": {"output_channels": 16, "num_pos_feats": 16, "global_attn_indexes": [1]}},
    },
    "diffusion_gemma": {
        "image_processor": "Gemma4ImageProcessorPil",
        "config": {
            "text_config": {"num_experts": 4, "top_k_experts": 2, "moe_intermediate_size": 32},
            "vision_config": {"patch_size": 16, "position_embedding_size": 64},
        },
    },
    "dots3_note": {
        "config": {
            "vision_config": {"adapter_in_dim": 32, "adapter_out_dim": 32},
            "text_config": {"index_head_dim": 16, "index_n_heads": 2},
            "audio_config": {"adapter_input_size": 32, "adapter_out_dim": 32},
        }
    },
    "ernie4_5_vl_moe": {
        "config": {
            "text_config.rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [3, 3, 2]}
        }
    },
    "fast_vlm": {"processor_class": "LlavaProcessor", "image_processor": "CLIPImageProcessorPil"},
    "florence2": {
        "config": {
            "vision_config": {
                "depths": [1, 1],
                "patch_size": [7, 3],
                "patch_stride": [4, 2],
                "patch_padding": [3, 1],
                "patch_prenorm": [False, True],
                "embed_dim": [16, 32],
                "num_heads": [2, 2],
                "num_groups": [2, 2],
            }
        },
        "images": {"size": {"height": SIDE, "width": SIDE}, "image_seq_length": 50},
    },
    "fuyu": {
        "images": {"size": {"height": 60, "width": 60}},
        "config": {"image_size": 60, "patch_size": 30},
        "special": ["|SPEAKER|", "|NEWLINE|", "<0x00>", "<0x01>", "<0x02>", "<0x03>", "<0x04>"],
    },
    "gemma4": {
        "begin": {"vision_config": GEMMA_EYES},
        "config": {
            "vision_config": {"patch_size": 16, "position_embedding_size": 64},
            "text_config": {"vocab_size_per_layer_input": 600, "hidden_size_per_layer_input": 16},
        },
    },
    "glm46v": {"config": M_ROPE},
    "glm4v": {"config": M_ROPE},
    "glm4v_moe": {
        "image_processor": "Glm4vImageProcessorPil",
        "config": {"text_config.rope_parameters": {**ROPE, "mrope_section": [1, 1, 2]}},
    },
    "glm5_next": {
        "config": {
            "text_config": {
                "qk_rope_head_dim": 0,
                "head_dim": 0,
                "qk_nope_head_dim": 16,
                "index_head_dim": 16,
                "index_n_heads": 2,
                "linear_head_dim": 16,
                "linear_num_heads": 2,
            }
        }
    },
    "glm_ocr": {"processor_class": "Glm46VProcessor", "image_processor": "Glm46VImageProcessorPil", "config": M_ROPE},
    "glmga": {"processor_class": "Glm46VProcessor", "config": M_ROPE},
    "granite4_vision": {
        "begin": {"downsample_rate": "1/2", "deepstack_layer_map": [[-1, 0]]},
        "config": {
            "vision_config": {"hidden_size": 64},
            "qformer_config": {"cross_attention_frequency": 1, "num_attention_heads": 2, "encoder_hidden_size": 64},
        },
        "processor": {
            "patch_size": PATCH,
            "vision_feature_select_strategy": "default",
            "num_additional_image_tokens": 1,
            "downsample_rate": "1/2",
        },
    },
    "granite_docling": {"processor": {"image_seq_len": 1}},
    "got_ocr2": {
        "image": "<imgpad>",
        "images": {"size": {"height": 1024, "width": 1024}},
        "config": {"vision_config": {"image_size": 1024, "patch_size": 16, "global_attn_indexes": [1]}},
    },
    "t5gemma2": {
        "config": {"encoder": {"mm_tokens_per_image": 4}, "decoder_start_token_id": 1},
        "processor": {"image_seq_length": 4},
    },
    "idefics": {"image": "<image>"},
    "qianfan_ocr": {
        "config": {"image_token_id": lambda tok: tok.convert_tokens_to_ids(tok.context_image_token)},
        "processor": {"image_seq_length": 4},
        "images": {"max_patches": 2},
    },
    "emu3": {
        "begin": _emu_codes,
        "images": {"min_pixels": SIDE * SIDE, "max_pixels": 64 * 64},
        "config": {
            "vq_config": {
                "codebook_size": 16,
                "base_channels": 32,
                "channel_multiplier": [1, 1, 1, 1],
                "attn_resolutions": [],
            }
        },
    },
    "hunyuan_vl": {
        "config": {
            "vision_config": {"patch_size": 16},
            "text_config": {
                "head_dim": 16,
                "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "xdrope_section": [2, 2, 2, 2]},
            },
        },
        "image": "<|image_start_token|><|image_token|><|image_end_token|>",
    },
    "kosmos-2.5": {
        "processor_class": "Kosmos2_5Processor",
        "config": {"latent_query_num": 16},
        "processor": {"num_image_tokens": 16},
        "images": {"max_patches": 64},
    },
    "llava_next_video": {
        "processor": {
            "patch_size": PATCH,
            "vision_feature_select_strategy": "default",
            "num_additional_image_tokens": 1,
        }
    },
    "janus": {"processor": {"num_image_tokens": 16}},
    "mllama": {
        "config": {
            "vision_config": {"intermediate_layers_indices": [0, 1], "num_global_layers": 1, "vision_output_dim": 96},
            "text_config": {"cross_attention_layers": [1]},
        }
    },
    "ovis2": {"config": {"image_token_id": _id("<IMG_ATOM>")}, "processor": {"image_seq_length": 16}},
    "paddleocr_vl": {"config": M_ROPE},
    "qwen2_5_omni_thinker": {
        "processor_class": "Qwen2_5OmniProcessor",
        "image_processor": "Qwen2VLImageProcessorPil",
        "config": {**M_ROPE, "vision_start_token_id": 5},
    },
    "qwen3_omni_moe_thinker": {
        "processor_class": "Qwen3OmniMoeProcessor",
        "image_processor": "Qwen2VLImageProcessorPil",
        "config": {**M_ROPE, "vision_start_token_id": 5},
    },
    "qwen3_vl_moe": {"image_processor": "Qwen2VLImageProcessorPil", "config": M_ROPE},
    "qwen4_exp": {
        "config": {
            "text_config": {
                "indexer_n_heads": 2,
                "indexer_kv_heads": 1,
                "indexer_head_dim": 16,
                "indexer_budget": 64,
                "indexer_compress_ratio": 4,
                "hc_lowrank": 16,
                "linear_key_head_dim": 16,
                "linear_value_head_dim": 16,
                "linear_num_key_heads": 2,
                "linear_num_value_heads": 2,
            }
        }
    },
}
