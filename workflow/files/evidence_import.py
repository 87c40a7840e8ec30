"""A reviewer's bundle in a store of its own, to work out its figures anew."""

from __future__ import annotations

from db import project_rows
from db.engine import Store
from domain.project_parts import WhoIsWho
from importers.evidence_folder import EvidenceFolder
from workflow.files.project_import import How, Import, Made


def import_evidence(store: Store, evidence: EvidenceFolder) -> Made:
    """Make the project of a bundle here, images and clips by their hashes alone; refuses as ``import_project`` does."""
    evidence.without_rows({table: project_rows.columns(table) for table in project_rows.tables()})
    how = How(people=WhoIsWho.NEW, old_schemas=True)
    return Import(store, None, evidence, evidence.manifest["project"], how).run()
