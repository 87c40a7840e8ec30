"""Clips and observation frames out of long videos: are they the right frames, and how many are decoded for them?

    .venv/bin/python benchmarks/clips.py [--quick] [--items N] [--frames N]

Makes a film of H.264 (a keyframe every 250 frames, as x264 does it by itself) in which every frame carries its own
number, and EgoPlan items about it, each with an observation frame anywhere in the film and a progress clip of some
seconds before it. They are imported as a lead would. What then lies in the store is read without our code: every
frame's number is compared with the one that the item names.

Next to it, each observation frame alone, as a script would get it: OpenCV (set to the frame's number, then read), and
PyAV decoding from the first frame on, which is sure and was how Touchstone did it.

A table goes to standard error; the last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import av
from PIL import Image

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from benchmarks import machine
from db import files
from db.engine import open_store
from media import clips
from media.store import MediaStore
from testkit.pictures import numbered
from testkit.samples import egoplan_record, write
from workflow.access.projects import create_project
from workflow.files.import_files import import_files

RATE = 25
GROUP = 250
"""Frames from one keyframe to the next, as x264 sets them by itself."""
CLIP_SECONDS = (2.0, 8.0)
BITS, SQUARE = 16, 16
SIZE = (320, 240)


def main() -> int:
    """Run it and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="3,000 frames and 12 items")
    parser.add_argument("--frames", type=int, default=30_000, help="length of the film (30,000: 20 minutes)")
    parser.add_argument("--items", type=int, default=60, help="how many items are about it (60)")
    given = parser.parse_args()
    n_frames, n_items = (3000, 12) if given.quick else (given.frames, given.items)
    with tempfile.TemporaryDirectory(prefix="touchstone-clips-") as name:
        folder = Path(name)
        machine.log(f"a film of {n_frames:,} frames")
        film = made(folder / "media" / "V00.mp4", n_frames)
        asked = drawn(n_frames, n_items)
        figures: dict[str, Any] = {"frames_in_film": n_frames, "items": n_items, "group_of_pictures": GROUP}
        machine.log("importing")
        figures |= imported(folder, asked)
        machine.log("OpenCV, and PyAV from the beginning")
        wanted = [last for _, last in asked]
        figures |= {f"opencv_{key}": value for key, value in timed(with_opencv, film, wanted).items()}
        figures |= {f"from_start_{key}": value for key, value in timed(from_the_start, film, wanted).items()}
        figures |= {f"ours_{key}": value for key, value in timed(with_ours, film, wanted).items()}
    for key in ("opencv", "from_start"):
        figures[f"{key}_seconds_to_ours"] = round(figures[f"{key}_seconds"] / figures["ours_seconds"], 1)
    for key, value in figures.items():
        print(f"{key:<32} {value}", file=sys.stderr)
    print(json.dumps({**figures, "machine": machine.described()}))
    return 0 if figures["frames_right"] == figures["frames_needed"] else 1


def numbered_frame(base: Image.Image, number: int) -> Image.Image:
    """The picture with its number in sixteen bits along the upper edge."""
    picture = base.copy()
    for bit in range(BITS):
        shade = (255,) * 3 if number >> bit & 1 else (0,) * 3
        picture.paste(shade, (bit * SQUARE, 0, (bit + 1) * SQUARE, SQUARE))
    return picture


def number_on(picture: Image.Image) -> int:
    """Which frame this is."""
    grey = picture.convert("L")
    middle = SQUARE // 2
    bits = (int(grey.getpixel((bit * SQUARE + middle, middle)) > 127) << bit for bit in range(BITS))  # type: ignore[operator]
    return sum(bits)


def made(path: Path, n_frames: int) -> Path:
    """The film, with frames that depend on later ones, as cameras and x264 have them."""
    path.parent.mkdir(parents=True)
    base = numbered(0, SIZE)
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        stream.options = {"g": str(GROUP), "bf": "3", "preset": "veryfast"}
        for number in range(n_frames):
            container.mux(stream.encode(av.VideoFrame.from_image(numbered_frame(base, number))))
        container.mux(stream.encode())
    return path


def drawn(n_frames: int, n_items: int, seed: int = 1) -> list[tuple[int, int]]:
    """(first, last) frame of each item's progress."""
    rng = random.Random(seed)
    found = []
    for _ in range(n_items):
        length = int(RATE * rng.uniform(*CLIP_SECONDS))
        last = rng.randrange(length + 1, n_frames)
        found.append((last - length, last))
    return found


def imported(folder: Path, asked: list[tuple[int, int]]) -> dict[str, Any]:
    """Imports the items as a lead would, and looks at every frame that came of it."""
    store, media = open_store(f"sqlite:///{folder / 'touchstone.db'}", folder), MediaStore(folder / "store")
    store.upgrade()
    create_project(store, name="p", loaded=load_schema(shipped()["egoplan"]))
    records = [
        egoplan_record(
            n,
            video_id="V00",
            current_observation_frame=last,
            task_progress_metadata=[{"narration_text": "move", "start_frame": first, "stop_frame": last}],
        )
        for n, (first, last) in enumerate(asked)
    ]
    path = write(folder / "val.json", records)
    decode, n_decoded = clips._decoded, 0

    def counting(*given: Any) -> Iterator[Any]:
        nonlocal n_decoded
        for each in decode(*given):
            n_decoded += 1
            yield each

    clips._decoded = counting
    begun = time.process_time()
    done = import_files(store, media, by=None, project="p", format="egoplan", path=path, media_dir=folder / "media")
    seconds = time.process_time() - begun
    clips._decoded = decode
    assert done.assets_missing == 0
    right = needed = 0
    with store.read() as session:
        names = [f"{n}/{role}" for n in range(len(asked)) for role in ("observation", "progress")]
        have = files.asset_ids(session, project_id=1, names=names)
    for n, (first, last) in enumerate(asked):
        with Image.open(media.path(str(have[f"{n}/observation"][1]))) as still:
            right, needed = right + (number_on(still) == last), needed + 1
        with av.open(str(media.path(str(have[f"{n}/progress"][1])))) as container:
            shown = [number_on(frame.to_image()) for frame in container.decode(video=0)]
        expected = list(range(first, last + 1))
        right += sum(a == b for a, b in zip(shown, expected, strict=False)) if len(shown) == len(expected) else 0
        needed += len(expected)
    store.close()
    return {
        "frames_needed": needed,
        "frames_right": right,
        "frames_decoded": n_decoded,
        "decoded_per_needed": round(n_decoded / needed, 2),
        "from_start_decoded_per_needed": round(sum(2 * last + 2 for _, last in asked) / needed, 2),
        "import_cpu_seconds": round(seconds, 1),
    }


def timed(way: Any, film: Path, wanted: list[int]) -> dict[str, Any]:
    """Processor time of getting these frames one by one, and how many were right."""
    begun = time.process_time()
    got = [way(film, index) for index in wanted]
    seconds = time.process_time() - begun
    return {"right": sum(number_on(each) == index for each, index in zip(got, wanted, strict=True)), "seconds": seconds}


def with_ours(film: Path, index: int) -> Image.Image:
    """``media.clips.frame``."""
    with tempfile.NamedTemporaryFile(suffix=".png") as out:
        clips.frame(film, index=index, out=Path(out.name))
        with Image.open(out.name) as picture:
            picture.load()
            return picture


def with_opencv(film: Path, index: int) -> Image.Image:
    """OpenCV set to the frame's number."""
    import cv2

    capture = cv2.VideoCapture(str(film))
    capture.set(cv2.CAP_PROP_POS_FRAMES, index)
    _, frame = capture.read()
    capture.release()
    return Image.fromarray(frame[:, :, ::-1])


def from_the_start(film: Path, index: int) -> Image.Image:
    """PyAV, every frame before it decoded."""
    with av.open(str(film)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        for number, frame in enumerate(container.decode(stream)):
            if number == index:
                return frame.to_image()
    raise IndexError(index)


if __name__ == "__main__":
    sys.exit(main())
