"""A lead's whole life in the browser, without a terminal and without a mouse: a schema of their own, a file of real
size with a preview, people and rights, who may begin, watching, reassigning, settling, a judge, its calibration, the
release, and the archive. What comes out is compared with what was planned, which is written down apart."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from domain.errors import ConflictError
from domain.states import Stage
from media.store import MediaStore
from testkit import missing_media
from testkit.browser import window
from testkit.missing_extensions import needs
from testkit.qualification import begin_try
from testkit.scripted import ScriptedServer
from testkit.serving import Server, touchstone
from tests.e2e import lead_story
from tests.e2e.keyboard import Keyboard
from tests.e2e.lead_story import PASSWORD, PROJECT, SCHEMA, TITLE, Plan, Record, stored_grades, stored_votes
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, projects
from workflow.annotate.claims import next_task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.thorough,
    pytest.mark.timeout(900),
    needs("pages", "calibration"),
    needs("pages", "scorecard"),
    needs("commands", "bulk"),
    needs("pages", "qualify"),
]

N = 3_355
"""So many questions EgoPlan-Bench's validation file has."""
INVITED = {"ann": "annotator", "bob": "annotator", "cat": "annotator", "sue": "senior"}
MOVED = range(20)
"""Places in the file of what is given to Ann first and then to Bob."""
SET = (20, 21)
"""Places of the qualification set."""
LIVE = [n for n in range(24) if n not in SET]
"""Places of what is verified: the oldest, without the set."""
AT_THE_PAGE = 2
"""So many votes and grades are given at the page; the others are stored as the page has them stored."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """EgoPlan-Bench's own file where it lies next to the checkout, else one of its size and form."""
    path = Path(__file__).parents[3] / "shared" / "data" / "egoplan" / "EgoPlan_validation.json"
    return path if path.exists() else lead_story.as_file(lead_story.drawn(N), tmp_path_factory.mktemp("records"))


@pytest.fixture
def serving(home: Path) -> Iterator[Server]:
    server = Server(home, worker=True, OMP_NUM_THREADS="1")
    with opened(server) as store:
        store.upgrade()
        accounts.create_person(store, login="lena", name="Lena", is_admin=True)
    yield server.start()
    server.stop()


Look = Callable[[Desk, str], None]


def test_a_lead_comes_from_a_schema_to_a_release_and_the_archive(
    serving: Server,
    chromium: Browser,
    file: Path,
    tmp_path: Path,
    pictures: Path | None,
) -> None:
    records: list[Record] = json.loads(file.read_text())
    assert len(records) == N
    plan = Plan(records, live=LIVE, split=(0, 10, 22), wrong=(5, 15))

    def look(desk: Desk, name: str) -> None:
        desk.looks(pictures, f"life-{name}")

    with at_desk(chromium, serving, "lena") as lead:
        _make(lead, tmp_path, look)
        _bring(lead, file, look)
        links = _invite(lead, look)
        with opened(serving) as store:
            missing_media.fill(store, MediaStore(serving.home / "media"))  # one picture in place of 3,355
        for link, login in zip(links, INVITED, strict=True):
            _join(chromium, link, login)
        _give_rights(lead, look)
        _qualification(lead, look)
        _pass(chromium, serving, plan)
        _reassign(lead, look)
        _vote(chromium, serving, plan)
        with at_desk(chromium, serving, "sue") as sue:
            _settle(sue, plan, look)
        _watch(lead, plan, look)
        _answers(lead, plan, tmp_path)
        _grade(chromium, serving, plan)
        with ScriptedServer(lead_story.judge) as endpoint:
            _judge(lead, plan, endpoint.url, look)
        _calibrate(lead, plan, look)
        _release(lead, plan, file, tmp_path, look)
        _archive(lead, look)
    _read_only(chromium, serving)
    done = touchstone("check", PROJECT, home=serving.home)
    assert done.returncode == 0, done.stdout


# ---- beginning ------------------------------------------------------------------------------------------------------


def _make(lead: Desk, folder: Path, look: Look) -> None:
    """From a YAML: first one that does not fit, which is said with its line; then the right one, pressed twice."""
    page, keys = lead.page, Keyboard(lead.page)
    lead.open("/")
    expect(page.get_by_role("heading", name="Start from a published protocol")).to_be_visible()
    lead.open("/new_project")
    expect(page.get_by_role("heading", name="New project")).to_be_visible()
    lead.settled()
    keys.radio("Start from", "YAML file")
    wrong = folder / "wrong.yaml"
    wrong.write_text(SCHEMA.replace("key: answer", "key: anwser"))
    keys.gives("Schema (YAML)", wrong)
    line = page.get_by_role("row", name=re.compile("anwser"))
    at = next(n for n, text in enumerate(wrong.read_text().splitlines(), 1) if "anwser" in text)
    expect(line).to_contain_text(str(at))
    lead.settled()
    keys.press(page.get_by_role("button", name=re.compile("^Remove")))
    expect(page.get_by_role("button", name=re.compile("^Remove"))).to_have_count(0)
    expect(line).to_have_count(0)
    lead.settled()
    schema = folder / "kitchen.yaml"
    schema.write_text(SCHEMA)
    keys.gives("Schema (YAML)", schema)
    expect(page.get_by_text("1 dimension. Stages: verification, adjudication, grading.")).to_be_visible()
    lead.settled()
    look(lead, "01-yaml")
    keys.button("Create project", times=2)
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(page.get_by_text(f"Project {TITLE} was created.")).to_be_visible()
    expect(page.locator("[data-part=steps]")).to_be_visible()
    lead.settled()
    look(lead, "02-dashboard")
    with opened(lead.server) as store:
        mine = projects.projects_of(store, person=accounts.find_person(store, login="lena"))
    assert [view.name for view in mine] == [PROJECT], "two presses make one project"


def _bring(lead: Desk, file: Path, look: Look) -> None:
    """A file of real size: looked at first, then imported, pressed twice."""
    page, keys = lead.page, Keyboard(lead.page)
    keys.goes("Import", "Add items")
    keys.gives("Drop a file here: CSV, Excel, JSON, JSON Lines, or a zip of such files", file)
    expect(page.get_by_text(f"{N:,} items will be imported")).to_be_visible(timeout=120_000)
    expect(page.locator("[data-part=counts] td")).to_have_text([f"{N:,}", "0", "0", "0", "0", f"{N:,}"])
    lead.settled()
    look(lead, "03-preview")
    keys.button(f"Import {N:,} items", times=2)
    expect(page.get_by_text(f"{N:,} items imported")).to_be_visible(timeout=120_000)
    lead.settled()
    look(lead, "04-imported")


def _invite(lead: Desk, look: Look) -> list[str]:
    page, keys = lead.page, Keyboard(lead.page)
    keys.goes("People")
    for login, role in INVITED.items():
        keys.button("Invite someone")
        dialog = page.get_by_role("dialog", name="Invite someone")
        keys.writes(dialog.get_by_role("textbox", name="Recipient"), login.capitalize())
        keys.radio("Role", re.compile(f"^{role.capitalize()}:"), within=dialog)
        keys.button("Make an invitation", within=dialog)
        dialog.wait_for(state="detached")
        lead.settled()
    says = [f"{role.capitalize()} for {login.capitalize()} · all dimensions" for login, role in INVITED.items()]
    expect(page.locator("[data-part=link]")).to_have_text([re.compile(f"^{each}") for each in says])
    look(lead, "05-invited")
    links = page.locator("[data-testid=stCode]").all_inner_texts()
    assert len(set(links)) == len(INVITED)
    return [link.strip() for link in links]


def _join(chromium: Browser, link: str, login: str) -> None:
    """Someone invited makes their account."""
    with window(chromium) as page:
        page.goto(link)
        page.get_by_label("Your name").fill(login.capitalize())
        page.get_by_label("Login").fill(login)
        page.get_by_label(re.compile("^Password")).fill(PASSWORD)
        with page.expect_response(lambda reply: reply.request.method == "POST") as made:
            page.get_by_label(re.compile("^Password")).press("Enter")
        assert made.value.status == 303


def _give_rights(lead: Desk, look: Look) -> None:
    """One of the four only grades."""
    page, keys = lead.page, Keyboard(lead.page)
    lead.open(f"/people?project={PROJECT}")
    expect(page.locator("[data-part=part]")).to_have_text(
        [INVITED.get(login, "lead").capitalize() for login in sorted([*INVITED, "lena"])]
    )
    keys.button("Change Cat")
    dialog = page.get_by_role("dialog", name="Cat")
    keys.pill("Grading", within=dialog)
    expect(dialog.get_by_role("checkbox", name="All stages")).not_to_be_checked()
    lead.settled()
    look(lead, "06-rights")
    keys.button("Save", within=dialog)
    dialog.wait_for(state="detached")
    expect(page.get_by_text("Saved: Cat has the role annotator in all dimensions, for Grading.")).to_be_visible()
    lead.settled()


def _tick(lead: Desk, places: range | tuple[int, ...]) -> None:
    """Tick items of the first page of the table that follow one another: down to the first, and with Shift on."""
    keys, n = Keyboard(lead.page), len(places)
    expect(lead.page.locator("table tbody tr")).to_have_count(25)
    keys.reach(lead.page.get_by_role("checkbox", name="Select all items on this page"))
    lead.press(*["ArrowDown"] * (places[0] + 1), "Space", *["Shift+ArrowDown"] * (n - 1))
    expect(lead.page.get_by_text(f"{n} selected, {n} on this page")).to_be_visible()
    _open_actions(lead, n)


def _open_actions(lead: Desk, n: int) -> None:
    """Open the dialog with the actions on what is ticked."""
    Keyboard(lead.page).button("Change items")
    expect(lead.page.get_by_role("dialog").get_by_text(f"{n} selected items")).to_be_visible()
    lead.settled()


def _do(lead: Desk, words: str) -> None:
    """Press the button of an action, twice."""
    dialog = lead.page.get_by_role("dialog")
    Keyboard(lead.page).button(words, within=dialog, times=2)
    dialog.wait_for(state="detached")


def _qualification(lead: Desk, look: Look) -> None:
    """A set of two items that the lead ticks."""
    page, keys = lead.page, Keyboard(lead.page)
    lead.go(f"/items?project={PROJECT}&size=25")
    expect(page.locator("[data-part=count]")).to_have_text(f"{N:,} items")
    _tick(lead, SET)
    look(lead, "07-items")
    keys.choose(re.compile("Action$"), "Make a qualification set", within=page.get_by_role("dialog"))
    expect(page.get_by_role("dialog")).to_contain_text("before they work in Verification")
    _do(lead, "Make a set of 2 items")
    expect(page.get_by_text("Set 1 has 2 items.")).to_be_in_viewport()
    keys.button("Deselect all")
    expect(page.get_by_text("2 selected")).to_have_count(0)


def _pass(chromium: Browser, server: Server, plan: Plan) -> None:
    """Ann and Bob pass the set, Ann at the page; Sue signs both."""
    with at_desk(chromium, server, "ann") as ann:
        ann.open(f"/qualify?project={PROJECT}")
        words = "100% of your answers must be right. 1 senior checks your answers."
        expect(ann.page.locator("[data-part=asked]")).to_contain_text(words)
        ann.page.get_by_role("button", name="Begin").click()
        expect(ann.bench).to_have_attribute("data-view", "task")
        for _ in SET:
            _choose(ann, plan, "ann")
    with opened(server) as store:
        bob = accounts.find_person(store, login="bob")
        begin_try(store, bob, project=PROJECT)
    stored_votes(server, "bob", plan, len(SET))
    with at_desk(chromium, server, "sue") as sue:
        sue.open(f"/qualify?project={PROJECT}")
        signed = sue.page.locator("table.ts-table tbody tr").filter(has_text="passed, signed by 1")
        for n in (1, 2):
            sue.page.get_by_role("button", name="Sign", exact=True).click()
            expect(signed).to_have_count(n)
            sue.settled()


# ---- the middle -----------------------------------------------------------------------------------------------------


def _reassign(lead: Desk, look: Look) -> None:
    """Twenty items for Ann, and then all twenty from Ann to Bob: each shows first what it would change."""
    page, keys = lead.page, Keyboard(lead.page)
    _tick(lead, MOVED)
    n, dialog = len(MOVED), page.get_by_role("dialog")
    keys.choose(re.compile("To$"), "Ann", within=dialog)
    lead.press("Tab")
    expect(page.locator("[data-part=preview]")).to_have_text(f"{n} items will change, 0 will not.")
    lead.settled()
    _do(lead, f"Change {n} items")
    expect(page.get_by_text(f"{n} items changed.")).to_be_in_viewport()
    expect(page.locator("[data-part=preview]")).to_have_count(0)
    lead.settled()
    _open_actions(lead, n)
    keys.choose(re.compile("Action$"), "Give back or reassign", within=dialog)
    keys.choose(re.compile("From$"), "Ann", within=dialog)
    keys.choose(re.compile("To$"), "Bob", within=dialog)
    expect(page.locator("[data-part=preview]")).to_have_text(f"{n} assignments will change, 0 will not.")
    lead.settled()
    look(lead, "08-reassign")
    _do(lead, f"Move {n} assignments")
    expect(page.get_by_text(f"{n} assignments moved from Ann (ann) to Bob (bob).")).to_be_in_viewport()


def _choose(desk: Desk, plan: Plan, login: str) -> int:
    """Press the key that is printed next to what someone chooses; which item that was."""
    rows = desk.page.locator(".criterion .choice")
    labels = rows.locator(".label").all_inner_texts()
    n = plan.place(desk.shown("task_goal"), labels)
    desk.next_after(rows.nth(labels.index(plan.vote(login, n))).locator(".slot").inner_text().lower())
    return n


def _vote(chromium: Browser, server: Server, plan: Plan) -> None:
    """Bob, who works on what was given to him first, partly at the page; then Ann."""
    with at_desk(chromium, server, "bob") as bob:
        bob.open(f"/verify?project={PROJECT}")
        expect(bob.bench).to_have_attribute("data-view", "task")
        voted = [_choose(bob, plan, "bob") for _ in range(AT_THE_PAGE)]
    voted += stored_votes(server, "bob", plan, len(LIVE) - len(voted))
    assert set(voted[: len(MOVED)]) == set(MOVED), "what was given to him comes first"
    assert sorted(voted) == LIVE
    assert sorted(stored_votes(server, "ann", plan, len(LIVE))) == LIVE, "the oldest come first"


def _settle(sue: Desk, plan: Plan, look: Look) -> None:
    """The senior settles what the two disagree about, by keys."""
    sue.open(f"/adjudicate?project={PROJECT}")
    expect(sue.bench).to_have_attribute("data-view", "task")
    settled: list[int] = []
    while sue.view() == "task":
        if not settled:
            look(sue, "09-settle")
        offered = sue.page.locator(".shown[data-field=options] .value li").all_inner_texts()
        settled.append(plan.place(sue.shown("task_goal"), offered))
        sue.a_second_passes()
        sue.next_after(*("12" if settled[-1] in plan.accepted else "21"))
    assert sorted(settled) == sorted(plan.split)


def _watch(lead: Desk, plan: Plan, look: Look) -> None:
    """What the lead's pages say of it all: the votes were planned, so that every number is known."""
    page, keys = lead.page, Keyboard(lead.page)
    keys.goes("Dashboard", "Overview")
    for n, word in ((len(plan.kept), "kept"), (len(LIVE) - len(plan.kept), "rejected")):
        expect(page.locator("[data-part=summary]")).to_contain_text(f"{n} {word}")
    for fold in ("Progress and forecast", "Where votes differ, and why"):
        page.get_by_text(fold).click()
        lead.settled()
    left = 2 * (N - len(LIVE))  # the set's items wait for people who have not seen them there
    expect(page.locator("[data-part=left]")).to_contain_text(f"{left:,} votes are left", timeout=60_000)
    share = f"Votes differ on {len(plan.split)} of {len(LIVE)} items (14 %)."  # 3 of 22
    expect(page.get_by_text(share)).to_be_visible(timeout=60_000)
    lead.settled()
    look(lead, "10-dashboard")
    keys.goes("Items")
    keys.button("State: any")
    first = page.get_by_test_id("stPopoverBody").get_by_role("button").first
    expect(first).to_be_focused()
    lead.press("ArrowRight", "ArrowRight", "Space", "Escape")  # past those in verification and in adjudication
    expect(page.get_by_role("button", name="State: Kept")).to_be_visible()
    expect(page.locator("[data-part=count]")).to_have_text(re.compile(rf"\b{len(plan.kept)} items"))
    look(lead, "11-items-kept")
    keys.goes("Scorecard")
    page.get_by_text("All figures by person and stage").click()
    agree = (len(LIVE) - len(plan.split)) / len(LIVE)
    for name in ("Ann", "Bob"):
        line = page.get_by_role("row").filter(has_text=name).filter(has_text="Verification").first
        expect(line).to_contain_text(f"{100 * agree:.0f} % of {len(LIVE)}", timeout=60_000)
    look(lead, "12-scorecard")
    keys.goes("Agreement")
    expect(page.get_by_role("radio", name="Verification", checked=True)).to_be_visible()
    page.get_by_text("Every statistic").click()
    expect(page.get_by_text("Ann and Bob").last).to_be_visible(timeout=60_000)


# ---- models, judges and the end -------------------------------------------------------------------------------------


def _answers(lead: Desk, plan: Plan, folder: Path) -> None:
    """A model's answers to what was kept, out of a file."""
    keys = Keyboard(lead.page)
    keys.goes("Import", "Add items")
    keys.gives("Drop a file here: CSV, Excel, JSON, JSON Lines, or a zip of such files", plan.answers(folder))
    expect(lead.page.locator("[data-part=recognised]")).to_contain_text("answers.jsonl looks like predictions")
    lead.settled()
    keys.button(f"Import {len(plan.kept)} answers", times=2)
    expect(lead.page.get_by_text(f"{len(plan.kept)} answers imported")).to_be_visible(timeout=60_000)


def _grade(chromium: Browser, server: Server, plan: Plan) -> None:
    """Three people grade all answers, one of them the first two at the page."""
    with at_desk(chromium, server, "cat") as cat:
        cat.open(f"/grade?project={PROJECT}")
        for _ in range(AT_THE_PAGE):
            expect(cat.bench).to_have_attribute("data-view", "task")
            right = cat.page.locator(".shown.answer .value").inner_text() == cat.shown("answer")
            cat.next_after("3" if right else "2")
    for login in ("ann", "bob", "cat"):
        n = stored_grades(server, login, plan)
        assert n == len(plan.kept) - AT_THE_PAGE * (login == "cat")


def _judge(lead: Desk, plan: Plan, url: str, look: Look) -> None:
    """A judge behind an endpoint grades what people have graded."""
    page, keys, n = lead.page, Keyboard(lead.page), len(plan.kept)
    keys.goes("Judges")
    for box, text in (
        ("Base URL", url),
        ("Model ID", "scripted"),
        ("Display name", "strict"),
    ):
        keys.writes(page.get_by_role("textbox", name=box), text)
    keys.button("Create description")
    written = page.get_by_role("textbox", name="Description (YAML)")
    expect(written).to_have_value(re.compile("name: strict"))
    lead.settled(held_ms=300)
    keys.choose(re.compile("Sample$"), "Answers graded by people")
    keys.button("Preview run")
    expect(page.locator("[data-part=foreseen]")).to_contain_text(f"strict will get {n} requests about {n} answers")
    lead.settled()
    look(lead, "13-judge")
    keys.button(f"Start: {n} requests", times=2)
    expect(page.locator("[data-part=state]")).to_have_attribute("data-state", "done", timeout=180_000)
    expect(page.locator("[data-part=tally]")).to_contain_text(f"{n} scored of {n}")


def _calibrate(lead: Desk, plan: Plan, look: Look) -> None:
    """How far the judge agrees with each person: with Ann always, with Cat where the answer is right."""
    page, keys = lead.page, Keyboard(lead.page)
    keys.goes("Calibration")
    expect(page.locator("[data-part=judge-answer]").filter(has_text="strict")).to_be_visible(timeout=60_000)
    lead.settled()
    look(lead, "14-calibration")
    for title in ("Full report", "3. Judge against people"):
        page.locator("summary", has_text=title).press("Enter")
        lead.settled()
    lines = page.locator("[class*=st-key-calibration-section-judges] tr").filter(has=page.get_by_role("link"))
    for name, share in (("Ann", 1.0), ("Cat", 1 - len(plan.false) / len(plan.kept))):
        expect(lines.filter(has_text=name).first).to_contain_text(f"{100 * share:.1f} %")


def _release(lead: Desk, plan: Plan, file: Path, folder: Path, look: Look) -> None:
    """A license, what is released despite of, and one release: the records of what was kept, as they came."""
    page, keys = lead.page, Keyboard(lead.page)
    keys.goes("Description", "Release")
    keys.writes(page.get_by_role("textbox", name="License *"), "CC-BY-4.0")
    lead.press("Enter", "Enter")
    expect(page.get_by_text("Version 1 of the description is saved.")).to_be_visible()
    keys.goes("Release")
    lead.settled()
    look(lead, "15-before-release")
    keys.choose("Override checks", "Items")
    lead.press("Escape")
    lead.settled()
    keys.button(f"Create release 1 with {len(plan.kept)} items", times=2)
    expect(page.get_by_text(f"Release 1 is complete. Items: {len(plan.kept)}. Files:")).to_be_visible(timeout=60_000)
    lead.settled()
    look(lead, "16-release")
    with page.expect_download() as waiting:
        keys.press(page.get_by_role("link", name="Download", exact=True))
    path = folder / "release.zip"
    waiting.value.save_as(path)
    with zipfile.ZipFile(path) as packed:
        written = json.loads(packed.read("egoplan/test.json"))
        told = "".join(packed.read(name).decode() for name in packed.namelist())
    public = ("sample_id", "video_id", "task_goal", "question", *lead_story.OPTIONS, "answer", "golden_choice_idx")
    assert [{key: each[key] for key in public} for each in written] == [
        {key: plan.records[n][key] for key in public} for n in plan.kept
    ]
    # as words: letters between hyphens are parts of ids, which chance has drawn
    assert not re.search(r"(?<![\w-])(ann|bob|cat|sue|lena)(?![\w-])", told, re.IGNORECASE)


def _archive(lead: Desk, look: Look) -> None:
    page, keys = lead.page, Keyboard(lead.page)
    keys.goes("Archive project", "Settings")
    keys.button("Archive project")
    dialog = page.get_by_role("dialog")
    look(lead, "17-archive")
    keys.button(f"Archive {TITLE}", within=dialog, times=2)
    expect(page.get_by_role("button", name="Restore project")).to_be_visible()
    lead.settled()


def _read_only(chromium: Browser, server: Server) -> None:
    """Everyone reads it, and no one changes anything, at the page or behind it."""
    with at_desk(chromium, server, "lena") as lead:
        lead.open(f"/people?project={PROJECT}")
        expect(
            lead.page.get_by_text(
                f"{TITLE} is archived. You can read and export the project, but you cannot change it."
            )
        ).to_be_visible()
    with at_desk(chromium, server, "ann") as ann:
        ann.open(f"/verify?project={PROJECT}")
        expect(ann.page.get_by_text(f"{TITLE} is archived")).to_be_visible()
        Keyboard(ann.page).press(ann.page.get_by_role("link", name="My work"))
        expect(ann.page.get_by_text("This project is archived")).to_be_visible()
    with opened(server) as store:
        person = accounts.find_person(store, login="ann")
        with pytest.raises(ConflictError, match="archived"):
            next_task(store, person=person, project=PROJECT, stage=Stage.VERIFICATION)
