"""Tools that are run: what a program and a server may do, and every way in which they fail."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from domain.errors import ModelError, SchemaError
from domain.runs import Attempt, Outcome, Picture, Question, ToolFailure
from extensions.holmes.conversation import converse
from extensions.holmes.endpoint_conversations import open_conversations
from extensions.holmes.tests.test_conversation import call, calls, spec_of
from extensions.holmes.tool_sets import ToolSet, holmes, parse_tool_set
from extensions.holmes.tools.calls import ToolCall
from extensions.holmes.tools.running import run
from testkit.scripted import Reply, Script, ScriptedServer, chat

PNG = b"\x89PNG\r\n\x1a\n"
"""How such a file begins."""


def never() -> bool:
    return False


def tool_set(home: Path | None, **tool: Any) -> ToolSet:
    one = {"name": "look", "description": "Looks.", **tool}
    return parse_tool_set(json.dumps({"tools": [one]}), "tools", home=home)


def program(folder: Path, source: str, **tool: Any) -> ToolSet:
    """A tool that is this Python program, which lies next to the set."""
    (folder / "look.py").write_text(source)
    return tool_set(folder, command=[sys.executable, "-S", "./look.py"], **tool)


def said(tools: ToolSet, *pictures: Picture, stop: Callable[[], bool] = never, **arguments: str) -> Any:
    asked = ToolCall("item-1", "autonomous_driving", arguments, pictures)
    return run(tools.tools[0], tools, asked, listed=(), stop=stop)


def failed(tools: ToolSet, **more: Any) -> tuple[str, str]:
    with pytest.raises(ToolFailure) as caught:
        said(tools, **more)
    return caught.value.why, str(caught.value)


def test_a_program_is_told_and_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_API_KEY", "s3cret")
    monkeypatch.setenv("WORLD", "kitchen")
    image = tmp_path / "kept"
    image.write_bytes(PNG)
    source = (
        "import json, os, sys\n"
        "told = json.load(sys.stdin)\n"
        "path = told['images'].pop()\n"
        "told['read'] = [os.path.basename(path), open(path, 'rb').read()[1:4].decode()]\n"
        "open(path, 'w').write('spoilt')\n"
        "print(json.dumps([told, sorted(os.environ), os.getcwd() == os.path.dirname(path)]))\n"
    )
    tools = program(tmp_path, source, environment=["WORLD"], arguments={"side": "left or right"})
    told, environment, in_its_folder = said(tools, Picture(image, "hash"), side="left")
    assert told == {
        "tool": "look",
        "item": "item-1",
        "dimension": "autonomous_driving",
        "arguments": {"side": "left"},
        "images": [],
        "read": ["1.png", "PNG"],
    }
    assert "WORLD" in environment
    assert "SECRET_API_KEY" not in environment
    assert in_its_folder
    assert image.read_bytes() == PNG, "what it does to its copy is no matter"


@pytest.mark.parametrize(
    ("source", "why", "sentence"),
    [
        ("print('cup')", "no_json", "look wrote invalid JSON"),
        ("pass", "no_json", "look wrote invalid JSON"),
        ("print('[1, 2]'); print('[3]')", "no_json", "look wrote invalid JSON"),
        ("print('NaN')", "no_json", "look wrote NaN, which is not a JSON number."),
        ("print('[1e999]')", "no_json", "the JSON has a number that is too large"),
        ("print('9' * 6000)", "no_json", "the JSON has a number that is too large"),
        ("print('[' * 90000)", "no_json", "nested too deep"),
        ("import os; os.write(1, b'\"\\xff\"')", "no_json", "look wrote invalid UTF-8"),
        ("print('null')", "no_result", "If the tool finds nothing, the result must be an empty list or text"),
        ("print('[' + '1, ' * 40_000 + '1]')", "too_large", "look wrote more than 100,000 bytes"),
        ("import os\nwhile True: os.write(1, b'x' * 65536)", "too_large", "look wrote more than 100,000 bytes"),
        ("import sys; sys.exit('no\\0 model')", "exit", "look ended with exit status 1: no\ufffd model"),
        ("import os; os.kill(os.getpid(), 9)", "exit", "look ended by signal 9."),
    ],
)
def test_what_a_program_may_do_wrong(tmp_path: Path, source: str, why: str, sentence: str) -> None:
    found = failed(program(tmp_path, source))
    assert found[0] == why
    assert sentence in found[1]


def test_what_cannot_be_stored_in_a_result_is_replaced(tmp_path: Path) -> None:
    assert said(program(tmp_path, r"""print('["a\\u0000b\\ud800"]')""")) == ["a\ufffdb\ufffd"]


def test_a_program_that_does_not_end(tmp_path: Path) -> None:
    tools = program(tmp_path, "import time; time.sleep(600)", seconds=0.3)
    assert failed(tools) == ("timeout", "look did not finish within 0.3 seconds.")


def test_it_is_ended_with_all_that_it_has_started_when_the_run_stops(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    source = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"os.fork()\nopen({str(pids)!r}, 'a').write(f'{{os.getpid()}} ')\n"
        "time.sleep(600)\n"
    )

    def both_there() -> bool:
        return pids.exists() and len(pids.read_text().split()) == 2

    assert failed(program(tmp_path, source), stop=both_there)[0] == "stopped"
    for pid in pids.read_text().split():
        until(lambda pid=pid: ended(int(pid)))  # type: ignore[misc]


def test_what_it_leaves_behind_neither_keeps_it_waiting_nor_stays(tmp_path: Path) -> None:
    """A child that holds the pipe open for ever: the result is what was written."""
    source = (
        "import os, time\n"
        f"child = os.fork()\nif not child:\n open({str(tmp_path / 'pids')!r}, 'w').write(str(os.getpid()))\n"
        " time.sleep(600)\n"
        f"while not os.path.exists({str(tmp_path / 'pids')!r}): time.sleep(.01)\n"
        "print('[1]')\n"
    )
    assert said(program(tmp_path, source, seconds=60)) == [1]
    until(lambda: ended(int((tmp_path / "pids").read_text())))


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    why, sentence = failed(tool_set(tmp_path, command=["./none"]))
    assert why == "not_started"
    assert sentence == f"Touchstone could not start look ({tmp_path}/none): No such file or directory."


def test_nothing_of_a_command_is_read_by_a_shell(tmp_path: Path) -> None:
    source = "import json, sys; print(json.dumps(sys.argv[1:]))"
    (tmp_path / "look.py").write_text(source)
    words = [sys.executable, "./look.py", "$HOME; touch x", "*"]
    assert said(tool_set(tmp_path, command=words)) == ["$HOME; touch x", "*"]


def ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def until(seen: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not seen():
        assert time.monotonic() < end
        time.sleep(0.02)


# ---- servers ---------------------------------------------------------------------------------------------------------


def test_a_server_is_told_and_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_API_KEY", "k" * 20)
    image = tmp_path / "kept"
    image.write_bytes(PNG)
    with ScriptedServer([Reply("ok", b'{"objects": ["cup"]}')]) as server:
        tools = tool_set(None, url=f"{server.url}/chat/completions", key="LAB_API_KEY", arguments={"side": "which"})
        assert said(tools, Picture(image, "hash"), side="left") == {"objects": ["cup"]}
    (asked,) = server.asked
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["authorization"] == f"Bearer {'k' * 20}"
    assert asked.body == {
        "tool": "look",
        "item": "item-1",
        "dimension": "autonomous_driving",
        "arguments": {"side": "left"},
        "images": [{"type": "image/png", "data": "iVBORw0KGgo="}],
    }


@pytest.mark.parametrize(
    ("reply", "why", "sentence"),
    [
        (Reply("html", b"<html>"), "no_json", "look wrote invalid JSON"),
        (Reply("large", b"x" * 2000), "too_large", "look replied with more than 1,000 bytes."),
        (Reply("500", b"no model\n loaded", 500), "status", "look replied with status 500: no model loaded"),
        (Reply("drip", b"x" * 900, slice_every=0.05), "timeout", "look did not answer within 1 seconds."),
        (Reply("cut", b"x" * 900, cut=True), "no_reply", "look: the connection ended before the reply was complete"),
        (Reply("moved", b"", 302, {"location": "http://10.0.0.1/"}), "no_reply", "look: the server redirects to"),
    ],
)
def test_what_a_server_may_do_wrong(reply: Reply, why: str, sentence: str) -> None:
    with ScriptedServer([reply]) as server:
        found = failed(
            tool_set(None, url=f"{server.url}/chat/completions", largest=1000, seconds=1 if why == "timeout" else 60)
        )
    assert found[0] == why
    assert found[1].startswith(sentence)


def test_which_servers_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for url, words in (
        ("http://10.0.0.7/x", "10.0.0.7"),
        ("http://169.254.169.254/latest", "169.254.169.254"),
        ("ftp://example.org", "the address must begin with http://"),
    ):
        with pytest.raises(ModelError, match=words):
            said(tool_set(None, url=url))
    monkeypatch.delenv("LAB_API_KEY", raising=False)
    with pytest.raises(ModelError, match="The worker has no environment variable LAB_API_KEY"):
        said(tool_set(None, url="http://127.0.0.1:9/", key="LAB_API_KEY"))
    with pytest.raises(ModelError, match="ends with _API_KEY"):
        said(tool_set(None, url="http://127.0.0.1:9/", key="TOUCHSTONE_DATABASE_URL"))
    assert failed(tool_set(None, url="http://127.0.0.1:9/"))[0] == "no_reply"


# ---- in a conversation -----------------------------------------------------------------------------------------------

RUNS = """
at_once: 2
tools:
  - {name: detect, description: Finds things., command: [detect]}
  - {name: ocr, description: Reads., command: [ocr], arguments: {side: left or right}}
  - {name: state, description: Knows., dimensions: [domestic_robot], command: [state]}
  - {name: caption, description: Describes.}
"""


def held(
    script: list[Reply] | Script, tools: Any, *, n: int = 1, stop: Callable[[], bool] = never, **more: Any
) -> tuple[list[Attempt], ScriptedServer]:
    told: list[Attempt] = []
    with ScriptedServer(script) as server:
        answerer = open_conversations(spec_of(server.url, **more), (), parse_tool_set(RUNS, "tools", home=None))
        answerer.give_tools(tools)
        stored = {"detect": [{"arguments": None, "result": "stored"}]}
        asked = [Question(at, f"i{at}", "road", ("?",), tools=stored if at == 99 else {}) for at in range(n)]
        try:
            answerer.answer(asked or [], tell=told.append, stop=stop)
        finally:
            answerer.close()
    return told, server


def test_a_tool_is_run_where_nothing_is_stored() -> None:
    ran: list[tuple[str, Any]] = []

    def tools(question: Question, name: str, arguments: Any) -> Any:
        ran.append((name, dict(arguments)))
        return [name]

    told, server = held([calls(call("detect"), call("ocr", '{"side": "left"}', id="c2")), chat("B")], tools)
    assert [each.outcome for each in told] == [Outcome.CALLED, Outcome.ANSWERED]
    assert ran == [("detect", {}), ("ocr", {"side": "left"})]
    sent = [each for each in server.asked[1].body["messages"] if each["role"] == "tool"]
    assert [(each["tool_call_id"], each["content"]) for each in sent] == [("c1", '["detect"]'), ("c2", '["ocr"]')]
    ocr = next(tool["function"] for tool in server.asked[0].body["tools"] if tool["function"]["name"] == "ocr")
    assert ocr["parameters"]["required"] == ["side"]


@pytest.mark.parametrize(
    ("asked", "outcome", "sentence"),
    [
        (
            call("caption"),
            Outcome.NO_TOOL_RESULT,
            "The model asked for caption, but this result is not stored for this item.",
        ),
        (
            call("ocr", '{"side": 3}'),
            Outcome.NO_TOOL_RESULT,
            'The model asked for ocr with {"side": 3}, but the tool needs the text arguments side.',
        ),
        (call("ocr", '{"x": "left"}'), Outcome.NO_TOOL_RESULT, "but the tool needs the text arguments side."),
        (call("rm"), Outcome.NO_TOOL_RESULT, "The model asked for an unknown tool 'rm'."),
        (call("detect"), Outcome.TOOL_FAILED, "detect was not done within 3 seconds."),
    ],
)
def test_what_brings_no_result(asked: dict[str, Any], outcome: Outcome, sentence: str) -> None:
    def tools(question: Question, name: str, arguments: Any) -> Any:
        raise ToolFailure("timeout", f"{name} was not done within 3 seconds.")

    told, server = held([calls(asked)], tools)
    assert told[-1].outcome is outcome
    assert sentence in told[-1].error
    assert told[-1].final
    assert told[-1].detail["transcript"][-1]["missing"] == told[-1].error
    assert (told[-1].detail["requests"], len(server.asked)) == (1, 1)
    if outcome is Outcome.TOOL_FAILED:
        assert told[-1].detail["tool_failed"] == {"tool": "detect", "why": "timeout"}
        assert [each.outcome for each in told] == [Outcome.CALLED, Outcome.TOOL_FAILED]


def test_one_that_fails_ends_its_own_conversation_alone() -> None:
    def tools(question: Question, name: str, arguments: Any) -> Any:
        if question.unit_id == 1:
            raise ToolFailure("exit", "detect ended with exit status 1.")
        return "a cup"

    def script(asked: Any, number: int) -> Reply:
        heard = any(each["role"] == "tool" for each in asked.body["messages"])
        return chat("B") if heard else calls(call("detect"))

    told, _ = held(script, tools, n=3)
    assert {each.unit_id: each.outcome for each in told if each.final} == {
        0: Outcome.ANSWERED,
        1: Outcome.TOOL_FAILED,
        2: Outcome.ANSWERED,
    }


def test_a_stopped_conversation_is_left_as_it_is() -> None:
    def tools(question: Question, name: str, arguments: Any) -> Any:
        raise ToolFailure("stopped", "detect was stopped, because the run was stopped.")

    told, _ = held([calls(call("detect"))], tools)
    assert [(each.outcome, each.final) for each in told] == [(Outcome.CALLED, False)]


def test_in_the_last_turn_nothing_is_run_any_more() -> None:
    told, _ = held([calls(call("detect"))], lambda *_: pytest.fail("it was run"), most_turns=1)
    assert told[-1].outcome is Outcome.TOO_MANY_TURNS


def test_without_something_that_runs_them_a_set_has_what_is_stored() -> None:
    told: list[Attempt] = []

    class Mute:
        def say(self, turns: Any, **_: Any) -> None: ...

    converse([Question(1, "i", "road", ("?",), tools={})], Mute(), most_turns=2, tell=told.append, stop=never)
    assert told == []


# ---- sets ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tools: []", "tools has no tools"),
        ("tools: [{name: a, description: x}, {name: a, description: y}]", "the tool a appears twice"),
        ("tools: [{name: a b, description: x}]", "Use at most 64 letters"),
        ("tools: [{name: a, description: x, command: [b], url: 'http://x'}]", "has both `command` and `url`"),
        ("tools: [{name: a, description: x, command: rm -rf /}]", "tools:1: tools[0].command"),
        ("tools: [{name: a, description: x, key: A_API_KEY}]", "has a `key` but no `url`"),
        ("tools: [{name: a, description: x, environment: [B]}]", "has an `environment` but no `command`"),
        ("tools: [{name: a, description: x, seconds: 0}]", "tools[0].seconds"),
        ("tools: [{name: a, description: x, shell: true}]", "unknown key"),
    ],
)
def test_a_set_that_does_not_fit(text: str, sentence: str) -> None:
    with pytest.raises(SchemaError) as caught:
        parse_tool_set(text, "tools")
    assert sentence in str(caught.value)


def test_a_set_without_words_of_its_own_has_those_of_holmes() -> None:
    assert parse_tool_set(RUNS, "tools").system == holmes().system
    assert os.sep not in parse_tool_set(RUNS, "tools").hash
