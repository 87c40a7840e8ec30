"""Compile the pinned locks: ``requirements.txt`` of everything, and two parts of it, of the core and of the tools.

    make lock
    python tools/lock.py --parts   writes the two parts from requirements.txt as it is
    python tools/lock.py --torch   prints the pin of torch
    python tools/lock.py --plain   prints requirements.txt without an accelerator's libraries

It asks pip's own resolver (through pip-tools), so it honors whatever pip is configured with on this machine, and
writes nothing of that configuration down: no index, no folder of wheels. A local version suffix such as ``+cpu`` names
one build of a version that everyone else gets under its plain number, so it is taken off. On Linux the public index's
build of torch needs an accelerator's libraries, and pip refuses a file with hashes that lacks them. So they are
compiled apart, without this machine's configuration files, and pinned for Linux alone. ``tools/constraints.txt`` says
what is held back and why.

Every pin carries the SHA-256 of each file that its index has of it for Python 3.11 and later, on whatever system; of a
build that lies in a folder of this machine, the file's own. Nothing is downloaded for that.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.txt"
ACCELERATOR = re.compile(r"(nvidia-|cuda-|triton==)")
ON_LINUX = "; sys_platform == 'linux'"
CORE = ROOT / "requirements-core.txt"
TOOLS = ROOT / "requirements-dev.txt"
PYTHON = f"Made for Python {sys.version_info.major}.{sys.version_info.minor} by `make lock` from pyproject.toml."
HEAD = f"""\
# Everything, pinned: the core, every extra (models, judges, Label Studio) and the tools of development. Several GB.
# Use requirements-core.txt to run the server and annotate; use requirements-dev.txt for the tools alone.
# {PYTHON}
"""
CORE_HEAD = f"""\
# The light core, pinned: what `touchstone demo` and `touchstone serve` need. Use this to run the server and annotate.
# Use requirements.txt instead if models or LLM judges run on this machine, or if you work on Touchstone itself.
# {PYTHON}
"""
TOOLS_HEAD = f"""\
# The tools of development, pinned: pytest, ruff, mypy and what they need. Use this together with requirements-core.txt.
# Use requirements.txt instead for all tests: it has these tools, the core and every extra.
# {PYTHON}
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
    return HEAD + "\n".join(lines) + "\n"


def accelerator(compiled: str) -> str:
    """Return the pins of an accelerator's libraries from what the compiler wrote for torch, each for Linux alone."""
    pins = (line.partition("#") for line in compiled.splitlines() if ACCELERATOR.match(line))
    return "".join(f"{pin.strip() + ON_LINUX:<40} # {why.strip()}\n" for pin, _, why in pins)


def hashes(name: str, version: str, repository: Any) -> list[str]:
    """The SHA-256 of every file of a version that someone may install."""
    with repository.allow_all_wheels():
        links = [
            candidate.link for candidate in repository.find_all_candidates(name) if candidate.version.public == version
        ]
    sha256s = sorted({_sha256(link) for link in links if not OTHER_PYTHON.search(link.filename)})
    if not sha256s:
        raise SystemExit(f"The index has no file of {name} {version} that could be installed.")
    return sha256s


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
        digests = hashes(name, version, repository)
        lines.append(" \\\n    ".join([pin.strip(), *(f"--hash=sha256:{digest}" for digest in digests)]) + f"  #{why}")
    return "\n".join(lines) + "\n"


def entries(text: str) -> Iterator[tuple[str, str, set[str]]]:
    """Name of each pin of a lock, its lines, and the names of those that want it."""
    for entry in re.findall(r"^[^#\s].*(?:\n .*)*", text, re.MULTILINE):
        wanting = {name.strip() for name in entry.partition("  # via ")[2].split(",")}
        yield entry.partition("==")[0], entry, wanting


def part(text: str, requirements: Iterable[str]) -> str:
    """Return the pins of a lock that these requirements need, directly or through others."""
    names = {re.split(r"[^\w.-]", requirement.lower())[0] for requirement in requirements}
    packages = list(entries(text))
    while more := {name for name, _, wanting in packages if wanting & names} - names:
        names |= more
    return "\n".join(entry for name, entry, _ in packages if name in names) + "\n"


def core(text: str) -> str:
    """Return the lock of the core, with what builds it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    built_with = [*project["build-system"]["requires"], "wheel"]
    return CORE_HEAD + part(text, [*project["project"]["dependencies"], *built_with])


def tools(text: str) -> str:
    """Return the lock of the development tools."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return TOOLS_HEAD + part(text, project["project"]["optional-dependencies"]["dev"])


def write_parts() -> None:
    """Write the locks of the core and of the tools from the lock of everything."""
    text = LOCK.read_text(encoding="utf-8")
    CORE.write_text(core(text), encoding="utf-8")
    TOOLS.write_text(tools(text), encoding="utf-8")
    for path in (LOCK, CORE, TOOLS):
        print(f"{path.name}: {len(list(entries(path.read_text(encoding='utf-8'))))} packages pinned")


def without_accelerator(text: str) -> str:
    """Return the lock without an accelerator's libraries."""
    return "\n".join(entry for _, entry, _ in entries(text) if not ACCELERATOR.match(entry)) + "\n"


def compile_pins(source: str, out: Path, *options: str, env: dict[str, str] | None = None) -> None:
    """Let pip's resolver write the pins of a file of requirements."""
    command = [sys.executable, "-m", "piptools", "compile", source, *options, f"--output-file={out}"]
    command += ["--strip-extras", "--allow-unsafe", "--quiet", "--annotation-style=line", "--no-header"]
    command += ["--no-emit-index-url", "--no-emit-find-links", "--no-emit-trusted-host", "--no-emit-options"]
    done = subprocess.run(command, cwd=ROOT, env=env, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def main() -> int:
    """Compile the locks; pins that still satisfy pyproject.toml stay unless ``--upgrade`` is given."""
    if "--parts" in sys.argv:
        write_parts()
        return 0
    if "--torch" in sys.argv:
        print(next(entry for name, entry, _ in entries(LOCK.read_text(encoding="utf-8")) if name == "torch"))
        return 0
    if "--plain" in sys.argv:
        print(without_accelerator(LOCK.read_text(encoding="utf-8")), end="")
        return 0
    from piptools.repositories import PyPIRepository

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "requirements.txt"
        if LOCK.exists() and "--upgrade" not in sys.argv:
            out.write_text(LOCK.read_text(encoding="utf-8"), encoding="utf-8")
        compile_pins("pyproject.toml", out, "--all-extras", "--constraint=tools/constraints.txt")
        text = clean(out.read_text(encoding="utf-8"))
        torch, libraries = Path(folder) / "torch.in", Path(folder) / "torch.txt"
        torch.write_text(re.findall(r"^torch==\S+", text, re.MULTILINE)[0], encoding="utf-8")
        bare = {name: value for name, value in os.environ.items() if name != "PIP_FIND_LINKS"}
        compile_pins(str(torch), libraries, env={**bare, "PIP_CONFIG_FILE": os.devnull})
        text += accelerator(libraries.read_text(encoding="utf-8"))
        LOCK.write_text(with_hashes(text, PyPIRepository([], cache_dir=folder)), encoding="utf-8")
    write_parts()
    return 0


if __name__ == "__main__":
    sys.exit(main())
