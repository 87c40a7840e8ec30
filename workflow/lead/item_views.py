"""Saved views: lists of items with a name, for one person or for all who may see the table of items.

They are stored only in the log, which therefore records who saved, renamed or deleted each view.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from db import events, projects
from db.engine import Session, Store
from db.types import public_id
from domain.errors import ConflictError, InvalidInputError, NotAllowedError, NotFoundError, Problem
from domain.item_filter import ItemList
from domain.records import Person
from domain.roles import Role, at_least
from workflow.access.event_log import log
from workflow.access.projects import Access
from workflow.lead.item_list import barred, seeing

LONGEST_NAME = 80
"""The largest number of characters in a name."""
LONGEST_LIST = 10_000
"""The largest number of characters in the words of a list, limited by the length of an address."""
MOST = 100
"""The largest number of views for each person, and of shared views."""


@dataclass(frozen=True)
class ItemView:
    """A list of items with a name."""

    id: str
    name: str
    shared: bool
    """The view is for all who may see the table, and not only for the person who saved it."""
    login: str
    """The login of the person who saved the view."""
    asked: Mapping[str, Sequence[str]]
    """The words of the list, as in an address."""
    mine: bool
    """The reader saved it."""
    changeable: bool
    """The reader may give it another name, or delete it."""

    def list(self) -> ItemList:
        """Return the list. Raises ``InvalidInputError`` if the list has a word that is no longer valid."""
        return ItemList.parse(self.asked)


def views(store: Store, *, person: Person | None, project: str) -> list[ItemView]:
    """Return the views that a person may open, by name: their own and the shared ones. Raises the errors of the table.

    Here and below, None as a person is a command on the machine itself, which has the shared views only.
    """
    with store.read() as session:
        access = seeing(session, person, project)
        return [view for view in _views(session, access, person) if _may_open(access, view)]


def view(store: Store, *, person: Person | None, project: str, id: str) -> ItemView:
    """Return one of ``views``. Raises ``NotFoundError`` for an unknown id."""
    for saved in views(store, person=person, project=project):
        if saved.id == id:
            return saved
    raise NotFoundError("This saved view was deleted or belongs to another person. Choose another view.")


def save(
    store: Store, *, person: Person | None, project: str, name: str, asked: ItemList, shared: bool = False
) -> ItemView:
    """Save a list under a name, without its page number. Repeated calls change nothing.

    Raises
    ------
    InvalidInputError
        The name is empty or too long, or the list is too long.
    ConflictError
        The name is taken by another list, or the limit of views is reached.
    NotAllowedError
        A person who is not a lead saves a shared view.
    """
    name = _name(name)
    words = asked.at(page=1).asked()
    if (long := len(json.dumps(words, ensure_ascii=False))) > LONGEST_LIST:
        message = (
            f"The filters of this list have {long:,} characters; the limit for a view is {LONGEST_LIST:,}. Remove "
            "some filters."
        )
        raise InvalidInputError([Problem("view", message)])
    with store.write() as session:
        access = seeing(session, person, project)
        if person is None and not shared:
            raise InvalidInputError([Problem("view", "Choose an owner for the view, or save the view for everyone.")])
        if shared and not at_least(access.role, Role.LEAD):
            raise NotAllowedError("Only leads can save a view for everyone. Save the view for yourself.")
        projects.lock(session, id=access.project_id)  # two who save at once give no name twice
        there = _of(_views(session, access, person), shared=shared)
        same = next((view for view in there if view.name == name), None)
        if same is not None and same.asked == words:
            return same
        _must_be_free(there, name)
        if len(there) >= MOST:
            raise ConflictError(f"The limit of {len(there)} views is reached. Delete a view first.")
        made = public_id()
        data = {"view": made, "name": name, "shared": shared, "asked": words}
        log(session, events.VIEW_SAVED, by=person, project=access, now=store.now(), data=data)
        return ItemView(
            made, name, shared, person.login if person else "", words, mine=person is not None, changeable=True
        )


def rename(store: Store, *, person: Person | None, project: str, id: str, name: str) -> ItemView:
    """Give a view another name: its owner, and leads those for everyone. Raises as ``save``, and ``NotFoundError``."""
    name = _name(name)
    with store.write() as session:
        access = seeing(session, person, project)
        projects.lock(session, id=access.project_id)
        every = _views(session, access, person)
        view = _changeable(every, id)
        if view.name != name:
            _must_be_free(_of(every, shared=view.shared), name)
            data = {"view": id, "name": name, "before": view.name}
            log(session, events.VIEW_RENAMED, by=person, project=access, now=store.now(), data=data)
        return replace(view, name=name)


def delete(store: Store, *, person: Person | None, project: str, id: str) -> None:
    """Take a view away: its owner, and leads those for everyone. Raises ``NotFoundError`` if it is gone."""
    with store.write() as session:
        access = seeing(session, person, project)
        projects.lock(session, id=access.project_id)
        view = _changeable(_views(session, access, person), id)
        data = {"view": id, "name": view.name}
        log(session, events.VIEW_DELETED, by=person, project=access, now=store.now(), data=data)


def _views(session: Session, access: Access, person: Person | None) -> list[ItemView]:
    """Return the views in the log: the reader's own and the shared ones, by name."""
    item_views: dict[str, ItemView] = {}
    lead = at_least(access.role, Role.LEAD)
    for event, login in events.of_kinds(session, project_id=access.project_id, kinds=events.VIEWS):
        data: Mapping[str, Any] = event.data
        id = data["view"]
        if event.kind == events.VIEW_SAVED:
            mine, shared = person is not None and event.person_id == person.id, bool(data["shared"])
            if mine or shared:
                may = mine or lead
                item_views[id] = ItemView(id, data["name"], shared, login or "", data["asked"], mine, may)
        elif event.kind == events.VIEW_DELETED:
            item_views.pop(id, None)
        elif id in item_views:
            item_views[id] = replace(item_views[id], name=data["name"])
    return sorted(item_views.values(), key=lambda each: (each.name.casefold(), each.id))


def _may_open(access: Access, view: ItemView) -> bool:
    """Return whether the list asks only for values that the reader may see. An unreadable list is reported when
    opened.
    """
    try:
        return not barred(access, view.list())
    except InvalidInputError:
        return True


def _of(views: Iterable[ItemView], *, shared: bool) -> list[ItemView]:
    """Return the views among which a name is unique: the shared ones, or a person's own."""
    return [view for view in views if view.shared is shared]


def _changeable(views: Iterable[ItemView], id: str) -> ItemView:
    for view in views:
        if view.id == id:
            if not view.changeable:
                raise NotAllowedError("Only leads and the owner may change a shared view. Ask the owner or a lead.")
            return view
    raise NotFoundError("This view was deleted. Reload the page.")


def _must_be_free(views: Iterable[ItemView], name: str) -> None:
    if any(view.name.casefold() == name.casefold() for view in views):
        raise ConflictError(f"Another view has the name “{name}”. Choose another name, or delete the other view first.")


def _name(text: str) -> str:
    """Return a name on one line, without characters that screens or databases cannot handle."""
    name = " ".join(
        "".join(character if character >= " " else " " for character in text).encode(errors="ignore").decode().split()
    )
    if not name:
        raise InvalidInputError([Problem("name", "Enter a name for the view.")])
    if len(name) > LONGEST_NAME:
        message = (
            f"The limit for names is {LONGEST_NAME} characters, but this name has {len(name):,}. Shorten the name."
        )
        raise InvalidInputError([Problem("name", message)])
    return name
