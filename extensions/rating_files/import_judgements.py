"""Imports of judges' replies. Replies are stored unchanged, read by our parsers, and counted like those of our runs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agreement.losses import Losses
from annotation_schemas.formats import FORMATS
from db import files, judging, run_attempts, run_chunks, runs
from db.engine import Session, Store
from db.records import StoredRun
from domain.comparison import same as same_value
from domain.errors import InvalidFileError
from domain.judging import JudgePlan, ReplyOutcome, ReplyReading
from domain.rated_units import unit_of
from domain.records import BadRow, Person
from domain.run_kinds import RunKind
from domain.runs import Attempt, Outcome, RunState
from extensions.rating_files.judgements import NO_REPLY, JudgementRecord, ReadJudgements
from extensions.rating_files.reply_losses import ImportedReply, losses_of_replies
from importers.items import refusal
from importers.readers import reader_of
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.runs import identities
from workflow.runs.judge_readings import reading_of, rows_of


@dataclass(frozen=True)
class ImportedJudgements:
    """The result of an import."""

    replies: int = 0
    repeated: int = 0
    """The number of replies that were already stored, word for word."""
    judges: Sequence[str] = ()
    """The rater names of the judges."""
    bad: Sequence[BadRow] = ()
    """Left out, because bad rows were to be skipped."""
    same: int = 0
    """New replies in which our parser reads the score that the file gives."""
    differ: Sequence[str] = ()
    """The replies for which our parser reads another value than the file states, one sentence each."""
    notes: Sequence[str] = ()
    """Ignored keys and columns of the files, in sentences."""
    warnings: Sequence[str] = ()
    """The ignored keys that may matter."""
    losses: Sequence[Losses] = ()
    """New replies that our parser could not read, for each judge."""


@dataclass(frozen=True)
class _Reply:
    record: JudgementRecord
    item_id: int
    prediction_id: int | None
    item: str
    dimension: str

    def read_as(self, verdict: ReplyOutcome, values: Sequence[Any]) -> ImportedReply:
        """Return the reply with its reading."""
        record = self.record
        unit = unit_of(self.item, record.model)
        return ImportedReply(record.judge, record.model, self.dimension, unit, record.text, verdict, values)


def import_judgements(
    store: Store,
    *,
    by: Person | None,
    project: str,
    path: Path,
    plan: JudgePlan,
    skip_bad: bool = False,
    format: str = "judgements",
) -> ImportedJudgements:
    """Import a file of replies, or all files below a folder, into a project. Each judge gets a finished run.

    Replies that are already stored, word for word and read by the same plan, are counted and skipped. ``by`` None is a
    command on the machine itself.

    Raises
    ------
    InvalidFileError
        A row is invalid, and nothing was imported. With ``skip_bad``, invalid rows are left out instead.
    """
    with store.read() as session:
        schema = require_lead(session, by=by, project=project).schema
    read: ReadJudgements = reader_of(FORMATS[format])(path, schema)
    bad = list(read.bad)
    same = 0
    differ: list[str] = []
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        placed = list(_placed(session, access, read.rows, bad))
        if bad and not skip_bad:
            raise refusal(bad)
        by_judge: dict[str, list[_Reply]] = {}
        for reply in placed:
            by_judge.setdefault(reply.record.judge, []).append(reply)
        new, repeated, names = 0, 0, []
        came: list[ImportedReply] = []
        for judge, replies in by_judge.items():
            row, known = _run(session, store, access, by=by, judge=judge, plan=plan, path=path)
            fresh = [reply for reply in replies if _key(reply) not in known]
            changed = [reply for reply in replies if known.get(_key(reply), reply.record.text) != reply.record.text]
            if changed:
                raise InvalidFileError(
                    f"An earlier import has a different reply from {judge} about {changed[0].record.item}. Nothing "
                    "was imported. Give this judge another name."
                )
            came += _keep(session, store, row, plan, fresh)
            for reply in fresh:
                if reply.record.has_score:
                    difference = _otherwise(plan, reply)
                    same, differ = same + (difference is None), [*differ, *([difference] if difference else [])]
            new, repeated = new + len(fresh), repeated + len(replies) - len(fresh)
            names.append(row.name)
        if new:
            data = {"replies": new, "judges": names, "file": path.name}
            log(session, "judgements.imported", by=by, project=access, now=store.now(), data=data)
        losses = _losses(session, access, plan, came)
    of_file = (read.notes, read.warnings, losses)
    return ImportedJudgements(new, repeated, tuple(names), tuple(bad), same, tuple(differ), *of_file)


def _losses(session: Session, access: Access, plan: JudgePlan, came: Sequence[ImportedReply]) -> tuple[Losses, ...]:
    return losses_of_replies(session, access, came, criteria=list(plan.criteria.values()), values=plan.values)


@dataclass(frozen=True)
class LookedReplies:
    """A preview of an import of judges' replies. Nothing is stored."""

    new: Sequence[_Reply]
    repeated: int
    contradict: Sequence[BadRow]
    """Replies that contradict a stored reply of the judge. The import is refused, even if bad rows are skipped."""
    bad: Sequence[BadRow]
    differ: Sequence[str]
    """The replies for which our parser reads another value than the file states, one sentence each."""
    refused: str | None
    notes: Sequence[str] = ()
    """Ignored keys and columns of the files, in sentences."""
    warnings: Sequence[str] = ()
    """The ignored keys that may matter."""
    losses: Sequence[Losses] = ()
    """New replies that our parser would not read, for each judge."""

    def told(self, plan: JudgePlan, n: int) -> list[tuple[str, ...]]:
        """Return the first replies as rows: judge, item, model, text, and the values read."""
        return [
            (
                reply.record.judge,
                reply.record.item,
                reply.record.model or "",
                reply.record.text,
                ", ".join(f"{name} {value}" for name, value in read.values.items()) if read.scored else read.why,
            )
            for reply in self.new[:n]
            for read in [_read(plan, reply)]
        ]


def look_at_judgements(
    store: Store, *, by: Person | None, project: str, path: Path, plan: JudgePlan, format: str = "judgements"
) -> LookedReplies:
    """Preview ``import_judgements`` by the import's own rules. Raises ``InvalidFileError`` for an unreadable file."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        read: ReadJudgements = reader_of(FORMATS[format])(path, access.schema)
        bad, contradict, new, refused = list(read.bad), list[BadRow](), list[_Reply](), None
        known: dict[str, dict[tuple[int, int | None, bool, int], str]] = {}
        places = {id(record): here for record, here in read.rows}
        placed = _placed(session, access, read.rows, bad)
        for reply in placed:
            judge = reply.record.judge
            if judge not in known:
                try:
                    row = _there(session, access, judge=judge, plan=plan)
                except InvalidFileError as error:
                    refused, row = refused or str(error), None
                known[judge] = judging.texts(session, run_id=row.id) if row is not None else {}
            before = known[judge].get(_key(reply))
            if before is None:
                new.append(reply)
            elif before != reply.record.text:
                reason = f"an earlier import has a different reply from {judge} about {reply.record.item}"
                contradict.append(replace(places[id(reply.record)], reason=reason))
    if contradict:
        refused = refused or f"{contradict[0].reason}. Give this judge another name."
    differ = [difference for reply in new if reply.record.has_score and (difference := _otherwise(plan, reply))]
    repeated = len(placed) - len(new) - len(contradict)
    came = [_read_as(plan, reply) for reply in new]
    with store.read() as session:
        losses = _losses(session, access, plan, came)
    return LookedReplies(new, repeated, contradict, bad, differ, refused, read.notes, read.warnings, losses)


def _read(plan: JudgePlan, reply: _Reply) -> ReplyReading:
    attempt = _attempt(0, reply)
    return reading_of(
        plan, outcome=attempt.outcome, text=attempt.text, finish_reason=attempt.finish_reason, error=attempt.error
    )


def _read_as(plan: JudgePlan, reply: _Reply) -> ImportedReply:
    read = _read(plan, reply)
    return reply.read_as(read.verdict, [read.values.get(part) for part in plan.criteria])


def _otherwise(plan: JudgePlan, reply: _Reply) -> str | None:
    """Return a sentence if our parser and the file have different values for a reply; None for equal values."""
    reading = _read(plan, reply)
    ours = next(iter(reading.values.values()), None) if reading.scored else None
    theirs = reply.record.score
    if (ours is None and theirs is None) or (ours is not None and theirs is not None and same_value(ours, theirs)):
        return None
    words = f"reads {ours}" if ours is not None else f"finds no score ({reading.verdict.label})"
    about = f"{reply.record.item}" + (f" in {reply.record.dimension}" if reply.record.dimension else "")
    given = "none" if theirs is None else f"{theirs:g}"
    whose = reply.record.model or "the item"
    return f"{reply.record.judge} on {about}, {whose}: the file has the score {given}, but the parser {words}."


def _attempt(unit_id: int, reply: _Reply) -> Attempt:
    text = reply.record.text
    if text.strip() == NO_REPLY:
        return Attempt(
            unit_id,
            Outcome.TRANSPORT_ERROR,
            error=f"The file contains {NO_REPLY} instead of a reply, so the judge sent no reply.",
        )
    outcome = Outcome.ANSWERED if text.strip() else Outcome.EMPTY
    return Attempt(unit_id, outcome, text=text, finish_reason=reply.record.finish_reason)


def _placed(
    session: Session, access: Access, rows: Sequence[tuple[JudgementRecord, BadRow]], bad: list[BadRow]
) -> list[_Reply]:
    """Return the replies with their items and answers. Replies without one, and duplicates, are appended to ``bad``."""
    there = files.item_ids(session, project_id=access.project_id)
    by_name = {name: id for id, name, _ in there}
    of_item = {id: (name, dimension) for id, name, dimension in there}
    answers = {(row.item_id, row.model): row.id for row in files.predictions(session, project_id=access.project_id)}
    replies: list[_Reply] = []
    seen: set[tuple[Any, ...]] = set()
    folders = {dimension.id: dimension.folder or dimension.id for dimension in access.schema.dimensions}
    for record, here in rows:
        item_id = by_name.get(record.item)
        if record.dimension is not None and record.item.isdecimal():
            item_id = by_name.get(f"{folders[record.dimension]}/{int(record.item)}", item_id)
        if item_id is None and record.item.isdecimal() and record.dimension is None and len(folders) > 1:
            reason = (
                f"the dimension of position {record.item} is unknown; move the file into a folder named "
                "after the dimension"
            )
            bad.append(replace(here, reason=reason))
            continue
        if item_id is None:
            bad.append(replace(here, reason=f"there is no item {record.item!r} in this project"))
            continue
        prediction_id = answers.get((item_id, record.model)) if record.model is not None else None
        if record.model is not None and prediction_id is None:
            bad.append(replace(here, reason=f"{record.model} has no answer to {record.item} in this project"))
            continue
        reply = _Reply(record, item_id, prediction_id, *of_item[item_id])
        key = (record.judge, *_key(reply))
        if key in seen:
            bad.append(
                replace(
                    here,
                    reason=f"an earlier row of this file already has a reply from {record.judge} about this answer",
                )
            )
            continue
        seen.add(key)
        replies.append(reply)
    return replies


def _key(reply: _Reply) -> tuple[int, int | None, bool, int]:
    return reply.item_id, reply.prediction_id, reply.record.swapped, reply.record.sample


def _run(
    session: Session, store: Store, access: Access, *, by: Person | None, judge: str, plan: JudgePlan, path: Path
) -> tuple[StoredRun, dict[tuple[int, int | None, bool, int], str]]:
    """Return the run that holds a judge's replies read by this plan, and the texts of its replies."""
    there = _there(session, access, judge=judge, plan=plan)
    if there is not None:
        return there, judging.texts(session, run_id=there.id)
    now = store.now()
    row = runs.add(
        session,
        project_id=access.project_id,
        kind=RunKind.JUDGE,
        name=judge,
        params={
            "plan": plan.dump(),
            "file": path.name,
            "sha256": _hash(path),
            "schema": {"version": access.schema.version},
        },
        state=RunState.DONE,
        spec_hash=hashlib.sha256(plan.template_hash.encode()).hexdigest(),
        by_id=by.id if by else None,
        now=now,
    )
    return row, {}


def _there(session: Session, access: Access, *, judge: str, plan: JudgePlan) -> StoredRun | None:
    """Return a judge's stored run with this plan. Raises ``InvalidFileError`` if another run has the name."""
    parts = identities.parts_of(None, plan)
    for row in runs.of_project(session, project_id=access.project_id, kind=RunKind.JUDGE):
        if row.name == judge and row.withdrawn_at is not None:
            raise InvalidFileError(
                f"The run of {judge} was withdrawn ({row.withdrawn_why}), so imported replies would not count. "
                f"Nothing was imported. Undo the withdrawal (`touchstone run withdraw {row.public_id} --back`), or "
                "give this judge another name."
            )
        if row.name == judge and "file" in row.params and identities.parts_of_run(row) == parts:
            return row
        if row.name == judge:
            raise InvalidFileError(
                f"This project already has a judge {judge} with another prompt or parser. Nothing was imported. Give "
                "this judge another name."
            )
    return None


def _keep(
    session: Session, store: Store, row: StoredRun, plan: JudgePlan, replies: Sequence[_Reply]
) -> list[ImportedReply]:
    """Store replies and their readings, and return both."""
    if not replies:
        return []
    now, run_id = store.now(), row.id
    worker_id = run_chunks.add_worker(
        session, run_id=run_id, name="file", about={"file": row.params.get("file")}, now=now
    )
    ids = judging.add_units(
        session,
        rows=[
            {
                "run_id": run_id,
                "item_id": reply.item_id,
                "prediction_id": reply.prediction_id,
                "other_id": None,
                "swapped": reply.record.swapped,
                "attack": None,
                "sample": reply.record.sample,
            }
            for reply in replies
        ],
    )
    attempts = [_attempt(id, reply) for id, reply in zip(ids, replies, strict=True)]
    written = run_attempts.add_attempts(
        session,
        run_id=run_id,
        worker_id=worker_id,
        attempts=attempts,
        item_ids={id: reply.item_id for id, reply in zip(ids, replies, strict=True)},
        now=now,
    )
    rows = [
        reading
        for attempt_id, attempt in written
        for reading in rows_of(plan, attempt, attempt_id=attempt_id, run_id=run_id, now=now)
    ]
    judging.add(session, rows=rows)
    runs.extend_by(session, row=row, units=len(replies), now=now)
    verdicts: dict[int, ReplyOutcome] = {}
    values: dict[int, list[Any]] = {}
    for reading_row in rows:
        verdict = ReplyOutcome(reading_row["verdict"])
        if verdicts.get(reading_row["unit_id"], ReplyOutcome.SCORED).scored:
            verdicts[reading_row["unit_id"]] = verdict
        values.setdefault(reading_row["unit_id"], []).append(reading_row["value"])
    return [reply.read_as(verdicts[id], values[id]) for id, reply in zip(ids, replies, strict=True) if id in verdicts]


def _hash(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
