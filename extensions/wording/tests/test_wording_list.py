"""A lead lists the items whose texts break a rule of wording, as they stand now."""

from __future__ import annotations

import csv
import io

import pytest

from annotation_schemas.loader import load_text
from db import items
from db.engine import Store
from domain.errors import NotAllowedError, NotFoundError
from domain.roles import Role
from domain.states import ItemState
from extensions.wording import wording_list
from testkit.factories import make_items, make_person, make_project

SCHEMA = """
name: worded
version: 1
title: Worded
source: {format: jsonl}
dimensions: [{id: colour, title: Colour}]
item:
  assets: [{role: image, kind: image, min: 0}]
  fields:
    - {name: question, kind: text, wording: {words: {most: 4}, ends_with: "?", stops: [ends_with]}}
    - {name: options, kind: text_list, wording: {alike_length: 2, no_rewording: true}}
    - {name: answer, kind: option_of, field: options, wording: {not_in: [question]}}
stages:
  authoring: {}
"""
GOOD = {"question": "Which cup is this?", "options": ["red one", "blue one"], "answer": "red one"}
LONG = {**GOOD, "question": "Which of these cups is this?"}  # 6 words
OPEN = {**GOOD, "question": "Which cup is this"}


def test_a_lead_lists_what_does_not_hold(store: Store) -> None:
    make_project(store, loaded=load_text(SCHEMA, "", "worded"))
    make_items(store, 1, fields=GOOD)
    ids = make_items(store, 2, fields={**LONG, "options": ["red one", "one that is blue"]})
    make_items(store, 1, fields=OPEN)
    with store.write() as session:
        items.settle(session, states=[(items.lock(session, id=ids[1]), ItemState.REJECTED)])
    found = wording_list.unheld(store, by=None, project="p")
    assert (found.n_items, found.n_unheld) == (3, 2)
    assert [(each.field, each.words, each.stops, each.n_items) for each in found.rules] == [
        ("question", "words: most 4", False, 1),
        ("question", "ends_with: ?", True, 1),
        ("options", "alike_length: 2", False, 1),  # 16 characters and 7
        ("options", "no_rewording", False, 0),
        ("answer", "not_in: question", False, 0),
    ]
    assert [
        (each.item, each.rule) for each in wording_list.unheld(store, by=None, project="p", field="options").lines
    ] == [("colour/1", "alike_length")]
    rows = list(csv.DictReader(io.StringIO(wording_list.as_csv(found))))
    assert [(row["item"], row["rule"], row["stops"]) for row in rows] == [
        ("colour/1", "words", "false"),
        ("colour/1", "alike_length", "false"),
        ("colour/3", "ends_with", "true"),
    ]
    with pytest.raises(
        NotFoundError, match=r"choose one of question\.words, question\.ends_with, options\.alike_length"
    ):
        wording_list.unheld(store, by=None, project="p", rule="person")
    with pytest.raises(NotAllowedError):
        wording_list.unheld(store, by=make_person(store, "sen", role=Role.SENIOR), project="p")
