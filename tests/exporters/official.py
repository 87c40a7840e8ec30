"""Releases for the loaders of others: real files with small drawn pictures, and a benchmark that has everything."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PIL import Image

from annotation_schemas import shipped
from annotation_schemas.formats import FORMATS
from annotation_schemas.formats.released import ReleasedAsset, ReleasedItem, ReleasedSet, ReleasedSplit
from annotation_schemas.keys import key_field, options_field
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import Schema
from exporters.release_folder import FolderWriter
from exporters.writers import release_writer_of
from importers.items import read_items
from tests.paths import shared

ABOUT = {
    "description": "Questions about small pictures, for tests.",
    "license": "https://creativecommons.org/licenses/by/4.0/",
    "creators": ["Anna", "A laboratory"],
    "url": "https://example.org/set",
    "citation": "@misc{set, title={A set}}",
    "limitations": "Pictures are drawn.",
    "biases": "There are as many reds as blues.",
    "personal_information": "None: no one is seen.",
    "use_cases": "Trying loaders.",
    "social_impact": "None is known.",
    "synthetic": "yes",
    "derived_from": ["https://example.org/videos"],
    "generated_by": ["Pictures were drawn.", "Two people answered each question."],
    "demographics": "Two people from one town.",
    "maintenance": "Errors are mended once a year.",
}


def png(name: str, side: int = 12) -> bytes:
    """A picture that no other name has."""
    data = hashlib.sha256(name.encode()).digest()
    image = Image.frombytes("RGB", (side, side), (data * (side * side * 3 // len(data) + 1))[: side * side * 3])
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@dataclass
class Made:
    """A release that is being made for a test."""

    schema: Schema
    items: list[ReleasedItem] = field(default_factory=list)
    bytes: dict[str, bytes] = field(default_factory=dict)
    media: bool = True

    def asset(self, role: str, name: str, *, kind: str = "image") -> ReleasedAsset:
        """An image that is drawn for its name, or bytes that stand for a clip."""
        data = png(name) if kind == "image" else b"\x1aE\xdf\xa3" + name.encode()
        sha = hashlib.sha256(data).hexdigest()
        self.bytes[sha] = data
        ending, mime = ("png", "image/png") if kind == "image" else ("webm", "video/webm")
        path = f"media/{sha[:2]}/{sha}.{ending}" if self.media else None
        return ReleasedAsset(role, f"{name}.{ending}", kind, sha, mime, len(data), 12, 12, path=path)

    def set(self, *, splits: Sequence[ReleasedSplit] | None = None, **part: Any) -> ReleasedSet:
        """All of it."""
        names = list(dict.fromkeys(item.split for item in self.items)) or ["test"]
        counted = [ReleasedSplit(name, sum(item.split == name for item in self.items)) for name in names]
        base = ReleasedSet(
            schema=self.schema,
            name=self.schema.name,
            title=self.schema.title,
            version="1.2",
            date="2026-11-20T10:00:00+00:00",
            splits=counted if splits is None else splits,
            items=lambda: iter(self.items),
            read=lambda asset: self.bytes[asset.sha256],
            about=ABOUT,
            options=options_field(self.schema),
            key=key_field(self.schema),
        )
        return replace(base, **part)


def real(name: str, *place: str) -> Made:
    """The items of published files, each with a picture of its own in every place that it fills."""
    schema = load_schema(shipped()[name]).schema_
    found = read_items(shared("data", *place), format=name, schema=schema)
    made = Made(schema)
    kinds = {slot.role: slot.kind for slot in schema.item.assets}
    for record in (item for file in found.files for item in file.items):
        assets = [
            made.asset(each.role, f"{record.external_id}-{each.role}-{at}", kind=kinds[each.role])
            for at, each in enumerate(record.assets)
        ]
        fields = {each.name: record.fields[each.name] for each in schema.item.fields if each.name in record.fields}
        group = fields.get("video_id")
        made.items.append(ReleasedItem(record.external_id, record.dimension, "test", fields, assets, group))
    return made


FIFTH = """
name: fifth
version: 1
title: A fifth benchmark
dimensions:
  - {id: added, title: Added, definition: "Something is there that was not."}
  - {id: moved, title: Moved, definition: "Something is in another place."}
item:
  assets:
    - {role: before, kind: image}
    - {role: after, kind: image, max: null}
    - {role: motion, kind: clip, min: 0}
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list}
    - {name: answer, kind: options_of, field: options}
    - {name: sequence, kind: order_of, field: options, required: false}
    - {name: distance, kind: decimal, unit: cm, required: false}
    - {name: level, kind: integer, required: false}
    - {name: light, kind: choice, options: [day, night], required: false}
    - {name: step, kind: choice, options: [1, 2], required: false}
    - {name: notes, kind: long_text, required: false}
    - {name: where, kind: boxes, options: [cup, bowl], required: false, role: after}
    - {name: points, kind: marks, required: false, role: after}
    - {name: when, kind: time_span, required: false, role: motion}
    - {name: anything, kind: json, required: false}
    - {name: id, kind: text, required: false}
"""
"""Several images, a clip, several right answers, an order, numbers, what is drawn, and a field with a usual name."""


def fifth(text: str = FIFTH, **part: Any) -> Made:
    """Items with everything, and items with nearly nothing."""
    made = Made(load_text(text, "g", "fifth").schema_, **part)
    full = {
        "question": 'What is "new"?\r\nSay,\tit; \N{SNOWMAN} 你好 \U0001f600 [1] \x00 \\',
        "options": ["a cup", "a bowl, red", "a bowl, red ", ""],
        "answer": ["a cup", "a bowl, red"],
        "sequence": ["", "a bowl, red", "a cup", "a bowl, red "],
        "distance": "0.10",
        "level": -7,
        "light": "night",
        "step": 2,
        "notes": "long " * 100_000,
        "where": [
            {"label": "cup", "x": 0.1, "y": 0.2, "w": 0.3, "h": 0.25},
            {"label": "bowl", "x": 0, "y": 0, "w": 1, "h": 1, "image": 2},
        ],
        "points": [{"number": 1, "x": 0.5, "y": 1}],
        "when": [{"start": 1.25, "end": 2}],
        "anything": {"b": [1, None, "ü"], "a": {}},
        "id": "its own",
    }
    plain = {"question": "Which?", "options": ["one", "two"], "answer": []}
    made.items = [
        ReleasedItem(
            "a/1 ü",
            "added",
            "validation",
            full,
            [
                made.asset("before", "1b"),
                made.asset("after", "1c"),
                made.asset("after", "1a"),
                made.asset("motion", "1m", kind="clip"),
            ],
            "kitchen",
        ),
        ReleasedItem("2", "moved", "validation", plain, [made.asset("before", "2b"), made.asset("after", "2a")]),
        ReleasedItem(
            "3",
            "moved",
            "test",
            plain | {"answer": ["two"], "notes": ""},
            [made.asset("before", "2b"), made.asset("after", "1a")],
        ),
    ]
    return made


def write(released: ReleasedSet, root: Path, formats: Iterable[str], *, media: bool = True) -> FolderWriter:
    """A release on disk: its media, and these formats in the order of their places."""
    folder = FolderWriter(root)
    there = released.items() if media else ()
    for asset in {asset.path: asset for item in there for asset in item.assets if asset.path}.values():
        with folder.open(str(asset.path)) as out:
            out.write(released.read(asset))
    named = sorted((FORMATS[name] for name in formats), key=lambda row: row.place)
    released = replace(released, formats=[row.name for row in named])
    for row in named:
        release_writer_of(row)(released, folder)
    return folder
