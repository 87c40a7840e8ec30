"""The saved views of the page *Items*: links to named lists, and the forms that save and change them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from app import addresses, markup, shell
from app.reruns import messages
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Confirmation
from domain.errors import NotFoundError
from domain.item_filter import Comments, ItemFilter, ItemList
from domain.records import ProjectView
from workflow.lead import item_views
from workflow.lead.item_views import ItemView

OUTDATED = (
    "This saved view uses fields or dimensions that the schema no longer has. Delete the view, or save a new view."
)


def requested_list(services: Services, view: ProjectView) -> ItemList | None:
    """Return the list of the view in the address, or None without one. Show an error if the view is gone.

    Raises
    ------
    InvalidInputError
        The view has settings that are no longer valid.
    """
    id = st.query_params.get(addresses.SAVED_VIEW)
    if id is None:
        return None
    try:
        return item_views.view(services.store, person=services.person, project=view.name, id=id).list()
    except NotFoundError as error:
        shell.show_error(error)
        return ItemList()


def built_in(lead: bool, expired: bool) -> list[tuple[str, ItemFilter]]:
    """Return the views that every project has: name and filter. ``expired``: an answer came too late."""
    views = [
        ("Open comments", ItemFilter(comments=Comments.OPEN)),
        ("Missing media", ItemFilter(missing=True)),
    ]
    if lead:
        views.append(("Returned to author", ItemFilter(with_author=True)))
        views.append(("Votes differ", ItemFilter(differ=True)))
    if lead and expired:
        views.append(("Expired answers", ItemFilter(expired=True)))
    return views


def draw(services: Services, view: ProjectView, now: ItemList, *, lead: bool, expired: bool) -> None:
    """Draw the links, and the forms that save, rename and delete views."""
    there = item_views.views(services.store, person=services.person, project=view.name)
    words = now.at(page=1).asked()
    shell.show(_links("Views", [_built_in(view, name, conditions) for name, conditions in built_in(lead, expired)]))
    if there:
        saved_links = [_link(view, saved_view, here=saved_view.asked == words) for saved_view in there]
        shell.show(_links("Saved views", saved_links))
    _save(services, view, now, lead=lead)
    _change(services, view, [saved_view for saved_view in there if saved_view.changeable])


def _links(label: str, links: Sequence[markup.Markup]) -> markup.Markup:
    return markup.tag(
        "nav", markup.tag("ul", *(markup.tag("li", link) for link in links)), style="ts", aria_label=label
    )


def _built_in(view: ProjectView, name: str, conditions: ItemFilter) -> markup.Markup:
    return markup.tag("a", markup.text(name), href=ItemList(conditions).address(view.name), target="_self")


def _link(view: ProjectView, each: ItemView, *, here: bool = False) -> markup.Markup:
    more = {"aria_current": "true"} if here else {}
    words = markup.text(each.name)
    href = addresses.saved_view(view.name, each.id)
    return markup.tag("a", markup.tag("b", words) if here else words, href=href, target="_self", **more)


def _save(services: Services, view: ProjectView, now: ItemList, *, lead: bool) -> None:
    key = f"items.view.{view.name}"
    st.text_input("Save this list as", key=f"{key}.name", placeholder="Name of the view")
    if lead:
        st.checkbox("Share with seniors and leads", key=f"{key}.shared")

    def save() -> None:
        with shell.pressed(services):
            given = st.session_state
            name, shared = given[f"{key}.name"], bool(given.get(f"{key}.shared"))
            who: dict[str, Any] = {"person": services.person, "project": view.name}
            made = item_views.save(services.store, **who, name=name, asked=now, shared=shared)
            whom = "all seniors and leads" if shared else "you"
            messages.keep("items.said", f"View “{made.name}” is saved for {whom}.")

    st.button("Save view", key=f"{key}.save", on_click=save)


def _change(services: Services, view: ProjectView, changeable: Sequence[ItemView]) -> None:
    if not changeable:
        return
    key = f"items.view.{view.name}"
    who: dict[str, Any] = {"person": services.person, "project": view.name}
    of = {saved_view.id: saved_view for saved_view in changeable}

    def called(id: str) -> str:
        return of[id].name + (" (for everyone)" if of[id].shared else "")

    id = st.selectbox("Change a view", list(of), format_func=called, key=f"{key}.which")
    if id is None:
        return
    st.text_input("New name", key=f"{key}.new.{id}", value=of[id].name)

    def rename() -> None:
        with shell.pressed(services):
            made = item_views.rename(services.store, **who, id=id, name=st.session_state[f"{key}.new.{id}"])
            messages.keep("items.said", f"View renamed to “{made.name}”.")

    def delete() -> None:
        item_views.delete(services.store, **who, id=id)
        messages.keep("items.said", f"View “{of[id].name}” is deleted.")

    left, right = st.columns(2)
    left.button("Rename", key=f"{key}.rename", on_click=rename)
    whose = "The view disappears for all seniors and leads." if of[id].shared else "Only you can see this view."
    question = Confirmation(
        f"Delete the view “{of[id].name}”?",
        f"{whose} The items stay unchanged.",
        "To restore the view, save the same list again.",
        "Delete view",
    )
    sure = partial(confirm.ask, services, question, delete, key="items.view.sure")
    right.button("Delete", key=f"{key}.delete", on_click=sure)
