"""Clips and several images in a real browser: the frame that is shown is the frame that is meant, whatever the rate."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from domain.roles import Role
from domain.states import Stage
from media import clips
from media.store import MediaStore
from testkit.browser import WAIT_MS, _Window
from testkit.pictures import moving_view, number_of, numbered, video
from testkit.serving import Server, touchstone
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships, projects
from workflow.annotate import image_pool, submissions

pytestmark = [pytest.mark.browser, pytest.mark.slow]

UNEVEN = [round(sum((0.02, 0.05, 0.31, 0.033)[k % 4] for k in range(n)), 3) for n in range(14)]
"""A phone that hesitates: there is no frame rate."""
STILL = 700
"""The number on the still next to the clip; no frame of the clip has it."""
SECRET = "P07_kitchen_secret"
"""In the names of all files; pages do not need it."""
N_FRAMES = 36
"""How many frames the clip of an action has."""
ENDED = """() => {
    const host = [...document.querySelectorAll('*')].map(node => node.shadowRoot).find(
        root => root && root.querySelector('.media video'));
    return (host || document).querySelector('.media video').ended;
}"""
HOW_MANY = (2, 3, 4, 9)


@pytest.fixture
def pictures(request: pytest.FixtureRequest) -> Path | None:
    """Where screenshots go, if ``--pictures`` says so."""
    folder = request.config.getoption("--pictures")
    return Path(folder) if folder else None


@dataclass(frozen=True)
class Tour:
    """A project of the shipped schema ``tour``, and the server that it is on."""

    server: Server
    project: str


PARTS = {"ann": Stage.AUTHORING, "vera": Stage.VERIFICATION}


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Server]:
    """One server for all tests here, with a writer and a verifier."""
    home = tmp_path_factory.mktemp("media") / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    server = Server(home)
    with opened(server) as store:
        for login in PARTS:
            accounts.create_person(store, login=login, name=login.capitalize())
    yield server.start()
    server.stop()


@pytest.fixture
def running(serving: Server, request: pytest.FixtureRequest) -> Tour:
    """A project of its own for each test, which fills its pool."""
    project = str(request.node.name)
    with opened(serving) as store:
        projects.create_project(store, name=project, loaded=load_schema(shipped()["tour"]))
        for login, stage in PARTS.items():
            memberships.set_member(
                store, by=None, project=project, login=login, role=Role.ANNOTATOR, dimensions=None, stages=[stage]
            )
    return Tour(serving, project)


def fill_pool(tour: Tour, files: Sequence[Path]) -> None:
    with opened(tour.server) as store:
        media = MediaStore(tour.server.home / "media")
        added = image_pool.add_to_pool(
            store, media, by=None, project=tour.project, files=[(path.name, path) for path in files]
        )
    assert added.added == len(files), added.refused


def write_item(tour: Tour, desk: Desk, n_media: int) -> None:
    """Take the first so many of the pool, and write a question about them, all with keys."""
    desk.open(f"/author?project={tour.project}")
    expect(desk.bench).to_have_attribute("data-view", "pool")
    desk.press(*[key for _ in range(n_media) for key in ("Space", "ArrowRight")][:-1], "Enter")
    expect(desk.bench).to_have_attribute("data-view", "task")
    expect(desk.page.locator(".field[data-field=question] textarea")).to_be_focused()
    desk.page.keyboard.insert_text("What happens?")
    desk.press("Enter")
    desk.page.keyboard.insert_text("Nothing.")
    desk.next_after("Control+Enter")


def store_item(tour: Tour) -> None:
    """An item of all that is in the pool, stored as the page has it stored, where writing is not what is looked at."""
    with opened(tour.server) as store:
        ann = accounts.find_person(store, login="ann")
        free = [asset.id for asset in image_pool.pool(store, person=ann, project=tour.project).assets]
        task = image_pool.pick(store, person=ann, project=tour.project, dimension="pointing", assets=free)
        said = {"question": "What happens?", "answer": "Nothing."}
        submissions.submit(store, person=ann, task=task.id, key=task.id, values=said)


def seen(picture: Locator) -> Image.Image:
    """What a video or an image shows just now, pixel by pixel."""
    url = picture.evaluate(
        """async node => {
            if (node.tagName === 'VIDEO') while (node.seeking || node.readyState < 2) await new Promise(setTimeout);
            else await node.decode();
            const canvas = document.createElement('canvas');
            canvas.width = node.videoWidth || node.naturalWidth;
            canvas.height = node.videoHeight || node.naturalHeight;
            canvas.getContext('2d').drawImage(node, 0, 0);
            return canvas.toDataURL('image/png');
        }"""
    )
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))


def shows(picture: Locator, number: int) -> None:
    """Wait until a frame is on screen. The player may give away the one before for a moment after a seek has ended."""
    end = time.monotonic() + WAIT_MS / 1000
    while (found := number_of(seen(picture))) != number:
        assert time.monotonic() < end, f"frame {found} is on screen, not {number}"


def answer(desk: Desk) -> None:
    """Nothing to mark; a point in the middle; it fits."""
    desk.press("0", "a", "Enter")
    expect(desk.page.locator(".criterion[data-criterion=fits]")).to_have_class(re.compile("active"))
    desk.next_after("1")


@pytest.fixture
def overheard(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Everything that comes over a websocket while the test runs."""
    heard: list[bytes] = []
    make = _Window.page

    def take(payload: str | bytes) -> None:
        heard.append(payload.encode() if isinstance(payload, str) else payload)

    def listening(window: _Window) -> Page:
        page = make(window)
        page.on("websocket", lambda socket: socket.on("framereceived", take))
        return page

    monkeypatch.setattr(_Window, "page", listening)
    return heard


def test_a_clip_steps_from_frame_to_frame_next_to_its_still(
    running: Tour, chromium: Browser, tmp_path: Path, pictures: Path | None, overheard: list[bytes]
) -> None:
    numbered(STILL).save(tmp_path / f"2-{SECRET}.png")
    fill_pool(running, [video(tmp_path / f"1-{SECRET}.webm", UNEVEN), tmp_path / f"2-{SECRET}.png"])
    with at_desk(chromium, running.server, "ann") as desk:
        write_item(running, desk, 2)
    last = len(UNEVEN) - 1
    with at_desk(chromium, running.server, "vera") as desk:
        fetched: list[str] = []
        desk.page.on("request", lambda request: fetched.append(request.url))
        desk.open(f"/verify?project={running.project}")
        expect(desk.bench).to_have_attribute("data-view", "task")
        clip, still = desk.page.locator(".media video"), desk.page.locator(".media img.view")
        expect(desk.page.locator(".media figcaption")).to_have_text(["1 · Clip", "2 · Image"])
        expect(desk.page.locator(".clipbar .frames")).to_have_text(f"frame 1 of {len(UNEVEN)}")
        assert clip.evaluate("clip => [clip.muted, clip.loop, clip.paused]") == [True, True, True]
        for number in range(1, len(UNEVEN)):
            desk.press(".")
            shows(clip, number)
            expect(desk.page.locator(".clipbar .frames")).to_have_text(f"frame {number + 1} of {len(UNEVEN)}")
            expect(desk.page.locator(".clipbar .time")).to_contain_text(f"0:{UNEVEN[number]:05.2f} /")
        desk.press(".")
        shows(clip, last)  # after the last frame there is none
        for number in reversed(range(last - 5, last)):
            desk.press(",")
            shows(clip, number)
        for key, number in (("Home", 0), (",", 0), ("End", last), (",", last - 1)):
            desk.press(key)
            shows(clip, number)
        assert number_of(seen(still)) == STILL
        assert still.get_attribute("src") == fetched_once(fetched, still)
        desk.press("o", "<", "<")
        expect(desk.page.locator(".clipbar .round")).to_have_attribute("aria-pressed", "false")
        assert clip.evaluate("clip => clip.playbackRate") == 0.25
        desk.press(">", ">", ">", ">")
        assert clip.evaluate("clip => clip.playbackRate") == 2
        desk.picture(pictures / "verify-clip.png" if pictures else None)
        desk.press("Home", "Space")  # once to its end, where it stops
        desk.page.wait_for_function(ENDED)
        expect(desk.page.locator(".clipbar .frames")).to_have_text(f"frame {last + 1} of {len(UNEVEN)}")
        shows(clip, last)
        answer(desk)
    asked = {url.rpartition("/")[2] for url in fetched if url.startswith(f"{running.server.url}/media/")}
    assert asked == {"original", "display", "frames"}, "a clip, its first frame, its moments, and the still"
    kept = b"".join(overheard)
    assert len(overheard) > 3
    for secret in (SECRET.encode(), b"\x1a\x45\xdf\xa3", b"RIFF", b"\x89PNG", b"GkXfo", b"UklGR", b"iVBORw0K"):
        assert secret not in kept, secret  # no name, no bytes of a clip or an image, plain or in base64
    assert max(map(len, overheard)) < 40_000
    assert exported(running, tmp_path) == {
        ("objects", "[]"),
        ("spots", '[{"number": 1, "x": 0.5, "y": 0.5}]'),
        ("fits", "yes"),
    }


def fetched_once(fetched: list[str], still: Locator) -> str:
    """The address of the still, which is an image of its own and was asked for as such."""
    source = still.get_attribute("src") or ""
    assert re.fullmatch(r"/media/[\w-]+/display", source)
    assert sum(url.endswith(source) for url in fetched) == 1
    return source


def exported(tour: Tour, folder: Path) -> set[tuple[str, str]]:
    """What came out of the project: criterion and value of every rating."""
    done = touchstone(
        "item", "export", tour.project, "ratings", "--out", str(folder / "ratings.csv"), home=tour.server.home
    )
    assert done.returncode == 0, done.stderr
    with (folder / "ratings.csv").open(encoding="utf-8") as file:
        return {(row["criterion"], row["value"]) for row in csv.DictReader(file)}


def test_an_action_clip_shows_the_frame_that_was_drawn(
    running: Tour, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    frames = moving_view(N_FRAMES)
    drawn = [np.asarray(frame.resize((80, 60)), dtype=float) for frame in frames]
    clips.write(iter(frames), out=tmp_path / "1.webm", frames_per_second=12)
    frames[0].save(tmp_path / "2.png")
    fill_pool(running, [tmp_path / "1.webm", tmp_path / "2.png"])
    store_item(running)
    with at_desk(chromium, running.server, "vera") as desk:
        desk.open(f"/verify?project={running.project}")
        clip = desk.page.locator(".media video")
        expect(desk.page.locator(".clipbar .frames")).to_have_text(f"frame 1 of {N_FRAMES}")
        desk.press("Home")
        at = 0
        for steps in (20, 1, 1, 5, 1, -1, -6, 3):
            desk.press(*["." if steps > 0 else ","] * abs(steps))
            at += steps
            for _ in range(10):  # the browser paints what it has sought when it comes to it
                shown = np.asarray(seen(clip).convert("RGB").resize((80, 60)), dtype=float)
                nearest = int(np.argmin([float(np.abs(shown - frame).mean()) for frame in drawn]))
                if nearest == at:
                    break
            assert nearest == at
        # A box on the clip and one on the still, and where to reach.
        desk.press("a", *["ArrowLeft"] * 12, *["Alt+ArrowLeft"] * 5)
        desk.press("a", "2", *["ArrowUp"] * 9, *["Alt+ArrowUp"] * 9, *["Alt+ArrowLeft"] * 4, "Enter")
        desk.press("a", *["ArrowLeft"] * 14)
        desk.picture(pictures / "drawing.png" if pictures else None)
        desk.press("Enter")
        desk.next_after("1")
    cup = {"label": "cup", "x": 0.28, "y": 0.4, "w": 0.15, "h": 0.2}
    plate = {"label": "plate", "x": 0.4, "y": 0.31, "w": 0.16, "h": 0.11}
    values = dict(exported(running, tmp_path))
    for found, wanted in zip(json.loads(values["objects"]), (cup, plate), strict=True):
        assert found.pop("label") == wanted.pop("label")
        assert found == pytest.approx(wanted, abs=1e-4)
    assert json.loads(values["spots"]) == [{"number": 1, "x": 0.36, "y": 0.5}]


def test_several_images_are_enlarged_together(
    running: Tour, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    """The same spot of all images is looked at, side by side; and one at a time there is a film strip."""
    for number in HOW_MANY:
        files = [tmp_path / f"{number}-{at}.png" for at in range(number)]
        for at, path in enumerate(files):
            numbered(10 * number + at, (1200, 900)).save(path, compress_level=1)
        fill_pool(running, files)
        store_item(running)
    done = []
    with at_desk(chromium, running.server, "vera") as desk:
        desk.open(f"/verify?project={running.project}")
        expect(desk.bench).to_have_attribute("data-view", "task")
        while desk.view() == "task":
            done.append(_compare(desk, pictures))
    assert sorted(done) == sorted(HOW_MANY)


def _compare(desk: Desk, pictures: Path | None) -> int:
    """Look at the images of one item in all ways, answer, and say how many there were."""
    views = desk.page.locator(".media img.view")
    thumbs = desk.page.locator(".thumb .num")
    number = thumbs.count() or 2
    if number > 2:
        expect(thumbs).to_have_text([str(at + 1) for at in range(number)])
        expect(views).to_have_count(1)
        desk.press("i")
    expect(views).to_have_count(number)
    expect(desk.page.locator(".media figcaption")).to_have_text([f"{at + 1} · Image" for at in range(number)])
    expect(desk.page.locator(".media img.view:not(.waiting)")).to_have_count(number)
    _all_at(desk, [(0.5, 0.5)] * number)
    desk.picture(pictures / f"side-by-side-{number}.png" if pictures else None)
    desk.press("z", "+", *["ArrowRight"] * 2, "ArrowUp")
    first = spots(desk)[0]
    assert first[0] > 0.55
    assert first[1] < 0.49
    _all_at(desk, [first] * number)
    desk.picture(pictures / f"side-by-side-{number}-zoomed.png" if pictures else None)
    desk.press("Escape")
    _all_at(desk, [(0.5, 0.5)] * number)
    desk.press("ArrowRight", "i")
    expect(views).to_have_count(1)
    expect(desk.page.locator(".thumb[aria-selected=true] .num")).to_have_text("2")
    answer(desk)
    return number


def _all_at(desk: Desk, wanted: list[tuple[float, float]]) -> None:
    assert np.asarray(spots(desk)) == pytest.approx(np.asarray(wanted), abs=2e-3)


def spots(desk: Desk) -> list[tuple[float, float]]:
    """For every image, which point of it lies in the middle of its frame, by what the browser lays out."""
    found = desk.page.locator(".media .viewport").evaluate_all(
        """boxes => boxes.map(box => {
            const frame = box.getBoundingClientRect();
            const image = box.querySelector('img').getBoundingClientRect();
            const { naturalWidth: w, naturalHeight: h } = box.querySelector('img');
            const scale = Math.min(image.width / w, image.height / h);
            const left = image.left + (image.width - w * scale) / 2, top = image.top + (image.height - h * scale) / 2;
            return [frame.left + frame.width / 2 - left, frame.top + frame.height / 2 - top].map(
                (at, axis) => at / ([w, h][axis] * scale));
        })"""
    )
    return [(x, y) for x, y in found]
