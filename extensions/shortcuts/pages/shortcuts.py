"""The page Shortcuts, for leads: how often items can be answered without images, and which items reveal their key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from annotation_schemas.keys import options_field
from app import markup, shell
from app.charts import dot_plot
from app.charts.dot_plot import DotRow
from app.reruns import pending_figures
from app.results.answer import FEW
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import items_switch
from app.widgets.folds import folded
from db import project_facts
from domain.errors import NotAvailableError
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Items
from extensions.shortcuts import model_section, page_figures, page_parts, send_back, text_check
from extensions.shortcuts.answer_rules import rules_that_pick
from extensions.shortcuts.page_parts import SIZE, interval, share
from extensions.shortcuts.schema_limits import TITLES
from extensions.shortcuts.text_check import ABOVE, TextMeasurement, TextResult
from extensions.shortcuts.text_classifier import ItemScore
from extensions.shortcuts.text_shortcuts import TextShortcuts, as_csv, to_author
from reports.content import Figure

SCREEN = Screen(
    "Shortcuts",
    place=435,
    room=Room.RESULTS,
    role=Role.LEAD,
    words="guess blind without image text only artifacts leak",
    fits=options_field,
    needs=Need("There are no items yet. Add items first.", project_facts.has_items),
)

FLAGGED, PICKED, EVERY = "flagged", "picked by the classifier", "every item"


def render(services: Services) -> None:
    """Draw how far rules and models get without images, all of them as dots, and folds with tables and items."""
    view = shell.lead_of(services)
    about = "See whether texts reveal the key without the image. The page shows the right answers."
    shell.heading("Shortcuts", about, made_up=view.made_up)
    shell.show(markup.Markup(f"<style>{dot_plot.STYLE}</style>"))
    figures = st.container()
    items = items_switch.switch(services, view, key="shortcuts.items", show=False)
    with figures:
        texts = _texts(services, view, items)
        model_section.show(services, view, items)
        if texts is not None:
            n = len(texts.flagged)
            flagged = f"{n:,} of {len(texts.items):,} flagged, the most revealing texts first"
            folded("shortcuts", "items", "Items", flagged, partial(_items, services, view, texts))


def answer(view: ProjectView, found: TextShortcuts) -> markup.Markup:
    """Return how far the best rule gets without images, compared with chance, and how many items are flagged."""
    name, figure = max(found.by_name.items(), key=lambda pair: pair[1].value or 0)
    n, right = figure.n_units, figure.value or 0
    if n < FEW:
        picks, verdict = f"{round(right * n)} of {n} keys", ", too few to compare."
    else:
        low = figure.low if figure.low is not None else 0.0
        than = "more than" if low > (found.chance or 0) else "not clearly more than"
        picks = f"{share(right)} of {n:,} keys"
        verdict = f" [{interval(figure)}], {than} a random choice ({share(found.chance)})."
    n_flagged = len(found.flagged)
    flagged = f"{n_flagged:,} of {markup.count(len(found.items), 'item')}"
    return markup.joined(
        [
            markup.text("Without images, the rule "),
            markup.tag("b", markup.text(f"“{TITLES[name]}”")),
            markup.text(f" picks {picks}{verdict} "),
            page_parts.items_link(view, flagged, [item.choice.id for item in found.flagged]),
            markup.text(f" {'is' if n_flagged == 1 else 'are'} flagged."),
        ]
    )


def _texts(services: Services, view: ProjectView, items: Items | None) -> TextShortcuts | None:
    """Draw the results of rules and the classifier. Return None if there are no items to list yet."""
    ask = partial(page_figures.ask_texts, services, view, items)
    try:
        asked = ask()
    except NotAvailableError as error:  # of this machine, and not of the project
        shell.show(markup.notice(str(error)))
        return None
    pending_figures.show_pending(services, asked, ask, about="Shortcuts are")
    if asked.figure is None:
        return None
    looked: TextMeasurement = asked.figure.value
    limits = view.schema.schema_.export.shortcuts
    gate = None if limits is None else text_check.compare_with_limits(limits, looked)
    results = looked.found
    if results is None or not results.items:
        words = "No item has a multiple-choice key, so Touchstone cannot test for shortcuts."
        if results is None:
            words = f"Touchstone cannot test for shortcuts: {looked.why.rstrip('.')}."
        shell.show(_stands(gate, counted=items is None) if gate is not None else markup.notice(words))
        return None
    rules = _rules_of(results, gate)
    shell.show(
        markup.finding(answer(view, results)),
        items_switch.counted_line(results.which, _left_out(results)),
        _stands(gate, counted=items is None),
        _plot(view, results, rules),
    )
    folded("shortcuts", "rules", "Rules", "limits, positions and dimensions", partial(_parts, results, rules, gate))
    return results


def _stands(gate: TextResult | None, *, counted: bool) -> markup.Markup:
    """Return the comparison with the limits. ``counted``: whether the items are those of a release."""
    if gate is None:
        words = "The schema sets no limits (export.shortcuts), so releases do not wait for this check."
        return markup.tag("p", markup.quiet(words), style="ts ts-small", data_part="gate")
    style = "good" if gate.met else "bad" if gate.outcome == ABOVE else ""
    words = f"{'Release limits' if counted else 'Release limits applied to these items'}: {gate.said}."
    return markup.tag("div", markup.notice(words, style=style), data_part="gate")


def _left_out(found: TextShortcuts) -> str:
    """Return the sentences about items that are left out or have no source."""
    sentences: list[str] = []
    if found.skipped:
        sentences.append(f"Excluded: {markup.count(len(found.skipped), 'item')} without a multiple-choice key.")
    if found.without_source:
        n = markup.count(found.without_source, "item has", "items have")
        sentences.append(f"{n} no known source. Each item counts as a separate source.")
    return " ".join(sentences)


# ---- rules -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rule:
    name: str
    figure: Figure
    at_most: float | None
    over: bool

    @property
    def title(self) -> str:
        return TITLES[self.name]


def _rules_of(found: TextShortcuts, gate: TextResult | None) -> list[_Rule]:
    """Return all rules with their limits, the most accurate first."""
    limits = {limit.name: limit for limit in gate.limits} if gate is not None else {}
    rules = []
    for name, figure in found.by_name.items():
        limit = limits.get(name)
        over = limit is not None and limit.outcome == ABOVE
        rules.append(_Rule(name, figure, limit.at_most if limit is not None else None, over))
    return sorted(rules, key=lambda rule: -(rule.figure.value or 0))


def _plot(view: ProjectView, found: TextShortcuts, rules: Sequence[_Rule]) -> markup.Markup:
    """Return the rules as dots, with links to the items that they pick."""
    rows = []
    for rule in rules:
        figure = rule.figure
        limit = "" if rule.at_most is None else f", at most {share(rule.at_most)}{': too high' if rule.over else ''}"
        to = page_parts.items_address(view, _picked(found, rule))
        about = f"n = {figure.n_units:,}{limit}"
        rows.append(DotRow(rule.title, figure.value, figure.low, figure.high, about, to, "items", rule.over, percent=1))
    marks = [] if found.chance is None else [found.chance]
    words = "Lines show 95 % intervals from resampled sources. Dashed line: a random choice."
    drawn = dot_plot.dot_plot(rows, title="Right", ends=(0.0, 1.0), marks=marks)
    return markup.joined([drawn, markup.tag("p", markup.quiet(words), style="ts ts-small")])


def _picked(found: TextShortcuts, rule: _Rule) -> list[str]:
    """Return the items whose key a rule picks. Empty for a rule that learns from other items, and for too many."""
    if round((rule.figure.value or 0) * rule.figure.n_units) > page_parts.LINKED:
        return []
    if rule.name == "text_only":
        return [item.choice.id for item in found.items if item.right]
    return [item.choice.id for item in found.items if rule.title.lower() in rules_that_pick(item.choice)]


def _parts(found: TextShortcuts, rules: Sequence[_Rule], gate: TextResult | None) -> None:
    """Show each rule with its limit, each position, the classifier in each dimension, and where right options are."""
    heads = [("Rule", "name"), ("Right", "number"), ("95 % interval", "number"), ("Random choice", "number")]
    heads += [("At most", "number"), ("How it stands", "")] if gate is not None else []
    rows = []
    for rule in rules:
        cells = [rule.title, share(rule.figure.value), interval(rule.figure), share(found.chance)]
        row = [markup.text(cell) for cell in cells]
        if gate is not None:
            state = markup.tag("span", markup.text(ABOVE), style="ts-wrong") if rule.over else markup.text("within")
            row += [markup.text(share(rule.at_most)), state]
        rows.append(row)
    shell.show(markup.tag("div", markup.table(heads, rows), data_part="rules"))
    figures = [*found.baselines, *((f"Classifier: {name}", figure) for name, figure in found.text_only)]
    rows = [
        [markup.text(name), markup.text(share(figure.value)), markup.text(interval(figure))] for name, figure in figures
    ]
    heads = [("Rule", "name"), ("Right", "number"), ("95 % interval", "number")]
    shell.show(markup.tag("div", markup.table(heads, rows), data_part="parts"))
    n = len(found.places[-1].counts)
    heads = [("Dimension", "name"), *((f"Position {at + 1}", "number") for at in range(n))]
    heads += [("Chi squared", "number"), ("p", "number"), ("Remark", "")]
    by_place: list[list[markup.Markup]] = []
    for places in found.places:
        tested = ("-", "-") if places.p is None else (f"{places.statistic:.2f}", f"{places.p:.3g}")
        numbers = [*map(markup.number, places.counts), *map(markup.text, tested)]
        by_place.append([markup.text(places.title), *numbers, markup.quiet(places.why)])
    shell.show(markup.tag("div", markup.table(heads, by_place), data_part="places"))


# ---- items -----------------------------------------------------------------------------------------------------------


def _items(services: Services, view: ProjectView, found: TextShortcuts) -> None:
    n = len(found.flagged)
    words = f"{markup.count(n, 'item')} of {len(found.items):,} flagged. A person should check flagged items."
    shell.show(markup.tag("p", markup.text(words), style="ts", data_part="flagged"))
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    there = [name for name in titles if any(item.choice.dimension == name for item in found.items)]
    left, middle, right, last = st.columns([2, 2, 3, 2], vertical_alignment="bottom")
    shows = [FLAGGED, PICKED, EVERY]
    show = left.selectbox("Show", shows, index=0 if n else 2, key=f"shortcuts.show.{view.name}.{bool(n)}")
    dimension = middle.selectbox(
        "Dimension",
        there,
        index=None,
        format_func=lambda name: titles.get(name, name),
        placeholder="any",
        key=f"shortcuts.dimension.{view.name}",
    )
    text = right.text_input("Search texts, IDs and reasons", key=f"shortcuts.text.{view.name}")
    last.download_button(
        "All scores as CSV",
        lambda: as_csv(found).encode(),
        file_name=f"{view.name}-shortcuts.csv",
        mime="text/csv",
        key="shortcuts.csv",
        on_click="ignore",
        width="stretch",
    )
    wanted = [item for item in found.items if _fits(item, show or EVERY, dimension, text.strip().casefold())]
    if not wanted:
        shell.show(markup.notice("No item matches. Remove a filter, or search for fewer words."))
        return
    first = shell.pager(len(wanted), size=SIZE, of=(show, dimension, text), key="shortcuts.pager")
    page = wanted[first : first + SIZE]
    ids = [[score.choice.id for score in some] for some in (wanted, page)]
    page_parts.to_items(view, *ids, part="to-items")
    _table(view, page, titles)
    words_by_item = {score.choice.id: words for score in page if (words := to_author(score))}
    send_back.offer(services, view, words_by_item, key=f"shortcuts.back.{view.name}")


def _fits(each: ItemScore, show: str, dimension: str | None, text: str) -> bool:
    if (show == FLAGGED and not each.flagged) or (show == PICKED and not each.right):
        return False
    if dimension is not None and each.choice.dimension != dimension:
        return False
    texts = (each.choice.id, each.choice.question, *each.choice.options, *each.reasons)
    return not text or any(text in one.casefold() for one in texts)


def _table(view: ProjectView, items: Sequence[ItemScore], titles: dict[str, str]) -> None:
    heads = [("Item", ""), ("Dimension", ""), ("Right option", ""), ("Probability of key", "number"), ("Why", "wide")]
    rows = []
    for item in items:
        own = item.choice
        rows.append(
            [
                page_parts.item(view, own),
                markup.text(titles.get(own.dimension, own.dimension)),
                page_parts.right_option(own),
                markup.text(share(item.p_key)),
                _why(item),
            ]
        )
    shell.show(markup.tag("div", markup.table(heads, rows), data_part="items"))


def _why(each: ItemScore) -> markup.Markup:
    """Return the rules that choose the key, and the evidence of the classifier."""
    rules = rules_that_pick(each.choice)
    texts = f"texts alone: {', '.join(each.reasons) or 'many words together'}" if each.right else ""
    parts = [markup.tag("div", markup.text(one)) for one in (texts, ", ".join(rules)) if one]
    return markup.joined(parts) if parts else markup.quiet("no rule picks the key")
