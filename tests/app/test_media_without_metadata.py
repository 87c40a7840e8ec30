"""Every address that gives a rater an original gives it without its author and place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.asgi import call
from tests.app.homes import make_home
from tests.app.without_streamlit import application, session
from tests.media.test_strip_metadata import SECRET, _jpeg
from workflow.access import accounts
from workflow.annotate import image_pool


@pytest.mark.parametrize("size", ["original", "display", "thumb"])
def test_no_size_of_a_picture_says_who_took_it(size: str, tmp_path: Path, sqlite_template: Path) -> None:
    home = make_home(tmp_path, sqlite_template, pictures=0)
    store, source = home.store(), tmp_path / "Ana Author.jpg"
    source.write_bytes(_jpeg(6))
    image_pool.add_to_pool(store, home.media(), by=None, project="tiny", files=[("Ana Author.jpg", source)])
    ana = accounts.find_person(store, login="ana")
    asset = image_pool.pool(store, person=ana, project="tiny").assets[0].id
    reply = call(application(store, home), "GET", f"/media/{asset}/{size}", headers=session(store, "ana"))
    assert reply.status == 200
    assert SECRET not in reply.body
    assert "Ana" not in json.dumps(reply.headers)
    again = call(application(store, home), "GET", f"/media/{asset}/{size}", headers=session(store, "ana"))
    assert again.body == reply.body
    store.close()
