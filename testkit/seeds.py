"""Seeds of projects that are the same in every run: what a seed decides, a test has to see again.

``TESTKIT_SEED=7 pytest ...`` gives all of them other seeds: what passes with one only has a test that hangs on luck.
"""

from __future__ import annotations

import os
from itertools import count
from zlib import crc32

from workflow.access import projects


def settle(place: str) -> None:
    """From now on the projects of this process, and of what is forked of it, get seeds that follow from a place's name
    and their turn there."""
    turns = count()
    projects._draw_seed = lambda: crc32(f"{os.environ.get('TESTKIT_SEED', '')}/{place}/{next(turns)}".encode()) >> 1
