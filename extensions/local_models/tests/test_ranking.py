"""Ranking with a prompt that is read once gives what a whole pass per option gives, for every family."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from domain.errors import ModelError
from domain.runs import Attempt, Outcome, Picture, Question
from extensions.local_models import option_scorer
from extensions.local_models.encoding import encode, encode_prompts
from extensions.local_models.families import family_of
from extensions.local_models.loading import LoadedModel, load
from extensions.local_models.prompts import prompt_of
from extensions.local_models.ranking import PACKED, Ranker
from inference.opening import open_answerer
from inference.spec import ModelPermissions, ModelSpec
from testkit import tiny

# Looked for, not imported: collecting tests takes seconds less.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("torch") is None or find_spec("transformers") is None, reason="the extra `models` is not installed"
    ),
]

ASKED = "What should I do next?"
ACTIONS = (
    "open the drawer",
    "cut the onion",
    "wash it",
    "peel the big potato with a knife quickly",
    "cut the onion",
    "x",
)
BEGINNINGS = ("cut the onion", "cut the onion and then wash the pan", "take the bowl")

SEEING = [family for family in tiny.FAMILIES if family != "text"]


@pytest.fixture(scope="module")
def opened(tiny_models: Any) -> Callable[[str], LoadedModel]:
    """A tiny model, loaded as anyone's checkpoint is; once for this module."""

    @cache
    def of(family: str) -> LoadedModel:
        folder: Path = tiny_models.folder(family)
        row = family_of(json.loads((folder / "config.json").read_text()))
        return load(
            ModelSpec(name=family, adapter=row.adapter, model=str(folder), modality=row.modality), ModelPermissions()
        )

    return of


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> list[Picture]:
    home = tmp_path_factory.mktemp("pictures")
    return [Picture(tiny.picture(home / f"{seed}.png", seed, (120, 60)), sha256=str(seed)) for seed in range(2)]


def asked(*parts: str | Picture, options: Sequence[str] = ACTIONS) -> Question:
    return Question(7, "q7", "planning", parts, options=tuple(options))


def ranker(loaded: LoadedModel, way: str = "auto", **more: Any) -> Ranker:
    return Ranker(replace(loaded, spec=loaded.spec.model_copy(update={"ranking": way})), **more)


def one(answerer: Ranker, question: Question) -> Attempt:
    found: list[Attempt] = []
    answerer.answer([question], tell=found.append, stop=lambda: False)
    assert len(found) == 1
    return found[0]


def logprobs(answerer: Ranker, question: Question) -> list[list[float]]:
    attempt = one(answerer, question)
    assert attempt.outcome is Outcome.ANSWERED, attempt.error
    return [list(option["logprobs"]) for option in attempt.detail["options"]]


def same(found: list[list[float]], wanted: list[list[float]]) -> None:
    """To 1e-4; where a random model finds something unthinkable (e to the -100), to float32's seven digits."""
    assert [len(each) for each in found] == [len(each) for each in wanted]
    for some, others in zip(found, wanted, strict=True):
        assert some == pytest.approx(others, abs=1e-4, rel=2e-6)


@pytest.mark.parametrize("family", tiny.FAMILIES)
def test_every_way_gives_what_a_whole_pass_per_option_gives(
    family: str, opened: Callable[[str], LoadedModel], shown: list[Picture]
) -> None:
    loaded = opened(family)
    seen: tuple[str | Picture, ...] = (ASKED,) if family == "text" else (shown[0], ASKED)
    for options in (ACTIONS, BEGINNINGS):
        question = asked(*seen, options=options)
        wanted = logprobs(ranker(loaded, "naive"), question)
        same(logprobs(ranker(loaded), question), wanted)
        if loaded.family.model_type in PACKED:
            same(logprobs(ranker(loaded, "packed"), question), wanted)
    assert one(ranker(loaded), question).detail["way"] == ("naive" if loaded.family.ranking == "naive" else "cached")
    if family != "text":
        other = logprobs(ranker(loaded), asked(shown[1], ASKED, options=BEGINNINGS))
        assert abs(sum(other[0]) - sum(wanted[0])) > 1e-3  # the picture counts


@pytest.mark.parametrize(
    "family", [family for family in SEEING if family not in ("blip2_t5", "instructblip_t5", "kosmos2")]
)
def test_the_mean_is_the_loss_that_transformers_itself_finds(
    family: str, opened: Callable[[str], LoadedModel], shown: list[Picture]
) -> None:
    """The processor gets prompt and option as one text, and the model the option's tokens as its labels."""
    import torch

    loaded = opened(family)
    question = asked(shown[0], ASKED)
    before = prompt_of(loaded, question)
    mean = one(ranker(loaded), question).detail["scores"]["mean_logprob"]
    for place, option in enumerate(ACTIONS):
        if family == "paligemma":
            from PIL import Image

            inputs = loaded.processor(
                images=Image.open(shown[0].path), text=before.text, suffix=option, return_tensors="pt"
            )
            inputs = {name: value[:, :-1] if value.dim() == 2 else value for name, value in inputs.items()}  # its end
            del inputs["labels"]
            tokens = len(loaded.tokenizer(f"{before.text}\n{option}")["input_ids"]) - len(
                loaded.tokenizer(f"{before.text}\n")["input_ids"]
            )
        else:
            inputs = dict(encode_prompts(loaded, [replace(before, text=f"{before.text} {option}")]).inputs)
            if family == "instructblip":  # its second part reads the question only
                first = encode(loaded, [question]).inputs
                inputs.update({name: first[name] for name in first if name.startswith("qformer")})
            tokens = len(loaded.tokenizer(f" {option}", add_special_tokens=False)["input_ids"])
        labels = inputs["input_ids"].clone()
        labels[:, :-tokens] = -100
        with torch.inference_mode():
            loss = float(loaded.model(**inputs, labels=labels).loss)
        assert mean[place] == pytest.approx(-loss, abs=1e-4, rel=1e-5)


@pytest.mark.parametrize("family", ["blip2_t5", "instructblip_t5"])
def test_of_models_with_a_decoder_the_mean_is_their_loss_too(
    family: str, opened: Callable[[str], LoadedModel], shown: list[Picture]
) -> None:
    import torch

    loaded = opened(family)
    question = asked(shown[0], ASKED)
    inputs = encode(loaded, [question]).inputs
    mean = one(ranker(loaded), question).detail["scores"]["mean_logprob"]
    for place, option in enumerate(ACTIONS):
        labels = torch.tensor([loaded.tokenizer(option, add_special_tokens=False)["input_ids"]])
        with torch.inference_mode():
            assert mean[place] == pytest.approx(-float(loaded.model(**inputs, labels=labels).loss), abs=1e-4, rel=1e-5)


def test_the_end_of_the_answer_is_any_token_that_ends_it(
    opened: Callable[[str], LoadedModel], shown: list[Picture]
) -> None:
    """Two end tokens, as some chat models have: their probabilities add up."""
    import torch

    loaded = replace(opened("llava"), end_ids=(2, 5))
    question = asked(shown[0], ASKED, options=BEGINNINGS)
    attempt = one(ranker(loaded), question)
    assert attempt.detail["end_token"] is True
    before = prompt_of(loaded, question)
    for option in attempt.detail["options"]:
        whole = encode_prompts(loaded, [replace(before, text=f"{before.text} {option['text']}")]).inputs
        with torch.inference_mode():
            after = torch.softmax(loaded.model(**whole).logits[0, -1].double(), 0)
        assert option["logprobs"][-1] == pytest.approx(math.log(float(after[2] + after[5])), abs=1e-4)
    same(logprobs(ranker(loaded, "packed"), question), [option["logprobs"] for option in attempt.detail["options"]])


def test_no_end_token_where_no_option_begins_another(
    opened: Callable[[str], LoadedModel], shown: list[Picture]
) -> None:
    loaded = opened("llava")
    attempt = one(ranker(loaded), asked(shown[0], ASKED))
    tokens = loaded.tokenizer([f" {option}" for option in ACTIONS], add_special_tokens=False)["input_ids"]
    assert attempt.detail["end_token"] is False
    assert [len(option["logprobs"]) for option in attempt.detail["options"]] == [len(each) for each in tokens]


def test_an_attempt_says_all_of_it(opened: Callable[[str], LoadedModel], shown: list[Picture]) -> None:
    question = asked(shown[0], ASKED)
    attempt = one(ranker(opened("llava"), without_image=True), question)
    detail = json.loads(json.dumps(attempt.detail, allow_nan=False))
    means = [sum(option["logprobs"]) / len(option["logprobs"]) for option in detail["options"]]
    assert detail["scores"]["mean_logprob"] == pytest.approx(means, abs=1e-6)
    assert attempt.text == ACTIONS[means.index(max(means))]
    assert [option["text"] for option in detail["options"]] == list(ACTIONS)
    assert detail["options"][1] == detail["options"][4]  # an option that is there twice
    assert (detail["score"], detail["way"], detail["joint"]) == ("mean_logprob", "cached", " ")
    assert set(detail["winners"]) == {"mean_logprob", "sum_logprob", "per_byte_logprob", "pmi_logprob"}
    assert (attempt.unit_id, attempt.outcome, attempt.finish_reason) == (7, Outcome.ANSWERED, "ranked")
    assert (attempt.prompt_hash, attempt.image_hashes) == (question.prompt_hash, ("0",))
    assert attempt.tokens_in is not None
    assert attempt.tokens_in > 16  # with the picture's


def test_what_the_pictures_add(opened: Callable[[str], LoadedModel], shown: list[Picture]) -> None:
    loaded = opened("llava")
    both = one(ranker(loaded, score="pmi_logprob"), asked(shown[0], ASKED))
    seen, blind = (logprobs(ranker(loaded), asked(*parts)) for parts in ((shown[0], ASKED), (ASKED,)))
    assert both.detail["scores"]["pmi_logprob"] == pytest.approx(
        [sum(one) - sum(other) for one, other in zip(seen, blind, strict=True)], abs=1e-4
    )
    assert both.text == ACTIONS[both.detail["winners"]["pmi_logprob"]]


def test_what_pictures_add_needs_pictures(opened: Callable[[str], LoadedModel], shown: list[Picture]) -> None:
    without = one(ranker(opened("llava"), score="pmi_logprob"), asked(ASKED))
    assert without.outcome is Outcome.FAILED
    assert "compares answers with and without pictures" in without.error
    plain = one(ranker(opened("llava"), without_image=True), asked(ASKED))
    assert plain.outcome is Outcome.ANSWERED
    assert "pmi_logprob" not in plain.detail["scores"]
    with pytest.raises(ModelError, match="BLIP-2 cannot answer without a picture"):
        ranker(opened("blip2_opt"), without_image=True)


@pytest.mark.parametrize("family", SEEING)
def test_questions_without_pictures(family: str, opened: Callable[[str], LoadedModel], shown: list[Picture]) -> None:
    """After one with a picture, of which nothing may be left."""
    loaded = opened(family)
    fast, slow = ranker(loaded), ranker(loaded, "naive")
    one(fast, asked(shown[0], ASKED))
    attempt = one(fast, asked(ASKED))
    if loaded.family.needs_picture:
        assert attempt.outcome is Outcome.SKIPPED
        assert "needs a picture" in attempt.error
        return
    same([option["logprobs"] for option in attempt.detail["options"]], logprobs(slow, asked(ASKED)))


@pytest.mark.parametrize("family", ["qwen2_5_vl", "gemma3", "llava", "idefics3", "internvl"])
def test_several_pictures(family: str, opened: Callable[[str], LoadedModel], shown: list[Picture]) -> None:
    loaded = opened(family)
    question = asked("Before: ", shown[1], "now: ", shown[0], ASKED)
    same(logprobs(ranker(loaded), question), logprobs(ranker(loaded, "naive"), question))


@pytest.mark.parametrize("family", [family for family in SEEING if family not in ("kosmos2", "paligemma")])
def test_a_picture_last_and_a_long_question(
    family: str, opened: Callable[[str], LoadedModel], shown: list[Picture]
) -> None:
    """The question is longer than the window that Gemma's layers look back in."""
    loaded = opened(family)
    question = asked("Please look closely at all of it. " * 20, ASKED, shown[0])
    attempt = one(ranker(loaded), question)
    assert (attempt.tokens_in or 0) > 120
    same([option["logprobs"] for option in attempt.detail["options"]], logprobs(ranker(loaded, "naive"), question))


def test_little_room_means_small_groups(
    opened: Callable[[str], LoadedModel], shown: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One option after the other where there is room for one copy only."""
    loaded = opened("llava")
    many = asked(shown[0], ASKED, options=[*ACTIONS, *(f"{action} twice" for action in ACTIONS)])
    wanted = logprobs(ranker(loaded), many)
    sizes: list[int] = []
    inner = Ranker._on

    def counted(self: Ranker, kept: Any, rows: int, *rest: Any) -> Any:
        sizes.append(rows)
        return inner(self, kept, rows, *rest)

    monkeypatch.setattr(Ranker, "_on", counted)
    monkeypatch.setattr(option_scorer, "ROOM", 1)
    same(logprobs(ranker(loaded), many), wanted)
    assert sizes == [1] * 10  # ten different options
    same(logprobs(ranker(opened("blip2_t5")), many), logprobs(ranker(opened("blip2_t5"), "naive"), many))


def test_what_cannot_be_ranked_fails_with_a_sentence(
    opened: Callable[[str], LoadedModel], shown: list[Picture]
) -> None:
    answerer = ranker(opened("llava"))
    gone = Picture(shown[0].path.with_name("gone.png"), sha256="x")
    for question, outcome, says in (
        (asked(shown[0], ASKED, options=()), Outcome.FAILED, "no options"),
        (asked(shown[0], ASKED, options=("cut", "")), Outcome.FAILED, "empty"),
        (asked(gone, ASKED), Outcome.SKIPPED, "gone.png is missing"),
    ):
        attempt = one(answerer, question)
        assert (attempt.outcome, attempt.text) == (outcome, "")
        assert says in attempt.error
    assert one(answerer, asked(shown[0], ASKED)).outcome is Outcome.ANSWERED  # the run goes on


def test_an_error_of_the_model_is_one_item_s(
    opened: Callable[[str], LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = opened("text")
    answerer = ranker(loaded)
    monkeypatch.setattr(Ranker, "_read", lambda *_: (_ for _ in ()).throw(RuntimeError("no such mask\nTraceback")))
    attempt = one(answerer, asked(ASKED))
    assert attempt.outcome is Outcome.FAILED
    assert attempt.error == "The model failed on this item: RuntimeError: no such mask"


def test_when_memory_runs_out_fewer_options_stand_side_by_side(
    opened: Callable[[str], LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    answerer, wanted = ranker(opened("text")), logprobs(ranker(opened("text")), asked(ASKED))
    inner = Ranker._on

    def narrow(self: Ranker, kept: Any, rows: int, *rest: Any) -> Any:
        if rows > 2:
            raise RuntimeError("CUDA out of memory. Tried to allocate 20 GiB")
        return inner(self, kept, rows, *rest)

    monkeypatch.setattr(Ranker, "_on", narrow)
    same(logprobs(answerer, asked(ASKED)), wanted)
    monkeypatch.setattr(Ranker, "_on", lambda *_: narrow(answerer, None, 3))
    assert one(answerer, asked(ASKED)).error.startswith("The model failed on this item: RuntimeError: CUDA out of")


def test_numbers_that_ran_over_are_no_scores(
    opened: Callable[[str], LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ranker, "_picked", lambda self, logprobs, tokens: [float("nan")] * len(tokens))
    attempt = one(ranker(opened("text")), asked(ASKED))
    assert attempt.outcome is Outcome.FAILED
    assert "does not give a probability for every token of the option “open the drawer”" in attempt.error


def test_a_description_is_opened_to_rank(tiny_models: Any, shown: list[Picture]) -> None:
    spec = ModelSpec(name="tiny", adapter="chat", model=str(tiny_models.folder("llava")), ranking="packed")
    answerer = open_answerer(spec, strategy="rank_options", score="sum_logprob", without_image=True)
    found: list[Attempt] = []
    answerer.answer([asked(shown[0], ASKED)], tell=found.append, stop=lambda: False)
    answerer.close()
    detail = found[0].detail
    assert (detail["way"], detail["score"]) == ("packed", "sum_logprob")
    assert found[0].text == ACTIONS[detail["winners"]["sum_logprob"]]
    assert detail["options"][0]["without_image"]


def test_what_it_runs_on_says_how_it_ranks(opened: Callable[[str], LoadedModel]) -> None:
    about = json.loads(json.dumps(ranker(opened("kosmos2")).about))
    assert (about["ranking"], about["score"], about["without_image"]) == ("naive", "mean_logprob", False)
    assert "torch" in json.dumps(about)


def test_it_stops_between_questions(opened: Callable[[str], LoadedModel]) -> None:
    found: list[Attempt] = []
    ranker(opened("text")).answer(
        [asked(ASKED), asked("And then?"), asked("And now?")], tell=found.append, stop=lambda: len(found) == 2
    )
    assert len(found) == 2


def test_a_mark_within_an_option_is_plain_text(opened: Callable[[str], LoadedModel], shown: list[Picture]) -> None:
    """Nothing that an item says becomes a picture or an end; the answer is the option as the item has it."""
    attempt = one(ranker(opened("llava")), asked(shown[0], ASKED, options=("press <image> and </s>",)))
    assert (attempt.outcome, attempt.text) == (Outcome.ANSWERED, "press <image> and </s>")


@pytest.mark.parametrize(
    ("family", "way", "says"),
    [
        ("paligemma", "cached", "only with a separate pass for each option"),
        ("gemma3", "packed", "Gemma 3 cannot rank options that are packed into one row"),
        ("blip2_t5", "packed", "BLIP-2 with T5 cannot rank options that are packed into one row"),
    ],
)
def test_ways_that_would_be_wrong_are_refused(
    family: str, way: str, says: str, opened: Callable[[str], LoadedModel]
) -> None:
    with pytest.raises(ModelError, match=says):
        ranker(opened(family), way)


def test_a_score_that_there_is_not_is_refused(opened: Callable[[str], LoadedModel]) -> None:
    with pytest.raises(ModelError, match=r"Unknown option score `best`\. Choose one of mean_logprob"):
        ranker(opened("text"), score="best")
