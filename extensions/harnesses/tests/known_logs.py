"""The logs of other harnesses in ``logs``, and what was answered in them; ``logs/README.md`` says how they came."""

from __future__ import annotations

import json
from pathlib import Path

from domain.runs import Outcome

LOGS = Path(__file__).parent / "logs"
ITEMS = json.loads((LOGS / "items.json").read_text(encoding="utf-8"))

KNOWN = {
    "Object/existence/0": "You are holding a blue screwdriver.",
    "Object/existence/1": "A lemon — 柠檬.",
    "Object/attribute/0": "<think>There is a flame.</think>\nYes.",
    "Object/attribute/1": "",
    "Localization/location/0": "In a kitchen.",
    "Localization/location/1": "In a kitchen.",
    "Localization/spatial/0": "A plant in a",
    "Reasoning/counting/0": "Seven.",
    "Reasoning/situated/0": "I cannot help with that.",
}
"""What the endpoint answered, by item."""
OF_INSPECT = {**KNOWN, "Object/attribute/0": "Yes.", "Reasoning/counting/0": ""}
"""Inspect takes reasoning out of a completion; its question about eggs got no reply."""
ENDED = dict.fromkeys(KNOWN, Outcome.ANSWERED) | {"Object/attribute/1": Outcome.EMPTY}
ENDED_IN_INSPECT = ENDED | {
    "Localization/spatial/0": Outcome.TRUNCATED,
    "Reasoning/counting/0": Outcome.FAILED,
    "Reasoning/situated/0": Outcome.REFUSED,
}
