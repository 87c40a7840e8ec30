"""The data card of a release: what is in it, what must not be in it, and what is said where no one has said it."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import Any

import pytest

from db.engine import Store
from extensions.data_card import card_people
from extensions.data_card.card import card_files
from extensions.data_card.card_facts import facts
from media.store import MediaStore
from reports.content import Paragraph, ReportTable
from testkit.factories import Clock, claimed, make_items, make_people, make_project, make_schema
from workflow.access.projects import require_lead
from workflow.annotate import submissions
from workflow.releases import settings
from workflow.releases.contents import Contents, Media, released_set
from workflow.releases.draft import drawn_up
from workflow.releases.settings import ReleaseOptions

pytestmark = pytest.mark.thorough


@pytest.fixture
def media(home: Any) -> MediaStore:
    return MediaStore(home / "media")


@pytest.fixture
def kept(store: Store) -> Store:
    """Four items, of which three are kept and one is rejected: its voters differ. Each vote took half a minute."""
    clock = store.clock = Clock()
    make_project(store, loaded=make_schema(adjudication=False))
    make_items(store, 4)
    for person, last in zip(make_people(store, "annika", "bobbert"), ("red", "blue"), strict=True):
        for _ in range(4):
            view = claimed(store, person)
            choice = last if view.fields["question"] == "Question 3?" else "red"
            clock.advance(seconds=30)
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"choice": choice}, seconds=30.0)
    return store


def made(store: Store, media: MediaStore, *, front: str = "", **asked: Any) -> tuple[str, str]:
    """The Markdown and the page, as a release has them."""
    with store.read() as session:
        access = require_lead(session, by=None, project="p")
        draft = drawn_up(session, media, access, ReleaseOptions(**asked))
    secret = ("answer",) if asked.get("private") else ()
    contents = Contents(store, access, draft.placed, {"test": secret}, Media(media, inside=False))
    released = released_set(contents, version=draft.version, date=draft.date, about=draft.about.values, formats=())
    draft = replace(draft, told={**draft.told, "facts": facts(store, access)})
    found = card_files(store, draft, released, front)
    return found["README.md"].decode(), found["card.html"].decode()


def line(text: str, begin: str) -> list[str]:
    """The cells of the only row of a table in Markdown that begins so."""
    (row,) = [each for each in text.splitlines() if each.startswith(f"| {begin} |")]
    return [cell.strip() for cell in row.strip("|").split(" | ")]


def test_the_card_says_what_was_done_and_what_no_one_has_said(kept: Store, media: MediaStore) -> None:
    text, page = made(kept, media, front="---\nlicense: other\n---\n")
    assert text.startswith("---\nlicense: other\n---\n\n# A blind test\n")
    assert "| Colour | 3 | 3 |" in text
    stated = "The card describes the project as of 2026-05-04 09:04:00 UTC"
    assert stated in text, "eight votes of half a minute after nine"
    assert "The project keeps 3 of 4 items" in text
    assert line(text, "All voters agree on the key")[1] == "3"
    # two people, four votes of half a minute each: 240 seconds are 0.067 hours
    assert line(text, "Verification") == ["Verification", "2", "8", "0.07", "0"]
    assert "2 people vote on each item. The author never votes." in text
    assert "kept if all raters give the value of the item's key field" in text
    # they agree on three items of four
    (agree,) = [each for each in text.splitlines() if "Percent agreement" in each]
    assert "| 0.750 |" in agree
    assert "License: not stated" in text
    assert "Hourly pay: not stated" in text
    assert "There are no ratings from judges." in text
    # "red" is right, and the shorter one of "red" and "blue"
    assert "The longest option is right in 0.0 %" in text
    for said in (text, page):
        assert not re.search(r"annika|bobbert", said, re.IGNORECASE), "people are only counted"
        assert "TODO" not in said
    assert "default-src 'none'" in page
    assert "color-scheme: light dark" in page


def test_a_private_split_has_no_number_that_rests_on_its_answers(kept: Store, media: MediaStore) -> None:
    text, _ = made(kept, media, private=("test",))
    assert "The public files of test do not include answer." in text
    assert "Items in test have private right answers, so the results do not count these items." in text
    assert "Answer, mean" not in text
    assert "Position 1" not in text
    assert "| red |" not in text


def test_what_is_said_is_no_markup(kept: Store, media: MediaStore) -> None:
    said = {
        "license": "CC-BY-4.0",
        "description": "# Big\n<script>alert(1)</script> | a [link](http://x.example) of my_set",
        "creators": "Ann\nBob",
    }
    settings.say(kept, by=None, project="p", said=said)
    text, page = made(kept, media)
    assert "License: CC-BY-4.0" in text
    assert "Made by: Ann; Bob" in text
    assert "\\# Big\n\\<script\\>alert(1)\\</script\\> \\| a \\[link\\](http://x.example) of my_set" in text
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_the_same_state_is_the_same_card_anywhere(
    kept: Store, media: MediaStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = set()
    for zone in ("UTC", "Pacific/Auckland"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        found.add(made(kept, media))
    monkeypatch.undo()
    time.tzset()
    assert len(found) == 1


WORK: dict[str, Any] = {
    "work": {
        "people": 3,
        "stages": [{"stage": "grading", "people": 3, "submissions": 90, "seconds": 7200.0, "untimed": 5}],
        "beside": {"submissions": 10, "seconds": 1800.0},
    }
}


@pytest.mark.parametrize(
    ("pay", "words"),
    [
        (
            "EUR 14.50",
            "Total pay for 2.50 recorded hours, including qualification and gold checks: 36.25 EUR.",
        ),  # two hours and a half
        ("20 USD", "Total pay for 2.50 recorded hours, including qualification and gold checks: 50.00 USD."),
        ("14 to 16 EUR, by experience", "Hourly pay: 14 to 16 EUR, by experience"),
        ("", "Hourly pay: not stated"),
    ],
)
def test_pay_is_added_up_where_it_is_an_amount(pay: str, words: str) -> None:
    section = card_people.people(make_schema().schema_, WORK, {"pay": pay})
    texts = [block.words for block in section.blocks if isinstance(block, Paragraph)]
    (told,) = [each for each in texts if each.startswith("Hourly pay")]
    assert told.endswith(words)
    assert section.lead == "3 people worked on this data set."


def test_judges_have_their_verdict_or_the_reason_for_none() -> None:
    def judge(name: str, **more: Any) -> dict[str, Any]:
        about = {"stage": "grading", "judge": name, "model": "m", "template": None, "asked": "2026-05-04"}
        return {**about, "verdicts": [], "why_none": "not calibrated: the project has no rule for verdicts", **more}

    verdict = {"verdicts": [{"criterion": "score", "words": "Not usable"}], "rule": "The rule, set on 2026-05-01"}
    found = [judge("one", **verdict), judge("two"), {"stage": "grading", "from_files": 2}]
    table, others, *_ = card_people.judges(make_schema().schema_, {"judges": found}).blocks
    assert isinstance(table, ReportTable)
    assert isinstance(others, Paragraph)
    assert [row[-1] for row in table.rows] == ["score: Not usable", found[1]["why_none"]]
    assert "the ratings of 2 raters were imported. The project does not mark these raters as people" in others.words
