"""See to it that the programs the tests need are there: Chromium, PostgreSQL, openssl, HAProxy, nginx, a Label Studio.

Root installs what is missing from the system's packages; anyone else is told, in one sentence, what to install.
Firefox comes along where it is to be had: without it its tests say that they skip.
Label Studio gets an environment of its own below ``.cache``, from the package index, once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from testkit import browser, firefox, postgres
from tools import label_studio


def missing() -> list[str]:
    """The names of the packages to install."""
    return [
        *(["chromium"] if browser.program() is None else []),
        *(["postgresql"] if postgres.binaries() is None else []),
        *(["openssl"] if shutil.which("openssl") is None else []),
        *(["haproxy"] if shutil.which("haproxy") is None else []),
        *(["nginx-light"] if shutil.which("nginx") is None else []),
        *(["systemd"] if shutil.which("systemd-analyze") is None else []),
    ]


def main() -> int:
    """Install what is missing, or say what it is."""
    wished()
    return system_packages() or peer()


def wished() -> None:
    """Root gets what the tests can do without, if it is to be had: the browser that does the same with less work than
    Chromium itself, and another one."""
    there = {browser.SHELL: shutil.which(browser.SHELL), firefox.PACKAGE: firefox.program()}
    for package, path in there.items():
        if path is None and _can_install():
            _install([package])


def peer() -> int:
    """Install Label Studio, or say why not."""
    try:
        label_studio.migrated()
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        wanted = f"Label Studio {label_studio.VERSION}"
        print(f"The tests need {wanted} in {label_studio.FOLDER}, which could not be made: {error}.", file=sys.stderr)
        return 1
    return 0


def system_packages() -> int:
    """Install the system's packages that are missing, or say which."""
    return provide(missing, "The tests need")


def provide(missing: Callable[[], list[str]], need: str) -> int:
    """Install the packages that ``missing`` names, as root; anyone else is told which, in a sentence begun so."""
    packages = missing()
    if not packages:
        return 0
    if not _can_install():
        print(f"{need} the system packages {' and '.join(packages)}: install them and run again.", file=sys.stderr)
        return 1
    if not _install(packages) or missing():
        print(f"apt-get could not install {' and '.join(packages)}.", file=sys.stderr)
        return 1
    return 0


def _can_install() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _install(packages: list[str]) -> bool:
    print(f"installing {' and '.join(packages)} from the system's packages", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], env=quiet, check=False)
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    return not subprocess.run(command, env=quiet, stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
