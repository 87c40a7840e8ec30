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


def _choose(page: AppTest, **chosen: str) -> AppTest:
    """Pick entries of lists by their words, one after the other."""
    for key, wanted in chosen.items():
        box = page.selectbox(key=f"items.{key}")
        box.select_index(box.options.index(wanted)).run()
    return page


def _press(page: AppTest, label: str) -> None:
    (button,) = [button for button in page.button if button.label == label]
    button.click().run()


def _dialog(store: Store, home: Path, project: str, action: str, **listed: str) -> AppTest:
    """The dialog of Lea with this action on all items of a list."""
    page = drawn(store, home, "items", "lea", project=project, **listed)
    _press(page, "Change items")
    kept = f"touchstone.ticks.{accounts.find_person(store, login='lea').id}.{project}"
    page.session_state[f"{kept}.said"] = {"asked": page.session_state[f"{kept}.asked"], "ticked": []}
    page.run()
    return _choose(page, what=action)


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
    page = _dialog(store, home, "team", "Give back or reassign")
    assert next(each for each in page.button if each.label == "Move assignments").disabled, "no one is chosen yet"
    _choose(page, **{"from": "Ann (ann)"})
    assert part(page, "preview") == "1 assignment will change, 0 will not."
    _press(page, "Move 1 assignment")
    assert "1 assignment moved from Ann (ann) to anyone." in words(page)
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

    page = _dialog(store, home, "team", "Verify again", voter="ann")  # whose votes are doubted, and who is gone
    assert part(page, "preview") == "2 items will change, 0 will not."
    _press(page, "Change 2 items")
    assert "2 items changed." in words(page)
    question = claimed(store, accounts.find_person(store, login="cy"), project="team").fields["question"]
    assert question in doubted
    page = _dialog(store, home, "team", "Give back or reassign")
    _choose(page, **{"from": "Cy (cy)", "reassign_to": "Dan (dan)"})
    assert part(page, "preview") == "1 assignment will change, 0 will not."
    _press(page, "Move 1 assignment")
    assert "1 assignment moved from Cy (cy) to Dan (dan)." in words(page)
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
    page = _dialog(store, home, "p", "Send back to authors")
    assert "Enter a reason. The author will see the reason." in text(words(page))
    page.text_area(key="items.why").input("Not this.").run()
    assert part(page, "preview") == "2 items will change, 0 will not."
    page.text_area(key="items.why").input(WHY)  # typed last, pressed with no run between
    _press(page, "Change 2 items")
    assert "2 items changed." in words(page)
    assert back(store, ann) == {"Question 1?": WHY, "Question 2?": WHY}


def test_a_stage_is_called_by_its_title(store: Store, home: Path) -> None:
    make_three_stages(store)
    page = _dialog(store, home, "p", "Give back or reassign")
    called = ["Any", "Verification", "Content", "Verification 3", "Adjudication"]
    assert page.selectbox(key="items.held_in").options == called


def test_assignments_are_given_to_someone_else_and_not_to_their_own_person(store: Store, home: Path) -> None:
    make_project(store)
    make_items(store, 1)
    make_person(store, "lea", role=Role.LEAD)
    ann, _ = make_person(store, "ann"), make_person(store, "ben")
    claimed(store, ann)
    page = _choose(_dialog(store, home, "p", "Give back or reassign"), **{"from": "Ann (ann)"})
    assert set(page.selectbox(key="items.reassign_to").options) == {"Next available person", "Ben (ben)", "Lea (lea)"}
