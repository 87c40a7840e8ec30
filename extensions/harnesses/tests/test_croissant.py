"""croissant.json, as `mlcroissant` itself validates it and streams its records, without a network."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from annotation_schemas.formats.released import ReleasedSplit
from domain.errors import InvalidFileError
from extensions.harnesses.tests.test_hf_dataset import in_many_files
from tests.exporters import official
from tools import loaders

READ = """
import hashlib, json, subprocess, sys
from pathlib import Path
import mlcroissant

def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    if hasattr(value, "tobytes") and hasattr(value, "size") and hasattr(value, "mode"):
        return hashlib.sha256(value.tobytes()).hexdigest()
    if isinstance(value, list) or type(value).__name__ == "ndarray":
        return [plain(each) for each in value]
    return value.item() if hasattr(value, "item") else value

told = {}
for path, validate in json.loads(sys.argv[1]).items():
    found = told[path] = {"records": {}}
    if validate:
        command = [str(Path(sys.executable).with_name("mlcroissant")), "validate", "--jsonld", path]
        done = subprocess.run(command, capture_output=True, text=True)
        found |= {"status": done.returncode, "said": done.stdout + done.stderr}
    try:
        data = mlcroissant.Dataset(jsonld=path)
        found["metadata"] = data.metadata.to_json()
        for each in data.metadata.record_sets:
            records = data.records(record_set=each.uuid)
            found["records"][each.uuid] = [{key: plain(value) for key, value in row.items()} for row in records]
    except Exception as error:
        found["error"] = f"{type(error).__name__}: {error}"
json.dump(told, sys.stdout, default=str)
"""

VALIDATED = ("fifth", "wrong sum")
"""Documents that its own validator is shown, too: a start of it takes longer than all records."""


def read(home: Path, **documents: Path) -> dict[str, Any]:
    """What `mlcroissant` makes of each of these."""
    asked = {str(path): name in VALIDATED for name, path in documents.items()}
    done = loaders.run("hub", READ, json.dumps(asked), home=home)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    return {name: found[str(path)] for name, path in documents.items()}


def changed(root: Path, name: str, change: Callable[[dict[str, Any]], None]) -> Path:
    """Another document about the same files."""
    document = json.loads((root / "croissant.json").read_text(encoding="utf-8"))
    change(document)
    path = root / f"{name}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def pixels(made: official.Made, sha: str) -> str:
    """The hash of what is seen in an image."""
    return hashlib.sha256(Image.open(io.BytesIO(made.bytes[sha])).tobytes()).hexdigest()


def wrong_sum(document: dict[str, Any]) -> None:
    document["distribution"][0]["sha256"] = "0" * 64


def arrays(document: dict[str, Any]) -> None:
    (field,) = (each for each in document["recordSet"][0]["field"] if each["name"] == "after")
    del field["repeated"]
    field |= {"isArray": True, "arrayShape": "-1"}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All of the documents of this module, read at once: to start the loader takes longer than to read them."""
    root = tmp_path_factory.mktemp("croissant")
    documents: dict[str, Path] = {}

    def add(name: str, released: Any, *formats: str, media: bool = True) -> None:
        official.write(released, root / name, [*formats, "croissant"], media=media)
        documents[name] = root / name / "croissant.json"

    fifth = official.fifth()
    add("fifth", fifth.set(), "hf_dataset")
    add("both", fifth.set(), "hf_dataset", "parquet")
    add("plain", fifth.set(), "parquet")
    add("empty", official.Made(fifth.schema).set(splits=[ReleasedSplit("test", 0)]), "parquet")
    with pytest.MonkeyPatch.context() as patch:
        in_many_files(root / "many", patch, "croissant")
    documents["many"] = root / "many" / "croissant.json"
    documents["wrong sum"] = changed(root / "fifth", "wrong", wrong_sum)
    documents["image arrays"] = changed(root / "fifth", "arrays", arrays)
    return {"made": fifth, **read(root / "home", **documents)}


@pytest.mark.slow
def test_every_record_is_streamed_as_it_is(found: Mapping[str, Any]) -> None:
    made, told = found["made"], found["fifth"]
    assert "error" not in told
    assert told["status"] == 0
    assert "WARNING" not in told["said"]
    first, second = told["records"]["validation"]
    (third,) = told["records"]["test"]
    full, assets = made.items[0].fields, made.items[0].assets

    def of(record: Mapping[str, Any], split: str = "validation") -> dict[str, Any]:
        return {key.removeprefix(f"{split}/"): value for key, value in record.items()}

    plain = ("question", "options", "answer", "sequence", "distance", "level", "light", "step", "notes")
    row = of(first)
    assert {name: row[name] for name in plain} == {name: full[name] for name in plain}
    assert row["before"] == pixels(made, assets[0].sha256)
    assert row["after"] == [pixels(made, assets[1].sha256), pixels(made, assets[2].sha256)]
    assert (row["motion"], row["motion_sha256"]) == (assets[3].path, assets[3].sha256)
    assert (row["where/label"], row["where/x"], row["where/h"]) == (["cup", "bowl"], [0.1, 0], [0.25, 1])
    assert row["where/image"] == [None, 2]
    assert (row["points/number"], row["when/end"]) == ([1], [2.0])
    assert row["anything"] == '{"b": [1, null, "ü"], "a": {}}'
    assert (row["id"], row["its_id"], row["dimension"]) == ("a/1 ü", "its own", "added")
    nothing = ("sequence", "distance", "level", "light", "step", "notes", "where/x", "when/end", "anything", "motion")
    assert {name: of(second)[name] for name in nothing} == dict.fromkeys(nothing)
    assert (of(second)["answer"], of(third, "test")["answer"]) == ([], ["two"])
    assert of(third, "test")["before"] == of(second)["before"] == pixels(made, made.items[1].assets[0].sha256)


@pytest.mark.slow
def test_what_is_said_of_the_set_is_kept(found: Mapping[str, Any]) -> None:
    kept = found["fifth"]["metadata"]
    assert kept["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    assert (kept["@type"], kept["name"], kept["version"]) == ("sc:Dataset", "fifth", "1.2.0")
    assert kept["datePublished"].startswith("2026-11-20")
    assert kept["creator"] == [{"@type": "sc:Person", "name": name} for name in official.ABOUT["creators"]]
    said = {
        "description": "description",
        "license": "license",
        "url": "url",
        "citeAs": "citation",
        "rai:dataLimitations": "limitations",
        "rai:dataBiases": "biases",
        "rai:personalSensitiveInformation": "personal_information",
        "rai:dataUseCases": "use_cases",
        "rai:dataSocialImpact": "social_impact",
        "prov:wasGeneratedBy": "generated_by",
        "rai:annotatorDemographics": "demographics",
        "rai:dataReleaseMaintenancePlan": "maintenance",
    }
    assert {key: kept[key] for key in said} == {key: official.ABOUT[name] for key, name in said.items()}
    assert kept["prov:wasDerivedFrom"] in (official.ABOUT["derived_from"], official.ABOUT["derived_from"][0])
    assert kept["rai:hasSyntheticData"] is True
    assert "@context" in kept


@pytest.mark.slow
def test_the_table_with_images_is_described_where_there_are_two(found: Mapping[str, Any]) -> None:
    assert found["both"]["records"] == found["fifth"]["records"]
    row = found["plain"]["records"]["validation"][0]
    first = found["made"].items[0].assets
    assert row["validation/before"] == first[0].path
    assert row["validation/after_sha256"] == [first[1].sha256, first[2].sha256]


@pytest.mark.slow
def test_a_split_in_many_files_and_one_without_items(found: Mapping[str, Any]) -> None:
    assert [row["test/id"] for row in found["many"]["records"]["test"]] == [str(n) for n in range(20)]
    assert "error" not in found["empty"]
    assert found["empty"]["records"] == {"test": []}


@pytest.mark.slow
def test_a_wrong_sum_passes_the_validator_and_no_record_is_read(found: Mapping[str, Any]) -> None:
    told = found["wrong sum"]
    assert told["status"] == 0, "so a release is checked by reading it, never by this validator"
    assert "the operation Download(data/validation-00000-of-00001.parquet)" in told["error"]
    assert told["records"] == {}


@pytest.mark.slow
def test_lists_of_images_are_read_as_repeated_fields_alone(found: Mapping[str, Any]) -> None:
    assert "GenerationError" in found["image arrays"]["error"]


def test_every_file_that_is_named_has_its_sum_and_the_same_release_the_same_bytes(tmp_path: Path) -> None:
    one, two = (official.write(official.fifth().set(), tmp_path / name, ["hf_dataset", "croissant"]) for name in "ab")
    assert one.hashes["croissant.json"] == two.hashes["croissant.json"]
    document = json.loads((tmp_path / "a" / "croissant.json").read_text(encoding="utf-8"))
    files = [each for each in document["distribution"] if each["@type"] == "cr:FileObject"]
    assert [each["contentUrl"] for each in files] == [
        "data/validation-00000-of-00001.parquet",
        "data/test-00000-of-00001.parquet",
    ]
    for each in files:
        data = (tmp_path / "a" / each["contentUrl"]).read_bytes()
        assert (each["sha256"], each["contentSize"]) == (hashlib.sha256(data).hexdigest(), f"{len(data)} B")
    (media,) = (each for each in document["distribution"] if each["@type"] == "cr:FileSet")
    assert (media["includes"], media["encodingFormat"]) == ("media/*/*", ["image/png", "video/webm"])


def test_all_that_was_not_said_is_named_at_once(tmp_path: Path) -> None:
    about = {**official.ABOUT, "biases": "  ", "creators": [], "derived_from": [" "]}
    del about["limitations"], about["url"]
    with pytest.raises(InvalidFileError) as refused:
        official.write(official.fifth().set(about=about), tmp_path, ["parquet", "croissant"])
    lines = str(refused.value).splitlines()
    assert [line.split(" (")[0].strip() for line in lines[1:-1]] == [
        "url",
        "creators",
        "limitations",
        "biases",
        "derived_from",
    ]
    assert "touchstone release edit PROJECT --set NAME=TEXT" in lines[-1]
    assert not (tmp_path / "croissant.json").exists()


def test_there_is_nothing_to_describe_without_a_table(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match="Add hf_dataset or parquet to the formats of the release"):
        official.write(official.fifth().set(), tmp_path, ["croissant"])
    about = {**official.ABOUT, "synthetic": "perhaps"}
    with pytest.raises(InvalidFileError, match=r"synthetic .* is 'perhaps'. Set this field to yes or no"):
        official.write(official.fifth().set(about=about), tmp_path / "b", ["parquet", "croissant"])
