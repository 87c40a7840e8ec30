"""Text of models, whatever it is, and figures of runs, as they stand on the page Models."""

from __future__ import annotations

from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as some

from app import markup
from app.running import shown
from domain.option_scores import Option, Ranking
from domain.runs import Outcome, RunState

ANYTHING = some.text(some.characters(), max_size=300)


class _Read(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> _Read:
    reader = _Read()
    reader.feed(html)
    reader.close()
    return reader


@given(ANYTHING)
def test_no_text_becomes_markup_or_breaks_a_message(text: str) -> None:
    html = shown.text_block(text) + shown.line(text) + shown.mono(text)
    page = read(html)
    if "only white space" in page.text:
        page.tags.remove("span")
        page.tags.insert(0, "div")
    assert page.tags == ["div", "div", "span"]
    html.encode("utf-8")  # as every message to the browser is


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two\r\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x00\x1b[31mred", "\u2400\u241b[31mred"),
        ("half of a pair: \ud800", "half of a pair: \ufffd"),
        ("safe\u202etxt.exe", "safe[U+202E]txt.exe"),
        ("\u2066isolated\u2069", "[U+2066]isolated[U+2069]"),
        ("\u0645\u0631\u062d\u0628\u0627", "\u0645\u0631\u062d\u0628\u0627"),
        ("family: \U0001f469\u200d\U0001f467", "family: \U0001f469\u200d\U0001f467"),
        ("e\u0301", "e\u0301"),
        ("z" + "\u0301\u0302\u0303\u0304" * 50, "z\u0301\u0302\u0303\u0304"),
    ],
)
def test_what_would_act_is_made_visible(text: str, expected: str) -> None:
    assert shown.tame(text) == expected


def test_a_long_text_is_cut_and_says_so() -> None:
    assert shown.opening("a" * 281, 280) == "a" * 280 + " … (1 more)"
    assert shown.opening("a" * 280, 280) == "a" * 280
    assert shown.opening("a\n\n b") == "a b"
    assert "only white space" in shown.line(" \n ")
    html = shown.text_block("x" * 100_007, most=100_000)
    assert "… 7 more characters" in html
    assert read(shown.text_block("x" * 100_000)).text == "x" * 100_000


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "not known yet"),
        (0, "0 s"),
        (89, "89 s"),
        (120, "2 min"),
        (2 * 3600, "2.0 h"),
        (3 * 86400, "3.0 days"),
    ],
)
def test_durations(seconds: float | None, words: str) -> None:
    assert shown.duration(seconds) == words


def test_what_is_not_known_is_not_0() -> None:
    assert shown.cost(None, "USD") == shown.number(None) == "not known"
    assert shown.cost(0.0, "USD") == "0.0000 USD"
    assert shown.cost(12.3, "USD") == "12.30 USD"
    assert shown.rate(None) == "not known yet"
    assert shown.rate(0.5) == "30.0 an hour"
    assert shown.rate(240) == "4.0 a second"
    assert markup.moment(datetime(2026, 11, 21, 16, 5, tzinfo=UTC)) == "2026-11-21 16:05 UTC"


def test_the_bar_counts_every_outcome_and_what_is_left() -> None:
    html = shown.outcomes({Outcome.ANSWERED: 5, Outcome.TRUNCATED: 2, Outcome.TRANSPORT_ERROR: 1}, wanted=10)
    assert 'aria-label="5 answered, 2 cut at maximum length, 1 no reply"' in html
    assert "2 to do" in html
    assert all(f".{each.style} {{" in shown.STYLE for each in Outcome)
    assert set(shown.STATES) == set(RunState)


def test_options_stand_with_every_score_and_a_warning_where_the_winner_depends_on_it() -> None:
    cut = Option.of("cut <b>it</b>", (-1.0, -2.0), (-1.5, -3.0))
    wash = Option.of("wash", (-1.75,), (-1.25,))
    html = shown.ranking(Ranking((cut, wash)), key="wash")
    page = read(html)
    assert "The winner depends on the score" in page.text
    assert "This run uses this score: mean per token." in page.text
    assert "cut <b>it</b>" in page.text
    for figure in ("-3.000", "-1.500", "-0.231", "1.500", "-1.750", "-0.438", "-0.500"):
        assert figure in page.text
    assert page.text.count("\u25c2") == 4  # a winner for each of the four scores
    alone = shown.ranking(Ranking((Option.of("a", (-1.0,)), Option.of("b", (-2.0,)))))
    assert "Every score chooses the same option." in alone
    assert 'role="status"' in alone
