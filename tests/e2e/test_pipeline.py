"""A lead comes from a folder of clips and a file of narrations to items that people verify, in the browser alone.

Twelve actions of two seconds each stand in the narrations, and the lead says what the first six are done for: six
questions, of which the first has nothing done before it, and so no clip.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from annotation_schemas import shipped
from annotation_schemas.loader import load_text
from domain.roles import Role
from testkit.factories import make_person, make_project
from testkit.missing_extensions import needs
from testkit.pictures import video
from testkit.serving import Server
from tests.e2e.people import Desk, at_desk, full_record, opened

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.thorough,
    *(needs("pages", page) for page in ("frames", "goals", "pipelines")),
]

CSV = "id,video,start,stop,text\n" + "".join(
    f"V-{k},V,{2 * k},{2 * k + 1.5},{verb} {thing}\n"
    for k, (verb, thing) in enumerate(
        [("open", "drawer"), ("take", "spoon"), ("fill", "pot"), ("stir", "soup"), ("cut", "bread"), ("lay", "table"),
         ("pour", "water"), ("wipe", "sink"), ("close", "window"), ("wash", "pan"), ("dry", "cup"), ("hang", "towel")],
        1,
    )
)  # fmt: skip

SCHEMA = re.sub(r"\n *qualification: .*", "", shipped()["egoplan"].read_text(encoding="utf-8"))
"""EgoPlan-Bench's, without the fifty items by which verifiers qualify: here they begin at once."""


def test_from_clips_and_narrations_to_the_queue(
    server: Server, chromium: Browser, pictures: Path | None, tmp_path: Path
) -> None:
    clips = tmp_path / "clips"
    clips.mkdir()
    video(clips / "V.webm", [n / 10 for n in range(270)])  # 27 s; the last narration ends at 25.5 s
    (clips / "torn.mp4").write_bytes(b"\0\0\0\x18ftypmp42")
    (tmp_path / "n.csv").write_text(CSV)
    with opened(server) as store:
        store.upgrade()
        make_project(store, loaded=load_text(SCHEMA, "Be exact.", "egoplan"))
        make_person(store, "lea", role=Role.LEAD)
        make_person(store, "vera")
    server.start()
    with at_desk(chromium, server, "lea") as lea:
        _frames(lea, clips, pictures)
        _goals(lea, tmp_path / "n.csv")
        _questions(lea, pictures)
        _history(lea, pictures)
        _pipelines(lea, pictures)
    with at_desk(chromium, server, "vera") as vera:
        vera.open("/verify?project=p")
        expect(vera.bench).to_have_attribute("data-view", "task")
        expect(vera.bench.locator(".numbers").first).to_have_text("0 done, 6 left")


def _frames(lea: Desk, clips: Path, pictures: Path | None) -> None:
    page = lea.page
    lea.open("/frames?project=p")
    page.locator("input[type=file]").set_input_files(sorted(clips.iterdir()))
    button = page.get_by_role("button", name="Take frames")
    expect(button).to_be_enabled()
    lea.settled()
    button.press("Enter")
    steps = page.locator("[data-part=steps] tbody tr")
    expect(steps).to_have_count(4, timeout=60_000)
    lea.settled()
    expect(steps.nth(0)).to_contain_text("cannot decode torn.mp4")
    # on screen at 0, 2, ..., 26 s: 14 frames
    expect(steps.nth(1)).to_contain_text("one frame every 2 seconds")
    expect(page.locator("[data-part=candidates]")).to_contain_text("14 frames with these filters")
    tiles = page.locator("[data-part=candidate] img")
    expect(tiles).to_have_count(14)
    page.wait_for_function("image => image.naturalWidth > 0", arg=tiles.first.element_handle())
    lea.looks(pictures, "pipeline-frames")
    page.locator("[data-part=candidates]").scroll_into_view_if_needed()
    tiles.last.scroll_into_view_if_needed()
    lea.looks(pictures, "pipeline-candidates")
    tick = page.get_by_role("checkbox", name="4.00 s chosen", exact=True)
    tick.press("Space")
    expect(page.locator("[data-part=candidates]")).to_contain_text("Chosen frames: 13 of 14.")


def _goals(lea: Desk, narrations: Path) -> None:
    page = lea.page
    lea.go("/goals?project=p")
    page.locator("input[type=file]").first.set_input_files(narrations)
    button = page.get_by_role("button", name="Keep these narrations")
    expect(button).to_be_enabled()
    lea.settled()
    button.press("Enter")
    expect(page.get_by_text("12 narrations of n.csv")).to_be_visible()
    lea.settled()
    page.get_by_role("button", name="Add a goal").press("Enter")
    words = page.get_by_label("Words of goal 1")
    expect(words).to_be_visible()
    lea.settled()
    words.focus()
    lea.press("Control+a")
    page.keyboard.type("cook soup")
    lea.press("Enter")
    expect(page.get_by_role("radio", name="cook soup")).to_be_checked()
    lea.settled()
    page.get_by_role("combobox", name="Last action").focus()
    page.keyboard.type("6. lay table")
    lea.press("Enter")
    expect(page.locator("[data-part=state]")).to_contain_text("0 faults")
    lea.settled()
    page.get_by_role("button", name="Save this video").press("Enter")
    expect(page.get_by_text("Version 1 of the goals of V is saved.")).to_be_visible()
    lea.settled()


def _questions(lea: Desk, pictures: Path | None) -> None:
    page = lea.page
    page.get_by_text("Questions from saved goals").click()
    rate = page.get_by_label("Frames per second")
    rate.fill("10")
    rate.press("Enter")
    lea.settled()
    page.get_by_role("button", name="Make questions").press("Enter")
    expect(page.get_by_text("6 questions made.")).to_be_visible()
    lea.settled()
    page.get_by_role("combobox", name="Media from Frames").focus()
    page.keyboard.type("V.webm")
    lea.press("Enter")
    counts = page.locator("[data-part=counts] tbody td")
    expect(counts).to_have_text(["6", "0", "0", "0", "11", "0"], timeout=60_000)  # 6 observations and 5 clips
    lea.settled()
    lea.looks(pictures, "pipeline-questions")
    page.get_by_role("button", name="Import these questions").press("Enter")
    expect(page.get_by_text("6 items imported")).to_be_visible(timeout=60_000)
    lea.settled()


def _history(lea: Desk, pictures: Path | None) -> None:
    page = lea.page
    lea.go("/items?project=p")
    page.locator("tbody a").first.click()
    origin = full_record(page).locator("[data-part=origin] tbody tr")
    expect(origin.first).to_contain_text("n.csv")
    expect(origin.nth(1)).to_contain_text("cook soup")
    expect(origin.last).to_contain_text("egoplan.json")
    expect(origin.last).to_contain_text("Lea")
    lea.settled()
    lea.looks(pictures, "pipeline-history")


def _pipelines(lea: Desk, pictures: Path | None) -> None:
    lea.go("/pipelines?project=p")
    numbers = [
        (
            row.locator("td").nth(0).inner_text(),
            row.locator("td").nth(2).inner_text(),
            row.locator("td").nth(3).inner_text(),
        )
        for part in ("frames", "questions")
        for row in lea.page.locator(f"[data-part={part}] tbody tr").all()
    ]
    assert numbers == [
        ("Videos", "2", "1"), ("Taking", "1", "14"), ("Screening", "14", "14"), ("Choosing", "14", "13"),
        ("Narrations", "12", "12"), ("Goals", "12", "1"), ("Questions", "6", "6"),
    ]  # fmt: skip
    expect(lea.page.locator("[data-part=items] tbody tr")).to_contain_text("in verification 6")
    lea.looks(pictures, "pipeline-pipelines")
