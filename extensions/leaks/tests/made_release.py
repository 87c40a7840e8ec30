"""A finished release: a public and a private folder, in which tests plant leaks."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from annotation_schemas.formats.released import ReleasedAsset
from extensions.leaks.check import LeakReport, find_leaks
from tests.workflow.releases.made import CANARY, made, schema_of

pq = pytest.importorskip("pyarrow.parquet")
pa = pytest.importorskip("pyarrow")

OPTION = "kind: option_of, field: options"
WORDS = [
    *("cup", "pot", "box", "jar", "pan", "lid", "fork", "bowl", "knife", "plate", "spoon", "towel", "glass", "bottle"),
    *("kettle", "sponge", "drawer", "handle"),
]


def picture(seed: int, *, told: PngInfo | None = None, dimmed: int = 0, wide: int = 18) -> bytes:
    grey = np.random.default_rng(seed).integers(40, 255, (16, wide), dtype=np.uint8) - dimmed
    out = io.BytesIO()
    Image.fromarray(np.kron(grey, np.ones((4, 4), dtype=np.uint8))).save(out, "PNG", pnginfo=told)
    return out.getvalue()


@dataclass
class Release:
    """A public and a private folder, and what they were made of."""

    public: Path
    private: Path
    rows: list[dict[str, Any]]
    """Test items first: id, split, question, options, answer, reason, image (bytes)."""
    pictures: list[bytes] = field(default_factory=list)

    @property
    def test(self) -> list[dict[str, Any]]:
        return [row for row in self.rows if row["split"] == "test"]

    def seen(self, row: dict[str, Any], **more: Any) -> dict[str, Any]:
        """A row as it is public."""
        kept = ("answer", "reason") if row["split"] == "test" else ()
        return {name: value for name, value in row.items() if name not in ("image", *kept)} | more

    def write(self, change: Callable[[dict[str, Any], dict[str, Any]], None] = lambda row, public: None) -> None:
        """All files; ``change`` may plant something in each row of the JSON lines."""
        shutil.rmtree(self.public, ignore_errors=True)
        (self.public / "data").mkdir(parents=True)
        (self.public / "jsonl").mkdir()
        for split in ("test", "train"):
            rows = [row for row in self.rows if row["split"] == split]
            columns = [
                {
                    **self.seen(row),
                    "canary": CANARY.public,
                    "image": {"bytes": row["image"], "path": f"{row['id']}.png"},
                }
                for row in rows
            ]
            pq.write_table(pa.Table.from_pylist(columns), self.public / "data" / f"{split}-00000-of-00001.parquet")
            lines = []
            for row in rows:
                public = self.seen(row)
                change(row, public)
                lines.append(json.dumps(public) + "\n")
            (self.public / "jsonl" / f"{split}.jsonl").write_text("".join(lines))
        with (self.public / "items.csv").open("w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["id", "split", "question", "a", "b", "c", "d"])
            out.writerows([[row["id"], row["split"], row["question"], *row["options"]] for row in self.rows])
        (self.public / "README.md").write_text(f"# Kitchen\n\n{CANARY.sentence}\n")
        listed = {
            path.relative_to(self.public).as_posix(): {"bytes": path.stat().st_size}
            for path in self.public.rglob("*.*")
        }
        counts = {"items": len(self.rows), "kept": len(self.rows)}
        manifest = {"files": listed, "counts": counts, "items": [{"id": row["id"]} for row in self.rows]}
        (self.public / "manifest.json").write_text(json.dumps(manifest))
        for path in self.public.rglob("*"):
            os.utime(path, (1_700_000_000, 1_700_000_000))

    def check(self, **how: Any) -> LeakReport:
        return find_leaks(self.public, self.private, **how)

    def kinds(self) -> set[str]:
        return {leak.kind for leak in self.check().leaks}


def release(folder: Path, seed: int = 1, n: int = 60, *, key: str = OPTION, **how: Any) -> Release:
    dice = random.Random(seed)
    rows = []
    for split, many in (("test", n), ("train", n // 2)):
        for at in range(many):
            options = dice.sample(WORDS, 4)
            place = how.get("place", dice.randrange(4))
            if how.get("longest"):
                options[place] += " that stands on the left"
            row = {
                "id": how.get("name", lambda split, at, place: f"{split}{at:03}")(split, at, place),
                "split": split,
                "question": f"What is taken from the shelf in scene {dice.randrange(10**6)}?",
                "options": options,
                "answer": options[place],
                "reason": how.get("reason", "The hand reaches for the {} in frame {}.").format(
                    options[place], dice.randrange(10**6)
                ),
                "image": picture(dice.randrange(10**6), wide=18 + 4 * place if how.get("sized") else 18),
            }
            rows.append(row)
    fields = {name: ("question", "options", "answer", "reason") for name in ("test", "train")}
    there = [("what", row) for row in rows]
    release_of = made(
        schema_of(key),
        [(row["id"], name, row["split"], {key: row[key] for key in fields[row["split"]]}) for name, row in there],
        assets={
            row["id"]: [ReleasedAsset("image", "x.png", "image", sha(row["image"]), "image/png", 1)] for row in rows
        },
    )
    release_of.keys(folder / "private")
    found = Release(folder / "public", folder / "private", rows)
    found.write()
    return found


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def letter(row: dict[str, Any]) -> str:
    return "ABCD"[row["options"].index(row["answer"])]


def digest(algorithm: str, text: str) -> str:
    return hashlib.new(algorithm, text.encode()).hexdigest()
