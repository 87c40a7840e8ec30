"""A schema to begin with: what someone says in answer to a few questions, written as commented YAML and a guideline."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation_schemas import judge_templates
from annotation_schemas.grammar import MOST, no_name

SLOTS = {"image": "kind: image", "images": "kind: image, min: 1, max: 10", "clip": "kind: clip"}
"""The possible contents of a role, in the schema's terms."""
LONGEST_NAME = 64
"""The maximum number of characters in a project's name."""
TAKEN = ("question", "options", "answer", "prediction", "dimension")
"""Names that the schema uses itself, so that no role has them."""


class AnswerIs(StrEnum):
    """The type of an item's answer."""

    TEXT = "text"
    OPTIONS = "options"
    YES_NO = "yes_no"
    NUMBER = "number"
    TIME_SPAN = "time_span"


class Check(StrEnum):
    """How people check an item: they see its answer and say whether it is right, or they find the answer themselves."""

    RIGHT = "right"
    BLIND = "blind"


class KeptBy(StrEnum):
    """The number of checking people who must find an item right."""

    UNANIMOUS = "unanimous"
    MAJORITY = "majority"


@dataclass(frozen=True)
class Outline:
    """The questions of a new schema. The functions below make sure that its parts match."""

    name: str
    title: str
    shows: Mapping[str, str]
    """The content of each role, a key of ``SLOTS``."""
    question: str
    """An example of an item's question."""
    answer: AnswerIs
    dimensions: Mapping[str, str]
    """Ids with their titles."""
    raters: int
    check: Check
    keep: KeptBy
    graded: bool
    judged: bool
    template: str
    """Of the judge, where there is one: a name of ``templates_for``."""


def name_from(text: str) -> str:
    """A text as a name: small letters, digits and underscores; empty where nothing of it can be one."""
    plain = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")


def checked_name(text: str) -> str:
    """The name of a schema, and of a project that follows it. Raises ``ValueError`` with a sentence."""
    if not text:
        raise ValueError("Give the benchmark a name, of small letters, digits and underscores.")
    if len(text) > LONGEST_NAME:
        raise ValueError(f"A name has at most {LONGEST_NAME} characters.")
    if wrong := no_name(text):
        raise ValueError(f"{wrong}.")
    return text


def checked_title(text: str) -> str:
    """A text for people, in one line. Raises ``ValueError`` with a sentence."""
    if not text.strip():
        raise ValueError("Write at least a word.")
    if not text.isprintable():
        raise ValueError("It stands in one line: leave line breaks and control characters out.")
    return text.strip()


def roles(text: str) -> dict[str, str]:
    """What an item shows: ``image``, ``images`` or ``clip``, or roles with what each holds (``before=image,
    after=image``). Raises ``ValueError`` with a sentence."""
    found: dict[str, str] = {}
    for role, _, holds in _listed(text):
        holds = holds or role
        if holds not in SLOTS:
            known = ", ".join(SLOTS)
            raise ValueError(f"`{holds}` is nothing that an item can show: write {known}, or ROLE=image for each role.")
        if wrong := no_name(role):
            raise ValueError(f"{wrong}.")
        if role in TAKEN:
            raise ValueError(f"`{role}` has another meaning in the schema; give the role another name.")
        if role in found:
            raise ValueError(f"`{role}` is there twice; give each role a name of its own.")
        found[role] = holds
    return found


def dimensions(text: str) -> dict[str, str]:
    """Titles of dimensions with commas between them, or ``id=Title``, as ids with titles. Raises ``ValueError`` with a
    sentence."""
    found: dict[str, str] = {}
    for before, equals, after in _listed(text):
        id, title = (before, after) if equals else (name_from(before), before)
        if no_name(id):
            raise ValueError(
                f"`{before}` makes no id: write ID=TITLE, where the id is small letters, such as one={title}."
            )
        if id in found:
            raise ValueError(f"`{id}` is there twice; give each dimension a name of its own.")
        found[id] = checked_title(title)
    return found


def people(text: str) -> int:
    """A number of people. Raises ``ValueError`` with a sentence."""
    if not re.fullmatch(r"[0-9]{1,4}", text) or not 1 <= int(text) <= MOST:
        raise ValueError(f"Write a number from 1 to {MOST:,}.")
    return int(text)


def yes_or_no(text: str) -> bool:
    """Raises ``ValueError`` with a sentence."""
    said = {"yes": True, "y": True, "no": False, "n": False}.get(text.lower())
    if said is None:
        raise ValueError("Write yes or no.")
    return said


def one_of(known: type[StrEnum], text: str) -> StrEnum:
    """The one of these that is named so. Raises ``ValueError`` with a sentence."""
    if text not in list(known):
        raise ValueError(f"`{text}` is none of {', '.join(known)}.")
    return known(text)


def answer_of(text: str, shows: Mapping[str, str]) -> AnswerIs:
    """Return the type of an item's answer.

    Raise ``ValueError`` with a sentence for an invalid one, and for a time span without a clip.
    """
    answer = AnswerIs(one_of(AnswerIs, text))
    if answer is AnswerIs.TIME_SPAN and "clip" not in shows.values():
        raise ValueError("A span of time is in a clip, and the items show none: let them show one, or ask otherwise.")
    return answer


def check_of(text: str, answer: AnswerIs) -> Check:
    """How people check an item. Raises ``ValueError`` with a sentence, also where two people seldom find
    equal answers."""
    check = Check(one_of(Check, text))
    if check is Check.BLIND and not can_be_blind(answer):
        raise ValueError("Texts of two people are seldom equal to the letter: ask whether the answer is `right`.")
    return check


def can_be_blind(answer: AnswerIs) -> bool:
    """Whether the answers that people find by themselves can be held against the item's."""
    return answer is not AnswerIs.TEXT


def keep_of(text: str, raters: int) -> KeptBy:
    """What keeps an item. Raises ``ValueError`` with a sentence, also where a majority is everyone."""
    keep = KeptBy(one_of(KeptBy, text))
    if keep is KeptBy.MAJORITY and raters < 3:
        raise ValueError(f"With {raters} raters a majority is all of them: ask 3 or more, or say `unanimous`.")
    return keep


@dataclass(frozen=True)
class _JudgeSettings:
    """Settings of an included judge template in a new schema."""

    criterion: str
    """The rated criterion of grading or verification."""
    sees: tuple[str, ...]
    fills: Mapping[str, str]
    values: str
    """Return the text as YAML."""


_JUDGES = {
    "egothink_single": _JudgeSettings(
        "score", ("question", "answer", "prediction"), {"ref_answer_1": "answer", "answer": "prediction"}, "[0, 0.5, 1]"
    ),
    "etp_answer": _JudgeSettings(
        "score",
        ("answer", "prediction", "dimension"),
        {"aspect": "dimension", "ref_answer": "answer", "answer": "prediction"},
        "[0, 0.5, 1]",
    ),
    "verify_reference": _JudgeSettings("right", ("question", "answer"), {}, '["yes", "no"]'),
}
"""Templates that a new schema has everything for: the answers that their placeholders want, on the scale."""


def templates_for(*, graded: bool, check: Check) -> list[str]:
    """The judge templates that such a schema can use: those that rate what people rate there."""
    rated = {"score": graded, "right": check is Check.RIGHT}
    return [name for name, asked in _JUDGES.items() if rated[asked.criterion]]


def judged_of(text: str, *, fitting: Sequence[str]) -> bool:
    """Whether a judge rates what people rate. Raises ``ValueError`` with a sentence, also where no template can."""
    judged = yes_or_no(text)
    if judged and not fitting:
        raise ValueError("A judge is held against people's grades: let people grade models' answers, too.")
    return judged


def template_of(text: str, *, judged: bool, fitting: Sequence[str]) -> str:
    """The template of the judge. Raises ``ValueError`` with a sentence, also where it rates what people do not."""
    if not judged:
        return text
    if text in fitting:
        return text
    if text in _JUDGES:
        what = (
            "No one grades models' answers"
            if _JUDGES[text].criterion == "score"
            else "People find the answer themselves"
        )
        raise ValueError(f"{what}, so `{text}` has nothing to be held against: write {' or '.join(fitting)}.")
    if text in judge_templates.shipped():
        raise ValueError(
            f"`{text}` asks for more than a new schema has: begin with {' or '.join(fitting)}; change it there."
        )
    raise ValueError(f"`{text}` is none of {', '.join(fitting)}.")


def write_outline(outline: Outline, *, guideline: str) -> str:
    """The schema as YAML with comments; ``guideline`` is the name of the guideline's file next to it."""
    parts = [_head(outline, guideline), _item(outline), _stages(outline), _after(outline)]
    return "\n".join(parts)


def guideline_of(outline: Outline) -> str:
    """The guideline to begin with, in Markdown: a section for the people of each stage."""
    title, few = outline.title, "Say it with an example or two: one that is plainly right, one that is not."
    blind = outline.check is Check.BLIND
    checking = (
        ["1. Answer the question for yourself; no one shows you the answer.", "2. Do not guess: look again."]
        if blind
        else [
            "1. Answer the question for yourself first, then look at the answer.",
            "2. **Yes**: a careful person would say the same.",
            "3. **No**: they would not; say why.",
            "4. **I cannot tell**: no one could say. This speaks against the item.",
        ]
    )
    sections = [
        [f"# {title}: working guideline", "", "Write here what everyone should know: what is looked at, and what for."],
        ["## Authoring", "", f"Write a question such as: {outline.question}", "", few],
        ["## Verification", "", *checking],
        ["## Adjudication", "", "Settle what the votes left open, and say why they differed."],
    ]
    if outline.graded:
        sections.append(
            ["## Grading", "", "Compare the model's answer with the reference. Length and style do not count."]
        )
    told = [f"- **{each}**: write here what belongs to it." for each in outline.dimensions.values()]
    sections.append(["## Dimensions", "", *told])
    return "\n\n".join("\n".join(section) for section in sections) + "\n"


# ---- parts of the file ----------------------------------------------------------------------------------------------


def _listed(text: str) -> list[tuple[str, str, str]]:
    entries = [tuple(part.strip() for part in entry.partition("=")) for entry in text.split(",") if entry.strip()]
    if not entries:
        raise ValueError("Name at least one.")
    return [(before, equals, after) for before, equals, after in entries]


def _quoted(text: str) -> str:
    """A text as YAML and JSON both write it."""
    return json.dumps(text, ensure_ascii=False)


def _head(outline: Outline, guideline: str) -> str:
    listed = "\n".join(
        f'  - {{id: {id}, title: {_quoted(title)}, definition: "", wanted: 50}}'
        for id, title in outline.dimensions.items()
    )
    return f"""\
# What {outline.name} asks, and what becomes of the answers. docs/schemas.md explains each part, docs/reference.md lists
# every key. Check the file after a change: touchstone schema check FILE
#
# Until a project is made of it, everything may be changed. Afterwards raise `version`, and see with
# `touchstone schema diff OLD NEW` what a change asks; labels, prompts, help and targets may always change.
name: {outline.name}
version: 1
title: {_quoted(outline.title)}
guideline: {_quoted(guideline)}   # what people read while they work; Markdown
source: {{format: csv}}   # items may also come as a table with these fields as columns (docs/formats.md)

# What the benchmark measures; every item belongs to one. `definition` is shown on working pages, in a sentence;
# `wanted` is how many kept items you are aiming for.
dimensions:
{listed}
"""


def _item(outline: Outline) -> str:
    slots = "\n".join(f"    - {{role: {role}, {SLOTS[holds]}}}" for role, holds in outline.shows.items())
    fields = "\n".join(f"    - {field}" for field in _fields(outline))
    return f"""\
# What an example is made of. `min: 0` at a role lets it stay empty. Fields: docs/reference.md, "Kinds of fields".
item:
  assets:
{slots}
  fields:
    - name: question
      kind: text
      help: {_quoted(f"Such as: {outline.question}")}
      max_length: 300
{fields}
"""


def _fields(outline: Outline) -> list[str]:
    secret = ", secret_in: [verification]" if outline.check is Check.BLIND else ""
    clip = next((role for role, holds in outline.shows.items() if holds == "clip"), "")
    answers = {
        AnswerIs.TEXT: ["{name: answer, kind: text, max_length: 300%s}"],
        AnswerIs.OPTIONS: [
            "{name: options, kind: text_list}   # what the item offers",
            "{name: answer, kind: option_of, field: options%s}   # the right one of them",
        ],
        AnswerIs.YES_NO: [f"{{name: answer, kind: choice, options: {_YES_NO}%s}}"],
        AnswerIs.NUMBER: ["{name: answer, kind: decimal, read_as: number%s}   # `unit`, `min` and `max` may be added"],
        AnswerIs.TIME_SPAN: [f"{{name: answer, kind: time_span, role: {clip}, unit: seconds, read_as: time_span%s}}"],
    }
    return [field.replace("%s", secret) for field in answers[outline.answer]]


_YES_NO = '[{value: "yes", label: "Yes"}, {value: "no", label: "No"}]'
_RIGHT = """\
      - name: right
        kind: choice
        prompt: "Is the answer right?"
        cannot_tell: "I cannot tell"   # an answer besides the options; without it everyone has to decide
        options:
          - {value: "yes", label: "Yes"}
          - value: "no"
            label: "No"
            reasons:   # one has to be given
              - {value: wrong_answer, label: "The answer is wrong"}
              - {value: ambiguous, label: "The question has two readings"}
              - {value: not_visible, label: "It cannot be seen"}"""
_BLIND = {
    AnswerIs.OPTIONS: """{name: found, kind: option_of, field: options, prompt: "Which answer is right?"}""",
    AnswerIs.YES_NO: f"""\
name: found
        kind: choice
        prompt: "What is the answer?"
        cannot_tell: "I cannot tell"   # an answer besides the options; without it everyone has to decide
        options: {_YES_NO}""",
    AnswerIs.NUMBER: """{name: found, kind: number, prompt: "What is the answer?"}  # `tolerance: {absolute: 1}`""",
    AnswerIs.TIME_SPAN: """\
name: found
        kind: time_span
        prompt: "When does it happen?"
        tolerance: {iou: 0.5}   # so far two answers have to overlap to say the same""",
}


_ADJUDICATION = """\
  adjudication:   # a senior settles what the votes left open, for one of these reasons
    reasons:
      - {value: wrong_key, label: "The answer is wrong"}
      - {value: ambiguous, label: "The question has two readings"}
      - {value: media_unclear, label: "It cannot be seen"}
      - {value: annotator_error, label: "A rater made a mistake"}"""


def _adjudication(outline: Outline) -> str:
    """A stage in which votes can leave something open: one vote never does."""
    return _ADJUDICATION if outline.raters > 1 else "  adjudication: none   # one vote leaves nothing open"


def _stages(outline: Outline) -> str:
    blind = outline.check is Check.BLIND
    asked = f"      - {_BLIND[outline.answer]}" if blind else _RIGHT
    rule = "unanimous_and_key" if blind and outline.keep is KeptBy.UNANIMOUS else outline.keep.value
    keep = f"rule: {rule}, criterion: found, key: answer" if blind else f'rule: {rule}, criterion: right, value: "yes"'
    lines = f"""\
# The steps of the work, in order. A stage that you do not want is `none`.
stages:
  authoring: {{}}   # people pick media from the pool and write items
  verification:   # people look at each item by themselves, never its author
    raters: {outline.raters}
    criteria:   # what they are asked; kinds: docs/reference.md, "Kinds of criteria"
{asked}
    keep: {{{keep}}}   # what keeps an item
{_adjudication(outline)}
"""
    if outline.graded:
        shows = ", ".join(["question", *(["options"] if outline.answer is AnswerIs.OPTIONS else []), "answer"])
        lines += f"""\
  grading:   # people grade models' answers, without the models' names
    raters: 3
    combine: mean
    shows: [{shows}]
    criteria:
      - name: score
        kind: scale
        prompt: "How good is this answer?"
        values: [0, 0.5, 1]
        labels: ["Wrong", "Partly right", "Right"]
"""
    return lines


def _after(outline: Outline) -> str:
    lines = ""
    if outline.judged:
        asked = _JUDGES[outline.template]
        sees = [
            *asked.sees,
            *(outline.shows if judge_templates.shipped()[outline.template].head.pictures == "item" else ()),
        ]
        fills = ", ".join(f"{name}: {source}" for name, source in asked.fills.items())
        lines += f"""\
# An LLM that rates what people rate. `sees` is what it may be shown, `fills` what goes into which placeholder of the
# template (docs/reference.md, "Judge templates").
judges:
  - name: judge
    criteria: [{asked.criterion}]
    template: {outline.template}
    sees: [{", ".join(sees)}]
{f"    fills: {{{fills}}}" if fills else "    # `fills: {placeholder: field}` where they are called otherwise"}
    values: {asked.values}

"""
    scales = "\n  scales: {score: ordinal}" if outline.graded else ""
    return (
        lines
        + f"""\
# How models are asked (docs/reference.md, "Prompt sets").
models: {{strategy: generate, prompts: plain}}

# What Results and Agreement show first.
report:
  unit: {"prediction" if outline.graded else "item"}
  by: dimension
  statistics: [percent_agreement, krippendorff_alpha]{scales}

# The formats that a release is written in.
export: {{formats: [csv, jsonl]}}
"""
    )
