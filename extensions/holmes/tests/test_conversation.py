"""A model that sees nothing asks tools: every end that a conversation can have, against a real server with a script."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from domain.errors import RunStoppedError
from domain.runs import Attempt, Outcome, Question
from extensions.holmes.endpoint_conversations import open_conversations
from extensions.holmes.tool_sets import holmes
from inference.spec import Endpoint, Generation, ModelSpec, Price
from testkit.scripted import Asked, Reply, Script, ScriptedServer, chat, cut, error, hang, html

PUBLISHED = {
    "detect_traffic_sign",
    "object_detection",
    "ocr",
    "image_caption",
    "weather_detection",
    "list_items_in_hands",
    "list_nearby_mobs_in_minecraft",
    "list_inventory_information",
}


def spec_of(url: str = "http://127.0.0.1:1/v1", *, most_turns: int = 4, **endpoint: Any) -> ModelSpec:
    quick = {"longest_wait_seconds": 0.05, "timeout_seconds": 5.0, "probe": False}
    return ModelSpec(
        name="scripted",
        adapter="endpoint",
        model="scripted",
        modality="text",
        most_turns=most_turns,
        generation=Generation(max_new_tokens=99),
        endpoint=Endpoint(base_url=url, **{**quick, **endpoint}),
    )


def always(result: Any) -> list[dict[str, Any]]:
    """A stored result that does not depend on arguments."""
    return [{"arguments": None, "result": result}]


def about(
    unit: int = 1,
    text: str = "What next?",
    *,
    dimension: str = "autonomous_driving",
    tools: dict[str, list[dict[str, Any]]] | None = None,
    **more: Any,
) -> Question:
    stored = {"ocr": always(["EXIT"]), "image_caption": always("A red car")} if tools is None else tools
    return Question(unit, f"item-{unit}", dimension, (text,), tools=stored, **more)


def call(name: str, arguments: Any = "{}", id: str | None = "c1") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {**({"id": id} if id else {}), "type": "function", "function": function}


def calls(*wanted: dict[str, Any], text: str | None = None, finish: str = "tool_calls", **more: Any) -> Reply:
    return chat(text, finish=finish, message={"tool_calls": list(wanted)}, kind="calls", **more)


def held(
    script: Sequence[Reply] | Script,
    questions: Sequence[Question] = (),
    *,
    stop: Callable[[], bool] = lambda: False,
    **more: Any,
) -> tuple[list[Attempt], ScriptedServer]:
    """Every attempt in the order told, and the server with what it was asked."""
    told: list[Attempt] = []
    with ScriptedServer(script) as server:
        answerer = open_conversations(spec_of(server.url, **more), ())
        try:
            answerer.answer(questions or [about()], tell=told.append, stop=stop)
        finally:
            answerer.close()
    return told, server


def test_the_tools_are_those_of_the_paper_by_domain() -> None:
    tools = holmes()
    assert set(tools.names()) == PUBLISHED
    assert [tool.name for tool in tools.offered("domestic_robot", ())] == ["object_detection", "list_items_in_hands"]
    assert [tool.name for tool in tools.offered("open_world_game", ["ocr"])] == [
        "ocr",
        "list_nearby_mobs_in_minecraft",
        "list_inventory_information",
    ]
    assert len(tools.offered("autonomous_driving", ())) == 5
    assert len(tools.offered("another benchmark's", ())) == 8


def test_it_asks_and_answers() -> None:
    told, server = held(
        [calls(call("ocr")), chat("B. Go straight", usage=(40, 5))], price=Price(input=1e6, output=0, date="2026-11-01")
    )
    assert [(each.outcome, each.final, each.text) for each in told] == [
        (Outcome.CALLED, False, ""),
        (Outcome.ANSWERED, True, "B. Go straight"),
    ]
    first, second = (asked.body for asked in server.asked)
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert first["messages"][1]["content"] == "What next?"
    assert {tool["function"]["name"] for tool in first["tools"]} == {
        tool.name for tool in holmes().offered("autonomous_driving", ())
    }
    assert second["messages"][2:] == [
        {"role": "assistant", "content": None, "tool_calls": [call("ocr")]},
        {"role": "tool", "tool_call_id": "c1", "content": '["EXIT"]'},
    ]
    detail = told[-1].detail
    assert detail["transcript"][1:] == [
        {"role": "user", "text": "What next?"},
        {"role": "assistant", "text": "", "calls": [{"id": "c1", "name": "ocr", "arguments": {}}]},
        {"role": "tool", "name": "ocr", "arguments": {}, "result": ["EXIT"]},
        {"role": "assistant", "text": "B. Go straight"},
    ]
    assert (detail["turns"], detail["requests"]) == (2, 2)
    # 12 + 40 tokens in at a unit each, 3 + 5 out for nothing
    assert {name: detail["total"][name] for name in ("tokens_in", "tokens_out", "cost")} == {
        "tokens_in": 52,
        "tokens_out": 8,
        "cost": 52.0,
    }
    assert [(each.tokens_in, each.tokens_out, each.cost) for each in told] == [(12, 3, 12.0), (40, 5, 40.0)]
    assert told[0].prompt_hash == told[1].prompt_hash == about().prompt_hash


def test_several_tools_in_one_turn_and_the_same_one_again() -> None:
    script = [
        calls(call("ocr", id="a"), call("image_caption", "", id="b")),
        calls(call("ocr", "null", id=None), text="Let me look again."),
        chat("done"),
    ]
    told, server = held(script)
    assert [each.outcome for each in told] == [Outcome.CALLED, Outcome.CALLED, Outcome.ANSWERED]
    messages = server.asked[2].body["messages"]
    assert [message["role"] for message in messages[2:]] == ["assistant", "tool", "tool", "assistant", "tool"]
    assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == ["a", "b", "call-2-1"]
    assert [message["content"] for message in messages if message["role"] == "tool"] == [
        '["EXIT"]',
        "A red car",
        '["EXIT"]',
    ]
    assert told[1].text == "Let me look again."


@pytest.mark.parametrize(
    ("wanted", "outcome", "sentence"),
    [
        (call("weather_detection"), Outcome.NO_TOOL_RESULT, "The model asked for weather_detection, but this result"),
        (call("list_inventory_information"), Outcome.NO_TOOL_RESULT, "this result is not stored"),
        (call("google"), Outcome.NO_TOOL_RESULT, "The model asked for an unknown tool 'google'."),
        (call("ocr", "{not json"), Outcome.NO_TOOL_RESULT, "with unreadable arguments: '{not json'."),
        (call("ocr", "[1]"), Outcome.NO_TOOL_RESULT, "with unreadable arguments"),
        ({"type": "function"}, Outcome.UNREADABLE, "do not follow the protocol"),
        ({"function": {"arguments": "{}"}}, Outcome.UNREADABLE, "do not follow the protocol"),
    ],
)
def test_a_call_that_has_no_result_ends_it(wanted: dict[str, Any], outcome: Outcome, sentence: str) -> None:
    told, server = held([calls(call("ocr"), wanted), chat("never asked")])
    assert [(each.outcome, each.final) for each in told] == [(outcome, True)]
    assert sentence in told[0].error
    assert len(server.asked) == 1
    assert told[0].detail["transcript"][2]["role"] == "assistant"
    if outcome is Outcome.NO_TOOL_RESULT:
        missing = told[0].detail["transcript"][-1]
        assert (missing["role"], missing["name"], missing["result"]) == ("tool", wanted["function"]["name"], None)


@pytest.mark.parametrize("tool_calls", ["ocr", {"ocr": 1}, [7]])
def test_calls_that_are_no_calls(tool_calls: Any) -> None:
    told, _ = held([chat(None, finish="tool_calls", message={"tool_calls": tool_calls})])
    assert [(each.outcome, each.final) for each in told] == [(Outcome.UNREADABLE, True)]


@pytest.mark.parametrize(
    ("arguments", "outcome", "result"),
    [
        ('{"region": "left", "scale": 2}', Outcome.ANSWERED, "STOP"),
        ('{"scale":2,"region":"left"}', Outcome.ANSWERED, "STOP"),
        ('{"region": "right"}', Outcome.NO_TOOL_RESULT, None),
        ("{}", Outcome.NO_TOOL_RESULT, None),
    ],
)
def test_results_that_depend_on_arguments(arguments: str, outcome: Outcome, result: str | None) -> None:
    stored = {"ocr": [{"arguments": {"region": "left", "scale": 2}, "result": "STOP"}]}
    told, server = held([calls(call("ocr", arguments)), chat("done")], [about(tools=stored)])
    assert told[-1].outcome is outcome
    if result:
        assert server.asked[1].body["messages"][-1]["content"] == result


def test_a_result_without_arguments_serves_all_others() -> None:
    stored = {"ocr": [*always("all"), {"arguments": {"region": "left"}, "result": "left"}]}
    script = [calls(call("ocr", '{"region": "left"}')), calls(call("ocr", '{"region": "top"}')), chat("done")]
    _, server = held(script, [about(tools=stored)])
    assert [m["content"] for m in server.asked[2].body["messages"] if m["role"] == "tool"] == ["left", "all"]


def test_who_goes_on_asking_is_stopped() -> None:
    told, server = held([calls(call("ocr"))], most_turns=3)
    assert [each.outcome for each in told] == [Outcome.CALLED, Outcome.CALLED, Outcome.TOO_MANY_TURNS]
    assert told[-1].final
    assert "in all 3 turns that `most_turns` allows" in told[-1].error
    assert len(server.asked) == 3
    assert len(told[-1].detail["transcript"]) == 2 + 3 * 2


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (chat(""), Outcome.EMPTY),
        (chat("B", finish="length"), Outcome.TRUNCATED),
        (chat(None, finish="length"), Outcome.EMPTY),
        (chat(None, finish="content_filter"), Outcome.REFUSED),
        (calls(call("ocr", '{"a'), finish="length"), Outcome.UNREADABLE),
        (calls(call("ocr", '{"a'), text="I", finish="length"), Outcome.UNREADABLE),
    ],
)
def test_other_ends(reply: Reply, outcome: Outcome) -> None:
    told, _ = held([calls(call("ocr")), reply])
    assert [each.outcome for each in told] == [Outcome.CALLED, outcome]
    assert told[-1].final
    assert told[-1].detail["turns"] == 2


def test_servers_that_say_stop_when_they_mean_tools() -> None:
    told, _ = held([calls(call("ocr"), finish="stop"), chat("done")])
    assert [each.outcome for each in told] == [Outcome.CALLED, Outcome.ANSWERED]


def test_failed_requests_are_tried_again_and_counted() -> None:
    script = [error(429), calls(call("ocr")), html(), cut(), chat("done", usage=None)]
    told, server = held(script)
    assert [(each.outcome, each.final) for each in told] == [
        (Outcome.TRANSPORT_ERROR, False),
        (Outcome.CALLED, False),
        (Outcome.UNREADABLE, False),
        (Outcome.TRANSPORT_ERROR, False),
        (Outcome.ANSWERED, True),
    ]
    detail = told[-1].detail
    assert (detail["turns"], detail["requests"]) == (2, 5)
    assert detail["total"]["tokens_in"] is None, "the last reply did not say what it took, which is not nothing"
    assert server.asked[2].body == server.asked[4].body, "the turn was asked again as it was"


def test_a_turn_that_fails_to_the_end_ends_it() -> None:
    told, server = held([calls(call("ocr")), error(500)], attempts=2)
    assert [(each.outcome, each.final) for each in told] == [
        (Outcome.CALLED, False),
        (Outcome.TRANSPORT_ERROR, False),
        (Outcome.TRANSPORT_ERROR, True),
    ]
    assert told[-1].detail["total"]["tokens_in"] == 12
    assert len(told[-1].detail["transcript"]) == 4
    assert len(server.asked) == 3


def test_many_conversations_at_once_end_each_in_its_own_way() -> None:
    """The script goes by the question: how many come to each end is known beforehand."""
    ends = ["answer", "weather_detection", "forever", "empty", "500", "filter"]

    def script(asked: Asked, number: int) -> Reply:
        messages = asked.body["messages"]
        turn = sum(message["role"] == "assistant" for message in messages)
        text = messages[1]["content"]
        kind = ends[int(text.rpartition(" ")[2]) % len(ends)]
        if turn == 0 or kind == "forever":
            return calls(call("ocr"))
        if kind == "weather_detection":
            return calls(call("weather_detection"))
        others = {"answer": chat(text), "empty": chat(""), "500": error(500)}
        return others.get(kind) or chat(None, finish="content_filter")

    questions = [about(unit, f"question {unit}") for unit in range(60)]
    told, _ = held(script, [*questions, about(99, cannot="Nothing is stored.")], attempts=2, concurrency=8)
    last = {each.unit_id: each for each in told if each.final}
    assert Counter(each.outcome for each in last.values()) == {
        Outcome.ANSWERED: 10,
        Outcome.NO_TOOL_RESULT: 10,
        Outcome.TOO_MANY_TURNS: 10,
        Outcome.EMPTY: 10,
        Outcome.TRANSPORT_ERROR: 10,
        Outcome.REFUSED: 10,
        Outcome.SKIPPED: 1,
    }
    assert sum(each.final for each in told) == 61
    assert all(last[unit].text == f"question {unit}" for unit in range(0, 60, 6))
    # One turn of all 60; then the 10 that go on for ever have three more, the last of which ends them, and the 10 that
    # meet a 500 are tried twice.
    assert Counter(each.outcome for each in told if not each.final) == {
        Outcome.CALLED: 60 + 2 * 10,
        Outcome.TRANSPORT_ERROR: 10,
    }


def test_it_stops_when_it_is_told_to() -> None:
    told: list[Attempt] = []
    with ScriptedServer([calls(call("ocr"))]) as server:
        answerer = open_conversations(spec_of(server.url, most_turns=1000), ())
        answerer.answer([about()], tell=told.append, stop=lambda: len(told) >= 3)
        answerer.close()
    assert {each.outcome for each in told} == {Outcome.CALLED}
    assert 3 <= len(told) < 100


def test_a_wrong_key_stops_the_run() -> None:
    with pytest.raises(RunStoppedError, match="401"):
        held([calls(call("ocr")), error(401)])


def test_a_hanging_turn_is_no_answer() -> None:
    told, _ = held([calls(call("ocr")), hang(30)], timeout_seconds=0.3, attempts=1)
    assert told[-1].outcome is Outcome.TRANSPORT_ERROR
    assert told[-1].detail["transcript"][-1]["role"] == "tool"


def test_what_was_offered_is_kept_with_the_worker() -> None:
    with ScriptedServer([chat("done")]) as server:
        answerer = open_conversations(spec_of(server.url), ())
        answerer.close()
    about_it = answerer.about
    assert about_it["most_turns"] == 4
    assert about_it["tools"]["sha256"] == holmes().hash
    assert {tool["function"]["name"] for tool in about_it["tools"]["tools"]} == PUBLISHED
    json.dumps(about_it)


def test_a_question_s_own_system_text_comes_after_ours() -> None:
    _, server = held([chat("done")], [about(system="Be brief.")])
    told = server.asked[0].body["messages"][0]["content"]
    assert told.endswith("\n\nBe brief.")
    assert told.startswith("You cannot see the image")
