"""Cases as they are drawn: untrusted text stays text, and people who graded are told apart."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from app.services import Services
from domain.option_scores import Option, Ranking
from domain.reading.answers import AnswerKind, ReadOutcome
from domain.records import AnswerReading
from domain.roles import Role
from domain.settings import Settings
from domain.states import ItemState
from extensions.cases import case_content, case_parts
from extensions.cases.case_content import Case, CaseAnswer, CaseFailure, Grade
from extensions.cases.pages import cases as cases_page
from media.store import MediaStore
from testkit.factories import make_person
from tests.app.test_names_on_pages import graded

EVIL = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
AT = datetime(2026, 5, 4, tzinfo=UTC)


def test_an_answer_s_text_and_everything_said_of_it_stay_text() -> None:
    answer = CaseAnswer(
        model=EVIL,
        text=EVIL,
        at=AT,
        right=0.0,
        why="",
        latest=True,
        grades=[Grade(EVIL, {"score": EVIL}, EVIL), Grade(EVIL, {"score": 1.0}, person=False)],
        ranked=Ranking((Option(EVIL, (-1.0,)), Option("b", (-2.0,)))),
        reading=AnswerReading(
            1, EVIL, 1, 1, AnswerKind.OPTION, ReadOutcome.READ, EVIL, [0], [[5, 10], [30, 40]], EVIL, ""
        ),
    )
    shown = str(case_parts.answer_card(answer))
    assert "<img" not in shown
    assert "<script" not in shown
    assert shown.count("&lt;script&gt;") >= 5
    assert ">wrong</span>" in shown
    assert shown.count("<mark") == 2
    assert "src=" in shown.split("<mark")[1].split("</mark>")[0], "the words that it was read from are marked"
    told = Case("i", EVIL, "near", ItemState.KEPT, {}, None, [], [], [CaseFailure(EVIL, "failed", EVIL, AT, 3)])
    assert "<script" not in str(case_parts.failures(told))


def test_a_span_is_more_or_less_the_key() -> None:
    text = "It is from 2 to 3.5 s."
    reading = AnswerReading(
        1, "rules", 8, 1, AnswerKind.SPANS, ReadOutcome.READ, [[2.0, 3.5]], [], [[6, 21]], "only span", ""
    )
    told = ((0.625, "0.62", "ts-right"), (0.5, "0.50", "ts-right"), (0.4996, "0.4996", "ts-wrong"))
    for iou, words, style in told:  # what is short of a half does not look like one
        shown = str(case_parts.answer_card(CaseAnswer("m", text, AT, iou, "", True, reading=reading)))
        assert f"IoU {words} with the key" in shown
        assert style in shown
        assert "Read as <b>2 to 3.5</b>" in shown


def test_a_case_names_who_graded(tmp_path: Path) -> None:
    store, _ = graded(tmp_path)
    lea = make_person(store, "qx-lea", role=Role.LEAD)
    services = Services(store, MediaStore(tmp_path / "media"), Settings(tmp_path, ""), lea, "csrf")
    told = case_content.case(store, person=lea, project="p", item="colour/0")
    (answer,) = told.answers
    shown = str(case_parts.answer_card(answer, called=cases_page._called(services, told)))
    assert "<li>Robin (qx-ann): score " in shown
    assert "<li>Robin (qx-bob): score " in shown
    assert "<li>Robin: score 0" in shown
    store.close()
