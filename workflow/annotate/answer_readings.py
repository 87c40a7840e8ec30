"""Read models' answers once, when they are stored: find the option, number or text that each states.

The readings are kept. An answer is read against the options that its item had when the model answered. After a
later edit, a letter still means the option that the model was shown; its text is compared with the current key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation_schemas.expected_answers import asked_of
from annotation_schemas.keys import key_field
from annotation_schemas.model import Schema
from db import answers as stored
from db import projects, readings
from db.engine import Session, Store
from db.readings import AttemptEnd, UnreadAnswer
from db.records import StoredRun
from db.run_attempts import storable
from db.types import public_id
from domain.reading.answers import READER_VERSION, ExpectedAnswer, Reading, ReadOutcome, read_answer
from domain.records import RULES, AnswerReading, Person
from domain.runs import ANSWERS, Attempt
from workflow.access.counted_items import Counting
from workflow.access.event_log import log
from workflow.access.projects import Access, access_to, require_lead
from workflow.annotate.reading_rows import Ahead, as_shown, asked_hash, finish_reason_of, read_one, row_of, state_at

_AT_ONCE = 500
"""Number of answers read in one transaction."""

_MOST_OF_AN_ITEM = 100_000


READ_EVENT = "answers.read"

Progress = Callable[[str, int, int], None]


def fill(session: Session, *, access: Access, item_id: int, now: datetime) -> None:
    """Read, in this transaction, the answers to an item that have not been read."""
    unread = readings.unread(
        session, project_id=access.project_id, version=READER_VERSION, item_id=item_id, limit=_MOST_OF_AN_ITEM
    )
    _keep(session, access.schema, unread, now)


def refresh(session: Session, *, access: Access, item_id: int, now: datetime) -> None:
    """Read again, in this transaction, the answers to an item for which the protocol now asks something different.

    Earlier readings are kept.
    """
    unread = readings.unread(
        session,
        project_id=access.project_id,
        version=READER_VERSION,
        item_id=item_id,
        everything=True,
        limit=_MOST_OF_AN_ITEM,
    )
    if not unread:
        return
    states = readings.revisions(session, item_ids=[item_id])[item_id]
    known = readings.known_questions(
        session, ids=[answer.id for answer in unread], reader=RULES, version=READER_VERSION
    )
    other = []
    for answer in unread:
        asked = asked_of(access.schema, state_at(states, answer.created_at)[1])
        if (answer.id, asked_hash(asked)) not in known:
            other.append(answer)
    _keep(session, access.schema, other, now)


@dataclass(frozen=True)
class NewAnswer:
    """An answer to store."""

    item_id: int
    run_id: int
    model: str
    text: str


def ahead(store: Store, *, project_id: int, wanted: Sequence[tuple[int, str, AttemptEnd | None]]) -> Ahead:
    """Read answers (item, text, how each ended) before they are stored, outside the transaction.

    A long text takes a while to read, and other writers should not wait for the database during that time. If an
    edit changes the question in between, the answer is read again when it is stored.
    """
    by_place: dict[tuple[str, ExpectedAnswer, str | None], Reading] = {}
    for place in _places(store, project_id, wanted):
        if place not in by_place:
            by_place[place] = read_answer(place[0], place[1], finish_reason=place[2])
    return by_place  # positions follow the order shown; ``read_one`` turns them into the item's own


def readings_ahead(
    store: Store, *, project_id: int, wanted: Sequence[tuple[int, str, AttemptEnd | None]]
) -> list[Reading]:
    """Return one reading for each answer in ``wanted``, in the same order; see ``ahead``."""
    by_place = ahead(store, project_id=project_id, wanted=wanted)
    return [by_place[place] for place in _places(store, project_id, wanted)]


def _places(
    store: Store, project_id: int, wanted: Sequence[tuple[int, str, AttemptEnd | None]]
) -> list[tuple[str, ExpectedAnswer, str | None]]:
    """Return the key under which ``Ahead`` keeps each answer."""
    with store.read() as session:
        name = projects.by_id(session, id=project_id).name
        schema = access_to(session, person=None, project=name).schema
        states = readings.revisions(session, item_ids=[item_id for item_id, _, _ in wanted])
    return [
        (
            text,
            as_shown(asked_of(schema, states[item_id][-1][2] if item_id in states else {}), ended),
            finish_reason_of(ended),
        )
        for item_id, text, ended in wanted
    ]


def keep(
    session: Session, *, project_id: int, answers: Sequence[NewAnswer], now: datetime, known: Ahead | None = None
) -> list[int]:
    """Store models' answers, read them in the same transaction, and return their ids in the same order.

    All answers enter a project through this function. An existing answer (same item, same run) is not changed. Store
    the attempts first: reading takes into account whether an answer was cut off.
    """
    stored = readings.add_answers(
        session,
        rows=[
            {
                "public_id": public_id(),
                "project_id": project_id,
                "item_id": answer.item_id,
                "run_id": answer.run_id,
                "model": answer.model,
                "text": answer.text,
                "created_at": now,
            }
            for answer in answers
        ],
    )
    ids = [stored[answer.run_id, answer.item_id, answer.model] for answer in answers]
    if ids:
        name = projects.by_id(session, id=project_id).name
        schema = access_to(session, person=None, project=name).schema
        _keep(session, schema, readings.unread_of(session, ids=ids, version=READER_VERSION), now, known)
    return ids


def as_stored(text: str) -> str:
    """Return the text to store, without surrounding white space."""
    return storable(text).strip()


def ahead_of(store: Store, *, run: StoredRun, attempts: Iterable[Attempt]) -> Ahead:
    """Read the answers that a run is about to store; see ``ahead``."""
    wanted = [
        (attempt.unit_id, as_stored(attempt.text), AttemptEnd(attempt.finish_reason, attempt.outcome))
        for attempt in attempts
        if attempt.final and attempt.outcome in ANSWERS
    ]
    return ahead(store, project_id=run.project_id, wanted=wanted) if wanted else {}


def keep_attempts(
    session: Session, *, run: StoredRun, attempts: Iterable[Attempt], now: datetime, known: Ahead | None = None
) -> None:
    """Store and read the answers of those attempts of a run that ended with an answer; see ``keep``.

    The attempts must be stored already. Surrounding white space is removed because some models decode a space
    before their first word. The attempt keeps the original text.
    """
    answers = [
        NewAnswer(attempt.unit_id, run.id, run.name, as_stored(attempt.text))
        for attempt in attempts
        if attempt.final and attempt.outcome in ANSWERS
    ]
    keep(session, project_id=run.project_id, answers=answers, now=now, known=known)


def fill_up(store: Store, *, project: str) -> int:
    """Read the unread answers of a project in batches and return how many there were.

    You can stop this function at any point or run it several times at once: finished readings stay, and nothing is
    stored twice.
    """
    with store.read() as session:
        access = access_to(session, person=None, project=project)
        if not readings.any_unread(session, project_id=access.project_id, version=READER_VERSION):
            return 0
    return _in_lots(store, access, everything=False)


def read_again(store: Store, *, by: Person | None, project: str, progress: Progress | None = None) -> tuple[int, int]:
    """Read all answers of a project again and return the number of answers and the number of new readings.

    A reading is new if the rules have a newer version or if the protocol now asks something different. Earlier
    readings are kept. The command on the machine itself passes ``by=None``; other callers must be leads.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    seen: list[int] = [0]

    def told(n: int) -> None:
        seen[0] += n
        if progress:
            progress("reading", seen[0], 0)

    new = _in_lots(store, access, everything=True, told=told)
    if new:
        with store.write() as session:
            data = {"reader": RULES, "version": READER_VERSION, "new": new}
            log(session, READ_EVENT, by=by, project=access, now=store.now(), data=data)
    return seen[0], new


def _in_lots(store: Store, access: Access, *, everything: bool, told: Callable[[int], None] = lambda n: None) -> int:
    done, after = 0, 0
    while True:
        with store.read() as session:
            unread = readings.unread(
                session,
                project_id=access.project_id,
                version=READER_VERSION,
                after=after,
                everything=everything,
                limit=_AT_ONCE,
            )
            rows = _rows(session, access.schema, unread, store.now())
        if not unread:
            return done
        with store.write() as session:
            done += readings.add(session, rows=rows)
        after = unread[-1].id
        told(len(unread))


def _keep(
    session: Session, schema: Schema, found: Sequence[UnreadAnswer], now: datetime, known: Ahead | None = None
) -> int:
    return readings.add(session, rows=_rows(session, schema, found, now, known))


def _rows(
    session: Session, schema: Schema, found: Sequence[UnreadAnswer], now: datetime, known: Ahead | None = None
) -> list[dict[str, Any]]:
    """Return the readings of these answers as rows."""
    if not found:
        return []
    keyed = key_field(schema) is not None
    states = readings.revisions(session, item_ids=[answer.item_id for answer in found])
    ended = readings.ended(session, answers=found)
    plans = readings.plans(session, run_ids=[answer.run_id for answer in found])
    rows = []
    for answer in found:
        revision, content = state_at(states.get(answer.item_id, []), answer.created_at)
        asked = asked_of(schema, content)
        ranked = plans.get(answer.run_id, {}).get("strategy") == "rank_options"
        how = ended.get((answer.run_id, answer.item_id))
        read = read_one(answer.text, asked, how, ranked=ranked, known=known)
        rows.append(row_of(answer.id, read, asked, reader=RULES, version=READER_VERSION, revision=revision, now=now))
        if not keyed:
            rows[-1]["value"] = None  # without a key the value is not compared, and the text is stored anyway
    return rows


def options_shown(session: Session, *, access: Access, ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return, by answer id, the options as the model was shown them.

    Contains only the answers whose options were shown in another order than the item's own.
    """
    answers = readings.answers(session, ids=ids)
    ended = readings.ended(session, answers=answers)
    other = [answer for answer in answers if (how := ended.get((answer.run_id, answer.item_id))) and how.order]
    states = readings.revisions(session, item_ids=[answer.item_id for answer in other])
    shown: dict[int, tuple[str, ...]] = {}
    for answer in other:
        _, content = state_at(states.get(answer.item_id, []), answer.created_at)
        shown[answer.id] = as_shown(asked_of(access.schema, content), ended[answer.run_id, answer.item_id]).options
    return shown


# ---- readings that count --------------------------------------------------------------------------------------------


def counting(
    session: Session,
    *,
    project_id: int,
    reader: str = RULES,
    run_id: int | None = None,
    ids: Sequence[int] | None = None,
) -> dict[int, AnswerReading]:
    """Return the reading that counts for each answer.

    The rules come first. If ``reader`` names a second reader, as in ``rules+NAME``, its reading counts where the
    rules could read nothing.
    """
    by_answer = readings.counting(session, project_id=project_id, run_id=run_id, ids=ids)
    second = second_of(reader)
    if second is None:
        return by_answer
    for id, read in readings.counting(session, project_id=project_id, reader=second, run_id=run_id, ids=ids).items():
        if read.outcome is ReadOutcome.READ and id in by_answer and by_answer[id].outcome is ReadOutcome.UNREADABLE:
            by_answer[id] = read
    return by_answer


def that_count(session: Session, *, access: Access, counted: Counting) -> set[int]:
    """Return the ids of the answers that count: each model's last answer to a counted item, without withdrawn runs."""
    last = stored.last(session, project_id=access.project_id)
    return {id for id, item_id in last.items() if counted.counts(item_id)}


def second_of(reader: str) -> str | None:
    """Return the name of the second reader, or None if only the rules read."""
    return reader.partition("+")[2] or None


def readers(session: Session, *, project_id: int) -> list[str]:
    """Return the readers of a project's answers: the rules alone, and the rules with each second reader."""
    return [RULES, *(f"{RULES}+{name}" for name in readings.readers(session, project_id=project_id))]
