"""Triage in a real browser: two people triage drawn frames with keys alone, and the pool has exactly what they kept."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest
from PIL import ImageFilter
from playwright.sync_api import Browser, expect

from domain import csv_text
from domain.roles import Role
from domain.states import Stage
from examples.scenes import scenes
from extensions.image_pool import triage_report
from media.store import MediaStore
from testkit.serving import Server, touchstone
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships
from workflow.annotate import image_pool

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PROJECT = "frames"
TYPED = "a lens cap is on"


@pytest.fixture
def running(server: Server, tmp_path: Path) -> Server:
    """The shipped egothink with two who triage, one who writes, and candidates of three videos."""
    done = touchstone("project", "create", PROJECT, "--schema", "egothink", home=server.home)
    assert done.returncode == 0, done.stderr
    files = []
    for number, scene in enumerate(scenes()[:36:4]):
        picture = scene.picture((640, 480))
        files.append((f"video-{number // 3}/{number}.png", picture))
        if number == 0:
            files.append((f"video-{number // 3}/again.png", picture.resize((600, 450))))
        if number == 3:
            files.append((f"video-{number // 3}/blurred.png", picture.filter(ImageFilter.GaussianBlur(6))))
    offered = []
    for name, picture in files:
        path = tmp_path / name.replace("/", "-")
        picture.save(path)
        offered.append((name, path))
    with opened(server) as store:
        for login, stage in (("ann", Stage.TRIAGE), ("ben", Stage.TRIAGE), ("wes", Stage.AUTHORING)):
            accounts.create_person(store, login=login, name=login.capitalize())
            memberships.set_member(store, by=None, project=PROJECT, login=login, role=Role.ANNOTATOR, stages=[stage])
        accounts.create_person(store, login="lea", name="Lea")
        memberships.set_member(store, by=None, project=PROJECT, login="lea", role=Role.LEAD)
        added = image_pool.add_to_pool(
            store,
            MediaStore(server.home / "media"),
            by=None,
            project=PROJECT,
            files=offered,
            source_of=lambda name: name.split("/", maxsplit=1)[0],
        )
    assert added.added == len(files)
    return server.start()


def shown(desk: Desk) -> list[str]:
    """The frames on the page, in order, all painted."""
    frames = desk.page.locator(".ts-triage")
    expect(frames.first).to_be_visible()
    desk.settled()
    desk.page.wait_for_function(
        """() => [...document.querySelectorAll('.ts-triage img')].every(img => img.complete && img.naturalWidth > 0)"""
    )
    return [frame.get_attribute("data-asset") or "" for frame in frames.all()]


def press(desk: Desk, key: str) -> bool:
    """A key, and what it leads to: other frames, or a sentence. False if the page says that it was one too many."""
    token = desk.page.locator("[data-token]").get_attribute("data-token")
    desk.press(key)
    desk.page.wait_for_function(
        """token => {
            const now = document.querySelector('[data-view=triage]');
            return now ? now.dataset.token !== token : document.querySelector('[data-view=nothing]') !== null;
        }""",
        arg=token,
    )
    desk.settled()
    return desk.page.get_by_text("which is the maximum").count() == 0


def over(desk: Desk) -> bool:
    """Whether the page says that nothing is left."""
    expect(desk.page.locator("[data-view=triage], [data-view=nothing]")).to_have_count(1)
    return desk.page.locator("[data-view=nothing]").count() == 1


def test_two_people_triage_with_keys_alone(running: Server, chromium: Browser, pictures: Path | None) -> None:
    kept: set[str] = set()
    dropped: dict[str, str] = {}
    seen: list[set[str]] = []
    with at_desk(chromium, running, "ann") as ann, at_desk(chromium, running, "ben") as ben:
        for desk in (ann, ben):
            desk.open("/")
            desk.press("1")  # from My work
            seen.append(set(shown(desk)))
        first = shown(ann)
        assert not seen[0] & seen[1]
        assert len(first) == 2, "the same frame twice is one group"
        ann.picture(pictures / "triage.png" if pictures else None)
        # Keep one, take it back, keep it again, and drop the one like it.
        press(ann, "1")
        assert shown(ann) == first[1:]
        press(ann, "u")
        assert shown(ann) == first
        press(ann, "2")
        kept.add(first[1])
        press(ann, "d")
        dropped[first[0]] = "alike"
        blurred = 0
        for step in range(60):
            desk = (ann, ben)[step % 2]
            if over(desk):
                desk.page.reload()
                if over(desk) and over(ann) and over(ben):
                    break
                continue
            frames = shown(desk)
            blurred += desk.page.get_by_text("blurred?").count()
            if desk.page.get_by_text("blurred?").count():
                assert press(desk, "a")
                dropped |= dict.fromkeys(frames, "unclear")
            elif step == 4:  # none of the schema's reasons: one is typed
                token = desk.page.locator("[data-token]").get_attribute("data-token")
                desk.page.get_by_role("textbox", name="Another reason").fill(TYPED)
                desk.press("Enter")
                expect(desk.page.locator(f"[data-token='{token}']")).to_have_count(0)
                dropped |= dict.fromkeys(frames, TYPED)
            elif step % 3 == 2:
                assert press(desk, "s")
                dropped |= dict.fromkeys(frames, "not_egocentric")
            elif press(desk, "1"):
                kept.add(frames[0])
        assert blurred
    with opened(running) as store:
        found = triage_report.progress(store, by=None, project=PROJECT)
        wes = accounts.find_person(store, login="wes")
        free = {asset.id for asset in image_pool.pool(store, person=wes, project=PROJECT).assets}
    assert free == kept
    assert (found.total.left, found.total.kept) == (0, len(kept))
    assert found.total.dropped == Counter(dropped.values())
    assert all(counts.kept <= 2 for counts in found.by_source.values())
    out = running.home / "decisions.csv"
    done = touchstone("pool", "show", PROJECT, "--out", out, home=running.home)
    assert done.returncode == 0, done.stderr
    assert TYPED in dropped.values()
    rows = [row for row in csv.DictReader(io.StringIO(out.read_text())) if row["stands"] == "yes"]
    for row in rows:  # an id may begin with "-", which a table marks as no formula
        row["asset"] = csv_text.unmarked(row["asset"])
    assert {row["asset"] for row in rows if row["decision"] == "kept"} == kept
    assert {row["asset"]: row["reason"] for row in rows if row["decision"] == "dropped"} == dropped
    assert {row["asset"] for row in rows if row["typed"] == "yes"} == {
        asset for asset, why in dropped.items() if why == TYPED
    }
    with at_desk(chromium, running, "wes") as wes_desk:
        wes_desk.open(f"/author?project={PROJECT}")
        expect(wes_desk.bench).to_have_attribute("data-view", "pool")
        wes_desk.go(f"/triage?project={PROJECT}")
        expect(wes_desk.page.locator("[data-view=nothing]")).to_contain_text("do not work in this stage (triage)")
    with at_desk(chromium, running, "lea") as lea:
        lea.open(f"/overview?project={PROJECT}&show=triage")
        expect(lea.page.locator("[data-part=triaged]")).to_contain_text(f"{len(kept)} kept · {len(dropped)} dropped")
        lea.page.get_by_text("By source").click()
        lea.picture(pictures / "triage-lead.png" if pictures else None)
        with lea.page.expect_download() as download:
            lea.page.get_by_role("button", name="Every decision (CSV)").click()
        assert download.value.path().read_text() == out.read_text()
        typed = sum(why == TYPED for why in dropped.values())
        lea.page.get_by_role("textbox", name="Find dropped frames").fill("lens cap")
        lea.press("Enter")
        expect(lea.page.get_by_text(f"{typed} of {len(dropped)} dropped frames")).to_be_visible()
        lea.settled()
        lea.page.get_by_role("textbox", name="Find dropped frames").fill("")
        lea.press("Enter")
        expect(lea.page.get_by_text(f"{len(dropped)} of {len(dropped)} dropped frames")).to_be_visible()
        lea.settled()
        lea.page.get_by_role("combobox", name="Dropped frames, latest first").click()
        lea.page.keyboard.type("png")
        lea.page.wait_for_timeout(500)
        lea.press("Enter", "Escape")  # all that match
        lea.settled(held_ms=300)
        lea.page.get_by_role("button", name="Send back to triage").click()
        expect(lea.page.locator("[data-part=triaged]")).to_contain_text(f"{len(kept)} kept · 0 dropped")
