"""The guideline that a project's people work under: what has changed, and who has read it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from db import guidelines
from db.engine import Session, Store
from domain.errors import InvalidInputError, Problem
from domain.records import GuidelineNews, Person, ProjectView
from workflow.access.projects import Access, access_to

LONGEST_WHY = 2_000
"""Maximum length of the reason of a change, in characters."""
AROUND = 1
"""Number of unchanged lines shown around a change."""


class GuidelineQuestions(Protocol):
    """What a new version of the guideline may answer: a module of the register ``guideline_questions``."""

    def waiting(self, store: Store, *, by: Person, view: ProjectView) -> Mapping[tuple[str, str], str]:
        """Return the title of each open question, by its reason and dimension; leads only."""

    def close(
        self,
        session: Session,
        access: Access,
        version_id: int,
        answers: Sequence[tuple[str, str]],
        *,
        by: Person | None,
        why: str,
        now: datetime,
    ) -> int:
        """Record that a version answers these questions and return the number of decisions behind them.

        The caller must hold the lock on the project.
        """


def record_opening(store: Store, *, person: Person, project: str, number: int) -> None:
    """Record that a person has opened the guideline, unless their page shows an outdated version."""
    with store.write(archived_too=True) as session:
        access = access_to(session, person=person, project=project)
        if number == access.guideline:
            guidelines.put_seen(
                session, project_id=access.project_id, person_id=person.id, number=number, now=store.now()
            )


def changes(before: str, after: str, *, around: int | None = AROUND) -> list[tuple[str, str]]:
    r"""Return the changed lines of two texts: "-" removed, "+" added, " " context; ``around`` None gives all lines.

    >>> changes("a\nb\nc\nd", "a\nb\nx\nd")
    [(' ', 'b'), ('-', 'c'), ('+', 'x'), (' ', 'd')]
    """
    old, new = before.splitlines(), after.splitlines()
    context = max(len(old), len(new)) if around is None else around
    lines = list(difflib.unified_diff(old, new, lineterm="", n=context))[2:]
    return [(line[0], line[1:]) for line in lines if not line.startswith("@@")]


def accepted(session: Session, access: Access, hash: str | None) -> str:
    """Return the guideline hash to store with a submission: the one that the rater's page showed.

    Without a hash, the current guideline is used. Raises ``InvalidInputError`` for a guideline that this project never
    had.
    """
    if hash is None or hash == access.loaded.guideline_hash:
        return access.loaded.guideline_hash
    if guidelines.by_hash(session, project_id=access.project_id, hash=hash) is None:
        raise InvalidInputError(
            [Problem("guideline", "This page shows the guideline of another project. Reload the page.")]
        )
    return hash


def news(session: Session, *, access: Access, person: Person) -> GuidelineNews | None:
    """Return the changes of the guideline since a person opened it last, or None.

    People without submissions get None: they read the current guideline, and nothing has changed for them.
    """
    before = access.guideline_seen
    if before == access.guideline:
        return None
    if before is None:
        last = guidelines.last_of_person(session, project_id=access.project_id, person_id=person.id)
        before = guidelines.numbers(session, project_id=access.project_id).get(last or "")
    if before is None or before == access.guideline:
        return None
    known = {row.number: row for row, _ in guidelines.of_project(session, project_id=access.project_id)}
    later = [known[number].why for number in sorted(known) if before < number <= access.guideline]
    return GuidelineNews(
        number=access.guideline,
        why=" ".join(why for why in later or [known[access.guideline].why] if why),
        changes=tuple(changes(known[before].text, known[access.guideline].text)),
    )


def note_reader(session: Session, *, access: Access, person: Person, now: datetime) -> None:
    """Record once that a person starts with the current guideline, so that it is no news to them."""
    if access.guideline_seen is None and news(session, access=access, person=person) is None:
        guidelines.put_seen(
            session, project_id=access.project_id, person_id=person.id, number=access.guideline, now=now
        )
