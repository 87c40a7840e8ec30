"""Leaks that are planted in a finished folder, one of each kind, are found."""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from extensions.leaks.check import ADVICE
from extensions.leaks.tests.made_release import WORDS, Release, letter, pa, picture, pq, release

pytestmark = pytest.mark.thorough


def plant(told: str) -> Callable[[Callable[[Release], None]], Callable[[Release], None]]:
    def keep(function: Callable[[Release], None]) -> Callable[[Release], None]:
        PLANTED[function.__name__] = (told, function)
        return function

    return keep


PLANTED: dict[str, tuple[str, Callable[[Release], None]]] = {}


@plant("key")
def the_field_itself(made_: Release) -> None:
    made_.write(lambda row, public: public.update(answer=row["answer"]))


@plant("key")
def the_field_of_one_item(made_: Release) -> None:
    made_.write(lambda row, public: public.update(answer=row["answer"]) if row["id"] == "test007" else None)


@plant("key")
def another_name_for_it(made_: Release) -> None:
    made_.write(lambda row, public: public.update(meta={"golden_choice_idx": row["options"].index(row["answer"])}))


@plant("key")
def a_letter_in_a_column_that_says_nothing(made_: Release) -> None:
    made_.write(lambda row, public: public.update(shelf=letter(row)))


@plant("key")
def nearly_always_a_number(made_: Release) -> None:
    made_.write(
        lambda row, public: public.update(level=(row["options"].index(row["answer"]) + (row["id"][-1] == "3")) % 4 + 1)
    )


@plant("key")
def a_sentence_in_a_prompt(made_: Release) -> None:
    made_.write(lambda row, public: public.update(prompt=f"{row['question']} (The answer is {letter(row)}.)"))


@plant("key")
def another_field_that_is_kept_back(made_: Release) -> None:
    made_.write(lambda row, public: public.update(note=f"see: {row['reason']}") if row["id"] == "test003" else None)
    (made_.public / "jsonl" / "notes.md").write_text(f"# Notes\n\n{made_.test[3]['reason'].upper()}\n")


@plant("key")
def in_a_cell_of_parquet(made_: Release) -> None:
    rows = [{**made_.seen(row), "votes": [row["answer"], row["answer"]]} for row in made_.test]
    pq.write_table(pa.Table.from_pylist(rows), made_.public / "data" / "test-00000-of-00001.parquet")


@plant("key")
def in_the_manifest(made_: Release) -> None:
    manifest = json.loads((made_.public / "manifest.json").read_text())
    manifest["items"] = [{"id": row["id"], "agreed_on": row.get("answer")} for row in made_.rows]
    (made_.public / "manifest.json").write_text(json.dumps(manifest))


@plant("key")
def in_an_object_by_id(made_: Release) -> None:
    (made_.public / "extra.json").write_text(json.dumps({row["id"]: letter(row) for row in made_.test}))


@plant("evidence")
def votes_in_the_open(made_: Release) -> None:
    (made_.public / "evidence").mkdir()
    (made_.public / "evidence" / "votes.jsonl").write_text('{"rater": "r1", "values": {"choice": "x"}}\n')


@plant("evidence")
def votes_in_the_manifest(made_: Release) -> None:
    manifest = json.loads((made_.public / "manifest.json").read_text())
    manifest["votes"] = [{"rater": "r1", "values": {"choice": each}} for each in WORDS]
    (made_.public / "manifest.json").write_text(json.dumps(manifest))


@plant("canary")
def a_key_file_in_the_open(made_: Release) -> None:
    shutil.copy(made_.private / "keys" / "test.jsonl", made_.public / "old.bin")


@plant("names")
def the_key_in_names_of_files(made_: Release) -> None:
    for row in made_.test:
        (made_.public / f"{row['id']}_answer-{letter(row)}.png").write_bytes(row["image"])


@plant("names")
def the_right_word_in_names(made_: Release) -> None:
    made_.write(lambda row, public: public.update(picture=f"img/{row['answer']}_{row['id']}.png"))


@plant("order")
def sorted_by_key(made_: Release) -> None:
    made_.rows.sort(key=letter)
    made_.write()


@plant("order")
def keys_in_turn(made_: Release) -> None:
    lots = {at: [row for row in made_.rows if letter(row) == at] for at in "ABCD"}
    least = min(len([row for row in lot if row["split"] == "test"]) for lot in lots.values())
    turned = [
        row
        for four in zip(*([r for r in lot if r["split"] == "test"][:least] for lot in lots.values()), strict=True)
        for row in four
    ]
    (made_.public / "turned.jsonl").write_text("".join(json.dumps(made_.seen(row)) + "\n" for row in turned))


@plant("order")
def times_of_files(made_: Release) -> None:
    for at, row in enumerate(sorted(made_.test, key=letter)):
        path = made_.public / f"{row['id']}.png"
        path.write_bytes(row["image"])
        os.utime(path, (1_700_000_000 + at, 1_700_000_000 + at))


@plant("metadata")
def a_comment_in_a_picture(made_: Release) -> None:
    told = PngInfo()
    told.add_text("Comment", "B")
    (made_.public / "a.png").write_bytes(picture(3, told=told))


@plant("metadata")
def exif_in_a_cell(made_: Release) -> None:
    out = io.BytesIO()
    exif = Image.Exif()
    exif[0x010E] = "the cup"
    Image.open(io.BytesIO(picture(5))).convert("RGB").save(out, "JPEG", exif=exif)
    rows = [
        {**made_.seen(row), "image": {"bytes": out.getvalue() if at == 9 else row["image"]}}
        for at, row in enumerate(made_.test)
    ]
    pq.write_table(pa.Table.from_pylist(rows), made_.public / "data" / "test-00000-of-00001.parquet")


@plant("duplicates")
def a_picture_of_the_test_in_train(made_: Release) -> None:
    train = next(row for row in made_.rows if row["split"] == "train")
    train["image"] = made_.test[4]["image"]
    made_.write()


@plant("duplicates")
def a_copy_that_only_looks_the_same(made_: Release) -> None:
    train = next(row for row in made_.rows if row["split"] == "train")
    out = io.BytesIO()
    Image.open(io.BytesIO(made_.test[4]["image"])).convert("RGB").save(out, "JPEG", quality=80)
    train["image"] = out.getvalue()
    made_.write()


@plant("archives")
def times_in_an_archive(made_: Release) -> None:
    with zipfile.ZipFile(made_.public / "media.zip", "w") as file:
        for at in range(4):
            file.writestr(zipfile.ZipInfo(f"{at}.txt", (2026, 1, 1 + at, 0, 0, 0)), "x")


@plant("archives")
def order_in_an_archive(made_: Release) -> None:
    with zipfile.ZipFile(made_.public / "media.zip", "w") as file:
        for name in ("b.txt", "a.txt"):
            file.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), "x")


@plant("key")
def inside_an_archive(made_: Release) -> None:
    with zipfile.ZipFile(made_.public / "more.zip", "w") as file:
        lines = "".join(json.dumps({"id": row["id"], "target": letter(row)}) + "\n" for row in made_.test)
        file.writestr(zipfile.ZipInfo("samples.jsonl", (2026, 1, 1, 0, 0, 0)), lines)


@pytest.mark.parametrize("name", PLANTED)
def test_what_was_planted_is_found(name: str, tmp_path: Path) -> None:
    told, change = PLANTED[name]
    made_ = release(tmp_path)
    change(made_)
    report = made_.check()
    assert {leak.kind for leak in report.leaks} == {told}, [leak.sentence for leak in report.leaks]
    for leak in report.leaks:
        assert leak.sentence.endswith(ADVICE[told])
        assert leak.where in leak.sentence
