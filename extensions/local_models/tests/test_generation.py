"""What local models answer, by whose parameters, and what becomes of questions that fail."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from domain.errors import ModelError
from domain.runs import Attempt, FirstAnswer, Outcome, Picture
from extensions.local_models.encoding import encode
from extensions.local_models.families import family_of
from extensions.local_models.tests.asking import (
    TEXTS,
    Kept,
    alone,
    asked,
    changed,
    copied,
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
from testkit.tiny import Shelf

pytestmark = pytest.mark.slow


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
    assert "reads only the first 512 of" in answer.detail["instruction"]
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
    assert (empty.outcome, empty.text, empty.error) == (Outcome.EMPTY, "", "The model returned no text.")


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
    assert answers[2].error.startswith("Touchstone cannot open the picture gone.png")
    assert answers[3].error == "The picture missing.png is missing. Import the picture again."
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
    assert (
        answers[0].detail["halved"] == "Memory ran out with 3 questions per batch. The run continues with 2 per batch."
    )
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
    assert "accepts at most 1024 for question and answer together" in answers[9].error
    assert texts(answers)[0] == texts(asked(model, questions[:1]))[0]


def test_a_text_model_sees_nothing(kept: Kept, tmp_path: Path) -> None:
    answer = asked(kept("text"), [question(1, shown(tmp_path, 1), "What is this?")])[1]
    assert answer.outcome is Outcome.SKIPPED
    assert "cannot see images" in answer.error


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
