"""The page Projects: who sees what there, a project made once, and a project as a whole, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import shell
from app.projects import new_project, project_jobs, start_cards
from db.engine import Store
from domain import extensions
from domain.roles import Role
from media.store import MediaStore
from testkit.factories import make_items, make_person, make_project, make_schema, vote
from tests.app.screens import drawn, rows, words
from workflow.access import accounts, audit, projects
from workflow.releases import settings
from workflow.releases.create import create
from workflow.releases.settings import ReleaseOptions

pytestmark = pytest.mark.thorough


def test_everyone_sees_their_own_and_leads_make_one_with_one_press(
    store: Store, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(shell, "go", lambda screen, *, project: opened.append(project))
    make_project(store)
    make_items(store, 3)
    lea, ann = make_person(store, "lea", role=Role.LEAD), make_person(store, "ann")
    make_project(store, name="secret")
    vote(store, ann)
    assert rows(page := drawn(store, home, "projects", "ann"), "Project ID") == [
        {
            "Name": "A blind test",
            "Project ID": "p",
            "Your role": "annotator",
            "Items written": "3",
            "Progress": "-",
            "Waiting for you": "2",
            "State": "Active",
            "": "",
        }
    ]
    assert "secret" not in words(page)
    assert "/new_project" not in words(page)
    page = drawn(store, home, "new_project", "ann")
    assert not page.button
    assert "Only admins and project leads can create a project." in words(page)

    page = drawn(store, home, "projects", "lea")
    assert "/new_project" in words(page)
    assert rows(page, "Project ID")[0]["Progress"] == "0 kept"
    assert 'aria-label="3 in verification"' in words(page)
    page = drawn(store, home, "new_project", "lea", schema="egothink")
    (title,) = [each for each in page.text_input if each.label == "Name"]
    assert title.value == "EgoThink"
    title.set_value(" ").run()
    assert page.button(key="new_project.make").disabled
    assert "Enter a name for the project." in words(page)
    title.set_value("<b>Öl</b> & p 🎨").run()
    (id,) = [each for each in page.text_input if each.label == "Project ID"]
    id.set_value("p").run()
    assert page.button(key="new_project.make").disabled
    assert "Another project has the ID p. Choose another ID." in words(page)
    id.set_value("").run()
    page.button(key="new_project.make").click().run()
    page.session_state["touchstone.kept"]["new_project.round"] = "of the first press"
    page.button(key="new_project.make").click().run()  # the second one of a double press, on the form before
    assert opened == ["b_ol_b_p"] * 2, "it is opened, whichever press is heard last"
    monkeypatch.setattr(new_project, "SECONDS", 0)
    page.run()
    assert opened == ["b_ol_b_p"] * 2, "who comes back later stays"
    mine = {view.name: (view.title, view.role) for view in projects.projects_of(store, person=lea)}
    assert mine == {"p": ("A blind test", Role.LEAD), "b_ol_b_p": ("<b>Öl</b> & p 🎨", Role.LEAD)}
    (line,) = audit.entries(store, by=lea, project="b_ol_b_p", kinds=("project.created",))
    assert line.who == "lea"

    page = drawn(store, home, "project_settings", "lea", project="p")
    page.text_input(key="projects.title.p.A blind test").set_value("Second round").run()
    page.button(key="projects.rename").click().run()
    assert "The project&#x27;s title is now Second round." in words(page)
    page.button(key="projects.archive").click().run()
    page.button(key="projects.archive.sure.yes").click().run()
    assert "Second round is archived." in words(page)
    assert "This project is archived and has no more tasks. Touchstone keeps your submissions" in words(
        drawn(store, home, "my_work", "ann")
    )
    assert "Second round is archived. You can read and export the project, but you cannot change it." in words(
        drawn(store, home, "overview", "lea", project="p")
    )
    assert rows(drawn(store, home, "projects", "ann"), "Project ID")[0]["State"] == "Archived"
    page.button(key="projects.unarchive").click().run()
    assert "Second round is restored." in words(page)


def test_a_server_without_projects_shows_how_to_begin(store: Store, home: Path) -> None:
    accounts.create_person(store, login="ada", name="Ada", is_admin=True)
    accounts.create_person(store, login="bo", name="Bo")
    cards = words(drawn(store, home, "my_work", "ada"))
    for title in ("Try the demo", "Start from a published protocol", "Build your own form"):
        assert title in cards
    for name in start_cards.PUBLISHED:
        assert f"/new_project?schema={name}" in cards
    assert "an admin of this server (Ada) for an invitation." in words(drawn(store, home, "my_work", "bo"))


def test_what_comes_before_a_release(store: Store, home: Path) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)
    make_items(store, 3)
    page = drawn(store, home, "release", "lea", project="p")
    release = {line["What"]: (line["State"], line["How it stands"]) for line in rows(page, "How it stands")}
    assert release["Items"] == ("Blocking", "3 items are not finished and 1 is left to write.")  # colour wants 4
    assert release["Adjudication"] == ("Done", "No item waits for a senior.")
    assert "Release 1 has no items yet." in words(page)
    assert page.button(key="release.make").disabled
    assert "The project has no kept items yet" in words(page)


def test_the_button_of_a_release_is_off_and_says_why_until_nothing_is_refused(
    store: Store, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(store, loaded=make_schema(adjudication=False, raters=1))
    lea = make_person(store, "lea", role=Role.LEAD)
    make_items(store, 1)
    vote(store, make_person(store, "ann"))
    begun: list[str] = []
    monkeypatch.setattr(project_jobs, "begin", lambda services, kind, *_, **__: begun.append(kind))
    page = drawn(store, home, "release", "lea", project="p")
    assert "Release 1 is not ready: 3 items are left to write.</b> 1 more check blocks it." in words(page)
    assert "Finish or override these checks first: Items, License." in words(page)
    button = page.button(key="release.make")
    assert (button.label, button.disabled) == ("Create release 1 with 1 item", True)
    assert 'href="/data_card?project=p"' in words(page)

    page.multiselect(key="release.despite").set_value(["said", "items"]).run()
    assert {line["State"] for line in rows(page, "How it stands")} == {"Done", "Overridden"}
    assert not page.button(key="release.make").disabled
    page.text_input(key="release.private").set_value("tset").run()
    assert "There is no split tset to make private." in words(page)
    assert page.button(key="release.make").disabled
    page.text_input(key="release.private").set_value("").run()
    page.button(key="release.make").click().run()
    assert begun == ["release"]

    settings.say(store, by=lea, project="p", said={"license": "CC-BY-4.0"})
    shown = drawn(store, home, "data_card", "lea", project="p")
    assert "1 of 17 fields is filled." in words(shown)
    assert shown.text_input(key="release.say.license.1").value == "CC-BY-4.0"


def test_the_page_release_names_a_missing_check_and_the_releases_without_it(
    store: Store, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(store, loaded=make_schema(adjudication=False, raters=1))
    make_person(store, "lea", role=Role.LEAD)
    make_items(store, 1)
    vote(store, make_person(store, "ann"))
    here = {name: each for name, each in extensions.installed().items() if name != "leaks"}
    with monkeypatch.context() as deleted:
        deleted.setattr(extensions, "installed", lambda: here)
        asked = ReleaseOptions(despite=("said", "items"), private=("test",))
        create(store, MediaStore(home / "media"), home, by=None, project="p", asked=asked)
        page = drawn(store, home, "release", "lea", project="p")
        assert (
            "Restore the folder `extensions/leaks` of this version of Touchstone, then start Touchstone again."
            in words(page)
        )
        assert not [each for each in page.text_input if each.key == "release.accepted"]
    page = drawn(store, home, "past_releases", "lea", project="p")
    assert "The public files were not checked for leaks of private data." in words(page)
    assert "Restore the folder" not in words(page)
