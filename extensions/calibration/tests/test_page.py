"""The page Calibration: an answer from the report's own tables, and every section folded below it."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import zipfile
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app import shell
from app.jobs import figure_requests
from db import files
from db.engine import open_store
from domain.roles import Role
from domain.states import Cut, RatersAre, Stage
from extensions.calibration.report_files import files_of
from testkit.factories import make_items, make_person, make_predictions, make_project
from testkit.missing_extensions import needs
from tests.app import screens
from tests.app.screens import drawn, until_done
from workflow.results.ratings_from_files import import_ratings

pytestmark = pytest.mark.thorough

VALUES = [0, 0.5, 1, 1, 0, 0.5, 1, 0, 0.5, 1]
PEOPLE, SHARED = 2, 40


def sent(test: AppTest) -> list[str]:
    """The parts of the report that the page sends."""
    told = [json.loads(each.proto.json) for each in test.get("bidi_component")]
    return [each["html"] for each in told if "html" in each]


def plain(html: str) -> str:
    """What a part says, without the ways to what is behind its rows."""
    return unescape(re.sub(r"<[^>]*>", " ", re.sub(r"<td>(<a [^>]*>[a-z]+</a>)?</td>|<th></th>", "", html)))


@needs("readers", "ratings")
def test_the_first_screen_answers_and_every_section_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(None, tmp_path)
    store.upgrade()
    make_project(store)
    items = make_items(store, SHARED)
    make_predictions(store, items, models=["m"])
    make_person(store, "lea", role=Role.LEAD)
    with store.read() as session:
        names = [name for _, name, _ in files.item_ids(session, project_id=1)]
    people, machines = RatersAre.PEOPLE, RatersAre.MACHINES
    for rater, every, are in (("ann", 0, people), ("bea", 9, people), ("strict <b>", 4, machines)):
        given = [1 if every and at % every == 0 else VALUES[at % 10] for at in range(SHARED)]
        rows = [f"{name} · m,{rater},score,{value}" for name, value in zip(names, given, strict=True)]
        (tmp_path / "r.csv").write_text("\n".join(["unit,rater,criterion,value", *rows]), encoding="utf-8")
        import_ratings(store, by=None, project="p", path=tmp_path / "r.csv", refuse=lambda bad: None, raters=are)
    monkeypatch.setattr(figure_requests, "worked_out", lambda *_: pytest.fail("pages compute no report"))

    drawn(store, tmp_path, "calibration", "lea", project="p")
    until_done()
    test = drawn(store, tmp_path, "calibration", "lea", project="p")
    assert sent(test) == [], "the report is folded"
    answer = unescape(screens.part(test, "judge-answer"))
    assert answer == "It is too early to say whether strict <b> can replace a person."
    assert "2 people graded, but the rule needs 3 people." in screens.part(test, "judge-sentences")
    assert "Measured on 40 questions, 40 answers." in screens.part(test, "judge-sentences")
    test.session_state["calibration.why"] = True
    (first,) = sent(test.run())
    figure = next(reversed(figure_requests._memory.known.values()))
    with zipfile.ZipFile(io.BytesIO(figure.value["zip"])) as packed:
        report = json.loads(packed.read("report.json"))
        whole = packed.read("report.html").decode()
        ceiling = list(csv.DictReader(io.StringIO(packed.read("tables/ceiling.csv").decode())))
    words = plain(first)
    assert "<b> " not in first.partition('<div class="report">')[2]
    assert "strict <b> · score" in words
    assert "Not enough data" in words
    assert "2 people graded, but the rule needs 3 people." in words
    assert "People: the rule needs 1 more person who grades the same units." in words
    mine = next(row for row in ceiling if (row["dimension"], row["who"]) == ("all", "judge with a person"))
    low, value, high = (float(mine[name]) for name in ("low", "value", "high"))
    assert f"judge with a person {value:.3f} [{low:.3f}, {high:.3f}]" in words
    # an interval narrows with the square root of the units: n (half / 0.05)^2 of them make it that narrow
    wanted = math.ceil(SHARED * ((high - low) / 2 / 0.05) ** 2)
    assert wanted > SHARED
    assert f"needs about {wanted - SHARED:,} more units graded by the same people" in words
    assert "Another prompt: no other version of the judge was compared on these units." in words
    drawn_row = screens.text(screens.words(test).partition("strict &lt;b&gt;</td>")[2].partition("</tr>")[0])
    assert drawn_row.startswith(f"{value:.2f} [{low:.2f}, {high:.2f}]{SHARED} units")
    test.session_state["calibration.report"] = True
    assert "SHA-256" in sent(test.run())[-1]

    earlier = dict(re.findall(r'(?s)<section id="(\w+)"><h2>.*?</h2>(.*?)</section>', whole))
    assert list(earlier) == [each["key"] for each in report["sections"]]
    assert len(earlier) > 10
    for at, key in enumerate(earlier):
        test.session_state[f"calibration.section.{key}"] = True
        test.run()
        _, *parts, _ = sent(test)
        words = " ".join(plain(part.partition('<div class="report">')[2]) for part in parts)
        opened = "".join([*earlier.values()][: at + 1])
        without = re.sub(r"(?s)<figure>.*?</figure>", "", opened)
        assert words.split() == plain(shell.on_page(without)).split(), f"{key}: what is open is sent, nothing else"
        titles = [unescape(each) for each in re.findall(r"<figcaption>(.*?)</figcaption>", opened)]
        charts = [json.loads(each.proto.spec) for each in test.get("vega_lite_chart")]
        assert len(charts) == len(titles), key
        assert all(one["description"].startswith(title) for one, title in zip(charts, titles, strict=True)), key
    assert next(reversed(figure_requests._memory.known.values())).at == figure.at, "it is worked out once"
    assert [key for key in earlier if "within 1e-12" in earlier[key]] == ["cross_check"]
    store.close()


@needs("readers", "ratings")
def test_a_judge_that_favors_its_family_is_told_on_the_first_screen(tmp_path: Path) -> None:
    """Of every three answers one is good, as all people say; the judge is lenient with its family."""
    store = open_store(None, tmp_path)
    store.upgrade()
    make_project(store)
    items = make_items(store, 120)
    make_predictions(store, items, models=["mine", "theirs", "others"])
    with store.read() as session:
        names = [name for _, name, _ in files.item_ids(session, project_id=1)]
    people, machines = RatersAre.PEOPLE, RatersAre.MACHINES
    for rater, are in (("ann", people), ("bea", people), ("cem", people), ("j", machines)):
        rows = [
            f"{name} · {model},{rater},score,{int(good or (rater == 'j' and model == 'mine' and at % 2))}"
            for at, name in enumerate(names)
            for place, model in enumerate(("mine", "theirs", "others"))
            for good in [(at + place) % 3 == 0]
        ]
        (tmp_path / "r.csv").write_text("\n".join(["unit,rater,criterion,value", *rows]), encoding="utf-8")
        import_ratings(store, by=None, project="p", path=tmp_path / "r.csv", refuse=lambda bad: None, raters=are)
    made = files_of(
        store,
        project="p",
        stage=Stage.GRADING,
        people=["ann", "bea", "cem"],
        judges=["j"],
        pool=False,
        items=None,
        by=Cut.WHOLE,
        statistics=None,
        titles={},
        families={"j": ["mine"]},
    )
    # of 40 answers that are good for people none changes; of the other 80 of "mine" half are called good: 40 of 120
    words = plain(made["first"])
    assert "A bias blocks this judge from replacing a person: it favors its own family by 33.3 points" in words
    assert "120 questions, 360 answers" in words
    store.close()
