"""The items that break a wording rule, as a list for leads."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas import kinds
from db import item_revisions, items
from db.engine import Store
from domain import csv_text
from domain.errors import NotFoundError
from domain.records import Person
from domain.states import ItemState
from workflow.access.projects import require_lead


@dataclass(frozen=True)
class WordingRule:
    """A rule that a field has, and how many items break it."""

    field: str
    rule: str
    words: str
    """The rule in the form of the list: `ends_with: ?`."""
    stops: bool
    n_items: int


@dataclass(frozen=True)
class UnheldLine:
    """A rule that an item breaks."""

    item: str
    dimension: str
    state: ItemState
    field: str
    rule: str
    stops: bool
    sentence: str


@dataclass(frozen=True)
class WordingList:
    """The rules of a project's schema, and the items that break them."""

    title: str
    n_items: int
    """The number of checked items: all except rejected ones."""
    rules: Sequence[WordingRule]
    lines: Sequence[UnheldLine]

    @property
    def n_unheld(self) -> int:
        """Return the number of items that break a rule."""
        return len({line.item for line in self.lines})


def unheld(
    store: Store, *, by: Person | None, project: str, field: str | None = None, rule: str | None = None
) -> WordingList:
    """Return every wording rule that an item breaks now, in the order of items, for leads.

    ``field`` and ``rule`` select some rules. Rejected items are left out.

    Raises
    ------
    NotFoundError
        The schema does not have the rule.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        schema = access.schema
        field_rules = [
            (item_field, name)
            for item_field in schema.item.fields
            if item_field.wording is not None
            for name in item_field.wording.rules
            if field in (None, item_field.name) and rule in (None, name)
        ]
        if (field is not None or rule is not None) and not field_rules:
            there = [
                f"{item_field.name}.{name}"
                for item_field in schema.item.fields
                if item_field.wording
                for name in item_field.wording.rules
            ]
            asked = ".".join(filter(None, (field, rule)))
            known = (
                f"choose one of {', '.join(there)}" if there else "to add rules, set `wording` in a field of the schema"
            )
            raise NotFoundError(f"{access.name!r} has no wording rule {asked!r}; {known}.")
        there_now = items.with_states(session, project_id=access.project_id)
        contents = item_revisions.current_content(session, project_id=access.project_id) if field_rules else {}
    wanted = {(item_field.name, name) for item_field, name in field_rules}
    live = [row for row in there_now if row[3] is not ItemState.REJECTED]
    lines = [
        UnheldLine(external, dimension, state, line.field, line.rule, line.stops, line.sentence)
        for id, external, dimension, state in live
        for line in kinds.unheld_wording(schema, contents.get(id, {}))
        if (line.field, line.rule) in wanted
    ]
    counts = Counter((field, rule) for _, field, rule in {(line.item, line.field, line.rule) for line in lines})
    rules = [
        WordingRule(
            item_field.name, name, kinds.rule_in_words(item_field.wording, name), name in item_field.wording.stops, n
        )
        for item_field, name in field_rules
        if item_field.wording is not None
        for n in [counts[item_field.name, name]]
    ]
    return WordingList(access.title, len(live), rules, lines)


def as_csv(found: WordingList) -> str:
    """Return a CSV file with a line for every rule that an item breaks."""
    out = io.StringIO(newline="")
    rows = csv_text.Writer(out)
    rows.writerow(["item", "dimension", "state", "field", "rule", "stops", "sentence"])
    for line in found.lines:
        rows.writerow(
            [line.item, line.dimension, line.state, line.field, line.rule, str(line.stops).lower(), line.sentence]
        )
    return out.getvalue()


def as_json(found: WordingList) -> dict[str, Any]:
    """Return the same as JSON values, with the number of items that break each rule."""
    return {
        "items": found.n_items,
        "unheld": found.n_unheld,
        "rules": [
            {"field": rule.field, "rule": rule.words, "stops": rule.stops, "items": rule.n_items}
            for rule in found.rules
        ],
        "lines": [
            {"item": line.item, "dimension": line.dimension, "state": line.state, "field": line.field,
             "rule": line.rule, "stops": line.stops, "sentence": line.sentence}
            for line in found.lines
        ],
    }  # fmt: skip
