"""``touchstone narration``: from narrations and goals to items with their clips and frames, and what is refused."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app.cli import cli
from app.services import resources
from db import files
from db.engine import open_store
from domain.errors import InvalidFileError, InvalidInputError
from extensions.narrations.tests.rows import MILK
from media import clips
from media.store import MediaStore
from workflow.access.projects import create_project

pytestmark = pytest.mark.thorough


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with a project of EgoPlan-Bench, and beside it the narrations, goals and rates of one video."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, home)
    create_project(store, name="p", loaded=load_schema(shipped()["egoplan"]))
    store.close()
    with (tmp_path / "milk.csv").open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "video", "start", "stop", "text"])
        rows.writerows([each.id, each.video, each.start, each.stop, each.text] for each in MILK)
        rows.writerow(["V-7", "V", "9", "8", "go"])
    goals = [
        {"video": "V", "goal": "Make a drink", "start": 0, "stop": 12},
        {"video": "V", "goal": "Sit", "start": 0, "stop": 3},
    ]
    (tmp_path / "goals.json").write_text(json.dumps(goals))
    (tmp_path / "videos.csv").write_text("video_id,duration,fps\nV,12,10\n")
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    resources.cache_clear()
    yield home
    resources.cache_clear()


def said(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == status, done.output
    return done.stdout


MAKE = ("question", "create", "milk.csv", "--goals", "goals.json", "--out", "out")


def test_from_narrations_to_items_with_their_frames(home: Path, tmp_path: Path) -> None:
    told = said(*MAKE, "--videos", "videos.csv", "--tuning")
    assert "milk.csv, line 8: the stop (8 s) is before the start (9 s)." in told
    assert "1 left out: the goal has fewer than 4 actions; such as goals.json, line 1: V, 'Sit': 2" in told
    assert f"Wrote 5 questions to {Path('out/egoplan.json')}" in told
    records: list[dict[str, Any]] = json.loads((tmp_path / "out" / "egoplan.json").read_text())
    # (2, 4, 6.5, 8, 10 s less half a second) at 10 frames a second
    assert [each["current_observation_frame"] for each in records] == [15, 35, 60, 75, 95]
    assert records[1]["task_progress_metadata"] == [
        {"narration_text": "open fridge", "start_frame": 0, "stop_frame": 15},
        {"narration_text": "take milk", "start_frame": 20, "stop_frame": 30},
    ]
    letters = [each[f"choice_{each['golden_choice_idx'].lower()}"] for each in records]
    assert letters == [each["answer"] for each in records]

    film = tmp_path / "videos" / "V.webm"
    clips.write([Image.new("RGB", (64, 48), (2 * n, 2 * n, 2 * n)) for n in range(120)], out=film, frames_per_second=10)
    assert "Imported 5 items" in said("item", "import", "p", "egoplan", "out/egoplan.json", "--media", "videos")
    store, media = open_store(None, home), MediaStore(home / "media")
    with store.read() as session:
        names = [f"{n}/{role}" for n in range(5) for role in ("observation", "progress")]
        have = files.asset_ids(session, project_id=1, names=names)
    greys = [Image.open(media.path(str(have[name][1]))).convert("L").getpixel((32, 24)) for name in names[::2]]
    assert greys == pytest.approx([30, 70, 120, 150, 190], abs=4)
    lasting = [media.about(str(have[name][1])).duration for name in names[1::2]]
    assert lasting == pytest.approx([1.5, 3.5, 6, 7.5, 9.5], abs=0.15)
    store.close()

    said("frame", "create", "videos", "shots", "--times", "out/times.csv")
    lines = [json.loads(line) for line in (tmp_path / "shots" / "frames.jsonl").read_text().splitlines()]
    assert [line["frame"] for line in lines if line["record"] == "frame"] == [15, 35, 60, 75, 95]

    said("item", "export", "p", "egoplan", "--out", "again.json")  # how they came to be goes in and out with them
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "out" / "egoplan.json").read_bytes()
    assert records[1]["construction"]["answer"] == "V-3"
    pairs = [json.loads(line) for line in (tmp_path / "out" / "pairs.jsonl").read_text().splitlines()]
    assert len(pairs) == 15
    assert pairs[3]["clip"] == {"start": "0", "stop": "3.5"}
    assert pairs[3]["chosen"]["value"] == "pour milk into cup" != pairs[3]["rejected"]["value"]
    actions = [json.loads(line) for line in (tmp_path / "out" / "actions.jsonl").read_text().splitlines()]
    assert [(each["id"], each["clip"]["stop"], each["conversations"][1]["value"]) for each in actions[:3]] == [
        ("0/actions", "1.5", "Open fridge."),
        ("1/actions", "3.5", "Open fridge, take milk."),
        ("2/actions", "6.0", "Open fridge, take milk, pour milk into cup."),
    ]
    assert actions[0]["conversations"][0]["value"].startswith("<video>\n")


def test_the_manifest_and_the_same_again(home: Path, tmp_path: Path) -> None:
    said(*MAKE, "--rate", "59.94", "--seed", "7", "--tuning")
    out = tmp_path / "out"
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    said(*MAKE, "--rate", "60000/1001", "--seed", "7", "--tuning")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    told = json.loads(before["made.json"])
    assert told["settings"]["rate"] == "60000/1001"
    assert told["counts"] == {
        "narrations": 6, "videos": 1, "goals given": 2, "goals kept": 1, "actions of kept goals": 6, "questions": 5,
    }  # fmt: skip
    assert [(each["reason"], each["n"]) for each in told["left_out"]] == [
        ("the goal has fewer than 4 actions", 1),
        ("the observation would be before the video begins", 1),
    ]
    assert told["narrations"]["left_out"] == [{"line": 8, "reason": "the stop (8 s) is before the start (9 s)"}]
    assert [each["path"] for each in told["inputs"]] == ["milk.csv", "goals.json"]
    assert sum(told["keys"].values()) == 5
    whole = json.loads(before["egoplan.json"])
    said(*MAKE, "--rate", "59.94", "--seed", "7", "--apart")
    assert not list(out.glob("[ap]*.jsonl"))  # pairs and actions of the run before
    kept = [json.loads(line) for line in (out / "made.jsonl").read_text().splitlines()]
    assert kept == [{name: each[name] for name in ("sample_id", "construction")} for each in whole]
    bare = [{name: value for name, value in each.items() if name != "construction"} for each in whole]
    assert json.loads((out / "egoplan.json").read_text()) == bare
    # without the answer's frame, as what is observed later than half a second before it does not fit the schema
    said(*MAKE, "--rate", "30", "--observe", "ended", "--gap", "0.25")
    assert all("action_start_frame" not in each for each in json.loads((out / "egoplan.json").read_text()))


@pytest.mark.parametrize(
    ("more", "error", "why"),
    [
        ((), InvalidInputError, "Give a CSV file with the columns video_id and fps, or one rate for all"),
        (("--rate", "0"), InvalidInputError, "--rate must be a number from 1 to 1000"),
        (
            ("--rate", "30", "--observe", "later"),
            InvalidInputError,
            "rule for the observation must be one of gap, ended, last",
        ),
        (("--rate", "30", "--gap", "-1"), InvalidInputError, "--gap: '-1' is not a time"),
        (("--rate", "30", "--question", "What now?"), InvalidInputError, "must contain {towards} or {goal}"),
        (("--rate", "30", "--question", "{towards} {x}"), InvalidInputError, "must contain {towards} or {goal}"),
        (("--rate", "30", "--goal-times", "hours"), InvalidInputError, "--goal-times must be seconds or frames"),
        (
            ("--rate", "30", "--verb-classes", "goals.json"),
            InvalidInputError,
            r"Give both class files \(verbs and nouns\), or no class file",
        ),
        (("--rate", "30", "--out", "."), InvalidFileError, "already contains other files"),
        (("--rate", "30", "--out", "goals.json"), InvalidFileError, "is a file"),
        (
            ("--rate", "30", "--goals", "milk.csv"),
            InvalidFileError,
            "a table of goals needs the columns video and goal",
        ),
    ],
)
def test_what_is_refused(home: Path, tmp_path: Path, more: tuple[str, ...], error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        CliRunner().invoke(cli, [*MAKE, *more], catch_exceptions=False)
    assert not (tmp_path / "out").exists()


def test_a_look_at_narrations(home: Path, tmp_path: Path) -> None:
    told = said("narration", "check", "milk.csv", "--videos", "videos.csv")
    assert (
        told.splitlines()[0]
        == "milk.csv (csv): 6 narrations of 1 video, 0.0 hours from the first to the last narration"
    )
    assert "begin before the previous narration stops: 0 of 5" in told
    found = json.loads(said("narration", "check", "milk.csv", "--json"))
    assert (found["narrations"], found["left_out"][0]["line"]) == (6, 8)
    film = {"v": {"narration_pass_1": {"narrations": [{"timestamp_sec": 1.5, "narration_text": "#C C sits"}]}}}
    (tmp_path / "film.json").write_text(json.dumps(film))
    film["\ud800"] = {
        "narration_pass_2": {"narrations": [{"timestamp_sec": "\udfff", "narration_text": "#C C \ud800s"}]}
    }
    (tmp_path / "film.json").write_text(json.dumps(film))  # half characters are no reason to stop
    told = said("narration", "check", "film.json")
    assert "t - b / 2a to t + b / 2a" in told
    assert "film.json, line 1: �, narrator 2: timestamp_sec must be a number, not '\\udfff'." in told


def test_questions_of_ones_own_are_explained_by_their_narrations(home: Path) -> None:
    """Made at 60 frames a second with the rule ``gap``: half a second is 30 frames before each answer."""
    said(*MAKE, "--rate", "60", "--collection", "Mine")
    (home / "other.csv").write_text("video,start,stop,text\nW,1,2,go\n")
    (home / "none.json").write_text('[{"sample_id": 1, "label": "A"}]')
    for narrated, published, why in (
        ("other.csv", "../out/egoplan.json", "other.csv has no narrations of the videos in the 5 questions"),
        (
            "../milk.csv",
            "none.json",
            "none.json has no question with a key and an observation; row 1: task_goal is missing",
        ),
    ):
        with pytest.raises(InvalidFileError, match=why):
            CliRunner().invoke(
                cli, ["narration", "check", str(home / narrated), str(home / published)], catch_exceptions=False
            )
    told = said("narration", "check", "milk.csv", "out/egoplan.json")
    assert "5 of      5 100.0 %  questions about the narrated videos" in told
    assert "0 of     15   0.0 %  segments found verbatim in the narrations" in told  # this table has no frames
