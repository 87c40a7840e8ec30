"""Collect the texts of annotators' pages, and compile the catalogs of other languages below ``domain/catalogs/``.

``python tools/catalogs.py`` adds new texts to each ``.po`` file, where you translate them, removes old texts, and
writes the ``.mo`` file for Python and the ``.json`` file for JavaScript.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from domain.language import CATALOGS, ENGLISH, NAMES

ROOT = Path(__file__).resolve().parent.parent
Keywords = dict[str, tuple[int, ...] | None]
"""Functions that mark texts, with the places of the texts among their arguments."""
PYTHON: Keywords = {"_": None, "ngettext": (1, 2), "marked": None}
SCRIPTS: Keywords = {"t": None, "tn": (1, 2)}
WHEN = datetime(2026, 12, 1, tzinfo=UTC)
"""The date in all catalogs, so that the same texts make the same files."""
OPTIONS = {"parse_template_string": True}
"""Babel also reads texts inside of template strings."""
OUTSIDE = {".venv", "node_modules", "tests", ".cache", "tools", "benchmarks"}


def texts() -> Catalog:
    """Return all texts in the code."""
    found = Catalog(project="Touchstone", charset="utf-8")
    for path, method, keywords in sources():
        where = path.relative_to(ROOT).as_posix()
        for _line, message, _comments, context in extract_from_file(method, path, keywords=keywords, options=OPTIONS):
            if message:
                found.add(message, locations=[(where, 0)], context=context)
    return found


def sources() -> Iterator[tuple[Path, str, Keywords]]:
    """Yield the files with texts, how to read them, and the functions that mark texts."""
    for path in sorted(ROOT.rglob("*")):
        if OUTSIDE & set(path.relative_to(ROOT).parts):
            continue
        if path.suffix == ".js":
            yield path, "javascript", SCRIPTS
        elif path.suffix == ".py" and "domain.language import" in path.read_text(encoding="utf-8"):
            yield path, "python", PYTHON


def of_scripts(catalog: Catalog) -> dict[str, str | list[str]]:
    """Return the translated texts of the scripts, by their English text; of counts all forms, by the first."""
    return {
        str(message.id[0] if isinstance(message.id, list | tuple) else message.id): (
            list(message.string) if isinstance(message.string, list | tuple) else message.string
        )
        for message in catalog
        if message.id and message.string and any(name.endswith(".js") for name, _ in message.locations)
    }


def read(code: str) -> Catalog:
    """Return the catalog of a language as it is stored."""
    path = CATALOGS / f"{code}.po"
    if not path.exists():
        return Catalog(locale=code, project="Touchstone", charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=code)


def main() -> None:
    """Write all catalogs."""
    template = texts()
    for code in NAMES:
        if code == ENGLISH:
            continue
        catalog = read(code)
        catalog.update(template, no_fuzzy_matching=True)
        catalog.obsolete.clear()
        catalog.creation_date = catalog.revision_date = WHEN
        catalog.fuzzy = False
        with (CATALOGS / f"{code}.po").open("wb") as file:
            write_po(file, catalog, omit_header=False, sort_output=True, include_lineno=False, width=0)
        with (CATALOGS / f"{code}.mo").open("wb") as file:
            write_mo(file, catalog)
        scripts = json.dumps(of_scripts(catalog), ensure_ascii=False, indent=0, sort_keys=True)
        (CATALOGS / f"{code}.json").write_text(scripts + "\n", encoding="utf-8")
        missing = [message.id for message in catalog if message.id and not any(message.string or ())]
        print(f"{code}: {len(catalog)} texts, {len(missing)} without a translation")


if __name__ == "__main__":
    main()
