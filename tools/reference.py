"""Write ``docs/reference.md``, which lists everything that a program can list, and the JSON Schema of schemas.

make docs
"""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

PAGE = ROOT / "docs" / "reference.md"

HEAD = """\
# Reference

Written by `make docs` from the code; a test holds the two together. The other pages explain what is listed here.
"""


def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """The lines of a Markdown table."""
    names = list(columns)
    yield "| " + " | ".join(names) + " |"
    yield "|" + "---|" * len(names)
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |"


def first_sentence(text: str | None) -> str:
    """The first paragraph of a docstring or a help text, on one line."""
    return " ".join((text or "").strip().split("\n\n")[0].split()).replace("``", "`")


def walk(command: Any, name: str = "touchstone") -> Iterator[tuple[str, Any]]:
    """Every command below this one, with its full name, in alphabetical order."""
    children = getattr(command, "commands", None)
    if children is None:
        yield name, command
    else:
        for child in sorted(children):
            if not children[child].hidden:
                yield from walk(children[child], f"{name} {child}")


def command_line() -> Any:
    """The whole command line, as the parser behind it sees it."""
    import typer.main

    from app.cli import cli

    return typer.main.get_command(cli)


def commands() -> Iterator[str]:
    """Every command with its arguments and options, as the command line itself knows them."""
    yield "## Commands"
    for name, command in walk(command_line()):
        arguments = [param for param in command.params if param.param_type_name == "argument"]
        options = [param for param in command.params if param.param_type_name == "option" and param.name != "help"]
        shown = "".join(f" {a.name.upper()}" if a.required else f" [{a.name.upper()}]" for a in arguments)
        yield from ("", f"### `{name}{shown}`", "", first_sentence(command.help))
        rows = [
            [f"`{argument.name.upper()}`", first_sentence(getattr(argument, "help", None))] for argument in arguments
        ]
        for option in options:
            names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
            rows.append([names, first_sentence(option.help)])
        if rows:
            yield ""
            yield from table(["argument", "meaning"], rows)


def errors() -> Iterator[str]:
    """The tree of errors that a person can do something about."""
    from domain import errors

    def walk(error: type[BaseException], depth: int) -> Iterator[tuple[str, str]]:
        yield "&nbsp;" * 4 * depth + f"`{error.__name__}`", first_sentence(error.__doc__)
        for child in error.__subclasses__():
            if child.__module__ == errors.__name__:  # what other modules add depends on what has been imported
                yield from walk(child, depth + 1)

    yield "## Errors"
    yield from ("", "What a user can mend is told in a full sentence: what, where, what to do.", "")
    yield from table(["error", "when"], walk(errors.TouchstoneError, 0))


def attribute_docs(cls: type) -> dict[str, str]:
    """The sentence below each attribute of a class."""
    (node,) = ast.parse(inspect.getsource(cls)).body
    assert isinstance(node, ast.ClassDef)
    meanings = {}
    for first, second in itertools.pairwise(node.body):
        if isinstance(first, ast.AnnAssign) and isinstance(first.target, ast.Name) and isinstance(second, ast.Expr):
            meanings[first.target.id] = first_sentence(ast.literal_eval(second.value))
    return meanings


def spelled(annotation: object) -> str:
    """A type as someone who writes YAML would say it."""
    import types
    import typing

    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        rest = [part for part in arguments if part is not type(None)]
        if set(rest) == {str, int, float, bool}:
            return "value"
        return " or ".join(map(spelled, rest))
    if origin is typing.Literal:
        return ", ".join(f"`{value}`" for value in arguments)
    if origin is tuple:
        return f"list of {spelled(arguments[0])}"
    if origin is dict:
        return f"map to {spelled(arguments[1])}"
    if annotation is typing.Any:
        return "value"
    if isinstance(annotation, type):
        names = {str: "text", int: "integer", float: "number", bool: "true or false"}
        return names.get(annotation, f"[{annotation.__name__}](#{annotation.__name__.lower()})")
    return str(annotation)


def default(value: object) -> str:
    """A default as YAML would write it; nothing for those that mean "absent"."""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`" if isinstance(value, (int, float)) or (isinstance(value, str) and value) else ""


def grammar() -> Iterator[str]:
    """Every key of a schema file."""
    from pydantic import BaseModel

    from annotation_schemas import model

    parts = [
        part
        for part in vars(model).values()
        if isinstance(part, type)
        and issubclass(part, BaseModel)
        and part.__module__ == model.__name__
        and not part.__name__.startswith("_")
        and part is not model.LoadedSchema
    ]
    parts.sort(key=lambda part: part is not model.Schema)
    yield "## Schema grammar"
    yield from keys(parts)


def descriptions() -> Iterator[str]:
    """Every key of a model's description."""
    from inference import spec

    yield "## Descriptions of models"
    yield from keys([spec.ModelSpec, spec.Generation, spec.Endpoint, spec.Likelihoods, spec.Price])


def layouts() -> Iterator[str]:
    """Every key of a layout of tables, and the layouts there are."""
    from extensions.paper_tables import table_layouts

    yield "## Layouts of tables"
    yield from ("", "A file has a list of `tables`. What *Says* lists may stand at a table, a row or a column.")
    yield from keys([table_layouts.TableLayout, table_layouts.LayoutLine, table_layouts.NumberSettings])
    yield from ("", "These come along, by the name of the schema that they are for:", "")
    rows = [
        [f"`{name}`", f"`{layout.name}`", layout.paper, layout.title]
        for name, path in table_layouts.shipped().items()
        for layout in table_layouts.read_layout(path)
    ]
    yield from table(["layout", "table", "in the paper", "what it shows"], rows)


def keys(parts: Iterable[Any]) -> Iterator[str]:
    """The keys of parts of a YAML file, a table for each part, without those that it takes from another."""
    from annotation_schemas import kinds, model

    rows_of: dict[Any, Mapping[str, kinds.Kind]] = {model.ItemField: kinds.FIELDS, model.Criterion: kinds.CRITERIA}
    for part in parts:
        yield from ("", f"### {part.__name__}", "", first_sentence(part.__doc__), "")
        by_kind = rows_of.get(part, {})
        meanings = attribute_docs(part) | kinds.meanings(by_kind)
        rows = []
        for name in inspect.get_annotations(part):
            if name not in part.model_fields:
                continue
            field = part.model_fields[name]
            needed = "required" if field.is_required() else default(field.default)
            names = ", ".join(f"`{kind}`" for kind in by_kind) if name == "kind" else ""
            rows.append([f"`{name}`", names or spelled(field.annotation), needed, meanings.get(name, "")])
        yield from table(["key", "what", "default", "meaning"], rows)


def settings() -> Iterator[str]:
    """The environment variables that an installation reads."""
    from domain import extensions
    from domain import settings as module

    meanings: dict[str, str] = {}
    for section in (module.Settings, *extensions.rows("settings")):
        meanings |= attribute_docs(section)
    yield "## Settings"
    yield from ("", "Environment variables; all of them have a default that needs nothing.", "")
    yield from table(
        ["variable", "meaning"], ([f"`{name}`", meanings[name.partition("_")[2].lower()]] for name in variables())
    )


def variables() -> Iterator[str]:
    """Every variable of ours that any room mentions."""
    from tools.floors import ROOMS

    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py") if "tests" not in path.parts]
    names = {name for path in files for name in re.findall(r"\bTOUCHSTONE_[A-Z_]+\b", path.read_text(encoding="utf-8"))}
    return iter(sorted(names))


def schemas() -> Iterator[str]:
    """The protocols that come with Touchstone."""
    from annotation_schemas import shipped
    from annotation_schemas.loader import load_schema

    yield "## Schemas"
    yield ""
    rows = []
    for name, path in sorted(shipped().items()):
        schema = load_schema(path).schema_
        stages = [stage for stage in type(schema.stages).model_fields if getattr(schema.stages, stage) is not None]
        rows.append([f"`{name}`", str(schema.version), schema.title, str(len(schema.dimensions)), ", ".join(stages)])
    yield from table(["schema", "version", "title", "dimensions", "stages"], rows)


def registries() -> Iterator[str]:
    """What a schema may name."""
    from annotation_schemas import registry

    yield "## Registries"
    yield from ("", "What a schema may name. Rows that are declared, but not built yet, say so.")
    for name, heading in registry.REGISTRIES.items():
        if not registry.rows(name):
            continue
        yield from ("", f"### {heading}", "")
        rows = (
            [
                f"`{row.name}`",
                row.meaning
                + ("" if row.available else " *(not built yet)*" if row.blocks else " *(not enforced yet)*"),
            ]
            for row in registry.rows(name)
        )
        yield from table(["name", "meaning"], rows)


def placeholders() -> Iterator[str]:
    """What prompts and templates may ask for besides fields."""
    from annotation_schemas.placeholders import OF_PROMPTS, OF_TEMPLATES

    yield "## Placeholders"
    yield from ("", "What stands in braces in a prompt or a template is a field of the item, or one of these.")
    yield "`touchstone schema show` lists all that a schema has."
    for heading, known in (("In prompts for models", OF_PROMPTS), ("In templates of judges", OF_TEMPLATES)):
        yield from ("", f"### {heading}", "")
        yield from table(["name", "what fills it"], ([f"`{name}`", meaning] for name, meaning in known.items()))


def changes() -> Iterator[str]:
    """What may differ between two schemas, and how one decides about it."""
    from extensions.schema_migration.changes import CHANGE_KINDS, WAYS

    yield "## Kinds of changes"
    yield from ("", "What `touchstone schema diff` says of each difference between two schemas.", "")
    rows = (
        [f"`{row.name}`", row.status.value, row.meaning, ", ".join(f"`{way.option}`" for way in row.decisions)]
        for row in CHANGE_KINDS.values()
    )
    yield from table(["name", "class", "meaning", "decided by"], rows)
    yield from ("", "### Decisions", "")
    ways = ([f"`{way.option} {way.takes}`", way.meaning] for way in WAYS.values())
    yield from table(["option", "what then happens"], ways)


def formats() -> Iterator[str]:
    """What goes in and out of files."""
    from annotation_schemas.formats import FORMATS

    yield "## File formats"
    yield ""
    yield "What the files of a format hold, whether they are imported and exported, and whether releases have them."
    yield "The commands take these names."
    yield ""
    yield from table(
        ["format", "one record is", "import", "export", "release", "meaning"],
        (
            [
                f"`{row.name}`",
                f"{'an' if row.takes.value[0] in 'ai' else 'a'} {row.takes}",
                "yes" if row.reads else "",
                "of one run" if row.needs_run else "yes" if row.writes else "",
                "yes" if row.releases else "",
                row.meaning,
            ]
            for row in FORMATS.values()
            if row.available
        ),
    )


def reading() -> Iterator[str]:
    """The rules by which models' answers are read."""
    from domain.reading.answers import READER_VERSION, RULES, ReadOutcome

    yield "## How answers are read"
    yield ""
    yield (
        f"Version {READER_VERSION} of the rules. Touchstone applies all rules, and their results must agree. A reading"
        " names the first rule in this table that found the answer."
    )
    yield ""
    yield from table(["rule", "where the answer stands"], ([rule.name, rule.meaning] for rule in RULES))
    yield ""
    yield from table(["outcome", "meaning"], ([f"`{outcome.value}`", outcome.words] for outcome in ReadOutcome))


def outcomes() -> Iterator[str]:
    """What becomes of asking, and what judges' replies come to."""
    from domain.judging import ReplyOutcome
    from domain.runs import Outcome

    yield "## Outcomes"
    yield ""
    yield "What becomes of asking a model or a judge once; tables and files have the first word, pages the second."
    yield ""
    yield from table(
        ["outcome", "on pages", "meaning"], ([f"`{outcome}`", outcome.label, outcome.meaning] for outcome in Outcome)
    )
    yield ""
    yield "What a judge's reply comes to. Only one of these is a score; the others are counted, each by itself."
    yield ""
    yield from table(["outcome", "meaning"], ([f"`{outcome}`", outcome.meaning] for outcome in ReplyOutcome))


def command_names() -> Iterator[str]:
    """Every command, as it is typed."""
    yield from re.findall(r"^### `(touchstone[^`]*)`", "\n".join(commands()), flags=re.M)


def error_names() -> Iterator[str]:
    """Every error that a user can mend."""
    yield from re.findall(r"`([A-Z][A-Za-z]+)` \|", "\n".join(errors()))


def registered(*names: str) -> Iterator[str]:
    """The rows of these registries."""
    from annotation_schemas import registry

    return (row.name for name in names or registry.REGISTRIES for row in registry.rows(name))


def schema_names() -> Iterator[str]:
    """The protocols that come with Touchstone."""
    from annotation_schemas import shipped

    return iter(sorted(shipped()))


NAMES = {
    "command": command_names,
    "error": error_names,
    "registry row": registered,
    "schema": schema_names,
    "setting": variables,
}
"""What has to be documented, by name."""

SECTIONS = [
    settings,
    commands,
    schemas,
    registries,
    placeholders,
    changes,
    formats,
    reading,
    outcomes,
    grammar,
    layouts,
    descriptions,
    errors,
]


def written() -> str:
    """The whole page."""
    parts = ["\n".join(section()) for section in SECTIONS]
    return "\n\n".join([HEAD.rstrip(), *parts]) + "\n"


def main() -> int:
    """Write the page and the JSON Schema."""
    from annotation_schemas.json_schema import KEPT, write_kept

    PAGE.write_text(written(), encoding="utf-8")
    write_kept()
    for path in (PAGE, KEPT):
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
