"""The JavaScript is held to its standard by two tools, which find what they are there for."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from testkit.paths import ROOT
from tools import web

FAULTS = {
    "types": ("page/lease.js", "this.until = Date.parse(until)", "this.until = until", "is not assignable to type"),
    "unused": ("page/lease.js", "const now = Date.now();", "const now = Date.now(), then = 0;", "noUnusedVariables"),
    "length": (
        "page/lease.js",
        "export class",
        "\n// One line more.\n" * 150 + "\nexport class",
        "noExcessiveLinesPerFile",
    ),
    "circle": ("geometry.js", "export const GRIP", 'import "./marks/paint.js";\n\nexport const GRIP', "noImportCycles"),
    "shape": ("dom.js", "listen(node, props.on);", "listen( node, props.on );", "Formatter would have printed"),
}


@pytest.fixture(scope="module")
def _tools() -> None:
    """As ``make lint`` leaves them."""
    if not (ROOT / web.TSC).exists():
        assert web.install() == 0


@pytest.mark.thorough
@pytest.mark.usefixtures("_tools")
def test_every_kind_of_fault_is_found(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("package.json", "biome.json", "tsconfig.json"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    copy = tmp_path / "app" / "web"
    shutil.copytree(ROOT / "app" / "workbench" / "web", copy)
    for name, before, after, _ in FAULTS.values():
        text = (copy / name).read_text(encoding="utf-8")
        assert text.count(before) == 1, (name, before)
        (copy / name).write_text(text.replace(before, after), encoding="utf-8")
    assert web.check(tmp_path) != 0
    said = capfd.readouterr().err
    assert {kind for kind, (*_, words) in FAULTS.items() if words not in said} == set()


@pytest.mark.usefixtures("_tools")
def test_without_a_node_of_the_system_the_one_of_playwright_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web.shutil, "which", lambda _name: None)
    assert "playwright" in web.node()
    done = subprocess.run(
        [web.node(), ROOT / web.TSC, "--version"], capture_output=True, text=True, timeout=60, check=True
    )
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    assert done.stdout.split()[-1] == package["devDependencies"]["typescript"]


def test_who_has_no_npm_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(web.shutil, "which", lambda _name: None)
    monkeypatch.setattr(web.system.os, "geteuid", lambda: 1000)
    assert web.install() == 1
    (sentence,) = capsys.readouterr().err.splitlines()
    assert (
        sentence == "The check of the JavaScript needs the system packages nodejs and npm: install them and run again."
    )


def test_the_lock_names_versions_and_hashes_but_no_registry() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages
    assert not [name for name, entry in packages.items() if "resolved" in entry]
    assert all(re.fullmatch(r"sha512-[\w+/]+=*", entry["integrity"]) for entry in packages.values())
