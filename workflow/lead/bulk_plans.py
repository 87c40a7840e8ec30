"""The plan of a bulk action: its effect on each chosen item, before any change."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from db import comment_threads, item_list, people, projects, tasks
from db.engine import Session
from db.records import StoredItem, StoredMember, StoredTask
from domain.errors import InvalidInputError, NotFoundError, Problem
from domain.item_filter import ItemFilter
from domain.records import Person
from domain.sharing import shared_out
from domain.states import VOTED_ON, ItemState, Stage
from workflow.access.projects import Access, as_member
from workflow.annotate import sent_back
from workflow.annotate.priorities import LARGEST_PRIORITY
from workflow.lead import send_back
from workflow.lead.hand_over import Taker
from workflow.lead.send_back import Reasons

MOST = 5_000
"""The largest number of items or claims in one action, because all change in one transaction."""


class Action(StrEnum):
    """A bulk action."""

    PRIORITISE = "prioritise"
    """Let items come earlier or later."""
    VERIFY_AGAIN = "verify_again"
    """Have items verified again. Earlier submissions are kept."""
    SEND_BACK = "send_back"
    """Have authors change their items, with a reason. Until then, the items are not offered to other people."""
    ASSIGN = "assign"
    """Assign a slot of every item, if it is free or held by another person. Each person has the slot alone for a
    while.
    """


NO_ITEM = "No items are chosen. Choose items by voter, dimension, state or id, or choose all items."
NO_SUCH = "No selected item has this ID."


@dataclass(frozen=True)
class BulkSelection:
    """A selection of items. All given conditions must hold; ``items`` are ids in files."""

    stage: Stage | None = None
    """The stage of the slots (``ASSIGN`` only)."""
    dimension: str | None = None
    state: ItemState | None = None
    voter: str | None = None
    """The login of a person who has voted on the items."""
    items: tuple[str, ...] = ()
    every: bool = False
    """Select every item of the project. Without this, an empty selection has no items. Ignored with any other
    condition.
    """

    @property
    def nothing(self) -> bool:
        """Whether no item is chosen."""
        return not self.every and self == BulkSelection(stage=self.stage)


@dataclass(frozen=True)
class BulkPreview:
    """The effect of an action at this moment."""

    can: tuple[str, ...]
    """The ids in files of the items that would change, one entry for every item or claim."""
    cannot: tuple[tuple[str, str], ...]
    """The chosen items that would not change, with the reasons."""
    token: str
    """A hash of all data behind the preview. The action is executed only if the hash is unchanged."""
    shares: Mapping[str, int] = field(default_factory=dict)
    """The number of items that each person would get (``ASSIGN``), by login."""
    lookers: int = 0
    """The number of raters who get no new blind task on some of the items, because they have seen votes on them."""
    looked_at: int = 0
    """The number of these items."""

    @property
    def out(self) -> str:
        """Return who is out of the new blind work, as a sentence; empty if nobody is.

        >>> BulkPreview((), (), "", lookers=1, looked_at=3).out
        '1 rater has seen votes on 3 of these items and will not be asked about them again.'
        """
        if not self.lookers:
            return ""
        raters = "1 rater has" if self.lookers == 1 else f"{self.lookers:,} raters have"
        those = "it" if self.looked_at == 1 else "them"
        return f"{raters} seen votes on {self.looked_at:,} of these items and will not be asked about {those} again."


@dataclass(frozen=True)
class BulkPlan:
    preview: BulkPreview
    items: Sequence[StoredItem] = ()
    slots: Sequence[tuple[StoredTask, int]] = ()
    """The slots to assign, each with the person who gets it."""


@dataclass(frozen=True)
class ActionDetails:
    """The arguments of the actions. Each action uses its own."""

    among: Sequence[str]
    priority: int
    reasons: Reasons
    by: Person | None


def plan_action(
    session: Session, access: Access, action: Action, chosen: BulkSelection, how: ActionDetails, *, lock: bool
) -> BulkPlan:
    if action is Action.PRIORITISE and not -LARGEST_PRIORITY <= how.priority <= LARGEST_PRIORITY:
        raise InvalidInputError(
            [Problem("priority", f"The priority must be from -{LARGEST_PRIORITY} to {LARGEST_PRIORITY}.")]
        )
    if chosen.nothing:
        raise InvalidInputError([Problem("items", NO_ITEM)])
    if action is Action.ASSIGN:
        return _plan_assigned(session, access, chosen, list(dict.fromkeys(how.among)), lock=lock)
    if action is Action.SEND_BACK:
        send_back.must_be_said(how.by, how.reasons, chosen.items)
    return _plan_items(session, access, action, chosen, how, lock=lock)


def _plan_assigned(
    session: Session, access: Access, chosen: BulkSelection, to: Sequence[str], *, lock: bool
) -> BulkPlan:
    if not to or chosen.stage is None:
        raise InvalidInputError([Problem("to", "Choose the people and the stage.")])
    members = {login: find_taker(session, access, login) for login in to}
    chosen_items = _chosen_items(session, access, chosen, lock=lock)
    require_few(len(chosen_items))
    slots: dict[int, list[StoredTask]] = {}
    for row in tasks.open_or_held(session, item_ids=[item.id for item in chosen_items], stage=chosen.stage, lock=lock):
        slots.setdefault(row.item_id or 0, []).append(row)
    first = [rows[0] for rows in slots.values()]
    takers = {login: Taker(session, access, member, first) for login, member in members.items()}
    ids = {taker.id for taker in takers.values()}
    able: list[list[str]] = []
    cannot = []
    for item in chosen_items:
        there = slots.get(item.id, [])
        whys: dict[str, str] = {}
        if not there:
            why = f"The item has no open task in the {access.schema.stages.in_a_sentence(chosen.stage.value)}."
        elif any(row.person_id in ids for row in there):
            why = (
                "This person already has the item."
                if len(to) == 1
                else "One of the chosen people already has the item."
            )
        elif there[0].awaits_media:
            why = "An image or clip of the item is missing."
        else:
            whys = {login: taker.why_not(there[0]) for login, taker in takers.items()}
            why = _why_no_one(whys)
        able.append([] if why else [login for login, barred in whys.items() if not barred])
        if why:
            cannot.append((item.external_id, why))
    names = {item.external_id for item in chosen_items}
    cannot += [(name, NO_SUCH) for name in chosen.items if name not in names]
    given = [(item, login) for item, login in zip(chosen_items, shared_out(able), strict=True) if login is not None]
    can = [item.external_id for item, _ in given]
    state = [(row.id, row.state, row.person_id) for slot in slots.values() for row in slot]
    rest = {"to": [(item.id, login) for item, login in given], "state": state, "can": can, "cannot": cannot}
    token = preview_token(Action.ASSIGN, chosen, rest)
    counts = Counter(login for _, login in given)
    shares = {login: counts[login] for login in to} if len(to) > 1 else {}
    preview = BulkPreview(tuple(can), tuple(cannot), token, shares)
    return BulkPlan(preview, slots=[(slots[item.id][0], takers[login].id) for item, login in given])


def find_taker(session: Session, access: Access, login: str) -> StoredMember:
    """Return a member of a project by login."""
    member = projects.member(session, project_id=access.project_id, person_id=person_id_of(session, login))
    if member is None:
        raise InvalidInputError([Problem("to", f"{login!r} is not a member of this project. Choose a member.")])
    return member


def _why_no_one(whys: Mapping[str, str]) -> str:
    """Return why no person of a group can have an item; empty if one can."""
    if not all(whys.values()):
        return ""
    if len(set(whys.values())) == 1:
        return next(iter(whys.values()))
    return "None of these people may work on the item. " + " ".join(f"{login}: {why}" for login, why in whys.items())


def _plan_items(
    session: Session, access: Access, action: Action, chosen: BulkSelection, how: ActionDetails, *, lock: bool
) -> BulkPlan:
    chosen_items = _chosen_items(session, access, chosen, lock=lock)
    back = sent_back.of_project(session, access=access)
    barred = send_back.why_not(session, access, chosen_items, back) if action is Action.SEND_BACK else {}
    rows, can, cannot = [], [], []
    for item in chosen_items:
        why = barred.get(item.id, "")
        if action is Action.PRIORITISE and item.priority == how.priority:
            why = "The item already has this priority."
        elif action is Action.VERIFY_AGAIN and item.id not in back:
            if item.state is ItemState.UNVERIFIED:
                why = "This project has no verification stage."
            elif item.state in VOTED_ON.values():
                why = "The item is already in verification."
        if why:
            cannot.append((item.external_id, why))
        else:
            rows.append(item)
            can.append(item.external_id)
    names = {item.external_id for item in chosen_items}
    cannot += [(name, NO_SUCH) for name in chosen.items if name not in names]
    require_few(len(rows))
    state = [(item.id, item.state, item.current_revision, item.priority) for item in chosen_items]
    details = {"priority": how.priority, "reasons": str(how.reasons), "state": state, "can": can, "cannot": cannot}
    token = preview_token(action, chosen, details)
    looked = _who_looked(session, access, rows) if action in (Action.VERIFY_AGAIN, Action.SEND_BACK) else set()
    lookers, looked_at = len({person for _, person in looked}), len({item for item, _ in looked})
    return BulkPlan(BulkPreview(tuple(can), tuple(cannot), token, lookers=lookers, looked_at=looked_at), rows)


def _who_looked(session: Session, access: Access, rows: Sequence[StoredItem]) -> set[tuple[int, int]]:
    """Return the items (ids) and the raters (ids) who could verify them again if they had not seen votes on them."""
    stages = [Stage(name) for name in access.schema.stages.verifications]
    raters = {}
    for member, person in projects.members(session, project_id=access.project_id):
        theirs = as_member(access, member)
        if any(theirs.may_do(stage) for stage in stages):
            raters[person.id] = theirs
    by_id = {item.id: item for item in rows}
    return {
        (item, person)
        for item, person in comment_threads.who_looked(session, item_ids=[*by_id])
        if person in raters and raters[person].may_use(by_id[item].dimension) and by_id[item].author_id != person
    }


def _chosen_items(session: Session, access: Access, chosen: BulkSelection, *, lock: bool) -> list[StoredItem]:
    """Return the items that match all conditions."""
    wanted = ItemFilter(
        state=(chosen.state,) if chosen.state is not None else (),
        dimension=(chosen.dimension,) if chosen.dimension is not None else (),
        voter=chosen.voter or "",
        ids=chosen.items,
    )
    ids, _ = item_list.page(session, within=item_list.ListScope(access.project_id), wanted=wanted)
    return item_list.rows(session, ids=ids, lock=lock)


def require_few(n: int) -> None:
    """Raise ``InvalidInputError`` if this is more than one action may change."""
    if n > MOST:
        raise InvalidInputError([Problem("items", f"You chose {n:,} items. Choose at most {MOST:,}.")])


def person_id_of(session: Session, login: str) -> int:
    """Return the id of the account with this login."""
    row = people.by_login(session, login=login.strip().casefold())
    if row is None:
        raise NotFoundError(f"No account has the login {login!r}. Check the spelling.")
    return row.id


def preview_token(action: StrEnum, chosen: object, rest: Mapping[str, object]) -> str:
    """Return a hash of an action, of what is chosen and of all data behind its preview."""
    text = json.dumps([action.value, str(chosen), rest], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
