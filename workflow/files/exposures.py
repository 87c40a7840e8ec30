"""Exposures: content that people had been sent before they voted, and that the schema withholds from them.

``workflow.access.exposure`` records what is sent. The schema in force decides what must be withheld in a stage, so the
check also finds a field that was made secret later.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime

from annotation_schemas.keys import key_fields
from annotation_schemas.model import Schema
from db import exposure
from db.engine import Session, Store
from db.records import StoredAnnotation, StoredExposure, StoredExposureShape
from domain import csv_text
from domain.exposure import FORMS, Disclosure, Fact, Route
from domain.records import Person
from domain.states import BLIND, VERIFICATIONS, Stage
from workflow.access.projects import Access, require_lead
from workflow.results.file_raters import people_names

_OF_ANSWERS = (Stage.GRADING, Stage.COMPARISON, Stage.CODING, Stage.ARBITRATION)
"""The stages in which people must not know the model of an answer, or a judge's score for it."""

JUDGED = (*VERIFICATIONS, Stage.ADJUDICATION, Stage.ANSWERING, *_OF_ANSWERS)
"""The stages in which something is kept from people."""


@dataclass(frozen=True)
class Fault:
    """Withheld content that a person had been sent before they voted."""

    stage: str
    item: str
    """The id in files."""
    person: str
    """A pseudonym, as in exports."""
    vote: str
    """The public id of the submission."""
    voted_at: datetime
    what: str
    """Such as ``field answer`` or ``author``."""
    sent_at: datetime
    """The moment when the content was first sent."""
    route: Route
    sha256: str
    bytes: int
    counts: bool
    """The submission counts. False if the person has corrected it since."""
    item_id: int
    person_id: int
    sent_id: int
    """The row of the exposure ledger."""

    def __str__(self) -> str:
        return (
            f"{self.person} had received {in_words(self.what)} of item {self.item} ({self.route.value}, "
            f"{self.sent_at:%Y-%m-%d %H:%M:%S} UTC) before their answer in {self.stage.replace('_', ' ')} ("
            f"{self.voted_at:%Y-%m-%d %H:%M:%S} UTC)."
        )


def in_words(what: str) -> str:
    """Return a sent thing in words."""
    return _WORDS.get(what, what)


_WORDS = {
    Fact.KEY.value: "the key",
    Fact.AUTHOR.value: "the name of the author",
    Fact.MODEL.value: "the name of the model",
    Fact.JUDGE.value: "a judge's rating",
    Fact.VERDICT.value: "the verdict",
    Fact.VOTES.value: "another person's answer",
}

COLUMNS = tuple(field.name for field in fields(Fault) if not field.name.endswith("_id"))


@dataclass(frozen=True)
class StageCount:
    """The votes of a stage, with the number of complete exposure records and of faults."""

    stage: Stage
    votes: int
    complete: int
    """The task itself is noted: that it was sent to this person before."""
    faulty: int

    @property
    def without(self) -> int:
        """Given before anything was noted, or by other ways than our pages: it is not known, which is no fault."""
        return self.votes - self.complete


@dataclass(frozen=True)
class ExposureReport:
    """The exposures of a project."""

    since: datetime | None
    """The moment of the first record."""
    stages: Sequence[StageCount]
    from_files: int
    """The number of imported ratings, whose raters' knowledge is unknown here."""
    faults: Sequence[Fault]


def report(store: Store, *, by: Person | None, project: str) -> ExposureReport:
    """Return the exposures of a project, for leads. ``by`` None is a command on the machine itself."""
    with store.read() as session:
        return report_of(session, access=require_lead(session, by=by, project=project))


def report_of(session: Session, *, access: Access) -> ExposureReport:
    """Return the same as ``report``, in the caller's session."""
    all_faults = list(faults(session, access=access))
    faulty = Counter(stage for stage, _ in {(fault.stage, fault.vote) for fault in all_faults})
    known = exposure.counts(session, project_id=access.project_id)
    return ExposureReport(
        since=exposure.since(session, project_id=access.project_id),
        stages=[StageCount(stage, *known[stage], faulty=faulty[stage.value]) for stage in JUDGED if stage in known],
        from_files=exposure.n_from_files(session, project_id=access.project_id),
        faults=all_faults,
    )


def faults(
    session: Session,
    *,
    access: Access,
    item_ids: Collection[int] | None = None,
    stages: Collection[Stage] = JUDGED,
) -> Iterator[Fault]:
    """Yield content that people had been sent before a submission that counts, and that the schema withholds from them.

    Each thing is listed once for each vote, at the moment when it was first sent, sorted by stage, item and vote.
    ``item_ids`` None includes all items. The function makes one query for each stage, and one for each possible fault.
    """
    known = {row.id: _told_now(access, row) for row in exposure.shapes(session, project_id=access.project_id)}
    names: Mapping[int, str] | None = None
    for stage in JUDGED:
        kept = {
            id: withheld
            for id, disclosure in known.items()
            if (withheld := _kept_from(access.schema, stage, disclosure))
        }
        if stage not in stages or not kept:
            continue
        seen: set[tuple[int, str]] = set()
        rows = list(
            exposure.before_votes(session, project_id=access.project_id, stage=stage, shape_ids=kept, item_ids=item_ids)
        )
        gone = exposure.superseded(session, ids={vote.id for _, vote, _ in rows})
        for sent, vote, item in rows:
            for what in kept[sent.shape_id]:
                if (vote.id, what) in seen or not _holds(session, what, known[sent.shape_id], sent, vote):
                    continue
                seen.add((vote.id, what))
                names = names if names is not None else people_names(session, project_id=access.project_id)
                yield _fault(sent, vote, item, what, names.get(vote.person_id, ""), counts=vote.id not in gone)


def _fault(sent: StoredExposure, vote: StoredAnnotation, item: str, what: str, person: str, *, counts: bool) -> Fault:
    return Fault(
        stage=vote.stage.value,
        item=item,
        person=person,
        vote=vote.public_id,
        voted_at=vote.created_at,
        what=what,
        sent_at=sent.at,
        route=sent.route,
        sha256=sent.sha256,
        bytes=sent.bytes,
        counts=counts,
        item_id=vote.item_id,
        person_id=vote.person_id,
        sent_id=sent.id,
    )


def _told_now(access: Access, row: StoredExposureShape) -> Disclosure:
    """Return the sent content, with the present names of fields."""
    disclosure = Disclosure.from_json(row.told)
    names = list(disclosure.fields)
    for step in access.reading.steps.get(row.schema_version_id, ()):
        names = [step.fields.get(name, name) for name in names]
    return Disclosure(tuple(names), disclosure.facts, disclosure.said, disclosure.other)


def _kept_from(schema: Schema, stage: Stage, told: Disclosure) -> list[str]:
    """Return the sent things that a stage's people must not know, if they concern what these people answer."""
    secret = secret_fields(schema, stage)
    withheld = [f"field {name}" for name in sorted(secret & set(told.fields))]
    if Fact.KEY in told.facts and secret & key_fields(schema):
        withheld.append(Fact.KEY.value)
    if stage in BLIND:
        withheld += [fact.value for fact in (Fact.AUTHOR, Fact.VERDICT) if fact in told.facts]
        withheld += [f"part {path}" for path in told.other]
    if stage in BLIND - {Stage.ARBITRATION} and Fact.VOTES in told.facts and _said(stage, told):
        withheld.append(Fact.VOTES.value)
    if stage in _OF_ANSWERS:
        withheld += [fact.value for fact in (Fact.MODEL, Fact.JUDGE) if fact in told.facts]
    return withheld


def secret_fields(schema: Schema, stage: Stage) -> set[str]:
    """Return the fields of an item that the schema withholds from people in a stage."""
    as_ = Stage.CODING if stage is Stage.ARBITRATION else stage  # its reader sees what the coders saw
    secret = {field.name for field in schema.item.fields if as_.value in field.secret_in}
    return secret | key_fields(schema) if stage is Stage.ANSWERING else secret


def _said(stage: Stage, told: Disclosure) -> set[Stage]:
    """Return the stages of the same kind whose votes the sent content showed."""
    alike = set(VERIFICATIONS) if stage in VERIFICATIONS else {stage}
    return alike & set(told.said) if told.said else alike


def _holds(session: Session, what: str, told: Disclosure, sent: StoredExposure, vote: StoredAnnotation) -> bool:
    """Return whether the sent content concerned the subject of this vote."""
    own = sent.task_id == vote.task_id
    if what == Fact.VERDICT.value or what.startswith("part "):
        return own
    if what == Fact.VOTES.value:
        return exposure.others_had_said(session, vote=vote, stages=_said(vote.stage, told), before=sent.at)
    if what not in (Fact.MODEL.value, Fact.JUDGE.value) or own:
        return True
    if sent.route in FORMS:
        return False
    if vote.prediction_id is None:
        return True
    there = exposure.was_judged if what == Fact.JUDGE.value else exposure.was_answered
    return there(session, prediction_id=vote.prediction_id, before=sent.at)


def as_csv(found: Sequence[Fault]) -> str:
    """Return faults as a CSV table."""
    out = io.StringIO(newline="")
    writer = csv_text.DictWriter(out, COLUMNS)
    writer.writeheader()
    for fault in found:
        row = asdict(fault)
        cells = {name: row[name] for name in COLUMNS}
        cells |= {"voted_at": fault.voted_at.isoformat(), "sent_at": fault.sent_at.isoformat()}
        cells |= {"route": fault.route.value, "counts": "yes" if fault.counts else "no"}
        writer.writedict(cells)
    return out.getvalue()


def remarks(session: Session, access: Access) -> Iterator[str]:
    """Yield a sentence for each fault of a counting submission, for ``touchstone check``."""
    for fault in faults(session, access=access):
        if fault.counts:
            yield f"{access.name}: {fault}"
