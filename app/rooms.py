"""The rooms of the menu: which pages a person is offered, the tabs of each room, and what the finder lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app import addresses, markup
from app.labels import text_in_language
from app.screens import SCREENS, Room, Screen
from app.services import Services
from db import project_facts
from domain.language import _, language, marked
from domain.records import ProjectView
from domain.roles import Role, at_least
from domain.states import Stage
from workflow.access import projects
from workflow.access.item_counts import counts_of

Place = dict[str, str]
"""A link in the form the pages' scripts expect: name, title, href, group, words, and the number of news."""

FOR_ANNOTATORS = (
    marked("My work"), marked("Notices"), marked("To do"), marked("Submissions"), marked("Comments"),
    marked("Qualification"), marked("Triage"), marked("Author"), marked("Verify"), marked("Adjudicate"),
    marked("Refine"), marked("Answer"), marked("Grade"), marked("Compare"), marked("Code"), marked("Settle codes"),
    marked("Verify 2"), marked("Verify 3"),
)  # fmt: skip
"""Titles of pages that annotators use, in all catalogs. Titles of other pages are in English."""
MOST_TABS = 6
"""Number of tabs shown in a row. The others are under *More*."""
WORKING = marked("Working pages")
"""The group of working pages in the finder."""

STYLE = """
.ts-room { display: flex; align-items: center; gap: .7rem; min-height: 1.9rem; }
.ts-room .ts-title { margin: 0; }
.ts-room > a { margin-inline-start: auto; }
@media (max-width: 768px) { .ts-room { padding-inline-start: 1.6rem; } }
.ts-tabs { display: flex; flex-wrap: wrap; gap: 0 1.35rem; margin-top: .35rem;
  border-bottom: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
.ts-tabs a, .ts-tabs summary { display: block; padding: .3rem 0 .4rem; margin-bottom: -1px; font-size: .95rem;
  border-bottom: 2px solid transparent; white-space: nowrap; text-decoration: none; cursor: pointer;
  color: color-mix(in srgb, currentColor 74%, transparent) !important; }
.ts-tabs :is(a, summary):hover { border-color: color-mix(in srgb, currentColor 40%, transparent); }
.ts-tabs a[aria-current="page"] { color: inherit !important; font-weight: 600; border-color: #0f6e84; }
.ts-about { margin-top: .45rem; }
.ts-tabs details { position: relative; }
.ts-tabs summary { list-style: none; }
.ts-tabs summary::after { content: " ▾"; }
.ts-tabs details > div { position: absolute; inset-inline-end: 0; z-index: 20; min-width: 11rem; padding: .3rem;
  border-radius: 8px; border: 1px solid color-mix(in srgb, currentColor 24%, transparent);
  background: var(--st-background-color, Canvas); box-shadow: 0 6px 24px #0003; }
.ts-tabs details a { padding: .3rem .6rem; margin: 0; border: 0; border-radius: 5px; }
.ts-tabs details a:hover { background: color-mix(in srgb, currentColor 9%, transparent); }
.ts-tabs :is(a, summary):focus-visible { outline: 2px solid currentColor; outline-offset: 1px; border-radius: 4px; }
"""


@dataclass(frozen=True)
class RoomFacts:
    """What the menu of a project depends on, as of one run of a page."""

    waiting: frozenset[str] = frozenset()
    """The names of pages whose content is not there yet."""
    has_work: bool = True
    """Whether the person works in the project, besides leading it."""
    counts: Mapping[Room, int] = field(default_factory=dict)


_COUNTS = {
    Room.PEOPLE: project_facts.count_members,
    Room.MODELS: project_facts.count_models,
}


def read_facts(services: Services, view: ProjectView) -> RoomFacts:
    """Read what the menu of a project depends on. The count of items is the one that all pages show."""
    needs = {screen.name: screen.needs for screen in offered(view) if screen.needs is not None}
    queries = {name: need.query for name, need in needs.items() if need.query is not None}
    counted = _COUNTS if is_lead(view) else {}
    asked = [*queries.values(), *counted.values(), project_facts.has_own_work]
    *found, has_work = projects.facts(services.store, person=services.person, project=view.name, queries=asked)
    counts = {room: n for room, n in zip(counted, found[len(queries) :], strict=True) if n}
    if counted and (written := counts_of(services.store, person=services.person, project=view.name).written):
        counts[Room.ITEMS] = written
    missing = [name for name, there in zip(queries, found, strict=False) if not there]
    missing += [name for name, need in needs.items() if need.schema and not need.schema(view.schema.schema_)]
    return RoomFacts(
        waiting=frozenset(missing),
        has_work=bool(has_work) or view.stages is not None,
        counts=counts,
    )


def is_lead(view: ProjectView) -> bool:
    """Tell whether the person leads the project."""
    return at_least(view.role, Role.LEAD)


def home(view: ProjectView) -> Screen:
    """Return the page on which a person begins: Overview for leads, My work for others."""
    return SCREENS["overview" if is_lead(view) else "my_work"]


def address(view: ProjectView, screen: Screen) -> str:
    """Return the address of a page of a project."""
    return addresses.page(screen.path, view.name)


# ---- who is offered what ---------------------------------------------------------------------------------------------


def offered(view: ProjectView) -> Sequence[Screen]:
    """Return the screens for this person's role and stages, and for the schema's stages."""
    key = (view.schema.hash, view.role, view.stages)
    if key not in _offered:
        _offered[key] = _find_offered(view)
    return _offered[key]


_offered: dict[tuple[object, ...], Sequence[Screen]] = {}
"""The key has everything that the screens depend on, because a stored schema never changes."""


def _find_offered(view: ProjectView) -> Sequence[Screen]:
    schema = view.schema.schema_
    return [
        screen
        for screen in SCREENS.values()
        if at_least(view.role, screen.role)
        and _worked_on(view, screen.stage)
        and _asked_for(view, screen.part)
        and (screen.fits is None or screen.fits(schema))
    ]


def _asked_for(view: ProjectView, part: str) -> bool:
    stages = view.schema.schema_.stages
    places = [stages, *(getattr(stages, stage, None) for stage in Stage)]
    return not part or any(getattr(place, part, None) is not None for place in places)


def _worked_on(view: ProjectView, stage: Stage | None) -> bool:
    if stage is None:
        return True
    mine = view.stages is None or stage in view.stages
    return mine and getattr(view.schema.schema_.stages, stage) is not None


def title_of(view: ProjectView, screen: Screen) -> str:
    """Return the title of a screen. A title in the schema's stage comes before the screen's own title."""
    part = getattr(view.schema.schema_.stages, screen.stage, None) if screen.stage is not None else None
    return text_in_language(view.schema.schema_, getattr(part, "title", None) or _(screen.title))


def room_of(view: ProjectView, screen: Screen) -> Room | None:
    """Return the room of a page for this person."""
    return screen.room if screen.room_below is None or is_lead(view) else screen.room_below


# ---- menu, tabs, finder ----------------------------------------------------------------------------------------------


def tabs_of(view: ProjectView, room: Room, facts: RoomFacts) -> list[Screen]:
    """Return the pages of a room that have a tab, in order."""
    return [
        screen
        for screen in offered(view)
        if screen.tab and room_of(view, screen) is room and screen.name not in facts.waiting
    ]


def _order(view: ProjectView) -> list[Room]:
    """Return the rooms in the order of the menu. My work comes first for people who are not leads."""
    return list(Room) if is_lead(view) else sorted(Room, key=lambda room: room is not Room.MY_WORK)


def entries(view: ProjectView, facts: RoomFacts) -> list[Place]:
    """Return the entries of the menu. ``group`` is "below" for entries below the line.

    Leads have rooms. Others have their working pages after My work.
    """
    lead = is_lead(view)
    below = {Room.SETTINGS, Room.MY_WORK, Room.NOTICES} if lead else {Room.NOTICES}
    found: list[Place] = []
    for room in _order(view):
        tabs = tabs_of(view, room, facts)
        if not tabs or (room is Room.MY_WORK and lead and not facts.has_work):
            continue
        place = {"name": room.value, "title": _(room.value), "href": address(view, tabs[0])}
        place["group"] = "below" if room in below else ""
        found.append(place | ({"count": f"{facts.counts[room]:,}"} if room in facts.counts else {}))
        if room is Room.MY_WORK and not lead:
            working = [screen for screen in offered(view) if screen.stage is not None]
            found += [_place(view, screen, "") for screen in working]
    return found


def finder(view: ProjectView) -> list[Place]:
    """Return every page and main action that this person may open in this project, for the key M."""
    key = (view.schema.hash, view.name, view.role, view.stages, language())
    if key not in _finders:
        _finders[key] = _finder(view)
    return _finders[key]


_finders: dict[tuple[object, ...], list[Place]] = {}
"""The key has everything that a list depends on, because a stored schema never changes."""


def _finder(view: ProjectView) -> list[Place]:
    screens = offered(view)
    pages = [screen for screen in screens if screen.stage is None]
    working = [_place(view, screen, WORKING) for screen in screens if screen.stage is not None]
    order = [*_order(view), None]
    pages.sort(key=lambda screen: order.index(room_of(view, screen)))
    rows = [_place(view, screen, room_of(view, screen) or "") for screen in pages]
    acts = [
        {
            "name": "",
            "title": action.title,
            "href": address(view, screen),
            "group": _group(room_of(view, screen)),
            "words": action.words,
            "kind": "action",
        }
        for screen in screens
        for action in screen.actions
        if at_least(view.role, action.role)
    ]
    return [*rows, *working, *acts] if is_lead(view) else [*rows[:1], *working, *rows[1:], *acts]


def _group(name: str | None) -> str:
    return _(str(name)) if name else ""  # the catalog has its own description under the empty text


def _place(view: ProjectView, screen: Screen, group: str) -> Place:
    title = title_of(view, screen)
    return {
        "name": screen.name,
        "title": title,
        "href": address(view, screen),
        "group": _group(group),
        "words": screen.words,
    }


# ---- the head of a page ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RoomHead:
    """The head of a page: its room and the row of tabs."""

    title: str
    page: str
    tabs: markup.Markup
    waits: str
    """What the project lacks for this page, or an empty string."""


def head_of(view: ProjectView, screen: Screen, facts: RoomFacts) -> RoomHead | None:
    """Return the head of a page, or None for a page without a room."""
    room = room_of(view, screen)
    if room is None:
        return None
    waits = screen.needs.sentence if screen.needs is not None and screen.name in facts.waiting else ""
    tabs = tabs_of(view, room, facts)
    if waits and screen.tab:
        tabs = sorted([*tabs, screen], key=lambda each: each.place)
    return RoomHead(_(room.value), _(screen.title), tab_row(view, room, tabs, screen), waits)


def draw_head(
    head: RoomHead | None,
    title: str,
    about: str,
    *,
    made_up: bool,
    detail: bool,
    beside: markup.Markup | None,
) -> list[markup.Markup]:
    """Return the pieces of the head of a page, as ``app.shell.heading`` shows them."""
    label = [markup.tag("span", markup.text(_("made-up data")), style="ts-made-up")] if made_up else []
    shown, page = (head.title, head.page) if head else (title, title)
    spoken = {} if page == shown else {"aria_label": f"{shown}: {page}"}  # the tab shows it to the eyes
    name = markup.tag("div", markup.text(shown), style="ts-title", role="heading", aria_level="1", **spoken)
    parts = [markup.tag("div", name, *label, *([beside] if beside else []), style="ts-room")]
    if head:
        parts.append(head.tabs)
    if head and detail:
        parts.append(markup.section(title))
    if about:
        parts.append(markup.tag("div", markup.quiet(about), style="ts ts-small ts-about"))
    if head and head.waits:
        parts.append(markup.notice(_(head.waits)))
    return parts


def tab_row(view: ProjectView, room: Room, tabs: Sequence[Screen], current: Screen) -> markup.Markup:
    """Return the row of tabs of a room. A single tab needs no row."""
    if len(tabs) + (current not in tabs) < 2:
        return markup.Markup("")
    row = list(tabs[:MOST_TABS])
    if current in tabs and current not in row:
        row[-1] = current
    rest = [screen for screen in tabs if screen not in row]
    parts = [_tab(view, screen, current) for screen in row]
    if rest:
        more = markup.tag("div", *(_tab(view, screen, current) for screen in rest))
        parts.append(markup.tag("details", markup.tag("summary", markup.text(_("More"))), more))
    return markup.tag("nav", *parts, style="ts-tabs", aria_label=_("Tabs of {room}").format(room=_(room.value)))


def _tab(view: ProjectView, screen: Screen, current: Screen) -> markup.Markup:
    here = {"aria_current": "page"} if screen is current else {}
    return markup.tag("a", markup.text(_(screen.title)), href=address(view, screen), target="_self", **here)
