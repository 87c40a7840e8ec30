"""Rows and columns of a published table: its layout, expanded to the models, judges and dimensions of a project."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotation_schemas.model import as_words
from domain.errors import InvalidInputError, Problem
from extensions.paper_tables.table_layouts import PEOPLE, LayoutLine, NumberSettings
from extensions.paper_tables.table_numbers import Numbers
from workflow.results.criterion_values import scored_criteria
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.project_answers import ProjectAnswers


@dataclass(frozen=True)
class Head:
    """The head of a row or a column."""

    title: str
    group: str = ""
    of_several: bool = False
    """The head is one of several that the layout expands, and not a mean over them."""


def says_of(part: NumberSettings) -> dict[str, Any]:
    """Return the settings of a part of a layout, without unset ones."""
    return {name: value for name in NumberSettings.model_fields if (value := getattr(part, name)) is not None}


@dataclass(frozen=True)
class TablePlace:
    """A row or a column, one of each already."""

    head: Head
    said: Mapping[str, Any]
    """The settings of the place's numbers, by key."""
    evaluator: str | None = None
    model: bool = False
    """Whether the place is for one of several models."""
    of_several: bool = True


@dataclass
class LayoutExpansion:
    """A row or a column of a layout, before it is expanded to one for each named thing."""

    numbers: Numbers
    about: Mapping[str, Any]
    """The settings of the table."""
    line: LayoutLine
    own: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.own = says_of(self.line)

    @property
    def _read(self) -> ProjectAnswers:
        return self.numbers.read

    def places(self) -> Iterator[TablePlace]:
        """Yield one place for each named thing. With two kinds of things, the second kind varies fastest."""
        if not self.line.each:
            yield TablePlace(Head(self.line.title or "", self.line.group or ""), self.own, of_several=False)
            return
        first = list(self._each(self.line.each[0]))
        if len(self.line.each) == 1:
            for place in first:
                head = Head(self.line.title, place.head.title) if self.line.title else place.head
                head = head if self.line.group is None else replace(head, group=self.line.group)
                yield replace(place, head=head, said={**self.own, **place.said})
            return
        for outer in first:
            for inner in self._each(self.line.each[1]):
                yield TablePlace(
                    Head(inner.head.title, outer.head.title),
                    {**self.own, **outer.said, **inner.said},
                    inner.evaluator or outer.evaluator,
                    inner.model or outer.model,
                )

    def _each(self, what: str) -> Iterator[TablePlace]:
        for place in EXPANSIONS[what](self):
            named = (*place.said.get("called", ()), place.head.title)
            settings = {key: value for key, value in place.said.items() if key != "called"}
            title = next((self.line.titles[name] for name in named if name in self.line.titles), place.head.title)
            yield replace(place, head=Head(title, place.head.group), said=settings)

    def _only(self, what: str, known: Sequence[str]) -> Sequence[str]:
        wanted = self.line.only.get(what)
        for name in wanted or ():
            if name not in known:
                there = ", ".join(known) or "none"
                raise InvalidInputError([Problem(what, f"Unknown {what} {name!r}. Choose from: {there}.")])
        return known if wanted is None else wanted

    def _models(self) -> Iterator[TablePlace]:
        number_settings = NumberSettings(**{**self.about, **self.own})
        names = self.numbers.models(number_settings)
        if "model" in self.line.only:
            names = list(self._only("model", names))
        elif self.line.order != "name" or self.line.top is not None:
            board = self.numbers.board(number_settings)
            names = sorted(names, key=lambda name: _place(board.of_parts.get(name) or board.whole.get(name), name))
            if self.line.top is not None:
                names = names[: self.line.top]
            if self.line.order == "rising":
                names.reverse()
            elif self.line.order == "name":
                names.sort()
        own, by = self._read.attributes, {**self.about, **self.own}.get("group_by")
        groups = {name: str(own.get(name, {}).get(by, "")) if by else "" for name in names}
        for name in sorted(names, key=lambda name: _size(groups[name])):
            yield TablePlace(Head(name, groups[name]), {"model": name}, model=True)

    def _attributes(self) -> Iterator[TablePlace]:
        for label in self._only("attribute", self.numbers.groups(NumberSettings(**{**self.about, **self.own}))):
            yield TablePlace(Head(label), {"models": label, "called": (label,)})

    def _judges(self) -> Iterator[TablePlace]:
        for name in self.line.only.get("judge", ()):
            yield self._evaluator(self.numbers.judge(name), name)
        if "judge" not in self.line.only:
            for name in self.numbers.judges() or [self.numbers.judge(None)]:  # which says that there is none
                yield self._evaluator(name, name)

    def _evaluators(self) -> Iterator[TablePlace]:
        for name in self.numbers.evaluators(self.line.only.get("evaluator", ())):
            yield self._evaluator(name, name)

    def _evaluator(self, name: str, named: str) -> TablePlace:
        called = (named, *self.numbers.also_called(name))
        if self.about.get("source") == "agreement":
            return TablePlace(Head(as_words(name) if name == PEOPLE else name), {"called": called}, name)
        if name == PEOPLE:
            return TablePlace(Head(as_words(name)), {"source": "people", "called": called}, name)
        source = "corrected" if self.about.get("source") == "corrected" else "judge"
        return TablePlace(Head(name), {"source": source, "judge": name, "called": called}, name)

    def _dimensions(self) -> Iterator[TablePlace]:
        there = {dimension.id: dimension for dimension in self._read.schema.dimensions}
        for id in self._only("dimension", list(there)):
            settings = {"by": "dimension", "part": id, "over": "answers", "called": (id,)}
            yield TablePlace(Head(there[id].title, there[id].group or ""), settings)

    def _groups(self) -> Iterator[TablePlace]:
        there = list(dict.fromkeys(dimension.group for dimension in self._read.schema.dimensions if dimension.group))
        for name in self._only("group", there):
            yield TablePlace(Head(name), {"by": "group", "part": name, "over": "answers"})

    def _slices(self) -> Iterator[TablePlace]:
        board = self.numbers.board(NumberSettings(**{**self.about, **self.own, "over": "answers"}))
        titles = {label: board.slicing.title(at) for at, label in enumerate(board.slicing.labels)}
        for label in self._only("slice", list(titles)):
            yield TablePlace(Head(titles[label]), {"part": label, "over": "answers", "called": (label,)})

    def _criteria(self) -> Iterator[TablePlace]:
        schema = self._read.schema
        there = [
            *(criterion.name for criterion in scored_criteria(schema)),
            *(rule.name for rule in schema.report.derived),
        ]
        for name in self._only("criterion", there):
            yield TablePlace(Head(as_words(name)), {"criterion": name, "called": (name,)})

    def _codes(self) -> Iterator[TablePlace]:
        there = dict(self.numbers.codes({**self.about, **self.own}.get("criterion")))
        for name in self._only("code", list(there)):
            yield TablePlace(Head(there[name]), {"code": name, "called": (name,)})


EXPANSIONS: Mapping[str, Callable[[LayoutExpansion], Iterator[TablePlace]]] = {
    "model": LayoutExpansion._models,
    "attribute": LayoutExpansion._attributes,
    "judge": LayoutExpansion._judges,
    "evaluator": LayoutExpansion._evaluators,
    "dimension": LayoutExpansion._dimensions,
    "group": LayoutExpansion._groups,
    "slice": LayoutExpansion._slices,
    "criterion": LayoutExpansion._criteria,
    "code": LayoutExpansion._codes,
}


def _size(group: str) -> tuple[bool, float, str]:
    """Return the sort key of a group of models: groups without a number, then by number (7 of ~7B), then no group."""
    number = re.search(r"\d+(\.\d+)?", group)
    return not group, float(number[0]) if number else -1.0, group


def _place(line: LeaderboardLine | None, name: str) -> tuple[bool, float, str]:
    """Return the sort key of a model: by descending mean, and models without a mean last."""
    if line is None or not line.found.defined:
        return True, 0.0, name
    return False, -line.found.value, name
