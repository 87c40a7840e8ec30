"""From votes to verdicts in a real browser: reasons become a new guideline, and skips retire an item.

Every figure is worked out here, from what the people of these tests pressed.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db import files, item_revisions
from domain.records import TaskView
from domain.roles import Role
from domain.states import Stage
from testkit import missing_media
from testkit.kept_items import export_kept, gates_of
from testkit.missing_extensions import needs
from testkit.serving import Server, touchstone
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships, projects
from workflow.annotate import submissions
from workflow.annotate.claims import next_task

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Server]:
    """One server with the people; each test makes its project."""
    home = tmp_path_factory.mktemp("verdicts") / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    server = Server(home)
    with opened(server) as store:
        for login in ("ann", "bob", "cy", "sam", "lena"):
            accounts.create_person(store, login=login, name=login.capitalize())
    yield server.start()
    server.stop()


def run(home: Path, *arguments: str) -> str:
    """A command that must succeed; what it prints."""
    done = touchstone(*arguments, home=home)
    assert done.returncode == 0, done.stderr
    return done.stdout


def begin(server: Server, schema: str, questions: dict[str, list[str]], people: dict[str, Role]) -> None:
    """A project made from a shipped schema, its items by folder, and its people."""
    run(server.home, "project", "create", schema, "--schema", schema)
    folder = server.home.parent / schema
    for name, asked in questions.items():
        (folder / name).mkdir(parents=True)
        records = [{"image_path": [f"{text}.jpg"], "question": text, "answer": "A cup."} for text in asked]
        (folder / name / "annotations.json").write_text(json.dumps(records))
    run(server.home, "item", "import", schema, "egothink", str(folder))
    missing_media.fill_home(server.home)
    with opened(server) as store:
        for login, role in people.items():
            memberships.set_member(store, by=None, project=schema, login=login, role=role)


Said = tuple[dict[str, Any], dict[str, str]]
"""Values by criterion, with None for a skip; and the reasons."""


def store_votes(server: Server, login: str, project: str, plan: Mapping[str, Said], **where: str) -> list[str]:
    """Someone votes on all that there is, as the page has it stored, where it is not the page that is looked at; the
    questions in the order in which they came."""
    seen = []
    with opened(server) as store:
        person = accounts.find_person(store, login=login)
        while isinstance(
            view := next_task(store, person=person, project=project, stage=Stage.VERIFICATION, **where), TaskView
        ):
            seen.append(str(view.fields["question"]))
            values, reasons = plan[seen[-1]]
            submissions.submit(store, person=person, task=view.id, key=view.id, values=values, reasons=reasons)
    return seen


# ---- reasons, and the guideline that answers them --------------------------------------------------------------------

CUP, PAN, LID, FOG, SAW, NUT = (f"What is {number}?" for number in ("one", "two", "three", "four", "five", "six"))
KITCHEN, WORKSHOP = [CUP, PAN, LID, FOG], [SAW, NUT]
FITS, DIFFERS, NO_RULE, UNSURE = "111", "221", "1321", "1311"
"""Keys on the jury's page: image, answer (3 skips, then why), difficulty."""
SAID: dict[str, Said] = {
    FITS: ({"image_fits": "yes", "answer_right": "right", "difficulty": 1}, {}),
    DIFFERS: ({"image_fits": "no", "answer_right": "wrong", "difficulty": 1}, {}),
    NO_RULE: ({"image_fits": "yes", "answer_right": None, "difficulty": 1}, {"answer_right": "rule_missing"}),
    UNSURE: ({"image_fits": "yes", "answer_right": None, "difficulty": 1}, {"answer_right": "no_opinion"}),
}
ANN = {CUP: FITS, PAN: FITS, LID: FITS, FOG: UNSURE, SAW: FITS, NUT: FITS}
BOB = {CUP: FITS, PAN: DIFFERS, LID: NO_RULE, SAW: FITS, NUT: FITS}
"""FOG goes to the senior at once, so Bob never sees it."""
NEW_RULE = "A lid belongs to the pan that it lies on."

Cast = dict[tuple[str, str], tuple[str, int]]
"""By login and question: the keys that were pressed, and the version of the guideline that was shown."""


def vote(desk: Desk, login: str, plan: dict[str, str], cast: Cast, version: int) -> str:
    """Answer the item on the page as planned."""
    question = desk.shown("question")
    cast[login, question] = plan[question], version
    desk.next_after(*plan[question])
    return question


@needs("commands", "reasons")
@needs("pages", "guideline")
def test_causes_become_a_guideline_and_later_votes_carry_it(
    serving: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    people = {"ann": Role.ANNOTATOR, "bob": Role.ANNOTATOR, "sam": Role.SENIOR, "lena": Role.LEAD}
    begin(serving, "jury", {"kitchen": KITCHEN, "workshop": WORKSHOP}, people)
    cast: Cast = {}
    for login, plan in (("ann", ANN), ("bob", BOB)):
        said = {question: SAID[keys] for question, keys in plan.items()}
        for question in store_votes(serving, login, "jury", said, dimension="kitchen"):
            cast[login, question] = plan[question], 1
    assert set(cast) == {("ann", each) for each in KITCHEN} | {("bob", each) for each in (CUP, PAN, LID)}
    with at_desk(chromium, serving, "bob") as bob:
        bob.open("/verify?project=jury&dimension=workshop")  # open while the guideline changes under him
        expect(bob.bench).to_be_visible()
        with at_desk(chromium, serving, "sam") as sam:
            settled = settle(sam)
        with at_desk(chromium, serving, "lena") as lena:
            read_reasons(lena, pictures)
            write_guideline(lena, pictures)
        late = vote(bob, "bob", BOB, cast, 1)
        assert bob.view() == "task"
        expect(bob.page.locator(".news")).to_contain_text("A rule about lids.")
        vote(bob, "bob", BOB, cast, 2)
    with at_desk(chromium, serving, "ann") as ann:
        read_news(ann, pictures)
        while ann.view() == "task":
            vote(ann, "ann", ANN, cast, 2)

    check_ratings(serving, cast)
    check_release(serving, tmp_path, cast, late)
    check_reasons(serving, settled)
    said_of_it = run(serving.home, "check", "jury")
    assert "All stored states match the votes." in said_of_it
    assert "1 item has votes under versions 1 and 2 of the guideline" in said_of_it


def settle(sam: Desk) -> dict[str, tuple[str, str]]:
    """The senior settles all that is contested, the most contested first; by question, decision and reason."""
    keys = {"accept": "1", "reject": "2"}
    reasons = ["wrong_key", "several_valid", "ambiguous", "media_unclear", "guideline_gap", "annotator_error"]
    plan = {PAN: ("accept", "guideline_gap"), LID: ("reject", "guideline_gap"), FOG: ("reject", "ambiguous")}
    sam.open("/adjudicate?project=jury")
    expect(sam.bench).to_be_visible()
    order = []
    while sam.view() == "task":
        question = sam.shown("question")
        order.append(question)
        decision, reason = plan[question]
        if question == PAN:
            sam.press("n")
            sam.page.keyboard.insert_text("Does a lid count?")
            sam.press("Escape")
        sam.a_second_passes()
        sam.press(keys[decision])
        expect(sam.page.locator(".why .ask")).to_contain_text("Why did this item need adjudication?")
        sam.next_after(str(reasons.index(reason) + 1))
    # They differ in both questions about the pan, in one about the lid; about the third there is only one vote.
    assert order == [PAN, LID, FOG]
    return plan


def read_reasons(lena: Desk, pictures: Path | None) -> None:
    """The lead sees what was given as reasons, and with one click the item behind one."""
    lena.open("/adjudication_reasons?project=jury")
    expect(lena.page.get_by_text("3 decisions · 3 open · 0 closed")).to_be_visible()
    lines = lena.page.locator("[data-testid=stExpander] [data-testid=stExpander] summary")
    expect(lines).to_have_text(
        [re.compile("The guideline does not say · Kitchen · 2 of 2 open"),
         re.compile("The question is ambiguous · Kitchen · 1 of 1 open")]
    )  # fmt: skip
    lines.nth(1).click()
    lena.page.get_by_label("Reason to keep guideline").last.fill("The image is at fault.")
    lena.press("Tab")
    lena.settled(held_ms=300)  # what was typed is sent when the box is left
    lena.page.get_by_role("button", name="Close reason", exact=True).last.click()
    expect(lena.page.get_by_text("3 decisions · 2 open · 1 closed")).to_be_visible()
    lena.settled()
    lines.nth(0).click()
    lena.picture(pictures and pictures / "adjudication-reasons.png")
    case = lena.page.locator("[data-testid=stExpander] [data-testid=stButton] button[kind=tertiary]").first
    case.click()
    dialog = lena.page.get_by_role("dialog")
    expect(dialog).to_contain_text("What is t")
    expect(dialog).to_contain_text("Vote A")
    expect(dialog).to_contain_text("Right")
    expect(dialog).to_contain_text("The guideline does not say")
    assert not re.search(r"\b(ann|bob|sam)\b", dialog.inner_text(), re.IGNORECASE)
    lena.press("Escape")


def write_guideline(lena: Desk, pictures: Path | None) -> None:
    """A new rule in the guideline answers both gaps."""
    lena.page.get_by_role("button", name="Edit guideline").first.click()
    expect(lena.page.get_by_role("heading", name="Guideline", level=1)).to_be_visible()
    box = lena.page.get_by_role("textbox", name="Guideline in Markdown")
    expect(box).not_to_have_value("")  # the box is drawn before it is filled
    text = box.input_value()
    assert text == load_schema(shipped()["jury"]).guideline_text
    box.fill(f"{text}\n{NEW_RULE}\n")
    lena.press("Tab")
    lena.page.get_by_role("tab", name="What changes").click()
    expect(lena.page.locator(".ts-diff .new").last).to_contain_text(NEW_RULE)
    lena.page.get_by_role("textbox", name="Summary for annotators").fill("A rule about lids.")
    expect(lena.page.get_by_text("The guideline does not say · Kitchen · 2 of 2 open")).to_be_visible()
    lena.picture(pictures and pictures / "guideline.png")
    lena.page.get_by_role("button", name="Publish", exact=True).click()
    expect(lena.page.get_by_text("Version 2 is published. It answers 2 decisions.")).to_be_visible()


def read_news(ann: Desk, pictures: Path | None) -> None:
    """Someone who worked under the first version is told, until they open the guideline; then never again."""
    ann.open("/verify?project=jury&dimension=workshop")
    expect(ann.page.locator(".news")).to_contain_text("The guideline has changed.")
    expect(ann.page.locator(".news .newswhy")).to_have_text("A rule about lids.")
    ann.picture(pictures and pictures / "news.png")
    ann.press("g")
    expect(ann.page.locator(".news")).to_be_hidden()
    expect(ann.page.locator(".guide .changes ins").last).to_have_text(NEW_RULE)
    ann.press("g")
    ann.page.wait_for_load_state("networkidle")
    ann.open("/verify?project=jury&dimension=workshop")
    expect(ann.bench).to_be_visible()
    expect(ann.page.locator(".news")).to_be_hidden()


def check_ratings(server: Server, cast: Cast) -> None:
    """The long table has every answer with the version under which it was given."""
    file = server.home.parent / "ratings.csv"
    run(server.home, "item", "export", "jury", "ratings", "--out", str(file))
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    wanted = Counter(
        (criterion, str(value), str(version))
        for keys, version in cast.values()
        for criterion, value in SAID[keys][0].items()
        if value is not None
    )
    assert Counter((row["criterion"], row["value"], row["guideline"]) for row in rows) == wanted


def check_release(server: Server, folder: Path, cast: Cast, late: str) -> None:
    """The release has the guideline in force, and its evidence the votes under both versions."""
    export_kept(server.home, "jury", "egothink", folder / "release")
    before = load_schema(shipped()["jury"]).guideline_text
    texts = [before, f"{before}\n{NEW_RULE}\n"]
    votes = Counter(version for _, version in cast.values())
    assert (votes[1], votes[2]) == (4 + 3 + 1, 1 + 2)
    assert {row["question"] for row in questions_of(folder / "release")} == {CUP, PAN, SAW, NUT}
    with opened(server) as store, store.read() as session:
        id = projects.access_to(session, person=None, project="jury").project_id
        found = list(files.on_kept_items(session, project_id=id, stage=Stage.VERIFICATION))
        content = item_revisions.current_content(session, project_id=id)
    under: dict[str, list[str]] = {}
    for vote in found:
        under.setdefault(str(content[vote.item_id]["question"]), []).append(vote.guideline_hash)
    for question, hashes in under.items():
        wanted = sorted(digest(texts[version - 1]) for (_, asked), (_, version) in cast.items() if asked == question)
        assert sorted(hashes) == wanted
    assert [question for question, hashes in under.items() if len(set(hashes)) > 1] == [late]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def questions_of(release: Path) -> list[dict[str, Any]]:
    return [row for path in release.rglob("annotations*.json") for row in json.loads(path.read_text())]


def check_reasons(server: Server, settled: dict[str, tuple[str, str]]) -> None:
    """The file of reasons has every decision, and what became of it."""
    text = run(server.home, "reason", "export", "jury")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert Counter((row["decision"], row["reason"]) for row in rows) == Counter(settled.values())
    done = {row["reason"]: (row["state"], row["answered_by"], row["answer"]) for row in rows}
    assert done == {
        "guideline_gap": ("done", "2", ""),
        "ambiguous": ("done", "1", "The image is at fault."),
    }
    assert [row["note"] for row in rows if row["note"]] == ["Does a lid count?"]


# ---- weighed votes, and skips that retire an item -------------------------------------------------------------------

YES, NO, NOT_VISIBLE, EXPERT = "1", "21", "31", "32"
"""Keys on the panel's page: yes; no, and that the answer is wrong; skip, and why."""
PANEL_SAYS: dict[str, Said] = {
    YES: ({"verdict": "yes"}, {}),
    NO: ({"verdict": "no"}, {"verdict": "wrong_answer"}),
    NOT_VISIBLE: ({"verdict": None}, {"verdict": "not_visible"}),
    EXPERT: ({"verdict": None}, {"verdict": "needs_expert"}),
}
BOWL, CLOUD, RING, JAR = (f"What is {name}?" for name in ("the bowl", "the cloud", "the ring", "the jar"))
PANEL: dict[str, tuple[str, str, str]] = {
    BOWL: (YES, NO, YES),
    CLOUD: (NOT_VISIBLE, EXPERT, YES),  # retired at the second skip: the third never sees it
    RING: (YES, NO, EXPERT),  # no side has more than half
    JAR: (YES, YES, YES),
}


@needs("commands", "reasons")
@needs("commands", "qualify")
def test_skips_retire_an_item_and_more_than_half_decides(serving: Server, chromium: Browser, tmp_path: Path) -> None:
    voters = ("ann", "bob", "cy")
    people = {**dict.fromkeys(voters, Role.ANNOTATOR), "sam": Role.SENIOR, "lena": Role.LEAD}
    begin(serving, "panel", {"near": list(PANEL)}, people)
    for login in voters:
        run(serving.home, "qualification", "exempt", "panel", login, "--why", "The set has all the items there are.")
    said = [{question: PANEL_SAYS[keys[place]] for question, keys in PANEL.items()} for place in range(len(voters))]
    store_votes(serving, "ann", "panel", said[0])
    seen = []
    with at_desk(chromium, serving, "bob") as desk:
        desk.open("/verify?project=panel")
        expect(desk.bench).to_be_visible()
        while desk.view() == "task":
            seen.append(desk.shown("question"))
            desk.next_after(*PANEL[seen[-1]][1])
    assert sorted(seen) == sorted(PANEL)
    assert sorted(store_votes(serving, "cy", "panel", said[2])) == sorted(set(PANEL) - {CLOUD})
    with at_desk(chromium, serving, "sam") as sam:
        sam.open("/adjudicate?project=panel")
        expect(sam.bench).to_be_visible()
        assert sam.shown("question") == RING
        assert "It takes an expert" in sam.bench.inner_text()
        sam.press("2")
        sam.next_after("4")
        assert sam.view() == "nothing"
    with at_desk(chromium, serving, "lena") as lena:
        lena.open("/adjudication_reasons?project=panel")
        rows = lena.page.locator("[data-testid=stExpander] table.ts-table tbody tr")
        expect(rows).to_contain_text(["It takes an expert", "It cannot be seen"])
        assert [row.split("\t")[2] for row in rows.all_inner_texts()] == ["2", "1"]
    export_kept(serving.home, "panel", "egothink", tmp_path / "release")
    assert {row["question"] for row in questions_of(tmp_path / "release")} == {BOWL, JAR}
    with opened(serving) as store:
        gates = gates_of(store, "panel")
    assert gates == {
        "imported": 4,
        "voted": 4,
        "skipped": 2,  # the cloud and the ring
        "unanimous": 1,  # the jar
        "as_wanted": 1,
        "adjudicated": 1,
        "kept": 2,
        "rejected": 2,
    }
    assert "All stored states match the votes." in run(serving.home, "check", "panel")


# ---- a majority of three --------------------------------------------------------------------------------------------

QUORUM_SAYS: dict[str, Said] = {
    "1": ({"right": "yes"}, {}),
    "2": ({"right": "no"}, {}),
    "31": ({"right": None}, {"right": "not_visible"}),
    "32": ({"right": None}, {"right": "ambiguous"}),
}
MAJORITY = {
    "Is it a rose?": ("1", "1", "2"),
    "Is it a rake?": ("2", "1", "2"),
    "Is it moss?": ("1", "31", "1"),  # two of three, although one skips
    "Is it rain?": ("1", "2", "32"),  # one of three: no one settles it, so it is rejected
}


@needs("schema_keys", "stages.*.gold")
def test_more_than_half_of_three_keep_an_item(serving: Server, tmp_path: Path) -> None:
    voters = ("ann", "bob", "cy")
    begin(serving, "quorum", {"garden": list(MAJORITY)}, dict.fromkeys(voters, Role.ANNOTATOR))
    for place, login in enumerate(voters):
        store_votes(serving, login, "quorum", {each: QUORUM_SAYS[keys[place]] for each, keys in MAJORITY.items()})
    export_kept(serving.home, "quorum", "egothink", tmp_path / "release")
    kept = {question for question, keys in MAJORITY.items() if keys.count("1") > len(voters) / 2}
    assert {row["question"] for row in questions_of(tmp_path / "release")} == kept
    skipped = sum(any(key.startswith("3") for key in keys) for keys in MAJORITY.values())
    with opened(serving) as store:
        gates = gates_of(store, "quorum")
    assert gates == {
        "imported": len(MAJORITY),
        "voted": len(MAJORITY),
        "skipped": skipped,
        "unanimous": 0,
        "as_wanted": 0,
        "kept": len(kept),
        "rejected": len(MAJORITY) - len(kept),
    }
    assert "All stored states match the votes." in run(serving.home, "check", "quorum")
