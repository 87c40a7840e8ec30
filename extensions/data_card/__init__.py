"""Data card: the card of each release as ``README.md`` and ``card.html``, and the statistics of a set.

``card`` writes the card of the facts that ``card_facts`` collects (people, hours, agreement, judges); ``card_people``
has its sections about people and judges. ``set_tally`` counts the items of a set, ``set_columns`` defines each number,
and ``set_statistics`` makes tables of both. ``set_section`` draws them on the page *Tables*, and ``touchstone release
describe`` prints them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _release_files() -> Sequence[Any]:
    from extensions.data_card.card import CARD

    return (CARD,)


def _commands() -> Sequence[Any]:
    from extensions.data_card.commands import release_statistics

    return (release_statistics,)


def _figures() -> Sequence[Any]:
    from extensions.data_card import set_statistics

    return (("set", set_statistics.of_project),)


def _table_page_sections() -> Sequence[Any]:
    from extensions.data_card import set_section

    return (set_section.show,)


def _former_classes() -> Sequence[Any]:
    from extensions.data_card.set_statistics import SetStatistics

    return (("workflow.releases.set_statistics", "SetStatistics", SetStatistics),)


EXTENSION = Extension(
    name="data_card",
    title="Data card",
    release_files=_release_files,
    commands=_commands,
    figures=_figures,
    table_page_sections=_table_page_sections,
    former_classes=_former_classes,
)
