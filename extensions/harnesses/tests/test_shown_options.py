"""Options as a model was shown them: found in lists, columns and prompts, and held against the item's own.

Each expected order is read off the input: the first entry is the place of the item's option that stands under A.
"""

from __future__ import annotations

from typing import Any

import pytest

from extensions.harnesses.shown_options import counted_columns, listed_options, prompt_text
from importers.shown_options import OptionsDiffer, shown_order

OWN = ("the tap", "the door", "the box")
SHOWN = ("the door", "the tap", "the box")
"""What the item has. Every prompt below shows the door, the tap, the box: (1, 0, 2)."""

MANNERS = {
    "lines with points": "Which one is open?\nA. the door\nB. the tap\nC. the box\nAnswer:",
    "lines with brackets": "Q?\nA) the door\nB) the tap\nC) the box",
    "brackets in one line": "Q? (A) the door (B) the tap (C) the box\nAnswer with the letter.",
    "colons in one line": "A: the door, B: the tap, C: the box.",
    "points in one line, words behind": "A. the door B. the tap C. the box Answer with the option's letter",
    "numbers": "1. the door\n2. the tap\n3. the box",
    "numbers in brackets": "(1) the door (2) the tap (3) the box",
    "small letters": "a) the door\nb) the tap\nc) the box",
    "bold letters": "**A.** the door\n**B.** the tap\n**C.** the box",
    "bullets": "- A. the door\n- B. the tap\n- C. the box",
    "the word option": "Option A: the door\nOption B: the tap\nOption C: the box",
    "square brackets": "[A] the door [B] the tap [C] the box",
    "a table": "| A | the door |\n| B | the tap |\n| C | the box |",
    "no mark": "A the door\nB the tap\nC the box",
    "no space": "A.the door\nB.the tap\nC.the box",
    "Chinese marks": "A\u3001the door\uff1bB\u3001the tap\uff1bC\u3001the box\u3002",
    "full stops and capitals": "Choices:\n(A) The door.\n(B) The tap.\n(C) The box.\nFinish with (X).",
    "a sentence": "A. the door; B. the tap; or C. the box?",
    "slashes": "A) the door / B) the tap / C) the box",
    "an example before": "A. the tap\nB. the door\nC. the box\nAnswer: A\n\nQ2\nA. the door\nB. the tap\nC. the box",
    "another example before": "Q1\nA. red\nB. blue\nAnswer: A\n\nQ2\nA. the door\nB. the tap\nC. the box\nAnswer:",
    "one more behind": "A. the door\nB. the tap\nC. the box\nD. none of them",
    "labels behind": "Is it the door (A), the tap (B), or the box (C)?",
    "an object": "{'A': 'the door', 'B': 'the tap', 'C': 'the box'}",
    "an object as JSON": 'Options: {"A": "the door", "B": "the tap", "C": "the box"}. Answer with a key.',
    "tags": "<A>the door</A>\n<B>the tap</B>\n<C>the box</C>",
    "a chat template": "<|im_start|>user\nA. the door\nB. the tap\nC. the box<|im_end|>\n<|im_start|>assistant\n",
    "LaTeX": "\\item[A] the door\n\\item[B] the tap\n\\item[C] the box",
    "the word option in brackets": "Option (A): the door\nOption (B): the tap\nOption (C): the box",
    "lines of their own": "A.\nthe door\nB.\nthe tap\nC.\nthe box",
    "letters in the question": "In (A) and (B), what is open?\n(A) the door\n(B) the tap\n(C) the box",
    "steps before": "1. Look.\n2. Think.\n3. Answer.\nA. the door\nB. the tap\nC. the box",
}


@pytest.mark.parametrize("prompt", MANNERS.values(), ids=MANNERS)
def test_options_in_a_prompt_are_read_in_their_order(prompt: str) -> None:
    assert shown_order(OWN, (), prompt) == (1, 0, 2)


@pytest.mark.parametrize(
    "prompt",
    [
        "Which one is open?",
        "A. the tap\nB. the door\nC. the box",
        "A. the tap\nB. the door\nC. the box\nD. none of them",
        "A. the tap\nB. the door",
        "Look at the picture, e.g. at its left. I. e. what is open?",
        "a) Look at the picture. b) Choose one of the tap, the door and the box.",
    ],
)
def test_a_prompt_in_the_items_order_or_without_options_says_nothing(prompt: str) -> None:
    assert shown_order(OWN, (), prompt) == ()


@pytest.mark.parametrize(
    ("own", "listed", "prompt", "why"),
    [
        (OWN, (), "A. red\nB. blue", 'the option A. "red"'),
        (OWN, (), "A. the door\nB. the lamp\nC. the box", 'the option B. "the lamp"'),
        (OWN, ("yes", "no"), "", 'the option A. "yes"'),
        (OWN, ("the door", "the lamp", "the tap"), "", 'the option B. "the lamp"'),
        (OWN, (), "0. the door\n1. the tap\n2. the box", "numbers the options from 0"),
    ],
)
def test_options_of_another_item_are_refused(own: Any, listed: Any, prompt: str, why: str) -> None:
    with pytest.raises(OptionsDiffer, match=why):
        shown_order(own, listed, prompt)


@pytest.mark.parametrize(
    ("own", "listed", "order"),
    [
        (("1.0", "1", "01"), ("01", "1", "1.0"), (2, 1, 0)),
        (("Rise", "rise"), ("rise", "Rise"), (1, 0)),
        (("caf\u00e9", "bar"), ("bar", "cafe\u0301"), (1, 0)),
        (("None", "Two", "One"), ("", "Two", "One"), ()),  # pandas takes the word None for an empty cell
        (("None", "Two", "One"), ("Two", "", "One"), (1, 0, 2)),
        (("x", "x", "y"), ("y", "x", "x"), (2, 0, 1)),
        (("2", "3", "1"), ("3.0", "2.0", "1.0"), (1, 0, 2)),  # pandas, in a column with an empty cell
        (("2", "2.0"), ("2.0", "2"), (1, 0)),
        (("-5", "5", "rise and"), ("5", "-5", "Rise and."), (1, 0, 2)),
        (("a", "b", "c", "d"), ("b", "a"), (1, 0)),
    ],
)
def test_listed_options_are_compared_strictly_before_freely(own: Any, listed: Any, order: Any) -> None:
    assert shown_order(own, listed) == order


def test_the_prompt_goes_before_a_list() -> None:
    assert shown_order(OWN, OWN, MANNERS["numbers"]) == (1, 0, 2)
    assert shown_order(OWN, ("the door", "the tap", "the box"), "A. Look\nB. Answer") == (1, 0, 2)


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"A": "the door", "B": "the tap", "answer": "A"}, ("the door", "the tap")),
        ({letter: letter * 2 for letter in "ABCDEFG"}, tuple(letter * 2 for letter in "ABCDEFG")),
        ({"A": "x", "B": None, "C": "z", "D": float("nan")}, ("x", "", "z")),
        ({"choice_a": "x", "choice_b": "y"}, ("x", "y")),
        ({"option1": "x", "option2": "y"}, ("x", "y")),
        ({"Option A": "x", "Option B": 2}, ("x", "2")),
        ({"options": ["x", "y"]}, ("x", "y")),
        ({"options": ["A. x", "B. y"]}, ("x", "y")),
        ({"options": {"A": "x", "B": "y"}}, ("x", "y")),
        ({"choices": {"text": ["y", "x"], "label": ["B", "A"]}}, ("x", "y")),
        ({"options": "['x', \"y's\"]"}, ("x", "y's")),
        ({"candidates": '["x", "y"]'}, ("x", "y")),
        ({"A": False, "B": True}, ("False", "True")),
        ({"meta": {"Options": ["x", None, "z"]}}, ("x", "", "z")),
        ({"meta": {"A": 0.9, "B": 0.1}}, ()),
        ({"options": ["A", "B", "C"]}, ()),
        ({"choices": [{"turns": ["x"]}]}, ()),
        ({"choices": [{"label": "B", "text": "y"}, {"label": "A", "text": "x"}]}, ("x", "y")),
        ({"question": {"choices": [{"text": "x"}, {"text": "y"}]}}, ("x", "y")),
        ({"options": [{"A": "x"}, {"B": "y"}]}, ("x", "y")),
        ({"candidates": "A. x\nB. y"}, ("x", "y")),
        ({"candidates": "A. x\nor y"}, ()),
        ({"(A)": "x", "(B)": "y"}, ("x", "y")),
        ({"A.": "x", "B.": "y"}, ("x", "y")),
        ({"A": "alone", "question": "x"}, ()),
        ({"a": 1, "id": 2}, ()),
        (None, ()),
    ],
)
def test_options_are_found_in_lists_and_columns(record: Any, found: Any) -> None:
    assert listed_options(record) == found


@pytest.mark.parametrize(
    "doc",
    [
        {"op1": "the door", "op2": "the tap", "op3": "the box"},
        {"ending0": "the door", "ending1": "the tap", "ending2": "the box"},
        {"a0": "the door", "a1": "the tap", "a2": "the box"},
        {"sol_a": "the door", "sol_b": "the tap", "sol_c": "the box"},
        {"answerA": "the door", "answerB": "the tap", "answerC": "the box"},
        {"image_1": "x.png", "image_2": "y.png", "op1": "the door", "op2": "the tap", "op3": "the box"},
        {"meta": {"q": {"mcq": [{"key": k, "value": v} for k, v in zip("ABC", SHOWN, strict=True)]}}},
        {
            "alternatives": [
                {"label": "B", "text": "the tap"},
                {"label": "A", "text": "the door"},
                {"label": "C", "text": "the box"},
            ]
        },
    ],
)
def test_columns_of_any_name_are_options_if_they_hold_all_of_the_items(doc: Any) -> None:
    assert shown_order(OWN, (), "", counted_columns(doc)) == (1, 0, 2)


@pytest.mark.parametrize(
    "doc",
    [
        {"op1": "the door", "op2": "the lamp"},
        {"right_order": ["the door", "the tap", "the box"]},
        {"image_1": "x.png", "image_2": "y.png"},
        {},
    ],
)
def test_columns_that_hold_something_else_say_nothing_of_options(doc: Any) -> None:
    assert shown_order(OWN, (), "", counted_columns(doc)) == ()


def test_a_prompt_may_be_messages() -> None:
    turns = [{"role": "system", "content": "Be short."}, {"role": "user", "content": [{"type": "text", "text": "Q?"}]}]
    assert prompt_text(turns) == "Be short.\nQ?"
    assert prompt_text('[{"role": "user", "content": "Q?\\nA. x"}]') == "Q?\nA. x"
    assert prompt_text("[1] is not JSON") == "[1] is not JSON"
