"""``frame create``: from a folder of videos to the pool, whose images are called by their videos and times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db import files
from db.engine import open_store
from testkit.missing_extensions import needs
from testkit.pictures import video
from testkit.serving import touchstone
from workflow.access.projects import create_project

pytestmark = pytest.mark.slow


@needs("commands", "pool")
def test_from_videos_to_the_pool(tmp_path: Path, sqlite_template: Path) -> None:
    home, videos, out = tmp_path / "home", tmp_path / "videos", tmp_path / "out"
    home.mkdir()
    (videos / "P01").mkdir(parents=True)
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, home)
    create_project(store, name="p", loaded=load_schema(shipped()["egothink"]))
    video(videos / "P01" / "P01_11.mp4", [n / 25 for n in range(60)], codec="libx264")
    (videos / "broken.mp4").write_bytes(b"\0\0\0\x18ftypmp42")
    (videos / "notes.txt").write_text("not a video")
    (tmp_path / "times.csv").write_text("source,time\nP01_11,0.5\nP01_11,1.5\nbroken,1\n")
    times = (str(videos), str(out), "--times", str(tmp_path / "times.csv"))
    assert touchstone("frame", "create", *times, "--montage", home=home).stdout.splitlines()[-1] == (
        f"1 sheet of thumbnails: {out / 'montage'}"
    )
    assert (out / "montage/0001.png").is_file()
    done = touchstone("frame", "create", *times, home=home)
    assert not (out / "montage").exists(), "it was of what was decided before"
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == f"2 frames kept and 0 dropped, of 2 videos. Manifest: {out / 'frames.jsonl'}"
    assert "Touchstone cannot decode broken.mp4" in done.stdout
    assert json.loads((out / "frames.jsonl").read_text().splitlines()[0])["taking"]["at_times"] is True
    added = touchstone("pool", "import", "p", str(out / "images"), home=home)
    assert added.stdout.splitlines() == ["2 images added.", "   P01/P01_11.mp4: 2"]
    with store.read() as session:
        names = ["P01/P01_11.mp4/00000.480000.png", "P01/P01_11.mp4/00001.480000.png"]
        assert set(files.asset_ids(session, project_id=1, names=names)) == set(names)
    store.close()
    nothing = touchstone(
        "frame", "create", str(videos / "broken.mp4"), str(tmp_path / "none"), "--every", "2", home=home
    )
    assert (nothing.returncode, nothing.stdout.splitlines()[1]) == (1, "Skipped: 1.")
    for arguments, words in (
        (["--every", "2", "--scenes"], "Choose how to take frames: --every"),
        ([], "Choose how to take frames: --every"),
        (["--seconds", "0"], "a number above 0"),
        (["--every", "2", "--format", "gif"], "png or jpg"),
        (["--every", "2", "--scene-change", "0.5"], "needs --scenes"),
        (
            ["--every", "2", "--least-motion", "3", "--most-motion", "2"],
            "motion 3 is above the maximum motion 2",
        ),
    ):
        refused = touchstone("frame", "create", str(videos), str(tmp_path / "x"), *arguments, home=home)
        assert refused.returncode == 1
        assert words in refused.stderr
    assert not (tmp_path / "x").exists()
