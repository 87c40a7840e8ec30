"""A lead reads the leaderboard of the demo, goes from a cell to exactly its cases, and through them with the keys.

What the imaginary models answered and the imaginary judges graded is written down in ``examples.answers``: the pages
are held against that.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import pytest
from playwright.sync_api import Browser, expect

from examples.answers import MODELS, Answer, answers_of, graded
from examples.demo import ACCEPTED, EDITED, KEPT, LEAD, fates
from examples.scenes import Scene, scenes
from media.store import MediaStore
from testkit.browser import window
from testkit.missing_extensions import needs
from testkit.serving import Server
from tests.e2e.people import at_desk, opened
from workflow.access.audit import entries as events
from workflow.files.import_files import import_files

pytestmark = [pytest.mark.browser, pytest.mark.slow]

JUDGE = "imaginary-judge-careful"
MODEL = "imaginary-small"
DIMENSION, TITLE = "counting", "Counting"


def kept() -> list[Scene]:
    """The scenes that models were asked about."""
    fate = fates()
    return [scene for scene in scenes() if fate[scene.name] in (KEPT, ACCEPTED, EDITED)]


def said() -> dict[tuple[str, str], Answer]:
    """Every answer by model and scene."""
    return {(model, answer.scene): answer for model in MODELS for answer in answers_of(model, kept())}


@pytest.fixture(scope="module")
def serving(demo_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The demo, which these tests read; what is brought in for slices changes no score."""
    home = tmp_path_factory.mktemp("results") / "home"
    shutil.copytree(demo_template, home)
    server = Server(home).start()
    yield server
    server.stop()


@needs("pages", "cases")
def test_from_a_cell_of_the_leaderboard_to_exactly_its_cases(
    serving: Server, chromium: Browser, pictures: Path | None
) -> None:
    answers = said()
    here = [scene for scene in kept() if scene.dimension == DIMENSION]
    expected = mean(graded(JUDGE, answers[MODEL, scene.name]) for scene in here)
    whole = mean(graded(JUDGE, answers[MODEL, scene.name]) for scene in kept())

    with at_desk(chromium, serving, LEAD.login) as lead:
        lead.open("/results?project=demo&show=table")
        page = lead.page
        board = page.locator('[data-part="leaderboard"]')
        expect(board).to_be_visible(timeout=60_000)
        lead.looks(pictures, "results")
        page.get_by_role("combobox", name="Scores").click()
        page.get_by_role("option", name=f"{JUDGE}, score", exact=True).click()
        row = board.locator("tr").filter(has_text=MODEL)
        expect(row).to_contain_text(f"{whole:.2f}")
        heads = board.locator("th").all_inner_texts()
        cell = row.locator("td").nth(heads.index(TITLE)).get_by_role("link")
        expect(cell).to_contain_text(f"{expected:.2f}")
        expect(cell).to_contain_text(f"n {len(here)}")
        expect(cell).to_have_attribute("title", re.compile(r"interval|width of zero"))

        with page.expect_download() as download:
            page.get_by_role("button", name="CSV").click()
        rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
        (line,) = [each for each in rows if (each["model"], each["part"]) == (MODEL, DIMENSION)]
        assert float(line["value"]) == pytest.approx(expected)
        assert (line["n"], line["unit"], line["judge"]) == (str(len(here)), "answer", JUDGE)

        cell.click()
        count = page.locator('[data-part="count"]')
        expect(count).to_contain_text(f"{len(here)} cases", timeout=60_000)
        lead.settled()
        listed = page.locator('[data-part="cases"]').get_by_role("link")
        assert sorted(listed.all_inner_texts()) == sorted(scene.question for scene in here)
        for words, n in (("zebra", 0), ("", len(here))):
            page.get_by_label("Text").fill(words)
            lead.press("Enter")
            expect(page.get_by_text("No cases match these filters")).to_have_count(int(not n))
            expect(listed).to_have_count(n)
            lead.settled()
        count.click()  # out of the text box, where J is a letter
        lead.press("j", "j", "k")
        expect(listed.first).to_be_focused()
        lead.press("Enter")

        seen = []
        for at in range(len(here)):
            expect(page.locator('[data-part="place"]')).to_contain_text(
                f"{at + 1} of {len(here)} cases", timeout=60_000
            )
            lead.settled()  # the place is drawn before the fields
            question = page.locator('[data-part="fields"] dd').first.inner_text()
            scene = next(each for each in here if each.question == question)
            seen.append(scene.name)
            expect(page.locator('[data-part="fields"]')).to_contain_text(scene.answer)
            expect(page.locator('[data-part="pictures"] img')).to_be_visible()
            for model in MODELS:
                card = page.locator(f'[data-model="{model}"]')
                expect(card).to_contain_text(answers[model, scene.name].text)
                grade = graded(JUDGE, answers[model, scene.name])
                expect(card.locator('[data-part="judges"]')).to_contain_text(f"{JUDGE}: score {grade:g}")
            if at == 0:
                lead.looks(pictures, "cases")
            if at + 1 < len(here):
                lead.press("j")
        assert sorted(seen) == sorted(scene.name for scene in here)
        expect(page.get_by_role("button", name="Next")).to_be_disabled()


def test_slices_of_any_field_and_groups_of_models(serving: Server, chromium: Browser, tmp_path: Path) -> None:
    sizes = tmp_path / "models.csv"
    sizes.write_text("model,size\n" + "".join(f"{model},7B\n" for model in MODELS), encoding="utf-8")
    with opened(serving) as store:
        import_files(store, MediaStore(serving.home / "media"), by=None, project="demo", format="models", path=sizes)
    words = {scene.name: len(re.findall(r"\w+", scene.question)) for scene in kept()}
    with at_desk(chromium, serving, LEAD.login) as lead:
        lead.open("/results?project=demo&show=more")
        page = lead.page
        page.get_by_role("combobox", name="Scores").click()  # a judge has scored every answer, people only some
        page.get_by_role("option", name=f"{JUDGE}, score", exact=True).click()
        lead.settled()
        page.get_by_text("Settings · items, slices").click()
        lead.settled()
        page.get_by_label("Slice by").scroll_into_view_if_needed()  # a list closes again while the page moves
        lead.settled()
        page.get_by_label("Slice by").click()
        page.get_by_role("option", name="Question: number of words", exact=True).click()
        expect(page.get_by_role("heading", name="By question: number of words")).to_be_visible(timeout=60_000)
        lead.settled()
        page.get_by_text("Show as table").click()
        table = page.get_by_test_id("stExpander").filter(has_text="Show as table").last.locator("tbody tr")
        lines = [each.locator("td").all_inner_texts() for each in table.filter(has_text=MODEL).all()]
        shown, counts = [each[0] for each in lines], [int(each[-1]) for each in lines]
        marks = page.locator(".st-key-chart-slices svg .mark-symbol.role-mark path")
        expect(marks).to_have_count(len(lines) * len(MODELS))
        assert sum(counts) == len(words)
        first, last = re.match(r"(\d+)(?: to (\d+))?", shown[0]).groups()  # type: ignore[union-attr]
        assert int(first) == min(words.values())
        assert counts[0] == sum(n <= int(last or first) for n in words.values())
        expect(page.locator('[data-part="chance"]')).to_contain_text("slices with the model's other answers")
        page.get_by_label("Group models by").scroll_into_view_if_needed()
        lead.settled()
        page.get_by_label("Group models by").click()
        page.get_by_role("option", name="size", exact=True).click()
        groups = page.locator('[data-part="groups"]')
        expect(groups).to_contain_text(", ".join(sorted(MODELS)), timeout=60_000)
        lead.settled()
        lead.open("/agreement?project=demo")
        page.get_by_role("radio", name="Grading", exact=True).click()
        lead.settled()
        page.get_by_role("button", name="What is counted").click()
        page.get_by_role("radio", name="Judges at three levels", exact=True).click()
        lead.press("Escape")
        levels = page.locator('[data-part="levels"]')
        expect(levels.first).to_contain_text("Means of a model in a dimension", timeout=60_000)
        expect(levels.first).to_contain_text("Answer by answer")


def test_a_stranger_reads_what_the_lead_has_made_public_and_nothing_after_it_was_taken_off(
    serving: Server, chromium: Browser
) -> None:
    answers = said()
    expected = mean(graded(JUDGE, answers[MODEL, scene.name]) for scene in kept())
    with at_desk(chromium, serving, LEAD.login) as lead, window(chromium) as stranger:
        address = f"{serving.url}/public/demo"
        stranger.goto(address)
        expect(stranger.get_by_role("heading", name="Nothing here")).to_be_visible()
        lead.open("/leaderboard?project=demo")
        page = lead.page
        standing = page.locator('[data-part="standing"]')
        expect(standing).to_contain_text("The leaderboard is not public.", timeout=60_000)
        page.get_by_label("Title").fill("Cups")
        page.get_by_label("Text above table").fill("As of today.")
        lead.settled()
        for label, option in (("Scores", f"{JUDGE}, score"), ("Models", MODEL)):
            page.get_by_label(label, exact=True).click()
            page.get_by_role("option", name=option, exact=True).click()
            lead.press("Escape")
            lead.settled()
        preview = page.locator('[data-part="preview"]')
        expect(preview).to_contain_text(f"{expected:.3f}", timeout=60_000)
        page.get_by_label("Title").fill("Cups <b>and</b> bowls")  # and pressed before the page has heard of it
        page.get_by_role("button", name="Publish board", exact=True).dblclick()
        expect(standing).to_contain_text("public since")
        expect(standing).to_contain_text("/public/demo")

        stranger.goto(address)
        expect(stranger.get_by_role("table")).to_be_visible(timeout=60_000)
        expect(stranger).to_have_title("Cups <b>and</b> bowls · Touchstone")
        row = stranger.get_by_role("row").filter(has_text=MODEL)
        expect(row).to_contain_text(f"{expected:.3f}")
        expect(row).to_contain_text(f"n {len(kept())}")
        assert stranger.get_by_role("row").count() == 2
        assert stranger.context.cookies() == []
        assert not [model for model in MODELS if model != MODEL and model in stranger.content()]
        stranger.goto(f"{serving.url}/results?project=demo")
        expect(stranger).to_have_url(re.compile("/login"))

        entry = json.dumps({"no-such-item": "red"}).encode()
        page.get_by_label("Team", exact=True).fill("Team A")
        page.get_by_label("Model", exact=True).fill("Planner")
        page.locator("input[type=file]").set_input_files(
            {"name": "entry.json", "mimeType": "application/json", "buffer": entry}
        )
        expect(page.get_by_text("entry.json")).to_be_visible()
        page.get_by_role("button", name="Add entry", exact=True).click()
        expect(page.get_by_text("1 row matches no item of this project")).to_be_visible()

        page.get_by_role("button", name="Unpublish board").dblclick()
        expect(standing).to_contain_text("The leaderboard is not public.")
        assert stranger.goto(address).status == 404  # type: ignore[union-attr]
    with opened(serving) as store:
        kinds = [each.kind for each in events(store, by=None, project="demo", kinds=["leaderboard."])]
    assert kinds == ["leaderboard.withdrawn", "leaderboard.published"], "two presses are one event"
