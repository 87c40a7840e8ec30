"""The page *Items*: a table of items, its filters in the address, and actions on the selected items.

Streamlit's own table draws its cells on a canvas. That table sorts one page only, hides pictures and links from screen
readers, and loads pandas. This page draws a plain HTML table instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from annotation_schemas.model import tolerances_of
from annotation_schemas.state_words import state_called, states_of
from app import addresses, markup, shell
from app.items import actions, saved
from app.reruns import messages
from app.screens import Room, Screen
from app.services import Services
from domain.errors import InvalidInputError, NotAllowedError
from domain.item_filter import FROM_FILE, OF_FIELD, SIZES, Comments, ItemFilter, ItemList
from domain.records import ProjectView
from domain.roles import Role, at_least
from workflow.access import memberships
from workflow.lead import bulk, item_list
from workflow.lead.item_list import ItemLine, ItemPage

SCREEN = Screen(
    "All items",
    place=100,
    room=Room.ITEMS,
    role=Role.SENIOR,
    words="items questions table search find filter kept rejected returned send back state",
)

LONGEST = 120
"""Longest text in a cell, in characters. The item's page shows the whole text."""
PICTURES = 3
"""Number of pictures shown for an item."""
YES_OR_NO = {None: "any", True: "yes", False: "no"}
COMMENTS = {None: "do not matter", Comments.ANY: "some", Comments.OPEN: "waiting for an answer", Comments.NONE: "none"}


def render(services: Services) -> None:
    """Draw the filters, the table, and the actions on the ticked or matching items."""
    view = shell.project(services)
    if not at_least(view.role, Role.SENIOR):
        raise NotAllowedError(
            f"This page is for the seniors and leads of {view.title}. My work says what is waiting for you."
        )
    shell.heading(
        "Items",
        "Find and sort items. The address is the list: who opens it sees the same, if they may.",
        made_up=view.made_up,
    )
    shell.tell_refused()
    if message := messages.kept_message("items.said"):
        shell.show(markup.notice(message, style="good"))
    asked, lead = ItemList(), at_least(view.role, Role.LEAD)
    page: ItemPage | None = None
    try:
        asked = saved.requested_list(services, view) or _of_address()
        page = item_list.listing(services.store, person=services.person, project=view.name, asked=asked)
    except InvalidInputError as error:
        shell.show_error(error)
        if addresses.SAVED_VIEW in st.query_params:
            shell.show(markup.notice(saved.OUTDATED))
        asked = ItemList()
    titles = item_list.columns_of(services.store, person=services.person, project=view.name)
    saved.show(services, view, asked, lead=lead)
    _filters(services, view, asked, titles, lead=lead)
    if page is None:
        return
    if page.closed:
        words = f"{markup.count(page.closed, 'item')} of the project left out: you may be asked about them blind."
        shell.show(markup.tag("p", markup.quiet(words), style="ts ts-small"))
    if not page.n:
        actions.tell_done()
        shell.show(markup.notice("No item fits. Take a filter away, or look for fewer words."))
        return
    if lead:
        actions.offer(services, view, asked, page.n)
    _table(services, view, asked, page, titles, lead=lead)


def _of_address() -> ItemList:
    """Return the list that the address describes. Raise ``InvalidInputError`` if the address is invalid."""
    return ItemList.parse({name: st.query_params.get_all(name) for name in st.query_params})


# ---- the filters -----------------------------------------------------------------------------------------------------


def _filters(services: Services, view: ProjectView, asked: ItemList, titles: Mapping[str, str], *, lead: bool) -> None:
    now, stages = asked.filter, view.schema.schema_.stages
    dimensions = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    key = f"items.{view.name}.{hash(asked)}"
    given: dict[str, Any] = {}

    def put(name: str, widget: Callable[..., Any], label: str, *arguments: Any, **more: Any) -> None:
        given[name] = widget(label, *arguments, key=f"{key}.{name}", **more)

    def choose(name: str, label: str, options: Sequence[Any], value: Any, called: Callable[[Any], str]) -> None:
        put(name, st.selectbox, label, options, index=options.index(value), format_func=called)

    def show() -> None:
        with shell.pressed(services):
            read = {name: st.session_state[f"{key}.{name}"] for name in given}
            _go(view, _list_of(read, asked, usual))

    usual = asked.columns or item_list.usual_columns(lead=lead)
    with st.form(key, border=False):
        one, two, three, four, five = st.columns([3.4, 2.6, 2.6, 1, 1.3], vertical_alignment="bottom")
        with one:
            put("text", st.text_input, "Words in any text, or an id", value=now.text)
        with two:
            put(
                "state", st.multiselect, "State", list(dict.fromkeys([*states_of(stages), *now.state])),
                default=now.state, placeholder="any",
                format_func=partial(state_called, stages),
            )  # fmt: skip
        with three:
            put(
                "dimension", st.multiselect, "Dimension", list(dimensions), default=now.dimension, placeholder="any",
                format_func=dimensions.__getitem__,
            )  # fmt: skip
        four.form_submit_button("Show", type="primary", key=f"{key}.show", width="stretch", on_click=show)
        anew = partial(_go, view, ItemList())
        five.form_submit_button("All items", key=f"{key}.all", width="stretch", on_click=anew)
        more = replace(now, text="", state=(), dimension=())
        # rarely changed settings are folded away: the table comes first
        with st.expander("More filters, columns, order", expanded=more != ItemFilter()):
            columns = st.columns(4)
            with columns[0]:
                choose("comments", "Comments", list(COMMENTS), now.comments, COMMENTS.__getitem__)
            with columns[1]:
                choose("missing", "Missing media", list(YES_OR_NO), now.missing, YES_OR_NO.__getitem__)
            with columns[2]:
                put("version", st.text_input, "Schema version", value="" if now.version is None else str(now.version))
            with columns[3]:
                put("ids", st.text_input, "Ids, with spaces between them", value=" ".join(now.ids))
            if lead:
                _for_leads(services, view, now, put, choose)
            put(
                "where", st.text_area, "Fields, one test a line", value="\n".join(map(str, now.where)), height=80,
                help="NAME=VALUE, NAME~TEXT (contains), NAME:empty, NAME:given, NAME:2..5. Fields: "
                + ", ".join(name.removeprefix(OF_FIELD) for name in titles if name.startswith(OF_FIELD)),
            )  # fmt: skip
            one, two, three, four = st.columns([3, 2, 1, 1], vertical_alignment="bottom")
            with one:
                put("columns", st.multiselect, "Columns", list(titles), default=usual, format_func=titles.__getitem__)
            with two:
                sorts = ["", *(name for name in titles if name != "checks")]
                choose("sort", "Sorted by", sorts, asked.sort, lambda name: titles.get(name, "as they came"))
            with three:
                choose("down", "Order", [False, True], asked.down, lambda down: "downwards" if down else "upwards")
            with four:
                choose("size", "On a page", list(SIZES), asked.size, str)


def _for_leads(
    services: Services, view: ProjectView, now: ItemFilter, put: Callable[..., None], choose: Callable[..., None]
) -> None:
    who: dict[str, Any] = {"project": view.name}
    members = [
        member.person.login for member in memberships.list_members(services.store, person=services.person, **who)
    ]
    voters = bulk.voters(services.store, by=services.person, **who)
    called = shell.called(services, [*members, *voters])

    def person(login: str) -> str:
        return {"": "anyone", FROM_FILE: "no one: from a file"}.get(login) or called(login)

    columns = st.columns(7)
    for column, name, label, there in (
        (0, "author", "Author", ["", FROM_FILE, *members]),
        (1, "voter", "Voted on by", ["", *voters]),
    ):
        value = getattr(now, name)
        with columns[column]:
            choose(name, label, list(dict.fromkeys([*there, value])), value, person)
    with columns[2]:
        put("votes", st.text_input, "Votes", value=str(now.votes or ""), placeholder="2, 1..3, 3..")
    for column, name, label in (
        (3, "differ", "Votes differ"),
        (4, "with_author", "With its author"),
        (5, "gold", "Gold check"),
        (6, "qualification", "Qualification"),
    ):
        with columns[column]:
            choose(name, label, list(YES_OR_NO), getattr(now, name), YES_OR_NO.__getitem__)
    if any(tolerances_of(verification.criteria) for verification in view.schema.schema_.stages.verifications.values()):
        words = "Votes differ here as soon as what was said is not the same to the letter, within the tolerance or not."
        shell.show(markup.paragraph(words, style="ts ts-quiet"))


def _list_of(read: Mapping[str, Any], asked: ItemList, usual: Sequence[str]) -> ItemList:
    """Return the list that the filters describe. Raise ``InvalidInputError`` if a filter is invalid."""
    values = {**read, "where": read["where"].splitlines(), "ids": read["ids"].split()}
    words: dict[str, list[str]] = {}
    for name, value in values.items():
        if name not in ("columns", "sort", "down", "size") and value is not None:
            many = value if isinstance(value, list) else [value]
            words[name] = [{True: "yes", False: "no"}[one] if isinstance(one, bool) else str(one) for one in many]
    columns = tuple(read["columns"])
    if columns == tuple(usual) and not asked.columns:
        columns = ()
    filtered_list = ItemList.parse(words)
    return filtered_list.at(columns=columns, sort=read["sort"], down=read["down"], size=read["size"])


def _go(view: ProjectView, asked: ItemList) -> None:
    """Put a list into the address."""
    st.query_params.from_dict({"project": view.name, **asked.asked()})


# ---- the table -------------------------------------------------------------------------------------------------------


def _table(
    services: Services, view: ProjectView, asked: ItemList, found: ItemPage, titles: Mapping[str, str], *, lead: bool
) -> None:
    last = max(-(-found.n // asked.size), 1)
    first = (asked.page - 1) * asked.size + 1
    shown = f"{first:,} to {first + len(found.lines) - 1:,} of " if found.lines and last > 1 else ""
    with st.container(horizontal=True, vertical_alignment="center", key="items.pager"):
        shell.show(
            markup.tag("p", markup.text(f"{shown}{markup.count(found.n, 'item')}"), style="ts", data_part="count")
        )
        for label, to in (("First", 1), ("Previous", asked.page - 1), ("Next", asked.page + 1), ("Last", last)):
            off = last == 1 or not 1 <= to <= last or to == asked.page
            st.button(label, key=f"items.{label.lower()}", disabled=off, on_click=_go, args=(view, asked.at(page=to)))
    if not found.lines:
        shell.show(markup.notice("There is no such page any more; go to the first."))
        return
    by = shell.named(services, [line.author for line in found.lines])
    heads = [markup.text("Item"), *(_head(view, asked, name, titles[name]) for name in found.columns)]
    rows = [[_item(view, line), *(_cell(view, line, name, by) for name in found.columns)] for line in found.lines]
    if lead:  # only leads may act on items
        heads = [_box("Tick all on this page", data_ticks="page"), *heads]
        boxes = [_box(f"Tick {line.name}: {_short(line.title)}", data_tick=line.name) for line in found.lines]
        rows = [[box, *row] for box, row in zip(boxes, rows, strict=True)]
    head = markup.tag("tr", *(markup.tag("th", cell, scope="col") for cell in heads))
    body = [markup.tag("tr", *(markup.tag("td", cell) for cell in row)) for row in rows]
    shell.show(markup.tag("table", markup.tag("thead", head), markup.tag("tbody", *body), style="ts ts-table"))


def _box(label: str, **data: str) -> markup.Markup:
    return markup.tag("input", type="checkbox", aria_label=label, **data)


def _head(view: ProjectView, asked: ItemList, name: str, title: str) -> markup.Markup:
    if name == "checks":
        return markup.text(title)
    down = asked.sort == name and not asked.down
    arrow = "" if asked.sort != name else " ↓" if asked.down else " ↑"
    to = asked.at(sort=name, down=down, page=1).address(view.name)
    return markup.tag("a", markup.text(title + arrow), href=to, target="_self")


def _item(view: ProjectView, line: ItemLine) -> markup.Markup:
    """Return the first words of an item as a link to its history, and the item's pictures."""
    pictures = [
        markup.quiet("missing")
        if asset.missing
        else markup.tag("img", src=f"/media/{asset.id}/thumb", alt="", loading="lazy", height="32")
        for asset in line.assets[:PICTURES]
    ]
    to = addresses.history(view.name, item=line.item)
    title = markup.tag("a", markup.text(_short(line.title)), href=to, target="_self")
    return markup.joined([*pictures, title], " ")


def _cell(view: ProjectView, line: ItemLine, name: str, by: Callable[[str | None], markup.Markup]) -> markup.Markup:
    if name == "id":
        return markup.mono(line.name)
    if name == "state":
        return markup.text(state_called(view.schema.schema_.stages, line.state))
    if name == "author":
        return by(line.author) if line.author else markup.quiet("a file")
    if name == "dimension":
        titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
        return markup.text(titles.get(line.dimension, line.dimension))
    return markup.text(_short(line.says(name)))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
