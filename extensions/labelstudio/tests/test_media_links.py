"""Test links to media for other tools' pages: the content of a token, and tokens that someone has changed."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.serving import signing_key
from app.serving.signing_key import key_of
from domain.errors import SettingsError
from domain.records import AssetView
from extensions.labelstudio.serving.media_links import Links, read_token, token

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
KEY = bytes(range(32))
PICTURE, CLIP = AssetView("as-s_et", "image", "image"), AssetView("clip-1", "clip", "clip")


def made(**changed: object) -> str:
    given = {"task": "task-key", "asset": "as-s_et", "until": NOW + timedelta(hours=1), **changed}
    return token(KEY, **given)  # type: ignore[arg-type]


def test_a_link_names_asset_and_task_until_its_time_is_over() -> None:
    links = Links("https://annotate.example.org/", KEY)
    for asset, size in ((PICTURE, "display"), (CLIP, "original")):
        head, name, text, ending = links.link("task-key", asset, NOW + timedelta(hours=12)).rsplit("/", 3)
        assert (head, name, ending) == ("https://annotate.example.org", "media-link", size)
        almost = NOW + timedelta(hours=12) - timedelta(seconds=1)
        assert read_token(text, key=KEY, now=almost) == (asset.id, "task-key")
        assert read_token(text, key=KEY, now=NOW + timedelta(hours=12)) is None
    assert KEY.hex() not in repr(links)
    assert repr(KEY) not in repr(links)


def test_the_signature_is_hmac_sha256_over_what_stands_in_the_open() -> None:
    told, _, signed = made().partition(".")
    content = base64.urlsafe_b64decode(told + "=" * (-len(told) % 4))
    assert json.loads(content) == ["as-s_et", "task-key", int((NOW + timedelta(hours=1)).timestamp())]
    peer = hmac.new(KEY, b"media-link\0" + content, hashlib.sha256).digest()
    assert signed == base64.urlsafe_b64encode(peer).decode().rstrip("=")


def test_no_changed_character_passes() -> None:
    good = made()
    assert read_token(good, key=KEY, now=NOW) == ("as-s_et", "task-key")
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for at, letter in enumerate(good):
        for other in letters if at in (0, len(good) - 1) else letters[::13]:
            if other != letter:
                assert read_token(good[:at] + other + good[at + 1 :], key=KEY, now=NOW) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "a",
        "forged",
        "é",
        "\x00",
        made() + "=",
        made() + ".",
        " " + made(),
        made().replace(".", ""),
        made().partition(".")[0],
        made().partition(".")[0] + ".",
        "." + made().partition(".")[2],
        made(task="other").partition(".")[0] + "." + made().partition(".")[2],
        made() * 10,
        "A" * 10_000,
    ],
)
def test_what_is_no_token_of_ours_names_nothing(text: str) -> None:
    assert read_token(text, key=KEY, now=NOW) is None


def test_another_home_s_links_are_nothing_here() -> None:
    assert read_token(made(), key=bytes(32), now=NOW) is None


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(lambda _: key_of(home), range(32)))
    assert len(keys) == 1
    assert len(keys.pop()) == 32
    path = home / signing_key.KEY_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in home.iterdir()] == [path.name]
    assert key_of(home) == key_of(home) != key_of(tmp_path / "other")


@pytest.mark.parametrize("text", ["", "abcd\n", "zz" * 32])
def test_a_broken_key_is_told_and_not_used(tmp_path: Path, text: str) -> None:
    (tmp_path / signing_key.KEY_FILE).write_text(text)
    with pytest.raises(SettingsError, match=r"media-links\.key .*Delete the file"):
        key_of(tmp_path)
