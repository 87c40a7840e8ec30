"""The history of an item is closed to seniors where the keys are kept private."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain.errors import NotAllowedError
from domain.roles import Role
from extensions.history.item_history import history
from media.store import MediaStore
from testkit.egoplan import KEYS, made
from testkit.factories import make_person
from workflow.access.projects import create_project
from workflow.files import import_files


@pytest.fixture
def media(tmp_path: Path) -> MediaStore:
    return MediaStore(tmp_path / "media")


def test_a_key_that_is_kept_back_is_in_no_history_of_a_senior(store: Store, media: MediaStore, tmp_path: Path) -> None:
    made(store, media, tmp_path, KEYS)
    create_project(store, name="val", loaded=load_schema(shipped()["egoplan"]))
    import_files.import_files(
        store, media, by=None, project="val", format="egoplan", path=tmp_path / "EgoPlan_test.json"
    )
    people = {
        project: {
            role: make_person(store, f"{project}-{role.value}", project=project, role=role, stages=[])
            for role in (Role.SENIOR, Role.LEAD)
        }
        for project in ("p", "val")
    }
    with pytest.raises(NotAllowedError, match="this benchmark keeps its keys private"):
        history(store, person=people["p"][Role.SENIOR], project="p", item="0")
    for project, role in (("p", Role.LEAD), ("val", Role.SENIOR), ("val", Role.LEAD)):
        found = history(store, person=people[project][role], project=project, item="0")
        assert "take the cup" in str(found.revisions[0])
