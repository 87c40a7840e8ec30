"""Options ranked over HTTP: a tiny model behind a server gives what the same model gives in this process."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from domain.errors import ModelError, RunStoppedError
from domain.runs import Attempt, Outcome, Picture, Question
from extensions.ranked_options import likelihoods
from extensions.ranked_options.likelihoods import TokenLikelihood
from inference.endpoint.replies import read_response
from inference.opening import open_answerer
from inference.spec import Endpoint, Likelihoods, ModelSpec
from testkit import tiny
from testkit.missing_extensions import needs
from testkit.scripted import Asked, Reply, Script, ScriptedServer, as_json, chat, error

MODELS = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("transformers") is None, reason="the extra `models` is not installed"
)
ASKED = "What should I do next?"
ACTIONS = ("open the drawer", "cut the onion", "peel the big potato with a knife quickly", "cut the onion")
BEGINNINGS = ("cut the onion", "cut the onion and then wash the pan", "take the bowl")


def spec(url: str, *, by: str | None = "chat", end: str = "</s>", modality: Any = "images", **more: Any) -> ModelSpec:
    told = Likelihoods(by=by, end_token=end) if by else None  # type: ignore[arg-type]
    endpoint = Endpoint(base_url=url, probe=False, likelihoods=told, concurrency=3, longest_wait_seconds=0.05, **more)
    return ModelSpec(name="far", adapter="endpoint", model="tiny", modality=modality, endpoint=endpoint)


def asked(*parts: str | Picture, options: Sequence[str] = ACTIONS, **more: Any) -> Question:
    return Question(7, "q7", "planning", parts, options=tuple(options), **more)


def ranked(answerer: Any, *questions: Question) -> list[Attempt]:
    told: list[Attempt] = []
    try:
        answerer.answer(questions, tell=told.append, stop=lambda: False)
    finally:
        answerer.close()
    return told


def over(
    script: Script, question: Question, *, score: str = "mean_logprob", blind: bool = False, **more: Any
) -> list[Attempt]:
    with ScriptedServer(script) as server:
        far = spec(server.url, **more)
        return ranked(open_answerer(far, strategy="rank_options", score=score, without_image=blind), question)


# ---- a real model ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Picture:
    path = tiny.picture(tmp_path_factory.mktemp("pictures") / "0.png", 0, (120, 60))
    return Picture(path, hashlib.sha256(path.read_bytes()).hexdigest())


def same(here: Attempt, there: Attempt) -> None:
    """The same tokens, numbers to float32's digits, and so the same scores and winners."""
    assert (here.outcome, there.outcome) == (Outcome.ANSWERED, Outcome.ANSWERED), there.error
    for one, other in zip(here.detail["options"], there.detail["options"], strict=True):
        for name in ("logprobs", "without_image"):
            assert (other[name] is None) == (one[name] is None)
            assert list(other[name] or ()) == pytest.approx(list(one[name] or ()), abs=1e-4, rel=2e-6)
        assert (other["text"], other["bytes"]) == (one["text"], one["bytes"])
    for name, values in here.detail["scores"].items():
        assert there.detail["scores"][name] == pytest.approx(values, abs=1e-3, rel=1e-5)
    assert set(there.detail["scores"]) == set(here.detail["scores"])
    assert there.detail["winners"] == here.detail["winners"]
    assert there.detail["end_token"] == here.detail["end_token"]
    assert there.text == here.text


@MODELS
@needs("adapters", "chat")
@pytest.mark.slow
@pytest.mark.parametrize("family", ["llava", "idefics3"])
def test_a_model_over_http_scores_as_it_does_here(family: str, tiny_models: Any, shown: Picture) -> None:
    from extensions.ranked_options.tests.likelihood_server import Likely

    folder: Path = tiny_models.folder(family)
    likely = Likely(folder)
    for options, score in ((ACTIONS, "pmi_logprob"), (BEGINNINGS, "mean_logprob")):
        question = asked(shown, ASKED, options=options, system="Be brief.")
        own = ModelSpec(name="here", adapter="chat", model=str(folder), modality="images", dtype="float32")
        (here,) = ranked(open_answerer(own, strategy="rank_options", score=score, without_image=True), question)
        told = over(likely, question, score=score, blind=True, end=likely.tokenizer.eos_token)
        same(here, told[-1])
        assert here.detail["end_token"] == (options is BEGINNINGS)
        # The prompt and each wording, with and without the picture; where the end counts, each wording once more.
        assert told[-1].detail["requests"] == len(told) == (8 if options is ACTIONS else 8 + 6)
        assert {each.outcome for each in told[:-1]} == {Outcome.STEP}
        assert [each.final for each in told] == [False] * (len(told) - 1) + [True]


@MODELS
@needs("adapters", "chat")
@pytest.mark.slow
def test_a_text_model_over_completions_scores_as_it_does_here(tiny_models: Any) -> None:
    from extensions.ranked_options.tests.likelihood_server import Likely

    folder: Path = tiny_models.folder("text")
    likely = Likely(folder)
    own = ModelSpec(name="here", adapter="chat", model=str(folder), modality="text", dtype="float32")
    for prompt, options in (("What next? ", ACTIONS), ("What next?\n", BEGINNINGS)):
        question = asked(prompt, options=options)
        local = open_answerer(own, strategy="rank_options")
        local._loaded = replace(local._loaded, template=None)  # type: ignore[attr-defined]
        (here,) = ranked(local, question)
        told = over(likely, question, by="completions", modality="text")
        same(here, told[-1])
        assert told[-1].detail["way"] == "completions"


# ---- what is sent, and what cannot be ranked -------------------------------------------------------------------------


def by_letters(asked: Asked) -> tuple[list[str], bool]:
    """A server whose tokens are the letters of "Q:" and what the model is to go on with."""
    messages = asked.body["messages"]
    option = messages[-1]["content"] if messages[-1]["role"] == "assistant" else ""
    return ["<s>", *"Q:", *option], bool(option)


def told(tokens: Sequence[str], *, of: Callable[[int], float] = lambda at: -float(at)) -> Reply:
    entries = [
        None if at == 0 else {str(sum(each.encode())): {"logprob": of(at), "rank": 1, "decoded_token": each}}
        for at, each in enumerate(tokens)
    ]
    message = {"role": "assistant", "content": "x"}
    return as_json(
        {
            "choices": [{"index": 0, "message": message, "finish_reason": "length"}],
            "usage": {"prompt_tokens": len(tokens), "completion_tokens": 1},
            "prompt_logprobs": entries,
        }
    )


def letters(asked: Asked, number: int) -> Reply:
    return told(by_letters(asked)[0])


def test_what_is_sent_is_the_prompt_and_each_wording_and_nothing_that_writes() -> None:
    with ScriptedServer(letters) as server:
        answerer = open_answerer(spec(server.url), strategy="rank_options")
        told = ranked(answerer, asked("Q:", options=("ab", "c", "ab")))
        sent = {
            (each.body["messages"][-1]["content"] if len(each.body["messages"]) > 1 else None): each.body
            for each in server.asked
        }
    assert set(sent) == {None, "ab", "c"}
    assert {name: each for name, each in sent["c"].items() if name not in ("model", "messages")} == {
        "max_tokens": 1,
        "temperature": 0.0,
        "prompt_logprobs": 0,
        "return_token_ids": True,
        "continue_final_message": True,
        "add_generation_prompt": False,
    }
    assert set(sent[None]) == {"model", "messages", "max_tokens", "temperature", "prompt_logprobs", "return_token_ids"}
    # "<s>", "Q" and ":" come first; so "ab" has -3 and -4, and "c" has -3.
    (answer,) = [each for each in told if each.final]
    assert [each["logprobs"] for each in answer.detail["options"]] == [[-3.0, -4.0], [-3.0], [-3.0, -4.0]]
    assert answer.detail["scores"]["mean_logprob"] == [-3.5, -3.0, -3.5]
    assert answer.detail["scores"]["sum_logprob"] == [-7.0, -3.0, -7.0]
    assert answer.detail["scores"]["per_byte_logprob"] == [-3.5, -3.0, -3.5]
    assert (answer.text, answer.finish_reason, answer.tokens_in) == ("c", "ranked", answer.tokens_in)
    assert sum(each.tokens_in or 0 for each in told) == 3 + 5 + 4
    assert all("raw" not in each.detail for each in told), "thousands of numbers for each picture"


def merged(asked: Asked, number: int) -> Reply:
    """The colon and an option's first letter are one token."""
    tokens, option = by_letters(asked)
    return told([*tokens[:2], ":" + tokens[3], *tokens[4:]] if option else tokens)


def thinking(asked: Asked, number: int) -> Reply:
    """The template writes an empty reasoning before what the model has said."""
    tokens, option = by_letters(asked)
    return told([*tokens[:3], "<think>", "</think>", *tokens[3:]] if option else tokens)


@pytest.mark.parametrize(
    ("script", "options", "more", "says"),
    [
        (merged, ("ab", "c"), {}, "the end of the prompt and the start of the option “ab” into one token"),
        (
            thinking,
            ("ab", "c"),
            {},
            "the server adds more text than the option (“<think></think>ab”",
        ),
        (letters, ("a", "ab"), {"end": ""}, "so the end of an answer is unclear. Set `end_token` under `likelihoods`"),
        (letters, ("a", "ab"), {"end": "</s>"}, "does not read `</s>` as one token after the option “a”"),
        (letters, (), {}, "The item has no options to rank."),
        (letters, ("a", " "), {}, "One option is empty"),
        (
            letters,
            ("a", "b"),
            {"score": "pmi_logprob"},
            "with and without pictures, but this question has no pictures",
        ),
    ],
)
def test_an_item_that_cannot_be_ranked_fails_with_a_sentence(
    script: Script, options: tuple[str, ...], more: dict[str, Any], says: str
) -> None:
    last = over(script, asked("Q:", options=options), **more)[-1]
    assert (last.outcome, last.final, last.text) == (Outcome.FAILED, True, "")
    assert says in last.error


def test_the_end_of_the_answer_counts_where_one_option_begins_another() -> None:
    def script(asked: Asked, number: int) -> Reply:
        tokens, _ = by_letters(asked)
        return told([*tokens[:-1], "|"] if tokens[-1] == "|" else tokens)

    (answer,) = [each for each in over(script, asked("Q:", options=("a", "ab")), end="|") if each.final]
    assert [each["logprobs"] for each in answer.detail["options"]] == [[-3.0, -4.0], [-3.0, -4.0, -5.0]]
    assert (answer.detail["end_token"], answer.detail["requests"]) == (True, 5)


def test_pictures_are_not_sent_to_completions(shown: Picture) -> None:
    (told,) = over(letters, asked(shown, "Q:"), by="completions")
    assert (told.outcome, told.final) == (Outcome.SKIPPED, True)
    assert "a completions endpoint accepts only text" in told.error


def test_a_request_that_fails_for_good_ends_the_item_as_that() -> None:
    def script(asked: Asked, number: int) -> Reply:
        return error(500) if by_letters(asked)[0][-1] == "c" else letters(asked, number)

    told = over(script, asked("Q:", options=("ab", "c")), attempts=2)
    assert [each.final for each in told].count(True) == 1
    assert (told[-1].final, told[-1].outcome) == (True, Outcome.TRANSPORT_ERROR)
    assert "returned status 500" in told[-1].error


# ---- servers that cannot ---------------------------------------------------------------------------------------------


def test_without_a_word_in_the_description_nothing_is_asked() -> None:
    with pytest.raises(
        ModelError,
        match=r"The description of far does not state how its server reports likelihoods.*`likelihoods: "
        r"\{by: chat\}` under",
    ):
        open_answerer(spec("http://127.0.0.1:9/v1", by=None), strategy="rank_options")
    with pytest.raises(ModelError, match="Unknown option score `odds`"):
        open_answerer(spec("http://127.0.0.1:9/v1"), strategy="rank_options", score="odds")


def generated_only(asked: Asked, number: int) -> Reply:
    """As servers that read `logprobs` and not `echo`."""
    choice = {"index": 0, "text": "x", "logprobs": {"tokens": ["x"], "token_logprobs": [-1.0]}}
    return as_json({"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 1}})


@pytest.mark.parametrize(
    ("reply", "by", "says"),
    [
        (chat("a cup"), "chat", "has no log-probabilities for the tokens of the prompt (prompt_logprobs)"),
        (generated_only, "completions", "for the generated text, but not for the prompt (echo)"),
        (chat("a cup"), "completions", "has no log-probabilities for tokens (logprobs)"),
        (
            error(400, "Unknown field: prompt_logprobs"),
            "chat",
            "field: prompt_logprobs. Touchstone asked the endpoint for the likelihood",
        ),
        (error(404), "completions", "The endpoint does not offer this model"),
    ],
)
def test_a_server_that_does_not_tell_ends_the_run_at_its_first_reply(reply: Any, by: str, says: str) -> None:
    script: Script = reply if callable(reply) else (lambda asked, number: reply)
    with ScriptedServer(script) as server:
        answerer = open_answerer(spec(server.url, by=by, modality="text"), strategy="rank_options")
        with pytest.raises(RunStoppedError) as stopped:
            ranked(answerer, *(replace(asked("Q:"), unit_id=unit) for unit in range(40)))
        assert len(server.asked) <= 3, "what was under way together"
    assert says in str(stopped.value)


def test_the_prompt_s_own_token_is_told_from_others_next_to_it() -> None:
    entry = {"5": {"logprob": -0.1, "decoded_token": "b"}, "9": {"logprob": -4.0, "decoded_token": "a"}}
    value = {"choices": [{}], "usage": {"prompt_tokens": 2, "completion_tokens": 1}, "prompt_logprobs": [None, entry]}

    def found(**more: Any) -> tuple[str, Sequence[TokenLikelihood]]:
        import json

        reply, tokens = likelihoods.read_likelihoods(read_response(200, {}, json.dumps({**value, **more})), by="chat")
        return reply.stop, tokens

    assert found(prompt_token_ids=[1, 9]) == ("", [TokenLikelihood("", "", None), TokenLikelihood("9", "a", -4.0)])
    assert found()[0].startswith(
        "The endpoint's reply does not show which log-probability belongs to a token of the prompt."
    )


def test_descriptions_without_it_keep_their_hash() -> None:
    plain = spec("http://127.0.0.1:9/v1", by=None)
    assert "likelihoods" not in plain.dump()["endpoint"]
    assert plain.hash != spec("http://127.0.0.1:9/v1").hash
    assert ModelSpec.model_validate(spec("http://127.0.0.1:9/v1").dump()) == spec("http://127.0.0.1:9/v1")
