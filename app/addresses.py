"""Addresses of pages, for links from any part of any page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from domain import extensions
from domain.states import Cut, Items

if TYPE_CHECKING:
    from domain.item_filter import AnswerFilter
    from workflow.results.score_choices import Scores

SAVED_VIEW = "view"
"""The parameter with the id of a saved view of the page *Items*."""
ITEM = "item"
"""The parameter with the id of the item that is open on the page *Items*."""


def page(path: str, project: str, **asked: str | int | Sequence[str] | None) -> str:
    """Return the address of a page of a project. Parameters without a value are left out.

    >>> page("scorecard", "p", person="ana", sort="")
    '/scorecard?project=p&person=ana'
    """
    named = {"project": project} | {name: value for name, value in asked.items() if value not in (None, "")}
    return f"/{path}?" + urlencode(named, doseq=True)


def items(
    project: str,
    *,
    dimension: str | None = None,
    group: str | None = None,
    differ: str | None = None,
    said: AnswerFilter | None = None,
    among: Items | None = None,
) -> str:
    """Return the address of the items behind a number.

    Parameters
    ----------
    dimension, group
        List only the items of this dimension, or of this group of dimensions.
    differ
        List only items on which the answers of this stage differ.
    said
        List only items with these answers of named raters.
    among
        List only the items that were counted.
    """
    asked: dict[str, str | Sequence[str] | None] = {"dimension": dimension, "group": group}
    asked |= {"differ_in": differ, "items": among}
    if said is not None:
        asked |= {"raters": said.raters, "criterion": said.criterion, "values": said.values}
    return page("items", project, **asked)


def pool_images(project: str) -> str:
    """Return the address for adding images to the pool, or for adding items if no extension has a pool."""
    titles = [title for title, _ in extensions.rows("import_sections") if title.startswith("Images")]
    return page("import", project, part=titles[0] if titles else None)


def item(project: str, id: str) -> str:
    """Return the address of the page *Items* with this item open."""
    return page("items", project, **{ITEM: id})


def saved_view(project: str, id: str) -> str:
    """Return the address that opens a saved view of the page *Items*."""
    return page("items", project, **{SAVED_VIEW: id})


def dimension_or_group(by: Cut, part: str | None) -> tuple[str | None, str | None]:
    """Return the dimension and the group that a number is about. At least one of the two is None."""
    return (None, part) if by is Cut.GROUP else (part, None)


def cases(project: str, *, scores: Scores | None = None, **asked: str | int | None) -> str:
    """Return the address of the cases that match all of ``asked``, or of one case (``item``)."""
    if scores is not None:
        asked = {
            "scores": scores.kind,
            "criterion": scores.criterion,
            "judge": scores.judge,
            "method": scores.method,
            "option": scores.option,
            **asked,
        }
    return page("cases", project, **asked)
