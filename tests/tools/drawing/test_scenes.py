"""The scenes' answers are true because of what lies on the table; here they are worked out from the things alone."""

from __future__ import annotations

import hashlib
import itertools
import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from annotation_schemas import shipped
from annotation_schemas.kinds import check_fields
from annotation_schemas.loader import load_schema
from tests.paths import ROOT
from tools.drawing.backdrops import HEIGHT, ROOMS, WIDTH, on_screen
from tools.drawing.hands import SKINS
from tools.drawing.scenes import DIMENSIONS, THING_UNIT, Placed, Scene, scenes
from tools.drawing.things import KINDS, tile_of

pytestmark = pytest.mark.thorough

ALL = scenes()
NUMBERS = {"Two": 2, "Three": 3, "Four": 4, "Five": 5, "Six": 6}


def by_name(name: str) -> Scene:
    (scene,) = [scene for scene in ALL if scene.name == name]
    return scene


def of(scene: Scene, kind: str, colour: str | None = None) -> list[Placed]:
    return [placed for placed in scene.things if placed.kind == kind and colour in (None, placed.colour)]


def fingerprint(image: Image.Image) -> str:
    return hashlib.sha256(image.tobytes()).hexdigest()


def test_there_are_enough_in_every_dimension_of_the_demos_schema() -> None:
    schema = load_schema(shipped()["demo"]).schema_
    assert {dimension.id for dimension in schema.dimensions} == set(DIMENSIONS)
    assert len(ALL) >= 60
    assert all(len(scenes(dimension)) >= 5 for dimension in DIMENSIONS)
    assert len({scene.name for scene in ALL}) == len(ALL)


def test_the_demos_schema_takes_their_questions_and_answers() -> None:
    schema = load_schema(shipped()["demo"]).schema_
    for scene in ALL:
        assert check_fields(schema, {"question": scene.question, "answer": scene.answer}) == []


def test_questions_are_asked_in_the_first_person() -> None:
    for scene in ALL:
        first_person = re.search(r"\b(I|me|my|us)\b", scene.question)
        about_place = scene.dimension in ("spatial", "comparison")
        assert first_person or about_place, scene.question


def test_wrong_answers_are_none_of_the_right_ones() -> None:
    for scene in ALL:
        right = {scene.answer.lower(), *(answer.lower() for answer in scene.also)}
        assert len(scene.also) >= 2
        assert len(scene.wrong) >= 2
        assert right.isdisjoint(answer.lower() for answer in scene.wrong), scene.name


# ---- truth ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scene", scenes("counting"), ids=lambda scene: scene.name)
def test_counts_are_those_of_the_things_on_the_table(scene: Scene) -> None:
    asked = re.fullmatch(r"How many (?:(\w+) )?(\w+)s are on my table\?", scene.question)
    assert asked
    n = len(of(scene, asked[2], asked[1]))
    assert NUMBERS[scene.answer.rstrip(".")] == n
    assert len(scene.things) > n  # something else lies there too


@pytest.mark.parametrize("k", [1, 2, 3])
def test_left_and_right_are_those_of_the_picture(k: int) -> None:
    scene = by_name(f"spatial-{k}")
    asked = re.fullmatch(r"Is the (.+) to the left or to the right of the (.+)\?", scene.question)
    assert asked
    (one,) = [placed for placed in scene.things if placed.words == asked[1]]
    (other,) = of(scene, asked[2])
    side = "left" if on_screen(one.x, one.depth)[0] < on_screen(other.x, other.depth)[0] else "right"
    assert scene.answer == f"To the {side}."


def test_the_nearest_block_is_the_one_at_the_lowest_place() -> None:
    scene = by_name("spatial-4")
    nearest = max(of(scene, "block"), key=lambda placed: on_screen(placed.x, placed.depth)[1])
    assert scene.answer == f"The {nearest.colour} one."


def test_what_lies_right_of_the_plate() -> None:
    scene = by_name("spatial-6")
    (plate,) = of(scene, "plate")
    right = [placed.kind for placed in scene.things if placed.x > plate.x and abs(placed.depth - plate.depth) < 0.1]
    assert scene.answer == f"The {right[0]}."
    assert len(right) == 1


def test_more_of_one_kind() -> None:
    apples = by_name("comparison-1")
    assert len(of(apples, "apple")) > len(of(apples, "orange"))
    assert apples.answer == "More apples."
    equal = by_name("comparison-5")
    assert len(of(equal, "block")) == len(of(equal, "ball"))
    assert equal.answer == "Equally many."


def test_the_nearer_the_fuller_and_the_larger_one() -> None:
    cups = of(by_name("comparison-2"), "cup")
    assert by_name("comparison-2").answer == f"The {min(cups, key=lambda cup: cup.depth).colour} one."
    glasses = of(by_name("comparison-3"), "glass")
    fuller = max(glasses, key=lambda glass: float(str(dict(glass.state)["level"])))
    assert by_name("comparison-3").answer == f"The {'left' if fuller.x < 0 else 'right'} one."
    parcels = of(by_name("comparison-4"), "parcel")
    assert by_name("comparison-4").answer == f"The {max(parcels, key=lambda parcel: parcel.size).colour} one."
    plants = of(by_name("comparison-6"), "plant")
    taller = max(plants, key=lambda plant: plant.size * on_screen(plant.x, plant.depth)[2])
    assert taller.colour in by_name("comparison-6").answer


@pytest.mark.parametrize("scene", scenes("navigation"), ids=lambda scene: scene.name)
def test_the_way_leads_from_the_hand_to_the_thing(scene: Scene) -> None:
    asked = re.fullmatch(r"How do I move my (left|right) hand to reach the (.+)\?", scene.question)
    assert asked
    (hand,) = scene.hands
    assert hand.side == asked[1]
    (target,) = [placed for placed in scene.things if placed.words == asked[2]]
    x, y, _ = on_screen(target.x, target.depth)
    assert y < (hand.y - 0.3) * HEIGHT  # beyond the finger tips, so forward
    assert abs(x - hand.x * WIDTH) > 100
    assert scene.answer == f"Forward and to the {'left' if x < hand.x * WIDTH else 'right'}."


@pytest.mark.parametrize("k", [1, 2])
def test_what_i_hold_is_in_that_hand(k: int) -> None:
    scene = by_name(f"existence-{k}")
    (hand,) = [hand for hand in scene.hands if f"in my {hand.side} hand" in scene.question]
    assert hand.holds is not None
    assert scene.answer == f"A {hand.holds.words}."


def test_what_is_there_and_what_is_not() -> None:
    assert of(by_name("existence-4"), "pair of scissors")
    assert by_name("existence-4").answer.startswith("Yes")
    assert not of(by_name("existence-6"), "knife")
    assert by_name("existence-6").answer.startswith("No")
    fruit = {"apple", "lemon", "pear", "banana", "orange", "tomato"}
    assert [placed.kind for placed in by_name("existence-5").things if placed.kind in fruit] == ["lemon"]


@pytest.mark.parametrize("scene", scenes("location"), ids=lambda scene: scene.name)
def test_the_room_is_the_one_that_is_drawn(scene: Scene) -> None:
    assert scene.room in ROOMS
    assert scene.answer in (f"In a {scene.room}.", f"In an {scene.room}.")
    assert not any(scene.room in wrong for wrong in scene.wrong)


@pytest.mark.parametrize("scene", scenes("affordance"), ids=lambda scene: scene.name)
def test_the_tool_lies_there_once(scene: Scene) -> None:
    kind = scene.answer.removeprefix("The ").rstrip(".")
    assert len(of(scene, kind)) == 1


def test_states_are_as_drawn() -> None:
    assert dict(of(by_name("attribute-2"), "jar")[0].state)["lid"] == "open"
    assert dict(of(by_name("attribute-3"), "candle")[0].state)["lit"] is True
    assert dict(of(by_name("attribute-5"), "glass")[0].state)["level"] == 0
    assert dict(of(by_name("situated-5"), "lamp")[0].state)["lit"] is False
    assert len(of(by_name("situated-4"), "spoon")) == 1


# ---- pictures -------------------------------------------------------------------------------------------------------


def extent(placed: Placed) -> tuple[float, float, float, float]:
    kind = KINDS[placed.kind]
    x, y, scale = on_screen(placed.x, placed.depth)
    unit = THING_UNIT * scale * placed.size
    return x - kind.left * unit, y - kind.up * unit, x + kind.right * unit, y + kind.down * unit


@pytest.mark.parametrize("scene", scenes("counting") + scenes("comparison"), ids=lambda scene: scene.name)
def test_what_is_counted_is_in_the_picture_and_not_hidden(scene: Scene) -> None:
    boxes = [extent(placed) for placed in scene.things]
    for left, top, right, bottom in boxes:
        assert left > -20
        assert right < WIDTH + 20
        assert top > 0
        assert bottom < HEIGHT
    for (a, b), (one, other) in zip(
        itertools.combinations(boxes, 2), itertools.combinations(scene.things, 2), strict=True
    ):
        width = min(a[2], b[2]) - max(a[0], b[0])
        height = min(a[3], b[3]) - max(a[1], b[1])
        covered = max(0.0, width) * max(0.0, height)
        smaller = min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1]))
        assert covered < 0.3 * smaller, (one.words, other.words)


def test_a_picture_is_large_and_colourful() -> None:
    image = by_name("existence-1").draw()
    assert (image.mode, image.size) == ("RGB", (1280, 960))
    assert len(image.resize((160, 120)).getcolors(160 * 120) or []) > 2000


def test_a_red_cup_is_red_where_it_stands() -> None:
    scene = by_name("counting-1")
    image = scene.draw()
    for cup in of(scene, "cup", "red"):
        x, y, scale = on_screen(cup.x, cup.depth)
        red, green, blue = image.getpixel((int(x), int(y - 0.35 * THING_UNIT * scale)))  # type: ignore[misc]
        assert red > 1.6 * max(green, blue)


def test_the_same_scene_gives_the_same_pixels_in_another_process() -> None:
    here = fingerprint(by_name("activity-2").draw())
    assert fingerprint(by_name("activity-2").draw()) == here
    script = (
        "import hashlib; from tools.drawing.scenes import scenes\n"
        "(scene,) = [scene for scene in scenes('activity') if scene.name == 'activity-2']\n"
        "print(hashlib.sha256(scene.draw().tobytes()).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == here


def test_no_two_pictures_are_alike() -> None:
    small = [np.asarray(scene.draw((320, 240)), dtype=np.int16) for scene in scenes("forecasting") + scenes("spatial")]
    for one, other in itertools.combinations(small, 2):
        assert np.abs(one - other).mean() > 3


def test_people_of_all_skins_are_in_it() -> None:
    assert {scene.skin for scene in ALL if scene.hands} == set(SKINS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_thing_fits_on_its_tile(kind: str) -> None:
    tile = tile_of(kind, None, 60.0)
    edge = np.concatenate([tile.alpha[0], tile.alpha[-1], tile.alpha[:, 0], tile.alpha[:, -1]])
    assert edge.max() < 0.5
    assert tile.alpha.max() > 0.9
