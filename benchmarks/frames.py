"""Frames out of videos: are they right, never later, and what do they cost next to OpenCV and to plain decoding?

    .venv/bin/python benchmarks/frames.py [--quick]

Makes clips whose every frame carries its number, at constant and at variable rate, in H.264 with B-frames, VP8 and AV1,
and asks for frames at random times: `right` and `later` are shares of all of these. Then a clip of EgoPlan's shape: 45
different times within three minutes, nine of them asked twice. (In the published validation file an EPIC-KITCHENS video
has a mean of 45 different observations, starts and ends of progress, within a median of three minutes; its 5.5 items
ask for a mean of 9.9 each, 54 in all.)
Touchstone takes all times of the clip at once; OpenCV is set to each of them (CAP_PROP_POS_MSEC) and reads. Last a film
of 30 minutes: a frame each second next to decoding all of it, memory, and a command that is killed and goes on.

A table goes to standard error; the last line of the output is one JSON object. Times are processor time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import av
import psutil
from PIL import Image

from benchmarks import machine
from media import frames
from testkit.paths import ROOT
from testkit.pictures import numbered

BITS, SQUARE = 16, 16
SIZE = (320, 240)
RATE = 30
GROUP = 250
"""Frames from one keyframe to the next, as x264 sets them by itself."""
SPAN, TIMES, ASKED = 180, 45, 54


def main() -> int:
    """Run it and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="short clips, and a film of three minutes")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory(prefix="touchstone-frames-") as name:
        folder = Path(name)
        figures = correctness(folder, quick)
        figures |= egoplan(folder)
        figures |= long_film(folder, 180 if quick else 1800)
    for key, value in figures.items():
        print(f"{key:<34} {value}", file=sys.stderr)
    print(json.dumps({**figures, "quick": quick, "machine": machine.described()}))
    return 0 if figures["right"] == 1 and figures["later"] == 0 and figures["resumed_equal"] else 1


def film(path: Path, times: Sequence[Fraction], codec: str = "libx264", group: int = GROUP) -> Path:
    """A film whose n-th frame carries n, and comes on screen at the n-th of these times."""
    base = numbered(0, SIZE)
    tick = Fraction(1, 1000)
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=RATE)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        stream.codec_context.time_base = tick
        stream.options = {"g": str(group)}
        if codec == "libx264":
            stream.options |= {"bf": "3", "preset": "veryfast"}
        if codec == "libvpx":
            stream.bit_rate = 2_000_000
            stream.options |= {"deadline": "realtime", "cpu-used": "8"}
        for number, at in enumerate(times):
            picture = base.copy()
            for bit in range(BITS):
                shade = (255,) * 3 if number >> bit & 1 else (0,) * 3
                picture.paste(shade, (bit * SQUARE, 0, (bit + 1) * SQUARE, SQUARE))
            frame = av.VideoFrame.from_image(picture)
            frame.pts, frame.time_base = round(at / tick), tick
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def number_on(picture: Image.Image) -> int:
    """Which frame this is."""
    grey = picture.convert("L")
    middle = SQUARE // 2
    return sum(int(grey.getpixel((bit * SQUARE + middle, middle)) > 127) << bit for bit in range(BITS))  # type: ignore[operator]


def steady(n: int) -> list[Fraction]:
    """Times of a constant rate, on a clock of milliseconds."""
    return [Fraction(round(1000 * k / RATE), 1000) for k in range(n)]


def uneven(n: int, seed: int = 1) -> list[Fraction]:
    """Times of a phone that hesitates."""
    rng = random.Random(seed)
    at, found = 0, []
    for _ in range(n):
        found.append(Fraction(at, 1000))
        at += rng.choice((16, 33, 33, 34, 50, 310))
    return found


def correctness(folder: Path, quick: bool) -> dict[str, Any]:
    """Random times, and times of frames themselves, over clips of several codecs."""
    n, n_asked = (300, 60) if quick else (1500, 400)
    asked = right = later = 0
    rng = random.Random(2)
    for name, times, codec in (
        ("steady.mp4", steady(n), "libx264"),
        ("uneven.mp4", uneven(n), "libx264"),
        ("uneven.mkv", uneven(n, 2), "libx264"),
        ("uneven.webm", uneven(n, 3), "libvpx"),
        ("uneven_av1.mp4", uneven(n // 3, 4), "libsvtav1"),
    ):
        machine.log(name)
        path = film(folder / name, times, codec, 60)
        moments = [Fraction(rng.randrange(int(times[-1] * 10000)), 10000) for _ in range(n_asked)]
        moments += rng.sample(times, n_asked // 4)
        with frames.opened(path) as opened:
            index = {moment: opened.at(moment) for moment in moments}
            shown = {found.index: number_on(found.picture) for found in opened.read([*index.values()]) if found.picture}
        for moment in moments:
            expected = sum(at <= moment for at in times) - 1
            got = shown.get(index[moment])
            asked, right = asked + 1, right + (got == expected)
            later += got is not None and times[min(got, len(times) - 1)] > moment
    return {"frames_asked": asked, "right": right / asked, "later": later / asked}


def egoplan(folder: Path) -> dict[str, Any]:
    """The times of the items about one clip, at once and one by one."""
    import cv2

    machine.log("a clip of EgoPlan's shape")
    times = steady(SPAN * RATE)
    path = film(folder / "egoplan.mp4", times)
    rng = random.Random(3)
    distinct = [Fraction(rng.randrange(SPAN * 1000), 1000) for _ in range(TIMES)]
    asked = [*distinct, *rng.sample(distinct, ASKED - TIMES)]
    rng.shuffle(asked)  # as the items come in the file

    def ours(moments: Sequence[Fraction]) -> list[int]:
        with frames.opened(path) as opened:
            index = [opened.at(moment) for moment in moments]
            shown = {found.index: number_on(found.picture) for found in opened.read(index) if found.picture}
        return [shown[each] for each in index]

    def opencv(moments: Sequence[Fraction]) -> list[int]:
        capture = cv2.VideoCapture(str(path))
        found = []
        for moment in moments:
            capture.set(cv2.CAP_PROP_POS_MSEC, float(1000 * moment))
            _, frame = capture.read()
            found.append(number_on(Image.fromarray(frame[:, :, ::-1])))
        capture.release()
        return found

    expected = {moment: sum(at <= moment for at in times) - 1 for moment in distinct}
    figures: dict[str, Any] = {"egoplan_times_asked": len(asked), "egoplan_times_distinct": len(set(asked))}
    for name, moments in (("", asked), ("_distinct", sorted(set(asked)))):
        mine, mine_wall, got = spent(lambda moments=moments: ours(moments))  # type: ignore[misc]
        theirs, theirs_wall, seen = spent(lambda moments=moments: opencv(moments))  # type: ignore[misc]
        wanted = [expected[moment] for moment in moments]
        figures |= {
            f"times_faster_than_opencv_seek{name}": round(theirs / mine, 2),
            f"wall_times_faster_than_opencv_seek{name}": round(theirs_wall / mine_wall, 2),
            f"egoplan_ours_right{name}": sum(a == b for a, b in zip(got, wanted, strict=True)) / len(wanted),
            f"egoplan_opencv_right{name}": sum(a == b for a, b in zip(seen, wanted, strict=True)) / len(wanted),
            f"egoplan_opencv_later{name}": sum(a > b for a, b in zip(seen, wanted, strict=True)) / len(wanted),
        }
    return figures


def spent(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Processor time and wall time of it, the better of two, and what it gave."""
    tries = []
    for _ in range(2):
        cpu, wall = time.process_time(), time.perf_counter()
        got = work()
        tries.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(cpu for cpu, _ in tries), min(wall for _, wall in tries), got


def long_film(folder: Path, seconds: int) -> dict[str, Any]:
    """A frame each second of a long film, against decoding it; and the command, killed once."""
    machine.log(f"a film of {seconds:,} s")
    path = film(folder / "long.mp4", steady(seconds * RATE))
    process = psutil.Process()

    def ours() -> int:
        with frames.opened(path) as opened:
            return sum(found.picture is not None for found in opened.read(opened.each_seconds(Fraction(1))))

    def sequential() -> int:
        taken = 0
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            for frame in container.decode(stream):
                if frame.time is not None and frame.time >= taken:
                    frame.to_image()  # type: ignore[no-untyped-call]
                    taken += 1
        return taken

    machine.log("a frame each second, against decoding all")
    theirs, _, n_theirs = spent(sequential)
    before = process.memory_info().rss
    mine, _, n_ours = spent(ours)
    figures: dict[str, Any] = {
        "long_seconds": seconds,
        "long_frames_taken": n_ours,
        "long_frames_taken_sequential": n_theirs,
        "of_sequential": round(mine / theirs, 3),
        "reader_memory_grew_mb": round((process.memory_info().rss - before) / 1e6),
    }
    machine.log("the command, whole and killed")
    whole, n_killed = command(path, folder / "whole", kill=False)
    torn, times_killed = command(path, folder / "torn", kill=True)
    assert n_killed == 0
    same = {str(each.relative_to(folder / "whole")): each.read_bytes() for each in files_of(folder / "whole")}
    figures["resumed_equal"] = times_killed > 0 and same == {
        str(each.relative_to(folder / "torn")): each.read_bytes() for each in files_of(folder / "torn")
    }
    early, late = whole[len(whole) // 10 : len(whole) // 3 + 1], whole[-len(whole) // 3 :]
    figures |= {
        "command_killed": times_killed,
        "command_memory_mb_early": max(early, default=None),
        "command_memory_mb_late": max(late, default=None),
        "command_memory_mb_most_when_resumed": max(torn, default=None),
    }
    return figures


def files_of(out: Path) -> list[Path]:
    """Everything in a folder of frames."""
    return [path for path in out.rglob("*") if path.is_file()]


def command(path: Path, out: Path, *, kill: bool) -> tuple[list[int], int]:
    """``touchstone frame create`` each second; its memory as it runs, and how often it was killed half-way."""
    arguments = [sys.executable, "-m", "app", "frames", str(path), str(out), "--seconds", "1", "--format", "jpg"]
    memory: list[int] = []
    killed = 0
    while True:
        running = subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while running.poll() is None:
            try:
                memory.append(machine.memory_mb(running.pid))
            except psutil.Error:
                break
            if kill and not killed and len([*out.rglob("*.jpg")]) >= 40:
                os.kill(running.pid, signal.SIGKILL)
                killed += 1
            time.sleep(0.2)
        if running.wait() == 0:
            return memory, killed
        if not killed:
            raise RuntimeError("touchstone frame create ended badly")


if __name__ == "__main__":
    sys.exit(main())
