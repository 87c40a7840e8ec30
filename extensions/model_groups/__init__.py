"""Model groups: means of models by their attributes, such as size, family or tuning, and differences between groups.

``group_means`` works them out. ``section`` adds them to ``touchstone result show``, its files and the page *Results*
(``page_section``), and paper tables ask it for lines of groups. Core keeps the attributes of models
(``workflow.results.attributes``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _result_sections() -> Sequence[Any]:
    from extensions.model_groups.section import GroupSection

    return (GroupSection(),)


def _former_classes() -> Sequence[Any]:
    from extensions.model_groups import group_means

    names = ("GroupAttributes", "Group", "GroupGap", "Grouping")
    return [("workflow.results.model_groups", name, getattr(group_means, name)) for name in names]


EXTENSION = Extension(
    name="model_groups", title="Model groups", result_sections=_result_sections, former_classes=_former_classes
)
