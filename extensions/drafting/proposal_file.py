"""Read the files of ``touchstone proposal create``: the proposals, and how they were made.

People may have edited the proposals.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from domain import json_text
from domain.errors import InvalidFileError
from importers.items import bytes_of


class ProposalRow(NamedTuple):
    """A proposal of a file; its fields are not checked here."""

    image: str
    asset: str
    sha256: tuple[str, ...]
    dimension: str
    fields: dict[str, Any]
    about: dict[str, str]


class ProposalFile(NamedTuple):
    """The content of a proposal file."""

    sha256: str
    project: str
    model: str
    rows: list[ProposalRow]


def read_proposals(path: Path) -> ProposalFile:
    """Return the proposals of a file.

    Raises
    ------
    InvalidFileError
        The file is not a proposal file, or a proposal lacks a required value. The message names the value.
    """
    data, value = _loaded(path)
    heads = {"project": str, "model": str, "proposals": list}
    if not isinstance(value, dict) or any(not isinstance(value.get(name), kind) for name, kind in heads.items()):
        raise InvalidFileError(
            f"{path.name} is not a file from `touchstone proposal create`. The file needs the keys {', '.join(heads)}."
        )
    rows = [_row(path, number, proposal) for number, proposal in enumerate(value["proposals"], 1)]
    return ProposalFile(hashlib.sha256(data).hexdigest(), value["project"], value["model"], rows)


def _row(path: Path, number: int, value: Any) -> ProposalRow:
    kinds = {"image": str, "asset": str, "dimension": str, "sha256": list, "fields": dict}
    for name, kind in kinds.items():
        if not isinstance(value, dict) or not isinstance(value.get(name), kind):
            raise InvalidFileError(
                f"{path.name}, proposal {number}: `{name}` is missing or not of type {_KINDS[kind]}. Correct the "
                "proposal."
            )
    about = {name: value[name] for name in ("task", "subtask") if isinstance(value.get(name), str)}
    hashes = tuple(digest for digest in value["sha256"] if isinstance(digest, str))
    return ProposalRow(value["image"], value["asset"], hashes, value["dimension"], value["fields"], about)


_KINDS = {str: "text", list: "list", dict: "object"}


# ---- how they were made ---------------------------------------------------------------------------------------------

MADE_BY = "touchstone drafting"
_MOST, _LONGEST, _LARGEST = 60, 300, 10**15
"""The maximum number of kinds, the maximum length of a text in characters, and the largest count."""


class MakingRecord(NamedTuple):
    """How the proposals were made."""

    project: str
    model: str
    currency: str
    counts: dict[str, int | float]
    """Counts of images, proposals, requests and so on. ``cost`` is there only if it is known."""
    replies: dict[str, int]
    """Number of replies without a proposal, by problem."""
    without: dict[str, tuple[int, str]]
    """Number of images without a proposal and the first image, by reason."""
    files: frozenset[str]
    """The SHA-256 of each written file."""

    def of(self, file: ProposalFile) -> dict[str, Any]:
        """Return the record for the project's log.

        Raises
        ------
        InvalidFileError
            The proposals are of another project or model.
        """
        if (self.project, self.model) != (file.project, file.model):
            raise InvalidFileError(
                f"The settings file describes proposals by {self.model!r} for the project "
                f"{self.project!r}, but these proposals are by {file.model!r} for {file.project!r}. Give "
                "the settings file from the same folder as the proposals, or omit the option."
            )
        without = [{"why": why, "n": n, "image": image} for why, (n, image) in self.without.items()]
        facts = {"counts": self.counts, "replies": self.replies, "without": without, "currency": self.currency}
        return {**facts, "mended": file.sha256 not in self.files}


def made_beside(path: Path) -> Path:
    """Return the path of the file that tells how the proposals of a file were made."""
    return path.with_name(f"{path.stem}.made.json")


def read_made(path: Path) -> MakingRecord:
    """Return the content of that file.

    Raises
    ------
    InvalidFileError
        The file is not such a file.
    """
    _, value = _loaded(path)
    if not isinstance(value, dict) or value.get("made_by") != MADE_BY:
        raise InvalidFileError(
            f"{path.name} is not a settings file from `touchstone proposal create`. Choose another file."
        )
    try:
        model = value["settings"]["model"]
        price = (model.get("endpoint") or {}).get("price") or {}
        without: dict[str, tuple[int, str]] = {}
        for reason_row in value["left_out"]:
            why = _text(reason_row["why"])
            n, first = without.get(why, (0, _text(reason_row["image"])))
            without[why] = (n + 1, first)
        return MakingRecord(
            _text(value["project"]),
            _text(model["name"]),
            _text(price.get("currency", "")),
            {_text(name): _number(n) for name, n in _few(value["counts"]).items() if n is not None},
            _few({_text(failure_row["kind"]): _whole(failure_row["replies"]) for failure_row in value["failures"]}),
            _few(without),
            frozenset(_text(file_row["sha256"]) for file_row in value["files"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidFileError(
            f"{path.name} was changed after `touchstone proposal create` wrote the file: {error}. Give the unchanged "
            "file, or omit the option."
        ) from error


def _loaded(path: Path) -> tuple[bytes, Any]:
    data = bytes_of(path)
    try:
        return data, json_text.showable(json_text.loaded(json_text.decode(data)))
    except json_text.NotJson as error:
        raise InvalidFileError(f"{path.name}: {error}.") from error


def _few(found: Mapping[str, Any]) -> dict[str, Any]:
    if len(found) > _MOST:
        raise ValueError(f"{len(found):,} different entries, but at most {_MOST} are allowed")
    return dict(found)


def _text(value: Any) -> str:
    """Return a text, shortened if it is long."""
    if not isinstance(value, str):
        raise ValueError("a value is not text")
    return value[:_LONGEST]


def _number(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        raise ValueError("a value is not a count")
    return value


def _whole(value: Any) -> int:
    number = _number(value)
    if not isinstance(number, int):
        raise ValueError("a value is not a whole number")
    return number
