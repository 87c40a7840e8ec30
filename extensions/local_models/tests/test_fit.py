"""What a model's folder is, and whether it fits: from its files, without torch."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.prompts import load_prompt_set
from domain.errors import ModelError
from extensions.local_models import fit
from extensions.local_models.families import FAMILIES
from tests.paths import ROOT

GIB = 1024**3
LLAVA = {"model_type": "llava", "text_config": {"model_type": "llama"}, "vision_config": {}}


def weights(path: Path, shapes: Mapping[str, tuple[str, list[int]]], *, short: int = 0) -> None:
    """A file of weights with a header by hand; the weights themselves are a hole in the file."""
    sizes = {"F32": 4, "BF16": 2, "F16": 2, "I64": 8}
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, (kind, shape) in shapes.items():
        size = sizes[kind]
        for side in shape:
            size *= side
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + end - short)


def model(folder: Path, config: Mapping[str, Any] = LLAVA, **shapes: tuple[str, list[int]]) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    weights(folder / "model.safetensors", shapes or {"w": ("F16", [1000, 70])})
    return folder


def test_parameters_are_counted_from_the_headers(tmp_path: Path) -> None:
    # 1000 x 7,000 in half precision, 10 in float32: 7,000,010 parameters, 14,000,040 bytes and the header.
    found = fit.look(model(tmp_path / "m", a=("F16", [1000, 7000]), b=("F32", [10])))
    assert (found.parameters, found.stored, found.family.title, found.trouble) == (7_000_010, "float16", "LLaVA", "")
    assert (found.bytes_at("float32"), found.bytes_at("bfloat16")) == (28_000_040, 14_000_020)
    assert 14_000_040 < found.size < 14_000_400


def test_shards_are_added_up_and_a_missing_one_is_named(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    (folder / "model.safetensors").unlink()
    names = [f"model-0000{number}-of-00003.safetensors" for number in (1, 2, 3)]
    for name in names:
        weights(folder / name, {name: ("BF16", [100])})
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {name: name for name in names}}))
    found = fit.look(folder)
    assert (found.parameters, found.shards, found.stored) == (300, 3, "bfloat16")
    (folder / names[1]).unlink()
    assert fit.look(folder).trouble == f"Missing weight files: 1 of 3 (such as {names[1]}). Finish the download."
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"w": "../../secret"}}))
    assert fit.look(folder).trouble.endswith("names files outside the folder. Download the model again.")
    (folder / "model.safetensors.index.json").unlink()
    assert "their index" in fit.look(folder).trouble


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "damaged or incomplete"),
        (struct.pack("<Q", 2**60) + b"{}", "damaged or incomplete"),
        (struct.pack("<Q", 2) + b"[]", "Touchstone cannot read its header"),
        (struct.pack("<Q", 9) + b'{"a": 3} ', "Touchstone cannot read its header"),
        (struct.pack("<Q", 4) + b"\xff\xfe{}", "Touchstone cannot read its header"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS placeholder"),
    ],
)
def test_damaged_weights_are_told(content: bytes, sentence: str, tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    (folder / "model.safetensors").write_bytes(content)
    assert sentence in fit.look(folder).trouble


def test_half_downloaded_weights_are_told(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    weights(folder / "model.safetensors", {"w": ("F32", [1000])}, short=1)
    assert "is incomplete" in fit.look(folder).trouble
    (folder / "model.safetensors").unlink()
    assert "model.safetensors is missing" in fit.look(folder).trouble
    (folder / "model.safetensors.incomplete").write_bytes(b"")
    assert "download of the weights is incomplete (model.safetensors.incomplete)" in fit.look(folder).trouble


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ("{", "Touchstone cannot read m/config.json"),
        ("[]", "the file is not a JSON object"),
        ("{}", "has no model_type"),
        ('{"model_type": "minigpt4"}', "The transformers library has no class for MiniGPT-4"),
        ('{"model_type": "mPLUG-owl"}', "The transformers library has no class for mPLUG-Owl."),
    ],
)
def test_configurations_that_are_none(config: str, sentence: str, tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    (folder / "config.json").write_text(config)
    assert sentence in fit.look(folder).trouble


# 7,063,427,072 parameters (LLaVA-1.5 7B): 13.16 GiB in half precision, 26.31 in float32; a fifth more and 0.29 GiB are
# 16.1 and 31.9 GiB.
@pytest.mark.parametrize(
    ("memory", "dtype", "fits", "where", "kind"),
    [
        (fit.Memory(64 * GIB), "auto", True, "cpu", "float32"),
        (fit.Memory(31 * GIB), "auto", False, "cpu", "float32"),
        (fit.Memory(31 * GIB), "bfloat16", True, "cpu", "bfloat16"),
        (fit.Memory(8 * GIB, 24 * GIB, "A GPU"), "auto", True, "cuda", "float16"),
        (fit.Memory(64 * GIB, 16 * GIB, "A GPU"), "auto", False, "cuda", "float16"),
        (fit.Memory(64 * GIB, 24 * GIB, "A GPU"), "float32", False, "cuda", "float32"),
    ],
)
def test_what_fits(memory: fit.Memory, dtype: str, fits: bool, where: str, kind: str, tmp_path: Path) -> None:
    found = fit.look(model(tmp_path / "m", w=("F16", [7_063_427_072])))
    told = fit.fit(found, dtype=dtype, memory=memory)
    assert (told.fits, told.device, told.dtype) == (fits, where, kind)
    assert told.bytes is not None
    assert told.bytes / GIB == pytest.approx(16.1 if kind != "float32" else 31.9, abs=0.05)
    assert told.sentence.startswith(
        "The model fits. It needs about" if fits else "The model does not fit. It needs about"
    )


def test_smaller_weights_are_named_where_they_would_fit(tmp_path: Path) -> None:
    found = fit.look(model(tmp_path / "m", w=("F16", [7_063_427_072])))
    assert fit.fit(found, memory=fit.Memory(20 * GIB)).sentence.endswith("Use dtype bfloat16 so that the model fits.")
    assert "The model requires a GPU" in fit.fit(found, device="cuda:0", memory=fit.Memory(20 * GIB)).sentence


def test_models_in_a_folder_and_nothing_outside_of_it(tmp_path: Path) -> None:
    home, outside = tmp_path / "models", tmp_path / "outside"
    model(home / "llava")
    model(home / "lab" / "qwen", {"model_type": "qwen2_5_vl", "vision_config": {}})
    model(home / ".hidden" / "x")
    model(home / "a" / "b" / "c" / "too-deep")
    model(outside / "secret")
    (home / "empty").mkdir()
    (home / "link").symlink_to(outside / "secret")
    linked = model(home / "borrowed")
    (linked / "tokenizer.json").symlink_to(outside / "secret" / "config.json")
    found = {one.name: one for one in fit.models_in(home)}
    assert set(found) == {"llava", "lab/qwen", "borrowed"}
    assert found["lab/qwen"].family.title == "Qwen2.5-VL"
    assert (
        found["borrowed"].trouble
        == "borrowed contains links that lead outside the folder of models. Replace the links with files."
    )
    assert fit.models_in(tmp_path / "nowhere") == []
    assert fit.picked(home, "lab/qwen") == home / "lab" / "qwen"
    for name in ("../outside/secret", "link", str(outside / "secret"), "lab/../../outside/secret", "nothing", "x\x00y"):
        with pytest.raises(ModelError, match="contains no folder"):
            fit.picked(home, name)


@pytest.mark.parametrize(
    ("config", "adapter", "modality", "prompts"),
    [
        (LLAVA, "chat", "images", "llava"),
        ({"model_type": "blip-2", "text_config": {"model_type": "opt"}}, "completion", "one_image", "blip"),
        ({"model_type": "blip-2", "text_config": {"model_type": "t5"}}, "encoder_decoder", "one_image", "blip"),
        ({"model_type": "video_llava", "text_config": {}}, "video_llava", "video", "llava"),
        ({"model_type": "glm4v", "vision_config": {}}, "chat", "images", None),
        ({"model_type": "llama"}, "chat", "text", None),
    ],
)
def test_a_description_is_guessed(
    config: dict[str, Any], adapter: str, modality: str, prompts: str | None, tmp_path: Path
) -> None:
    spec = fit.spec_for_folder(model(tmp_path / "my model", config))
    assert (spec.name, spec.adapter, spec.modality, spec.prompts) == ("my model", adapter, modality, prompts)
    assert spec.model == str(tmp_path / "my model")
    assert "70 k parameters (guessed from its files)." in spec.note


def test_no_description_of_what_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"config.json is missing"):
        fit.spec_for_folder(tmp_path)


def test_an_adapter_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "lora").mkdir()
    (tmp_path / "lora" / "adapter_config.json").write_text("{}")
    assert "Merge the adapter into its base model" in fit.look(tmp_path / "lora").trouble


def test_what_a_model_needs_is_said(tmp_path: Path) -> None:
    own = {"model_type": "quite_new_vl", "vision_config": {}, "auto_map": {"AutoConfig": "own.Config"}}
    found = fit.look(model(tmp_path / "own", own))
    assert found.remote_code
    assert any("only if the operator allows this model by name" in told for told in fit.needs(found))
    small = fit.look(model(tmp_path / "awq", {**LLAVA, "quantization_config": {"quant_method": "awq"}}))
    assert any("with awq, so the model needs a GPU" in told for told in fit.needs(small))
    assert not fit.look(model(tmp_path / "native", {**LLAVA, "auto_map": {"AutoConfig": "own.Config"}})).remote_code


def test_the_hash_follows_configuration_and_weights(tmp_path: Path) -> None:
    first, again = fit.look(model(tmp_path / "a")), fit.look(model(tmp_path / "b"))
    other = fit.look(model(tmp_path / "c", w=("F16", [1000, 71])))
    config = fit.look(model(tmp_path / "d", {**LLAVA, "image_token_index": 7}))
    assert first.hash == again.hash
    assert len({first.hash, other.hash, config.hash}) == 3


def test_free_memory_is_what_this_machine_says() -> None:
    free = fit.free_memory()
    assert free.main is not None
    assert 0 < free.main <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.thorough
def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys, extensions.local_models.fit, inference.spec, inference.opening, extensions.local_models.adapters\n"
        "import extensions.local_models.loading, extensions.local_models.encoding, extensions.local_models.generation\n"
        "list(inference.spec.shipped()); extensions.local_models.fit.models_in(extensions.local_models.fit.Path('.'))\n"
        "print([name for name in ('torch', 'transformers', 'tokenizers', 'numpy') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_each_family_of_prompts_is_there() -> None:
    families = set(load_prompt_set("egothink").families)
    assert {row.prompts for row in FAMILIES} - {None} <= families
