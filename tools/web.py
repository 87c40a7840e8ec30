"""Check the JavaScript of the pages: shape and mistakes with Biome, types with tsc, both run by Node.

python tools/web.py install    the two tools, at the versions of package-lock.json, into node_modules
python tools/web.py            check; make lint does both
python tools/web.py --write    put the shape right where that is all that is wrong
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools import system  # noqa: E402

MODULES = Path("node_modules")
BIOME = MODULES / "@biomejs" / "biome" / "bin" / "biome"
TSC = MODULES / "typescript" / "bin" / "tsc"
DOM = MODULES / "happy-dom"
"""The DOM in which ``tests/web`` runs the modules of the pages."""
INSTALL = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"]
"""Not ``npm ci``: that wants to see the packages of every platform, also of those that the registry does not have."""


def node() -> str:
    """The Node on the path; where there is none, the one that Playwright brings."""
    path = shutil.which("node")
    if path is None:
        from playwright._impl._driver import compute_driver_executable

        path = compute_driver_executable()[0]
    return path


def missing() -> list[str]:
    """The names of the system packages without which nothing can be installed."""
    return [] if shutil.which("npm") else ["nodejs", "npm"]


def install() -> int:
    """Install the tools; root installs npm too where it is missing, and anyone else is told to."""
    problem = system.provide(missing, "The check of the JavaScript needs")
    if problem:
        return problem
    npm = shutil.which("npm")
    assert npm is not None
    print("installing what checks the JavaScript into node_modules (seconds, once)", flush=True)
    path = os.pathsep.join([os.environ.get("PATH", ""), str(Path(node()).parent)])
    return subprocess.run([npm, *INSTALL], cwd=ROOT, env={**os.environ, "PATH": path}, check=False).returncode


def check(root: Path = ROOT, *, write: bool = False) -> int:
    """Run both tools over ``root`` at the same time, and say what they found; 0 if that is nothing."""
    shape = ["check", "--error-on-warnings", "--log-level=warn", *(["--write"] if write else []), "."]
    running = [_started(root, BIOME, shape), _started(root, TSC, ["-p", "."])]
    outputs = [(tool.communicate()[0].strip(), tool.returncode) for tool in running]
    for output, returncode in outputs:
        if returncode:
            print(output, file=sys.stderr)
    return max(abs(returncode) for _, returncode in outputs)


def _started(root: Path, tool: Path, arguments: Sequence[str]) -> subprocess.Popen[str]:
    command = [node(), str(tool), *arguments]
    return subprocess.Popen(
        command,
        cwd=root,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def main(arguments: Sequence[str]) -> int:
    """What was asked for on the command line."""
    return install() if "install" in arguments else check(write="--write" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
