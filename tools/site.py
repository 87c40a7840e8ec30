"""Build the documentation site: searchable pages from ``docs/``, without anything from the network.

    python tools/site.py [--out FOLDER]    by default build/site; open index.html in it

Sphinx runs in an environment of its own, made on first use below ``.cache``. A dead link ends the build with an error.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.environments import environment  # noqa: E402

SETTINGS = ROOT / "tools" / "site"
ENVIRONMENT = ROOT / ".cache" / "site"
OUT = ROOT / "build" / "site"


def build(out: Path) -> int:
    """Write the site into a folder, and return Sphinx's exit status."""
    programs = environment(ENVIRONMENT, lock=SETTINGS / "requirements.txt")
    quiet = ["--quiet", "--fail-on-warning", "--keep-going"]
    command = [programs / "python", "-m", "sphinx", "--builder", "html", *quiet, "--conf-dir", SETTINGS]
    return subprocess.run([*map(str, command), str(ROOT / "docs"), str(out)], check=False).returncode


def main() -> int:
    """Build the site and print where it begins."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    status = build(given.out)
    if status == 0:
        print(given.out / "index.html")
    return status


if __name__ == "__main__":
    sys.exit(main())
