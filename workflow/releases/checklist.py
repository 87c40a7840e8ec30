"""The checklist of a release: each line with its state, and the refusal while a line is open."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from db import comment_threads, missing_media
from db.engine import Session, Store
from domain.errors import InvalidFileError
from domain.item_counts import COUNTS
from domain.records import Person
from domain.states import VOTED_ON, ItemState
from workflow.access.item_counts import count_project
from workflow.access.projects import Access, require_lead
from workflow.files import exposures
from workflow.releases.evidence import unsaid_raters
from workflow.releases.extension_checks import CheckResult, NoMeasurement, ReleaseCheck, ReleaseCondition, checks_of
from workflow.releases.settings import SAYINGS, CardVersion, ReleaseOptions, about_in

RATERS = "raters"
"""The line for imported raters that are not yet marked as a person or a machine."""


def before(
    store: Store,
    *,
    by: Person | None,
    project: str,
    results: Mapping[str, CheckResult | NoMeasurement] = MappingProxyType({}),
) -> list[ReleaseCondition]:
    """Return the lines, for leads.

    Parameters
    ----------
    results
        The results of checks that extensions add, by name. A check without a result is pending.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return lines(session, access, about_in(session, access), results)


def lines(
    session: Session,
    access: Access,
    about: CardVersion,
    results: Mapping[str, CheckResult | NoMeasurement] = MappingProxyType({}),
) -> list[ReleaseCondition]:
    """Return the lines, in a transaction of others."""
    return [
        *stored_lines(session, access, about),
        *(line for check in checks_of(access.schema) for line in check_lines(check, results.get(check.name))),
    ]


def stored_lines(session: Session, access: Access, about: CardVersion) -> list[ReleaseCondition]:
    """Return the lines that a few queries answer, without any statistics."""
    id = access.project_id
    counts = count_project(session, access=access)
    left, wanted = COUNTS["in_verification"].number(counts), counts.left
    open_ = COUNTS["in_adjudication"].number(counts)
    waiting = missing_media.waiting_in(session, project_id=id, needed=access.needed_roles)
    without = len(waiting | missing_media.incomplete(session, project_id=id, states=[ItemState.KEPT]))
    open_comments = len(comment_threads.unanswered(session, project_id=id))
    faults = len({fault.vote for fault in exposures.faults(session, access=access) if fault.counts})
    raters = unsaid_raters(session, project_id=id)
    unsaid = any(saying.needed and not about.values.get(saying.name) for saying in SAYINGS)
    unfinished = [state.value for state in VOTED_ON.values() if counts.in_state(state)]
    done = bool(counts.written) and not left and not wanted
    return [
        ReleaseCondition(
            "items",
            "Items",
            done,
            _said_of_items(bool(counts.written), left, wanted),
            "items" if left else "overview",
            asked={"state": unfinished},
            action="See items" if left else "See progress",
        ),
        ReleaseCondition(
            "adjudication",
            "Adjudication",
            not open_,
            _said(open_, "item waits", "items wait", "for a senior"),
            "items",
            asked={"state": ItemState.IN_ADJUDICATION.value},
            action="See items",
        ),
        ReleaseCondition(
            "media",
            "Media",
            not without,
            _said(without, "item lacks", "items lack", "images or clips"),
            "items",
            asked={"missing": "yes"},
            action="See items",
        ),
        ReleaseCondition(
            "comments",
            "Comments",
            not open_comments,
            _said(open_comments, "comment waits", "comments wait", "for an answer"),
            "comments",
            action="Answer comments",
        ),
        ReleaseCondition(
            "exposure",
            "Exposure",
            not faults,
            _said(faults, "vote was", "votes were", "given by people who had seen hidden data"),
            "audit",
            action="See audit log",
        ),
        ReleaseCondition(
            RATERS, "Imported raters", not raters, _said_of_raters(raters), "import_", action="Mark raters"
        ),
        ReleaseCondition(
            "said",
            "License",
            not unsaid,
            "the license is missing" if unsaid else "the license is set",
            "data_card",
            action="Add license",
        ),
    ]


def _said(n: int, one: str, many: str, rest: str) -> str:
    """Return how many things a line counts: "2 items wait for a senior"."""
    return f"{n:,} {one} {rest}" if n == 1 else f"{f'{n:,}' if n else 'no'} {many if n else one} {rest}"


def _said_of_items(any_written: bool, left: int, wanted: int) -> str:
    unfinished = _said(left, "item is", "items are", "not finished")
    if left and wanted:
        return f"{unfinished} and {wanted:,} {'is' if wanted == 1 else 'are'} left to write"
    if wanted:
        return _said(wanted, "item is", "items are", "left to write")
    if left:
        return unfinished
    return "every item is finished" if any_written else "no item is written yet"


def check_lines(check: ReleaseCheck, result: CheckResult | NoMeasurement | None) -> Sequence[ReleaseCondition]:
    """Return the lines of a check that an extension adds."""
    if check.lines is not None and not isinstance(result, NoMeasurement):
        return [] if result is None else check.lines(result)
    sentence = "not computed yet" if result is None else result.said
    done = result is not None and result.met
    return [ReleaseCondition(check.name, check.title, done, sentence, check.page, pending=result is None)]


def _said_of_raters(raters: Sequence[str]) -> str:
    if not raters:
        return "each imported rater is marked as a person or a machine"
    more = f" and {len(raters) - _NAMED:,} more" if len(raters) > _NAMED else ""
    return (
        f"not marked as a person or a machine: {', '.join(raters[:_NAMED])}{more} (touchstone rater list). Unmarked "
        "raters count as machines, and files show numbers instead of their names"
    )


_NAMED = 5


def must_be_clear(found: Sequence[ReleaseCondition], asked: ReleaseOptions) -> None:
    """Raise ``InvalidFileError`` if a line is open and the lead did not override it."""
    _must_know(asked.despite, [line.name for line in found])
    must_not_be_open(found, asked)


def must_be_clear_before_work(session: Session, access: Access, about: CardVersion, asked: ReleaseOptions) -> None:
    """Raise the errors of ``must_be_clear`` that need no statistics."""
    conditions = stored_lines(session, access, about)
    measured = [name for check in checks_of(access.schema) for name in _line_names(check, session, access)]
    _must_know(asked.despite, {*(line.name for line in conditions), *measured})
    must_not_be_open(conditions, asked)


def _line_names(check: ReleaseCheck, session: Session, access: Access) -> Iterable[str]:
    return [check.name] if check.line_names is None else check.line_names(session, access)


def _must_know(despite: Sequence[str], known: Collection[str]) -> None:
    if odd := [name for name in despite if name not in known]:
        raise InvalidFileError(f"The checklist has no check {', '.join(odd)}. Its checks: {', '.join(sorted(known))}.")


def must_not_be_open(found: Sequence[ReleaseCondition], asked: ReleaseOptions) -> None:
    """Refuse (``InvalidFileError``) where a line is open that the lead does not override."""
    left = [line for line in found if not line.done and line.name not in asked.despite]
    if left:
        reasons = "; ".join(f"{line.title}: {line.said} ({line.name})" for line in left)
        raise InvalidFileError(
            f"{'This check is' if len(left) == 1 else 'These checks are'} open: {reasons}. Finish the work, or "
            f"override a check (--despite {left[0].name}). The manifest records each override."
        )
