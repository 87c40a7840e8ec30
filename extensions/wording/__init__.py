"""Rules of wording, as a list: the items whose texts break the schema's rules, for leads.

``wording_list`` checks each item as it stands, and ``touchstone wording check`` prints the list. Core checks the same
rules (``annotation_schemas.kinds``) where people write items and where files come in, also without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.wording.commands import wording

    return (wording,)


EXTENSION = Extension(name="wording", title="List of wording rules", commands=_commands)
