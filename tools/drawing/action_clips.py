"""Short clips of actions at the table, with questions whose answers are known because the action was drawn so.

    for clip in action_clips():
        clip.save(Path(f"{clip.name}.webm"))

A clip is a function from a moment to a ``Scene``. Saving needs the extra ``video``; drawing its frames does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image

from tools.drawing.backdrops import HEIGHT, WIDTH, on_screen
from tools.drawing.hands import pose
from tools.drawing.scenes import HAND_UNIT, HELD_LARGER, STANDS, THING_UNIT, Hand, Placed, Scene

SIZE = (640, 480)
FRAMES_PER_SECOND = 12


@dataclass(frozen=True)
class ActionClip:
    """An action as it goes on, and what is true of it."""

    name: str
    goal: str
    """What the action belongs to, as EgoPlan would say it."""
    action: str
    """What is done in the clip."""
    next_action: str
    """What has to be done next."""
    others: tuple[str, ...]
    """Actions that do not come next."""
    seconds: float
    at: Callable[[float], Scene]
    """The scene at a moment in 0 (beginning) .. 1 (end)."""

    @property
    def n_frames(self) -> int:
        """How many frames it has."""
        return round(self.seconds * FRAMES_PER_SECOND)

    def frames(self, size: tuple[int, int] = SIZE) -> Iterator[Image.Image]:
        """Its frames, in order."""
        for number in range(self.n_frames):
            yield self.at(number / (self.n_frames - 1)).draw(size)

    def save(self, path: Path, size: tuple[int, int] = SIZE) -> Path:
        """Write it as WebM (VP8)."""
        from media import clips

        return clips.write(self.frames(size), out=path, frames_per_second=FRAMES_PER_SECOND)


def _scene(name: str, room: str, table: str, skin: str, sleeve: str, things: tuple[Placed, ...]) -> Scene:
    return Scene(name, "activity", "What am I doing?", "", (), (), "", room, table, skin, sleeve, things)


def _part(t: float, start: float, end: float) -> float:
    """How much of the time from ``start`` to ``end`` is over, beginning and ending softly."""
    x = min(max((t - start) / (end - start), 0), 1)
    return x * x * (3 - 2 * x)


def _between(a: tuple[float, float], b: tuple[float, float], t: float) -> tuple[float, float]:
    return a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t


def _holding(scene: Scene, placed: Placed, side: str = "right", *, lifted: float = 0.0) -> Hand:
    """A hand around a thing, so that the thing is exactly where it stands (or ``lifted`` by so many of its heights)."""
    shape = pose("hold", left=side == "left", skin=scene.skin, sleeve=scene.sleeve, unit=HAND_UNIT, degrees=14.0)
    x, y, scale = on_screen(placed.x, placed.depth)
    held = replace(placed, size=placed.size * scale / HELD_LARGER)
    grip = (x, y - (STANDS.get(placed.kind, 0.35) + lifted) * THING_UNIT * scale * placed.size)
    wrist = (grip[0] - shape.grip[0] * HAND_UNIT, grip[1] + shape.grip[1] * HAND_UNIT)
    return Hand(side, "hold", wrist[0] / WIDTH, wrist[1] / HEIGHT, holds=held)


AWAY = (0.86, 1.5)
"""Where a right hand is when it is out of view."""


def _carry(scene: Scene, placed: Placed, end: tuple[float, float], t: float) -> Scene:
    """A right hand comes in, moves a thing from where it stands to ``end`` (x, depth), and goes."""
    way = _between((placed.x, placed.depth), end, _part(t, 0.26, 0.74))
    here = replace(placed, x=way[0], depth=way[1])
    hand = _holding(scene, here)
    if t < 0.22:
        grip = replace(hand, pose="reach", holds=None)
        x, y = _between(AWAY, (grip.x, grip.y), _part(t, 0.0, 0.22))
        return replace(scene, things=(*scene.things, placed), hands=(replace(grip, x=x, y=y),))
    if t <= 0.78:
        return replace(scene, hands=(hand,))
    x, y = _between((hand.x, hand.y), AWAY, _part(t, 0.78, 1.0))
    return replace(scene, things=(*scene.things, here), hands=(replace(hand, pose="reach", holds=None, x=x, y=y),))


def _move_cup(t: float) -> Scene:
    plate, spoon = Placed("plate", "white", -0.1, 0.78), Placed("spoon", None, 0.75, 0.7)
    scene = _scene("move-cup", "kitchen", "oak", "honey", "navy", (plate, spoon))
    return _carry(scene, Placed("cup", "red", -0.5, 0.42), (0.5, 0.42), t)


def _take_apple(t: float) -> Scene:
    bowl, apple = Placed("bowl", "blue", 0.3, 0.62), Placed("apple", "green", -0.62, 0.4)
    scene = _scene("take-lemon", "garden", "white", "cocoa", "mustard", (bowl, apple))
    return _carry(scene, Placed("lemon", None, -0.1, 0.44), (0.7, -0.35), t)


def _write(t: float) -> Scene:
    written = round(0.1 + 0.75 * t, 2)
    notebook = Placed("notebook", "purple", -0.12, 0.18, (("angle", 4), ("written", written)), 1.3)
    things = (notebook, Placed("cup", "yellow", 0.72, 0.7), Placed("lamp", "green", -0.66, 0.76))
    scene = _scene("write", "office", "ash", "porcelain", "sage", things)
    wave = 0.012 * (1 if int(t * 40) % 2 else -1)
    right = Hand("right", "tool", 0.56 + 0.14 * t + wave, 0.9 + 0.02 * t, holds=Placed("pencil", "blue", 0, 0))
    return replace(scene, hands=(Hand("left", "rest", 0.2, 0.97), right))


def _push_block(t: float) -> Scene:
    moved = _between((0.28, 0.16), (0.02, 0.44), _part(t, 0.25, 0.75))
    blocks = (Placed("block", "yellow", -0.3, 0.44), Placed("block", "green", -0.62, 0.44))
    pushed = Placed("block", "red", moved[0], moved[1])
    scene = _scene("push-block", "living room", "teal", "chestnut", "cream", (*blocks, pushed))
    x, y, scale = on_screen(*moved)
    touching = ((x + 0.2 * HAND_UNIT) / WIDTH, (y + 1.72 * HAND_UNIT - 40 * scale) / HEIGHT)
    at = _between(AWAY, touching, _part(t, 0.0, 0.25)) if t < 0.5 else _between(touching, AWAY, _part(t, 0.78, 1.0))
    return replace(scene, hands=(Hand("right", "point", at[0], at[1], degrees=4.0),))


def action_clips() -> list[ActionClip]:
    """All clips, in a fixed order. Nothing is drawn yet."""
    return [
        ActionClip(
            "move-cup",
            goal="lay the table",
            action="move the red cup from left to right",
            next_action="put the spoon on the plate",
            others=("move the red cup to the left", "wash the plate", "pour the tea away"),
            seconds=4.0,
            at=_move_cup,
        ),
        ActionClip(
            "take-lemon",
            goal="make lemonade",
            action="take the lemon away",
            next_action="cut the lemon",
            others=("take the lemon", "eat the apple", "fill the bowl with soup"),
            seconds=4.0,
            at=_take_apple,
        ),
        ActionClip(
            "write",
            goal="write a letter",
            action="write in the notebook",
            next_action="close the notebook",
            others=("sharpen the pencil", "open the notebook", "switch off the lamp"),
            seconds=3.0,
            at=_write,
        ),
        ActionClip(
            "push-block",
            goal="line up the blocks",
            action="push the red block beside the yellow one",
            next_action="check that the blocks are in a line",
            others=("take the yellow block away", "build a tower of the blocks", "put the blocks into a box"),
            seconds=4.0,
            at=_push_block,
        ),
    ]
