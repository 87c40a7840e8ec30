"""Scoring a file of answers against a key file: every expected number is worked out here by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import cli
from domain.errors import InvalidFileError
from exporters.release_keys import canary_of, read_keys
from extensions.scoring import score_card
from extensions.scoring.scoring import ScoreFigure, Scoring, score_files
from extensions.scoring.submission import read_submission
from testkit.missing_extensions import needs
from tests.workflow.releases.made import CANARY, SECRET, made, schema_of

OPTION = "kind: option_of, field: options"
AT = datetime(2026, 11, 2, tzinfo=UTC)


def keyed(folder: Path, key: str, rows: Mapping[str, Any], **how: Any) -> Path:
    """A key file with an item for each key; options where the kind has some."""
    more = how.pop("more", "")
    groups = how.pop("groups", None)
    options = ["put the cup down", "take the pot", "open the box", "pour the water"]
    items = [
        (id, "what" if n % 2 == 0 else "where", "test", {"question": "Q?", "options": options, "answer": each})
        for n, (id, each) in enumerate(rows.items())
    ]
    return made(schema_of(key, more=more, **how), items, groups=groups).keys(folder)


def sent(folder: Path, answers: Mapping[str, Any]) -> Path:
    path = folder / "submission.jsonl"
    path.write_text("".join(json.dumps({"id": id, "answer": each}) + "\n" for id, each in answers.items()))
    return path


def scores(keys: Path, folder: Path, answers: Mapping[str, Any]) -> dict[str, float | None]:
    """The score of each item by id; None where it has none."""
    found = score_files(keys, sent(folder, answers))
    return {each.id: None if math.isnan(each.score) else each.score for each in found.items}


def figure(found: Scoring, of: str = "all", measure: str = "accuracy") -> ScoreFigure:
    return next(each for each in found.figures if (each.measure, each.of) == (measure, of))


# ---- each kind of answer --------------------------------------------------------------------------------------------


def test_options(tmp_path: Path) -> None:
    keys = keyed(tmp_path, OPTION, {f"q{n}": "take the pot" for n in range(6)})
    given = {"q0": "B", "q1": "take the pot", "q2": "The answer is (b).", "q3": "A", "q4": "B or C", "q5": 7}
    assert scores(keys, tmp_path, given) == {"q0": 1, "q1": 1, "q2": 1, "q3": 0, "q4": 0, "q5": 0}


def test_several(tmp_path: Path) -> None:
    keys = keyed(
        tmp_path, "kind: options_of, field: options", {f"q{n}": ["take the pot", "open the box"] for n in range(6)}
    )
    given = {
        "q0": ["open the box", "take the pot"], "q1": ["B", "C"], "q2": "B, C",
        "q3": ["B"], "q4": ["B", "B"], "q5": ["B", "spoon"],
    }  # fmt: skip
    assert scores(keys, tmp_path, given) == {"q0": 1, "q1": 1, "q2": 1, "q3": 0, "q4": 0, "q5": 0}
    assert score_files(keys, sent(tmp_path, given)).outcomes == {"read": 4, "unreadable": 2}


def test_an_order(tmp_path: Path) -> None:
    order = ["pour the water", "take the pot", "put the cup down", "open the box"]
    keys = keyed(tmp_path, "kind: order_of, field: options", {f"q{n}": order for n in range(5)})
    given = {"q0": order, "q1": ["D", "B", "A", "C"], "q2": "D, B, A, C", "q3": ["A", "B", "C", "D"], "q4": ["D", "B"]}
    assert scores(keys, tmp_path, given) == {"q0": 1, "q1": 1, "q2": 1, "q3": 0, "q4": 0}


def test_numbers_within_their_tolerance(tmp_path: Path) -> None:
    """5 % of 40 is 2: from 38 to 42, both ends included; 41.9 cm is 0.419 m."""
    keys = keyed(
        tmp_path,
        "kind: decimal, read_as: number, unit: cm, tolerance: {relative: 0.05}",
        {f"q{n}": "40" for n in range(7)},
    )
    given = {"q0": 38, "q1": 42.0, "q2": "42.1", "q3": "about 41 cm", "q4": "0.419 m", "q5": 37.99, "q6": [40]}
    assert scores(keys, tmp_path, given) == {"q0": 1, "q1": 1, "q2": 0, "q3": 1, "q4": 1, "q5": 0, "q6": 0}


def test_yes_or_no_and_texts(tmp_path: Path) -> None:
    keys = keyed(tmp_path, "kind: text, read_as: yes_no", {f"q{n}": "Yes" for n in range(4)})
    assert scores(keys, tmp_path, {"q0": True, "q1": "yes, it is", "q2": False, "q3": "No."}) == {
        "q0": 1, "q1": 1, "q2": 0, "q3": 0,
    }  # fmt: skip
    keys = keyed(tmp_path / "text", "kind: text, read_as: text", {f"q{n}": "Blue Cup" for n in range(2)})
    assert scores(keys, tmp_path, {"q0": " blue  cup.", "q1": "blue"}) == {"q0": 1, "q1": 0}


@needs("kinds", "time_span")
def test_spans_by_temporal_iou(tmp_path: Path) -> None:
    """Key 2 to 6 s. 2-6: 1. 4-8: 2 s of 6 = 1/3. 7-9: 0. 3-6: 3 of 4 = 0.75. What ends before it begins is none.
    Mean (1 + 1/3 + 0 + 0.75 + 0) / 5 = 0.416666; at least 0.3: 3 of 5, 0.5: 2, 0.7: 2."""
    keys = keyed(
        tmp_path, "kind: time_span, read_as: time_span", {f"q{n}": [{"start": 2.0, "end": 6.0}] for n in range(5)}
    )
    given = {"q0": [2, 6], "q1": [{"start": 4, "end": 8}], "q2": [[7, 9]], "q3": "from 3.0 to 6.0 s", "q4": [6, 2]}
    found = score_files(keys, sent(tmp_path, given))
    assert [each.score for each in found.items] == pytest.approx([1, 1 / 3, 0, 0.75, 0])
    assert figure(found, measure="mean temporal IoU").statistic.value == pytest.approx(5 / 12)
    recalls = [figure(found, measure=f"R@1, IoU from {iou}").statistic.value for iou in ("0.3", "0.5", "0.7")]
    assert recalls == pytest.approx([0.6, 0.4, 0.4])


# ---- what is counted ------------------------------------------------------------------------------------------------


def test_what_is_missing_superfluous_or_unreadable_is_counted_and_said(tmp_path: Path) -> None:
    """Eight items: 4 right, 1 wrong, 1 not read, 2 missing (one says null). As wrong: 4 / 8, from 4 / 8 to 7 / 8. Left
    out: 4 / 5."""
    rows = {f"q{n}": "take the pot" for n in range(8)}
    given = {
        **dict.fromkeys(("q0", "q1", "q2", "q3"), "B"),
        "q4": "A",
        "q5": "A or B",
        "q6": None,
        "x1": "B",
        "x2": "B",
    }
    found = score_files(keyed(tmp_path, OPTION, rows), sent(tmp_path, given))
    accuracy = figure(found)
    assert (accuracy.statistic.value, accuracy.lowest, accuracy.highest) == (0.5, 0.5, 0.875)
    assert found.sentences == [
        "Items with a readable answer: 5 of 8.",
        "Items without an answer, counted as wrong: 2 (q6, q7).",
        "Unreadable answers (format violation: no answer, or several answers), counted as wrong: 1 (q5).",
        "Answers that match no item of this split, ignored: 2 (x1, x2).",
    ]
    keys = keyed(tmp_path / "left", OPTION, rows, unreadable="left_out")
    left = score_files(keys, sent(tmp_path, given))
    assert (figure(left).statistic.value, figure(left).statistic.n_left_out) == (0.8, 3)
    assert "Items without an answer, left out: 2 (q6, q7)." in left.sentences


def test_an_item_without_a_key_counts_for_nothing_and_says_so(tmp_path: Path) -> None:
    rows = {"q0": "take the pot", "q1": None, "q2": "no option at all"}
    found = score_files(keyed(tmp_path, OPTION + ", required: false", rows), sent(tmp_path, dict.fromkeys(rows, "B")))
    assert (figure(found).statistic.value, figure(found).statistic.n_units) == (1.0, 1)
    assert "Items without a key, excluded: 2." in found.sentences


def test_intervals_are_of_groups(tmp_path: Path) -> None:
    """Ten items in five pairs that are right or wrong together, 3 pairs right: 0.6. As good as five units that are
    independent: Wilson's limits of 10 would be 0.313 to 0.832, and these are wider. By dimension 5 each."""
    rows = {f"q{n}": "take the pot" for n in range(10)}
    answers = {f"q{n}": "B" if n < 6 else "A" for n in range(10)}
    alone = figure(score_files(keyed(tmp_path / "a", OPTION, rows), sent(tmp_path, answers))).statistic
    assert (alone.low, alone.high) == (pytest.approx(0.3127, abs=1e-4), pytest.approx(0.8318, abs=1e-4))
    pairs = keyed(tmp_path / "b", OPTION, rows, groups={f"q{n}": f"v{n // 2}" for n in range(10)})
    found = score_files(pairs, sent(tmp_path, answers))
    whole = figure(found).statistic
    assert whole.value == 0.6
    assert whole.low < 0.25
    assert whole.high > 0.87
    assert "5 clusters" in whole.method
    # what: q0 q2 q4 q6 q8, of which q0 q2 q4 are right; where: q1 q3 q5 of q1 q3 q5 q7 q9
    assert {each.of: each.statistic.value for each in found.figures} == {
        "all": 0.6, "mean of dimensions": 0.6, "what": 0.6, "where": 0.6,
    }  # fmt: skip


# ---- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", '{"id": "1", "answer": "B"}\n{"id": "2", "answer": "A"}\n'),
        ("a.json", '[{"id": "1", "answer": "B"}, {"id": "2", "answer": "A"}]'),
        ("bom.csv", "\ufeffid;answer\r\n1;B\r\n2;A\r\n"),
        ("a.csv", 'note,id,answer\n"x, y",1,B\n,2,"A"\n'),
        ("egoplan.json", '[\n    {"sample_id": 1, "label": "B"},\n    {"sample_id": 2, "label": "A"}\n]'),
        ("item.jsonl", '{"item": 1, "prediction": "B"}\n\n{"item": 2, "prediction": "A"}'),
    ],
)
def test_forms_of_submissions(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_submission(tmp_path / name).answers == {"1": "B", "2": "A"}
    keys = keyed(tmp_path, OPTION, {"1": "take the pot", "2": "take the pot"})
    assert figure(score_files(keys, tmp_path / name)).statistic.value == 0.5


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "it is empty"),
        (b'{"id": "1", "answer": "B"}\n{"id": "2", "ans', "row 2"),
        (b'[{"id": "1", "answer": "B"}, {"id": "2"', "row 2"),
        (b'{"id": "1", "answer": "B"}\n{"id": "1", "answer": "A"}\n', "has more than one answer to 1 item (1)"),
        (b'{"name": "1", "answer": "B"}\n', "has no id or item or sample_id"),
        (b'{"id": "1"}\n', "has no answer or prediction or label"),
        (b'{"id": ["1"], "answer": "B"}\n', "must be text or a whole number"),
        (
            b'{"id": "9", "answer": "B"}\n',
            "no answer to any item of kitchen 1, split test. The first ID in the file is '9'",
        ),
        (b"id,choice\n1,B\n", "has no answer"),
        ('{"id": "1", "answer": "B"}'.encode("utf-16"), "UTF-16"),
        (b'{"id": "1", "answer": "\xff"}\n', "not UTF-8"),
        (b'{"id": "1", "answer": ' + b"[" * 5000 + b"]" * 5000 + b"}\n", "row 1"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_whole(data: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "bad"
    path.write_bytes(data)
    with pytest.raises(InvalidFileError) as caught:
        score_files(keyed(tmp_path, OPTION, {"1": "take the pot"}), path)
    assert sentence in str(caught.value)


def test_a_key_file_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    keys = keyed(tmp_path, OPTION, {f"q{n}": "take the pot\u2028" for n in range(3)})
    whole = keys.read_bytes()
    assert len(read_keys(keys).items) == 3
    for data, sentence in (
        (whole[: whole.rindex(b"\n", 0, -1) + 1], "has 2 items instead of 3"),
        (whole[:-20], "is not a complete key file"),
        (b"", "is not a"),
        (b'{"id": 1}\n', "is not a"),
        (whole.replace(b'"kind": "option"', b'"kind": "guess"'), "has changed since the release"),
    ):
        keys.write_bytes(data)
        with pytest.raises(InvalidFileError, match=sentence):
            read_keys(keys)


def test_canaries_belong_to_one_release_and_one_project() -> None:
    assert canary_of(SECRET, "kitchen", "1") == CANARY
    others = [
        canary_of(SECRET, "kitchen", "1.1"),
        canary_of(SECRET, "kitche", "n1"),
        canary_of(b"o" * 32, "kitchen", "1"),
    ]
    every = [CANARY, *others]
    assert len({each.public for each in every} | {each.private for each in every}) == 8
    with pytest.raises(ValueError, match="16 bytes"):
        canary_of(b"short", "kitchen", "1")


# ---- the card -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_card_is_signed_and_says_what_was_changed(tmp_path: Path) -> None:
    keys = keyed(tmp_path, OPTION, {f"q{n}": "take the pot" for n in range(4)})
    answers = sent(tmp_path, {"q0": "B", "q1": "B", "q2": "A"})
    key_file, other_file, out = tmp_path / "our.key", tmp_path / "other.key", tmp_path / "card.json"
    run = CliRunner().invoke
    assert run(cli, ["score", "create-key", str(key_file)]).exit_code == 0
    assert key_file.stat().st_mode & 0o077 == 0
    assert isinstance(run(cli, ["score", "create-key", str(key_file)]).exception, InvalidFileError)
    run(cli, ["score", "create-key", str(other_file)])
    done = run(
        cli, ["score", "create", str(keys), str(answers), "--out", str(out), "--key", str(key_file), "--team", "T"]
    )
    assert done.exit_code == 0, done.output
    assert "Items with a readable answer: 3 of 4." in done.output
    assert "accuracy" in done.output
    assert "0.500" in done.output

    def verify(*more: str, key: Path = key_file) -> tuple[int, str]:
        found = run(cli, ["score", "check", str(out), "--key", str(key), *more])
        return found.exit_code, found.output

    files = ("--keys", str(keys), "--submission", str(answers))
    code, told = verify(*files)
    assert code == 0
    assert told.splitlines()[1:] == [
        "The card belongs to this key file.",
        "The card belongs to this submission.",
        "Scoring the answers again gives the same numbers.",
    ]
    assert verify(key=other_file)[0] == 1
    card = json.loads(out.read_text())
    card["figures"][0]["value"] = 0.75
    out.write_text(json.dumps(card))
    code, told = verify(*files)
    assert code == 1
    assert "The card was changed after signing." in told
    assert "Scored anew, accuracy of all: value is 0.5, not 0.75." in told
    answers.write_text(answers.read_text() + '{"id": "q3", "answer": "B"}\n')
    assert "The card belongs to another submission." in verify(*files)[1]
    del card["signature"]
    out.write_text(json.dumps(card))
    assert "The card is not signed." in verify()[1]


def test_every_part_of_a_card_is_covered(tmp_path: Path) -> None:
    keys = keyed(tmp_path, OPTION, {"q0": "take the pot"})
    scoring = score_files(keys, sent(tmp_path, {"q0": "B"}))
    key = bytes(32)
    card = score_card.card_of(scoring, at=AT, team="T", model="M", key=key)
    assert score_card.check_card(card, key=key).holds
    for name in card:
        if name != "signature":
            assert not score_card.check_card({**card, name: "changed"}, key=key).holds, name
            assert not score_card.check_card({k: v for k, v in card.items() if k != name}, key=key).holds, name
    assert not score_card.check_card({**card, "more": 1}, key=key).holds
    assert not score_card.check_card({**card, "signature": {**card["signature"], "value": "ä"}}, key=key).holds
    assert not score_card.check_card({**card, "more": math.nan}, key=key).holds


def test_a_submission_in_which_a_key_stands_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text('{"id": "a", "answer": "A", "answer": "B"}\n')
    with pytest.raises(InvalidFileError, match=r"row 1: the key 'answer' appears twice"):
        read_submission(path)
