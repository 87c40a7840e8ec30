"""Constants of drawings on images, shared by the code that stores, checks, draws or edits them, and by the page."""

from __future__ import annotations

from typing import Any

DECIMALS = 6
"""The number of decimal places of positions and sizes, which are fractions of the image."""
LEAST_SIDE = 0.002
"""The minimum side of a box, as a fraction of the image."""
NEW_SIDE = 0.2
"""The width and height of a box that a key adds in the middle of the view."""
STEP, FINE = 0.01, 0.001
"""The distance that an arrow key moves a shape, without and with Shift."""
LARGEST_NUMBER = 999
"""Numbers of marks count from 1 to this."""
RED = (230, 0, 0)
"""The color of the item's own boxes and marks, for people and models alike."""
GREY = (128, 128, 128)
"""The color of areas that an item covers."""
TINT = (2, 5)
"""The opacity of a mask, as numerator and denominator."""


def for_page() -> dict[str, Any]:
    """Return the constants for the page's controls."""
    return {
        "decimals": DECIMALS,
        "least_side": LEAST_SIDE,
        "new_side": NEW_SIDE,
        "step": STEP,
        "fine": FINE,
        "largest_number": LARGEST_NUMBER,
        "tone": "#" + bytes(RED).hex(),
        "grey": "#" + bytes(GREY).hex(),
        "tint": TINT[0] / TINT[1],
    }
