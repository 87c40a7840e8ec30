"""What is not readable stands next to every number: the same counts and bounds in commands, files and on pages."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from annotation_schemas.loader import load_text
from app.cli import cli
from app.services import resources
from db.engine import Store, open_store
from domain.roles import Role
from testkit.factories import make_person, make_project
from testkit.missing_extensions import needs
from tests.app.screens import drawn, words
from workflow.access.projects import access_to
from workflow.annotate import authoring
from workflow.results.leaderboard_lines import COLUMNS

pytestmark = pytest.mark.thorough

SCHEMA = """
name: lossy
version: 1
title: Lossy
dimensions:
  - {id: near, title: Near, definition: "x."}
  - {id: far, title: Far, definition: "x."}
item:
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list, length: 2}
    - {name: answer, kind: option_of, field: options, secret_in: [grading]}
stages:
  authoring: {}
  grading:
    raters: 2
    combine: mean
    criteria: [{name: score, kind: scale, prompt: "?", values: [0, 1]}]
judges:
  - {name: big, model: big-1, criteria: [score], template: egothink_single, sees: [question, answer, prediction],
     fills: {ref_answer_1: answer, answer: prediction}, values: [0, 1]}
"""


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    resources.cache_clear()
    yield tmp_path
    resources.cache_clear()


def benchmark(home: Path, n: int) -> list[str]:
    """A project with ``n`` items, each with the key "red" as its first option or as its second; their names."""
    store: Store = open_store(None, home)
    make_project(store, loaded=load_text(SCHEMA, "", "lossy.yaml"))
    names = [f"q{at:04}" for at in range(n)]
    with store.write() as session:
        new = [
            authoring.NewItem(
                external_id=name,
                dimension=("near", "far")[at % 2],
                fields={
                    "question": f"Which color is {name}?",
                    "options": ["red", "blue"] if at % 4 < 2 else ["blue", "red"],
                    "answer": "red",
                },
            )
            for at, name in enumerate(names)
        ]
        authoring.add_items(session, access=access_to(session, person=None, project="p"), new=new, now=store.now())
    store.close()
    return names


def said(*arguments: str) -> tuple[str, str]:
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout, done.stderr


def answers(home: Path, rows: Sequence[tuple[str, str, str]]) -> tuple[str, str]:
    path = home / "answers.jsonl"
    lines = (json.dumps({"item": item, "model": model, "text": text}) for item, model, text in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return said("item", "import", "p", "predictions", str(path))


def ratings(home: Path, rows: Sequence[tuple[str, str, str, object]]) -> None:
    path = home / "ratings.csv"
    lines = [f"{item} · {model},{who},score,{value}\n" for item, model, who, value in rows]
    path.write_text("unit,rater,criterion,value\n" + "".join(lines), encoding="utf-8")
    said("item", "import", "p", "ratings", str(path), "--set", "raters=people")


def test_failed_requests_are_said_to_be_left_out(home: Path) -> None:
    """1 of 2 requests failed: the accuracy is 1 of 1, so nothing counts as wrong."""
    names = benchmark(home, 3)
    text, _ = answers(home, [(names[0], "m", RIGHT), (names[1], "m", "ERROR: request timed out")])
    assert (
        "1 of 2 answers could not be read (50.0 %): 1 (the endpoint sent no reply). They are excluded, because no "
        "answer arrived."
    ) in text
    shown = "".join(said("result", "show", "p"))
    assert "They are excluded, because no answer arrived." in shown
    assert "They count as wrong" not in shown
    text, _ = answers(home, [(names[2], "m", RIGHT_UNREAD), (names[1], "n", "nan")])
    assert "They count as wrong (report: unreadable); items without an answer are excluded." in text


def test_a_preview_counts_unreadable_answers_as_the_import_does(home: Path) -> None:
    """3 answers: one is read, one is in words that no rule reads, and one request failed."""
    names = benchmark(home, 3)
    path = home / "new.jsonl"
    texts = (RIGHT, RIGHT_UNREAD, "ERROR: request timed out")
    lines = [json.dumps({"item": name, "model": "m", "text": text}) for name, text in zip(names, texts, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    preview, _ = said("item", "import", "p", "predictions", str(path), "--dry-run")
    rows = (
        "3 answers: 3 new, 1 read, 2 not readable: 1 (format violation: no answer, or several answers), "
        "1 (the endpoint sent no reply)."
    )
    assert rows in preview
    losses = "2 of 3 answers could not be read (66.7 %)"
    assert losses in preview
    text, _ = said("item", "import", "p", "predictions", str(path))
    assert rows in text
    assert losses in text
    preview, _ = said("item", "import", "p", "predictions", str(path), "--dry-run")
    assert "not readable" not in preview


RIGHT_UNREAD, WRONG, RIGHT = "the colour of a ripe tomato, as it were", "blue", "red"


def wrong_answers(home: Path) -> None:
    """159 of 300 answers are right; 13 of these are in words that no rule reads."""
    names = benchmark(home, 300)
    texts = [RIGHT] * 146 + [RIGHT_UNREAD] * 13 + [WRONG] * 141
    answers(home, [(name, "m", text) for name, text in zip(names, texts, strict=True)])


UNREAD = "Warning: 13 of 300 answers could not be read (4.3 %): 13 (format violation: no answer, or several answers)."
BOUNDS = "The mean lies between 0.487 (worst case) and 0.530 (best case)."


def test_results_say_how_many_answers_they_count_as_wrong(home: Path) -> None:
    wrong_answers(home)
    text, _ = said("result", "show", "p")
    assert UNREAD in text
    assert BOUNDS in text
    (row,) = [
        row
        for row in csv.DictReader(io.StringIO(said("result", "show", "p", "--format", "csv")[0]))
        if row["part"] == "" and row["mean_over"] == "answers"
    ]
    assert set(row) == set(COLUMNS)
    assert (row["unread"], float(row["if_rest_highest"])) == ("13", pytest.approx(0.53))
    assert row["loss_warning"].startswith(UNREAD)


def test_losses_in_one_value_of_the_key_warn_at_one_percent(home: Path) -> None:
    """8 of 400 are lost, all where the key is the second option: Fisher's p is 2 C(200,8)/C(400,8) = 0.00727. There are
    two tests (dimension and key; there is one model), so that Holm makes it 0.0145."""
    names = benchmark(home, 400)
    second = {name for at, name in enumerate(names) if at % 4 >= 2}
    lost = set(sorted(second)[:8])
    answers(home, [(name, "m", RIGHT_UNREAD if name in lost else RIGHT) for name in names])
    text, _ = said("result", "show", "p", "--scores", "key")
    assert "8 of 400 answers could not be read (2.0 %)" in text
    assert "Losses depend on the key (p = 0.015): B lost 8 of 200, all others 0 of 200." in text


LEFT_OUT = "4 imported grades do not count, because their answers are empty, missing or replaced."


def empty_answers(home: Path) -> None:
    """Two people grade 10 answers; 2 of these are empty, and there the two disagree. Of the other 8 they agree on 6."""
    names = benchmark(home, 10)
    answers(home, [(name, "m", "" if at < 2 else RIGHT) for at, name in enumerate(names)])
    ann = [1] * 10
    ben = [0, 0, 0, 0, *[1] * 6]
    ratings(home, [(name, "m", "ann", value) for name, value in zip(names, ann, strict=True)])
    ratings(home, [(name, "m", "ben", value) for name, value in zip(names, ben, strict=True)])


@needs("readers", "ratings")
def test_agreement_leaves_out_grades_of_empty_answers(home: Path) -> None:
    empty_answers(home)
    asked = ["agreement", "show", "p", "--stage", "grading", "--unit", "prediction", "--statistic", "percent_agreement"]
    (of_command,) = json.loads(said(*asked, "--json")[0])
    assert (of_command["value"], of_command["n_units"]) == (0.75, 8)
    assert LEFT_OUT in said(*asked)[0]


def replies(home: Path, rows: Sequence[tuple[str, str, str]], *more: str) -> str:
    path = home / "replies.jsonl"
    lines = (json.dumps({"item": item, "model": model, "judge": "big-1", "text": text}) for item, model, text in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    out, _ = said("item", "import", "p", "judgements", str(path), "--set", "template=egothink_single", *more)
    return out


def graded(home: Path, n: int, *models: str) -> list[str]:
    """A project whose models answer every item; the names of the items."""
    names = benchmark(home, n)
    answers(home, [(name, model, RIGHT) for model in models for name in names])
    return names


@needs("formats", "judgements")
def test_an_import_of_replies_says_what_it_could_not_read(home: Path) -> None:
    """Of 200 replies 30 are not readable, all of them zeros: 20 of 100 about a, 10 of 100 about b."""
    names = graded(home, 100, "a", "b")
    rows = []
    for model, lost in (("a", 20), ("b", 10)):
        for at, name in enumerate(names):
            unread = at < lost
            rows.append((name, model, "A bare 0 without verdict" if unread else f"[[{at % 2}]]"))
    told = replies(home, rows)
    assert "200 replies: 200 new, 170 read, 30 not readable: 30 (unparseable)." in told
    # ones: 40 of a's 80 readable replies, and 45 of b's 90
    by_model = "a 20 of 100 (mean 0.400 to 0.600); b 10 of 100 (mean 0.450 to 0.550)."
    assert f"big-1: Losses by model: {by_model}" in told
    bounds = "The mean lies between 0.425 (worst case) and 0.575 (best case). Excluding losses, the mean is 0.500."
    assert bounds in told
    assert "Warning: big-1: 30 of 200 replies could not be read (15.0 %)" in told
    # zeros of a: 20 lost and 40 of 80 read; of b: 10 lost and 45 of 90 read; ones: 40 and 45
    assert "Losses depend on the value in the text (p < 0.001): 0 lost 30 of 115, all others 0 of 85." in told


def test_an_import_of_answers_says_what_it_could_not_read(home: Path) -> None:
    names = benchmark(home, 100)
    texts = ["", RIGHT_UNREAD, *[RIGHT] * 98]
    told, _ = answers(home, [(name, "m", text) for name, text in zip(names, texts, strict=True)])
    assert "100 answers: 100 new, 98 read, 2 not readable" in told
    assert "Losses by model: m 2 of 100 (mean 0.980 to 1.000)." in told
    assert "Warning" not in told, "2.0 % is not more than 2 %, and nothing else differs"


def lost_zeros(home: Path) -> str:
    """The judge says what people say: 30 of 60 are right for a, 45 of 60 for b. Six replies about a, all of them zeros,
    are not readable: a has 30 of 54, and between 30 and 36 of 60."""
    names = graded(home, 60, "a", "b")
    truth = {(name, "a"): int(at < 30) for at, name in enumerate(names)}
    truth |= {(name, "b"): int(at < 45) for at, name in enumerate(names)}
    for who in ("ann", "ben"):
        ratings(home, [(name, model, who, value) for (name, model), value in truth.items()])
    lost = {(name, "a") for name in names[30:36]}
    return replies(
        home, [(*each, "A bare 0 without verdict" if each in lost else f"[[{value}]]") for each, value in truth.items()]
    )


LOST_BY_MODEL = "Losses by model: a 6 of 60 (mean 0.500 to 0.600)."


def is_told(text: str, of_mean: str = "") -> None:
    plain = " ".join(text.split())
    assert "Warning: big-1, score: 6 of 120 replies could not be read (5.0 %): 6 (unparseable)." in plain
    # Fisher, two-sided: C(45,6)/C(120,6) = 0.0022 for zeros and ones; zeros are 45 of 120
    assert "Losses depend on people's grade" in plain
    assert "0 lost 6 of 45, all others 0 of 75." in plain
    bounds = "The mean lies between 0.625 (worst case) and 0.675 (best case). Excluding losses, the mean is 0.658."
    assert (of_mean or bounds) in plain


@needs("readers", "ratings")
def test_a_judge_that_loses_zeros_is_told_of_everywhere(home: Path) -> None:
    told = lost_zeros(home)
    assert "120 replies: 120 new, 114 read, 6 not readable" in told
    is_told(said("result", "show", "p", "--scores", "judge")[0])
    table = list(csv.DictReader(io.StringIO(said("result", "show", "p", "--scores", "judge", "--format", "csv")[0])))
    row = next(row for row in table if (row["model"], row["part"], row["mean_over"]) == ("a", "", "answers"))
    assert (row["judge_asked"], row["judge_scored"]) == ("60", "54")
    assert (float(row["if_rest_lowest"]), float(row["if_rest_highest"])) == (0.5, 0.6)
    is_told(row["loss_warning"], "The mean of a lies between 0.500 (worst case) and 0.600 (best case).")
    assert "0.625" not in row["loss_warning"], "the bounds of all models"
    (other,) = [each for each in table if (each["model"], each["part"], each["mean_over"]) == ("b", "", "answers")]
    is_told(other["loss_warning"], "b has no losses.")
    mended = said("result", "show", "p", "--scores", "corrected", "--format", "csv")[0]
    (of_a,) = [
        each
        for each in csv.DictReader(io.StringIO(mended))
        if (each["model"], each["part"], each["mean_over"]) == ("a", "", "answers")
    ]
    is_told(of_a["loss_warning"], "The mean of a before correction lies between 0.500 (worst case) and 0.600")
    is_told(said("agreement", "show", "p", "--unit", "answer")[0])
    is_told(said("agreement", "show", "p", "--unit", "prediction", "--raters", "ann,big-1")[0])
    assert "not readable" not in said("agreement", "show", "p", "--unit", "prediction")[0], "people among themselves"
    by_rater = [
        "agreement",
        "show",
        "p",
        "--unit",
        "prediction",
        "--raters",
        "ann,ben,big-1",
        "--statistic",
        "cohen_kappa",
    ]
    table_of, aside = said(*by_rater, "--csv", "--losses", str(home / "lost.csv"))
    is_told(aside)
    rows = {row["raters"]: row for row in csv.DictReader(io.StringIO(table_of)) if row["weights"] == "none"}
    is_told(rows["ann and big-1"]["loss_warning"])
    assert rows["ann and ben"]["loss_warning"] == "", "no judge is compared"
    assert float(rows["ann and ben"]["value"]) == 1.0
    (of_a,) = [
        row
        for row in csv.DictReader(io.StringIO((home / "lost.csv").read_text(encoding="utf-8")))
        if (row["by"], row["group"]) == ("model", "a")
    ]
    assert (of_a["asked"], of_a["not_readable"], of_a["if_all_lowest"]) == ("60", "6", "0.5")
    store = resources().store
    make_person(store, "lead", role=Role.LEAD)
    found = drawn(store, home, "results", "lead", project="p")
    assert "0 of 120 answers could not be read" in words(found), "against the key"
    found.selectbox(key="results.scores.p").select("big-1, score").run()
    is_told(html.unescape(words(found)))
    found = drawn(store, home, "agreement", "lead", project="p", stage="grading")
    is_told(html.unescape(words(found)))
    found = drawn(store, home, "release", "lead", project="p")
    is_told(html.unescape(words(found)))


@needs("formats", "judgements")
def test_zeros_that_are_lost_show_without_anyones_grades(home: Path) -> None:
    """8 of 800 replies (1.0 %) are lost, all of them zeros, and no person has graded anything."""
    names = graded(home, 400, "a", "b")
    rows = [(name, model, f"[[{at % 2}]]") for model in ("a", "b") for at, name in enumerate(names)]
    lost = [
        (item, model, "A bare 0 without verdict") if at % 100 == 0 else (item, model, text)
        for at, (item, model, text) in enumerate(rows)
    ]
    replies(home, lost)
    text, _ = said("result", "show", "p", "--scores", "judge")
    assert "8 of 800 replies could not be read (1.0 %)" in text
    # two-sided: 2 C(400,8)/C(800,8) = 0.0076; three tests (model, dimension, value), of which dimension is as small
    assert "Losses depend on the value in the text (p = 0.023): 0 lost 8 of 400, all others 0 of 400." in text


def test_the_page_import_says_what_the_command_says() -> None:
    def page() -> None:
        from agreement.losses import LossCell, losses_of
        from app.importing.result_sentence import show_losses

        lost = losses_of([LossCell(660, {}, "a"), LossCell(340, {"empty": 340}, "b")], subject="big-1")
        show_losses([lost], new=1_000, repeated=0, noun="replies")

    test = AppTest.from_function(page).run(timeout=120)
    shown = html.unescape(words(test))
    assert "1,000 replies: 1,000 new, 660 read, 340 not readable: 340 (empty)." in shown
    assert "big-1: Losses by model: b 340 of 340." in shown
    assert "Warning: big-1: 340 of 1,000 replies could not be read (34.0 %): 340 (empty)." in shown
    assert 'role="alert"' in shown
