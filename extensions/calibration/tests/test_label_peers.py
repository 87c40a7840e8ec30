"""A judge's labels next to those of scikit-learn."""

from __future__ import annotations

import pytest

from extensions.calibration.statistics.label_peers import label_peers
from tests.agreement.test_cross_check import with_sklearn


def test_labels_of_a_judge() -> None:
    with_sklearn()
    found = label_peers([1, 1, 1, 0, 0, None], [1, 1, 0, 0, 1, 1])
    assert [name for name, (_, peer) in found.items() if peer.differs] == []
    assert found["accuracy"][1].value == pytest.approx(3 / 5)
    assert found["F1 of 1"][0] == pytest.approx(2 / 3)
    assert [found[f"confusion of {a} and {b}"][1].value for a in (0, 1) for b in (0, 1)] == [1, 1, 1, 2]


def test_a_rate_of_nothing_is_undefined_on_both_sides() -> None:
    with_sklearn()
    found = label_peers(["a", "a", "b"], ["a", "a", "a"])
    assert [name for name, (_, peer) in found.items() if peer.differs] == []
    ours, peer = found["precision of b"]
    assert (ours, peer.value) == (None, None)
    assert found["macro precision"][1].value == pytest.approx(2 / 3)  # of a alone
