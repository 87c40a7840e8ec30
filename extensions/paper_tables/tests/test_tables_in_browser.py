"""A lead reads the page Tables in a real browser, and takes its files along."""

from __future__ import annotations

import zipfile
from statistics import mean

import pytest
from playwright.sync_api import Browser, expect

from examples.answers import graded
from examples.demo import LEAD
from testkit.serving import Server
from tests.e2e.people import at_desk
from tests.e2e.test_results_pages import DIMENSION, JUDGE, MODEL, TITLE, kept, said, serving

__all__ = ["serving"]  # a fixture

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_tables_with_charts_and_files(serving: Server, chromium: Browser) -> None:
    answers = said()
    here = [scene for scene in kept() if scene.dimension == DIMENSION]
    expected = mean(graded(JUDGE, answers[MODEL, scene.name]) for scene in here)
    with at_desk(chromium, serving, LEAD.login) as lead:
        lead.open("/results?project=demo")
        page = lead.page
        board = page.locator('[data-part="leaderboard"]')
        expect(board).to_be_visible(timeout=60_000)
        heads = board.locator("th").all_inner_texts()
        # of the tables that fit any schema, the one of people has a radar and a heat map, that of all evaluators bars
        lead.open("/tables?project=demo")
        drawn = page.locator(", ".join(f"[class*=-{kind}] svg.marks" for kind in ("radar", "heat", "bars")))
        expect(drawn).to_have_count(3, timeout=60_000)
        assert all((box := each.bounding_box()) and box["width"] > 200 and box["height"] > 80 for each in drawn.all())
        judged = page.locator("section#judges tr").filter(has_text=MODEL)
        expect(judged.locator("td").nth(heads.index(TITLE) - heads.index("Existence"))).to_have_text(f"{expected:.2f}")
        expect(page.locator("section#key .missing")).to_contain_text("the item has no key")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download: tables as CSV, charts as SVG").click()
        with zipfile.ZipFile(download.value.path()) as packed:
            assert len([name for name in packed.namelist() if name.endswith(".svg")]) == 2 * 3, "light and dark"
