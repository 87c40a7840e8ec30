"""Replies that hold reasoning, in every place where servers put it, over a real server on loopback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from domain.errors import RunStoppedError
from domain.runs import Attempt, Outcome
from inference.endpoint.served_model import ServedModel, compare_models, describe_models
from testkit.scripted import Reply, ScriptedServer, as_json, chat
from tests.inference.test_endpoint import asked

WHY = "A rim, a handle: a cup."
DETAILED = {"prompt_tokens": 12, "completion_tokens": 40, "completion_tokens_details": {"reasoning_tokens": 40}}


def parts(*content: Any) -> Reply:
    """A reply whose content is a list."""
    return chat(None, message={"content": list(content)})


def beside(answer: str | None = "a cup", finish: str = "stop", **fields: Any) -> Reply:
    """A reply with reasoning in fields next to its content."""
    return chat(answer, finish=finish, message=fields)


ANSWER = {"type": "text", "text": "a cup"}

ANSWERED: Mapping[str, Reply] = {
    "Anthropic's parts": parts({"type": "thinking", "thinking": WHY, "signature": "x"}, ANSWER),
    "Mistral's parts": parts({"type": "thinking", "thinking": [{"type": "text", "text": WHY}]}, ANSWER),
    "parts of reasoning": parts({"type": "reasoning", "text": WHY}, {"type": "output_text", "text": "a cup"}),
    "a summary": parts(
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": WHY}]},
        {"type": "output_text", "text": "a cup", "annotations": []},
    ),
    "reasoning inside content": parts(
        {"type": "reasoning", "content": [{"type": "reasoning_text", "text": WHY}]}, ANSWER
    ),
    "Gemini's thoughts": parts({"text": WHY, "thought": True}, {"text": "a cup"}),
    "reasoning behind the answer": parts(ANSWER, {"type": "reasoning", "reasoning": WHY}),
    "the answer in two parts": parts(
        {"type": "text", "text": "a "}, {"type": "thinking", "thinking": WHY}, {"type": "output_text", "text": "cup"}
    ),
    "one part, not in a list": chat(None, message={"content": {**ANSWER}, "reasoning": WHY}),
    "plain texts in a list": chat(None, message={"content": ["a ", "cup"], "reasoning_content": WHY}),
    "DeepSeek, vLLM, SGLang": beside(reasoning_content=WHY),
    "newer vLLM": beside(reasoning=WHY, reasoning_content=None),
    "OpenRouter": beside(reasoning=WHY, reasoning_details=[{"type": "reasoning.text", "text": WHY}]),
    "Ollama": beside(thinking=WHY),
    "LiteLLM": beside(reasoning_content=WHY, thinking_blocks=[{"type": "thinking", "thinking": WHY, "signature": "x"}]),
}


@pytest.mark.parametrize("reply", ANSWERED.values(), ids=ANSWERED)
def test_the_answer_is_read_and_the_reasoning_kept_apart_and_paid_once(reply: Reply) -> None:
    with ScriptedServer([reply]) as server:
        (attempt,) = asked(server.url, attempts=3)
        assert len(server.asked) == 1
    assert (attempt.outcome, attempt.text, attempt.error) == (Outcome.ANSWERED, "a cup", "")
    assert attempt.detail["reasoning"] == WHY
    assert reply.body.decode() == attempt.detail["raw"]


ONLY: Mapping[str, tuple[Reply, str]] = {
    "a part": (parts({"type": "thinking", "thinking": WHY}), "gave no answer"),
    "hidden": (parts({"type": "redacted_thinking", "data": "b2s="}), "gave no answer"),
    "a field": (beside(None, reasoning_content=WHY), "gave no answer"),
    "a field, blank answer": (beside(" \n", reasoning=WHY), "gave no answer"),
    "cut, a part": (
        chat(None, finish="length", message={"content": [{"type": "thinking", "thinking": WHY}]}),
        "still reasoning",
    ),
    "cut, a field": (beside("", "length", reasoning_content=WHY), "still reasoning"),
    "cut, tokens only": (
        as_json({"choices": [{"message": {"content": ""}, "finish_reason": "length"}], "usage": DETAILED}),
        "still reasoning",
    ),
}


@pytest.mark.parametrize(("reply", "says"), ONLY.values(), ids=ONLY)
def test_only_reasoning_is_an_outcome_of_its_own_and_not_asked_again(reply: Reply, says: str) -> None:
    with ScriptedServer([reply]) as server:
        (attempt,) = asked(server.url, attempts=3)
        assert len(server.asked) == 1
    assert (attempt.outcome, attempt.text, attempt.final) == (Outcome.ONLY_REASONING, "", True)
    assert says in attempt.error
    assert attempt.outcome.label == "only reasoning"
    assert attempt.outcome.silent


def test_reasoning_that_the_server_hides_is_no_text_and_no_error() -> None:
    hidden = {"type": "redacted_thinking", "data": "b2s="}
    with ScriptedServer([parts(hidden, ANSWER), parts()]) as server:
        told = asked(server.url, 2, concurrency=1, attempts=3)
    assert [(one.outcome, one.text, "reasoning" in one.detail) for one in told] == [
        (Outcome.ANSWERED, "a cup", False),
        (Outcome.EMPTY, "", False),
    ]


def test_a_cut_answer_after_reasoning_is_a_cut_answer() -> None:
    with ScriptedServer([beside("a c", "length", reasoning_content=WHY)]) as server:
        (attempt,) = asked(server.url)
    assert (attempt.outcome, attempt.text) == (Outcome.TRUNCATED, "a c")


def test_a_part_that_is_no_text_is_named_and_paid_once() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    with ScriptedServer([parts(image), parts(image, ANSWER), parts({"type": "refusal", "refusal": "No."})]) as server:
        first, second, third = asked(server.url, 3, concurrency=1, attempts=3)
    assert (first.outcome, first.final) == (Outcome.UNREADABLE, True)
    assert "image_url" in first.error
    assert (second.outcome, second.text) == (Outcome.ANSWERED, "a cup")
    assert (third.outcome, third.text) == (Outcome.REFUSED, "No.")


def test_replies_that_are_paid_and_cannot_be_read_end_a_run() -> None:
    """Each is paid once; ten of them in a row end the run before all questions are paid for nothing."""
    told: list[Attempt] = []
    with ScriptedServer([chat(None, message={"content": 5})]) as server:
        with pytest.raises(RunStoppedError, match=r"10 questions in a row got no answer\. The last error"):
            asked(server.url, 500, concurrency=1, attempts=3, tell=told.append)
        assert len(server.asked) == len(told) == 10


MODELS: list[tuple[str, str, ServedModel]] = [
    ("gpt-4o", "gpt-4o", ServedModel.SAME),
    ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen/qwen2.5-vl-7b-instruct", ServedModel.SAME),
    ("gpt-4o", "gpt-4o-2024-08-06", ServedModel.SNAPSHOT),
    ("gpt-4", "gpt-4-0613", ServedModel.SNAPSHOT),
    ("claude-3-5-sonnet", "claude-3-5-sonnet-20241022", ServedModel.SNAPSHOT),
    ("claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022", ServedModel.SNAPSHOT),
    ("claude-3-5-sonnet", "claude-3-5-sonnet@20241022", ServedModel.SNAPSHOT),
    ("mistral-large-latest", "mistral-large-2411", ServedModel.SNAPSHOT),
    ("command-r", "command-r-08-2024", ServedModel.SNAPSHOT),
    ("gemini-1.5-pro", "gemini-1.5-pro-002", ServedModel.SNAPSHOT),
    ("openai/gpt-4o", "gpt-4o-2024-08-06", ServedModel.SNAPSHOT),
    ("deepseek/deepseek-r1:free", "deepseek/deepseek-r1", ServedModel.SNAPSHOT),
    ("llama3", "llama3:latest", ServedModel.SNAPSHOT),
    ("gpt-4o", "gpt-4o-mini", ServedModel.OTHER),
    ("gpt-4o", "gpt-4o-mini-2024-07-18", ServedModel.OTHER),
    ("gpt-4o-2024-05-13", "gpt-4o-2024-08-06", ServedModel.OTHER),
    ("gpt-4o-2024-08-06", "gpt-4o", ServedModel.OTHER),
    ("gemini-1.5-flash", "gemini-1.5-flash-8b", ServedModel.OTHER),
    ("llava-7b", "llava-13b", ServedModel.OTHER),
    ("gpt-4", "gpt-4o", ServedModel.OTHER),
    ("model-a", "model-a-2048", ServedModel.OTHER),
]


@pytest.mark.parametrize(("wanted", "came", "kind"), MODELS)
def test_names_of_models_are_compared(wanted: str, came: str, kind: ServedModel) -> None:
    assert compare_models(wanted, came) is kind


def test_the_model_that_answered_is_kept_where_it_is_another() -> None:
    script = [chat(), chat(model="scripted-mini"), chat(model="scripted-2026-01-31"), chat(model=None)]
    with ScriptedServer(script) as server:
        told = asked(server.url, 4, concurrency=1)
    assert [one.detail.get("model") for one in told] == [None, "scripted-mini", "scripted-2026-01-31", None]


def test_what_is_said_of_other_models() -> None:
    warning, note = describe_models("gpt-4o", {"gpt-4o-mini": 3, "gpt-4o-2024-08-06": 1000, "gpt-4o-2024-11-20": 1})
    assert warning.startswith("3 replies came from a model other than gpt-4o: gpt-4o-mini (3).")
    assert note == (
        "1,001 replies came from a dated snapshot or an alias of gpt-4o: gpt-4o-2024-08-06 (1,000), "
        "gpt-4o-2024-11-20 (1)."
    )
    assert describe_models("gpt-4o", {}) == ("", "")
