"""The format of ratings in Parquet files, for export."""

from __future__ import annotations

import io

from annotation_schemas.formats import Content, Format, Takes
from domain.errors import NotAvailableError
from domain.installation import install_hint
from exporters.tables import rating_rows


def write_parquet(content: Content) -> dict[str, bytes]:
    """Return every rating in a Parquet file with the columns of ``ratings.csv``.

    Values are numbers if all values of the project are numbers, otherwise the texts of the CSV file.

    Raises
    ------
    NotAvailableError
        The package pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise NotAvailableError(f"Parquet files need the package pyarrow. {install_hint('parquet')}") from error
    head, *rows = rating_rows(content.ratings)
    columns = {name: [row[at] for row in rows] for at, name in enumerate(head)}
    table = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    if rows and all(type(rating.value) in (int, float) for rating in content.ratings):
        numbers = pa.array([float(rating.value) for rating in content.ratings], pa.float64())
        table = table.set_column(head.index("value"), "value", numbers)
    out = io.BytesIO()
    parquet.write_table(table, out, compression="zstd")
    return {"ratings.parquet": out.getvalue()}


ROWS = (
    Format(
        "ratings_parquet",
        "`unit,rater,criterion,value`, Parquet",
        Takes.RATINGS,
        place=71,
        writes=write_parquet,
    ),
)
