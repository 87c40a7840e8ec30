"""The figures of the page *Overview*: the bar, the dimensions, submissions per day, votes, people and the steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from annotation_schemas.model import Stages
from annotation_schemas.state_words import BAR_STATES, state_called, states_of
from app import addresses, markup
from app.overview import waiting
from app.screens import SCREENS
from app.widgets import counts
from domain.item_counts import COUNTS, STATE_COUNTS, ItemCounts
from domain.records import Dashboard, DimensionProgress
from domain.states import ItemState
from workflow.lead import vote_quality
from workflow.lead.people_at_work import LATELY, AtWork
from workflow.lead.setup_step import SetupStep
from workflow.lead.vote_quality import VoteQuality

STYLE = """
.ts-bar.tall { height: 18px; margin-top: .1rem; }
.ts-states { display: flex; flex-wrap: wrap; gap: .1rem 1.3rem; margin: .4rem 0 .1rem; }
.ts-states .ts-key { margin-right: 0; }
.ts-states a, .ts-states span { color: inherit; text-decoration: none; }
.ts-states a:hover { text-decoration: underline; }
.ts-steps { display: flex; flex-wrap: wrap; align-items: baseline; gap: .15rem .9rem; margin: .1rem 0 0; }
.ts-steps a { text-decoration: none; white-space: nowrap; }
.ts-steps a:hover { text-decoration: underline; }
.ts-waiting { list-style: none; margin: .3rem 0 0 !important; padding: 0 !important; }
.ts-waiting li { display: grid; grid-template-columns: 5.4rem 1fr auto; gap: .8rem; align-items: center;
  margin: 0 !important; padding: .28rem 0 !important;
  border-top: 1px solid color-mix(in srgb, currentColor 14%, transparent); }
.ts-waiting .ts-chip { justify-self: start; }
.ts-waiting li:last-child { border-bottom: 1px solid color-mix(in srgb, currentColor 14%, transparent); }
.ts .ts-act { display: inline-block; min-width: 8rem; text-align: center; text-decoration: none; border-radius: 7px;
  padding: .2rem .7rem; font-size: .9rem; border: 1px solid color-mix(in srgb, currentColor 30%, transparent); }
.ts .ts-act:hover { background: color-mix(in srgb, currentColor 8%, transparent); }
.ts .ts-act.first { background: #0f6e84; border-color: #0f6e84; color: #ffffff; font-weight: 600; }
.ts .ts-act.first:hover { background: #0b5769; }
.ts-days { display: flex; gap: .5rem; align-items: flex-end; }
.ts-days div { flex: 1 1 0; max-width: 3rem; text-align: center; font-size: .78rem; }
.ts-days i { display: block; background: #2f7fb8; border-radius: 2px 2px 0 0; margin: .1rem 0 .15rem; }
.ts-table.tight td { padding-top: .22rem; padding-bottom: .22rem; }
.ts-table.tight .ts-bar { margin-top: .25rem; height: 12px; }
@media (max-width: 700px) { .ts-waiting li { grid-template-columns: 1fr; gap: .25rem; } .ts-act { width: 100%; } }
"""

MOST = 14
"""Number of dimensions that are shown unfolded."""


def states_bar(counts_: ItemCounts, stages: Stages, *, style: str = "") -> markup.Markup:
    """Return a bar of items by state. Its empty part shows the items left to write."""
    there = states_of(stages)
    parts = [
        (state.value, state_called(stages, state), counts_.in_state(state)) for state in BAR_STATES if state in there
    ]
    return markup.bar(parts, total=counts_.written + counts_.left, style=style)


def legend(counts_: ItemCounts, stages: Stages, *, project: str) -> markup.Markup:
    """Return the count of each state with a link to its items, the items left to write, and those without media."""
    keys = [
        _key(state.value, counts.linked(STATE_COUNTS[state], n, project, label=state_called(stages, state)))
        for state in BAR_STATES
        if (n := counts_.in_state(state))
    ]
    for name in ("left", "in_progress"):
        if n := COUNTS[name].number(counts_):
            keys.append(_key("wanting", counts.linked(COUNTS[name], n, project, label=COUNTS[name].label)))
    lost = COUNTS["without_media"]
    if n := lost.number(counts_):
        keys.append(markup.tag("span", counts.linked(lost, n, project, label=lost.label)))
    return markup.tag("div", *keys, style="ts ts-small ts-states", data_part="summary")


def _key(state: str, words: markup.Markup) -> markup.Markup:
    return markup.tag("span", markup.tag("i", style=state), words, style="ts-key")


def further(board: Dashboard, people: Sequence[AtWork], *, pooled: bool) -> markup.Markup:
    """Return today's submissions and further counts in one line: grades, other stages, free images."""
    today, at_work = sum(one.today for one in people), sum(one.today > 0 for one in people)
    words = f"Today so far: {markup.count(today, 'submission')} by {markup.count(at_work, 'person', 'people')}"
    parts = [markup.tag("span", markup.text(words), title=COUNTS["submissions"].about, data_part="today")]
    if board.to_grade:
        given = markup.text(f"{board.graded:,} of {markup.count(board.to_grade, 'grade')} submitted")
        parts.append(markup.tag("span", given, title=board.sample) if board.sample else given)
    parts += map(markup.text, board.of_stages)
    if pooled:
        parts.append(markup.text(f"{markup.count(board.free_images, 'free image')} in the pool"))
    return markup.tag("div", markup.joined(parts, " · "), style="ts ts-small ts-quiet", data_part="further")


def steps_line(steps: Sequence[SetupStep], *, project: str) -> markup.Markup:
    """Return the steps to the first release in one line: each with its state, its page, and a sentence on hover."""
    done = sum(step.done for step in steps)
    links = [
        markup.tag(
            "a",
            markup.text(f"{'✓' if step.done else '○'} {step.title}"),
            href=waiting.address(step, project),
            target="_self",
            title=step.said,
            aria_label=f"{step.title}: {'done' if step.done else 'open'}. {step.said}",
            style="ts-quiet" if step.done else "",
        )
        for step in steps
    ]
    head = markup.tag("b", markup.text(f"First release: {done} of {len(steps)} steps done"))
    return markup.tag("div", head, *links, style="ts ts-small ts-steps", data_part="steps")


def dimensions(rows: Sequence[DimensionProgress], stages: Stages, *, project: str = "") -> markup.Markup:
    """Return a table with a row for each dimension. Names and numbers link to the items."""
    heads = [("Dimension", "line"), ("Items by state", "wide"), ("Kept", "number"), ("Written", "number")]
    wanted = any(row.counts.wanted is not None for row in rows)
    heads += [("Wanted", "number"), ("Left to write", "number")] if wanted else []
    names = ["kept", "written", *(["wanted", "left"] if wanted else [])]
    if any(row.counts.without_media for row in rows):
        heads.append(("Missing media", "number"))
        names.append("without_media")
    cells = [_row(row, stages, project, names) for row in rows]
    whole = _tight(markup.table(heads, cells[:MOST]))
    if len(cells) <= MOST:
        return whole
    more = markup.tag("summary", markup.text(f"{markup.count(len(cells) - MOST, 'more dimension')}"))
    return markup.joined([whole, markup.tag("details", more, _tight(markup.table(heads, cells[MOST:])), style="ts")])


def _tight(table: markup.Markup) -> markup.Markup:
    return markup.Markup(table.replace('class="ts ts-table"', 'class="ts ts-table tight"', 1))


def _row(row: DimensionProgress, stages: Stages, project: str, names: Sequence[str]) -> list[markup.Markup]:
    href = counts.listed(COUNTS["written"].items, project, row.dimension) if COUNTS["written"].items else ""
    name = markup.tag("a", markup.text(row.title), href=href, target="_self", title="The items of this dimension")
    cells = [
        markup.text("-")
        if name in ("wanted", "left") and row.counts.wanted is None
        else counts.linked(COUNTS[name], COUNTS[name].number(row.counts), project, dimension=row.dimension)
        for name in names
    ]
    return [name, states_bar(row.counts, stages), *cells]


HEIGHT = 76
"""The height of the highest bar, in pixels."""


def submissions_chart(days: Mapping[date, int]) -> markup.Markup:
    """Return a bar for each day. A day without work has an empty place."""
    if not any(days.values()):
        return markup.paragraph(f"No submissions in the last {len(days)} days.", style="ts ts-small ts-quiet")
    most = max(days.values())
    bars = [
        markup.tag(
            "div",
            markup.text(f"{n:,}" if n else ""),
            markup.Markup(f'<i style="height:{round(HEIGHT * n / most)}px"></i>'),
            markup.text(f"{day:%a}"),
            title=f"{day:%A} {day.day} {day:%B}: {markup.count(n, 'submission')}",
        )
        for day, n in days.items()
    ]
    words = ", ".join(f"{day:%a} {n}" for day, n in days.items())
    return markup.tag("div", *bars, style="ts ts-days", role="img", aria_label=f"Submissions per day (UTC): {words}")


def quality(found: VoteQuality, total: ItemCounts, board: Dashboard, *, project: str) -> markup.Markup:
    """Return how many items have equal votes and how many are rejected, as links to the items and people behind."""
    lines = []
    if found.compared:
        href = counts.listed(vote_quality.DIFFERENT, project)
        about = "Items with two or more votes that all agree. The link lists the items whose votes differ."
        lines.append(("Votes agree on", f"{found.compared - found.different:,} of {found.compared:,}", href, about))
    if settled := total.kept + total.rejected:
        rejected = STATE_COUNTS[ItemState.REJECTED]
        assert rejected.items is not None
        href = counts.listed(rejected.items, project)
        lines.append(("Rejected, of settled", f"{total.rejected:,} of {settled:,}", href, rejected.about))
    for page, words in (("agreement", "Agreement by dimension"), ("scorecard", "People compared")):
        if page in SCREENS and (found.compared or board.graded):
            lines.append((words, "Open", addresses.page(SCREENS[page].path, project), ""))
    if not lines:
        return markup.paragraph(
            "No item has two votes yet. Agreement appears after two people have voted on the same item.",
            style="ts ts-small ts-quiet",
        )
    rows = [
        [markup.text(words), markup.tag("a", markup.text(value), href=href, target="_self", title=about)]
        for words, value, href, about in lines
    ]
    body = [markup.tag("tr", markup.tag("td", name), markup.tag("td", value, style="number")) for name, value in rows]
    return markup.tag("table", markup.tag("tbody", *body), style="ts ts-table tight", data_part="quality")


# ---- people at work --------------------------------------------------------------------------------------------------


def people_fold(found: Sequence[AtWork], *, project: str) -> markup.Markup:
    """Return the people with their work, folded."""
    n = sum(one.now for one in found)
    head = f"People at work ({n} in the last {LATELY.seconds // 60} minutes)"
    return markup.tag(
        "details",
        markup.tag("summary", markup.text(head)),
        people(found, project=project),
        style="ts",
        data_part="people",
    )


def people(found: Sequence[AtWork], *, project: str) -> markup.Markup:
    """Return a table with a row for each person. The name links to the person's scorecard, if that page exists."""
    heads = [
        ("Person", "line"),
        ("Role", ""),
        ("Last seen", "line"),
        ("Today", "number"),
        ("7 days", "number"),
        ("In hand", "number"),
        ("Postponed", "number"),
        ("Drafts", "number"),
        ("Expired", "number"),
    ]
    return markup.table(heads, [_person(one, project) for one in found])


def _person(one: AtWork, project: str) -> list[markup.Markup]:
    seen = markup.moment(one.seen)
    over = f" (+{one.over} left open)" if one.over else ""
    name = markup.tag("b", markup.text(one.name))
    if "scorecard" in SCREENS:
        href = addresses.page("scorecard", project, person=one.login)
        name = markup.tag("a", name, href=href, target="_self", title="Their scorecard", data_person=one.login)
    return [
        markup.joined([name, markup.quiet(f" {one.login}")]),
        markup.text(one.role.value) if one.role else markup.quiet("former member"),
        markup.tag("b", markup.text("now")) if one.now else markup.text(seen),
        markup.text(one.today),
        markup.text(one.week),
        markup.joined([markup.text(one.held), markup.quiet(over)]),
        *(markup.text(n) for n in (one.postponed, one.drafts, one.late)),
    ]
