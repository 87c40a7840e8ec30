"""Results of qualification tries: each item compared with its key and with the seniors' answers."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.model import Qualification
from db import item_revisions, people, qualifications
from db.engine import Session
from db.records import StoredAnnotation, StoredQualification, StoredQualificationSet
from domain import csv_text
from domain.comparison import AnyOrder, same
from domain.display_names import distinct_names
from domain.overlap import Overlap
from domain.policies import Target, targets
from domain.qualification import Standing
from domain.records import Person
from domain.roles import Role, at_least
from domain.states import Stage
from extensions.qualification.rules import Review, standing
from extensions.qualification.sets import SetEntry, entries_of
from workflow.access.projects import Access
from workflow.annotate.qualification import counting_sets, role_of


@dataclass(frozen=True)
class ItemResult:
    """One item of a try: the given answer, the right answer, and the comments."""

    item: str
    dimension: str
    fields: Mapping[str, Any]
    answer: Mapping[str, Any]
    reasons: Mapping[str, Any]
    key: Any
    """The item's key, or a list of the keys of several criteria; None where the schema has no key."""
    seniors: Any
    """The answer of most seniors; None if they gave none or disagree."""
    right: bool | None
    """Whether the answer is right; None if no right answer is known."""
    comments: Sequence[tuple[str, str]] = ()
    """Author and text of each comment."""
    graded: str | None = None
    """The graded model answer, in grading."""


@dataclass(frozen=True)
class Try:
    """One try to qualify, or an exemption."""

    id: str
    person: str
    name: str
    number: int
    stage: Stage
    state: Standing
    n_items: int
    n_answered: int
    n_right: int
    pass_mark: float
    set_number: int | None
    reviews: Sequence[tuple[str, bool]]
    """Login of each reviewer, with True for a signature and False for a return."""
    exempt: str | None = None
    """The lead's reason for an exemption."""
    results: Sequence[ItemResult] = ()
    wait: str = ""
    """Why the person cannot start the next try yet; empty if they can or need no further try."""
    lets_in: bool = False
    """For a person's own last try: whether it passed a set that still counts, so that no other try can start."""
    superseded: bool = False
    """Whether passing this try's set no longer qualifies anyone, while another set does."""


def as_csv(found: Sequence[Try]) -> str:
    """Return the tries as CSV text."""
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    writer.writerow(
        ["person", "name", "try", "set", "state", "items", "answered", "right", "pass_mark", "signed", "exempt"]
    )
    for attempt in found:
        signed = " ".join(login for login, signs in attempt.reviews if signs)
        writer.writerow(
            [attempt.person, attempt.name, attempt.number, attempt.set_number or "", attempt.state.value,
             attempt.n_items, attempt.n_answered, attempt.n_right, attempt.pass_mark, signed, attempt.exempt or ""]
        )  # fmt: skip
    return out.getvalue()


def view_of(
    session: Session,
    access: Access,
    asked: Qualification,
    row: StoredQualification,
    person: Person | None,
    *,
    results: bool = False,
) -> Try:
    """Return a try as people see it, with its item results if ``results`` is true."""
    whose = people.by_id(session, id=row.person_id)
    login, name = (whose.login, whose.name) if whose else ("", "")
    if row.set_id is None:
        return Try(
            row.public_id, login, name, row.number, Stage(row.stage), Standing.PASSED, 0, 0, 0, asked.pass_mark,
            None, (), row.why,
        )  # fmt: skip
    of = qualifications.set_by_id(session, id=row.set_id)
    given = qualifications.answers(session, qualification_id=row.id)
    reviews = qualifications.reviews(session, qualification_id=row.id)
    results_of_items = item_results(session, access, asked, of, given, references_of(session, access, of, row))
    n_right = sum(result.right is True for result in results_of_items)
    state = standing(
        n_items=len(of.item_ids),
        n_answered=len(given),
        n_right=n_right,
        pass_mark=asked.pass_mark,
        reviewers=asked.reviewers,
        reviews=[Review(reviewer.login, note.signs, note.created_at) for note, reviewer in reviews],
    )
    newest = {reviewer.login: note.signs for note, reviewer in reviews}
    counting = counting_sets(session, access, Stage(row.stage))
    called = distinct_names({reviewer.login: reviewer.name for _, reviewer in reviews})
    comments: dict[str, list[tuple[str, str]]] = {}
    for note, reviewer in reviews:
        for item, text in note.comments.items():
            comments.setdefault(item, []).append((called[reviewer.login], text))
    return Try(
        row.public_id,
        login,
        name,
        row.number,
        Stage(row.stage),
        state,
        len(of.item_ids),
        len(given),
        n_right,
        asked.pass_mark,
        of.number,
        tuple(newest.items()),
        None,
        tuple(replace(result, comments=tuple(comments.get(result.item, ()))) for result in results_of_items)
        if results
        else (),
        superseded=bool(counting) and of.id not in {attempt.id for attempt in counting},
    )


def item_results(
    session: Session,
    access: Access,
    asked: Qualification,
    of: StoredQualificationSet,
    given: Mapping[int, StoredAnnotation],
    reference: Sequence[StoredAnnotation],
) -> list[ItemResult]:
    """Return the results of a set's items."""
    by_thing: dict[int, list[StoredAnnotation]] = {}
    for row in reference:
        by_thing.setdefault(row.prediction_id or row.item_id, []).append(row)
    things = entries_of(session, of)
    contents = item_revisions.contents(session, ids=[thing.item.id for thing in things])
    results = []
    for at, thing in enumerate(things, start=1):
        mine = given.get(thing.id)
        content = contents[thing.item.id, mine.revision if mine else thing.item.current_revision]
        results.append(_result(access, asked, of.stage, thing, content, mine, by_thing.get(thing.id, []), at))
    return results


def _result(
    access: Access,
    asked: Qualification,
    stage: str,
    thing: SetEntry,
    content: Mapping[str, Any],
    given: StoredAnnotation | None,
    reference: Sequence[StoredAnnotation],
    at: int,
) -> ItemResult:
    item = thing.item
    verification = access.schema.stages.verifications.get(stage)
    keep = verification.keep if verification and thing.prediction is None else None
    deciding = targets(keep) if keep else [Target(name) for name in _graded(access, item.dimension)]
    keyed = [criterion.of(content) for criterion in deciding if criterion.key]
    keys = [criterion.value for criterion in keyed if criterion.value is not None]
    seniors = _most(
        [tuple(row.answers.get(criterion.criterion) for criterion in deciding) for row in reference], deciding
    )
    by_key = by_seniors = None
    if keyed and len(keys) == len(keyed):
        by_key = given is not None and all(
            criterion.met_by(given.answers.get(criterion.criterion)) for criterion in keyed
        )
    if seniors is not None:
        by_seniors = given is not None and all(
            same(answer, wanted) or criterion.of(content).alike(answer, wanted)
            for criterion, wanted in zip(deciding, seniors, strict=True)
            for answer in [given.answers.get(criterion.criterion)]
        )
    wanted = {"key": by_key, "seniors": by_seniors}.get(asked.against or "")
    if asked.against == "both":
        wanted = None if by_key is None or by_seniors is None else by_key and by_seniors
    elif asked.against is None:
        wanted = by_seniors if by_key is None else by_key
    shown = {
        field.name: content[field.name]
        for field in access.schema.item.fields
        if field.name in content and field.authored
    }
    return ItemResult(
        item.external_id if thing.prediction is None else f"{at}: {item.external_id}",  # models have no names here
        item.dimension,
        shown,
        dict(given.answers) if given else {},
        dict(given.reasons) if given else {},
        _one_or_all(keys if by_key is not None else ()),
        _one_or_all(seniors or ()),
        wanted,
        graded=thing.prediction.text if thing.prediction else None,
    )


def _one_or_all(values: Sequence[Any]) -> Any:
    return list(values) if len(values) > 1 else values[0] if values else None


def references_of(
    session: Session,
    access: Access,
    of: StoredQualificationSet,
    row: StoredQualification,
    *,
    until: datetime | None = None,
) -> list[StoredAnnotation]:
    """Return the answers of seniors and leads to the items of a set, without this person's own."""
    stored_annotations: list[StoredAnnotation] = []
    for other, person in qualifications.tries(session, project_id=access.project_id, stage=Stage(row.stage)):
        if other.set_id != of.id or person.id == row.person_id:
            continue
        role = role_of(session, access, person)
        if role is not None and at_least(role, Role.SENIOR):
            stored_annotations += qualifications.answers(session, qualification_id=other.id, until=until).values()
    return stored_annotations


def _most(values: Sequence[tuple[Any, ...]], deciding: Sequence[Target]) -> tuple[Any, ...] | None:
    """Return the answer of more than half of the seniors; None without such a majority.

    Answers that are compared by overlap are hardly ever equal. For them, the answer that overlaps with most others is
    the majority answer.
    """

    def alike(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
        pairs = zip(deciding, one, other, strict=True)
        return all(
            criterion.alike(a, b) if isinstance(criterion.tolerance, Overlap | AnyOrder) else repr(a) == repr(b)
            for criterion, a, b in pairs
        )

    counts = [sum(alike(one, other) for other in values) for one in values]
    most = max(counts, default=0)
    return values[counts.index(most)] if 2 * most > len(values) else None


def _graded(access: Access, dimension: str) -> list[str]:
    """Return the criteria by which grades are compared: required criteria with comparable values."""
    return [
        criterion.name
        for criterion in registry.criteria_of(access.schema, Stage.GRADING.value, dimension)
        if kinds.of_criterion(criterion).compared and criterion.required
    ]
