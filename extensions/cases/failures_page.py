"""The content of the page *Failures*: the codes so far, and the answers that sending would open."""

from __future__ import annotations

from dataclasses import dataclass

from db.engine import Store
from domain.errors import ConflictError, NotFoundError
from extensions.cases.coding_intake import CodingIntake, preview_coding
from extensions.cases.failures import Failures, failures


@dataclass(frozen=True, eq=False)
class FailuresPage:
    """The content of the Failures page for one state of a project."""

    failures: Failures
    intake: CodingIntake | None
    """The answers that sending would open; None if sending is impossible."""
    why: str
    """Why sending is impossible, as a sentence."""


def failures_page(store: Store, *, project: str) -> FailuresPage:
    """Return the present codes, and the answers that sending would open. The caller checks that the person may see
    them.
    """
    coded = failures(store, person=None, project=project)
    try:
        return FailuresPage(coded, preview_coding(store, by=None, project=project), "")
    except (ConflictError, NotFoundError) as error:
        return FailuresPage(coded, None, str(error))
