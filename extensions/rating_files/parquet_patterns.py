"""Ratings in Parquet files that may be larger than memory, as patterns: the ratings of a unit, and the number of units
that have the same ones.

DuckDB groups the rows, within limits of memory and with temporary files. Python receives the distinct names and values,
and one unit for each pattern. Cells of text are read as in CSV files; what CSV files merge with a note is refused here.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agreement.columns import NOTHING, Column, gathered, of_objects
from agreement.table import LongTable
from annotation_schemas.formats import ReadTable
from domain.errors import InvalidFileError, NotAvailableError
from domain.installation import install_hint
from domain.spelling import INVISIBLE, normal
from extensions.rating_files.rating_lists import merge_lists
from extensions.rating_files.rating_values import (
    MISSING_WORDS,
    MissingWords,
    apart_sentences,
    merge_spellings,
    merge_true_and_false,
    missing_sentence,
    mixed_sentences,
    number_or_text,
    number_sentences,
)
from extensions.rating_files.ratings import COLUMNS, OPTIONAL, unfit_name

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY = "400MB"
"""Memory that DuckDB may take; it exceeds this limit by up to 65 MB. Above it, DuckDB writes temporary files."""
_THREADS = 4
"""Each thread needs memory of its own."""
_MOST_NAMES = 200_000
"""Distinct combinations of criterion, dimension, rater and value that Python receives."""
_MOST_PATTERNS = 1_000_000

_INTEGERS = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG", "HUGE")}
_NAMES = {"VARCHAR", "INTEGER", "UINTEGER", *_INTEGERS}
_VALUES = {*_NAMES, "BOOLEAN", "FLOAT", "DOUBLE", "DECIMAL"}

_PLAIN = "[!-~]([ -~]*[!-~])?"
_BESIDE = rf"[\s\v\x{{1c}}-\x{{1f}}\x{{85}}\p{{Z}}{INVISIBLE}]"
_UNIT_PROBLEMS = {
    "unit is empty": "unit IS NULL OR trim(unit::VARCHAR) = ''",
    "unit is longer than 400 characters": "length(unit::VARCHAR) > 400",
    "unit has spaces or invisible characters around it, is not in NFC, or is written as a formula": (
        f"NOT regexp_full_match(unit::VARCHAR, '{_PLAIN}') AND (unit::VARCHAR <> nfc_normalize(unit::VARCHAR) OR "
        f"regexp_matches(unit::VARCHAR, '^{_BESIDE}|{_BESIDE}$')) OR starts_with(unit::VARCHAR, '=\"')"
    ),
}


def read_patterns(
    path: Path,
    *,
    missing: Sequence[str] = MISSING_WORDS,
    by_dimension: bool = False,
    raters: Sequence[str] | None = None,
) -> ReadTable:
    """Return the ratings of a Parquet file with one unit for each pattern (``LongTable.times``).

    ``missing`` are the words that stand for a rating that was not given. Without ``by_dimension``, the dimensions are
    not read. With ``raters``, only their ratings are in the table, unless one of them does not occur.

    Raises
    ------
    InvalidFileError
        It is no such file, a row is invalid, a rater rated a unit twice, labels have several spellings, or there are
        too many different values or patterns.
    NotAvailableError
        DuckDB or pyarrow is not installed.
    """
    duckdb = _duckdb()
    with tempfile.TemporaryDirectory() as temporary, _sentences(duckdb, path):
        config = {
            "memory_limit": MEMORY,
            "temp_directory": temporary,
            "threads": _THREADS,
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        with duckdb.connect(config=config) as database:
            return _ParquetRatings(database, path, by_dimension).read(MissingWords(missing), raters)


def _duckdb() -> ModuleType:
    try:
        import duckdb
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise NotAvailableError(
            f"Parquet files need the packages duckdb and pyarrow. {install_hint('parquet')}"
        ) from error
    module: ModuleType = duckdb
    return module


@contextmanager
def _sentences(duckdb: ModuleType, path: Path) -> Iterator[None]:
    """Turn errors of the file system and of DuckDB into sentences."""
    try:
        with path.open("rb") as file:
            mark = file.read(4)
        if mark != b"PAR1":
            raise InvalidFileError(
                f"{path.name} is not a Parquet file, although its name ends in .parquet. Rename the file to .csv or "
                ".jsonl if it is one of these."
            )
        yield
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {path}: {error.strerror}. Check the path and the permissions."
        ) from error
    except duckdb.OutOfMemoryException as error:
        raise InvalidFileError(
            f"Grouping the ratings of {path.name} needs more than {MEMORY} of memory. Write each "
            "criterion to a separate file."
        ) from error
    except duckdb.Error as error:
        reason = str(error).strip().splitlines()[0]
        raise InvalidFileError(
            f"DuckDB cannot read {path.name}: {reason}. Check that the file is complete, and write it again."
        ) from error


@dataclass(frozen=True, eq=False)
class _Names:
    """The distinct combinations of criterion, dimension, rater and value, without those of missing ratings."""

    ids: NDArray[np.int64]
    """Their rows in the table ``names``."""
    criterion: Column
    dimension: Column
    rater: Column
    value: Column
    times: NDArray[np.int64]
    """How many ratings each has."""

    def of_raters(self, raters: Sequence[str]) -> _Names:
        """The combinations of these raters."""
        kept = np.isin(self.rater.places, [self.rater.names.index(name) for name in raters])
        return _Names(
            self.ids[kept],
            self.criterion.of(kept),
            self.dimension.of(kept),
            self.rater.of(kept),
            self.value.of(kept),
            self.times[kept],
        )

    @property
    def codes(self) -> NDArray[np.int64]:
        """(names,): the first row with the same names after their spelling was made the same."""
        parts = (self.criterion, self.dimension, self.rater, self.value)
        places = np.stack([part.places for part in parts], axis=1)
        _, first, of_row = np.unique(places, axis=0, return_index=True, return_inverse=True)
        codes: NDArray[np.int64] = first[of_row.ravel()]
        return codes


class _ParquetRatings:
    """A Parquet file in a database: the view ``file`` has its rows, with their numbers from 0 in ``row``."""

    def __init__(self, database: DuckDBPyConnection, path: Path, by_dimension: bool) -> None:
        self.database, self.path = database, path
        pattern = re.sub(r"([*?\[])", r"[\1]", str(path.resolve()))
        rows = database.read_parquet(pattern, file_row_number=True, hive_partitioning=False)
        types = dict(zip(rows.columns, map(str, rows.types), strict=True))
        self.has_dimensions = False
        cells = {"dimension": "''", "cluster": "NULL::VARCHAR"}
        for name, column in self._head(list(types)[:-1]).items():
            kind = types[column].partition("(")[0]
            if kind not in (_VALUES if name == "value" else _NAMES):
                fits = "text, numbers, or true and false" if name == "value" else "text or whole numbers"
                raise self._refusal(f"the column {name} has the type {types[column]}. Write {fits}.")
            cells[name] = _quoted(column)
            if kind == "DECIMAL":
                cells[name] += "::DOUBLE"
            elif name == "cluster":
                cells[name] = f"nullif(trim({_quoted(column)}::VARCHAR), '')"
            elif name == "dimension":
                self.has_dimensions = by_dimension
                cells[name] = f"coalesce({_quoted(column)}::VARCHAR, '')" if by_dimension else "''"
        columns = ", ".join(f"{cell} AS {name}" for name, cell in cells.items())
        rows.select(f"{columns}, file_row_number AS row").create_view("file")

    def read(self, missing: MissingWords, raters: Sequence[str] | None) -> ReadTable:
        """Return the table of patterns, and notes."""
        self._check_units()
        notes: list[str] = []
        names = self._names(missing, notes)
        if raters is not None and set(raters) <= set(names.rater.names):
            names = names.of_raters(raters)
        if not len(names.ids):
            return ReadTable(
                LongTable(names.criterion, names.criterion, names.criterion, names.value), (), tuple(notes)
            )
        return ReadTable(self._table(names), (), tuple(notes))

    def _rows(self, query: str, *parameters: str) -> list[Any]:
        rows: list[Any] = self.database.execute(query, parameters).fetchall()
        return rows

    def _refusal(self, reason: str, row: int | None = None) -> InvalidFileError:
        return InvalidFileError(f"{self.path.name}{'' if row is None else f', row {row + 1:,}'}: {reason}")

    def _head(self, columns: Sequence[str]) -> dict[str, str]:
        """Return the name in the file of each column that is read."""
        found = {
            name: [column for column in columns if column.strip().lower() == name] for name in (*COLUMNS, *OPTIONAL)
        }
        again = [name for name in found if f"{name}_1" in map(str.lower, columns)]  # as DuckDB renames a second one
        absent = [name for name in COLUMNS if not found[name]]
        if absent or again or any(len(same) > 1 for same in found.values()):
            problem = f"{', '.join(absent)} is missing" if absent else "a column is repeated"
            raise self._refusal(
                f"{problem}. Name each of the columns unit, rater, criterion and value once (dimension and cluster are "
                "optional)."
            )
        return {name: same[0] for name, same in found.items() if same}

    def _check_units(self) -> None:
        """Refuse a file with an invalid unit."""
        counted = ", ".join(
            f"min(row) FILTER ({condition}), count(*) FILTER ({condition})" for condition in _UNIT_PROBLEMS.values()
        )
        found = self._rows(f"SELECT {counted} FROM file")[0]
        problems = [
            (row, n, reason) for row, n, reason in zip(found[::2], found[1::2], _UNIT_PROBLEMS, strict=True) if n
        ]
        if problems:
            row, n, reason = min(problems, key=lambda problem: problem[0])
            more = f" Rows with this problem: {n:,}." if n > 1 else ""
            raise self._refusal(f"{reason}. Correct the row.{more}", row)

    def _names(self, missing: MissingWords, notes: list[str]) -> _Names:
        """Read the distinct names and values, and add notes about them."""
        self.database.execute(
            """CREATE TABLE names AS SELECT criterion, dimension, rater, value, count(*) AS times, min(row) AS first
            FROM file GROUP BY ALL"""
        )
        n = self._rows("SELECT count(*) FROM names")[0][0]
        if n > _MOST_NAMES:
            raise self._refusal(
                f"the raters use {n:,} different values, but only {_MOST_NAMES:,} can be grouped into patterns. "
                "Round the values, or write the ratings to a CSV file."
            )
        rows, lost = [], Counter[str]()
        found = self._rows("SELECT rowid, criterion, dimension, rater, value, times, first FROM names ORDER BY first")
        for at, criterion, dimension, rater, value, times, first in found:
            for name, cell in (("criterion", criterion), ("rater", rater)):
                if reason := unfit_name("" if cell is None else cell, name=name):
                    raise self._refusal(f"{reason}. Correct the row.", first)
            if isinstance(value, float) and math.isinf(value):
                raise self._refusal("the rating is infinite. Correct the rating, or remove the row.", first)
            if value in missing:
                lost["" if value is None else str(value).strip()] += times
                continue
            rows.append((at, normal(str(criterion)), normal(dimension) or None, normal(str(rater)), value, times))
        if sentence := missing_sentence(lost):
            notes.append(sentence)
        ids, criteria, dimensions, raters, values, times = zip(*rows, strict=True) if rows else ((),) * 6
        notes += number_sentences([value for value in values if isinstance(value, str)])
        labels = [number_or_text(value) if isinstance(value, str) else value for value in values]
        names = _Names(
            np.array(ids, np.int64),
            gathered(criteria, len(ids)),
            of_objects(list(dimensions)),
            gathered(raters, len(ids)),
            self._labels(gathered(criteria, len(ids)), of_objects(labels)),
            np.array(times, np.int64),
        )
        notes += apart_sentences(names.criterion, names.rater, names.value, names.times)
        notes += mixed_sentences(names.criterion, names.value, names.times)
        return names

    def _labels(self, criterion: Column, value: Column) -> Column:
        """Return the values with JSON written in one way; refuse labels that need to be merged."""
        value, lists = merge_lists(criterion, value)
        merged = [*lists, *merge_spellings(value)[1], *merge_true_and_false(criterion, value)[1]]
        if merged:
            raise self._refusal(
                f"values have several spellings or are lists ({merged[0].rstrip('.')}). In a Parquet "
                "file, use one spelling for each label. In a CSV file, Touchstone merges these values."
            )
        return value

    def _table(self, names: _Names) -> LongTable:
        """Group the units by their ratings."""
        import pyarrow as pa

        codes = names.codes
        self.database.register(
            "codes", pa.table({"id": names.ids, "code": codes, "part": names.criterion.places.astype(np.int64)})
        )
        # A unit without a cluster is its own cluster where others have one, so it is a pattern of its own.
        clustered = self._rows("SELECT count(cluster) FROM file")[0][0] > 0
        keys = "cluster, own, mixed" if clustered else "NULL::VARCHAR AS cluster, NULL AS own, false AS mixed"
        self.database.execute(
            """CREATE VIEW rated AS SELECT file.*, code, part FROM file
            JOIN (SELECT * FROM names JOIN codes ON names.rowid = codes.id) AS name
            ON file.criterion = name.criterion AND file.rater = name.rater AND file.value = name.value
            AND file.dimension = name.dimension"""
        )
        extra = (
            """, max(cluster) AS cluster, CASE WHEN max(cluster) IS NULL THEN unit END AS own,
            count(cluster) NOT IN (0, count(*)) OR coalesce(min(cluster) <> max(cluster), false) AS mixed"""
            if clustered
            else ""
        )
        found = self.database.sql(
            f"""WITH units AS (SELECT part, unit, list(code ORDER BY code) AS pattern, min(row) AS first {extra}
            FROM rated GROUP BY part, unit)
            SELECT pattern, {keys}, count(*) AS times, min_by(unit, first)::VARCHAR AS unit, min(first) AS first
            FROM units GROUP BY part, pattern{", cluster, own, mixed" if clustered else ""}
            ORDER BY min(first) LIMIT {_MOST_PATTERNS + 1}"""
        ).to_arrow_table()
        if len(found) > _MOST_PATTERNS:
            raise self._refusal(
                f"more than {_MOST_PATTERNS:,} units differ in their ratings or clusters, so the patterns "
                "do not fit in memory. Round the values, write fewer criteria, or leave the clusters out."
            )
        mixed = np.flatnonzero(found["mixed"].to_numpy())
        if len(mixed):
            unit, row = found["unit"][int(mixed[0])].as_py(), found["first"][int(mixed[0])].as_py()
            raise self._refusal(
                f"the rows of {unit} have different clusters, or only some of these rows have one. Use the same "
                "cluster in all rows of a unit.",
                row,
            )
        lists = found["pattern"].combine_chunks()
        pattern = np.repeat(np.arange(len(found)), np.diff(lists.offsets.to_numpy()))
        return self._long(names, found, pattern, lists.values.to_numpy())

    def _long(self, names: _Names, found: Any, pattern: NDArray[np.int64], code: NDArray[np.int64]) -> LongTable:
        """Return a row for each rating of each pattern, parts of the file in the order in which they begin."""
        times = found["times"].to_numpy()
        raters = pattern * len(names.rater.names) + names.rater.places[code]
        _, first = np.unique(raters, return_index=True)
        again = np.delete(np.arange(len(raters)), first)
        if len(again):
            at = int(again[0])
            n = int(times[np.unique(pattern[again])].sum())
            raise self._rated_twice(names, int(code[at]), found["unit"][int(pattern[at])].as_py(), n)
        parts = np.stack([names.criterion.places, names.dimension.places], axis=1)
        _, begins, of_name = np.unique(parts, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(begins[of_name.ravel()][code], kind="stable")
        pattern, code = pattern[order], code[order]
        unit, cluster = (
            gathered([cell and normal(cell) for cell in found[name].to_pylist()], len(found))
            for name in ("unit", "cluster")
        )
        if cluster.names and by_several(names.dimension.places[code], pattern):
            raise self._refusal(
                "a unit belongs to several dimensions, but a file with clusters must "
                "contain only one dimension. Measure one dimension at a time."
            )
        nothing = np.array([at for at, name in enumerate(cluster.names) if name is None])
        clusters = np.where(np.isin(cluster.places, nothing), NOTHING, cluster.places).astype(np.int32)
        rows = np.arange(len(code))
        return LongTable(
            Column(unit.names, unit.places[pattern]).of(rows),
            names.rater.of(code),
            names.criterion.of(code),
            names.value.of(code),
            names.dimension.of(code) if self.has_dimensions else None,
            Column(cluster.names, clusters[pattern]).of(rows),
            times=times[pattern],
        )

    def _rated_twice(self, names: _Names, code: int, unit: str, n: int) -> InvalidFileError:
        rater, criterion = names.rater.at(code), names.criterion.at(code)
        same = (names.rater.places == names.rater.places[code]) & (
            names.criterion.places == names.criterion.places[code]
        )
        ids = ", ".join(map(str, names.ids[same].tolist()))
        before, row = (
            number
            for (number,) in self._rows(
                f"""SELECT row FROM file JOIN names USING (criterion, dimension, rater, value)
                WHERE unit::VARCHAR = ? AND names.rowid IN ({ids}) ORDER BY row LIMIT 2""",
                unit,
            )
        )
        more = f" Units with this problem: {n:,}." if n > 1 else ""
        reason = (
            f"{rater} already rated {criterion} of {unit} in row {before + 1:,}. Keep only one of the two rows.{more}"
        )
        return self._refusal(reason, row)


def by_several(dimension: NDArray[Any], pattern: NDArray[np.int64]) -> bool:
    """Tell whether a pattern has ratings in several dimensions."""
    return len(np.unique(np.stack([pattern, dimension]), axis=1).T) > len(np.unique(pattern))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
