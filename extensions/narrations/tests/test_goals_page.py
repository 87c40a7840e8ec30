"""The page Goals: files in, goals mended, what is wrong with them, versions, two leads at once, a file out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app import rooms
from app.cli import cli
from app.jobs import processes
from app.services import Services
from db import files
from db.engine import Store
from domain.records import Person
from domain.roles import Role
from domain.settings import Settings
from extensions.narrations import question_section, video_goals
from extensions.narrations.files.goal_files import read_goals
from extensions.narrations.files.narration_files import read_narrations
from extensions.narrations.goal_draft import as_file
from extensions.narrations.rules.goal_check import check
from extensions.narrations.rules.goals import Limits
from extensions.narrations.rules.narration import by_video
from media.store import MediaStore
from testkit.factories import make_person, make_project
from tests.app.killed_jobs import killed_at, work_off
from tests.app.screens import drawn, part, rows, text, words
from workflow.access import projects

pytestmark = pytest.mark.thorough

CSV = "id,video,start,stop,text\n" + "".join(
    f"{video}-{k},{video},{2 * k},{2 * k + 1.5},do {k}\n" for video, n in (("V", 12), ("W", 5)) for k in range(1, n + 1)
)
"""Action k of a video lasts from 2 k to 2 k + 1.5 seconds."""


def goal(text: str, level: str, first: int, last: int, video: str = "V") -> dict[str, object]:
    return {"video": video, "level": level, "goal": text, "actions": [f"{video}-{k}" for k in range(first, last + 1)]}


GIVEN = [
    {**goal("toast bread", "subgoal", 8, 11), "actions": [{"id": f"V-{k}"} for k in range(8, 12)]},
    {**goal("make breakfast", "overall goal", 1, 12), "actions": [{"id": f"V-{k}"} for k in range(1, 13)]},
    {**goal("brew coffee", "subgoal", 1, 6), "actions": [{"id": f"V-{k}"} for k in range(1, 7)]},
]


@pytest.fixture
def lea(store: Store) -> Person:
    make_project(store, loaded=load_schema(shipped()["egoplan"]))
    return make_person(store, "lea", role=Role.LEAD)


def opened(store: Store, home: Path, login: str = "lea") -> AppTest:
    return drawn(store, home, "goals", login, project="p")


def uploaded(page: AppTest, what: str, name: str, data: str) -> AppTest:
    at = ("narrations", "goals").index(what)
    page.file_uploader[at].upload(name, data.encode(), "text/plain")
    page.run()
    return page.button(key=f"goals.keep.{what}").click().run()


def given(store: Store, home: Path) -> AppTest:
    page = uploaded(opened(store, home), "narrations", "n.csv", CSV)
    assert "17 narrations of n.csv: 2 videos new, 0 changed, 0 unchanged." in words(page)
    return uploaded(page, "goals", "g.json", json.dumps(GIVEN))


def listed(page: AppTest) -> list[str]:
    return [each.replace("\u2003", ".").replace("\\", "") for each in page.radio[0].options]


def chosen(page: AppTest, title: str) -> AppTest:
    """The goal with these words is looked at."""
    at = next(at for at, each in enumerate(listed(page)) if f"**{title}**" in each)
    page.radio[0].set_value(_numbers(page)[at])
    return page.run()


def _numbers(page: AppTest) -> list[int]:
    return [number for number, _ in page.session_state["goals.drafts"]["p", "V"].entries]


def box(page: AppTest, kind: str, ending: str) -> object:
    return next(each for each in getattr(page, kind) if str(each.key).endswith(ending))


def put(page: AppTest, kind: str, ending: str, value: object) -> AppTest:
    box(page, kind, ending).set_value(value)  # type: ignore[attr-defined]
    return page.run()


def pressed(page: AppTest, name: str) -> AppTest:
    return page.button(key=f"goals.{name}").click().run()


def test_goals_are_mended_saved_and_downloaded(store: Store, home: Path, lea: Person, tmp_path: Path) -> None:
    page = given(store, home)
    assert "3 goals of g.json: 1 video new, 0 changed, 0 unchanged." in words(page)
    assert part(page, "all") == "3 goals of 2 videos, saved with 0 faults."
    assert listed(page) == [
        "1 · overall goal · **make breakfast**",
        ".2 · subgoal · **brew coffee**",
        ".3 · subgoal · **toast bread**",
    ]
    assert part(page, "state") == "As saved: version 1, 0 faults."
    page = chosen(page, "brew coffee")
    assert [row["Narration"] for row in rows(page, "Narration")] == [f"V-{k}" for k in range(1, 7)]
    # to action 9, counted from 0: 8. Toast has 8 to 11, so two actions are in both.
    page = put(page, "selectbox", ".last", 8)
    assert part(page, "state") == "Changed, not saved: version 1, 1 fault."
    (fault,) = rows(page, "What is wrong")
    assert fault["Where"] == "Goal 3: V, 'toast bread'"
    assert fault["What is wrong"] == "the goal shares 2 actions with Goal 2, such as V-8."
    page = put(page, "selectbox", ".last", 2)  # actions 1 to 3: too few
    assert (
        "the goal's number of actions is 3, but a goal needs 4 to 20."
        in rows(page, "What is wrong")[0]["What is wrong"]
    )
    page = put(page, "selectbox", ".first", 1)
    page = put(page, "selectbox", ".last", 6)  # 2 to 7
    assert part(page, "faults") == "Nothing."
    page = put(page, "text_input", ".words", "  brew   tea ")
    assert ".2 · subgoal · **brew tea**" in listed(page)
    assert "Touchstone kept the old words" in words(put(page, "text_input", ".words", "  "))
    assert video_goals.of_project(store, by=lea, project="p").now("V").number == 1, "nothing is saved by itself"
    page = pressed(page, "save")
    assert "Version 2 of the goals of V is saved." in words(page)
    page = pressed(chosen(page, "toast bread"), "delete")
    assert len(listed(page)) == 2
    page = pressed(pressed(page, "save"), "save")
    assert "Nothing has changed since version 3." in words(page)
    assert [(row["Version"], row["Who"], row["Goals"], row["From"]) for row in rows(page, "Version")] == [
        ("3", "Lea", "2", "mended here"),
        ("2", "Lea", "3", "mended here"),
        ("1", "Lea", "3", "g.json"),
    ]
    # what is downloaded is what the command reads and finds no fault with
    known = video_goals.of_project(store, by=lea, project="p")
    (tmp_path / "out.json").write_bytes(as_file(known.now("V").goals))
    (tmp_path / "n.csv").write_text(CSV)
    read = read_goals(tmp_path / "out.json")
    assert [(each.level, each.text, len(each.steps or ())) for each in read.goals] == [
        ("overall goal", "make breakfast", 12),
        ("subgoal", "brew tea", 6),
    ]
    assert not check(read.goals, by_video(read_narrations(tmp_path / "n.csv").rows), Limits())
    # an earlier version comes back as something to go on from
    page = pressed(put(page, "selectbox", "goals.version.V.3", 1), "bring")
    assert any("brew coffee" in each for each in listed(page))
    assert part(page, "state").startswith("Changed, not saved: version 3")
    assert not any("brew coffee" in each for each in listed(pressed(page, "undo")))


def test_goals_are_split_merged_added_and_every_step_is_taken_back(store: Store, home: Path, lea: Person) -> None:
    page = chosen(given(store, home), "make breakfast")
    whole = listed(page)
    page = put(page, "selectbox", ".cut.12", 6)  # before action 7
    page = pressed(page, "split")
    assert [each.split(" · ", 1)[1] for each in listed(page)] == [
        "overall goal · **make breakfast**",
        "subgoal · **brew coffee**",
        "overall goal · **make breakfast**",
        "subgoal · **toast bread**",
    ]
    assert [row["Narration"] for row in rows(page, "Narration")] == [f"V-{k}" for k in range(7, 13)], "the second one"
    assert "the goal has the same words as Goal 1" in rows(page, "What is wrong")[0]["What is wrong"]
    page = put(page, "text_input", ".words", "eat")
    assert part(page, "faults") == "Nothing."
    assert page.button(key="goals.merge").disabled, "no overall goal comes after it"
    page = pressed(chosen(page, "make breakfast"), "merge")
    assert listed(page) == whole
    page = pressed(page, "add")
    # its four actions are those of another overall goal, and brew coffee, with six, lies partly in it
    assert part(page, "state") == "Changed, not saved: version 1, 2 faults."
    for _ in range(4):
        page = pressed(page, "undo")
    assert listed(page) == whole
    assert part(page, "state") == "As saved: version 1, 0 faults."
    assert page.button(key="goals.undo").disabled


def test_the_second_of_two_is_refused_and_loses_nothing(store: Store, home: Path, lea: Person) -> None:
    given(store, home)
    make_person(store, "bo", role=Role.LEAD)
    one, other = opened(store, home), opened(store, home, "bo")
    one = put(chosen(one, "brew coffee"), "text_input", ".words", "brew tea")
    other = put(chosen(other, "toast bread"), "text_input", ".words", "make toast")
    assert "Version 2 of the goals of V is saved." in words(pressed(one, "save"))
    other = pressed(other, "save")
    assert "lea saved version 2 of the goals of V in the meantime. Your changes were not" in words(other)
    assert any("make toast" in each for each in listed(other))
    assert "- subgoal: brew tea (6 actions, V-1 to V-6)" in text(words(other))
    assert "+ subgoal: make toast (4 actions, V-8 to V-11)" in text(words(other))
    assert video_goals.of_project(store, by=lea, project="p").now("V").by == "lea"
    other = pressed(other, "take")
    assert any("brew tea" in each for each in listed(other))
    assert part(other, "state") == "As saved: version 2, 0 faults."
    other = pressed(pressed(other, "undo"), "save")  # what bo had made, now on top of what lea saved
    assert "Version 3 of the goals of V is saved." in words(other)
    assert [each.text for each in video_goals.of_project(store, by=lea, project="p").now("V").goals] == [
        "make breakfast",
        "brew coffee",
        "make toast",
    ]


def test_what_does_not_fit_is_told_and_the_rest_kept_only_when_asked(store: Store, home: Path, lea: Person) -> None:
    page = uploaded(opened(store, home), "narrations", "n.csv", CSV + "W-9,W,9,3,back\nW-9,W,x,3,odd\n")
    assert "Invalid rows: 2. Nothing was saved." in words(page)
    assert "n.csv, line 19: " in words(page)
    assert "n.csv, line 20: " in words(page)
    assert not page.radio
    page.checkbox(key="goals.skip_bad").check().run()
    page = pressed(page, "keep.narrations")
    assert "17 narrations of n.csv" in words(page)
    assert "Left out: 2 rows, such as n.csv, line 19" in words(page)
    page.checkbox(key="goals.skip_bad").uncheck().run()
    for name, given_text, why in (
        ("e.json", "", "has no goal"),
        ("b.json", "\xff\x00[", "has no goal"),
        (
            "g.json",
            json.dumps([*GIVEN, {"video": "X", "goal": "fly"}]),
            "X, 'fly': the goal's video has no narrations.",
        ),
    ):
        page = uploaded(page, "goals", name, given_text)
        assert why in text(words(page)), name
        assert not video_goals.of_project(store, by=lea, project="p").versions
    page.checkbox(key="goals.skip_bad").check().run()
    page = pressed(page, "keep.goals")
    assert "3 goals of g.json" in words(page)
    assert "Left out: 1 goal" in words(page)


def test_narrations_that_changed_under_goals_are_a_fault_with_a_way_out(store: Store, home: Path, lea: Person) -> None:
    given(store, home)
    changed = CSV.replace("V-9,V,18,19.5,do 9", "V-9,V,18,19.5,do more")
    page = uploaded(opened(store, home), "narrations", "n2.csv", changed)
    assert "0 videos new, 1 changed, 1 unchanged." in words(page)
    assert part(page, "all") == "3 goals of 2 videos, saved with 2 faults."  # of the overall goal, and of toast bread
    first = rows(page, "What is wrong")[0]
    assert first["What is wrong"] == "the action has 'do 9', unlike its narration ('do more')."
    for title in ("make breakfast", "toast bread"):
        page = pressed(chosen(page, title), "renew")
    assert part(page, "faults") == "Nothing."


def test_it_is_offered_where_items_say_what_is_done_when(store: Store, home: Path, lea: Person) -> None:
    (view,) = projects.projects_of(store, person=lea)
    assert "Goals" in [each.title for each in rooms.offered(view)]
    make_project(store, name="q")
    bo = make_person(store, "bo", project="q", role=Role.LEAD)
    (view,) = projects.projects_of(store, person=bo)
    assert "Goals" not in [each.title for each in rooms.offered(view)]
    assert "have no action times" in words(drawn(store, home, "goals", "bo", project="q"))
    make_person(store, "ann")
    assert not drawn(store, home, "goals", "ann", project="p").get("file_uploader")


def test_questions_are_those_of_the_command_and_come_in_after_a_look(
    store: Store, home: Path, lea: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = given(store, home)
    page = pressed(page, "make")
    assert "do not contain the frame rates of videos" in words(page)
    page = pressed(put(page, "text_input", "ask.rate", "30"), "make")
    # every action once in each goal: 12 + 6 + 4
    assert "22 questions made." in words(page)
    assert {row["Step"]: row["Number"] for row in rows(page, "Step")}["goals kept"] == "3"
    assert rows(page, "Invalid")[0]["New"] == "22"
    assert _n_items(store) == 0, "nothing is stored by a look"
    made = next((home / "imports").glob("*/made/egoplan.json")).read_bytes()
    page = pressed(page, "import")
    assert "22 items" in words(page)
    assert _n_items(store) == 22
    monkeypatch.chdir(tmp_path)
    Path("n.csv").write_text(CSV)
    known = video_goals.of_project(store, by=lea, project="p")
    Path("goals.json").write_bytes(as_file(known.now("V").goals))
    asked = ["question", "create", "n.csv", "--goals", "goals.json", "--rate", "30", "--out", "q"]
    assert CliRunner().invoke(cli, asked).exit_code == 0
    assert made == Path("q/egoplan.json").read_bytes()


def test_questions_are_made_though_a_process_was_killed(
    store: Store, home: Path, lea: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_section, "HERE", 0)
    monkeypatch.setattr(processes, "wake", lambda *_: None)
    page = pressed(put(given(store, home), "text_input", "ask.rate", "30"), "make")
    assert page.get("progress")[0].proto.text == "Making questions for p: waits to start"
    services = Services(store, MediaStore(home / "media"), Settings(home, ""), lea, "csrf")
    assert killed_at(services, 0)
    work_off(services)
    assert "22 questions made." in words(page.run())


def test_questions_that_are_being_made_are_canceled_on_the_page(
    store: Store, home: Path, lea: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_section, "HERE", 0)
    monkeypatch.setattr(processes, "wake", lambda *_: None)
    page = pressed(put(given(store, home), "text_input", "ask.rate", "30"), "make")
    (cancel,) = [each for each in page.button if each.label == "Cancel"]
    page = cancel.click().run().run()
    assert "Canceled." in words(page)
    assert not page.get("progress")


def _n_items(store: Store) -> int:
    with store.read() as session:
        return len(files.item_ids(session, project_id=1))
