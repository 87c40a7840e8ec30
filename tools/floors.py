"""The floors of the house and the rooms on each. ``docs/contributing.md`` says what they are for."""

from __future__ import annotations

FLOORS = [
    ["domain"],
    ["annotation_schemas", "agreement", "net"],
    ["db", "media", "inference", "importers", "exporters", "reports"],
    ["workflow"],
    ["app"],
    ["extensions"],
]
"""From the ground up: a room imports only from floors below."""

FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
ROOMS = list(FLOOR_OF)
BESIDE = ["examples", "tests", "benchmarks", "tools", "testkit"]
"""Next to the house: they may look into every room, and no room looks at them."""
