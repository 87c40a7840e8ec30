"""Test ``touchstone labelstudio`` and the page Label Studio against a real server, with our own server next to it."""

from __future__ import annotations

import os
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from sqlmodel import col, select
from streamlit.testing.v1 import AppTest

from app.services import Services
from db.tables import AnnotationRow, BridgeProjectRow, BridgeRow, BridgeTaskRow
from domain.bridge import BridgeState
from domain.settings import Settings
from extensions.labelstudio.tests.live.server import annotate, project, tasks
from testkit.forked import Forked
from testkit.serving import Server, environment, touchstone
from tests.app.homes import Home, make_home
from tests.paths import ROOT
from tools.label_studio import Account, LabelStudio
from workflow.access import accounts
from workflow.annotate import image_pool, submissions

HOOK = "hook-secret-0123456789"
YES = [{"from_name": "fits", "to_name": "about", "type": "choices", "value": {"choices": ["yes"]}}]
"""The result that the server's own page stores for the first choice of the demo's verification."""


def written(home: Home, count: int) -> None:
    """Let Ana write items about the pictures of the pool."""
    store = home.store()
    ana = accounts.find_person(store, login="ana")
    for number in range(count):
        image = image_pool.pool(store, person=ana, project="tiny").assets[0].id
        task = image_pool.pick(store, person=ana, project="tiny", dimension="counting", assets=[image])
        item = {"question": f"How many cups ({number})?", "answer": "Two."}
        submissions.submit(store, person=ana, task=task.id, key=f"w{number}", values=item)
    store.close()


class Team:
    """A project of ours with work for Bo and Chi, who have accounts there, and the commands as a person types them."""

    def __init__(self, home: Home, there: LabelStudio, serving: Server, **more: str) -> None:
        self.home, self.there, self.serving = home, there, serving
        self.settings = {
            "TOUCHSTONE_LABEL_STUDIO_TOKEN": there.admin.personal,
            "TOUCHSTONE_PUBLIC_URL": serving.url,
            **more,
        }

    def run(self, *words: str) -> str:
        """Run a command that succeeds, and return its output."""
        done = touchstone("labelstudio", *words, home=self.home.path, **self.settings)
        assert done.returncode == 0, (done.stdout, done.stderr)
        assert self.there.admin.personal not in done.stdout + done.stderr
        return done.stdout

    def start(self, *words: str, log: Path) -> Forked:
        """Start a command that keeps running."""
        seen = environment(self.home.path, **self.settings)
        log.touch()
        return Forked(["labelstudio", *words], env=seen, cwd=ROOT, out=log, err=log)

    def mapped(self, **people: str) -> None:
        pairs = [f"{login}={email}" for login, email in people.items()]
        self.run("map", "tiny", *pairs, "--server", self.there.url)

    def waiting(self, account: Account) -> list[dict[str, Any]]:
        """Return the waiting tasks of a person there, in the person's projects in this test's own database."""
        person = self.id_of(account.email.split(".")[0])
        store = self.home.store()
        with store.read() as session:
            known = (
                select(BridgeProjectRow.outside_id)
                .join(BridgeRow, col(BridgeRow.id) == BridgeProjectRow.bridge_id)
                .where(BridgeRow.address == self.there.url, BridgeProjectRow.person_id == person)
                .where(col(BridgeProjectRow.removed_at).is_(None))
            )
            mine = [number for number in session.exec(known) if number is not None]
        store.close()
        return [task for number in mine for task in tasks(account, number) if not task["annotations"]]

    def out(self) -> int:
        """Return the number of waiting tasks from our own database, which costs less than a request to the server."""
        store = self.home.store()
        with store.read() as session:
            found = session.exec(select(BridgeTaskRow).where(BridgeTaskRow.state == BridgeState.OUT)).all()
        store.close()
        return len(found)

    def votes(self) -> list[tuple[int | None, dict[str, Any]]]:
        """Return the stored votes of verification, with their people."""
        store = self.home.store()
        with store.read() as session:
            found = session.exec(select(AnnotationRow).where(AnnotationRow.stage == "verification")).all()
        store.close()
        return [(row.person_id, dict(row.answers)) for row in found]

    def woken(self) -> datetime | None:
        """Return the time of the last webhook call. ``test_bridge_wake.py`` tests its effect."""
        store = self.home.store()
        with store.read() as session:
            found = session.exec(select(BridgeRow)).one().woken_at
        store.close()
        return found

    def id_of(self, login: str) -> int:
        store = self.home.store()
        found = accounts.find_person(store, login=login).id
        store.close()
        return found


@pytest.fixture
def team(tmp_path: Path, sqlite_template: Path, label_studio: LabelStudio) -> Iterator[Team]:
    """Yield a team whose own server has the address that pages use. A test that needs its answers starts it."""
    home = make_home(tmp_path, sqlite_template, pictures=3)
    written(home, 2)
    serving = Server(home.path, TOUCHSTONE_LABEL_STUDIO_HOOK=HOOK)
    yield Team(home, label_studio, serving)
    serving.stop()


Person = Callable[[str], Account]


@pytest.fixture
def bo(label_studio_person: Person) -> Account:
    return label_studio_person("bo.commands@example.org")


@pytest.fixture
def chi(label_studio_person: Person) -> Account:
    return label_studio_person("chi.commands@example.org")


def picture_of(task: dict[str, Any]) -> str:
    """Return the address of a task's picture."""
    return str(task["data"]["media_image"][0]["url"])


def status_of(address: str, token: str = "") -> tuple[int, str]:
    """Return the reply of an address to a client without our cookie."""
    request = urllib.request.Request(address, headers={"Authorization": f"Token {token}"} if token else {})
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.status, reply.headers["Content-Type"]
    except urllib.error.HTTPError as error:
        error.close()
        return error.code, ""


def until(holds: Callable[[], bool], *, seconds: float) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.1)


def stopped(process: Forked, log: Path) -> str:
    """End a sync as Ctrl+C does, and return its output."""
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(30) == 0, log.read_text()
    return log.read_text()


@pytest.mark.essential
def test_from_nothing_to_a_stored_vote(team: Team, bo: Account, chi: Account) -> None:
    team.serving.start()
    team.mapped(bo=bo.email, chi=chi.email)
    invited = team.run("map", "tiny", "--invite")
    link = next(word for word in invited.split() if word.startswith(team.there.url + "/"))
    assert status_of(link)[0] == 200
    assert "4 tasks sent" in team.run("export", "tiny", "--stage", "verification")
    assert "There are no tasks to send or remove." in team.run("export", "tiny")
    assert "no account found yet" not in team.run("map", "tiny")
    task, *rest = team.waiting(bo)
    assert len(rest) == 1
    assert status_of(picture_of(task)) == (200, "image/webp")
    assert team.run("import", "tiny").strip() == "No new answers."
    annotate(bo, task["id"], YES, seconds=7.5)
    assert team.run("import", "tiny").splitlines() == ["1 answer stored", "1 task removed there"]
    assert team.votes() == [(team.id_of("bo"), {"fits": "yes"})]
    assert [each["id"] for each in team.waiting(bo)] == [rest[0]["id"]]
    assert status_of(picture_of(task))[0] == 404
    assert status_of(picture_of(rest[0]))[0] == 200
    assert team.run("import", "tiny").strip() == "No new answers."
    told = team.run("show", "tiny")
    assert "verification, bo: 1 task is waiting in Label Studio. Touchstone has stored 1 answer." in told
    assert "verification, chi: 2 tasks are waiting in Label Studio." in told


def test_two_at_once_store_everything_once_and_end_when_told(
    team: Team, bo: Account, chi: Account, tmp_path: Path
) -> None:
    team.mapped(bo=bo.email, chi=chi.email)
    logs = [tmp_path / "first.log", tmp_path / "second.log"]
    running = [team.start("sync", "tiny", "--stage", "verification", "--every", "1", log=log) for log in logs]
    until(lambda: team.out() == 4, seconds=40)
    assert (len(team.waiting(bo)), len(team.waiting(chi))) == (2, 2)
    for account in (bo, chi):
        for task in team.waiting(account):
            annotate(account, task["id"], YES)
    until(lambda: len(team.votes()) == 4, seconds=40)
    said = [stopped(process, log) for process, log in zip(running, logs, strict=True)]
    assert team.run("import", "tiny").strip() == "No new answers."
    assert len(team.votes()) == 4
    stored = [line for text in said for line in text.splitlines() if "stored" in line]
    assert sum(int(line.split()[1]) for line in stored) == 4
    assert all(text.splitlines()[-1].startswith("Synchronization ended.") for text in said)
    assert all("Traceback" not in text for text in said)
    assert not team.waiting(bo) + team.waiting(chi)


def test_a_server_that_went_away_is_waited_for(team: Team, open_label_studio: LabelStudio, tmp_path: Path) -> None:
    there = Team(team.home, open_label_studio, team.serving)
    bo = open_label_studio.sign_up("bo.own@example.org")
    there.mapped(bo=bo.email)
    log = tmp_path / "sync.log"
    running = there.start("sync", "tiny", "--stage", "verification", "--every", "1", log=log)
    until(lambda: there.out() == 2, seconds=40)
    assert len(there.waiting(bo)) == 2
    open_label_studio.kill()
    until(lambda: "does not answer" in log.read_text(), seconds=60)
    open_label_studio.start()
    annotate(bo, there.waiting(bo)[0]["id"], YES)
    until(lambda: len(there.votes()) == 1, seconds=90)
    text = stopped(running, log)
    assert text.count("does not answer") == 1
    assert "Label Studio responds again." in text


def test_its_webhook_wakes_a_pull_and_its_own_files_are_shown(
    team: Team, open_label_studio: LabelStudio, tmp_path: Path
) -> None:
    team.serving.start()
    beside, root = open_label_studio, open_label_studio.folder.with_name("files")
    there = Team(
        team.home, beside, team.serving, TOUCHSTONE_LABEL_STUDIO_FILES=str(root), TOUCHSTONE_LABEL_STUDIO_HOOK=HOOK
    )
    bo = beside.sign_up("bo.beside@example.org")
    there.mapped(bo=bo.email)
    assert "2 tasks sent" in there.run("export", "tiny", "--stage", "verification")
    storage = {
        "project": project(beside.admin, "the folder of pictures"),
        "path": str(root / "touchstone"),
        "use_blob_urls": False,
    }
    beside.admin.call("POST", "/api/storages/localfiles/", storage)
    task, other = there.waiting(bo)
    file = beside.url + picture_of(task)
    assert "/data/local-files/?d=touchstone/" in file
    assert status_of(file, bo.token) == (200, "image/webp")
    assert status_of(file)[0] in (401, 403)
    hooks = beside.admin.call("GET", "/api/webhooks/")
    assert [hook["url"] for hook in hooks] == [f"{team.serving.url}/label-studio/hook"]
    log = tmp_path / "sync.log"
    running = there.start("sync", "tiny", "--every", "10", log=log)
    until(lambda: "Synchronizing tiny" in log.read_text(), seconds=30)
    woken = there.woken()
    annotate(bo, task["id"], YES)
    until(lambda: there.woken() != woken, seconds=60)
    until(lambda: len(there.votes()) == 1, seconds=60)
    until(lambda: status_of(file, bo.token)[0] == 404, seconds=60)
    assert status_of(beside.url + picture_of(other), bo.token)[0] == 200
    stopped(running, log)


# ---- the page --------------------------------------------------------------------------------------------------------


def words(test: AppTest) -> str:
    assert not test.exception
    return "\n".join(element.proto.body for element in test.get("html"))


def test_a_lead_connects_says_who_is_who_pushes_and_pulls(
    team: Team, bo: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**team.settings, "TOUCHSTONE_HOME": str(team.home.path)}.items():
        monkeypatch.setenv(name, value)
    store = team.home.store()
    services = Services(
        store, team.home.media(), Settings(team.home.path, ""), accounts.find_person(store, login="lea"), "csrf"
    )

    def screen(services):  # type: ignore[no-untyped-def]
        from app import shell

        with shell.guard(services):
            shell.draw_view("label_studio", services)

    page = AppTest.from_function(screen, args=(services,), default_timeout=120)
    page.query_params["project"] = "tiny"
    page.run()
    assert "Connect a server" in words(page)
    page.text_input[0].input("nowhere")
    press(page, "Connect")
    assert "ts-notice bad" in words(page)
    page.text_input[0].input(team.there.url + "/")
    page.multiselect[0].select("verification")
    press(page, "Connect")
    assert "Saved." in words(page)
    assert "No accounts are matched yet" in words(page)
    email = next(box for box in page.text_input if box.label == "Email address of Bo")
    email.input(bo.email)
    press(page, "Save people")
    assert "Saved 1 change" in words(page)
    press(page, "Push")
    until(lambda: "2 tasks sent" in words(page.run()), seconds=120)
    annotate(bo, team.waiting(bo)[0]["id"], YES)
    press(page, "Pull now")
    until(lambda: "1 answer stored" in words(page.run()), seconds=120)
    assert len(team.votes()) == 1
    email = next(box for box in page.text_input if box.label == "Email address of Bo")
    assert email.value == bo.email
    email.input("")
    press(page, "Save people")
    press(page, "Push")
    until(lambda: "1 task called back" in words(page.run()), seconds=120)
    assert not team.waiting(bo)
    store.close()
    st.cache_resource.clear()


def press(page: AppTest, label: str) -> None:
    next(button for button in page.button if button.label == label).click().run()
