"""The published files on their whole way: in, voted on by simulated people, released in every format, read by others.

    .venv/bin/python -m benchmarks.real_releases [--shared DIR] [--only egothink ...] [--work DIR]

Each item gets small pictures (and a clip, where it has progress) of its own, as the authors' are not redistributed.
People give the key, and of each twentieth item one of them says something else, so that it is not kept; of EgoPlan-Val
all are kept. Then a release is made in every format that takes the items. Whatever refuses them is named with its
sentence. `datasets`, `mlcroissant` and Inspect read the release offline, each by itself, and what they read is compared
with the authors' files: how many, which, the hashes of images, and the right answers.

The published files may not be redistributed: they are looked for in ``../shared``. The last line of the output is one
JSON object. The exit status is 1 if anything is not as it should be.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from benchmarks.scale import touchstone
from testkit import loaded
from testkit.paths import ROOT

if TYPE_CHECKING:
    from db.engine import Store
    from domain.records import ItemRecord

PLACES = {
    "egothink": ("egothink", "data"),
    "egoplan": ("egoplan", "EgoPlan_validation.json"),
    "pca_bench": ("pca_bench",),
}
ABOUT = {
    "license": "CC-BY-NC-4.0",
    "description": "Published questions with drawn pictures, to try loaders.",
    "creators": "The authors of the questions",
    "url": "https://example.org/set",
    "limitations": "The pictures are drawn.",
    "biases": "They are those of the published questions.",
    "personal_information": "None: no one is seen.",
    "use_cases": "Trying loaders.",
    "social_impact": "None is known.",
    "synthetic": "no",
    "derived_from": "The published annotation files",
    "generated_by": "Pictures were drawn, and votes simulated.",
}
REFUSES = re.compile(r"(\w+) cannot store the item|^(?:touchstone: )?(\w+): ", re.MULTILINE)
PER_DROPPED = 20


@dataclass
class Tried:
    """A benchmark on its way."""

    name: str
    data: Path
    work: Path
    records: list[ItemRecord] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        """Where the project is."""
        return self.work / "home"

    def must(self, right: bool, sentence: str) -> None:
        """Note what is not as it has to be."""
        if not right:
            machine.log(f"WRONG: {self.name}: {sentence}")
            self.wrong.append(sentence)

    def kept(self) -> list[ItemRecord]:
        """What all of its voters keep."""
        return [each for at, each in enumerate(self.records) if not self.dropped(at)]

    def dropped(self, at: int) -> bool:
        """Whether someone says something else of the ``at``-th item."""
        return self.name != "egoplan" and at % PER_DROPPED == 7


# ---- in -------------------------------------------------------------------------------------------------------------


def bring(tried: Tried) -> None:
    """Pictures, the project, the import, and everyone's votes."""
    from annotation_schemas import shipped
    from annotation_schemas.loader import load_schema
    from importers.items import read_items

    schema = load_schema(shipped()[tried.name]).schema_
    found = read_items(tried.data, format=tried.name, schema=schema)
    tried.records = [item for file in found.files for item in file.items]
    kinds = {slot.role: slot.kind for slot in schema.item.assets}
    media = tried.work / "pictures"
    clip = _clip(tried.work)
    for at, record in enumerate(tried.records):
        for role in dict.fromkeys(each.role for each in record.assets):
            path = media / record.external_id / f"{role}.{'webm' if kinds[role] == 'clip' else 'png'}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(clip if kinds[role] == "clip" else _picture(at))
    tried.home.mkdir()
    touchstone("project", "create", tried.name, "--schema", _unqualified(tried), home=tried.home)
    touchstone("item", "import", tried.name, tried.name, tried.data, "--media", media, home=tried.home)
    touchstone(
        *("release", "edit", tried.name),
        *(part for name, said in ABOUT.items() for part in ("--set", f"{name}={said}")),
        home=tried.home,
    )
    from db.engine import open_store

    with closing(open_store(None, tried.home)) as store:
        tried.figures["votes"] = _vote(store, tried)


def _unqualified(tried: Tried) -> Path:
    """The benchmark's schema without the test that people have to pass: it has a benchmark of its own."""
    from annotation_schemas import HOME, shipped

    lines = shipped()[tried.name].read_text(encoding="utf-8").splitlines(keepends=True)
    path = tried.work / f"{tried.name}.yaml"
    path.write_text("".join(line for line in lines if not line.strip().startswith("qualification:")), encoding="utf-8")
    shutil.copytree(HOME / "guidelines", tried.work / "guidelines")
    return path


def _picture(at: int) -> bytes:
    """A small picture that no other item has."""
    from PIL import Image

    image = Image.new("RGB", (24, 16), (at % 251, at // 251, 90))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _clip(work: Path) -> bytes:
    from testkit.pictures import video

    return video(work / "clip.webm", [at / 10 for at in range(5)]).read_bytes()


def _vote(store: Store, tried: Tried) -> int:
    """Everyone votes on everything that they are offered; how many votes that is."""
    from domain.records import TaskView
    from domain.roles import Role
    from domain.states import Stage
    from workflow.access import accounts, memberships, projects
    from workflow.annotate import submissions
    from workflow.annotate.claims import next_task

    with store.read() as session:
        schema = projects.access_to(session, person=None, project=tried.name).schema
    assert schema.stages.verification is not None
    places = {each.external_id: at for at, each in enumerate(tried.records)}
    n = 0
    for number in range(schema.stages.verification.raters):
        login = f"voter{number}"
        person = accounts.create_person(store, login=login, name=login.title())
        memberships.set_member(store, by=None, project=tried.name, login=login, role=Role.ANNOTATOR)
        while isinstance(
            view := next_task(store, person=person, project=tried.name, stage=Stage.VERIFICATION), TaskView
        ):
            at = places[_item_of(store, view.id)]
            says = _says(tried, at, other=number == 0 and tried.dropped(at))
            submissions.submit(
                store, person=person, task=view.id, key=view.id, values=says[0], reasons=says[1], seconds=20.0
            )
            n += 1
            if n % 500 == 0:
                machine.log(f"{tried.name}: {n:,} votes")
    return n


def _item_of(store: Store, task: str) -> str:
    """The id in files of the item that a task is about: what voters see does not tell items apart."""
    from sqlalchemy import select

    from db.tables import ItemRow, TaskRow

    wanted = select(ItemRow.external_id).join(TaskRow, TaskRow.item_id == ItemRow.id)  # type: ignore[call-overload]
    with store.read() as session:
        return str(session.execute(wanted.where(TaskRow.public_id == task)).scalar_one())


def _says(tried: Tried, at: int, *, other: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    if tried.name == "egothink":
        return ({"fits": "no"}, {"fits": "wrong_answer"}) if other else ({"fits": "yes"}, {})
    record = tried.records[at].fields
    key = record["answer"]
    wrong = next(each for each in record.get("options") or record["actions"] if each != key)
    return {"choice": wrong if other else key}, {}


# ---- out ------------------------------------------------------------------------------------------------------------


def release(tried: Tried) -> Path:
    """A release in every format that takes the items; the others are named with what they say."""
    from annotation_schemas import shipped
    from annotation_schemas.loader import load_schema
    from workflow.releases.format_choice import releasable

    schema = load_schema(shipped()[tried.name]).schema_
    rows = releasable(schema)
    refused = {name: why for name, row in rows.items() if (why := row.carries(schema)) is not None}
    wanted = [name for name in rows if name not in refused]
    for attempt in range(len(wanted)):
        out = tried.work / f"release-{attempt}"
        spent = touchstone(
            *("release", "create", tried.name, "--media", "--out", out, "--formats", ",".join(wanted)),
            *("--despite", "items"),
            home=tried.home,
            fails=True,
        )
        if out.exists():
            tried.figures |= {"formats": wanted, "refused": refused, "release": spent.figures()}
            return out
        named = [next(filter(None, groups)) for groups in REFUSES.findall(spent.said)]
        gone = [each for each in dict.fromkeys(named) if each in wanted]
        if not gone:
            raise RuntimeError(spent.said[-2000:])
        for each in gone:
            refused[each] = next(line for line in spent.said.splitlines() if each in line)[-300:]
            wanted.remove(each)
    raise RuntimeError("no format takes the items")


def compared(tried: Tried, root: Path) -> None:
    """What each loader reads, held against the authors' files."""
    kept = tried.kept()
    ids = [each.external_id for each in kept]
    touchstone("release", "check", root, home=tried.home)  # ends with an error if anything is wrong
    pictures = {each.external_id: hashlib.sha256(_picture(at)).hexdigest() for at, each in enumerate(tried.records)}
    for loader, splits in loaded.read(root, home=tried.work / "loaders").items():
        rows = splits["test"]
        tried.figures.setdefault("read", {})[loader] = len(rows)
        names = [row["id"] if loader != "hub" else row["metadata"]["id"] for row in rows]
        tried.must(sorted(names) == sorted(ids), f"{loader} reads other items ({len(names):,}, not {len(ids):,})")
        by_id = dict(zip(names, rows, strict=True))
        unlike = [each for each in kept if not _equal(loader, by_id[each.external_id], each, pictures)]
        tried.must(not unlike, f"{loader} reads {len(unlike):,} items otherwise, {[x.external_id for x in unlike[:3]]}")
    for path, n in _lines(root).items():
        tried.must(n == len(kept), f"{path} has {n:,} items, not {len(kept):,}")
        tried.figures.setdefault("written", {})[path] = n


def _equal(loader: str, row: dict[str, Any], item: ItemRecord, pictures: dict[str, str]) -> bool:
    fields = item.fields
    options = fields.get("options") or fields.get("actions")
    shown = pictures[item.external_id]
    role = next(each.role for each in item.assets if each.role != "progress")
    if loader == "datasets":
        return bool(row["question"] == fields["question"] and row["answer"] == fields["answer"] and row[role] == shown)
    if loader == "croissant":
        return bool(row["question"] == fields["question"] and row["answer"] == fields["answer"])
    said = row["choices"]["ABCDEFGHIJ".index(row["target"])] if options else row["target"]
    there = row["shown"] or row["inside"]
    return bool(said == fields["answer"] and row["choices"] == options and there == [shown])


def _lines(root: Path) -> dict[str, int]:
    """How many items each file of the others has."""
    import pandas

    found: dict[str, int] = {}
    for path in [*root.glob("jsonl/*.jsonl"), *root.glob("prov/*.jsonl"), *root.glob("lmms_eval/asked.jsonl")]:
        found[path.relative_to(root).as_posix()] = sum(1 for line in path.open(encoding="utf-8") if line.strip())
    for path in [*root.glob("llava/test.json"), *root.glob("egoplan/*.json")]:
        found[path.relative_to(root).as_posix()] = len(json.loads(path.read_bytes()))
    for path in root.glob("csv/*.csv"):
        found[path.relative_to(root).as_posix()] = len(pandas.read_csv(path))
    for path in root.glob("vlmevalkit/*.tsv"):  # as its loader: what has no image is left out
        table = pandas.read_csv(path, sep="\t")
        found[path.relative_to(root).as_posix()] = int((~table["image"].isna()).sum())
    for name in ("egothink", "pca_bench"):
        files = sorted((root / name).rglob("*.json"))
        if files:
            found[name] = sum(len(json.loads(path.read_bytes())) for path in files)
    return found


def counts(tried: Tried, root: Path) -> dict[str, Any]:
    """What is published of how many there are, out of the release's own lines."""
    if tried.name == "egoplan":
        rows = [json.loads(line) for line in (root / "jsonl" / "test.jsonl").open(encoding="utf-8")]
        found = {
            "questions": len(rows),
            "goals": len({row["task_goal"].lower().removesuffix(".") for row in rows}),
            "scenes": len({_scene(row) for row in rows}),
        }
        tried.must(found == {"questions": 3355, "goals": 2407, "scenes": 279}, f"EgoPlan-Val has {found}")
        return found
    planned = Counter(each.dimension for each in tried.kept())
    lines = (root / "items.jsonl").read_text(encoding="utf-8").splitlines()
    found = dict(Counter(json.loads(line)["dimension"] for line in lines))
    tried.must(found == planned, f"the dimensions have {found}")
    every = Counter(each.dimension for each in tried.records)
    if tried.name == "egothink":
        right = all(n == (100 if name in ("activity", "forecasting") else 50) for name, n in every.items())
        tried.must(right and len(every) == 9, f"the files have {dict(every)}")
    return found


def _scene(row: dict[str, Any]) -> str:
    """A video; of EPIC-KITCHENS a participant, who has one kitchen."""
    video = str(row["video_id"])
    return video.partition("_")[0] if row["video_source"] == "EpicKitchens" else video


def main() -> int:
    """Try them, and print one JSON object last."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared", metavar="DIR")
    parser.add_argument("--only", nargs="+", choices=PLACES, default=tuple(PLACES), metavar="NAME")
    parser.add_argument("--work", type=Path, help="where the files lie meanwhile; by default the system's place")
    given = parser.parse_args()
    if not (given.shared / "data").is_dir():
        print(f"{given.shared} has no published files; name their folder with --shared.", file=sys.stderr)
        return 2
    told: dict[str, Any] = {}
    wrong: list[str] = []
    for name in given.only:
        with tempfile.TemporaryDirectory(prefix=f"touchstone-{name}-", dir=given.work) as work:
            tried = Tried(name, given.shared.joinpath("data", *PLACES[name]), Path(work))
            bring(tried)
            root = release(tried)
            compared(tried, root)
            tried.figures |= {"items": len(tried.records), "kept": len(tried.kept()), "counts": counts(tried, root)}
            told[name] = tried.figures
            wrong += [f"{name}: {each}" for each in tried.wrong]
            machine.log(json.dumps({name: tried.figures}))
    print(json.dumps({"benchmark": "real_releases", "sets": told, "wrong": wrong}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
