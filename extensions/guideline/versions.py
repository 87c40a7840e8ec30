"""All versions of a project's guideline, with the submissions under each, and a new version."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from db import guidelines, projects
from db.engine import Session, Store
from db.records import StoredGuidelineVersion
from domain import extensions
from domain.errors import ConflictError, InvalidInputError, NotAvailableError, NotFoundError, Problem
from domain.records import Person
from extensions.guideline import queries
from workflow.access.event_log import log
from workflow.access.guidelines import LONGEST_WHY, GuidelineQuestions
from workflow.access.projects import Access, require_lead

LONGEST = 200_000
"""Maximum length of a guideline, in characters."""


@dataclass(frozen=True)
class GuidelineVersion:
    """A version of a project's guideline."""

    number: int
    hash: str
    text: str
    why: str
    by: str | None
    """The author's login; None for the schema's own text, and for a command on the machine itself."""
    at: datetime
    in_force: bool
    submissions: Mapping[str, int] = field(default_factory=dict)
    """Counts of valid submissions made under this version, by stage."""
    answers: int = 0
    """The number of seniors' decisions that this version answers."""


def versions(store: Store, *, by: Person | None, project: str) -> list[GuidelineVersion]:
    """Return all versions of a project's guideline, oldest first; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        counts: dict[str, dict[str, int]] = defaultdict(dict)
        for (hash, stage), n in queries.count_submissions(session, project_id=access.project_id).items():
            counts[hash][stage.value] = n
        answers = queries.count_answers(session, project_id=access.project_id)
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
    raise NotFoundError(f"{project} has no guideline version {number}. Choose a version from 1 to {len(known)}.")


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
                f"Version {row.guideline_number} was published while you were writing. Read that version, and "
                "then publish again."
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
                [
                    Problem(
                        "requalify",
                        f"This text was already published as version {version.number}, so people cannot qualify again "
                        "under this text. Create a new qualification set.",
                    )
                ]
            )
        projects.bring_guideline_into_force(session, row=row, number=version.number)
        n = _close(session, access, version.id, answers, by=by, now=now)
        if by is not None:
            guidelines.put_seen(session, project_id=access.project_id, person_id=by.id, number=version.number, now=now)
        data = {"number": version.number, "hash": hash, "why": why.strip(), "answers": n}
        log(session, "guideline.set", by=by, project=access, now=now, data=data)
        return _version(version, by.login if by else None, True, {}, n)


def _close(
    session: Session,
    access: Access,
    version_id: int,
    answers: Sequence[tuple[str, str]],
    *,
    by: Person | None,
    now: datetime,
) -> int:
    """Let the extension with the open reasons record that a version answers some of them; return their decisions."""
    if not answers:
        return 0
    modules: Sequence[GuidelineQuestions] = extensions.rows("guideline_questions")
    if not modules:
        why = extensions.missing("commands", "reasons")
        raise NotAvailableError(
            why
            or "No installed extension has reasons that a guideline can settle. Publish the version without reasons."
        )
    return modules[0].close(session, access, version_id, answers, by=by, why="", now=now)


def _problems(access: Access, text: str, why: str) -> list[Problem]:
    problems = []
    if not text.strip():
        problems.append(Problem("text", "The guideline is empty. Write instructions for annotators."))
    elif len(text) > LONGEST:
        problems.append(
            Problem("text", f"The guideline is too long. Shorten the text to at most {LONGEST:,} characters.")
        )
    elif text == access.loaded.guideline_text:
        problems.append(
            Problem(
                "text",
                f"This text is identical to the published version {access.guideline}. Change the text first.",
            )
        )
    if not why.strip() or len(why) > LONGEST_WHY:
        problems.append(Problem("why", "Describe the change in one sentence for annotators."))
    return problems


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
