"""A data set folder for the Hugging Face Hub: Parquet files with images, and the front matter of its README.

The features are in each file, so that ``datasets`` gives typed columns with or without the README. Clips are files next
to the table. If a release only names its media, images are not in the table either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from annotation_schemas.column_types import ColumnType
from annotation_schemas.formats.released import ReleasedSet, ReleaseFolder
from annotation_schemas.formats.row import Format, Takes
from domain.errors import InvalidFileError
from extensions.harnesses import hub_eval
from extensions.harnesses.release_table import ReleaseTable, TableColumn, columns, has_media, write

NAME = "hf_dataset"
FOLDER = "data"
_SPLIT = re.compile(r"[A-Za-z0-9_]+")
"""The names that ``datasets`` allows for a split. It uses ``all`` for all splits together."""


def written(released: ReleasedSet, folder: ReleaseFolder) -> None:
    """Write the table as ``data/<split>-00000-of-00001.parquet``, or as more files if images are large."""
    if not released.splits:
        raise InvalidFileError(
            f"{NAME} needs at least one item, because `datasets` cannot load an empty release. Release at least one "
            "item, or omit this format."
        )
    for split in released.splits:
        if not _SPLIT.fullmatch(split.name) or split.name == "all":
            raise InvalidFileError(
                f"{NAME} cannot have a split named {split.name!r}. Give the split another name, with letters, digits "
                "and _, but not `all`."
            )
        if not split.items:
            raise InvalidFileError(
                f"{NAME} cannot have the empty split {split.name!r}, because `datasets` could not load the data set. "
                f"Release without this split, or without {NAME}."
            )
    table = table_of(released)
    features = {column.name: feature(column.type) for column in table.columns}
    write(table, folder, below=FOLDER, metadata={"huggingface": json.dumps({"info": {"features": features}})})


def table_of(released: ReleasedSet) -> ReleaseTable:
    """Return the table of a release."""
    media = has_media(released)
    return ReleaseTable(NAME, released, columns_of(released, media=media), media)


def columns_of(released: ReleasedSet, *, media: bool) -> list[TableColumn]:
    """Return the columns of a release's table, with those of ``eval.yaml`` if the release has one."""
    table_columns = columns(released, images=True, media=media)
    if hub_eval.NAME not in released.formats:
        return table_columns
    there = {column.name for column in table_columns}
    for name, (type, meaning, cell) in hub_eval.HubQuestions(released).columns().items():
        if name in there:
            raise InvalidFileError(
                f"{hub_eval.NAME}: the table already has a column {name!r}. Rename the field with this name."
            )
        table_columns.append(TableColumn(name, type, meaning, cell))
    return table_columns


def front_matter(released: ReleasedSet, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Return the front matter of the data set's README: ``configs`` and ``dataset_info``.

    ``sizes`` are the bytes of the files of the release, by path. ``datasets`` reads a split only with its name, its
    number of items and its bytes, and warns at every load if one of them is missing.
    """
    data_files = [{"split": split.name, "path": f"{FOLDER}/{split.name}-*"} for split in released.splits]
    features = [{"name": column.name, **_in_yaml(column.type)} for column in table_of(released).columns]
    bytes_of = {
        split.name: sum(n for path, n in sizes.items() if path.startswith(f"{FOLDER}/{split.name}-"))
        for split in released.splits
    }
    splits = [
        {"name": split.name, "num_bytes": bytes_of[split.name], "num_examples": split.items}
        for split in released.splits
    ]
    total = sum(bytes_of.values())
    return {
        "configs": [{"config_name": "default", "data_files": data_files}],
        "dataset_info": {"features": features, "splits": splits, "download_size": total, "dataset_size": total},
    }


def feature(type: ColumnType) -> dict[str, Any]:
    """Return a type as ``datasets`` writes it into files."""
    if isinstance(type, str):
        dtype = "string" if type == "json" else type
        return {"_type": "Image"} if type == "image" else {"dtype": dtype, "_type": "Value"}
    if isinstance(type, Mapping):
        return {name: feature(of) for name, of in type.items()}
    return {"feature": feature(type[0]), "_type": "List"}


def _in_yaml(type: ColumnType) -> dict[str, Any]:
    """Return a type in the form that a README uses."""
    if isinstance(type, str):
        return {"dtype": "string" if type == "json" else type}
    if isinstance(type, Mapping):
        return {"struct": [{"name": name, **_in_yaml(of)} for name, of in type.items()]}
    inner = _in_yaml(type[0])
    return {"list": inner["dtype"] if isinstance(type[0], str) else inner.get("struct", inner)}


ROWS = (
    Format(
        NAME,
        "a data set folder for the Hugging Face Hub (Parquet with images)",
        Takes.ITEMS,
        place=57,
        releases=written,
        card=front_matter,
    ),
)
