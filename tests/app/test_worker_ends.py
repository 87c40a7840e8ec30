"""A worker next to a server ends without a word, while its standard input is still open."""

from __future__ import annotations

import subprocess
import sys

from tests.paths import ROOT

WAITING = "from app.supervisor import when_input_ends; when_input_ends(print); import time; time.sleep(0.3)"


def test_anyone_who_waits_for_the_end_of_input_is_no_fatal_error_as_the_worker_ends() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING], stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, text=True
    )
    assert process.stdin is not None
    assert process.stderr is not None
    assert process.wait(60) == 0
    assert process.stderr.read() == ""
    process.stdin.close()
    process.stderr.close()
