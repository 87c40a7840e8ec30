"""The state of the work at another tool, by stage and person, and the next steps for a lead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from db import outside_work, projects
from db.engine import Session, Store
from db.records import StoredBridge, StoredBridgePerson, StoredPerson
from domain.bridge import BridgeOutcome, BridgeState
from domain.records import Person
from domain.states import Stage
from extensions.labelstudio.exchange.answers import TRIES
from extensions.labelstudio.exchange.sync_lock import is_busy
from extensions.labelstudio.queries import received_answers, servers
from workflow.access.projects import require_lead

QUIET = timedelta(minutes=1)
"""Time without reading a server with waiting work, after which a lead is told."""
MOST_STUCK = 20


@dataclass(frozen=True)
class PersonThere:
    """A person whose work goes to a server."""

    login: str
    name: str
    email: str
    known: bool
    """Whether an account there has this address."""
    why: str
    """Why nothing more was sent to the person. Empty if something was sent, or the person has enough."""


@dataclass(frozen=True)
class StageThere:
    """The outcomes of one person's work in one stage. Every annotation is counted by its outcome."""

    stage: Stage
    login: str
    name: str
    out: int
    """Number of tasks that wait there, or are being sent."""
    stored: int
    """Number of tasks whose answer is stored here."""
    removing: int
    """Number of finished tasks that must still be removed there."""
    superseded: int
    refused: int
    not_theirs: int
    late: int
    settled: int
    skipped: int
    deleted: int
    strangers: int
    """Number of tasks in this person's projects there that are not ours."""
    sentences: tuple[str, ...]
    """The counts above zero, in words."""


@dataclass(frozen=True)
class BridgeStatus:
    """The state of a server."""

    address: str
    stages: tuple[Stage, ...]
    ahead: int
    hold_hours: float
    stay: bool
    people: tuple[PersonThere, ...]
    lines: tuple[StageThere, ...]
    pulled_at: datetime | None
    pushed_at: datetime | None
    busy: bool
    """Whether the server is being synchronized at the moment."""
    said: str
    """Why the last try failed. Empty: it did not."""
    next_steps: tuple[str, ...]
    """The next steps for a lead, the most urgent first. Empty if there are none."""


def status(store: Store, *, by: Person | None, project: str) -> list[BridgeStatus]:
    """Return the state of the work that a project sends out, by server. For leads.

    It only queries the database, with the same number of queries for ten tasks and for ten thousand.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        members = {row.person_id for row, _ in projects.members(session, project_id=access.project_id)}
        return [
            _status(session, row, members, store.now())
            for row in outside_work.servers(session, project_id=access.project_id)
        ]


def _status(session: Session, row: StoredBridge, members: set[int], now: datetime) -> BridgeStatus:
    id = row.id
    mapped = servers.people(session, bridge_id=id)
    lines = _lines(session, id)
    return BridgeStatus(
        address=row.address,
        stages=tuple(map(Stage, row.stages)),
        ahead=row.ahead,
        hold_hours=row.hold_hours,
        stay=row.stay,
        people=tuple(
            PersonThere(who.login, who.name, mapping.email, mapping.outside_user is not None, mapping.why)
            for mapping, who in mapped
        ),
        lines=tuple(lines),
        pulled_at=row.pulled_at,
        pushed_at=row.pushed_at,
        busy=is_busy(row, now),
        said=row.said,
        next_steps=tuple(_next_steps(session, row, mapped, members, lines, now)),
    )


def _lines(session: Session, bridge_id: int) -> list[StageThere]:
    tasks = received_answers.count_tasks(session, bridge_id=bridge_id)
    answers = received_answers.count_answers(session, bridge_id=bridge_id)
    strangers = received_answers.strangers(session, bridge_id=bridge_id)
    names = servers.names(session, bridge_id=bridge_id)
    order = list(Stage)
    both = {(person_id, stage) for person_id, stage, *_ in [*tasks, *answers]} | set(strangers)
    lines = []
    for person_id, stage in sorted(both, key=lambda each: (order.index(each[1]), names.get(each[0], ("", "")))):
        of_state = {state: tasks.get((person_id, stage, state), 0) for state in BridgeState}
        of_outcome = {outcome: answers.get((person_id, stage, outcome), 0) for outcome in BridgeOutcome}
        login, name = names.get(person_id, ("", ""))
        line = StageThere(
            stage=stage,
            login=login,
            name=name,
            out=of_state[BridgeState.SENDING] + of_state[BridgeState.OUT],
            stored=of_outcome[BridgeOutcome.STORED],
            removing=of_state[BridgeState.REMOVING],
            superseded=of_outcome[BridgeOutcome.SUPERSEDED],
            refused=of_outcome[BridgeOutcome.REFUSED],
            not_theirs=of_outcome[BridgeOutcome.NOT_THEIRS],
            late=of_outcome[BridgeOutcome.LATE],
            settled=of_outcome[BridgeOutcome.SETTLED],
            skipped=of_outcome[BridgeOutcome.SKIPPED],
            deleted=of_outcome[BridgeOutcome.DELETED],
            strangers=strangers.get((person_id, stage), 0),
            sentences=(),
        )
        lines.append(_in_sentences(line))
    return lines


_SENTENCES = {
    "out": ("1 task is waiting in Label Studio.", "{} tasks are waiting in Label Studio."),
    "stored": ("Touchstone has stored 1 answer.", "Touchstone has stored {} answers."),
    "removing": (
        "Touchstone has not yet removed 1 finished task from Label Studio.",
        "Touchstone has not yet removed {} finished tasks from Label Studio.",
    ),
    "superseded": ("1 stored answer was changed later.", "{} stored answers were changed later."),
    "refused": (
        "1 answer was invalid. Touchstone sent the task again with the reason.",
        "{} answers were invalid. Touchstone sent the tasks again with the reasons.",
    ),
    "not_theirs": (
        "1 answer came from another person and does not count.",
        "{} answers came from other people and do not count.",
    ),
    "late": (
        "1 answer was late. Touchstone saved its text as a draft.",
        "{} answers were late. Touchstone saved their texts as drafts.",
    ),
    "settled": (
        "1 task was answered twice. The first answer counts.",
        "{} tasks were answered twice. The first answers count.",
    ),
    "skipped": ("1 task was skipped and returned to Touchstone.", "{} tasks were skipped and returned to Touchstone."),
    "deleted": (
        "1 task or answer was deleted in Label Studio. Touchstone keeps stored votes.",
        "{} tasks or answers were deleted in Label Studio. Touchstone keeps stored votes.",
    ),
    "strangers": (
        "1 task in this person's Label Studio project is not from Touchstone and stays unchanged.",
        "{} tasks in this person's Label Studio projects are not from Touchstone and stay unchanged.",
    ),
}


def _in_sentences(line: StageThere) -> StageThere:
    sentences = []
    for name, (one, many) in _SENTENCES.items():
        n = getattr(line, name)
        if n:
            sentences.append(one if n == 1 else many.format(n))
    return StageThere(**{**vars(line), "sentences": tuple(sentences)})


def _called(who: StoredPerson) -> str:
    return f"{who.name} ({who.login})"


def _next_steps(
    session: Session,
    row: StoredBridge,
    mapped: Sequence[tuple[StoredBridgePerson, StoredPerson]],
    members: set[int],
    lines: Sequence[StageThere],
    now: datetime,
) -> list[str]:
    steps = []
    if row.said:
        steps.append(f"The last synchronization failed: {row.said}")
    if not row.stages:
        steps.append("No stage is connected. Connect at least one stage, or push once to remove all tasks.")
    if not mapped:
        steps.append("No accounts are matched yet. Enter the email addresses that people use in Label Studio.")
    for mapping, who in mapped:
        if not who.active or (mapping.person_id not in members and not who.is_admin):
            steps.append(
                f"{_called(who)} is no longer in the project. Remove this person's email address, or add the "
                "person again."
            )
        elif mapping.outside_user is None and mapping.why:  # without a reason, no push has looked yet
            steps.append(
                f"Label Studio has no account for {_called(who)} with the address {mapping.email}. Invite this "
                f"person at {row.address}."
            )
    waiting = sum(line.out + line.removing for line in lines)
    if waiting and (row.pulled_at is None or now - row.pulled_at > QUIET):
        since = f"since {row.pulled_at:%Y-%m-%d %H:%M} UTC" if row.pulled_at else "yet"
        steps.append(
            f"Tasks waiting in Label Studio: {waiting}. No answers have been fetched {since}. Start the "
            "synchronization."
        )
    elif mapped and row.stages and row.pushed_at is None:
        steps.append("No tasks have been sent yet. Push tasks, or start the synchronization.")
    for out, item in received_answers.stuck(session, bridge_id=row.id, tries=TRIES, limit=MOST_STUCK):
        whom = next((_called(who) for mapping, who in mapped if mapping.person_id == out.person_id), "its rater")
        about = item.external_id if item is not None else "an item being written"
        steps.append(f"Talk to {whom} about {about}: {TRIES} answers were invalid. Last reason: {out.why}")
    for line in lines:
        if line.not_theirs:
            steps.append(
                f"Tasks of {line.name or line.login} answered by other people in the {line.stage.value}: "
                f"{line.not_theirs}. Tell everyone to open only their own project."
            )
    return steps
