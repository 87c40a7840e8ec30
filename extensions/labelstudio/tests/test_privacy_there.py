"""Test that no one in Label Studio sees a covered part of a picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from sqlmodel import select

from db.assets import put_media
from db.engine import Store
from db.tables import AssetRow, BridgeProjectRow, BridgeRow, BridgeTaskRow
from db.types import public_id as new_id
from domain.bridge import BridgeState
from domain.errors import NotFoundError
from domain.records import TaskView
from extensions.labelstudio.serving.local_files import LocalFiles
from media.store import MediaStore
from testkit.covered import file, shows
from testkit.factories import claimed, make_person
from testkit.missing_extensions import needs
from testkit.pictures import encoded
from tests.workflow.releases.pictured import One, pictured
from workflow.access import accounts
from workflow.access.projects import access_to
from workflow.annotate.image_pool import media_row

pytestmark = [needs("pages", "privacy"), pytest.mark.both_databases, pytest.mark.thorough]


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def test_label_studio_gets_the_covered_one(store: Store, media: MediaStore, home: Path) -> None:
    pictured(store, media, [One("a", picture=file())])
    make_person(store, "cat")
    with store.write() as session:
        row = session.exec(select(AssetRow)).one()
        original, now = row.sha256 or "", store.now()
        bridge = BridgeRow(project_id=row.project_id, address="http://ls.test", created_at=now)
        session.add(bridge)
        session.flush()
    from workflow.annotate.authoring import NewItem, add_items

    with store.write() as session:
        access = access_to(session, person=None, project="p")
        fields = {"question": "Q?", "options": ["red", "blue"], "answer": "red"}
        (item,) = add_items(session, access=access, new=[NewItem("b", "colour", fields)], now=store.now())
        from db.tables import ItemAssetRow

        session.add(ItemAssetRow(item_id=item, asset_id=row.id, role="image", position=0))
    cat = accounts.find_person(store, login="cat")
    view = claimed(store, cat)
    assert isinstance(view, TaskView)
    from db.tables import TaskRow

    with store.write() as session:
        slot = session.exec(select(TaskRow).where(TaskRow.public_id == view.id)).one()
        there = BridgeProjectRow(
            bridge_id=bridge.id, person_id=cat.id, stage=slot.stage, labeling_hash="h", outside_user=1, created_at=now
        )
        session.add(there)
        session.flush()
        out = BridgeTaskRow(
            bridge_project_id=there.id, task_id=slot.id, person_id=cat.id, key="k", state=BridgeState.OUT,
            created_at=now,
        )  # fmt: skip
        session.add(out)
    (home / "ls").mkdir()
    local = LocalFiles.below(home / "ls", store=store, media=media, cache=home / "prepared")
    local.link("k", view.assets[0])
    assert [shows(path) for path in (home / "ls").rglob("*.webp")] == [True]
    with store.write() as session:
        task = session.exec(select(BridgeTaskRow)).one()
        task.state, task.gone_at = BridgeState.OVER, store.now()
        session.add(task)
    local.sweep()
    with store.write() as session:
        covered = media.add(encoded(Image.new("RGB", (200, 100)), "PNG"), name="a.png, covered")
        put_media(session, row=media_row(covered, store.now()))
        asset = session.exec(select(AssetRow).where(AssetRow.sha256 == original)).one()
        asset.sha256, asset.public_id = covered.sha256, new_id()
        session.add(asset)
    with store.write() as session:
        task = session.exec(select(BridgeTaskRow)).one()
        task.state, task.gone_at = BridgeState.OUT, None
        session.add(task)
    with pytest.raises(NotFoundError):
        local.link("k", view.assets[0])
    with store.read() as session:
        new = session.exec(select(AssetRow)).one().public_id
    local.link("k", replace(view.assets[0], id=new))
    assert [shows(path) for path in (home / "ls").rglob("*.webp")] == [False]
