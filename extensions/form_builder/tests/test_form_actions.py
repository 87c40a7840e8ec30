"""What the page of the builder asks the server for: findings with fixes, drafts, two tabs, and the project."""

from __future__ import annotations

from typing import Any

import pytest

from annotation_schemas.loader import examine_document
from db.engine import Store
from domain.errors import BadRequestError, InvalidInputError, NotAllowedError
from domain.records import Person
from extensions.form_builder import actions
from extensions.form_builder.form_state import form_state
from extensions.form_builder.keep_words import keep_sentence
from extensions.form_builder.starts import blank_form
from workflow.access import accounts, projects

BLANK, GUIDELINE = blank_form("answer")


@pytest.fixture
def boss(store: Store) -> Person:
    return accounts.create_person(store, login="boss", name="Boss", is_admin=True)


def asked(text: str = BLANK, **more: Any) -> dict[str, Any]:
    return {"draft": "", "revision": 0, "text": text, "guideline": GUIDELINE, **more}


@pytest.mark.parametrize(
    ("old", "new", "label", "mended"),
    [
        ("rule: unanimous", "rule: majority", "Say “all”", "rule: unanimous"),
        ("rule: unanimous", "rule: majority", "Ask 3 people", "raters: 3"),
        ("prompt: Is", "promt: Is", "Rename to “prompt”", "prompt: Is"),
        ("kind: image", "kind: imgae", "Change to “image”", "kind: image"),
        ("raters: 2", "raters: 2\n    zzz: 1", "Remove “zzz”", "raters: 2\n    criteria"),
        ("raters: 2", 'raters: "2"', "Write 2", "raters: 2"),
        ("label: Right", "label: yes", "Add quotes", 'label: "yes"'),
        ('criterion: fits, value: "yes"', "criterion: fits", "Keep “Right”", 'value: "yes"'),
        ('criterion: fits, value: "yes"', 'value: "yes"', "Use “fits”", "criterion: fits"),
    ],
)
def test_a_finding_is_mended_by_its_button(old: str, new: str, label: str, mended: str) -> None:
    broken = BLANK.replace(old, new, 1)
    findings = form_state(broken, GUIDELINE, stage="", dimension="")["findings"]
    edits = next(fix["edits"] for finding in findings for fix in finding["fixes"] if fix["label"] == label)
    text = actions.apply_row_edits(broken, actions.parsed_edits(edits))
    assert mended in text
    assert form_state(text, GUIDELINE, stage="", dimension="")["valid"]


@pytest.mark.parametrize(
    ("raters", "rule", "adjudicated", "sentence"),
    [
        (1, "unanimous", False, "if people (one vote per item) say"),
        (2, "unanimous", False, "if both people say “Right”. Every other item is rejected."),
        (
            3,
            "unanimous",
            True,
            "if all 3 people say “Right”. An item is rejected if people agree on another answer.",
        ),
        (3, "majority", False, "if at least 2 of 3 people say “Right”. Every other item is rejected."),
        (4, "majority", False, "if at least 3 of 4 people say “Right”."),
    ],
)
def test_the_words_say_what_the_rule_does(raters: int, rule: str, adjudicated: bool, sentence: str) -> None:
    text = BLANK.replace("raters: 2", f"raters: {raters}").replace("rule: unanimous", f"rule: {rule}")
    if adjudicated:
        text = text.replace("adjudication: none", "adjudication: {reasons: [unclear]}")
    _, loaded = examine_document(text, GUIDELINE)
    assert loaded is not None
    assert sentence in keep_sentence(loaded.schema_, "verification")


def test_a_row_renames_a_field_everywhere_and_another_kind_leaves_its_keys_out() -> None:
    text, _ = blank_form("options")
    edits = [{"do": "name", "path": ["item", "fields", 1, "name"], "value": "choices"}]
    edits += [{"do": "kind", "path": ["item", "fields", 2], "value": "text"}]
    edited = actions.apply_row_edits(text, actions.parsed_edits(edits))
    assert "{name: choices, kind: text_list, min_length: 2}" in edited
    assert "kind: option_of, field: choices, prompt" in edited
    assert "{name: answer, kind: text, secret_in: [verification]}" in edited


def test_two_tabs_lose_nothing(store: Store, boss: Person) -> None:
    """The tab that saves over an unseen revision gets a draft of its own, and is told."""
    first = actions.check_form(store, boss, asked())
    again = actions.check_form(
        store, boss, asked(draft=first["draft"], revision=first["revision"], text=BLANK + "# a\n")
    )
    assert (again["draft"], again["copied"], again["revision"]) == (first["draft"], False, first["revision"] + 1)
    late = actions.check_form(
        store, boss, asked(draft=first["draft"], revision=first["revision"], text=BLANK + "# b\n")
    )
    assert late["copied"]
    texts = {
        actions.open_form(store, boss, {"draft": each["draft"]})["text"].removeprefix(BLANK)
        for each in actions.list_forms(store, boss, {})["drafts"]
    }
    assert texts == {"# a\n", "# b\n"}


def test_a_project_is_made_by_those_who_may(store: Store, boss: Person) -> None:
    anyone = accounts.create_person(store, login="any", name="Any")
    with pytest.raises(NotAllowedError):
        actions.check_form(store, anyone, asked())
    draft = actions.check_form(store, boss, asked())["draft"]
    with pytest.raises(InvalidInputError, match="Line 1"):
        actions.create_project(store, boss, asked("name: [", title="T", name="t"))
    made = actions.create_project(store, boss, asked(draft=draft, title="Große Häuser", name=""))
    assert made["href"].startswith("/import?project=grosse_hauser") or "hauser" in made["href"]
    view = next(view for view in projects.projects_of(store, person=boss))
    assert (view.title, view.schema.schema_.title) == ("Große Häuser", "Große Häuser")
    assert view.schema.schema_.name == view.name
    assert actions.list_forms(store, boss, {})["drafts"] == []


@pytest.mark.parametrize(
    "edit",
    [3, {"do": "eval", "path": ["a"]}, {"do": "set", "path": []}, {"do": "set", "path": [-1]},
     {"do": "set", "path": [True]},
     {"do": "move", "path": ["a", 0], "at": -1}],
)  # fmt: skip
def test_hostile_edits_are_refused(store: Store, boss: Person, edit: Any) -> None:
    with pytest.raises(BadRequestError):
        actions.check_form(store, boss, asked(edits=[edit]))


def test_a_name_for_a_whole_row_is_refused_with_a_sentence(store: Store, boss: Person) -> None:
    edit = {"do": "name", "path": ["stages", "verification", "criteria", 0], "value": "q"}
    assert "form rows cannot edit this YAML notation" in actions.check_form(store, boss, asked(edits=[edit]))["refused"]


@pytest.mark.parametrize(
    "text",
    ["", "\t", "a: &x [*x]", "- 1", "name: 3\nitem: 4\nstages: [1]\ndimensions: {a: 1}", "a:\n" * 500,
     BLANK + "".join(f"key{n}: {n}\n" for n in range(3000))],
)  # fmt: skip
def test_half_written_texts_are_answered(text: str) -> None:
    state = form_state(text, "", stage="nowhere", dimension="none")
    assert not state["valid"]
    assert state["findings"]
