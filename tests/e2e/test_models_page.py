"""A lead has models answer the demo's items in the browser: a folder of a tiny model, and an endpoint that stumbles."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Semaphore

import pytest
from playwright.sync_api import Browser, Page, expect

from domain.runs import ANSWERS, Outcome, RunState
from domain.states import Stage
from examples.scenes import DIMENSIONS, scenes
from testkit.browser import settled
from testkit.factories import claimed
from testkit.missing_extensions import needs
from testkit.scripted import Asked, Reply, ScriptedServer, chat, error, html
from testkit.serving import Server
from testkit.tiny import Shelf
from tests.e2e.people import Desk, at_desk, opened
from tests.e2e.test_results_pages import kept as kept_scenes
from workflow.access import accounts
from workflow.annotate import submissions
from workflow.runs import run_jobs, run_views
from workflow.runs.attempt_keeper import LOOK_SECONDS
from workflow.runs.run_views import RunView

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG_MS = 180_000
"""Torch is imported and a model loaded meanwhile, on a busy machine."""


KEPT = len(kept_scenes())
"""So many of the items that the demo verifies have been kept: the others are not asked."""
ASKED = 24
"""So many are asked of a model that runs here: more than a page of answers lists."""
MODEL, ENDPOINT = "tiny-model-with-a-name", "lab-vlm"
OFFLINE = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
KEY, SECRET = "LAB_API_KEY", "key-that-nobody-may-see"


def type_description(desk: Desk, change: Callable[[str], str]) -> None:
    """Edit the description in effect, as someone at the keyboard does."""
    box = desk.page.get_by_role("textbox", name="Description (YAML)")
    box.fill(change(box.input_value()))
    box.press("Control+Enter")
    desk.settled(held_ms=300)


@pytest.fixture(scope="module")
def serving(demo_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The demo with a worker next to it, which both tests ask."""
    home = tmp_path_factory.mktemp("models") / "home"
    shutil.copytree(demo_template, home)
    server = Server(home, worker=True, **OFFLINE, **{KEY: SECRET}).start()
    yield server
    server.stop()
    assert SECRET not in server.output()


def runs_called(server: Server, name: str) -> list[RunView]:
    with opened(server) as store:
        return [view for view in run_views.runs_of(store, by=None, project="demo") if view.name == name]


def the_run(server: Server, name: str) -> RunView:
    (view,) = runs_called(server, name)
    return view


def until(holds: Callable[[], bool]) -> None:
    """Wait for something."""
    end = time.monotonic() + LONG_MS / 1000
    while not holds():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.2)


def left_by_its_workers(server: Server, name: str) -> RunView:
    """The run, once no worker is at it any more."""
    until(lambda: not the_run(server, name).worked_on)
    return the_run(server, name)


def looks_for_runs(server: Server) -> None:
    """The waiting worker looks for runs twice: what the first look finds is under way by the second."""

    def looked_since(moment: float) -> bool:
        passed = time.time() - moment
        with opened(server) as store:
            ago = run_jobs.worker_seen(store)
        return ago is not None and ago < passed

    for _ in range(2):
        until(partial(looked_since, time.time()))


def go_to(page: Page, part: str) -> None:
    page.get_by_test_id("stMain").get_by_role("radio", name=part).or_(
        page.get_by_test_id("stMain").get_by_role("button", name=part, exact=True)
    ).first.click()
    settled(page, held_ms=300)


@needs("adapters", "chat")
@needs("run_sections", "Answers")
def test_a_folder_is_picked_run_watched_read_and_sent_to_grading(
    serving: Server, chromium: Browser, tiny_models: Shelf, pictures: Path | None
) -> None:
    models = serving.home / "models"
    shutil.copytree(tiny_models.folder("llava"), models / MODEL)
    (models / "half").mkdir()
    (models / "half" / "config.json").write_text('{"model_type": "llava"}')
    with at_desk(chromium, serving, "demo-mara") as lead:
        page = lead.page
        lead.open("/models?project=demo")
        go_to(page, "New run")  # the demo's answers came out of files, so the page begins with these
        row = page.get_by_role("row").filter(has_text=MODEL)
        expect(row).to_contain_text("The model fits")
        expect(page.get_by_role("row").filter(has_text="half")).to_contain_text("The folder has no weights")
        page.get_by_role("combobox", name="Folder").click()
        page.get_by_role("option", name=MODEL).click()
        expect(page.get_by_role("textbox", name="Description (YAML)")).to_have_value(re.compile(f"name: {MODEL}"))
        type_description(lead, lambda text: text.replace("max_new_tokens: 256", "max_new_tokens: lots"))
        expect(page.get_by_role("alert").filter(has_text="Correct these lines")).to_contain_text("a whole number")
        type_description(lead, lambda text: text.replace("max_new_tokens: lots", "max_new_tokens: 32"))
        limit = page.get_by_role("spinbutton", name="Maximum items")
        limit.fill(str(ASKED))
        limit.press("Enter")
        lead.settled(held_ms=300)

        page.get_by_role("button", name="Preview run").click()
        expect(page.locator("[data-part=foreseen]")).to_contain_text(f"Touchstone will ask {MODEL} about {ASKED} items")
        first = page.locator(".ts-notice").filter(has_text="user").first
        expect(first.locator("img")).to_be_visible()
        assert first.locator("img").evaluate("image => image.naturalWidth") > 100
        expect(first).to_contain_text("system")
        lead.looks(pictures, "models-before")
        assert not runs_called(serving, MODEL), "nothing runs before Start"
        memory = serving.memory
        page.get_by_role("button", name=f"Start: {ASKED} items").click()

        state = page.locator("[data-part=state]")
        expect(state).to_have_attribute("data-state", "done", timeout=LONG_MS)
        view = the_run(serving, MODEL)
        assert sum(view.by_outcome.get(outcome, 0) for outcome in ANSWERS) == view.answered == ASKED
        expect(page.get_by_text(f"asked, of {ASKED}")).to_be_visible()
        assert serving.memory - memory < 30, "the model is in the worker"
        assert "numpy" in serving.loaded, "the search would find it"
        assert "torch" not in serving.loaded, "the web process has loaded no model"

        go_to(page, "Answers")
        expect(page.locator("[data-attempt]")).to_have_count(20)
        page.get_by_role("button", name="Older").click()
        page.get_by_role("button", name="Newer").wait_for()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download as JSON lines").click()
        kept = [json.loads(line) for line in Path(download.value.path()).read_text("utf-8").splitlines()]
        assert len({each["item"] for each in kept}) == len(kept) == ASKED
        page.locator("[data-attempt]").first.click()
        expect(page.get_by_text("Prompt hash")).to_be_visible()
        page.get_by_role("link", name="This run").click()
        expect(state).to_have_attribute("data-state", "done")

        go_to(page, "Grading")
        page.get_by_role("button", name="Send to grading").click()
        expect(page.get_by_text("slots opened for grading.")).to_be_visible()
        expect(page.get_by_text("You cannot send more answers now")).to_be_visible()
    _grader_sees_an_answer_without_the_name(serving, chromium, {each["text"] for each in kept})


def _grader_sees_an_answer_without_the_name(server: Server, chromium: Browser, texts: set[str]) -> None:
    """An answer of the run is on the page, and no byte that comes has the model's name."""
    heard: list[bytes] = []

    def hear(payload: str | bytes) -> None:
        heard.append(payload.encode() if isinstance(payload, str) else payload)

    with opened(server) as store:  # other answers come first: they are graded as the page has it stored
        jonas = accounts.find_person(store, login="demo-jonas")
        while (view := claimed(store, jonas, Stage.GRADING, project="demo")).answer not in texts:
            submissions.submit(store, person=jonas, task=view.id, key=view.id, values={"score": 0})
    with at_desk(chromium, server, "demo-jonas") as grader:
        grader.page.on("websocket", lambda socket: socket.on("framereceived", hear))
        grader.open("/grade?project=demo")
        shown = grader.page.locator(".shown.answer .value")
        assert " ".join(shown.inner_text().split()) == " ".join(view.answer.split())
    sent = b"\n".join(heard)
    assert len(sent) > 10_000
    assert MODEL.encode() not in sent
    assert b"imaginary" not in sent


ANSWERED_AT_ONCE = 8
SAYS = {scene.question: scene.answer for dimension in DIMENSIONS for scene in scenes(dimension)}


def script(asked: Asked, number: int) -> Reply:
    """The right answers, some of them after two attempts; a few questions always meet a proxy, and one a filter."""
    question = next((question for question in SAYS if question in asked.text), None)
    if question is None:
        return chat("OK")
    if len(question) % 9 == 0:
        return html(502)
    if len(question) % 7 == 0:
        return error(400, "The content filter has refused this.", code="content_filter")
    return chat(SAYS[question], usage=(260, 9), after=0.15)


class Held:
    """The script, until so many requests have come; the others wait until the test lets them go."""

    def __init__(self) -> None:
        self.go = Semaphore(0)

    def __call__(self, asked: Asked, number: int) -> Reply:
        if number >= ANSWERED_AT_ONCE:
            self.go.acquire(timeout=LONG_MS / 1000)
        return script(asked, number)

    def let_go_until(self, done: Callable[[], bool]) -> None:
        """Answer one question after the other, no faster than a worker looks whether it is to stop."""
        while not done():
            self.go.release()
            time.sleep(LOOK_SECONDS)
        self.go.release(KEPT * KEPT)


@needs("run_sections", "Answers")
def test_an_endpoint_is_asked_paused_resumed_and_what_fails_is_told_by_its_reason(
    serving: Server, chromium: Browser, pictures: Path | None
) -> None:
    held = Held()
    with ScriptedServer(held) as endpoint, at_desk(chromium, serving, "demo-mara") as lead:
        page = lead.page
        lead.open("/models?project=demo")
        go_to(page, "New run")
        page.get_by_text("Endpoint", exact=True).click()
        page.get_by_role("textbox", name="Base URL").fill(endpoint.url)
        page.get_by_role("textbox", name="Model ID").fill("scripted")
        page.get_by_role("textbox", name="Display name").fill(ENDPOINT)
        page.get_by_role("textbox", name="API key variable").fill(SECRET)
        page.get_by_role("button", name="Create description").click()
        expect(page.get_by_role("alert")).to_contain_text("Never enter the key itself.")
        page.get_by_role("textbox", name="API key variable").fill(KEY)
        page.get_by_text("Cost, requests, headers").click()
        page.get_by_label("Input price (per 1M tokens)").fill("2.5")
        page.get_by_label("Output price (per 1M tokens)").fill("10")
        page.get_by_role("textbox", name="Price date").fill("2026-11-01")
        page.get_by_role("button", name="Create description").click()
        expect(page.get_by_role("textbox", name="Description (YAML)")).to_have_value(re.compile(f"key: {KEY}"))
        type_description(lead, lambda text: text.replace("attempts: 4", "attempts: 2"))
        page.get_by_role("button", name="Preview run").click()
        expect(page.get_by_text("estimated maximum cost")).to_be_visible()
        page.get_by_role("button", name=f"Start: {KEPT} items").click()

        state = page.locator("[data-part=state]")
        expect(state).to_have_attribute("data-state", "running", timeout=LONG_MS)
        expect(page.get_by_text("Last answers")).to_be_visible(timeout=LONG_MS)
        page.get_by_role("button", name="Pause").click()
        expect(state).to_have_attribute("data-state", "paused")
        expect(page.get_by_role("button", name="Resume")).to_be_visible()
        held.let_go_until(lambda: not the_run(serving, ENDPOINT).worked_on)
        before = left_by_its_workers(serving, ENDPOINT)
        assert before.state is RunState.PAUSED
        assert 0 < before.done < KEPT, "paused in the middle"
        lead.looks(pictures, "models-paused")
        looks_for_runs(serving)
        assert the_run(serving, ENDPOINT).done == before.done, "nothing goes on while it is paused"
        page.get_by_role("button", name="Resume").click()
        expect(state).to_have_attribute("data-state", "done", timeout=LONG_MS)
        view = the_run(serving, ENDPOINT)
        assert sum(view.by_outcome.values()) == KEPT
        assert view.failed > 0
        assert Outcome.EMPTY not in view.by_outcome
        expect(page.get_by_text(f"Without an answer: {view.failed} items")).to_be_visible()
        lead.looks(pictures, "models-done")
        with opened(serving) as store:
            reasons = run_views.failures_of(store, by=None, run=view.id)
        page.get_by_role("row").filter(has_text=re.compile("no reply|not readable|refused")).first.get_by_role(
            "link"
        ).click()
        expect(page.locator("[data-attempt]").first).to_be_visible()
        assert page.locator("[data-attempt]").count() in {each.items for each in reasons}
        for part in ("Progress", "Description and plan"):
            go_to(page, part)
            assert SECRET not in page.content()
        lead.open("/models?project=demo")
        expect(page.get_by_role("row").filter(has_text=ENDPOINT)).to_contain_text("done")
        lead.looks(pictures, "models-runs")
