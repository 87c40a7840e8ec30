"""What is drawn on images in numbers: one place for all that keep, check, draw or edit it; the page has them, too."""

from __future__ import annotations

from typing import Any

DECIMALS = 6
"""Places and sizes are fractions of the image, kept with so many decimals."""
LEAST_SIDE = 0.002
"""No one draws a box that is thinner, as a share of the image."""
NEW_SIDE = 0.2
"""How wide and high a box is that a key sets into the middle of what is seen."""
STEP, FINE = 0.01, 0.001
"""How far an arrow key moves, and with Shift."""
LARGEST_NUMBER = 999
"""Numbers of marks count from 1 to this."""
RED = (230, 0, 0)
"""What an item itself shows: the same for people and for models."""
GREY = (128, 128, 128)
"""What an item paints over, likewise."""
TINT = (2, 5)
"""How much of the colour of a mask is over what it lies on: two parts of five."""


def for_page() -> dict[str, Any]:
    """The numbers as the page's controls get them."""
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
