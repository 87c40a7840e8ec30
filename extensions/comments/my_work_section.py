"""A line of each project on My work: the comments that wait for a person."""

from __future__ import annotations

from app import addresses, markup, shell
from app.my_work_sections import MyWorkSection
from app.services import Services
from domain.language import ngettext
from domain.records import ProjectView
from extensions.comments.threads import mentions


def draw(services: Services, view: ProjectView) -> None:
    """Draw a link to the comments that wait for this person."""
    own_mentions = mentions(services.store, person=services.person, project=view.name)
    parts = []
    if own_mentions.unread:
        n = own_mentions.unread
        parts.append(ngettext("{n} comment for you", "{n} comments for you", n).format(n=n))
    if own_mentions.unanswered:
        n = own_mentions.unanswered
        words = ngettext("{n} item with an unanswered last comment", "{n} items with an unanswered last comment", n)
        parts.append(words.format(n=n))
    if parts:
        href = addresses.page("comments", view.name)
        link = markup.tag("a", markup.text(", ".join(parts)), href=href, target="_self")
        shell.show(markup.tag("div", link, style="ts", data_part="mentions"))


SECTION = MyWorkSection(project=draw)
