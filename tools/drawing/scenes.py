"""Tabletop scenes through someone's own eyes, with questions whose answers are known because the scene was built so.

    for scene in scenes("counting"):
        scene.draw().save(f"{scene.name}.png")

There are six scenes for each dimension. A scene is data: which things lie where, which hands are in view. The picture
is drawn from that data and from nothing else, and the same scene gives the same pixels.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from PIL import Image

from tools.drawing.backdrops import HEIGHT, WIDTH, backdrop, grain, on_screen
from tools.drawing.canvas import Canvas, on_table
from tools.drawing.hands import SKINS, SLEEVES, pose
from tools.drawing.things import KINDS, thing

THING_UNIT = 205.0
"""Pixels of one unit at the near edge of the table."""
HAND_UNIT = 168.0
FLAT_KINDS = (
    *("knife", "spoon", "fork", "pencil", "paintbrush", "pair of scissors", "screwdriver", "hammer", "wrench", "key"),
    *("sheet", "carrot"),
)
"""Things whose shadow is their own outline."""

UNDER = ("cutting board", "sheet", "notebook")
"""Things that others may lie on."""

State = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Placed:
    """A thing on the table."""

    kind: str
    colour: str | None
    x: float
    """-1 is the left edge of the view, 1 the right one."""
    depth: float
    """0 is at the near edge of the table, 1 at the far one."""
    state: State = ()
    size: float = 1.0

    @property
    def words(self) -> str:
        """The thing as a sentence says it."""
        return f"{self.colour} {self.kind}" if self.colour else self.kind


@dataclass(frozen=True)
class Hand:
    """One of my hands; the place is where its wrist is, in parts of the picture's width and height."""

    side: str
    """"left" or "right"."""
    pose: str
    """rest, reach, point, tool or hold."""
    x: float
    y: float
    holds: Placed | None = None
    degrees: float = 14.0


@dataclass(frozen=True)
class Scene:
    """A picture to be drawn, and what is true of it."""

    name: str
    dimension: str
    question: str
    answer: str
    also: tuple[str, ...]
    """Other wordings of the right answer."""
    wrong: tuple[str, ...]
    """Answers that someone who looks badly might give."""
    partly: str
    """An answer that is partly right."""
    room: str
    table: str
    skin: str
    sleeve: str
    things: tuple[Placed, ...]
    hands: tuple[Hand, ...] = ()

    def draw(self, size: tuple[int, int] = (WIDTH, HEIGHT)) -> Image.Image:
        """The picture, in RGB."""
        return drawn(self, size)


# ---- drawing --------------------------------------------------------------------------------------------------------


def drawn(scene: Scene, size: tuple[int, int] = (WIDTH, HEIGHT)) -> Image.Image:
    """Draw a scene: the room, the things from far to near, then the hands."""
    canvas = Canvas(backdrop(scene.room, scene.table, size))
    for placed in sorted(scene.things, key=lambda placed: (placed.kind not in UNDER, -placed.depth, placed.x)):
        x, y, scale = on_screen(placed.x, placed.depth, size)
        _lay(canvas, placed, (x, y), THING_UNIT * scale * placed.size)
    for hand in scene.hands:
        _lay_hand(canvas, hand, scene, size)
    canvas.rgb += grain(size[0], size[1])
    return canvas.image()


def _lay(canvas: Canvas, placed: Placed, at: tuple[float, float], unit: float) -> None:
    tile = thing(placed.kind, placed.colour, round(unit, 1), placed.state)
    if placed.kind in FLAT_KINDS:
        canvas.cast(tile, at, offset=(unit * 0.05, unit * 0.05), blur=unit * 0.035, strength=0.5)
    for foot in KINDS[placed.kind].feet if placed.kind not in FLAT_KINDS else ():
        canvas.shadow((at[0] + foot.at[0] * unit, at[1] - foot.at[1] * unit), foot.width * unit, foot.depth * unit)
    canvas.lay(tile, at)


_GRIPS: dict[str, tuple[float, float]] = {
    "pencil": (0.12, 1.12),
    "paintbrush": (0.1, 1.15),
    "knife": (-0.34, 1.15),
    "screwdriver": (-0.42, 1.15),
    "hammer": (-0.7, 1.1),
    "wrench": (-0.35, 1.1),
    "spoon": (-0.4, 1.1),
    "fork": (-0.4, 1.1),
    "pair of scissors": (-0.5, 1.1),
    "key": (-0.3, 1.4),
    "sponge": (0, 1.0),
}
"""Where a tool is held along its length, and how much larger it is than at the near edge of the table: it is nearer."""
STANDS = {"cup": 0.5, "glass": 0.56, "bottle": 0.62, "can": 0.5, "jar": 0.45, "candle": 0.5}
"""How high above its foot a standing thing is held."""
HELD_LARGER = 1.12
"""How much larger a held thing is drawn than at the near edge of the table: it is nearer to the eye."""


def _lay_hand(canvas: Canvas, hand: Hand, scene: Scene, size: tuple[int, int]) -> None:
    scale = size[0] / WIDTH
    left = hand.side == "left"
    unit = round(HAND_UNIT * scale, 1)
    shape = pose(hand.pose, left=left, skin=scene.skin, sleeve=scene.sleeve, unit=unit, degrees=hand.degrees)
    at = (hand.x * size[0], hand.y * size[1])
    for layer in (shape.behind, shape.before):
        canvas.cast(layer, at, offset=(14 * scale, 12 * scale), blur=11 * scale, strength=0.34)
    canvas.lay(shape.behind, at)
    if hand.holds is not None:
        grip = (at[0] + shape.grip[0] * unit, at[1] - shape.grip[1] * unit)
        _lay_held(canvas, hand.holds, grip, left=left, scale=scale)
    canvas.lay(shape.before, at)


def _lay_held(canvas: Canvas, placed: Placed, grip: tuple[float, float], *, left: bool, scale: float) -> None:
    if placed.kind in _GRIPS:
        along, larger = _GRIPS[placed.kind]
        unit = THING_UNIT * scale * larger * placed.size
        angle = 58.0 if left else 122.0
        state = placed.state if placed.kind == "sponge" else (*placed.state, ("angle", angle))
        offset = on_table([(along, 0)], angle)[0]
        tile = thing(placed.kind, placed.colour, round(unit, 1), state)
        canvas.lay(tile, (grip[0] - offset[0] * unit, grip[1] + offset[1] * unit))
        return
    unit = THING_UNIT * scale * HELD_LARGER * placed.size
    state = placed.state
    if placed.kind == "cup":
        state = (*state, ("handle", 1 if left else -1))
    tile = thing(placed.kind, placed.colour, round(unit, 1), state)
    canvas.lay(tile, (grip[0], grip[1] + STANDS.get(placed.kind, 0.35) * unit))


# ---- laying out -----------------------------------------------------------------------------------------------------


@dataclass
class Layout:
    """Puts things on a table so that none hides another; places that are not given are found at random, by seed."""

    name: str
    things: list[Placed] = field(default_factory=list)
    waiting: list[Placed] = field(default_factory=list)
    hands: list[Hand] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(zlib.crc32(self.name.encode()))

    def put(
        self,
        kind: str,
        colour: str | None = None,
        at: tuple[float, float] | None = None,
        *,
        size: float = 1.0,
        **state: object,
    ) -> Placed:
        """Put a thing at a place (x, depth), or somewhere free once the scene is complete."""
        features = tuple(sorted(state.items()))
        x, depth = at or (0.0, 0.0)
        placed = Placed(kind, colour, x, depth, features, size)
        (self.things if at else self.waiting).append(placed)
        return placed

    def settle(self) -> None:
        """Find places for the things that have none, around those that have, and around the hands."""
        while self.waiting:
            self.things.append(self._somewhere(self.waiting.pop(0)))

    def hand(self, side: str, pose: str = "rest", at: tuple[float, float] | None = None, **more: object) -> Hand:
        """Put a hand in view; where nothing is said it comes from its own side."""
        x, y = at or ((0.31, 0.86) if side == "left" else (0.69, 0.86))
        hand = Hand(side, pose, x, y, **more)  # type: ignore[arg-type]
        self.hands.append(hand)
        return hand

    def _somewhere(self, placed: Placed) -> Placed:
        best, best_room = placed, -1e9
        for _ in range(160):
            x, depth = self.random.uniform(-0.84, 0.84), self.random.uniform(0.24, 0.86)
            candidate = replace(placed, x=round(x * (1 + 0.35 * depth), 3), depth=round(depth, 3))
            room = self._room(candidate)
            if room > best_room:
                best, best_room = candidate, room
            if room > 14:
                break
        return best

    def _room(self, candidate: Placed) -> float:
        """Pixels between a thing and its nearest neighbour; negative where they overlap."""
        here = _extent(candidate)
        if here[0] < 8 or here[2] > WIDTH - 8 or here[3] > HEIGHT - 20 or here[1] < HEIGHT * 0.12:
            return -1e6
        taken = [_extent(placed) for placed in self.things] + [_hand_extent(hand) for hand in self.hands]
        return min((_gap(here, other) for other in taken), default=99.0)


Box = tuple[float, float, float, float]


def _extent(placed: Placed) -> Box:
    kind = KINDS[placed.kind]
    x, y, scale = on_screen(placed.x, placed.depth)
    unit = THING_UNIT * scale * placed.size
    return x - kind.left * unit, y - kind.up * unit * 0.82, x + kind.right * unit, y + kind.down * unit


def _hand_extent(hand: Hand) -> Box:
    x, y = hand.x * WIDTH, hand.y * HEIGHT
    reach = 2.3 if hand.holds else 1.8
    lean = -0.5 if hand.side == "right" else 0.5
    return x + (lean - 0.9) * HAND_UNIT, y - reach * HAND_UNIT, x + (lean + 0.9) * HAND_UNIT, HEIGHT


def _gap(a: Box, b: Box) -> float:
    return max(a[0] - b[2], b[0] - a[2], a[1] - b[3], b[1] - a[3])


@dataclass(frozen=True)
class _Said:
    """What is asked about a layout."""

    question: str
    answer: str
    also: Sequence[str]
    wrong: Sequence[str]
    partly: str = ""
    room: str = ""


_Build = Callable[[Layout, int], _Said]

LOOKS = [
    ("sand", "navy"),
    ("cocoa", "mustard"),
    ("porcelain", "sage"),
    ("chestnut", "cream"),
    ("honey", "bare"),
    ("ebony", "rust"),
]
"""Skin and sleeve of those through whose eyes scenes are seen."""
ROOM_NAMES = ("kitchen", "office", "workshop", "garden", "classroom", "living room", "café", "laboratory")
TABLE_NAMES = (
    *("oak", "white", "walnut", "blue_cloth", "ash", "teal", "pine", "marble", "slate", "red_cloth", "green_marble"),
    "cutting_mat",
)


def _a(words: str) -> str:
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _cap(words: str) -> str:
    return words[0].upper() + words[1:]


_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")

# ---- the twelve dimensions ------------------------------------------------------------------------------------------


def _existence(on: Layout, k: int) -> _Said:
    if k < 3:
        side, kind, colour = (
            ("right", "cup", "red"),
            ("left", "screwdriver", "blue"),
            ("right", "glass", None),
        )[k]
        tool = kind == "screwdriver"
        held = Placed(kind, colour, 0, 0, (("drink", "juice"), ("level", 0.7)) if kind == "glass" else ())
        at = (0.36, 0.82) if side == "left" else (0.66, 0.84)
        on.hand(side, "tool" if tool else "hold", at, holds=held)
        for other in (
            (("plate", "white"), ("lemon", None), ("book", "green"))
            if not tool
            else (*(("wrench", None), ("hammer", "red"), ("box", None)),)
        ):
            on.put(*other)
        what = held.words if kind != "glass" else "glass of juice"
        wrong = (
            ("A bottle.", "A spoon.", "Nothing, it is empty.") if not tool else ("A pencil.", "A hammer.", "A knife.")
        )
        return _Said(
            f"What am I holding in my {side} hand?",
            f"{_cap(_a(what))}.",
            (f"It is {_a(what)}.", f"I hold {_a(what)} in my {side} hand.", _cap(what)),
            wrong,
            f"Something that one holds, perhaps {_a(held.kind)} of another colour."
            if colour
            else "A drink of some sort.",
        )
    if k == 3:
        on.put("pair of scissors", "orange", (0.35, 0.55), angle=35)
        for other in (("pencil", "yellow"), ("notebook", "purple"), ("cup", "turquoise")):
            on.put(*other)
        return _Said(
            "Is there a pair of scissors on my table?",
            "Yes.",
            ("Yes, there is one with orange handles.", "There is.", "Yes, a pair of scissors lies there."),
            ("No.", "No, there are only pencils.", "I see a knife, but no scissors."),
            "There is something with two handles, it might be pliers.",
        )
    if k == 4:
        on.hand("left", "rest", (0.3, 0.9))
        on.put("lemon", None, (0.1, 0.45))
        for other in (("bowl", "blue"), ("cup", "white"), ("knife", "black"), ("spoon", None)):
            on.put(*other)
        return _Said(
            "Which fruit lies on my table?",
            "A lemon.",
            ("It is a lemon.", "There is one lemon.", "Lemon"),
            ("A banana.", "An apple.", "There is no fruit."),
            "A yellow fruit.",
        )
    on.hand("right", "rest", (0.7, 0.9))
    for other in (("fork", None), ("spoon", None), ("plate", "white"), ("glass", None), ("pear", "green")):
        on.put(*other)
    return _Said(
        "Is there a knife on my table?",
        "No.",
        ("No, there is no knife.", "No, only a fork and a spoon.", "There is none."),
        ("Yes.", "Yes, it lies beside the plate.", "Yes, a knife with a black handle."),
        "There is cutlery on the table.",
    )


def _attribute(on: Layout, k: int) -> _Said:
    if k == 0:
        on.hand("right", "hold", (0.66, 0.84), holds=Placed("cup", "turquoise", 0, 0))
        for other in (("book", "red"), ("plant", "white"), ("phone", None)):
            on.put(*other)
        return _Said(
            "What colour is the cup in my hand?",
            "Turquoise.",
            ("It is turquoise.", "The cup is turquoise.", "A bluish green, turquoise."),
            ("Red.", "White.", "It is yellow."),
            "Some kind of blue.",
        )
    if k == 1:
        on.put("jar", "red", (0.05, 0.38), lid="open", size=1.2)
        for other in (("plate", "white"), ("spoon", None), ("knife", "brown")):
            on.put(*other)
        on.hand("left", "rest", (0.26, 0.92))
        return _Said(
            "Is the jar before me open or closed?",
            "Open.",
            ("It is open.", "The jar is open; its lid is off.", "It stands open."),
            ("Closed.", "It is closed with a white lid.", "There is no jar."),
            "It is a jar of jam.",
        )
    if k == 2:
        on.put("candle", "purple", (-0.1, 0.5), lit=True, size=1.2)
        for other in (("cup", "white"), ("plate", "pink"), ("book", "green")):
            on.put(*other)
        return _Said(
            "Is the candle on my table lit?",
            "Yes, it is lit.",
            ("Yes.", "It is burning.", "Yes, the candle burns."),
            ("No.", "No, it is out.", "There is no candle."),
            "There is a purple candle.",
        )
    if k == 3:
        on.put("sheet", "red", (0.0, 0.22), drawing="house", size=1.25)
        on.hand("left", "rest", (0.25, 0.92))
        for other in (("pencil", "red"), ("cup", "yellow"), ("paintbrush", "blue")):
            on.put(*other)
        return _Said(
            "What is drawn on the sheet of paper in front of me?",
            "A house.",
            ("It is a house.", "A red house with a door.", "Somebody drew a house."),
            ("A tree.", "A sun.", "Nothing, the sheet is empty."),
            "A drawing in red.",
        )
    if k == 4:
        on.put("glass", None, (0.15, 0.36), level=0.0, drink="nothing", size=1.25)
        for other in (("bottle", "green"), ("orange", None), ("bowl", "yellow")):
            on.put(*other)
        on.hand("right", "rest", (0.76, 0.92))
        return _Said(
            "Is my glass full or empty?",
            "Empty.",
            ("It is empty.", "There is nothing in it.", "The glass is empty."),
            ("Full.", "It is full of water.", "Half full."),
            "There is a glass on the table.",
        )
    on.hand("left", "point", (0.34, 0.92), degrees=4.0)
    on.put("ball", "green", (-0.36, 0.46), size=1.2)
    for other in (("block", "red"), ("block", "blue"), ("parcel", "yellow")):
        on.put(*other)
    return _Said(
        "What shape has the green thing that I point at?",
        "Round, it is a ball.",
        ("It is a ball.", "Round.", "It has the shape of a ball."),
        ("A cube.", "It is square.", "A pyramid."),
        "It is green with a white stripe.",
    )


def _affordance(on: Layout, k: int) -> _Said:
    purpose, kind, colour, others, wrong = (
        ("cut the sheet of paper", "pair of scissors", "red", ("pencil", "cup", "sheet"), ("pencil", "cup")),
        ("drive a nail into a board", "hammer", "blue", ("sponge", "cup", "pencil"), ("sponge", "pencil")),
        ("call a friend", "phone", None, ("book", "cup", "key"), ("book", "key")),
        ("boil water", "kettle", "turquoise", ("plate", "fork", "lemon"), ("plate", "fork")),
        ("wipe the table", "sponge", "yellow", ("book", "bottle", "apple"), ("book", "bottle")),
        ("tighten a screw", "screwdriver", "green", ("spoon", "ball", "candle"), ("spoon", "candle")),
    )[k]
    on.hand("right", "rest", (0.74, 0.9))
    on.put(kind, colour)
    palette = ("white", "purple", "orange", "pink")
    for number, other in enumerate(others):
        natural = other in ("sheet", "key", "plate", "fork", "lemon", "apple", "spoon")
        on.put(other, {"plate": "white", "apple": "red"}.get(other) if natural else palette[(k + number) % 4])
    name = f"the {kind}"
    return _Said(
        f"What on my table could I use to {purpose}?",
        f"{_cap(name)}.",
        (f"I could use {name}.", f"{_cap(name)} would do.", f"Take {name}."),
        (f"The {wrong[0]}.", f"I could use the {wrong[1]}.", "Nothing here is of any use for that."),
        "There is a tool for that somewhere on the table.",
    )


def _activity(on: Layout, k: int) -> _Said:
    if k == 0:
        on.put("notebook", "blue", (-0.12, 0.16), written=0.5, size=1.3, angle=4)
        on.hand("right", "tool", (0.68, 0.88), holds=Placed("pencil", "yellow", 0, 0))
        on.hand("left", "rest", (0.22, 0.95))
        on.put("cup", "red")
        on.put("lamp", "green")
        return _Said(
            "What am I doing?",
            "Writing in a notebook.",
            ("I am writing.", "I write notes with a pencil.", "You are writing in your notebook."),
            ("Cooking.", "I am painting a picture.", "Reading a newspaper."),
            "I hold a pencil.",
        )
    if k == 1:
        on.put("cutting board", None, (0.0, 0.16), size=1.25)
        on.put("carrot", None, (-0.1, 0.18), size=1.2, angle=10)
        on.hand("left", "reach", (0.22, 0.86))
        on.hand("right", "tool", (0.7, 0.88), holds=Placed("knife", "black", 0, 0))
        on.put("bowl", "white")
        on.put("tomato", None)
        return _Said(
            "What am I doing with my right hand?",
            "Cutting a carrot.",
            ("I am cutting a carrot with a knife.", "I cut vegetables, a carrot.", "Slicing the carrot."),
            ("Stirring soup.", "Peeling a potato.", "I am washing the dishes."),
            "I hold a knife.",
        )
    if k == 2:
        on.put("laptop", None, (0.0, 0.3), size=1.25)
        on.hand("left", "rest", (0.33, 0.93))
        on.hand("right", "rest", (0.67, 0.93))
        on.put("cup", "blue")
        on.put("phone", None)
        return _Said(
            "What am I doing?",
            "Typing on a laptop.",
            ("I am typing.", "I work at my laptop.", "You are typing on the keyboard of a laptop."),
            ("Playing the piano.", "Writing a letter by hand.", "I am asleep."),
            "My hands lie on the table.",
        )
    if k == 3:
        on.put("sheet", "pink", (-0.15, 0.2), drawing="flower", size=1.35)
        on.hand("right", "tool", (0.68, 0.88), holds=Placed("paintbrush", "pink", 0, 0))
        for other in (("glass", None), ("cup", "yellow"), ("plate", "white")):
            on.put(*other)
        return _Said(
            "What am I doing?",
            "Painting a flower.",
            ("I am painting.", "I paint a picture of a flower.", "Painting with a brush."),
            ("Writing a letter.", "I am brushing my teeth.", "Cutting paper."),
            "I hold a brush.",
        )
    if k == 4:
        on.hand("right", "hold", (0.6, 0.7), holds=Placed("cup", "white", 0, 0, (("filled", "coffee"),)), degrees=8.0)
        for other in (("plate", "blue"), ("book", "red"), ("spoon", None)):
            on.put(*other)
        return _Said(
            "What am I about to drink from?",
            "A white cup of coffee.",
            ("From a cup of coffee.", "I lift a white cup with coffee.", "A cup with coffee in it."),
            ("A glass of juice.", "From the bottle.", "I am not drinking."),
            "From a cup.",
        )
    on.hand("right", "rest", (0.64, 0.82))
    on.put("sponge", "yellow", (0.24, 0.29), size=1.7)
    for other in (("plate", "white"), ("bottle", "green"), ("bowl", "orange")):
        on.put(*other)
    return _Said(
        "What does my right hand do with the sponge?",
        "It wipes the table.",
        ("Wiping the table.", "I am cleaning the table with the sponge.", "It wipes."),
        ("It throws the sponge away.", "It washes a plate.", "My hand holds a knife."),
        "It lies near the sponge.",
    )


def _location(on: Layout, k: int) -> _Said:
    room = ROOM_NAMES[k] if k < 5 else "laboratory"
    things = {
        "kitchen": (("pot", None), ("carrot", None), ("cup", "yellow"), ("egg", None)),
        "office": (("keyboard", None), ("phone", None), ("cup", "white"), ("notebook", "red")),
        "workshop": (("hammer", "red"), ("wrench", None), ("box", None), ("screwdriver", "yellow")),
        "garden": (("plant", "brown"), ("glass", None), ("apple", "green"), ("plate", "pink")),
        "classroom": (("book", "red"), ("pencil", "blue"), ("notebook", "green"), ("apple", "red")),
        "laboratory": (("glass", None), ("notebook", "black"), ("jar", "turquoise"), ("pencil", "red")),
    }[room]
    on.hand("left" if k % 2 else "right", "rest", (0.27, 0.9) if k % 2 else (0.73, 0.9))
    for other in things:
        on.put(*other)
    place = f"in {_a(room)}"
    others = [name for name in ROOM_NAMES if name != room]
    return _Said(
        "Where am I?",
        f"{_cap(place)}.",
        (f"I am {place}.", f"You are sitting {place}.", f"{_cap(_a(room))}."),
        (f"In {_a(others[k % 6])}.", f"In {_a(others[(k + 3) % 7])}.", "On a train."),
        "At a table somewhere " + ("outdoors." if room == "garden" else "indoors."),
        room=room,
    )


def _spatial(on: Layout, k: int) -> _Said:
    if k < 3:
        kind, colour, other, other_colour, side = (
            ("apple", "red", "bowl", "white", "left"),
            ("cup", "green", "laptop", None, "right"),
            ("key", None, "book", "purple", "left"),
        )[k]
        sign = -1 if side == "left" else 1
        on.put(kind, colour, (sign * 0.52, 0.4))
        on.put(other, other_colour, (-sign * 0.34, 0.42))
        for extra in (("lemon", None), ("pencil", "red")) if k != 2 else (("plant", "white"), ("cup", "blue")):
            on.put(*extra)
        on.hand("right", "rest", (0.72, 0.95))
        words = Placed(kind, colour, 0, 0).words
        opposite = "right" if side == "left" else "left"
        return _Said(
            f"Is the {words} to the left or to the right of the {other}?",
            f"To the {side}.",
            (f"It is to the {side} of the {other}.", f"On the {side}.", f"{_cap(side)}."),
            (f"To the {opposite}.", f"It is on the {opposite}.", f"Behind the {other}."),
            f"It lies beside the {other}.",
        )
    if k == 3:
        near = on.put("block", "yellow", (0.1, 0.22))
        on.put("block", "red", (-0.5, 0.62))
        on.put("block", "blue", (0.62, 0.84))
        on.put("cup", "white")
        return _Said(
            "Which block is nearest to me?",
            f"The {near.colour} one.",
            ("The yellow block.", "Yellow.", "It is the yellow block."),
            ("The red one.", "The blue block.", "They are all equally near."),
            "The one in the front row.",
        )
    if k == 4:
        on.put("plant", "orange", (0.05, 0.86))
        on.put("laptop", None, (0.05, 0.3), size=0.8)
        on.put("orange", None, (-0.72, 0.4))
        on.hand("left", "rest", (0.22, 0.95))
        return _Said(
            "What stands behind my laptop?",
            "A plant.",
            ("A plant in an orange pot.", "There is a plant.", "A pot plant."),
            ("A lamp.", "An orange.", "Nothing stands there."),
            "Something green.",
        )
    on.put("spoon", None, (-0.46, 0.34), angle=85)
    on.put("plate", "white", (0.0, 0.36))
    on.put("fork", None, (0.46, 0.34), angle=85)
    on.put("glass", None)
    on.put("candle", "red")
    return _Said(
        "What lies to the right of my plate?",
        "The fork.",
        ("A fork.", "It is the fork.", "To the right lies a fork."),
        ("The spoon.", "A knife.", "Nothing."),
        "A piece of cutlery.",
    )


def _counting(on: Layout, k: int) -> _Said:
    kind, colour, n, others = (
        ("cup", "red", 3, (("cup", "blue"), ("cup", "blue"), ("plate", "white"))),
        ("apple", None, 4, (("lemon", None), ("bowl", "blue"))),
        ("block", "green", 5, (("block", "red"), ("block", "yellow"))),
        ("pencil", None, 3, (("notebook", "red"), ("cup", "white"))),
        ("egg", None, 6, (("bowl", "turquoise"), ("spoon", None))),
        ("book", None, 2, (("phone", None), ("pencil", "red"), ("plant", "white"))),
    )[k]
    mixed_colours = ("red", "green", "yellow", "blue", "purple", "orange")
    if k < 3:
        on.hand("left", "rest", (0.2, 0.96))
    for number in range(n):
        natural = (
            colour
            if colour or kind == "egg"
            else mixed_colours[(number * 2 + k) % 6 if kind != "apple" else number % 3]
        )
        on.put(kind, natural)
    for other in others:
        on.put(*other)
    asked = f"{colour} {kind}s" if colour else f"{kind}s"
    word = _NUMBERS[n]
    low, high = _NUMBERS[n - 1], _NUMBERS[n + 1]
    return _Said(
        f"How many {asked} are on my table?",
        f"{_cap(word)}.",
        (f"There are {word}.", f"{n}.", f"I count {word} {asked}."),
        (f"{_cap(low)}.", f"There are {high}.", f"{n + 2}."),
        f"More than {_NUMBERS[n - 2] if n > 2 else 'none'}.",
    )


def _comparison(on: Layout, k: int) -> _Said:
    if k == 0:
        for _ in range(4):
            on.put("apple", "green")
        for _ in range(2):
            on.put("orange", None)
        on.put("bowl", "white")
        return _Said(
            "Are there more apples or more oranges before me?",
            "More apples.",
            ("There are more apples.", "Apples.", "More apples: four against two."),
            ("More oranges.", "Equally many.", "Oranges."),
            "There are several of both.",
        )
    if k == 1:
        on.put("cup", "yellow", (-0.3, 0.24))
        on.put("cup", "black", (0.42, 0.78))
        on.put("book", "blue")
        on.hand("right", "rest", (0.78, 0.94))
        return _Said(
            "Which cup is nearer to me, the yellow or the black one?",
            "The yellow one.",
            ("Yellow.", "The yellow cup.", "The yellow cup is nearer."),
            ("The black one.", "Both are equally far.", "The black cup is nearer."),
            "One of them is nearer than the other.",
        )
    if k == 2:
        on.put("glass", None, (-0.38, 0.4), level=0.85, drink="juice", size=1.2)
        on.put("glass", None, (0.38, 0.4), level=0.3, drink="juice", size=1.2)
        on.put("plate", "white", (0.0, 0.86))
        on.hand("left", "rest", (0.2, 0.96))
        return _Said(
            "Which glass has more juice in it, the left or the right one?",
            "The left one.",
            ("Left.", "The left glass.", "There is more in the left glass."),
            ("The right one.", "Both are equally full.", "Right."),
            "Both have some juice.",
        )
    if k == 3:
        on.put("parcel", "red", (-0.42, 0.44), size=1.25)
        on.put("parcel", "blue", (0.5, 0.46), size=0.8)
        on.put("pair of scissors", "green")
        return _Said(
            "Which present is larger, the red or the blue one?",
            "The red one.",
            ("Red.", "The red present.", "The red one is larger."),
            ("The blue one.", "They are of the same size.", "Blue."),
            "Both are wrapped with a ribbon.",
        )
    if k == 4:
        for _ in range(3):
            on.put("block", "orange")
        for _ in range(3):
            on.put("ball", "blue")
        on.put("box", None)
        return _Said(
            "Do I have more blocks or more balls?",
            "Equally many.",
            ("The same number of both.", "Three of each.", "As many blocks as balls."),
            ("More blocks.", "More balls.", "Five blocks and one ball."),
            "There are some of each.",
        )
    on.put("plant", "white", (-0.44, 0.48), size=1.3)
    on.put("plant", "brown", (0.46, 0.5), size=0.85)
    on.put("bottle", "blue")
    on.hand("right", "rest", (0.74, 0.95))
    return _Said(
        "Which plant is taller, the one in the white or the one in the brown pot?",
        "The one in the white pot.",
        ("The plant in the white pot.", "White.", "The one in the white pot is taller."),
        ("The one in the brown pot.", "Brown.", "They are equally tall."),
        "Both are green plants.",
    )


def _situated(on: Layout, k: int) -> _Said:
    if k == 0:
        on.hand("right", "hold", (0.66, 0.86), holds=Placed("cup", "blue", 0, 0))
        on.hand("left", "rest", (0.28, 0.88))
        on.put("phone", None, ringing=True)
        on.put("book", "orange")
        return _Said(
            "My phone rings. Which of my hands is free to take it?",
            "My left hand.",
            ("The left one.", "Left.", "The left hand; the right one holds a cup."),
            ("My right hand.", "Both hands.", "Neither of them."),
            "One hand is free.",
        )
    if k == 1:
        on.put("jar", "orange", (0.0, 0.4), lid="closed", size=1.2)
        on.put("spoon", None)
        on.put("plate", "white", None, filled="bread")
        return _Said(
            "I want jam on my bread. What must I do with the jar first?",
            "Open it.",
            ("Take off its lid.", "It is closed, so I must open it.", "Unscrew the lid."),
            ("Nothing, it is open.", "Wash it.", "Throw it away."),
            "Take it in my hand.",
        )
    if k == 2:
        on.put("plant", "turquoise", (0.1, 0.5), thirsty=True, size=1.25)
        on.put("glass", None, (-0.5, 0.4), level=0.8, drink="water")
        on.put("book", "red")
        return _Said(
            "Does my plant need water?",
            "Yes, its leaves hang down.",
            ("Yes.", "It does: it is wilting.", "Yes, it looks dry."),
            ("No.", "No, it is fresh and green.", "It has had enough water."),
            "Plants need water now and then.",
        )
    if k == 3:
        for colour in ("white", "blue"):
            on.put("bowl", colour, None, filled="soup")
        on.put("spoon", None)
        on.put("fork", None)
        on.put("candle", "white", None, lit=True)
        return _Said(
            "Two of us want to eat the soup. Are there enough spoons on my table?",
            "No, there is only one.",
            ("No.", "No, one spoon is missing.", "There is just one spoon for two people."),
            ("Yes.", "Yes, there are two spoons.", "Yes, there are plenty."),
            "There is a spoon and a fork.",
        )
    if k == 4:
        on.put("lamp", "red", (-0.4, 0.56), lit=False, size=1.2)
        on.put("book", "green", (0.25, 0.3))
        on.put("cup", "white")
        on.hand("right", "rest", (0.76, 0.95))
        return _Said(
            "It is getting dark and I want to read. Is my lamp on already?",
            "No, it is off.",
            ("No.", "It is off, I have to switch it on.", "Not yet."),
            ("Yes.", "Yes, it shines on the book.", "I have no lamp."),
            "There is a red lamp on the table.",
        )
    on.hand("left", "tool", (0.34, 0.88), holds=Placed("fork", None, 0, 0))
    on.put("plate", "white", (0.1, 0.36), filled="cake", size=1.2)
    on.put("glass", None)
    on.put("parcel", "purple")
    return _Said(
        "With which hand do I eat the cake?",
        "With my left hand.",
        ("The left one.", "Left.", "The left hand holds the fork."),
        ("With my right hand.", "With both hands.", "With a spoon."),
        "With the hand that holds the fork.",
    )


def _forecasting(on: Layout, k: int) -> _Said:
    if k == 0:
        on.put("kettle", "red", (0.42, 0.36))
        on.put("cup", "white", (-0.3, 0.36))
        on.hand("right", "reach", (0.76, 0.92))
        on.put("lemon", None)
        return _Said(
            "What will I do next?",
            "Take the kettle and pour water into the cup.",
            ("Pour hot water into the cup.", "I will pour water from the kettle.", "Fill the cup from the kettle."),
            ("Wash the dishes.", "Eat the lemon whole.", "Leave the room."),
            "Touch the kettle.",
        )
    if k == 1:
        on.put("sheet", "blue", (-0.15, 0.18), size=1.35)
        on.hand("right", "tool", (0.68, 0.88), holds=Placed("pencil", "green", 0, 0))
        on.put("cup", "orange")
        on.put("book", "brown")
        return _Said(
            "What will I do next?",
            "Write or draw on the empty sheet.",
            ("Begin to write.", "I will draw something on the sheet.", "Write on the paper."),
            ("Drink from the cup.", "Fold a paper plane.", "Sharpen a knife."),
            "Move the pencil.",
        )
    if k == 2:
        on.put("cutting board", None, (-0.05, 0.18), size=1.2)
        on.put("tomato", None, (-0.12, 0.19), size=1.15)
        on.hand("right", "tool", (0.7, 0.88), holds=Placed("knife", "brown", 0, 0))
        on.put("bowl", "green", None, filled="salad")
        return _Said(
            "What will I do next?",
            "Cut the tomato.",
            ("I will slice the tomato.", "Cut the tomato for the salad.", "Slice it."),
            ("Wash the knife.", "Throw the tomato away.", "Set the table."),
            "Use the knife.",
        )
    if k == 3:
        on.put("phone", None, (0.24, 0.34), ringing=True, size=1.15)
        on.hand("right", "reach", (0.7, 0.93))
        on.put("laptop", None, (-0.42, 0.6), size=0.85)
        on.put("cup", "red")
        return _Said(
            "What will I do next?",
            "Pick up the phone.",
            ("Take the call.", "I will answer the phone.", "Pick up the ringing phone."),
            ("Close the laptop.", "Drink the coffee.", "Water the plant."),
            "Reach forward.",
        )
    if k == 4:
        on.put("bowl", "blue", (-0.1, 0.28), filled="soup", size=1.25)
        on.hand("right", "tool", (0.68, 0.9), holds=Placed("spoon", None, 0, 0))
        on.put("glass", None)
        on.put("plate", "white", None, filled="bread")
        return _Said(
            "What will I do next?",
            "Eat the soup.",
            ("Dip the spoon into the soup.", "I will eat soup with the spoon.", "Begin to eat."),
            ("Cook the soup again.", "Drink the glass empty.", "Clear the table."),
            "Move the spoon.",
        )
    on.put("plant", "purple", (-0.06, 0.5), thirsty=True, size=1.2)
    on.hand("right", "hold", (0.68, 0.84), holds=Placed("glass", None, 0, 0, (("drink", "water"), ("level", 0.75))))
    on.put("book", "yellow")
    return _Said(
        "What will I do next?",
        "Water the plant.",
        ("Pour the water onto the plant.", "I will water the plant.", "Give the plant water."),
        ("Drink the water.", "Cut the leaves off.", "Read the book."),
        "Tilt the glass.",
    )


def _navigation(on: Layout, k: int) -> _Said:
    kind, colour, x, depth, side = (
        ("apple", "red", -0.5, 0.62, "right"),
        ("cup", "blue", 0.9, 0.66, "right"),
        ("key", None, 0.55, 0.7, "left"),
        ("lemon", None, -0.74, 0.66, "left"),
        ("book", "green", -0.6, 0.7, "right"),
        ("sponge", "pink", 0.66, 0.72, "left"),
    )[k]
    hand = on.hand(side, "rest", (0.62, 0.9) if side == "right" else (0.38, 0.9))
    target = on.put(kind, colour, (x, depth))
    for other in (("plate", "white"), ("bottle", "green"), ("pencil", "orange")):
        on.put(*other)
    finger = hand.x + (-0.06 if side == "right" else 0.06)
    towards = "left" if on_screen(target.x, target.depth)[0] / WIDTH < finger else "right"
    away = "right" if towards == "left" else "left"
    return _Said(
        f"How do I move my {side} hand to reach the {target.words}?",
        f"Forward and to the {towards}.",
        (
            f"Move it forward and to the {towards}.",
            f"1. Lift the hand. 2. Move it to the {towards}. 3. Move it forward until it is above the {target.kind}.",
            f"Away from me, and towards the {towards}.",
        ),
        (f"Forward and to the {away}.", f"To the {away}, then towards me.", "It is there already."),
        "Forward.",
    )


def _assistance(on: Layout, k: int) -> _Said:
    if k == 0:
        on.put("kettle", "blue", (0.45, 0.5))
        on.put("cup", "white", (-0.1, 0.36))
        on.put("lemon", None)
        on.put("spoon", None)
        task, steps = (
            "make hot water with lemon",
            (
                *(
                    "Boil water in the kettle",
                    "Pour it into the cup",
                    "Squeeze some lemon into it",
                    "Stir with the spoon",
                ),
            ),
        )
        wrong = "1. Put the kettle into the cup. 2. Eat the spoon."
    elif k == 1:
        on.put("parcel", "red", (0.2, 0.4))
        on.put("pair of scissors", "blue")
        on.put("pencil", "black")
        on.hand("left", "rest", (0.24, 0.94))
        task, steps = (
            "open this present without tearing its paper",
            (*("Take the scissors", "Cut the ribbon", "Unfold the paper", "Take out what is inside"),),
        )
        wrong = "1. Shake the present. 2. Write on it with the pencil."
    elif k == 2:
        on.put("plate", "white", (0.0, 0.34), filled="bread", size=1.15)
        on.put("jar", "red", (0.5, 0.5), lid="closed")
        on.put("knife", "brown", (-0.56, 0.4))
        on.hand("right", "rest", (0.76, 0.95))
        task, steps = (
            "make a slice of bread with jam",
            (*("Open the jar", "Take some jam with the knife", "Spread it on the bread", "Close the jar again"),),
        )
        wrong = "1. Put the bread into the jar. 2. Shake it."
    elif k == 3:
        on.put("sheet", "blue", (-0.1, 0.28), size=1.2)
        on.put("pencil", "yellow")
        on.put("box", None)
        task, steps = (
            "send a note in this box",
            (
                *(
                    "Take the pencil",
                    "Write the note on the sheet",
                    "Fold the sheet",
                    "Put it into the box and close it",
                ),
            ),
        )
        wrong = "1. Draw on the box. 2. Throw the sheet away."
    elif k == 4:
        on.put("bowl", "white", (0.0, 0.36), size=1.15)
        for _ in range(2):
            on.put("tomato", None)
        on.put("knife", "black")
        on.put("fork", None)
        task, steps = (
            "make a tomato salad",
            (
                *(
                    "Wash the tomatoes",
                    "Cut them into pieces with the knife",
                    "Put the pieces into the bowl",
                    "Mix with the fork",
                ),
            ),
        )
        wrong = "1. Put the knife into the bowl. 2. Serve."
    else:
        on.put("plant", "orange", (0.1, 0.52), thirsty=True, size=1.2)
        on.put("bottle", "blue", (-0.46, 0.44))
        on.put("glass", None)
        task, steps = (
            "water my plant with what is on the table",
            (
                *(
                    "Open the bottle",
                    "Pour some water into the glass",
                    "Pour it onto the earth of the plant",
                    "Close the bottle",
                ),
            ),
        )
        wrong = "1. Put the plant into the bottle."
    listed = " ".join(f"{number}. {step}." for number, step in enumerate(steps, 1))
    spoken = ", then ".join(step[0].lower() + step[1:] for step in steps)
    return _Said(
        f"How do I {task}?",
        listed,
        (
            _cap(spoken) + ".",
            " ".join(
                f"{_cap(word)}: {step}." for word, step in zip(("first", "second", "third", "last"), steps, strict=True)
            ),
        ),
        (
            wrong,
            "Ask somebody else to do it.",
            " ".join(f"{number}. {step}." for number, step in enumerate(reversed(steps), 1)),
        ),
        f"1. {steps[0]}. 2. {steps[1]}.",
    )


_DIMENSIONS: dict[str, _Build] = {
    "existence": _existence,
    "attribute": _attribute,
    "affordance": _affordance,
    "activity": _activity,
    "location": _location,
    "spatial": _spatial,
    "counting": _counting,
    "comparison": _comparison,
    "situated": _situated,
    "forecasting": _forecasting,
    "navigation": _navigation,
    "assistance": _assistance,
}
DIMENSIONS = tuple(_DIMENSIONS)
"""The twelve dimensions, by the ids of the demo's schema."""
PER_DIMENSION = 6


def scenes(dimension: str | None = None) -> list[Scene]:
    """All scenes, or those of one dimension, in a fixed order. Nothing is drawn yet."""
    return [scene for scene in _all() if dimension in (None, scene.dimension)]


@cache
def _all() -> tuple[Scene, ...]:
    return tuple(_built())


def _built() -> Iterator[Scene]:
    for row, (dimension, build) in enumerate(_DIMENSIONS.items()):
        for k in range(PER_DIMENSION):
            on = Layout(f"{dimension}-{k + 1}")
            said = build(on, k)
            on.settle()
            skin, sleeve = LOOKS[(row + k) % len(LOOKS)]
            assert skin in SKINS
            assert sleeve in SLEEVES
            yield Scene(
                name=on.name,
                dimension=dimension,
                question=said.question,
                answer=said.answer,
                also=tuple(said.also),
                wrong=tuple(said.wrong),
                partly=said.partly,
                room=said.room or ROOM_NAMES[(row * 3 + k) % len(ROOM_NAMES)],
                table=TABLE_NAMES[(row * 5 + k * 7) % len(TABLE_NAMES)],
                skin=skin,
                sleeve=sleeve,
                things=tuple(on.things),
                hands=tuple(on.hands),
            )
