"""Croissant: a JSON-LD description of a release and the place of its values, for programs that load or index it.

It describes the Parquet files of the same release, so it is written after them, with their checksums.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from annotation_schemas.column_types import ColumnType
from annotation_schemas.formats.released import ReleasedSet, ReleasedSplit, ReleaseFolder
from annotation_schemas.formats.row import Format, Takes
from domain.errors import InvalidFileError
from extensions.harnesses import hf_dataset, parquet_table
from extensions.harnesses.release_table import ReleaseTable, TableColumn

NAME = "croissant"
PATH = "croissant.json"
CONFORMS_TO = "http://mlcommons.org/croissant/1.1"


@dataclass(frozen=True)
class Field:
    """A field of the document that the makers of a release fill in."""

    key: str
    name: str
    """The name of the field in the release's description."""
    needed: bool = True
    meaning: str = ""


SAID = (
    Field("description", "description", meaning="purpose of the data set"),
    Field("license", "license", meaning="an SPDX ID or the address of a license"),
    Field("url", "url", meaning="address of the data set"),
    Field("creator", "creators", meaning="creators of the data set"),
    Field("citeAs", "citation", needed=False),
    Field("rai:dataLimitations", "limitations", meaning="uses to avoid"),
    Field("rai:dataBiases", "biases", meaning="groups and places that are over- or underrepresented"),
    Field("rai:personalSensitiveInformation", "personal_information", meaning="faces, voices and names in the data"),
    Field("rai:dataUseCases", "use_cases", meaning="measured skill"),
    Field("rai:dataSocialImpact", "social_impact", meaning="effects of using the data set"),
    Field("rai:hasSyntheticData", "synthetic", meaning="yes or no: whether models made any of the data"),
    Field("prov:wasDerivedFrom", "derived_from", meaning="origin"),
    Field("prov:wasGeneratedBy", "generated_by", meaning="production steps and tools"),
    Field("rai:annotatorDemographics", "demographics", needed=False),
    Field("rai:dataReleaseMaintenancePlan", "maintenance", needed=False),
)
"""The fields that the makers fill in.

The release itself provides the type, the format's version, the name and the date. Together these are the nine fields
that the format requires and the eight about responsible use.
"""

CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "prov": "http://www.w3.org/ns/prov#",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The vocabulary of the format's version, as its specification lists it, and that of PROV."""

_TYPES = {
    "string": "sc:Text",
    "json": "sc:Text",
    "int64": "sc:Integer",
    "float64": "sc:Float",
    "bool": "sc:Boolean",
    "image": "sc:ImageObject",
}

_MIMES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".webm": "video/webm",
    ".mp4": "video/mp4",
}


def written(released: ReleasedSet, folder: ReleaseFolder) -> None:
    """Write ``croissant.json``."""
    document = described(released, folder)
    try:
        data = json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        raise InvalidFileError(
            f"{NAME}: a text about the release contains an incomplete character (a lone surrogate). Correct the text."
        ) from None
    with folder.open(PATH) as out:
        out.write(data)


def described(released: ReleasedSet, folder: ReleaseFolder) -> dict[str, Any]:
    """Return the document. Raise ``InvalidFileError`` if a required field is missing or the release has no table."""
    table, below = _table(released, folder)
    files = {split.name: _files(split, folder, below) for split in released.splits}
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": released.name,
        "alternateName": released.title,
        "version": _three_parts(released.version),
        "datePublished": released.date[:10],
        **said(released),
        "rai:dataAnnotationPlatform": "Touchstone",
        "rai:annotationsPerItem": _annotations(released),
        "distribution": [*_distribution(files, folder), *_media(folder)],
        "recordSet": [_record_set(split, files[split.name], table) for split in released.splits],
    }


# ---- fields from the makers -----------------------------------------------------------------------------------------


def said(released: ReleasedSet) -> dict[str, Any]:
    """Return the fields that the makers filled in. Raise ``InvalidFileError`` with every missing field."""
    values = {field: _clean(released.about.get(field.name)) for field in SAID}
    missing = [field for field, value in values.items() if field.needed and value is None]
    if missing:
        lines = [f"  {field.name} ({field.key}): {field.meaning}" for field in missing]
        raise InvalidFileError(
            "\n".join([f"{NAME} needs these fields, which are still empty:", *lines])
            + (
                "\nFill in these fields on the Description page, or with: touchstone release edit PROJECT "
                "--set NAME=TEXT."
            )
        )
    return {field.key: _as_said(field, value) for field, value in values.items() if value is not None}


def _clean(value: Any) -> Any:
    """Return a value without blank entries, or None if nothing is left."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list | tuple):
        return [entry for entry in map(_clean, value) if entry is not None] or None
    return value


def _as_said(field: Field, value: Any) -> Any:
    if field.name == "creators":
        return [_creator(creator) for creator in (value if isinstance(value, list) else [value])]
    if field.name == "synthetic":
        return value if isinstance(value, bool) else _yes(value)
    return value


def _creator(each: Any) -> dict[str, Any]:
    """Return a creator: a person, or an organization if the value is a mapping."""
    return {"@type": "sc:Person", "name": each} if isinstance(each, str) else {"@type": "sc:Organization", **each}


def _yes(value: Any) -> bool:
    answers = {"yes": True, "no": False}
    answer = answers.get(str(value).casefold())
    if answer is None:
        raise InvalidFileError(f"{NAME}: synthetic (rai:hasSyntheticData) is {value!r}. Set this field to yes or no.")
    return answer


def _annotations(released: ReleasedSet) -> str:
    """Return how many people rate each item, by the protocol."""
    stages = released.schema.stages
    counted = [
        f"{name}: {part.raters}" for name in type(stages).model_fields if (part := _stage(getattr(stages, name)))
    ]
    return "; ".join(counted) or "none: no person rates the items"


def _stage(part: Any) -> Any:
    return part if isinstance(getattr(part, "raters", None), int) else None


def _three_parts(version: str) -> str:
    """Return a version in the form that programs compare: 1 becomes 1.0.0."""
    return ".".join([*version.split("."), "0", "0"][:3])


# ---- files and columns ----------------------------------------------------------------------------------------------


def _table(released: ReleasedSet, folder: ReleaseFolder) -> tuple[ReleaseTable, str]:
    """Return the table to describe: the one that contains images, if the release has both."""
    for module in (hf_dataset, parquet_table):
        if any(path.startswith(f"{module.FOLDER}/") and path.endswith(".parquet") for path in folder.hashes):
            return module.table_of(released), module.FOLDER
    raise InvalidFileError(
        f"{NAME} describes the Parquet files of a release, but this release has no Parquet files. Add "
        f"{hf_dataset.NAME} or {parquet_table.NAME} to the formats of the release."
    )


def _files(split: ReleasedSplit, folder: ReleaseFolder, below: str) -> list[str]:
    name = re.compile(re.escape(f"{below}/{split.name}-") + r"\d{5}-of-\d{5}\.parquet")
    return sorted(path for path in folder.hashes if name.fullmatch(path))


def _distribution(files: Mapping[str, Sequence[str]], folder: ReleaseFolder) -> Iterator[dict[str, Any]]:
    for split, paths in files.items():
        for path in paths:
            yield {
                "@type": "cr:FileObject",
                "@id": path,
                "name": path,
                "contentUrl": path,
                "contentSize": f"{folder.hashes[path].bytes} B",
                "encodingFormat": "application/x-parquet",
                "sha256": folder.hashes[path].sha256,
            }
        if len(paths) > 1:
            yield {
                "@type": "cr:FileSet",
                "@id": _set_of(split),
                "name": _set_of(split),
                "description": f"The files of the split {split}, sorted by name.",
                "encodingFormat": "application/x-parquet",
                "includes": paths[0].replace("-00000-of-", f"-{'[0-9]' * 5}-of-"),
            }


def _set_of(split: str) -> str:
    return f"{split}-files"


def _media(folder: ReleaseFolder) -> Iterator[dict[str, Any]]:
    endings = {PurePosixPath(path).suffix for path in folder.hashes if path.startswith("media/")}
    if endings:
        yield {
            "@type": "cr:FileSet",
            "@id": "media",
            "name": "media",
            "description": "The images and clips, named by their SHA-256.",
            "encodingFormat": sorted(_MIMES.get(ending, "application/octet-stream") for ending in endings),
            "includes": "media/*/*",
        }


def _record_set(split: ReleasedSplit, paths: Sequence[str], table: ReleaseTable) -> dict[str, Any]:
    own = {"fileSet": {"@id": _set_of(split.name)}} if len(paths) > 1 else {"fileObject": {"@id": paths[0]}}
    withheld = f" Withheld: {', '.join(split.withheld)}." if split.withheld else ""
    return {
        "@type": "cr:RecordSet",
        "@id": split.name,
        "name": split.name,
        "description": f"The {split.items} items of the split {split.name}.{withheld}",
        "field": [field for column in table.columns for field in _fields(split, column, own)],
    }


def _fields(split: ReleasedSplit, column: TableColumn, own: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the fields of a column: one, or one for each part of its values."""
    several = not isinstance(column.type, str | Mapping)
    inner: ColumnType = column.type[0] if several else column.type  # type: ignore[index]
    parts: Mapping[str, ColumnType] = inner if isinstance(inner, Mapping) else {"": inner}
    for part, type in parts.items():
        name = f"{column.name}/{part}" if part else column.name
        path = "bytes" if type == "image" else part
        yield {
            "@type": "cr:Field",
            "@id": f"{split.name}/{name}",
            "name": name,
            "description": column.meaning,
            "dataType": _TYPES[str(type)],
            **(_list_of(type) if several else {}),
            "source": {
                **own,
                "extract": {"column": column.name},
                **({"transform": {"jsonPath": path}} if path else {}),
            },
        }


def _list_of(type: ColumnType) -> dict[str, Any]:
    """Return the keys for a field with several values. Loaders accept lists of images only as repeated fields."""
    return {"repeated": True} if type == "image" else {"isArray": True, "arrayShape": "-1"}


ROWS = (
    Format(
        NAME,
        "a machine-readable description of the release's Parquet files (Croissant 1.1)",
        Takes.ITEMS,
        place=68,
        releases=written,
        needs_about=tuple(field.name for field in SAID if field.needed),
    ),
)
