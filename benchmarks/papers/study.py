"""What a study of a paper consists of: files that come into a project, and what its tables have to say then."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.manners_judges import readable_of
from benchmarks.papers.truth import Table


@dataclass
class Study:
    """A project in the making."""

    schema: str
    """Which of the protocols that come along; the project is called so, too."""
    folder: Path
    """Where its files are."""
    steps: list[tuple[str, ...]] = field(default_factory=list)
    """The commands that bring everything in, without ``touchstone``."""
    tables: list[Table] = field(default_factory=list)
    """What ``touchstone table export`` has to print, all of it."""
    readable: list[str] = field(default_factory=list)
    """The judges' replies that hold a score."""
    stated: dict[tuple[str, str], bool] = field(default_factory=dict)
    """By item and model: True if the answer states an option."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Tables that cannot be made of this study, and words of the sentence that says why."""

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.steps.append(("project", "create", self.schema, "--schema", self.schema))

    def items(self, path: Path, format: str) -> None:
        """The benchmark's items, in its own format."""
        self.steps.append(("item", "import", self.schema, format, str(path)))

    def models(self, of: Mapping[str, Mapping[str, str]]) -> None:
        """Attributes of models: of each model by their names."""
        self._said("models", "model", of)

    def labels(self, of: Mapping[str, Mapping[str, str]]) -> None:
        """Labels of items: of each item by their names."""
        self._said("labels", "item", of)

    def _said(self, format: str, about: str, of: Mapping[str, Mapping[str, str]]) -> None:
        path = self.folder / f"{format}.csv"
        names = list(dict.fromkeys(name for own in of.values() for name in own))
        with path.open("w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow([about, *names])
            out.writerows([each, *(own.get(name, "") for name in names)] for each, own in of.items())
        self.steps.append(("item", "import", self.schema, format, str(path)))

    def answers(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Models' answers: item, model, text."""
        self.steps.append(("item", "import", self.schema, "predictions", str(self._lines("answers.jsonl", rows))))

    def replies(self, rows: Sequence[Mapping[str, Any]], template: str, *, silent: Iterable[str]) -> None:
        """Return judges' replies (judge, item, model, text); the ``silent`` texts hold no score."""
        self.readable += readable_of(rows, silent)
        path = self._lines("replies.jsonl", rows)
        self.steps.append(("item", "import", self.schema, "judgements", str(path), "--set", f"template={template}"))

    def people(self, rows: Iterable[tuple[str, str, str, str, float]]) -> None:
        """People's grades: item, model, person, criterion, value."""
        path = self.folder / "people.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow(["unit", "rater", "criterion", "value"])
            out.writerows([f"{item} · {model}", who, criterion, value] for item, model, who, criterion, value in rows)
        self.steps.append(("item", "import", self.schema, "ratings", str(path), "--set", "raters=people"))

    def write(self, name: str, value: object) -> Path:
        """A JSON file of the study."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=4, ensure_ascii=False), encoding="utf-8")
        return path

    def _lines(self, name: str, rows: Iterable[Mapping[str, Any]]) -> Path:
        path = self.folder / name
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        return path
