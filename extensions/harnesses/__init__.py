"""Files of other programs that ask or tune models, and of the hubs that host data sets.

``predictions`` reads models' answers from files of any program: FastChat's, VLMEvalKit's, those of each ``harness``.
``shown_options`` looks for the options that a model was shown. ``egoplan_submission`` reads what core writes for
EgoPlan-Bench's server.

Each other module is a format: its row (``ROWS``), and the functions that read or write its files. ``answer_map``,
``inspect_log`` (with ``inspect_archive``) and ``lmms_eval_samples`` read models' answers. The others write into
releases: ``hf_dataset`` and ``parquet_table`` (with ``release_table`` and ``column_values``), ``croissant``,
``hub_eval``, ``inspect_samples``, ``lmms_eval_tasks``, ``vlmevalkit`` (with ``pandas_cells``) and ``conversations``.
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
        hf_dataset,
        hub_eval,
        inspect_log,
        inspect_samples,
        lmms_eval_samples,
        lmms_eval_tasks,
        parquet_table,
        vlmevalkit,
    )

    readers = (lmms_eval_samples, inspect_log, answer_map)
    data_sets = (hf_dataset, parquet_table, croissant, hub_eval)
    programs = (inspect_samples, lmms_eval_tasks, vlmevalkit, conversations)
    return [row for module in (*readers, *data_sets, *programs) for row in module.ROWS]


def _readers() -> Sequence[Any]:
    from extensions.harnesses import egoplan_submission, predictions

    return (("predictions", predictions.read_predictions), ("egoplan_submission", egoplan_submission.read))


EXTENSION = Extension(name="harnesses", title="Harnesses and hubs", formats=_formats, readers=_readers)
