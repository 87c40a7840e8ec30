"""Kinds of stages: one record for each stage says how its tasks are shown, submitted, opened and closed.

``core_stages`` has the records of core, and extensions add theirs in ``domain.extensions.Extension.stage_kinds``. The
grammar of all stages, their tasks and their claims are core's. A stage whose record is missing is closed
(``no_work.why_closed``), no one submits to it, and its slots stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from db.engine import Session
from db.records import StoredAnnotation, StoredTask
from domain import extensions
from domain.errors import NotAvailableError, Problem
from domain.language import marked
from domain.records import Person, Submission
from domain.registers import Register
from domain.states import ItemState, Stage
from workflow.access.projects import Access

VOTER = marked("Vote")
"""The name of a vote, before its letter."""
Revision = tuple[int, int, str]
"""A revision of an item: the item's id, the number, and the dimension."""


class PlannedUnit(Protocol):
    """A unit of work that a stage plans, whether it is open or not."""

    @property
    def unit(self) -> str: ...
    @property
    def item_id(self) -> int: ...
    @property
    def dimension(self) -> str: ...
    @property
    def answers(self) -> tuple[int, int]:
        """Return the ids of the two answers."""


def _nothing(*_: Any, **__: Any) -> Any:
    """Do nothing, as most stages do at most places."""
    return None


@dataclass(frozen=True)
class StageKind:
    """What a stage does where others do nothing, or do something else."""

    name: Stage
    nothing_yet: str
    """The sentence that people read before the stage has a task."""

    check: Callable[[Session, Access, StoredTask, Submission], Sequence[Problem]] = _nothing
    """Function that returns all problems with a submission."""
    place: Callable[[Session, Access, StoredTask, Submission, Person, datetime], tuple[int, int]] = _nothing
    """Function that returns the item and revision that a submission is about."""
    after: Callable[[Session, Access, StoredTask, Submission, Person, datetime], ItemState | None] = _nothing
    """Function that does what follows from a submission, in its transaction, and returns the item's state."""
    why_fixed: Callable[[Session, Access, StoredTask, datetime], str | None] = _nothing
    """Function that returns why a submission can no longer be corrected."""

    follow_state: Callable[..., None] = _nothing
    """Function ``(session, *, access, revision, before, state, now)`` that opens or closes the stage for a locked item
    whose verdict has changed."""
    follow_revision: Callable[..., Any] = _nothing
    """Function ``(session, *, access, revision, now)`` that opens the stage for the new revision of a locked item."""
    follow_run: Callable[..., None] = _nothing
    """Function ``(session, *, access, run_id, withdrawn, now)`` that closes the stage for a withdrawn run's answers,
    or opens it again."""
    follow_votes: Callable[..., None] = _nothing
    """Function ``(session, *, access, row, now, honour)`` that opens or closes what depends on the submissions about
    the unit of a slot. ``honour`` leaves people the tasks that they hold."""
    renew: Callable[..., bool] = _nothing
    """Function ``(session, *, access, row, now)`` that replaces an outdated locked slot, and returns whether it did."""
    is_replaced: Callable[..., bool] = _nothing
    """Function ``(session, *, row)`` that returns whether a slot is outdated."""
    replaced: str = ""
    """The reason that a person reads whose slot is outdated."""

    shown: Callable[..., dict[str, Any] | None] = _nothing
    """Function ``(session, *, access, row, person)`` that returns how a person sees a task, to be stored with their
    submission. None: core stores shuffled fields."""
    answers: Callable[..., tuple[str, str] | None] = _nothing
    """Function ``(session, *, row, shown)`` that returns two answers to compare, the left one first."""
    as_seen_by: Callable[..., Mapping[str, Any] | None] = _nothing
    """Function ``(*, access, said, by)`` that returns the values of a submission as they read on the page of another
    person's submission ``by``. None: they read the same on all pages."""
    votes: Callable[[Session, StoredTask], Sequence[StoredAnnotation]] = _nothing
    """Function that returns the submissions that this stage settles, for its page."""
    voter: str = VOTER
    """The name of one of ``votes``, before its letter."""
    about: Callable[[Session, StoredAnnotation], str] = _nothing
    """Function that returns the models that a submission is about, for people who may know them."""

    ratings: Callable[..., Any] = _nothing
    """Function ``(session, *, access, names, counted)`` that returns the ratings of a stage whose units are neither
    items nor answers, as ``workflow.results.ratings.stage_ratings`` does."""
    differing: Callable[..., Any] = _nothing
    """Function ``(session, *, access)`` that returns the items, by their names in files, on which people disagree;
    None if core finds them."""
    units: Callable[..., Sequence[PlannedUnit] | None] = _nothing
    """Function ``(session, *, access, counted)`` that returns the present units of a stage that plans them."""
    counts: Callable[..., Mapping[str, int]] = _nothing
    """Function ``(session, *, access)`` that returns counts of the stage for the data card."""
    progress: Callable[..., str] = _nothing
    """Function ``(session, *, access)`` that returns the progress of the stage in words, for the page *Overview*."""
    open_work: Callable[..., Any] = _nothing
    """Function ``(store, *, by, project, models)`` that opens what the schema plans, of these models, for leads."""

    waiting: Callable[..., int] = _nothing
    """Function ``(session, *, access)`` that returns how much work waits in a stage without tasks
    (``domain.states.WITHOUT_TASKS``)."""
    done_by: Callable[..., int] = _nothing
    """Function ``(session, *, access, person)`` that returns what a person has done in a stage without tasks."""
    has_in_hand: Callable[..., bool] = _nothing
    """Function ``(session, *, access, person, now)`` that returns whether a person holds work in a stage without
    tasks."""


STAGE_KINDS: Register[StageKind] = Register("workflow.annotate.core_stages", lambda: extensions.rows("stage_kinds"))


def of(stage: Stage) -> StageKind:
    """Return the record of a stage; raise ``NotAvailableError`` if it belongs to a missing extension."""
    kind = STAGE_KINDS.get(stage)
    if kind is None:
        raise NotAvailableError(
            extensions.missing("stages", stage)
            or f"No installed extension provides the stage `{stage.value}`. Install an extension with this stage."
        )
    return kind


def follow_state(
    session: Session, *, access: Access, revision: Revision, before: ItemState, state: ItemState, now: datetime
) -> None:
    """Let all stages follow the new verdict on a locked item."""
    for kind in STAGE_KINDS.values():
        kind.follow_state(session, access=access, revision=revision, before=before, state=state, now=now)


def follow_revision(session: Session, *, access: Access, revision: Revision, now: datetime) -> None:
    """Let all stages follow the new revision of a locked item."""
    for kind in STAGE_KINDS.values():
        kind.follow_revision(session, access=access, revision=revision, now=now)


def follow_run(session: Session, *, access: Access, run_id: int, withdrawn: bool, now: datetime) -> None:
    """Let all stages follow a run that was withdrawn, or taken back."""
    for kind in STAGE_KINDS.values():
        kind.follow_run(session, access=access, run_id=run_id, withdrawn=withdrawn, now=now)
