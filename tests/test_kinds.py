"""A kind of criterion or field is its own module and its control on the page; nothing else knows what it is called."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation_schemas import kinds
from annotation_schemas.kinds._rows import CriterionKind, FieldKind
from app.workbench.assets import sources
from domain import extensions
from tests.paths import ROOT
from tests.planting import planted
from tests.test_layers import modules, told
from tools.floors import ROOMS

NAMES = {*kinds.CRITERIA, *kinds.FIELDS}
HOME = ROOT / "annotation_schemas" / "kinds"
MISSING = ROOT / "domain" / "extensions.py"
"""It names what missing extensions add."""


def by_name(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Where code treats a kind by its name: (line, what it does). Extensions are listed with the ``kinds`` they add."""
    schemas = any(
        isinstance(node, ast.ImportFrom) and "annotation_schemas" in str(node.module) for node in ast.walk(tree)
    )
    of_extensions = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "kinds"}
    for node in ast.walk(tree):
        if id(node) in of_extensions:
            continue
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            asked = any(isinstance(side, ast.Attribute) and side.attr == "kind" for side in sides) or any(
                isinstance(side, ast.Name) and side.id == "kind" and schemas for side in sides
            )
            said = {
                inside.value
                for side in sides
                for inside in ast.walk(side)
                if isinstance(inside, ast.Constant) and isinstance(inside.value, str)
            }
            if asked and said & NAMES:
                yield node.lineno, f"compares a kind with {', '.join(sorted(said & NAMES))}"
        elif isinstance(node, ast.Set | ast.Tuple | ast.List | ast.Dict):
            entries = node.keys if isinstance(node, ast.Dict) else node.elts
            words = [entry.value for entry in entries if isinstance(entry, ast.Constant)]
            if len(words) > 1 and len(words) == len(entries) and all(word in NAMES for word in words):
                yield node.lineno, f"lists the kinds {', '.join(map(str, words))}"


@pytest.mark.thorough
@pytest.mark.parametrize("room", ROOMS)
def test_nothing_but_its_own_module_knows_a_kind(room: str) -> None:
    wrong = [
        told(path, line, f"{said}; ask its row (annotation_schemas/kinds)")
        for path in modules(room)
        if not path.is_relative_to(HOME) and path != MISSING
        for line, said in by_name(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "planted",
    [
        'if criterion.kind == "number": pass',
        'if "number" != field.kind: pass',
        'if each.kind in ("text", "long_text"): pass',
        'many = [each for each in all if each.kind not in {"boxes", *others}]',
        'from annotation_schemas import kinds\nif kind == "property_list": pass',
        'TEXTS = frozenset({"text", "long_text"})',
        'SCALES = {"scale": "ordinal", "number": "interval"}',
    ],
)
def test_code_that_treats_a_kind_by_its_name_is_found(planted: str) -> None:
    assert list(by_name(ast.parse(planted)))


@pytest.mark.parametrize(
    "other",
    ['if asset.kind == "clip": pass', "if row.kind is RunKind.MODEL: pass", "kinds.of_criterion(each).compared"],
)
def test_other_things_have_kinds_too(other: str) -> None:
    assert not list(by_name(ast.parse(other)))


WEB = ROOT / "app" / "workbench" / "web"
_TOKEN = re.compile(
    r"""(?P<gap>\s+|//[^\n]*|/\*.*?\*/)|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"""|(?P<name>[A-Za-z_$][\w$]*)|(?P<equal>[!=]==?)|(?P<other>.)""",
    re.DOTALL,
)


def tokens(code: str) -> list[tuple[int, str, str]]:
    """JavaScript as (line, sort, text), without blanks and comments; what a template has in ``${}`` is as any code."""
    return [
        (1 + code.count("\n", 0, found.start()), str(found.lastgroup), found[0].strip("\"'"))
        for found in _TOKEN.finditer(code)
        if found.lastgroup != "gap"
    ]


def by_name_in_javascript(code: str) -> Iterator[tuple[int, str]]:
    """As ``by_name``: comparisons of a kind with a name, a ``switch`` over kinds, lists and tables of their names."""
    found = tokens(code)
    opened: list[tuple[int, list[str], bool]] = []  # line, the entries so far, whether all of them are plain
    switched = any(
        one[2] == "switch" and "kind" in (each[2] for each in found[at:][:8]) for at, one in enumerate(found)
    )
    for at, (line, sort, text) in enumerate(found):
        before, after = found[at - 1] if at else (0, "", ""), found[at + 1] if at + 1 < len(found) else (0, "", "")
        if sort == "text" and text in NAMES:
            sides = found[max(at - 3, 0) : at + 5]
            compared = before[1] == "equal" or after[1] == "equal"
            if compared and any(side[1] == "name" and side[2] == "kind" for side in sides):
                yield line, f"compares a kind with {text}"
            elif before[2] == "case" and switched:
                yield line, f"has a case for {text}"
        if sort == "other" and text in "{[(":
            opened.append((line, [], text != "("))
        elif sort == "other" and text in "}])" and opened:
            began, entries, plain = opened.pop()
            if plain and len(entries) > 1 and set(entries) <= NAMES:
                yield began, f"lists the kinds {', '.join(entries)}"
        elif opened and before[2] in ("{", "[", ",") and sort in ("text", "name"):
            if after[2] in (":", ",", "}", "]"):
                opened[-1][1].append(text)
            else:
                opened[-1] = (opened[-1][0], opened[-1][1], False)


def test_no_module_of_the_page_knows_a_kind_by_its_name() -> None:
    wrong = [
        told(path, line, f"{said}; make it a property of what its module in kinds/ exports")
        for path in sorted([*WEB.rglob("*.js"), *ROOT.glob("extensions/*/web/**/*.js")])
        for line, said in by_name_in_javascript(path.read_text(encoding="utf-8"))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "planted",
    [
        'if (criterion.kind === "number") go();',
        'const drawn = ({ kind }) => kind === "boxes" || marked;',
        'const is = "text_list" !== field.kind;',
        'switch (field.kind) {\n  case "integer": return 1;\n}',
        'const PICKED = ["choice", "option_of"];',
        "const CHECKS = { integer: ({ value }) => test(value, [1]), json, segments: json, text_list: (a) => of(a) };",
    ],
)
def test_javascript_that_treats_a_kind_by_its_name_is_found(planted: str) -> None:
    assert list(by_name_in_javascript(planted))


@pytest.mark.parametrize(
    "other",
    [
        'if (asset.kind === "clip") show();  // kind === "boxes"',
        'const isNumber = typeof bound === "number";',
        'switch (event.key) {\n  case "text": return 1;\n}',
        "const { name, text } = entry;",
        'const one = { text: "a", tone: 1 };',
    ],
)
def test_other_things_in_javascript_have_names_too(other: str) -> None:
    assert not list(by_name_in_javascript(other))


def test_each_module_is_a_kind_with_rows_of_its_name() -> None:
    ours = {path.stem for path in HOME.glob("*.py") if not path.stem.startswith("_")}
    theirs = {module.__name__.rpartition(".")[2] for module in extensions.rows("kinds")}
    assert ours | theirs == NAMES
    assert all(isinstance(row, CriterionKind) and row.name == name for name, row in kinds.CRITERIA.items())
    assert all(isinstance(row, FieldKind) and row.name == name for name, row in kinds.FIELDS.items())
    for rows in (kinds.CRITERIA, kinds.FIELDS):
        assert len({row.place for row in rows.values()}) == len(rows), "two kinds stand in one place"


TRIED = """
import importlib.util, json, sys
spec = importlib.util.find_spec("annotation_schemas.kinds")
spec.submodule_search_locations.append(sys.argv[1])
sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules[spec.name])
from pathlib import Path
from annotation_schemas import kinds, registry, shipped
from annotation_schemas.json_schema import json_schema
from annotation_schemas.loader import examine
from domain.states import Stage
from workflow.results.rater_agreement import scales_of
from tools import reference
folder = Path(sys.argv[1])
text = shipped()["etp_bench"].read_text(encoding="utf-8").replace("guideline: ", "# guideline: ")
asked = "    criteria:\\n      - {name: part, kind: percent, prompt: How much of it}\\n"
head, grading, rest = text.partition("  grading:")
(folder / "study.yaml").write_text(head + grading + rest.replace("    criteria:\\n", asked, 1), encoding="utf-8")
schema = examine(folder / "study.yaml").loaded.schema_
criterion = next(each for each in schema.stages.grading.criteria if each.name == "part")
def said(value):
    return [each.message for each in kinds.check_answers([criterion], {"part": value}, {}, {})]
scale = scales_of(schema, Stage.GRADING)["part"]
print(json.dumps({
    "refused": [bool(said(value)) for value in (0, 100, 100.5, "5")],
    "scale": scale.level,
    "row": registry.find("criterion_kind", "percent").meaning,
    "schema": "percent" in json_schema()["$defs"]["Criterion"]["properties"]["kind"]["enum"],
    "reference": "| `percent` | a share in percent, from 0 to 100 |" in reference.written(),
}))
"""


@pytest.mark.thorough
def test_a_new_kind_is_its_own_module(tmp_path: Path) -> None:
    """What docs/contributing.md shows is in the grammar, checks, agreement and lists without another edit."""
    folder = planted(tmp_path, "annotation_schemas/kinds/percent.py")
    found = subprocess.run(
        [sys.executable, "-c", TRIED, str(folder)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout) == {
        "refused": [False, False, True, True],
        "scale": "ratio",
        "row": "a share in percent, from 0 to 100",
        "schema": True,
        "reference": True,
    }


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"name": "openable", "value": "no"}, "openable: no"),
        ({"start": 3, "end": 9, "tag": "wrong"}, "characters 3 to 9: wrong"),
        ({"label": "cup", "x": 0.1, "y": 0.2, "w": 0.3, "h": 0.25}, "cup at 0.100, 0.200, 0.300 by 0.250"),
        ({"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.25, "image": 2}, "box at 0.100, 0.200, 0.300 by 0.250"),
        ({"number": 4, "x": 0.5, "y": 0.25}, "4 at 0.500, 0.250"),
        ({"narration": "cut carrot", "start": 1, "end": 2}, None),
        ({"x": "a", "y": "b", "w": "c", "h": "d"}, None),
        ({"start": "a", "end": "b"}, None),
        ({}, None),
    ],
)
def test_entries_are_read_as_their_kind_says_them(entry: dict[str, object], words: str | None) -> None:
    assert kinds.in_words(entry) == words


@pytest.mark.parametrize("name", sorted(NAMES))
def test_each_kind_has_its_module_on_the_page(name: str) -> None:
    written = sources()[f"kinds/{name}.js"]
    exported = set(re.findall(r"^export (?:const (\w+)|\{ (?:\w+ as )?(\w+) \})", written, re.MULTILINE))
    names = {one or other for one, other in exported}
    assert ("control" in names) == (name in kinds.CRITERIA), "how raters are asked"
    assert ("field" in names) == (name in kinds.FIELDS), "how it is written on the form"


LACKING = """
from annotation_schemas.kinds._rows import {base}

class Lacking({base}):
    name = "lacking"
    place = 500
    meaning = "a kind that is not finished"

{row} = Lacking()
"""


@pytest.mark.thorough
@pytest.mark.parametrize(("base", "row"), [("CriterionKind", "CRITERION"), ("FieldKind", "FIELD")])
def test_a_kind_that_lacks_something_is_found_when_the_kinds_are_looked_for(
    tmp_path: Path, base: str, row: str
) -> None:
    (tmp_path / "lacking.py").write_text(LACKING.format(base=base, row=row), encoding="utf-8")
    code = "from annotation_schemas import kinds"
    code = "\n".join([*TRIED.partition("from pathlib")[0].splitlines(), code])
    found = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode != 0
    assert "Lacking" in found.stderr
    assert "check" in found.stderr
