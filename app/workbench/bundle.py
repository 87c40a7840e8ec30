"""Bundle a module with all of its imports into one script, so that a browser fetches one file instead of ninety.

Our modules use only a few forms of import and export, export nothing that changes later, and have no import cycles. So
each module can become a function that runs once and returns its exports. Any other form is refused.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Mapping

SHEET = re.compile(r'^import (\w+) from "([^"]+\.css)" with \{ type: "css" \};$', re.MULTILINE)
WHOLE = re.compile(r'^import \* as (\w+) from "([^"]+)";$', re.MULTILINE)
NAMES = re.compile(r'^(import|export) \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
DECLARED = re.compile(r"^export (default )?(?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
LISTED = re.compile(r"^export \{([^}]*)\};$", re.MULTILINE)
OTHER = re.compile(r"^(?:import|export)\b.*|\bimport(?:\.meta\b|\().*", re.MULTILINE)


def bundle(entry: str, files: Mapping[str, str]) -> str:
    """Return the script of ``entry``, with its default export. ``files`` are modules and style sheets by path.

    Raises ``ValueError`` if a module imports a missing file, imports in a cycle, or uses an unknown form.
    """
    done: dict[str, str] = {}
    _add(entry, files, done, ())
    return "\n".join([*done.values(), f"export default {_variable(entry)}.default;\n"])


def _variable(name: str) -> str:
    return "$" + re.sub(r"\W", "_", name)


def _add(name: str, files: Mapping[str, str], done: dict[str, str], on_the_way: tuple[str, ...]) -> None:
    """Add a file to ``done``, after the files that it imports."""
    if name in on_the_way:
        raise ValueError(f"modules import each other: {' > '.join((*on_the_way, name))}")
    if name in done:
        return
    if name not in files:
        raise ValueError(f"{on_the_way[-1] if on_the_way else 'the page'} imports {name}, which does not exist")

    def of(path: str) -> str:
        needed = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        _add(needed, files, done, (*on_the_way, name))
        return _variable(needed)

    done[name] = (_sheet if name.endswith(".css") else _module)(name, files[name], of)


def _sheet(name: str, text: str, of: Callable[[str], str]) -> str:
    made = _variable(name)
    return f"// {name}\nconst {made} = new CSSStyleSheet();\n{made}.replaceSync({json.dumps(text)});"


def _module(name: str, text: str, of: Callable[[str], str]) -> str:
    exported: list[str] = []

    def names(found: re.Match[str]) -> str:
        way, listed, path = found.groups()
        module = of(path)
        if way == "import":
            return f"const {{ {', '.join(f'{name}: {called}' for name, called in _pairs(listed))} }} = {module};"
        exported.extend(f"{called}: {module}.{name}" for name, called in _pairs(listed))
        return ""

    def declared(found: re.Match[str]) -> str:
        default, called = found.groups()
        exported.append(f"default: {called}" if default else called)
        return ""

    def listed(found: re.Match[str]) -> str:
        exported.extend(f"{called}: {name}" for name, called in _pairs(found[1]))
        return ""

    for way in (SHEET, WHOLE):
        text = way.sub(lambda found: f"const {found[1]} = {of(found[2])};", text)
    for way, write in ((NAMES, names), (DECLARED, declared), (LISTED, listed)):
        text = way.sub(write, text)
    unknown = OTHER.search(text)
    if unknown:
        raise ValueError(f"{name} has an import or export that the bundler does not support: {unknown[0].strip()}")
    return f"// {name}\nconst {_variable(name)} = (() => {{\n{text}\nreturn {{ {', '.join(exported)} }};\n}})();"


def _pairs(listed: str) -> list[tuple[str, str]]:
    """Return the names in ``a, b as c`` as pairs of source name and target name."""
    names = [part.split() for part in listed.split(",") if part.strip()]
    return [(words[0], words[-1]) for words in names]
