"""The row above the table of items: search, filters, saved views and columns.

The address is the only record of a list. Each run sets the controls to the list in the address, and each change of a
control writes a new address.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import streamlit as st

from annotation_schemas.model import tolerances_of
from annotation_schemas.state_words import state_called, states_of
from app import markup, shell
from app.items import saved
from app.services import Services
from domain.item_filter import FROM_FILE, OF_FIELD, SIZES, UNSORTED, Comments, ItemFilter, ItemList
from domain.records import ProjectView
from domain.states import VERIFICATIONS, Items, Stage
from workflow.access import memberships
from workflow.lead import bulk, item_list
from workflow.lead.answer_matches import answers_of
from workflow.results.ratings import called_of

COUNTED = {Items.KEPT: "Kept only", Items.ALL: "All"}
YES_OR_NO = {None: "Any", True: "Yes", False: "No"}
COMMENTS = {None: "Any", Comments.ANY: "Has comments", Comments.OPEN: "Waits for an answer", Comments.NONE: "None"}
LABELS: Mapping[str, str] = {
    "author": "Author",
    "voter": "Voted on by",
    "votes": "Votes",
    "differ": "Votes differ",
    "comments": "Comments",
    "missing": "Missing media",
    "version": "Schema version",
    "with_author": "With its author",
    "gold": "Gold check",
    "qualification": "Qualification",
    "expired": "Expired answers",
    "where": "Field",
    "ids": "Ids",
    "differ_in": "Answers differ in",
    "items": "Counted items",
    "group": "Dimension group",
}
"""The filters behind the button *Filter*, by their name in the address."""
NO_AUTHOR = "Imported, no author"
RATED = (*VERIFICATIONS, Stage.GRADING, Stage.COMPARISON, Stage.CODING)
"""Stages in which several people answer the same question."""
TOGETHER = {"differ_in": ("differ_in", "raters", "criterion", "values")}
"""Filters that are removed together."""
WORDS_OF: Mapping[str, Mapping[Any, str]] = {"comments": COMMENTS, "items": COUNTED}
LONGEST = 90
"""Longest value in a chip, in characters."""


def go(view: ProjectView, asked: ItemList) -> None:
    """Put a list into the address. An open item is closed."""
    st.query_params.from_dict({"project": view.name, **asked.asked()})


def draw(
    services: Services, view: ProjectView, asked: ItemList, titles: Mapping[str, str], *, lead: bool, expired: bool
) -> None:
    """Draw the row of controls, and a chip for each further filter that is on.

    ``expired`` offers the filter for answers that came too late.
    """
    stages = view.schema.schema_.stages
    dimensions = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    with st.container(horizontal=True, key="items-filters", gap="xsmall", wrap=False, vertical_alignment="center"):
        _search(services, view, asked)
        states = list(dict.fromkeys([*states_of(stages), *asked.filter.state]))
        called = {state: _capital(state_called(stages, state)) for state in states}
        _several(services, view, asked, "state", "State", called)
        if len(dimensions) > 1:
            _several(services, view, asked, "dimension", "Dimension", dimensions)
        with st.popover("+ Filter", key="items.more"):
            _more(services, view, asked, titles, lead=lead, expired=expired)
        with st.popover("Views", key="items.views"):
            saved.draw(services, view, asked, lead=lead, expired=expired)
        with st.popover("Columns", key="items.columns"):
            _columns(services, view, asked, titles, lead=lead)
    _chips(services, view, asked, lead=lead)


def _search(services: Services, view: ProjectView, asked: ItemList) -> None:
    key = f"items.text.{view.name}"
    st.session_state[key] = asked.filter.text

    def search() -> None:
        with shell.pressed(services):
            text = st.session_state[key]
            ItemList.parse({"text": [text]})
            go(view, _with(asked, text=text.strip()))

    st.text_input(
        "Search text or ID",
        key=key,
        placeholder="Search text or ID",
        label_visibility="collapsed",
        on_change=search,
        width="stretch",
    )


def _several(
    services: Services, view: ProjectView, asked: ItemList, name: str, label: str, called: Mapping[Any, str]
) -> None:
    """Draw a filter with several values, whose button shows the present choice."""
    chosen: tuple[Any, ...] = getattr(asked.filter, name)
    key = f"items.{name}.{view.name}"
    st.session_state[key] = [value for value in chosen if value in called]

    def choose() -> None:
        with shell.pressed(services):
            go(view, _with(asked, **{name: tuple(st.session_state[key])}))

    shown = "any" if not chosen else called.get(chosen[0], str(chosen[0])) if len(chosen) == 1 else str(len(chosen))
    with st.popover(markup.label(f"{label}: {shown}"), key=f"items.{name}"):
        st.pills(
            label,
            list(called),
            selection_mode="multi",
            key=key,
            format_func=lambda value: markup.label(called[value]),
            label_visibility="collapsed",
            on_change=choose,
        )


def _with(asked: ItemList, **conditions: Any) -> ItemList:
    return asked.at(filter=replace(asked.filter, **conditions), page=1)


# ---- further filters -------------------------------------------------------------------------------------------------


def _more(
    services: Services, view: ProjectView, asked: ItemList, titles: Mapping[str, str], *, lead: bool, expired: bool
) -> None:
    now = asked.filter
    key = f"items.{view.name}.{hash(now)}"
    names: list[str] = []

    def put(name: str, widget: Callable[..., Any], *arguments: Any, **more: Any) -> None:
        names.append(name)
        widget(LABELS[name], *arguments, key=f"{key}.{name}", **more)

    def choose(name: str, options: Sequence[Any], called: Callable[[Any], str]) -> None:
        value = getattr(now, name)
        every = list(dict.fromkeys([*options, value]))
        put(name, st.selectbox, every, index=every.index(value), format_func=called)

    def apply() -> None:
        with shell.pressed(services):
            given = {name: st.session_state[f"{key}.{name}"] for name in names}
            go(view, _with(asked, **_conditions(given)))

    with st.form(key, border=False):
        left, right = st.columns(2)
        if lead:
            members, voters, called = _people(services, view)
            with left:
                choose("author", ["", FROM_FILE, *members], called)
                put("votes", st.text_input, value=str(now.votes or ""), placeholder="2, 1..3 or 3..")
                choose("gold", list(YES_OR_NO), YES_OR_NO.__getitem__)
                choose("with_author", list(YES_OR_NO), YES_OR_NO.__getitem__)
            with right:
                choose("voter", ["", *voters], called)
                choose("differ", list(YES_OR_NO), YES_OR_NO.__getitem__)
                choose("qualification", list(YES_OR_NO), YES_OR_NO.__getitem__)
                if expired or now.expired is not None:
                    choose("expired", list(YES_OR_NO), YES_OR_NO.__getitem__)
        stages = view.schema.schema_.stages
        rated = [stage for stage in RATED if getattr(stages, stage) is not None]
        with right:
            choose("comments", list(COMMENTS), COMMENTS.__getitem__)
            choose("differ_in", ["", *rated], lambda stage: stages.title_of(stage) if stage else "Any stage")
        with left:
            choose("missing", list(YES_OR_NO), YES_OR_NO.__getitem__)
            put("ids", st.text_input, value=" ".join(now.ids), placeholder="IDs, separated by spaces")
        with right:
            put("version", st.text_input, value="" if now.version is None else str(now.version))
            field_names = [name.removeprefix(OF_FIELD) for name in titles if name.startswith(OF_FIELD)]
            put(
                "where", st.text_area, value="\n".join(map(str, now.where)), height=80,
                help="Write one condition per line: NAME=VALUE, NAME~TEXT (contains), NAME:empty, NAME:given or "
                     f"NAME:2..5. Fields: {', '.join(field_names)}.",
            )  # fmt: skip
        verifications = view.schema.schema_.stages.verifications.values()
        if lead and any(tolerances_of(verification.criteria) for verification in verifications):
            words = "“Votes differ” compares votes exactly and ignores the schema's tolerances."
            shell.show(markup.paragraph(words, style="ts ts-quiet ts-small"))
        st.form_submit_button("Apply filters", type="primary", key=f"{key}.apply", on_click=apply)


def _conditions(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the conditions that the form describes. Raise ``InvalidInputError`` if a condition is invalid."""
    words: dict[str, list[str]] = {}
    for name, value in {**given, "where": given["where"].splitlines(), "ids": given["ids"].split()}.items():
        many = value if isinstance(value, list) else [value]
        words[name] = [_word(one) for one in many if one is not None]
    read = ItemList.parse(words).filter
    return {name: getattr(read, name) for name in given}


def _word(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _people(services: Services, view: ProjectView) -> tuple[list[str], Sequence[str], Callable[[str], str]]:
    """Return the logins of members and of voters, and a function that writes a login for a menu."""
    rows = memberships.list_members(services.store, person=services.person, project=view.name)
    members = [row.person.login for row in rows]
    voters = bulk.voters(services.store, by=services.person, project=view.name)
    called = shell.called(services, [*members, *voters])
    return members, voters, lambda login: {"": "Anyone", FROM_FILE: NO_AUTHOR}.get(login) or called(login)


def _chips(services: Services, view: ProjectView, asked: ItemList, *, lead: bool) -> None:
    """Draw a link for each further filter that is on. The link removes the filter."""
    usual = ItemFilter()
    on = [
        field.name
        for field in fields(ItemFilter)
        if field.name in LABELS and getattr(asked.filter, field.name) != getattr(usual, field.name)
    ]
    if not on:
        return
    people = _people(services, view)[2] if lead and {"author", "voter"} & set(on) else str

    def chip(name: str) -> markup.Markup:
        words = _words(services, view, asked.filter, name, people)
        nothing = {each: getattr(usual, each) for each in TOGETHER.get(name, (name,))}
        to = _with(asked, **nothing).address(view.name)
        shown = words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
        label = f"Remove the filter {words}"
        return markup.tag("a", markup.text(f"{shown} ✕"), href=to, target="_self", style="ts-chip", aria_label=label)

    every = markup.tag("a", markup.text("Clear filters"), href=ItemList().address(view.name), target="_self")
    shell.show(markup.tag("p", *map(chip, on), every, style="ts ts-small ts-chips", data_part="filters"))


def _words(services: Services, view: ProjectView, wanted: ItemFilter, name: str, people: Callable[[str], str]) -> str:
    """Return a filter that is on, as a chip shows it."""
    value = getattr(wanted, name)
    if name == "differ_in":
        return _differ(services, view, wanted)
    if name in ("author", "voter"):
        shown = people(value)
    elif name in WORDS_OF:
        shown = WORDS_OF[name][value]
    elif isinstance(value, bool):
        shown = YES_OR_NO[value]
    else:
        shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f"{LABELS[name]}: {shown}"


def _differ(services: Services, view: ProjectView, wanted: ItemFilter) -> str:
    """Return whose answers differ, or which answers they gave."""
    stage, said = view.schema.schema_.stages.title_of(wanted.differ_in), answers_of(wanted)
    if said is None:
        return f"Answers differ in {stage}"
    called = called_of(services.store, person=services.person, project=view.name, names=said.raters)
    raters = [called.get(name, name) for name in said.raters]
    about = f" about {said.criterion.replace('_', ' ')}" if said.criterion else ""
    if said.values is None:
        return f"{' and '.join(raters)} disagree{about} in {stage}"
    most, last = said.values
    return f"Most of these raters ({', '.join(raters[:-1])}) say {most}{about}, and {raters[-1]} says {last}"


# ---- columns ---------------------------------------------------------------------------------------------------------


def _columns(services: Services, view: ProjectView, asked: ItemList, titles: Mapping[str, str], *, lead: bool) -> None:
    usual = item_list.usual_columns(asked.filter, lead=lead)
    shown = asked.columns or usual
    key = f"items.{view.name}.{hash((shown, asked.sort, asked.down, asked.size))}"

    def apply() -> None:
        with shell.pressed(services):

            def given(name: str) -> Any:
                return st.session_state[f"{key}.{name}"]

            columns = tuple(given("columns"))
            go(
                view,
                asked.at(
                    columns=() if columns == usual else columns,
                    sort=given("sort"),
                    down=given("down"),
                    size=given("size"),
                    page=1,
                ),
            )

    with st.form(key, border=False):
        st.multiselect(
            "Columns", list(titles), default=list(shown), format_func=titles.__getitem__, key=f"{key}.columns"
        )
        sorts = ["", *(name for name in titles if name not in UNSORTED)]
        st.selectbox(
            "Sort by",
            sorts,
            index=sorts.index(asked.sort),
            format_func=lambda name: titles.get(name, "Order of creation"),
            key=f"{key}.sort",
        )
        left, right = st.columns(2)
        left.selectbox(
            "Order",
            [False, True],
            index=int(asked.down),
            format_func={False: "Ascending", True: "Descending"}.__getitem__,
            key=f"{key}.down",
        )
        right.selectbox("Items per page", list(SIZES), index=SIZES.index(asked.size), key=f"{key}.size")
        st.form_submit_button("Apply columns", type="primary", key=f"{key}.apply", on_click=apply)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
