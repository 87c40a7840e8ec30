"""The install command works here, and no text names the stranger's package that shares our name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from domain.installation import DISTRIBUTION, install_command, install_hint, own_version
from tests import distributions
from tests.paths import ROOT

STRANGER = re.compile(
    r"touchstone\[[a-z]"  # an extra of the stranger's package
    r"|\b(?:pip|pipx|uv|poetry)\b[^\n`]*\b(?:install|add)\b[^\n`]*[ '\"]touchstone(?![-_\w/.:])",
    re.I,
)
TEXTS = {".py", ".md", ".toml", ".txt", ".yaml", ".yml", ".json", ".js", ".ts", ".html", ".cfg", ""}


def texts() -> list[Path]:
    """Every text of the repository, whether or not git knows the folder."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and Path(name).suffix in TEXTS]


@pytest.mark.thorough
def test_no_text_installs_the_package_of_a_stranger() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in texts()
        if path != Path(__file__) and path.is_file()
        for match in STRANGER.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "pip install 'touchstone[video]'",
        "install touchstone[redis]",
        "pip install -U touchstone",
        'python -m pip install "touchstone"',
        "uv pip install touchstone==0.1",
    ],
)
def test_the_rule_finds_such_a_text(text: str) -> None:
    assert STRANGER.search(text)


@pytest.mark.parametrize(
    "text", ["pip install 'touchstone-vlm[video]'", "pip install .", "pip install touchstone_vlm.whl"]
)
def test_the_rule_allows_our_name(text: str) -> None:
    assert not STRANGER.search(text)


def test_the_installed_distribution_has_our_name() -> None:
    assert own_version() == distributions.project()["version"]
    assert distributions.project()["name"] == DISTRIBUTION


def test_the_command_names_the_requirements_of_each_extra_once() -> None:
    command = install_command("video", "shortcuts", "peers", executable="/opt/env/bin/python", has_pip=True)
    assert command == "/opt/env/bin/python -m pip install 'av>=18.1' 'scikit-learn>=1.9.1' 'krippendorff>=0.9'"
    assert install_command("video", executable="/e/python", has_pip=False) == "uv pip install -p /e/python 'av>=18.1'"


@pytest.mark.slow
@pytest.mark.parametrize("extra", sorted(distributions.extras()))
def test_pip_takes_the_command_of_every_extra(extra: str) -> None:
    command = [*_words(install_command(extra)), "--dry-run", "--quiet", "--no-deps", "--no-index"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr  # everything is installed here, so pip finds each requirement satisfied


def test_an_unknown_extra_is_an_error() -> None:
    with pytest.raises(KeyError, match="vidoe"):
        install_command("vidoe")


def test_a_container_gets_a_line_for_its_image() -> None:
    assert install_hint("video", env={"container": "podman"}).endswith(f"RUN {install_command('video')}")


def test_a_folder_that_was_never_installed_reads_its_own_project_file() -> None:
    code = f"""
import sys
sys.path[:] = [path for path in sys.path if 'site-packages' not in path]
sys.meta_path[:] = [finder for finder in sys.meta_path if 'ditable' not in repr(finder)]
sys.path.insert(0, {str(ROOT)!r})
from importlib import metadata
metadata.requires = metadata.version = lambda name: (_ for _ in ()).throw(metadata.PackageNotFoundError(name))
from domain.installation import install_command, own_version
print(own_version() == '', install_command('video', executable='py', has_pip=True))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "True py -m pip install 'av>=18.1'"


def _words(command: str) -> list[str]:
    import shlex

    return shlex.split(command)
