"""A project of which it is known what can be answered without its images, and models that are scripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from annotation_schemas.loader import load_text
from db.engine import Store
from domain.settings import settings_from
from inference.spec import Endpoint, ModelSpec
from media.store import MediaStore
from testkit.scripted import Asked, Reply, ScriptedServer, chat
from tests.workflow.test_questions import bring, png
from workflow.runs.worker import means_of

SCHEMA = """
name: rooms
version: 1
title: Rooms
dimensions: [{id: colour, title: Colour, definition: "A colour."}]
item:
  assets: [{role: image, kind: image}]
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list, length: 4}
    - {name: answer, kind: option_of, field: options}
    - {name: video, kind: text, required: false}
stages: STAGES
EXPORT
"""
N = 12
BLIND = frozenset({1, 4, 9})
"""The items that the reader of texts knows without a look at the image."""
LETTERS = "ABCD"

Mind = Callable[[int, list[str], bool], str]
"""What a model says, of an item's number, its options as they are shown, and whether a picture is."""


def reader(number: int, options: Sequence[str], sees: bool) -> str:
    """Knows some items by their texts; the others with the picture alone, else it is wrong."""
    right = sees or number in BLIND
    return LETTERS[next(at for at, each in enumerate(options) if each.startswith("right") == right)]


def always_b(number: int, options: Sequence[str], sees: bool) -> str:
    """Names one place, whatever is asked."""
    return "B"


def served(mind: Mind) -> ScriptedServer:
    """A model that answers so."""

    def script(asked: Asked, number: int) -> Reply:
        found = re.search(r"Number (\d+)\?", asked.text)
        assert found is not None
        options = re.findall(r"^[A-D]\. (.*)$", asked.text, re.M)
        assert len(options) == len(LETTERS)
        return chat(mind(int(found[1]), options, "image_url" in str(asked.body)))

    return ScriptedServer(script)


def spec_of(server: ScriptedServer, name: str = "gpt") -> ModelSpec:
    """The model at that server."""
    told = {"probe": False, "longest_wait_seconds": 0.05, "concurrency": 4, "attempts": 2}
    return ModelSpec(name=name, adapter="endpoint", model=name, endpoint=Endpoint(base_url=server.url, **told))


class Rooms:
    """The project, and what works on its runs."""

    def __init__(self, store: Store, home: Path, *, export: str = "", stages: str = "{authoring: {}}") -> None:
        self.store, self.media = store, MediaStore(home / "media")
        self.loaded = load_text(SCHEMA.replace("EXPORT", export).replace("STAGES", stages), "", "rooms")
        shown = [("image", png(home))]
        fields = [
            {
                "question": f"Number {at}?",
                "options": [f"wrong {at} {name}" for name in "xyz"[: at % 4]]
                + [f"right {at}"]
                + [f"wrong {at} {name}" for name in "xyz"[at % 4 :]],
                "answer": f"right {at}",
                "video": f"v{at // 2}",
            }
            for at in range(N)
        ]
        self.ids = bring(store, self.media, self.loaded, [("colour", each, shown) for each in fields])
        self.means = means_of(store, self.media, settings_from({"TOUCHSTONE_HOME": str(home)}, home))
