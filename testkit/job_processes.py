"""Job processes that have the priority of the tests which wait for them.

At a low priority, as in real life, they would hardly get any time of cores that run tests.
"""

from __future__ import annotations

import sys

from app.jobs import processes

CODE = """
from app.jobs import process
process.NICE = dict.fromkeys(process.NICE, 0)
raise SystemExit(process.work_in_process())
"""


def hurry() -> None:
    """From now on this process, and what is forked of it, starts job processes at its own priority."""
    processes.process_of = lambda name: (sys.executable, "-P", "-c", CODE)  # type: ignore[attr-defined]
