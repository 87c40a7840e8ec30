"""Leaks that were planted in a finished folder, one of each kind; and clean folders, which raise no alarm."""

from __future__ import annotations

import base64
import codecs
import csv
import hashlib
import io
import itertools
import json
import os
import random
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from annotation_schemas.formats.released import ReleasedAsset
from domain.errors import FileRefused
from extensions.leaks import stats
from extensions.leaks.check import ADVICE, LeakReport, find_leaks
from extensions.leaks.release_check import accepted_leaks, must_not_leak
from tests.workflow.releases.made import CANARY, made, schema_of

pytestmark = pytest.mark.thorough

pq = pytest.importorskip("pyarrow.parquet")
pa = pytest.importorskip("pyarrow")

OPTION = "kind: option_of, field: options"
WORDS = [
    *("cup", "pot", "box", "jar", "pan", "lid", "fork", "bowl", "knife", "plate", "spoon", "towel", "glass", "bottle"),
    *("kettle", "sponge", "drawer", "handle"),
]


def picture(seed: int, *, told: PngInfo | None = None, dimmed: int = 0, wide: int = 18) -> bytes:
    grey = np.random.default_rng(seed).integers(40, 255, (16, wide), dtype=np.uint8) - dimmed
    out = io.BytesIO()
    Image.fromarray(np.kron(grey, np.ones((4, 4), dtype=np.uint8))).save(out, "PNG", pnginfo=told)
    return out.getvalue()


@dataclass
class Release:
    """A public and a private folder, and what they were made of."""

    public: Path
    private: Path
    rows: list[dict[str, Any]]
    """Test items first: id, split, question, options, answer, reason, image (bytes)."""
    pictures: list[bytes] = field(default_factory=list)

    @property
    def test(self) -> list[dict[str, Any]]:
        return [row for row in self.rows if row["split"] == "test"]

    def seen(self, row: dict[str, Any], **more: Any) -> dict[str, Any]:
        """A row as it is public."""
        kept = ("answer", "reason") if row["split"] == "test" else ()
        return {name: value for name, value in row.items() if name not in ("image", *kept)} | more

    def write(self, change: Callable[[dict[str, Any], dict[str, Any]], None] = lambda row, public: None) -> None:
        """All files; ``change`` may plant something in each row of the JSON lines."""
        shutil.rmtree(self.public, ignore_errors=True)
        (self.public / "data").mkdir(parents=True)
        (self.public / "jsonl").mkdir()
        for split in ("test", "train"):
            rows = [row for row in self.rows if row["split"] == split]
            columns = [
                {
                    **self.seen(row),
                    "canary": CANARY.public,
                    "image": {"bytes": row["image"], "path": f"{row['id']}.png"},
                }
                for row in rows
            ]
            pq.write_table(pa.Table.from_pylist(columns), self.public / "data" / f"{split}-00000-of-00001.parquet")
            lines = []
            for row in rows:
                public = self.seen(row)
                change(row, public)
                lines.append(json.dumps(public) + "\n")
            (self.public / "jsonl" / f"{split}.jsonl").write_text("".join(lines))
        with (self.public / "items.csv").open("w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["id", "split", "question", "a", "b", "c", "d"])
            out.writerows([[row["id"], row["split"], row["question"], *row["options"]] for row in self.rows])
        (self.public / "README.md").write_text(f"# Kitchen\n\n{CANARY.sentence}\n")
        listed = {
            path.relative_to(self.public).as_posix(): {"bytes": path.stat().st_size}
            for path in self.public.rglob("*.*")
        }
        counts = {"items": len(self.rows), "kept": len(self.rows)}
        manifest = {"files": listed, "counts": counts, "items": [{"id": row["id"]} for row in self.rows]}
        (self.public / "manifest.json").write_text(json.dumps(manifest))
        for path in self.public.rglob("*"):
            os.utime(path, (1_700_000_000, 1_700_000_000))

    def check(self, **how: Any) -> LeakReport:
        return find_leaks(self.public, self.private, **how)

    def kinds(self) -> set[str]:
        return {leak.kind for leak in self.check().leaks}


def release(folder: Path, seed: int = 1, n: int = 60, *, key: str = OPTION, **how: Any) -> Release:
    dice = random.Random(seed)
    rows = []
    for split, many in (("test", n), ("train", n // 2)):
        for at in range(many):
            options = dice.sample(WORDS, 4)
            place = how.get("place", dice.randrange(4))
            if how.get("longest"):
                options[place] += " that stands on the left"
            row = {
                "id": how.get("name", lambda split, at, place: f"{split}{at:03}")(split, at, place),
                "split": split,
                "question": f"What is taken from the shelf in scene {dice.randrange(10**6)}?",
                "options": options,
                "answer": options[place],
                "reason": how.get("reason", "The hand reaches for the {} in frame {}.").format(
                    options[place], dice.randrange(10**6)
                ),
                "image": picture(dice.randrange(10**6), wide=18 + 4 * place if how.get("sized") else 18),
            }
            rows.append(row)
    fields = {name: ("question", "options", "answer", "reason") for name in ("test", "train")}
    there = [("what", row) for row in rows]
    release_of = made(
        schema_of(key),
        [(row["id"], name, row["split"], {key: row[key] for key in fields[row["split"]]}) for name, row in there],
        assets={
            row["id"]: [ReleasedAsset("image", "x.png", "image", _sha(row["image"]), "image/png", 1)] for row in rows
        },
    )
    release_of.keys(folder / "private")
    found = Release(folder / "public", folder / "private", rows)
    found.write()
    return found


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


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
    assert any("with 4 options the right one is A in" in each for each in report.figures)
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


def digest(algorithm: str, text: str) -> str:
    return hashlib.new(algorithm, text.encode()).hexdigest()


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
    assert [note for note in report.notes if "the item test005, whose question offers it beside others" in note]
    (made_.public / "notes.md").write_text(f"It is {own['reason']}.")
    assert made_.kinds() == {"key"}


def test_the_phrase_of_one_item_is_a_leak_wherever_it_stands(tmp_path: Path) -> None:
    made_ = release(tmp_path)
    (made_.public / "notes.md").write_text(made_.test[5]["reason"])
    (found,) = made_.check().leaks
    assert (found.kind, found.where) == ("key", "notes.md")
    assert "the item test005" in found.what


def test_a_lead_accepts_a_kind_of_leak_with_a_reason(tmp_path: Path) -> None:
    report = release(tmp_path, sized=True).check()
    with pytest.raises(FileRefused, match=r"(?s)size of an item's files.*--accept-leak.*Kinds found: sizes\."):
        must_not_leak(report)
    with pytest.raises(FileRefused, match="Kinds found: sizes"):
        must_not_leak(report, accepted=accepted_leaks(["ids: they are numbered by hand"]))
    must_not_leak(report, accepted=accepted_leaks(["sizes: pictures are cropped by their scene"]))
    with pytest.raises(FileRefused, match="Give a reason for accepting sizes"):
        accepted_leaks(["sizes: "])
    with pytest.raises(FileRefused, match="There is no kind of leak 'size'"):
        accepted_leaks(["size: because"])


# ---- one planted leak of each kind ----------------------------------------------------------------------------------


def plant(told: str) -> Callable[[Callable[[Release], None]], Callable[[Release], None]]:
    def keep(function: Callable[[Release], None]) -> Callable[[Release], None]:
        PLANTED[function.__name__] = (told, function)
        return function

    return keep


PLANTED: dict[str, tuple[str, Callable[[Release], None]]] = {}


def letter(row: dict[str, Any]) -> str:
    return "ABCD"[row["options"].index(row["answer"])]


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


def test_what_the_options_alone_tell(tmp_path: Path) -> None:
    assert release(tmp_path / "place", place=2).kinds() >= {"places"}
    longest = release(tmp_path / "long", longest=True).check().leaks
    assert [leak.kind for leak in longest] == ["lengths"]
    assert "the right option is the longest in 60 of 60 items (94% to 100%), and 25% would be chance" in longest[0].what


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


@pytest.mark.parametrize(
    ("key", "right"),
    [
        ("kind: decimal, read_as: number", lambda dice: str(dice.randrange(100))),
        ("kind: text, read_as: yes_no", lambda dice: dice.choice(["yes", "no"])),
        ("kind: text, read_as: text", lambda dice: dice.choice(WORDS)),
        ("kind: options_of, field: options", lambda dice: sorted(dice.sample(WORDS[:4], 2), key=WORDS.index)),
        ("kind: order_of, field: options", lambda dice: dice.sample(WORDS[:4], 4)),
    ],
)
def test_keys_of_other_kinds(key: str, right: Callable[[random.Random], Any], tmp_path: Path) -> None:
    """A column that is the key is found whatever the key is, and without it nothing is."""
    dice = random.Random(2)
    rows = [
        (f"q{n:03}", "what", "test", {"question": f"What is it in {n}?", "options": WORDS[:4], "answer": right(dice)})
        for n in range(60)
    ]
    made(schema_of(key), rows).keys(tmp_path / "private")
    public = tmp_path / "public"
    public.mkdir()

    def found(**more: Callable[[Any], Any]) -> set[str]:
        lines = [
            {"id": id, "question": fields["question"], "options": fields["options"]}
            | {name: how(fields["answer"]) for name, how in more.items()}
            for id, _, _, fields in rows
        ]
        (public / "test.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
        return {leak.kind for leak in find_leaks(public, tmp_path / "private").leaks}

    assert found() == set()
    assert found(shelf=lambda answer: answer) == {"key"}
    if isinstance(right(dice), list):
        assert found(shelf=lambda answer: ", ".join("ABCD"[WORDS.index(each)] for each in answer)) == {"key"}


Options = list[str]


def bits(options: Options, answer: Options) -> str:
    return "".join(str(int(option in answer)) for option in options)


def letters(options: Options, answer: Options) -> str:
    return "".join("ABCD"[at] for at, option in enumerate(options) if option in answer)


def several(dice: random.Random, options: Options) -> Options:
    return [option for option in options if dice.random() < 0.5]


def sets(
    folder: Path,
    seed: int = 5,
    *,
    n: int = 60,
    name: Callable[[int, Options, Options], str] = lambda at, options, answer: f"q{at:03}",
    right: Callable[[random.Random, Options], Options] = several,
    order: Callable[[tuple[Options, Options]], Any] | None = None,
    wide: Callable[[Options, Options], int] | None = None,
    **more: Callable[[Options, Options], Any],
) -> set[str]:
    """Return the kinds of leaks of items with several right options; each has options of its own, in shuffled order."""
    dice = random.Random(seed)
    drawn = []
    for _ in range(n):
        options = dice.sample(WORDS, 4)
        drawn.append((options, right(dice, options)))
    if order is not None:
        drawn.sort(key=order)
    rows, lines = [], []
    images: dict[str, bytes] = {}
    for at, (options, answer) in enumerate(drawn):
        id, question = name(at, options, answer), f"Which are in {dice.randrange(10**6)}?"
        key = dice.sample(answer, len(answer))
        rows.append((id, "what", "test", {"question": question, "options": options, "answer": key}))
        public = {"id": id, "question": question, "options": options, "frames": dice.randrange(1, 9)}
        lines.append(public | {column: tell(options, answer) for column, tell in more.items()})
        if wide is not None:
            images[id] = picture(dice.randrange(10**6), wide=wide(options, answer))
    assets = {id: [ReleasedAsset("image", "x.png", "image", _sha(own), "image/png", 1)] for id, own in images.items()}
    made(schema_of("kind: options_of, field: options"), rows, assets=assets).keys(folder / "private")
    (folder / "public" / "media").mkdir(parents=True, exist_ok=True)
    for own in images.values():
        (folder / "public" / "media" / f"{_sha(own)}.png").write_bytes(own)
    for path in folder.rglob("*.png"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    (folder / "public" / "test.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    return {leak.kind for leak in find_leaks(folder / "public", folder / "private").leaks}


@pytest.mark.parametrize(
    "name",
    [
        lambda at, options, answer: f"{at:03}-{bits(options, answer)}",
        lambda at, options, answer: f"{at:03}-{bits(options, answer)[::-1]}",
        lambda at, options, answer: f"{at:03}-{letters(options, answer) or 'none'}",
        lambda at, options, answer: f"{at:03}-{len(answer)}",
        lambda at, options, answer: f"{at:03}{int(bits(options, answer), 2) ^ 5:x}",
    ],
    ids=["bits", "bits from the last", "letters", "number", "mixed mask"],
)
def test_ids_that_tell_a_set_are_found(name: Callable[[int, Options, Options], str], tmp_path: Path) -> None:
    assert sets(tmp_path, name=name) == {"ids"}


@pytest.mark.parametrize(
    ("tell", "kind"),
    [
        (lambda options, answer: answer[::-1], "key"),
        (lambda options, answer: "; ".join(answer[::-1]), "key"),
        (lambda options, answer: letters(options, answer), "key"),
        (lambda options, answer: " and ".join(letters(options, answer).lower()), "key"),
        (lambda options, answer: [option in answer for option in options], "key"),
        (lambda options, answer: f"The answer: {', '.join(letters(options, answer))}.", "key"),
        (lambda options, answer: len(answer), "columns"),
        (lambda options, answer: "several" if len(answer) > 1 else "single", "columns"),
        (lambda options, answer: options[1] in answer, "columns"),
        (lambda options, answer: letters(options, [each for each in options if each not in answer]), "columns"),
        (lambda options, answer: "seen" + " " * (options[2] in answer), "writing"),
    ],
)
def test_columns_that_tell_a_set_are_found(tell: Callable[[Options, Options], Any], kind: str, tmp_path: Path) -> None:
    assert sets(tmp_path, shelf=tell) == {kind}


def test_the_order_of_rows_and_options_that_tells_a_set_is_found(tmp_path: Path) -> None:
    assert sets(tmp_path / "first", right=lambda dice, options: options[: dice.randrange(1, 4)]) == {"places"}
    assert sets(tmp_path / "last", right=lambda dice, options: options[dice.randrange(1, 4) :]) == {"places"}
    by_number = sets(tmp_path / "number", order=lambda drawn: len(drawn[1]))
    assert by_number >= {"order"}
    assert sets(tmp_path / "one", order=lambda drawn: drawn[0][1] in drawn[1]) >= {"order"}


def test_sizes_of_files_that_tell_a_set_are_found(tmp_path: Path) -> None:
    assert sets(tmp_path / "number", wide=lambda options, answer: 18 + 4 * len(answer)) == {"sizes"}
    assert sets(tmp_path / "one", wide=lambda options, answer: 18 + 8 * (options[2] in answer)) == {"sizes"}
    assert sets(tmp_path / "none", wide=lambda options, answer: 18) == set()


@pytest.mark.slow
def test_clean_sets_raise_no_alarm(tmp_path: Path) -> None:
    """Keys of one option, of all options and of none. At the level of 0.001, two alarms of 30 have p < 0.0005."""
    alarms = 0
    for seed in range(30):
        dice = random.Random(seed)
        ids = [f"{at:03}-{dice.randrange(16):04b}" for at in range(60)]
        alarms += bool(sets(tmp_path / str(seed), seed, name=lambda at, options, answer, ids=ids: ids[at]))
    assert alarms <= 1


# ---- what cannot be looked at ---------------------------------------------------------------------------------------


def test_what_cannot_be_looked_at_is_refused_or_said(tmp_path: Path) -> None:
    made_ = release(tmp_path)
    (made_.public / "a.mp4").write_bytes(b"\x00\x00\x00\x18ftypmp42" + bytes(100))
    assert [note for note in made_.check().notes if "a.mp4" in note]
    (made_.public / "link").symlink_to("/etc/hostname")
    with pytest.raises(FileRefused, match="is a link"):
        made_.check()
    (made_.public / "link").unlink()
    (made_.public / "half.jsonl").write_text('{"id": "test001"}\n{"id": ')
    with pytest.raises(FileRefused, match=r"half\.jsonl cannot be read"):
        made_.check()
    (made_.public / "half.jsonl").unlink()
    (made_.public / "data" / "broken.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(FileRefused, match=r"broken\.parquet cannot be read"):
        made_.check()
    with pytest.raises(FileRefused, match="no folder"):
        find_leaks(tmp_path / "none", made_.private)
    with pytest.raises(FileRefused, match="no key files"):
        find_leaks(made_.public, tmp_path)


# ---- the tests behind it --------------------------------------------------------------------------------------------


def test_matches_against_all_orders() -> None:
    """Mean and tail over all 720 orders of six keys, one by one."""
    said, keys = np.array([0, 0, 1, 1, 2, -1]), np.array([0, 0, 1, 1, 2, 2])
    every = [sum(s == k for s, k in zip(said, way, strict=True)) for way in itertools.permutations(keys)]
    found = stats.match_test(said, keys)
    assert found.expected * 5 == pytest.approx(np.mean(every))
    assert found.p_value == pytest.approx(np.mean([each >= 5 for each in every]), abs=0.005)


def test_neighbours_against_all_orders() -> None:
    """Sorted: 0 goes to 0 three times of four, 1 always to 1; in all orders, one by one."""
    keys = np.array([0, 0, 0, 0, 1, 1, 1, 1])

    def chi_square(way: tuple[int, ...]) -> float:
        found = scipy.stats.contingency.crosstab(way[:-1], way[1:]).count
        return float(scipy.stats.chi2_contingency(found, correction=False).statistic) if found.shape == (2, 2) else 0.0

    every = [chi_square(way) for way in set(itertools.permutations(keys.tolist()))]
    found = stats.neighbor_test(keys)
    assert found.share == pytest.approx(6 / 7)
    assert found.p_value == pytest.approx(np.mean([each >= chi_square(tuple(keys)) - 1e-9 for each in every]), abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 400])
def test_tests_keep_their_level(n: int) -> None:
    """Of 400 draws in which nothing goes together, about 1 % fall at a level of 1 %: 4, and 12 at most (p < 0.001)."""
    dice = np.random.default_rng(7)
    fallen = {"matches": 0, "chain": 0, "trend": 0}
    for _ in range(400):
        said, keys = dice.integers(-1, 4, n), dice.integers(0, 4, n)
        fallen["matches"] += stats.match_test(said, keys).p_value <= 0.01
        fallen["chain"] += stats.neighbor_test(keys).p_value <= 0.01
        fallen["trend"] += stats.trend_test(keys.astype(float)).p_value <= 0.01
    assert all(each <= 12 for each in fallen.values()), fallen
