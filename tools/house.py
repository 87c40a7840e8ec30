"""Print how large Touchstone is, and where its code departs from the rules of the house.

    python tools/house.py          prints a page
    python tools/house.py --json   prints the same as JSON

Product Python is every top-level package but those beside the house, without migrations. Its core is the product
without ``extensions/``.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import typing
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.floors import BESIDE, FLOOR_OF  # noqa: E402

LONGEST = {"workflow": 400}
LONGEST_ELSEWHERE = 500
REASON = re.compile(r"\blonger than\b|\blines (because|since|so that)\b|\blong because\b", re.IGNORECASE)
"""In the docstring of a long module: what introduces its reason."""
NAMED_FUNCTION = re.compile(r"([a-z_]\w*(?:\.\w+)+):\w+")
LAST_WORD = re.compile(r"(?:[A-Z]+|[A-Z]?[a-z0-9]+)$")
NOUNS = {"Bed", "Feed", "Need", "Seed", "Speed"}
PARTICIPLE = re.compile(
    r"\w+ed|Begun|Broken|Built|Came|Chosen|Done|Drawn|Found|Given|Going|Gone|Held|Kept|Known|Learnt|Left|Lent|Made|Meant"
    r"|Met|Paid|Put|Read|Said|Seen|Sent|Shown|Spoken|Taken|Thought|Told|Undone|Written|Asking|Coming|Differing|Doing"
    r"|Expanding|Keeping|Looking|Lying|Making|Outgoing|Passing|Saying|Storing|Taking|Waiting"
)
NO_THING = re.compile(
    r"_*(About|Again|Any|At|Back|Behind|By|Down|Each|Elsewhere|Here|How|In|It|Lately|Later|Lines?|Lone|Lot|Many|May|Of"
    r"|On|One|Other|Out|Parts?|Past|Same|Some|Such|There|Thing|To|Twice|Up|Way|What|Which|Whose|Within|Without)"
)


@dataclass(frozen=True)
class HiddenImport:
    """A text that names a function of ours, as ``package.module:function``."""

    file: str
    line: int
    text: str
    upward: bool
    """Whether it leads to a higher floor, or to another room of the same floor."""


def product_files(root: Path) -> list[Path]:
    """Return the Python files of the product."""
    packages = [init.parent for init in root.glob("*/__init__.py") if init.parent.name not in BESIDE]
    files = [path for folder in {*packages, root / "extensions"} for path in folder.rglob("*.py")]
    return sorted(path for path in files if "migrations" not in path.parts)


@cache
def count_lines(path: Path) -> int:
    """Return how many lines a file has."""
    return len(path.read_text(encoding="utf-8").splitlines())


def lines_by_room(root: Path) -> dict[str, int]:
    """Return the lines of product Python by top-level folder, and for ``app/`` also by the folders in it."""
    lines: Counter[str] = Counter()
    for path in product_files(root):
        room, *inside = path.relative_to(root).parts
        lines[room] += count_lines(path)
        if room == "app":
            lines[f"app/{inside[0] if len(inside) > 1 else '*.py'}"] += count_lines(path)
    return dict(sorted(lines.items()))


def lines_by_extension(root: Path) -> dict[str, int]:
    """Return the lines of Python of each extension."""
    lines: Counter[str] = Counter()
    for path in product_files(root):
        room, *inside = path.relative_to(root).parts
        if room == "extensions" and len(inside) > 1:
            lines[inside[0]] += count_lines(path)
    return dict(lines)


def name_of(path: Path, root: Path) -> str:
    """Return a module's dotted name."""
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def imported_by(name: str, path: Path, known: Mapping[str, Path]) -> set[str]:
    """Return the modules of ours that a module imports anywhere, or names in a text."""
    modules: set[str] = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            names = {f"{module}.{alias.name}" for alias in node.names}
            modules |= {part if part in known else module for part in names}
        elif (named := _named_function(node)) is not None:
            modules.add(named[0])
    packages = {package for module in modules & known.keys() for package in _packages_of(module)}
    return (modules | packages) & known.keys() - {name, *_packages_of(name)}


def _packages_of(module: str) -> set[str]:
    """Return the names of the packages that a module is in; an import of the module loads them, too."""
    parts = module.split(".")
    return {".".join(parts[:n]) for n in range(1, len(parts))}


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def _named_function(node: ast.AST) -> tuple[str, str] | None:
    """Return the module that a text names, and the text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        match = NAMED_FUNCTION.fullmatch(node.value)
        return (match[1], node.value) if match else None
    return None


def circles(root: Path) -> list[list[str]]:
    """Return groups of modules that import each other in a circle, also by a text that names a function."""
    known = {name_of(path, root): path for path in product_files(root)}
    graph = {name: imported_by(name, path, known) for name, path in known.items()}
    reached = {name: _reached(graph, name) for name in graph}
    groups = {tuple(sorted({name, *(other for other in reached[name] if name in reached[other])})) for name in graph}
    return sorted(list(group) for group in groups if len(group) > 1)


def _reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    reached: set[str] = set()
    todo = list(graph[start])
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo += graph[name]
    return reached


def hidden_imports(root: Path) -> list[HiddenImport]:
    """Return the texts of the product that name a function of one of its modules."""
    known = {name_of(path, root) for path in product_files(root)}
    imports = []
    for path in product_files(root):
        for node in ast.walk(_tree(path)):
            named = _named_function(node)
            if named is not None and named[0] in known:
                here, there = path.relative_to(root).parts[0], named[0].partition(".")[0]
                upward = here != there and FLOOR_OF.get(there, -1) >= FLOOR_OF.get(here, -1)
                line = getattr(node, "lineno", 0)
                imports.append(HiddenImport(path.relative_to(root).as_posix(), line, named[1], upward))
    return imports


def long_modules(root: Path) -> list[dict[str, Any]]:
    """Return the modules that are longer than the house allows, and whether their docstrings say why."""
    modules = []
    for path in product_files(root):
        room, n = path.relative_to(root).parts[0], count_lines(path)
        if n > LONGEST.get(room, LONGEST_ELSEWHERE):
            reason = bool(REASON.search(ast.get_docstring(_tree(path)) or ""))
            modules.append({"file": path.relative_to(root).as_posix(), "lines": n, "reason": reason})
    return modules


def vague_classes(root: Path) -> list[str]:
    """Return the classes whose name ends in a participle, or is a pronoun or another word that names no thing."""
    return [
        f"{path.relative_to(root).as_posix()}:{node.lineno}: {node.name}"
        for path in product_files(root)
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.ClassDef) and is_vague(node.name)
    ]


def is_vague(name: str) -> bool:
    """Tell whether a class's name ends in a participle, or is a word that names no thing."""
    last = LAST_WORD.search(name)
    return bool(NO_THING.fullmatch(name) or (last and last[0] not in NOUNS and PARTICIPLE.fullmatch(last[0])))


def measure(root: Path) -> dict[str, Any]:
    """Return everything that the files say."""
    rooms, hidden = lines_by_room(root), hidden_imports(root)
    files = product_files(root)
    return {
        "core_lines": sum(count_lines(path) for path in files if path.relative_to(root).parts[0] != "extensions"),
        "lines_by_room": rooms,
        "lines_by_extension": lines_by_extension(root),
        "flat_modules_of_app": len([path for path in files if path.parent == root / "app" and path.stem[0] != "_"]),
        "circles": circles(root),
        "hidden_imports": len(hidden),
        "hidden_imports_upward": [
            f"{hidden_import.file}:{hidden_import.line}: {hidden_import.text}"
            for hidden_import in hidden
            if hidden_import.upward
        ],
        "long_modules": long_modules(root),
        "vague_classes": vague_classes(root),
    }


def measure_running() -> dict[str, int]:
    """Return what the running program has: commands, options, pages and schema keys."""
    from annotation_schemas.model import Schema
    from app.screens import SCREENS
    from tools.reference import command_line, walk

    commands = [command for _, command in walk(command_line())]
    options = [
        option for option in (param for command in commands for param in command.params) if option.name != "help"
    ]
    return {
        "commands": len(commands),
        "core_commands": sum(not command.callback.__module__.startswith("extensions.") for command in commands),
        "options": sum(option.param_type_name == "option" for option in options),
        "pages": len(SCREENS),
        "schema_keys": len(set(schema_keys(Schema))),
    }


def schema_keys(part: Any, above: tuple[Any, ...] = ()) -> Iterator[str]:
    """Yield every key of a part of the grammar, with those of the parts in it."""
    for name, field in part.model_fields.items():
        yield f"{part.__name__}.{name}"
        for inner in _parts_in(field.annotation):
            if inner not in (*above, part):
                yield from schema_keys(inner, (*above, part))


def _parts_in(annotation: Any) -> Iterator[Any]:
    if hasattr(annotation, "model_fields"):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from _parts_in(argument)


def page(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that people read: a number each, and below it what is behind it."""
    for name, value in found.items():
        title = name.replace("_", " ").capitalize()
        if isinstance(value, int):
            yield f"{title}: {value:,}"
            continue
        yield f"{title}: {len(value)}"
        rows = [f"{key}: {n:,}" for key, n in value.items()] if isinstance(value, Mapping) else value
        for row in rows:
            if isinstance(row, Mapping):
                row = f"{row['file']}: {row['lines']:,} lines, {'with' if row['reason'] else 'without'} a reason"
            yield f"    {' -> '.join(row) if isinstance(row, list) else row}"


def main() -> int:
    """Print what was measured."""
    figures = measure(ROOT) | measure_running()
    print(json.dumps(figures, indent=2) if "--json" in sys.argv else "\n".join(page(figures)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
