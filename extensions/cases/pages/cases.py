"""The page *Cases*, for leads: an item with its key, all models' answers, and all grades, side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import streamlit as st

from annotation_schemas.state_words import state_called
from app import addresses, markup, shell
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.results.shown import NO_MODEL, read_bins
from app.running import shown
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import counts, item_pictures, items_switch
from app.workbench import assets
from db import project_facts
from domain.display_names import distinct_names
from domain.item_counts import COUNTS, ItemCounts
from domain.records import RULES, ProjectView
from domain.roles import Role
from domain.states import Items
from extensions.cases import case_content, case_list, case_parts, case_table
from extensions.cases.case_content import Case, CaseAnswer
from extensions.cases.case_list import CaseFilter, CaseLine, Listing, Show
from workflow.access import accounts, item_counts
from workflow.results import leaderboard_page

SCREEN = Screen(
    "Cases",
    place=315,
    room=Room.MODELS,
    role=Role.LEAD,
    words="errors mistakes examples answers replies wrong browse read inspect",
    needs=Need("No model has answered yet. Run a model, or import answers.", project_facts.has_answers),
)

_keys = st.components.v2.component("touchstone_case_rows", js=assets.loader("item_rows"))
"""Listens for J, K and clicks on rows."""

PER_PAGE = 20
"""Number of cases on a page of the list. Only these cases are read, however many the list has."""

SHOWS = {
    Show.ALL: "All cases",
    Show.DIFFER: "Judge differs from people",
    Show.LOW: "Lowest grade by people",
    Show.WRONG: "Wrong answers",
    Show.UNREAD: "Unreadable answers",
    Show.UNANSWERED: "Missing answers",
}

STYLE = """
.ts-answers { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: .8rem; }
.ts-answer { border: 1px solid color-mix(in srgb, currentColor 18%, transparent); border-radius: 6px;
  padding: .6rem .8rem .7rem; min-width: 0; }
.ts-answer.chosen { border-color: #2f7fb8; box-shadow: 0 0 0 1px #2f7fb8; }
.ts-answer.old { opacity: .7; }
.ts-answer .ts-said { max-height: 16rem; margin: .3rem 0 .5rem; font-size: 1.02rem; }
.ts-answer ul { margin: 0; padding-left: 1.05rem; font-size: .88rem; }
.ts-answer table { font-size: .8rem; }
.ts-item { display: flex; flex-wrap: wrap; gap: .8rem 1.6rem; align-items: flex-start; }
.ts-item > .ts-pictures { flex: 0 1 auto; } .ts-item > dl { flex: 1 1 20rem; }
.ts-fields { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1rem; margin: .2rem 0;
  padding: 0; align-content: start; }
.ts-fields dt { color: color-mix(in srgb, currentColor 66%, transparent); }
.ts-fields dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.ts-fields .key { font-weight: 600; }
.ts-case .ts-pictures img { height: 15rem; }
.ts-cases td { padding: .35rem .8rem .35rem 0; }
.ts-cases tr:focus-within td { background: color-mix(in srgb, #0f6e84 13%, transparent); }
.ts-cases .picture { width: 5.4rem; }
.ts-cases .picture img { width: 76px; height: 56px; object-fit: cover; border-radius: 4px; display: block; }
.ts-cases td.wide { width: 52%; }
.ts-cases .ts-given { font-size: .88rem; line-height: 1.4; padding-bottom: .25rem; }
.ts-cases .ts-given :is(.scores, .why) { font-size: .82rem; padding-left: .9rem; }
@media (max-width: 640px) {
  .ts-cases tr { display: grid; grid-template-columns: 5.4rem minmax(0, 1fr); column-gap: .8rem; }
  .ts-cases .wide { grid-column: 1 / -1; width: auto !important; min-width: 0 !important; }
  .ts-cases tbody td:not(.wide) { border-bottom: 0; }
}
"""


def render(services: Services) -> None:
    """Draw the case in the address, or the list if there is none."""
    view = shell.lead_of(services)
    shell.show(markup.Markup(f"<style>{shown.STYLE}{counts.WHY_STYLE}{STYLE}</style>"))
    if st.query_params.get("item"):
        _case(services, view, st.query_params["item"])
    else:
        _list(services, view)


def _reader(services: Services, view: ProjectView) -> str:
    """Return the reader of answers in the address. If there is no such reader, return the rules."""
    named = st.query_params.get("reader") or RULES
    there = leaderboard_page.readers_of(services.store, person=services.person, project=view.name)
    return named if named in there else RULES


def _asked(services: Services, view: ProjectView) -> figure_requests.FigureState:
    """Return the cases that the address selects (``case_list.listing``).

    They are computed again only if something has changed.
    """
    asked = st.query_params
    items, show = asked.get("items"), asked.get("show", "")
    wanted = CaseFilter(
        model=asked.get("model") or None,
        dimension=asked.get("dimension") or None,
        show=Show(show) if show in {option.value for option in Show} else Show.ALL,
        by=asked.get("by") or None,
        part=asked.get("part") or None,
        outcome=asked.get("outcome") or None,
        bins=read_bins(asked.get("bins", "")),
        common=asked.get("common") == "1",
    )
    about: dict[str, Any] = {"person": services.person, "project": view.name}
    return figure_requests.request_figure(
        services.store,
        services.settings,
        "cases",
        {
            "project": view.name,
            "items": Items(items) if items in set(Items) else None,
            "reader": _reader(services, view),
            "wanted": wanted,
            "scores": (asked.get("scores"), asked.get("criterion"), asked.get("judge"), asked.get("option")),
            "text": asked.get("text", "").strip(),
            "code": _code(view),
        },
        state=leaderboard_page.mark(services.store, **about),
        size=leaderboard_page.size(services.store, **about),
    )


def _code(view: ProjectView) -> tuple[str, str] | None:
    """Return the criterion and the code in the address, if the project codes answers."""
    criterion, mark, code = st.query_params.get("code", "").partition(":")
    return (criterion, code) if mark and view.schema.schema_.stages.coding is not None else None


def _listing(services: Services, view: ProjectView) -> tuple[Listing, ItemCounts] | None:
    """Return the listing of the address, or the last stored one, and how many items the person's lists hide.

    The listing is without hidden items. Show a notice while a new one is being computed.
    """
    figure_state = _asked(services, view)
    pending_figures.show_pending(services, figure_state, lambda: _asked(services, view), about="The list of cases is")
    if figure_state.figure is None:
        return None
    hidden, counted = item_counts.hidden_from(services.store, person=services.person, project=view.name)
    return figure_state.figure.value.without(hidden), counted


# ---- the list --------------------------------------------------------------------------------------------------------


def _list(services: Services, view: ProjectView) -> None:
    shell.heading("Cases", "Items with models' answers, scores and reasons.", made_up=view.made_up)
    before = None
    if leaderboard_page.any_model(services.store, person=services.person, project=view.name):
        before = _asked(services, view)
    if before is None or (before.figure is not None and not before.figure.value.models):
        shell.show(markup.notice(NO_MODEL))
        return
    if before.figure is not None:  # otherwise there is nothing to choose from yet
        _filters(view, before.figure.value)
    found = _listing(services, view)
    if found is None:
        return
    listing, counted = found
    ids = listing.ids
    _about(view, listing, counted)
    if not ids:
        shell.show(markup.notice("No cases match these filters. Remove a filter."))
        return
    pages = math.ceil(len(ids) / PER_PAGE)
    asked = st.query_params.get("page", "1")
    at = min(max(int(asked) if asked.isdigit() else 1, 1), pages)
    few = ids[(at - 1) * PER_PAGE : at * PER_PAGE]
    lines = _lines(services, view, few)
    if unopened := sum(line.asked for line in lines):
        words = f"Cases on this page with hidden answers: {unopened} of {len(lines)}. To see the answers, open a case. "
        about = [markup.quiet(words), counts.why(COUNTS["unopened"].about)]
        shell.show(markup.tag("div", *about, style="ts ts-small", data_part="unopened"))
    shell.show(case_table.table(view, lines, st.query_params.get("model") or None, address=_address))
    _keys(key="cases.keys", data={"item": None, "close": "", "focus": True})
    if pages > 1:
        _paging(at, pages, len(ids))


def _lines(services: Services, view: ProjectView, ids: Sequence[int]) -> list[CaseLine]:
    """Return the cases of one page, and record that they are shown. The same page is recorded once in a session."""
    about: dict[str, Any] = {"person": services.person, "project": view.name}
    lines = case_list.page(services.store, **about, ids=ids, reader=_reader(services, view))
    recorded = [(line.item, line.key, [(answer.at, len(answer.grades)) for answer in line.answers]) for line in lines]
    if st.session_state.get("cases.recorded") != recorded:
        case_list.record_page(services.store, **about, lines=lines)
        st.session_state["cases.recorded"] = recorded
    return lines


def _filters(view: ProjectView, found: Listing) -> None:
    """Draw the filters. Choices go into the address, so that a link reproduces the list."""
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    there = [None, *(name for name in titles if name in found.dimensions)]
    choice = found.counting is not None and found.counting.verdicts
    named = st.query_params.get("show") == Show.UNREAD or "outcome" in st.query_params
    widths = [2, 2, 3, 2, *([1.6] if choice else []), *([2.4] if named else [])]
    columns = st.columns(widths, vertical_alignment="bottom")
    with columns[0]:
        _select("dimension", "Dimension", there, lambda name: titles.get(name, name) if name else "All")
    with columns[1]:
        _select("model", "Model", [None, *found.models], lambda name: name or "All")
    with columns[2]:
        _select("show", "Show", [None, *(option.value for option in Show if option is not Show.ALL)], _show_words)
    with columns[3]:
        text = st.text_input("Text", value=st.query_params.get("text", ""), key=f"cases.text.{_mark()}")
        _put("text", text.strip())
    if choice:
        with columns[4]:
            _select("items", "Items", [None, Items.ALL.value], lambda name: items_switch.NAMES[Items(name or "kept")])

    if named:
        with columns[-1]:
            _select("outcome", "Reason", [None, *found.unread], lambda name: name or "Any")


def _show_words(name: str | None) -> str:
    return SHOWS[Show(name) if name else Show.ALL]


def _mark() -> str:
    """Return a number that changes when someone follows a link to another list, so that widgets are reset."""
    return str(st.session_state.setdefault("cases.mark", 0))


def _select(name: str, label: str, options: Sequence[str | None], words: Any) -> None:
    now = st.query_params.get(name)
    chosen = st.selectbox(
        label,
        options,
        index=options.index(now) if now in options else 0,
        format_func=words,
        key=f"cases.{name}.{_mark()}",
    )
    _put(name, chosen or "")


def _put(name: str, value: str) -> None:
    if st.query_params.get(name, "") == value:
        return
    if value:
        st.query_params[name] = value
    else:
        del st.query_params[name]
    if "page" in st.query_params:
        del st.query_params["page"]


def _about(view: ProjectView, found: Listing, counted: ItemCounts) -> None:
    """Show the number of cases and of hidden items, and the conditions in the address that no filter shows."""
    asked = st.query_params
    parts = [markup.tag("b", markup.text(markup.count(len(found.ids), "case")))]
    clauses = []
    if found.scores is not None:
        clauses.append(f"with a score in “{found.title}”")
    if asked.get("by") and asked.get("part"):
        clauses.append(f"in the slice {asked['by']} = {asked['part']}")
    coded = _code(view)
    if coded is not None:
        clauses.append(f"with the code “{coded[1] or 'none'}” ({coded[0].replace('_', ' ')})")
    if asked.get("outcome"):
        clauses.append(f"with the reading “{asked['outcome']}”")
    if asked.get("common") == "1":
        clauses.append("answered by all models")
    if clauses:
        parts += [
            markup.text(" " + ", ".join(clauses) + ". "),
            markup.tag("a", markup.text("All cases"), href=addresses.cases(view.name), target="_self"),
        ]
    shell.show(markup.tag("div", *parts, *counts.hidden(counted), style="ts", data_part="count"))
    shell.show(items_switch.counted_line(found.counting.sentence if found.counting else None))


def _address(**changed: str) -> str:
    """Return this page's address with some parameters changed."""
    asked = {name: value for name, value in st.query_params.items() if name != "page"} | changed
    return addresses.page("cases", asked.pop("project", ""), **asked)


def _paging(at: int, pages: int, n: int) -> None:
    left, middle, right = st.columns([1.3, 4, 1.3], vertical_alignment="center")
    with left:
        if st.button("Previous page", key="cases.page.before", disabled=at <= 1, width="stretch", shortcut="Left"):
            st.query_params["page"] = str(at - 1)
            st.rerun()
    with middle:
        shell.show(
            markup.tag(
                "div",
                markup.text(f"Page {at} of {pages}: cases {(at - 1) * PER_PAGE + 1} to {min(at * PER_PAGE, n)} of {n}"),
                style="ts",
                align="center",
            )
        )
    with right:
        if st.button("Next page", key="cases.page.more", disabled=at >= pages, width="stretch", shortcut="Right"):
            st.query_params["page"] = str(at + 1)
            st.rerun()


# ---- one case --------------------------------------------------------------------------------------------------------


def _case(services: Services, view: ProjectView, item: str) -> None:
    reader = _reader(services, view)
    case = case_content.case(services.store, person=services.person, project=view.name, item=item, reader=reader)
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    state = state_called(view.schema.schema_.stages, case.state)
    model = st.query_params.get("model")
    shell.heading(_heading(view, case), made_up=view.made_up, detail=True)
    found = _listing(services, view)
    _neighbours(found[0] if found else None, case)
    about = markup.tag(
        "p",
        markup.link("All cases", _address(item="")),
        markup.text(f" · {titles.get(case.dimension, case.dimension)} · {state} · "),
        markup.link("Open in Items", addresses.item(view.name, case.item)),
        markup.text(" · "),
        markup.mono(case.name),
        style="ts",
    )
    shell.show(
        markup.tag(
            "div",
            about,
            markup.tag("div", item_pictures.pictures(case.assets), case_parts.fields(view, case), style="ts-item"),
            style="ts ts-case",
            data_part="case",
        )
    )
    n = len({answer.model for answer in case.answers})
    called = _called(services, case)
    shell.section(f"Answers of {markup.count(n, 'model')}")
    if case.answers:
        shell.show(
            markup.tag(
                "div",
                *(
                    case_parts.answer_card(answer, chosen=answer.model == model, called=called)
                    for answer in _in_order(case.answers, model)
                ),
                style="ts ts-answers",
            )
        )
    else:
        shell.show(markup.notice("No model has answered this item."))
    if case.failures:
        shell.section("Requests without an answer")
        shell.show(case_parts.failures(case))


def _heading(view: ProjectView, told: Case) -> str:
    named = [told.fields.get(field.name) for field in view.schema.schema_.item.fields]
    return next((value for value in named if isinstance(value, str) and value.strip()), "An item")


def _in_order(answers: Sequence[CaseAnswer], model: str | None) -> list[CaseAnswer]:
    """Return the answers with those of the requested model first."""
    return sorted(answers, key=lambda each: each.model != model)


def _neighbours(found: Listing | None, told: Case) -> None:
    """Draw links to the previous and the next case in the list of the address."""
    if found is None:
        return
    names = found.publics
    at = names.index(told.item) if told.item in names else None
    left, right, where = st.columns([1, 1, 5], vertical_alignment="center")
    before = names[at - 1] if at else None
    after = names[at + 1] if at is not None and at + 1 < len(names) else None
    for column, label, key, target in ((left, "Previous", "K", before), (right, "Next", "J", after)):
        with column:
            pressed = st.button(
                label, key=f"cases.{label.lower()}", disabled=target is None, width="stretch", shortcut=key
            )
        if pressed and target:
            st.query_params["item"] = target
            st.rerun()
    with where:
        place = (
            f"{at + 1} of {markup.count(len(names), 'case')}"
            if at is not None
            else "This case is not in the filtered list."
        )
        shell.show(markup.tag("div", markup.quiet(place), style="ts ts-small", data_part="place"))


def _called(services: Services, told: Case) -> dict[str, str]:
    """Return unique displayed names of the people who graded this case, by login."""
    grades = [grade for answer in told.answers for grade in answer.grades]
    own = {grade.who for grade in grades if grade.person and not grade.from_file}
    return distinct_names(
        accounts.names(services.store, logins=own),
        {grade.who for grade in grades if not grade.person or grade.from_file},
    )
