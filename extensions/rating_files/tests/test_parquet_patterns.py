"""Parquet files of ratings: patterns have the digits of single units, and what patterns cannot show is refused."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from agreement import (
    LongTable,
    Scale,
    bland_altman,
    cohen_kappa,
    fleiss_kappa,
    icc,
    mcnemar,
    percent_agreement,
    stuart_maxwell,
    summarise,
    variance_components,
)
from agreement.bootstrap import Bootstrap
from annotation_schemas.formats import Content
from app.cli import cli
from domain.errors import InvalidFileError, NotAvailableError, RatingsError
from domain.records import Rating
from extensions.rating_files import parquet_patterns
from extensions.rating_files.parquet_export import write_parquet
from extensions.rating_files.parquet_patterns import read_patterns
from extensions.rating_files.ratings import read_table

pytest.importorskip("duckdb")

NAMES = ("unit", "rater", "criterion", "value", "dimension", "cluster")
Rows = Sequence[tuple[Any, ...]]


def written(folder: Path, rows: Rows, name: str = "ratings.parquet", **types: pa.DataType) -> Path:
    """A Parquet file of these rows, with as many of the columns as the first row has."""
    path = folder / name
    names = NAMES[: len(rows[0])]
    columns = {
        name: pa.array([row[at] for row in rows], types.get(name, None if name == "value" else pa.string()))
        for at, name in enumerate(names)
    }
    parquet.write_table(pa.table(columns), path)
    return path


def rated(ann: Sequence[Any], bob: Sequence[Any]) -> Rows:
    """Two raters' values of the same units."""
    return [
        (f"u{at}", rater, "score", value)
        for at, pair in enumerate(zip(ann, bob, strict=True))
        for rater, value in zip(("ann", "bob"), pair, strict=True)
    ]


def refusal(path: Path, **options: Any) -> str:
    with pytest.raises(InvalidFileError) as refused:
        read_patterns(path, **options)
    return str(refused.value)


def test_kappa_of_forty_units_by_hand(tmp_path: Path) -> None:
    """Of 40 units both say a for 20 and b for 10, and differ for 10, so p_o = 3/4; ann says a for 25 of 40 and bob for
    25, so p_e = (25 * 25 + 15 * 15) / 1600 = 850/1600, and kappa is (1200 - 850) / (1600 - 850) = 7/15."""
    pairs = [("a", "a")] * 20 + [("a", "b")] * 5 + [("b", "a")] * 5 + [("b", "b")] * 10
    table = read_patterns(written(tmp_path, rated(*zip(*pairs, strict=True)))).table
    ratings = table.ratings("score")
    assert (len(ratings.codes), ratings.n_units, sorted(ratings.times.tolist())) == (4, 40, [5, 5, 10, 20])
    assert cohen_kappa(ratings).value == pytest.approx(7 / 15, abs=1e-15)
    assert percent_agreement(ratings).value == 0.75


def test_missing_ratings_are_counted_next_to_the_number(tmp_path: Path) -> None:
    """None, nan and the words for missing ratings are no ratings; a unit with one rating is left out and counted."""
    numbers = read_patterns(written(tmp_path, rated([1.0, 2.0, None, 3.0], [1.0, float("nan"), None, 3.0])))
    assert list(numbers.notes) == ["3 ratings are missing: 2 empty, 1 nan."]
    found = percent_agreement(numbers.table.ratings("score"))
    assert (found.value, found.n_units, found.n_left_out) == (1.0, 2, 1)
    texts = read_patterns(written(tmp_path, rated(["yes", "NA", "no"], ["yes", "no", ""])), missing=("NA",))
    assert list(texts.notes) == ["2 ratings are missing: 1 NA, 1 empty."]
    assert percent_agreement(texts.table.ratings("score")).n_left_out == 2


@pytest.mark.parametrize(
    ("kind", "values", "categories"),
    [
        (pa.int8(), [1, 2], (1.0, 2.0)),
        (pa.float32(), [0.5, 1], (0.5, 1.0)),
        (pa.decimal128(3, 1), [0, 1], (0.0, 1.0)),
        (pa.bool_(), [True, False], ("false", "true")),
        (pa.string(), ["1.0", "2"], (1.0, 2.0)),
        (pa.string(), ["1", "unclear"], ("1", "unclear")),
        (pa.dictionary(pa.int32(), pa.string()), ["a", "b"], ("a", "b")),
    ],
)
def test_values_have_the_type_of_the_column(tmp_path: Path, kind: Any, values: list[Any], categories: Any) -> None:
    path = written(tmp_path, rated(values, values), value=kind)
    assert read_patterns(path).table.ratings("score").categories == categories


def random_rows(seed: int) -> list[tuple[Any, ...]]:
    """Ratings in any order, by three raters in two dimensions of two criteria, with gaps and clusters."""
    draw = random.Random(seed)
    rows = [
        (f"u{unit}", f"r{rater}", criterion, float(draw.choice([1, 2, 3, unit % 3 + 1])), f"d{unit % 2}", cluster)
        for criterion in ("clear", "kind")
        for unit in range(60)
        for cluster in [f"q{unit % 7}" if seed % 2 and unit % 5 else None]
        for rater in range(3)
        if draw.random() > 0.1
    ]
    draw.shuffle(rows)
    return rows


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "options", [{}, {"by_dimension": True}, {"raters": ["r2", "r0"]}], ids=["whole", "dimensions", "raters"]
)
def test_every_digit_is_that_of_single_units(tmp_path: Path, seed: int, options: dict[str, Any]) -> None:
    """Values, limits of bootstraps by unit and by cluster, and counts; only the ICC may differ by rounding."""
    rows = random_rows(seed)
    single = LongTable.from_rows(Rating(*row[:5], cluster=row[5]) for row in rows)
    patterns = read_patterns(written(tmp_path, rows), **options).table
    expected, found = (summarise(table, **options) for table in (single, patterns))
    assert len(found) > 20
    for one, other in zip(expected, found, strict=True):
        if one.statistic == "icc":
            assert (one.n_units, one.n_left_out, one.method) == (other.n_units, other.n_left_out, other.method)
            for name in ("value", "low", "high"):
                assert getattr(other, name) == pytest.approx(getattr(one, name), abs=1e-11)
        else:
            assert one == other


def test_statistics_outside_of_the_summary(tmp_path: Path) -> None:
    """Those that only Python offers have the digits of single units, too; a plot of single units is refused."""
    ann, bob = [1.0, 0.0, 1.0, 1.0, 0.0, 0.0] * 4, [1.0, 0.0, 0.0, 1.0, 0.0, 1.0] * 4
    rows = rated(ann, bob)
    single = LongTable.from_rows(Rating(*row) for row in rows).ratings("score")
    patterns = read_patterns(written(tmp_path, rows)).table.ratings("score")
    for statistic in (mcnemar, stuart_maxwell):
        assert statistic(patterns) == statistic(single)
    for kind in ("percentile", "bca"):
        resampled = [fleiss_kappa(ratings, bootstrap=Bootstrap(500, kind=kind)) for ratings in (single, patterns)]
        assert resampled[0] == resampled[1]
    assert icc(patterns, missing="reml") == icc(single, missing="reml")
    assert variance_components(patterns) == variance_components(single)
    with pytest.raises(RatingsError, match="counted by pattern"):
        bland_altman(patterns)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (
            [("u1", "ann", "score", 1), ("u2", "bob", "score", 1), ("u1", "ann", "score", 2)],
            "row 3: ann already rated score of u1 in row 1. Keep only one of the two rows.",
        ),
        ([("u1", "ann", "score", 1), (None, "bob", "score", 1)], "row 2: unit is empty. Correct the row."),
        ([("u1", "ann", "score", 1), (" ", "bob", "score", 1), ("", "bob", "score", 1)], "row 2: unit is empty"),
        ([("u1", "ann", "score", 1), ("u1", None, "score", 1)], "row 2: rater is empty"),
        ([("u1", "ann", "score", 1), ("u1", "bob", "", 1)], "row 2: criterion is empty"),
        ([("u1", "r" * 101, "score", 1)], "row 1: rater is longer than 100 characters"),
        ([("u1", "ann", "score", 1), ("u1 ", "bob", "score", 1)], "row 2: unit has spaces"),
        ([("u1", "ann", "score", 1), ("\u200bu1", "bob", "score", 1)], "row 2: unit has spaces"),
        ([("e\u0301", "ann", "score", 1)], "row 1: unit has spaces or invisible characters around it, is not in NFC"),
        ([("u1", "ann", "score", float("inf"))], "row 1: the rating is infinite"),
        ([("u1", "ann", "score", "Yes"), ("u1", "bob", "score", "yes")], "several spellings or are lists"),
        ([("u1", "ann", "score", '["a", "b"]')], "several spellings or are lists"),
        ([("u1", "ann", "score", "true"), ("u1", "bob", "score", "1")], "several spellings or are lists"),
        (
            [("u1", "ann", "score", 1, None, "q1"), ("u1", "bob", "score", 1, None, "q2")],
            "row 1: the rows of u1 have different clusters",
        ),
        (
            [("u1", "ann", "score", 1, None, "q1"), ("u1", "bob", "score", 1, None, None)],
            "row 1: the rows of u1 have different clusters, or only some of these rows have one",
        ),
    ],
)
def test_invalid_rows_are_refused_with_the_row(tmp_path: Path, rows: Rows, reason: str) -> None:
    assert f"ratings.parquet{'' if reason.startswith('several') else ', '}" in (
        said := refusal(written(tmp_path, rows))
    )
    assert reason in said


def test_double_ratings_in_two_dimensions_and_by_two_spellings_of_a_rater(tmp_path: Path) -> None:
    """The second row is named, and the number of units."""
    rows = [
        (f"u{at}", name, "score", 1, dimension) for at in range(3) for name, dimension in (("ann", "x"), ("ann ", "y"))
    ]
    for by_dimension in (False, True):
        assert (
            "row 2: ann already rated score of u0 in row 1. Keep only one of the two rows. Units with this problem: 3."
            in refusal(written(tmp_path, rows), by_dimension=by_dimension)
        )


def test_units_in_two_dimensions_have_no_clusters(tmp_path: Path) -> None:
    rows = [("u1", "ann", "score", 1, "x", "q"), ("u1", "bob", "score", 1, "y", "q")]
    assert "several dimensions" in refusal(written(tmp_path, rows), by_dimension=True)
    assert len(read_patterns(written(tmp_path, rows)).table) == 2


@pytest.mark.parametrize(
    ("types", "reason"),
    [
        ({"unit": pa.list_(pa.string())}, "the column unit has the type VARCHAR[]. Write text or whole numbers."),
        ({"rater": pa.float64()}, "the column rater has the type DOUBLE"),
        ({"criterion": pa.binary()}, "the column criterion has the type BLOB"),
        ({"value": pa.date32()}, "the column value has the type DATE. Write text, numbers, or true and false."),
        ({"value": pa.list_(pa.int64())}, "the column value has the type BIGINT[]"),
    ],
)
def test_other_types_are_refused(tmp_path: Path, types: dict[str, Any], reason: str) -> None:
    path = tmp_path / "ratings.parquet"
    columns = {name: pa.array([], types.get(name, pa.string())) for name in NAMES[:4]}
    parquet.write_table(pa.table(columns), path)
    assert reason in refusal(path)


def test_columns_are_found_by_name(tmp_path: Path) -> None:
    path = tmp_path / "ratings.parquet"
    cells = {" Unit": [7, 7], "RATER": [1, 2], "criterion": ["c", "c"], "Value": [1, 1], "file": ["x", "y"]}
    parquet.write_table(pa.table(cells), path)
    table = read_patterns(path).table
    assert (table.unit.names, table.rater.names, len(table)) == (("7",), ("1", "2"), 2)
    parquet.write_table(pa.table({"unit": ["u"], "rater": ["r"], "value": [1]}), path)
    assert "criterion is missing" in refusal(path)
    parquet.write_table(pa.table({**cells, "value": [1, 1]}), path)
    assert "a column is repeated" in refusal(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "ratings.parquet"
    path.write_text("unit,rater,criterion,value\nu1,ann,score,1\n", encoding="utf-8")
    assert "is not a Parquet file, although its name ends in .parquet" in refusal(path)
    path.write_bytes(b"")
    assert "is not a Parquet file" in refusal(path)
    cut = written(tmp_path, rated([1, 2], [1, 2])).read_bytes()[:-20]
    path.write_bytes(cut)
    assert "DuckDB cannot read ratings.parquet" in refusal(path)
    assert "Touchstone cannot read" in refusal(tmp_path / "none.parquet")
    with pytest.raises(InvalidFileError, match="only `touchstone agreement show --ratings` reads"):
        read_table(written(tmp_path, rated([1], [1])))


def test_a_name_with_wildcards_is_one_file(tmp_path: Path) -> None:
    """Neither a pattern of files, nor a folder of the form name=value that adds a column."""
    folder = tmp_path / "rater=eva"
    folder.mkdir()
    written(folder, rated([1, 1], [1, 1]), "a1.parquet")
    path = written(folder, rated([2], [2]), "a[1].parquet")
    written(folder, rated([1, 1], [1, 1]), "a?.parquet")
    assert read_patterns(path).table.ratings("score").n_units == 1
    assert read_patterns(path).table.rater.names == ("ann", "bob")
    assert read_patterns(folder / "a?.parquet").table.ratings("score").n_units == 2


def test_too_many_values_and_patterns_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, rated([1, 2, 3], [1, 2, 3]))
    monkeypatch.setattr(parquet_patterns, "_MOST_PATTERNS", 3)
    assert len(read_patterns(path).table) == 6
    monkeypatch.setattr(parquet_patterns, "_MOST_PATTERNS", 2)
    assert "more than 2 units differ" in refusal(path)
    monkeypatch.setattr(parquet_patterns, "_MOST_NAMES", 5)
    assert "the raters use 6 different values" in refusal(path)


def test_duckdb_has_limits_and_loads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings: dict[str, str] = {}
    names = ("memory_limit", "preserve_insertion_order", "autoinstall_known_extensions", "autoload_known_extensions")

    class Recorded(parquet_patterns._ParquetRatings):
        def __init__(self, database: Any, *args: Any) -> None:
            for name in (*names, "temp_directory"):
                settings[name] = str(database.execute(f"SELECT current_setting('{name}')").fetchall()[0][0])
            super().__init__(database, *args)

    monkeypatch.setattr(parquet_patterns, "_ParquetRatings", Recorded)
    read_patterns(written(tmp_path, rated([1], [1])))
    assert [settings[name] for name in names] == ["381.4 MiB", "False", "False", "False"]  # 400e6 / 2^20
    assert not Path(settings["temp_directory"]).exists(), "the temporary folder is gone"


def test_little_memory_is_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_patterns, "MEMORY", "2MB")
    path = written(tmp_path, [(f"unit {at} {'x' * 200}", "ann", "score", at % 5) for at in range(50_000)])
    assert "needs more than 2MB of memory" in refusal(path)


def test_without_duckdb_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def requires(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", requires)  # so that the extra is that of this checkout
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(NotAvailableError, match=r"pip install 'duckdb>=[0-9.]+' 'pyarrow>="):
        read_patterns(written(tmp_path, rated([1], [1])))


def test_the_command_prints_the_same_as_for_lines(tmp_path: Path) -> None:
    """Also for a scale, and with a rating off that scale, which is refused with its rater and unit."""
    path = written(tmp_path, random_rows(0))
    lines = tmp_path / "ratings.jsonl"
    lines.write_text(
        "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in random_rows(0)), encoding="utf-8"
    )
    asked = ["agreement", "show", "--json", "--statistic", "cohen_kappa", "--statistic", "gwet_ac"]
    printed = {}
    for file in (path, lines):
        done = CliRunner().invoke(cli, [*asked, "--ratings", str(file), "--scale", "clear=ordinal:1,2,3,4"])
        assert done.exit_code == 0, done.output
        printed[file] = [{**line, "peers": None} for line in json.loads(done.stdout)]
    assert printed[path] == printed[lines]
    table = read_patterns(path).table
    with pytest.raises(RatingsError, match=r"rated clear of u\d+ as 3.0, which is not on the declared scale"):
        table.ratings("clear", scale=Scale("ordinal", (1, 2)))


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "ratings.parquet"
    parquet.write_table(pa.table({name: pa.array([], pa.string()) for name in NAMES[:4]}), path)
    assert len(read_patterns(path).table) == 0
    done = CliRunner().invoke(cli, ["agreement", "show", "--ratings", str(path)])
    assert "has no ratings" in str(done.exception) + done.output


def test_an_export_is_read_back(tmp_path: Path) -> None:
    """Numbers stay numbers; with other values, all are the texts that the CSV file has."""
    path = tmp_path / "ratings.parquet"
    numbers = [Rating("=u1", "ann", "score", 1, "x"), Rating("=u2", "ann", "score", 0.5)]
    path.write_bytes(write_parquet(Content(None, "ratings_parquet", ratings=numbers))["ratings.parquet"])  # type: ignore[arg-type]
    assert parquet.read_table(path).to_pylist() == [
        {"unit": "=u1", "rater": "ann", "criterion": "score", "value": 1.0, "dimension": "x"},
        {"unit": "=u2", "rater": "ann", "criterion": "score", "value": 0.5, "dimension": ""},
    ]
    table = read_patterns(path, by_dimension=True).table
    assert (table.value.names, table.dimension.names) == ((1.0, 0.5), ("x",))
    mixed = [Rating("u1", "ann", "fits", True), Rating("u1", "bob", "fits", "no"), Rating("u1", "ann", "score", 2)]
    path.write_bytes(write_parquet(Content(None, "ratings_parquet", ratings=mixed))["ratings.parquet"])  # type: ignore[arg-type]
    assert [row["value"] for row in parquet.read_table(path).to_pylist()] == ["true", "no", "2"]
