"""The page *Expired submissions*: submissions that arrived after the item had gone to another person."""

from __future__ import annotations

from app import markup, shell
from app.screens import Need, Room, Screen
from app.services import Services
from domain.display_names import distinct_names
from domain.roles import Role
from extensions.expired_submissions import late_rows, queries
from extensions.expired_submissions.late_texts import expired_submissions

SCREEN = Screen(
    "Expired submissions",
    place=150,
    room=Room.ITEMS,
    role=Role.LEAD,
    words="late lost lease timeout",
    needs=Need("No submission has come after its lease had ended.", queries.has_expired),
)


def render(services: Services) -> None:
    """Draw a row for each late submission: its writer, time and content."""
    view = shell.lead_of(services)
    shell.heading(
        "Expired submissions",
        "These answers came after the lease had ended. They are kept but do not count. Their writers find them on My"
        " work.",
        made_up=view.made_up,
    )
    submissions = expired_submissions(services.store, by=services.person, project=view.name)
    if not submissions:
        shell.show(markup.notice("There are no expired submissions.", style="good"))
        return
    called = distinct_names({late.login: late.name for late in submissions})
    for late in submissions:
        late_rows.draw(services, view, late, called[late.login])
