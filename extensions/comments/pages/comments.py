"""The page *Comments*: a person's own threads; for seniors and leads, all threads."""

from __future__ import annotations

from app import markup, shell
from app.screens import Need, Room, Screen
from app.services import Services
from domain.language import _, marked
from domain.roles import Role, at_least
from extensions.comments import queries
from extensions.comments import threads as stored_threads
from extensions.comments.drawn_threads import threads

SCREEN = Screen(
    "Comments",
    place=130,
    room=Room.ITEMS,
    room_below=Room.MY_WORK,
    words="questions ask answer reply discussion messages threads feedback",
    needs=Need(
        marked("There are no comments yet. People write comments while working on an item."), queries.has_comments
    ),
)


def render(services: Services) -> None:
    """Draw the threads: those that wait for an answer first, then the newest."""
    view = shell.project(services)
    official = at_least(view.role, Role.SENIOR)
    shell.heading(
        _("Comments"),
        "Comments and questions from raters about items. Raters see your answer after the item is settled. To show "
        "an answer earlier, mark the answer as safe to show."
        if official
        else _("Your comments on items, and comments for you. Some answers appear only after an item is settled."),
        made_up=view.made_up,
    )
    inbox = stored_threads.inbox(services.store, person=services.person, project=view.name)
    if not inbox:
        words = "Nobody has commented on an item yet." if official else _("You have not commented on an item yet.")
        shell.show(markup.notice(words + " " + _("To open the comments on an item, press C on a working page.")))
        return
    threads(services, view, inbox, key=f"comments.{view.name}", history=official)
