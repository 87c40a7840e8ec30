"""The page *History*: the full record of an item, and a list to find an item in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from annotation_schemas.model import Stages
from annotation_schemas.state_words import state_called, states_of
from app import addresses, markup, shell
from app.screens import Room, Screen
from app.services import Services
from app.widgets import field_values, item_pictures
from domain.errors import NotAllowedError
from domain.item_filter import AnswerFilter
from domain.records import ProjectView
from domain.roles import Role, at_least
from domain.states import VERIFICATIONS, Items, Purpose, Stage
from extensions.history import item_history
from extensions.history.records import AnswerView, FoundItem, ItemHistory, OriginStep, RevisionView, Step
from workflow.results.ratings import called_of

SCREEN = Screen(
    "History",
    place=140,
    room=Room.ITEMS,
    tab=False,
    role=Role.SENIOR,
    words="why rejected versions revisions votes changes timeline of an item",
)

PAGE = 100
"""Items on one page of the list."""
NOT_SEARCHED = "Items that you may be asked about blind are not searched."
By = Callable[[str | None], markup.Markup]
"""Returns a person's displayed name; the login appears as a tooltip."""
PURPOSES = {Purpose.QUALIFICATION: "qualification", Purpose.GOLD: "gold check", Purpose.ASKED_AGAIN: "asked again"}


def render(services: Services) -> None:
    """Draw the item in the address, or the list if there is none."""
    view = shell.project(services)
    if not at_least(view.role, Role.SENIOR):
        raise NotAllowedError(
            f"This page is for the seniors and leads of {view.title}. My work says what is waiting for you."
        )
    item = st.query_params.get("item")
    if item:
        _item(services, view, item)
    else:
        _list(services, view)


def _said() -> AnswerFilter | None:
    """Return the filter on named raters' answers in the address, or None."""
    asked = st.query_params
    raters = asked.get_all("raters")
    if not raters:
        return None
    values = (asked["most"], asked["last"]) if "most" in asked and "last" in asked else None
    return AnswerFilter(raters, asked.get("criterion"), values)


def _among() -> Items | None:
    """Return which items were counted in the number that linked to this page."""
    asked = st.query_params.get("items")
    return Items(asked) if asked in set(Items) else None


AMONG = {
    Items.KEPT: "Among the kept items, as they were counted. ",
    Items.ALL: "Among all items, as they were counted. ",
}


def words_of(said: AnswerFilter, called: Mapping[str, str] | None = None) -> str:
    """Return a sentence about the filter on answers. ``called`` has the names of raters."""
    raters = [(called or {}).get(name, name) for name in said.raters]
    about = f" about {said.criterion.replace('_', ' ')}" if said.criterion else ""
    if said.values is None:
        return f"Only where the answers of {' and '.join(raters)} differ{about}. "
    most, last = said.values
    return f"Only where most of {', '.join(raters[:-1])} say {most}{about} and {raters[-1]} says {last}. "


# ---- search ---------------------------------------------------------------------------------------------------------


def _list(services: Services, view: ProjectView) -> None:
    shell.heading(
        "History",
        "Find an item; its page shows revisions, answers, assignments and comments. Items that you may still be asked "
        "about "
        "blind are only counted.",
        made_up=view.made_up,
    )
    schema = view.schema.schema_
    titles = {known.id: known.title for known in schema.dimensions}
    rated = (*VERIFICATIONS, Stage.GRADING, Stage.COMPARISON, Stage.CODING)
    stages = [stage for stage in rated if getattr(schema.stages, stage) is not None]
    wanted = st.query_params.get("dimension")
    first, second, third, fourth = st.columns([3, 2, 2, 2], vertical_alignment="bottom")
    with first:
        text = st.text_input("Id or words", key="history.text")
    with second:
        names = [None, *titles]
        dimension = st.selectbox(
            "Dimension",
            names,
            index=names.index(wanted) if wanted in titles else 0,
            format_func=lambda name: titles[name] if name else "all",
            key="history.dimension",
        )
    with third:
        state = st.selectbox(
            "State",
            [None, *states_of(schema.stages)],
            format_func=lambda state: state_called(schema.stages, state) if state else "any",
            key="history.state",
        )
    with fourth:
        asked = st.query_params.get("differ")
        options = [None, *stages]
        differ = st.selectbox(
            "Answers differ in",
            options,
            index=options.index(Stage(asked)) if asked in stages else 0,
            format_func=lambda stage: schema.stages.title_of(stage) if stage else "do not matter",
            key="history.differ",
        )
    answer_filter = _said() if differ else None
    among = _among() if differ else None
    group = st.query_params.get("group") if differ and not dimension else None
    if answer_filter is not None or among is not None or group:
        _describe_filters(services, view, str(differ), dimension, answer_filter, among, group)
    wanted_now: dict[str, Any] = {
        "dimension": dimension,
        "state": state,
        "text": text or "",
        "differ": differ,
        "said": answer_filter,
        "among": among,
        "group": group,
    }

    def look(offset: int) -> item_history.FoundItems:
        return item_history.find(
            services.store, person=services.person, project=view.name, **wanted_now, offset=offset, limit=PAGE
        )

    pages: dict[str, Any] = {"size": PAGE, "of": (view.name, wanted_now), "key": "history.page"}
    begin = shell.page_begin(**pages)
    items = look(begin)
    if any((state, text, differ)):  # the same note for every result
        shell.show(markup.tag("p", markup.quiet(NOT_SEARCHED), style="ts ts-small"))
    if not items.n:
        shell.show(markup.notice("There is no such item."))
        return
    if shell.pager(items.n, **pages) != begin:  # the list has become shorter
        items = look(shell.page_begin(**pages))
    if items.closed:
        there = "is" if items.closed == 1 else "are"
        words = (
            f"{markup.count(items.closed, 'item')} of this page {there} left out: you may be asked about them blind."
        )
        shell.show(markup.notice(words))
    shell.show(_found(view, items.lines, titles))


def _describe_filters(
    services: Services,
    view: ProjectView,
    differ: str,
    dimension: str | None,
    said: AnswerFilter | None,
    among: Items | None,
    group: str | None,
) -> None:
    """Describe the filters of the number that linked here, with links to wider lists."""
    called = (
        called_of(services.store, person=services.person, project=view.name, names=said.raters)
        if said is not None and at_least(view.role, Role.LEAD)
        else None
    )
    all_items = Items.ALL if among is not None else None
    ways = {
        "Everyone's": addresses.history(view.name, differ=differ, among=among, group=group)
        if said is not None
        else None,
        "All items": addresses.history(
            view.name, dimension=dimension, said=said, among=all_items, differ=differ, group=group
        )
        if among is Items.KEPT
        else None,
    }
    shell.show(
        markup.tag(
            "p",
            markup.text(
                (words_of(said, called) if said is not None else "")
                + (AMONG[among] if among else "")
                + (f"Only dimensions of {group}. " if group else "")
            ),
            markup.joined(
                [markup.tag("a", markup.text(name), href=to, target="_self") for name, to in ways.items() if to],
                " · ",
            ),
            style="ts",
        )
    )


def _found(view: ProjectView, found: Sequence[FoundItem], titles: dict[str, str]) -> markup.Markup:
    heads = [("Item", ""), ("Id", ""), ("Dimension", ""), ("State", "")]
    return markup.table(
        heads,
        [
            [
                markup.tag(
                    "a", markup.text(item.title), href=addresses.history(view.name, item=item.item), target="_self"
                ),
                markup.mono(item.name),
                markup.text(titles.get(item.dimension, item.dimension)),
                markup.text(state_called(view.schema.schema_.stages, item.state)),
            ]
            for item in found
        ],
    )


# ---- one item -------------------------------------------------------------------------------------------------------


def _item(services: Services, view: ProjectView, item: str) -> None:
    history = item_history.history(services.store, person=services.person, project=view.name, item=item)
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    shell.heading(history.title, made_up=view.made_up)
    by = shell.named(
        services,
        [
            history.author,
            *(row.by for rows in (history.origin, history.answers, history.revisions, history.steps) for row in rows),
        ],
    )
    shell.show(_about(view, history, titles, by), item_pictures.pictures(history.assets))
    shell.section("How it came to be")
    shell.show(markup.tag("div", origin(history.origin, by), data_part="origin"))
    shell.section("Answers")
    answer_table = answers(view.schema.schema_.stages, history.answers, by)
    shell.show(answer_table if history.answers else markup.notice("No one has answered about it yet."))
    shell.section("Revisions")
    shell.show(revisions(history.revisions, by))
    shell.section("What happened")
    shell.show(steps(history.steps, by))


def _about(view: ProjectView, told: ItemHistory, titles: dict[str, str], by: By) -> markup.Markup:
    hidden = " · names are hidden until it is settled" if told.names_hidden else ""
    state = state_called(view.schema.schema_.stages, told.state)
    return markup.tag(
        "p",
        markup.tag("a", markup.text("All items"), href=addresses.history(view.name), target="_self"),
        markup.text(f" · {titles.get(told.dimension, told.dimension)} · {state} · by "),
        by(told.author),
        markup.text(" · "),
        markup.mono(told.name),
        markup.quiet(hidden),
        style="ts",
        data_part="item",
    )


def origin(rows: Sequence[OriginStep], by: By = markup.text) -> markup.Markup:
    """Return a table of the steps that made the item, with the known facts about each step."""
    heads = [("Step", ""), ("What is known", "wide"), ("When", "line"), ("Who", "")]
    return markup.table(
        heads,
        [
            [
                markup.text(row.name),
                markup.joined(
                    [
                        markup.tag("div", markup.quiet(f"{name}: "), markup.text(value), data_fact=name)
                        for name, value in row.facts
                    ]
                ),
                markup.text(markup.moment(row.at, seconds=True) if row.at is not None else ""),
                by(row.by) if row.by else markup.text(""),
            ]
            for row in rows
        ],
    )


def answers(stages: Stages, rows: Sequence[AnswerView], by: By) -> markup.Markup:
    """Return a table of the submissions, oldest first. Submissions that no longer count are muted."""
    heads = [
        ("When", ""),
        ("Who", ""),
        ("Stage", ""),
        ("Answer", "wide"),
        ("Note", ""),
        ("Seconds", "number"),
        ("", ""),
    ]
    return markup.table(heads, [_answer(stages, row, by) for row in rows])


def _answer(stages: Stages, row: AnswerView, by: By) -> list[markup.Markup]:
    lines = [
        f"{name.replace('_', ' ')}: {field_values.in_words(value)}"
        + (f" ({field_values.in_words(row.reasons[name])})" if row.reasons.get(name) else "")
        for name, value in row.values.items()
    ]
    remarks = [
        PURPOSES.get(row.purpose, ""),
        "" if row.counts or row.purpose is not Purpose.LIVE else "taken back: a later answer counts",
        "in place of an earlier one" if row.corrects else "",
        f"revision {row.revision}",
        f"guideline {row.guideline}" if row.guideline is not None else "",
        row.about,
    ]
    style = "" if row.counts else "ts-quiet"
    return [
        markup.tag("span", markup.text(markup.moment(row.at, seconds=True)), style=style),
        markup.tag(
            "span", markup.joined([markup.text(row.label)] * bool(row.label) + [by(row.by)], " · "), style=style
        ),
        markup.text(stages.title_of(row.stage)),
        markup.joined([markup.tag("div", markup.text(line), style=style) for line in lines]),
        markup.text(row.note),
        markup.text("-" if row.seconds is None else f"{row.seconds:.0f}"),
        markup.tag("span", markup.text(", ".join(part for part in remarks if part)), style="ts-quiet ts-small"),
    ]


def revisions(rows: Sequence[RevisionView], by: By = markup.text) -> markup.Markup:
    """Return a table of the revisions with their changes."""
    heads = [("Revision", ""), ("When", ""), ("Who", ""), ("Field", ""), ("Before", "wide"), ("After", "wide")]
    lines = []
    for row in rows:
        for at, (name, before, after) in enumerate(row.changes or [("nothing", None, None)]):
            first = [markup.text(row.number), markup.text(markup.moment(row.at, seconds=True)), by(row.by)]
            lines.append(
                [
                    *(first if at == 0 else [markup.text("")] * 3),
                    markup.text(name.replace("_", " ")),
                    markup.tag("del", markup.text(field_values.in_words(before)))
                    if row.number > 1
                    else markup.quiet("-"),
                    markup.text(field_values.in_words(after)),
                ]
            )
    return markup.table(heads, lines)


def steps(rows: Sequence[Step], by: By = markup.text) -> markup.Markup:
    """Return a table of the item's events, oldest first."""
    heads = [("When", "line"), ("Who", ""), ("What", "wide")]
    return markup.table(
        heads, [[markup.text(markup.moment(row.at, seconds=True)), by(row.by), markup.text(row.words)] for row in rows]
    )
