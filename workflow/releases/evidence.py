"""The evidence of a release: all rows that are needed to recompute its figures, under pseudonyms.

The rows are read from one state of the project. Verdicts and figures are then computed from the written rows, in a
store that holds nothing more. So they belong to exactly that state, even while people submit votes. A bundle that
cannot be recomputed is refused.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation_schemas.formats.released import ReleaseFolder
from db import events, evidence_rows, file_raters, person_keys, project_rows, projects
from db.attributes import DESCRIBED, LABELLED
from db.engine import Session, Store, open_store
from db.evidence_rows import LEFT_OUT, EvidenceRows
from db.survey import Survey
from domain.errors import ConflictError, InvalidFileError
from domain.evidence import FIGURES, POLICIES, VERDICTS, PrintedFigure, RowSelection
from domain.jobs import Progress, unheard
from domain.pseudonyms import PREFIX, pseudonyms
from exporters.evidence_folder import EvidenceWriter
from importers.evidence_folder import EvidenceFolder
from workflow.access.projects import Access, access_to
from workflow.annotate.grading_sample import EXTENDED, OPENED
from workflow.files.evidence_import import import_evidence
from workflow.files.gate_counts import gates
from workflow.files.manifest_entries import policy_of
from workflow.releases.printed_figures import Figures, Verdicts, figures_of
from workflow.results.file_raters import raters as raters_out_of_files

EVENTS = frozenset({events.CALIBRATION_RULE, OPENED, EXTENDED, DESCRIBED, LABELLED})
"""The kinds of events that figures rest on."""

_AT_ONCE = 2_000
"""The number of rows between two progress reports."""


@dataclass(frozen=True)
class Evidence:
    """The contents of an evidence bundle."""

    rows: Mapping[str, int]
    """The number of rows of each table."""
    verdicts: Mapping[str, int]
    """The number of items in each state."""
    figures: Figures
    files: int


def names_in(store: Store, *, project: str, release: str, also: Collection[int] = ()) -> dict[int, str]:
    """Return the pseudonym of every person of a project in a release, by person id.

    The function draws a key for each person without one. ``release`` identifies the release, such as ``egoplan/1``: the
    same name gives the same pseudonyms. ``also`` are ids of people whom the evidence does not name.
    """
    with store.read() as session:
        access = access_to(session, person=None, project=project)
        ids = evidence_rows.people(session, project_id=access.project_id) | set(also)
        known = person_keys.of(session, ids=ids)
    if ids - known.keys():
        with store.write() as session:
            person_keys.draw(session, ids=ids - known.keys(), now=store.now())
            known = person_keys.of(session, ids=ids)
    return pseudonyms(known, release)


def unsaid_raters(session: Session, *, project_id: int) -> list[str]:
    """Return the names of imported raters that are not yet marked as a person or a machine."""
    there = raters_out_of_files(session, project_id=project_id)
    return [rater.name for rater in there if not (rater.marked or rater.account or rater.judge)]


def file_rater_names(
    session: Session, *, project_id: int, names: Mapping[int, str], hide_unsaid: bool = False
) -> dict[str, str]:
    """Return the name of each imported rater in a release: the pseudonym of the account; otherwise a number.

    Raises ``ConflictError`` if a rater is not yet marked as a person or a machine, because a person's name would be
    published. With ``hide_unsaid``, such a rater gets a number too, and still counts as a machine.
    """
    there = raters_out_of_files(session, project_id=project_id)
    unsaid = unsaid_raters(session, project_id=project_id)
    if unsaid and not hide_unsaid:
        raise ConflictError(
            f"Imported {'rater' if len(unsaid) == 1 else 'raters'} without a mark: "
            f"{', '.join(unsaid[:5])}. A release names machines, but shows people by pseudonyms. Mark "
            "each rater as a person or a machine with `touchstone rater list` or on the Add items page. "
            "Then create the release again."
        )
    accounts = file_raters.accounts(session, project_id=project_id)
    called = {name: names[id] for name, id in accounts.items() if id in names}
    others = [rater.name for rater in there if (rater.is_person or rater.name in unsaid) and rater.name not in called]
    return called | {name: f"{PREFIX}file-{number}" for number, name in enumerate(others, 1)}


def write_evidence(
    session: Session,
    access: Access,
    folder: ReleaseFolder,
    *,
    names: Mapping[int, str],
    items: Collection[int] = (),
    only_released: bool = False,
    notes: bool = False,
    hide_unsaid: bool = False,
    counted: Mapping[str, Any] | None = None,
    progress: Progress = unheard,
) -> Evidence:
    """Write the evidence below ``evidence/`` of a release. The same state and names give the same bytes.

    Parameters
    ----------
    session
        A session that sees one state of the database until it ends (``db.project_rows.hold_still``).
    names
        The pseudonym of each person (``names_in``).
    items
        The ids of the items that are released.
    only_released
        Leave out all rows about other items. Then the figures are about released items only:
        the number of rejected items and the earlier agreement can no longer be computed.
    notes
        Include notes, and reasons that people wrote in their own words.
    hide_unsaid
        Give a number to each imported rater that is not yet marked as a person or a machine.
    counted
        The result of ``gates`` in this session, if it is already known.

    Raises
    ------
    ConflictError
        The stored states of items differ from their votes (``touchstone check`` names them), or an
        imported rater is not yet marked as a person or a machine.
    """
    last = events.last_at(session, project_id=access.project_id) or projects.begun(session, id=access.project_id)
    released = frozenset(items)
    rows = EvidenceRows(
        session,
        project_id=access.project_id,
        names=names,
        raters=file_rater_names(session, project_id=access.project_id, names=names, hide_unsaid=hide_unsaid),
        events=EVENTS,
        last=last,
        items=released if only_released else None,
        notes=notes,
    )
    about = {
        "database": project_rows.revision(session),
        "project": access.name,
        "title": access.title,
        "made_up": access.made_up,
        "date": last.isoformat(),
        "schema": {"name": access.schema.name, "version": access.schema.version, "sha256": access.loaded.hash},
        "items": "released" if only_released else "all",
        "says": _says(only_released, notes),
    }
    with tempfile.TemporaryDirectory(prefix="touchstone-evidence-") as beside:
        writer = EvidenceWriter(Path(beside) / "written")
        counts, survey = _write_tables(writer, rows, _RowProgress(session, access, progress))
        writer.json(POLICIES, {"verification": policy_of(access.schema), "report": _report(access)})
        for path in (VERDICTS, FIGURES):  # until they are known
            writer.json(path, {"figures": []})
        writer.manifest(about)
        gate_counts = None if only_released else gates(session, access=access) if counted is None else counted
        states, figures = _worked_out(
            writer, access, survey, gate_counts, counts["item"], Path(beside) / "store", progress
        )
        writer.json(FIGURES, as_json(figures))
        writer.manifest(about)
        return Evidence(counts, states, figures, writer.copy(folder))


def _worked_out(
    writer: EvidenceWriter,
    access: Access,
    survey: Survey,
    said: Mapping[str, Any] | None,
    n_items: int,
    beside: Path,
    progress: Progress,
) -> tuple[Mapping[str, int], Figures]:
    """Write the verdicts that follow from the written votes. Return the number of items by state, and all figures.

    ``said`` is the number of items at each gate in the project; None if the bundle leaves out items.
    """

    def reading(_: str, done: int, of: int) -> None:
        progress("reading the evidence back: rows", done, of)

    def measuring(part: str) -> None:
        progress(f"working out figures: {part}", 0, 1)

    with recomputing(writer.folder, beside, survey=survey, progress=reading) as (store, project):
        verdicts = Verdicts(store, project=project)
        states = _write_verdicts(writer, verdicts, lambda done: progress("computing verdicts: items", done, n_items))
        if said is not None:
            _as_stored(access, said, verdicts.gates or {})
        return states, figures_of(store, project=project, counted=verdicts.gates, progress=measuring)


class _RowProgress:
    """A report of how many of a project's rows have been processed."""

    def __init__(self, session: Session, access: Access, progress: Progress) -> None:
        tables = [table for table in project_rows.tables() if table not in LEFT_OUT and table != "event"]
        self._of = sum(project_rows.count(session, project_id=access.project_id, table=table) for table in tables)
        self._progress, self._done = progress, 0

    def one_more(self) -> None:
        """Count one more written row, and report the progress now and then."""
        if self._done % _AT_ONCE == 0:
            self._progress("writing evidence: rows", min(self._done, self._of), self._of)
        self._done += 1


def _write_tables(writer: EvidenceWriter, rows: EvidenceRows, told: _RowProgress) -> tuple[Mapping[str, int], Survey]:
    """Write every table, without rows that point to an omitted row.

    Returns the number of rows of each table, and the survey of all rows.
    """
    tables = project_rows.tables()
    survey = Survey("evidence", {table: project_rows.columns(table) for table in tables}, cut=True)
    counts = {}
    for table in tables:
        if table in LEFT_OUT:
            writer.without(table, LEFT_OUT[table])
            continue
        counts[table] = writer.table(table, project_rows.columns(table), _looked_at(survey, table, rows, told))
    survey.end()
    return counts, survey


def _looked_at(survey: Survey, table: str, rows: EvidenceRows, told: _RowProgress) -> Iterator[Mapping[str, Any]]:
    for number, row in enumerate(rows.rows(table), 1):
        told.one_more()
        if survey.look(table, number, row):
            yield row


def _write_verdicts(writer: EvidenceWriter, verdicts: Verdicts, progress: Callable[[int], None]) -> dict[str, int]:
    counts: dict[str, int] = {}

    def lines() -> Iterator[Mapping[str, Any]]:
        for done, verdict in enumerate(verdicts):
            if done % _AT_ONCE == 0:
                progress(done)
            counts[verdict.verdict] = counts.get(verdict.verdict, 0) + 1
            yield verdict.as_json()

    writer.lines(VERDICTS, lines())
    return counts


def _as_stored(access: Access, said: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Raise ``ConflictError`` if the figures recomputed from the bundle differ from those of the project."""
    unlike = [name for name in said if said[name] != found.get(name)]
    if unlike:
        raise ConflictError(
            f"The figures from the evidence of {access.name} differ from the project's figures ({', '.join(unlike)}). "
            f"Nothing was released. Run `touchstone check {access.name}` to see the differences."
        )


@contextmanager
def recomputing(
    folder: Path, beside: Path, *, survey: Survey | None = None, progress: Progress = unheard
) -> Iterator[tuple[Store, str]]:
    """Open a temporary store that holds one evidence bundle and nothing more. Yield the store and the project's name.

    ``survey`` describes the rows, if the caller has just written them.
    """
    beside.mkdir(parents=True, exist_ok=True)
    store = open_store(None, beside, lasting=False)
    try:
        store.upgrade()
        with EvidenceFolder(folder) as evidence:
            yield store, import_evidence(store, evidence, survey=survey, progress=progress)
    finally:
        store.close()


def as_json(figures: Figures) -> dict[str, Any]:
    """Return the figures in the form of ``figures.json``."""
    return {"figures": [figure.as_json() for figure in figures.told], "without": dict(sorted(figures.without.items()))}


def figures_in(folder: Path) -> Figures:
    """Return the figures that a release prints, read from its evidence. Papers and data cards quote them by id.

    Raises ``InvalidFileError`` if the folder has no readable evidence.
    """
    with EvidenceFolder(folder) as evidence:
        return from_json(evidence.figures())


def from_json(found: Mapping[str, Any]) -> Figures:
    """Return the figures stored as JSON by ``as_json``. Raises ``InvalidFileError`` if an entry is malformed."""
    figures = []
    for number, figure in enumerate(found["figures"], 1):
        try:
            rows = [RowSelection(str(row["path"]), dict(row["where"])) for row in figure.get("rows", ())]
            at = {name: figure.get(name) for name in ("value", "low", "high", "n", "left_out", "reason")}
            figures.append(
                PrintedFigure(figure["id"], str(figure["title"]), **at, method=figure.get("method") or "", rows=rows)
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidFileError(
                f"{FIGURES}: figure {number:,} is not valid. Copy the whole release again."
            ) from error
    without = found.get("without")
    return Figures(figures, {str(x): str(y) for x, y in without.items()} if isinstance(without, dict) else {})


def rows_behind(folder: Path, figure: PrintedFigure) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Yield the rows behind a figure: the file of the bundle, the line number, and the row."""
    with EvidenceFolder(folder) as evidence:
        for selection in figure.rows:
            for number, row in evidence.lines(selection.path):
                if all(_is(row.get(column), wanted) for column, wanted in selection.where.items()):
                    yield selection.path, number, row


def _is(value: Any, wanted: Any) -> bool:
    return value in wanted if isinstance(wanted, list) else value == wanted


def _report(access: Access) -> Any:
    return json.loads(access.schema.report.model_dump_json(exclude_defaults=True))


def _says(only_released: bool, notes: bool) -> str:
    """Return the sentences that explain to a reader which rows a bundle leaves out."""
    which = (
        "The evidence excludes data about unreleased items, so the figures describe only released items."
        if only_released
        else (
            "The evidence contains every item of the project, including rejected items, so that readers "
            "can recompute the counts of every gate."
        )
    )
    free = "Notes are unchanged." if notes else "Notes are not included."
    return (
        f"{which} {free} Pseudonyms of this release replace people's names. Images and clips are named by their hashes."
    )
