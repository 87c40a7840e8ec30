"""What does a release of 100,000 items cost, next to Label Studio's export of the same questions?

    .venv/bin/python -m benchmarks.export [--quick] [--items N] [--images N] [--peer-items N] [--without-peer]

Items that name their images are drawn and imported, voted on as dice say, and released: with evidence, card,
statistics and checks, as ``touchstone release create`` makes it. Then the items of that release are written again in
each format alone, in a process of its own: ``items_per_second`` is that of JSON lines, from the first query to the
last byte on the disk; the start of Python is not in it, as that of the peer's server is not in the peer's.
``release_items_per_second`` is that of the whole command, start and all, which also recomputes every verdict and
figure: the peer has nothing like it. Rows are held against the dice, and a study of a tenth shows how memory grows
with the number of items, of a format alone and of the whole command. 2,000 photographs are imported beside it. Label
Studio gets as many of the same questions as ``--peer-items`` says, with three annotations each, and exports them as
JSON over its own address.

The last line of the output is one JSON object; the exit status is 1 if anything is not as it has to be.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from exporters.writers import release_writer_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import large_study, machine
from benchmarks.label_studio import LOT
from benchmarks.large_study import PROJECT
from benchmarks.scale import Spent, Study, create_project, photos, run, touchstone
from testkit.serving import free_port
from tools.label_studio import VERSION, LabelStudio

FORMATS = ("jsonl", "csv", "parquet", "prov")
"""Formats that name images; the first one is what is compared with the peer."""
PICTURES = 200
"""So many small pictures are shared by all items: they are named, and never copied."""
SMALL = (160, 120)
GOALS = {"times_peer": 20, "times_memory_of_a_tenth": 1.5}
LABELING = """<View><Image name="image" value="$image"/><Text name="question" value="$question"/>
<Choices name="fits" toName="question" choice="single"><Choice value="yes"/><Choice value="no"/></Choices></View>"""


def study_of(n: int, work: Path, name: str) -> Study:
    """A home with a study of ``n`` items that are all voted on, each with an image that others have, too."""
    home = work / name
    home.mkdir()
    study = Study(home, home, large_study.drawn(n, 0))
    names = large_study.photographs(home / "media-in", PICTURES, size=SMALL)
    large_study.write_items(study.source, study.items, images=[names[at % PICTURES] for at in range(n)])
    touchstone("project", "list", home=home)
    create_project(study, PROJECT, images=True)
    spent = touchstone("item", "import", PROJECT, "pca_bench", study.source, "--media", home / "media-in", home=home)
    study.step("import", spent)
    study.must(study.rows("SELECT count(*) FROM item") == [(n,)], "not every item was imported")
    machine.log("voting")
    large_study.write_votes(home, study.items)
    touchstone("check", PROJECT, "--rebuild", home=home)
    return study


def release(study: Study) -> Spent:
    """The kept items as JSON lines, held against the dice."""
    out = study.work / "release"
    spent = touchstone(
        *("release", "create", PROJECT, "--formats", FORMATS[0], "--license", "CC0-1.0"),
        *("--despite", "items,adjudication,media,comments", "--out", out),
        home=study.home,
    )
    study.step("release", spent)
    kept = {str(each.number) for each in study.items if each.state == "kept"}
    rows = [json.loads(line) for line in (out / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    study.must({row["id"] for row in rows} == kept, "the release has other items than those that were kept")
    study.figures["released_items"] = len(kept)
    return spent


def formats(study: Study) -> dict[str, tuple[float, Spent]]:
    """The items of that release in each format alone, as a process of its own writes it: the seconds of that, and what
    the process took."""
    found = {}
    for format in FORMATS:
        out = study.work / f"again-{format}"
        script = ["-m", "benchmarks.export", "--write", format, "--into", str(out)]
        spent = run([sys.executable, *script], home=study.home)
        found[format] = (float(spent.said.splitlines()[-1]), spent)
        study.step(f"write {format}", spent)
        machine.log(f"{format}: {found[format][0]:.2f} s of {spent.figures()}")
        files = sorted((out / format).iterdir())
        study.must(len(files) == 1 and files[0].stat().st_size > 0, f"{format} has the files {files}")
    lines = (study.work / f"again-{FORMATS[0]}" / FORMATS[0] / "test.jsonl").read_bytes()
    n = lines.count(b"\n")
    study.must(n == study.figures["released_items"], f"the rows are {n:,}, not {study.figures['released_items']:,}")
    record = json.loads(lines[: lines.index(b"\n")])
    study.must(
        record.get("image", "").startswith("photo-"), f"the first row names its image as {record.get('image')!r}"
    )
    there = study.work / "release" / FORMATS[0] / "test.jsonl"
    same = hashlib.sha256(lines).digest() == hashlib.sha256(there.read_bytes()).digest()
    study.must(same, "what is written again is not what the release has")
    return found


def write_again(format: str, out: Path) -> float:
    """Write the items of the first release in a format, out of the project in this process's home; the seconds."""
    from annotation_schemas.formats import FORMATS as ROWS
    from db import releases
    from db.engine import open_store
    from exporters.release_folder import FolderWriter
    from media.store import MediaStore
    from workflow.access.projects import access_to
    from workflow.releases.contents import Contents, Media, released_set

    home = Path(os.environ["TOUCHSTONE_HOME"])
    store = open_store(None, home)
    writes = release_writer_of(ROWS[format])
    begun = time.perf_counter()
    try:
        with store.read() as session:
            access = access_to(session, person=None, project=PROJECT)
            row = releases.find_release(session, project_id=access.project_id, number=1, point=0)
            assert row is not None
            placed = releases.items_of(session, release_id=row.id)
        folder = FolderWriter(out)
        contents = Contents(store, access, placed, {}, Media(MediaStore(home / "media"), inside=False, folder=folder))
        date = str(row.told["date"])
        released = released_set(contents, version="1", date=date, about={}, formats=[format])
        writes(released, folder)
        return time.perf_counter() - begun
    finally:
        store.close()


def peer(n: int, work: Path) -> dict[str, Any]:
    """As many questions in Label Studio, with three annotations each: how fast they come out again."""
    server = LabelStudio(work / "label-studio", free_port())
    server.start()
    try:
        admin = server.admin
        project = admin.call("POST", "/api/projects", {"title": "export", "label_config": LABELING})["id"]
        result = [{"from_name": "fits", "to_name": "question", "type": "choices", "value": {"choices": ["yes"]}}]
        begun = time.monotonic()
        for first in range(0, n, LOT):
            lot = [
                {
                    "data": {"question": f"Question {number}?", "image": f"/pictures/photo-{number % PICTURES:05}.jpg"},
                    "annotations": [{"result": result} for _ in range(3)],
                }
                for number in range(first, min(first + LOT, n))
            ]
            admin.call("POST", f"/api/projects/{project}/import", lot)
        imported = time.monotonic() - begun
        begun = time.monotonic()
        found = admin.call("GET", f"/api/projects/{project}/export?exportType=JSON&download_all_tasks=true")
        exported = time.monotonic() - begun
        return {
            "version": VERSION,
            "items": len(found),
            "annotations": sum(len(task["annotations"]) for task in found),
            "import_items_per_second": round(n / imported, 1),
            "items_per_second": round(len(found) / exported, 1),
        }
    finally:
        server.kill()


def main() -> int:
    """Measure, and print one JSON object last."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="2,000 items; two minutes")
    parser.add_argument("--items", type=int, help="100,000, or 2,000 with --quick")
    parser.add_argument("--images", type=int, help="2,000, or 24 with --quick")
    parser.add_argument("--peer-items", type=int, help="2,000, or 200 with --quick")
    parser.add_argument("--without-peer", action="store_true", help="ours alone")
    parser.add_argument("--work", type=Path, help="where the files lie meanwhile; by default the system's place")
    parser.add_argument("--write", choices=FORMATS, help=argparse.SUPPRESS)
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        print(write_again(given.write, given.into))
        return 0
    n = given.items or (2_000 if given.quick else 100_000)
    figures: dict[str, Any] = {"benchmark": "export", "quick": given.quick, **machine.described()}
    figures["machine_busy_percent_before"] = machine.busy_percent()
    figures["goals"] = GOALS
    with tempfile.TemporaryDirectory(prefix="touchstone-export-", dir=given.work) as name:
        work = Path(name)
        small = study_of(max(n // 10, 200), work, "small")
        tenth, tenth_written = release(small), formats(small)
        study = study_of(n, work, "large")
        whole, written = release(study), formats(study)
        figures |= ours(study, whole, written)
        figures["peak_mb_of_a_tenth"] = round(tenth_written[FORMATS[0]][1].peak_mb)
        figures["release_items_per_second_of_a_tenth"] = round(small.figures["released_items"] / tenth.wall_s)
        figures["release_peak_mb_of_a_tenth"] = round(tenth.peak_mb)
        figures["release_times_memory_of_a_tenth"] = round(whole.peak_mb / tenth.peak_mb, 2)
        shown = Study(work / "shown", work, [])
        shown.home.mkdir()
        shown.step("start", touchstone("project", "list", home=shown.home))
        photos(shown, given.images or (24 if given.quick else 2_000))
        figures["images"], figures["images_per_second"] = shown.figures["photos"], shown.figures["images_per_second"]
        study.steps["photos"] = shown.steps["photos"]
        wrong = [*small.wrong, *study.wrong, *shown.wrong]
        if not given.without_peer:
            figures["label_studio"] = peer(given.peer_items or (200 if given.quick else 2_000), work)
            theirs = figures["peer_items_per_second"] = figures["label_studio"]["items_per_second"]
            figures["times_peer"] = round(figures["items_per_second"] / theirs, 1)
            figures["release_times_peer"] = round(figures["release_items_per_second"] / theirs, 2)
        figures["steps"], figures["wrong"] = study.steps, wrong
    print(json.dumps(figures))
    return 1 if wrong else 0


def ours(study: Study, whole: Spent, written: dict[str, tuple[float, Spent]]) -> dict[str, Any]:
    """What our part came to."""
    n = study.figures["released_items"]
    return {
        "items": len(study.items),
        "released_items": n,
        "import_items_per_second": round(len(study.items) / study.steps["import"]["wall_s"]),
        "items_per_second": round(n / written[FORMATS[0]][0]),
        "formats_items_per_second": {format: round(n / seconds) for format, (seconds, _) in written.items()},
        "peak_mb": round(written[FORMATS[0]][1].peak_mb),
        "release_items_per_second": round(n / whole.wall_s),
        "release_peak_mb": round(whole.peak_mb),
    }


if __name__ == "__main__":
    sys.exit(main())
