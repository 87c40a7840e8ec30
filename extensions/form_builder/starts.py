"""The forms that a new project can begin with: a blank one, a published protocol, or a draft."""

from __future__ import annotations

from annotation_schemas import shipped
from annotation_schemas.loader import examine
from domain.errors import NotFoundError

NAME, TITLE = "new_project", "New project"
"""ID and title of a blank form, until it has its own."""
PUBLISHED = ("egothink", "egoplan", "etp_bench", "pca_bench")
"""The schemas of published benchmarks. The others are made-up examples, or belong to one of these."""

BLANK = {
    "answer": (
        "Question and answer",
        "People write a question and its answer. Other people say whether the answer is right.",
        "    - {name: answer, kind: text, max_length: 300}\n",
    ),
    "options": (
        "Multiple choice",
        "People write a question with options. Other people choose the right option without seeing the author's "
        "answer.",
        "    - {name: options, kind: text_list, min_length: 2}\n"
        "    - {name: answer, kind: option_of, field: options, secret_in: [verification]}\n",
    ),
    "yes_no": (
        "Yes or no",
        ("People write a yes-or-no question and its answer. Other people answer without seeing the author's answer."),
        '    - {name: answer, kind: choice, options: [{value: "yes", label: "Yes"}, {value: "no", label: "No"}],'
        " secret_in: [verification]}\n",
    ),
}
"""The blank forms by name: title, meaning, and the field of the answer."""

_ASKED = {
    "answer": """\
      - name: fits
        kind: choice
        prompt: Is the answer right?
        options:
          - {value: "yes", label: Right}
          - value: "no"
            label: Wrong
            reasons:
              - {value: wrong_answer, label: The answer is wrong}
              - {value: not_visible, label: It cannot be seen}
    keep: {rule: unanimous, criterion: fits, value: "yes"}
""",
    "options": """\
      - {name: choice, kind: option_of, field: options, prompt: Which option is right?}
    keep: {rule: unanimous_and_key, criterion: choice, key: answer}
""",
    "yes_no": """\
      - name: choice
        kind: choice
        prompt: What is the answer?
        options:
          - {value: "yes", label: "Yes"}
          - {value: "no", label: "No"}
    keep: {rule: unanimous_and_key, criterion: choice, key: answer}
""",
}


def blank_form(kind: str) -> tuple[str, str]:
    """Return the text and the guideline of a blank form."""
    if kind not in BLANK:
        raise NotFoundError(f"There is no blank form “{kind}”. Choose one of: {', '.join(BLANK)}.")
    text = f"""\
name: {NAME}
version: 1
title: {TITLE}
guideline: guideline.md

dimensions:
  - {{id: general, title: General}}

item:
  assets:
    - {{role: image, kind: image}}
  fields:
    - {{name: question, kind: text, max_length: 300}}
{BLANK[kind][2]}
stages:
  authoring: {{}}
  verification:
    raters: 2
    criteria:
{_ASKED[kind]}  adjudication: none

export: {{formats: [csv, jsonl]}}
"""
    return text, "# Guideline\n\nDescribe what annotators should know before they begin.\n"


def published_form(name: str) -> tuple[str, str]:
    """Return the text and the guideline of a published protocol."""
    there = shipped()
    if name not in there:
        raise NotFoundError(f"There is no published protocol “{name}”. Choose one of: {', '.join(there)}.")
    loaded = examine(there[name]).loaded
    return loaded.text, loaded.guideline_text
