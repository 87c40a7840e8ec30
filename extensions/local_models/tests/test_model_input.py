"""What tiny models of every family are shown of a question: pictures, clips, and texts by their templates."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.runs import Outcome, Picture
from extensions.local_models.encoding import encode
from extensions.local_models.families import FAMILIES as ROWS
from extensions.local_models.tests.asking import (
    Kept,
    alone,
    asked,
    changed,
    copied,
    opened,
    question,
    shown,
    six,
    texts,
    without_pictures,
)
from testkit.tiny import FAMILIES, SIDE, Shelf, as_of_old

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("template_in", ["chat_template.json", "tokenizer_config.json"])
@pytest.mark.parametrize(
    "family", ["llava", "blip2_opt", "instructblip", "idefics3", "qwen2_5_vl", "internvl", "gemma3", "video_llava"]
)
def test_checkpoints_as_they_were_written_before(
    family: str, template_in: str, tiny_models: Shelf, kept: Kept, tmp_path: Path
) -> None:
    folder = as_of_old(tiny_models.folder(family), tmp_path / "old", template_in=template_in)
    assert not (folder / "chat_template.jinja").exists()
    old, new = opened(folder), kept(family)
    assert old.about["chat_template"] == new.about["chat_template"]
    assert texts(asked(old, six(tmp_path)[:2])) == texts(asked(new, six(tmp_path)[:2]))


def test_every_row_of_the_table_is_tried() -> None:
    tried = set()
    for family in FAMILIES:
        tried.add(
            {"blip2_opt": "blip-2", "blip2_t5": "blip-2", "instructblip_t5": "instructblip", "kosmos2": "kosmos-2"}.get(
                family, family
            )
        )
    assert {row.model_type for row in ROWS} <= tried


@pytest.mark.parametrize("family", FAMILIES)
def test_a_batch_answers_as_one_by_one(family: str, kept: Kept, tmp_path: Path) -> None:
    model = kept(family)
    questions = six(tmp_path, pictures=family != "text")
    together, apart = asked(model, questions), alone(model, questions)
    assert texts(together) == texts(apart)
    assert len({attempt.text for attempt in apart.values()}) >= 5, "the answers differ, so that a mix-up would show"
    assert {attempt.detail["batch"] for attempt in together.values()} == {6 if model.loaded.family.batches else 1}
    assert {number: attempt.tokens_in for number, attempt in together.items()} == {
        number: attempt.tokens_in for number, attempt in apart.items()
    }


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "text"])
def test_another_picture_gives_another_answer(family: str, kept: Kept, tmp_path: Path) -> None:
    answers = asked(kept(family), [question(number, shown(tmp_path, number), "What is this?") for number in range(3)])
    assert len({attempt.text for attempt in answers.values()}) >= 2


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_loaded_answers_as_what_was_saved(family: str, tiny_models: Shelf, kept: Kept, tmp_path: Path) -> None:
    """The original is the model in memory before it was saved; it gets the tensors and generates by itself."""
    import torch

    original, model = tiny_models.original(family), kept(family)
    questions = six(tmp_path, pictures=family != "text")[:1]
    encoded = encode(model.loaded, questions)
    ends = model.loaded.end_ids
    assert ends == (2,)
    with torch.inference_mode():
        ids = original.generate(
            **encoded.inputs, max_new_tokens=12, do_sample=False, eos_token_id=2, pad_token_id=0, num_beams=1
        )[0].tolist()
    written = ids[1:] if model.loaded.encoder_decoder else ids[encoded.width :]
    written = written[: written.index(2)] if 2 in written else written
    expected = model.loaded.tokenizer.decode(written, skip_special_tokens=True)
    answer = asked(model, questions)[0]
    said = str(answer.detail.get("raw", answer.text))
    assert said.strip() == expected.strip()


@pytest.mark.parametrize("family", ["llava", "llava_next", "idefics3", "gemma3"])
def test_the_input_is_what_the_checkpoints_own_processor_makes(
    family: str, tiny_models: Shelf, kept: Kept, tmp_path: Path
) -> None:
    from transformers import AutoProcessor

    processor = AutoProcessor.from_pretrained(tiny_models.folder(family))
    first, second = shown(tmp_path, 1), shown(tmp_path, 2)
    turns = [
        {"role": "system", "content": [{"type": "text", "text": "Be brief."}]},
        {
            "role": "user",
            "content": [
                {"type": "image", "path": str(first.path)},
                {"type": "text", "text": "and "},
                {"type": "image", "path": str(second.path)},
                {"type": "text", "text": "What differs?"},
            ],
        },
    ]
    theirs = processor.apply_chat_template(
        turns, tokenize=True, return_dict=True, add_generation_prompt=True, processor_kwargs={"return_tensors": "pt"}
    )
    ours = encode(kept(family).loaded, [question(1, first, "and ", second, "What differs?", system="Be brief.")]).inputs
    assert ours["input_ids"].tolist() == theirs["input_ids"].tolist()
    assert (ours["pixel_values"] == theirs["pixel_values"]).all()


MANY = [
    "llava",
    "llava_next",
    "llava_onevision",
    "idefics3",
    "smolvlm",
    "qwen2_5_vl",
    "qwen3_vl",
    "internvl",
    "gemma3",
    "paligemma",
]


@pytest.mark.parametrize("family", [*MANY, "video_llava"])
def test_several_pictures_in_their_order(family: str, kept: Kept, tmp_path: Path) -> None:
    model = kept(family)
    one, two, three = (shown(tmp_path, seed) for seed in (1, 2, 3))
    questions = [
        question(1, one, two, "What differs?"),
        question(2, two, one, "What differs?"),
        question(3, three, "What is this?"),
    ]
    together = asked(model, questions)
    assert texts(together) == texts(alone(model, questions))
    assert together[1].text != together[2].text
    assert together[1].image_hashes == (one.sha256, two.sha256)


@pytest.mark.parametrize("family", ["blip2_opt", "blip2_t5", "instructblip", "kosmos2"])
def test_a_model_for_one_picture_is_not_asked_about_two(family: str, kept: Kept, tmp_path: Path) -> None:
    model = kept(family)
    two = question(1, shown(tmp_path, 1), shown(tmp_path, 2), "What differs?")
    other = question(2, shown(tmp_path, 1), "What is this?")
    answers = asked(model, [two, other])
    assert answers[1].outcome is Outcome.SKIPPED
    assert answers[1].error.endswith(
        "accepts only one picture, but the question has 2. Choose a model that accepts several pictures."
    )
    assert texts(answers)[2] == texts(asked(model, [other]))[2]
    assert asked(model, [without_pictures(other)])[2].outcome is Outcome.SKIPPED


def clip(folder: Path, number: int, *seeds: int) -> list[Picture]:
    return [shown(folder, seed, clip=number, time=float(at)) for at, seed in enumerate(seeds)]


def test_of_a_clip_a_model_for_one_picture_gets_the_last_one(kept: Kept, tmp_path: Path) -> None:
    model = kept("blip2_opt")
    frames = clip(tmp_path, 0, 1, 2, 3)
    of_clip = asked(model, [question(1, *frames, shown(tmp_path, 4), "What next?")])[1]
    of_last = asked(model, [question(1, shown(tmp_path, 4), "What next?")])[1]
    assert of_clip.text == of_last.text
    assert of_clip.detail["pictures"]["of"] == 4


@pytest.mark.parametrize("family", ["llava", "qwen2_5_vl"])
def test_clips_become_single_pictures_where_there_is_no_video(family: str, tiny_models: Shelf, tmp_path: Path) -> None:
    model = opened(tiny_models.folder(family), modality="video")
    of_clip = asked(model, [question(1, *clip(tmp_path, 0, 1, 2), "What next?")])[1]
    of_pictures = asked(model, [question(1, shown(tmp_path, 1), shown(tmp_path, 2), "What next?")])[1]
    assert of_clip.text == of_pictures.text
    assert of_clip.detail["clips"] == "The model gets clips as single pictures (2 frames)."


def test_video_llava_sees_clips_as_videos(tiny_models: Shelf, tmp_path: Path) -> None:
    model = opened(tiny_models.folder("video_llava"), batch_size=4)
    now = shown(tmp_path, 9)
    questions = [
        question(1, *clip(tmp_path, 0, 1, 2, 3, 4), *clip(tmp_path, 1, 5, 6, 7, 8), now, "What next?"),
        question(2, *clip(tmp_path, 0, 4, 3, 2, 1), *clip(tmp_path, 1, 5, 6, 7, 8), now, "And what is next?"),
        question(3, *clip(tmp_path, 0, 1, 2), "What next?"),
    ]
    together = asked(model, questions)
    assert texts(together) == texts(alone(model, questions))
    assert [together[number].detail["batch"] for number in (1, 2, 3)] == [2, 2, 1]
    inputs = encode(model.loaded, questions[:1]).inputs
    assert tuple(inputs["pixel_values_videos"].shape) == (2, 4, 3, SIDE, SIDE)
    ids = inputs["input_ids"][0].tolist()
    video, image = (model.loaded.tokenizer.convert_tokens_to_ids(mark) for mark in ("<video>", "<image>"))
    assert ids.count(video) == 2 * 4 * (16 + 1), "two clips of four frames, each of 4 x 4 patches and one more"
    assert ids.count(image) == 16
    backwards = question(1, *clip(tmp_path, 0, 4, 3, 2, 1), "What next?")
    forwards = question(1, *clip(tmp_path, 0, 1, 2, 3, 4), "What next?")
    assert asked(model, [backwards])[1].text != asked(model, [forwards])[1].text


def test_t5_is_filled_up_on_the_right_and_the_other_side_would_show(
    tiny_models: Shelf, kept: Kept, tmp_path: Path
) -> None:
    questions = six(tmp_path)
    right = kept("blip2_t5")
    assert right.about["padding"] == "right"
    left = opened(tiny_models.folder("blip2_t5"), batch_size=6, padding="left")
    assert texts(asked(left, questions)) != texts(alone(left, questions))


def test_instructblips_instruction_is_filled_up_on_the_right(kept: Kept, tmp_path: Path) -> None:
    loaded = kept("instructblip").loaded
    mask = encode(loaded, six(tmp_path)).inputs["qformer_attention_mask"]
    assert mask[:, 0].tolist() == [1] * 6
    assert mask.sum(1).min() < mask.shape[1]


@pytest.mark.parametrize(
    "family", ["llava", "qwen2_5_vl", "internvl", "blip2_opt", "gemma3", "paligemma", "video_llava"]
)
def test_marks_in_an_items_own_text_stay_text(family: str, kept: Kept, tmp_path: Path) -> None:
    model = kept(family)
    mark = model.loaded.special[0]
    text = f"The sign says <image> and {mark} and </s><video> and <|touchstone still|>. What does it say?"
    loaded = model.loaded
    plain = encode(loaded, [question(1, shown(tmp_path, 1), "The sign says nothing. What does it say?")])
    strange = encode(loaded, [question(1, shown(tmp_path, 1), text)])
    for token in loaded.special:
        number = loaded.tokenizer.convert_tokens_to_ids(token)
        counts = [encoded.inputs["input_ids"][0].tolist().count(number) for encoded in (plain, strange)]
        assert counts[0] == counts[1], token
    answer = asked(model, [question(1, shown(tmp_path, 1), text)])[1]
    assert answer.outcome in (Outcome.ANSWERED, Outcome.TRUNCATED)
    assert {"</s>", mark} <= set(answer.detail["made_plain"])
    assert "< image>" in answer.detail["rendered"]


def test_a_checkpoint_without_a_template_gets_ours(tiny_models: Shelf, tmp_path: Path) -> None:
    folder = copied(tiny_models.folder("llava"), tmp_path / "bare")
    (folder / "chat_template.jinja").unlink()
    model = opened(folder)
    assert model.about["chat_template"]["whose"] == "Touchstone's"
    answer = asked(model, [question(1, shown(tmp_path, 1), "What is this?", system="Be brief.")])[1]
    assert answer.detail["rendered"] == "Be brief. USER: <image>\nWhat is this? ASSISTANT:"


REFUSES = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system turn') }}{% endif %}"
    "{% for part in messages[0]['content'] %}{{ '<image>' if part['type'] == 'image' else part['text'] }}{% endfor %}"
)

FORGETS = (
    "{% for message in messages %}{% if message['role'] == 'user' %}{% for part in message['content'] %}"
    "{{ '<image>' if part['type'] == 'image' else part['text'] }}{% endfor %}{% endif %}{% endfor %}"
)


@pytest.mark.parametrize("template", [REFUSES, FORGETS])
def test_a_system_turn_is_never_lost(template: str, tiny_models: Shelf, tmp_path: Path) -> None:
    folder = copied(tiny_models.folder("llava"), tmp_path / "other")
    (folder / "chat_template.jinja").write_text(template)
    asking = question(1, shown(tmp_path, 1), "What is this?", system="Be brief.")
    answer = asked(opened(folder), [asking])[1]
    assert answer.detail["rendered"] == "<image>Be brief.\n\nWhat is this?"
    assert "no system turn" in answer.detail["system"]


def test_what_begins_a_text_stands_there_once(tiny_models: Shelf, tmp_path: Path) -> None:
    folder = copied(tiny_models.folder("llava"), tmp_path / "bos")
    (folder / "chat_template.jinja").write_text("{{ bos_token }}" + FORGETS)
    changed(folder / "tokenizer_config.json", add_bos_token=True)
    loaded = opened(folder).loaded
    ids = encode(loaded, [question(1, shown(tmp_path, 1), "What is this?")]).inputs["input_ids"][0].tolist()
    assert ids.count(1) == 1
