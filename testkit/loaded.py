"""What other people's loaders read of a release, offline, each by itself: how many items, which, with which images.

A release is read by `datasets` (its README), `mlcroissant` (croissant.json, every record) and Inspect (its JSON lines,
and eval.yaml as the Hub runs it); whatever of these the folder has.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tools import loaders

_SCRIPT = """
import hashlib, json, sys
from pathlib import Path

root, out = Path(sys.argv[1]), Path(sys.argv[2])

def sha(data):
    return hashlib.sha256(data).hexdigest()

def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    if hasattr(value, "tobytes") and hasattr(value, "mode"):
        return {"pixels": sha(value.convert("RGB").tobytes())}
    if isinstance(value, list | tuple) or type(value).__name__ == "ndarray":
        return [plain(each) for each in value]
    return value.item() if hasattr(value, "item") else value

def of_datasets():
    import datasets
    def undecoded(feature):
        if isinstance(feature, datasets.Image):
            return datasets.Image(decode=False)
        if isinstance(feature, datasets.List) and isinstance(feature.feature, datasets.Image):
            return datasets.List(datasets.Image(decode=False))
        return None
    def summed(value):
        if isinstance(value, list):
            return [summed(each) for each in value]
        return value and sha(value["bytes"])
    found = {}
    for split, rows in datasets.load_dataset(str(root)).items():
        pictures = [name for name, feature in rows.features.items() if undecoded(feature) is not None]
        for name in pictures:
            rows = rows.cast_column(name, undecoded(rows.features[name]))
        found[split] = [{k: summed(v) if k in pictures else v for k, v in row.items()} for row in rows]
    return found

def of_croissant():
    import mlcroissant
    data = mlcroissant.Dataset(jsonld=str(root / "croissant.json"))
    found = {}
    for each in data.metadata.record_sets:
        records = data.records(record_set=each.uuid)
        found[each.uuid] = [{k.removeprefix(each.uuid + "/"): plain(v) for k, v in row.items()} for row in records]
    return found

def told(sample):
    messages = [] if isinstance(sample.input, str) else sample.input
    parts = [part for message in messages for part in message.content]
    shown = [getattr(part, part.type) for part in parts if part.type in ("image", "video")]
    texts = [part.text for part in parts if part.type == "text"] or [sample.input]
    return {"id": sample.id, "choices": sample.choices, "target": sample.target, "metadata": sample.metadata,
            "texts": texts, "shown": [sha(Path(each).read_bytes()) for each in shown if not each.startswith("data:")],
            "inside": [sha(__import__("base64").b64decode(each.partition(",")[2])) for each in shown
                       if each.startswith("data:")]}

def of_inspect():
    from inspect_ai.dataset import json_dataset
    paths = sorted(root.glob("inspect/*.jsonl"))
    return {path.stem: [told(each) for each in json_dataset(str(path))] for path in paths}

def of_hub():
    import datasets, yaml
    from inspect_ai._eval.task.hf import HFTask, _record_to_sample_hf
    found = {}
    for said in yaml.safe_load((root / "eval.yaml").read_text(encoding="utf-8"))["tasks"]:
        task = HFTask.model_validate(said)
        rows = datasets.load_dataset(str(root), task.config, split=task.split)
        found[task.id] = [told(_record_to_sample_hf(row, task.field_spec)) for row in rows]
    return found

there = {"datasets": ("data", of_datasets), "croissant": ("croissant.json", of_croissant),
         "inspect": ("inspect", of_inspect), "hub": ("eval.yaml", of_hub)}
found = {name: read() for name, (path, read) in there.items() if (root / path).exists()}
out.write_text(json.dumps(found), encoding="utf-8")
"""

Rows = dict[str, list[dict[str, Any]]]


def read(folder: Path, *, home: Path) -> dict[str, Rows]:
    """By the name of the loader and the split: the items as they are read there.

    Images are the SHA-256 of their bytes; in ``croissant`` of their pixels, as it decodes what it reads.
    """
    home.mkdir(parents=True, exist_ok=True)
    out = home / "read.json"
    done = loaders.run("hub", _SCRIPT, folder.resolve(), out, home=home)
    if done.returncode:
        raise AssertionError(f"a loader did not read {folder}:\n{done.stderr[-3000:]}")
    found: dict[str, Rows] = json.loads(out.read_text(encoding="utf-8"))
    return found
