"""Judge templates: a head and a text that have to fit each other."""

from __future__ import annotations

import hashlib

import pytest

from annotation_schemas.judge_templates import FOLDER, parse_template, shipped
from domain.errors import SchemaError

GOOD = """---
id: likeness
version: 2
meaning: how like
variables: [answer]
parser: double_brackets
values: [0, 1]
---
=== user ===
How like is {answer}? {"a": 1}
"""


def test_a_template_is_read_with_its_hash() -> None:
    template = parse_template(GOOD, name="t.txt")
    assert (template.head.id, template.head.version, template.head.values) == ("likeness", 2, (0, 1))
    assert template.prompt.user == 'How like is {answer}? {"a": 1}'
    assert template.hash == hashlib.sha256(GOOD.encode()).hexdigest()
    assert parse_template(GOOD.replace("\n", "\r\n"), name="t.txt").hash == template.hash


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("---\nid", "id", r"t\.txt:1: a template begins with its head"),
        ("parser:", "parse:", r"t\.txt:6: parse: unknown key; did you mean `parser`\?"),
        ("[answer]", "[answer, question]", r"t\.txt:5: variables: the text has no `\{question\}`"),
        ("How like", "{how} like", r"t\.txt:5: variables: the text has `\{how\}`, which is not named here"),
        ("values: [0, 1]", "values: []", r"t\.txt:7: values: there has to be something"),
        ("version: 2", "version: two", r"t\.txt:3: version: a whole number is wanted"),
    ],
)
def test_what_does_not_fit_is_said_with_its_line(old: str, new: str, said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        parse_template(GOOD.replace(old, new, 1), name="t.txt")


def test_ours_keep_to_the_published_scales() -> None:
    # EgoThink Table 7; PCA-Bench Table 5; ETP-Bench Figure 3
    published = {"egothink_single": (0, 0.5, 1), "pca_anchors": (0, 1), "etp_answer": (0, 0.5, 1)}
    assert {name: shipped()[name].head.values for name in published} == published


def test_every_file_is_named_for_its_template() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(shipped())
