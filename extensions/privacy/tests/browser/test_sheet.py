"""The sheet on which people look for faces: who drags over a picture gets a line for the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from extensions.privacy import sheet
from extensions.privacy.boxes import Box
from extensions.privacy.detection import MediaFindings
from media.store import MediaStore
from testkit.browser import window
from testkit.covered import AREA, SIZE, file

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_who_drags_over_a_picture_gets_the_line_for_the_table(
    chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    media = MediaStore(tmp_path / "media")
    stored = media.add(file())
    seen = MediaFindings('<a>, "1".png', stored.sha256, (Box("face", 0.7, 0.7, 0.2, 0.2, "frontal"),), None)
    assert sheet.write_sheet(tmp_path / "look", media, iter([seen]), title="Kitchens") == 1
    with window(chromium) as page:
        page.goto((tmp_path / "look" / "index.html").as_uri())
        expect(page.get_by_text("People must look at every picture")).to_be_visible()
        expect(page.locator("figcaption")).to_have_text('<a>, "1".png: 1 face (frontal)')
        image = page.locator("img")
        there = image.bounding_box()
        assert there is not None
        left, top, right, bottom = AREA
        scale = there["width"] / SIZE[0]
        page.mouse.move(there["x"] + left * scale, there["y"] + top * scale)
        page.mouse.down()
        page.mouse.move(there["x"] + right * scale, there["y"] + bottom * scale)
        page.mouse.up()
        line = page.locator("#lines").input_value()
        assert line.startswith(f'"<a>, ""1"".png",{stored.sha256},face,'), line
        assert line.endswith(",hand,yes\n")
        numbers = [float(part) for part in line.split(",")[-6:-2]]
        # 50 / 200, 20 / 100, 40 / 200, 40 / 100, to a pixel of the screen
        drawn = page.locator(".dragged").bounding_box()
        assert drawn is not None
        assert abs(drawn["width"] - (right - left) * scale) < 4
        assert all(abs(a - b) < 0.01 for a, b in zip(numbers, (0.25, 0.2, 0.2, 0.4), strict=True)), numbers
        if pictures is not None:
            page.screenshot(path=pictures / "privacy-sheet.png")
