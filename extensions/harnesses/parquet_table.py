"""The items of a release as Parquet without the media: their paths and hashes."""

from __future__ import annotations

from annotation_schemas.formats.released import ReleasedSet, ReleaseFolder
from annotation_schemas.formats.row import Format, Takes
from extensions.harnesses.release_table import ReleaseTable, columns, has_media, write

NAME = "parquet"
FOLDER = "parquet"


def table_of(released: ReleasedSet) -> ReleaseTable:
    """Return the table of a release."""
    media = has_media(released)
    return ReleaseTable(NAME, released, columns(released, images=False, media=media), media)


def written(released: ReleasedSet, folder: ReleaseFolder) -> None:
    """Write the table: ``parquet/<split>-00000-of-00001.parquet``."""
    write(table_of(released), folder, below=FOLDER, metadata={})


ROWS = (Format(NAME, "a Parquet table with paths and hashes of media", Takes.ITEMS, place=58, releases=written),)
