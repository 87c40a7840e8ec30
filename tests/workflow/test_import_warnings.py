"""What an import says loudly: options that say the same, contradicting keys, columns that look like votes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app.commands.import_look import lines, lines_of_rows
from db.engine import Store
from domain.errors import InvalidFileError
from importers.readers import ratings_reader
from importers.unread_keys import looks_like_votes
from media.store import MediaStore
from testkit.missing_extensions import needs
from tests.paths import shared
from tests.workflow.test_options_as_shown import SCHEMA
from workflow.access.projects import create_project
from workflow.files.import_files import import_files, look_at_files
from workflow.files.rows_look import look_at_rows


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


@pytest.fixture
def project(store: Store, tmp_path: Path) -> str:
    (tmp_path / "guide.md").write_text("Look.")
    (tmp_path / "mcq.yaml").write_text(SCHEMA)
    create_project(store, name="p", loaded=load_schema(tmp_path / "mcq.yaml"))
    return "p"


def item(id: str, options: list[str], answer: str, question: str = "Q?", image: str = "f.png", **more: Any) -> Any:
    return {"id": id, "question": question, "options": options, "answer": answer, "image": image, **more}


def bring(store: Store, media: MediaStore, tmp_path: Path, *rows: Any, name: str = "a.jsonl", **how: Any) -> Any:
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    how = {"format": "jsonl", **how}
    return import_files(store, media, by=None, project="p", path=path, **how)


@pytest.mark.parametrize(
    "options",
    [["x", "x"], ["caf\u00e9", "cafe\u0301"], ["a  cup", "a cup "], ["y", "x", "x"]],
    ids=["letter by letter", "Unicode's forms", "white space", "not the first"],
)
@pytest.mark.usefixtures("project")
def test_a_key_that_is_two_options_is_refused(
    store: Store, media: MediaStore, tmp_path: Path, options: list[str]
) -> None:
    with pytest.raises(
        InvalidFileError, match=r"row 1: its options . and . are the same \(.*\), and one of these options is the key"
    ):
        bring(store, media, tmp_path, item("a", options, options[-1]))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["x", "y", "y"], 'its options B and C are the same ("y")'),
        (["Rise", "rise", "x"], 'its options A and B differ only in case ("Rise")'),
        (["x", "5 mW", "5 MW"], 'its options B and C differ only in case ("5 mW")'),
        (["2", "1", "1.0"], 'its options B and C are the same number ("1")'),
    ],
)
@pytest.mark.usefixtures("project")
def test_other_options_that_say_the_same_are_named(
    store: Store, media: MediaStore, tmp_path: Path, options: list[str], said: str
) -> None:
    done = bring(store, media, tmp_path, item("a", ["1", "2"], "1"), item("b", options, options[0]))
    assert done.items == 2
    assert done.warnings == (f"a.jsonl: 1 item has options with the same meaning; the first item is b: {said}.",)


@pytest.mark.usefixtures("project")
def test_contradicting_keys_are_named_in_pairs(store: Store, media: MediaStore, tmp_path: Path) -> None:
    """Alike but for case, white space and the options' order; not alike: other media, another option, the same key."""
    bring(store, media, tmp_path, item("old", ["a", "b"], "a", "Which one?"))
    rows = [
        item("same", ["b", "a"], "a", "Which one?"),
        item("against", ["b", "a"], "b", "which  ONE?"),
        item("elsewhere", ["a", "b"], "b", "Which one?", "g.png"),
        item("more", ["a", "b", "c"], "b", "Which one?"),
        item("two", ["x", "y"], "x", "And this?"),
        item("three", ["y", "x"], "y", "And this?"),
    ]
    path = tmp_path / "b.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    look = look_at_files(store, media, by=None, project="p", format="jsonl", path=path)
    warning = (
        "2 pairs of items have the same question, options and media, but different keys: "
        'same ("a") and against ("b"); two ("x") and three ("y").'
    )
    assert list(look.warnings) == [warning]
    assert f"Warning: {warning}" in list(lines(look, skip_bad=False))
    assert bring(store, media, tmp_path, *rows, name="b.jsonl").warnings == (warning,)
    (again,) = bring(store, media, tmp_path, item("late", ["a", "b"], "b", "Which one?"), name="c.jsonl").warnings
    assert 'late ("b") and' in again
    assert '("a")' in again


@pytest.mark.parametrize(
    "name",
    [
        *("correct.responses", "q.responses.users", "annotator_1", "Vote 2", "workerId", "rating", "human_score"),
        *("q.suggestion", "q.suggestion.agent", "grader", "Rater3", "labels", "judgement", "Answer.verdict", "gradeA"),
    ],
)
def test_names_of_votes_are_known(name: str) -> None:
    assert looks_like_votes(name)


@pytest.mark.parametrize("name", ["scene", "correspondence", "underscored", "category", "source", "grapes"])
def test_other_names_are_not_votes(name: str) -> None:
    assert not looks_like_votes(name)


@pytest.mark.parametrize("table", [True, False])
@pytest.mark.usefixtures("project")
def test_columns_that_nothing_reads_are_named_and_votes_loudly(
    store: Store, media: MediaStore, tmp_path: Path, table: bool
) -> None:
    row = item("a", ["1", "2"], "1", scene="kitchen", **{"correct.responses": "yes", "correct.responses.users": "u"})
    if table:
        path = tmp_path / "a.csv"
        cells = [json.dumps(cell) if isinstance(cell, list) else cell for cell in row.values()]
        path.write_text(",".join(row) + "\n" + ",".join('"' + cell.replace('"', '""') + '"' for cell in cells) + "\n")
        done = import_files(store, media, by=None, project="p", path=path, format="csv")
    else:
        done = bring(store, media, tmp_path, row)
    what = "columns" if table else "keys"
    assert done.note == (
        f"Unused {what}: 'scene', 'correct.responses', 'correct.responses.users' (the values are kept for exports)."
    )
    (warning,) = done.warnings
    assert warning.startswith(
        f"{'a.csv' if table else 'a.jsonl'}: the {what} 'correct.responses', 'correct.responses.users' look like "
        "votes, grades or labels, and are not imported."
    )


@needs("readers", "predictions")
@needs("readers", "ratings")
@pytest.mark.usefixtures("project")
def test_answers_and_ratings_name_what_is_left(store: Store, media: MediaStore, tmp_path: Path) -> None:
    bring(store, media, tmp_path, item("a", ["1", "2"], "1"))
    path = tmp_path / "m_p.tsv"
    path.write_text("item\tA\tB\tlatency\tgrader\tprediction\na\t1\t2\t3\tann\tA\n")
    look = look_at_rows(store, media, by=None, project="p", format="predictions", path=path)
    said = list(lines_of_rows(look, skip_bad=False))
    assert "Unused keys: 'latency', 'grader' (the values are not imported)." in said
    assert any(line.startswith("Warning: m_p.tsv: the key 'grader' looks like votes") for line in said)
    done = bring(
        store,
        media,
        tmp_path,
        {"item": "a", "model": "n", "text": "A", "votes": 3},
        name="p.jsonl",
        format="predictions",
    )
    assert [each.split(" looks")[0] for each in done.warnings] == ["p.jsonl: the key 'votes'"]
    path = tmp_path / "r.csv"
    path.write_text("unit,rater,criterion,value,rating_2,when\na,r,right,yes,no,now\n")
    read = ratings_reader()(path)
    assert list(read.notes) == ["Unused columns: 'rating_2', 'when' (the values are not imported)."]
    assert [each.split(" looks")[0] for each in read.warnings] == ["r.csv: the column 'rating_2'"]


@pytest.mark.slow
def test_a_published_file_with_two_equal_wrong_options_comes_in(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    """EgoPlan-Val has one such question: 1597 has the option "count" twice, and another key."""
    create_project(store, name="p", loaded=load_schema(shipped()["egoplan"]))
    path = shared("data", "egoplan", "EgoPlan_validation.json")
    done = import_files(store, media, by=None, project="p", path=path, format="egoplan")
    assert done.items == 3355
    assert done.warnings[0].endswith(
        '1 item has options with the same meaning; the first item is 1597: its options B and D are the same ("count").'
    )
