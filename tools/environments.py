"""Environments of their own for other people's programs, which never share one with Touchstone."""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
import time
from pathlib import Path


def environment(folder: Path, *requirements: str, constraints: Path | None = None, lock: Path | None = None) -> Path:
    """The ``bin`` folder of an environment with these packages; made on first use, found again later.

    Anyone who comes while someone else makes it waits. One that was not made to its end is made anew. ``constraints``
    is a file with the versions of everything that the packages need; ``lock`` is one with their hashes, too, and is all
    that is installed: nothing is looked up for it, and modules are compiled when they are first imported, which takes a
    third of the time.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()  # its programs name the folder: it may be linked to, but not moved
    stamp = folder / "requirements.txt"
    if lock is not None:
        requirements = (*requirements, f"{lock.name} {hashlib.sha256(lock.read_bytes()).hexdigest()}")
    wanted = "\n".join([str(folder), *requirements]) + "\n"
    with (folder.parent / f"{folder.name}.lock").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
            return folder / "bin"
        print(f"installing {' '.join(requirements)} into {folder} (once)", file=sys.stderr, flush=True)
        begun = time.monotonic()
        bare = ["--without-pip"] if lock else []
        subprocess.run([sys.executable, "-m", "venv", "--clear", *bare, str(folder)], check=True)
        own = str(folder / "bin" / "python")
        pip = [sys.executable, "-m", "pip", "--python", own] if lock else [own, "-m", "pip"]
        held = ["--constraint", str(constraints)] if constraints else []
        what = ["--no-deps", "--no-compile", "--require-hashes", "--requirement", str(lock)] if lock else requirements
        install = [*pip, "install", "-qq", "--disable-pip-version-check", *held, *what]
        subprocess.run(install, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        stamp.write_text(wanted, encoding="utf-8")
        print(f"installed in {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    return folder / "bin"
