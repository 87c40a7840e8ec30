"""The section *Comments* of a page about an item."""

from __future__ import annotations

from app import shell
from app.services import Services
from domain.records import ProjectView
from extensions.comments.drawn_threads import threads
from extensions.comments.threads import thread


def draw(services: Services, view: ProjectView, item: str) -> None:
    """Draw the thread of an item."""
    shell.section("Comments")
    item_thread = thread(services.store, person=services.person, project=view.name, item=item)
    threads(services, view, [item_thread], key=f"history.comments.{item}", single=True)
