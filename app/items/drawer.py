"""The open item of the page *Items*, in a column on the right: its content, its votes and history, and its actions."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import markup, shell
from app.items import actions, table
from app.services import Services
from app.widgets import field_values
from domain import extensions
from domain.errors import TouchstoneError
from domain.item_filter import ItemList
from domain.records import AssetView, ProjectView
from domain.roles import Role, at_least
from workflow.lead import item_list
from workflow.lead.item_list import ItemDetail, ItemLine, ItemPage

WIDTH = "22rem"
STYLE = f"""
@media (min-width: 1000px) {{
  [data-testid="stMainBlockContainer"]:has(.st-key-items-drawer) {{ padding-right: calc({WIDTH} + 1.5rem) !important;
    max-width: none !important; }}
}}
.st-key-items-drawer {{ position: fixed; z-index: 80; top: 0; right: 0; bottom: 0; width: {WIDTH}; max-width: 100vw;
  padding: 1.1rem 1.25rem 1.5rem; overflow-y: auto; gap: .6rem; box-sizing: border-box;
  background: Canvas; border-left: 1px solid color-mix(in srgb, currentColor 22%, transparent); }}
.ts-drawer-head {{ display: flex; justify-content: space-between; align-items: baseline; gap: .5rem; }}
.ts-drawer-head b {{ font-size: 1.05rem; }}
.ts-drawer-pictures img {{ width: 100%; max-height: 14rem; object-fit: contain; border-radius: 6px; display: block;
  background: color-mix(in srgb, currentColor 6%, transparent); }}
.ts-drawer-pictures {{ display: grid; gap: .4rem; }}
.ts-drawer-pictures.several {{ grid-template-columns: 1fr 1fr; }}
.st-key-items-drawer .ts-fields {{ margin: 0; padding: 0; }}
.ts-vote {{ margin: .3rem 0 .1rem; }}
.st-key-items-drawer .ts-steps {{ margin: 0; padding: 0; list-style: none; }}
.st-key-items-drawer .ts-steps li {{ margin: 0; }}
.ts-fields dt {{ font-size: .85rem; color: color-mix(in srgb, currentColor 66%, transparent); margin: .35rem 0 0; }}
.ts-fields dd {{ margin: 0; font-size: 1.02rem; line-height: 1.35; overflow-wrap: anywhere; }}
.st-key-items-drawer .ts-table td, .st-key-items-drawer .ts-table th {{ padding: .25rem .5rem .25rem 0; }}
"""
EARLY = "You may be asked to review this item blind. If you show the votes, you can no longer review the item."


def draw(services: Services, view: ProjectView, asked: ItemList, page: ItemPage, opened: str) -> None:
    """Draw an item, by its id on pages or in files."""
    with st.container(key="items-drawer"):
        shell.show(_head(view, asked, page, opened))
        try:
            detail = item_list.detail(services.store, person=services.person, project=view.name, item=opened)
        except TouchstoneError as error:
            shell.show_error(error)
            return
        shell.show(_content(view, detail.line))
        _sections(services, view, detail)
        if at_least(view.role, Role.LEAD):
            actions.offer_one(services, view, detail.line)


def _head(view: ProjectView, asked: ItemList, page: ItemPage, opened: str) -> markup.Markup:
    at = next((at for at, line in enumerate(page.lines) if opened in (line.item, line.name)), None)
    place = "Item" if at is None else f"Item {(asked.page - 1) * asked.size + at + 1:,} of {page.n:,}"
    j, k, escape = (markup.tag("kbd", markup.text(name)) for name in ("J", "K", "Esc"))
    to = asked.address(view.name)
    close = markup.tag("a", markup.joined([escape, markup.text("close")], " "), href=to, target="_self")
    keys = markup.joined([j, k, markup.quiet("move"), close], " ")
    title = markup.tag("b", markup.text(place), role="status")
    return markup.tag("div", title, markup.tag("span", keys, style="ts-small"), style="ts ts-drawer-head")


def _content(view: ProjectView, line: ItemLine) -> markup.Markup:
    fields = view.schema.schema_.item.fields
    shown = [
        markup.joined(
            [
                markup.tag("dt", markup.text(field.name.replace("_", " ").capitalize())),
                markup.tag("dd", markup.text(field_values.in_words(line.content[field.name]))),
            ]
        )
        for field in fields
        if line.content.get(field.name) not in (None, "", [], {})
    ]
    about = [table.state(view, line.state), markup.quiet(f" · {table.dimension(view, line.dimension)} · ")]
    return markup.joined(
        [
            _pictures(line.assets),
            markup.tag("dl", *shown, style="ts ts-fields", data_part="fields"),
            markup.tag("p", *about, markup.mono(line.name), style="ts ts-small", data_part="item"),
        ]
    )


def _pictures(assets: Sequence[AssetView]) -> markup.Markup:
    several = " several" if len(assets) > 1 else ""
    return markup.tag("div", *map(_picture, assets), style=f"ts ts-drawer-pictures{several}", data_part="pictures")


def _picture(asset: AssetView) -> markup.Markup:
    if asset.missing:
        return markup.quiet(f"{asset.role}: not imported yet")
    shown = f"/media/{asset.id}/{'display' if asset.kind == 'image' else 'thumb'}"
    whole = {"href": f"/media/{asset.id}/original", "target": "_blank", "rel": "noopener"}
    return markup.tag("a", markup.tag("img", src=shown, alt=asset.role), **whole, title="Open in full size")


def _sections(services: Services, view: ProjectView, detail: ItemDetail) -> None:
    """Draw the votes and what else extensions know about the item. If a look ends blindness, ask first."""
    sections = sorted(extensions.rows("item_sections"), key=lambda section: section[0])
    if not sections:
        return
    always, seen = f"items.seen.{view.name}", f"items.seen.{view.name}.{detail.line.item}"
    if detail.ends_blindness and not st.session_state.get(always) and not st.session_state.get(seen):
        shell.show(markup.paragraph(EARLY, style="ts ts-small ts-quiet"))
        with st.container(horizontal=True):
            for label, key in (("Show votes", seen), ("Always show votes", always)):
                st.button(label, key=f"{key}.show", on_click=st.session_state.__setitem__, args=(key, True))
        return
    for _, section in sections:
        section(services, view, detail.line.item)
