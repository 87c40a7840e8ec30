"""Templates of prompts to judges: texts with placeholders, and a head that describes their use and the replies.

A template is a file. It has a head in YAML between two lines ``---``, then the prompt in parts that begin with ``===
system ===`` and ``=== user ===``. Our templates are in ``templates/``; a project may bring its own versions, and
published prompt files can be read too. A changed text is a new version with a new hash, and agreement with people is
measured for one version.
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
"""The folder of the templates that Touchstone includes."""

Scalar = str | int | float | bool

PREDICTION, DIMENSION = "prediction", "dimension"
"""Values for placeholders other than the item's fields: the judged answer, and the title of its dimension."""
PAIR = ("answer_a", "answer_b")
"""Placeholders for the two answers, in templates that compare answers."""
ITEM = "item"
"""The value of ``grades`` in templates that judge the item itself."""

GRADES = {
    "egothink_single": "answer",
    "etp_answer": "answer",
    "pca_anchors": "model_output",
    "verify_reference": ITEM,
}
"""The judged part of older templates whose heads do not name it. Their texts stay unchanged, so that the hashes of
stored scores stay valid.
"""

Trouble = tuple[str | None, str]
"""A problem with a placeholder (None: with all of them together), as a sentence without its full stop."""

_HEAD = re.compile(r"\A---\n(.*?\n)---\n(.*)\Z", re.DOTALL)


class Head(BaseModel):
    """The head of a template: its purpose, and how replies are read."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    id: str
    """Small letters, digits and underscores."""
    version: int
    """The version, counted from 1. Raise it with every change of the text or the head."""
    meaning: str
    """The question and the form of the reply, in a line."""
    benchmark: str | None = None
    """The schema that the template was made for; by default any."""
    variables: tuple[str, ...]
    """All placeholders of the text."""
    parser: str
    """The name of a registered parser that reads the replies."""
    values: tuple[Scalar, ...]
    """The allowed scores. Any other value is a failure."""
    grades: str | None = None
    """The judged part: the placeholder of the model's answer, or `item` if the judge sees the item and no answer. A
    comparison judges `answer_a` and `answer_b`. If the head does not say it, the schema's judge or the person who
    starts a run must.
    """
    pictures: Literal["none", "item"] = "none"
    """`item`: the item's images, or frames of its clips, are sent with the text."""
    pair: bool = False
    """Whether it compares two answers. Each pair is then judged twice, the second time with the sides swapped."""
    mirror: dict[str, Scalar] = Field(default_factory=dict)
    """In a comparison: the value that each value becomes when the sides are swapped, such as `{A: B, B: A}`. Other
    values stay the same.
    """
    response_format: dict[str, Any] = Field(default_factory=dict)
    """The response format that the endpoint should enforce, such as `{type: json_object}`. It affects the scores, so a
    template with it is calibrated separately.
    """


@dataclass(frozen=True)
class JudgeTemplate:
    """A template: its head, its prompt, and the file's text, from which the hash is computed."""

    head: Head
    prompt: Prompt
    text: str

    @property
    def hash(self) -> str:
        """Return the SHA-256 of the whole file's text. It is stored with every score."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def grades(self) -> str | None:
        """Return the placeholder of the judged part, or ``item``; None if it is not named, or for a comparison."""
        named = self.head.grades or GRADES.get(self.head.id)
        return named if named == ITEM or named in self.prompt.placeholders else None

    def sources(self, fills: Mapping[str, str]) -> dict[str, str]:
        """Return the value for each placeholder.

        The value is given by ``fills``. By default the graded placeholder gets the answer, and all others get the
        field with their own name.
        """
        own = dict.fromkeys(PAIR, PREDICTION) if self.head.pair else {self.grades: PREDICTION}
        return {name: fills.get(name, own.get(name, name)) for name in self.prompt.placeholders}

    def unmirrored(self, values: Sequence[Any]) -> str | None:
        """Return the reason why these ``values`` of a comparison do not tell which answer is preferred, or None."""
        if not self.head.pair:
            return None
        mirror, values_as_text = (
            {name: str(value) for name, value in self.head.mirror.items()},
            [str(value) for value in values],
        )
        begins = f"the template {self.head.id} compares two answers, and its `mirror`"
        strange = [name for pair in mirror.items() for name in pair if name not in values_as_text]
        if strange:
            return (
                f"{begins} has `{strange[0]}`, which is not a value of the template; use these values: "
                f"{', '.join(values_as_text)}"
            )
        crossed = [name for name, value in mirror.items() if mirror.get(value) != name]
        if crossed:
            there, back = crossed[0], mirror[crossed[0]]
            return f"{begins} has `{there}: {back}` but not `{back}: {there}`; add the missing pair"
        if not any(name != value for name, value in mirror.items()):
            return (
                f"{begins} does not say which values swap when the answers swap places. Add, for example, `mirror: "
                "{A: B, B: A}` to the template's head. The first entry of `values` is for the first answer"
            )
        return None

    def troubles(self, fills: Mapping[str, str], known: Sequence[str], *, answers: bool, items: bool) -> list[Trouble]:
        """Return the problems with these values for the placeholders, a sentence each.

        Parameters
        ----------
        known
            The available values: the item's fields, and ``dimension``; ``prediction`` is always available.
        answers, items
            Whether the rated criteria are about models' answers, and about items.
        """
        placeholders = ", ".join(self.prompt.placeholders)
        troubles: list[Trouble] = [
            (name, f"the template {self.head.id} has no placeholder with this name; use one of: {placeholders}")
            for name in fills
            if name not in self.prompt.placeholders
        ]
        if self.head.pair:
            troubles += [
                (name, f"`{name}` always contains a compared answer; remove `{name}`")
                for name in PAIR
                if fills.get(name, PREDICTION) != PREDICTION or name not in self.prompt.placeholders
            ]
        sources = self.sources(fills)
        troubles += [
            (
                name,
                f"the template's placeholder `{name}` uses `{source}`, which the items do not have;"
                " name another source under `fills`",
            )
            for name, source in sources.items()
            if source not in (*known, PREDICTION)
        ]
        graded = [name for name, source in sources.items() if source == PREDICTION]
        if not graded and answers and (not items or self.grades != ITEM):
            could = "answer" if "answer" in self.prompt.placeholders else next(iter(self.prompt.placeholders), "answer")
            troubles.append(
                (
                    None,
                    f"no placeholder of the template {self.head.id} contains the model's answer, so the judge cannot "
                    f"grade the answer; fill a placeholder, such as `{could}: {PREDICTION}`",
                )
            )
        if graded and items and not answers:
            troubles.append(
                (
                    graded[0],
                    (
                        f"`{graded[0]}` contains a model's answer, but the criterion is about items; use a "
                        f"grading criterion, or fill `{graded[0]}` with a field of the item"
                    ),
                )
            )
        return troubles


@cache
def shipped() -> dict[str, JudgeTemplate]:
    """Return the templates that Touchstone includes, by ID."""
    templates = (read_template(path) for path in sorted(FOLDER.glob("*.txt")))
    return {template.head.id: template for template in templates}


def read_template(path: Path) -> JudgeTemplate:
    """Return a template from its file. Raise ``SchemaError`` with a line per problem."""
    return parse_template(typed_yaml.read_file(path), name=str(path))


def parse_template(text: str, *, name: str) -> JudgeTemplate:
    """Return a template from its text. Messages name the file ``name``.

    Raises
    ------
    SchemaError
        One line per problem: ``file:line: key: what is wrong``.
    """
    text = text.replace("\r\n", "\n")
    match = _HEAD.match(text)
    if match is None:
        raise SchemaError(
            f"{name}:1: the head is missing. Begin the template with a head between two lines of three dashes."
        )
    document, head = typed_yaml.parse(match.group(1), Head)
    prompt = parse_prompt(name, match.group(2))
    if head is not None:
        prompt = Prompt(head.id, prompt.user, prompt.system)
        for lacking in sorted(set(head.variables) - set(prompt.placeholders)):
            document.add(
                ("variables",),
                f"the text has no placeholder `{{{lacking}}}`; add the placeholder to the text, or remove the name "
                "from `variables`",
            )
        for unnamed in sorted(set(prompt.placeholders) - set(head.variables)):
            document.add(
                ("variables",),
                f"the text has the placeholder `{{{unnamed}}}`, which is missing in `variables`; add the "
                "placeholder's name",
            )
        if head.grades not in (None, ITEM, *prompt.placeholders):
            document.add(
                ("grades",),
                f"the text has no placeholder `{{{head.grades}}}`; name a placeholder of the text, or `{ITEM}`",
            )
        if head.grades is not None and head.pair:
            document.add(("grades",), f"a comparison always grades `{PAIR[0]}` and `{PAIR[1]}`; remove this key")
        if not head.values:
            document.add(("values",), "give at least one value that a judge can choose")
        if not prompt.user:
            document.add((), "the text is empty; write the judge's prompt")
    if head is None or document.troubles:
        lines = [f"{name}:{trouble.line + 1}: {_key(trouble.path)}{trouble.message}." for trouble in document.troubles]
        raise SchemaError("\n".join(lines))
    return JudgeTemplate(head, prompt, text)


def _key(path: tuple[str | int, ...]) -> str:
    return f"{typed_yaml.dotted(path)}: " if path else ""
