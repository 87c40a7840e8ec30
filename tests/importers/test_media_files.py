"""Media are found by the names that files give, and never outside their folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.errors import InvalidFileError
from importers.media_files import MediaFolder


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return path


def test_media_are_found_by_path_id_and_video(tmp_path: Path) -> None:
    direct, nested = touch(tmp_path / "1.jpg"), touch(tmp_path / "Activity/images/1.jpg")
    by_id, video = touch(tmp_path / "Object/attribute/3.PNG"), touch(tmp_path / "P01/videos/P01_05.MP4")
    touch(tmp_path / "P01/videos/P01_05.csv")
    media = MediaFolder(tmp_path)
    assert media.named("1.jpg", folders=["Activity", "Activity/images", ""]) == nested
    assert media.named("1.jpg", folders=["Forecast", ""]) == direct
    assert media.named("Activity\\images\\1.jpg", folders=[""]) == nested
    assert media.named("ego4d/1.jpg", folders=["Activity/images"]) == nested
    assert media.named("2.jpg", folders=[""]) is None
    assert media.of_id("Object/attribute/3", "image") == by_id
    assert media.of_id("Object/attribute/3", "clip") is None
    assert media.of_id("3", "image") is None
    assert media.of_video("P01_05") == video


def test_nothing_outside_the_folder_is_found(tmp_path: Path) -> None:
    secret = touch(tmp_path / "secret.jpg")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.jpg").symlink_to(secret)
    media = MediaFolder(inside)
    for name in ("../secret.jpg", str(secret), "link.jpg", "x/../../secret.jpg"):
        assert media.named(name, folders=["", "x"]) is None
    assert media.of_id("../secret", "image") is None


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match=r"The media folder .*none does not exist"):
        MediaFolder(tmp_path / "none")
