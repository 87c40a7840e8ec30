"""Small pieces of HTML for our screens. Text is always escaped, so that no data can become markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from itertools import cycle
from typing import NewType

from domain.english import with_noun
from domain.replies import WARNING
from domain.states import VOTED_ON

Markup = NewType("Markup", str)
"""HTML that is safe to show: made by the functions below, never read from elsewhere."""

OF_STATES: dict[str, str] = {
    "kept": "#1f8a64",
    "rejected": "#c4622d",
    **{
        state.value: color
        for state, color in zip(VOTED_ON.values(), cycle(("#2f7fb8", "#5b5fc7", "#8a4fb5")), strict=False)
    },
    "in_adjudication": "#8b6fc0",
    "unverified": "#7d8a94",
}
"""The color of each item state, in bars and in charts."""

STYLE = "\n".join(f".{state} {{ background: {colour}; }}" for state, colour in OF_STATES.items())
STYLE += """
.ts { font-size: 0.95rem; line-height: 1.5; }
.ts-right { color: color-mix(in srgb, #0072b2 78%, currentColor); font-weight: 700; }
.ts-wrong { color: color-mix(in srgb, #d55e00 78%, currentColor); font-weight: 700; }
.ts-quiet { color: color-mix(in srgb, currentColor 66%, transparent); }
.ts-pictures { display: flex; flex-wrap: wrap; gap: .5rem; margin: .25rem 0; }
.ts-pictures img { height: 7.5rem; max-width: 100%; border-radius: 4px; display: block; }
.ts-small { font-size: 0.85rem; }
.ts-nowrap { white-space: nowrap; }
.ts-title { font-size: 1.6rem; font-weight: 600; line-height: 1.25; margin: 0 0 .15rem; letter-spacing: -.01em; }
.ts-finding { font-size: 1.27rem; line-height: 1.35; margin: .2rem 0 .1rem; max-width: 54rem; }
.ts-finding a { color: inherit; text-underline-offset: 3px; text-decoration-thickness: 1px; }
.ts-section { font-size: 1.05rem; font-weight: 600; margin: .6rem 0 0; }
.ts-notice { border: 1px solid color-mix(in srgb, currentColor 18%, transparent); border-left: 4px solid #2f7fb8;
  border-radius: 6px; padding: .8rem 1rem; margin: .4rem 0; }
.ts-notice.bad { border-left-color: #c4622d; }
.ts-notice.good { border-left-color: #1f8a64; }
.ts-made-up { display: inline-block; font-size: .78rem; font-weight: 600; letter-spacing: .02em; border-radius: 4px;
  padding: .05rem .45rem; background: #e3b341; color: #2b2102; }
@media (max-width: 900px) { [data-testid="stHtml"]:has(.ts-table) { overflow-x: auto; } }
.ts-table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
.ts-table th { text-align: start; font-weight: 600; font-size: .82rem; padding: .35rem 0; padding-inline-end: .9rem;
  color: color-mix(in srgb, currentColor 66%, transparent);
  border-bottom: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
.ts-table td { padding: .5rem 0; padding-inline-end: .9rem; vertical-align: top;
  border-bottom: 1px solid color-mix(in srgb, currentColor 10%, transparent); }
.ts-table .number { text-align: end; white-space: nowrap; }
.ts-table input { width: 18px; height: 18px; margin: .1rem 0 0; accent-color: #0f6e84; cursor: pointer; }
.ts-table td.line { white-space: nowrap; }
.ts-table td.name { width: 14rem; }
.ts-table td.wide { width: 34%; min-width: 15em; }
.ts-bar { display: flex; height: 14px; min-width: 120px; border-radius: 4px; overflow: hidden; margin-top: .32rem;
  background: color-mix(in srgb, currentColor 10%, transparent); }
.ts-bar i { display: block; height: 100%; box-shadow: 1px 0 0 #00000040; }
.ts-bar.thin { height: 6px; }
.ts-key { display: inline-flex; align-items: center; gap: .4rem; margin-right: 1.1rem; white-space: nowrap; }
.ts-key i { width: 12px; height: 12px; border-radius: 3px; }
.wanting { background: color-mix(in srgb, currentColor 14%, transparent); }
.in_adjudication { background-image: repeating-linear-gradient(45deg, #ffffff55 0 3px, transparent 3px 7px); }
.rejected { background-image: repeating-linear-gradient(135deg, #00000030 0 3px, transparent 3px 7px); }
.ts-range { position: relative; height: 1.5rem; min-width: 160px; }
.ts-range b, .ts-range u, .ts-range s { position: absolute; display: block; }
.ts-range s { left: 0; right: 0; top: 50%; height: 1px; background: color-mix(in srgb, currentColor 16%, transparent); }
.ts-range s.zero { right: auto; width: 1px; top: 0; height: 100%;
  background: color-mix(in srgb, currentColor 30%, transparent); }
.ts-range s.mark { right: auto; width: 0; top: 0; height: 100%; background: none;
  border-left: 1px dashed color-mix(in srgb, currentColor 34%, transparent); }
.ts-range s.band { right: auto; top: 0; height: 100%;
  background: color-mix(in srgb, currentColor 12%, transparent); }
.ts-range u { top: calc(50% - 2px); height: 4px; border-radius: 2px; background: #2f7fb8; opacity: .65; }
.ts-range b { top: calc(50% - 5px); width: 10px; height: 10px; margin-left: -5px; border-radius: 50%;
  background: #2f7fb8; }
.ts-table td:has(> .ts-heat) { padding: .15rem .15rem .15rem 0; }
.ts-heat { display: block; text-align: center; padding: .3rem .5rem; border-radius: 4px;
  color: inherit; text-decoration: none; background: color-mix(in srgb, #2f7fb8 var(--heat), transparent); }
.ts-heat.below { background: color-mix(in srgb, #c4622d var(--heat), transparent); }
a.ts-heat:hover, a.ts-heat:focus-visible { outline: 2px solid currentColor; }
.ts-heat small { display: block; font-size: .78rem; }
.ts .ts-button, a.ts-button { display: inline-block; white-space: nowrap; text-decoration: none; color: inherit;
  border: 1px solid color-mix(in srgb, currentColor 24%, transparent); border-radius: 6px; padding: .1rem .65rem;
  font-size: .88rem; }
a.ts-button:hover { background: color-mix(in srgb, currentColor 6%, transparent); }
.ts-state { white-space: nowrap; }
.ts-state i { display: inline-block; width: .6rem; height: .6rem; border-radius: 3px; margin-right: .45rem; }
.ts-chip { display: inline-block; border-radius: 4px; padding: .05rem .45rem; font-size: .82rem; font-weight: 600;
  white-space: nowrap; background: color-mix(in srgb, currentColor 9%, transparent); text-decoration: none; }
.ts-chip.done { background: color-mix(in srgb, #1f8a64 20%, transparent); }
.ts-chip.open { background: color-mix(in srgb, #e3b341 32%, transparent); }
.ts-chip.blocking { background: color-mix(in srgb, #c4622d 22%, transparent); }
.ts-chips { display: flex; flex-wrap: wrap; gap: .3rem .5rem; align-items: center; }
.ts-mono { font-family: ui-monospace, "Source Code Pro", Menlo, Consolas, monospace; font-size: .85em;
  overflow-wrap: anywhere; }
.ts-mono.short { white-space: nowrap; }
[data-testid="stMain"] button kbd { color: inherit !important; opacity: 1 !important; }
[data-testid="stSelectbox"] input { text-overflow: ellipsis; }
button[data-testid="stBaseButton-segmented_controlActive"]:is(:hover, :focus) {
  background-color: color-mix(in srgb, currentColor 10%, transparent); }
.ts kbd { font: 600 .8em ui-monospace, monospace; padding: .05em .4em; border-radius: 4px;
  border: 1px solid color-mix(in srgb, currentColor 35%, transparent); }
"""


def scroll_bar(selector: str) -> str:
    """Return a style that always shows the scroll bar of a wide table, so that nobody takes the table for whole."""
    colors = [f"background: color-mix(in srgb, currentColor {strength}%, transparent);" for strength in (10, 55)]
    return (
        f"{selector} {{ scrollbar-color: auto; scrollbar-width: auto; }}\n"  # Streamlit draws scroll bars transparent
        f"{selector}::-webkit-scrollbar {{ height: 12px; width: 12px; }}\n"
        f"{selector}::-webkit-scrollbar-track {{ {colors[0]} }}\n"
        f"{selector}::-webkit-scrollbar-thumb {{ {colors[1]} border-radius: 6px; }}\n"
    )


def text(value: object) -> Markup:
    """Return a text as escaped HTML."""
    return Markup(escape(str(value)))


def label(value: object) -> str:
    """Return a text as the label of a widget, escaped for Streamlit's Markdown."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|>~:$<&])", r"\\\1", str(value))


def moment(at: datetime | None, *, seconds: bool = False) -> str:
    """Return a time in UTC as pages show it: ``2026-05-04 09:30 UTC``. Files use ISO 8601 instead."""
    if at is None:
        return "-"
    there = at.astimezone(UTC) if at.tzinfo else at
    return f"{there:%Y-%m-%d %H:%M:%S} UTC" if seconds else f"{there:%Y-%m-%d %H:%M} UTC"


def number(value: int) -> Markup:
    """Return a whole number as pages show it: ``12,345``."""
    return text(f"{value:,}")


def decimal(value: float, digits: int = 2) -> str:
    """Return a number with a fixed number of decimals. A value that rounds to zero has no sign."""
    written = f"{value:.{digits}f}"
    return written.lstrip("-") if float(written) == 0 else written


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage. Only exactly 0 and 1 are written as 0 and 100.

    >>> percent(0.724), percent(0.724, 1), percent(0.9999), percent(0.004), percent(1.0)
    ('72 %', '72.4 %', 'more than 99 %', 'less than 1 %', '100 %')
    """
    least = 10.0**-digits
    shown = f"{100 * share:.{digits}f}"
    if float(shown) == 100 and share < 1:
        return f"more than {100 - least:.{digits}f} %"
    return f"less than {least:.{digits}f} %" if float(shown) == 0 and share > 0 else f"{shown} %"


def percent_limits(low: float, high: float) -> str:
    """Return the limits of a share as percentages.

    >>> percent_limits(0.724, 0.81)
    '72 to 81 %'
    """
    return f"{100 * low:.0f} to {100 * high:.0f} %"


SHORT_ID = 26
"""Longest id that stays on one line in a narrow column. A longer id may break anywhere."""


def mono(value: str) -> Markup:
    """Return an id or a file name in a monospaced font."""
    return tag("span", text(value), style="ts-mono short" if len(value) <= SHORT_ID else "ts-mono")


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun, as plain text."""
    return with_noun(number, one, many or "")


def joined(parts: Iterable[Markup], between: str = "") -> Markup:
    """Return pieces in a row, with a text between them."""
    return Markup(escape(between).join(parts))


def tag(name: str, *parts: Markup, style: str = "", **attributes: str) -> Markup:
    """Return an element. ``style`` is its class; attributes are escaped."""
    written = "".join(f' {key.replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())
    shown = f' class="{escape(style)}"' if style else ""
    return Markup(f"<{name}{shown}{written}>{''.join(parts)}</{name}>")


def quiet(value: object) -> Markup:
    """Return a muted text."""
    return tag("span", text(value), style="ts-quiet")


def paragraph(value: str, *, style: str = "") -> Markup:
    """Return a paragraph of text."""
    return tag("p", text(value), style=style)


def section(title: str) -> Markup:
    """Return a heading within a page."""
    return tag("div", text(title), style="ts-section", role="heading", aria_level="2")


def notice(value: str, *, style: str = "") -> Markup:
    """Return a framed sentence. ``style`` is "", "good" or "bad"."""
    role = "alert" if style == "bad" else "status"
    return tag("div", text(value), style=f"ts ts-notice {style}".strip(), role=role)


def chip(words: str, state: str) -> Markup:
    """Return a state as a colored chip: ``done``, ``open``, ``blocking``, or nothing for gray."""
    return tag("span", text(words), style=f"ts-chip {state}".strip())


def finding(*parts: Markup, part: str = "finding") -> Markup:
    """Return the sentence that a page opens with. ``part`` is its name for tests and links."""
    return tag("p", *parts, style="ts-finding", data_part=part)


def link(words: str, href: str) -> Markup:
    """Return a link to another page or address of Touchstone."""
    return tag("a", text(words), href=href, target="_self")


def loss_line(sentence: str) -> Markup:
    """Return a line of a page about losses (``agreement.losses.Losses.sentence``), highlighted if it is a warning."""
    if sentence.startswith(WARNING):
        return tag("div", text(sentence), style="ts ts-notice bad", role="alert", data_part="loss-warning")
    return tag("p", quiet(sentence), style="ts", data_part="losses")


def bar(parts: Sequence[tuple[str, str, int]], *, total: int, style: str = "") -> Markup:
    """Return a stacked bar of (style, label, count). ``total`` is its full width in the same unit."""
    if total <= 0:
        return tag("div", style=f"ts-bar {style}".strip(), role="img", aria_label="nothing yet")
    label = ", ".join(f"{count} {name}" for _, name, count in parts)
    pieces = [
        f'<i class="{escape(style)}" style="width:{100 * count / total:.3f}%" title="{escape(f"{count} {name}")}"></i>'
        for style, name, count in parts
        if count
    ]
    return tag("div", *map(Markup, pieces), style=f"ts-bar {style}".strip(), role="img", aria_label=label)


def keys_of_bar(parts: Iterable[tuple[str, str]]) -> Markup:
    """Return the legend of a bar's colors."""
    return tag(
        "div",
        *(tag("span", tag("i", style=style), text(name), style="ts-key") for style, name in parts),
        style="ts ts-small ts-quiet",
    )


def interval(
    value: float | None,
    low: float | None,
    high: float | None,
    *,
    ends: tuple[float, float],
    marks: Sequence[float] = (),
    band: tuple[float, float] | None = None,
    strong: bool = False,
) -> Markup:
    """Return a value with its interval on a line from ``ends[0]`` to ``ends[1]``. None is not drawn.

    Parameters
    ----------
    marks
        Numbers with a dashed line.
    band
        A range that is shaded behind the value.
    strong
        Draw in the color of texts.
    """
    first, last = ends

    def place(number: float) -> float:
        return 100 * (min(max(number, first), last) - first) / (last - first)

    parts = ["<s></s>"]
    if band is not None:
        width = max(place(band[1]) - place(band[0]), 0.6)
        parts.append(f'<s class="band" style="left:{place(band[0]):.2f}%;width:{width:.2f}%"></s>')
    if first < 0 < last:
        parts.append(f'<s class="zero" style="left:{place(0):.2f}%"></s>')
    parts += [f'<s class="mark" style="left:{place(mark):.2f}%"></s>' for mark in marks if first < mark < last]
    if low is not None and high is not None:
        parts.append(f'<u style="left:{place(low):.2f}%;width:{max(place(high) - place(low), 0.6):.2f}%"></u>')
    if value is not None:
        parts.append(f'<b style="left:{place(value):.2f}%"></b>')
    return tag("div", Markup("".join(parts)), style="ts-range strong" if strong else "ts-range")


def heat(value: float | None, shown: str, about: str, *, href: str = "", title: str = "") -> Markup:
    """Return a cell of a heat map: more blue for higher values up to 1, more orange for lower values below 0.

    The text stays readable on every color.
    """
    strength = 0 if value is None else round(8 + 55 * min(abs(value), 1))
    style = "ts-heat" + (" below" if value is not None and value < 0 else "")
    parts = (text(shown), tag("small", text(about)))
    where = {"href": href, "target": "_self"} if href else {}
    named = Markup(f' style="--heat:{strength}%"')
    whole = tag("a" if href else "span", *parts, style=style, title=title, **where)
    return Markup(whole.replace(">", f"{named}>", 1))


def table(heads: Sequence[tuple[str, str]], rows: Iterable[Sequence[Markup]]) -> Markup:
    """Return a table. Each head is (text, style of its column)."""
    head = tag("tr", *(tag("th", text(name), style=style, scope="col") for name, style in heads))
    styles = [style for _, style in heads]
    body = [tag("tr", *(tag("td", cell, style=style) for cell, style in zip(row, styles, strict=True))) for row in rows]
    return tag("table", tag("thead", head), tag("tbody", *body), style="ts ts-table")
