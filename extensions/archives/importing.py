"""A project out of an archive, and a copy of a project next to it: checked whole, then made whole or not at all."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from annotation_schemas.model import Schema
from db import projects
from db.engine import IntegrityError, Session, Store
from domain.errors import AlreadyTakenError, InvalidFileError, InvalidInputError, SettingsError
from domain.project_parts import ProjectPart
from domain.states import Stage
from extensions.archives.archive_reader import ProjectArchive
from extensions.archives.parts import WhoIsWho
from extensions.archives.queries import landing
from extensions.archives.queries.archive_survey import ArchiveSurvey
from extensions.archives.storing import ArchiveOptions, PendingArchive
from extensions.archives.transit_cleanup import clear_abandoned
from workflow.access.project_names import name_problems
from workflow.files.surveyed_rows import (
    columns_of,
    look_through,
    require_known_tables,
    require_sound_texts,
    schema_in,
)

if TYPE_CHECKING:
    from media.store import MediaStore

_SHOWN = 5


@dataclass(frozen=True)
class ImportedProject:
    """The result of importing an archive."""

    name: str
    rows: Mapping[str, int]
    """The number of rows of each table."""
    new_accounts: tuple[str, ...]
    """The logins of created accounts. Nobody can sign in with one before a link or a password was given."""
    notes: tuple[str, ...]
    """The changes that could not be avoided, one sentence each."""


def import_project(
    store: Store, media: MediaStore, *, path: Path, name: str | None = None, how: ArchiveOptions | None = None
) -> ImportedProject:
    """Create the project of an archive here, under its own name or another one. All of it is imported, or nothing.

    Raises
    ------
    InvalidFileError
        The archive is damaged, foreign, inconsistent, or newer than this Touchstone.
    AlreadyTakenError
        A project with this name exists, or another import is adding to it.
    SettingsError
        Logins of the archive are taken here, and the caller does not match accounts.
    """
    how = how or ArchiveOptions()
    with ProjectArchive(path) as archive:
        return Import(store, media, archive, name or archive.manifest["project"], how).run()


def name_is_free(store: Store, name: str) -> None:
    """Raise ``AlreadyTakenError`` for the name of another project, ``InvalidInputError`` for an invalid name."""
    if problems := name_problems(name):
        raise InvalidInputError(problems)
    with store.read() as session:
        if projects.by_name(session, name=name) is not None:
            raise AlreadyTakenError(f"Another project has the ID {name!r}. Choose another ID.")


@dataclass
class Import:
    """An archive on its way in."""

    store: Store
    media: MediaStore
    archive: ProjectArchive
    name: str
    how: ArchiveOptions
    notes: list[str] = field(default_factory=list)
    _renamed: frozenset[int] = frozenset()

    def run(self) -> ImportedProject:
        name_is_free(self.store, self.name)
        clear_abandoned(self.store, self.media)
        require_known_tables(self.store, self.archive)
        survey = ArchiveSurvey(self.archive.name, columns_of(self.archive), without=self.how.without)
        look_through(self.archive, survey)
        require_sound_texts(self.archive, survey)
        schema = schema_in(self.archive, survey, old_schemas=self.how.old_schemas)
        with self.store.read() as session:
            matched, new = self._people(session, survey)
            drawn_anew = landing.some_are_here(session, survey=survey)
        self._bring_media(survey)
        storing = PendingArchive(
            self.store, self.media, self.archive, survey, self.how, self.name, self._renamed, _oldest_first(schema)
        )
        try:
            rows = storing.run(matched=matched, new=new, drawn_anew=drawn_anew)
        except IntegrityError as error:
            raise AlreadyTakenError(
                f"Nothing was imported. Another import of {self.name!r} or of this archive may have run "
                "at the same time. Otherwise, the archive is inconsistent. Run the same command again."
            ) from error
        self.notes += storing.notes
        return ImportedProject(self.name, rows, tuple(login for _, login, _ in new), tuple(self.notes))

    def _people(self, session: Session, survey: ArchiveSurvey) -> tuple[dict[int, int], list[tuple[int, str, str]]]:
        """Return the accounts that exist here (id there: id here), and the accounts to create (id there, login,
        name).
        """
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
            self.notes.append(
                f"Touchstone added a number to logins that already exist on this server: {', '.join(called[:_SHOWN])}"
                f"{more}."
            )
        everyone = [matched[id] for id in sorted(matched)]
        if everyone != sorted(everyone) or (matched and any(id != there for id, there in matched.items())):
            self.notes.append(
                "Existing accounts have different internal numbers on this server than in the archive. Therefore, "
                "people get the remaining items in a different order. Pseudonyms in exports follow the order of the "
                "accounts on this server."
            )
        return matched, new

    def _no_one_twice(
        self, names: Mapping[int, str], logins: Mapping[int, str], taken: Mapping[str, tuple[int, str]]
    ) -> None:
        both = [(login, names[id], taken[login][1]) for id, login in logins.items() if login in taken]
        if both:
            listed = "; ".join(
                f"{login} ({there} in the archive, {here} on this server)" for login, there, here in both[:_SHOWN]
            )
            more = f"; and {len(both) - _SHOWN:,} more" if len(both) > _SHOWN else ""
            raise SettingsError(
                f"Logins in the archive that already exist on this server: {listed}{more}. Nothing was "
                "imported. If the same login is the same person, use `touchstone project import FILE "
                "--people match`. To create new accounts, use `touchstone project import FILE --people "
                "new`. To choose the accounts, use `touchstone project import FILE --people map --map "
                "WHO.csv` with the columns login and account."
            )

    def _mapped(self, logins: Mapping[int, str], taken: Mapping[str, tuple[int, str]]) -> dict[int, str | None]:
        accounts = self.how.accounts
        strange = sorted(accounts.keys() - set(logins.values()))
        gone = sorted({account for account in accounts.values() if account} - taken.keys())
        open_ = sorted(login for login in logins.values() if login in taken and login not in accounts)
        for names, why in (
            (strange, "the archive has no accounts with these logins: {}"),
            (gone, "this server has no account with these logins: {}"),
            (open_, "these logins already exist on this server, but have no row in the file: {}"),
        ):
            if names:
                raise SettingsError(
                    f"The accounts file is not valid: {why.format(', '.join(names[:_SHOWN]))}. Nothing was imported. "
                    "Correct the file."
                )
        return {id: accounts.get(login) for id, login in logins.items()}

    # ---- bringing ----------------------------------------------------------------------------------------------------

    def _bring_media(self, survey: ArchiveSurvey) -> None:
        """Store every image and clip in the media store, which checks them like any upload."""
        if ProjectPart.ITEMS in self.how.without:
            return
        inside = set(self.archive.media()) if self.archive.has_media else set()
        wanted = [sha256 for sha256 in survey.media if sha256 not in self.media]
        in_folder = _by_hash(self.how.media, {*wanted} - inside) if self.how.media is not None else {}
        needed = survey.media if self.archive.has_media else wanted  # naming a hash must not give access to an image
        gone = [sha256 for sha256 in needed if sha256 not in inside and sha256 not in in_folder]
        if gone:
            hashes = ", ".join(f"{sha256[:12]}..." for sha256 in gone[:_SHOWN])
            raise InvalidFileError(
                f"{self.archive.name}: images or clips that are missing from the archive and from this server: "
                f"{len(gone):,} ({hashes}). Nothing was imported. Provide a folder with these files: `touchstone "
                "project import FILE --media FOLDER`."
            )

        for sha256 in wanted:
            if sha256 in inside:
                n_bytes = survey.media[sha256]["bytes"]
                if n_bytes > self.media.limits.clip_bytes:
                    raise InvalidFileError(
                        f"{self.archive.name}: the file {sha256[:12]}... is larger than the media store allows. "
                        "Nothing was imported. Export the project again."
                    )
                with tempfile.NamedTemporaryFile(prefix="touchstone-") as file:
                    self.archive.copy_media(sha256, file, n_bytes=n_bytes)
                    file.flush()
                    self.media.add(Path(file.name), name=f"media/{sha256[:12]}... of {self.archive.name}")
            else:
                self.media.add(in_folder[sha256])
        for sha256, row in survey.media.items():
            about = self.media.about(sha256)
            if (about.kind, about.bytes) != (row["kind"], row["bytes"]):
                raise InvalidFileError(
                    f"{self.archive.name}: the file {sha256[:12]}... does not match its entry in the archive. "
                    "Nothing was imported. Export the project again."
                )


def _accounts(how: ArchiveOptions) -> list[str]:
    return [account for account in how.accounts.values() if account]


def _by_hash(folder: Path, wanted: set[str]) -> dict[str, Path]:
    """Return the files below a folder whose content has one of these hashes."""
    if not folder.is_dir():
        raise SettingsError(f"{folder} is not a folder. Give a folder with images and clips.")
    by_hash: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and len(by_hash) < len(wanted):
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            if digest in wanted:
                by_hash[digest] = path
    return by_hash


def _oldest_first(schema: Schema) -> frozenset[Stage]:
    """Return the stages in which the oldest item comes first."""
    parts = {stage: getattr(schema.stages, stage.value) for stage in Stage}
    return frozenset(stage for stage, part in parts.items() if getattr(part, "order", None) == "oldest")
