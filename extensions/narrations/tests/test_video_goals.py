"""Goals and narrations of videos in a project: every version is kept, no one saves over another, archives have them."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from db import events
from db.engine import Store
from domain.errors import ConflictError, InvalidInputError, NotAllowedError
from domain.project_parts import ProjectPart
from domain.roles import Role
from extensions.narrations import video_goals
from extensions.narrations.rules.goal_edits import steps_of
from extensions.narrations.rules.goals import LEVELS, Goal
from extensions.narrations.rules.narration import Narration
from extensions.narrations.tests.goal_replies import video
from extensions.narrations.video_goals import FileChanges, Source
from media.store import MediaStore
from testkit.factories import Clock, make_person, make_project
from testkit.project_archives import clone_project, export_project, import_project, needs_archives
from workflow.access import accounts, audit

pytestmark = pytest.mark.both_databases

ROWS = video("V", 12)
SOURCE = Source("n.csv", "0" * 64, "csv")
FULL = Narration(
    "W-1", "W", Decimal("0.25"), Decimal("1.000001"), "put cup ünder “it”", "#C C puts", 15, 60, 1, (2, 3), "put",
    ("cup", "it"), 7,
)  # fmt: skip


def goal(text: str, first: int, last: int, level: int = 2) -> Goal:
    return Goal("V", text, "", LEVELS[level], steps=steps_of(ROWS[first - 1 : last]))


def said(goals: object) -> list[tuple[str, str, int]]:
    return [(each.level, each.text, len(each.steps)) for each in goals]  # type: ignore[attr-defined]


def test_every_version_is_kept_with_who_and_when(store: Store) -> None:
    clock = store.clock = Clock()
    make_project(store)
    lea, bo = (make_person(store, login, role=Role.LEAD) for login in ("lea", "bo"))
    lea_in: dict[str, Any] = {"by": lea, "project": "p"}
    bo_in: dict[str, Any] = {"by": bo, "project": "p"}
    assert video_goals.newest(store, **lea_in) == 0
    assert video_goals.narrate(store, **lea_in, narrations={"V": ROWS, "W": [FULL]}, source=SOURCE) == FileChanges(
        2, 0, 0
    )
    assert video_goals.put_file(store, **lea_in, goals={"V": [goal("wash", 1, 4)]}, file="g.json") == FileChanges(
        1, 0, 0
    )
    clock.advance(minutes=5)
    made = video_goals.save(store, **bo_in, video="V", goals=[goal("wash pan", 1, 5)], based_on=1)
    assert made.number == 2
    known = video_goals.of_project(store, **lea_in)
    assert known.narrations == {"V": ROWS, "W": [FULL]}
    assert known.sources == {"V": SOURCE, "W": SOURCE}
    first, second = known.versions["V"]
    assert (first.number, first.by, first.file, said(first.goals)) == (1, "lea", "g.json", [("subgoal", "wash", 4)])
    assert (second.number, second.by, second.file, said(second.goals)) == (2, "bo", "", [("subgoal", "wash pan", 5)])
    assert (second.at - first.at).total_seconds() == 300  # type: ignore[operator]
    assert second.goals[0].steps == steps_of(ROWS[:5])
    with pytest.raises(ConflictError, match="bo saved version 2 of the goals of V in the meantime"):
        video_goals.save(store, **lea_in, video="V", goals=[goal("dry", 1, 4)], based_on=1)
    assert len(video_goals.of_project(store, **lea_in).versions["V"]) == 2
    assert video_goals.save(store, **lea_in, video="V", goals=[], based_on=2).number == 3
    assert not video_goals.of_project(store, **lea_in).now("V").goals


def test_the_same_again_is_no_version_and_other_videos_stay(store: Store) -> None:
    make_project(store)
    lea: dict[str, Any] = {"by": make_person(store, "lea", role=Role.LEAD), "project": "p"}
    video_goals.narrate(store, **lea, narrations={"V": ROWS}, source=SOURCE)
    before = video_goals.newest(store, **lea)
    assert video_goals.narrate(store, **lea, narrations={"V": ROWS}, source=SOURCE) == FileChanges(0, 0, 1)
    assert video_goals.newest(store, **lea) == before
    other = [*ROWS[:11], replace(ROWS[11], text="rest")]
    assert video_goals.narrate(store, **lea, narrations={"V": other, "W": [FULL]}, source=SOURCE) == FileChanges(
        1, 1, 0
    )
    for n in (1, 0):
        put = video_goals.put_file(store, **lea, goals={"V": [goal("wash", 1, 4)]}, file="g.json")
        assert put == FileChanges(n, 0, 1 - n)
    assert video_goals.of_project(store, **lea).narrations["V"][11].text == "rest"


def test_faults_are_counted_as_they_are_saved_and_anew_when_narrations_change(store: Store) -> None:
    make_project(store)
    lea: dict[str, Any] = {"by": make_person(store, "lea", role=Role.LEAD), "project": "p"}
    video_goals.narrate(store, **lea, narrations={"V": ROWS, "W": [FULL]}, source=SOURCE)
    assert video_goals.of_project(store, **lea).counts == {"V": (0, 0), "W": (0, 0)}
    # three actions are one too few, and the other goal has the same words
    video_goals.put_file(store, **lea, goals={"V": [goal("wash", 1, 3), goal("wash", 4, 8)]}, file="g.json")
    assert video_goals.of_project(store, **lea).counts["V"] == (2, 2)
    video_goals.save(store, **lea, video="V", goals=[goal("wash", 1, 3), goal("dry", 4, 8)], based_on=1)
    assert video_goals.of_project(store, **lea).counts["V"] == (2, 1)
    # the narration of an action of the second goal says otherwise since
    other = [*ROWS[:7], replace(ROWS[7], text="rest"), *ROWS[8:]]
    video_goals.narrate(store, **lea, narrations={"V": other}, source=SOURCE)
    assert video_goals.of_project(store, **lea).counts["V"] == (2, 2)
    with store.read() as session:
        told = events.of_kinds(session, project_id=1, kinds=(events.GOALS_SAVED,))
    assert [event.data["counted"] for event, _ in told] == [
        {"goals": 2, "faults": 2, "narrated": 1},
        {"goals": 2, "faults": 1, "narrated": 1},
    ]


def test_what_is_no_goal_here_and_who_may_not(store: Store) -> None:
    make_project(store)
    lea, ann = make_person(store, "lea", role=Role.LEAD), make_person(store, "ann")
    with pytest.raises(InvalidInputError, match="V has no narrations"):
        video_goals.save(store, by=lea, project="p", video="V", goals=[goal("wash", 1, 4)], based_on=0)
    video_goals.narrate(store, by=lea, project="p", narrations={"V": ROWS}, source=SOURCE)
    for bad in (replace(goal("wash", 1, 4), text=" "), replace(goal("wash", 1, 4), steps=())):
        with pytest.raises(InvalidInputError, match="has no"):
            video_goals.save(store, by=lea, project="p", video="V", goals=[bad], based_on=0)
    for use in (
        lambda: video_goals.newest(store, by=ann, project="p"),
        lambda: video_goals.of_project(store, by=ann, project="p"),
        lambda: video_goals.save(store, by=ann, project="p", video="V", goals=[], based_on=0),
        lambda: video_goals.narrate(store, by=ann, project="p", narrations={}, source=SOURCE),
        lambda: video_goals.put_file(store, by=ann, project="p", goals={}, file=""),
    ):
        with pytest.raises(NotAllowedError):
            use()


@needs_archives
def test_an_archive_of_the_project_has_all_of_it(store: Store, tmp_path: Path) -> None:
    make_project(store)
    lea = make_person(store, "lea", role=Role.LEAD)
    video_goals.narrate(store, by=lea, project="p", narrations={"V": ROWS, "W": [FULL]}, source=SOURCE)
    for number, text in enumerate(("wash", "wash pan")):
        video_goals.save(store, by=lea, project="p", video="V", goals=[goal(text, 1, 4)], based_on=number)
    admin = accounts.create_person(store, login="adm", name="Adm", is_admin=True)
    media = MediaStore(tmp_path / "media")
    export_project(store, media, out=tmp_path / "p.zip")
    import_project(store, media, path=tmp_path / "p.zip", name="q", people="match")
    here, there = (video_goals.of_project(store, by=lea, project=name) for name in ("p", "q"))
    assert (there.narrations, there.versions) == (here.narrations, here.versions)
    assert len(there.versions["V"]) == 2
    clone_project(store, media, name="r", without=frozenset({ProjectPart.VOTES, ProjectPart.PEOPLE}))
    assert len(video_goals.of_project(store, by=admin, project="r").versions["V"]) == 2, "no history"
    kinds = [each.kind for each in audit.entries(store, by=lea, project="q", kinds=["goals."])]
    assert kinds == ["goals.saved"] * 2 + ["goals.narrated"] * 2
