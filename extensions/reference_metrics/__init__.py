"""Numbers from texts: how alike an answer and its reference are, and how alike two texts of an item are.

``metrics`` has Rouge, BLEU, chrF and our own metrics. ``measuring`` stores their numbers as ratings of a machine, in
runs of the kind ``metric``, which core reads. ``text_similarity`` is BERTScore with a model in a folder, and
``similarity_labels`` stores it as a label of items. The commands are ``touchstone metric run`` and ``touchstone
similarity run``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.reference_metrics.commands import run_metric

    return (run_metric,)


EXTENSION = Extension(name="reference_metrics", title="Reference metrics", commands=_commands)
