"""A kind of criterion or field is its own module and its control on the page; nothing else knows what it is called."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation_schemas import kinds
from annotation_schemas.kinds._rows import CriterionKind, FieldKind
from tests.paths import ROOT
from tests.planting import planted
from tests.test_layers import ROOMS, modules, told

NAMES = {*kinds.CRITERIA, *kinds.FIELDS}
HOME = ROOT / "annotation_schemas" / "kinds"


def by_name(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Where code treats a kind by its name: (line, what it does)."""
    schemas = any(
        isinstance(node, ast.ImportFrom) and "annotation_schemas" in str(node.module) for node in ast.walk(tree)
    )
    for node in ast.walk(tree):
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


@pytest.mark.parametrize("room", ROOMS)
def test_nothing_but_its_own_module_knows_a_kind(room: str) -> None:
    wrong = [
        told(path, line, f"{said}; ask its row (annotation_schemas/kinds)")
        for path in modules(room)
        if not path.is_relative_to(HOME)
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


def test_each_module_is_a_kind_with_rows_of_its_name() -> None:
    there = {path.stem for path in HOME.glob("*.py") if not path.stem.startswith("_")}
    assert there == NAMES
    assert all(isinstance(row, CriterionKind) and row.name == name for name, row in kinds.CRITERIA.items())
    assert all(isinstance(row, FieldKind) and row.name == name for name, row in kinds.FIELDS.items())
    for rows in (kinds.CRITERIA, kinds.FIELDS):
        assert len({row.place for row in rows.values()}) == len(rows), "two kinds stand in one place"


def test_each_kind_of_criterion_is_asked_in_label_studio_or_says_why_not() -> None:
    from annotation_schemas.label_studio_answers import _WAYS

    for row in kinds.CRITERIA.values():
        refuses = type(row).label_studio_refusal is not CriterionKind.label_studio_refusal
        assert row.label_studio in _WAYS or (not row.label_studio and refuses), row.name


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
        ({"step": 2, "tag": "useless"}, "step 2: useless"),
        ({"step": 0, "tag": "useless"}, "the whole: useless"),
        ({"start": 3, "end": 9, "tag": "wrong"}, "characters 3 to 9: wrong"),
        ({"label": "cup", "x": 0.1, "y": 0.2, "w": 0.3, "h": 0.25}, "cup at 0.100, 0.200, 0.300 by 0.250"),
        ({"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.25, "image": 2}, "box at 0.100, 0.200, 0.300 by 0.250"),
        ({"number": 4, "x": 0.5, "y": 0.25}, "4 at 0.500, 0.250"),
        ({"start": 0.07, "end": 1.5}, "0.07 to 1.5 s"),
        ({"first": 31, "last": 60}, "frames 31 to 60"),
        ({"narration": "cut carrot", "start": 1, "end": 2}, None),
        ({"x": "a", "y": "b", "w": "c", "h": "d"}, None),
        ({"start": "a", "end": "b"}, None),
        ({}, None),
    ],
)
def test_entries_are_read_as_their_kind_says_them(entry: dict[str, object], words: str | None) -> None:
    assert kinds.in_words(entry) == words


def test_each_kind_of_criterion_has_its_control_on_the_page() -> None:
    there = ROOT / "app" / "workbench" / "web" / "kinds"
    lacking = [name for name in kinds.CRITERIA if "as control }" not in (there / f"{name}.js").read_text("utf-8")]
    assert not lacking
