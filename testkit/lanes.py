"""Which tests each make target runs, and how many examples its properties try.

``pytest --lane=check`` and ``pytest --lane=test`` choose tests by their marks. Without ``--lane`` all tests run, with
all their examples: that is ``make test-all``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import hypothesis
import pytest

from tools import faults

LANES = {
    "check": "not (browser or postgres or label_studio or slow or thorough)",
    "test": "essential or not (browser or postgres or label_studio or slow)",
}
"""The marks that each lane takes, as ``pytest -m`` reads them."""

FEW = 10
"""The most examples that a property tries in a lane."""


def choose(config: pytest.Config, lane: str) -> None:
    """Let pytest run only the tests of a lane, and let properties try few examples."""
    asked = config.option.markexpr
    config.option.markexpr = f"({LANES[lane]}) and ({asked})" if asked else LANES[lane]
    limit_examples(FEW)


def limit_examples(most: int) -> None:
    """Let no property try more than ``most`` examples, whatever its own settings say.

    Call this function before test modules are imported: their decorators make the settings.
    """
    make: Callable[..., None] = hypothesis.settings.__init__

    def limited(self: hypothesis.settings, *args: Any, **named: Any) -> None:
        if isinstance(named.get("max_examples"), int):
            named["max_examples"] = min(most, named["max_examples"])
        make(self, *args, **named)

    hypothesis.settings.__init__ = limited  # type: ignore[method-assign]
    hypothesis.settings.register_profile("few", hypothesis.settings.default, max_examples=most)
    hypothesis.settings.load_profile("few")


def is_named_by_fault(item: pytest.Item) -> bool:
    """Return whether a planted fault names this test, its file or its folder.

    The run of a test on PostgreSQL counts only for faults that PostgreSQL alone finds.
    """
    named = _named(postgres_only=item.get_closest_marker("postgres") is not None)
    return any(prefix in named for prefix in _prefixes(item.nodeid))


@cache
def _named(*, postgres_only: bool) -> frozenset[str]:
    return frozenset(test for fault in faults.rows() if fault.postgres or not postgres_only for test in fault.tests)


def _prefixes(nodeid: str) -> Iterator[str]:
    """Yield the folders, the file, the test without its parameters, and the whole id."""
    path, *names = nodeid.split("[", 1)[0].split("::")
    folders = path.split("/")
    yield from ("/".join(folders[:n]) for n in range(1, len(folders) + 1))
    yield from ("::".join([path, *names[:n]]) for n in range(1, len(names) + 1))
    yield nodeid
