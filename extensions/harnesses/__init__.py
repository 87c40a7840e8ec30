"""Files of other programs that ask or tune models, and of the hubs that host data sets.

Each module is a format: its row (``ROWS``), and the functions that read or write its files. ``answer_map``,
``inspect_log`` (with ``inspect_archive``) and ``lmms_eval_samples`` read models' answers. The others write into
releases: ``inspect_samples``, ``lmms_eval_tasks``, ``vlmevalkit`` (with ``pandas_cells``), ``conversations``,
``hub_eval`` and ``croissant``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _formats() -> Sequence[Any]:
    from extensions.harnesses import (
        answer_map,
        conversations,
        croissant,
        hub_eval,
        inspect_log,
        inspect_samples,
        lmms_eval_samples,
        lmms_eval_tasks,
        vlmevalkit,
    )

    readers = (lmms_eval_samples, inspect_log, answer_map)
    writers = (inspect_samples, lmms_eval_tasks, vlmevalkit, conversations, croissant, hub_eval)
    return [row for module in (*readers, *writers) for row in module.ROWS]


EXTENSION = Extension(name="harnesses", title="Harnesses and hubs", formats=_formats)
