"""HOLMES (PCA-Bench, Appendix C): a model that sees no image asks tools about it, and then answers.

``conversation`` takes turns with a model, which is behind an endpoint (``endpoint_conversations``) or on this machine
(``local_conversations``). ``tool_sets`` describes tools, and ``holmes.yaml`` has those of the paper. People import
results of tools (``result_file``, ``result_import``), or ``run_tools`` runs the tools and stores the results.

``strategy`` is the strategy `holmes` as core sees it. Results are in a table of core, so a project is complete without
this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _formats() -> Sequence[Any]:
    from extensions.holmes.formats import ROWS

    return ROWS


def _strategies() -> Sequence[Any]:
    from extensions.holmes.strategy import STRATEGIES

    return STRATEGIES


def _settings() -> Sequence[Any]:
    from extensions.holmes.settings import ToolSettings

    return (ToolSettings,)


EXTENSION = Extension(
    name="holmes",
    title="Tools for models",
    formats=_formats,
    strategies=_strategies,
    settings=_settings,
)
