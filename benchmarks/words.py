"""Print how plain the English of screens and docs is, and how much a user has to find their way in.

    .venv/bin/python benchmarks/words.py [--checker FILE] [--draw N]

The checker is a script with a function ``texts(path)`` that yields the kind and the text of each string, docstring and
page, a function ``sentences(text)``, and a pattern ``MARK`` of old-fashioned phrases. By default it is
``../shared/style/wordcheck.py``; without it, the shares are ``null`` and the reason goes to standard error. Strings and
docstrings are those of the product without its tests. Docs are the README and ``docs/`` without the generated
reference. ``--draw`` prints sentences for a reader to judge, drawn with the hash of the commit as the seed. The last
line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools import house  # noqa: E402

CHECKER = ROOT.parent / "shared" / "style" / "wordcheck.py"
GENERATED = {"reference.md", "pages.md"}


def load_checker(path: Path) -> ModuleType | None:
    """Load the checker, or return None where there is no such file."""
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location("wordcheck", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def doc_files() -> list[Path]:
    """Return the pages that people wrote: the README and ``docs/`` without what is generated."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    return [ROOT / "README.md", *(page for page in pages if page.name not in GENERATED)]


def code_files() -> list[Path]:
    """Return the Python files of the product, without tests."""
    return [path for path in house.product_files(ROOT) if "tests" not in path.relative_to(ROOT).parts]


def checked_sentences(checker: ModuleType) -> Iterator[tuple[str, str, int, bool, Path]]:
    """Yield kind, sentence, number of words, whether it is marked, and file."""
    for path in [*doc_files(), *code_files()]:
        for kind, text in checker.texts(path):
            for sentence, words in checker.sentences(text):
                yield kind, sentence, words, bool(checker.MARK.search(sentence)), path


def summary(rows: list[tuple[str, str, int, bool, Path]]) -> dict[str, Any]:
    """Return the number of sentences, their length in words, and the share that is marked."""
    lengths = sorted(words for _, _, words, _, _ in rows)
    return {
        "sentences": len(rows),
        "mean_words": round(sum(lengths) / len(rows), 1),
        "p90_words": lengths[int(0.9 * (len(rows) - 1))],
        "over_30": sum(words > 30 for words in lengths),
        "marked_percent": round(100 * sum(marked for *_, marked, _ in rows) / len(rows), 1),
    }


def main() -> int:
    """Print the figures, or the drawn sentences."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--checker", type=Path, default=CHECKER)
    parser.add_argument("--draw", type=int, metavar="N", help="print N sentences of screens and docs to judge")
    given = parser.parse_args()
    checker = load_checker(given.checker)
    if checker is None:
        print(f"{given.checker}: no such file, so the shares of marked sentences are null.", file=sys.stderr)
    rows = [] if checker is None else list(checked_sentences(checker))
    if given.draw:
        seed = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        shown = [row for row in rows if row[0] != "docstrings"]
        for kind, sentence, _, _, path in random.Random(seed.strip()).sample(shown, min(given.draw, len(shown))):
            print(f"{path.relative_to(ROOT)} ({kind}): {sentence}")
        return 0
    kinds = {
        kind: summary(of_kind) if (of_kind := [row for row in rows if row[0] == kind]) else None
        for kind in ("docs", "strings", "docstrings")
    }
    docs_words = {
        page.relative_to(ROOT).as_posix(): len(page.read_text(encoding="utf-8").split()) for page in doc_files()
    }
    print(json.dumps({**kinds, "words_in_docs": sum(docs_words.values()), **house.measure_running()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
