"""Tiny models of every family, built with random weights and saved as a checkpoint that someone would download.

Nothing is fetched. The weights are spread wider than models usually begin with, so that a wrong mask, position or image
changes the answer instead of hiding in the noise.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image

os.environ.setdefault("HF_HUB_OFFLINE", "1")

SIDE = 56
PATCH = 14
PATCHES = (SIDE // PATCH) ** 2
SPREAD = 0.15
"""The standard deviation of the weights; usual is 0.02."""

SENTENCES = [
    f"{verb} the {noun} and then {verb} the other {noun}."
    for verb in ("open", "close", "take", "put", "cut", "wash", "pour", "stir", "peel", "dry", "move", "mix", "wipe")
    for noun in ("drawer", "cupboard", "knife", "onion", "tap", "pan", "oil", "plate", "sponge", "fridge", "bowl")
] + ["USER: What am I holding in my hand? Reply with a few words. Question: What should I do next? ASSISTANT: Answer:"]

USER_ASSISTANT = (
    "{% for message in messages %}"
    "{% if message['role'] == 'system' %}{% for part in message['content'] %}{{ part['text'] }} {% endfor %}"
    "{% else %}{{ message['role'].upper() + ': ' }}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}{{ 'IMAGE\\n' }}{% elif part['type'] == 'video' %}{{ 'VIDEO\\n' }}"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{{ ' ' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}"
)


def template(image: str, video: str = "<video>") -> str:
    """A chat template in the manner of LLaVA-1.5, with the family's own marks for images."""
    return USER_ASSISTANT.replace("IMAGE", image).replace("VIDEO", video)


def tokenizer(*special: str, named: dict[str, str] | None = None, unk: bool = False, **options: Any) -> Any:
    """A byte-level tokenizer, trained here: ``<pad>`` is 0, ``<s>`` 1, ``</s>`` 2, then the given ones."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    named = named or {}
    first = ["<pad>", "<s>", "</s>", *(["<unk>"] if unk else [])]
    extra = list(dict.fromkeys([*special, *named.values()]))
    built = Tokenizer(models.BPE())
    built.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    built.decoder = decoders.ByteLevel()
    built.train_from_iterator(
        SENTENCES,
        trainers.BpeTrainer(
            vocab_size=400 + len(extra),
            special_tokens=[*first, *extra],
            show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    names: dict[str, Any] = {"extra_special_tokens": named} if named else {"additional_special_tokens": extra}
    if unk:
        names["unk_token"] = "<unk>"
    return PreTrainedTokenizerFast(
        tokenizer_object=built,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        padding_side="left",
        **names,
        **options,
    )


def llama(tok: Any, **more: Any) -> dict[str, Any]:
    """The text half that most families have."""
    return {
        "model_type": "llama",
        "vocab_size": len(tok),
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 4096,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "initializer_range": SPREAD,
        **more,
    }


def clip() -> dict[str, Any]:
    """The vision half of LLaVA's relatives."""
    return {
        "model_type": "clip_vision_model",
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "image_size": SIDE,
        "patch_size": PATCH,
        "projection_dim": 32,
        "initializer_range": SPREAD,
    }


def siglip() -> dict[str, Any]:
    """The vision half of PaliGemma, Gemma 3, Idefics3 and LLaVA-OneVision."""
    return {
        "model_type": "siglip_vision_model",
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "image_size": SIDE,
        "patch_size": PATCH,
        "vision_use_head": False,
        "initializer_range": SPREAD,
    }


def _clip_images() -> Any:
    from transformers import CLIPImageProcessorPil

    return CLIPImageProcessorPil(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE})


def image_only(name: str) -> type:
    """A processor class without its video part, under its own name: what is saved is what the full one would save."""
    import transformers
    from transformers.processing_utils import ProcessorMixin

    full = getattr(transformers, name)

    def __init__(self: Any, image_processor: Any = None, tokenizer: Any = None, chat_template: Any = None) -> None:
        ProcessorMixin.__init__(self, image_processor, tokenizer, chat_template=chat_template)

    return type(name, (full,), {"__init__": __init__})


def llava(folder: Path) -> Any:
    from transformers import LlavaConfig, LlavaForConditionalGeneration, LlavaProcessor

    tok = tokenizer("<image>")
    config = LlavaConfig(
        vision_config=clip(), text_config=llama(tok), image_token_index=tok.convert_tokens_to_ids("<image>")
    )
    processor = LlavaProcessor(
        image_processor=_clip_images(),
        tokenizer=tok,
        patch_size=PATCH,
        num_additional_image_tokens=1,
        vision_feature_select_strategy="default",
        chat_template=template("<image>"),
    )
    return _save(folder, LlavaForConditionalGeneration, config, processor)


def vipllava(folder: Path) -> Any:
    """A family that has no row of its own in our table."""
    from transformers import LlavaProcessor, VipLlavaConfig, VipLlavaForConditionalGeneration

    tok = tokenizer("<image>")
    config = VipLlavaConfig(
        vision_config=clip(),
        text_config=llama(tok),
        image_token_index=tok.convert_tokens_to_ids("<image>"),
        vision_feature_layers=[-1, -2],
    )
    processor = LlavaProcessor(
        image_processor=_clip_images(),
        tokenizer=tok,
        patch_size=PATCH,
        num_additional_image_tokens=1,
        vision_feature_select_strategy="default",
        chat_template=template("<image>"),
    )
    return _save(folder, VipLlavaForConditionalGeneration, config, processor)


def llava_next(folder: Path) -> Any:
    from transformers import (
        LlavaNextConfig,
        LlavaNextForConditionalGeneration,
        LlavaNextImageProcessorPil,
        LlavaNextProcessor,
    )

    tok = tokenizer("<image>")
    grid = [[SIDE, 2 * SIDE], [2 * SIDE, SIDE], [2 * SIDE, 2 * SIDE]]
    config = LlavaNextConfig(
        vision_config=clip(),
        text_config=llama(tok),
        image_token_index=tok.convert_tokens_to_ids("<image>"),
        image_grid_pinpoints=grid,
    )
    processor = LlavaNextProcessor(
        image_processor=LlavaNextImageProcessorPil(
            size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}, image_grid_pinpoints=grid
        ),
        tokenizer=tok,
        patch_size=PATCH,
        num_additional_image_tokens=1,
        vision_feature_select_strategy="default",
        chat_template=template("<image>"),
    )
    return _save(folder, LlavaNextForConditionalGeneration, config, processor)


def _qformer(**more: Any) -> dict[str, Any]:
    return {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "encoder_hidden_size": 32,
        "cross_attention_frequency": 1,
        "max_position_embeddings": 512,
        "initializer_range": SPREAD,
        **more,
    }


def _blip_vision() -> dict[str, Any]:
    return {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "image_size": SIDE,
        "patch_size": PATCH,
        "initializer_range": SPREAD,
    }


def _blip_images() -> Any:
    from transformers import BlipImageProcessorPil

    return BlipImageProcessorPil(size={"height": SIDE, "width": SIDE})


def _t5(tok: Any) -> dict[str, Any]:
    return {
        "model_type": "t5",
        "vocab_size": len(tok),
        "d_model": 64,
        "d_kv": 16,
        "d_ff": 96,
        "num_layers": 2,
        "num_heads": 4,
        "decoder_start_token_id": 0,
        "pad_token_id": 0,
        "eos_token_id": 2,
        "tie_word_embeddings": False,
        "feed_forward_proj": "gated-gelu",
        "initializer_factor": 1.0,
    }


def _opt(tok: Any) -> dict[str, Any]:
    return {
        "model_type": "opt",
        "vocab_size": len(tok),
        "hidden_size": 64,
        "word_embed_proj_dim": 64,
        "ffn_dim": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "max_position_embeddings": 1024,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "init_std": SPREAD,
    }


def _blip2(folder: Path, text: Callable[[Any], dict[str, Any]]) -> Any:
    from transformers import Blip2Config, Blip2ForConditionalGeneration, Blip2Processor

    tok = tokenizer("<image>")
    config = Blip2Config(
        vision_config=_blip_vision(),
        qformer_config=_qformer(),
        text_config=text(tok),
        num_query_tokens=4,
        image_token_index=tok.convert_tokens_to_ids("<image>"),
        initializer_range=SPREAD,
    )
    processor = Blip2Processor(_blip_images(), tok, num_query_tokens=4)
    return _save(folder, Blip2ForConditionalGeneration, config, processor)


def blip2_opt(folder: Path) -> Any:
    return _blip2(folder, _opt)


def blip2_t5(folder: Path) -> Any:
    return _blip2(folder, _t5)


def _instructblip(folder: Path, text: Callable[[Any], dict[str, Any]]) -> Any:
    from transformers import InstructBlipConfig, InstructBlipForConditionalGeneration, InstructBlipProcessor

    tok = tokenizer("<image>")
    second = tokenizer()
    config = InstructBlipConfig(
        vision_config=_blip_vision(),
        qformer_config=_qformer(vocab_size=len(second)),
        text_config=text(tok),
        num_query_tokens=4,
        image_token_index=tok.convert_tokens_to_ids("<image>"),
        initializer_range=SPREAD,
    )
    processor = InstructBlipProcessor(_blip_images(), tok, second, num_query_tokens=4)
    return _save(folder, InstructBlipForConditionalGeneration, config, processor)


def instructblip(folder: Path) -> Any:
    return _instructblip(folder, llama)


def instructblip_t5(folder: Path) -> Any:
    return _instructblip(folder, _t5)


def _idefics(folder: Path, name: str) -> Any:
    import transformers

    tiles = [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)]
    tok = tokenizer("<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>", *tiles)
    vision = {key: value for key, value in siglip().items() if key not in ("vision_use_head", "model_type")}
    config = getattr(transformers, f"{name}Config")(
        vision_config=vision,
        text_config=llama(tok),
        image_token_id=tok.convert_tokens_to_ids("<image>"),
        scale_factor=2,
        pad_token_id=0,
    )
    images = getattr(transformers, f"{name}ImageProcessorPil")(
        size={"longest_edge": 2 * SIDE}, max_image_size={"longest_edge": SIDE}
    )
    model = getattr(transformers, f"{name}ForConditionalGeneration")
    if name == "Idefics3":
        kind: Any = transformers.Idefics3Processor
        processor = kind(images, tok, image_seq_len=PATCHES // 4, chat_template=template("<image>"))
        return _save(folder, model, config, processor)
    else:
        processor = image_only(f"{name}Processor")(images, tok, chat_template=template("<image>"))
        return _save(folder, model, config, processor, video=name, image_seq_len=PATCHES // 4)


def idefics3(folder: Path) -> Any:
    return _idefics(folder, "Idefics3")


def smolvlm(folder: Path) -> Any:
    return _idefics(folder, "SmolVLM")


QWEN = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]


def _qwen(folder: Path, name: str, processor_name: str, vision: dict[str, Any], text: dict[str, Any]) -> Any:
    import transformers

    tok = tokenizer(*QWEN)
    text = {**{key: value for key, value in llama(tok).items() if key != "model_type"}, **text}
    start, end, image, video = (tok.convert_tokens_to_ids(mark) for mark in QWEN)
    config = getattr(transformers, f"{name}Config")(
        text_config=text,
        vision_config=vision,
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
    )
    patch = vision["patch_size"]
    processor = image_only(processor_name)(
        transformers.Qwen2VLImageProcessorPil(
            size={"shortest_edge": (4 * patch) ** 2, "longest_edge": (8 * patch) ** 2}, patch_size=patch, merge_size=2
        ),
        tok,
        chat_template=template(
            "<|vision_start|><|image_pad|><|vision_end|>", "<|vision_start|><|video_pad|><|vision_end|>"
        ),
    )
    processor.video_token = QWEN[3]
    return _save(
        folder,
        getattr(transformers, f"{name}ForConditionalGeneration"),
        config,
        processor,
        video=name.replace("_5", ""),
    )


ROPE = {"rope_type": "default", "type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]}


def qwen2_vl(folder: Path) -> Any:
    vision = {"depth": 2, "embed_dim": 32, "hidden_size": 64, "num_heads": 4, "mlp_ratio": 2, "patch_size": PATCH}
    return _qwen(
        folder, "Qwen2VL", "Qwen2VLProcessor", {**vision, "initializer_range": SPREAD}, {"rope_parameters": ROPE}
    )


def qwen2_5_vl(folder: Path) -> Any:
    vision = {
        "depth": 2,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_heads": 4,
        "out_hidden_size": 64,
        "patch_size": PATCH,
        "window_size": 4 * PATCH,
        "fullatt_block_indexes": [1],
        "initializer_range": SPREAD,
    }
    return _qwen(folder, "Qwen2_5_VL", "Qwen2_5_VLProcessor", vision, {"rope_parameters": ROPE})


def qwen3_vl(folder: Path) -> Any:
    vision = {
        "depth": 2,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_heads": 4,
        "out_hidden_size": 64,
        "patch_size": 16,
        "deepstack_visual_indexes": [0],
        "num_position_embeddings": 64,
        "initializer_range": SPREAD,
    }
    return _qwen(folder, "Qwen3VL", "Qwen3VLProcessor", vision, {"rope_parameters": ROPE, "head_dim": 16})


def internvl(folder: Path) -> Any:
    from transformers import GotOcr2ImageProcessorPil, InternVLConfig, InternVLForConditionalGeneration

    named = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    tok = tokenizer(named=named)
    config = InternVLConfig(
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "image_size": [SIDE, SIDE],
            "patch_size": [PATCH, PATCH],
            "initializer_range": SPREAD,
            "layer_scale_init_value": 1.0,
        },
        text_config={**llama(tok), "model_type": "qwen2"},
        image_token_id=tok.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=PATCHES // 4,
        downsample_ratio=0.5,
    )
    kind = image_only("InternVLProcessor")
    processor = kind(
        GotOcr2ImageProcessorPil(
            size={"height": SIDE, "width": SIDE}, crop_to_patches=True, min_patches=1, max_patches=4
        ),
        tok,
        chat_template=template("<IMG_CONTEXT>"),
    )
    processor.image_seq_length = PATCHES // 4
    return _save(
        folder, InternVLForConditionalGeneration, config, processor, video="InternVL", image_seq_length=PATCHES // 4
    )


def gemma3(folder: Path) -> Any:
    from transformers import (
        Gemma3Config,
        Gemma3ForConditionalGeneration,
        Gemma3ImageProcessorPil,
        Gemma3Processor,
    )

    named = {
        "boi_token": "<start_of_image>",
        "eoi_token": "<end_of_image>",
        "image_token": "<image_soft_token>",
    }
    tok = tokenizer(named=named)
    text = {
        **llama(tok),
        "model_type": "gemma3_text",
        "head_dim": 16,
        "sliding_window": 64,
        "query_pre_attn_scalar": 16,
    }
    config = Gemma3Config(
        vision_config=siglip(),
        text_config=text,
        mm_tokens_per_image=4,
        boi_token_index=tok.convert_tokens_to_ids("<start_of_image>"),
        eoi_token_index=tok.convert_tokens_to_ids("<end_of_image>"),
        image_token_index=tok.convert_tokens_to_ids("<image_soft_token>"),
        initializer_range=SPREAD,
        tie_word_embeddings=False,
    )
    processor = Gemma3Processor(
        Gemma3ImageProcessorPil(size={"height": SIDE, "width": SIDE}),
        tok,
        chat_template=template("<start_of_image>"),
        image_seq_length=4,
    )
    return _save(folder, Gemma3ForConditionalGeneration, config, processor)


def video_llava(folder: Path) -> Any:
    from transformers import VideoLlavaConfig, VideoLlavaForConditionalGeneration, VideoLlavaImageProcessor

    tok = tokenizer("<image>", "<video>")
    config = VideoLlavaConfig(
        vision_config=clip(),
        text_config=llama(tok),
        image_token_index=tok.convert_tokens_to_ids("<image>"),
        video_token_index=tok.convert_tokens_to_ids("<video>"),
        image_seq_length=PATCHES + 1,
        video_seq_length=8 * (PATCHES + 1),
    )
    images = VideoLlavaImageProcessor(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE})
    processor = image_only("VideoLlavaProcessor")(images, tok, chat_template=template("<image>"))
    return _save(
        folder,
        VideoLlavaForConditionalGeneration,
        config,
        processor,
        video="VideoLlava",
        patch_size=PATCH,
        num_additional_image_tokens=1,
        vision_feature_select_strategy="default",
    )


def llava_onevision(folder: Path) -> Any:
    from transformers import (
        LlavaOnevisionConfig,
        LlavaOnevisionForConditionalGeneration,
        LlavaOnevisionImageProcessorPil,
    )

    tok = tokenizer("<image>", "<video>")
    grid = [[SIDE, SIDE], [SIDE, 2 * SIDE], [2 * SIDE, SIDE], [2 * SIDE, 2 * SIDE]]
    config = LlavaOnevisionConfig(
        vision_config=siglip(),
        text_config={**llama(tok), "model_type": "qwen2"},
        image_token_index=tok.convert_tokens_to_ids("<image>"),
        video_token_index=tok.convert_tokens_to_ids("<video>"),
        image_grid_pinpoints=grid,
    )
    processor = image_only("LlavaOnevisionProcessor")(
        LlavaOnevisionImageProcessorPil(size={"height": SIDE, "width": SIDE}, image_grid_pinpoints=grid),
        tok,
        chat_template=template("<image>"),
    )
    return _save(
        folder,
        LlavaOnevisionForConditionalGeneration,
        config,
        processor,
        video="LlavaOnevision",
        num_image_tokens=PATCHES,
        vision_feature_select_strategy="full",
        vision_aspect_ratio="anyres_max_9",
    )


def paligemma(folder: Path) -> Any:
    from transformers import (
        PaliGemmaConfig,
        PaliGemmaForConditionalGeneration,
        PaliGemmaProcessor,
        SiglipImageProcessorPil,
    )

    tok = tokenizer("<image>")
    images = SiglipImageProcessorPil(size={"height": SIDE, "width": SIDE})
    images.image_seq_length = PATCHES
    processor = PaliGemmaProcessor(images, tok)
    config = PaliGemmaConfig(
        vision_config=siglip(),
        text_config={**llama(tok), "model_type": "gemma", "head_dim": 16, "vocab_size": len(tok)},
        image_token_index=tok.convert_tokens_to_ids("<image>"),
        projection_dim=64,
        tie_word_embeddings=False,
    )
    return _save(folder, PaliGemmaForConditionalGeneration, config, processor)


def kosmos2(folder: Path) -> Any:
    from transformers import CLIPImageProcessorPil, Kosmos2Config, Kosmos2ForConditionalGeneration, Kosmos2Processor

    tok = tokenizer("<image>", "</image>", unk=True)
    images = CLIPImageProcessorPil(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE})
    processor = Kosmos2Processor(images, tok, num_patch_index_tokens=16)
    config = Kosmos2Config(
        text_config={
            "vocab_size": len(processor.tokenizer),
            "embed_dim": 64,
            "layers": 2,
            "ffn_dim": 96,
            "attention_heads": 4,
            "tie_word_embeddings": False,
            "max_position_embeddings": 512,
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "init_std": SPREAD,
        },
        vision_config={key: value for key, value in clip().items() if key != "model_type"},
        latent_query_num=8,
    )
    return _save(folder, Kosmos2ForConditionalGeneration, config, processor)


def text(folder: Path) -> Any:
    """A model that sees nothing."""
    from transformers import LlamaConfig, LlamaForCausalLM

    tok = tokenizer(chat_template=template("").replace("part['text']", "(part if part is string else part['text'])"))
    config = LlamaConfig(**{key: value for key, value in llama(tok).items() if key != "model_type"})
    return _save(folder, LlamaForCausalLM, config, tok)


def _save(folder: Path, kind: Any, config: Any, processor: Any, video: str = "", **settings: Any) -> Any:
    """Build it, save it with what belongs to it, and return the model as it is in memory."""
    import torch
    from transformers.utils import logging

    torch.manual_seed(0)
    model = kind(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if not weight.any() and not name.endswith("bias"):
                # Query tokens, class tokens and the like begin as zeros, with which every image looks alike.
                weight.normal_(0.0, SPREAD)
            elif name.endswith("shared.weight"):
                # T5 reads and writes with one table: as it begins, every token would be followed by itself.
                weight.mul_(0.05)
            elif name.endswith("decoder.final_layer_norm.weight"):
                weight.mul_(80.0)
            elif ("language_projection" in name or "image_to_text_projection.dense" in name) and weight.ndim == 2:
                # So that what is in a picture weighs as much as the words.
                weight.mul_(8.0)
    logging.disable_progress_bar()
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    if settings:
        path = folder / "processor_config.json"
        told = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**told, **settings}, indent=2), encoding="utf-8")
    if video:
        # The file for videos that full checkpoints of such families hold.
        (folder / "video_preprocessor_config.json").write_text(
            json.dumps({"video_processor_type": f"{video}VideoProcessor"}), encoding="utf-8"
        )
    return model


FAMILIES: dict[str, Callable[[Path], Any]] = {
    "llava": llava,
    "vipllava": vipllava,
    "llava_next": llava_next,
    "blip2_opt": blip2_opt,
    "blip2_t5": blip2_t5,
    "instructblip": instructblip,
    "instructblip_t5": instructblip_t5,
    "idefics3": idefics3,
    "smolvlm": smolvlm,
    "qwen2_vl": qwen2_vl,
    "qwen2_5_vl": qwen2_5_vl,
    "qwen3_vl": qwen3_vl,
    "internvl": internvl,
    "gemma3": gemma3,
    "video_llava": video_llava,
    "llava_onevision": llava_onevision,
    "paligemma": paligemma,
    "kosmos2": kosmos2,
    "text": text,
}


class Shelf:
    """Tiny checkpoints in one folder, each built when it is first asked for: ``folder("llava")``."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.original = cache(self._original)
        """``original("llava")`` is the model in memory that was saved there."""

    def folder(self, family: str) -> Path:
        """Where the checkpoint of a family is."""
        self.original(family)
        return self.home / family

    def _original(self, family: str) -> Any:
        return FAMILIES[family](self.home / family)


def picture(path: Path, seed: int = 0, size: tuple[int, int] = (80, 60)) -> Path:
    """A picture of coloured patches, another for every seed."""
    import random

    dice = random.Random(seed)
    small = Image.new("RGB", (8, 6))
    small.putdata([(dice.randrange(256), dice.randrange(256), dice.randrange(256)) for _ in range(48)])
    small.resize(size, Image.Resampling.BICUBIC).save(path)
    return path


def as_of_old(folder: Path, to: Path, *, template_in: str = "chat_template.json") -> Path:
    """A checkpoint as most of those on the hub lie: written before one file held all of the processor, with the images'
    settings in `preprocessor_config.json` and the chat template in JSON, or among the tokenizer's settings."""
    from safetensors import safe_open

    shutil.copytree(folder, to)
    whole = json.loads((to / "processor_config.json").read_text(encoding="utf-8"))
    images = whole.pop("image_processor")
    name = whole["processor_class"]
    (to / "preprocessor_config.json").write_text(json.dumps({**images, "processor_class": name}), encoding="utf-8")
    if set(whole) == {"processor_class"}:
        (to / "processor_config.json").unlink()
    else:
        (to / "processor_config.json").write_text(json.dumps(whole), encoding="utf-8")
    written = to / "chat_template.jinja"
    if written.exists():
        text = written.read_text(encoding="utf-8")
        written.unlink()
        if template_in == "chat_template.json":
            (to / template_in).write_text(json.dumps({"chat_template": text}), encoding="utf-8")
        else:
            settings = json.loads((to / template_in).read_text(encoding="utf-8"))
            (to / template_in).write_text(json.dumps({**settings, "chat_template": text}), encoding="utf-8")
    (to / "model.safetensors").rename(to / "model-00001-of-00001.safetensors")
    size = (to / "model-00001-of-00001.safetensors").stat().st_size
    with safe_open(to / "model-00001-of-00001.safetensors", framework="pt") as weights:
        index = {key: "model-00001-of-00001.safetensors" for key in weights.keys()}  # noqa: SIM118
    (to / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": size}, "weight_map": index}), encoding="utf-8"
    )
    return to
