"""What judges are asked: texts with placeholders, and a head that says what they are for and how replies are read.

A template is a file: a head in YAML between two lines ``---``, then what the judge gets, in parts that begin with
``=== system ===`` and ``=== user ===``. Ours are in ``templates/``; a project may bring its own versions, and published
prompt files are read into the same shape. A changed text is another version with another hash, and agreement with
people belongs to a version.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from annotation_schemas import typed_yaml
from annotation_schemas.prompt import Prompt, parse_prompt
from domain.errors import SchemaError

FOLDER = Path(__file__).resolve().parent / "templates"
"""The templates that come with Touchstone."""

Scalar = str | int | float | bool

PREDICTION, DIMENSION = "prediction", "dimension"
"""What fills a placeholder besides the item's fields: the answer under judgement, and its dimension's title."""
PAIR = ("answer_a", "answer_b")
"""Placeholders of templates that compare two answers: they hold nothing else."""
ITEM = "item"
"""What a template grades that looks at the item itself."""

GRADES = {
    "egothink_single": "answer",
    "etp_answer": "answer",
    "pca_anchors": "model_output",
    "verify_reference": ITEM,
}
"""What the templates grade whose heads do not say it: they are older than the key, and their texts stay as they are, so
that the hashes of stored scores do."""

Trouble = tuple[str | None, str]
"""What is wrong with a placeholder (None: with all of them together), as a sentence without its full stop."""

_HEAD = re.compile(r"\A---\n(.*?\n)---\n(.*)\Z", re.DOTALL)


class Head(BaseModel):
    """What a template is for, and how replies to it are read."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    id: str
    """Small letters, digits and underscores."""
    version: int
    """Counts from 1; every change of the text or of this head is another one."""
    meaning: str
    """What it asks and what comes back, in a line."""
    benchmark: str | None = None
    """The schema that it was made for; absent: any."""
    variables: tuple[str, ...]
    """The placeholders of the text, all of them."""
    parser: str
    """What reads the replies: a row of the registry of parsers."""
    values: tuple[Scalar, ...]
    """What a judge may answer; anything else is a failure."""
    grades: str | None = None
    """What is under judgement: the placeholder that a model's answer is put into, or `item` where the judge looks at
    the item itself and is shown no answer. A comparison grades `answer_a` and `answer_b`. Where nothing is said, a
    schema's judge or anyone who starts a run has to."""
    pictures: Literal["none", "item"] = "none"
    """`item`: the item's images, or frames of its clips, come with the text."""
    pair: bool = False
    """It compares two answers, and is asked twice, the second time with their places exchanged."""
    mirror: dict[str, Scalar] = Field(default_factory=dict)
    """Of a comparison: what a value says when the places are exchanged, such as `{A: B, B: A}`; what is not in it says
    the same in both orders."""
    response_format: dict[str, Any] = Field(default_factory=dict)
    """What the endpoint is asked to keep the reply to, as the protocol has it, such as `{type: json_object}`. It
    changes how a judge judges, so a template with it is calibrated by itself."""


@dataclass(frozen=True)
class JudgeTemplate:
    """A template: its head, what the judge gets, and the file's text, from which its hash follows."""

    head: Head
    prompt: Prompt
    text: str

    @property
    def hash(self) -> str:
        """SHA-256 of the whole file's text; it travels with every score."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def grades(self) -> str | None:
        """The placeholder that holds what is under judgement, or ``item``; None: nothing says so, or it compares."""
        named = self.head.grades or GRADES.get(self.head.id)
        return named if named == ITEM or named in self.prompt.placeholders else None

    def sources(self, fills: Mapping[str, str]) -> dict[str, str]:
        """What fills each placeholder: what ``fills`` says, else the answer where the template says that it is the one
        that is graded, else the field of its own name."""
        own = dict.fromkeys(PAIR, PREDICTION) if self.head.pair else {self.grades: PREDICTION}
        return {name: fills.get(name, own.get(name, name)) for name in self.prompt.placeholders}

    def unmirrored(self, values: Sequence[Any]) -> str | None:
        """Why a comparison with these ``values`` would not say which of the two answers each prefers; None: it does."""
        if not self.head.pair:
            return None
        mirror, said = {name: str(value) for name, value in self.head.mirror.items()}, [str(each) for each in values]
        begins = f"the template {self.head.id} compares two answers, and its `mirror`"
        strange = [name for each in mirror.items() for name in each if name not in said]
        if strange:
            return f"{begins} has `{strange[0]}`, which is none of its values: {', '.join(said)}"
        crossed = [name for name, value in mirror.items() if mirror.get(value) != name]
        if crossed:
            return f"{begins} says `{crossed[0]}: {mirror[crossed[0]]}` and not the other way round; add it"
        if not any(name != value for name, value in mirror.items()):
            return (
                f"{begins} does not say which values stand for each other when the places are exchanged, so no one "
                "could say which answer one prefers: write for instance `mirror: {A: B, B: A}` in its head, where the "
                "first of `values` is for the first answer"
            )
        return None

    def troubles(self, fills: Mapping[str, str], known: Sequence[str], *, answers: bool, items: bool) -> list[Trouble]:
        """What is wrong with filling the placeholders in this way, a sentence each; none: nothing.

        Parameters
        ----------
        known
            What there is to fill them with: the item's fields, and ``dimension``; ``prediction`` is always there.
        answers, items
            Whether what the replies rate is asked about models' answers, and about items.
        """
        found: list[Trouble] = [
            (name, f"the template {self.head.id} has no such placeholder; it has {', '.join(self.prompt.placeholders)}")
            for name in fills
            if name not in self.prompt.placeholders
        ]
        if self.head.pair:
            found += [
                (name, f"of a template that compares two answers, `{name}` is one of them and nothing else")
                for name in PAIR
                if fills.get(name, PREDICTION) != PREDICTION or name not in self.prompt.placeholders
            ]
        sources = self.sources(fills)
        found += [
            (
                name,
                f"the template's placeholder `{name}` is filled by `{source}`, which the items do not have;"
                " say under `fills` what it is",
            )
            for name, source in sources.items()
            if source not in (*known, PREDICTION)
        ]
        graded = [name for name, source in sources.items() if source == PREDICTION]
        if not graded and answers and (not items or self.grades != ITEM):
            could = "answer" if "answer" in self.prompt.placeholders else next(iter(self.prompt.placeholders), "answer")
            found.append(
                (
                    None,
                    f"no placeholder of the template {self.head.id} is filled with the model's answer, so the judge"
                    f" would grade something else: fill one with `{PREDICTION}`, such as `{could}: {PREDICTION}`",
                )
            )
        if graded and items and not answers:
            found.append(
                (
                    graded[0],
                    f"`{graded[0]}` is filled with a model's answer, but what is rated is asked about items; take a"
                    " criterion of grading, or fill it with a field of the item",
                )
            )
        return found


@cache
def shipped() -> dict[str, JudgeTemplate]:
    """The templates that come with Touchstone, by id."""
    found = (read_template(path) for path in sorted(FOLDER.glob("*.txt")))
    return {template.head.id: template for template in found}


def read_template(path: Path) -> JudgeTemplate:
    """A template from its file. Raises ``SchemaError`` with a line per problem."""
    return parse_template(typed_yaml.read_file(path), name=str(path))


def parse_template(text: str, *, name: str) -> JudgeTemplate:
    """A template from its text; ``name`` stands for the file in messages.

    Raises
    ------
    SchemaError
        One line per problem: ``file:line: key: what is wrong``.
    """
    text = text.replace("\r\n", "\n")
    match = _HEAD.match(text)
    if match is None:
        raise SchemaError(f"{name}:1: a template begins with its head, between two lines of three dashes.")
    document, head = typed_yaml.parse(match.group(1), Head)
    prompt = parse_prompt(name, match.group(2))
    if head is not None:
        prompt = Prompt(head.id, prompt.user, prompt.system)
        for lacking in sorted(set(head.variables) - set(prompt.placeholders)):
            document.add(("variables",), f"the text has no `{{{lacking}}}`")
        for unnamed in sorted(set(prompt.placeholders) - set(head.variables)):
            document.add(("variables",), f"the text has `{{{unnamed}}}`, which is not named here")
        if head.grades not in (None, ITEM, *prompt.placeholders):
            document.add(("grades",), f"the text has no `{{{head.grades}}}`; name a placeholder, or `{ITEM}`")
        if head.grades is not None and head.pair:
            document.add(("grades",), f"a comparison grades `{PAIR[0]}` and `{PAIR[1]}`; leave this out")
        if not head.values:
            document.add(("values",), "there has to be something that a judge may answer")
        if not prompt.user:
            document.add((), "the text is empty")
    if head is None or document.troubles:
        lines = [f"{name}:{each.line + 1}: {_key(each.path)}{each.message}." for each in document.troubles]
        raise SchemaError("\n".join(lines))
    return JudgeTemplate(head, prompt, text)


def _key(path: tuple[str | int, ...]) -> str:
    return f"{typed_yaml.dotted(path)}: " if path else ""
