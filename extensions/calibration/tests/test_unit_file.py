"""What is known about rated units, from a CSV file."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.errors import InvalidFileError
from domain.records import UnitFacts
from extensions.calibration.unit_file import read_units


def written(folder: Path, text: str) -> Path:
    path = folder / "units.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_read(tmp_path: Path) -> None:
    path = written(tmp_path, "unit,model,length,note\nu1, big ,12,x\nu2,,,\n\nu3,small,0.5,y\n")
    assert read_units(path) == {
        "u1": UnitFacts(model="big", length=12.0),
        "u2": UnitFacts(),
        "u3": UnitFacts(model="small", length=0.5),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model,item\nm,i\n", "row 1: the header needs the column unit"),
        ("unit,note\nu1,x\n", "row 1: the header needs the column unit"),
        ("unit,item,item\nu1,x,y\n", "Name each column only once"),
        ("", "row 1"),
        ("unit,item\nu1,a\nu1,b\n", "row 3: the unit u1 already has a row"),
        ("unit,item\n,a\n", "row 2: unit is empty"),
        ("unit,item\nu1\n", "row 2: expected 2 cells, found 1"),
        ("unit,length\nu1,long\n", "row 2: length is 'long'"),
        ("unit,length\nu1,-3\n", "row 2: length is '-3'"),
        ("unit,length\nu1,nan\n", "row 2: length is 'nan'"),
        ('unit,item\n"u1,a\n', "row"),
    ],
)
def test_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidFileError, match=r"units\.csv") as refused:
        read_units(written(tmp_path, text))
    assert said in str(refused.value)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match=r"cannot read .*none\.csv"):
        read_units(tmp_path / "none.csv")
