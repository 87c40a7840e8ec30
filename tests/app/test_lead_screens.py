"""The lead's screens and My work: what they offer and what is saved, without a browser."""

from __future__ import annotations

import html
import io
import json
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from sqlmodel import col, select
from streamlit.testing.v1 import AppTest

from annotation_schemas import shipped
from annotation_schemas.formats import FORMATS
from annotation_schemas.loader import load_schema
from app import rooms, shell
from app.commands.agreement_lines import table
from app.screens import SCREENS, Room
from app.services import Services
from app.widgets import list_order
from db import files
from db.engine import Store
from db.tables import PersonRow
from domain.errors import InvalidFileError
from domain.records import Person, TaskView
from domain.roles import Role
from domain.settings import Settings
from domain.states import Items, Stage
from importers.items import read_items
from testkit.factories import Clock, make_items, make_schema
from testkit.guidelines import new_guideline
from testkit.missing_extensions import needs, needs_every
from testkit.qualification import make_set, needs_qualification
from tests.app.homes import Home, make_home, picture
from tests.app.screens import drawn, part, rows, text, words
from tests.planting import plant_format
from workflow.access import accounts, memberships, projects
from workflow.access.projects import access_to
from workflow.annotate import (
    claims,
    drafts,
    expired_drafts,
    image_pool,
    submissions,
)
from workflow.files import uploads
from workflow.results import file_raters
from workflow.results.rater_agreement import agreement_of

Show = Callable[..., AppTest]


@pytest.fixture(scope="module")
def first_home(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Home:
    """Made once, because hashing passwords takes its time."""
    return make_home(tmp_path_factory.mktemp("screens"), sqlite_template, pictures=4)


@pytest.fixture
def home(first_home: Home, tmp_path: Path) -> Home:
    """A copy for each test."""
    shutil.copytree(first_home.path, tmp_path / "home")
    return Home(tmp_path / "home")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    store = home.store()
    yield store
    store.close()


@pytest.fixture
def show(home: Home, store: Store) -> Iterator[Show]:
    """Draw a screen for someone."""

    def draw(name: str, login: str, *, project: str = "tiny", **query: str) -> AppTest:
        return drawn(store, home.path, name, login, project=project, **query)

    yield draw
    st.cache_resource.clear()


def person(store: Store, login: str) -> Person:
    return accounts.find_person(store, login=login)


def write_item(store: Store, login: str = "ana") -> str:
    """Someone writes an item about the next free image."""
    who = person(store, login)
    image = image_pool.pool(store, person=who, project="tiny").assets[0].id
    task = image_pool.pick(store, person=who, project="tiny", dimension="counting", assets=[image])
    item = {"question": f"How many cups are before me, {image}?", "answer": "Two."}
    done = submissions.submit(store, person=who, task=task.id, key=image, values=item)
    assert done.item
    return done.item


def vote(store: Store, login: str, value: str, reason: str | None = None) -> None:
    who = person(store, login)
    task = claims.next_task(store, person=who, project="tiny", stage=Stage.VERIFICATION)
    assert isinstance(task, TaskView)
    reasons = {"fits": reason} if reason else {}
    submissions.submit(store, person=who, task=task.id, key=task.id, values={"fits": value}, reasons=reasons)


# ---- my work ---------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_my_work_offers_a_key_for_each_stage_in_which_something_waits(store: Store, show: Show) -> None:
    write_item(store)
    test = show("my_work", "bo")
    start = {button.key: button for button in test.button if button.key.count(".") == 3}
    assert not start["my_work.start.tiny.authoring"].disabled
    assert not start["my_work.start.tiny.verification"].disabled
    assert start["my_work.start.tiny.grading"].disabled
    assert [start[f"my_work.start.tiny.{stage}"].proto.shortcut for stage in ("authoring", "verification")] == [
        "1",
        "2",
    ]
    assert "1 item to verify" in words(test)
    assert "made-up data" in words(test)


@pytest.mark.thorough
def test_my_work_says_what_to_do_where_there_is_nothing(store: Store, show: Show) -> None:
    accounts.create_person(store, login="new", name="New")
    assert "You are not a member of any project yet" in words(show("my_work", "new"))
    accounts.create_person(store, login="boss", name="Boss", is_admin=True)
    projects.create_project(
        store, name="empty", loaded=projects.project(store, person=person(store, "lea"), project="tiny").schema
    )
    test = show("my_work", "boss", project="empty")
    assert (
        part(test, "lead")
        == "You have no tasks in this project. Overview shows the work that the project is waiting for."
    )


# ---- who may ---------------------------------------------------------------------------------------------------------


LEAD_PAGES = [name for name, screen in SCREENS.items() if screen.role is Role.LEAD and name != "new_project"]


@pytest.mark.parametrize("name", LEAD_PAGES)
@pytest.mark.parametrize("login", ["ana", "sen"])
def test_a_lead_s_page_tells_others_in_a_sentence(show: Show, name: str, login: str) -> None:
    test = show(name, login)
    assert "for leads of Project tiny" in words(test)
    assert not test.button
    assert "No one" not in words(test)


@pytest.mark.parametrize("name", LEAD_PAGES)
def test_a_lead_of_one_project_is_no_one_in_another(show: Show, name: str) -> None:
    test = show(name, "lea", project="other")
    assert "You are not a member of a project named" in words(test)
    assert not test.button


# ---- dashboard -------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_dashboard_counts_what_happened(store: Store, show: Show) -> None:
    for _ in range(2):
        write_item(store)
        for login in ("bo", "chi"):
            vote(store, login, "yes")
    write_item(store)
    page = words(show("overview", "lea"))
    assert "2 of 144 items are kept." in page
    assert text(page).count("141 left to write") == 1
    assert 'aria-label="2 kept, 0 in adjudication, 1 in verification, 0 without a verdict, 0 rejected"' in page
    assert "1 free image in the pool" in page


def test_an_empty_overview_says_the_next_step(store: Store, show: Show) -> None:
    page = words(show("overview", "lea"))
    assert "There are no items yet. The target is 144." in page
    assert "4 free images in the pool" in page
    assert "items are left to write, but the pool has 4 free images." in text(page)


# ---- people ----------------------------------------------------------------------------------------------------------


def part_of(store: Store, login: str) -> tuple[Role, tuple[str, ...] | None]:
    parts = memberships.list_members(store, person=None, project="tiny")
    return next((part.role, part.dimensions) for part in parts if part.person.login == login)


def change(test: AppTest, name: str) -> AppTest:
    """Open the dialog about someone."""
    return next(button for button in test.button if button.label == f"Change {name}").click().run()


DRAWN = re.compile(r"\.\d+$")
"""How often a control was drawn anew, at the end of its key."""


def in_dialog(test: AppTest, ending: str) -> str:
    """The key of the widget whose key ends so, in the dialog that was opened last."""
    widgets = [*test.button, *test.radio, *test.checkbox, *test.button_group, *test.text_input]
    (key,) = [
        each.key
        for each in widgets
        if each.key and each.key.count(".") > 2 and DRAWN.sub("", each.key).endswith(ending)
    ]
    return key


def save(
    test: AppTest, *, role: Role | None = None, dimensions: list[str] | None = None, button: str = ".do"
) -> AppTest:
    """Choose in the open dialog, and press its button."""
    if role is not None:
        test.radio(key=in_dialog(test, ".role")).set_value(role)
    if dimensions is not None:
        test.checkbox(key=in_dialog(test, ".dimensions.all")).set_value(False)
        test.button_group(key=in_dialog(test, ".dimensions.some")).set_value(dimensions)
    return test.button(key=in_dialog(test, button)).click().run()


def test_people_are_found_and_ordered_by_what_the_address_says(store: Store, show: Show) -> None:
    def listed(test: AppTest) -> list[str]:
        return [button.label.removeprefix("Change ") for button in test.button if button.label.startswith("Change ")]

    everyone = {each.person.name: each for each in memberships.list_members(store, person=None, project="tiny")}
    test = show("people", "lea")
    assert listed(test) == sorted(everyone, key=str.casefold)
    test.selectbox(key="people.order.sort").set_value("Role")
    test.toggle(key="people.order.down").set_value(True).run()
    assert (test.query_params["sort"], test.query_params["down"]) in ((["Role"], ["1"]), ("Role", "1"))
    ranks = {Role.ANNOTATOR: 0, Role.SENIOR: 1, Role.LEAD: 2}
    found = [ranks[everyone[name].role] for name in listed(test)]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) > 1
    test.text_input(key="people.order.find").set_value("BO").run()
    assert listed(test) == ["Bo"]
    again = show("people", "lea", find="<b>", sort="no such column")
    assert not again.exception
    assert (listed(again), again.text_input(key="people.order.find").value) == ([], "<b>")
    assert again.selectbox(key="people.order.sort").value == "Person"


def test_what_is_not_known_comes_last_either_way_and_every_word_has_to_fit() -> None:
    rows = [("Zoë", "z1", 0.5), ("ana", "a9", float("nan")), ("Bo", "b2", 0.25), ("Ana", "a1", None)]

    def logins(found: list[tuple[str, str, float | None]]) -> str:
        return " ".join(login for _, login, _ in found)

    assert logins(list_order.ordered(rows, lambda row: row[2])) == "b2 z1 a9 a1"
    assert logins(list_order.ordered(rows, lambda row: row[2], down=True)) == "z1 b2 a9 a1"
    assert logins(list_order.ordered(rows, lambda row: row[0])) == "a9 a1 b2 z1"
    for asked, expected in (("ANA", "a9 a1"), ("ana a1", "a1"), ("1", "z1 a1"), ("", "z1 a9 b2 a1"), ("ana b", "")):
        assert logins(list_order.matching_rows(rows, asked, lambda row: row[:2])) == expected


def test_a_changed_part_is_saved_when_it_is_said(store: Store, show: Show) -> None:
    test = save(change(show("people", "lea"), "Bo"), role=Role.SENIOR)
    assert "Saved: Bo has the role senior in all dimensions." in words(test)
    save(change(test, "Bo"), dimensions=["counting"])
    assert part_of(store, "bo") == (Role.SENIOR, ("counting",))


def test_no_dimension_is_not_all_of_them(store: Store, show: Show) -> None:
    memberships.set_member(store, by=None, project="tiny", login="bo", role=Role.SENIOR, dimensions=["activity"])
    test = save(change(show("people", "lea"), "Bo"), dimensions=[])
    assert "Choose at least one of the dimensions, or choose all." in words(test)
    assert part_of(store, "bo") == (Role.SENIOR, ("activity",))


@pytest.mark.thorough
def test_what_another_lead_has_changed_meanwhile_is_not_overwritten_and_one_is_told(store: Store, show: Show) -> None:
    test = change(show("people", "lea"), "Bo")
    memberships.set_member(store, by=None, project="tiny", login="bo", role=Role.SENIOR, dimensions=["activity"])
    save(test, dimensions=["counting"])
    assert part_of(store, "bo") == (Role.SENIOR, ("activity",))
    assert "Another person changed the dimensions of Bo. Check the new setting, then choose again." in words(test)
    save(change(test, "Bo"), dimensions=["activity", "counting"])
    role, dimensions = part_of(store, "bo")
    assert (role, set(dimensions or ())) == (Role.SENIOR, {"activity", "counting"})


def test_one_part_is_changed_and_the_rest_stays_as_another_lead_has_left_it(store: Store, show: Show) -> None:
    test = change(show("people", "lea"), "Bo")
    memberships.set_member(store, by=None, project="tiny", login="bo", role=Role.SENIOR)
    save(test, dimensions=["counting"])
    assert part_of(store, "bo") == (Role.SENIOR, ("counting",))
    memberships.set_member(store, by=None, project="tiny", login="bo", role=Role.SENIOR, stages=[Stage.VERIFICATION])
    test = save(change(test, "Bo"), role=Role.ANNOTATOR)
    assert "Saved: Bo has the role annotator in all dimensions, for Verification." in words(test)


def test_who_was_taken_out_meanwhile_stays_out(store: Store, show: Show) -> None:
    test = change(show("people", "lea"), "Bo")
    memberships.remove_member(store, by=None, project="tiny", login="bo")
    assert "Bo is no longer in the project." in words(save(test, role=Role.SENIOR))
    assert "bo" not in {m.person.login for m in memberships.list_members(store, person=None, project="tiny")}


@pytest.mark.thorough
def test_what_reaches_far_asks_first_by_name_and_says_how_it_is_undone(store: Store, show: Show) -> None:
    def bo() -> bool:
        return any(m.person.login == "bo" for m in memberships.list_members(store, person=None, project="tiny"))

    test = save(change(show("people", "lea"), "Bo"), button=".remove")
    assert bo()
    assert "Submissions by this person stay in the project and still count." in words(test)
    assert "You can undo the removal on this page" in words(test)
    test.button(key="people.sure.no").click().run()
    assert bo()
    save(change(test, "Bo"), button=".remove")
    test.button(key="people.sure.yes").click().run()
    assert not bo()
    assert "Bo was removed from the project." in words(test)
    test.button(key="people.undo").click().run()
    assert bo()
    save(change(test, "Bo"), button=".deactivate")
    assert accounts.find_person(store, login="bo") in accounts.active_accounts(store)
    test.button(key="people.sure.yes").click().run()
    assert accounts.find_person(store, login="bo") not in accounts.active_accounts(store)
    (back,) = [button for button in test.button if button.label == "Reactivate Bo"]
    back.click().run()
    assert accounts.find_person(store, login="bo") in accounts.active_accounts(store)


def test_a_second_press_in_a_dialog_that_is_over_does_nothing(store: Store, home: Home) -> None:
    def screen(services):  # type: ignore[no-untyped-def]
        import streamlit as st

        from app.reruns import dialogs
        from app.views import people

        dialogs.show("Invite", lambda: None, name="d")
        done: list[int] = []
        for _ in range(2):  # the browser sends both before it sees what the first one did
            people._pressed(services, lambda: done.append(1), "d")
        st.text(str(len(done)))

    lea = accounts.find_person(store, login="lea")
    services = Services(store, home.media(), Settings(home.path, ""), lea, "csrf")
    assert AppTest.from_function(screen, args=(services,), default_timeout=120).run().text[0].value == "1"


@pytest.mark.parametrize("opened", ["people.invite", "people.let_in", "change", "question"])
def test_a_dialog_stands_when_another_run_takes_the_place_of_the_one_that_opened_it(show: Show, opened: str) -> None:
    """Streamlit shows what the newest run draws: without a press in it, nothing of the press before is seen."""
    test = show("people", "lea")
    if opened.startswith("people."):
        test.button(key=opened).click().run()
    else:
        test = change(test, "Bo")
    if opened == "question":
        test = save(test, button=".remove")
    before = {button.key for button in test.button}
    assert any(str(key).endswith((".do", ".yes")) for key in before)
    assert {button.key for button in test.run().button} == before


@pytest.mark.thorough
def test_a_dialog_that_is_left_or_answered_is_gone_and_another_address_has_none(show: Show) -> None:
    test = save(change(show("people", "lea"), "Bo"), button=".remove")
    test.button(key="people.sure.no").click().run()
    assert not [button for button in test.run().button if button.key == "people.sure.yes"]
    test = save(change(test, "Bo"), button=".remove")
    assert test.button(key="people.sure.yes")
    test.query_params["from"] = "elsewhere"
    assert not [button for button in test.run().button if button.key == "people.sure.yes"]


def test_the_only_lead_stays_one_and_is_told(store: Store, show: Show) -> None:
    test = save(change(show("people", "lea"), "Lea"), role=Role.ANNOTATOR)
    assert "Only another lead can" in words(test)
    assert part_of(store, "lea")[0] is Role.LEAD
    test.button(key="people.sure.yes").click().run()
    assert "Lea is the last active lead of" in words(test)
    assert part_of(store, "lea")[0] is Role.LEAD


def test_an_invitation_is_a_link_that_works_and_stays_until_it_is_put_away(store: Store, show: Show) -> None:
    test = show("people", "lea").button(key="people.invite").click().run()
    save(test, role=Role.SENIOR)
    for _ in range(2):
        address = test.code[0].value
        assert "The links disappear when you reload this page" in words(test)
        test.run()
    offered = accounts.invitation(store, token=address.rpartition("/invite/")[2])
    assert offered is not None
    assert (offered.project, offered.role) == ("tiny", Role.SENIOR)
    assert "Senior" in part(test, "invitation")
    assert "created by Lea" in part(test, "invitation")
    next(button for button in test.button if button.label == "I copied the link").click().run()
    assert not test.code
    next(button for button in test.button if button.label == "Revoke").click().run()
    test.button(key="people.sure.yes").click().run()
    assert 'data-part="invitation"' not in words(test)
    assert accounts.invitation(store, token=address.rpartition("/invite/")[2]) is None


def test_someone_with_an_account_is_let_in_and_an_unknown_login_is_told(store: Store, show: Show) -> None:
    test = show("people", "lea").button(key="people.let_in").click().run()
    test.text_input(key=in_dialog(test, ".login")).input("olu")
    save(test)
    assert "olu" in {
        m.person.login for m in memberships.list_members(store, person=person(store, "lea"), project="tiny")
    }
    test.button(key="people.let_in").click().run()
    test.text_input(key=in_dialog(test, ".login")).input("nobody")
    assert "No account has the login" in words(save(test))


def test_a_lead_makes_no_sign_in_link_for_others(show: Show) -> None:
    labels = {button.label for button in change(show("people", "lea"), "Bo").button}
    assert "Save" in labels
    assert "Make a sign-in link" not in labels


# ---- import and export -----------------------------------------------------------------------------------------------


def test_what_does_not_come_in_is_told_with_its_own_name_and_the_controls_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "items").mkdir()
    schema = load_schema(shipped()["egothink"]).schema_

    def told(*files: str) -> str:
        for name in files:
            (tmp_path / "items" / name).write_text("[]")
        with pytest.raises(InvalidFileError) as refused, uploads.as_uploaded(str(tmp_path)):
            read_items(tmp_path / "items", format="egothink", schema=schema)
        return shell.on_page(str(refused.value))

    assert told().startswith("What was uploaded has no .json or .jsonl file.")
    words = told("mine.json")
    assert words.startswith("mine.json: the name of the file's folder is not a dimension of EgoThink")
    assert words.endswith("name the dimension with “Default dimension”.")


def test_only_admins_may_name_a_path_of_the_server(store: Store, show: Show) -> None:
    assert not show("import_", "lea").get("text_input")
    accounts.create_person(store, login="boss", name="Boss", is_admin=True)
    test = show("import_", "boss")
    test.segmented_control(key="import.items.where").set_value("Path on the server").run()
    assert test.text_input(key="import.items.path")


@pytest.mark.thorough
def test_a_folder_on_the_server_comes_in_and_goes_out_byte_for_byte(store: Store, show: Show, tmp_path: Path) -> None:
    folder = tmp_path / "bench" / "Reasoning" / "counting"
    folder.mkdir(parents=True)
    rows = [
        {"image_path": f"{n}.png", "question": f"How many cups? {n}", "answer": "Two.", "source_dataset": "x"}
        for n in "ab"
    ]
    (folder / "annotations.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    (folder / "a.png").write_bytes(picture(200))
    accounts.create_person(store, login="boss", name="Boss", is_admin=True)
    test = show("import_", "boss")
    test.segmented_control(key="import.items.where").set_value("Path on the server").run()
    test.text_input(key="import.items.path").input(str(tmp_path / "bench"))
    test.text_input(key="import.items.media_path").input(str(tmp_path / "bench"))
    test.run()
    good = (folder / "annotations.json").read_bytes()
    (folder / "annotations.json").write_text(json.dumps([*rows, *[{"question": "?"}] * 60]), encoding="utf-8")
    test.button(key="import.items.go").click().run()
    page = words(test)
    assert "Invalid rows: 60. Nothing was imported. Correct the file, or import only the valid rows" in page
    assert "with “Skip bad rows”, which lists the skipped rows" in page
    assert [f", row {number}: " in page for number in (2, 3, 52, 53)] == [False, True, True, False]
    assert "The first 50 of 60 rows with errors" in [each.label for each in test.expander]
    (folder / "annotations.json").write_bytes(good)
    test.button(key="import.items.go").click().run()
    assert "2 items imported; 1 of 2 images and clips found" in words(test)
    assert "1 item with missing media waits for its files." in words(test)
    assert part(test, "imported").startswith("Show items The list starts with the 2 imported items.")
    assert 'href="/items?project=tiny&amp;sort=-"' in words(test)
    assert 'href="/items?project=tiny&amp;missing=yes&amp;sort=-"' in words(test)
    board = show("overview", "boss")
    assert "1 item waits for missing media: 1 image, such as Reasoning/counting/b.png." in words(board)
    assert "1 with missing media" in part(board, "summary")
    assert 'href="/items?project=tiny&amp;dimension=counting&amp;missing=yes"' in words(board)
    assert part(show("items", "boss"), "without-media") == "1 with missing media"
    wrong = tmp_path / "items.csv"
    wrong.write_text("id,question\n1,What?\n", encoding="utf-8")
    test.text_input(key="import.items.path").input(str(wrong)).run()
    assert ", which imports items as egothink: a folder per dimension" in html.unescape(words(test))
    assert "use a schema with `source: {format: csv}`" in html.unescape(words(test))
    out = show("export", "boss")
    out.button(key="export.prepare").click().run()
    with zipfile.ZipFile(io.BytesIO(out.session_state["export.ready"]["zip"])) as packed:
        assert packed.namelist() == ["Reasoning/counting/annotations.json"]
        assert packed.read("Reasoning/counting/annotations.json") == (folder / "annotations.json").read_bytes()


COUNTS = ("New", "Changed", "Unchanged", "Invalid", "Media found", "Media missing")


@pytest.mark.thorough
def test_columns_of_a_table_are_chosen_with_the_first_rows_before_the_eyes(
    store: Store, show: Show, tmp_path: Path
) -> None:
    schema = make_schema()  # colour and shape; question, options, answer, origin; one image
    projects.create_project(store, name="plain", loaded=schema)
    accounts.create_person(store, login="boss", name="Boss", is_admin=True)
    table = tmp_path / "t.csv"
    lines = [
        "id;Frage;dimension;option_1;option_2;answer;image;who",
        "1;Wo?;colour;Da;Dort;Da;a.png;x",
        "2;Was?;shape;Es;Er;Er;b.png;y",
        "3;Wer?;odd;Er;Sie;Er;c.png;z",
    ]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    test = show("import_", "boss", project="plain")
    test.segmented_control(key="import.items.where").set_value("Path on the server").run()
    test.selectbox(key="import.format").select("csv").run()
    test.text_input(key="import.items.path").input(str(table)).run()
    assert "t.csv has no column 'question'. The columns are 'id', 'Frage'" in html.unescape(words(test))
    assert "with “Column mapping”, or in the schema" in words(test)
    (box,) = [each for each in test.selectbox if each.key and each.key.startswith("import.column.csv.question.")]
    assert box.options == ["none", *lines[0].split(";"), "option_1 to option_2"]
    box.select("Frage").run()
    (several,) = [each for each in test.multiselect if each.key and each.key.startswith("import.column.csv.options.")]
    assert several.value == ["option_1", "option_2"]
    several.set_value(["option_2", "answer"]).run()
    assert '["Dort", "Da"]' in html.unescape(words(test)), "columns of any names, in order"
    next(each for each in test.multiselect if each.key == several.key).set_value(["option_1", "option_2"]).run()
    page = html.unescape(words(test))
    assert [part in page for part in ("Wo?", "Was?", "a.png", '["Da", "Dort"]')] == [True] * 4
    (bad,) = rows(test, "Problem")
    assert (bad["Row"], bad["Item"], "odd" in bad["Problem"]) == ("3", "3", True)
    assert rows(test, "Unchanged") == [dict(zip(COUNTS, ("2", "0", "0", "1", "0", "2"), strict=True))]
    test.checkbox(key="import.skip_bad").check()
    test.button(key="import.items.go").click().run()
    assert "2 items imported; 0 of 2 images and clips found; missing: a.png, b.png" in words(test)
    with store.read() as session:
        project_id = access_to(session, person=None, project="plain").project_id
        assert [name for _, name, _ in files.item_ids(session, project_id=project_id)] == ["1", "2"]


@pytest.mark.thorough
def test_columns_that_differ_in_case_and_marks_need_no_choice(store: Store, show: Show, tmp_path: Path) -> None:
    projects.create_project(store, name="plain", loaded=make_schema())
    accounts.create_person(store, login="boss", name="Boss", is_admin=True)
    (tmp_path / "t.csv").write_text(
        "Item ID,QUESTION,Dimension,Choice A,Choice B,Answer,Image file,Options note\n"
        "1,Where?,colour,Here,There,Here,a.png,n\n",
        encoding="utf-8",
    )
    test = show("import_", "boss", project="plain")
    test.segmented_control(key="import.items.where").set_value("Path on the server").run()
    test.text_input(key="import.items.path").input(str(tmp_path / "t.csv")).run()
    assert "options = Choice A,Choice B" in part(test, "recognised")
    assert "id = Item ID" in part(test, "recognised")
    (box,) = [each for each in test.selectbox if each.key and each.key.startswith("import.column.csv.question.")]
    assert "question = QUESTION" in part(test, "recognised")
    box.select("Options note").run()
    assert "question = " not in part(test, "recognised"), "the person has chosen another column"
    box.select("QUESTION").run()
    assert rows(test, "Unchanged") == [dict(zip(COUNTS, ("1", "0", "0", "0", "0", "1"), strict=True))]
    test.button(key="import.items.go").click().run()
    assert "1 item imported" in words(test)


def test_a_format_that_is_only_a_row_is_on_the_page_and_written(
    show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant_format(tmp_path, monkeypatch)
    out = show("export", "lea")
    assert "answer_key" in out.selectbox(key="export.format").options
    out.selectbox(key="export.format").select("answer_key")
    out.button(key="export.prepare").click().run()
    with zipfile.ZipFile(io.BytesIO(out.session_state["export.ready"]["zip"])) as packed:
        assert packed.read("key.csv").splitlines()[:1] == [b"item,answer"]


@pytest.mark.thorough
def test_a_project_of_label_studio_comes_in_under_its_own_names(
    store: Store, show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = {"image": "cup.png", "ask": "How many cups?", "answer": "Two.", "dimension": "counting"}
    fits = {"from_name": "verdict", "type": "choices", "value": {"choices": ["yes"]}}
    says = {"from_name": "says", "type": "textarea", "value": {"text": ["Two cups."]}}
    made = [{"id": 2, "completed_by": 3, "result": [fits]}, {"id": 4, "result": [fits]}]
    task = {"id": 1, "data": data, "annotations": made, "predictions": [{"id": 5, "result": [says]}]}
    (tmp_path / "tasks.json").write_text(json.dumps([task]), encoding="utf-8")
    (tmp_path / "cup.png").write_bytes(picture(201))
    accounts.create_person(store, login="boss", name="Boss", is_admin=True)
    test = show("import_", "boss")
    test.segmented_control(key="import.items.where").set_value("Path on the server").run()
    test.selectbox(key="import.format").select("label_studio").run()
    test.text_area(key="import.names.fields").input("question = ask")
    test.text_input(key="import.items.path").input(str(tmp_path / "tasks.json"))
    test.text_input(key="import.items.media_path").input(str(tmp_path))
    test.run()
    test.button(key="import.items.go").click().run()
    assert "“Control mapping”: CRITERION=verdict" in words(test)
    test.text_area(key="import.names.controls").input("fits").run()
    test.button(key="import.items.go").click().run()
    assert "fits does not have the form NAME=NAME_IN_FILE" in words(test)
    test.text_area(key="import.names.controls").input("fits=verdict").run()
    test.button(key="import.items.go").click().run()
    assert "Name the annotator with “Default rater”" in words(test)
    test.text_input(key="import.names.rater").input("kim").run()
    test.button(key="import.items.go").click().run()
    assert "Name the model with “Default model”" in words(test)
    test.text_input(key="import.model").input("tiny").run()
    test.button(key="import.items.go").click().run()
    assert "--" not in words(test)
    assert "1 item imported; 1 answer imported; 2 ratings imported; 1 of 1 images and clips found" in words(test), (
        words(test)[-600:]
    )
    out = show("export", "boss")
    out.selectbox(key="export.format").select("label_studio")
    out.button(key="export.prepare").click().run()
    with zipfile.ZipFile(io.BytesIO(out.session_state["export.ready"]["zip"])) as packed:
        [task] = json.loads(packed.read("label_studio.json"))
    assert task["data"]["question"] == "How many cups?"
    assert task["annotations"][0]["result"][0]["meta"] == {"rater": "person-1"}
    out.selectbox(key="export.format").select("predictions")
    out.selectbox(key="export.run").select_index(0)
    out.button(key="export.prepare").click().run()
    with zipfile.ZipFile(io.BytesIO(out.session_state["export.ready"]["zip"])) as packed:
        [name] = packed.namelist()
        assert "Two cups." in packed.read(name).decode()
    out.text_input(key="export.unanswered").input("N/A")
    out.button(key="export.prepare").click().run()
    assert "“Label for unanswered items” is only for submissions" in words(out)

    row = replace(FORMATS["egoplan_submission"], name="other_submission", place=51)
    monkeypatch.setattr(FORMATS, "_rows", {**FORMATS, row.name: row})
    out.run()
    assert out.selectbox(key="export.run").help == "For predictions, egoplan_submission or other_submission."
    assert out.text_input(key="export.unanswered").help.startswith("For egoplan_submission or other_submission. ")


@needs("readers", "ratings")
@pytest.mark.thorough
def test_a_lead_says_on_import_who_the_raters_of_a_file_are(store: Store, show: Show, tmp_path: Path) -> None:
    for _ in range(3):
        write_item(store)
    with store.read() as session:
        project_id = access_to(session, person=None, project="tiny").project_id
        named = [name for _, name, _ in files.item_ids(session, project_id=project_id)]
    rows = [f"{name},{rater},fits,yes" for name in named for rater in ("ann", "cy", "gpt")]
    (tmp_path / "ratings.csv").write_text("\n".join(["unit,rater,criterion,value", *rows]), encoding="utf-8")
    accounts.create_person(store, login="boss", name="Boss", is_admin=True)
    test = show("import_", "boss")
    assert not [each for each in test.expander if each.label.startswith("Imported raters")]
    test.segmented_control(key="import.items.where").set_value("Path on the server").run()
    test.selectbox(key="import.format").select("ratings").run()
    test.selectbox(key="import.raters_are").select_index(1)
    test.text_input(key="import.items.path").input(str(tmp_path / "ratings.csv")).run()
    test.button(key="import.items.go").click().run()
    assert "Counted as people: ann, cy, gpt." in words(test)
    test.run()
    test.multiselect[0].unselect("gpt")
    test.button[-1].click().run()
    assert {each.name: each.is_person for each in file_raters.list_raters(store, by=None, project="tiny")} == {
        "ann": True,
        "cy": True,
        "gpt": False,
    }
    page = words(show("agreement", "lea"))
    assert "Ratings by these machines do not count: gpt." in page
    assert "These imported raters count as people: ann, cy." in page
    if "calibration" in SCREENS:
        test = show("calibration", "lea")
        test.segmented_control(key="calibration.stage").set_value(Stage.VERIFICATION).run()
        chosen = {each.label: each.value for each in test.multiselect}
        assert chosen == {"People": ["ann", "cy"], "Judges": ["gpt"], "Models in judge's family": []}


@needs("readers", "ratings")
def test_a_file_that_does_not_fit_is_told_in_words(store: Store, show: Show, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_bytes("unit,rater,criterion,value\n1,a,fits,yes\n".encode("utf-16"))
    accounts.create_person(store, login="boss", name="Boss", is_admin=True)
    test = show("import_", "boss")
    test.segmented_control(key="import.items.where").set_value("Path on the server").run()
    test.selectbox(key="import.format").select("ratings")
    test.text_input(key="import.items.path").input(str(bad))
    test.run()
    test.button(key="import.items.go").click().run()
    page = words(test)
    assert 'role="alert"' in page
    assert "UTF-8" in page
    assert "An internal error occurred" not in page


def test_an_export_says_how_much_it_holds_and_that_it_has_no_manifest(store: Store, show: Show) -> None:
    write_item(store)
    test = show("export", "lea")
    test.button(key="export.prepare").click().run()
    page = words(test)
    assert "1 item in 1 file" in page
    assert "An export of all items has no manifest." in page
    with zipfile.ZipFile(io.BytesIO(test.session_state["export.ready"]["zip"])) as packed:
        assert len(packed.namelist()) == 1


# ---- agreement -------------------------------------------------------------------------------------------------------


def test_agreement_shows_each_number_with_interval_and_n(store: Store, show: Show) -> None:
    assert "There are no submissions for verification yet" in words(show("agreement", "lea"))
    with store.write() as session:  # two people of one name
        for row in session.exec(select(PersonRow).where(col(PersonRow.login).in_(["bo", "chi"]))):
            row.name = "Robin"
    for value in ("yes", "yes", "no"):
        write_item(store)
        vote(store, "bo", "yes")
        vote(store, "chi", value, "wrong_answer" if value == "no" else None)
    test = show("agreement", "lea")
    assert part(test, "finding").startswith("Two verifiers agree on 2 of 3 items. Krippendorff's alpha is 0.00")
    assert "Based on 3 items with at least two votes." in words(test)
    # one of the three is kept by two votes: at "Kept items" the way to what differs is to that one alone
    usual = 'href="/items?project=tiny&amp;differ_in=verification&amp;items=all"'
    assert words(test).count(usual) == 2  # of the sentence and of the plot
    assert "67 %" not in words(test), "every statistic is folded"
    test.session_state["agreement.fold.statistics"] = True
    page = words(test.run())
    assert 'raters=bo&amp;raters=chi&amp;criterion=fits" target="_self">67 %</a>' in page  # two of three items
    assert '<td class="number">3</td>' in page
    assert "Cohen&#x27;s kappa" in page
    assert "Raters: Robin (bo), Robin (chi)." in page
    switch = test.button_group(key="agreement.items.tiny.verification")
    switch.set_value(Items.KEPT).run()
    page = words(test)
    assert usual not in page
    assert usual.replace("items=all", "items=kept") in page
    assert "cannot be computed. Everyone gave the same answer" in html.unescape(page)


def test_one_vote_is_no_agreement_and_equal_votes_have_no_coefficient(store: Store, show: Show) -> None:
    write_item(store)
    vote(store, "bo", "yes")
    test = show("agreement", "lea")
    assert part(test, "finding") == "No item has votes from two verifiers yet."
    vote(store, "chi", "yes")
    finding = part(show("agreement", "lea"), "finding")
    assert finding == (
        "Two verifiers agree on 1 of 1 item. Krippendorff's alpha cannot be computed. Everyone gave the same answer."
    )


@pytest.mark.thorough
def test_agreement_stands_apart_for_each_version_of_the_guideline(store: Store, show: Show) -> None:
    """One item before the change, on which they differ, and two after it, on which they agree."""
    for number, value in enumerate(("no", "yes", "yes")):
        write_item(store)
        if number == 1:
            new_guideline(store, project="tiny", text="Another text.", why="Another.")
        vote(store, "bo", "yes")
        vote(store, "chi", value, "wrong_answer" if value == "no" else None)
    test = show("agreement", "lea")
    assert part(test, "finding").startswith("Two verifiers agree on 2 of 2 items.")
    assert "Guideline: 2." in words(test)
    test.toggle(key="agreement.pool_guidelines").set_value(True).run()
    assert part(test, "finding").startswith("Two verifiers agree on 2 of 3 items.")
    assert "Guideline: 1 and 2, pooled." in words(test)
    lines = "\n".join(table(agreement_of(store, person=None, project="tiny", stage=Stage.VERIFICATION)))
    assert "nominal scale, guideline 1\n" in lines
    assert "nominal scale, guideline 2\n" in lines


# ---- questions before a step ----------------------------------------------------------------------------------------


@needs_qualification
@pytest.mark.thorough
def test_anyone_who_has_to_qualify_is_led_there_from_my_work(store: Store, show: Show) -> None:
    projects.create_project(store, name="panel", loaded=load_schema(shipped()["panel"]))
    memberships.set_member(
        store, by=None, project="panel", login="bo", role=Role.ANNOTATOR, stages=[Stage.VERIFICATION]
    )
    make_items(store, 5, project="panel", dimension="near", fields={"question": "?", "answer": "!"})
    make_set(store, project="panel")
    start = show("my_work", "bo", project="panel").button(key="my_work.start.panel.verification")
    assert (start.label, start.disabled) == ("Qualify", False)


@pytest.mark.thorough
def test_a_kept_text_is_put_away_after_a_question(store: Store, show: Show) -> None:
    write_item(store)
    bo, clock = person(store, "bo"), Clock()
    store.clock = clock
    task = claims.next_task(store, person=bo, project="tiny", stage=Stage.VERIFICATION)
    assert isinstance(task, TaskView)
    drafts.save_draft(
        store, person=bo, task=task.id, seq=1, values={"values": {"fits": "no"}, "note": "A long remark."}
    )
    clock.advance(hours=3)
    claims.next_task(store, person=person(store, "chi"), project="tiny", stage=Stage.VERIFICATION)
    away = f"my_work.kept.away.{task.id}"
    test = show("my_work", "bo")
    test.button(key=away).click().run()
    assert len(expired_drafts.of_person(store, person=bo)) == 1
    assert "Copy any text that you still need first. You cannot restore a removed text on this page." in words(test)
    test.button(key="my_work.sure.yes").click().run()
    assert not expired_drafts.of_person(store, person=bo)


# ---- the menu --------------------------------------------------------------------------------------------------------


@needs_every("pages")
def test_the_menu_offers_what_someone_can_do(store: Store, home: Home) -> None:
    def seen(login: str) -> tuple[list[str], dict[str, list[str]]]:
        services = Services(store, home.media(), Settings(home.path, ""), person(store, login), "csrf")
        view = projects.project(store, person=services.person, project="tiny")
        facts = rooms.read_facts(services, view)
        tabs = {room: [screen.title for screen in rooms.tabs_of(view, room, facts)] for room in Room}
        return [entry["title"] for entry in rooms.entries(view, facts)], {
            room: titles for room, titles in tabs.items() if titles
        }

    assert seen("ana") == (
        ["My work", "Author", "Verify", "Grade", "Notices"],
        {Room.MY_WORK: ["To do"], Room.NOTICES: ["Notices"]},
    )
    assert seen("sen") == (
        ["My work", "Author", "Verify", "Adjudicate", "Grade", "Items", "Notices"],
        {Room.MY_WORK: ["To do"], Room.ITEMS: ["All items", "Preview"], Room.NOTICES: ["Notices"]},
    )
    assert seen("lea") == (
        ["Overview", "Items", "People", "Models", "Release", "Settings", "Notices"],
        {
            Room.OVERVIEW: ["Overview"],
            Room.ITEMS: ["All items", "Add items", "Privacy"],
            Room.PEOPLE: ["Members"],
            Room.MODELS: ["Runs", "Judges"],
            Room.RELEASE: ["Next", "Description", "Export"],
            Room.SETTINGS: ["Form", "Preview", "Guideline", "Targets and dates", "Project", "Audit log", "More tools"],
            Room.MY_WORK: ["To do"],
            Room.NOTICES: ["Notices"],
        },
    )
    write_item(store)
    assert seen("ana")[1][Room.MY_WORK] == ["To do", "Submissions"]
    memberships.set_member(
        store, by=None, project="tiny", login="ana", role=Role.ANNOTATOR, stages=[Stage.VERIFICATION]
    )
    assert seen("ana")[0] == ["My work", "Verify", "Notices"]
    memberships.set_member(store, by=None, project="tiny", login="lea", role=Role.LEAD, stages=[Stage.GRADING])
    assert seen("lea")[0][-2:] == ["My work", "Notices"], "a lead with stages of her own"
