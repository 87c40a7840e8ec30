"""Edits of single keys in a YAML text: only their own lines change, and the value is what was asked for."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation_schemas import shipped, yaml_text
from extensions.form_builder.form_state import form_state
from extensions.form_builder.starts import BLANK, blank_form
from extensions.form_builder.yaml_edits import Edit, EditError, apply_edits
from extensions.form_builder.yaml_render import thawed, value_at

TEXTS = {name: path.read_text(encoding="utf-8") for name, path in shipped().items()}
TEXTS |= {f"blank {kind}": blank_form(kind)[0] for kind in BLANK}
LAYOUTS = (
    {"default_flow_style": False},
    {"default_flow_style": False, "indent": 6},
    {"default_flow_style": None},
    {"default_flow_style": True, "width": 60},
)
ROW = {
    "name": "n",
    "kind": "choice",
    "prompt": "Why: not?",
    "options": [{"value": "yes"}, {"value": "no", "label": "N"}],
}
VALUES = st.one_of(
    st.text(max_size=20), st.sampled_from(["yes", "1.10", " lead", "a: b", "# no", "two\nlines", "é\u2028"])
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, tuple) else ()
    return [path, *(found for key, part in parts for found in paths(part, (*path, key)))]


def an_edit(data: st.DataObject, value: Any) -> Edit:
    path = data.draw(st.sampled_from(paths(value)[1:]), label="path")
    here, around = value_at(value, path), value_at(value, path[:-1])
    can = ["remove", "rename"] if isinstance(path[-1], str) else ["remove", "move"]
    can += ["insert"] if isinstance(here, tuple) else ["add"] if isinstance(here, dict) else ["set"]
    do = data.draw(st.sampled_from(can), label="do")
    if do == "insert":
        at = data.draw(st.integers(0, len(here)))
        return Edit("insert", path, data.draw(st.sampled_from([ROW, "plain", {"role": "r", "kind": "image"}])), at)
    if do == "add":
        return Edit(
            "set", (*path, "brand_new"), data.draw(st.sampled_from(["x", [ROW], {"a": 1}])), order=("id", "brand_new")
        )
    if do == "move":
        return Edit("move", path, at=data.draw(st.integers(0, len(around) - 1)))
    return Edit(do, path, "renamed" if do == "rename" else data.draw(st.one_of(VALUES, st.booleans(), st.integers())))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_an_edit_touches_only_the_lines_of_its_part(data: st.DataObject) -> None:
    """Lines before and behind the part that is edited are the same; ``apply_edits`` itself compares the values."""
    text = TEXTS[data.draw(st.sampled_from(sorted(TEXTS)), label="schema")]
    document = yaml_text.parse_yaml(text)
    edit = an_edit(data, document.value)
    edited = apply_edits(text, [edit])
    root = edit.path if edit.do == "insert" else edit.path[:-1]  # the list or mapping around
    lines = [line for path, line in document.lines.items() if path[: len(root)] == root] if root else [1, 10**6]
    before, after = text.split("\n"), edited.split("\n")
    first, behind = min(lines) - 1, max(next_line(document, root, len(before)), min(max(lines), len(before)))
    assert after[:first] == before[:first]
    assert after[len(after) - (len(before) - behind) :] == before[behind:]


def next_line(document: yaml_text.Document, root: tuple[Any, ...], n: int) -> int:
    """Return the number of lines up to the first key behind a part, without the comments above this key."""
    order = list(document.lines)
    inside = [at for at, path in enumerate(order) if path[: len(root)] == root]
    behind = [document.lines[path] for path in order[max(inside, default=n) + 1 :]]
    return behind[0] - 1 if behind and root else n


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_every_layout_of_yaml_can_be_edited(data: st.DataObject) -> None:
    """Lists that are indented otherwise, or stand between brackets, are edited, too: no edit is refused."""
    name, layout = data.draw(st.sampled_from(sorted(TEXTS))), data.draw(st.sampled_from(LAYOUTS))
    plain = thawed(yaml_text.parse_yaml(TEXTS[name]).value)
    text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, **layout)
    value = yaml_text.parse_yaml(text).value
    apply_edits(text, [an_edit(data, value)])


def test_comments_go_along_with_what_they_stand_above() -> None:
    text = "a:\n  # one\n  - x   # ex\n\n  # two\n  - y\nb: 1   # bee\n"
    assert (
        apply_edits(text, [Edit("move", ("a", 1), at=0)])
        == "a:\n  # two\n  - y\n\n  # one\n  - x   # ex\nb: 1   # bee\n"
    )
    assert apply_edits(text, [Edit("remove", ("a", 0))]) == "a:\n\n  # two\n  - y\nb: 1   # bee\n"
    assert apply_edits(text, [Edit("set", ("b",), "no")]) == text.replace("b: 1 ", 'b: "no" ')


@pytest.mark.parametrize("text", ["a: &x 1\nb: *x\n", "a: [1\nb: 2\n", "", "- a\n"])
def test_a_text_that_is_not_plain_is_left_alone(text: str) -> None:
    with pytest.raises(EditError, match=r"[Ll]ine 1"):
        apply_edits(text, [Edit("set", ("b",), 3)])


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_each_shipped_schema_opens_and_stays_as_it_is(name: str) -> None:
    """No edit, no change of a byte; setting a value to what it is changes none either."""
    text = TEXTS[name]
    state = form_state(text, "guideline", stage="", dimension="")
    assert state["valid"], state["findings"]
    assert state["form"] or state["note"]
    assert state["value"] == thawed(yaml_text.parse_yaml(text).value)
    assert apply_edits(text, []) == text
    assert apply_edits(text, [Edit("set", ("version",), state["value"]["version"])]) == text
