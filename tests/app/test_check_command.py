"""``touchstone check`` on a real database."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlmodel import select

from db.engine import open_store
from db.tables import AssetRow, MediaObjectRow, ProjectRow
from media.store import MediaStore
from tests.app.homes import picture
from tests.factories import make_items, make_project
from tests.serving import touchstone
from workflow.check_media import check_media


def test_a_state_that_the_votes_do_not_explain_is_found_and_rebuilt(home: Path) -> None:
    store = open_store(None, home)
    store.upgrade()
    make_project(store, name="p")
    make_items(store, 2)
    store.close()
    assert touchstone("check", home=home).returncode == 0

    with sqlite3.connect(home / "touchstone.db") as connection:
        connection.execute("UPDATE item SET state = 'kept' WHERE id = (SELECT min(id) FROM item)")
    connection.close()
    found = touchstone("check", "p", home=home)
    assert found.returncode == 1
    assert "stored as kept" in found.stdout
    assert touchstone("check", "p", "--rebuild", home=home).returncode == 0
    assert touchstone("check", "p", home=home).returncode == 0


def test_media_that_are_gone_or_overwritten_are_named_with_their_items(tmp_path: Path) -> None:
    store = open_store(None, tmp_path)
    store.upgrade()
    media = MediaStore(tmp_path / "media")
    make_project(store, name="p")
    with store.write() as session:
        project = session.exec(select(ProjectRow.id)).one()
        for number in range(3):
            stored = media.add(picture(number))
            session.add(
                MediaObjectRow(
                    sha256=stored.sha256, kind="image", mime=stored.mime, bytes=stored.bytes, created_at=store.now()
                )
            )
            session.flush()
            session.add(
                AssetRow(
                    project_id=project, sha256=stored.sha256, name=f"{number}.png", kind="image", created_at=store.now()
                )
            )
    assert check_media(store, media) == []
    originals = sorted((tmp_path / "media").glob("*/*/original"))
    originals[0].unlink()
    content = originals[1].read_bytes()
    originals[1].write_bytes(content[:-1] + bytes([content[-1] ^ 1]))  # as long as it was
    found = check_media(store, media, project="p", whole=True)
    assert [sentence.split(": ")[1].split(" of the")[0] for sentence in found] == [
        f"The file {original.parent.name[:12]}..." for original in originals[:2]
    ]
    assert "is gone" in found[0]
    assert "is not what was brought in" in found[1]
    assert all("png, which no item has yet." in sentence for sentence in found)
    store.close()
    done = touchstone("check", home=tmp_path)
    assert done.returncode == 1
    assert "is gone" in done.stdout


def test_a_project_that_is_not_there(home: Path) -> None:
    done = touchstone("check", "nowhere", home=home)
    assert done.returncode == 1
    assert "There is no project 'nowhere'" in done.stderr
    assert str(home) in done.stderr
