"""The page *Items*: the table of items with its filters, one open item, and actions on the ticked or matching items."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from app import addresses, markup, shell
from app.items import actions, drawer, filters, row_keys, saved, table
from app.items.added_actions import DONE
from app.reruns import messages
from app.screens import Room, Screen
from app.services import Services
from app.widgets import counts
from domain import extensions
from domain.errors import InvalidInputError, NotAllowedError
from domain.item_counts import COUNTS
from domain.item_filter import ItemList
from domain.language import _
from domain.records import ProjectView
from domain.roles import Role, at_least
from workflow.lead import item_list
from workflow.lead.item_list import ItemPage

SCREEN = Screen(
    "All items",
    place=100,
    room=Room.ITEMS,
    role=Role.SENIOR,
    words="items questions table search find filter kept rejected returned send back state",
)


def render(services: Services) -> None:
    """Draw the filters, the table, the open item, and the button for actions."""
    view = shell.project(services)
    if not at_least(view.role, Role.SENIOR):
        raise NotAllowedError(
            _("Only seniors and leads can see the items of {project}. To see your tasks, open My work.").format(
                project=view.title
            )
        )
    lead = at_least(view.role, Role.LEAD)
    shell.show(markup.Markup(f"<style>{STYLE}{counts.WHY_STYLE}{table.STYLE}{drawer.STYLE}</style>"))
    _head(view, lead=lead)
    shell.tell_refused()
    for said in ("items.said", DONE):
        if message := messages.kept_message(said):
            shell.show(markup.notice(message, style="good"))
    asked, page = ItemList(), None
    try:
        asked = saved.requested_list(services, view) or _of_address()
        page = item_list.listing(services.store, person=services.person, project=view.name, asked=asked)
    except InvalidInputError as error:
        shell.show_error(error)
        if addresses.SAVED_VIEW in st.query_params:
            shell.show(markup.notice(saved.OUTDATED))
        asked = ItemList()
    titles = item_list.columns_of(services.store, person=services.person, project=view.name)
    expired = page is not None and page.has_expired
    filters.draw(services, view, asked, titles, lead=lead, expired=expired)
    if page is None:
        return
    others = [section(services, view, asked) for section in extensions.rows("item_list_sections")]
    opened = st.query_params.get(addresses.ITEM)
    _above(services, view, asked, page, lead=lead)
    if page.lines:
        table.draw(services, view, asked, page, titles, opened=opened, ticks=lead)
    else:
        _nothing(asked, page, others=any(others))
    if opened:
        drawer.draw(services, view, asked, page, opened)
    row_keys.listen(view, asked, opened)


STYLE = """
.st-key-items-above { margin: -.4rem 0; min-height: 2rem; }
.st-key-items-above button { min-height: 1.9rem; padding: .1rem .6rem; }
.st-key-items-above > :first-child { flex: 1 1 auto; }
.st-key-items-above > :not(:first-child) { width: auto; flex: none; }
.st-key-items-filters [data-testid="stTextInputRootElement"] { height: 2.2rem; min-height: 0; }
.st-key-items-filters button { min-height: 2.2rem; }
.ts-add { display: inline-block; background: #0f6e84; color: #fff !important; font-weight: 600; font-size: .92rem;
  padding: .35rem .9rem; border-radius: 6px; text-decoration: none; white-space: nowrap; }
.ts-add:hover { background: #0b5769; }
@media (max-width: 700px) {
  :is(.st-key-items-filters, .st-key-items-above) { flex-wrap: wrap !important; }
  .st-key-items-filters > :first-child { flex: 1 0 100%; }
  .ts-items td.picture + td { min-width: 11rem; }
}
"""


def _head(view: ProjectView, *, lead: bool) -> None:
    add = None
    if lead and not view.archived:
        to = addresses.page("import", view.name)
        add = markup.tag("a", markup.text("Add items"), href=to, target="_self", style="ts-add")
    shell.heading("Items", made_up=view.made_up, beside=add)


def _of_address() -> ItemList:
    """Return the list that the address describes. Raise ``InvalidInputError`` if the address is invalid."""
    return ItemList.parse({name: st.query_params.get_all(name) for name in st.query_params})


def _above(services: Services, view: ProjectView, asked: ItemList, page: ItemPage, *, lead: bool) -> None:
    """Draw the line above the table: the count, the hidden items, the ticks, the pages and the actions."""
    last = max(-(-page.n // asked.size), 1)
    first = (asked.page - 1) * asked.size + 1
    with st.container(horizontal=True, vertical_alignment="center", key="items-above", gap="xsmall", wrap=False):
        parts = [markup.tag("b", markup.text(markup.count(page.n, "item")), data_part="count")]
        if page.without_media and not asked.filter.missing:
            parts += [markup.text(" · "), _without_media(view, asked, page.without_media)]
        shell.show(markup.tag("div", *parts, *counts.hidden(page.counts), style="ts ts-small"))
        if lead and page.n:
            actions.offer(services, view, asked, page.n)
        if last > 1:
            shown = f"{first:,} to {first + len(page.lines) - 1:,}" if page.lines else "None"
            shell.show(markup.tag("span", markup.quiet(shown), style="ts ts-small", data_part="shown"))
            for label, icon, to in (
                ("First page", "<<", 1),
                ("Previous page", "<", asked.page - 1),
                ("Next page", ">", asked.page + 1),
                ("Last page", ">>", last),
            ):
                off = not 1 <= to <= last or to == asked.page
                st.button(
                    icon, key=f"items.{label.split()[0].lower()}", disabled=off, help=label,
                    on_click=filters.go, args=(view, asked.at(page=to)),
                )  # fmt: skip


def _without_media(view: ProjectView, asked: ItemList, n: int) -> markup.Markup:
    """Return the number of listed items with missing media, as a link to these items."""
    about = COUNTS["without_media"]
    href = asked.at(filter=replace(asked.filter, missing=True), page=1).address(view.name)
    words = markup.text(f"{n:,} {about.label}")
    return markup.tag("a", words, href=href, target="_self", title=about.about, data_part="without-media")


def _nothing(asked: ItemList, page: ItemPage, *, others: bool) -> None:
    """Say why the table is empty. ``others``: a section of an extension has listed something above the table."""
    if page.n:
        shell.show(markup.notice("This page of the list is empty now. Go to the first page."))
    elif asked.filter == ItemList().filter:
        shell.show(markup.notice("This project has no items yet. Add items from a file, or let authors write them."))
    elif others:
        shell.show(markup.notice("The table is empty. The list above shows unfinished or hidden items."))
    else:
        shell.show(markup.notice("No items match. Remove a filter or search for fewer words."))
