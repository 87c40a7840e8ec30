"""Find out how this copy of Touchstone was installed, and which command adds an extra."""

from __future__ import annotations

import os
import re
import shlex
import sys
import tomllib
from collections.abc import Mapping
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

DISTRIBUTION = "touchstone-vlm"
"""Our name for pip. Another project owns the name ``touchstone`` on public indexes."""

_CONTAINER_FILES = ("/.dockerenv", "/run/.containerenv")
_EXTRA = re.compile(r"""\bextra\s*==\s*["']([^"']+)["']""")


def own_version() -> str:
    """Return the installed version, or an empty text in a folder that was never installed."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return ""


def requirements_of(extra: str) -> tuple[str, ...]:
    """Return the requirements of an extra, such as ``("av>=18.1",)``.

    Raises
    ------
    KeyError
        Touchstone has no such extra.
    """
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        lines = _of_checkout(extra)
    requirements = tuple(line.partition(";")[0].strip() for line in lines if extra in _EXTRA.findall(line))
    if not requirements:
        raise KeyError(extra)
    return requirements


def install_command(*extras: str, executable: str = sys.executable, has_pip: bool | None = None) -> str:
    """Return a shell command that installs what these extras need into the Python that runs now.

    The command names the packages themselves. So it works for a checkout, a wheel, and a container alike, and it cannot
    reach a stranger's package with our name.
    """
    wanted = dict.fromkeys(line for extra in extras for line in requirements_of(extra))
    has_pip = find_spec("pip") is not None if has_pip is None else has_pip
    program = [executable, "-m", "pip", "install"] if has_pip else ["uv", "pip", "install", "-p", executable]
    return shlex.join([*program, *wanted])


def install_hint(*extras: str, env: Mapping[str, str] | None = None) -> str:
    """Return the sentence that tells an operator how to add these extras to this installation."""
    command = install_command(*extras)
    if in_container(os.environ if env is None else env):
        return (
            "To install the missing packages, add this line to the image's Dockerfile and build the image again: "
            f"RUN {command}"
        )
    return f"To install the missing packages, run this command, then restart Touchstone: {command}"


def in_container(env: Mapping[str, str]) -> bool:
    """Tell whether this process runs in a container, where an installed package would be lost at the next start."""
    named = bool(env.get("container") or env.get("KUBERNETES_SERVICE_HOST"))
    return named or any(Path(file).exists() for file in _CONTAINER_FILES)


def _of_checkout(extra: str) -> list[str]:
    project = Path(__file__).resolve().parents[1] / "pyproject.toml"
    if not project.is_file():
        return []
    extras = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    return [f'{line}; extra == "{extra}"' for line in extras.get(extra, [])]
