"""The section above the table of the page *Items*: the answers that came after their lease had ended."""

from __future__ import annotations

from app import markup, shell
from app.services import Services
from domain.display_names import distinct_names
from domain.item_filter import ItemList
from domain.records import ProjectView
from domain.roles import Role, at_least
from extensions.expired_submissions import late_rows
from extensions.expired_submissions.late_texts import MOST, expired_submissions

ABOUT = (
    "These answers arrived after their lease ended. Touchstone stores the answers but does not count them. "
    "Annotators find their expired answers on My work."
)


def draw(services: Services, view: ProjectView, asked: ItemList) -> bool:
    """Draw a row for each late submission, with or without an item, if a lead filters by expired answers.

    Tell whether there are any.
    """
    if asked.filter.expired is not True or not at_least(view.role, Role.LEAD):
        return False
    submissions = expired_submissions(services.store, by=services.person, project=view.name)
    if not submissions:
        return False
    only = f" The list shows only the newest {MOST} submissions." if len(submissions) == MOST else ""
    shell.show(markup.paragraph(ABOUT + only, style="ts ts-small"))
    called = distinct_names({late.login: late.name for late in submissions})
    for late in submissions:
        late_rows.draw(services, view, late, called[late.login])
    return True
