"""A project out of an archive, and a copy of a project next to it: checked whole, then made whole or not at all."""

from __future__ import annotations

import hashlib
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from annotation_schemas.loader import load_text
from annotation_schemas.model import Schema
from db import assets, events, landing, project_rows, projects
from db.carried import IN_PROGRESS
from db.engine import IntegrityError, Session, Store
from db.landing import Landing
from db.survey import Row, Survey
from domain.errors import AlreadyTaken, FileRefused, InvalidInput, Problem, SchemaError, SettingsError
from domain.project_parts import ProjectPart, WhoIsWho
from domain.records import Person
from domain.roles import Role
from domain.states import Stage, TaskState
from importers.project_archive import ProjectArchive
from workflow.access.accounts import problems_with
from workflow.access.event_log import log
from workflow.access.project_names import name_problems
from workflow.access.projects import access_to
from workflow.annotate import answering
from workflow.annotate.verification import first_state, open_verification
from workflow.files.project_export import Progress, silent
from workflow.files.public_board import WITHDRAWN

if TYPE_CHECKING:
    from media.store import MediaStore

_SHOWN = 5
_AT_ONCE = 1_000


@dataclass(frozen=True)
class How:
    """How an archive is taken in.

    Parameters
    ----------
    people
        Who is who; None: refused where a login of the archive is taken here.
    accounts
        With ``WhoIsWho.MAP``: the login here by the login there, None for a new account.
    media
        A folder with images and clips that the archive only names; they are found by what is in them.
    old_schemas
        Take a schema whose hash another version of Touchstone has worked out.
    without
        Parts of the project that are left out.
    copy
        It comes from this very database.
    changed
        Columns of the project itself that are otherwise here.
    lead
        Who leads it here, next to everyone who did.
    """

    people: WhoIsWho | None = None
    accounts: Mapping[str, str | None] = field(default_factory=dict)
    media: Path | None = None
    old_schemas: bool = False
    without: frozenset[ProjectPart] = frozenset()
    copy: bool = False
    changed: Mapping[str, str | None] = field(default_factory=dict)
    lead: Person | None = None
    progress: Progress = silent
    """Hears how far it is."""


@dataclass(frozen=True)
class Made:
    """What came of an archive."""

    name: str
    rows: Mapping[str, int]
    """How many rows of each table."""
    new_accounts: tuple[str, ...]
    """Logins of accounts that were made; no one can sign in with one before a link or a password was given."""
    notes: tuple[str, ...]
    """What could not stay as it was, as sentences."""


def import_project(
    store: Store, media: MediaStore, *, path: Path, name: str | None = None, how: How | None = None
) -> Made:
    """Make the project of an archive here, under its name or another one: all of it or nothing.

    Raises
    ------
    FileRefused
        The archive is not whole, not by us, newer than this Touchstone, or what it holds does not fit together.
    AlreadyTaken
        There is a project of that name, or something in it was imported at this moment.
    SettingsError
        Logins of the archive are taken here, and nothing says who is who.
    """
    how = how or How()
    with ProjectArchive(path) as archive:
        return _Import(store, media, archive, name or archive.manifest["project"], how).run()


def name_is_free(store: Store, name: str) -> None:
    """Refuse a name that a project has already (``AlreadyTaken``) or that none may have (``InvalidInput``)."""
    if problems := name_problems(name):
        raise InvalidInput(problems)
    with store.read() as session:
        if projects.by_name(session, name=name) is not None:
            raise AlreadyTaken(f"There is a project named {name!r} already; choose another name.")


@dataclass
class _Import:
    store: Store
    media: MediaStore
    archive: ProjectArchive
    name: str
    how: How
    notes: list[str] = field(default_factory=list)

    def run(self) -> Made:
        name_is_free(self.store, self.name)
        with self.store.read() as session:
            here = project_rows.revision(session)
        if self.archive.revision > here:
            raise FileRefused(
                f"{self.archive.name} was written from newer tables ({self.archive.revision}; here they are {here}). "
                "Update Touchstone here, then import it again. Nothing was imported."
            )
        survey = self._surveyed()
        schema = self._schemas_fit(survey)
        with self.store.read() as session:
            matched, new = self._people(session, survey)
            drawn_anew = landing.some_are_here(session, survey=survey)
        self._bring_media(survey)
        distances = {} if self.store.is_sqlite else self._reserved(survey)
        try:
            with self.store.write() as session:
                if self.store.is_sqlite:
                    moving = landing.moving(survey)
                    distances = {name: landing.distance(session, survey=survey, table=name) for name in moving}
                there = {**matched, **landing.add_accounts(session, new=new, now=self.store.now())}
                land = Landing(
                    survey=survey,
                    people=there,
                    renamed=self._renamed,
                    schemas=landing.schemas(session, rows=survey.schemas),
                    distances=distances,
                    name=self.name,
                    key=secrets.token_bytes(32) if drawn_anew else None,
                    now=self.store.now(),
                    oldest=_oldest_first(schema),
                )
                rows = self._store(session, land)
                self._say(session, land, rows, drawn_anew)
        except IntegrityError as error:
            raise AlreadyTaken(
                f"Nothing was imported: a project {self.name!r}, or something in this archive, came here at the same "
                "moment, or the archive does not fit together. Run the same command again."
            ) from error
        return Made(self.name, rows, tuple(login for _, login, _ in new), tuple(self.notes))

    # ---- looking -----------------------------------------------------------------------------------------------------

    def _surveyed(self) -> Survey:
        given = {table: told.columns for table, told in self.archive.tables.items()}
        survey = Survey(self.archive.name, given, without=self.how.without)
        for table in project_rows.tables():
            for number, row in self.archive.rows(table):
                survey.look(table, number, row)
                if table == "guideline_version" and _sha256(row["text"]) != row["hash"]:
                    raise FileRefused(f"{self.archive.name}: guideline {row['number']} has another hash than its text.")
        survey.end()
        problems = [
            Problem(row["login"], f"{self.archive.name}: {each.message}")
            for row in survey.people
            for each in problems_with(row["login"], row["name"])
        ]
        if problems:
            raise InvalidInput(problems)
        return survey

    def _schemas_fit(self, survey: Survey) -> Schema:
        """Every schema can be read here and is what its hash says; the project's own."""
        own: Schema | None = None
        for row in survey.schemas:
            try:
                loaded = load_text(row["text"], row["guideline_text"], row["name"])
            except SchemaError as error:
                raise FileRefused(
                    f"{self.archive.name}: its schema {row['name']!r} cannot be read here. {error} Nothing was "
                    "imported."
                ) from error
            told = (row["hash"], row["guideline_hash"])
            if told != (loaded.hash, loaded.guideline_hash) and not self.how.old_schemas:
                raise FileRefused(
                    f"{self.archive.name}: the schema {row['name']!r} has another hash than its text has here. Where "
                    "the archive comes from an older Touchstone that you trust, say so: `touchstone project import "
                    "FILE --old-schemas`. Nothing was imported."
                )
            if row["id"] == survey.project["schema_version_id"]:
                own = loaded.schema_
        if own is None:
            raise FileRefused(f"{self.archive.name}: its project has no schema. Nothing was imported.")
        return own

    def _people(self, session: Session, survey: Survey) -> tuple[dict[int, int], list[tuple[int, str, str]]]:
        """Who is an account here already (id there: id here), and who gets one (id there, login, name)."""
        logins = {row["id"]: row["login"] for row in survey.people}
        names = {row["id"]: row["name"] for row in survey.people}
        taken = landing.accounts_called(session, logins=sorted({*logins.values(), *_accounts(self.how)}))
        if self.how.people is None:
            self._no_one_twice(names, logins, taken)
        wanted: dict[int, str | None] = {}
        if self.how.people is WhoIsWho.MAP:
            wanted = self._mapped(logins, taken)
        elif self.how.people is not WhoIsWho.NEW:
            wanted = {id: login if login in taken else None for id, login in logins.items()}
        matched = {id: taken[login][0] for id, login in wanted.items() if login is not None}
        new, given = [], {*logins.values()}
        for id in sorted(logins.keys() - matched.keys()):
            login, n = logins[id], 2
            free = login
            while free in taken or (free != login and free in given):
                free, n = f"{login}-{n}", n + 1
                taken |= landing.accounts_called(session, logins=[free])
            given.add(free)
            new.append((id, free, names[id]))
        here = {**wanted, **{id: free for id, free, _ in new}}
        self._renamed = frozenset(id for id, login in here.items() if login != logins[id])
        called = [f"{logins[id]} is {free}" for id, free, _ in new if free != logins[id]]
        if called:
            more = f", and {len(called) - _SHOWN:,} more" if len(called) > _SHOWN else ""
            self.notes.append(f"Logins that were taken have a number more: {', '.join(called[:_SHOWN])}{more}.")
        everyone = [matched[id] for id in sorted(matched)]
        if everyone != sorted(everyone) or (matched and any(id != there for id, there in matched.items())):
            self.notes.append(
                "Accounts that were here before have other numbers than in the archive: people go through what is left "
                "in another order, and pseudonyms in exports follow the order of the accounts here."
            )
        return matched, new

    def _no_one_twice(
        self, names: Mapping[int, str], logins: Mapping[int, str], taken: Mapping[str, tuple[int, str]]
    ) -> None:
        both = [(login, names[id], taken[login][1]) for id, login in logins.items() if login in taken]
        if both:
            told = "; ".join(f"{login} ({there} there, {here} here)" for login, there, here in both[:_SHOWN])
            more = f"; and {len(both) - _SHOWN:,} more" if len(both) > _SHOWN else ""
            raise SettingsError(
                f"{len(both):,} of the archive's logins are taken here: {told}{more}. Nothing was imported. Say who "
                "they are: `touchstone project import FILE --people match` (the same login is the same person), "
                "`touchstone project import FILE --people new` (accounts of their own), or `touchstone project import "
                "FILE --people map --map WHO.csv` with the columns login and account."
            )

    def _mapped(self, logins: Mapping[int, str], taken: Mapping[str, tuple[int, str]]) -> dict[int, str | None]:
        told = self.how.accounts
        strange = sorted(told.keys() - set(logins.values()))
        gone = sorted({account for account in told.values() if account} - taken.keys())
        open_ = sorted(login for login in logins.values() if login in taken and login not in told)
        for names, why in (
            (strange, "no one in the archive has the login {}"),
            (gone, "no account here has the login {}"),
            (open_, "the login {} is taken here, and the file does not say whose it is"),
        ):
            if names:
                raise SettingsError(
                    f"The file of accounts: {why.format(', '.join(names[:_SHOWN]))}. Nothing was imported."
                )
        return {id: told.get(login) for id, login in logins.items()}

    # ---- bringing ----------------------------------------------------------------------------------------------------

    def _bring_media(self, survey: Survey) -> None:
        """Have every image and clip in the media store; they are checked there as any upload is."""
        if ProjectPart.ITEMS in self.how.without:
            return
        inside = set(self.archive.media()) if self.archive.has_media else set()
        wanted = [sha256 for sha256 in survey.media if sha256 not in self.media]
        in_folder = _by_hash(self.how.media, {*wanted} - inside) if self.how.media is not None else {}
        needed = survey.media if self.archive.has_media else wanted  # no one sees an image here by naming its hash
        gone = [sha256 for sha256 in needed if sha256 not in inside and sha256 not in in_folder]
        if gone:
            told = ", ".join(f"{sha256[:12]}..." for sha256 in gone[:_SHOWN])
            raise FileRefused(
                f"{self.archive.name}: {len(gone):,} images or clips are not in the archive, nor in the media store "
                f"here ({told}). Nothing was imported. Name a folder that has them: `touchstone project import FILE "
                "--media FOLDER`."
            )

        for sha256 in wanted:
            if sha256 in inside:
                n_bytes = survey.media[sha256]["bytes"]
                if n_bytes > self.media.limits.clip_bytes:
                    raise FileRefused(f"{self.archive.name}: {sha256[:12]}... is larger than the media store takes.")
                with tempfile.NamedTemporaryFile(prefix="touchstone-") as file:
                    self.archive.copy_media(sha256, file, n_bytes=n_bytes)
                    file.flush()
                    self.media.add(Path(file.name), name=f"media/{sha256[:12]}... of {self.archive.name}")
            else:
                self.media.add(in_folder[sha256])
        for sha256, row in survey.media.items():
            about = self.media.about(sha256)
            if (about.kind, about.bytes) != (row["kind"], row["bytes"]):
                raise FileRefused(
                    f"{self.archive.name}: it says {sha256[:12]}... is what it is not. Nothing was imported."
                )

    def _reserved(self, survey: Survey) -> dict[str, int]:
        """PostgreSQL: ids that no one else draws, a table at a time, so that others wait for a moment alone."""
        found = {}
        for table in landing.moving(survey):
            with self.store.write() as session:
                found[table] = landing.distance(session, survey=survey, table=table)
        return found

    def _store(self, session: Session, land: Landing) -> dict[str, int]:
        now = self.store.now()
        for sha256 in land.survey.media if ProjectPart.ITEMS not in self.how.without else ():
            told = vars(self.media.about(sha256))
            assets.put_media(session, row={**{x: y for x, y in told.items() if x != "sharpness"}, "created_at": now})
        project_id = land.add_project(session, changed=dict(self.how.changed))
        rows = {"project": 1}
        for done, table in enumerate(tables := project_rows.tables()):
            self.how.progress("tables written", done, len(tables))
            if table in ("project", "person", "schema_version", "media_object"):
                continue
            rows[table] = land.add(session, project_id=project_id, table=table, rows=self._kept(land.survey, table))
        access = access_to(session, person=None, project=self.name)
        if ProjectPart.VOTES in self.how.without and ProjectPart.ITEMS not in self.how.without:
            picked = [land.distances.get("asset", 0) + row["asset_id"] for _, row in self.archive.rows("pick")]
            assets.return_unused(session, ids=picked)
            found = landing.begin_items_anew(session, project_id=project_id, state=first_state(access))
            for at in range(0, len(found), _AT_ONCE):
                some = found[at : at + _AT_ONCE]
                open_verification(session, access=access, revisions=some, now=now)
                answering.open_new(session, access=access, revisions=some, now=now)
        if events.public_board(session, project=self.name) is not None:
            last = events.last_at(session, project_id=project_id) or now
            log(session, WITHDRAWN, project=access, now=last)
            self.notes.append("Its leaderboard was public; it is not here before a lead makes it public.")
        data = {"name": self.name, "from": self.archive.manifest["project"], "items": rows.get("item", 0)}
        if self.how.lead is not None:
            projects.put_member(session, project_id=project_id, person_id=self.how.lead.id, role=Role.LEAD)
        log(
            session, "project.imported", by=self.how.lead, now=now, data=data
        )  # of no project, so that its history is as it was
        return rows

    def _kept(self, survey: Survey, table: str) -> Iterator[Row]:
        for _, row in self.archive.rows(table):
            if survey.keeps(table, row):
                if table == "task" and row["state"] == TaskState.CLAIMED.value:
                    self._in_hand += 1
                elif table == "run" and row["said"] == IN_PROGRESS:
                    self._paused += 1
                elif table == "bridge":
                    self._bridges.append(row["address"])
                yield row

    _in_hand: int = 0
    _renamed: frozenset[int] = frozenset()
    _paused: int = 0
    _bridges: list[str] = field(default_factory=list)

    def _say(self, session: Session, land: Landing, rows: Mapping[str, int], drawn_anew: bool) -> None:
        if self._in_hand:
            self.notes.append(
                f"Tasks in someone's hands, as they were: {self._in_hand:,}. They come back when their time is over."
            )
        if self._renamed and land.survey.compared:
            self.notes.append(
                "To people with another login here the two answers of a comparison stand on other sides: of what they "
                "had begun, only the notes are kept."
            )
        if self._paused:
            self.notes.append(
                f"Runs in progress: {self._paused:,}. They are paused here, so that nothing is asked twice unawares."
            )
        self.notes += [
            f"What went out to Label Studio at {address} is over here; its answers are kept. Connect it again to go on."
            for address in self._bridges
        ]
        if any(land.distances.values()):
            self.notes.append(
                "Other projects here have the numbers of its rows, so these are new: what is shuffled from now on, "
                "such as an item's options, is shuffled otherwise."
            )
        if drawn_anew and not self.how.copy:
            self.notes.append(
                "This project, or a copy of it, is here already: the addresses of this one's items and images are new."
            )


def _accounts(how: How) -> list[str]:
    return [account for account in how.accounts.values() if account]


def _by_hash(folder: Path, wanted: set[str]) -> dict[str, Path]:
    """The files below a folder whose content has one of these hashes."""
    if not folder.is_dir():
        raise SettingsError(f"{folder} is no folder with images and clips.")
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and len(found) < len(wanted):
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            if digest in wanted:
                found[digest] = path
    return found


def _oldest_first(schema: Schema) -> frozenset[Stage]:
    parts = {stage: getattr(schema.stages, stage.value) for stage in Stage}
    return frozenset(stage for stage, part in parts.items() if getattr(part, "order", None) == "oldest")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
