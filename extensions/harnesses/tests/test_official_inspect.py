"""What Inspect's own ``json_dataset`` reads of a release, offline, in an environment of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from annotation_schemas.formats import FORMATS
from importers.readers import reader_of
from tests.exporters.releases import Folder, fifth, items_of, release, write
from tests.exporters.test_item_rows import fifth_items, schema_of
from tests.paths import shared
from tools import loaders

pytestmark = [pytest.mark.slow]

READS = """
import hashlib, json, sys
from inspect_ai.dataset import json_dataset

def told(sample):
    parts = [part for message in sample.input if not isinstance(sample.input, str) for part in message.content]
    images = [hashlib.sha256(open(part.image, "rb").read()).hexdigest() for part in parts if part.type == "image"]
    return {"id": sample.id, "choices": sample.choices, "target": sample.target, "images": images,
            "text": parts[-1].text if parts else sample.input}

print(json.dumps([[told(sample) for sample in json_dataset(path)] for path in sys.argv[1:]]))
"""


def test_inspect_reads_the_same_ids_pictures_choices_and_targets(tmp_path: Path) -> None:
    paths, expected = [], []
    for name, place in (("egothink", ("egothink", "data")), ("pca_bench", ("pca_bench",)), ("fifth", ())):
        folder = Folder(tmp_path / name)
        if name == "fifth":
            schema = fifth()
            items = [replace(each, fields={**each.fields, "where": None}) for each in fifth_items(folder)]
        else:
            schema = schema_of(name)
            found = reader_of(FORMATS[name])(shared("data", *place), format=name, schema=schema)
            items = items_of(folder, schema, found)
        write("inspect", release(folder, schema, items), folder)
        paths.append(folder.root / "inspect" / "test.jsonl")
        expected.append(items)
    done = loaders.run("hub", READS, *paths, home=tmp_path / "home")
    assert done.returncode == 0, done.stderr[-2000:]
    for read, items in zip(json.loads(done.stdout.splitlines()[-1]), expected, strict=True):
        assert [each["id"] for each in read] == [item.id for item in items]
        for each, item in zip(read, items, strict=True):
            assert each["images"] == [asset.sha256 for asset in item.assets]
            assert each["text"] == item.fields["question"]
            options = item.fields.get("options") or item.fields.get("actions")
            assert each["choices"] == options
            if options is None:
                assert each["target"] == item.fields["answer"]
            else:
                right = [options["ABCDEF".index(letter)] for letter in each["target"]]
                assert right == (
                    item.fields["answer"] if isinstance(item.fields["answer"], list) else [item.fields["answer"]]
                )
