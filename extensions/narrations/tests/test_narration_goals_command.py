"""``touchstone goal create`` against a scripted endpoint: what is taken, what it costs, what is kept."""

from __future__ import annotations

import csv
import json
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.cli import cli
from app.services import resources
from domain.errors import ConflictError, InvalidFileError, InvalidInputError, ModelError, RunStoppedError
from extensions.narrations.rules.narration import Narration
from extensions.narrations.tests.goal_replies import node, reply, right, sub, video
from testkit.scripted import Asked, Reply, ScriptedServer, chat, closed, cut, error, html
from tests.paths import shared

pytestmark = pytest.mark.thorough


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    resources.cache_clear()
    return tmp_path


def narrated(*videos: list[Narration]) -> None:
    with Path("n.csv").open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "video", "start", "stop", "text"])
        rows.writerows([row.id, row.video, row.start, row.stop, row.text] for each in videos for row in each)


def described(server: ScriptedServer, **endpoint: Any) -> None:
    """One request at a time, each made twice at most; a million tokens cost 1 in, 10 out."""
    told = {"base_url": server.url, "probe": False, "concurrency": 1, "attempts": 2, "longest_wait_seconds": 0.01}
    told |= {"price": {"input": 1, "output": 10, "date": "2026-11-01"}, **endpoint}
    Path("m.yaml").write_text(
        f"name: m\nadapter: endpoint\nmodel: scripted\nmodality: text\nendpoint: {json.dumps(told)}\n"
    )


def run(*more: str) -> Result:
    return CliRunner().invoke(
        cli, ["goal", "create", "n.csv", "--spec", "m.yaml", "--out", "g.json", *more], catch_exceptions=True
    )


def asks(*more: str, status: int = 0) -> str:
    done = run(*more)
    assert done.exit_code == status, (done.output, done.exception)
    return done.stdout


def refused(kind: type[Exception], *more: str) -> str:
    done = run(*more)
    assert isinstance(done.exception, kind), (done.output, done.exception)
    return str(done.exception)


def records() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(Path("g.json").read_text())
    return found


def made() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path("g.made.json").read_text())
    return found


def kept() -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in Path("g.asked.jsonl").read_text().splitlines()]
    return [line for line in lines if line["record"] == "reply"]


def by_name(script: dict[str, list[Reply]]) -> Callable[[Asked, int], Reply]:
    """The replies about each video one after the other, the last again and again; a video is known by its words."""
    met: Counter[str] = Counter()

    def answered(asked: Asked, number: int) -> Reply:
        name = next(name for name in script if f"| do {name} 1\n" in asked.text)
        met[name] += 1
        return script[name][min(met[name], len(script[name])) - 1]

    return answered


def called(name: str, n: int = 12) -> list[Narration]:
    """A video whose actions say its name, so that a script knows it."""
    return [replace(row, text=f"do {name} {at}") for at, row in enumerate(video(name, n), 1)]


BAD = {
    "cut": (chat(right()[:-20]), "the JSON is incomplete"),
    "length": (chat(right()[:90], finish="length"), "cut at maximum length"),
    "prose": (chat("It is about breakfast."), "the reply is not JSON"),
    "empty": (chat(""), "answered with nothing"),
    "form": (chat('{"goals": []}'), "the JSON does not have the requested form"),
    "overlap": (chat(reply("cook", 1, 12, sub("a", 1, 6), sub("b", 6, 12))),
                "two goals on the same level share actions"),
    "unknown": (chat(reply("cook", 1, 13)), "a goal names an action that does not exist"),
    "three": (chat(reply("cook", 1, 3)), "none of the goals has the right number of actions"),
    "times": (chat(json.dumps({"overall_goal": {**node("cook", 1, 12), "start": 2.5, "subgoals": []}})),
              "a goal's time differs from the action's time"),
    "huge": (chat('{"x": "' + "x" * 1_100_000 + '"}'), "the reply is too long"),
}  # fmt: skip
"""A reply of each kind that gives no goal, and what it is counted as."""


def test_replies_of_every_kind_are_counted_and_none_of_the_bad_becomes_a_goal() -> None:
    narrated(called("good"), called("late"), called("short", 3), *(called(name) for name in BAD))
    script = {name: [bad] for name, (bad, _) in BAD.items()} | {
        "good": [chat(right())],
        "late": [BAD["prose"][0], BAD["overlap"][0], chat(right())],
    }
    with ScriptedServer(by_name(script)) as server:
        described(server)
        told = asks()
    # good: 1 request; late: 3; ten bad ones: 3 each. Each has 12 tokens in and 3 out: 34 * (12 + 30) / 10**6
    assert len(server.asked) == 34
    assert {each["video"] for each in records()} == {"good", "late"}
    counts = made()["counts"]
    assert {name: counts[name] for name in ("videos", "videos too short", "videos with goals", "videos without")} == {
        "videos": 13, "videos too short": 1, "videos with goals": 2, "videos without": 10,
    }  # fmt: skip
    assert (counts["requests"], counts["goals"], counts["tokens_in"], counts["tokens_out"]) == (34, 8, 408, 102)
    assert counts["goals left out: too few actions"] == 2  # "pour it", of two
    assert counts["cost"] == pytest.approx(34 * 42 / 1e6)
    failures = {each["kind"]: each["replies"] for each in made()["failures"]}
    assert failures == {why: 3 for _, why in BAD.values()} | {
        "the reply is not JSON": 4, "two goals on the same level share actions": 4,
    }  # fmt: skip
    assert "3 rejected: the reply is too long, such as huge" in told
    assert 'overlap has no goal: 3 replies, all invalid. The last one: The subgoal "b" shares the' in told
    assert "short has no goal: the video has too few actions for a goal" in told
    of_overlap = [line for line in kept() if line["video"] == "overlap"]
    assert [line["text"] for line in of_overlap] == [
        json.loads(BAD["overlap"][0].body)["choices"][0]["message"]["content"]
    ] * 3
    assert {fault["kind"] for line in of_overlap for fault in line["faults"]} == {
        "two goals on the same level share actions"
    }
    again = [asked for asked in server.asked if "| do overlap 1\n" in asked.text]
    assert ["What was wrong" in asked.text for asked in again] == [False, True, True]
    assert again[1].text.rstrip().endswith('- The subgoal "b" shares the action 6 with the subgoal "a".')
    assert again[0].body["temperature"] == 0
    assert again[0].body["max_tokens"] == 8192
    assert "response_format" not in again[0].body

    with ScriptedServer([chat(right())]) as server:  # all has been asked that is to be asked
        described(server)
        before = Path("g.json").read_bytes(), Path("g.made.json").read_bytes()
        assert "Already done and not repeated: 12 videos." in asks()
        assert not server.asked
        assert Path("g.json").read_bytes() == before[0]
        asks("--tries", "4")  # one more for each that is left out, with the same wrong
        assert len(server.asked) == 10


def test_the_file_is_what_questions_are_made_of() -> None:
    narrated(called("V"))
    with ScriptedServer([chat(right())]) as server:
        described(server)
        asks("--constrain")
    form = server.asked[0].body["response_format"]["json_schema"]
    assert form["schema"]["$defs"]["OverallGoal"]["additionalProperties"] is False
    first = records()[0]
    assert (first["video"], first["level"], first["goal"]) == ("V", "overall goal", "make breakfast")
    assert first["actions"][0] == {"id": "V-1", "text": "do V 1", "start": 2, "stop": 3.5}
    done = CliRunner().invoke(cli, ["question", "create", "n.csv", "--goals", "g.json", "--rate", "30", "--out", "q"])
    assert done.exit_code == 0, done.output
    # goals of 12, 6, 4 and 4 actions; each action is asked for once in each goal
    assert "4 goals kept" in done.output
    questions = json.loads(Path("q/egoplan.json").read_text())
    assert len(questions) == 26
    assert "0 faults." in CliRunner().invoke(cli, ["goal", "create", "n.csv", "--check", "g.json"]).output


def test_mended_goals_are_checked_and_never_written_over() -> None:
    narrated(called("V"))
    with ScriptedServer([chat(right())]) as server:
        described(server)
        asks()
        text = Path("g.json").read_text()
        mended = text.replace('"id": "V-9", "text": "do V 9"', '"id": "V-9", "text": "do V 8"')
        mended = mended.replace('"level": "subgoal", "goal": "brew coffee"', '"level": "part", "goal": "brew coffee"')
        assert mended.count("V 8") > text.count("V 8")
        Path("g.json").write_text(mended)
        assert "Someone or another program changed" in refused(ConflictError)
        assert Path("g.json").read_text() == mended
        done = CliRunner().invoke(cli, ["goal", "create", "n.csv", "--check", "g.json"])
        Path("g.json").rename("mine.json")
        asks()
    assert len(server.asked) == 1
    assert Path("g.json").read_text() == text
    assert done.exit_code == 1
    assert (
        "g.json, line 16: level must be one of goal, overall goal, subgoal, secondary subgoal, not 'part'"
        in done.output
    )
    assert "action 9 (V-9): the action has 'do V 8', unlike its narration ('do V 9'). Use the words" in done.output
    assert "3 goals, 3 faults." in done.output  # V-9 stands in the overall goal, and in "toast bread"


def many(n: int) -> list[str]:
    names = [f"v{number}" for number in range(n)]
    narrated(*(called(name) for name in names))
    return names


def test_errors_of_the_server_are_tried_again_and_the_rest_goes_on() -> None:
    names = many(4)
    script = {name: [chat(right())] for name in names} | {
        "v0": [error(500), chat(right())],
        "v1": [closed(), cut(), chat(right())],
        "v2": [html(), html(), chat(right())],
    }
    script_of = by_name(script)
    with ScriptedServer(script_of) as server:
        described(server)
        asks()
        # v0: 2; v1 and v2: 2 without a reply, and left for the next time; v3: 1
        assert len(server.asked) == 7
        assert {each["video"] for each in records()} == {"v0", "v3"}
        assert {each["kind"]: each["replies"] for each in made()["failures"]} == {
            "no reply": 3, "reply not readable": 2,
        }  # fmt: skip
        assert [each["why"] for each in made()["left_out"]] == ["no reply came"] * 2
        asks()
        assert len(server.asked) == 9
        assert {each["video"] for each in records()} == set(names)


def test_a_wrong_key_in_the_middle_ends_it_with_what_there_is() -> None:
    many(3)
    with ScriptedServer([chat(right()), error(401)]) as server:
        described(server)
        assert "The key is missing, is wrong" in refused(RunStoppedError)
    assert {each["video"] for each in records()} == {"v0"}
    with ScriptedServer([chat(right())]) as server:
        described(server)
        asks()
    assert len(server.asked) == 2


def test_an_interrupt_between_videos_loses_nothing_and_asks_nothing_twice() -> None:
    names = many(4)

    def script(asked: Asked, number: int) -> Reply:
        if number == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return chat(right(), after=0.3 if number == 1 else 0)

    with ScriptedServer(script) as server:
        described(server)
        asks(status=130)
        assert {each["video"] for each in records()} == {"v0", "v1"}
        with Path("g.asked.jsonl").open("a") as out:
            out.write('{"record": "reply", "key": "')  # and killed while it wrote a line
        told = asks()
        assert "Touchstone could not read 1 line of g.asked.jsonl" in told
        asks()
    assert {each["video"] for each in records()} == set(names)
    assert len(server.asked) == 4


def test_money_and_requests_are_limited_over_all_runs() -> None:
    many(3)
    with ScriptedServer([chat(right())]) as server:
        described(server)
        assert "reached the limit of 2 requests" in refused(RunStoppedError, "--max-calls", "2")
        assert "reached the limit of 2 requests" in refused(RunStoppedError, "--max-calls", "2")
        assert len(server.asked) == 2
        # two have cost 0.000084; the longest answer that is allowed is 8,192 tokens at 10, so 0.08 does not hold it
        assert "could exceed `max_cost`" in refused(RunStoppedError, "--max-cost", "0.08")
        assert len(server.asked) == 2
        asks("--max-cost", "0.09")
    assert len(server.asked) == 3


def test_another_prompt_is_another_question() -> None:
    narrated(called("V"))
    Path("p.txt").write_text("Why? {narrations}")
    with ScriptedServer([chat(right())]) as server:
        described(server)
        looked = asks("--dry-run", "--prompt", "p.txt")
        assert not server.asked
        assert not Path("g.asked.jsonl").exists()
        asks("--prompt", "p.txt")
        asks()
        asks("--prompt", "p.txt")
    assert "Remaining: 1 video." in looked
    assert [asked.text.startswith("Why? 1 | 2 | 3.5 | do V 1\n") for asked in server.asked] == [True, False]
    assert made()["settings"]["prompt"] == "Why? {narrations}"


def test_one_video_alone() -> None:
    many(3)
    with ScriptedServer([chat(right())]) as server:
        described(server)
        asks("--video", "v1")
        assert {each["video"] for each in records()} == {"v1"}
        assert "has no narrations of the video 'w'" in refused(InvalidInputError, "--video", "w")
        asks()
    assert len(server.asked) == 3


def test_what_is_refused_before_anyone_is_asked() -> None:
    narrated(called("V"))
    with ScriptedServer([chat(right())]) as server:
        described(server)
        Path("p.txt").write_text("Say it.")
        assert "has no {narrations}" in refused(InvalidFileError, "--prompt", "p.txt")
        assert "Touchstone cannot read the prompt p0.txt" in refused(InvalidFileError, "--prompt", "p0.txt")
        assert "below --fewest" in refused(InvalidInputError, "--fewest", "5", "--most", "4")
        Path("g.asked.jsonl").write_text("{}\n")
        assert "does not contain replies about goals" in refused(InvalidFileError)
        Path("g.asked.jsonl").unlink()
        Path("g.json").write_text("[]")
        assert "another program changed" in refused(ConflictError)
        assert Path("g.json").read_text() == "[]"
        Path("m.yaml").write_text("name: m\nadapter: chat\nmodel: x\n")
        assert "is not an endpoint" in refused(ModelError)
    assert not server.asked


def test_real_narrations() -> None:
    def script(asked: Asked, number: int) -> Reply:
        """A goal for every eight actions that the list has, as a model that reads it would give them."""
        listed: Iterable[str] = asked.text.partition("what is done):\n\n")[2].strip().splitlines()
        rows = [line.split(" | ") for line in listed]

        def of(goal: str, first: int, last: int, **below: Any) -> dict[str, Any]:
            begins, ends = float(rows[first - 1][1]), float(rows[last - 1][2])
            return {"goal": goal, "first": first, "last": last, "start": begins, "stop": ends, **below}

        parts = [of(f"do part {at}", at, at + 7, secondary_subgoals=[]) for at in range(1, len(rows) - 6, 8)]
        return chat(json.dumps({"overall_goal": of("do it all", 1, len(rows), subgoals=parts)}))

    epic = shared("data", "epic_kitchens", "EPIC_100_validation.csv")
    Path("n.csv").symlink_to(epic)
    with ScriptedServer(script) as server:
        described(server, concurrency=8)
        asks()
    with epic.open(encoding="utf-8") as file:
        sizes = Counter(row["video_id"] for row in csv.DictReader(file))
    parts = sum(n // 8 for n in sizes.values())
    whole = sum(4 <= n <= 20 for n in sizes.values())
    counts = made()["counts"]
    assert len(server.asked) == sum(n >= 4 for n in sizes.values())
    assert (counts["subgoals"], counts["overall goals"]) == (parts, whole)
    assert counts["goals left out: too many actions"] == sum(n > 20 for n in sizes.values())
    assert "0 faults." in CliRunner().invoke(cli, ["goal", "create", "n.csv", "--check", "g.json"]).output
