"""Narrations in: EPIC-KITCHENS' table, any table, Ego4D's JSON; what does not fit is named by its line."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import InvalidFileError, InvalidInputError
from extensions.narrations.files.action_classes import read_classes
from extensions.narrations.files.list_cells import numbers, texts
from extensions.narrations.files.narration_files import Reading, read_narrations
from extensions.narrations.files.narration_rows import ReadNarrations, Unfit, seconds
from extensions.narrations.files.video_rates import read_videos
from extensions.narrations.rules.narration import by_video
from importers.list_cells import NotList, entries

HEAD = (
    "narration_id,participant_id,video_id,narration_timestamp,start_timestamp,stop_timestamp,start_frame,stop_frame,"
    "narration,verb,verb_class,noun,noun_class,all_nouns,all_noun_classes"
)


def epic(id: str, start: str = "00:00:01.56", stop: str = "00:00:02.45", **cells: str) -> str:
    row = {
        "narration_id": id, "video_id": "P01_11", "narration_timestamp": "00:00:01.700", "start_timestamp": start,
        "stop_timestamp": stop, "start_frame": "93", "stop_frame": "147", "narration": "put down plate",
        "verb": "put-down", "verb_class": "1", "noun": "plate", "noun_class": "2", "all_nouns": "['plate']",
        "all_noun_classes": "[2]",
    } | cells  # fmt: skip
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="").writerow([row.get(name, "P01") for name in HEAD.split(",")])
    return out.getvalue()


def read(folder: Path, text: str | bytes, how: Reading | None = None, name: str = "n.csv") -> ReadNarrations:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_narrations(file, how)


def bad(found: ReadNarrations) -> list[tuple[int, str]]:
    return [(row.row, row.reason) for row in found.bad]


def test_a_table_of_epic_kitchens(tmp_path: Path) -> None:
    lines = [
        HEAD,
        epic("P01_11_1"),
        epic(
            "P01_11_2", "00:00:00.00", "01:00:01.89", narration_timestamp="", all_nouns="['board:cutting', \"chef's\"]"
        ),
    ]
    found = read(tmp_path, "\ufeff" + "\r\n".join(lines) + "\r\n")
    assert (found.form, bad(found), found.notes) == ("epic", [], {"without its time": 1})
    one, other = found.rows
    assert (one.id, one.video, one.start, one.stop, one.text) == (
        "P01_11_1", "P01_11", Decimal("1.56"), Decimal("2.45"), "put down plate",
    )  # fmt: skip
    assert (one.start_frame, one.verb_class, one.nouns, one.noun_classes, one.line) == (93, 1, ("plate",), (2,), 2)
    assert (other.stop, other.nouns) == (Decimal("3601.89"), ("board:cutting", "chef's"))
    assert [row.id for row in by_video(found.rows)["P01_11"]] == ["P01_11_2", "P01_11_1"]


def test_rows_that_do_not_fit_are_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    lines = [
        HEAD,
        epic("a"),
        epic("b", "00:00:03", "00:00:02"),
        epic("c", "soon"),
        epic("d", "00:00:09", "00:00:10", verb_class="two"),
        epic("a", "00:00:09", "00:00:10"),
        epic("e"),
        epic("f", "00:00:11", "00:00:12", all_nouns="__import__('os').getcwd()"),
        epic("g", "00:00:11", "00:00:12", all_noun_classes="[2, 'x']"),
        epic("h", "00:00:11", "00:00:12", video_id="P99_01"),
        epic("i", "00:59:00", "00:59:01"),
        epic("", "00:00:13", "00:00:14"),
        epic("j", "00:00:13", "00:00:14", narration=" "),
        epic("k", "00:00:15", "00:00:16", stop_frame="-1"),
        epic("l", "00:00:17", "00:00:18")[:40],
    ]
    how = Reading(videos=frozenset({"P01_11"}), durations={"P01_11": Decimal(60)})
    found = read(tmp_path, "\n".join(lines), how)
    assert [row.id for row in found.rows] == ["a", "k"]
    assert found.rows[1].stop_frame is None
    assert bad(found) == [
        (3, "the stop (2 s) is before the start (3 s)"),
        (4, "its start: 'soon' is not a time; write a time as seconds, such as 12.5, or as 0:01:02.25"),
        (5, "verb_class must be a whole number, not 'two'"),
        (6, "the ID a is already used in line 2"),
        (7, "the row repeats line 2"),
        (8, "the cell is not a list in square brackets"),
        (9, "the list has text instead of a number"),
        (10, "the video 'P99_01' is not in the list of videos"),
        (11, "the start (3540 s) is after the end of the video (60 s)"),
        (12, "the ID is empty"),
        (13, "the text is empty"),
        (15, "the row has 6 cells, but the header has 15; add or remove cells"),
    ]


def test_wrong_encodings(tmp_path: Path) -> None:
    lines = f"{HEAD}\n{epic('a')}\n{epic('b', '00:00:05', '00:00:06', narration='take café')}\n"
    found = read(tmp_path, lines.encode("latin-1"))
    assert ([row.id for row in found.rows], bad(found)) == (
        ["a"],
        [(3, "the text is not UTF-8")],
    )
    with pytest.raises(InvalidFileError, match="UTF-16"):
        read(tmp_path, lines.encode("utf-16"))
    for text, why in (
        ("", "is empty"),
        (" \n\n", "is empty"),
        ("a,b\n1,2\n", "no column for video, start, stop, text. The file has the columns a, b"),
        (HEAD, "has no valid narration"),
        (f"{HEAD}\n{epic('a', 'x')}\n", "has no valid narration. The first invalid row is line 2: its start"),
        (b"PK\x03\x04rest", "a zip archive"),
    ):
        with pytest.raises(InvalidFileError, match=why):
            read(tmp_path, text)
    with pytest.raises(InvalidFileError, match="There is no file"):
        read_narrations(tmp_path / "absent.csv")


def test_any_table_by_its_columns(tmp_path: Path) -> None:
    rows = "clip;from;to;what\nV;3;4,5;go\nV;3;4.5;wash cup\nV;1;2;take cup\nV;3;5;eat\n"
    how = Reading(columns={"video": "clip", "start": "from", "stop": "to", "text": "what"})
    found = read(tmp_path, rows, how)
    # nothing names the rows, so that each is called by its video and start, in the order of time
    assert [(row.id, row.text) for row in found.rows] == [("V@1", "take cup"), ("V@3", "wash cup"), ("V@3#2", "eat")]
    assert bad(found) == [(2, "its stop: '4,5' is not a time; write a time as seconds, such as 12.5, or as 0:01:02.25")]
    again = read(tmp_path, "clip;from;to;what\nV;3;5;eat\nV;1;2;take cup\nV;3;4.5;wash cup\n", how)
    assert [(row.id, row.text) for row in again.rows] == [(row.id, row.text) for row in found.rows]
    for columns, why in (({"video": "film"}, "no column 'film'"), ({"film": "clip"}, "Unknown name")):
        with pytest.raises(InvalidInputError, match=why):
            read(tmp_path, rows, Reading(columns=columns))


# ---- Ego4D ----------------------------------------------------------------------------------------------------------


def said(*lines: tuple[Any, str]) -> dict[str, Any]:
    rows = [
        {
            "timestamp_sec": at,
            "timestamp_frame": -1 if text == "#C C sits" and at == 9.0 else 30,
            "narration_text": text,
            "annotation_uid": "u",
        }
        for at, text in lines
    ]
    return {"summaries": [{"summary_text": "#Summary C cooks"}], "narrations": rows}


FILM = {
    "v1": {
        "narration_pass_1": said(
            (4.0, "#C C picks a bag"),
            (1.0, "#C C opens the door"),
            (6.0, "#O a man X walks"),
            (9.0, "#C C washes #unsure"),
            (9.0, "#C C sits"),
        ),
        "narration_pass_2": said((2.0, "#C C lifts a bag")),
        "status": "complete",
    },
    "v2": {"narration_pass_2": said((0.2, "#C C sits"))},
}


def test_ego4d_becomes_windows(tmp_path: Path) -> None:
    found = read(tmp_path, json.dumps(FILM, indent=1), name="narration.json")
    # v1 is narrated at 1, 4, 6, 9, 9 s: 2 s apart on the mean, so half a window is 2 / (2 * 4.9) = 0.204082 s;
    # v2 has a single narration: the mean of all, half of 4.9 / 4.9 s, but not before 0
    assert [(row.id, str(row.start), str(row.stop), row.text) for row in found.rows] == [
        ("v1@1/1", "0.795918", "1.204082", "open door"),
        ("v1@4/1", "3.795918", "4.204082", "pick bag"),
        ("v1@9/1", "8.795918", "9.204082", "sit"),
        ("v2@0.2/2", "0", "0.7", "sit"),
    ]
    assert found.passed_over == {
        "done by a person other than the camera wearer (#O and others)": 1,
        "with an unknown object (#unsure)": 1,
        "from narrator 2, but Touchstone reads only narrator 1": 1,
    }
    assert found.notes == {
        "timestamp_frame is -1, which means no time": 1,
        "from narrator 2, because the video has no narrations of narrator 1": 1,
    }
    second = read(tmp_path, json.dumps({"videos": FILM}), Reading(narrator=2, unsure=True))
    assert [row.text for row in second.rows] == ["lift bag", "sit"]
    wide = read(tmp_path, json.dumps(FILM), Reading(spacing=Decimal(2)))
    assert [row.stop - row.start for row in wide.rows[:2]] == [1, 1]  # 2 / 2 s


def test_ego4ds_published_window() -> None:
    """EgoClip's sample row: 3.3445 s, 0.377 s to each side, which is a spacing of 2 * 4.9 * 0.377 = 3.6946 s."""
    from extensions.narrations.rules.time_windows import EGO4D_SPACING, window

    assert window(Decimal("3.3445"), Decimal("3.6946"), EGO4D_SPACING) == (Decimal("2.9675"), Decimal("3.7215"))


def test_ego4d_that_does_not_fit(tmp_path: Path) -> None:
    film = {
        "v1": {"narration_pass_1": said((1.0, "#C C sits"), ("2", "#C C eats"), (-1, "#C C x"), (3.0, ""), (4, "#C C"))}
    }
    text = json.dumps(film, indent=1)
    found = read(tmp_path, text, name="n.json")
    lines = {name: 1 + text[: text.index(name)].count("\n") - 3 for name in ("C eats", "C x")}
    assert bad(found)[:2] == [
        (lines["C eats"], "v1, narrator 1: timestamp_sec must be a number, not '2'"),
        (lines["C x"], "v1, narrator 1: timestamp_sec -1 is not a valid time in a video"),
    ]
    assert [why.partition(": ")[2] for _, why in bad(found)[2:]] == [
        "narration_text is missing or empty",
        "narration_text names no action",
    ]


@pytest.mark.parametrize(
    ("cut", "why"),
    [
        (lambda text: text[: text.index("C opens")], "the file ends in the middle"),
        (
            lambda text: text.replace('"narration_text": "#C C opens', 'narration_text: "#C C opens'),
            "the text is not valid JSON",
        ),
        (lambda text: text + "{}", "more text after the closing }"),
        (
            lambda text: text.replace('{"timestamp_sec": 1.0', "[" * 100_000 + '{"timestamp_sec": 1.0'),
            "nested too deep",
        ),
    ],
)
def test_half_written_json_gives_what_stands_before_the_break(tmp_path: Path, cut: Any, why: str) -> None:
    found = read(tmp_path, cut(json.dumps(FILM)), name="n.json")
    assert "pick bag" in [row.text for row in found.rows]
    assert why in found.bad[-1].reason


@pytest.mark.parametrize(
    "text",
    ["{}", "[]", "[1]", "{", '{"v": 1}', '{"v": {"narration_pass_1": {"narrations": 3}}}',
     '{"v": {"narration_pass_1": 1}}', '{"v": {"narration_pass_1": {"narrations": [1, null, "x", []]}}}',
     '{"v": {"narration_pass_1": {"narrations": [{"timestamp_sec": NaN, "narration_text": "#C C x"}]}}}',
     '{"v": {"narration_pass_1": {"narrations": [{"timestamp_sec": 1e999999999, "narration_text": "#C C x"}]}}}'],
)  # fmt: skip
def test_json_without_a_narration_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidFileError):
        read(tmp_path, text, name="n.json")


# ---- lists in cells, times, rates -----------------------------------------------------------------------------------


@given(st.lists(st.one_of(st.text(), st.integers(-(10**12), 10**12)), max_size=6))
def test_a_list_in_a_cell_is_what_python_wrote(written: list[str | int]) -> None:
    assert entries(repr(written)) == written


@given(st.text(alphabet="[]'\",\\ab1 xuN{}", max_size=30))
def test_any_cell_is_a_list_or_none(cell: str) -> None:
    with contextlib.suppress(NotList):
        assert isinstance(entries(cell), list)


@pytest.mark.parametrize(
    "cell",
    ["['a' 'b']", "['a'", "[a]", "[1.5]", "[None]", "[['a']]", "['a']['b']", "('a',)", "[__import__('os')]", "[,]"],
)
def test_what_is_no_list(cell: str) -> None:
    with pytest.raises(NotList):
        entries(cell)


def test_texts_and_numbers() -> None:
    assert (texts(""), texts("['a', ]"), numbers("[ 1,2 ]"), numbers("")) == ((), ("a",), (1, 2), ())
    with pytest.raises(NotList):
        texts("['a', 1]")


@pytest.mark.parametrize("text", ["", "-1", "1:60:00", "00:00:61", "nan", "1e3", "99999999999", "\u0661", "1:2", "0x1"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(Unfit):
        seconds(text)


def test_videos_with_their_rates(tmp_path: Path) -> None:
    file = tmp_path / "videos.csv"
    file.write_text("video_id,duration,fps\nA,60.5,59.9400599400599\nB,1,fast\nA,2,30\nC,,90.0\nD,x,30\n")
    found = read_videos(file)
    assert found.rates == {"A": Fraction(60000, 1001), "C": Fraction(90)}
    assert found.durations == {"A": Decimal("60.5")}
    assert [row.row for row in found.bad] == [3, 4, 6]
    file.write_text("name,fps\nA,30\n")
    with pytest.raises(InvalidFileError, match="needs the columns video_id and fps"):
        read_videos(file)


def test_classes_with_a_row_that_does_not_fit_are_refused(tmp_path: Path) -> None:
    verbs, nouns = tmp_path / "verbs.csv", tmp_path / "nouns.csv"
    verbs.write_text("id,key,instances,category\n0,take,\"['pick-up', 'get']\",retrieve\n")
    nouns.write_text("id,key,instances,category\n7,bottle,\"['bottle:water']\",containers\n")
    classes, hashes = read_classes(verbs, nouns)
    assert (classes.verbs, classes.nouns) == ({"take": 0, "pick-up": 0, "get": 0}, {"bottle": 7, "bottle:water": 7})
    assert set(hashes) == {"verbs.csv", "nouns.csv"}
    for text, why in (("id,key,instances\n0,take,pick-up\n", "line 2"), ("id,key\n0,take\n", "no column instances")):
        verbs.write_text(text)
        with pytest.raises(InvalidFileError, match=why):
            read_classes(verbs, nouns)
