"""The import of an evidence bundle into a store of its own, to recompute its figures."""

from __future__ import annotations

from db import project_rows
from db.engine import Store
from db.survey import Survey
from domain.project_parts import WhoIsWho
from importers.evidence_folder import EvidenceFolder
from workflow.files.project_export import Progress, silent
from workflow.files.project_import import ArchiveOptions, Import, ImportedProject


def import_evidence(
    store: Store, evidence: EvidenceFolder, *, survey: Survey | None = None, progress: Progress = silent
) -> ImportedProject:
    """Create the project of a bundle, with images and clips known only by their hashes.

    Raises the errors of ``import_project``. ``survey`` is given if the caller has just written the bundle and checked
    each row.
    """
    evidence.without_rows({table: project_rows.columns(table) for table in project_rows.tables()})
    how = ArchiveOptions(people=WhoIsWho.NEW, old_schemas=True, progress=progress)
    return Import(store, None, evidence, evidence.manifest["project"], how, survey).run()
