"""Options that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotation_schemas.formats import Format, Takes, named, reading, writing
from domain.errors import InvalidFileError, InvalidInputError, Problem
from domain.name_value_pairs import pairs
from domain.request_settings import read_headers, read_json_object
from domain.states import Items

if TYPE_CHECKING:
    from workflow.runs.model_descriptions import ModelSpec

ProjectName = Annotated[str, typer.Argument(help="The project ID.")]
"""The argument that names the project."""

OF_TASKS = named(writing(Takes.TASKS))
"""The formats that hold tasks of other annotation programs, in a sentence."""
NO_TASKS = not reading(Takes.TASKS)
"""Whether no installed extension reads files of tasks. The options of such files are then hidden."""


def with_formats(rows: Iterable[Format]) -> str:
    """Return the first words of an option's help when the option is for some formats only."""
    return f"With {named(rows)}:"


CountedItems = Annotated[
    Items | None,
    typer.Option(help="The items to count: kept or all. Default: kept if the stage has verdicts, otherwise all."),
]
"""``--items``: the items that count."""

Shards = Annotated[
    Path | None,
    typer.Option(
        help="Write the questions to this folder as Parquet files, and have an executor answer them.",
        metavar="FOLDER",
    ),
]
"""``--shards``, for commands that run models and judges."""

Executor = Annotated[
    str | None,
    typer.Option(
        help="With --shards: the program that asks the questions: local, ray, vllm, slurm (prints a job), or none "
        "(your own program). Default: local."
    ),
]
"""``--executor``, next to ``--shards``."""

Fills = Annotated[
    list[str] | None,
    typer.Option(help="PLACEHOLDER=FIELD: fill a placeholder of the prompt from a field with a different name."),
]
"""``--fill``, for commands that ask about items."""


def fills_of(told: Sequence[str] | None) -> dict[str, str]:
    """Return the pairs of ``--fill``, from placeholder to field."""
    return pairs(told or (), "PLACEHOLDER=FIELD, such as --fill q=question", option="--fill")


ExtraBody = Annotated[
    str | None,
    typer.Option(
        metavar="JSON",
        help='Extra fields for every request to an endpoint, as a JSON object such as \'{"reasoning_effort": '
        "\"low\"}'. The run's hash includes these fields.",
    ),
]
"""``--extra-body``: more fields for each request."""

Headers = Annotated[
    list[str] | None,
    typer.Option(
        "--header",
        help="NAME=VALUE: a header for every request to an endpoint. Repeat the option for more. Keep secrets in an "
        "environment variable of the worker: X-Api-Key=env:LAB_API_KEY.",
    ),
]
"""``--header``: more headers for each request."""


def with_request_options(spec: ModelSpec, extra_body: str | None, headers: Sequence[str] | None) -> ModelSpec:
    """Return the description with what ``--extra-body`` and ``--header`` add to its requests."""
    fields = read_json_object(extra_body or "", "--extra-body")
    return spec.with_request(extra_body=fields, headers=read_headers(headers or (), "=", "--header"))


IDS_IN_FILE = (
    "A file with one item ID per line, such as the output of `touchstone item list --only-ids`. Use - to read "
    "standard input."
)

ItemIds = Annotated[Path, typer.Option("--items", help=IDS_IN_FILE, metavar="FILE|-")]
"""``--items FILE``: the items that a command changes."""


def item_ids(file: Path) -> tuple[str, ...]:
    """Return the ids in a file of ``--items``, without duplicates.

    Raises
    ------
    InvalidFileError
        The file cannot be read as UTF-8 text.
    InvalidInputError
        The file has no ids. An empty file never stands for all items.
    """
    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidFileError(f"{file} cannot be read: {error}. Use a UTF-8 text file.") from error
    ids = tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    if not ids:
        source = "The standard input" if str(file) == "-" else file
        raise InvalidInputError(
            [
                Problem(
                    "items",
                    f"{source} has no item IDs. Write one ID per line. If `touchstone item list` wrote the file, no"
                    " item matched its filters.",
                )
            ]
        )
    return ids
