"""In a lane, properties try few examples, whatever their settings say."""

from __future__ import annotations

import subprocess
import sys

import pytest

from testkit.lanes import FEW
from testkit.paths import ROOT

COUNTED = """
from hypothesis import given, settings, strategies as st
from testkit import lanes
lanes.limit_examples(lanes.FEW)
tried = {"many": 0, "three": 0, "unset": 0}
@settings(max_examples=500)
@given(st.integers())
def many(n): tried["many"] += 1
@settings(max_examples=3)
@given(st.integers())
def three(n): tried["three"] += 1
@given(st.integers())
def unset(n): tried["unset"] += 1
many(), three(), unset()
print(*tried.values())
"""


@pytest.mark.thorough
def test_settings_of_a_property_count_up_to_the_limit() -> None:
    done = subprocess.run([sys.executable, "-c", COUNTED], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout.split() == [str(FEW), "3", str(FEW)]
