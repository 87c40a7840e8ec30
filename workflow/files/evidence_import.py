"""A reviewer's bundle in a store of its own, to work out its figures anew."""

from __future__ import annotations

from db import project_rows
from db.engine import Store
from db.survey import Survey
from domain.project_parts import WhoIsWho
from importers.evidence_folder import EvidenceFolder
from workflow.files.project_export import Progress, silent
from workflow.files.project_import import How, Import, Made


def import_evidence(
    store: Store, evidence: EvidenceFolder, *, survey: Survey | None = None, progress: Progress = silent
) -> Made:
    """Make the project of a bundle here, images and clips by their hashes alone; refuses as ``import_project`` does.
    ``survey`` is that of whoever has just written it, who has looked at each row."""
    evidence.without_rows({table: project_rows.columns(table) for table in project_rows.tables()})
    how = How(people=WhoIsWho.NEW, old_schemas=True, progress=progress)
    return Import(store, None, evidence, evidence.manifest["project"], how, survey).run()
