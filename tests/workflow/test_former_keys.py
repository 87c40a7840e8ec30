"""Keys of a schema that had another name: projects made with it go on under the same version, to the byte."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sqlmodel import select

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import SchemaVersionRow
from domain.roles import Role
from domain.states import Stage
from testkit.factories import BLIND, SETTLING, Clock, claimed, make_items, make_people, make_person, vote
from testkit.missing_extensions import needs
from workflow.access import projects, stored_schemas
from workflow.annotate import submissions
from workflow.files.export import export
from workflow.files.project_check import check

TODAY = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", SETTLING)
BEFORE = TODAY.replace("edit: true, reasons: [", "edit: true, causes: [")

HASH = "fcea641f769f40a4625329c9b2634fa0f12d2676409ad7be5f9579158afae3de"
EXPORTS = {
    "ratings": "50b4aa89954aa9b544d9b178a29a8547d4b1ca4f3a383947dd9b2c5777f18d63",
    "label_studio": "3adc8b08f24e8622b9e2041df1a2a1a50d2672138086ffc476d253a443f13b80",
}
"""SHA-256 of what the version before this one, which knew `causes` only, made of schema and project."""


def settled_project(store: Store) -> None:
    """Made with the key of before: of three items one is agreed on, one is edited and voted on again, one rejected."""
    store.clock = Clock()
    projects.create_project(store, name="p", loaded=load_text(BEFORE, "Be exact.", "blind"), seed=7)
    make_items(store, 3)
    ann, bob = make_people(store, "ann", "bob")
    for choice in ("red", "blue", "blue"):
        vote(store, ann, "red")
        vote(store, bob, choice)
    sue = make_person(store, "sue", role=Role.SENIOR, stages=[Stage.ADJUDICATION])
    for values in ({"decision": "edit", "fields": {"question": "Which one now?"}}, {"decision": "reject"}):
        view = claimed(store, sue, Stage.ADJUDICATION)
        submissions.submit(store, person=sue, task=view.id, key=view.id, values={**values, "cause": "wrong_key"})
    for person in (ann, bob):
        vote(store, person)
    stored_schemas._known_schemas.clear()  # as a server that starts on what is stored


def written(store: Store, folder: Path) -> dict[str, str]:
    """SHA-256 of each file of each export of the project."""
    found = {}
    for format in ("ratings", "label_studio"):
        done = export(store, by=None, project="p", format=format, out=folder / format)
        for file in done.files:
            found[file.relative_to(folder).as_posix()] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found


@needs("formats", "label_studio")
def test_a_project_made_with_an_earlier_key_is_the_same_version_and_leaves_the_same_bytes(
    store: Store, tmp_path: Path
) -> None:
    settled_project(store)
    with store.read() as session:
        stored = session.exec(select(SchemaVersionRow)).one()
        access = projects.access_to(session, person=None, project="p")
    assert "causes: [" in stored.text
    assert (stored.hash, access.loaded.hash) == (HASH, HASH)
    assert check(store) == []
    adjudication = access.schema.stages.adjudication
    assert adjudication is not None
    labels = [(str(each.value), each.label) for each in adjudication.reasons]
    assert ("wrong_key", "Wrong key") in labels
    assert written(store, tmp_path / "out") == EXPORTS
