"""Releases made by hand, for tests: a schema with a key of any kind, items, and folders to write into."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from annotation_schemas.formats.released import ReleasedAsset, ReleasedItem, ReleasedSet, ReleasedSplit
from annotation_schemas.keys import key_field, options_field, withheld_in
from annotation_schemas.loader import load_text
from annotation_schemas.model import Schema
from exporters.release_keys import Canary, canary_of, write_keys

SECRET = b"a secret of the tests, 32 bytes."
CANARY = canary_of(SECRET, "kitchen", "1")


def schema_of(key: str, *, more: str = "", unreadable: str = "wrong") -> Schema:
    """Two dimensions, a question, options, and a key ``answer`` as the YAML says."""
    text = f"""
name: kitchen
version: 1
title: Kitchen
dimensions: [{{id: what, title: What}}, {{id: where, title: Where}}]
item:
  assets: [{{role: image, kind: image, min: 0}}, {{role: clip, kind: clip, min: 0}}]
  fields:
    - {{name: question, kind: text}}
    - {{name: options, kind: text_list, required: false}}
    - {{name: reason, kind: text, required: false}}
    - {{name: answer, {key}}}
{more}
report: {{unreadable: {unreadable}}}
export: {{public_without: [answer, reason], private_splits: [test]}}
"""
    return load_text(text, "", "kitchen.yaml").schema_


@dataclass
class Folder:
    """A folder on disk, as a release is written into."""

    root: Path

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        out = self.root / path
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("wb") as file:
            yield file


@dataclass(frozen=True)
class Made:
    """A release before it is written, and everything about its items."""

    released: ReleasedSet
    whole: Mapping[str, Mapping[str, Any]]

    def keys(self, private: Path, canary: Canary = CANARY) -> Path:
        """Its key file of the test split."""
        (path,) = write_keys(self.released, lambda item: self.whole[item.id], Folder(private), canary)
        return private / path


def made(
    schema: Schema,
    rows: Sequence[tuple[str, str, str, Mapping[str, Any]]],
    *,
    groups: Mapping[str, str] | None = None,
    assets: Mapping[str, Sequence[ReleasedAsset]] | None = None,
) -> Made:
    """A release of rows of id, dimension, split and fields."""
    names = list(dict.fromkeys(split for _, _, split, _ in rows))
    withheld = {name: withheld_in(schema, name) for name in names}

    def items() -> Iterator[ReleasedItem]:
        for name in names:
            for id, dimension, split, fields in rows:
                if split == name:
                    public = {key: value for key, value in fields.items() if key not in withheld[name]}
                    there = (assets or {}).get(id, ())
                    yield ReleasedItem(id, dimension, split, public, there, (groups or {}).get(id))

    splits = [ReleasedSplit(name, sum(row[2] == name for row in rows), withheld[name]) for name in names]
    found = ReleasedSet(
        schema, "kitchen", "Kitchen", "1", "2026-11-01T00:00:00+00:00", splits, items, lambda asset: b"",
        options=options_field(schema), key=key_field(schema),
    )  # fmt: skip
    return Made(found, {id: fields for id, _, _, fields in rows})
