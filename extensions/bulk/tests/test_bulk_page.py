"""What a lead does about people and claims on the page, and what is in the files afterwards."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from db.engine import Store
from domain.roles import Role
from domain.states import Stage
from extensions.bulk.item_action import FOR_BULK
from media.store import MediaStore
from testkit.factories import claimed, make_items, make_person, make_pool, make_project
from testkit.kept_items import votes_on_kept
from testkit.missing_extensions import needs
from testkit.samples import egothink_record, write
from testkit.serving import touchstone
from tests.app.screens import drawn, part, text, words
from tests.app.test_names_on_pages import make_three_stages
from tests.app.test_send_back_pages import WHY, back
from tests.workflow.test_authoring import write as author
from workflow.access import accounts, audit
from workflow.annotate import submissions
from workflow.files import import_files

N_ITEMS = 3


def bulk_box(page: AppTest, name: str) -> str:
    """The key of a box of the page, which is another one after each change; what is done is not."""
    return next(each.key for each in page.selectbox if each.key and each.key.split(".")[1] == name)


def _choose(page: AppTest, **chosen: str) -> AppTest:
    """Pick entries of lists by their words, one after the other."""
    for key, wanted in chosen.items():
        box = page.selectbox(key=bulk_box(page, key))
        box.select_index(box.options.index(wanted)).run()
    return page


def _press(page: AppTest, label: str) -> None:
    (button,) = [button for button in page.button if button.label == label]
    button.click().run()


@pytest.mark.slow
@needs("commands", "scorecard")
def test_claims_are_taken_back_and_given_over_and_all_that_someone_voted_on_is_verified_anew(
    store: Store, home: Path, tmp_path: Path
) -> None:
    def run(*arguments: str) -> str:
        done = touchstone(*arguments, home=home)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def verify(login: str, n: int, *, then_take: bool = False) -> list[str]:
        """Someone says of so many items that they fit; the questions."""
        person, shown = accounts.find_person(store, login=login), []
        for _ in range(n):
            view = claimed(store, person, project="team")
            shown.append(str(view.fields["question"]))
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"fits": "yes"}, seconds=1)
        if then_take:  # the page brings the next item at once
            claimed(store, person, project="team")
        return shown

    run("project", "create", "team", "--schema", "demo")
    write(tmp_path / "items" / "Activity" / "annotations.json", [egothink_record(n) for n in range(N_ITEMS)])
    for n in range(N_ITEMS):
        Image.new("RGB", (64, 48), (n * 40, 90, 90)).save(tmp_path / f"{n}.jpg")
    import_files.import_files(
        store,
        MediaStore(home / "media"),
        by=None,
        project="team",
        format="egothink",
        path=tmp_path / "items",
        media_dir=tmp_path,
    )
    for login in ("ann", "ben", "cy", "dan"):
        make_person(store, login, project="team", stages=[Stage.VERIFICATION])
    make_person(store, "lea", project="team", role=Role.LEAD)

    doubted = verify("ann", 2, then_take=True)
    page = _choose(drawn(store, home, "bulk", "lea", project="team"), person="Ann (ann)")
    assert part(page, "preview") == "1 assignment would change, 0 would not."
    _press(page, "Change 1 assignment")
    assert "1 assignment of Ann (ann) for anyone who asks next." in words(page)
    _press(page, "Yes, change 1 assignment")
    assert "Done: 1 assignment changed." in words(page)
    assert 'data-part="preview"' not in words(page)
    accounts.set_active(store, by=None, login="ann", active=False)
    verify("ben", N_ITEMS)
    verify("cy", N_ITEMS * 2 - 2 - N_ITEMS)
    votes = {"ann": 2, "ben": 3, "cy": 1}
    # All six said the same of three items, two votes on each: every vote has one peer, who agrees.
    cards = list(csv.DictReader(run("scorecard", "show", "team").splitlines()))
    assert {
        row["login"]: (row["submissions"], row["peers_n"], row["peers"]) for row in cards if row["window"] == "0"
    } == {login: (str(n), str(n), "1.0") for login, n in votes.items()}
    run("item", "export", "team", "ratings", "--out", str(tmp_path / "votes.csv"))
    rows = list(csv.DictReader((tmp_path / "votes.csv").read_text(encoding="utf-8").splitlines()))
    assert sorted(Counter(row["rater"] for row in rows).values()) == [1, 2, 3], "also of someone who is gone"
    assert Counter(row["unit"] for row in rows) == dict.fromkeys({row["unit"] for row in rows}, 2)

    _choose(page, action="Have items verified again", voter="Ann (ann)")  # whose votes are doubted, and who is gone
    assert part(page, "preview") == "2 items would change, 0 would not."
    _press(page, "Change 2 items")
    _press(page, "Yes, change 2 items")
    assert "Done: 2 items changed." in words(page)
    assert page.selectbox(key=bulk_box(page, "voter")).value is None, "the next change begins with nothing chosen"
    question = claimed(store, accounts.find_person(store, login="cy"), project="team").fields["question"]
    assert question in doubted
    _choose(page, action="Give a person's assignments to someone else", person="Cy (cy)", to="Dan (dan)")
    assert part(page, "preview") == "1 assignment would change, 0 would not."
    _press(page, "Change 1 assignment")
    assert "1 assignment of Cy (cy) for Dan (dan)." in words(page)
    _press(page, "Yes, change 1 assignment")
    assert "Done: 1 assignment changed." in words(page)
    assert verify("dan", 2)[0] == question
    verify("ben", 2)
    # Every item is kept by two votes. Ann's two are behind none of them; of the six and the four later ones, four
    # stand on the items that were verified anew, by Ben and Dan, and two on the other one.
    assert [len(votes) for votes in votes_on_kept(store, "team").values()] == [2] * N_ITEMS
    cards = list(csv.DictReader(run("scorecard", "show", "team").splitlines()))
    done = {row["login"]: row["submissions"] for row in cards if row["window"] == "0"}
    assert done == {"ann": "2", "ben": str(N_ITEMS + 2), "cy": "1", "dan": "2"}, "what was submitted stays on record"
    log = audit.entries(store, by=None, project="team", kinds=["task.reassigned"])
    assert [(entry.who, entry.data["from"], entry.data["to"]) for entry in log] == [("lea", "cy", "dan")]


@pytest.mark.thorough
def test_a_lead_says_why_when_items_are_sent_back(store: Store, home: Path) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)
    ann = make_person(store, "ann")
    for at, image in enumerate(make_pool(store, 2), 1):
        author(store, ann, image, at)
    page = drawn(store, home, "bulk", "lea", project="p")
    page.selectbox(key="bulk.action").select_index(4).run()
    assert page.selectbox(key="bulk.action").value == "send_back"
    page.checkbox(key="bulk.every").check().run()
    assert "Say why: the author reads it." in text(words(page))
    page.text_area(key="bulk.why").input("Not this.").run()
    assert part(page, "preview") == "2 items would change, 0 would not."
    page.text_area(key="bulk.why").input(WHY)  # typed last, pressed with no run between
    _press(page, "Change 2 items")
    _press(page, "Yes, change 2 items")
    assert "Done: 2 items changed." in words(page)
    assert back(store, ann) == {"Question 1?": WHY, "Question 2?": WHY}


def test_a_stage_is_called_by_its_title(store: Store, home: Path) -> None:
    make_three_stages(store)
    page = drawn(store, home, "bulk", "lea", project="p")
    assert page.selectbox(key="bulk.stage").options == ["Verification", "Content", "Verification 3", "Adjudication"]
    assert "in Content" in page.selectbox(key="bulk.state").options


def test_ticked_items_are_opened_for_a_choice_of_assignments(store: Store, home: Path) -> None:
    make_project(store)
    make_items(store, 3)
    make_person(store, "lea", role=Role.LEAD)
    page = drawn(store, home, "bulk", "lea", project="p")
    page.session_state[FOR_BULK] = ("colour/0", "colour/2")
    assert page.run().text_area(key="bulk.items").value == "colour/0\ncolour/2"


def test_assignments_are_given_to_someone_else_and_not_to_their_own_person(store: Store, home: Path) -> None:
    make_project(store)
    make_items(store, 1)
    make_person(store, "lea", role=Role.LEAD)
    ann, _ = make_person(store, "ann"), make_person(store, "ben")
    claimed(store, ann)
    page = drawn(store, home, "bulk", "lea", project="p")
    _choose(page, action="Give a person's assignments to someone else", person="Ann (ann)")
    assert set(page.selectbox(key=bulk_box(page, "to")).options) == {"Ben (ben)", "Lea (lea)"}
