"""The page *Failures*: each number leads to its answers, and a sending that is refused is told."""

from __future__ import annotations

from html import unescape
from pathlib import Path

from db.engine import Store
from domain.roles import Role
from extensions.cases import case_list, failures
from extensions.cases.case_list import CaseFilter
from extensions.cases.coding_intake import open_coding
from extensions.cases.failures_page import failures_page
from testkit.coded_world import CODING, answer, code, schema
from testkit.factories import make_items, make_people, make_person, make_project
from tests.app.screens import drawn, part, words


def test_each_number_leads_to_its_answers(store: Store) -> None:
    loaded = schema(CODING.replace("raters: 2", "raters: 1"))
    make_project(store, loaded=loaded)
    items = make_items(store, 3)
    for model, wrong in (("one", 3), ("two", 1)):
        answer(store, items[:wrong], model, lambda at: "blue")
    open_coding(store, by=None, project="p")
    (ann,) = make_people(store, "ann")
    for given in (["perception"], ["perception", "format"], ["format"], ["reasoning"]):
        code(store, ann, given)
    found = failures.failures(store, person=None, project="p")
    assert sum(each.n for each in found.counts if each.dimension is None) == 5, "two codes are two failures"
    for each in found.counts:
        wanted = CaseFilter(model=each.model, dimension=each.dimension)
        listed = case_list.listing(store, project="p", wanted=wanted, code=("failure", each.code or ""))
        coded = [one for one in found.answers if one.model == each.model and each.code in one.values["failure"]]
        assert len(listed.ids) == each.n
        assert {*listed.ids} == {one.item for one in coded}


def test_the_page_opens_with_the_most_frequent_failure(store: Store, home: Path) -> None:
    make_project(store, loaded=schema(CODING.replace("raters: 2", "raters: 1")))
    items = make_items(store, 10)
    answer(store, items, "one", lambda at: "blue")
    answer(store, items[:1], "two", lambda at: "blue")
    open_coding(store, by=None, project="p")
    (ann,) = make_people(store, "ann")
    make_person(store, "lea", role=Role.LEAD, stages=[])
    for _ in range(10):
        code(store, ann, lambda view: ["format"])
    page = drawn(store, home, "failures", "lea", project="p")
    assert "“Format”" in part(page, "finding")
    assert "10 settled (10 by agreement" in part(page, "counted")
    assert "Dimension" not in part(page, "failures-failure-whole")
    assert 'data-part="failures-failure"' not in words(page), "it is folded"
    assert "code=failure%3Aformat" in words(page)
    assert not page.button
    page = drawn(store, home, "failures", "lea", project="p", show="failure")
    assert "Colour" in part(page, "failures-failure")


def test_why_nothing_can_be_sent_is_told(store: Store) -> None:
    make_project(store, loaded=schema(CODING.replace("{score: key}", "{score: judge, criterion: score, judge: gpt-9}")))
    answer(store, make_items(store, 1), "m", lambda at: "blue")
    found = failures_page(store, project="p")
    assert (found.intake, found.failures.answers) == (None, [])
    assert (
        found.why
        == "No judge 'gpt-9' has scored score. Judges with scores: none. Run the judge, or name another judge in "
        "the schema."
    )


def test_the_page_says_that_a_schema_has_no_coding(store: Store, home: Path) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)
    page = drawn(store, home, "failures", "lea", project="p")
    assert "The schema blind has no coding stage" in unescape(words(page))
