"""The part *Answers* of a run on the page *Models*."""

from __future__ import annotations

import csv
import io
import json

import pytest

from app.services import Services
from db.engine import Store
from domain.option_scores import Option, Ranking
from domain.runs import Attempt, Outcome, RunPlan, RunState
from domain.settings import Settings
from extensions.run_records import attempts as page_part
from testkit.factories import make_run
from tests.app.homes import Home
from tests.app.test_models_page import HOSTILE, Open, words
from tests.app.test_running_shown import read
from workflow.access import accounts
from workflow.runs import run_views


@pytest.mark.thorough
def test_answers_are_paged_filtered_and_opened_one_by_one(show: Open, store: Store, items: list[int]) -> None:
    tries = [Attempt(items[0], Outcome.TRANSPORT_ERROR, error=f"Try {n}.", final=False) for n in range(24)]
    attempts = [*tries, Attempt(items[0], Outcome.ANSWERED, "x" * 100_007), Attempt(items[1], Outcome.REFUSED)]
    run = make_run(store, attempts, project="tiny")
    test = show(run=run, outcome="refused")
    page = words(test)
    assert page.count("data-attempt=") == 1, "the address asks for what was refused"
    test = show(run=run, outcome="transport_error")
    test.toggle(key=f"models.only_last.{run}").set_value(False).run()
    assert words(test).count("data-attempt=") == page_part.A_PAGE
    test.button(key="models.older").click().run()
    assert words(test).count("data-attempt=") == 4
    assert not [button for button in test.button if button.key == "models.older"]
    test.button(key="models.newer").click().run()
    assert words(test).count("data-attempt=") == page_part.A_PAGE
    found = run_views.attempts_of(store, by=None, run=run, outcomes=[Outcome.ANSWERED])
    page = words(show(run=run, attempt=str(found[0].id)))
    assert "x" * 100_000 in page
    assert "7 more characters" in page
    for wrong in ("0", "-1", "x", "9" * 30):
        assert "This attempt is not part of this run." in words(show(run=run, attempt=wrong))


def test_ranked_options_and_a_transcript_stand_with_their_attempt(show: Open, store: Store, items: list[int]) -> None:
    ranking = Ranking((Option.of("a", (-1.0, -1.0)), Option.of("b", (-1.5,))))
    turns = [{"role": "assistant", "text": "I look."}, {"role": "tool", "name": "ocr", "text": "EXIT"}]
    attempts = [
        Attempt(items[0], Outcome.ANSWERED, "a", detail=ranking.dump(), prompt_hash="cafe"),
        Attempt(items[1], Outcome.TOO_MANY_TURNS, detail={"transcript": turns}),
    ]
    run = make_run(store, attempts, project="tiny", plan=RunPlan(strategy="rank_options"))
    second, first = run_views.attempts_of(store, by=None, run=run)
    page = words(show(run=run, attempt=str(first.id)))
    assert "The winner depends on the score" in page
    assert "cafe" in page
    page = words(show(run=run, attempt=str(second.id)))
    assert "tool · ocr" in page
    assert "EXIT" in page


def test_the_reasoning_behind_an_answer_stands_with_it(show: Open, store: Store, items: list[int]) -> None:
    attempts = [Attempt(items[0], Outcome.ANSWERED, "Two.", detail={"reasoning": "One and one."})]
    run = make_run(store, attempts, project="tiny", state=RunState.DONE)
    (answered,) = run_views.attempts_of(store, by=None, run=run)
    assert "One and one." in words(show(run=run, attempt=str(answered.id)))


def test_files_have_every_attempt_and_no_formula(store: Store, home: Home, items: list[int]) -> None:
    attempts = [
        Attempt(items[0], Outcome.ANSWERED, '=HYPERLINK("http://x")', detail={"batch": 2}, image_hashes=("ab",)),
        Attempt(items[1], Outcome.ANSWERED, HOSTILE + "\nsecond line"),
    ]
    run = make_run(store, attempts, project="tiny", plan=RunPlan(prompt_set="mine.txt", prompt_hash="c0ffee"))
    view = run_views.view(store, by=None, run=run)
    services = Services(store, home.media(), Settings(home.path, ""), accounts.find_person(store, login="lea"), "csrf")
    kept = [
        json.loads(line) for line in page_part.as_json_lines(page_part.every_attempt(services, run), view).splitlines()
    ]
    assert [each["item"] for each in kept] == ["counting/1", "counting/0"]
    assert kept[1]["text"] == '=HYPERLINK("http://x")'
    assert kept[1]["detail"] == {"batch": 2}
    assert [(each["run"], each["prompts"], each["prompts_hash"]) for each in kept] == [(run, "mine.txt", "c0ffee")] * 2
    table = page_part.as_csv(page_part.every_attempt(services, run), view).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    assert rows[1]["text"].startswith("'=HYPERLINK")
    assert rows[0]["text"].endswith("second line")


def test_a_loop_over_tools_is_told_turn_by_turn() -> None:
    html = page_part.transcript(
        [
            {"role": "user", "text": "Is it raining?"},
            {"role": "assistant", "text": "", "calls": [{"name": "weather_detection", "arguments": {}}]},
            {"role": "tool", "name": "weather_detection", "result": {"weather": "<rain>"}},
            {"role": "tool", "name": "ocr", "arguments": {"n": 1}, "result": None, "missing": "Nothing is stored."},
        ]
    )
    page = read(html)
    assert "tool · weather_detection" in page.text
    assert '"weather": "<rain>"' in page.text
    assert "Nothing is stored." in page.text
    assert '"n": 1' in page.text
    assert "null" not in page.text
