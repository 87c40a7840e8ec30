"""The sidebar: the project, the rooms of the menu, and the person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import streamlit as st

from app import markup, rooms
from app.rooms import Place, RoomFacts
from app.screens import SCREENS, Screen
from app.services import Services
from app.serving import demo_people
from app.workbench import assets
from domain import extensions
from domain.display_names import distinct_names
from domain.language import _, marked
from domain.records import ProjectView
from workflow.access import accounts, projects

PROJECTS = marked("Projects")
"""The group of other projects in the list that M opens."""
SWITCH: Place = {
    "name": "",
    "title": marked("Switch person"),
    "href": "/demo",
    "group": "",
    "words": "sign out log out other role verifier grader author senior lead",
    "kind": "action",
}
"""The demo's link to the list of its people."""
NEW, ALL = "\0new", "\0all"
"""The choices of the project picker that are no projects."""

STYLE = """
[data-testid="stSidebar"] { width: 208px !important; min-width: 208px !important; }
[data-testid="stSidebarHeader"] { height: 1rem !important; padding: .4rem .6rem 0 !important; margin: 0 !important; }
[data-testid="stSidebarContent"] { padding: 0 !important; display: flex; flex-direction: column;
  scrollbar-gutter: auto !important; }
[data-testid="stSidebar"] [data-testid="stSelectbox"] { margin: 0 0 .5rem; }
[data-testid="stSidebarUserContent"] { padding: 0 .75rem 1rem !important; flex: 1; display: flex; }
[data-testid="stSidebarUserContent"] > div { flex: 1; display: flex; flex-direction: column; min-width: 0; }
[data-testid="stSidebarUserContent"] > div > [data-testid="stVerticalBlock"] { flex: 1; }
[data-testid="stSidebar"] [data-testid="stVerticalBlock"] { gap: .15rem; }
[data-testid="stSidebar"] [data-testid="stElementContainer"]:has([data-part="who"]) { margin-top: auto; }
[data-testid="stSidebar"] [data-part] { margin: .2rem .5rem; overflow-wrap: anywhere; }
.ts-brand { display: flex; align-items: center; gap: .55rem; font-weight: 600; font-size: 1.05rem;
  margin: 0 .4rem .6rem; color: inherit !important; text-decoration: none !important; }
.ts-brand span { width: 22px; height: 22px; border-radius: 6px; background: linear-gradient(135deg, #22303c 0 42%,
  #e3b341 42% 56%, #22303c 56% 68%, #9fb3c4 68% 75%, #22303c 75%); }
"""

_component = st.components.v2.component("touchstone_menu", js=assets.loader("menu"))


def draw(services: Services, current: Screen) -> rooms.RoomHead | None:
    """Draw the sidebar of a page that is not a working page. Return the head of the page."""
    brand = [markup.tag("span"), markup.text("Touchstone")]
    st.html(markup.tag("a", *brand, style="ts-brand", href="/", target="_self", title=_("Start page")))
    mine = projects.projects_of(services.store, person=services.person)
    head = None
    if mine:
        _note(mine)
        may_create = accounts.leads_any(services.store, person=services.person)
        view = _choose_project(mine, current, may_create=may_create)
        facts = rooms.read_facts(services, view)
        keys(view, current, news=_news(services), facts=facts)
        head = rooms.head_of(view, current, facts)
    words, href = (_(SWITCH["title"]), SWITCH["href"]) if demo_people.is_on() else (_("Sign out"), "/logout")
    st.html(
        markup.tag(
            "div",
            markup.tag(
                "a", markup.quiet(services.person.name), href="/sessions", target="_self", title=_("Your sessions")
            ),
            markup.quiet(" · "),
            markup.tag("a", markup.text(words), href=href, target="_self", style="ts-nowrap"),
            style="ts ts-small",
            data_part="who",
        )
    )
    return head


def _news(services: Services) -> dict[str, int]:
    """Return how many new things each page has for this person, without pages that have none."""
    counts = extensions.rows("menu_counts")
    count_by_page = {page: count(services.store, person=services.person) for page, count in counts}
    return {page: n for page, n in count_by_page.items() if n}


def keys(
    view: ProjectView,
    current: Screen,
    *,
    news: Mapping[str, int] = MappingProxyType({}),
    facts: RoomFacts | None = None,
) -> None:
    """Draw the menu as a component that listens for the key M.

    Parameters
    ----------
    news
        How many new things pages have, by the name of the page.
    facts
        What the entries depend on. None: a page without a sidebar, on which only M works.
    """
    news_by_room = {str(rooms.room_of(view, SCREENS[page]) or ""): n for page, n in news.items()}
    entries = [
        {**entry, "new": f"{news_by_room[entry['name']]:,}"} if entry["name"] in news_by_room else entry
        for entry in (rooms.entries(view, facts) if facts is not None else [])
    ]
    here = current.name if current.stage is not None else str(rooms.room_of(view, current) or "")
    _component(key="sidebar.menu", data={"entries": entries, "finder": everywhere(view), "here": here})


def everywhere(view: ProjectView) -> list[Place]:
    """Return all links: pages, actions, and the person's other projects."""
    others = st.session_state.get("touchstone.projects", [])
    switch = [{**SWITCH, "title": _(SWITCH["title"])}] if demo_people.is_on() else []
    return [*rooms.finder(view), *(place for place in others if place["name"] != view.name), *switch]


def remember(project_name: str, mine: Sequence[ProjectView]) -> None:
    """Make ``project_name`` the project of the next page, and put it into the address."""
    st.session_state["touchstone.project"] = project_name
    _note(mine)
    if st.query_params.get("project") != project_name:
        st.query_params["project"] = project_name


def _note(mine: Sequence[ProjectView]) -> None:
    """Keep the links to the person's projects, so that a working page does not query them for each item."""
    titles = _titles(mine)
    st.session_state["touchstone.projects"] = [
        {
            "name": view.name,
            "title": titles[view.name],
            "href": rooms.address(view, rooms.home(view)),
            "group": _(PROJECTS),
        }
        for view in in_use(mine)
    ]


def in_use(mine: Sequence[ProjectView], *, now: str | None = None) -> Sequence[ProjectView]:
    """Return the projects that menus offer. An archived project is offered only while it is open (``now``).

    If all projects are archived, return all of them.
    """
    return [view for view in mine if not view.archived or view.name == now] or mine


def _titles(mine: Sequence[ProjectView]) -> dict[str, str]:
    """Return unique titles of projects by name, because a select box returns the chosen title."""
    return distinct_names({view.name: view.title for view in mine})


def _choose_project(mine: Sequence[ProjectView], current: Screen, *, may_create: bool) -> ProjectView:
    """Draw the project picker, and go to the chosen project, to all projects, or to a new one."""
    named = st.query_params.get("project") or st.session_state.get("touchstone.project")
    open_ones = in_use(mine, now=named)
    now = next((view for view in open_ones if view.name == named), open_ones[0])
    if len(mine) == 1 and not may_create:
        st.html(markup.tag("div", markup.text(now.title), style="ts", data_part="project"))
        return now
    titles = ({NEW: _("New project")} if may_create else {}) | _titles(open_ones) | {ALL: _("All projects")}
    names = list(titles)
    chosen = st.selectbox(
        _("Project"),
        names,
        index=names.index(now.name),
        format_func=lambda name: titles[name],
        label_visibility="collapsed",
        key=f"shell.project.{now.name}.{current.name}",
    )
    if chosen != now.name:
        by_name = {view.name: view for view in open_ones}
        if chosen in by_name:
            remember(chosen, mine)
        other = SCREENS["new_project" if chosen == NEW else "projects"]
        page = rooms.home(by_name[chosen]) if chosen in by_name else other
        query = {"project": chosen if chosen in by_name else now.name}
        st.switch_page(st.session_state["touchstone.pages"][page.name], query_params=query)
    return now
