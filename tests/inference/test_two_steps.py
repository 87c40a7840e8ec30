"""A model is asked twice, the second time with its first answer in the question: over a real server that answers by
script, and by a model of this machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from app.commands.runs_in_terminal import tell_preview
from app.running import begin
from domain.runs import Answerer, Attempt, FirstAnswer, Outcome, Picture, Preview, Question
from inference.endpoint.estimate import estimated
from inference.opening import open_answerer
from inference.spec import Endpoint, Generation, ModelSpec
from testkit import tiny
from testkit.scripted import Asked, Reply, ScriptedServer, chat, error


def asked(*parts: Any, unit: int = 1, **more: Any) -> Question:
    first = Question(unit, f"q{unit}", "d", (*parts, "Sum up."), system="Look well.")
    said = FirstAnswer("{summary}")
    return Question(unit, f"q{unit}", "d", (*parts, "In words: ", said, "\nWhat next, {summary}?"), first=first, **more)


def told_by(answerer: Answerer, questions: Sequence[Question]) -> list[Attempt]:
    told: list[Attempt] = []
    try:
        answerer.answer(questions, tell=told.append, stop=lambda: False)
    finally:
        answerer.close()
    return told


def over(server: ScriptedServer, **endpoint: Any) -> Answerer:
    told = {"probe": False, "longest_wait_seconds": 0.05, "concurrency": 2, **endpoint}
    spec = ModelSpec(
        name="far", adapter="endpoint", model="far", modality="images", endpoint=Endpoint(base_url=server.url, **told)
    )
    return open_answerer(spec, strategy="two_steps")


def by_step(asked: Asked, number: int) -> Reply:
    return chat("The cup is out.") if "Sum up." in asked.text else chat("Answer: B")


def test_the_first_answer_stands_in_the_second_question(tmp_path: Path) -> None:
    path = tiny.picture(tmp_path / "1.png", 1)
    picture = Picture(path, hashlib.sha256(path.read_bytes()).hexdigest())
    with ScriptedServer(by_step) as server:
        question = asked(picture)
        step, answer = told_by(over(server), [question])
        first, second = (each.body["messages"] for each in server.asked)
    assert [each["role"] for each in first] == ["system", "user"]
    assert [part["type"] for part in first[1]["content"]] == ["image_url", "text"]
    # One text, as some servers put a line break between two; an item's own "{summary}" stays text.
    assert [part.get("text") for part in second[0]["content"]] == [
        None,
        "In words: The cup is out.\nWhat next, {summary}?",
    ]
    assert (step.outcome, step.final, step.text, step.detail["step"]) == (Outcome.STEP, False, "The cup is out.", 1)
    assert (answer.outcome, answer.final, answer.text, answer.detail["step"]) == (
        Outcome.ANSWERED,
        True,
        "Answer: B",
        2,
    )
    assert [(turn["role"], turn["text"]) for turn in answer.detail["transcript"]] == [
        ("user", "Sum up."),
        ("assistant", "The cup is out."),
        ("user", "In words: The cup is out.\nWhat next, {summary}?"),
        ("assistant", "Answer: B"),
    ]
    assert question.first is not None
    assert step.prompt_hash == question.first.prompt_hash
    assert len({step.prompt_hash, answer.prompt_hash, question.prompt_hash}) == 3


def test_what_is_asked_first_is_part_of_the_hash() -> None:
    one = asked()
    plain = Question(1, "q1", "d", one.parts)
    other = Question(1, "q1", "d", one.parts, first=Question(1, "q1", "d", ("Sum up well.",)))
    assert len({one.prompt_hash, plain.prompt_hash, other.prompt_hash}) == 3


@pytest.mark.parametrize(
    ("reply", "outcome", "says"),
    [
        (
            chat("", message={"role": "assistant", "content": None, "refusal": "No."}),
            Outcome.REFUSED,
            "The model refused.",
        ),
        (chat("  "), Outcome.EMPTY, "The model returned an empty answer."),
        (error(400), Outcome.TRANSPORT_ERROR, "The endpoint returned status 400: no."),
    ],
)
def test_without_a_first_answer_there_is_no_second_step(reply: Reply, outcome: Outcome, says: str) -> None:
    with ScriptedServer([reply]) as server:
        (told,) = told_by(over(server), [asked()])
        assert len(server.asked) == 1
    assert (told.outcome, told.final, told.error) == (outcome, True, f"The first step failed: {says}")


def test_what_fails_on_the_way_is_told_and_what_cannot_be_asked_is_not_sent() -> None:
    with ScriptedServer([error(500), chat("The cup is out."), error(500), chat("B")]) as server:
        told = told_by(over(server, concurrency=1), [asked(), asked(unit=2, cannot="It has no picture.")])
    assert [(each.unit_id, each.outcome, each.final) for each in told] == [
        (2, Outcome.SKIPPED, True),
        (1, Outcome.TRANSPORT_ERROR, False),
        (1, Outcome.STEP, False),
        (1, Outcome.TRANSPORT_ERROR, False),
        (1, Outcome.ANSWERED, True),
    ]


def test_a_stop_after_the_first_step_leaves_the_second() -> None:
    told: list[Attempt] = []
    with ScriptedServer(by_step) as server:
        answerer = over(server)
        answerer.answer([asked()], tell=told.append, stop=lambda: bool(told))
        answerer.close()
        assert len(server.asked) == 1
    assert [each.final for each in told] == [False]


def test_a_preview_shows_both_steps_on_the_page_and_in_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    drawn = str(begin.question_markup(asked(), {}))
    assert drawn.index("First step") < drawn.index("Sum up.") < drawn.index("Second step") < drawn.index("{summary}")
    local = ModelSpec(name="near", adapter="chat", model="folder")
    seen = Preview(wanted=1, about=1, looked_at=1, questions=(asked(),), cannot={})
    tell_preview(seen, local, asked=1)
    assert capsys.readouterr().out == (
        "--- q1 (d)\n[system] Look well.\nSum up.\n--- q1 (d)\nIn words: {summary}\nWhat next, {summary}?\n"
    )


def test_an_estimate_counts_both_steps() -> None:
    endpoint = Endpoint(base_url="http://nobody.invalid/v1")
    spec = ModelSpec(
        name="m", adapter="endpoint", model="m", endpoint=endpoint, generation=Generation(max_new_tokens=9)
    )
    assert (estimated([asked()], spec).requests, estimated([asked()], spec).tokens_out) == (2, 18)
