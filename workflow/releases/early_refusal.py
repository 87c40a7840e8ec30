"""Reasons to refuse a release that a few queries can find, so that a lead need not wait for statistics."""

from __future__ import annotations

from collections.abc import Sequence

from db.engine import Session, Store
from domain.errors import InvalidInputError, Problem
from domain.records import Person
from workflow.access.projects import Access, require_lead
from workflow.access.schema_changes import must_be_finished
from workflow.releases.checklist import must_be_clear_before_work
from workflow.releases.draft import plan_of
from workflow.releases.extension_checks import must_accept, must_have_checks
from workflow.releases.format_choice import formats_of
from workflow.releases.settings import ReleaseOptions, about_in


def refuse_before_release(store: Store, *, by: Person | None, project: str, asked: ReleaseOptions) -> None:
    """Refuse as ``refuse_before_work`` does, for leads who have only pressed the button."""
    with store.read() as session:
        refuse_before_work(session, require_lead(session, by=by, project=project), asked)


def refuse_before_work(session: Session, access: Access, asked: ReleaseOptions) -> None:
    """Refuse a release for every reason that is known without statistics, images or drawn splits.

    Raises
    ------
    InvalidFileError
        A line of the checklist is open, a format does not fit, or an accepted leak has no reason.
    NotAvailableError
        The schema or an accepted leak asks for a check of an extension that is not installed.
    InvalidInputError
        The splits are not written as they have to be, or no split has the name of a private one.
    """
    must_be_finished(session, access=access)
    must_have_checks(access.schema)
    formats_of(access.schema, asked)
    plan = plan_of(asked)
    if plan.field is None:
        must_have_splits(asked.private, [part.name for part in plan.parts])
    must_accept(asked.accepted)
    must_be_clear_before_work(session, access, about_in(session, access), asked)


def must_have_splits(private: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a private split that no split has the name of: its answers would be public under another name."""
    if odd := [name for name in private if name not in names]:
        raise InvalidInputError(
            [
                Problem(
                    "private",
                    f"There is no split {', '.join(odd)} to make private. Splits: {', '.join(names)}. Correct the "
                    "name, or add the split.",
                )
            ]
        )
