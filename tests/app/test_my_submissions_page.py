"""The page My submissions without a browser: the list, one of them, and why something can no longer be corrected."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation_schemas.loader import load_text
from db.engine import Store
from testkit.factories import BLIND, Clock, make_fields, make_items, make_people, make_person, make_project, vote
from tests.app.screens import drawn, words
from workflow.annotate import own_submissions

pytestmark = pytest.mark.thorough


def test_a_list_that_is_alike_for_all_and_a_sentence_where_it_is_too_late(store: Store, home: Path) -> None:
    clock = Clock()
    store.now = clock  # type: ignore[method-assign]
    schema = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    make_project(store, loaded=load_text(schema, "Be exact.", "blind"))
    ana, bob = make_people(store, "ana", "bob")
    make_person(store, "stranger", project=None)
    make_items(store, 1)
    make_items(store, 1, dimension="shape", fields=make_fields(2, question="<b>Öl</b> 🎨 " + "long " * 1000))
    assert "You have no submissions in this project yet." in words(drawn(store, home, "my_submissions", "ana"))
    settled = vote(store, ana, "red", dimension="colour")
    vote(store, bob, "red", dimension="colour")
    vote(store, ana, "blue", dimension="shape")
    clock.advance(hours=1)

    page = drawn(store, home, "my_submissions", "ana", project="p")
    said = words(page)
    assert "&lt;b&gt;Öl&lt;/b&gt; 🎨 long" in said
    assert "<b>Öl" not in said
    assert said.index("Öl") < said.index("Question 0?"), "the newest first"
    buttons = {button.key: button for button in page.button}
    assert {(button.label, button.disabled) for button in buttons.values()} == {("Edit my answer", False)}
    (row,) = [each for each in own_submissions.find(store, person=ana, project="p").rows if each.task == settled.id]
    for _ in range(2):  # also a double press
        page = page.button(key=f"my_submissions.correct.{row.id}").click().run()
        assert "you cannot change your vote" in words(page)
    assert own_submissions.find(store, person=ana, project="p").n == 2

    page = drawn(store, home, "my_submissions", "ana", project="p", find="question 0", stage="verification", day="x")
    assert [button.key for button in page.button] == [f"my_submissions.correct.{row.id}"]
    assert page.selectbox(key="my_submissions.stage").value == "verification"
    assert f"find=question+0&amp;said={row.id}" in words(page)
    page.text_input(key="my_submissions.find").set_value("no such words").run()
    assert "No submissions match these filters. Remove a filter." in words(page)
    assert "My submission" in words(drawn(store, home, "my_submissions", "ana", project="p", said=row.id))
    assert "None of your submissions in this project has this ID" in words(
        drawn(store, home, "my_submissions", "bob", project="p", said=row.id)
    )
    assert "You are not a member of any project yet" in words(drawn(store, home, "my_submissions", "stranger"))
