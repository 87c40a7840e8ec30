"""Tables that nothing is asked about yet: the pictures in the demo's pool, for its authors to write about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tools.drawing.scenes import LOOKS, ROOM_NAMES, TABLE_NAMES, Layout, Scene
from tools.drawing.things import KINDS

TABLES = 48
SIZE = (960, 720)
"""Pixels of a table's picture."""
THINGS = (4, 7)
"""So many things lie on a table, the last number left out."""
COLOURS: Mapping[str, Sequence[str | None]] = {
    **dict.fromkeys(
        ("cup", "plate", "bowl", "book", "block", "ball", "candle", "bottle", "notebook"),
        (
            "red",
            "blue",
            "green",
            "yellow",
            "white",
            "pink",
        ),
    ),
    **dict.fromkeys(("apple", "parcel", "hammer", "sponge"), ("red", "green", "yellow")),
    **dict.fromkeys(("pear", "pencil", "can"), ("green", "yellow")),
}
"""The colours of things that nature leaves open."""
LARGE = ("laptop", "keyboard", "notebook", "box", "cutting board", "pot", "lamp")
"""Of these at most one is on a table: two of them leave no room."""


def tables() -> Iterator[Scene]:
    """All tables, in a fixed order. Nothing is drawn yet."""
    for number in range(TABLES):
        on = Layout(f"table-{number + 1:02}")
        random = on.random
        kinds = [kind for kind in KINDS if kind not in LARGE]
        if random.random() < 0.5:
            on.put(LARGE[random.integers(len(LARGE))], None, (0.0, 0.55))
        for kind in random.choice(kinds, size=random.integers(*THINGS), replace=False):
            colours = COLOURS.get(str(kind), (None,))
            on.put(str(kind), colours[random.integers(len(colours))])
        for side in (("left",), ("right",), ("left", "right"), ())[random.integers(4)]:
            on.hand(side)
        on.settle()
        skin, sleeve = LOOKS[number % len(LOOKS)]
        yield Scene(
            name=on.name,
            dimension="",
            question="",
            answer="",
            also=(),
            wrong=(),
            partly="",
            room=ROOM_NAMES[(number * 5) % len(ROOM_NAMES)],
            table=TABLE_NAMES[(number * 7) % len(TABLE_NAMES)],
            skin=skin,
            sleeve=sleeve,
            things=tuple(on.things),
            hands=tuple(on.hands),
        )
