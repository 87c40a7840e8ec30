"""``touchstone check`` on a real database."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sqlite3
from pathlib import Path

from sqlmodel import select

from db.engine import open_store
from db.tables import AssetRow, MediaObjectRow, ProjectRow
from media.store import MediaStore, StoredMedia
from testkit.factories import make_items, make_project
from testkit.serving import touchstone
from tests.app.homes import picture
from workflow.files.media_check import check_media


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
    assert [sentence.split(": ")[1].split(" in the")[0] for sentence in found] == [
        f"The file {original.parent.name[:12]}..." for original in originals[:2]
    ]
    assert "in the media store is missing" in found[0]
    assert "differs from the imported file" in found[1]
    assert all("png, which no item uses yet." in sentence for sentence in found)
    store.close()
    done = touchstone("check", home=tmp_path)
    assert done.returncode == 1
    assert "in the media store is missing" in done.stdout


def test_what_could_not_be_shown_is_named_with_what_to_do(tmp_path: Path) -> None:
    """Originals as they came in, of which pages would be refused something: a copy, a clip that no one can take apart,
    an image that is none; each named once, and those that are well are not."""
    store = open_store(None, tmp_path)
    store.upgrade()
    media = MediaStore(tmp_path / "media")
    make_project(store, name="p")
    broken = {"clip": b"\x1aE\xdf\xa3webm" + bytes(500), "image": b"\x89PNG\r\n\x1a\n" + bytes(500)}
    named = {}
    for number in range(3):
        named[f"{number}.png"] = media.add(picture(number))
    for kind, content in broken.items():
        sha256 = hashlib.sha256(content).hexdigest()
        folder = tmp_path / "media" / sha256[:2] / sha256
        folder.mkdir(parents=True)
        mime = {"clip": "video/webm", "image": "image/png"}[kind]
        stored = StoredMedia(sha256, kind, mime, len(content), 4, 3, None, None)
        (folder / "about.json").write_text(json.dumps(dataclasses.asdict(stored)))
        for name in ("original", "display.webp", "thumb.webp", "frames.json"):
            (folder / name).write_bytes(content)
        named[f"broken {kind}"] = stored
    with store.write() as session:
        project = session.exec(select(ProjectRow.id)).one()
        for name, stored in named.items():
            known = {"sha256": stored.sha256, "kind": stored.kind, "created_at": store.now()}
            session.add(MediaObjectRow(mime=stored.mime, bytes=stored.bytes, **known))
            session.flush()
            session.add(AssetRow(project_id=project, name=name, **known))
    folder = tmp_path / "media" / named["1.png"].sha256[:2] / named["1.png"].sha256
    (folder / "thumb.webp").unlink()
    said = {sentence.rpartition("The file is ")[2].split(",")[0]: sentence for sentence in check_media(store, media)}
    assert set(said) == {"1.png", "broken clip", "broken image"}
    assert "The stored copy thumb is missing, so pages cannot show the file." in said["1.png"]
    assert f"Restore the folder {folder} from a backup" in said["1.png"]
    assert "ffmpeg -i OLD NEW.webm" in said["broken clip"]
    assert all("Touchstone cannot show the file" in sentence for sentence in said.values())
    store.close()


def test_a_project_that_is_not_there(home: Path) -> None:
    done = touchstone("check", "nowhere", home=home)
    assert done.returncode == 1
    assert "There is no project 'nowhere'" in done.stderr
    assert str(home) in done.stderr
