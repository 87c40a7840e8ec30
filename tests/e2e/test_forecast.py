"""The dashboard says when a stage may be done and who is at it: what people did in browsers, counted here."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, expect
from sqlalchemy import text

from media.store import MediaStore
from testkit import missing_media
from testkit.samples import egothink_record, write
from testkit.serving import Server, touchstone
from tests.e2e.people import Desk, at_desk, opened
from workflow.files import import_files

pytestmark = pytest.mark.browser

N_ITEMS = 8


def _run(server: Server, *arguments: str) -> str:
    done = touchstone(*arguments, home=server.home)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _days_pass(server: Server, days: int) -> None:
    """What has been submitted was submitted so many days earlier: the one thing that a test cannot wait for."""
    with opened(server) as store, store.write() as session:
        kept = "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'annotation'"
        triggers = [row[0] for row in session.execute(text(kept))]
        for trigger in triggers:
            session.execute(text(f"DROP TRIGGER {trigger.split()[2]}"))
        rows = session.execute(text("SELECT id, created_at FROM annotation")).all()
        for id, at in rows:
            earlier = str(datetime.fromisoformat(at) - timedelta(days=days))
            session.execute(text("UPDATE annotation SET created_at = :at WHERE id = :id"), {"at": earlier, "id": id})
        for trigger in triggers:
            session.execute(text(trigger))


def _vote(desk: Desk, n: int) -> None:
    desk.open("/verify?project=team")
    for _ in range(n):
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.next_after("1")


def _row(desk: Desk, login: str) -> dict[str, str]:
    """A line of the table of people, by the heads of its columns."""
    table = desk.page.locator("table", has=desk.page.locator(f"[data-person={login}]"))
    heads = table.locator("th").all_inner_texts()
    cells: Locator = table.locator("tr", has=desk.page.locator(f"[data-person={login}]")).locator("td")
    return dict(zip(heads, cells.all_inner_texts(), strict=True))


def test_the_finish_is_worked_out_from_the_days_and_people_lead_to_their_scorecards(
    server: Server, chromium: Browser, tmp_path: Path
) -> None:
    _run(server, "project", "create", "team", "--schema", "demo")
    write(tmp_path / "items" / "Activity" / "annotations.json", [egothink_record(n) for n in range(N_ITEMS)])
    for n in range(N_ITEMS):
        Image.new("RGB", (64, 48), (n * 30, 90, 90)).save(tmp_path / f"{n}.jpg")
    with opened(server) as store:
        media, path = MediaStore(server.home / "media"), tmp_path / "items"
        import_files.import_files(
            store, media, by=None, project="team", format="egothink", path=path, media_dir=tmp_path
        )
    for login in ("ann", "ben"):
        _run(server, "people", "add", login, "--project", "team", "--stage", "verification")
    _run(server, "people", "add", "lea", "--project", "team", "--role", "lead")
    server.start()
    with at_desk(chromium, server, "lea") as lea, at_desk(chromium, server, "ann") as ann:
        for n, days in ((1, 1), (3, 2)):
            _vote(ann, n)
            _days_pass(server, days)
        lea.open("/dashboard?project=team")
        finish = lea.page.locator("[data-part=finish][data-stage=verification]")
        expect(finish).to_have_text("-")
        expect(lea.page.get_by_text("No forecast: 2 days with work")).to_be_visible()
        _vote(ann, 2)
        _days_pass(server, 1)
        # She worked four, three and one days ago: on three of the four days before today, 1, 3 and 2 tasks.
        with at_desk(chromium, server, "ben") as ben:
            _vote(ben, 2)  # today, which is not over, and a third one is in his hands
            lea.page.reload()
            expect(finish).not_to_have_text("-")
            left = 2 * N_ITEMS - 1 - 3 - 2 - 2
            best, worst = math.ceil(math.ceil(left / 3) * 4 / 3), math.ceil(math.ceil(left / 1) * 4 / 3)
            today = datetime.now(UTC).date()
            expect(finish).to_have_text(f"{today + timedelta(best - 1)} and {today + timedelta(worst)}")
            rows = {login: _row(lea, login) for login in ("ann", "ben", "lea")}
        told = ("Today", "7 days", "In hand", "Drafts", "Expired")
        assert {login: [row[name] for name in told] for login, row in rows.items()} == {
            "ann": ["0", "6", "1", "0", "0"],
            "ben": ["2", "2", "1", "0", "0"],
            "lea": ["0", "0", "0", "0", "0"],
        }
        assert rows["lea"]["Last seen"] == "-"
        assert rows["ben"]["Last seen"] == "now"
        lea.page.locator("[data-person=ben]").click()
        expect(lea.page.get_by_role("combobox", name="Whose")).to_have_value("ben (ben), verification")


def test_what_blocks_a_stage_is_said_until_it_is_mended(server: Server, chromium: Browser, tmp_path: Path) -> None:
    """First too few may verify; then, as those two do not agree, no one may settle."""
    _run(server, "project", "create", "team", "--schema", "jury")
    folder = tmp_path / "items" / "kitchen"
    folder.mkdir(parents=True)
    asked = ["Where is the cup?", "Where is the pan?"]
    records = [{"image_path": [f"{n}.jpg"], "question": text, "answer": "Here."} for n, text in enumerate(asked)]
    (folder / "annotations.json").write_text(json.dumps(records))
    _run(server, "import", "team", "egothink", str(folder.parent))
    missing_media.fill_home(server.home)
    _run(server, "people", "add", "ann", "--project", "team", "--stage", "verification")
    _run(server, "people", "add", "lea", "--admin")  # no member, so no one who could verify or settle
    server.start()
    with at_desk(chromium, server, "lea") as lea:
        told = lea.page.locator("table", has_text="What blocks it").locator("tr", has_text="Kitchen").locator("td").last

        def look() -> None:
            lea.open("/dashboard?project=team")

        look()
        expect(told).to_contain_text(f"{len(asked)} items wait for 2 votes, but only 1 person may verify here")
        _run(server, "people", "add", "ben", "--project", "team", "--stage", "verification")
        look()
        expect(told).not_to_contain_text("votes")
        for login, keys in (("ann", "111"), ("ben", "221")):  # they differ about both items
            with at_desk(chromium, server, login) as desk:
                desk.open("/verify?project=team")
                for _ in asked:
                    expect(desk.bench).to_have_attribute("data-view", "task")
                    desk.next_after(*keys)
        look()
        expect(told).to_contain_text(f"{len(asked)} items wait for a senior, and no one here is one")
        _run(server, "people", "add", "sam", "--project", "team", "--role", "senior")
        look()
        expect(told).not_to_contain_text("senior")
