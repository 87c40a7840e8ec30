"""Goals in: flat records, overall goals with their subgoals, tables, EgoPlan's questions; bad ones by their line."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from domain.errors import InvalidFileError
from extensions.narrations.files.goal_files import Clock, ReadGoals, read_goals
from extensions.narrations.rules.goals import Step

OVERALL = {
    "overall_goal": "Cook dinner",
    "clips": [
        {
            "subgoal": "Make dough",
            "start_timestamp": 0,
            "stop_timestamp": 300,
            "sub_clips": [
                {"secondary_subgoal": "Take flour", "start_timestamp": -1, "stop_timestamp": 90},
                {"secondary_subgoal": "Pour water", "start_timestamp": "then", "stop_timestamp": 120},
                {"secondary_subgoal": "Knead", "start_timestamp": 150},
            ],
        },
        {"start_timestamp": 300, "stop_timestamp": 400},
        "no clip",
    ],
}


def read(folder: Path, text: str, name: str = "goals.json", clock: Clock | None = None) -> ReadGoals:
    (folder / name).write_text(text, encoding="utf-8")
    return read_goals(folder / name, clock)


def told(found: ReadGoals) -> list[tuple[str, str, str, Decimal | None, Decimal | None]]:
    return [(each.video, each.text, each.level, each.start, each.stop) for each in found.goals]


def test_overall_goals_with_their_subgoals_in_frames(tmp_path: Path) -> None:
    text = json.dumps(OVERALL, indent=4)
    found = read(tmp_path, text, "film.json", Clock("frames", {"film": Fraction(30)}))
    # the file is called as its video; frame -1 stands for none; 90 / 30 = 3 s
    assert told(found) == [
        ("film", "Cook dinner", "overall goal", None, None),
        ("film", "Make dough", "subgoal", Decimal(0), Decimal(10)),
        ("film", "Take flour", "secondary subgoal", Decimal(0), Decimal(3)),
    ]
    assert found.goals[2].parent == found.goals[1]
    line = {word: 1 + text[: text.index(word)].count("\n") for word in ("Pour", "Knead", '"start_timestamp": 300')}
    assert [(row.row, row.reason) for row in found.bad] == [
        (line["Pour"] - 1, "'then' is not a frame number"),
        (line["Knead"] - 1, "stop is missing"),
        (line['"start_timestamp": 300'] - 1, "subgoal is missing"),
        (1, "each entry of clips must be an object {...}"),
    ]
    assert found.goals[2].where == f"film.json, line {line['Pour'] - 6}"


FLAT = {"video": "V", "goal": "Drink", "start": 1.5, "stop": "0:00:09"}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([FLAT]),
        json.dumps(FLAT),
        json.dumps(FLAT) + "\n" + json.dumps(FLAT | {"goal": "Eat"}) + "\n",
        json.dumps({"V": [{name: value for name, value in FLAT.items() if name != "video"}]}),
        "video,goal,start,stop\nV,Drink,1.5,0:00:09\n",
    ],
)
def test_one_record_for_each_goal(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, text)
    assert told(found)[0] == ("V", "Drink", "goal", Decimal("1.5"), Decimal(9))
    assert not found.bad


def test_actions_by_id_words_frames_and_times(tmp_path: Path) -> None:
    actions = [
        "take cup",
        {"narration_id": "V_1"},
        {"narration_text": "eat", "start_frame": 3, "stop_frame": 9},
        {"text": "sit", "start": 1.5},
    ]
    found = read(tmp_path, json.dumps([FLAT | {"actions": actions}, FLAT | {"actions": [3]}, FLAT | {"actions": [{}]}]))
    assert found.goals[0].steps == (
        Step(text="take cup"),
        Step(id="V_1"),
        Step(text="eat", start_frame=3, stop_frame=9),
        Step(text="sit", start=Decimal("1.5")),
    )
    assert len(found.bad) == 2
    table = read(tmp_path, "video,goal,actions\nV,Drink,\"['take cup', 'V_1']\"\nV,Eat,take cup\n", "goals.csv")
    assert table.goals[0].steps == (Step(text="take cup"), Step(text="V_1"))
    assert [(row.row, row.reason) for row in table.bad] == [(3, "the cell is not a list in square brackets")]


def test_broken_files_give_what_stands_before_the_break(tmp_path: Path) -> None:
    cut = read(tmp_path, json.dumps([FLAT, FLAT | {"goal": "Eat"}], indent=1)[:-30])
    assert ([each.text for each in cut.goals], len(cut.bad)) == (["Drink"], 1)
    lines = read(tmp_path, f"{json.dumps(FLAT)}\n{{broken}}\n{json.dumps(FLAT | {'goal': 'Eat'})}\n")
    assert ([each.text for each in lines.goals], [row.row for row in lines.bad]) == (["Drink", "Eat"], [2])


@pytest.mark.parametrize(
    "text",
    ["[]", "{}", "[1]", "goal\nDrink\n", "", '{"overall_goal": "x", "clips": 3', json.dumps([FLAT | {"goal": " "}]),
     json.dumps([FLAT | {"video": None}]), json.dumps([FLAT | {"start": True}]), json.dumps([FLAT | {"start": None}]),
     '[{"video": "V", "goal": "G", "start": 1e999999999, "stop": 2}]', "[" * 100_000],
)  # fmt: skip
def test_files_without_a_goal_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidFileError):
        read(tmp_path, text)


def test_hostile_parts_are_told(tmp_path: Path) -> None:
    found = read(tmp_path, '{"video": "V", "overall_goal": "x", "clips": 3}')
    assert [(row.row, row.reason) for row in found.bad] == [(1, "clips must be a list")]
    with pytest.raises(InvalidFileError, match="the frame rate of the video is unknown"):
        read(tmp_path, json.dumps([FLAT]), clock=Clock("frames"))


def test_a_folder_of_files(tmp_path: Path) -> None:
    folder = tmp_path / "goals"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.json").write_text(json.dumps({"overall_goal": "Cook"}, indent=1))
    found = read_goals(folder)
    assert [(each.video, each.where) for each in found.goals] == [("a", "a.json, line 1"), ("b", "b.json, line 1")]
    assert set(found.sha256) == {"a.json", "b.json"}


def test_egoplans_questions_are_goals(tmp_path: Path) -> None:
    record = {
        "sample_id": 7, "video_id": "V", "task_goal": "Drink", "question": "?", "current_observation_frame": 90,
        "answer": "eat", "choice_a": "eat", "choice_b": "sit", "choice_c": "go", "choice_d": "run",
        "golden_choice_idx": "A", "video_source": "",
        "task_progress_metadata": [{"narration_text": "sit", "start_frame": 3, "stop_frame": 9}],
    }  # fmt: skip
    found = read(tmp_path, json.dumps([record]))
    assert found.goals[0].steps == (Step(text="sit", start_frame=3, stop_frame=9), Step(text="eat"))
    assert found.goals[0].where == "goals.json, question 7"
