"""Workbooks are read as what someone wrote into them, and hostile ones cost nothing but a sentence."""

from __future__ import annotations

import datetime
import re
import resource
import struct
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from domain.errors import InvalidFileError
from extensions.spreadsheets import workbooks
from importers.table_lines import SheetCell, SheetRow, lines_of_table
from tests.importers.workbooks import Raw, workbook
from tests.paths import ROOT

HEAD = ["index", "prediction"]
WORKSHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'


def read(path: Path) -> list[SheetRow]:
    return list(lines_of_table(path, fits=lambda names: "prediction" in names, wants="the column prediction"))


def cells(path: Path) -> list[tuple[str, str]]:
    return [(line.cells["prediction"].text, line.cells["prediction"].problem) for line in read(path)]


@pytest.mark.parametrize("shared", [True, False])
def test_rows_by_heading(tmp_path: Path, shared: bool) -> None:
    rows = [HEAD, [1, "red\nand <blue> &  "], [], [2.0, "ä 猫 🙂"], [3]]
    found = read(workbook(tmp_path / "a.xlsx", {"Sheet1": rows}, shared=shared))
    assert found == [
        SheetRow(2, {"index": SheetCell("1"), "prediction": SheetCell("red\nand <blue> &  ")}),
        SheetRow(4, {"index": SheetCell("2"), "prediction": SheetCell("ä 猫 🙂")}),
        SheetRow(5, {"index": SheetCell("3")}),
    ]


def test_the_first_sheet_that_fits_is_read(tmp_path: Path) -> None:
    sheets: dict[str, Any] = {"Scores": [["model", "score"], ["m", 1]], "Answers": [HEAD, [1, "red"]]}
    assert cells(workbook(tmp_path / "a.xlsx", sheets)) == [("red", "")]
    with pytest.raises(InvalidFileError, match=r"no sheet has the column prediction .*\(sheets: 'Scores'\)"):
        read(workbook(tmp_path / "b.xlsx", {"Scores": sheets["Scores"]}))
    with pytest.raises(InvalidFileError, match="no sheet"):
        read(workbook(tmp_path / "c.xlsx", {"Empty": []}))


@pytest.mark.parametrize(
    ("cell", "text", "problem"),
    [
        (Raw("|<v>3</v>"), "3", ""),
        (Raw("|<v>3.0</v>"), "3", ""),
        (Raw("|<v>1E3</v>"), "1000", ""),
        (Raw("|<v>0.5</v>"), "0.5", ""),
        (Raw(' t="b"|<v>1</v>'), "TRUE", ""),
        (Raw(' t="str"|<v>typed</v>'), "typed", ""),
        (Raw(' t="inlineStr"|<is><r><t>rich </t></r><r><t>text</t></r></is>'), "rich text", ""),
        (Raw(' t="inlineStr"|<is><t>two_x000A_lines_x005F_x000A_</t></is>'), "two\nlines_x000A_", ""),
        (Raw("|<f>1+1</f><v>2</v>"), "2", "is a formula in the spreadsheet"),
        (Raw("|<f>HYPERLINK(A1)</f>"), "", "is a formula in the spreadsheet"),
        (Raw(' t="e"|<v>#NAME?</v>'), "#NAME?", "is the error #NAME? in the spreadsheet"),
        (Raw(' s="1"|<v>45293</v>'), "45293", "is a date in the spreadsheet"),
        (Raw(' s="2"|<v>45293</v>'), "45293", "is a date in the spreadsheet"),
        (Raw(' s="3"|<v>7</v>'), "7", ""),
        (Raw(' t="s"|<v>99</v>'), "", "refers to a missing text"),
    ],
)
def test_what_a_cell_says(tmp_path: Path, cell: Raw, text: str, problem: str) -> None:
    styles = (
        '<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm"/>'
        '<numFmt numFmtId="165" formatCode="0 &quot;days&quot;"/></numFmts>'
        '<cellStyleXfs><xf numFmtId="0"/></cellStyleXfs>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>'
    )
    path = workbook(tmp_path / "a.xlsx", {"S": [HEAD, [1, cell]]}, styles=styles)
    assert cells(path) == [(text, problem)]


def test_a_workbook_as_a_program_saves_it(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    values = [
        "007",
        7,
        0.25,
        123456789012345,
        True,
        datetime.date(2024, 1, 1),
        "=1+1",
        "#N/A",
        "two\nlines",
        " a ",
    ]
    for row in [HEAD, *([number, value] for number, value in enumerate(values))]:
        sheet.append(row)
    path = tmp_path / "a.xlsx"
    book.save(path)
    assert cells(path) == [
        *[("007", ""), ("7", ""), ("0.25", ""), ("123456789012345", ""), ("TRUE", "")],
        ("45292", "is a date in the spreadsheet"),  # days since 30 December 1899
        ("", "is a formula in the spreadsheet"),  # this program stores no value next to it
        ("#N/A", "is the error #N/A in the spreadsheet"),
        *[("two\nlines", ""), (" a ", "")],
    ]


def test_no_row_is_left_out_by_what_a_sheet_says_of_its_size(tmp_path: Path) -> None:
    row = '<row r="{0}"><c r="A{0}" t="str"><v>{1}</v></c></row>'
    rows = "".join(row.format(number, text) for number, text in ((1, "prediction"), (2, "red"), (9, "blue")))
    sheet = f'{WORKSHEET}<dimension ref="A1:A2"/><sheetData>{rows}</sheetData></worksheet>'
    found = read(workbook(tmp_path / "a.xlsx", {"S": sheet}))
    assert [(line.number, line.cells["prediction"].text) for line in found] == [(2, "red"), (9, "blue")]


@pytest.mark.parametrize(
    "rows",
    [
        '<row r="2"><c r="A2"/></row><row r="2"><c r="A2"/></row>',
        '<row r="3"><c r="A3"/></row><row r="2"><c r="A2"/></row>',
        '<row r="2"><c r="AA2"/><c r="Z2"/></row>',
        '<row r="2"><c r="B2"/><c r="B2"/></row>',
    ],
)
def test_what_would_be_passed_over_is_refused(tmp_path: Path, rows: str) -> None:
    head = '<row r="1"><c r="A1" t="str"><v>prediction</v></c></row>'
    sheet = f"{WORKSHEET}<sheetData>{head}{rows}</sheetData></worksheet>"
    with pytest.raises(InvalidFileError, match="rows or cells in the wrong order"):
        read(workbook(tmp_path / "a.xlsx", {"S": sheet}))


def test_rows_and_cells_need_no_references(tmp_path: Path) -> None:
    cell = '<c t="inlineStr"><is><t>{}</t></is></c>'
    rows = [[cell.format(text) for text in row] for row in (HEAD, ["1", "red"], ["2", "blue"])]
    xml = "".join(f"<x:row>{''.join(row)}</x:row>" for row in rows).replace("<c", "<x:c").replace("</c", "</x:c")
    xml = xml.replace("<is", "<x:is").replace("</is", "</x:is").replace("<t>", "<x:t>").replace("</t>", "</x:t>")
    sheet = (
        '<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f"<x:sheetData>{xml}</x:sheetData></x:worksheet>"
    )
    found = read(workbook(tmp_path / "a.xlsx", {"S": sheet}))
    assert [(line.number, line.cells["prediction"].text) for line in found] == [(2, "red"), (3, "blue")]


def test_how_a_text_is_pronounced_is_not_part_of_it(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", {"S": [HEAD, [1, Raw(' t="s"|<v>2</v>')]]})
    spoken = "<si><t>猫</t><rPh sb='0' eb='1'><t>ねこ</t></rPh></si></sst>"
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text.replace("</sst>", spoken))
    assert cells(path) == [("猫", "")]


def test_half_a_workbook_is_refused(tmp_path: Path) -> None:
    whole = workbook(tmp_path / "whole.xlsx", {"S": [HEAD, [1, "red"]]}).read_bytes()
    path = tmp_path / "a.xlsx"
    for part in (b"", b"index,prediction\n1,red\n", whole[: len(whole) // 2], whole[:-30]):
        path.write_bytes(part)
        with pytest.raises(InvalidFileError, match=r"a\.xlsx is not a complete \.xlsx workbook"):
            read(path)
    with pytest.raises(InvalidFileError, match=r"Touchstone cannot read .*nothing\.xlsx: No such file"):
        read(tmp_path / "nothing.xlsx")


def test_broken_xml_is_refused(tmp_path: Path) -> None:
    sheet = '<worksheet><sheetData><row r="1"><c r="A1"></row></sheetData></worksheet>'
    with pytest.raises(InvalidFileError, match=r"damaged workbook \(mismatched tag"):
        read(workbook(tmp_path / "a.xlsx", {"S": sheet}))
    laughs = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><worksheet>&b;</worksheet>'
    with pytest.raises(InvalidFileError, match="declares a document type"):
        read(workbook(tmp_path / "b.xlsx", {"S": laughs}))


def test_damaged_bytes_are_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", {"S": [HEAD, *([n, f"answer {n * 7919}"] for n in range(400))]})
    data = bytearray(path.read_bytes())
    start = data.index(b"xl/worksheets/sheet1.xml") + 200
    data[start : start + 40] = bytes(40)
    path.write_bytes(data)
    with pytest.raises(InvalidFileError, match=r"a\.xlsx is "):
        read(path)


OLE = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)
"""The head of a compound file, which old Office wrote, and new Office writes around a workbook with a password."""


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (
            OLE + "Workbook".encode("utf-16-le") + bytes(500),
            r"an old workbook \(\.xls\) .* Save the file as \.xlsx in a spreadsheet program\.$",
        ),
        (OLE + "EncryptedPackage".encode("utf-16-le") + bytes(500), "protected by a password.* Remove the password"),
        (b"<html><table><tr><td>index</td></tr></table></html>", "not a complete .xlsx workbook"),
    ],
)
def test_what_else_is_called_a_workbook_is_told(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(data)
    with pytest.raises(InvalidFileError, match=rf"^a\.xlsx is {says}"):
        read(path)


def changed(path: Path, part: str, old: str, new: str | None) -> Path:
    """A workbook in which a text of a part is another one, or without that part."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert old.encode() in parts[part]
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            if name != part or new is not None:
                archive.writestr(name, data.replace(old.encode(), (new or "").encode()) if name == part else data)
    return path


@pytest.mark.parametrize(
    ("part", "old", "new", "raises", "what"),
    [
        ("xl/workbook.xml", "", None, KeyError, "the file xl/workbook.xml inside the workbook is missing"),
        ("[Content_Types].xml", "sheet.main+xml", "x", OSError, "the main file inside the workbook is missing"),
        ("xl/_rels/workbook.xml.rels", 'Id="rId1"', 'Id="x"', KeyError, "the content does not follow the .xlsx format"),
        ("xl/workbook.xml", ' sheetId="1"', "", TypeError, "the content does not follow the .xlsx format"),
        (
            "xl/worksheets/sheet1.xml",
            "<v>1</v>",
            "<v>one</v>",
            ValueError,
            "the content does not follow the .xlsx format",
        ),
    ],
)
def test_what_openpyxl_does_not_read_is_told(
    tmp_path: Path, part: str, old: str, new: str | None, raises: type[Exception], what: str
) -> None:
    path = changed(workbook(tmp_path / "a.xlsx", {"S": [HEAD, [1, "red"]]}), part, old, new)
    with pytest.raises(InvalidFileError, match=rf"^a\.xlsx is a damaged workbook \({re.escape(what)}") as refused:
        read(path)
    assert isinstance(refused.value.__cause__, raises)
    assert str(tmp_path) not in str(refused.value)


def test_a_style_that_is_not_there_is_told_in_a_sentence_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """openpyxl prints to the terminal what it does not find, before it raises."""
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    book.active.append(HEAD)
    book.active.append([1, "red"])
    book.save(path)
    style = '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    with pytest.raises(InvalidFileError, match=r"^a\.xlsx is a damaged workbook \("):
        read(changed(path, "xl/styles.xml", style, ""))
    assert capsys.readouterr() == ("", "")


def test_a_part_with_a_password_and_one_packed_otherwise_are_told(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", {"S": [HEAD, [1, "red"]]})
    whole = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        whole[whole.index(mark) + offset] |= 1  # the flag of an encrypted part
    (tmp_path / "b.xlsx").write_bytes(whole)
    with pytest.raises(InvalidFileError, match="protected by a password"):
        read(tmp_path / "b.xlsx")
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(tmp_path / "c.xlsx", "w", zipfile.ZIP_LZMA) as other:
        for name in archive.namelist():
            other.writestr(name, archive.read(name))
    with pytest.raises(
        InvalidFileError, match="the workbook uses a compression method that spreadsheet programs never use"
    ):
        read(tmp_path / "c.xlsx")


def test_a_mistake_of_ours_is_not_called_damage(tmp_path: Path) -> None:
    def wrong(headings: Sequence[str]) -> bool:
        raise TypeError("ours")

    path = workbook(tmp_path / "a.xlsx", {"S": [HEAD, [1, "red"]]})
    with pytest.raises(TypeError, match="ours"):
        list(lines_of_table(path, fits=wrong, wants="the column prediction"))


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match="Two columns have the name 'prediction'"):
        read(workbook(tmp_path / "a.xlsx", {"S": [[*HEAD, "prediction"], [1, "red", "blue"]]}))


def limited(path: Path) -> subprocess.CompletedProcess[str]:
    """Read a workbook in a process of its own that may take 400 MB of address space beyond Python's."""
    program = (
        "import sys; from pathlib import Path; from importers.table_lines import lines_of_table\n"
        "from domain.errors import InvalidFileError\n"
        "try: print(sum(1 for _ in lines_of_table(Path(sys.argv[1]), fits=lambda n: 'prediction' in n, wants='it')))\n"
        "except InvalidFileError as error: print(error)\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program, str(path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20)),
    )


@pytest.mark.thorough
def test_a_cell_in_the_last_corner_costs_nothing(tmp_path: Path) -> None:
    cell = '<c r="{}" t="inlineStr"><is><t>{}</t></is></c>'
    sheet = (
        f'{WORKSHEET}<sheetData><row r="1">{cell.format("A1", "index")}{cell.format("B1", "prediction")}</row>'
        f'<row r="1048576">{cell.format("B1048576", "red")}{cell.format("XFD1048576", "far")}</row>'
        "</sheetData></worksheet>"
    )
    done = limited(workbook(tmp_path / "a.xlsx", {"S": sheet}))
    assert (done.stdout.strip(), done.returncode) == ("1", 0), done.stderr


def test_a_workbook_that_swells_is_refused_whatever_it_says_of_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbooks, "LARGEST", 1 << 20)
    sheet = f"<worksheet><sheetData>{' ' * (2 << 20)}</sheetData></worksheet>"
    path = workbook(tmp_path / "a.xlsx", {"S": sheet})
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"PK\x01\x02", 0, data.rindex(b"xl/worksheets/sheet1.xml"))
    data[entry + 24 : entry + 28] = struct.pack("<I", 10)  # the unpacked size that the directory of the zip promises
    path.write_bytes(data)
    with zipfile.ZipFile(path) as archive:
        assert archive.getinfo("xl/worksheets/sheet1.xml").file_size == 10
    with pytest.raises(InvalidFileError, match="unpacks to more than 1 MB"):
        read(path)


@pytest.mark.parametrize(
    "inside",
    [
        "<a/>" * 3000,
        "<sheetData><row>" + '<c s="0"/>' * 1500 + "</row></sheetData>",
        "<sheetData>" + "<row/>" * 3000 + "</sheetData>",
        "<sheetData>" + "<si><t/></si>" * 1500 + "</sheetData>",
    ],
)
def test_what_would_stay_in_memory_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str) -> None:
    monkeypatch.setattr(workbooks, "MOST_HELD", 2000)
    with pytest.raises(InvalidFileError, match="more rows or texts than Touchstone can read at once"):
        read(workbook(tmp_path / "a.xlsx", {"S": f"{WORKSHEET}{inside}</worksheet>"}))
    rows = [HEAD, *([number, "red"] for number in range(1000))]  # 2,000 cells, of which those of a row stay
    assert len(read(workbook(tmp_path / "b.xlsx", {"S": rows}, shared=False))) == 1000


def test_a_row_number_beyond_every_sheet_is_refused(tmp_path: Path) -> None:
    far = '<row r="999999999"><c r="A999999999"/></row>'
    head = '<row r="1"><c r="A1" t="str"><v>prediction</v></c></row>'
    with pytest.raises(InvalidFileError, match="more than 1,048,576 rows"):
        read(workbook(tmp_path / "a.xlsx", {"S": f"{WORKSHEET}<sheetData>{head}{far}</sheetData></worksheet>"}))


def test_text_files(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text('\ufeffindex\timage\tprediction\n1\t"' + "A" * 300_000 + '"\t"two\nlines"\n\n2\t\tred\n')
    assert [(line.number, line.cells["prediction"].text) for line in read(path)] == [(2, "two\nlines"), (4, "red")]
    path = tmp_path / "a.csv"
    path.write_text('index,prediction\n7,"red, ""deep"""\n')
    assert cells(path) == [('red, "deep"', "")]
    path.write_bytes(b"index,prediction\n7,caf\xe9\n")
    with pytest.raises(InvalidFileError, match=r"not UTF-8 \(byte 23\)"):
        read(path)
    path.write_text("index,answer\n7,red\n")
    with pytest.raises(InvalidFileError, match=r"a\.csv does not have the column prediction"):
        read(path)
