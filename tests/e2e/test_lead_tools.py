"""What a lead does about people and claims, in the browser, and what is in the files afterwards."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from testkit import missing_media
from testkit.browser import settled
from testkit.factories import claimed, make_person
from testkit.samples import egothink_record, write
from testkit.serving import Server, touchstone
from tests.e2e.people import at_desk, opened
from workflow.access import accounts
from workflow.annotate import submissions
from workflow.files import import_files

pytestmark = pytest.mark.browser

N_ITEMS = 3


def _run(server: Server, *arguments: str) -> str:
    done = touchstone(*arguments, home=server.home)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _verify(server: Server, login: str, n: int, *, then_take: bool = False) -> list[str]:
    """Someone says of so many items that they fit, as the page has it stored; the questions that were shown."""
    shown = []
    with opened(server) as store:
        person = accounts.find_person(store, login=login)
        for _ in range(n):
            view = claimed(store, person, project="team")
            shown.append(str(view.fields["question"]))
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"fits": "yes"}, seconds=1)
        if then_take:  # the page brings the next item at once
            claimed(store, person, project="team")
    return shown


def _choose(page: Page, label: str, wanted: str) -> None:
    """Pick an entry of a list on a page of the lead."""
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=wanted, exact=True).click()
    settled(page, held_ms=300)  # the next list is on the page that follows from this choice


def _downloaded(page: Page, button: str) -> list[dict[str, str]]:
    """The table behind a button."""
    settled(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    return list(csv.DictReader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))


def test_claims_are_taken_back_and_a_person_is_put_out_but_not_their_votes(
    server: Server, chromium: Browser, tmp_path: Path
) -> None:
    _run(server, "project", "create", "team", "--schema", "demo")
    write(tmp_path / "items" / "Activity" / "annotations.json", [egothink_record(n) for n in range(N_ITEMS)])
    for n in range(N_ITEMS):
        Image.new("RGB", (64, 48), (n * 40, 90, 90)).save(tmp_path / f"{n}.jpg")
    with opened(server) as store:
        media, path = MediaStore(server.home / "media"), tmp_path / "items"
        import_files.import_files(
            store, media, by=None, project="team", format="egothink", path=path, media_dir=tmp_path
        )
    for login in ("ann", "ben", "cy"):
        _run(server, "people", "add", login, "--project", "team", "--stage", "verification")
    _run(server, "people", "add", "lea", "--project", "team", "--role", "lead")
    server.start()
    with at_desk(chromium, server, "ann") as ann:
        ann.open("/verify?project=team")
        expect(ann.bench).to_have_attribute("data-view", "task")
        ann.next_after("1")
        ann.next_after("1")  # two votes are in, the third item is in her hands
        with at_desk(chromium, server, "lea") as lea:
            lea.open("/bulk?project=team")
            _choose(lea.page, "Whose assignments", "ann")
            expect(lea.page.locator("[data-part=preview]")).to_have_text("1 claim would change, 0 would not.")
            lea.page.get_by_role("button", name="Change 1 claim", exact=True).click()
            lea.page.get_by_role("button", name="Yes, change 1 claim").click()
            expect(lea.page.get_by_text("Done: 1 claim changed.")).to_be_visible()
            expect(lea.page.locator("[data-part=preview]")).to_have_text("0 claims would change, 0 would not.")
            lea.open("/people?project=team")
            lea.page.get_by_role("button", name="Change ann").click()
            lea.page.get_by_role("button", name="Deactivate the account").click()
            lea.page.get_by_role("button", name="Deactivate ann").click()
            expect(lea.page.get_by_text("ann cannot sign in any more.")).to_be_visible()
        with opened(server) as store:
            assert "ann" not in [person.login for person in accounts.active_accounts(store)]
        ann.page.reload()
        expect(ann.page.get_by_role("button", name="Sign in")).to_be_visible()
    for login, n in (("ben", N_ITEMS), ("cy", N_ITEMS * 2 - 2 - N_ITEMS)):
        _verify(server, login, n)
    _run(server, "export", "team", "ratings", "--out", str(tmp_path / "votes.csv"))
    with (tmp_path / "votes.csv").open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    # Six votes in all, two of them of someone who cannot sign in any more; every item has two.
    assert sorted(Counter(row["rater"] for row in rows).values()) == [1, 2, 3]
    assert Counter(row["unit"] for row in rows) == dict.fromkeys({row["unit"] for row in rows}, 2)
    assert len(rows) == N_ITEMS * 2
    with at_desk(chromium, server, "lea") as lea:
        lea.open("/scorecard?project=team")
        cards = _downloaded(lea.page, "Scorecard as CSV")
        sheet = _downloaded(lea.page, "Pay sheet as CSV")
    votes = {"ann": 2, "ben": 3, "cy": 1}
    # All six said the same of three items, two votes on each: every vote has one peer, who agrees.
    assert {
        row["login"]: (row["submissions"], row["peers_n"], row["peers"]) for row in cards if row["window"] == "0"
    } == {login: (str(n), str(n), "1.0") for login, n in votes.items()}
    assert {row["login"]: (row["items"], row["corrections"], row["untimed"]) for row in sheet} == {
        login: (str(n), "0", "0") for login, n in votes.items()
    }
    assert all(0 <= float(row["active_minutes"]) < 2 for row in sheet)
    again = list(csv.DictReader(_run(server, "paysheet", "team").splitlines()))
    assert again == sheet
    log = list(csv.DictReader(_run(server, "audit", "team", "--kind", "person.deactivated").splitlines()))
    assert [(row["who"], row["origin"]) for row in log] == [("lea", "127.0.0.1")]


def test_a_claim_is_given_over_and_all_that_someone_voted_on_is_verified_anew(
    server: Server, chromium: Browser, tmp_path: Path
) -> None:
    _run(server, "project", "create", "team", "--schema", "demo")
    write(tmp_path / "items" / "Activity" / "annotations.json", [egothink_record(n) for n in range(N_ITEMS)])
    _run(server, "import", "team", "egothink", str(tmp_path / "items"))
    missing_media.fill_home(server.home)
    with opened(server) as store:
        for login in ("ann", "ben", "cy", "dan"):
            make_person(store, login, project="team", stages=[Stage.VERIFICATION])
        make_person(store, "lea", project="team", role=Role.LEAD)
    server.start()
    doubted = _verify(server, "ann", 2, then_take=True)
    with opened(server) as store:  # the third item, which is in her hands, goes to the others
        accounts.set_active(store, by=None, login="ann", active=False)
    _verify(server, "ben", N_ITEMS)
    _verify(server, "cy", N_ITEMS * 2 - 2 - N_ITEMS)
    with at_desk(chromium, server, "lea") as lea:
        preview = lea.page.locator("[data-part=preview]")
        lea.open("/bulk?project=team")
        _choose(lea.page, "What", "Have items verified again")
        _choose(lea.page, "Voted on by", "Ann (ann)")  # whose votes are doubted, and who is gone
        expect(preview).to_have_text("2 items would change, 0 would not.")
        lea.page.get_by_role("button", name="Change 2 items", exact=True).click()
        lea.page.get_by_role("button", name="Yes, change 2 items").click()
        expect(lea.page.get_by_text("Done: 2 items changed.")).to_be_visible()
        expect(preview).to_have_text("0 items would change, 2 would not.")
        with at_desk(chromium, server, "cy") as cy:
            cy.open("/verify?project=team")
            expect(cy.bench).to_have_attribute("data-view", "task")
            question = cy.shown("question")
            assert question in doubted
            lea.open("/bulk?project=team")
            _choose(lea.page, "What", "Give a person's assignments to someone else")
            _choose(lea.page, "Whose assignments", "Cy (cy)")
            _choose(lea.page, "To", "Dan (dan)")
            expect(preview).to_have_text("1 claim would change, 0 would not.")
            lea.page.get_by_role("button", name="Change 1 claim", exact=True).click()
            lea.page.get_by_role("button", name="Yes, change 1 claim").click()
            expect(lea.page.get_by_text("Done: 1 claim changed.")).to_be_visible()
    with at_desk(chromium, server, "dan") as desk:
        desk.open("/verify?project=team")
        expect(desk.bench).to_have_attribute("data-view", "task")
        assert desk.shown("question") == question
        desk.next_after("1")
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.next_after("1")
    _verify(server, "ben", 2)
    _run(server, "export", "team", "egothink", "--verified", "--out", str(tmp_path / "out"))
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    # Every item is kept by two votes. Ann's two are behind none of them; of the six and the four later ones, four
    # stand on the items that were verified anew, by Ben and Dan, and two on the other one.
    assert [len(item["votes"]) for item in manifest["items"]] == [2] * N_ITEMS
    cards = list(csv.DictReader(_run(server, "scorecard", "team").splitlines()))
    done = {row["login"]: row["submissions"] for row in cards if row["window"] == "0"}
    assert done == {"ann": "2", "ben": str(N_ITEMS + 2), "cy": "1", "dan": "2"}, "what was submitted stays on record"
    log = list(csv.DictReader(_run(server, "audit", "team", "--kind", "task.reassigned").splitlines()))
    assert [(row["who"], json.loads(row["data"])["from"], json.loads(row["data"])["to"]) for row in log] == [
        ("lea", "cy", "dan")
    ]
