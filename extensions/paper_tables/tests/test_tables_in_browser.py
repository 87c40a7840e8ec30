"""A lead reads the page Tables in a real browser: charts, the number of a cell, and a download of all tables."""

from __future__ import annotations

import re
import zipfile
from statistics import mean

import pytest
from playwright.sync_api import Browser, expect

from examples.answers import graded
from examples.demo import LEAD
from testkit.serving import Server
from tests.e2e.people import at_desk
from tests.e2e.test_results_pages import DIMENSION, JUDGE, MODEL, TITLE, kept, said, serving

__all__ = ["serving"]

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_lead_reads_the_tables_and_downloads_them(serving: Server, chromium: Browser) -> None:
    answers = said()
    expected = mean(graded(JUDGE, answers[MODEL, scene.name]) for scene in kept() if scene.dimension == DIMENSION)
    with at_desk(chromium, serving, LEAD.login) as lead:
        # of the tables that fit any schema, the one of people has a radar and a heat map, that of all evaluators bars
        lead.open("/tables?project=demo&show=people-charts&show=judges&show=evaluators")
        page = lead.page
        drawn = page.locator(", ".join(f"[class*=-{kind}] svg.marks" for kind in ("radar", "heat", "bars")))
        expect(drawn).to_have_count(3, timeout=60_000)
        assert all((box := each.bounding_box()) and box["width"] > 200 and box["height"] > 80 for each in drawn.all())
        heads = page.locator("section#judges thead tr").last.locator("th").all_inner_texts()
        judged = page.locator("section#judges tr").filter(has_text=MODEL)
        expect(judged.locator("td").nth(heads.index(TITLE) - 1)).to_have_text(f"{expected:.2f}")
        expect(page.locator("[data-part=undefined]")).to_contain_text(
            re.compile(r"has no numbers\. .*: \d+ \(the item has no key\)\.")
        )
        with page.expect_download() as download:
            page.get_by_role("button", name="Download CSV and SVG").click()
        with zipfile.ZipFile(download.value.path()) as packed:
            assert len([name for name in packed.namelist() if name.endswith(".svg")]) == 2 * 3, "light and dark"
        judged.locator("td").nth(heads.index(TITLE) - 1).get_by_role("link").click()
        n = sum(scene.dimension == DIMENSION for scene in kept())
        expect(page.locator('[data-part="count"]')).to_contain_text(f"{n} cases", timeout=60_000)
