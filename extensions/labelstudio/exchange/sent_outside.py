"""Find what a task that goes out to Label Studio reveals about its item, from the task's own texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.exposure import Disclosure, ExpectedKeys, Fact, Secrets, look_through, strings

_MEDIA = ("media_", "image_", "images_")
_DATA = ("touchstone", "says", "about", "shown")
_PARTS = ("text_", "list_", "options_")


def told_outside(sent: Mapping[str, Any], secrets: Secrets) -> Disclosure:
    """Return what a task reveals. ``sent`` has ``data`` and ``predictions``; the latter are the rater's own answers."""
    data = sent["data"]
    lines = {text for part in ("shown", "about") for text in strings(data.get(part))}
    lines |= {text for key, value in data.items() if key.startswith("text_") for text in strings(value)}
    fields = {
        name: value
        for name, value in secrets.content.items()
        if (parts := set(strings(value))) and (parts <= lines or ", ".join(strings(value)) in lines)
    }
    known = {key for key in data if key in _DATA or key.startswith((*_MEDIA, *_PARTS))}
    disclosure = look_through(
        data, ExpectedKeys(*known), secrets, fields=fields, texts=[data.get("about"), data.get("says")]
    )
    answered = [Fact.ANSWER] if any(key.startswith("text_prediction") for key in data) else []
    return Disclosure(disclosure.fields, (*disclosure.facts, *answered), disclosure.said, disclosure.other)
