"""Comments: people ask about items, and seniors and leads answer, without telling blind raters anything.

``rules`` says who may read a comment, and ``threads`` reads and writes threads by these rules. ``actions`` answers
working pages, where ``web`` adds a part to the form; ``drawn_threads`` puts threads on other pages and records the
comments that were shown. My work has a line (``my_work_section``), and the extensions Notices and History show more
(``notice_source``, ``item_section``).

The tables are core's, and so is what depends on who has read a comment (``db.comment_threads``): which votes count, and
who is still asked about an item.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.comments.pages import comments

    return (comments,)


def _work_actions() -> Sequence[Any]:
    from extensions.comments.actions import ACTIONS

    return ACTIONS


def _my_work_sections() -> Sequence[Any]:
    from extensions.comments.my_work_section import SECTION

    return (SECTION,)


def _notice_sources() -> Sequence[Any]:
    from extensions.comments.notice_source import unread_comments

    return (unread_comments,)


def _item_sections() -> Sequence[Any]:
    from extensions.comments.item_section import draw

    return ((20, draw),)


def _settings() -> Sequence[Any]:
    from extensions.comments.settings import CommentSettings

    return (CommentSettings,)


EXTENSION = Extension(
    name="comments",
    title="Comments on items",
    pages=_pages,
    work_actions=_work_actions,
    my_work_sections=_my_work_sections,
    notice_sources=_notice_sources,
    item_sections=_item_sections,
    settings=_settings,
    web=Path(__file__).parent / "web",
)
