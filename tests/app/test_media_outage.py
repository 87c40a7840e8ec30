"""While a bucket is away, the address of a picture says so, an upload is refused as a whole, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.routes.health import Health
from domain.errors import MediaUnavailableError
from media.bucket import BucketStorage
from media.cache import MediaCache
from media.store import MediaStore
from testkit.buckets import Bucket
from testkit.pictures import encoded, photo
from tests.app.asgi import call
from tests.app.homes import make_home
from tests.app.without_streamlit import application, session
from workflow.access import accounts
from workflow.annotate import image_pool


@pytest.fixture
def bucket(tmp_path: Path) -> Iterator[Bucket]:
    made = Bucket(tmp_path / "s3")
    yield made
    made.stop()


def test_an_outage_refuses_pictures_and_uploads_as_a_whole(
    bucket: Bucket, tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    storage = BucketStorage("s3://media/team", bucket.env, clock=lambda: now)
    media = MediaStore(tmp_path / "cache", cache=MediaCache(tmp_path / "cache", storage, room=10**9))
    other = MediaStore(tmp_path / "other", cache=MediaCache(tmp_path / "other", storage, room=10**9))
    home = make_home(tmp_path, sqlite_template, pictures=0)
    store, sources = home.store(), [tmp_path / "a.png", tmp_path / "b.png"]
    for n, source in enumerate(sources):
        source.write_bytes(encoded(photo(400 + n, 300)))
    image_pool.add_to_pool(store, other, by=None, project="tiny", files=[("a.png", sources[0])])
    ana = accounts.find_person(store, login="ana")
    asset = image_pool.pool(store, person=ana, project="tiny").assets[0].id
    monkeypatch.setattr(type(home), "media", lambda self: media)
    app, headers = application(store, home), session(store, "ana")
    stored = bucket.objects()

    bucket.stop()
    reply = call(app, "GET", f"/media/{asset}/display", headers=headers)
    assert (reply.status, reply.headers["cache-control"]) == (503, "no-store")
    told = json.loads(reply.body)["error"]
    assert told.startswith("The media storage s3://media/team does not answer, so images and clips are unavailable.")
    assert not any(value in reply.body.decode() for value in ("AKIATESTKEY", "not-to-be-seen"))
    with pytest.raises(MediaUnavailableError):
        image_pool.add_to_pool(store, media, by=None, project="tiny", files=[("b.png", sources[1])])
    assert len(image_pool.pool(store, person=ana, project="tiny").assets) == 1, "no row without its picture"
    health = Health(store, tmp_path, media.trouble)
    while health.media() == "ok":
        pass
    assert health.media() == told

    bucket.start()
    now = 60.0
    assert call(app, "HEAD", f"/media/{asset}/display", headers=headers).status == 200
    assert call(app, "GET", f"/media/{asset}/display", headers=headers).status == 200
    assert bucket.objects() == stored
    image_pool.add_to_pool(store, media, by=None, project="tiny", files=[("b.png", sources[1])])
    assert len(image_pool.pool(store, person=ana, project="tiny").assets) == 2
    store.close()
