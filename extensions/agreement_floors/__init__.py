"""Agreement floors: the agreement among people that a release needs (``export: floors``).

``schema_key`` checks the key, ``standings`` measures each floor and finds when it was set, and ``release_check`` makes
lines of the checklist, entries of the manifest, and figures of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _figures() -> Sequence[Any]:
    from extensions.agreement_floors.standings import standings

    return (("floors", standings),)


def _schema_keys() -> Sequence[Any]:
    from extensions.agreement_floors.schema_key import KEYS

    return KEYS


def _release_checks() -> Sequence[Any]:
    from extensions.agreement_floors.release_check import CHECK

    return (CHECK,)


def _former_classes() -> Sequence[Any]:
    from extensions.agreement_floors.standings import FloorStanding, Setting

    return tuple(
        ("workflow.releases.floors", moved_class.__name__, moved_class) for moved_class in (FloorStanding, Setting)
    )


EXTENSION = Extension(
    name="agreement_floors",
    title="Agreement floors",
    figures=_figures,
    schema_keys=_schema_keys,
    release_checks=_release_checks,
    former_classes=_former_classes,
)
