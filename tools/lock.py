"""Compile ``requirements.txt``, the pinned lock of the core and of every extra.

    make lock
    python tools/lock.py --core    prints the part of the lock that the core needs
    python tools/lock.py --torch   prints the pin of torch

It asks pip's own resolver (through pip-tools), so it honours whatever pip is configured with on this machine, and
writes nothing of that configuration down: no index, no folder of wheels. A local version suffix such as ``+cpu`` names
one build of a version that everyone else gets under its plain number, so it is taken off; an accelerator's libraries
belong to one build of torch, so they are left to pip. ``tools/constraints.txt`` says what is held back and why.

Every pin carries the SHA-256 of each file that its index has of it for Python 3.11 and later, on whatever system; of a
build that lies in a folder of this machine, the file's own. Nothing is downloaded for that.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.txt"
ACCELERATOR = re.compile(r"(nvidia-|cuda-|triton==)")
HEAD = """\
# Every package that Touchstone's core and its extras need, pinned: `make lock` writes this from pyproject.toml.
# Made for Python {version}.
"""
OTHER_PYTHON = re.compile(r"-(pp\d+|cp2\d+|cp3\d|cp310)-(?!abi3)")
"""In the name of a wheel that no Python we run on installs."""


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


def hashes(name: str, version: str, repository: Any) -> list[str]:
    """The SHA-256 of every file of a version that someone may install."""
    with repository.allow_all_wheels():
        links = [found.link for found in repository.find_all_candidates(name) if found.version.public == version]
    found = sorted({_sha256(link) for link in links if not OTHER_PYTHON.search(link.filename)})
    if not found:
        raise SystemExit(f"The index has no file of {name} {version} that could be installed.")
    return found


def _sha256(link: Any) -> str:
    if link.hash_name == "sha256":
        return str(link.hash)
    if not link.is_file:
        raise SystemExit(f"The index gives no SHA-256 of {link.filename}.")
    return hashlib.sha256(Path(link.file_path).read_bytes()).hexdigest()


def with_hashes(text: str, repository: Any) -> str:
    """The lock's text with the hashes of each pin below it."""
    lines = []
    for line in text.splitlines():
        pin, _, why = line.partition("#")
        if not pin.strip():
            lines.append(line)
            continue
        name, version = pin.partition(";")[0].strip().split("==")
        found = hashes(name, version, repository)
        lines.append(" \\\n    ".join([pin.strip(), *(f"--hash=sha256:{each}" for each in found)]) + f"  #{why}")
    return "\n".join(lines) + "\n"


def entries(text: str) -> Iterator[tuple[str, str, set[str]]]:
    """Name of each pin of a lock, its lines, and the names of those that want it."""
    for entry in re.findall(r"^[^#\s].*(?:\n .*)*", text, re.MULTILINE):
        wanting = {each.strip() for each in entry.partition("  # via ")[2].split(",")}
        yield entry.partition("==")[0], entry, wanting


def core(text: str) -> str:
    """The part of a lock that the core needs, with what builds it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"], "wheel"]
    names = {re.split(r"[^\w.-]", each.lower())[0] for each in wanted}
    found = list(entries(text))
    while more := {name for name, _, wanting in found if wanting & names} - names:
        names |= more
    return "\n".join(entry for name, entry, _ in found if name in names) + "\n"


def main() -> int:
    """Compile the lock; pins that still satisfy pyproject.toml stay unless ``--upgrade`` is given."""
    if "--core" in sys.argv:
        print(core(LOCK.read_text(encoding="utf-8")), end="")
        return 0
    if "--torch" in sys.argv:
        print(next(entry for name, entry, _ in entries(LOCK.read_text(encoding="utf-8")) if name == "torch"))
        return 0
    from piptools.repositories import PyPIRepository

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
        repository = PyPIRepository([], cache_dir=folder)
        LOCK.write_text(with_hashes(clean(out.read_text(encoding="utf-8")), repository), encoding="utf-8")
    print(f"{LOCK.name}: {sum('==' in line for line in LOCK.read_text(encoding='utf-8').splitlines())} packages pinned")
    return 0


if __name__ == "__main__":
    sys.exit(main())
