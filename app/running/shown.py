"""Models' texts and the figures of a run, as markup. A model's text may contain anything, so it is sanitized first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from app import addresses, markup
from app.markup import Markup
from domain.option_scores import Ranking
from domain.runs import Outcome, RunState
from workflow.runs.run_views import RunView

LONGEST_LINE = 240
"""Number of characters of an answer in a table."""

LONGEST_TEXT = 100_000
"""Number of characters of an answer on its own page. The download has the whole text."""

STYLE = """
.ts-mark { background: #e3b34155; color: inherit; border-radius: 3px; padding: .05em .15em;
  box-shadow: inset 0 -2px 0 #c08a16; }
.ts-mark.bad { background: #c4622d33; box-shadow: inset 0 -2px 0 #c4622d; }
.ts-said { white-space: pre-wrap; overflow-wrap: anywhere; overflow: auto; contain: paint; max-height: 26rem;
  unicode-bidi: isolate; line-height: 1.5; }
.ts-said.short { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; max-height: none;
  overflow: hidden; white-space: normal; }
.ts-table td.rest { width: 50%; }
.ts-said.framed { border: 1px solid color-mix(in srgb, currentColor 18%, transparent); border-radius: 6px;
  padding: .6rem .8rem; }
.ts-figures { display: flex; flex-wrap: wrap; gap: .4rem 2rem; margin: .3rem 0 .2rem; }
.ts-figures div { min-width: 5.5rem; } .ts-figures b { display: block; font-size: 1.15rem; font-weight: 600;
  font-variant-numeric: tabular-nums; }
.ts-figures span { font-size: .82rem; color: color-mix(in srgb, currentColor 66%, transparent); }
.ts-state { display: inline-block; font-size: .8rem; font-weight: 600; border-radius: 4px; padding: .05rem .5rem;
  white-space: nowrap; background: color-mix(in srgb, currentColor 12%, transparent); }
.ts-state.running, .ts-state.done { color: #fff; background: #1f7a58; } .ts-state.running { background: #2470a6; }
.ts-state.stopped, .ts-state.cancelled { color: #fff; background: #b0531f; }
.ts-turn { border-left: 3px solid color-mix(in srgb, currentColor 22%, transparent); padding: .1rem 0 .1rem .8rem;
  margin: .5rem 0; }
.ts-turn > .ts-quiet { display: block; font-size: .82rem; }
.answered { background: #1f8a64; } .truncated { background: #8fbf6a; } .refused { background: #8b6fc0; }
.failing { background: #c4622d; } .skipped { background: #7d8a94; }
.failing { background-image: repeating-linear-gradient(135deg, #00000030 0 3px, transparent 3px 7px); }
.truncated { background-image: repeating-linear-gradient(45deg, #00000026 0 3px, transparent 3px 7px); }
.ts-scroll { overflow-x: auto; }
.ts-title, .ts-table td.name { overflow-wrap: anywhere; }
.st-key-models-text textarea { font-family: ui-monospace, "Source Code Pro", Menlo, Consolas, monospace;
  font-size: .85rem; line-height: 1.45; }
"""

STATES: Mapping[RunState, str] = {
    RunState.WAITING: "waiting for a worker",
    RunState.RUNNING: "running",
    RunState.BATCH: "in batch files",
    RunState.PAUSED: "paused",
    RunState.STOPPED: "stopped by itself",
    RunState.CANCELLED: "canceled",
    RunState.DONE: "done",
}

_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"}
_CONTROLS |= {0x7F: "\u2421", 0x2028: "\n", 0x2029: "\n"}
_CONTROLS |= dict.fromkeys([*range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "\ufffd")
_CONTROLS |= {code: f"[U+{code:04X}]" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
_MANY_MARKS = re.compile(f"([{_MARKS}]{{4}})[{_MARKS}]+")


# ---- text ------------------------------------------------------------------------------------------------------------


def tame(value: str) -> str:
    """Return a text that is safe to read: harmful characters are removed or made visible.

    These are control characters, overrides of the writing direction, piles of accents, and unpaired surrogates.
    """
    return _MANY_MARKS.sub(r"\1", value.replace("\r\n", "\n").translate(_CONTROLS))


def question(project: str, item: str, title: str) -> Markup:
    """Return the question of an item (by its id in files) as a link to the item."""
    return markup.tag("a", markup.text(opening(title, 120)), href=addresses.item(project, item), target="_self")


def opening(value: str, most: int = LONGEST_LINE) -> str:
    """Return the first characters of a text on one line, and the number of characters left."""
    line = " ".join(tame(value[: 4 * most]).split())
    left = len(value) - most
    return line if len(line) <= most and len(value) <= 4 * most else f"{line[:most]} … ({left:,} more)"


def text_block(value: str, *, most: int = LONGEST_TEXT, style: str = "") -> Markup:
    """Return an external text of up to ``most`` characters, in its own writing direction."""
    kept = tame(value[:most])
    left = len(value) - most
    after = markup.quiet(f"\n… {markup.count(left, 'more character')} in the download") if left > 0 else Markup("")
    return markup.tag("div", markup.text(kept), after, style=f"ts ts-said {style}".strip(), dir="auto")


def line(value: str, *, most: int = LONGEST_LINE) -> Markup:
    """Return the first characters of an external text, for a table cell."""
    words = opening(value, most)
    if value and not words:
        return markup.quiet("only white space")
    return markup.tag("div", markup.text(words), style="ts-said short", dir="auto")


def mono(value: str) -> Markup:
    """Return a hash, path or file name in a monospaced font."""
    return markup.tag("span", markup.text(tame(value)), style="ts-mono")


# ---- figures ---------------------------------------------------------------------------------------------------------


def duration(seconds: float | None) -> str:
    """Return an approximate duration in words."""
    if seconds is None:
        return "not known yet"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h" if minutes < 2880 else _days(minutes)


def _days(minutes: float) -> str:
    return f"{minutes / 1440:.1f} days"


def rate(per_minute: float | None) -> str:
    """Return the pace of a run in words."""
    if not per_minute:
        return "not known yet"
    if per_minute >= 120:
        return f"{per_minute / 60:.1f} a second"
    return f"{per_minute:.1f} a minute" if per_minute >= 1 else f"{per_minute * 60:.1f} an hour"


def number(n: int | None) -> str:
    """Return a count in words. None is unknown, which is not 0."""
    return "not known" if n is None else f"{n:,}"


def cost(amount: float | None, currency: str | None) -> str:
    """Return an amount of money in words. None is unknown, which is not 0."""
    if amount is None:
        return "not known"
    return f"{amount:.4f} {currency or ''}".strip() if amount < 1 else f"{amount:,.2f} {currency or ''}".strip()


def figures(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Return numbers with their labels, side by side."""
    return markup.tag(
        "div",
        *(
            markup.tag("div", markup.tag("b", markup.text(value)), markup.tag("span", markup.text(name)))
            for name, value in pairs
        ),
        style="ts ts-figures",
    )


# ---- runs ------------------------------------------------------------------------------------------------------------


def state(of: RunState) -> Markup:
    """Return the state of a run as a colored label."""
    return markup.tag("span", markup.text(STATES[of]), style=f"ts-state {of}")


def told_apart(view: RunView) -> list[Markup]:
    """Return lines for below a run's name: its difference from other runs of the label, and why it was withdrawn."""
    remarks = [f"another run has the same label. Difference: {view.differs}"] if view.differs else []
    remarks += [f"withdrawn and no longer counted. Reason: {view.withdrawn}"] if view.withdrawn else []
    return [markup.tag("div", markup.quiet(opening(remark, 300))) for remark in remarks]


def outcomes(counts: Mapping[Outcome, int], *, wanted: int) -> Markup:
    """Return the progress bar with each outcome in its color, and the counts below it."""
    parts = [(outcome.style, outcome.label, counts.get(outcome, 0)) for outcome in Outcome]
    there = [part for part in parts if part[2]]
    left = wanted - sum(n for _, _, n in there)
    keys = [(style, f"{n:,} {name}") for style, name, n in there]
    return markup.joined(
        [
            markup.bar(there, total=wanted),
            markup.keys_of_bar([*keys, *([("wanting", f"{left:,} to do")] if left > 0 else [])]),
        ]
    )


# ---- ranked options --------------------------------------------------------------------------------------------------

SCORES: Mapping[str, str] = {
    "sum_logprob": "Sum",
    "mean_logprob": "Mean per token",
    "per_byte_logprob": "Per byte",
    "pmi_logprob": "Effect of pictures",
}
"""The scores of an option, in their order of columns."""


def ranking(of: Ranking, *, key: str | None = None) -> Markup:
    """Return the options with their scores, the winner of each score marked, and a warning if the winners differ.

    ``key`` is the item's right option, if the reader may see it.
    """
    heads = [("Option", "wide"), *((SCORES[score], "number") for score in SCORES), ("Tokens", "number")]
    rows = []
    for at, option in enumerate(of.options):
        text = markup.joined([line(option.text), *([markup.quiet("the key")] if option.text == key else [])])
        cells = [_score(option.scores[score], of.winners.get(score) == at) for score in SCORES]
        rows.append([text, *cells, markup.text(len(option.logprobs))])
    by = SCORES.get(of.score, of.score).lower()
    agreed = "" if of.warning else "Every score chooses the same option. "
    return markup.joined(
        [
            markup.notice(
                tame(f"{of.warning or agreed} This run uses this score: {by}."), style="bad" if of.warning else ""
            ),
            markup.tag("div", markup.table(heads, rows), style="ts-scroll"),
        ]
    )


def _score(value: float | None, won: bool) -> Markup:
    if value is None:
        return markup.quiet("-")
    shown = markup.text(f"{value:.3f}")
    return markup.tag("b", shown, markup.text(" \u25c2"), title="this score chooses this option") if won else shown
