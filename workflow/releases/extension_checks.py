"""Checks and files that extensions add to releases.

Core measures these checks before a release. The page Release lists them. The manifest, the data card and the figures
have their results. A release waits for a check that is not met, unless a lead overrides it. Other checks read the
written files. An extension may also write files of its own into each release, such as the data card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from annotation_schemas import registry
from annotation_schemas.model import Schema
from db.engine import Session, Store
from domain import extensions
from domain.errors import NotAvailableError
from domain.evidence import PrintedFigure
from domain.jobs import Progress
from domain.records import Person
from reports.content import Block
from workflow.access.projects import Access

if TYPE_CHECKING:
    from annotation_schemas.formats.released import ReleasedSet
    from workflow.releases.draft import Draft


@dataclass(frozen=True)
class ReleaseCondition:
    """Something that a release waits for."""

    name: str
    """The name of the line, as ``--despite`` takes it."""
    title: str
    done: bool
    said: str
    page: str
    """The module name of the page where a lead can finish the line."""
    asked: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    """The parameters of that page's address."""
    action: str = ""
    """The words of its link. Empty: the title of the page."""
    pending: bool = False
    """The state is not computed yet."""


class CheckResult(Protocol):
    """The result of a check."""

    @property
    def met(self) -> bool:
        """Return whether a release may be made."""

    @property
    def said(self) -> str:
        """Return the result as a sentence without its full stop."""

    @property
    def values(self) -> Mapping[str, float | None]:
        """Return the numbers that the figures of the evidence must equal, by the ends of their ids."""

    def as_json(self, *, figures: bool) -> dict[str, Any] | list[Any]:
        """Return the manifest's entry; empty for none. Without ``figures`` it must not tell of private answers."""


@dataclass(frozen=True)
class NoMeasurement:
    """The result of a check that this machine cannot measure."""

    why: str
    met: bool = False

    @property
    def said(self) -> str:
        """Return the reason as a sentence without its full stop."""
        return f"cannot be computed: {self.why.rstrip('.')}"


@dataclass(frozen=True)
class ReleaseCheck:
    """A check of an extension: a row of the register ``release_checks``."""

    name: str
    """The name for ``--despite``."""
    title: str
    page: str
    """The page that shows the check, by the name of its module."""
    path: str
    """The place in manifests, and the beginning of the ids of its figures: ``shortcuts.without_images``. A check below
    another one comes after it."""
    applies: Callable[[Schema], bool]
    """Whether a schema asks for the check."""
    measure: Callable[[Store, Access, int | None], CheckResult]
    """Measures a project, which may take minutes. The last argument is the version of the schema whose votes alone
    count; None for all votes."""
    told: Callable[[Store, Access], Iterable[PrintedFigure]]
    """The figures of the check, for the evidence."""
    blocks: Callable[[Any], Iterable[Block]]
    """Return the blocks of the data card for the check's entry in the manifest."""
    work: str
    """The figure that pages ask for (``app.jobs.figure_requests``).

    Its function is called with the project and ``args``.
    """
    about: str
    """The figure as subject and verb of a sentence: ``Shortcuts are``."""
    state_of: Callable[[Store, Person | None, str], tuple[tuple[Any, ...], int]]
    """Return a state that changes whenever the figure may change, and the number of ratings behind the figure."""
    result_of: Callable[[Schema, Any], CheckResult | None]
    """The result, from the value of the figure."""
    args: Mapping[str, Any] = field(default_factory=dict)
    section: str = ""
    """The section of the data card that has the blocks, by its key."""
    apart: bool = False
    """Whether the figure is always computed in a process of its own."""
    lines: Callable[[Any], Sequence[ReleaseCondition]] | None = None
    """Return the lines of the checklist for a result. By default there is one, with the name of the check."""
    line_names: Callable[[Session, Access], Iterable[str]] | None = None
    """Return the names of these lines, before anything is measured."""
    first: bool = False
    """Whether a release is refused by this check alone, before slower checks are measured."""


Results = Sequence[tuple[ReleaseCheck, CheckResult]]


def checks_of(schema: Schema) -> list[ReleaseCheck]:
    """Return the checks that a schema asks for."""
    return [check for check in extensions.rows("release_checks") if check.applies(schema)]


def manifest_entries(results: Results, *, figures: bool) -> dict[str, Any]:
    """Return the manifest's entries of the results, each at its place."""
    entries: dict[str, Any] = {}
    for check, result in results:
        *around, last = check.path.split(".")
        place = entries
        for step in around:
            place = place[step]
        if entry := result.as_json(figures=figures):
            place[last] = entry
    return entries


def names_in_manifest() -> set[str]:
    """Return the first names of all places in manifests."""
    return {check.path.partition(".")[0] for check in extensions.rows("release_checks")}


def card_blocks(section: str, told: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the blocks of a data card section for the results. ``told`` has them in the form of the manifest."""
    for check in extensions.rows("release_checks"):
        entry: Any = told
        for step in check.path.split("."):
            entry = entry.get(step, {})
        if check.section == section and entry:
            yield from check.blocks(entry)


def missing_checks(schema: Schema) -> dict[str, str]:
    """Return the keys of ``export`` that only a missing extension can check, each with the sentence that names it."""
    return {
        ".".join(map(str, need.path)): need.row.meaning
        for need in registry.needs(schema)
        if need.row.away and need.row.registry == "schema_key" and need.path[0] == "export"
    }


def must_have_checks(schema: Schema) -> None:
    """Refuse (``NotAvailableError``) a release that only a missing extension can check."""
    for sentence in missing_checks(schema).values():
        raise NotAvailableError(sentence)


# ---- the files of a release ------------------------------------------------------------------------------------------

README = "README.md"
"""The file that core writes if no extension does."""
FACTS = "facts"
"""The manifest's entry with what the extensions of ``release_files`` found when the release was made."""
NOT_WRITTEN = "not_written"
"""The manifest's entry with the paths of files that the release lacks."""
_NOT_CHECKED = "not_checked"
"""The manifest's entry with the names of checks that the release lacks."""


@dataclass(frozen=True)
class ReleaseFile:
    """A file, or several, in the public part of each release: a row of the register ``release_files``."""

    name: str
    """The path of the file in the release, which the manifest of a release without it names."""
    title: str
    """The file as progress messages call it: ``data card``."""
    facts: Callable[[Store, Access], Mapping[str, Any]]
    """Return what the file says about the project, as JSON. The manifest keeps it, and point releases take it over."""
    files: Callable[[Store, Draft, ReleasedSet, str], Mapping[str, bytes]]
    """Return the files by path, for a draft with these facts and the released items. The last argument is the front
    matter for ``README.md``, with its lines of dashes."""


def collect_facts(store: Store, access: Access, progress: Progress) -> dict[str, Mapping[str, Any]]:
    """Return the manifest's entries of a new release for the files of extensions."""
    rows: list[ReleaseFile] = extensions.rows("release_files")
    facts: dict[str, Any] = {}
    for row in rows:
        progress(f"measuring agreement for the {row.title}", 0, 1)
        facts |= row.facts(store, access)
    return {FACTS: facts} if rows else {}


def files_to_write(told: Mapping[str, Any]) -> list[ReleaseFile]:
    """Return the files that a release gets. A point release lacks the files that its release lacks."""
    return [row for row in extensions.rows("release_files") if row.name not in told.get(NOT_WRITTEN, ())]


def unwritten_entry(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest's entry for files that the release lacks; empty if it lacks none."""
    missing = sorted({*extensions.all_missing("release_files"), *told.get(NOT_WRITTEN, ())})
    return {NOT_WRITTEN: missing} if missing else {}


@dataclass(frozen=True)
class FolderCheck:
    """A check of the files of a release with a private part, before it gets its number: a row of ``folder_checks``."""

    name: str
    """What the check looks for."""
    must_accept: Callable[[Sequence[str]], Any]
    """Refuses (``InvalidFileError``) findings that no lead can accept in advance, each given as ``KIND: reason``."""
    must_pass: Callable[[Path, Path, Sequence[str]], None]
    """Refuses (``InvalidFileError``) a public and a private folder with a finding that is not accepted."""


def must_accept(accepted: Sequence[str]) -> None:
    """Refuse accepted findings that no check has, and all of them (``NotAvailableError``) where a check is missing."""
    for check in extensions.rows("folder_checks"):
        check.must_accept(accepted)
    if accepted and (missing := missing_folder_checks()):
        raise NotAvailableError(" ".join(missing.values()))


def check_folders(public: Path, private: Path, accepted: Sequence[str], progress: Progress) -> None:
    """Refuse (``InvalidFileError``) the files of a release in which a check finds something that is not accepted."""
    for check in extensions.rows("folder_checks"):
        progress(f"looking for {check.name}", 0, 1)
        check.must_pass(public, private, accepted)


def missing_folder_checks() -> dict[str, str]:
    """Return the checks of files that only a missing extension makes, each with the sentence that names it."""
    return extensions.all_missing("folder_checks")


def missing_entry() -> dict[str, Any]:
    """Return the manifest's entry for missing checks of files; empty if none is missing."""
    missing = sorted(missing_folder_checks())
    return {_NOT_CHECKED: missing} if missing else {}


def missing_parts_in(manifest: Mapping[str, Any]) -> str:
    """Return sentences that name the checks of files, and the files, that a release lacks; empty for none."""
    checks, files = manifest.get(_NOT_CHECKED, ()), manifest.get(NOT_WRITTEN, ())
    sentences = [f"The public files were not checked for {' and '.join(checks)} of private data."] if checks else []
    if files:
        sentences.append(f"The release has no {' and '.join(files)}, because an extension was not installed.")
    return " ".join(sentences)
