"""A lead has a judge grade the demo's answers in the browser: from the template to marked replies, failures, a second
version next to the first, and Calibration."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from domain.judging import ReplyFilter, ReplyOutcome
from domain.roles import Role
from domain.run_kinds import RunKind
from testkit.browser import settled
from testkit.factories import make_items, make_predictions
from testkit.missing_extensions import needs
from testkit.scripted import Asked, Reply, ScriptedServer, chat, error
from testkit.serving import Server, touchstone
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships, projects
from workflow.results import judge_replies
from workflow.runs import judge_readings, judge_templates, run_views

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG_MS = 180_000
"""A worker has to start on a busy machine."""

N = 24
"""So many answers are judged."""

REPLIES: tuple[tuple[str, ReplyOutcome], ...] = (
    (
        "Both say the same, in other words: the cup is red, and nothing is missing.\n\nRating: [[1]]",
        ReplyOutcome.SCORED,
    ),
    ("Close, but one part of it is left out. Rating: [[0.5]]", ReplyOutcome.SCORED),
    ("They have nothing in common. Rating: [[0]]", ReplyOutcome.SCORED),
    ("Hard to say: somewhere in between. Rating: [[0.75]]", ReplyOutcome.OUT_OF_RANGE),
    ("<script>document.title='gone'</script> I would call this answer fine.", ReplyOutcome.UNPARSEABLE),
    ("Rating: [[0]]. Rating: [[1]]", ReplyOutcome.CONTRADICTORY),
    ("", ReplyOutcome.EMPTY),
)


_places: dict[str, int] = {}
_one_by_one = Lock()


def place_of(asked: Asked) -> int:
    """Texts take turns, so that every reply comes; the same text keeps its place."""
    body = asked.text.split("[Question]")[-1].split("Be strict.")[0].strip()
    with _one_by_one:
        return _places.setdefault(body, len(_places) % (len(REPLIES) + 1))


def script(asked: Asked, number: int) -> Reply:
    """Every text has its reply; under the stricter template one is lower; some questions meet a filter."""
    if "[Question]" not in asked.text:
        return chat("OK")
    place = place_of(asked)
    if place == len(REPLIES):
        return error(400, "The content filter has refused this.", code="content_filter")
    if "Be strict." in asked.text and place == 0:
        return chat("Not quite the same. Rating: [[0.5]]")
    return chat(REPLIES[place][0], usage=(310, 22), after=0.05)


def comes_to(asked: Asked) -> ReplyOutcome:
    """What the script's reply to this is read as."""
    place = place_of(asked)
    return REPLIES[place][1] if place < len(REPLIES) else ReplyOutcome.REFUSED


def go_to(page: Page, part: str) -> None:
    main = page.get_by_test_id("stMain")
    main.get_by_role("radio", name=part).or_(main.get_by_role("button", name=part, exact=True)).first.click()
    settled(page, held_ms=300)


def pick(page: Page, box: str, option: str | re.Pattern[str]) -> None:
    settled(page, held_ms=300)
    found = page.get_by_role("combobox", name=box)
    found.scroll_into_view_if_needed()
    # The list closes when the page scrolls, which is told with the next picture.
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    found.click()
    page.get_by_role("option", name=option, exact=True).first.click()
    settled(page, held_ms=300)


def describe(lead: Desk, url: str) -> str:
    """Fill in the boxes about an endpoint; the description that comes of them."""
    page = lead.page
    page.get_by_role("textbox", name="Base URL").fill(url)
    page.get_by_role("textbox", name="Model ID").fill("scripted")
    page.get_by_role("textbox", name="Display name").fill("strict-judge")
    page.get_by_text("Cost, requests, headers").click()
    page.get_by_label("Input price (per 1M tokens)").fill("2.5")
    page.get_by_label("Output price (per 1M tokens)").fill("10")
    page.get_by_role("textbox", name="Price date").fill("2026-11-01")
    page.get_by_role("button", name="Create description").click()
    box = page.get_by_role("textbox", name="Description (YAML)")
    expect(box).to_have_value(re.compile("name: strict-judge"))
    settled(page, held_ms=300)
    return box.input_value()


def run_it(lead: Desk, pictures: Path | None = None) -> None:
    """Preview the run, start, and wait for the end."""
    page = lead.page
    page.get_by_role("button", name="Preview run").click()
    expect(page.locator("[data-part=foreseen]")).to_contain_text(f"will get {N} requests about {N} answers")
    expect(page.get_by_text("estimated maximum cost")).to_be_visible()
    expect(page.locator(".ts-notice").filter(has_text="[Question]").first).to_be_visible()
    lead.looks(pictures, "judges-before")
    page.get_by_role("button", name=f"Start: {N} requests").click()
    expect(page.locator("[data-part=state]")).to_have_attribute("data-state", "done", timeout=LONG_MS)
    settled(page, held_ms=300)


@pytest.fixture(scope="module")
def serving(demo_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The demo with a worker next to it."""
    home = tmp_path_factory.mktemp("judges") / "home"
    shutil.copytree(demo_template, home)
    server = Server(home, worker=True, OMP_NUM_THREADS="1").start()
    yield server
    server.stop()


@needs("run_sections", "Replies")
@needs("pages", "calibration")
@needs("commands", "template")
def test_a_judge_is_asked_read_compared_and_sent_to_calibration(
    serving: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    with ScriptedServer(script) as endpoint, at_desk(chromium, serving, "demo-mara") as lead:
        page = lead.page
        lead.open("/judges?project=demo")
        go_to(page, "Template text")
        expect(page.get_by_test_id("stCode")).to_contain_text("parser: double_brackets")
        go_to(page, "Template text")
        spec = tmp_path / "judge.yaml"
        spec.write_text(describe(lead, endpoint.url))
        pick(page, "Sample", "Answers graded by people")
        page.get_by_label("Maximum answers").fill(str(N))
        page.get_by_label("Maximum answers").press("Enter")
        settled(page, held_ms=300)
        with opened(serving) as store:
            assert not run_views.runs_of(store, by=None, project="demo", kind=RunKind.JUDGE), "nothing runs yet"
        run_it(lead, pictures)

        # what the replies come to is what the script says, failures of every kind included
        # (two answers to an item may say the same: they are two questions)
        asked = [each for each in endpoint.asked if each.body and "[Question]" in each.text]
        expected = Counter(comes_to(each) for each in asked)
        assert sum(expected.values()) == N
        with opened(serving) as store:
            (view,) = run_views.runs_of(store, by=None, project="demo", kind=RunKind.JUDGE)
            assert judge_readings.verdicts_of(store, by=None, run=view.id) == {"score": expected}
        scored = expected[ReplyOutcome.SCORED]
        tally = page.locator("[data-part=tally]")
        expect(tally).to_contain_text(f"{scored} scored of {N}")
        for verdict, n in expected.items():
            expect(page.locator(f"[data-verdict={verdict.value}]")).to_contain_text(f" {n}")
        lead.looks(pictures, "judges-done")

        # the failures queue
        page.get_by_role("row").filter(has_text="unparseable").get_by_role("link").first.click()
        expect(page.locator("[data-card]")).to_have_count(min(expected[ReplyOutcome.UNPARSEABLE], 10))
        expect(page.get_by_text(f"{scored} scored of {N}")).to_be_visible()
        expect(page.locator("[data-card]").first).to_contain_text("<script>document.title")
        assert page.title() != "gone"
        pick(page, "Outcome", "out of range")
        expect(page.locator("mark.ts-mark.bad").first).to_have_text("0.75")
        lead.looks(pictures, "judges-failures")

        # a marked reply, with people next to it
        if pictures:
            pick(page, "Outcome", "any")
            expect(page.locator("[data-card]")).to_have_count(10)
            lead.looks(pictures, "judges-replies")
        pick(page, "Outcome", "scored")
        expect(page.locator("mark.ts-mark").first).to_have_text(re.compile(r"^(0|0\.5|1)$"))
        expect(page.locator("[data-part=people]").first).to_contain_text("Jonas (grader): ")
        page.locator("[data-reply]").first.click()
        expect(page.get_by_text("Reading of the reply")).to_be_visible()
        expect(page.locator("mark.ts-mark")).to_have_count(1)
        lead.looks(pictures, "judges-reply")

        _another_version(lead, pictures)
        again = ("judge", "run", "demo", "--template", "egothink_single@2", "--spec", str(spec))
        done = touchstone(*again, "--sample", "graded", "--limit", str(N), home=serving.home)
        assert done.returncode == 0, done.stderr
        _next_to_each_other(lead, serving, view.id, pictures)

        page.get_by_role("link", name="Compare with people").click()
        expect(page.get_by_role("heading", name="Calibration")).to_be_visible()
        page.get_by_role("button", name="What is compared").click()
        chosen = page.get_by_test_id("stMultiSelect").filter(has_text="Judges")
        expect(chosen).to_contain_text("strict-judge by egothink_single 1")
        expect(chosen).not_to_contain_text("egothink_single 2")


def _another_version(lead: Desk, pictures: Path | None) -> None:
    """The template is edited; what is wrong with it is told by line; saved, it is the next version."""
    page = lead.page
    lead.open("/judges?project=demo")
    expect(page.get_by_role("row").filter(has_text="strict-judge by egothink_single 1")).to_contain_text("done")
    go_to(page, "New run")
    go_to(page, "Edit")
    box = page.get_by_role("textbox", name="Template, including its head")
    text = box.input_value()
    box.fill(text.replace("version: 1", "verison: 1"))
    box.press("Control+Enter")
    page.get_by_role("button", name="Save as a new version").click()
    expect(page.get_by_role("alert").filter(has_text="This template is not valid yet")).to_contain_text("verison")
    lead.looks(pictures, "judges-template")
    box.fill(text.rstrip() + "\n\nBe strict.\n")
    box.press("Control+Enter")
    page.get_by_role("button", name="Save as a new version").click()
    expect(page.get_by_text("edited from egothink_single 1.")).to_be_visible()


def _next_to_each_other(lead: Desk, server: Server, first: str, pictures: Path | None) -> None:
    """Both versions over the same answers: they differ exactly where the script does."""
    page = lead.page
    with opened(server) as store:
        again = judge_replies.replies_of(
            store, by=None, run=first, wanted=ReplyFilter(verdicts=[ReplyOutcome.SCORED]), limit=N
        )
    lower = sum(view.readings[0].value == 1 for view in again)
    assert lower
    lead.open(f"/judges?project=demo&run={first}")
    go_to(page, "Compare")
    expect(page.locator("[data-part=agreement]")).to_contain_text(f"{len(again) - lower} of {len(again)}")
    expect(page.locator("[data-pair]")).to_have_count(min(lower, 10))
    pair = page.locator("[data-pair]").first
    expect(pair).to_contain_text("Rating: [[1]]")
    expect(pair).to_contain_text("Not quite the same")
    lead.looks(pictures, "judges-compare")


PUBLISHED = {
    "name": "likeness-v1",
    "type": "single",
    "system_prompt": "You are strict.",
    "prompt_template": "[Question]\n{question}\n\n[Answer]\n{answer}\n[End]\nClose with Rating: [[x]].",
    "description": "How like an answer is",
    "category": "general",
    "output_format": "[[rating]]",
}


@needs("commands", "template")
def test_a_published_prompt_file_becomes_templates_whose_placeholders_are_filled_by_hand(
    serving: Server, chromium: Browser, tmp_path: Path
) -> None:
    with opened(serving) as store:
        projects.create_project(store, name="p", loaded=load_schema(shipped()["demo"]))
        accounts.create_person(store, login="lea", name="Lea")
        memberships.set_member(store, by=None, project="p", login="lea", role=Role.LEAD)
        ids = make_items(store, 3, dimension="counting", fields={"question": "How many cups?", "answer": "Two."})
        make_predictions(store, ids, models=["one"], dimension="counting")
    second = {**PUBLISHED, "name": "likeness-v2", "system_prompt": "You are kind."}
    file = tmp_path / "judge_prompts.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in (PUBLISHED, second)))
    with at_desk(chromium, serving, "lea") as lead:
        page = lead.page
        lead.open("/judges?project=p")
        go_to(page, "Upload a file")
        page.locator("input[type=file]").first.set_input_files(file)
        expect(page.get_by_role("button", name="Add 1 template")).to_be_visible()
        page.get_by_role("button", name="Add 1 template").click()
        expect(page.get_by_text("likeness-v1 from judge_prompts.jsonl.")).to_be_visible()
        with opened(serving) as store:
            found = [each for each in judge_templates.templates_of(store, by=None, project="p") if not each.ours]
            assert [(each.name, each.version) for each in found] == [("likeness_v1", 1)]
            assert "You are strict." in found[0].template.text
            assert found[0].template.prompt.user == PUBLISHED["prompt_template"]
        describe(lead, "http://127.0.0.1:9/v1")
        # the item has a field `answer`, which is the key: that the judge is to see the model's is said by hand
        pick(page, "Fill {answer} with", "Graded answer")
        page.get_by_role("button", name="Preview run").click()
        expect(page.locator("[data-part=foreseen]")).to_contain_text(
            "strict-judge will get 3 requests about 3 answers, with the template likeness_v1, version 1."
        )
        expect(page.locator(".ts-notice").filter(has_text="You are strict.").first).to_contain_text("Answer 0 of")
