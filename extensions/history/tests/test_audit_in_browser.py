"""What was done on pages and by commands is in the log that the lead takes along in a browser."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from app.session import COOKIE
from media.store import MediaStore
from testkit.factories import claimed
from testkit.samples import egothink_record, write
from testkit.serving import Server, touchstone
from tests.app.client import Client
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, sign_in
from workflow.files import import_files

pytestmark = pytest.mark.browser


def _run(server: Server, *arguments: str) -> str:
    done = touchstone(*arguments, home=server.home)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _taken(desk: Desk, button: str) -> str:
    """The file behind a button."""
    desk.settled()
    with desk.page.expect_download() as waiting:
        desk.page.get_by_role("button", name=button).click()
    return Path(waiting.value.path()).read_text(encoding="utf-8")


def test_the_lead_reads_who_voted_from_where(server: Server, chromium: Browser, tmp_path: Path) -> None:
    _run(server, "project", "create", "seen", "--schema", "demo")
    write(tmp_path / "items" / "Activity" / "annotations.json", [egothink_record(n) for n in range(3)])
    for n in range(3):
        Image.new("RGB", (64, 48), (n * 40, 90, 90)).save(tmp_path / f"{n}.jpg")
    with opened(server) as store:
        media, path = MediaStore(server.home / "media"), tmp_path / "items"
        import_files.import_files(
            store, media, by=None, project="seen", format="egothink", path=path, media_dir=tmp_path
        )
    for login in ("ann", "ben"):
        _run(server, "person", "create", login, "--project", "seen", "--stage", "verification")
    _run(server, "person", "create", "lea", "--project", "seen", "--role", "lead")
    server.start()
    votes = {"ann": 3, "ben": 2}
    behind = {"ann": "203.0.113.9"}  # what a proxy on this machine says of where she is
    with opened(server) as store:
        for login, n in votes.items():  # as their pages send it
            person = accounts.find_person(store, login=login)
            client = Client(server.url, cookies={COOKIE: sign_in.start_session(store, person=person)})
            client.csrf = client.read_csrf()
            headers = {"X-Forwarded-For": behind[login]} if login in behind else {}
            for _ in range(n):
                task = claimed(store, person, project="seen")
                vote = {"task": task.id, "key": task.id, "values": {"fits": "yes"}}
                assert client.post("/api/submit", vote, **headers).status == 200
    with at_desk(chromium, server, "lea") as desk:
        desk.open("/audit?project=seen")
        expect(desk.page.get_by_role("heading", name="Audit")).to_be_visible()
        rows = list(csv.DictReader(io.StringIO(_taken(desk, "CSV"))))
        # Ann is gone, and her doings are still found under her name, from where she did them.
        _run(server, "person", "edit", "--deactivate", "ann")
        desk.page.reload()
        desk.settled()
        desk.page.get_by_role("combobox", name="Who").click()
        desk.page.get_by_role("option", name="ann", exact=True).click()
        mine = [row for row in rows if row["who"] == "ann"]
        expect(desk.page.locator("[data-part=count]")).to_have_text(f"{len(mine)} events")
        assert list(csv.DictReader(io.StringIO(_taken(desk, "CSV")))) == mine
        lines = [json.loads(line) for line in _taken(desk, "JSON lines").splitlines()]
        assert [(line["at"], line["kind"]) for line in lines] == [(row["at"], row["kind"]) for row in mine]
        item = next(row["item"] for row in mine if row["kind"] == "task.submitted")
        desk.page.get_by_role("textbox", name="Item").fill(item)
        desk.press("Enter")
        about = [row for row in mine if row["item"] == item]
        assert 0 < len(about) < len(mine)
        expect(desk.page.locator("[data-part=count]")).to_have_text(f"{len(about)} events")
        assert list(csv.DictReader(io.StringIO(_taken(desk, "CSV")))) == about
    sent = [row for row in rows if row["kind"] == "task.submitted"]
    assert Counter(row["who"] for row in sent) == votes
    assert {(row["who"], row["origin"]) for row in sent} == {("ann", behind["ann"]), ("ben", "127.0.0.1")}
    assert {row["origin"] for row in rows if row["kind"] == "project.created"} == {"command"}
    # The same by the command, which sees what the lead's page has added since.
    again = list(csv.DictReader(io.StringIO(_run(server, "event", "list", "seen", "--kind", "task.submitted"))))
    assert again == sent
