"""How far two answers about a clip overlap in time: values by hand."""

from __future__ import annotations

from typing import Any

import pytest

from domain.overlap import time_iou


def seconds(*ends: float) -> list[dict[str, float]]:
    return [{"start": a, "end": b} for a, b in zip(ends[::2], ends[1::2], strict=True)]


def frames(*ends: int) -> list[dict[str, int]]:
    return [{"first": a, "last": b} for a, b in zip(ends[::2], ends[1::2], strict=True)]


@pytest.mark.parametrize(
    ("one", "other", "iou"),
    [
        (seconds(0, 4), seconds(2, 6), 2 / 6),
        (seconds(0, 1), seconds(2, 3), 0.0),
        (seconds(0, 4), seconds(0, 1, 2, 4), 3 / 4),
        (seconds(0, 2, 1, 4), seconds(0, 4), 1.0),  # what overlaps in one answer counts once
        (frames(1, 30), frames(16, 45), 15 / 45),
        (frames(7, 7), frames(7, 7), 1.0),
        (frames(7, 7), frames(8, 8), 0.0),
        ([], [], 1.0),
        ([], seconds(0, 1), 0.0),
    ],
)
def test_temporal_iou(one: Any, other: Any, iou: float) -> None:
    assert time_iou(one, other) == pytest.approx(iou) == time_iou(other, one)
