"""The question to a model about the goals of a video."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from extensions.narrations.rules.goal_replies import FORM
from extensions.narrations.rules.goals import Limits
from extensions.narrations.rules.narration import Narration

OURS = Path(__file__).with_name("goal_prompt.txt")
PLACES = ("narrations", "form", "fewest", "most")
"""Names in braces that a prompt may contain; the first is required. Other braces stay."""

_PLACE = re.compile(r"\{([A-Za-z_]+)\}")


def lacking(prompt: str) -> str | None:
    """Return what is wrong with a prompt, as the end of a sentence, or None."""
    named = set(_PLACE.findall(prompt))
    if PLACES[0] not in named:
        return f"has no {{{PLACES[0]}}}, the placeholder for the actions of the video"
    if odd := sorted(named - set(PLACES)):
        there = ", ".join(f"{{{name}}}" for name in PLACES)
        return f"has the unknown placeholder {{{odd[0]}}}; known placeholders are {there}"
    return None


def action_list(rows: Sequence[Narration]) -> str:
    """Return the actions of a video, one per line."""
    return "\n".join(f"{n} | {row.start:f} | {row.stop:f} | {row.text}" for n, row in enumerate(rows, 1))


def question(prompt: str, rows: Sequence[Narration], limits: Limits) -> str:
    """Return the question about a video; braces in narrations stay as they are."""
    values = {"narrations": action_list(rows), "form": FORM, "fewest": str(limits.fewest), "most": str(limits.most)}
    return _PLACE.sub(lambda place: values[place[1]], prompt)
