"""The planted faults can still be planted: their text stands in the code, and their tests are there."""

from __future__ import annotations

import subprocess
import sys

import pytest

from testkit.paths import ROOT
from tools import faults

ALL = faults.rows()


def is_there(test: str) -> bool:
    path, _, name = test.partition("::")
    named = f"def {name.partition('[')[0]}("
    return (ROOT / path).exists() and (not name or named in (ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("fault", ALL, ids=lambda fault: fault.name)
def test_a_fault_still_applies(fault: faults.Fault) -> None:
    """Where this fails a line has changed: give the row in ``tools/faults`` its new text, and run the fault."""
    module = faults.place(fault)
    assert fault.old != fault.new
    changed = (ROOT / module).read_text(encoding="utf-8").replace(fault.old, fault.new)
    if module.suffix == ".py":
        compile(changed, str(module), "exec")
    assert fault.breaks.endswith(".")
    missing = [test for test in fault.tests if not is_there(test)]
    assert not missing, "name the tests that see it by their new place"


def test_there_are_enough_of_them_everywhere() -> None:
    areas = "claims keep_rules visibility reading statistics files runs label_studio tables schemas pages releases web"
    assert {each.area for each in ALL} >= {*areas.split(), "losses"}
    assert len(ALL) >= 60


@pytest.mark.parametrize(
    "arguments", [["--only", "lease-ends-late", "kappa-se"], ["--only", "lease-ends-late", "--only", "kappa-se"]]
)
def test_several_may_be_named(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert faults.main([*arguments, "--list"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    assert listed == ["claims/lease-ends-late", "statistics/kappa-se"]


def test_a_text_that_stands_twice_or_nowhere_is_refused() -> None:
    one = faults.Fault("x", "It breaks.", "from __future__ import annotations", "", ("tests",), "claims")
    with pytest.raises(faults.WrongRow, match=r"x: its old text stands \d+ times .*, not once"):
        faults.place(one)
    with pytest.raises(faults.WrongRow, match="x: its old text stands 0 times, not once"):
        faults.place(faults.Fault("x", "It breaks.", "no line of ours is like this one", "", ("tests",), "claims"))


@pytest.mark.slow
def test_make_test_runs_the_tests_of_every_fault() -> None:
    named = sorted({test for fault in ALL for test in fault.tests})
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", "--lane=test", *named]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout
    run = done.stdout.splitlines()
    on_postgres = {test for fault in ALL if fault.postgres for test in fault.tests}
    missing = [test for test in named if not any(is_part(each, test) for each in run)]
    assert not missing
    assert all(any(is_part(each, test) and "postgres" in each for each in run) for test in on_postgres)


def is_part(nodeid: str, test: str) -> bool:
    """Return whether pytest's id is that of the test, or of a test in that file or folder."""
    return nodeid == test or nodeid.startswith((f"{test}[", f"{test}::", f"{test}/"))
