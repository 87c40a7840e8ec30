"""The section of an open item on the page *Items*: answers about the item that came after the lease had ended."""

from __future__ import annotations

from app import shell
from app.services import Services
from domain.display_names import distinct_names
from domain.records import ProjectView
from domain.roles import Role, at_least
from extensions.expired_submissions import late_rows
from extensions.expired_submissions.late_texts import expired_submissions


def draw(services: Services, view: ProjectView, item: str) -> None:
    """Draw the late submissions about an item, for leads. Without any, draw nothing."""
    if not at_least(view.role, Role.LEAD):
        return
    every = expired_submissions(services.store, by=services.person, project=view.name)
    late = [submission for submission in every if submission.item_on_pages == item]
    if not late:
        return
    shell.section("Expired answers")
    called = distinct_names({submission.login: submission.name for submission in late})
    for submission in late:
        late_rows.draw(services, view, submission, called[submission.login])
