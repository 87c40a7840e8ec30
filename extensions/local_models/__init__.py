"""Models that run on this machine, in a folder or a repository of the hub, through transformers.

``adapters`` opens a described model: ``generation`` writes answers, ``ranking`` ranks options, and ``chat`` asks for
tools. ``loading`` brings a model into memory, ``families`` has what each family needs, and ``prompts`` and ``encoding``
turn questions into a model's input. ``fit`` reads a folder's files and finds out whether the model fits into memory.
The page *Models* shows this (``model_picker``). ``tuning`` is a recipe that tunes a model on a release.

Descriptions of models are core's (``inference.spec``), so projects and their runs are complete without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _adapters() -> Sequence[Any]:
    from extensions.local_models.adapters import ROWS

    return ROWS


def _model_sources() -> Sequence[Any]:
    from extensions.local_models.model_picker import ROWS

    return ROWS


EXTENSION = Extension(name="local_models", title="Local models", adapters=_adapters, model_sources=_model_sources)
