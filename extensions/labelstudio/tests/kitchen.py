"""The project that the files in ``kitchen_files`` were exported from, as a schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema

FOLDER = Path(__file__).resolve().parent / "kitchen_files"

KITCHEN = """
name: kitchen
version: 1
title: A kitchen
dimensions: [{id: kitchen, title: Kitchen, definition: "What is in a kitchen."}]
item:
  assets: [{role: image, kind: image}]
  fields:
    - {name: question, kind: text}
    - {name: answer, kind: text, secret_in: [verification]}
stages:
  verification:
    raters: 2
    criteria:
      - {name: fits, kind: choice, prompt: "Does it fit?", options: ["yes", "no"]}
      - {name: shown, kind: multi_choice, prompt: "What is shown?", options: [cup, knife, tap], required: false}
      - {name: clarity, kind: scale, prompt: "How clear?", values: [1, 2, 3, 4, 5], required: false}
      - {name: count, kind: number, prompt: "How many?", min: 0, step: 1, required: false}
      - {name: why, kind: text, prompt: "Why?", required: false}
      - {name: objects, kind: boxes, prompt: "Where?", role: image, options: [cup, knife], required: false}
    keep: {rule: unanimous, criterion: fits, value: "yes"}
  grading:
    raters: 2
    criteria: [{name: score, kind: scale, prompt: "How good?", values: [0, 0.5, 1]}]
export: {public_without: [answer]}
"""


def kitchen(text: str = KITCHEN) -> LoadedSchema:
    return load_text(text, "", "kitchen.yaml")


RATINGS: dict[tuple[str, str], dict[str, Any]] = {
    ("1", "label-studio-4"): {
        "fits": "yes",
        "shown": ["cup", "tap"],
        "clarity": 4,
        "count": 1,
        "why": "clear",
        "objects": [{"label": "cup", "x": 0.25, "y": 0.5, "w": 0.125, "h": 0.25}],
    },
    ("1", "label-studio-5"): {"fits": "yes", "shown": ["cup"], "clarity": 5, "count": 1, "why": "fine"},
    ("2", "label-studio-4"): {"fits": "yes", "shown": ["knife"], "clarity": 3, "count": 2, "why": "blurred"},
    ("2", "label-studio-5"): {"fits": "no", "shown": ["knife"], "clarity": 2, "count": 3, "why": "three of them"},
    ("3", "label-studio-4"): {
        "fits": "yes",
        "shown": ["tap"],
        "clarity": 4,
        "count": 0,
        "why": "shown, on second thought",
    },
    ("4", "label-studio-5"): {"fits": "yes", "shown": ["cup"], "clarity": 1, "count": 0, "why": "ok"},
}
"""The two annotators' answers there, by task and annotator: typed by hand from the requests to the server."""
