"""Local models of every family, through the code that loads anyone's checkpoint."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from domain.errors import ModelError
from domain.runs import Attempt, FirstAnswer, Outcome, Picture
from extensions.local_models.encoding import encode
from extensions.local_models.families import FAMILIES as ROWS
from extensions.local_models.families import family_of
from extensions.local_models.generation import LocalModel
from extensions.local_models.tests.asking import (
    TEXTS,
    alone,
    asked,
    opened,
    question,
    shown,
    six,
    spec_of,
    texts,
    without_pictures,
)
from inference.opening import open_answerer
from inference.spec import Generation
from testkit.tiny import FAMILIES, SIDE, Shelf, as_of_old

pytestmark = pytest.mark.slow


Kept = Callable[[str], LocalModel]


@pytest.fixture(scope="module")
def kept(tiny_models: Shelf) -> Kept:
    """``kept("llava")`` is that model, loaded once for all tests that only ask it, six questions at a time."""
    return cache(lambda family: opened(tiny_models.folder(family), batch_size=6))


def copied(folder: Path, to: Path) -> Path:
    """A checkpoint to be changed."""
    shutil.copytree(folder, to)
    return to


def changed(path: Path, **values: Any) -> None:
    """A JSON file with other values; None takes a key out."""
    told = {**json.loads(path.read_text()), **values}
    path.write_text(json.dumps({key: value for key, value in told.items() if value is not None}))


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
    assert answers[1].error.endswith("takes one picture; the question has 2.")
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
    assert of_clip.detail["clips"] == "2 frames of clips are shown as single pictures."


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


def test_the_checkpoints_own_parameters_decide_nothing(tiny_models: Shelf, kept: Kept, tmp_path: Path) -> None:
    for family in ("llava", "blip2_opt", "blip2_t5"):
        folder = copied(tiny_models.folder(family), tmp_path / family)
        changed(
            folder / "generation_config.json",
            do_sample=True,
            temperature=9.0,
            repetition_penalty=5.0,
            max_new_tokens=3,
            no_repeat_ngram_size=1,
            num_beams=3,
            suppress_tokens=list(range(5, 300)),
        )
        questions = six(tmp_path)[:2]
        assert texts(asked(opened(folder), questions)) == texts(asked(kept(family), questions))


def test_what_the_checkpoint_says_ends_an_answer_still_does(tiny_models: Shelf, kept: Kept, tmp_path: Path) -> None:
    folder = copied(tiny_models.folder("llava"), tmp_path / "ends")
    first = six(tmp_path)[:1]
    loaded = kept("llava").loaded
    encoded = encode(loaded, first)
    words = loaded.model.generate(**encoded.inputs, max_new_tokens=12)[0, encoded.width :].tolist()
    changed(folder / "generation_config.json", eos_token_id=[2, words[4]])
    cut = asked(opened(folder), first)[0]
    assert (cut.outcome, cut.finish_reason) == (Outcome.ANSWERED, "stop")
    assert cut.tokens_out == words.index(words[4])


def test_an_instruction_that_is_read_in_part_says_so(kept: Kept, tmp_path: Path) -> None:
    model = kept("instructblip")
    answer = asked(model, [question(1, shown(tmp_path, 1), "wash the plate and then " * 120)])[1]
    assert answer.outcome in (Outcome.ANSWERED, Outcome.TRUNCATED)
    assert "reads the first 512 of" in answer.detail["instruction"]
    assert "instruction" not in asked(model, six(tmp_path)[:1])[0].detail


def test_our_parameters_decide(tiny_models: Shelf, kept: Kept, tmp_path: Path) -> None:
    folder, questions = tiny_models.folder("llava_onevision"), six(tmp_path)[:2]
    plain = texts(asked(kept("llava_onevision"), questions))
    for other in (
        Generation(max_new_tokens=12, num_beams=3),
        Generation(max_new_tokens=12, repetition_penalty=5.0),
        Generation(max_new_tokens=3),
        Generation(max_new_tokens=12, do_sample=True, temperature=2.0),
    ):
        assert texts(asked(opened(folder, generation=other), questions)) != plain


@pytest.mark.parametrize("family", ["llava", "blip2_opt", "blip2_t5", "kosmos2"])
def test_stop_texts_end_an_answer_and_are_not_part_of_it(
    family: str, tiny_models: Shelf, kept: Kept, tmp_path: Path
) -> None:
    folder, questions = tiny_models.folder(family), six(tmp_path)
    whole = asked(kept(family), questions)
    number, stop = next(
        (number, said[at : at + 2])
        for number, said in ((number, attempt.text) for number, attempt in whole.items())
        for at in range(2, len(said) - 3)
        if said.find(said[at : at + 2]) == at
    )
    model = opened(folder, batch_size=6, generation=Generation(max_new_tokens=12, stop=(stop,)))
    cut = asked(model, questions)
    for each, attempt in whole.items():
        assert cut[each].text == attempt.text.partition(stop)[0].strip()
    assert (cut[number].outcome, cut[number].finish_reason) == (Outcome.ANSWERED, "stop")
    assert (cut[number].tokens_out or 0) < (whole[number].tokens_out or 0), "it did not go on behind the text"


def test_nothing_is_an_outcome_and_no_answer(tiny_models: Shelf, kept: Kept, tmp_path: Path) -> None:
    folder, questions = tiny_models.folder("llava"), six(tmp_path)[:1]
    whole = asked(kept("llava"), questions)[0].text
    empty = asked(opened(folder, generation=Generation(max_new_tokens=12, stop=(whole[:2],))), questions)[0]
    assert (empty.outcome, empty.text, empty.error) == (Outcome.EMPTY, "", "The model wrote nothing.")


def test_an_answer_that_was_cut_off_says_so(tiny_models: Shelf, tmp_path: Path) -> None:
    questions = six(tmp_path)
    long = asked(opened(tiny_models.folder("llava"), generation=Generation(max_new_tokens=200)), questions)
    short = asked(opened(tiny_models.folder("llava"), generation=Generation(max_new_tokens=4)), questions)
    for number, attempt in long.items():
        assert (attempt.outcome is Outcome.TRUNCATED) == (attempt.tokens_out == 200)
        assert attempt.finish_reason == ("length" if attempt.tokens_out == 200 else "stop")
        assert short[number].tokens_out == 4
        assert short[number].outcome is Outcome.TRUNCATED
        assert long[number].text.startswith(short[number].text.rstrip("\ufffd"))
    assert {attempt.finish_reason for attempt in long.values()} == {"stop", "length"}


def test_one_bad_picture_spoils_no_one_elses_answer(kept: Kept, tmp_path: Path) -> None:
    model = kept("llava")
    questions = six(tmp_path)
    good = asked(model, questions)
    (tmp_path / "gone.png").write_bytes(b"not a picture")
    questions[2] = question(2, Picture(tmp_path / "gone.png", "0" * 64), TEXTS[2])
    questions[3] = question(3, Picture(tmp_path / "missing.png", "0" * 64), TEXTS[3])
    questions[4] = replace(questions[4], cannot="Its clip is not there.")
    answers = asked(model, questions)
    assert {number for number in answers if answers[number].outcome is Outcome.SKIPPED} == {2, 3, 4}
    assert answers[2].error.startswith("The picture gone.png cannot be opened")
    assert answers[3].error == "The picture missing.png is not there."
    assert answers[4].error == "Its clip is not there."
    for number in (0, 1, 5):
        assert texts(answers)[number] == texts(good)[number]
        assert answers[number].detail["batch"] == 3, "the others stay together"


def test_a_model_that_fails_on_one_item_answers_the_others(
    tiny_models: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(tiny_models.folder("llava"), batch_size=6)
    questions = six(tmp_path)
    good = asked(model, questions)
    whole = model.loaded.model.generate
    bad = encode(model.loaded, questions[3:4]).inputs["pixel_values"]

    def generate(**inputs: Any) -> Any:
        if any((pixels == bad[0]).all() for pixels in inputs["pixel_values"]):
            raise IndexError("index out of range in self")
        return whole(**inputs)

    monkeypatch.setattr(model.loaded.model, "generate", generate)
    answers = asked(model, questions)
    assert answers[3].outcome is Outcome.FAILED
    assert answers[3].error == "The model failed on this item. IndexError: index out of range in self"
    for number in (0, 1, 2, 4, 5):
        assert texts(answers)[number] == texts(good)[number]
        assert answers[number].detail["batch"] == 1
        assert "index out of range" in answers[number].detail["batch_failed"]


def test_when_memory_runs_out_the_batch_is_halved(
    tiny_models: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    model = opened(tiny_models.folder("llava"), batch_size=6)
    questions = six(tmp_path)
    good = asked(model, questions)
    whole = model.loaded.model.generate
    sizes: list[int] = []

    def generate(**inputs: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 2:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return whole(**inputs)

    monkeypatch.setattr(model.loaded.model, "generate", generate)
    answers = asked(model, questions)
    assert texts(answers) == texts(good)
    assert sizes == [6, 3, 2, 1, 3, 2, 1]
    assert answers[0].detail["halved"] == "Memory ran out with 3 at once: from here on 2 at once."
    sizes.clear()
    asked(model, questions)
    assert sizes == [2, 2, 2], "it has learnt"


def test_memory_that_does_not_do_for_one_is_a_failure_of_that_one(
    tiny_models: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(tiny_models.folder("llava"))
    monkeypatch.setattr(
        model.loaded.model, "generate", lambda **_: (_ for _ in ()).throw(RuntimeError("not enough memory: you tried"))
    )
    answer = asked(model, six(tmp_path)[:1])[0]
    assert answer.outcome is Outcome.FAILED
    assert answer.error.startswith("There is not enough memory for this question")


def test_sampling_depends_on_the_seed_and_the_question_alone(tiny_models: Shelf, tmp_path: Path) -> None:
    folder, questions = tiny_models.folder("llava"), six(tmp_path)
    sampling = Generation(max_new_tokens=12, do_sample=True, temperature=1.5, top_p=0.9, seed=1)
    model = opened(folder, batch_size=6, generation=sampling)
    assert model.about["batch_size"] == 1
    first = texts(asked(model, questions))
    assert texts(asked(model, questions[::-1])) == first
    other = opened(folder, generation=sampling.model_copy(update={"seed": 2}))
    assert texts(asked(other, questions)) != first
    with pytest.raises(ModelError, match="temperature above 0"):
        opened(folder, generation=Generation(do_sample=True))


def test_stopping_leaves_the_rest(tiny_models: Shelf, tmp_path: Path) -> None:
    model = opened(tiny_models.folder("llava"), batch_size=2)
    told: list[Attempt] = []
    model.answer(six(tmp_path), tell=told.append, stop=lambda: len(told) >= 4)
    assert [attempt.unit_id for attempt in told] == [0, 1, 2, 3]


def test_a_question_longer_than_the_model_holds_is_not_asked(tiny_models: Shelf, tmp_path: Path) -> None:
    model = opened(tiny_models.folder("blip2_opt"), batch_size=3)
    words = "wash the plate and then " * 400
    questions = [*six(tmp_path)[:2], question(9, shown(tmp_path, 1), words)]
    answers = asked(model, questions)
    assert answers[9].outcome is Outcome.SKIPPED
    assert "holds 1024, question and answer together" in answers[9].error
    assert texts(answers)[0] == texts(asked(model, questions[:1]))[0]


def test_a_text_model_sees_nothing(kept: Kept, tmp_path: Path) -> None:
    answer = asked(kept("text"), [question(1, shown(tmp_path, 1), "What is this?")])[1]
    assert answer.outcome is Outcome.SKIPPED
    assert "sees nothing" in answer.error


def test_what_it_runs_on_is_told_as_json(tiny_models: Shelf) -> None:
    about = opened(tiny_models.folder("qwen2_5_vl"), batch_size=4).about
    assert json.loads(json.dumps(about)) == about
    assert about["processor"] == "Qwen2_5_VLProcessor"
    assert about["image_processor"] == "Qwen2VLImageProcessorPil"
    assert (about["device"], about["dtype"], about["batch_size"], about["padding"]) == ("cpu", "float32", 4, "left")
    assert set(about["versions"]) == {"python", "torch", "transformers", "tokenizers", "pillow", "numpy"}
    assert len(about["weights"]) == 64
    assert about["parameters"] > 100_000
    assert about["generation"]["max_new_tokens"] == 12


def test_text_only_is_asked_without_pictures(kept: Kept, tmp_path: Path) -> None:
    questions = [without_pictures(one) for one in six(tmp_path)]
    for family in ("llava", "qwen2_5_vl", "gemma3", "idefics3"):
        model = kept(family)
        together = asked(model, [*questions, question(7, shown(tmp_path, 1), "What is this?")])
        assert {attempt.outcome for attempt in together.values()} <= {Outcome.ANSWERED, Outcome.TRUNCATED}
        assert texts(together) == texts(alone(model, [*questions, question(7, shown(tmp_path, 1), "What is this?")]))


def test_a_family_without_a_row_is_tried_with_care(tiny_models: Shelf) -> None:
    family = opened(tiny_models.folder("vipllava")).loaded.family
    assert (family.known, family.ranking, family.title) == (False, "naive", "vipllava")


def test_what_was_closed_still_says_what_it_ran_on(tiny_models: Shelf) -> None:
    model = opened(tiny_models.folder("llava"))
    model.close()
    model.close()
    assert model.about["family"] == "LLaVA"


def test_families_follow_the_configuration() -> None:
    assert family_of({"model_type": "instructblip", "text_config": {"model_type": "llama"}}).padding == "left"
    assert family_of({"model_type": "instructblip", "use_decoder_only_language_model": False}).padding == "right"
    unknown = family_of({"model_type": "glm4v", "vision_config": {}})
    assert (unknown.known, unknown.ranking, unknown.modality) == (False, "naive", "images")


def test_the_first_answer_stands_in_the_second_question_of_two(tiny_models: Shelf, kept: Kept, tmp_path: Path) -> None:
    first = question(1, shown(tmp_path, 1), "Sum up.")
    two = replace(question(1, shown(tmp_path, 1), "In words: ", FirstAnswer("{summary}"), "\nWhat next?"), first=first)
    told: list[Attempt] = []
    answerer = open_answerer(spec_of(tiny_models.folder("llava")), strategy="two_steps")
    answerer.answer([two], tell=told.append, stop=lambda: False)
    answerer.close()
    step, answer = told
    alone_ = asked(kept("llava"), [first])[1]
    assert (step.outcome, step.final, step.text) == (Outcome.STEP, False, alone_.text)
    assert answer.final
    assert f"In words: {step.text}\nWhat next?" in answer.detail["rendered"]
