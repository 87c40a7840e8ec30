"""A lead's path from a schema to the archive in Firefox, by keyboard: files into it and out of it, dialogs, lists, and
buttons pressed twice. What other people do on the way is stored; ``test_firefox.py`` has their pages."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.records import TaskView
from domain.roles import Role
from domain.states import RatersAre, Stage
from media.store import MediaStore
from testkit import firefox, missing_media
from testkit.firefox import Firefox
from testkit.missing_extensions import needs
from testkit.serving import Server
from tests.e2e import lead_story
from tests.e2e.lead_story import PASSWORD, PROJECT, SCHEMA, TITLE, Plan
from tests.e2e.people import opened, sign_in_link
from workflow.access import accounts, memberships, projects
from workflow.annotate import submissions
from workflow.annotate.claims import next_task
from workflow.files.import_files import import_files

pytestmark = [
    needs("pages", "calibration"),
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.thorough,
    pytest.mark.skipif(firefox.program() is None, reason=f"there is no Firefox: install {firefox.PACKAGE}"),
]

N = 10
PLAN = Plan(lead_story.drawn(N), live=range(N), split=(0, 4), wrong=(5,))
CHOSEN = "[role=radiogroup][aria-label={}] input:checked"
TITLES = "return [...document.querySelectorAll('h1, [role=heading]')].map((one) => one.ariaLabel || one.innerText)"
IN_DIALOG = "[role=dialog] :is(button, input)"


@pytest.fixture
def serving(home: Path) -> Iterator[Server]:
    server = Server(home)
    with opened(server) as store:
        store.upgrade()
        accounts.create_person(store, login="lena", name="Lena", is_admin=True)
        for login in ("ann", "bob", "sue"):
            accounts.create_person(store, login=login, name=login.capitalize())
    yield server.start()
    server.stop()


def test_a_lead_comes_from_a_schema_to_a_release_and_the_archive(serving: Server, tmp_path: Path) -> None:
    with firefox.launched(tmp_path / "firefox") as window:
        window.sign_in(sign_in_link(serving, "lena"))
        _make(window, serving, tmp_path)
        _bring(window, lead_story.as_file(PLAN.records, tmp_path))
        link = _invite(window)
        _join(window, link, "cat")
        with opened(serving) as store:
            lena = accounts.find_person(store, login="lena")
            led = {
                each.name: memberships.list_members(store, person=lena, project=each.name)
                for each in projects.projects_of(store, person=lena)
            }
        assert {name: sorted(each.person.login for each in members) for name, members in led.items()} == {
            PROJECT: ["cat", "lena"]
        }
        window.sign_in(sign_in_link(serving, "lena"))
        window.open(f"{serving.url}/people?project={PROJECT}")
        _give_rights(window)
        _others_work(serving, tmp_path)
        _calibrate(window)
        _release(window)
        _archive(window)
        assert window.thrown() == []
    with opened(serving) as store:
        (view,) = projects.projects_of(store, person=accounts.find_person(store, login="lena"))
        assert view.archived, "and one project, however often its button was pressed"


def _goes(window: Firefox, typed: str, title: str = "") -> None:
    """M, words about a page, Enter. ``title`` is in the title of that page, by default what was typed."""
    window.settled()
    window.keys("m", *typed, "Enter")
    window.waits(lambda: any((title or typed) in shown for shown in window.asks(TITLES)), f"page {title or typed}")
    window.settled()


def _radio(window: Firefox, group: str, begins: str) -> None:
    """Reach a group of radio buttons, and go to one of them with the arrows."""
    chosen = CHOSEN.format(json.dumps(group))
    window.reaches("", selector=chosen)
    for _ in range(10):
        if window.asks("return document.querySelector(given[0]).closest('label').innerText", chosen).startswith(begins):
            window.settled()
            return
        window.keys("ArrowDown")
    raise AssertionError(f"{group} has no {begins}")


def _make(window: Firefox, server: Server, folder: Path) -> None:
    """From a YAML, with two presses where one is meant."""
    window.open(f"{server.url}/new_project")
    window.shows("Start from")
    window.settled()
    _radio(window, "Start from", "YAML file")
    path = folder / "kitchen.yaml"
    path.write_text("".join(line for line in SCHEMA.splitlines(keepends=True) if "qualification" not in line))
    window.gives(path)
    window.shows("1 dimension. Stages: verification, adjudication, grading.")
    window.settled()
    window.enters("Create project", times=2)
    window.shows(f"Project {TITLE} was created.", "First release")


def _bring(window: Firefox, file: Path) -> None:
    _goes(window, "Import", "Add items")
    window.gives(file)
    window.shows(f"{N} items will be imported")
    window.settled()
    window.enters(f"Import {N} items", selector="button", times=2)
    window.shows(f"{N} items imported")


def _invite(window: Firefox) -> str:
    _goes(window, "People")
    window.enters("Invite someone")
    window.shows("Make an invitation")
    window.settled()
    window.types("[role=dialog] input[type=text]", "Cat")
    window.enters("Make an invitation", selector=IN_DIALOG, times=2)
    window.waits(lambda: window.count("[role=dialog]") == 0, "dialog that is closed")
    window.shows("Annotator for Cat · all dimensions · all stages")
    window.settled()
    assert window.count("[data-testid=stCode]") == 1
    return str(window.asks("return document.querySelector('[data-testid=stCode]').innerText")).strip()


def _join(window: Firefox, link: str, login: str) -> None:
    """Someone else opens the link at that machine, and makes their account."""
    window.leave()
    window.open(link)
    for name, text in (("name", login.capitalize()), ("login", login), ("password", PASSWORD)):
        window.types(f"input[name={name}]", text)
    window.keys("Enter")
    window.shows("My work")


def _give_rights(window: Firefox) -> None:
    """In a dialog, with a button of several that arrows reach."""
    window.enters("Change Cat")
    window.shows("Only these stages")
    window.settled()
    window.reaches("Verification", selector=IN_DIALOG)
    for _ in range(10):
        if window.asks("return document.activeElement.innerText") == "Grading":
            break
        window.keys("ArrowRight")
    window.keys(" ")
    window.settled()
    window.enters("Save", selector=IN_DIALOG, times=2)
    window.shows("Saved: Cat has the role annotator in all dimensions, for Grading.")


def _others_work(server: Server, folder: Path) -> None:
    """Votes, decisions, a model's answers, grades of people and of a judge: as pages and commands store them."""
    with opened(server) as store:
        media = MediaStore(server.home / "media")
        missing_media.fill(store, media)
        for login, role in (("ann", Role.ANNOTATOR), ("bob", Role.ANNOTATOR), ("sue", Role.SENIOR)):
            memberships.set_member(store, by=None, project=PROJECT, login=login, role=role)
        for login in ("ann", "bob"):
            assert sorted(lead_story.stored_votes(server, login, PLAN, N)) == list(range(N))
        sue = accounts.find_person(store, login="sue")
        while isinstance(task := next_task(store, person=sue, project=PROJECT, stage=Stage.ADJUDICATION), TaskView):
            n = PLAN.place(str(task.fields["task_goal"]), [str(each) for each in task.fields["options"]])
            values = {"decision": "accept" if n in PLAN.accepted else "reject", "cause": "unclear"}
            submissions.submit(store, person=sue, task=task.id, key=task.id, values=values)
        about: dict[str, Any] = {"by": None, "project": PROJECT}
        import_files(store, media, format="predictions", path=PLAN.answers(folder), **about)
        for login in ("ann", "bob", "cat"):
            assert lead_story.stored_grades(server, login, PLAN) == len(PLAN.kept)
        rows = [f"{PLAN.records[n]['sample_id']} · mini,strict,score,{int(n not in PLAN.false)}" for n in PLAN.kept]
        judged = folder / "judge.csv"
        judged.write_text("\n".join(["unit,rater,criterion,value", *rows]), encoding="utf-8")
        import_files(store, media, format="ratings", path=judged, raters=RatersAre.MACHINES, **about)


def _calibrate(window: Firefox) -> None:
    _goes(window, "Calibration")
    window.waits(lambda: window.count("[data-part=judge-answer]"), "a verdict")
    window.shows("strict")
    window.settled()
    window.enters("Download report", selector="button")
    with zipfile.ZipFile(window.downloaded("*.zip")) as packed:
        assert json.loads(packed.read("report.json"))["judges"] == ["strict"]


def _release(window: Firefox) -> None:
    """Not before the license is named; then once, however often the button is pressed; what is downloaded is whole."""
    _goes(window, "Release")
    window.shows("Finish or override this check first: License.")
    window.settled()
    window.types("input[aria-label='Override checks']", "License")
    window.keys("Enter", "Escape")
    window.settled()
    window.enters(f"Create release 1 with {len(PLAN.kept)} items", selector="button", times=2)
    window.shows("Release 1 is complete")
    window.settled()
    window.enters("Download", selector="a")
    with zipfile.ZipFile(window.downloaded("*1*.zip")) as packed:
        released = json.loads(packed.read("egoplan/test.json"))
    assert [each["sample_id"] for each in released] == PLAN.kept


def _archive(window: Firefox) -> None:
    window.settled()
    window.keys("m", *"Archive project", "Enter")
    window.shows("Whole project")
    window.enters("Archive project")
    window.shows("Cancel")
    window.enters(f"Archive {TITLE}", selector=IN_DIALOG, times=2)
    window.shows("Restore project")
