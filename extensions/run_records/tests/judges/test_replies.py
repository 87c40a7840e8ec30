"""The part *Replies* of a run on the page *Judges*."""

from __future__ import annotations

import json
from typing import Any

import pytest

from db.engine import Store
from domain.judging import ReplyOutcome
from extensions.run_records import replies
from tests.app.test_judges_page import PAIR, SAID, Open, judge, words
from workflow.results import judge_replies
from workflow.runs import judge_templates, run_views

pytestmark = pytest.mark.thorough


@pytest.mark.usefixtures("answers")
def test_scores_stand_next_to_raw_replies_with_what_was_read_marked(show: Open, store: Store) -> None:
    run = judge(store, SAID)
    page = words(show(run=run, verdict="failures"))
    assert page.count("data-card=") == 2
    assert '<mark class="ts-mark bad" title="score: out of range">0.75</mark>' in page
    page = words(show(run=run, verdict="scored"))
    assert page.count("data-card=") == 4
    assert '<mark class="ts-mark" title="score: 1">1</mark>' in page
    assert "<script>" not in page
    assert "<mark>5</mark>" not in page
    assert "\u202e" not in page
    assert "4 scored of 6" in page, "never hidden"


@pytest.mark.usefixtures("answers")
def test_one_reply_shows_all_that_is_kept_of_it(show: Open, store: Store) -> None:
    run = judge(store, SAID)
    for view in judge_replies.replies_of(store, by=None, run=run):
        page = words(show(run=run, reply=str(view.id)))
        assert "double_brackets, version" in page
        assert "<script>" not in page
    assert "This reply is not part of this run" in words(show(run=run, reply="999999"))
    assert "This reply is not part of this run" in words(show(run=run, reply="x"))


@pytest.mark.usefixtures("answers")
def test_a_file_of_replies_has_every_reply_with_its_reading(store: Store) -> None:
    run = judge(store, SAID)
    view = run_views.view(store, by=None, run=run)
    found = list(replies.every_reply(store, by=None, run=run, at_once=4))
    lines = [json.loads(line) for line in replies.as_json_lines(found, view).decode().splitlines()]
    assert len(lines) == 6
    kept = next(
        each for each in judge_templates.templates_of(store, by=None, project="tiny") if each.name == "likeness"
    )
    assert sorted(lines[0]) == sorted(replies.COLUMNS)
    for line in lines:
        assert line["template_hash"] == kept.hash
        if line["verdict"] == ReplyOutcome.SCORED.value:
            assert float(line["reply"][line["start"] : line["end"]]) == line["value"]
    assert replies.as_csv(found, view).decode("utf-8-sig").splitlines()[0] == ",".join(replies.COLUMNS)


@pytest.mark.usefixtures("answers")
def test_both_answers_of_a_pair_are_named_in_their_order(show: Open, store: Store) -> None:
    made = judge_templates.add_version(store, by=None, project="tiny", text=PAIR)
    about: dict[str, Any] = {"criteria": {"score": "preference"}, "baseline": "two", "fills": {}}
    run = judge(store, ["[[A]]"], template=made.template, **about)
    page = words(show(run=run, verdict="scored"))
    assert page.count("A: one, B: two") == page.count("A: two, B: one") == 3


@pytest.mark.usefixtures("answers")
def test_attack_answers_are_found_by_their_kind(show: Open, store: Store) -> None:
    run = judge(store, ["Rating: [[1]]", "Rating: [[0]]"], attacks=True, limit=1)
    page = words(show(run=run, verdict="scored"))
    assert "attack: " in page
    assert "Compare with people" not in page
