"""Write an outline as a schema with comments (YAML) and a guideline (Markdown)."""

from __future__ import annotations

import json

from annotation_schemas import judge_templates
from extensions.form_builder.outline import JUDGES, SLOTS, AnswerIs, Check, KeptBy, Outline


def write_outline(outline: Outline, *, guideline: str) -> str:
    """The schema as YAML with comments; ``guideline`` is the name of the guideline's file next to it."""
    parts = [_head(outline, guideline), _item(outline), _stages(outline), _after(outline)]
    return "\n".join(parts)


def guideline_of(outline: Outline) -> str:
    """The guideline to begin with, in Markdown: a section for the people of each stage."""
    title, few = outline.title, "Add two examples: a clearly right answer and a wrong answer."
    blind = outline.check is Check.BLIND
    checking = (
        ["1. Answer the question yourself, without the author's answer.", "2. Do not guess. Look again."]
        if blind
        else [
            "1. Answer the question yourself first, then look at the author's answer.",
            "2. **Yes**: a careful person would give the same answer.",
            "3. **No**: a careful person would disagree. Give the reason.",
            "4. **I cannot tell**: nobody can decide whether the answer is right. This vote counts against the item.",
        ]
    )
    sections = [
        [
            f"# {title}: working guideline",
            "",
            "Describe what all annotators should know, such as the purpose and the material.",
        ],
        ["## Authoring", "", f"Write a question such as: {outline.question}", "", few],
        ["## Verification", "", *checking],
        ["## Adjudication", "", "Settle items on which the votes differ, and say why the votes differ."],
    ]
    if outline.graded:
        sections.append(
            ["## Grading", "", "Compare the model's answer with the reference. Length and style do not count."]
        )
    lines = [
        f"- **{dimension}**: describe the items that belong to this dimension."
        for dimension in outline.dimensions.values()
    ]
    sections.append(["## Dimensions", "", *lines])
    return "\n\n".join("\n".join(section) for section in sections) + "\n"


# ---- parts of the file ----------------------------------------------------------------------------------------------


def _quoted(text: str) -> str:
    """A text as YAML and JSON both write it."""
    return json.dumps(text, ensure_ascii=False)


def _head(outline: Outline, guideline: str) -> str:
    listed = "\n".join(
        f'  - {{id: {id}, title: {_quoted(title)}, definition: "", wanted: 50}}'
        for id, title in outline.dimensions.items()
    )
    return f"""\
# The protocol of {outline.name}. docs/schemas.md explains each part, and docs/reference.md lists every key.
# Check the file after a change: touchstone schema check FILE
#
# Before you create a project, you can change everything. Afterwards, raise `version`, and see the effects of a change
# with `touchstone schema diff OLD NEW`. You can always change labels, prompts, help and targets.
name: {outline.name}
version: 1
title: {_quoted(outline.title)}
guideline: {_quoted(guideline)}   # what people read while they work; Markdown
source: {{format: csv}}   # you can also import items from a table with these fields as columns (docs/formats.md)

# What the benchmark measures. Every item belongs to one dimension. Working pages show its `definition`, a sentence.
# `wanted` is the target number of kept items.
dimensions:
{listed}
"""


def _item(outline: Outline) -> str:
    slots = "\n".join(f"    - {{role: {role}, {SLOTS[holds]}}}" for role, holds in outline.shows.items())
    fields = "\n".join(f"    - {field}" for field in _fields(outline))
    return f"""\
# The parts of an item. `min: 0` makes a role optional. Fields: docs/reference.md, "Kinds of fields".
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
            "{name: options, kind: text_list}   # the options that the item offers",
            "{name: answer, kind: option_of, field: options%s}   # the right option",
        ],
        AnswerIs.YES_NO: [f"{{name: answer, kind: choice, options: {_YES_NO}%s}}"],
        AnswerIs.NUMBER: ["{name: answer, kind: decimal, read_as: number%s}   # you can add `unit`, `min` and `max`"],
        AnswerIs.TIME_SPAN: [f"{{name: answer, kind: time_span, role: {clip}, unit: seconds, read_as: time_span%s}}"],
    }
    return [field.replace("%s", secret) for field in answers[outline.answer]]


_YES_NO = '[{value: "yes", label: "Yes"}, {value: "no", label: "No"}]'
_RIGHT = """\
      - name: right
        kind: choice
        prompt: "Is the answer right?"
        cannot_tell: "I cannot tell"   # an extra answer; without this line, everyone must decide
        options:
          - {value: "yes", label: "Yes"}
          - value: "no"
            label: "No"
            reasons:   # a reason is required
              - {value: wrong_answer, label: "The answer is wrong"}
              - {value: ambiguous, label: "The question has two readings"}
              - {value: not_visible, label: "It cannot be seen"}"""
_BLIND = {
    AnswerIs.OPTIONS: """{name: found, kind: option_of, field: options, prompt: "Which answer is right?"}""",
    AnswerIs.YES_NO: f"""\
name: found
        kind: choice
        prompt: "What is the answer?"
        cannot_tell: "I cannot tell"   # an extra answer; without this line, everyone must decide
        options: {_YES_NO}""",
    AnswerIs.NUMBER: """{name: found, kind: number, prompt: "What is the answer?"}  # `tolerance: {absolute: 1}`""",
    AnswerIs.TIME_SPAN: """\
name: found
        kind: time_span
        prompt: "When does it happen?"
        tolerance: {iou: 0.5}   # minimum overlap of two answers that count as equal""",
}


_ADJUDICATION = """\
  adjudication:   # a senior decides items on which votes differ, with one of these reasons
    reasons:
      - {value: wrong_key, label: "The answer is wrong"}
      - {value: ambiguous, label: "The question has two readings"}
      - {value: media_unclear, label: "It cannot be seen"}
      - {value: annotator_error, label: "A rater made a mistake"}"""


def _adjudication(outline: Outline) -> str:
    """A stage in which votes can leave something open: one vote never does."""
    return _ADJUDICATION if outline.raters > 1 else "  adjudication: none   # a single vote always decides"


def _stages(outline: Outline) -> str:
    blind = outline.check is Check.BLIND
    asked = f"      - {_BLIND[outline.answer]}" if blind else _RIGHT
    rule = "unanimous_and_key" if blind and outline.keep is KeptBy.UNANIMOUS else outline.keep.value
    keep = f"rule: {rule}, criterion: found, key: answer" if blind else f'rule: {rule}, criterion: right, value: "yes"'
    lines = f"""\
# The stages of the work, in order. To omit a stage, write `none`.
stages:
  authoring: {{}}   # people pick media from the pool and write items
  verification:   # people check each other's items independently
    raters: {outline.raters}
    criteria:   # the questions to raters; kinds: docs/reference.md, "Kinds of criteria"
{asked}
    keep: {{{keep}}}   # the votes that keep an item
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
        asked = JUDGES[outline.template]
        sees = [
            *asked.sees,
            *(outline.shows if judge_templates.shipped()[outline.template].head.pictures == "item" else ()),
        ]
        fills = ", ".join(f"{name}: {source}" for name, source in asked.fills.items())
        lines += f"""\
# An LLM that rates like people. `sees` lists the data that the judge may see. `fills` gives the content of each
# placeholder of the template (docs/reference.md, "Judge templates").
judges:
  - name: judge
    criteria: [{asked.criterion}]
    template: {outline.template}
    sees: [{", ".join(sees)}]
{f"    fills: {{{fills}}}" if fills else "    # `fills: {placeholder: field}` for other names"}
    values: {asked.values}

"""
    scales = "\n  scales: {score: ordinal}" if outline.graded else ""
    return lines + (
        f'# How models get their questions (docs/reference.md, "Prompt sets").\nmodels: {{strategy: '
        f"generate, prompts: plain}}\n\n# What the Results and Agreement pages show first.\nreport:\n "
        f" unit: {'prediction' if outline.graded else 'item'}\n  by: dimension\n  statistics: "
        f"[percent_agreement, krippendorff_alpha]{scales}\n\n# The file formats of a release.\nexport: "
        f"{{formats: [csv, jsonl]}}\n"
    )
