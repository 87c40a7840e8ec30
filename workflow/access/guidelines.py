"""Versions of a project's guideline: the current version, the changes, and who has read them."""

from __future__ import annotations

import difflib
import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from db import guidelines, projects
from db.engine import Session, Store
from db.records import StoredGuidelineVersion
from domain.errors import ConflictError, InvalidInputError, NotFoundError, Problem
from domain.records import GuidelineNews, GuidelineVersion, Person
from workflow.access.event_log import log
from workflow.access.projects import Access, access_to, require_lead

LONGEST = 200_000
"""Maximum length of a guideline, in characters."""
LONGEST_WHY = 2_000
AROUND = 1
"""Number of unchanged lines shown around a change."""


def versions(store: Store, *, by: Person | None, project: str) -> list[GuidelineVersion]:
    """Return all versions of a project's guideline, oldest first; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        counts: dict[str, dict[str, int]] = defaultdict(dict)
        for (hash, stage), n in guidelines.count_submissions(session, project_id=access.project_id).items():
            counts[hash][stage.value] = n
        answers = guidelines.count_answers(session, project_id=access.project_id)
        return [
            _version(row, login, row.number == access.guideline, counts.get(row.hash, {}), answers.get(row.id, 0))
            for row, login in guidelines.of_project(session, project_id=access.project_id)
        ]


def show(store: Store, *, by: Person | None, project: str, number: int | None = None) -> GuidelineVersion:
    """Return one version of a project's guideline; without ``number``, the current one."""
    known = versions(store, by=by, project=project)
    for version in known:
        if version.in_force if number is None else version.number == number:
            return version
    raise NotFoundError(f"{project} has no version {number} of its guideline; it has 1 to {len(known)}.")


def publish_version(
    store: Store,
    *,
    by: Person | None,
    project: str,
    text: str,
    why: str,
    answers: Sequence[tuple[str, str]] = (),
    based_on: int | None = None,
    requalify: bool = False,
) -> GuidelineVersion:
    """Make a new version of the guideline the current one; every later vote is stored with it.

    A text that was current before gets its old number again, since votes under both have seen the same words.

    Parameters
    ----------
    why
        The change, in a sentence that annotators read.
    answers
        Adjudication reasons that this version answers, each with its dimension; their open decisions are closed.
    based_on
        The version that its writer has read; None means the current one.
    requalify
        Whether people must pass a qualification set made under this version or a later one, even if they qualified
        before.

    Raises
    ------
    InvalidInputError
        The text is empty, too long, or equal to the current one; ``why`` is missing; or a reason has no open decision.
    ConflictError
        The current version is not the one that the text is based on.
    """
    text = text.replace("\r\n", "\n").replace("\0", "")
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        problems = _problems(access, text, why)
        if problems:
            raise InvalidInputError(problems)
        now = store.now()
        row = projects.lock(session, id=access.project_id)
        if based_on not in (None, row.guideline_number):
            raise ConflictError(
                f"Version {row.guideline_number} came into force while you wrote; read what it says, then save again."
            )
        hash = hashlib.sha256(text.encode()).hexdigest()
        version = guidelines.by_hash(session, project_id=access.project_id, hash=hash)
        if version is None:
            known = guidelines.numbers(session, project_id=access.project_id)
            version = guidelines.add(
                session,
                project_id=access.project_id,
                number=max(known.values()) + 1,
                hash=hash,
                text=text,
                why=why.strip(),
                requalify=requalify,
                by_id=by.id if by else None,
                now=now,
            )
        elif requalify and not version.requalify:
            raise InvalidInputError(
                [Problem("requalify", f"This text was in force as version {version.number}; make a new set instead.")]
            )
        projects.bring_guideline_into_force(session, row=row, number=version.number)
        n = _answer(session, access, version.id, answers, by=by, why="", now=now)
        if by is not None:
            guidelines.put_seen(session, project_id=access.project_id, person_id=by.id, number=version.number, now=now)
        data = {"number": version.number, "hash": hash, "why": why.strip(), "answers": n}
        log(session, "guideline.set", by=by, project=access, now=now, data=data)
        return _version(version, by.login if by else None, True, {}, n)


def answer(store: Store, *, by: Person | None, project: str, reason: str, dimension: str, why: str) -> int:
    """Record why the open decisions with a reason in a dimension need no new guideline; return their number."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        if not why.strip() or len(why) > LONGEST_WHY:
            raise InvalidInputError([Problem("why", "Say in a sentence why the guideline stays as it is.")])
        now = store.now()
        projects.lock(session, id=access.project_id)
        current = guidelines.by_hash(session, project_id=access.project_id, hash=access.loaded.guideline_hash)
        n = _answer(
            session, access, (current.id if current else 0) or 0, [(reason, dimension)], by=by, why=why.strip(), now=now
        )
        data = {"cause": reason, "dimension": dimension, "why": why.strip(), "decisions": n}
        log(session, "cause.answered", by=by, project=access, now=now, data=data)
        return n


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


# ---- for other use cases ---------------------------------------------------------------------------------------------


def current(session: Session, access: Access) -> tuple[int, str]:
    """Return the number and hash of the current guideline."""
    return access.guideline, access.loaded.guideline_hash


def accepted(session: Session, access: Access, hash: str | None) -> str:
    """Return the guideline hash to store with a submission: the one that the rater's page showed.

    Without a hash, the current guideline is used. Raises ``InvalidInputError`` for a guideline that this project never
    had.
    """
    if hash is None or hash == access.loaded.guideline_hash:
        return access.loaded.guideline_hash
    if guidelines.by_hash(session, project_id=access.project_id, hash=hash) is None:
        raise InvalidInputError(
            [Problem("guideline", "This page shows a guideline that is not this project's; reload it.")]
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


# ---- helpers ---------------------------------------------------------------------------------------------------------


def _problems(access: Access, text: str, why: str) -> list[Problem]:
    problems = []
    if not text.strip():
        problems.append(Problem("text", "The guideline is empty; write what people are to do."))
    elif len(text) > LONGEST:
        problems.append(Problem("text", f"The guideline is too long; {LONGEST:,} characters are the most."))
    elif text == access.loaded.guideline_text:
        problems.append(Problem("text", f"This is word for word version {access.guideline}, which is in force."))
    if not why.strip() or len(why) > LONGEST_WHY:
        problems.append(Problem("why", "Say in a sentence what has changed; annotators read it."))
    return problems


def _answer(
    session: Session,
    access: Access,
    version_id: int,
    answers: Sequence[tuple[str, str]],
    *,
    by: Person | None,
    why: str,
    now: datetime,
) -> int:
    """Record that a version answers all open decisions with these reasons and return their number.

    The caller must hold the lock on the project.
    """
    waiting: dict[tuple[str, str], list[int]] = defaultdict(list)
    for decision in guidelines.decisions(session, project_id=access.project_id):
        if decision.version_id is None:
            waiting[decision.cause, decision.dimension].append(decision.id)
    for reason, dimension in answers:
        if (reason, dimension) not in waiting:
            raise InvalidInputError(
                [Problem("answers", f"No open decision in {dimension} has the reason {reason!r}; look at the reasons.")]
            )
    ids = [id for key in dict.fromkeys(answers) for id in waiting[key]]
    note = {"guideline_version_id": version_id, "why": why, "by_id": by.id if by else None, "created_at": now}
    guidelines.add_answers(session, rows=[{"annotation_id": id, **note} for id in ids])
    return len(ids)


def _version(
    row: StoredGuidelineVersion, login: str | None, in_force: bool, submissions: Mapping[str, int], answers: int
) -> GuidelineVersion:
    return GuidelineVersion(
        number=row.number,
        hash=row.hash,
        text=row.text,
        why=row.why,
        by=login,
        at=row.created_at,
        in_force=in_force,
        submissions=dict(submissions),
        answers=answers,
    )
