"""The parts *Edit* and *Upload a file* on the page *Judges*."""

from __future__ import annotations

import pytest

from db.engine import Store
from extensions.own_templates import page_parts
from tests.app.test_judges_page import TEMPLATE, Open, choose_likeness, words
from workflow.runs import judge_templates

pytestmark = pytest.mark.thorough


@pytest.mark.usefixtures("answers")
def test_an_edited_text_becomes_a_version_and_what_is_wrong_with_it_is_told_by_line(show: Open, store: Store) -> None:
    judge_templates.add_version(store, by=None, project="tiny", text=TEMPLATE)
    test = choose_likeness(show())
    test.segmented_control(key="judges.template.part").select("Edit").run()
    text = next(area for area in test.text_area if (area.key or "").startswith("judges.template.text"))
    text.set_value(TEMPLATE.replace("values: [0, 0.5, 1]", "valeus: [1]")).run()
    test.button(key="judges.template.save").click().run()
    page = words(test)
    assert "This template is not valid yet" in page
    assert "valeus" in page
    assert ">7<" in page, "the line of the head"
    text = next(area for area in test.text_area if (area.key or "").startswith("judges.template.text"))
    text.set_value(TEMPLATE + "Be strict.\n").run()
    test.button(key="judges.template.save").click().run()
    assert not test.exception
    found = [each for each in judge_templates.templates_of(store, by=None, project="tiny") if each.name == "likeness"]
    assert [(each.version, each.origin) for each in found] == [(2, "edited from likeness 1"), (1, "")]
    picked = next(box for box in test.selectbox if (box.key or "").startswith("judges.template."))
    assert picked.value == ("likeness", 2)


def test_values_are_numbers_where_they_are_some() -> None:
    assert page_parts.values_of("0, 0.5, 1") == [0, 0.5, 1]
    assert page_parts.values_of("A, B, C,") == ["A", "B", "C"]
