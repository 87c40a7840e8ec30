"""Releases for tests: what importers read, with small drawn pictures, and a folder to write them into."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image

from annotation_schemas import shipped
from annotation_schemas.formats import FORMATS, ReadFiles
from annotation_schemas.formats.released import ReleasedAsset, ReleasedItem, ReleasedSet, ReleasedSplit, ReleaseWriter
from annotation_schemas.keys import key_field, options_field
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import Schema
from domain.errors import NotFoundError
from exporters.release_folder import FolderWriter
from exporters.writers import release_writer_of
from importers.readers import reader_of
from testkit.samples import egoplan_record
from testkit.samples import write as write_file


class Folder(FolderWriter):
    """The folder of a release, with a look at what is in it."""

    def files(self, under: str) -> dict[str, bytes]:
        """What was written below a folder, by path."""
        root = self.root / under
        found = sorted(path for path in root.rglob("*") if path.is_file())
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def drawn(name: str, side: int = 12) -> bytes:
    """A PNG that no other name has."""
    data, n = hashlib.sha256(name.encode()).digest(), side * side * 3
    out = io.BytesIO()
    Image.frombytes("RGB", (side, side), (data * (n // len(data) + 1))[:n]).save(out, "PNG")
    return out.getvalue()


def asset(
    folder: Folder, role: str, name: str, *, clip: bool = False, source: str | None = None, there: bool = True
) -> ReleasedAsset:
    """A picture of that name, or bytes that stand for a clip, below ``media`` of the release; or only said to be."""
    data = b"\x1aE\xdf\xa3" + name.encode() if clip else drawn(name)
    sha, ending, mime = (
        hashlib.sha256(data).hexdigest(),
        ".webm" if clip else ".png",
        "video/webm" if clip else "image/png",
    )
    path = f"media/{sha[:2]}/{sha}{ending}"
    if there and not (folder.root / path).exists():
        with folder.open(path) as out:
            out.write(data)
    kind = "clip" if clip else "image"
    return ReleasedAsset(role, f"{name}{ending}", kind, sha, mime, len(data), 12, 12, source=source, path=path)


def release(
    folder: Folder,
    schema: Schema,
    items: Sequence[ReleasedItem],
    *,
    withheld: Mapping[str, Sequence[str]] | None = None,
    splits: Sequence[str] | None = None,
    **part: Any,
) -> ReleasedSet:
    """A release of these items, which stand split after split; what is withheld is taken out of them here."""
    withheld = withheld or {}
    names = list(dict.fromkeys([*(splits or ()), *(item.split for item in items)]))
    public = [
        replace(
            item, fields={name: each for name, each in item.fields.items() if name not in withheld.get(item.split, ())}
        )
        for item in items
    ]

    def read(each: ReleasedAsset) -> bytes:
        if each.path is None or not (folder.root / each.path).exists():
            raise NotFoundError(f"{each.name} is gone.")
        return (folder.root / each.path).read_bytes()

    told = [
        ReleasedSplit(name, sum(item.split == name for item in items), tuple(withheld.get(name, ()))) for name in names
    ]
    base = ReleasedSet(
        schema=schema,
        name=schema.name,
        title=schema.title,
        version="1",
        date="2026-11-20T10:00:00+00:00",
        splits=told,
        items=lambda: iter(public),
        read=read,
        options=options_field(schema),
        key=key_field(schema),
    )
    return replace(base, **part)


def items_of(
    folder: Folder,
    schema: Schema,
    found: ReadFiles,
    *,
    split: Callable[[int], str] = lambda number: "test",
    media: bool = True,
    there: bool = True,
) -> list[ReleasedItem]:
    """What was read from files, each item with a picture of its own in every place that it fills. Without ``there`` the
    pictures are only said to be."""
    assert found.bad == []
    made = []
    slots = {slot.role: slot for slot in schema.item.assets}
    records = [item for file in found.files for item in file.items]
    for number, record in enumerate(records):
        assets = [
            asset(
                folder,
                each.role,
                f"{record.external_id}-{each.role}-{at}",
                clip=slots[each.role].kind == "clip",
                source=each.source,
                there=there,
            )
            for at, each in enumerate(record.assets)
            if media
        ]
        group = record.fields.get("video_id")
        made.append(
            ReleasedItem(
                record.external_id,
                record.dimension,
                split(number),
                {each.name: record.fields[each.name] for each in schema.item.fields if each.name in record.fields},
                assets,
                group,
            )
        )
    order = list(dict.fromkeys(split(number) for number in range(len(records))))
    return sorted(made, key=lambda item: order.index(item.split))


def write(format: str, released: ReleasedSet, folder: Folder) -> dict[str, bytes]:
    """The files of a format by their path below its folder, as its row has them written."""
    writer: ReleaseWriter = release_writer_of(FORMATS[format])
    writer(released, folder)
    assert all(folder.hashes[f"{format}/{path}"].bytes == len(data) for path, data in folder.files(format).items())
    return folder.files(format)


def plan(folder: Folder, tmp_path: Path, **part: Any) -> tuple[Schema, ReleasedSet]:
    """Two training items and one of a private test, as EgoPlan has them."""
    schema = load_schema(shipped()["egoplan"]).schema_
    path = write_file(tmp_path / "plan.json", [egoplan_record(n) for n in range(3)])
    found = reader_of(FORMATS["egoplan"])(path, format="egoplan", schema=schema)
    some = items_of(folder, schema, found, split=lambda number: "train" if number < 2 else "test")
    return schema, release(folder, schema, some, withheld={"test": ["answer"]}, **part)


FIFTH = """
name: fifth
version: 1
title: A fifth benchmark
dimensions:
  - {id: added, title: Added, definition: "Something is there that was not.", group: Change}
  - {id: moved, title: Moved, definition: "Something is in another place.", group: Change}
item:
  assets:
    - {role: before, kind: image}
    - {role: after, kind: image}
    - {role: reference, kind: image, min: 0, max: 3}
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list}
    - {name: answer, kind: options_of, field: options, secret_in: [verification]}
    - {name: distance, kind: decimal, unit: cm, required: false}
    - {name: level, kind: integer, required: false}
    - {name: notes, kind: long_text, required: false, secret_in: [verification]}
    - {name: where, kind: boxes, required: false, role: after, secret_in: [verification]}
stages:
  verification:
    raters: 2
    criteria: [{name: right, kind: choice, prompt: "Right?", options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: right, value: "yes"}
"""
"""Several images with roles, several right options, numbers with a unit, boxes."""


def fifth(**changes: str) -> Schema:
    """Its schema, with some of its words changed."""
    text = FIFTH
    for old, new in changes.items():
        text = text.replace(old, new)
    return load_text(text, "", "fifth").schema_
