"""NOTICE names the license of every extra, as the packages themselves give it."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

from tests import distributions
from tests.paths import ROOT

FAMILIES = {
    "Apache-2.0": ("apache",),
    "BSD-3-Clause": ("bsd",),
    "BSD-2-Clause": ("bsd",),
    "MIT": ("mit",),
    "MPL-2.0": ("mpl", "mozilla"),
    "LGPL-3.0-only": ("lgpl", "gnu lesser"),
    "GPL-3.0-or-later": ("gpl-3.0", "gnu general public license v3"),
}
"""How packages that give no SPDX expression spell these licenses."""


def notice() -> dict[tuple[str, str], str]:
    """(extra, package) -> license, from the table in NOTICE."""
    rows = [line.split(maxsplit=2) for line in (ROOT / "NOTICE").read_text(encoding="utf-8").splitlines()]
    return {(row[0], row[1]): row[2] for row in rows if len(row) == 3 and row[0] in distributions.extras()}


def licence_texts(name: str) -> str:
    """The first lines of the license files that a distribution ships, for those whose metadata says nothing."""
    found = importlib.metadata.distribution(name)
    files = [Path(str(found.locate_file(file))) for file in found.files or [] if "LICENSE" in file.name.upper()]
    return "\n".join(file.read_text(encoding="utf-8", errors="replace")[:300] for file in files if file.is_file())


def test_every_package_of_every_extra_has_a_line() -> None:
    assert set(notice()) == {(extra, need.name) for extra, needs in distributions.extras().items() for need in needs}


def license_problem(package: str, told: str) -> str | None:
    """Return what a package says of its license if it is another license than NOTICE names."""
    metadata = importlib.metadata.metadata(package)
    expression = metadata.get("License-Expression")
    if expression and " AND " not in expression:
        return None if told == expression else f"{package} says: {expression}"
    # Free text, a list of everything that was bundled, or only a license file: it has to name the same license.
    words = [expression or "", metadata.get("License") or "", *(metadata.get_all("Classifier") or [])]
    said = " ".join(words).lower() if any(words[:2]) else " ".join([*words, licence_texts(package)]).lower()
    return None if any(spelling in said for spelling in FAMILIES[told]) else f"{package} says: {said[:300]}"


def test_the_license_is_what_the_package_says() -> None:
    problems = [license_problem(package, license_) for (_, package), license_ in notice().items()]
    assert [problem for problem in problems if problem] == []


def test_gpl_is_only_among_the_peers() -> None:
    assert {extra for (extra, _), licence in notice().items() if licence.startswith(("GPL", "AGPL"))} == {"peers"}


def test_the_licence_is_apache() -> None:
    assert distributions.project()["license"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")
