"""The page *Scorecard*, for leads only: who stands out, each person's work over time, and the pay sheet."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from annotation_schemas.model import Stages
from app import addresses, markup, shell
from app.charts import dot_plot, page_chart
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import list_order
from app.widgets.folds import folded
from db import project_facts
from domain.item_filter import ItemFilter, ItemList
from domain.records import ProjectView
from domain.roles import Role
from domain.states import VERIFICATIONS, Stage
from extensions.scorecards import card_charts, csv_tables
from extensions.scorecards.cards import SMALL, WINDOW, Card, Score, Share
from extensions.scorecards.pay_sheet import pay_sheet
from extensions.scorecards.standings import Standing, Standings, TeamStanding, standings
from workflow.lead import people_at_work

SCREEN = Screen(
    "Scorecard",
    place=205,
    room=Room.PEOPLE,
    role=Role.LEAD,
    words="weakest rater performance quality speed accuracy workers check reviewer bad annotator",
    needs=Need(
        "The project has fewer than 10 submitted answers, too few to compare people.", project_facts.has_ten_submissions
    ),
)


MOST_NAMED = 3
"""The number of people that the first sentence names."""
FEW_WEEKS = 4
"""Up to this number of weeks, the first chart shows days."""
PAGE = 100
"""Lines of the table that are shown at once."""

COLUMNS: Mapping[str, Callable[[Card], list_order.Value]] = {
    "Person": lambda card: card.name,
    "Login": lambda card: card.login,
    "Stage": lambda card: list(Stage).index(card.stage),
    "Done": lambda card: card.score.submissions,
    "Active minutes": lambda card: card.score.active_minutes,
    "Tasks per hour": lambda card: card.score.per_hour,
    "Agreement with peers": lambda card: card.score.peers.value,
    "Agreement with seniors": lambda card: card.score.settled.value,
    "Skips": lambda card: card.score.skips.value,
    "Gold checks right": lambda card: card.gold.value,
    "Qualification score": lambda card: card.qualification,
}
"""The columns that can sort the table."""


def render(services: Services) -> None:
    """Draw who stands out, everyone's agreement as dots, and folds with all figures."""
    view = shell.lead_of(services)
    about = "See how often each person agrees with others. Only leads see this page."
    shell.heading("Scorecard", about, made_up=view.made_up)
    cards_figure = _asked(services, view)
    pending_figures.show_pending(services, cards_figure, lambda: _asked(services, view), about="The scorecards are")
    cards: Sequence[Card] = cards_figure.figure.value if cards_figure.figure else ()
    stages = view.schema.schema_.stages
    if cards:
        found = standings(cards)
        parts = [markup.finding(answer(found, stages, partial(_items_of, view))), _limits(found)]
        parts += [_plot(view, team) for team in found.stages]
        shell.show(markup.Markup(f"<style>{dot_plot.STYLE}</style>"), *parts)
        drift = _drift(stages, cards)
        if drift:
            shell.show(drift)
        folded("scorecard", "table", "All figures by person and stage", "", partial(_table, view, cards))
        draw = partial(_over_time, view, cards)
        folded("scorecard", "time", "One person over time", "", draw, expanded="person" in st.query_params)
    elif cards_figure.current:
        shell.show(markup.notice("There are no submissions yet."))
    folded("scorecard", "pay", "Pay sheet", "", partial(_pay, services, view))


def answer(found: Standings, stages: Stages, address: Callable[[Standing], str]) -> markup.Markup:
    """Return the sentence that the page opens with. Each share links to the ``address`` of what is behind it."""
    sentences = []
    if not found.stages:
        sentences.append(markup.text(f"You cannot compare people yet. A comparison needs {SMALL} shared answers."))
    for team, one in found.below[:MOST_NAMED]:
        limits = f" [{100 * one.low:.0f}, {100 * one.high:.0f}] in {stages.title_of(team.stage)}, below the team's"
        parts = [
            markup.tag("b", markup.text(one.card.name)),
            markup.text(" agrees with others on "),
            markup.link(f"{markup.percent(one.share.value)} of {one.share.n:,} shared answers", address(one)),
            markup.text(f"{limits} median of {markup.percent(team.median)}."),
        ]
        sentences.append(markup.joined(parts))
    if (more := len(found.below) - MOST_NAMED) > 0:
        sentences.append(
            markup.text(f"{markup.count(more, 'other person is', 'other people are')} below the team's median.")
        )
    if found.stages and not found.below:
        team, lowest = min(
            ((team, team.people[0]) for team in found.stages), key=lambda pair: pair[1].share.value - pair[0].median
        )
        parts = [
            markup.tag("b", markup.text("Nobody stands out.")),
            markup.text(f" {lowest.card.name} agrees least in {stages.title_of(team.stage)}: "),
            markup.link(f"{lowest.share.k:,} of {lowest.share.n:,} shared answers", address(lowest)),
            markup.text(" are the same."),
        ]
        sentences.append(markup.joined(parts))
    return markup.joined([*sentences, *([markup.text(_few(found))] if found.few else [])], " ")


def _few(found: Standings) -> str:
    return (
        f"{markup.count(found.few, 'person has', 'people have')} fewer than {SMALL} shared answers, too few to compare."
    )


def _limits(found: Standings) -> markup.Markup:
    if not found.stages:
        return markup.Markup("")
    words = (
        "Two people share an answer if both people answered the same question about the same item. Lines "
        f"show 95 % limits that hold for all {found.compared} comparisons together. Dashed line: the "
        "team's median."
    )
    return markup.tag("p", markup.quiet(words), style="ts ts-small", data_part="limits")


def _plot(view: ProjectView, team: TeamStanding) -> markup.Markup:
    """Return the people of a stage as dots, the lowest first, each with a link to the items on which votes differ."""
    rows = [
        dot_plot.DotRow(
            one.card.name,
            one.share.value,
            one.low,
            one.high,
            f"{one.share.k:,} of {one.share.n:,}" + (", below" if one.below else ""),
            href=_items_of(view, one),
            link="differences" if team.stage in VERIFICATIONS else "over time",
            strong=one.below,
            percent=0,
        )
        for one in team.people
    ]
    plot = dot_plot.dot_plot(rows, title="Same answers", ends=dot_plot.axis_of(rows), marks=[team.median])
    return markup.joined([markup.section(view.schema.schema_.stages.title_of(team.stage)), plot])


def _items_of(view: ProjectView, one: Standing) -> str:
    return _differing(view, one.card) or addresses.page("scorecard", view.name, person=one.card.login)


def _differing(view: ProjectView, card: Card) -> str:
    """Return the address of the items on which a verifier's vote and others' votes differ. Empty for other stages."""
    if card.stage not in VERIFICATIONS:
        return ""
    return ItemList(ItemFilter(voter=card.login, differ=True)).address(view.name)


def _done(view: ProjectView, card: Card) -> str:
    """Return the address of the items that a person has written or voted on. Empty for other stages."""
    if card.stage is Stage.AUTHORING:
        return ItemList(ItemFilter(author=card.login)).address(view.name)
    if card.stage in VERIFICATIONS and len(view.schema.schema_.stages.verifications) == 1:
        return ItemList(ItemFilter(voter=card.login)).address(view.name)
    return ""


def _linked(words: str, href: str) -> markup.Markup:
    return markup.link(words, href) if href else markup.text(words)


def _table(view: ProjectView, cards: Sequence[Card]) -> None:
    chosen = list_order.arranged(cards, COLUMNS, names=lambda card: (card.name, card.login), key="scorecard.order")
    first = shell.pager(
        len(chosen), size=PAGE, of=[(card.login, card.stage) for card in chosen], key="scorecard.pages", noun="line"
    )
    if chosen:
        shell.show(table(view, chosen[first : first + PAGE]))
    st.caption(
        "Agreement with peers: the share of a person's answers that equal another person's answer to the same "
        "question. Agreement with seniors: the share of votes that a senior's decision confirmed. Skips: the share "
        f"of submissions that skip a question. Each share has its 95 % limits. Below n = {SMALL}, a share is too "
        "uncertain to act on."
    )
    name = f"{view.name}-scorecard.csv"
    st.download_button("Scorecard as CSV", lambda: csv_tables.as_csv(cards), name, "text/csv", key="scorecard.csv")


def _asked(services: Services, view: ProjectView) -> figure_requests.FigureState:
    """Return the cards of all people. They are computed again only if something has changed."""
    return figure_requests.request_figure(
        services.store,
        services.settings,
        "scorecard",
        {"project": view.name, "by": None},
        state=people_at_work.work_mark(services.store, by=services.person, project=view.name),
        size=people_at_work.count_submissions(services.store, by=services.person, project=view.name),
    )


def _over_time(view: ProjectView, cards: Sequence[Card]) -> None:
    stages = view.schema.schema_.stages
    labels = [f"{card.name} ({card.login}), {stages.title_of(card.stage)}" for card in cards]
    asked = st.query_params.get("person")
    first = next((n for n, card in enumerate(cards) if card.login == asked), 0)
    key = f"scorecard.who.{asked}"
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        at = (
            st.selectbox("Person and stage", range(len(cards)), index=first, format_func=labels.__getitem__, key=key)
            or 0
        )
    card = cards[at]
    with right:
        by: card_charts.By = (
            st.segmented_control(
                "By",
                ("day", "week"),
                default="week" if len(card.weeks) > FEW_WEEKS else "day",
                format_func={"day": "Day", "week": "Week"}.__getitem__,
                required=True,
                key=f"scorecard.by.{card.login}.{card.stage}",
            )
            or "week"
        )
    drawn = card_charts.charts_of(cards, card, by)
    for chart in drawn:
        page_chart.show(chart, project=view.name)
    if not drawn:
        shell.show(
            markup.paragraph(
                "No chart yet, because times are missing and too few answers can be compared.", style="ts ts-quiet"
            )
        )
    shell.show(markup.paragraph(f"Each row of the table covers {WINDOW} submissions:", style="ts ts-small"))
    rows = [
        [markup.text(f"{n * WINDOW + 1} to {n * WINDOW + window.submissions}"), *_figures(window)]
        for n, window in enumerate(card.windows)
    ]
    shell.show(markup.table([("Submissions", ""), *FIGURES], rows))


FIGURES = [
    ("Active minutes", "number"),
    ("Tasks per hour", "number"),
    ("Agreement with peers", "line"),
    ("Agreement with seniors", "line"),
    ("Skips", "line"),
]


def table(view: ProjectView, cards: Sequence[Card]) -> markup.Markup:
    """Return a table with a line for each person and stage. Gold and qualification have columns only if used.

    The number of tasks and the agreement with peers link to their items, if the page *Items* can list these items.
    """
    stages = view.schema.schema_.stages
    heads = [("Person", ""), ("Stage", ""), ("Done", "number"), *FIGURES]
    gold, qualified = any(card.gold.n for card in cards), any(card.qualification is not None for card in cards)
    heads += [("Gold checks right", "line")] * gold + [("Qualification score", "number")] * qualified
    rows = []
    for card in cards:
        row = [
            _person_cell(card),
            markup.text(stages.title_of(card.stage)),
            _linked(f"{card.score.submissions:,}", _done(view, card)),
            *_figures(card.score, _differing(view, card)),
        ]
        row += [_share(card.gold)] * gold
        row += [markup.text("-" if card.qualification is None else markup.percent(card.qualification))] * qualified
        rows.append(row)
    return markup.table(heads, rows)


def _person_cell(card: Card) -> markup.Markup:
    login = markup.quiet(card.login + ("" if card.active else ", deactivated"))
    return markup.joined([markup.tag("b", markup.text(card.name)), markup.tag("div", login, style="ts-small")])


def _drift(stages: Stages, cards: Sequence[Card]) -> markup.Markup | None:
    """Return a list of the people whose work has clearly changed, or None."""
    lines = [
        markup.tag(
            "li", markup.tag("b", markup.text(card.name)), markup.text(f", {stages.title_of(card.stage)}: {words}")
        )
        for card in cards
        for words in card.drift
    ]
    if not lines:
        return None
    head = markup.text(f"These people's last {WINDOW} submissions differ clearly from their earlier submissions:")
    return markup.tag("div", head, markup.tag("ul", *lines), style="ts ts-notice", data_part="drift", role="status")


def _figures(score: Score, peers: str = "") -> list[markup.Markup]:
    """Return the figures as cells. ``peers`` is the address of the items behind the agreement with peers."""
    return [
        markup.text(f"{score.active_minutes:,.1f}"),
        markup.text("-" if math.isnan(score.per_hour) else f"{score.per_hour:,.1f}"),
        _share(score.peers, peers),
        *map(_share, (score.settled, score.skips)),
    ]


def _share(share: Share, href: str = "") -> markup.Markup:
    """Return a share with its n and its limits. A share with a small n is muted. ``href`` has the items behind it."""
    if not share.n:
        return markup.quiet("-")
    low, high = share.limits
    value = markup.percent(share.value)
    rest = f" of {share.n}" + ("" if share.n >= SMALL else ", too few to compare")
    shown = _linked(value, href) if href or share.n >= SMALL else markup.quiet(value)
    first = markup.joined([shown, markup.quiet(rest)])
    return markup.joined([first, markup.tag("div", markup.quiet(markup.percent_limits(low, high)), style="ts-small")])


def _pay(services: Services, view: ProjectView) -> None:
    left, middle, right = st.columns([1, 1, 2], vertical_alignment="bottom")
    with left:
        since = st.date_input("First day (UTC)", value=None, key="scorecard.since")
    with middle:
        until = st.date_input("Last day (UTC)", value=None, key="scorecard.until")
    lines = pay_sheet(services.store, by=services.person, project=view.name, since=since, until=until)
    with right:
        name = f"{view.name}-paysheet.csv"
        st.download_button("Pay sheet as CSV", lambda: csv_tables.pay_csv(lines), name, "text/csv", key="scorecard.pay")
    st.caption(
        "Items are tasks that people submitted for the first time on these days, including gold checks. Minutes "
        "include corrections and qualification. Touchstone records no times for triage. Do not show people their "
        "number of gold checks."
    )
    heads = [
        ("Person", ""),
        ("Stage", ""),
        ("Items", "number"),
        ("Gold checks included", "number"),
        ("Corrections", "number"),
        ("Qualification", "number"),
        ("Active minutes", "number"),
        ("Without a time", "number"),
    ]
    rows = [
        [
            markup.text(line.name),
            markup.text(view.schema.schema_.stages.title_of(line.stage)),
            *(markup.text(n) for n in (line.items, line.gold, line.corrections, line.qualification)),
            markup.text(f"{line.active_minutes:,.1f}"),
            markup.text(line.untimed),
        ]
        for line in lines
    ]
    shell.show(markup.table(heads, rows))
