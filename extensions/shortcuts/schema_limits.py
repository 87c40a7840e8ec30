"""Checks of the limits for answering items without their images (``export: shortcuts``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from annotation_schemas.extension_keys import SchemaKey
from annotation_schemas.grammar import among
from annotation_schemas.keys import options_field
from annotation_schemas.model import Schema, Shortcuts
from annotation_schemas.yaml_text import Path

Found = Iterator[tuple[Path, str]]

TITLES: Mapping[str, str] = {
    "constant": "Always the best position",
    "position": "Most common position in other sources",
    "longest": "Longest option",
    "shortest": "Shortest option",
    "overlap": "Most words from the question",
    "answer": "Most common answer in other sources",
    "text_only": "Text-only classifier",
}
"""The shortcuts that may be limited, with their display names."""


def check(schema: Schema) -> Found:
    """Yield the problems of the limits for shortcuts."""
    limits = schema.export.shortcuts
    if limits is None:
        return
    path: Path = ("export", "shortcuts")
    if options_field(schema) is None:
        why = "items have no options with a key, so shortcuts cannot be tested"
        yield path, f"{why}; remove `shortcuts`"
        return
    for key, message in wrong(limits):
        yield (*path, *key), message


def wrong(limits: Shortcuts) -> Found:
    """Yield the problems of the limits themselves, each with the key below ``shortcuts``."""
    if not 0 <= limits.above_chance < 1:
        what = "the value must be a share of the items, at least 0 and below 1"
        yield ("above_chance",), f"{what}{_percent(limits.above_chance)}"
    for name, share in limits.at_most.items():
        if name not in TITLES:
            yield ("at_most", name), f"`{name}` is not a known rule{among(name, list(TITLES))}"
        elif not 0 < share < 1:
            what = "a limit must be above 0 and below 1"
            yield ("at_most", name), f"{what}{_percent(share)}"
    if limits.score is not None and not 0 < limits.score < 1:
        yield ("score",), f"a score is a probability, so the score must be above 0 and below 1{_percent(limits.score)}"
    for name, most in (("flagged", limits.flagged), ("without_images", limits.without_images)):
        if most is not None and not 0 <= most < 1:
            yield (name,), f"the value must be a share of the items, at least 0 and below 1{_percent(most)}"
    for name, number in (("orders", limits.orders), ("models", limits.models)):
        if number < 1:
            yield (name,), f"the number of {name} must be 1 or more"


def _percent(given: float) -> str:
    return f"; {given:g} % is {given / 100:g}" if 1 < given < 100 else ""


KEYS = (SchemaKey("export.shortcuts", check),)
