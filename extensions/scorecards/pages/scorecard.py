"""The page *Scorecard*, for leads only: each person's work, its change over time, and the pay sheet."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from annotation_schemas.model import Stages
from app import markup, shell
from app.charts import page_chart
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import list_order
from db import project_facts
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Stage
from extensions.scorecards import card_charts, csv_tables
from extensions.scorecards.cards import SMALL, WINDOW, Card, Score, Share
from extensions.scorecards.pay_sheet import pay_sheet
from workflow.lead import people_at_work

SCREEN = Screen(
    "Scorecard",
    place=205,
    room=Room.PEOPLE,
    role=Role.LEAD,
    words="weakest rater performance quality speed accuracy workers check reviewer bad annotator",
    needs=Need("People have submitted fewer than 10 answers, too few to compare.", project_facts.has_ten_submissions),
)


FEW_WEEKS = 4
"""Up to this number of weeks, the first chart shows days."""
PAGE = 100
"""Lines of the table that are shown at once."""

COLUMNS: Mapping[str, Callable[[Card], list_order.Value]] = {
    "Person": lambda card: card.name,
    "Login": lambda card: card.login,
    "Stage": lambda card: list(Stage).index(card.stage),
    "Done": lambda card: card.score.submissions,
    "Active min": lambda card: card.score.active_minutes,
    "Tasks / active h": lambda card: card.score.per_hour,
    "As peers": lambda card: card.score.peers.value,
    "As seniors settled": lambda card: card.score.settled.value,
    "Skips": lambda card: card.score.skips.value,
    "Right on gold checks": lambda card: card.gold.value,
    "Qualified with": lambda card: card.qualification,
}
"""The columns that can sort the table."""


def render(services: Services) -> None:
    """Draw a table of all people, one person over time, and the pay sheet."""
    view = shell.lead_of(services)
    shell.heading(
        "Scorecard",
        "How everyone works, by stage. Each share comes with its n, and below it its 95 % limits. Raters"
        " see none of this.",
        made_up=view.made_up,
    )
    cards_figure = _asked(services, view)
    pending_figures.show_pending(services, cards_figure, lambda: _asked(services, view), about="The scorecards are")
    cards: Sequence[Card] = cards_figure.figure.value if cards_figure.figure else ()
    stages = view.schema.schema_.stages
    if cards:
        drift = _drift(stages, cards)
        if drift:
            shell.show(drift)
        chosen = list_order.arranged(cards, COLUMNS, names=lambda card: (card.name, card.login), key="scorecard.order")
        first = shell.pager(
            len(chosen), size=PAGE, of=[(card.login, card.stage) for card in chosen], key="scorecard.pages", noun="line"
        )
        if chosen:
            shell.show(table(stages, chosen[first : first + PAGE]))
        name = f"{view.name}-scorecard.csv"
        st.download_button("Scorecard as CSV", lambda: csv_tables.as_csv(cards), name, "text/csv", key="scorecard.csv")
        _over_time(view, cards)
    elif cards_figure.current:
        shell.show(markup.notice("No one has submitted anything yet."))
    _pay(services, view)


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
    st.caption(
        "As peers: pairs of answers to the same question that are equal, theirs and another person's. As seniors"
        " settled: votes that say the same as a senior's decision. Skips: submissions that skip a question."
        f" A share of fewer than {SMALL} is too few to act on."
    )
    shell.section("Over time")
    labels = [f"{card.name} ({card.login}), {stages.title_of(card.stage)}" for card in cards]
    asked = st.query_params.get("person")
    first = next((n for n, card in enumerate(cards) if card.login == asked), 0)
    key = f"scorecard.who.{asked}"
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        at = st.selectbox("Whose", range(len(cards)), index=first, format_func=labels.__getitem__, key=key) or 0
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
        shell.show(markup.paragraph("Nothing to draw: no times, and too few answers to compare.", style="ts ts-quiet"))
    shell.show(markup.paragraph(f"{WINDOW} submissions a line:", style="ts ts-small"))
    rows = [
        [markup.text(f"{n * WINDOW + 1} to {n * WINDOW + window.submissions}"), *_figures(window)]
        for n, window in enumerate(card.windows)
    ]
    shell.show(markup.table([("Submissions", ""), *FIGURES], rows))


FIGURES = [
    ("Active min", "number"),
    ("Tasks / active h", "number"),
    ("As peers", "line"),
    ("As seniors settled", "line"),
    ("Skips", "line"),
]


def table(stages: Stages, cards: Sequence[Card]) -> markup.Markup:
    """Return a table with a line for each person and stage. Gold and qualification have columns only if used."""
    heads = [("Person", ""), ("Stage", ""), ("Done", "number"), *FIGURES]
    gold, qualified = any(card.gold.n for card in cards), any(card.qualification is not None for card in cards)
    heads += [("Right on gold checks", "line")] * gold + [("Qualified with", "number")] * qualified
    rows = []
    for card in cards:
        row = [
            _person_cell(card),
            markup.text(stages.title_of(card.stage)),
            markup.text(card.score.submissions),
            *_figures(card.score),
        ]
        row += [_share(card.gold)] * gold
        row += [markup.text("-" if card.qualification is None else f"{card.qualification:.2f}")] * qualified
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
    head = markup.text(f"Clearly different in the last {WINDOW} submissions than before:")
    return markup.tag("div", head, markup.tag("ul", *lines), style="ts ts-notice", data_part="drift", role="status")


def _figures(score: Score) -> list[markup.Markup]:
    return [
        markup.text(f"{score.active_minutes:,.1f}"),
        markup.text("-" if math.isnan(score.per_hour) else f"{score.per_hour:,.1f}"),
        *map(_share, (score.peers, score.settled, score.skips)),
    ]


def _share(share: Share) -> markup.Markup:
    """Return a share with its n and its limits. A share with a small n is muted."""
    if not share.n:
        return markup.quiet("-")
    low, high = share.limits
    value = f"{share.value:.2f}"
    first = markup.quiet(f"{value} of {share.n}, too few")
    if share.n >= SMALL:
        first = markup.joined([markup.text(value), markup.quiet(f" of {share.n}")])
    return markup.joined([first, markup.tag("div", markup.quiet(f"{low:.2f} to {high:.2f}"), style="ts-small")])


def _pay(services: Services, view: ProjectView) -> None:
    shell.section("Pay sheet")
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
        "Items are tasks submitted for the first time within the days, gold checks included; a correction is no second"
        " item, but its minutes count. Qualification is counted apart; its minutes count, too. Triage has no times."
        " Do not show people their number of gold checks."
    )
    heads = [
        ("Person", ""),
        ("Stage", ""),
        ("Items", "number"),
        ("Of them gold checks", "number"),
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
