"""What does a release of 100,000 items cost, next to Label Studio's export of the same questions?

    .venv/bin/python -m benchmarks.export [--quick] [--items N] [--images N] [--peer-items N] [--without-peer]

Items are drawn and imported, voted on as dice say, and released as JSON lines with images by reference. The rows are
held against the dice. A smaller study shows that memory does not grow with the number of items, and 2,000 photographs
are imported beside it. Label Studio gets as many of the same questions as ``--peer-items`` says, with three annotations
each, and exports them as JSON over its own address.

The last line of the output is one JSON object; the exit status is 1 if anything is not as it has to be.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import large_study, machine
from benchmarks.label_studio import LOT
from benchmarks.large_study import PROJECT
from benchmarks.scale import Spent, Study, create_project, photos, touchstone
from testkit.serving import free_port
from tools.label_studio import VERSION, LabelStudio

GOALS = {"times_peer": 20, "times_memory_of_a_tenth": 1.5}
LABELING = """<View><Text name="question" value="$question"/>
<Choices name="fits" toName="question" choice="single"><Choice value="yes"/><Choice value="no"/></Choices></View>"""


def study_of(n: int, work: Path, name: str) -> Study:
    """A home with a study of ``n`` items that are all voted on."""
    home = work / name
    home.mkdir()
    study = Study(home, work, large_study.drawn(n, 0))
    study.source.unlink(missing_ok=True)
    large_study.write_items(study.source, study.items)
    touchstone("project", "list", home=home)
    create_project(study, PROJECT)
    spent = touchstone("import", PROJECT, "pca_bench", study.source, home=home)
    study.step("import", spent)
    machine.log("voting")
    large_study.write_votes(home, study.items)
    touchstone("check", PROJECT, "--rebuild", home=home)
    return study


def release(study: Study) -> Spent:
    """The kept items as JSON lines, held against the dice."""
    out = study.work / f"release-{len(study.items)}"
    spent = touchstone(
        *("release", "create", PROJECT, "--formats", "jsonl", "--license", "CC0-1.0"),
        *("--despite", "items,adjudication,media,comments", "--out", out),
        home=study.home,
    )
    kept = {str(each.number) for each in study.items if each.state == "kept"}
    rows = [json.loads(line) for line in (out / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    study.must({row["id"] for row in rows} == kept, "the release has other items than those that were kept")
    (data,) = (out / "jsonl").glob("*.jsonl")
    n = sum(1 for _ in data.open(encoding="utf-8"))
    study.must(n == len(kept), f"the rows are {n} and not {len(kept)}")
    study.figures["released_items"] = len(kept)
    return spent


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
                {"data": {"question": f"Question {number}?"}, "annotations": [{"result": result} for _ in range(3)]}
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
    given = parser.parse_args()
    n = given.items or (2_000 if given.quick else 100_000)
    figures: dict[str, Any] = {"benchmark": "export", "quick": given.quick, **machine.described()}
    figures["machine_busy_percent_before"] = machine.busy_percent()
    figures["goals"] = GOALS
    with tempfile.TemporaryDirectory(prefix="touchstone-export-", dir=given.work) as name:
        work = Path(name)
        small = study_of(max(n // 10, 200), work, "small")
        tenth = release(small)
        study = study_of(n, work, "large")
        figures["import_items_per_second"] = round(n / study.steps["import"]["wall_s"])
        whole = release(study)
        figures["items"], figures["released_items"] = n, study.figures["released_items"]
        figures["items_per_second"] = round(study.figures["released_items"] / whole.wall_s)
        figures["peak_mb"], figures["peak_mb_of_a_tenth"] = round(whole.peak_mb), round(tenth.peak_mb)
        photos(study, given.images or (24 if given.quick else 2_000))
        figures["images_per_second"] = study.figures["images_per_second"]
        wrong = [*small.wrong, *study.wrong]
        if not given.without_peer:
            figures["label_studio"] = peer(given.peer_items or (200 if given.quick else 2_000), work)
            figures["peer_items_per_second"] = figures["label_studio"]["items_per_second"]
            figures["times_peer"] = round(figures["items_per_second"] / figures["peer_items_per_second"], 1)
        figures["steps"], figures["wrong"] = study.steps, wrong
    print(json.dumps(figures))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
