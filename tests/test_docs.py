"""The documentation names everything there is, and nothing that is not."""

from __future__ import annotations

import ast
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from domain import extensions
from tests.paths import ROOT
from tools import reference
from tools.floors import ROOMS

CONTRIBUTING = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "benchmarks").glob("*.md")),
]


@cache
def code_words() -> set[str]:
    """Everything that the pages under docs/ set as code."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    return set(re.findall(r"`([^`\n]+)`", text))


@pytest.mark.thorough
def test_the_reference_is_what_the_code_says() -> None:
    assert reference.PAGE.read_text(encoding="utf-8") == reference.written(), "run make docs"


@pytest.mark.parametrize("what", sorted(reference.NAMES))
def test_everything_is_documented(what: str) -> None:
    names = list(reference.NAMES[what]())
    assert names
    assert [name for name in names if name not in code_words()] == []


def anchors(page: Path) -> set[str]:
    """The anchors that headings of a page get."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        if "://" in path:
            continue
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            dead.append(target)
    assert dead == []


def functions_shown() -> list[tuple[str, str]]:
    """(module, name) of every function that a table row shows as ``| `module.py`: `name`, `name` |``."""
    rows = re.findall(r"^\| `([\w/]+\.py)`: ((?:`\w+(?:\.\w+)?`(?:, )?)+) \|", CONTRIBUTING, flags=re.M)
    return [(module, name) for module, names in rows for name in re.findall(r"[\w.]+", names)]


@pytest.mark.parametrize(("module", "name"), functions_shown())
def test_functions_shown_exist(module: str, name: str) -> None:
    source = (ROOT / module).read_text(encoding="utf-8")
    for each in name.split("."):
        assert re.search(rf"^ *(?:class |def )?{each}\b *[(:=]", source, flags=re.M), f"{module} has no {each}"


def command_lines() -> list[tuple[str, str]]:
    """(page, line) of every ``touchstone`` command that a page shows in a block of shell."""
    found = []
    for page in PAGES:
        for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.M | re.S):
            lines = block.replace("\\\n", " ").splitlines()
            found += [(page.name, line.partition("#")[0].strip()) for line in lines if line.startswith("touchstone ")]
    return found


@pytest.fixture(scope="module")
def command_tree() -> Any:
    """The command line with all its commands, which takes long to put together."""
    return reference.command_line()


@pytest.mark.parametrize(("page", "line"), command_lines())
def test_commands_shown_exist(command_tree: Any, page: str, line: str) -> None:
    for part in line.split(" | touchstone "):
        command = command_tree
        words = shlex.split(part.removeprefix("touchstone ").replace("[", "").replace("]", ""))
        while hasattr(command, "commands"):
            assert words[0] in command.commands, f"{page} shows {line!r}, but there is no {words[0]!r}"
            command, words = command.commands[words[0]], words[1:]
        known = {option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]}
        assert {word for word in words if word.startswith("--")} <= known, f"{page} shows {line!r}"


NOT_COMMANDS = {
    "touchstone command",
    "touchstone canary",
    "touchstone score card",
    "touchstone clip",
    "touchstone still",
    "touchstone drafting",
    "touchstone drafting make",
    "touchstone narrations",
    "touchstone narrations goals",
}
"""Words after the name that are no command: plain words, and names in files that stay as they were first written."""


def test_commands_named_in_messages_and_pages_exist(command_tree: Any) -> None:
    """Wherever the product names a command, it has its present name, also in a message or docstring."""
    there = [*PAGES, *(path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")))]
    gone = set()
    for path in there:
        if path.name in ("CHANGELOG.md", "reference.md", "old_names.py") or "tests" in path.parts:
            continue
        for named in re.findall(r"(?<![\w./|-])touchstone(?: +[a-z][a-z-]+){1,2}", path.read_text(encoding="utf-8")):
            first, second = [*named.split()[1:], ""][:2]
            command = command_tree.commands.get(first)
            if command is None or (second and second not in getattr(command, "commands", [second])):
                gone.add(named)
    assert gone - NOT_COMMANDS == set()


def _begins(name: str, words: str) -> bool:
    return f"{name} ".startswith(f"{words} ")


def test_pages_named_in_messages_exist() -> None:
    """Wherever the product names a page, it is the present name of a tab or a room."""
    from app.screens import SCREENS, Room

    if extensions.all_missing("pages"):
        pytest.skip("an extension with pages is missing")
    there = {*Room, *(screen.title for screen in SCREENS.values())}
    gone = set()
    for path in (path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")) if "tests" not in path.parts):
        text = re.sub(r'"\n\s*f?"', "", path.read_text(encoding="utf-8"))  # a sentence in several lines
        named = {title for _, title in re.findall(r"\bpage (\*?)([A-Z]\w*(?: [a-z]\w*)?)", text)}
        gone |= named - {name for name in named if any(_begins(name, title) or _begins(title, name) for title in there)}
    assert gone == set()


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_make_targets_shown_exist(page: Path) -> None:
    shown = set(re.findall(r"`make ([a-z]+)`|^make ([a-z]+)", page.read_text(encoding="utf-8"), flags=re.M))
    assert {name for pair in shown for name in pair if name} <= make_targets()


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_says_what_it_is_for(room: str) -> None:
    assert (ROOT / room / "__init__.py").read_text(encoding="utf-8").startswith('"""')


def test_every_remedy_for_reruns_names_a_test_that_shows_the_problem() -> None:
    folder = ROOT / "app" / "reruns"
    words = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    named = dict(re.findall(r"^``(\w+)``\n(?:    .*\n)*?    ``(test_\w+\.py::test_\w+)``\.", words + "\n", flags=re.M))
    assert set(named) == {path.stem for path in folder.glob("*.py")} - {"__init__"}
    for name, test in named.items():
        path, _, function = test.partition("::")
        assert f"def {function}(" in (ROOT / "tests" / "app" / path).read_text(encoding="utf-8"), name


def examples() -> list[tuple[str, str]]:
    """Every command with the example in its help."""
    found = []
    for name, command in reference.walk(reference.command_line()):
        text = " ".join((command.help or "").split())
        found.append((name, text.partition("Example: touchstone ")[2]))
    return found


@pytest.mark.parametrize(("name", "example"), examples())
def test_the_help_of_a_command_has_an_example_that_is_accepted(command_tree: Any, name: str, example: str) -> None:
    words = shlex.split(example)
    assert words, f"the help of `{name}` has no example"
    command = command_tree
    path = "touchstone"
    while hasattr(command, "commands"):
        path = f"{path} {words[0]}"
        command, words = command.commands[words[0]], words[1:]
    assert path == name
    command.make_context(path, words)
