"""Every size of a covered picture, as the server sends it: nothing under the old address, nothing of what was there."""

from __future__ import annotations

from pathlib import Path

import pytest

from extensions.privacy import covering, detection
from extensions.privacy.boxes import CoverChoice
from extensions.privacy.tests.boxes import BOX
from testkit.covered import file, shows
from tests.app.asgi import call
from tests.app.homes import make_home
from tests.app.without_streamlit import application, session
from workflow.access import accounts
from workflow.annotate import image_pool


@pytest.mark.parametrize("format", ["PNG", "JPEG"])
def test_no_address_gives_what_is_covered(format: str, tmp_path: Path, sqlite_template: Path) -> None:
    home = make_home(tmp_path, sqlite_template, pictures=0)
    store, source = home.store(), tmp_path / "it"
    source.write_bytes(file(format=format))
    image_pool.add_to_pool(store, home.media(), by=None, project="tiny", files=[("it", source)])
    ana = accounts.find_person(store, login="ana")
    page = session(store, "ana")
    app = application(store, home)

    def sent(asset: str, size: str, **headers: str) -> tuple[int, bytes, str]:
        reply = call(app, "GET", f"/media/{asset}/{size}", headers={**page, **headers})
        return reply.status, reply.body, reply.headers.get("etag", "")

    sizes = ("original", "display", "thumb")
    before = image_pool.pool(store, person=ana, project="tiny").assets[0].id
    first = {size: sent(before, size) for size in sizes}
    assert all(status == 200 and shows(body) for status, body, _ in first.values())
    (seen,) = detection.list_media(store, home.media(), by=None, project="tiny").pictures
    told = [CoverChoice("it", seen.file, (BOX,))]
    covering.apply_decisions(store, home.media(), home.path, by=None, project="tiny", choices=told)
    assert {sent(before, size)[0] for size in sizes} == {404}
    after = image_pool.pool(store, person=ana, project="tiny").assets[0].id
    for size in sizes:
        status, body, tag = sent(after, size, **{"if-none-match": first[size][2]})
        assert (status, shows(body)) == (200, False), "nor does it say that a browser's copy is still good"
        assert tag != first[size][2]
    store.close()
