"""How a model is asked for the goals of a video."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from extensions.narrations.rules.goal_replies import FORM
from extensions.narrations.rules.goals import Limits
from extensions.narrations.rules.narration import Narration

OURS = Path(__file__).with_name("goal_prompt.txt")
PLACES = ("narrations", "form", "fewest", "most")
"""What is filled into a prompt where it stands in braces; other braces stay. The first is needed."""

_PLACE = re.compile(r"\{([A-Za-z_]+)\}")


def lacking(prompt: str) -> str | None:
    """What is wrong with a prompt, as the end of a sentence; None: nothing."""
    named = set(_PLACE.findall(prompt))
    if PLACES[0] not in named:
        return f"has no {{{PLACES[0]}}}, which is where the actions of the video are put in"
    if odd := sorted(named - set(PLACES)):
        there = ", ".join(f"{{{name}}}" for name in PLACES)
        return f"has {{{odd[0]}}}, which nothing is put in for; there are {there}"
    return None


def listed(rows: Sequence[Narration]) -> str:
    """The actions of a video, a line each."""
    return "\n".join(f"{n} | {row.start:f} | {row.stop:f} | {row.text}" for n, row in enumerate(rows, 1))


def question(prompt: str, rows: Sequence[Narration], limits: Limits) -> str:
    """What a model is asked about a video. What narrations say is put in as it is, braces and all."""
    values = {"narrations": listed(rows), "form": FORM, "fewest": str(limits.fewest), "most": str(limits.most)}
    return _PLACE.sub(lambda place: values[place[1]], prompt)
