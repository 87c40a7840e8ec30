"""Image-text types without a row of their own: tiny checkpoints through the code that loads anyone's."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import model_types, tiny_types
from domain.errors import ModelError
from domain.runs import Outcome
from extensions.local_models import fit
from extensions.local_models.families import family_of
from extensions.local_models.loading import load
from extensions.local_models.processors import absent_parts
from inference.opening import open_answerer
from inference.spec import Generation, ModelPermissions
from testkit import tiny

WORKING = {
    "gemma4": ("feature_extractor", "video_processor"),
    "qwen2_5_omni_thinker": (),
    "minicpmv4_6": ("video_processor",),
    "cosmos3_edge": ("video_processor",),
    "lighton_ocr": (),
    "mllama": (),
    "t5gemma2": (),
    "qianfan_ocr": (),
    "got_ocr2": (),
    "pp_chart2table": (),
}
"""Types by the parts for video and audio that transformers' table has for their processors. Among them are processors
that read settings of an absent part, that leave token types out by default, that take pictures in one list, that name
the mark of a picture otherwise; a decoder that looks at pictures by cross attention; an encoder with a decoder."""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "absent"), WORKING.items(), ids=WORKING)
def test_a_type_loads_answers_and_ranks_as_a_plain_pass_does(
    kind: str, absent: tuple[str, ...], tmp_path: Path
) -> None:
    from transformers import CONFIG_MAPPING

    assert absent_parts(CONFIG_MAPPING[kind]()) == absent
    found = model_types.try_type(kind, tmp_path / "model")
    assert found == model_types.row(built=True, loads=True, asks=list(model_types.ASKED), ranks=True)


@pytest.mark.thorough
def test_the_picture_is_seen_without_the_parts_for_video_and_audio(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    tiny_types.build("gemma4", folder)
    spec = fit.spec_for_folder(folder)
    assert spec.modality == "images"
    first = model_types.rank(spec, folder)
    tiny.picture(folder / "1.png", 7)
    second = model_types.rank(spec, folder)
    assert first.outcome is second.outcome is Outcome.ANSWERED
    assert first.detail["options"] != second.detail["options"]


@pytest.mark.parametrize("kind", ["llama4", "cohere2_vision", "molmo2", "mistral3"])
def test_a_processor_that_needs_torchvision_says_what_to_install(kind: str, tmp_path: Path) -> None:
    """torch 2.13 goes with torchvision 0.28."""
    import torch

    tiny_types.build(kind, tmp_path / "model")
    with pytest.raises(ModelError) as refused:
        load(fit.spec_for_folder(tmp_path / "model"), ModelPermissions())
    assert torch.__version__.startswith("2.13.")
    assert "needs the package torchvision, which is not installed" in str(refused.value)
    index = " --index-url INDEX" if "+" in torch.__version__ else ""
    assert f"pip install torchvision==0.28.*{index}." in str(refused.value)
    assert "build for the installed version of torch (2.13." in str(refused.value)


def test_a_model_that_needs_a_package_says_which(tmp_path: Path) -> None:
    tiny_types.build("gemma3n", tmp_path / "model")
    with pytest.raises(ModelError, match=r"needs the package timm, which is not installed.*: pip install timm\."):
        load(fit.spec_for_folder(tmp_path / "model"), ModelPermissions())


def test_a_model_that_writes_by_diffusion_is_not_ranked_word_by_word(tmp_path: Path) -> None:
    tiny_types.build("diffusion_gemma", tmp_path / "model")
    with pytest.raises(ModelError, match="writes all words of an answer at once"):
        load(fit.spec_for_folder(tmp_path / "model"), ModelPermissions())


@pytest.mark.slow
def test_a_plain_text_processor_is_asked_with_the_adapter_for_completion(tmp_path: Path) -> None:
    tiny_types.build("florence2", tmp_path / "model")
    spec = fit.spec_for_folder(tmp_path / "model").model_copy(
        update={"adapter": "completion", "generation": Generation(max_new_tokens=4)}
    )
    one, several, none = model_types.ask(spec, tmp_path / "model")
    assert one.outcome in model_types.REPLIED
    assert several.outcome is Outcome.FAILED
    assert none.outcome in model_types.REPLIED
    open_answerer(spec, strategy="generate").close()
    ranked = model_types.rank(spec, tmp_path / "model")
    assert model_types.plain_difference(spec, tmp_path / "model", ranked) <= model_types.MOST_DIFFERENCE


@pytest.mark.thorough
def test_a_bad_type_ends_nothing_but_its_own_process() -> None:
    def hang() -> dict[str, object]:
        while True:
            pass

    def fill() -> dict[str, object]:
        return {"never": bytearray(2 * model_types.MEMORY)}

    assert model_types.in_process(hang, seconds=1)["why"] == "no result within 1 seconds"
    assert model_types.in_process(fill)["why"].startswith("MemoryError")
    assert model_types.in_process(lambda: model_types.row(loads=True))["loads"] is True


@pytest.mark.parametrize(
    ("config", "modality"),
    [
        ({"model_type": "a", "encoder": {"vision_config": {"hidden_size": 4}}}, "images"),
        ({"model_type": "a", "image_token_id": 7}, "images"),
        ({"model_type": "a", "vq_config": {"embed_dim": 4}}, "images"),
        ({"model_type": "a", "hidden_size": 4}, "text"),
        ({"model_type": "a", "vision_config": None}, "text"),
    ],
)
def test_a_folder_is_known_to_see_by_its_settings(config: dict[str, object], modality: str) -> None:
    assert family_of(config).modality == modality
