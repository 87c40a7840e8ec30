"""Small pictures for images that a test does not care about: items without theirs are given to no one."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image
from sqlmodel import col, select

from db import assets, files, projects, task_slots
from db.engine import Store, open_store
from db.tables import AssetRow
from media.store import MediaStore
from workflow.access.projects import access_to


def picture() -> bytes:
    """The small picture, the same every time."""
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), (200, 180, 90)).save(buffer, "PNG")
    return buffer.getvalue()


def fill(store: Store, media: MediaStore) -> int:
    """Give every image that has no file one and the same picture; how many there were. Clips stay as they are."""
    with store.read() as session:
        wanted = select(AssetRow).where(col(AssetRow.sha256).is_(None), AssetRow.kind == "image")
        missing = [(row.project_id, row.id) for row in session.exec(wanted)]
    if not missing:
        return 0
    medium = media.add(picture(), name="somewhere.png")
    with store.write() as session:
        told = {
            name: getattr(medium, name) for name in ("sha256", "kind", "mime", "bytes", "width", "height", "duration")
        }
        assets.put_media(session, row={**told, "created_at": store.now()})
        files.fill_assets(session, hashes={id: medium.sha256 for _, id in missing})
        for project in sorted({project for project, _ in missing}):
            access = access_to(session, person=None, project=projects.by_id(session, id=project).name)
            ids = [id for of, id in missing if of == project]
            task_slots.offer_items_with(session, asset_ids=ids, needed=access.needed_roles)
    return len(missing)


def fill_home(home: Path, database: str | None = None) -> None:
    """The same for a home that no one has open."""
    if database is None and not (home / "touchstone.db").exists():
        return
    store = open_store(database, home)
    try:
        store.upgrade()
        fill(store, MediaStore(home / "media"))
    finally:
        store.close()
