"""Make gold checks of items that a lead has chosen: first a preview with reasons, then all of them or none."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from db import item_list
from db.engine import Session, Store
from db.records import StoredItem
from domain.errors import ConflictError, InvalidInputError, Problem
from domain.item_filter import ItemFilter
from domain.records import Person
from domain.states import VERIFICATIONS, ItemState, Stage
from extensions.gold import queries
from extensions.gold.checks import asked_or_refuse
from extensions.gold.making import Candidate, GoldCandidate, candidates_in, in_use, make_checks
from workflow.access.projects import Access, require_lead

MOST = 2000
"""Maximum number of items at once."""


@dataclass(frozen=True)
class OfItems:
    """Preview of the gold checks that some items would become."""

    can: tuple[str, ...]
    """External ids of the items whose right answers are beyond doubt."""
    cannot: tuple[tuple[str, str], ...]
    """The other items, each with the reason."""
    checks: int
    """Number of gold checks; in grading there is one for each answer."""
    token: str
    """Hash of the items and their right answers."""


def preview(store: Store, *, by: Person | None, project: str, stage: Stage, names: Sequence[str]) -> OfItems:
    """Return what ``make`` would do with items (external ids), without doing it; leads only.

    The candidates are those of ``candidates`` and also kept items without votes: their key is the right answer.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return _of_items(session, access, stage, names)[0]


def make(
    store: Store, *, by: Person | None, project: str, stage: Stage, names: Sequence[str], token: str
) -> list[GoldCandidate]:
    """Make gold checks of all possible items among these, and return the checks.

    Raises
    ------
    ConflictError
        The items or answers have changed since the preview with this token. No gold check is made.
    """
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        of_items, chosen = _of_items(session, access, stage, names)
        if of_items.token != token:
            raise ConflictError(
                "The items have changed since you opened the preview, so Touchstone made no gold checks. "
                "Review the preview again."
            )
        if not chosen:
            raise InvalidInputError(
                [Problem("items", "None of the chosen items can be a gold check. Choose other items.")]
            )
        return make_checks(session, access, stage, chosen, by, now)


def _of_items(session: Session, access: Access, stage: Stage, names: Sequence[str]) -> tuple[OfItems, list[Candidate]]:
    asked_or_refuse(access, stage)
    if not names:
        raise InvalidInputError([Problem("items", "Choose at least one item.")])
    if len(names) > MOST:
        raise InvalidInputError([Problem("items", f"You chose {len(names):,} items. Choose at most {MOST:,} at once.")])
    within = item_list.ListScope(access.project_id)
    ids, _ = item_list.page(session, within=within, wanted=ItemFilter(ids=tuple(names)))
    rows = {row.external_id: row for row in item_list.rows(session, ids=ids)}
    by_item: dict[int, list[Candidate]] = defaultdict(list)
    for candidate in candidates_in(session, access, stage, rows.values()):
        by_item[candidate[0].id].append(candidate)
    taken = {item_id for item_id, _ in in_use(session, access, stage)}

    def why(row: StoredItem | None) -> str:
        if row is None:
            return "This project has no item with this ID. Check the ID."
        if stage in VERIFICATIONS and row.state not in queries.SETTLED:
            return "This item is not settled yet. Settle the item first."
        if row.id in taken:
            return "This item is already a gold check."
        if stage is Stage.GRADING:
            return "No answer to this item has complete and unanimous grades. Grade the answers first."
        if row.state is ItemState.KEPT:
            return "The right answer to this item is unknown. Import the answer with `touchstone gold import`."
        return (
            "The votes on this item give different wrong answers, so the right answer is uncertain. Import the "
            "answer with `touchstone gold import`."
        )

    names = tuple(dict.fromkeys(names))
    can = tuple(name for name in names if name in rows and rows[name].id in by_item)
    cannot = tuple((name, why(rows.get(name))) for name in names if name not in set(can))
    chosen = [candidate for name in can for candidate in by_item[rows[name].id]]
    facts = [[item.id, item.current_revision, of.id if of else None, known] for item, of, known in chosen]
    token = hashlib.sha256(json.dumps([stage, facts, cannot], default=str).encode()).hexdigest()
    return OfItems(can, cannot, len(chosen), token), chosen
