"""The storage of an archive's rows as a project, in lots, so that others can write in between.

The project stays invisible until its last row is stored. If storing fails before, the rows are deleted at once. If the
process was killed, they are deleted before the next project is imported or deleted.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from db import assets, events, project_rows, projects
from db.carried import IN_PROGRESS
from db.engine import Session, Store
from db.survey import Row
from domain.errors import TouchstoneError
from domain.jobs import Progress, unheard
from domain.project_parts import ProjectPart
from domain.records import Person
from domain.roles import Role
from domain.states import Stage, TaskState
from extensions.archives.archive_reader import ProjectArchive
from extensions.archives.parts import WhoIsWho
from extensions.archives.queries import landing, transit
from extensions.archives.queries.archive_survey import ArchiveSurvey
from extensions.archives.queries.landing import Landing
from extensions.archives.queries.transit import ProjectInTransit
from extensions.archives.transit_cleanup import clear
from workflow.access.event_log import log
from workflow.access.projects import access_to
from workflow.annotate import answering
from workflow.annotate.verification import first_state, open_verification

if TYPE_CHECKING:
    from media.store import MediaStore

_AT_ONCE = 1_000
_PAUSE_SECONDS = 0.05
"""The longest pause after each lot on SQLite, so that others can write. The pause is as long as the write, up to
this.
"""
_ELSEWHERE = frozenset({"project", "person", "schema_version", "media_object"})
"""The tables whose rows are stored together with others."""


@dataclass(frozen=True)
class ArchiveOptions:
    """The options for importing an archive.

    Parameters
    ----------
    people
        How accounts are matched. None refuses an archive with a login that is taken here.
    accounts
        With ``WhoIsWho.MAP``: the login here by the login there, None for a new account.
    media
        A folder with images and clips that the archive only names. They are found by their hashes.
    old_schemas
        Accept a schema whose hash was computed by another version of Touchstone.
    without
        The parts of the project to leave out.
    copy
        The archive comes from this very database.
    changed
        Columns of the project's row that get another value here.
    lead
        A person who leads the project here, next to its former leads.
    """

    people: WhoIsWho | None = None
    accounts: Mapping[str, str | None] = field(default_factory=dict)
    media: Path | None = None
    old_schemas: bool = False
    without: frozenset[ProjectPart] = frozenset()
    copy: bool = False
    changed: Mapping[str, str | None] = field(default_factory=dict)
    lead: Person | None = None
    progress: Progress = unheard
    """The callback for progress."""


@dataclass
class PendingArchive:
    """An archive whose rows were all looked at, on its way into the database."""

    store: Store
    media: MediaStore
    archive: ProjectArchive
    survey: ArchiveSurvey
    how: ArchiveOptions
    name: str
    renamed: frozenset[int]
    """The people with another login here, by their ids in the archive."""
    oldest: frozenset[Stage]
    """Stages in which the oldest item comes first."""
    notes: list[str] = field(default_factory=list)
    """The changes that could not be avoided, one sentence each."""
    _in_hand: int = 0
    _paused: int = 0
    _bridges: list[str] = field(default_factory=list)

    def run(
        self, *, matched: Mapping[int, int], new: Sequence[tuple[int, str, str]], drawn_anew: bool
    ) -> dict[str, int]:
        """Store all of it; how many rows of each table. ``IntegrityError`` if something of it is here already."""
        distances = {} if self.store.is_sqlite else self._reserved()
        name = transit.drawn_name("coming")
        with transit.hold_name(self.store, name):
            land, project, first = self._begin(name, matched, new, drawn_anew, distances)
            try:
                rows = self._rows(land, project, first)
                if ProjectPart.VOTES in self.how.without and ProjectPart.ITEMS not in self.how.without:
                    self._begin_anew(land, project)
                self._arrive(project, rows)
            except BaseException:
                with suppress(TouchstoneError):  # the database may be away; the next import or deletion clears it
                    clear(self.store, self.media, project)
                raise
        self._say(land, drawn_anew)
        return rows

    def _reserved(self) -> dict[str, int]:
        """Return reserved ids for each table, on PostgreSQL. Reserving one table at a time keeps others waiting only
        briefly.
        """
        distances = {}
        for table in landing.moving(self.survey):
            with self.store.write(archived_too=True) as session:
                distances[table] = landing.distance(session, survey=self.survey, table=table)
        return distances

    def _begin(
        self,
        name: str,
        matched: Mapping[int, int],
        new: Sequence[tuple[int, str, str]],
        drawn_anew: bool,
        distances: dict[str, int],
    ) -> tuple[Landing, ProjectInTransit, Mapping[str, int]]:
        """Store the project, its accounts and its schemas.

        On SQLite, also store one row of each table (its id), so that no other process gets an id in between.
        """
        survey = self.survey
        with self.store.unlinked() as session:
            if self.store.is_sqlite:
                distances = {
                    table: landing.distance(session, survey=survey, table=table) for table in landing.moving(survey)
                }
            made = landing.add_accounts(session, new=new, now=self.store.now())
            land = Landing(
                survey=survey,
                people={**matched, **made},
                renamed=self.renamed,
                schemas=landing.schemas(session, rows=survey.schemas),
                distances=distances,
                name=name,
                key=secrets.token_bytes(32) if drawn_anew else None,
                now=self.store.now(),
                oldest=self.oldest,
            )
            project = transit.begin(session, land=land, accounts=sorted(made.values()))
            if not self.store.is_sqlite:
                return land, project, {}
            if "asset" in survey.last:
                assets.put_all_media(session, rows=self._media_of([survey.last["asset"]]))
            return land, project, land.reserve(session, project_id=project.id)

    def _rows(self, land: Landing, project: ProjectInTransit, first: Mapping[str, int]) -> dict[str, int]:
        rows, every = {"project": 1}, sum(entry.rows for entry in self.archive.tables.values())
        for table in project_rows.tables():
            if table in _ELSEWHERE:
                continue
            there = first.get(table)
            rows[table] = 0 if there is None else 1
            for lot in land.lots(project_id=project.id, table=table, rows=self._kept(table), there=there):
                media = self._media_of(lot) if table == "asset" else ()
                with self._lot() as session:
                    assets.put_all_media(session, rows=media)
                    land.put(session, table=table, lot=lot)
                rows[table] += len(lot)
                self.how.progress("rows written", sum(rows.values()), every)
        return rows

    def _media_of(self, lot: Sequence[Row]) -> list[Row]:
        """Return the media store's rows for the images and clips of assets, which are stored and deleted together."""
        now = self.store.now()
        wanted = sorted({x["sha256"] for x in lot if x["sha256"]})
        about = [vars(self.media.about(sha256)) for sha256 in wanted]
        return [{**{x: y for x, y in facts.items() if x != "sharpness"}, "created_at": now} for facts in about]

    @contextmanager
    def _lot(self) -> Iterator[Session]:
        """Open a transaction for one lot, and then let others write."""
        began = time.monotonic()
        with self.store.write(archived_too=True) as session:
            yield session
        if self.store.is_sqlite:
            time.sleep(min(time.monotonic() - began, _PAUSE_SECONDS))

    def _begin_anew(self, land: Landing, project: ProjectInTransit) -> None:
        """Reset a project without votes: items get their initial states, and unused images return to the pool."""
        picked = [land.distances.get("asset", 0) + row["asset_id"] for _, row in self.archive.rows("pick")]
        for at in range(0, len(picked), _AT_ONCE):
            with self._lot() as session:
                landing.return_unused(session, ids=picked[at : at + _AT_ONCE])
        with self.store.read() as session:
            items = landing.items_of(session, project_id=project.id)
        for at in range(0, len(items), _AT_ONCE):
            some, now = items[at : at + _AT_ONCE], self.store.now()
            with self._lot() as session:
                access = access_to(session, person=None, project=project.name)
                landing.begin_items_anew(session, ids=[id for id, _, _ in some], state=first_state(access))
                open_verification(session, access=access, revisions=some, now=now)
                answering.open_new(session, access=access, revisions=some, now=now)

    def _arrive(self, project: ProjectInTransit, rows: Mapping[str, int]) -> None:
        """Make the project visible."""
        columns = {**self.survey.project, **self.how.changed}
        archived_at = columns.get("archived_at")
        with self.store.write(archived_too=True) as session:
            now = self.store.now()
            access = access_to(session, person=None, project=project.name)
            if events.public_board(session, project=project.name) is not None:
                last = events.last_at(session, project_id=project.id) or now
                log(session, events.BOARD_WITHDRAWN, project=access, now=last)
                self.notes.append(
                    "The leaderboard was public, but is not public on this server. A lead can publish the "
                    "leaderboard again."
                )
            if self.how.lead is not None:
                projects.put_member(session, project_id=project.id, person_id=self.how.lead.id, role=Role.LEAD)
            transit.arrive(
                session,
                id=project.id,
                name=self.name,
                title=columns["title"],
                archived_at=datetime.fromisoformat(archived_at) if archived_at else None,
            )
            data = {"name": self.name, "from": self.archive.manifest["project"], "items": rows.get("item", 0)}
            log(
                session, "project.imported", by=self.how.lead, now=now, data=data
            )  # without a project, so that the project's history stays unchanged

    def _kept(self, table: str) -> Iterator[Row]:
        for _, row in self.archive.rows(table):
            if self.survey.keeps(table, row):
                if table == "task" and row["state"] == TaskState.CLAIMED.value:
                    self._in_hand += 1
                elif table == "run" and row["said"] == IN_PROGRESS:
                    self._paused += 1
                elif table == "bridge":
                    self._bridges.append(row["address"])
                yield row

    def _say(self, land: Landing, drawn_anew: bool) -> None:
        if self._in_hand:
            self.notes.append(f"Assignments in progress: {self._in_hand:,}. Each assignment ends with its lease.")
        if self.renamed and land.survey.compared:
            self.notes.append(
                "If a person's login changed, the two answers of a comparison may switch sides for this person. "
                "Drafts of these comparisons keep only the notes."
            )
        if self._paused:
            self.notes.append(
                f"Runs in progress: {self._paused:,}. Touchstone paused these runs to avoid asking a question twice."
            )
        self.notes += [
            f"Tasks in Label Studio at {address} are closed. Touchstone keeps the answers of these tasks. To "
            "continue, connect the Label Studio server again."
            for address in self._bridges
        ]
        if any(land.distances.values()):
            self.notes.append(
                "The imported rows have new internal numbers, because other projects use the old numbers. "
                "Therefore, later shuffles, such as the order of an item's options, give a different order."
            )
        if drawn_anew and not self.how.copy:
            self.notes.append(
                "This project or a copy already exists on this server, so the imported items and images have new "
                "addresses."
            )
