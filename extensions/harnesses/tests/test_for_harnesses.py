"""Items of a release for Inspect, for lmms-eval and for tuning: all of them are there, or one is refused by name."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import math
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from PIL import Image

from annotation_schemas.formats import FORMATS
from annotation_schemas.formats.released import ReleasedItem
from domain.errors import InvalidFileError
from importers.readers import reader_of
from testkit.samples import etp_record
from testkit.samples import write as write_records
from tests.exporters.releases import Folder, asset, fifth, items_of, plan, release, write
from tests.exporters.test_item_rows import HOSTILE, fifth_items, schema_of
from tests.paths import shared

NUMBERS = {
    "    - {name: answer, kind: options_of, field: options, secret_in: [verification]}\n": "",
    "distance, kind": "answer, kind",
    ", unit: cm": ", read_as: number, tolerance: {relative: 0.1}",
}
"""The fifth benchmark with a number for its key."""


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.decode().split("\n") if line]


# ---- Inspect --------------------------------------------------------------------------------------------------------


def test_samples_have_choices_letters_and_pictures_from_where_the_file_lies(tmp_path: Path) -> None:
    schema, folder = fifth(), Folder(tmp_path)
    some = [
        replace(each, fields={k: v for k, v in each.fields.items() if k != "where"}) for each in fifth_items(folder)
    ]
    records = lines(write("inspect", release(folder, schema, some), folder)["test.jsonl"])
    assert [record["id"] for record in records] == [item.id for item in some]
    for record, item in zip(records, some, strict=True):
        assert record["choices"] == item.fields["options"]
        assert [record["choices"]["ABC".index(letter)] for letter in record["target"]] == item.fields["answer"]
        content = record["input"][0]["content"]
        shown = [part["image"] for part in content if part["type"] == "image"]
        assert shown == [f"../{each.path}" for each in item.assets]
        assert all((tmp_path / "inspect" / path).is_file() for path in shown)
        assert content[0] == {"type": "text", "text": "before:"}
        assert content[-1] == {"type": "text", "text": item.fields["question"]}
        assert (record["metadata"]["group"], record["metadata"]["dimension"]) == (item.group, item.dimension)
        others = {name: each for name, each in item.fields.items() if name not in ("question", "options", "answer")}
        assert record["metadata"]["fields"] == others


@pytest.mark.parametrize(
    ("record", "target"),
    [
        (etp_record("Sequence", 1), ["B", "C", "D"]),
        (etp_record("Spatial", 1), "A"),
        (etp_record("Temporal", 1), "3, 1, 2"),
        (etp_record("Relevant", 1), "Broom"),
        (etp_record("Embodied reasoning", 1), None),
    ],
    ids=["several", "one", "images in order", "text", "no key"],
)
def test_every_form_of_an_answer_has_its_target(tmp_path: Path, record: dict[str, Any], target: Any) -> None:
    schema, folder = schema_of("etp_bench"), Folder(tmp_path / "release")
    path = write_records(tmp_path / "etp.json", [record])
    found = reader_of(FORMATS["etp_bench"])(path, format="etp_bench", schema=schema)
    released = release(folder, schema, items_of(folder, schema, found))
    (sample,) = lines(write("inspect", released, folder)["test.jsonl"])
    assert sample.get("target") == target
    if record["aspect"] == "Embodied reasoning":  # its prompt names the task, which the question does not say
        assert sample["input"][0]["content"][-1]["text"] == "Task: preserve food\nPut the fruit into the fridge."


def test_inspect_would_take_these_so_they_are_refused(tmp_path: Path) -> None:
    """An id twice, a key that is no choice, a blank choice (it drops it, and all letters move), a picture that is not
    there: ``json_dataset`` takes each of them without a word."""
    schema, folder = fifth(), Folder(tmp_path)
    item = fifth_items(folder)[0]
    wrong = {
        "another item has the same id": [item, item],
        "not one of its options": [replace(item, fields={**item.fields, "answer": ["ladle"]})],
        "one option is empty": [replace(item, fields={**item.fields, "options": ["cup", " ", "pot"]})],
        "not in the release": [replace(item, assets=[replace(each, path=None) for each in item.assets])],
        "the item has no before": [replace(item, assets=item.assets[1:])],
    }
    for number, (why, some) in enumerate(wrong.items()):
        with pytest.raises(InvalidFileError, match=f"inspect cannot store the item 'c0': .*{why}"):
            write("inspect", release(folder, schema, some), Folder(tmp_path / str(number)))


def test_a_clip_that_inspect_has_no_word_for_is_refused(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "release")
    _, released = plan(folder, tmp_path)
    with pytest.raises(
        InvalidFileError, match="inspect cannot store the item '0': progress is a clip of the type video/webm"
    ):
        write("inspect", released, folder)


def test_clips_go_out_as_mp4_each_once(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "release")
    _, released = plan(folder, tmp_path)
    asked: list[str] = []

    def as_mp4(each: Any) -> bytes:
        asked.append(each.sha256)
        return b"MP4 of " + each.sha256.encode()

    both = [item for item in released.items() for _ in range(2)]
    twice = [replace(item, id=f"{item.id}/{n % 2}") for n, item in enumerate(both)]
    released = replace(
        released,
        items=lambda: iter(twice),
        splits=[replace(each, items=2 * each.items) for each in released.splits],
        as_mp4=as_mp4,
    )
    files = write("inspect", released, folder)
    assert len(asked) == len(set(asked)) == 3
    for split in ("train", "test"):
        for sample in lines(files[f"{split}.jsonl"]):
            (video,) = [part for part in sample["input"][0]["content"] if part["type"] == "video"]
            assert video["format"] == "mp4"
            assert files[video["video"]].startswith(b"MP4 of ")


@pytest.mark.parametrize(
    ("format", "fit"), [("inspect", 2), ("lmms_eval", 2), ("hf_dataset", 2), ("llava", 2), ("vlmevalkit", 0)]
)
def test_all_items_that_a_format_cannot_carry_are_counted_and_ten_are_named(
    format: str, fit: int, tmp_path: Path
) -> None:
    """All but two of fifteen items have a text with half of a character, which no file can hold. VLMEvalKit takes one
    right option, and these items have several."""
    schema, folder = fifth(), Folder(tmp_path)
    first = next(item for item in fifth_items(folder) if item.fields.get("answer"))
    some = [
        replace(first, id=f"n{n}", fields={**first.fields, "question": f"What? {chr(0xD800) if n > 1 else ''}"})
        for n in range(15)
    ]
    with pytest.raises(InvalidFileError) as refused:
        write(format, release(folder, schema, some), folder)
    told = str(refused.value).splitlines()
    assert told[0] == f"{format} cannot store {15 - fit} items."
    named = [line for line in told if "cannot store the item" in line]
    assert [f"'n{n}'" in line for n, line in enumerate(named, fit)] == [True] * 10
    assert f"Further items: {5 - fit}." in told


def test_marked_images_lie_beside_the_samples(tmp_path: Path) -> None:
    schema, folder = schema_of("etp_bench"), Folder(tmp_path / "release")
    path = write_records(tmp_path / "etp.json", [etp_record("Type", 1)])
    found = reader_of(FORMATS["etp_bench"])(path, format="etp_bench", schema=schema)
    some = items_of(folder, schema, found)
    files = write("inspect", release(folder, schema, some, shown=lambda item, each: b"marked"), folder)
    assert files["images/test/0-0.png"] == b"marked"
    (sample,) = lines(files["test.jsonl"])
    assert sample["input"][0]["content"][0] == {"type": "image", "image": "images/test/0-0.png"}
    for format in ("lmms_eval", "llava", "vlmevalkit"):
        with pytest.raises(InvalidFileError, match="the images have boxes or marks"):
            write(format, release(folder, schema, some), Folder(tmp_path / format))


# ---- lmms-eval ------------------------------------------------------------------------------------------------------


def task_code(folder: Folder) -> ModuleType:
    """The code of a task, loaded from its file as lmms-eval does."""
    spec = importlib.util.spec_from_file_location("utils", folder.root / "lmms_eval" / "utils.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _Yaml(yaml.SafeLoader):
    """Reads functions by their names."""


_Yaml.add_constructor("!function", lambda loader, node: f"function {node.value}")

TASK_KEYS = {
    *("task", "dataset_path", "dataset_kwargs", "test_split", "output_type", "doc_to_visual", "doc_to_text"),
    *("doc_to_messages", "doc_to_target", "process_results", "generation_kwargs", "metric_list", "cluster_key"),
    *("score_key", "metadata"),
}
"""Fields of lmms-eval 0.7.3's ``TaskConfig``; its environment takes 7 GB and twenty minutes, so it was run by hand."""


def test_a_task_is_clustered_by_group_and_needs_no_network(tmp_path: Path) -> None:
    schema, folder = fifth(), Folder(tmp_path)
    some = [
        replace(each, fields={k: v for k, v in each.fields.items() if k != "where"}) for each in fifth_items(folder)
    ]
    files = write("lmms_eval", release(folder, schema, some, splits=["test", "empty"]), folder)
    assert set(files) == {"fifth_test.yaml", "utils.py", "asked.jsonl"}, "a split without items is no task there"
    task = yaml.load(files["fifth_test.yaml"], _Yaml)
    assert set(task) == TASK_KEYS
    assert (task["cluster_key"], task["dataset_path"], task["test_split"]) == ("group", "parquet", "test")
    assert task["dataset_kwargs"] == {"data_files": {"test": "../data/test-00000-of-00001.parquet"}}, "and no token"
    assert [each["metric"] for each in task["metric_list"]] == ["accuracy", "answered"]
    assert task["doc_to_text"] == "function utils.doc_to_text"


def test_its_code_asks_each_item_and_holds_answers_against_the_key(tmp_path: Path) -> None:
    schema, folder = fifth(), Folder(tmp_path)
    some = [
        replace(each, fields={k: v for k, v in each.fields.items() if k != "where"}) for each in fifth_items(folder)
    ]
    some[0] = replace(some[0], group=None)
    write("lmms_eval", release(folder, schema, some), folder)
    code = task_code(folder)
    for item in some:
        doc = {"id": item.id}
        text = code.doc_to_text(doc)
        assert item.fields["question"] in text
        assert all(
            f"\n{letter}. {option}\n" in text for letter, option in zip("ABC", item.fields["options"], strict=True)
        )
        target = code.doc_to_target(doc)
        assert [item.fields["options"]["ABC".index(letter)] for letter in target.split(", ")] == item.fields["answer"]
        said = code.process_results(doc, [target])
        assert {name: each["score"] for name, each in said.items()} == {"answered": 1, "accuracy": 1}
        assert said["accuracy"]["group"] == (item.group or item.id), "one without a group is a cluster of its own"
        assert code.process_results(doc, ["B"])["accuracy"]["score"] == 0
        assert code.process_results(doc, [""])["answered"]["score"] == 0
    assert code.process_results({"id": "c0"}, ["(C), A."])["accuracy"]["score"] == 1
    assert code.process_results({"id": "c0"}, ["A, C, B"])["accuracy"]["score"] == 0
    assert code.mean([{"score": 1.0}, {"score": 0.0}]) == 0.5
    assert math.isnan(code.mean([]))


def test_a_clip_is_a_video_though_its_name_ends_as_that_of_a_sound(tmp_path: Path) -> None:
    """lmms-eval takes the path of a WebM for audio unless messages say what it is (``_AUDIO_EXTS`` in its tasks)."""
    folder = Folder(tmp_path / "release")
    _, released = plan(folder, tmp_path)
    write("lmms_eval", released, folder)
    code, item = task_code(folder), next(iter(released.items()))
    clip, seen = item.assets[0], Image.open(folder.root / str(item.assets[1].path))
    doc = {"id": item.id, "progress": clip.path, "observation": seen}
    ((said,),) = [[each["content"] for each in code.doc_to_messages(doc)]]
    assert [each["type"] for each in said] == ["video", "image", "text"]
    assert Path(said[0]["url"]).read_bytes() == (folder.root / str(clip.path)).read_bytes()
    assert said[1]["url"].tobytes() == seen.convert("RGB").tobytes()
    assert said[2]["text"].startswith("In order: progress, observation.\nWhat should I do next?")
    assert code.doc_to_visual(doc)[0] == said[0]["url"], "models of its older interface get paths of clips"
    (folder.root / str(clip.path)).unlink()
    with pytest.raises(FileNotFoundError, match="take the whole release"):
        code.doc_to_visual(doc)


def test_marked_images_are_shown_from_beside_the_task(tmp_path: Path) -> None:
    """Of three images of one place the second has a mark; the others are those of the table, each at its own place."""
    schema, folder = schema_of("etp_bench"), Folder(tmp_path / "release")
    path = write_records(
        tmp_path / "etp.json", [etp_record("Temporal", 1, numbers=[{"number": 1, "x": 0.5, "y": 0.5}])]
    )
    found = reader_of(FORMATS["etp_bench"])(path, format="etp_bench", schema=schema)
    (item,) = items_of(folder, schema, found)
    pictures = [Image.new("RGB", (4, 4), colour) for colour in ("red", "lime", "blue")]
    out = io.BytesIO()
    Image.new("RGB", (4, 4), "black").save(out, "PNG")
    drawn = release(folder, schema, [item], shown=lambda _, each: out.getvalue() if each is item.assets[1] else None)
    assert "images/test/0-1.png" in write("lmms_eval", drawn, folder)
    seen = task_code(folder).doc_to_visual({"id": item.id, "images": pictures})
    assert [each.getpixel((0, 0)) for each in seen] == [(255, 0, 0), (0, 0, 0), (0, 0, 255)]


def test_numbers_are_right_within_their_tolerance(tmp_path: Path) -> None:
    """A tenth of 12.50 is 1.25, so 11.25 to 13.75 are right."""
    schema, folder = fifth(**NUMBERS), Folder(tmp_path)
    item = replace(fifth_items(folder)[0], fields={"question": "How far?", "options": [], "answer": "12.50"})
    write("lmms_eval", release(folder, schema, [item]), folder)
    code = task_code(folder)
    right = {
        each: code.process_results({"id": "c0"}, [each])["accuracy"]["score"]
        for each in ("12.5", "11.25", "about 13.75 or so", "13.76", "11.24", "12 or 13", "none", "1,250")
    }
    assert [text for text, score in right.items() if score] == ["12.5", "11.25", "about 13.75 or so"]


def test_a_private_test_and_open_answers_get_no_accuracy(tmp_path: Path) -> None:
    schema, folder = fifth(), Folder(tmp_path)
    some = [replace(fifth_items(folder)[0])]
    files = write("lmms_eval", release(folder, schema, some, withheld={"test": ["answer"]}), folder)
    assert [each["metric"] for each in yaml.load(files["fifth_test.yaml"], _Yaml)["metric_list"]] == ["answered"]
    (record,) = lines(files["asked.jsonl"])
    assert (record["kind"], record["target"]) == (None, "")
    assert set(task_code(folder).process_results({"id": "c0"}, ["A, C"])) == {"answered"}


def test_its_code_is_the_same_whatever_the_items_say(tmp_path: Path) -> None:
    schema = fifth()
    codes = set()
    for number, text in enumerate(HOSTILE):
        folder = Folder(tmp_path / str(number))
        item = replace(fifth_items(folder)[0], fields={"question": text, "options": [text, "b"], "answer": ["b"]})
        codes.add(write("lmms_eval", release(folder, schema, [item], title=text), folder)["utils.py"])
    assert len(codes) == 1


# ---- tuning ---------------------------------------------------------------------------------------------------------


def test_egoplan_it_has_answers_negatives_and_its_companion(tmp_path: Path) -> None:
    """Paper, 5.1 and 5.2: the answer follows the question, a negative is another action of the goal, and the companion
    names the actions of the clip one after the other. Nothing of the private test is in any of them."""
    folder = Folder(tmp_path / "release")
    _, released = plan(folder, tmp_path)
    files = write("llava", released, folder)
    assert set(files) == {"train.json", "train_actions.json"}
    train, actions = json.loads(files["train.json"]), json.loads(files["train_actions.json"])
    assert [each["id"] for each in train] == ["0", "1"]
    asked = train[0]["conversations"]
    assert asked[0] == {
        "from": "human",
        "value": "progress: <video>\nobservation: <image>\nWhat should I do next?",
    }
    assert asked[1] == {"from": "gpt", "value": "take cup"}
    assert (folder.root / train[0]["video"]).read_bytes()[:4] == b"\x1aE\xdf\xa3"
    assert (folder.root / train[0]["image"]).read_bytes()[:4] == b"\x89PNG"
    assert actions[0]["video"] == train[0]["video"]
    assert actions[0]["conversations"][1] == {"from": "gpt", "value": "Open drawer."}
    pairs = lines(write("preference_pairs", released, folder)["train.jsonl"])
    wrong = ["take plate", "fold napkin", "close drawer"]
    assert [(each["id"], each["chosen"]["value"], each["rejected"]["value"]) for each in pairs] == [
        (f"{item}/{number}", "take cup", text) for item in ("0", "1") for number, text in enumerate(wrong, 1)
    ]
    assert all(each["conversations"] == asked[:1] for each in pairs[:3])


@pytest.mark.slow
def test_all_of_egoplan_s_validation_set_is_in_conversations_and_pairs(tmp_path: Path) -> None:
    """3,355 questions, 499 of them without progress; sample 1597 has one wrong option twice, so each has three."""
    schema, folder = schema_of("egoplan"), Folder(tmp_path)
    path = shared("data", "egoplan", "EgoPlan_validation.json")
    found = reader_of(FORMATS["egoplan"])(path, format="egoplan", schema=schema)
    released = release(folder, schema, items_of(folder, schema, found, there=False))
    files = write("llava", released, folder)
    assert len(json.loads(files["test.json"])) == 3355
    assert len(json.loads(files["test_actions.json"])) == 3355 - 499
    pairs = lines(write("preference_pairs", released, folder)["test.jsonl"])
    assert len(pairs) == 3 * 3355
    right = {str(record["sample_id"]): record["answer"] for record in json.loads(path.read_bytes())}
    assert all(each["chosen"]["value"] == right[each["item"]] != each["rejected"]["value"] for each in pairs)


def test_conversations_name_letters_where_options_are_told(tmp_path: Path) -> None:
    schema, folder = fifth(), Folder(tmp_path)
    some = [
        replace(each, fields={k: v for k, v in each.fields.items() if k != "where"}) for each in fifth_items(folder)
    ]
    held = [each for each in some if "<image>" not in each.fields["question"]]
    records = json.loads(write("llava", release(folder, schema, held), folder)["test.json"])
    for record, item in zip(records, held, strict=True):
        asked, said = (turn["value"] for turn in record["conversations"])
        options = item.fields["options"]
        assert asked.count("<image>") == len(item.assets) == len(record["image"])
        assert asked.endswith("\n".join(f"{letter}. {text}" for letter, text in zip("ABC", options, strict=True)))
        assert said == f"A. {options[0]}, C. {options[2]}"


def test_what_cannot_be_tuned_on_is_refused(tmp_path: Path) -> None:
    schema, folder = fifth(), Folder(tmp_path)
    some = fifth_items(folder)[:1]
    tag = [replace(some[0], fields={**some[0].fields, "question": "What is in <image>?"})]
    none = [replace(some[0], fields={"question": "?", "options": ["a", "b"]})]
    wrong: list[tuple[str, list[ReleasedItem], str]] = [
        ("llava", tag, "'c0': the text contains <image>"),
        ("llava", none, "'c0': the item has no answer"),
        ("preference_pairs", some, "'c0': the item is not multiple choice with one right option"),
    ]
    for number, (format, those, why) in enumerate(wrong):
        with pytest.raises(InvalidFileError, match=why):
            write(format, release(folder, schema, those), Folder(tmp_path / str(number)))
    private = release(folder, schema, some, withheld={"test": ["answer"]})
    with pytest.raises(InvalidFileError, match="keep their answers private"):
        write("llava", private, Folder(tmp_path / "private"))
    with pytest.raises(InvalidFileError, match="no options"):
        write("preference_pairs", release(folder, schema_of("egothink"), []), Folder(tmp_path / "none"))


def test_an_empty_set_as_key_says_that_none_is_right(tmp_path: Path) -> None:
    schema, folder = fifth(), Folder(tmp_path)
    item = replace(fifth_items(folder)[0], fields={**fifth_items(folder)[0].fields, "answer": []})
    released = release(folder, schema, [item])
    (sample,) = lines(write("inspect", released, folder)["test.jsonl"])
    assert sample["target"] == []
    files = write("lmms_eval", released, folder)
    (record,) = lines(files["asked.jsonl"])
    assert (record["kind"], record["target"]) == ("multi", "none")
    names: dict[str, Any] = {"__file__": str(tmp_path / "lmms_eval" / "utils.py")}
    exec(compile(files["utils.py"].decode(), "utils.py", "exec"), names)
    given = {"None.": 1.0, "none": 1.0, "A": 0.0, "A, B": 0.0, "": 0.0, "I see none": 0.0}
    scores = {answer: names["process_results"]({"id": item.id}, [answer])["accuracy"]["score"] for answer in given}
    assert scores == given
    (told,) = json.loads(write("llava", released, folder)["test.json"])
    assert told["conversations"][-1]["value"] == "none"


def test_an_option_that_is_right_because_none_is_goes_out_by_its_label(tmp_path: Path) -> None:
    words = {
        "answer, kind: options_of, field: options": 'answer, kind: option_of, field: options, none: "None of them"'
    }
    schema, folder = fifth(**words), Folder(tmp_path)
    fields = {"question": "Which one?", "options": ["a cup", "a pan"], "answer": "none_of_these"}
    item = ReleasedItem("c0", "added", "test", fields, [asset(folder, role, role) for role in ("before", "after")])
    released = release(folder, schema, [item])
    (sample,) = lines(write("inspect", released, folder)["test.jsonl"])
    assert (sample["choices"], sample["target"]) == (["a cup", "a pan", "None of them"], "C")
    (pair, _) = lines(write("preference_pairs", released, folder)["test.jsonl"])
    assert (pair["chosen"]["value"], pair["rejected"]["value"]) == ("C. None of them", "A. a cup")
    table = write("vlmevalkit", released, folder)["fifth_test.tsv"].decode()
    (row,) = csv.DictReader(io.StringIO(table, newline=""), delimiter="\t")
    assert [row[name] for name in ("A", "B", "C", "answer")] == ["a cup", "a pan", "None of them", "C"]
    assert row["question"] == "In order: before, after.\nWhich one?"
