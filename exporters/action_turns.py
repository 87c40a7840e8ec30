"""The turns of a conversation about the actions in a clip, for tuning models."""

from __future__ import annotations

from collections.abc import Sequence

VIDEO = "<video>"
_QUESTION = "Which actions are done in the video? Name each of them by a verb and its object, in order."
"""This text is ours."""


def action_turns(done: Sequence[str], *, clips: int = 1) -> list[dict[str, str]]:
    """Return a question about the actions in clips, and the answer: one sentence with the narrations in order."""
    text = ", ".join(done)
    return [
        {"from": "human", "value": "\n".join([*[VIDEO] * clips, _QUESTION])},
        {"from": "gpt", "value": f"{text[:1].upper()}{text[1:]}."},
    ]
