"""The lock keeps what pyproject.toml promises."""

from __future__ import annotations

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests import distributions
from tests.paths import ROOT
from tools.lock import clean

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
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert not [line for line in text.splitlines() if line.startswith("-")]
    assert [name for name, version in distributions.lock().items() if version.local] == []


def test_one_build_of_opencv_only() -> None:
    assert [name for name in distributions.lock() if name.startswith("opencv")] == ["opencv-python-headless"]
    assert str(distributions.lock()["opencv-python-headless"]).startswith("4.12.")


def test_no_accelerator_libraries_are_pinned() -> None:
    assert [name for name in distributions.lock() if name.startswith(("nvidia", "cuda", "triton"))] == []


def test_the_extras_are_the_documented_ones() -> None:
    assert set(distributions.extras()) == {
        *("labelstudio", "models", "judges", "video", "postgres", "redis", "aggregation", "metrics", "peers", "dev")
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
