"""The reviewer's bundle of a release: all that it takes to work out its figures anew, and nothing that says who
anyone is.

The rows are read in one state of the project. Verdicts and figures are then made of what was written, in a store that
holds nothing else: so they are of that very state, whatever people submit meanwhile, and a bundle that could not be
recomputed is not made in the first place.
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
from domain.errors import Conflict, FileRefused
from domain.evidence import FIGURES, POLICIES, VERDICTS, Selected, Told
from domain.pseudonyms import PREFIX, pseudonyms
from exporters.evidence_folder import EvidenceWriter
from importers.evidence_folder import EvidenceFolder
from workflow.access.projects import Access, access_to
from workflow.annotate.grading_sample import EXTENDED, OPENED
from workflow.files.evidence_import import import_evidence
from workflow.files.project_check import gates
from workflow.files.project_export import Progress, silent
from workflow.files.release_manifest import policy_of
from workflow.releases.figures_told import Figures, ItemVerdict, Verdicts, figures_of
from workflow.results.calibration_rule import RULE
from workflow.results.file_raters import raters as raters_out_of_files

EVENTS = frozenset({RULE, OPENED, EXTENDED, DESCRIBED, LABELLED})
"""The kinds of events that figures rest on."""

_AT_ONCE = 2_000
"""So many rows are written between two words on how far it is."""


@dataclass(frozen=True)
class Evidence:
    """What a bundle holds."""

    rows: Mapping[str, int]
    """How many of each table."""
    verdicts: Mapping[str, int]
    """How many items of each state."""
    figures: Figures
    files: int


def names_in(store: Store, *, project: str, release: str, also: Collection[int] = ()) -> dict[int, str]:
    """What everyone of a project is called in a release, by person id; a key is drawn for whoever has none.

    ``release`` is what tells it from every other release, such as ``egoplan/1``: with the same name people are called
    the same. ``also`` are people (ids) whom the evidence does not name.
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
    """Raters out of files of whom no one has said whether they are people."""
    there = raters_out_of_files(session, project_id=project_id)
    return [each.name for each in there if not (each.marked or each.account or each.judge)]


def file_rater_names(
    session: Session, *, project_id: int, names: Mapping[int, str], hide_unsaid: bool = False
) -> dict[str, str]:
    """What people are called of whom there are ratings out of files: as their account here, else by a number.

    Raises ``Conflict`` where no one has said of such a rater whether it is a person: a person's name would go out.
    With ``hide_unsaid`` it gets a number, too, and counts as a machine as before.
    """
    there = raters_out_of_files(session, project_id=project_id)
    unsaid = unsaid_raters(session, project_id=project_id)
    if unsaid and not hide_unsaid:
        raise Conflict(
            f"No one has said whether {', '.join(unsaid[:5])} {'is a person' if len(unsaid) == 1 else 'are people'}, "
            "whose ratings came from a file: a release calls machines by their names, and people by pseudonyms. Say so "
            "with `touchstone project raters`, or on Import; then make the release again."
        )
    accounts = file_raters.accounts(session, project_id=project_id)
    called = {name: names[id] for name, id in accounts.items() if id in names}
    others = [each.name for each in there if (each.is_person or each.name in unsaid) and each.name not in called]
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
    progress: Progress = silent,
) -> Evidence:
    """Write the bundle of a project below ``evidence/`` of a release; the same state and names make the same bytes.

    Parameters
    ----------
    session
        One that sees one state of the database until it ends (``db.project_rows.hold_still``).
    names
        The pseudonym of everyone (``names_in``).
    items
        The ids of the items that are released.
    only_released
        Leave out everything about other items, with their content. Then the figures are of the released items alone:
        how many were rejected, and how far people agreed before, can no more be worked out.
    notes
        With notes, and with reasons that people gave in their own words.
    hide_unsaid
        Whoever no one has said to be a person or a machine is called by a number, as people out of files are.
    counted
        What ``gates`` has come to in this session, where it has been asked.

    Raises
    ------
    Conflict
        The stored states of items are not what their votes make them (``touchstone check`` names them), or no one has
        said who is a person of the raters out of files.
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
        counts, survey = _write_tables(writer, rows, _Told(session, access, progress))
        writer.json(POLICIES, {"verification": policy_of(access.schema), "report": _report(access)})
        for path in (VERDICTS, FIGURES):  # until they are known
            writer.json(path, {"figures": []})
        writer.manifest(about)
        said = None if only_released else gates(session, access=access) if counted is None else counted
        states, figures = _worked_out(writer, access, survey, said, counts["item"], Path(beside) / "store", progress)
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
    """Write what the votes come to, worked out of what was written; how many items of each state, and all figures.
    ``said`` is how many items came through each gate in the project itself; None: it has more than what was written."""

    def reading(_: str, done: int, of: int) -> None:
        progress("reading the evidence back: rows", done, of)

    def measuring(part: str) -> None:
        progress(f"working out figures: {part}", 0, 1)

    with recomputing(writer.folder, beside, survey=survey, progress=reading) as (store, project):
        verdicts = Verdicts(store, project=project)
        states = _write_verdicts(writer, verdicts, lambda done: progress("working out verdicts: items", done, n_items))
        if said is not None:
            _as_stored(access, said, verdicts.gates or {})
        return states, figures_of(store, project=project, counted=verdicts.gates, progress=measuring)


class _Told:
    """Says how many of a project's rows were gone through."""

    def __init__(self, session: Session, access: Access, progress: Progress) -> None:
        tables = [table for table in project_rows.tables() if table not in LEFT_OUT and table != "event"]
        self._of = sum(project_rows.count(session, project_id=access.project_id, table=table) for table in tables)
        self._progress, self._done = progress, 0

    def one_more(self) -> None:
        """One more row was written."""
        if self._done % _AT_ONCE == 0:
            self._progress("writing evidence: rows", min(self._done, self._of), self._of)
        self._done += 1


def _write_tables(writer: EvidenceWriter, rows: EvidenceRows, told: _Told) -> tuple[Mapping[str, int], Survey]:
    """Every table, without what points to something that is left out; how many rows of each, and what is known of all
    of them."""
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


def _looked_at(survey: Survey, table: str, rows: EvidenceRows, told: _Told) -> Iterator[Mapping[str, Any]]:
    for number, row in enumerate(rows.rows(table), 1):
        told.one_more()
        if survey.look(table, number, row):
            yield row


def _write_verdicts(writer: EvidenceWriter, verdicts: Verdicts, progress: Callable[[int], None]) -> dict[str, int]:
    counts: dict[str, int] = {}

    def lines() -> Iterator[Mapping[str, Any]]:
        for done, each in enumerate(verdicts):
            if done % _AT_ONCE == 0:
                progress(done)
            counts[each.verdict] = counts.get(each.verdict, 0) + 1
            yield each.as_json()

    writer.lines(VERDICTS, lines())
    return counts


def _as_stored(access: Access, said: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """What was worked out of the bundle has to be what the project itself says."""
    unlike = [name for name in said if said[name] != found.get(name)]
    if unlike:
        raise Conflict(
            f"The evidence of {access.name} does not come to what the project says ({', '.join(unlike)}). Nothing was "
            f"released. `touchstone check {access.name}` says what does not fit."
        )


@contextmanager
def recomputing(
    folder: Path, beside: Path, *, survey: Survey | None = None, progress: Progress = silent
) -> Iterator[tuple[Store, str]]:
    """A store of its own, in a folder that goes away, which holds a bundle and nothing else; and its project.
    ``survey``: what is known of its rows, where they have just been written here."""
    beside.mkdir(parents=True, exist_ok=True)
    store = open_store(None, beside, lasting=False)
    try:
        store.upgrade()
        with EvidenceFolder(folder) as evidence:
            yield store, import_evidence(store, evidence, survey=survey, progress=progress).name
    finally:
        store.close()


def as_json(figures: Figures) -> dict[str, Any]:
    """As ``figures.json`` holds them."""
    return {"figures": [each.as_json() for each in figures.told], "without": dict(sorted(figures.without.items()))}


def figures_in(folder: Path) -> Figures:
    """The figures that a release prints, as they stand in its bundle: what a paper or a data card quotes, by id.

    Raises ``FileRefused`` where the folder has no bundle that can be read.
    """
    with EvidenceFolder(folder) as evidence:
        return from_json(evidence.figures())


def from_json(found: Mapping[str, Any]) -> Figures:
    """The other way. Raises ``FileRefused`` where something is no figure."""
    told = []
    for number, each in enumerate(found["figures"], 1):
        try:
            rows = [Selected(str(row["path"]), dict(row["where"])) for row in each.get("rows", ())]
            at = {name: each.get(name) for name in ("value", "low", "high", "n", "left_out", "reason")}
            told.append(Told(each["id"], str(each["title"]), **at, method=each.get("method") or "", rows=rows))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FileRefused(f"{FIGURES}: figure {number:,} is none. Copy the release again, whole.") from error
    without = found.get("without")
    return Figures(told, {str(x): str(y) for x, y in without.items()} if isinstance(without, dict) else {})


def rows_behind(folder: Path, figure: Told) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """What proves a figure: each file of the bundle, the number of the line, and the row."""
    with EvidenceFolder(folder) as evidence:
        for each in figure.rows:
            for number, row in evidence.lines(each.path):
                if all(_is(row.get(column), wanted) for column, wanted in each.where.items()):
                    yield each.path, number, row


def _is(value: Any, wanted: Any) -> bool:
    return value in wanted if isinstance(wanted, list) else value == wanted


def _report(access: Access) -> Any:
    return json.loads(access.schema.report.model_dump_json(exclude_defaults=True))


def _says(only_released: bool, notes: bool) -> str:
    """What a reader has to know of a bundle, as sentences."""
    which = (
        "Everything about items that are not released is left out, so that figures are of the released items alone."
        if only_released
        else "It holds every item of the project, rejected ones too, so that each gate can be counted."
    )
    free = "Notes are as people wrote them." if notes else "Notes are left out."
    return f"{which} {free} People are called by pseudonyms of this release; images and clips by their hashes."


def printed_verdicts(evidence: EvidenceFolder) -> dict[str, str]:
    """What was printed of each item, by its id."""
    return {row["item"]: row["verdict"] for row in evidence.verdicts()}


__all__ = [
    "Evidence",
    "ItemVerdict",
    "figures_in",
    "names_in",
    "printed_verdicts",
    "recomputing",
    "rows_behind",
    "write_evidence",
]
