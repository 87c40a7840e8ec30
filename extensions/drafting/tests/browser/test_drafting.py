"""A model's proposal on the author's page: there for one image, not for the other, corrected by keys, owned by a
person, and nowhere on the page of who verifies."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from db import assets
from domain.roles import Role
from domain.states import Stage
from extensions.drafting.arms import draw_arm
from extensions.drafting.proposal_import import OfferedFile, OfferedProposal, import_proposals
from extensions.drafting.tests.test_arm_report import study
from extensions.drafting.tests.test_drafting_page import made_of, proposals
from extensions.drafting.tests.test_proposal_reply import GOOD
from media.store import MediaStore
from testkit.factories import make_person, make_pool
from testkit.missing_extensions import needs
from testkit.serving import Server, touchstone
from tests.app.homes import picture
from tests.e2e.people import Desk, at_desk, opened
from tests.e2e.test_for_everyone import unfit
from workflow.access import accounts, memberships
from workflow.annotate import image_pool

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def running(server: Server, tmp_path: Path) -> Server:
    """Two pictures with proposals, of which the author of one is shown it: the first in the pool."""
    done = touchstone("project", "create", "p", "--schema", "pca_bench", home=server.home)
    assert done.returncode == 0, done.stderr
    with opened(server) as store:
        for login, stage in (("ada", Stage.AUTHORING), ("vera", Stage.VERIFICATION)):
            accounts.create_person(store, login=login, name=login.title())
            memberships.set_member(store, by=None, project="p", login=login, role=Role.ANNOTATOR, stages=[stage])
        for number in range(2):
            (tmp_path / f"{number}.png").write_bytes(picture(number))
        files = [(f"{number}.png", tmp_path / f"{number}.png") for number in range(2)]
        image_pool.add_to_pool(store, MediaStore(server.home / "media"), by=None, project="p", files=files)
        with store.read() as session:
            free = [asset for asset, _ in assets.free(
                session, project_id=1, dimensions=None, per_source=None, after=None, limit=9)]  # fmt: skip
        ids = [asset.public_id for asset in free]
        seed = next(seed for seed in range(100) if draw_arm(ids, share=0.5, seed=seed) == {ids[0]})
        rows = [
            OfferedProposal(each.name, each.public_id, (each.sha256 or "",), "autonomous_driving", GOOD, {})
            for each in free
        ]
        import_proposals(
            store, by=None, project="p", file=OfferedFile("f" * 64, "drafter-9", tuple(rows)), share=0.5, seed=seed
        )
    return server.start()


def _question(desk: Desk) -> str:
    return desk.page.locator(".field[data-field=question] textarea").input_value()


def _passes(desk: Desk, seconds: int) -> None:
    """By the clock of the page, until it is loaded anew."""
    desk.page.evaluate("ms => { const now = Date.now; Date.now = () => now() + ms; }", 1000 * seconds)


def test_a_proposal_is_marked_corrected_and_owned(running: Server, chromium: Browser, pictures: Path | None) -> None:
    with at_desk(chromium, running, "ada") as desk:
        desk.open("/author?project=p")
        expect(desk.bench).to_have_attribute("data-view", "pool")
        assert "Proposed" not in desk.page.content()
        desk.press("Enter")
        expect(desk.bench).to_have_attribute("data-view", "task")
        mark = desk.page.locator(".proposed")
        expect(mark).to_be_visible()
        expect(mark).to_contain_text("A model proposed this text. Look at the image")
        assert _question(desk) == GOOD["question"]
        expect(desk.page.locator(".field[data-field=answer] .choice.chosen")).to_contain_text("brake")
        assert "drafter-9" not in desk.page.content()
        desk.looks(pictures, "proposal")
        desk.press("ControlOrMeta+a")
        desk.page.keyboard.insert_text("You drive fast. What now?")
        expect(desk.page.locator(".saved")).to_contain_text("draft saved")
        _passes(desk, 20)
        desk.page.locator(".field[data-field=reason] textarea").click()
        _passes(desk, 7)
        desk.page.reload()
        expect(desk.bench).to_have_attribute("data-view", "task")
        assert _question(desk) == "You drive fast. What now?"
        expect(mark).to_be_visible()
        desk.page.locator("section.form").focus()  # no field
        _passes(desk, 5)
        with desk.page.expect_request("**/api/submit") as request:
            desk.press("Control+Enter")
        sent = request.value.post_data_json
        at = sent["field_seconds"]
        assert set(at) == {"question", "reason"}
        assert at["question"] >= 20
        assert 7 <= at["reason"] < 20
        assert sum(at.values()) + 4.9 <= sent["seconds"]
        expect(desk.bench).to_have_attribute("data-view", "pool")
        desk.press("Enter")
        expect(desk.bench).to_have_attribute("data-view", "task")
        expect(mark).to_be_hidden()
        assert _question(desk) == ""
        assert GOOD["reason"] not in desk.page.content()
    with closing(sqlite3.connect(running.home / "touchstone.db")) as connection:
        (content,) = connection.execute("SELECT content FROM revision").fetchall()
        (seconds,) = connection.execute("SELECT seconds FROM annotation").fetchone()
        [(told,)] = connection.execute("SELECT data FROM event WHERE kind = 'drafting.time_by_field'").fetchall()
    assert json.loads(content[0]) == {**GOOD, "question": "You drive fast. What now?"}
    kept = json.loads(told)["seconds"]
    # the server's clock did not run ahead: it took less, of which each field has its share
    assert sum(kept.values()) <= seconds + 1e-6
    assert kept["question"] / kept["reason"] == pytest.approx(at["question"] / at["reason"])
    with at_desk(chromium, running, "vera") as desk:
        desk.open("/verify?project=p")
        expect(desk.bench).to_have_attribute("data-view", "task")
        assert desk.page.locator(".proposed").count() == 0 or not desk.page.locator(".proposed").is_visible()
        for word in ("drafter-9", GOOD["reason"], GOOD["question"]):
            assert word not in desk.page.content()


@needs("pages", "pipelines")
def test_a_lead_sees_both_arms_and_gives_another_file(server: Server, chromium: Browser, pictures: Path | None) -> None:
    with opened(server) as store:
        store.upgrade()
        study(store)
        make_person(store, "lea", role=Role.LEAD)
        file = proposals(make_pool(store, 4, source="new"))
    server.start()
    with at_desk(chromium, server, "lea") as lea:
        lea.open("/drafting?project=p")
        page = lea.page
        expect(page.locator('[data-part="compared"] tbody tr')).to_have_count(7)
        expect(page.locator(".st-key-chart-drafting svg.marks")).to_be_visible()
        expect(page.locator('[data-part="said"]')).to_contain_text("do not show whether proposals change")
        assert unfit(page) == {}
        lea.looks(pictures, "drafting")
        lea.settled()
        page.get_by_text("Import proposals").click()
        for at, (name, data) in enumerate((("d.json", file), ("d.made.json", made_of(file)))):
            content = {"name": name, "mimeType": "application/json", "buffer": data}
            page.locator("input[type=file]").nth(at).set_input_files([content])  # type: ignore[list-item]
            lea.settled()
        page.get_by_role("button", name="Preview").click()
        expect(page.locator('[data-part="look"]')).to_contain_text(
            "4 images with a proposal: authors see the proposal for 2 of the images"
        )
        lea.looks(pictures, "drafting-look")
        lea.settled()
        page.get_by_role("button", name="Add these proposals to 4 images").click()
        expect(page.locator('[data-part="arms"] tbody tr').first).to_contain_text("8")  # six and two
        lea.open("/pipelines?project=p")
        expect(page.locator('[data-part="proposals"] tbody tr')).to_have_count(4)  # two lines for either file
        assert unfit(page) == {}
        lea.looks(pictures, "pipelines-proposals")
