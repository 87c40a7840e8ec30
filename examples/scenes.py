"""Tabletop scenes through the wearer's own eyes, with questions whose answers are known because they were drawn so.

There are six scenes for each dimension. ``scenes.jsonl`` states what is true of each picture.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Scene:
    """A drawn picture, and what is true of it."""

    name: str
    dimension: str
    question: str
    answer: str
    also: tuple[str, ...]
    """Other wordings of the right answer."""
    wrong: tuple[str, ...]
    """Answers that someone who looks badly might give."""
    partly: str
    """An answer that is partly right."""
    things: tuple[str, ...]
    """What lies on the table, such as "red cup"."""

    @property
    def path(self) -> Path:
        """The picture's file: WebP, 1280 x 960."""
        return _FOLDER / "pictures" / f"{self.name}.webp"

    def picture(self, size: tuple[int, int] | None = None) -> Image.Image:
        """The picture, in RGB, as large as wanted."""
        with Image.open(self.path) as image:
            drawn = image.convert("RGB")
        return drawn.resize(size, Image.Resampling.LANCZOS) if size else drawn


@cache
def _all() -> tuple[Scene, ...]:
    text = (_FOLDER / "scenes.jsonl").read_text(encoding="utf-8")
    return tuple(_scene(json.loads(line)) for line in text.splitlines())


def _scene(said: dict[str, Any]) -> Scene:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in said.items()}
    return Scene(**values)


def scenes(dimension: str | None = None) -> list[Scene]:
    """All scenes, or those of one dimension, in a fixed order."""
    return [scene for scene in _all() if dimension in (None, scene.dimension)]


DIMENSIONS = tuple(dict.fromkeys(scene.dimension for scene in scenes()))
"""The twelve dimensions, by the ids of the demo's schema."""


def tables() -> list[Path]:
    """Pictures of tables that nothing is asked about yet: WebP, 960 x 720."""
    return sorted((_FOLDER / "tables").glob("*.webp"))
