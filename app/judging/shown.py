"""A judge's replies as markup with the readings marked, and their outcomes as figures.

A reply may contain anything, so it is sanitized first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app import addresses, markup
from app.markup import Markup
from app.running import shown
from domain.judging import ReplyOutcome
from domain.run_kinds import RunKind
from workflow.results.judge_replies import ReadingView, ReplyView

AROUND = 260
"""Number of characters before and after a reading in a list."""

STYLE = """
.ts-reply { border: 1px solid color-mix(in srgb, currentColor 18%, transparent); border-left: 4px solid #1f8a64;
  border-radius: 6px; padding: .7rem .9rem; margin: .5rem 0; }
.ts-reply.failed { border-left-color: #c4622d; }
.ts-reply > .head { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .3rem 1rem; }
.ts-reply .said { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: .4rem 1.4rem;
  margin-top: .4rem; }
.ts-reply .said.even { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.ts-reply .said .ts-quiet { font-size: .82rem; }
.ts-reply .said .what { display: block; }
.ts-reply .ts-said { max-height: 14rem; }
.ts-score { display: inline-block; font-weight: 600; border-radius: 4px; padding: .05rem .5rem; margin-right: .4rem;
  font-size: .85rem; overflow-wrap: anywhere; background: color-mix(in srgb, #1f8a64 24%, transparent); }
.ts-score.bad { background: color-mix(in srgb, #c4622d 26%, transparent); }
.ts-score.people { background: color-mix(in srgb, #2f7fb8 24%, transparent); }
[class*="st-key-judges-text"] textarea, [class*="st-key-judges-template-text"] textarea {
  font-family: ui-monospace, "Source Code Pro", Menlo, Consolas, monospace; font-size: .85rem; line-height: 1.45; }
"""

_STRIPES = "repeating-linear-gradient({}deg, #0000002b 0 3px, transparent 3px 7px)"
STYLE += "\n".join(
    f".v-{outcome} {{ background: "
    f"{f'{_STRIPES.format(outcome.stripes)}, ' if outcome.stripes else ''}{outcome.colour}; }}"
    for outcome in ReplyOutcome
)


# ---- figures ---------------------------------------------------------------------------------------------------------


def bar(counts: Mapping[ReplyOutcome, int], *, total: int) -> Markup:
    """Return the outcomes of replies as a bar."""
    return markup.bar(
        [(_style(verdict), verdict.label, counts[verdict]) for verdict in ReplyOutcome if counts.get(verdict)],
        total=total,
    )


def keys(counts: Mapping[ReplyOutcome, int], *, links: Mapping[ReplyOutcome, str] | None = None) -> Markup:
    """Return the legend of the bar, with counts and links to the replies."""
    marks = []
    for verdict in ReplyOutcome:
        if not counts.get(verdict):
            continue
        words = markup.text(f"{verdict.label} {counts[verdict]:,}")
        href = (links or {}).get(verdict)
        if href:
            words = markup.tag("a", words, href=href, target="_self", data_verdict=verdict.value)
        marks.append(markup.tag("span", markup.tag("i", style=_style(verdict)), words, style="ts-key"))
    return markup.tag("div", *marks, style="ts ts-small")


def of_all(counts: Mapping[ReplyOutcome, int]) -> str:
    """Return how many readings have a score, and out of how many."""
    return f"{counts.get(ReplyOutcome.SCORED, 0):,} scored of {sum(counts.values()):,}"


def _style(verdict: ReplyOutcome) -> str:
    return f"v-{verdict.value}"


# ---- replies ---------------------------------------------------------------------------------------------------------


def marked(text: str, readings: Sequence[ReadingView], *, around: int | None = None) -> Markup:
    """Return a reply with its readings marked.

    ``around``: show only this number of characters before the first mark and after the last one.
    """
    spans = _spans(text, readings)
    first, last = 0, min(len(text), shown.LONGEST_TEXT)
    if spans:
        last = min(len(text), max(last, spans[-1][1] + 1000))
    if around is not None:
        first = max(0, spans[0][0] - around) if spans else 0
        last = min(len(text), spans[-1][1] + around if spans else 2 * around)
        if first < 40:
            first = 0
    parts = [markup.quiet("… ")] if first else []
    here = first
    for start, end, reading in spans:
        parts.append(markup.text(shown.tame(text[here:start])))
        named = f"{reading.criterion}: {value_in_words(reading)}"
        parts.append(
            markup.tag(
                "mark",
                markup.text(shown.tame(text[start:end])),
                style="ts-mark" if reading.verdict.scored else "ts-mark bad",
                title=shown.opening(named),
            )
        )
        here = end
    parts.append(markup.text(shown.tame(text[here:last])))
    if last < len(text):
        parts.append(markup.quiet(f" … ({len(text) - last:,} more)"))
    return markup.tag("div", *parts, style="ts ts-said", dir="auto", data_part="reply")


def _spans(text: str, readings: Sequence[ReadingView]) -> list[tuple[int, int, ReadingView]]:
    """Return the spans of the readings in the order of the text, without overlaps."""
    spans: list[tuple[int, int, ReadingView]] = []
    for reading in sorted((reading for reading in readings if reading.span), key=lambda each: each.span or (0, 0)):
        start, end = reading.span or (0, 0)
        start, end = max(start, spans[-1][1] if spans else 0), min(end, len(text))
        if start < end:
            spans.append((start, end, reading))
    return spans


def value_in_words(reading: ReadingView) -> str:
    """Return a reading in words."""
    return value(reading.value) if reading.verdict.scored else reading.verdict.label


def value(of: Any) -> str:
    """Return a value as text."""
    return f"{of:g}" if isinstance(of, float) else str(of)


def scores(readings: Sequence[ReadingView]) -> Markup:
    """Return a label with the outcome of each criterion. A failure of the whole reply is shown once."""
    verdicts = {reading.verdict for reading in readings}
    if len(verdicts) == 1 and not next(iter(verdicts)).scored:
        return markup.tag("span", markup.text(next(iter(verdicts)).label), style="ts-score bad")
    one = len(readings) == 1
    return markup.joined(
        markup.tag(
            "span",
            markup.text(
                shown.opening(value_in_words(reading) if one else f"{reading.criterion} {value_in_words(reading)}", 80)
            ),
            style="ts-score" if reading.verdict.scored else "ts-score bad",
            data_criterion=reading.criterion,
        )
        for reading in readings
    )


def people(view: ReplyView, *, label: str = "people ") -> Markup:
    """Return people's grades of the same answer, for the same criteria."""
    criteria = [reading.criterion for reading in view.readings]
    grades = []
    for grade in view.grades:
        given = [(name, grade.values[name]) for name in criteria if grade.values.get(name) is not None]
        if given:
            words = ", ".join(value(one) if len(criteria) == 1 else f"{name} {value(one)}" for name, one in given)
            grades.append(
                markup.tag(
                    "span",
                    markup.text(shown.opening(f"{grade.name or grade.person}: {words}", 120)),
                    style="ts-score people",
                )
            )
    if not grades:
        return Markup("")
    return markup.tag("div", markup.quiet(label), *grades, data_part="people")


def no_score_reason(view: ReplyView) -> Markup:
    """Return the reasons why a reply has no score."""
    reasons = dict.fromkeys(reading.why for reading in view.readings if reading.why)
    return markup.joined(markup.tag("div", shown.line(reason, most=600), style="ts-small") for reason in reasons)


def answer_line(view: ReplyView, project: str, run: str, *, title: str) -> Markup:
    """Return a line about the judged answer, with links to the item and to the reply's details."""
    parts = [title]
    if view.attack:
        parts.append(f"attack: {view.attack.replace('_', ' ')}")
    elif view.other_model is not None:
        first, second = (view.other_model, view.model) if view.swapped else (view.model, view.other_model)
        parts.append(f"A: {first}, B: {second}")
    elif view.model:
        parts.append(view.model)
    if view.swapped and view.other_model is None:
        parts.append("positions swapped")
    if view.sample:
        parts.append(f"asked again ({view.sample + 1})")
    return markup.tag(
        "span",
        markup.tag("b", shown.question(project, view.item, view.title)),
        markup.quiet(" · " + shown.opening(" · ".join(parts), 200) + " · "),
        markup.tag(
            "a",
            markup.text("Details"),
            href=addresses.page(RunKind.JUDGE.page, project, run=run, reply=str(view.id)),
            target="_self",
            data_reply=str(view.id),
        ),
    )


def answer(view: ReplyView, *, most: int | None = None) -> Markup:
    """Return the judged answer, or both answers of a pair."""
    if view.answer is None:
        return markup.tag("div", markup.quiet("the item itself"))

    def part(words: str, text: str) -> Markup:
        body = shown.text_block(text, style="") if most is None else shown.line(text, most=most)
        return markup.joined([heading(words), body if text else markup.quiet("nothing")])

    if view.other is None:
        return markup.tag("div", part("answer", view.answer))
    first, second = (view.other, view.answer) if view.swapped else (view.answer, view.other)
    return markup.tag("div", part("answer A", first), part("answer B", second))


def heading(words: str) -> Markup:
    """Return a small heading."""
    return markup.tag("span", markup.text(words), style="ts-quiet what")


def card(view: ReplyView, project: str, run: str, *, title: str) -> Markup:
    """Return a reply for a list: the score next to the raw reply, the judged answer, and people's grades."""
    reply = marked(view.text, view.readings, around=AROUND) if view.text else markup.quiet("no text")
    return markup.tag(
        "div",
        markup.tag(
            "div",
            answer_line(view, project, run, title=title),
            markup.tag("span", scores(view.readings)),
            style="head",
        ),
        no_score_reason(view),
        markup.tag(
            "div",
            markup.tag("div", answer(view, most=400), people(view)),
            markup.tag("div", heading("reply"), reply),
            style="said",
        ),
        style="ts ts-reply" if view.scored else "ts ts-reply failed",
        data_card=str(view.id),
    )
