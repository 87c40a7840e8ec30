"""``touchstone proposal create`` against a scripted endpoint: what is proposed, what it costs, and that nothing of it
becomes an item by itself."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.cli import cli
from app.services import resources
from db.engine import open_store
from domain.errors import ConflictError, InvalidFileError, InvalidInputError, ModelError, RunStoppedError
from extensions.drafting.tests.test_proposal_import import events
from extensions.drafting.tests.test_proposal_reply import GOOD, said
from testkit.missing_extensions import needs
from testkit.scripted import Asked, Reply, ScriptedServer, chat, error
from tests.app.homes import picture
from tests.workflow.test_benchmark_judges import rows

pytestmark = [pytest.mark.thorough, needs("commands", "pool")]

HOME_TASK = "domestic_robot"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    resources.cache_clear()
    return tmp_path


def told(*command: str, status: int = 0) -> str:
    done = CliRunner().invoke(cli, list(command))
    assert done.exit_code == status, (done.output, done.exception)
    return done.stdout


def pool(n: int, *more: str, first: int = 0, folder: str = "pictures") -> None:
    """A project with so many images, whose replies are scripted by their order."""
    Path(folder).mkdir()
    for number in range(first, first + n):
        Path(folder, f"{number}.png").write_bytes(picture(number))
    if not Path("home").exists():
        told("project", "create", "p", "--schema", "pca_bench")
    told("pool", "import", "p", folder, *more)


def described(server: ScriptedServer, **endpoint: Any) -> None:
    """One request at a time, each made twice at most; a million tokens cost 1 in, 10 out."""
    about = {"base_url": server.url, "probe": False, "concurrency": 1, "attempts": 2, "longest_wait_seconds": 0.01}
    about |= {"price": {"input": 1, "output": 10, "date": "2026-11-01"}, **endpoint}
    Path("m.yaml").write_text(f"name: m\nadapter: endpoint\nmodel: scripted\nendpoint: {json.dumps(about)}\n")


def run(*more: str) -> Result:
    command = ["proposal", "create", "p", "--spec", "m.yaml", "--out", "d.json", "-d", HOME_TASK]
    return CliRunner().invoke(cli, [*command, *more])


def asks(*more: str, status: int = 0) -> str:
    done = run(*more)
    assert done.exit_code == status, (done.output, done.exception)
    return done.stdout


def refused(kind: type[Exception], *more: str) -> str:
    done = run(*more)
    assert isinstance(done.exception, kind), (done.output, done.exception)
    return str(done.exception)


def proposed() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(Path("d.json").read_text())["proposals"]
    return found


def made() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path("d.made.json").read_text())
    return found


def in_turn(script: list[list[Reply]]) -> Callable[[Asked, int], Reply]:
    """For each image, known by its bytes, its replies one after the other, the last again and again."""
    met: dict[str, int] = {}
    heard: Counter[str] = Counter()

    def answered(asked: Asked, number: int) -> Reply:
        shown = next(part for part in asked.body["messages"][-1]["content"] if part["type"] == "image_url")
        known = shown["image_url"]["url"]
        replies = script[met.setdefault(known, len(met))]
        heard[known] += 1
        return replies[min(heard[known], len(replies)) - 1]

    return answered


BAD = [
    (chat(said()[:-20]), "the JSON is incomplete"),
    (chat(said()[:60], finish="length"), "cut at maximum length"),
    (chat("It shows a kitchen."), "the reply is not JSON"),
    (chat(""), "answered with nothing"),
    (chat(json.dumps(GOOD)), "the JSON does not have the requested form"),
    (chat(said(answer="stop")), "an answer is not among the options"),
    (chat(said(actions=["brake", "Brake"])), "an option appears twice"),
    (chat(said(actions=["brake"])), "a field does not fit the schema"),
    (chat(said("Too dark.")), "the reply has a proposal and also a reason against a proposal"),
    (chat('{"x": "' + "x" * 1_100_000 + '"}'), "the reply is too long"),
]
"""A reply of each kind that proposes nothing, and what it is counted as."""


def test_replies_of_every_kind_are_counted_and_none_becomes_a_proposal_or_an_item() -> None:
    pool(len(BAD) + 3)
    script = [[bad] for bad, _ in BAD]
    script += [[chat(said())], [BAD[2][0], BAD[5][0], chat(said(reason="Late."))]]
    script += [[chat('{"proposal": null, "why_not": "It shows a wall."}')]]
    with ScriptedServer(in_turn(script)) as server:
        described(server)
        output = asks()
    # ten bad ones: 3 requests each; one good: 1; one late: 3; one declined: 1. Each has 12 tokens in and 3 out
    assert len(server.asked) == 35
    assert [each["fields"]["reason"] for each in proposed()] == ["The light is red.", "Late."]
    assert {each["dimension"] for each in proposed()} == {HOME_TASK}
    counts = made()["counts"]
    assert (counts["images"], counts["proposals"], counts["images declined"], counts["images without"]) == (
        13,
        2,
        1,
        10,
    )
    assert (counts["requests"], counts["tokens_in"], counts["tokens_out"]) == (35, 420, 105)
    assert counts["cost"] == pytest.approx((420 * 1 + 105 * 10) / 1e6)
    failures = {each["kind"]: each["replies"] for each in made()["failures"]}
    assert failures == {why: 3 for _, why in BAD} | {
        "the reply is not JSON": 4,
        "an answer is not among the options": 4,
    }
    assert "3 rejected: the reply is too long, such as " in output
    assert "does not allow such an item. It shows a wall." in output
    again = [asked.text for asked in server.asked if "What was wrong" in asked.text]
    assert len(again) == 10 * 2 + 2
    assert any(text.rstrip().endswith("- Answer: choose one of the entries of actions.") for text in again)
    assert server.asked[0].body["temperature"] == 0
    assert server.asked[0].body["max_tokens"] == 4096
    assert "What a household robot should do next" in server.asked[0].text

    store = open_store(None, Path("home"))
    assert rows(store, "SELECT count(*) FROM item") == rows(store, "SELECT count(*) FROM task") == [(0,)]
    assert rows(store, "SELECT count(*) FROM asset WHERE in_pool") == [(13,)]
    store.close()
    with ScriptedServer([chat(said())]) as server:  # all has been asked that is to be asked
        described(server)
        before = Path("d.json").read_bytes()
        assert "Already done and not repeated: 13 images." in asks()
        assert not server.asked
        assert Path("d.json").read_bytes() == before


def test_seed_tasks_reach_the_model_and_the_file() -> None:
    pool(1)
    text = "tasks: [{task: make tea, subtasks: [{name: pour, after: [boil]}, boil]}]\ntemplates: ['{task}: {subtask}.']"
    Path("t.yaml").write_text(text)
    with ScriptedServer([chat(said())]) as server:
        described(server)
        looked = asks("--tasks", "t.yaml", "--dry-run")
        assert not server.asked
        assert not Path("d.asked.jsonl").exists()
        asks("--tasks", "t.yaml", "--constrain")
    subtask = proposed()[0]["subtask"]
    assert subtask in ("pour", "boil")
    assert f"The situation: make tea: {subtask}." in server.asked[0].text
    assert f"The situation: make tea: {subtask}." in looked
    assert made()["situations"] == {f"make tea / {subtask}": 1}
    form = server.asked[0].body["response_format"]["json_schema"]["schema"]
    assert form["properties"]["proposal"]["anyOf"][0]["required"] == list(GOOD)


def test_images_get_their_own_dimension_and_what_is_left_out_is_counted() -> None:
    pool(2, "--dimension", HOME_TASK)
    pool(1, "--dimension", "open_world_game", first=5, folder="games")
    pool(2, first=7, folder="any")
    with ScriptedServer([chat(said())]) as server:
        described(server)
        asks("--limit", "3")
        assert [each["dimension"] for each in proposed()] == [HOME_TASK] * 3
        left = {name: n for name, n in made()["counts"].items() if name.startswith("images not")}
        assert left == {"images not asked about: the images are for another dimension": 1,
                        "images not asked about: beyond --limit": 1}  # fmt: skip
        done = CliRunner().invoke(cli, ["proposal", "create", "p", "--spec", "m.yaml", "--out", "e.json"])
        assert "Give --dimension, because some images fit any dimension" in str(done.exception)
        Path("t.yaml").write_text("tasks: [{task: dig, dimension: open_world_game}]")
        told("proposal", "create", "p", "--spec", "m.yaml", "--out", "f.json", "--tasks", "t.yaml")
        named = {each["dimension"] for each in json.loads(Path("f.json").read_text())["proposals"]}
        assert named == {"open_world_game"}  # two of them are for any


def test_an_interrupt_loses_nothing_and_limits_hold_over_all_runs() -> None:
    pool(4)

    def script(asked: Asked, number: int) -> Reply:
        if number == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return chat(said(), after=0.3 if number == 1 else 0)

    with ScriptedServer(script) as server:
        described(server)
        asks(status=130)
        assert len(proposed()) == 2
        with Path("d.asked.jsonl").open("a") as out:
            out.write('{"record": "reply", "key": "')  # and killed while it wrote a line
        assert "reached the limit of 3 requests" in refused(RunStoppedError, "--max-calls", "3")
        assert len(proposed()) == 3
        asks()
    assert len(server.asked) == len(proposed()) == 4
    with ScriptedServer([error(401)]) as server:
        described(server)
        Path("p.txt").write_text("{fields}")
        assert "The key is missing, is wrong, or has no access" in refused(RunStoppedError, "--prompt", "p.txt")


def test_what_people_have_changed_is_never_written_over() -> None:
    pool(1)
    with ScriptedServer([chat(said())]) as server:
        described(server)
        asks()
        mended = Path("d.json").read_text().replace("The light is red.", "A red light.")
        Path("d.json").write_text(mended)
        assert "Someone or another program changed" in refused(ConflictError)
        assert Path("d.json").read_text() == mended
        Path("d.asked.jsonl").write_text('{"record": "head", "of": "touchstone narrations goals", "version": 1}\n')
        assert "does not contain replies about proposed items" in refused(InvalidFileError)
    assert len(server.asked) == 1


def test_what_is_refused_before_anyone_is_asked() -> None:
    pool(1)
    with ScriptedServer([chat(said())]) as server:
        described(server)
        Path("p.txt").write_text("Say it.")
        assert "has no {fields}" in refused(InvalidFileError, "--prompt", "p.txt")
        assert "Unknown dimension 'sea'" in refused(InvalidInputError, "-d", "sea")
        Path("t.yaml").write_text("tasks: [{task: a, dimension: sea}]")
        assert "unknown dimension" in refused(InvalidFileError, "--tasks", "t.yaml")
        Path("m.yaml").write_text(Path("m.yaml").read_text() + "modality: text\n")
        assert "cannot see images" in refused(ModelError)
        Path("m.yaml").write_text("name: m\nadapter: chat\nmodel: x\n")
        assert "is not an endpoint" in refused(ModelError)
        told("project", "create", "plans", "--schema", "egoplan")
        described(server)
        done = CliRunner().invoke(cli, ["proposal", "create", "plans", "--spec", "m.yaml", "--out", "e.json"])
        assert "come from files" in str(done.exception)
    assert not server.asked


def test_how_they_were_made_comes_in_with_them() -> None:
    pool(3)
    script = [[chat(said())], [BAD[2][0], BAD[5][0], chat(said(reason="Late."))]]
    script += [[chat('{"proposal": null, "why_not": "It shows a wall."}')]]
    with ScriptedServer(in_turn(script)) as server:
        described(server)
        asks()
    told("proposal", "import", "p", "d.json")
    store = open_store(None, Path("home"))
    (made,) = (each["made"] for each in events(store, "drafting.imported"))
    store.close()
    # five requests of 12 tokens in and 3 out: (60 * 1 + 15 * 10) / 1e6
    assert made["counts"]["cost"] == pytest.approx(0.00021)
    assert {name: made["counts"][name] for name in ("images", "proposals", "requests")} == {
        "images": 3, "proposals": 2, "requests": 5,
    }  # fmt: skip
    assert made["replies"] == {"the reply is not JSON": 1, "an answer is not among the options": 1}
    assert [(each["n"], "does not allow such an item" in each["why"]) for each in made["without"]] == [(1, True)]
    assert (made["currency"], made["mended"]) == ("USD", False)
    text = Path("d.json").read_text().replace("The light is red.", "It is red.")
    Path("mended.json").write_text(text)
    told("proposal", "import", "p", "mended.json", "--made", "d.made.json")
    store = open_store(None, Path("home"))
    assert [each["made"]["mended"] for each in events(store, "drafting.imported")] == [False, True]
    store.close()
