"""Proposals out of the file that ``touchstone drafting make`` writes, which people may have mended."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

from domain import json_text
from domain.errors import FileRefused
from importers.items import bytes_of


class Row(NamedTuple):
    """A proposal as the file has it; what its fields are is not looked at here."""

    image: str
    asset: str
    sha256: tuple[str, ...]
    dimension: str
    fields: dict[str, Any]
    about: dict[str, str]


class ProposalFile(NamedTuple):
    """What a file says."""

    sha256: str
    project: str
    model: str
    rows: list[Row]


def read_proposals(path: Path) -> ProposalFile:
    """All proposals of a file.

    Raises
    ------
    FileRefused
        It is none, or a proposal lacks what every one has; the message says which.
    """
    data = bytes_of(path)
    try:
        value = json_text.loaded(json_text.decode(data))
    except json_text.NotJson as error:
        raise FileRefused(f"{path.name}: {error}.") from error
    heads = {"project": str, "model": str, "proposals": list}
    if not isinstance(value, dict) or any(not isinstance(value.get(name), kind) for name, kind in heads.items()):
        raise FileRefused(f"{path.name} is no file of `touchstone drafting make`: it lacks {', '.join(heads)}.")
    rows = [_row(path, number, each) for number, each in enumerate(value["proposals"], 1)]
    return ProposalFile(hashlib.sha256(data).hexdigest(), value["project"], value["model"], rows)


def _row(path: Path, number: int, value: Any) -> Row:
    kinds = {"image": str, "asset": str, "dimension": str, "sha256": list, "fields": dict}
    for name, kind in kinds.items():
        if not isinstance(value, dict) or not isinstance(value.get(name), kind):
            raise FileRefused(f"{path.name}, proposal {number}: `{name}` is missing, or is no {_KINDS[kind]}.")
    about = {name: value[name] for name in ("task", "subtask") if isinstance(value.get(name), str)}
    hashes = tuple(each for each in value["sha256"] if isinstance(each, str))
    return Row(value["image"], value["asset"], hashes, value["dimension"], value["fields"], about)


_KINDS = {str: "text", list: "list", dict: "object"}
