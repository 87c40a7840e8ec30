"""The navigation: the pages that a person is offered, in groups, and the sidebar that lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import streamlit as st

from annotation_schemas.source_media import has_segments
from app import markup
from app.screens import SCREENS, Group, Screen
from app.services import Services
from app.serving import demo_people
from app.workbench import assets
from domain import extensions
from domain.display_names import distinct_names
from domain.records import ProjectView
from domain.roles import Role, at_least
from domain.states import Stage
from workflow.access import projects

Place = dict[str, str]
"""A link in the form the pages' scripts expect: name, title, href, group, and the number of news."""

MOST = 7
"""Number of pages shown without groups, and number of pages of a group that are open at once."""
PROJECTS = "Projects"
"""The group of other projects in the list that M opens."""

STYLE = """
[data-testid="stSidebar"] { width: 232px !important; min-width: 232px !important; }
[data-testid="stSidebarHeader"] { height: 1rem !important; padding: .4rem .6rem 0 !important; margin: 0 !important; }
[data-testid="stSidebarContent"] { padding: 0 !important; }
[data-testid="stSidebar"] [data-testid="stSelectbox"] { margin: 0 0 .5rem; }
[data-testid="stSidebarUserContent"] { padding: 0 .8rem 1.2rem !important; }
[data-testid="stSidebar"] [data-testid="stVerticalBlock"] { gap: .15rem; }
[data-testid="stSidebar"] [data-part] { margin: .2rem .5rem; overflow-wrap: anywhere; }
[data-testid="stSidebar"] [data-part="who"] { margin-top: 1.2rem; }
.ts-brand { display: flex; align-items: center; gap: .55rem; font-weight: 600; font-size: 1.05rem;
  margin: 0 .4rem .6rem; }
.ts-brand span { width: 22px; height: 22px; border-radius: 6px; background: linear-gradient(135deg, #22303c 0 42%,
  #e3b341 42% 56%, #22303c 56% 68%, #9fb3c4 68% 75%, #22303c 75%); }
"""

_component = st.components.v2.component("touchstone_menu", js=assets.loader("menu"))


def draw(services: Services, current: Screen) -> None:
    """Draw the sidebar of a page that is not a working page: the project, its pages, and the person."""
    st.html(markup.tag("div", markup.tag("span"), markup.text("Touchstone"), style="ts-brand"))
    mine = projects.projects_of(services.store, person=services.person)
    if mine:
        _note(mine)
        keys(_choose_project(mine), current, news=_news(services), listed=True)
    leave = ("Switch person", "/demo") if demo_people.is_on() else ("Sign out", "/logout")
    st.html(
        markup.tag(
            "div",
            markup.quiet(f"{services.person.name} · "),
            markup.tag("a", markup.text(leave[0]), href=leave[1], target="_self"),
            style="ts ts-small",
            data_part="who",
        )
    )


def _news(services: Services) -> dict[str, int]:
    """Return how many new things each page has for this person, without pages that have none."""
    counts = extensions.rows("menu_counts")
    count_by_page = {page: count(services.store, person=services.person) for page, count in counts}
    return {page: n for page, n in count_by_page.items() if n}


def keys(
    view: ProjectView, current: Screen, *, news: Mapping[str, int] = MappingProxyType({}), listed: bool = False
) -> None:
    """Draw the menu as a component that listens for the key M.

    Parameters
    ----------
    news
        How many new things pages have, by the name of the page.
    listed
        List the pages, on a page with a sidebar.
    """
    places = [{**place, "new": f"{news[place['name']]:,}"} if place["name"] in news else place for place in menu(view)]
    data = {"menu": places, "elsewhere": elsewhere(view), "here": current.name, "listed": listed}
    _component(key="sidebar.menu", data=data)


def menu(view: ProjectView) -> list[Place]:
    """Return the pages that this person may open in this project, by group. A short list has no groups."""
    key = (view.schema.hash, view.name, view.role, view.stages)
    if key not in _menus:
        _menus[key] = _menu(view)
    return _menus[key]


_menus: dict[tuple[object, ...], list[Place]] = {}
"""The key has everything that a menu depends on, because a stored schema never changes."""


def _menu(view: ProjectView) -> list[Place]:
    screens = offered(view)
    alone = [screen for screen in screens if screen.group is None]
    if len(screens) - len(alone) <= MOST:
        return [_place(view, screen, "") for screen in screens]
    places = []
    for group in Group:
        for at, screen in enumerate(screen for screen in screens if screen.group is group):
            places.append(_place(view, screen, group if at < MOST else f"{group}, more"))
    return [*places, *(_place(view, screen, "") for screen in alone)]


def _place(view: ProjectView, screen: Screen, group: str) -> Place:
    href = f"/{screen.path}?project={view.name}"
    return {"name": screen.name, "title": title_of(view, screen), "href": href, "group": str(group)}


def elsewhere(view: ProjectView) -> list[Place]:
    """Return links to the person's other projects: to the dashboard for leads, to My work for others."""
    others = st.session_state.get("touchstone.projects", [])
    return [place for place in others if place["name"] != view.name]


def everywhere(view: ProjectView) -> list[Place]:
    """Return all links, for a page without a sidebar."""
    return [*menu(view), *elsewhere(view)]


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
            "href": f"/{'dashboard' if at_least(view.role, Role.LEAD) else ''}?project={view.name}",
            "group": PROJECTS,
        }
        for view in in_use(mine)
    ]


def in_use(mine: Sequence[ProjectView], *, now: str | None = None) -> Sequence[ProjectView]:
    """Return the projects that menus offer. An archived project is offered only while it is open (``now``).

    If all projects are archived, return all of them.
    """
    return [view for view in mine if not view.archived or view.name == now] or mine


def title_of(view: ProjectView, screen: Screen) -> str:
    """Return the title of a screen in the menu. A title in the schema's stage comes before the screen's own title."""
    part = getattr(view.schema.schema_.stages, screen.stage, None) if screen.stage is not None else None
    return getattr(part, "title", None) or screen.title


def offered(view: ProjectView) -> Sequence[Screen]:
    """Return the screens for this person's role and stages, and for the schema's stages."""
    return [
        screen
        for screen in SCREENS.values()
        if at_least(view.role, screen.role)
        and _worked_on(view, screen.stage)
        and _asked_for(view, screen.part)
        and (not screen.timed or has_segments(view.schema.schema_))
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


def _titles(mine: Sequence[ProjectView]) -> dict[str, str]:
    """Return unique titles of projects by name, because a select box returns the chosen title."""
    return distinct_names({view.name: view.title for view in mine})


def _choose_project(mine: Sequence[ProjectView]) -> ProjectView:
    named = st.query_params.get("project") or st.session_state.get("touchstone.project")
    mine = in_use(mine, now=named)
    now = next((view for view in mine if view.name == named), mine[0])
    if len(mine) == 1:
        st.html(markup.tag("div", markup.text(now.title), style="ts", data_part="project"))
        return now
    titles = _titles(mine)
    names = list(titles)
    chosen = st.selectbox(
        "Project",
        names,
        index=names.index(now.name),
        format_func=lambda name: titles[name],
        label_visibility="collapsed",
        key=f"shell.project.{now.name}",
    )
    if chosen != now.name:
        remember(chosen, mine)
        st.rerun()
    return now
