"""The folder for the Hugging Face Hub, as `datasets` itself loads it, without a network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from annotation_schemas.formats.released import ReleasedItem, ReleasedSplit
from domain.errors import InvalidFileError
from extensions.harnesses import hf_dataset, release_table
from testkit.missing_extensions import needs
from tests.exporters import official
from tools import loaders

LOAD = """
import hashlib, json, sys
import datasets

def sums(feature, value):
    if isinstance(feature, datasets.Image):
        return value and {"sha256": hashlib.sha256(value["bytes"]).hexdigest(), "path": value["path"]}
    if isinstance(feature, datasets.List) and isinstance(feature.feature, datasets.Image):
        return [sums(feature.feature, each) for each in value]
    return value

def undecoded(feature):
    if isinstance(feature, datasets.Image):
        return datasets.Image(decode=False)
    if isinstance(feature, datasets.List) and isinstance(feature.feature, datasets.Image):
        return datasets.List(datasets.Image(decode=False))
    return feature

told = {}
for name, how in json.loads(sys.argv[1]).items():
    try:
        loaded = datasets.load_dataset(**how)
    except Exception as error:
        told[name] = {"error": f"{type(error).__name__}: {error}"}
        continue
    splits, sizes = {}, []
    for split, rows in loaded.items():
        features = rows.features
        for column, feature in features.items():
            if isinstance(feature, datasets.Image) and len(rows):
                sizes.append(rows[0][column] and rows[0][column].size)  # decoded by Pillow
            if undecoded(feature) is not feature:
                rows = rows.cast_column(column, undecoded(feature))
        splits[split] = [{key: sums(features[key], value) for key, value in row.items()} for row in rows]
    told[name] = {"features": features._to_yaml_list(), "splits": splits, "sizes": sizes}
json.dump(told, sys.stdout)
"""


def loaded(home: Path, **asked: Mapping[str, Any]) -> dict[str, Any]:
    """What `datasets` makes of each of these."""
    done = loaders.run("hub", LOAD, json.dumps(asked), home=home)
    assert done.returncode == 0, done.stderr[-3000:]
    warned = [line for line in done.stderr.splitlines() if line and "examples/s]" not in line]  # no bars
    assert not warned, "a load says something that no user can change"
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def with_readme(root: Path, released: Any) -> dict[str, Any]:
    """How to load a release by its README."""
    sizes = {path.relative_to(root).as_posix(): path.stat().st_size for path in root.rglob("*.parquet")}
    matter = hf_dataset.front_matter(replace(released, formats=released.formats or ("hf_dataset",)), sizes)
    (root / "README.md").write_text(f"---\n{yaml.safe_dump(matter, sort_keys=False)}---\n# A set\n", encoding="utf-8")
    return {"path": str(root)}


def shas(item: ReleasedItem, role: str) -> list[dict[str, str]]:
    """The images of a role as they come back: bytes with this hash, and a name that says nothing else."""
    there = [asset for asset in item.assets if asset.role == role]
    return [{"sha256": asset.sha256, "path": f"{asset.sha256}.png"} for asset in there]


REAL = {
    "egothink": ("egothink", "data"),
    "egoplan": ("egoplan", "EgoPlan_validation.json"),
    "pca_bench": ("pca_bench",),
}


@pytest.mark.slow
def test_published_items_are_loaded_as_they_are(tmp_path: Path) -> None:
    sets = {name: official.real(name, *place) for name, place in REAL.items()}
    how = {}
    for name, made in sets.items():
        official.write(made.set(), tmp_path / name, ["hf_dataset"], media=False)
        how[name] = with_readme(tmp_path / name, made.set())
    found = loaded(tmp_path / "home", **how)
    assert {name: len(made.items) for name, made in sets.items()} == {
        "egothink": 550,
        "egoplan": 3355,
        "pca_bench": 200,
    }
    for name, made in sets.items():
        rows = found[name]["splits"]["test"]
        assert [row["id"] for row in rows] == [item.id for item in made.items]
        roles = [slot.role for slot in made.schema.item.assets if slot.kind == "image"]
        for row, item in zip(rows, made.items, strict=True):
            for role in roles:
                there = shas(item, role)
                assert row[role] == (there[0] if there else None)
            plain = {key for key, value in item.fields.items() if isinstance(value, str | int) or key == "options"}
            assert {key: row[key] for key in plain} == {key: item.fields[key] for key in plain}
            assert (row["dimension"], row["group"]) == (item.dimension, item.group)


@needs("kinds", "time_span")
@pytest.mark.slow
def test_everything_that_an_item_can_have_is_loaded_with_and_without_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = official.fifth()
    released = made.set()
    official.write(released, tmp_path / "set", ["hf_dataset"])
    names = official.fifth()
    names.media = False
    by_name = replace(names.set(), items=lambda: (without_paths(item) for item in made.items))
    official.write(by_name, tmp_path / "named", ["hf_dataset"])
    many = in_many_files(tmp_path / "many", monkeypatch)
    files = {
        split: str(tmp_path / "set" / "data" / f"{split}-00000-of-00001.parquet") for split in ("validation", "test")
    }
    found = loaded(
        tmp_path / "home",
        readme=with_readme(tmp_path / "set", released),
        files={"path": "parquet", "data_files": files},
        named=with_readme(tmp_path / "named", by_name),
        many=with_readme(tmp_path / "many", many.set()),
    )
    assert found["files"] == found["readme"]
    assert found["readme"]["features"] == hf_dataset.front_matter(released, {})["dataset_info"]["features"]
    first, second = found["readme"]["splits"]["validation"]
    (third,) = found["readme"]["splits"]["test"]
    assert found["readme"]["sizes"] == [[12, 12], [12, 12]]
    clip = made.items[0].assets[3]
    full = made.items[0].fields
    places = [{**box, "image": box.get("image")} for box in full["where"]]
    assert first == {
        **full,
        "id": "a/1 ü",
        "dimension": "added",
        "group": "kitchen",
        "before": shas(made.items[0], "before")[0],
        "after": shas(made.items[0], "after"),
        "motion": clip.path,
        "motion_sha256": clip.sha256,
        "where": places,
        "points": [{"number": 1, "x": 0.5, "y": 1.0, "image": None}],
        "its_id": "its own",
        "anything": '{"b": [1, null, "ü"], "a": {}}',
    }
    assert hashlib.sha256((tmp_path / "set" / clip.path).read_bytes()).hexdigest() == clip.sha256
    nothing = (
        "sequence",
        "distance",
        "level",
        "light",
        "step",
        "notes",
        "where",
        "points",
        "when",
        "anything",
        "its_id",
    )
    assert {name: second[name] for name in (*nothing, "motion", "group")} == dict.fromkeys(
        (*nothing, "motion", "group")
    )
    assert (second["answer"], third["answer"], third["notes"]) == ([], ["two"], "")

    named = found["named"]["splits"]["validation"][0]
    assert (named["before_name"], named["after_name"]) == ("1b.png", ["1c.png", "1a.png"])
    assert named["after_sha256"] == [asset.sha256 for asset in made.items[0].assets[1:3]]
    assert {"before", "after", "motion"}.isdisjoint(named)

    rows = found["many"]["splits"]["test"]
    assert [(row["id"], row["before"]) for row in rows] == [(item.id, shas(item, "before")[0]) for item in many.items]


def without_paths(item: ReleasedItem) -> ReleasedItem:
    return replace(item, assets=[replace(asset, path=None) for asset in item.assets])


def in_many_files(root: Path, monkeypatch: pytest.MonkeyPatch, *formats: str) -> official.Made:
    """Items whose images are shared out among files, with several row groups in each."""
    made = official.fifth()
    plain = made.items[1]
    made.items = [
        replace(plain, id=str(n), split="test", assets=[made.asset("before", f"{n}"), made.asset("after", f"{n}b")])
        for n in range(20)
    ]
    with monkeypatch.context() as small:
        small.setattr(release_table, "SHARD_BYTES", 1000)  # a picture has about 200 bytes
        small.setattr(release_table, "GROUP_ROWS", 2)
        folder = official.write(made.set(), root, ["hf_dataset", *formats])
    n = -(-sum(asset.bytes for item in made.items for asset in item.assets) // 1000)
    files = [path for path in folder.hashes if path.startswith("data/")]
    assert files == [f"data/test-{at:05}-of-{n:05}.parquet" for at in range(n)]
    return made


def test_written_twice_is_the_same_bytes(tmp_path: Path) -> None:
    one, two = (official.write(official.fifth().set(), tmp_path / name, ["hf_dataset", "parquet"]) for name in "ab")
    assert one.hashes == two.hashes
    for path, said in one.hashes.items():
        data = (tmp_path / "a" / path).read_bytes()
        assert (hashlib.sha256(data).hexdigest(), len(data)) == (said.sha256, said.bytes)


def test_a_withheld_key_is_in_no_public_file(tmp_path: Path) -> None:
    made = official.fifth()
    validation, test = made.items[:2], made.items[2]
    secret = {"answer": ["no one may know this"]}
    hidden = replace(test, fields={name: value for name, value in test.fields.items() if name != "answer"})
    made.items = [replace(item, fields={**item.fields, **secret}) for item in validation]
    made.items.append(hidden)
    splits = [ReleasedSplit("validation", 2), ReleasedSplit("test", 1, ["answer"])]
    official.write(made.set(splits=splits), tmp_path / "part", ["parquet"])
    rows = read(tmp_path / "part" / "parquet" / "test-00000-of-00001.parquet")
    assert rows[0]["answer"] is None, "a column for all splits, which has nothing here"
    assert "canary" not in rows[0]
    made.items = [hidden]
    told = {**official.ABOUT, "canary": "a canary"}
    official.write(made.set(splits=splits[1:], about=told), tmp_path / "all", ["parquet"])
    (row,) = read(tmp_path / "all" / "parquet" / "test-00000-of-00001.parquet")
    assert (row["canary"], "answer" in row) == ("a canary", False)


def read(path: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet

    rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return rows


def test_the_plain_table_has_paths_and_hashes(tmp_path: Path) -> None:
    made = official.fifth()
    official.write(made.set(), tmp_path, ["parquet"])
    first = read(tmp_path / "parquet" / "validation-00000-of-00001.parquet")[0]
    before, one, two, _ = made.items[0].assets
    assert (first["before"], first["before_sha256"]) == (before.path, before.sha256)
    assert (first["after"], first["after_sha256"]) == ([one.path, two.path], [one.sha256, two.sha256])


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "half a character": ({"question": "\ud83d"}, "in question, the text contains an incomplete character"),
    "too large a number": ({"level": 2**63}, "in level, 9223372036854775808 is too large for a 64-bit integer"),
    "a text for a number": ({"level": "7"}, "in level, '7' is not a whole number"),
    "a list for a text": ({"notes": ["a"]}, r"in notes, \['a'\] is not text"),
    "a text for a list": ({"options": "a"}, "in options, 'a' is not a list"),
    "an unknown part": (
        {"points": [{"x": 0.5, "y": 0.5, "by": "me"}]},
        "has the key 'by', but the column has only number, x, y, image",
    ),
    "no number": ({"anything": float("nan")}, "in anything, a number is infinite or NaN"),
    "an unknown field": ({"more": 1}, "the item has a field 'more', which is not in the schema"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_fit_is_refused_by_name(what: str, tmp_path: Path) -> None:
    fields, said = REFUSED[what]
    made = official.fifth()
    made.items[1] = replace(made.items[1], fields={**made.items[1].fields, **fields})
    with pytest.raises(InvalidFileError, match=f"hf_dataset cannot store the item '2': .*{said}"):
        official.write(made.set(), tmp_path, ["hf_dataset"])


def test_items_and_media_that_cannot_be_are_refused_by_name(tmp_path: Path) -> None:
    made = official.fifth()
    first, second, third = made.items

    def refused(items: list[ReleasedItem], said: str, **part: Any) -> None:
        made.items = items
        with pytest.raises(InvalidFileError, match=said):
            official.write(made.set(**part), tmp_path / str(len(list(tmp_path.iterdir()))), ["hf_dataset"])

    refused([first, second, replace(third, id="2")], "the item '2': another item has the same id")
    two = [*second.assets, made.asset("before", "more")]
    refused([first, replace(second, assets=two), third], "'2': in before, the item has 2 files for 'before'")
    refused([first, without_paths(second), third], "'2': before is not in the release, but other items' files are")
    refused([first, replace(second, assets=[replace(second.assets[0], role="top")])], "'2': .* role 'top'")
    ones = [ReleasedSplit("validation", 1), ReleasedSplit("test", 1)]
    told = "'2' in the split 'validation' is out of order. The order of the splits is validation, test"
    refused([first, third, second], told, splits=ones)
    refused([first], "'validation' has 1 item instead of 2", splits=[ReleasedSplit("validation", 2)])
    refused(
        [third],
        "'3': the item has 'answer', which the split 'test' withholds",
        splits=[ReleasedSplit("test", 1, ["answer"])],
    )
    refused([third], "the empty split 'train'", splits=[ReleasedSplit("test", 1), ReleasedSplit("train", 0)])
    refused([replace(first, split="test-a")], "cannot have a split named 'test-a'")
    made.bytes[first.assets[0].sha256] = b"other"
    refused([first], "'a/1 ü': the file for before does not match its SHA-256")
