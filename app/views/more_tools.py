"""The page *More tools*: pages that the menu does not list yet, because the project has no content for them."""

from __future__ import annotations

from app import markup, rooms, shell
from app.screens import Room, Screen
from app.services import Services
from domain.roles import Role

SCREEN = Screen(
    "More tools",
    place=680,
    room=Room.SETTINGS,
    role=Role.LEAD,
    words="extensions plugins hidden pages features switch on",
)


def render(services: Services) -> None:
    """Draw a row for each page, with what the project lacks."""
    view = shell.lead_of(services)
    shell.heading("More tools", "These pages appear in the menu when the project needs them.", made_up=view.made_up)
    waiting = rooms.read_facts(services, view).waiting
    rows = [
        [
            markup.tag("a", markup.text(screen.title), href=rooms.address(view, screen), target="_self"),
            markup.text(rooms.room_of(view, screen) or ""),
            markup.text(screen.needs.sentence if screen.needs is not None else ""),
        ]
        for screen in rooms.offered(view)
        if screen.name in waiting and rooms.room_of(view, screen) is not Room.MY_WORK
    ]
    if rows:
        shell.show(markup.table([("Page", "name"), ("Room", ""), ("What is missing", "")], rows))
    else:
        shell.show(markup.notice("The menu already lists every page.", style="good"))
