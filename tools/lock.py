"""Compile ``requirements.txt``, the pinned lock of the core and of every extra.

    make lock

It asks pip's own resolver (through pip-tools), so it honours whatever pip is configured with on this machine, and
writes nothing of that configuration down: no index, no folder of wheels. A local version suffix such as ``+cpu`` names
one build of a version that everybody else gets under its plain number, so it is taken off; an accelerator's libraries
belong to one build of torch, so they are left to pip. ``tools/constraints.txt`` says what is held back and why.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.txt"
ACCELERATOR = re.compile(r"(nvidia-|cuda-|triton==)")
HEAD = """\
# Every package that Touchstone's core and its extras need, pinned: `make lock` writes this from pyproject.toml.
# Made for Python {version}.
"""


def clean(compiled: str) -> str:
    """The lock's text from what the compiler wrote: no options, no comments of its head, no local version suffixes."""
    lines = []
    for line in compiled.splitlines():
        if line.startswith(("--", "#", " ")) or not line.strip() or ACCELERATOR.match(line):
            continue
        pin, _, why = line.partition("#")
        lines.append(f"{pin.strip().partition('+')[0]:<40} # {why.strip()}")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return HEAD.format(version=version) + "\n".join(lines) + "\n"


def main() -> int:
    """Compile the lock; pins that still satisfy pyproject.toml stay unless ``--upgrade`` is given."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "requirements.txt"
        if LOCK.exists() and "--upgrade" not in sys.argv:
            out.write_text(LOCK.read_text(encoding="utf-8"), encoding="utf-8")
        command = [sys.executable, "-m", "piptools", "compile", "pyproject.toml"]
        command += ["--all-extras", "--strip-extras", "--allow-unsafe", "--quiet", "--annotation-style=line"]
        command += ["--constraint=tools/constraints.txt"]
        command += ["--no-emit-index-url", "--no-emit-find-links", "--no-emit-trusted-host", "--no-emit-options"]
        command += ["--no-header", f"--output-file={out}"]
        done = subprocess.run(command, cwd=ROOT, check=False)
        if done.returncode:
            return done.returncode
        LOCK.write_text(clean(out.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{LOCK.name}: {sum('==' in line for line in LOCK.read_text(encoding='utf-8').splitlines())} packages pinned")
    return 0


if __name__ == "__main__":
    sys.exit(main())
