"""Fill ``build/wheels`` with all that an installation without a network needs: wheels from the lock, and our own.

    make wheels
    python -m venv VENV
    VENV/bin/pip install --no-index --find-links=build/wheels --require-hashes --no-deps \\
        --requirement=build/wheels/requirements.txt
    VENV/bin/pip install --no-index --no-deps build/wheels/touchstone_vlm-*.whl

``deploy/Containerfile`` does the same. The wheels fit the Python and the system that run this program.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.floors import ROOMS
from tools.lock import LOCK, ROOT, part

EXTRAS = ("postgres", "judges", "video", "s3")
"""The extras of the container image. Models on the machine itself need gigabytes more."""
FILES = ("pyproject.toml", "README.md", "LICENSE", "NOTICE")
FOLDERS = (*ROOMS, "examples", "touchstone_vlm", "tools/wheel")


def pins() -> str:
    """Return the part of the lock that the image needs, with hashes."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [need for name in EXTRAS for need in project["optional-dependencies"][name]]
    return part(LOCK.read_text(encoding="utf-8"), [*project["dependencies"], *extras])


def fill(folder: Path) -> None:
    """Fill a folder with the wheels and their ``requirements.txt``. Wheels that are there already stay."""
    folder.mkdir(parents=True, exist_ok=True)
    requirements = folder / "requirements.txt"
    requirements.write_text(pins(), encoding="utf-8")
    quiet = ("--quiet", "--disable-pip-version-check", "--no-deps")
    _pip("download", *quiet, "--only-binary=:all:", "--require-hashes", f"--dest={folder}", f"-r{requirements}")
    for old in folder.glob("touchstone_vlm-*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as name:
        source = Path(name)  # setuptools leaves files next to the source
        for each in FOLDERS:
            shutil.copytree(ROOT / each, source / each, ignore=shutil.ignore_patterns("__pycache__"))
        for each in FILES:
            shutil.copyfile(ROOT / each, source / each)
        _pip("wheel", *quiet, "--no-build-isolation", f"--wheel-dir={folder}", str(source))


def _pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", *arguments], check=True, stdin=subprocess.DEVNULL)


def main() -> int:
    """Fill the folder of the first argument, or ``build/wheels``."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "wheels"
    fill(folder)
    sizes = [path.stat().st_size for path in folder.glob("*.whl")]
    print(f"{folder}: {len(sizes)} wheels, {sum(sizes) / 1e6:,.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
