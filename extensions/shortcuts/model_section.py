"""The section on models of the page Shortcuts: what models get right without images, and the items to look at.

The numbers are those of ``touchstone shortcut check --models``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import markup, shell
from app.charts.dot_plot import DotRow, dot_plot
from app.reruns import pending_figures
from app.running.shown import STYLE
from app.services import Services
from app.widgets.folds import folded
from domain.errors import NotAvailableError
from domain.records import ProjectView
from domain.states import Items
from extensions.shortcuts import page_figures, page_parts, send_back
from extensions.shortcuts.model_check import compare_with_limit
from extensions.shortcuts.model_page import ModelPage
from extensions.shortcuts.model_replies import WITH
from extensions.shortcuts.model_shortcuts import ListedItem, ModelScores, ModelShortcuts, OtherAnswer, with_second_look
from extensions.shortcuts.page_parts import SIZE, share
from extensions.shortcuts.text_check import ABOVE
from reports.content import Figure

FLAGGED, SECOND = "right without images", "for a second look"
_NO_ONE = (
    "No model has answered without images. To see results on this page, use the command touchstone "
    "shortcut run on the server."
)


def show(services: Services, view: ProjectView, items: Items | None) -> None:
    """Show the section. It fills by itself while another process computes the figures."""
    ask = partial(page_figures.ask_models, services, view, items)
    try:
        asked = ask()
    except NotAvailableError as error:
        shell.show(markup.notice(str(error)))
        return
    pending_figures.show_pending(services, asked, ask, about="Results of models without images are")
    if asked.figure is None:
        return
    at: ModelPage = asked.figure.value
    gate = compare_with_limit(view.schema.schema_.export.shortcuts, at.found)
    if at.found.models:
        shell.section("Models without images")
        shell.show(_answer(view, at.found))
    if gate is not None:
        style = "good" if gate.met else "bad" if gate.outcome == ABOVE else ""
        words = "Release limit" if items is None else "Release limit applied to these items"
        shell.show(markup.tag("div", markup.notice(f"{words}: {gate.said}.", style=style), data_part="models-gate"))
    if not at.found.models:
        shell.show(markup.tag("p", markup.quiet(_NO_ONE), style="ts ts-small", data_part="no-models"))
        return
    shell.show(_plot(view, at.found))
    about = "by chance, in all orders, with images"
    folded("shortcuts", "models", "Figures of models", about, partial(_figures, at.found))
    about = f"{len(at.found.flagged):,} of {at.found.items:,}, and items for a second look"
    folded("shortcuts", "models-items", "Items right without images", about, partial(_lists, services, view, at))


# ---- figures ---------------------------------------------------------------------------------------------------------


def _answer(view: ProjectView, found: ModelShortcuts) -> markup.Markup:
    """Return how many items models get right without images, with a link to these items."""
    n = len(found.flagged)
    by = "one model" if found.wanted_models == 1 else f"{found.wanted_models} models"
    counts = page_parts.items_link(
        view, f"{n:,} of {markup.count(found.items, 'item')}", [item.item for item in found.flagged]
    )
    words = (
        f" {'is' if n == 1 else 'are'} answered correctly without images in every tested order of options "
        f"(at least {markup.count(found.orders, 'order')}), by {by} or more."
    )
    if n:
        words += f" A person should check {'it' if n == 1 else 'them'}."
    return markup.tag("p", counts, markup.text(words), style="ts", data_part="models-flagged")


def _plot(view: ProjectView, found: ModelShortcuts) -> markup.Markup:
    """Return the models as dots: how often each is right, over items and orders, with links to items right in all."""
    rows = [
        DotRow(
            f"{model.model}, {model.condition}",
            model.right.value,
            model.right.low,
            model.right.high,
            f"{markup.count(model.items, 'item')}, {markup.count(model.orders, 'order')}"
            + (f", {model.silent:,} without a reply" if model.silent else ""),
            page_parts.items_address(view, list(found.right.get(model.model, ()))) if model.condition != WITH else "",
            "items always right",
            percent=1,
        )
        for model in found.models
    ]
    words = ["Lines show 95 % intervals from resampled sources."]
    if found.earlier:
        words.append(
            f"Excluded: {markup.count(found.earlier, 'reply', 'replies')} to items that have changed since the reply."
        )
    drawn = dot_plot(rows, title="Right", ends=(0.0, 1.0))
    return markup.joined([drawn, markup.tag("p", markup.quiet(" ".join(words)), style="ts ts-small")])


def _figures(found: ModelShortcuts) -> None:
    heads = [("Model", "name"), ("Shown", ""), ("Items", "number"), ("Orders", "number"), ("How often right", "")]
    heads += [("From 0 to 100 %", ""), ("Right in all orders", ""), ("By chance", "number"), ("More with images", "")]
    heads += [("No option read", "number"), ("No reply", "number")]
    rows = [_row(model) for model in found.models]
    shell.show(markup.tag("div", markup.table(heads, rows), data_part="models"))
    about = (
        "Limits are 95 % limits from resampled sources. Right in all orders: among items shown in at "
        f"least {markup.count(found.orders, 'order')}, the share that is right in every order. By chance: "
        "this share if options are drawn at random. More with images: the gain if the model sees the "
        "whole item, for items shown with and without images. An answer without an option counts as "
        "wrong. A missing reply does not count."
    )
    shell.show(markup.tag("p", markup.quiet(about), style="ts ts-small", data_part="models-about"))


def _row(each: ModelScores) -> list[markup.Markup]:
    right = each.right
    return [
        markup.text(each.model),
        markup.text(each.condition),
        markup.number(each.items),
        markup.number(each.orders),
        _share(right),
        markup.interval(right.value, right.low, right.high, ends=(0.0, 1.0)),
        _share(each.all_right),
        markup.text(share(each.chance)),
        markup.quiet("-") if each.gain is None else _share(each.gain),
        markup.number(each.unread),
        markup.number(each.silent),
    ]


def _share(figure: Figure) -> markup.Markup:
    """Return a share with its limits, or the reason why it is missing."""
    if figure.value is None:
        return markup.quiet(figure.reason or "-")
    limits = markup.tag("div", markup.text(page_parts.interval(figure)), style="ts-quiet ts-small number")
    return markup.joined([markup.tag("div", markup.text(share(figure.value)), style="number"), limits])


# ---- items -----------------------------------------------------------------------------------------------------------


def _lists(services: Services, view: ProjectView, at: ModelPage) -> None:
    results = at.found
    left, middle, right, last = st.columns([2, 3, 3, 2], vertical_alignment="bottom")
    listed = left.selectbox("List of items", [FLAGGED, SECOND], key=f"shortcuts.models.list.{view.name}")
    second = listed == SECOND
    chosen, strong = _by_whom(view, results, middle, right) if second else ([], [])
    last.download_button(
        "All answers as CSV",
        lambda: at.file.encode(),
        file_name=f"{view.name}-shortcut-models.csv",
        mime="text/csv",
        key="shortcuts.models.csv",
        on_click="ignore",
        width="stretch",
    )
    given = with_second_look(results, chosen, strong).second if second else results.flagged
    if not given:
        shell.show(
            markup.notice("No item is listed for a second look with these models." if second else "This list is empty.")
        )
        return
    first = shell.pager(len(given), size=SIZE, of=(listed, chosen, strong), key="shortcuts.models.pager")
    page = given[first : first + SIZE]
    ids = [[flagged_item.item for flagged_item in some] for some in (given, page)]
    page_parts.to_items(view, *ids, part="models-to-items")
    st.html(f"<style>{STYLE}</style>")
    _table(view, results, page, chances=not second)
    reasons_by_item = {flagged_item.item: flagged_item.to_author for flagged_item in page}
    send_back.offer(services, view, reasons_by_item, key=f"shortcuts.models.back.{view.name}")


def _by_whom(
    view: ProjectView, found: ModelShortcuts, middle: DeltaGenerator, right: DeltaGenerator
) -> tuple[list[str], list[str]]:
    """Ask for the models by which items are listed for a second look."""
    chosen = middle.multiselect(
        "Models right without images",
        list(found.right),
        placeholder="every model",
        key=f"shortcuts.models.chosen.{view.name}",
    )
    strong = right.multiselect(
        "Different answer with images",
        list(dict.fromkeys(model.model for model in found.models if model.condition == WITH)),
        placeholder="no model",
        key=f"shortcuts.models.strong.{view.name}",
    )
    return chosen, strong


def _wrote(each: OtherAnswer) -> markup.Markup:
    """Return what a model wrote, folded, below the options in the order in which the model saw them."""
    if each.argument is None or not each.argument.text.strip():
        return markup.text("")
    seen = "; ".join(f"{at}. {option}" for at, option in enumerate(each.argument.options, 1))
    return markup.tag(
        "details",
        markup.tag("summary", markup.text(f"What {each.model} wrote")),
        markup.tag("div", markup.quiet(f"It saw: {seen}"), style="ts-small"),
        markup.tag("div", markup.text(each.argument.text), style="ts-said framed"),
        data_part="wrote",
    )


def _table(view: ProjectView, found: ModelShortcuts, given: Sequence[ListedItem], *, chances: bool) -> None:
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    heads = [("Item", ""), ("Dimension", ""), ("Right option", ""), ("Reason for listing", "wide")]
    heads += [("By chance", "number")] if chances else []
    rows = []
    for flagged_item in given:
        own = found.known[flagged_item.item]
        row = [
            page_parts.item(view, own),
            markup.text(titles.get(own.dimension, own.dimension)),
            page_parts.right_option(own),
            markup.joined(
                [
                    *(markup.tag("div", markup.text(reason)) for reason in flagged_item.reasons),
                    *map(_wrote, flagged_item.others),
                ]
            ),
        ]
        rows.append([*row, markup.text(share(flagged_item.chance))] if chances else row)
    shell.show(markup.tag("div", markup.table(heads, rows), data_part="models-items"))
