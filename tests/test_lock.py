"""The lock keeps what pyproject.toml promises."""

from __future__ import annotations

import re
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests import distributions
from tests.paths import ROOT
from tools.lock import accelerator, clean, core, entries, hashes, tools, with_hashes, without_accelerator

LOCK = (ROOT / "requirements.txt").read_text(encoding="utf-8")

DECLARED = [
    *[("core", requirement) for requirement in distributions.core()],
    *[(extra, requirement) for extra, needs in distributions.extras().items() for requirement in needs],
]


@pytest.mark.parametrize(("where", "requirement"), DECLARED, ids=[f"{where}-{need.name}" for where, need in DECLARED])
def test_the_lock_pins_what_is_declared(where: str, requirement: Requirement) -> None:
    pin = distributions.lock().get(canonicalize_name(requirement.name))
    assert pin is not None, f"{requirement.name} ({where}) is not in requirements.txt: run make lock"
    assert pin in requirement.specifier, (
        f"requirements.txt has {requirement.name} {pin}, pyproject.toml wants {requirement}"
    )


def test_everything_declared_has_a_lower_bound() -> None:
    loose = [str(need) for _, need in DECLARED if not any(pin.operator in (">=", "==") for pin in need.specifier)]
    assert loose == []


def test_the_lock_pins_what_its_pins_need() -> None:
    needed = distributions.closure(requirement for _, requirement in DECLARED)
    assert needed - set(distributions.lock()) == set()


def test_the_lock_says_nothing_about_the_machine_it_was_made_on() -> None:
    assert "://" not in LOCK
    assert not [line for line in LOCK.splitlines() if line.startswith("-")]
    assert [name for name, version in distributions.lock().items() if version.local] == []


def test_every_pin_carries_the_hashes_of_its_files() -> None:
    found = {name: entry for name, entry, _ in entries(LOCK)}
    assert {canonicalize_name(name) for name in found} == set(distributions.lock())
    bare = [name for name, entry in found.items() if not re.search(r"\\\n    --hash=sha256:[0-9a-f]{64}", entry)]
    assert bare == []


def test_the_core_and_the_tools_are_parts_of_the_lock_that_need_nothing_else() -> None:
    part = {canonicalize_name(name) for name, _, _ in entries(core(LOCK))}
    assert distributions.closure(distributions.core()) <= part
    assert {"setuptools", "wheel"} <= part
    assert distributions.closure(distributions.extras()["dev"]) <= {
        canonicalize_name(n) for n, _, _ in entries(tools(LOCK))
    }
    assert part.isdisjoint({"torch", "transformers", "openai", "pytest", "scikit-learn", "label-studio-sdk"})


def test_the_parts_are_written_from_the_lock_as_it_is() -> None:
    for name, written in {"requirements-core.txt": core(LOCK), "requirements-dev.txt": tools(LOCK)}.items():
        assert (ROOT / name).read_text(encoding="utf-8") == written, f"{name} is out of date: run make lock"


@dataclass(frozen=True)
class File:
    """A file as an index lists it, or as it lies in a folder."""

    filename: str
    hash: str | None = None
    file_path: str = ""
    hash_name: str | None = "sha256"
    is_file: bool = False


class Index:
    """An index with the files of one package."""

    def __init__(self, *files: tuple[str, File]) -> None:
        self.files = [SimpleNamespace(version=Version(version), link=file) for version, file in files]

    def allow_all_wheels(self) -> nullcontext[None]:
        return nullcontext()

    def find_all_candidates(self, name: str) -> list[SimpleNamespace]:
        return self.files


def test_hashes_are_those_of_the_version_for_the_pythons_we_run_on(tmp_path: Path) -> None:
    local = tmp_path / "a-1.0+cpu-cp311-cp311-linux.whl"
    local.write_bytes(b"abc")
    names = {"a-1.0-cp310-cp310-linux.whl": "1", "a-1.0-cp312-cp312-win.whl": "2", "a-1.0-cp39-abi3-linux.whl": "3"}
    index = Index(
        *(("1.0", File(name, number)) for name, number in names.items()),
        ("1.0", File("a-1.0.tar.gz", "4")),
        ("1.1", File("a-1.1.tar.gz", "5")),
        ("1.0+cpu", File(local.name, None, str(local), None, is_file=True)),
    )
    of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # the example in FIPS 180-2
    assert hashes("a", "1.0", index) == ["2", "3", "4", of_abc]
    text = with_hashes("# head\na==1.1   # via b\n", index)
    assert text == "# head\na==1.1 \\\n    --hash=sha256:5  # via b\n"
    with pytest.raises(SystemExit, match=r"no file of a 2\.0"):
        hashes("a", "2.0", index)
    with pytest.raises(SystemExit, match=r"no SHA-256 of a-3\.0"):
        hashes("a", "3.0", Index(("3.0", File("a-3.0.tar.gz", None, "", None))))


def test_one_build_of_opencv_only() -> None:
    assert [name for name in distributions.lock() if name.startswith("opencv")] == ["opencv-python-headless"]
    assert str(distributions.lock()["opencv-python-headless"]).startswith("4.12.")


def test_an_accelerators_libraries_are_pinned_for_linux_alone() -> None:
    """pip refuses a file with hashes that lacks what torch's usual build needs there."""
    found = re.findall(r"^((?:nvidia|cuda|triton)[^;]*)(.*) \\$", LOCK, re.MULTILINE)
    assert {name.partition("==")[0] for name, _ in found} >= {"cuda-toolkit", "nvidia-cublas", "triton"}
    assert {where for _, where in found} == {"; sys_platform == 'linux'"}
    assert re.findall(r"^(?:nvidia|cuda|triton)", without_accelerator(LOCK), re.MULTILINE) == []


def test_the_extras_are_the_documented_ones() -> None:
    assert set(distributions.extras()) == {
        *(
            "labelstudio",
            "models",
            "judges",
            "tuning",
            "video",
            "postgres",
            "aggregation",
            "s3",
            "parquet",
            "metrics",
            "oidc",
            "shortcuts",
            "peers",
            "dev",
        )
    }


@pytest.mark.parametrize("heavy", ["torch", "transformers", "scikit-learn", "openai", "label-studio-sdk"])
def test_the_core_brings_nothing_heavy_along(heavy: str) -> None:
    assert heavy not in distributions.closure(distributions.core())


def test_only_the_peers_are_under_the_gpl() -> None:
    peers = {need.name for need in distributions.extras()["peers"]}
    others = [need for where, need in DECLARED if where != "peers"]
    assert "krippendorff" in peers
    assert "krippendorff" not in distributions.closure(others)


def test_the_compilers_text_is_cleaned() -> None:
    compiled = "--index-url https://x\ntorch==2.13.0+cpu   # via x\nnvidia-nccl==2\n    # via y\n\nzstd==1  # via z\n"
    lines = clean(compiled).splitlines()
    assert [line.split() for line in lines if not line.startswith("#")] == [
        ["torch==2.13.0", "#", "via", "x"],
        ["zstd==1", "#", "via", "z"],
    ]
    assert accelerator(compiled) == "nvidia-nccl==2; sys_platform == 'linux'  # \n"
