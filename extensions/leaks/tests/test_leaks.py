"""Leaks that are planted in a finished folder, and clean folders, which raise no alarm."""

from __future__ import annotations

import base64
import codecs
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from domain.errors import InvalidFileError
from extensions.leaks.check import find_leaks
from extensions.leaks.tests.made_release import OPTION, digest, letter, release
from tests.workflow.releases.made import made, schema_of

pytestmark = pytest.mark.thorough


# ---- a clean folder -------------------------------------------------------------------------------------------------


def test_a_clean_folder_passes_and_was_looked_at(tmp_path: Path) -> None:
    report = release(tmp_path).check()
    assert report.leaks == []
    assert report.notes == []
    assert (report.looked_at["files"], report.looked_at["tables"]) == (
        7,
        6,
    )  # two Parquet, two JSON lines, a CSV, and the manifest's items
    assert report.looked_at["tests"] > 20
    assert any("with 4 options, the right option is A in" in each for each in report.figures)
    assert any("is the longest in" in each for each in report.figures)


@pytest.mark.slow
def test_clean_folders_raise_no_alarm(tmp_path: Path) -> None:
    """At a level of 0.05 over all tests, 40 clean folders raise 2 alarms in the mean at most; 7 or more would come in
    one of 200 suites, so the bound is at 6. In fact there are hardly any: Holm and the least difference are strict."""
    alarms = 0
    for seed in range(40):
        made_ = release(tmp_path / str(seed), seed, n=30)
        alarms += bool(made_.check(level=0.05).leaks)
    assert alarms <= 6


# ---- ids, columns and sizes that go along with the key -------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        lambda split, at, place: f"{split}-{at:03}-{'abcd'[place]}",
        lambda split, at, place: f"{'wxyz'[place]}{at:03}{split}",
        lambda split, at, place: f"{split}_{4 * at + place}",
        lambda split, at, place: f"{split}-{['cup', 'pot', 'box', 'jar'][place]}-{at * 7 % 60:03}",
        lambda split, at, place: f"{split}{'0' * place}{at}x",
    ],
    ids=["last letter", "first letter", "number modulo 4", "word", "length"],
)
def test_ids_that_tell_the_key_are_found(tmp_path: Path, name: Callable[[str, int, int], str]) -> None:
    assert "ids" in release(tmp_path, name=name).kinds()


CLOSING = ["", " ", "  ", "\t"]


def checked(at: int, place: int) -> str:
    """A number of three digits and one more, by which the sum of all of them modulo 4 is the place."""
    return f"{at:03}{(place - sum(map(int, f'{at:03}'))) % 4}"


@pytest.mark.parametrize(
    "name",
    [
        lambda split, at, place: base64.b64encode(f"{split}{at}:{'abcd'[place]}".encode()).decode(),
        lambda split, at, place: f"{split}{at}-{base64.b64encode('abcd'[place].encode()).decode()}",
        lambda split, at, place: f"{split}{at}-{f'{at}:{place}'.encode().hex()}",
        lambda split, at, place: f"{split}{at}-{digest('sha1', f'{split}{at}' + 'ABCD'[place])}",
        lambda split, at, place: f"{split}{at}-{digest('md5', f'{split}{at}' + 'ABCD'[place])[:8]}",
        lambda split, at, place: f"{split}-{checked(at, place)}",
        lambda split, at, place: f"{split}-{digest('md5', f'{at}')[:6]}{'aBcD'[place]}",
    ],
    ids=["base64", "base64 of a letter", "hex", "SHA-1", "short MD5", "check digit", "case of a letter"],
)
def test_ids_that_hide_the_key_are_found(tmp_path: Path, name: Callable[[str, int, int], str]) -> None:
    assert release(tmp_path, name=name).kinds() == {"ids"}


@pytest.mark.parametrize(
    "hide",
    [
        lambda row, place: {"question": row["question"] + CLOSING[place]},
        lambda row, place: {"note": " " * place},
        lambda row, place: {"note": "x"} if place > 1 else {},
        lambda row, place: {"question": row["question"].replace(" ", " " + "\u200b" * place, 1)},
        lambda row, place: {"question": row["question"].replace("shelf", ["shelf", "Shelf", "SHELF", "shelF"][place])},
        lambda row, place: {"tags": [["cup", "pot"], ["pot", "cup"]][place % 2]},
        lambda row, place: {"meta": {"width": place + int(row["id"][-3:]) * 4}},
        lambda row, place: {"options": [each + " " * (at == place) for at, each in enumerate(row["options"])]},
    ],
    ids=[
        *("blanks at the end", "a field of blanks", "a field that is there", "invisible characters", "case"),
        *("order of a list", "a number modulo 4", "a blank behind the right option"),
    ],
)
def test_a_key_that_is_hidden_in_how_texts_are_written_is_found(
    tmp_path: Path, hide: Callable[[dict[str, Any], int], dict[str, Any]]
) -> None:
    made_ = release(tmp_path)
    made_.write(lambda row, public: public.update(hide(row, row["options"].index(row["answer"]))))
    assert made_.kinds() == {"writing"}


def test_decimal_places_that_tell_the_key_are_found(tmp_path: Path) -> None:
    made_ = release(tmp_path)
    made_.write()
    path = made_.public / "jsonl" / "test.jsonl"
    lines = zip(path.read_text().splitlines(), made_.test, strict=True)
    places = [(line, row["options"].index(row["answer"])) for line, row in lines]
    path.write_text("".join(f'{line[:-1]}, "seconds": 2.{"0" * (place + 1)}}}\n' for line, place in places))
    assert made_.kinds() == {"writing"}


@pytest.mark.parametrize(
    "told",
    [
        lambda row: base64.urlsafe_b64encode(row["answer"].encode()).decode().rstrip("="),
        lambda row: base64.b32encode(json.dumps({"answer": letter(row)}).encode()).decode(),
        lambda row: codecs.encode(row["answer"], "rot13"),
        lambda row: digest("sha256", f"{row['id']}:{row['answer']}"),
        lambda row: base64.b64encode(hashlib.sha1(f"{letter(row)}_{row['id']}".encode()).digest()).decode(),
    ],
    ids=["base64", "base32 of JSON", "rot13", "SHA-256", "SHA-1 in base64"],
)
def test_the_key_in_another_form_is_found(tmp_path: Path, told: Callable[[dict[str, Any]], str]) -> None:
    made_ = release(tmp_path)
    made_.write(lambda row, public: public.update(trace=told(row)))
    report = made_.check()
    assert {leak.kind for leak in report.leaks} == {"key"}
    assert "the column trace is the key in another form" in report.leaks[0].what


def test_the_digest_of_one_items_key_is_found(tmp_path: Path) -> None:
    made_ = release(tmp_path)
    made_.write(
        lambda row, public: public.update(
            trace=digest("md5", row["id"] + row["answer"] if row["id"] == "test007" else "")
        )
    )
    assert made_.kinds() == {"key"}


def test_sizes_of_files_that_tell_the_key_are_found(tmp_path: Path) -> None:
    assert release(tmp_path, sized=True).kinds() == {"sizes"}


def test_a_number_that_goes_along_with_the_place_is_found(tmp_path: Path) -> None:
    made_ = release(tmp_path)
    made_.write(
        lambda row, public: public.update(serial=1000 * row["options"].index(row["answer"]) + int(row["id"][-3:]))
    )
    assert made_.kinds() == {"columns"}


@pytest.mark.parametrize(
    "told",
    [
        lambda place, at: {"created": f"2026-01-{1 + 7 * place + at % 7:02}T10:00:00"},
        lambda place, at: {"tags": ["seen"] * (1 + place + (place == 3))},
        lambda place, at: dict(sorted({"a": "x y", "b": "y z"}.items(), reverse=place > 1)),
    ],
    ids=["dates", "lengths of lists", "order of columns"],
)
def test_dates_and_lists_that_go_along_with_the_place_are_found(
    tmp_path: Path, told: Callable[[int, int], dict[str, Any]]
) -> None:
    made_ = release(tmp_path)
    made_.write(lambda row, public: public.update(told(row["options"].index(row["answer"]), int(row["id"][-3:]))))
    assert made_.kinds() == {"columns"}


def test_a_phrase_that_items_share_is_listed_and_no_leak(tmp_path: Path) -> None:
    report = release(tmp_path, reason="The sign says: maximum speed limit 40 km/h.").check()
    assert report.leaks == []
    (note,) = report.notes
    assert "60 private items" in note
    assert "test000 and jsonl/train.jsonl" in note


def test_what_stands_in_an_items_own_option_is_public(tmp_path: Path) -> None:
    made_ = release(tmp_path, longest=True, reason="{:.26}")
    assert not made_.kinds() & {"key"}


def test_an_answer_that_the_question_offers_is_no_leak(tmp_path: Path) -> None:
    """As in EgoThink: “Is the book on the table in front of me or on the table to my right?”"""
    reason = "on the table in front of me, at {1}"
    made_ = release(tmp_path, reason=reason)
    own = made_.test[5]
    asked = f"Is it {own['reason']} or on the table to my right?"
    made_.write(lambda row, public: public.update(question=asked) if row["id"] == own["id"] else None)
    (made_.public / "notes.md").write_text(asked)
    report = made_.check()
    assert report.leaks == []
    assert [note for note in report.notes if "the item test005, and one of the choices in its question" in note]
    (made_.public / "notes.md").write_text(f"It is {own['reason']}.")
    assert made_.kinds() == {"key"}


def test_the_phrase_of_one_item_is_a_leak_wherever_it_stands(tmp_path: Path) -> None:
    made_ = release(tmp_path)
    (made_.public / "notes.md").write_text(made_.test[5]["reason"])
    (found,) = made_.check().leaks
    assert (found.kind, found.where) == ("key", "notes.md")
    assert "the item test005" in found.what


def test_what_the_options_alone_tell(tmp_path: Path) -> None:
    assert release(tmp_path / "place", place=2).kinds() >= {"places"}
    longest = release(tmp_path / "long", longest=True).check().leaks
    assert [leak.kind for leak in longest] == ["lengths"]
    assert (
        "the right option is the longest in 60 of 60 items (94% to 100%), compared with 25% by chance"
        in longest[0].what
    )


def test_a_text_benchmark_has_no_question_twice(tmp_path: Path) -> None:
    made_ = release(tmp_path)
    (made_.private / "keys" / "test.jsonl").unlink()
    rows = [
        (row["id"], "what", row["split"], {k: row[k] for k in ("question", "options", "answer")}) for row in made_.rows
    ]
    made(schema_of(OPTION), rows).keys(made_.private)
    shutil.rmtree(made_.public / "data")
    assert made_.kinds() == set()
    copy = {**made_.seen(made_.test[0]), "id": "train900", "question": made_.test[0]["question"].upper()}
    with (made_.public / "jsonl" / "train.jsonl").open("a") as file:
        file.write(json.dumps(copy) + "\n")
    assert made_.kinds() == {"duplicates"}


# ---- what cannot be looked at ---------------------------------------------------------------------------------------


def test_what_cannot_be_looked_at_is_refused_or_said(tmp_path: Path) -> None:
    made_ = release(tmp_path)
    (made_.public / "a.mp4").write_bytes(b"\x00\x00\x00\x18ftypmp42" + bytes(100))
    assert [note for note in made_.check().notes if "a.mp4" in note]
    (made_.public / "link").symlink_to("/etc/hostname")
    with pytest.raises(InvalidFileError, match="is a link"):
        made_.check()
    (made_.public / "link").unlink()
    (made_.public / "half.jsonl").write_text('{"id": "test001"}\n{"id": ')
    with pytest.raises(InvalidFileError, match=r"Touchstone cannot read half\.jsonl \(Expecting value"):
        made_.check()
    (made_.public / "half.jsonl").unlink()
    (made_.public / "data" / "broken.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(InvalidFileError, match=r"Touchstone cannot read data/broken\.parquet"):
        made_.check()
    with pytest.raises(InvalidFileError, match="is not a folder"):
        find_leaks(tmp_path / "none", made_.private)
    with pytest.raises(InvalidFileError, match="no key files"):
        find_leaks(made_.public, tmp_path)
