"""What pyproject.toml declares, what the lock pins, and what is installed."""

from __future__ import annotations

import importlib.metadata
import tomllib
from collections.abc import Iterable
from functools import cache

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from domain.installation import DISTRIBUTION
from tests.paths import ROOT


@cache
def project() -> dict[str, object]:
    """The table ``[project]`` of pyproject.toml."""
    table: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def core() -> list[Requirement]:
    """What everyone who installs Touchstone gets."""
    return [Requirement(line) for line in project()["dependencies"]]  # type: ignore[attr-defined]


def extras() -> dict[str, list[Requirement]]:
    """What each extra adds."""
    table: dict[str, list[str]] = project()["optional-dependencies"]  # type: ignore[assignment]
    return {extra: [Requirement(line) for line in lines] for extra, lines in table.items()}


@cache
def lock() -> dict[str, Version]:
    """The pinned version of every package in requirements.txt."""
    pins = {}
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines():
        text = line.partition("#")[0].removesuffix("\\").strip()
        if text and not text.startswith("--hash="):
            requirement = Requirement(text)
            (pin,) = requirement.specifier
            assert pin.operator == "==", f"not pinned: {text}"
            pins[canonicalize_name(requirement.name)] = Version(pin.version)
    return pins


def closure(requirements: Iterable[Requirement]) -> set[str]:
    """The names of the installed distributions that these requirements bring along, themselves included."""
    found: set[tuple[str, frozenset[str]]] = set()
    todo = list(requirements)
    while todo:
        requirement = todo.pop()
        key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if key in found:
            continue
        found.add(key)
        for line in importlib.metadata.requires(requirement.name) or []:
            below = Requirement(line)
            wanted = ["", *requirement.extras]
            if below.marker is None or any(below.marker.evaluate({"extra": extra}) for extra in wanted):
                todo.append(below)
    return {name for name, _ in found}


def modules_outside(distributions: set[str]) -> set[str]:
    """Top-level modules that only distributions other than these provide."""
    return {
        module
        for module, providers in importlib.metadata.packages_distributions().items()
        if not {canonicalize_name(provider) for provider in providers} & (distributions | {DISTRIBUTION})
    }
