"""The data of a calibration report: who rated what, and who is a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from agreement.ratings import MISSING, Floats, Ratings, Scale, by_criterion
from agreement.statistic import Statistic
from domain.errors import RatingsError
from domain.records import Rating, UnitFacts
from domain.replies import AttackResult, JudgeAbout, Replies, reason_of, replies_of
from extensions.calibration.statistics.ceiling import Ceiling
from extensions.calibration.statistics.ranking_bias import RankingBiases
from extensions.calibration.statistics.verdict import Rule
from reports.content import Section


@dataclass(frozen=True)
class Runs:
    """Further ratings of one judge, made in another way. Each run has its own rater name."""

    repeats: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Runs of the same judge, asked again in the same way, by judge."""
    swapped: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Runs of the same judge with the answers in the other order, by judge."""
    earlier: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Earlier versions of a judge's model or prompt, by judge."""

    def names(self) -> set[str]:
        """Return all rater names in these runs."""
        kinds = (self.repeats, self.swapped, self.earlier)
        return {name for kind in kinds for judge, others in kind.items() for name in (judge, *others)}

    def earlier_names(self) -> list[str]:
        """Return only the earlier versions."""
        return [name for others in self.earlier.values() for name in others]


@dataclass(frozen=True)
class StoredRule:
    """A rule for the verdict that was stored with a project, and whether it was stored before the first reply."""

    rule: Rule | None = None
    """The stored rule, or None."""
    stored_on: str = ""
    first_reply: str | None = None
    """The day of the first reply of one of these judges. None: unknown."""
    before: bool = False

    def words(self, *, given: Rule | None) -> str:
        """Return a heading that says whether the applied rule was set before the first reply.

        >>> StoredRule().words(given=None)
        'The default rule, which was not set beforehand'
        >>> StoredRule(Rule(), "2026-11-01", "2026-11-02", before=True).words(given=None)
        'The rule, set beforehand on 2026-11-01; the first reply arrived on 2026-11-02'
        """
        if given is None and self.rule is None:
            return "The default rule, which was not set beforehand"
        if self.rule is None or (given is not None and given != self.rule):
            return "A rule for this report, without proof that the rule existed before the first reply"
        if not self.before:
            return f"The rule, set on {self.stored_on}, after the first reply on {self.first_reply or 'an unknown day'}"
        return f"The rule, set beforehand on {self.stored_on}; the first reply arrived on {self.first_reply}"


@dataclass(frozen=True)
class Study:
    """Ratings by people and by judges, strictly separated."""

    rows: Sequence[Rating]
    humans: tuple[str, ...]
    judges: tuple[str, ...]
    scales: Mapping[str, Scale] = field(default_factory=dict)
    criteria: tuple[str, ...] | None = None
    about: Mapping[str, UnitFacts] = field(default_factory=dict)
    runs: Runs = field(default_factory=Runs)
    unparsed: frozenset[str] = frozenset()
    """Values of judges that mean "the reply could not be read". They are counted, but are never a category."""
    families: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The models of a judge's own family, the judge included, by judge."""
    by_dimension: bool = True
    statistics: frozenset[str] = frozenset()
    """The coefficients in tables, in addition to Krippendorff's alpha, which the verdict needs. Empty: all."""
    tuned: bool = False
    """Whether a judge's prompt was tuned on these same units. If so, there is no verdict."""
    ends: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """The possible values by criterion, or at least the lowest and the highest. Without them, those of its scale."""
    metrics: frozenset[str] = frozenset()
    """The judges that are reference metrics, with numbers from 0 to 1."""
    attacks: Sequence[AttackResult] = ()
    """The judges' results on answers that try to persuade them to give a high score."""
    attacked_others: tuple[str, ...] = ()
    """Runs on such answers by other judges."""
    sections: Sequence[Section] = ()
    """Sections that extensions add to the report."""
    together: str | None = None
    """The rater name of all people together, for criteria that they settle jointly before the comparison."""
    judge_runs: Sequence[JudgeAbout] = ()
    """Facts about these judges, with repeated runs and other orders."""

    rule: StoredRule = StoredRule()
    """The rule that was stored for the study."""

    def __post_init__(self) -> None:
        """Refuse names that would mix people and machines, and unknown names."""
        there = {row.rater for row in self.rows}
        _known(self.humans, there, "--human")
        _known(self.judges, there, "--judge")
        if not self.humans:
            raise RatingsError("Name at least one person with --human. The report compares judges with people.")
        if not self.judges:
            raise RatingsError("Name at least one judge with --judge.")
        both = [name for name in self.humans if name in {*self.judges, *self.runs.names()}]
        if both:
            raise RatingsError(f"You named {both[0]} as a person and as a judge. Name each rater once.")
        for option, kind in (
            ("--repeat", self.runs.repeats),
            ("--swapped", self.runs.swapped),
            ("--earlier", self.runs.earlier),
        ):
            for judge, others in kind.items():
                _known((judge,), set(self.judges), option)
                _known(tuple(others), there, option)
        models = {about.model for about in self.about.values() if about.model is not None}
        for judge, family in self.families.items():
            _known((judge,), set(self.judges), "--family", "judge")
            _known(tuple(family), models, "--family", "model")
        wanted = {row.criterion for row in self.rows if row.rater in {*self.humans, *self.judges}}
        _known(self.criteria or (), wanted, "--criterion", "criterion")
        _known(tuple(self.scales), {row.criterion for row in self.rows}, "--scale", "criterion")

    @cached_property
    def graders(self) -> tuple[str, ...]:
        """Return all people, and their joint rater name."""
        return (*self.humans, self.together) if self.together else self.humans

    @property
    def machines(self) -> frozenset[str]:
        """Return the names of all judges and their further runs."""
        return frozenset({*self.judges, *self.runs.names()})

    def shows(self, *names: str) -> bool:
        """Tell whether a coefficient, by its names, is in the tables."""
        return not self.statistics or "krippendorff_alpha" in names or not self.statistics.isdisjoint(names)

    @cached_property
    def left_aside(self) -> Mapping[str, int]:
        """Return the number of unused ratings of raters that are neither people nor judges, by rater."""
        mine = {*self.graders, *self.machines}
        return Counter(row.rater for row in self.rows if row.rater not in mine)

    @cached_property
    def one_sided(self) -> Sequence[str]:
        """Return criteria and dimensions without a comparison, because only people or only judges rated them."""
        sides: dict[str, set[bool]] = {}
        for row in self.rows:
            if row.value is not None and row.rater in {*self.graders, *self.judges}:
                names = [row.criterion]
                if self.by_dimension and row.dimension:
                    names.append(f"{row.criterion} in {row.dimension}")
                for name in names:
                    sides.setdefault(name, set()).add(row.rater in self.graders)
        return [name for name, raters in sides.items() if len(raters) == 1]

    @cached_property
    def replies(self) -> Sequence[Replies]:
        """Return the outcomes of all requests to each judge, repeated runs and other orders included.

        There is one entry for each criterion, and one for each of its dimensions if there are several.
        """
        counted = []
        for criterion, rows in by_criterion(self.rows).items():
            if self.criteria is not None and criterion not in self.criteria:
                continue
            mine = [row for row in rows if row.value is not None and row.rater in {*self.graders, *self.machines}]
            asked = [row for row in mine if row.rater in self.machines]
            parts = list(dict.fromkeys(row.dimension or "no dimension" for row in mine))
            scale = self.values_of(criterion, mine)
            for judge in sorted({row.rater for row in asked}, key=self._place):
                for dimension in [None, *parts] if self.by_dimension and len(parts) > 1 else [None]:
                    part = [row for row in mine if dimension in (None, row.dimension or "no dimension")]
                    of_judge = [row for row in part if row.rater == judge]
                    if of_judge:
                        counted.append(
                            replies_of(
                                judge,
                                criterion,
                                dimension,
                                values={row.unit: row.value for row in of_judge if not self._failed(row)},
                                failed={row.unit: reason_of(row.value) for row in of_judge if self._failed(row)},
                                people={row.unit for row in part if row.rater in self.graders},
                                scale=(0.0, 1.0) if judge in self.metrics else scale,
                            )
                        )
        return counted

    @cached_property
    def scoreless(self) -> Sequence[Replies]:
        """Return judges without any score, each with the criterion on which it was asked."""
        return [reply for reply in self.replies if reply.dimension is None and not reply.scored]

    def reply(self, part: Slice, judge: str) -> Replies | None:
        """Return the outcomes of a judge's requests in a slice."""
        where = (judge, part.criterion, part.dimension)
        return next(
            (replies for replies in self.replies if (replies.judge, replies.criterion, replies.dimension) == where),
            None,
        )

    def _failed(self, row: Rating) -> bool:
        return row.rater in self.machines and isinstance(row.value, str) and row.value in self.unparsed

    def _place(self, name: str) -> tuple[int, str]:
        """Return a sort key: judges in the order of their naming, each before its other runs."""
        for at, judge in enumerate(self.judges):
            others = [*self.runs.repeats.get(judge, ()), *self.runs.swapped.get(judge, ())]
            if name in (judge, *others, *self.runs.earlier.get(judge, ())):
                return at, "" if name == judge else name
        return len(self.judges), name

    def values_of(self, criterion: str, rows: Sequence[Rating]) -> Sequence[Any]:
        """Return the possible values: the declared ones, or those that occur."""
        if self.ends.get(criterion):
            return self.ends[criterion]
        declared = self.scales.get(criterion)
        if declared is not None and declared.categories:
            return declared.categories
        there = list(dict.fromkeys(row.value for row in rows if not self._failed(row)))
        return there if all(isinstance(value, str | int | float) for value in there) else ()

    @cached_property
    def slices(self) -> Sequence[Slice]:
        """Return a slice for each criterion, and one for each of its dimensions if there are several."""
        parts: list[Slice] = []
        for criterion, rows in by_criterion(self.rows).items():
            if self.criteria is not None and criterion not in self.criteria:
                continue
            people = [row for row in rows if row.rater in self.graders and row.value is not None]
            failed: list[Rating] = []
            machines = []
            for row in rows:
                if row.rater not in self.machines or row.value is None:
                    continue
                if self._failed(row):
                    failed.append(row)
                else:
                    machines.append(row)
            if not people or not {row.rater for row in machines} & set(self.judges):
                continue
            whole = Ratings.from_rows([*people, *machines], scale=self.scales.get(criterion))
            scale = replace(whole.scale, categories=whole.categories) if whole.categories else whole.scale
            dimensions = list(dict.fromkeys(row.dimension for row in [*people, *machines]))
            several = self.by_dimension and len(dimensions) > 1
            for dimension in [None, *(name or "no dimension" for name in dimensions)] if several else [None]:
                part = [
                    row
                    for row in [*people, *machines]
                    if dimension is None or (row.dimension or "no dimension") == dimension
                ]
                lost: dict[str, dict[str, str]] = {}
                for row in failed:
                    if dimension is None or (row.dimension or "no dimension") == dimension:
                        lost.setdefault(row.rater, {})[row.unit] = reason_of(row.value)
                rated = {row.rater for row in part}
                if rated & set(self.graders) and rated & set(self.judges):
                    parts.append(self._slice(criterion, dimension, part, scale, lost))
        if not parts:
            nothing = [
                f"{failure.judge} has not scored any unit on {failure.criterion}: {failure.words}."
                for failure in self.scoreless
            ]
            raise RatingsError(
                " ".join(
                    [
                        (
                            "No criterion has ratings from both these people and these judges. Name raters "
                            "who rated the same criterion."
                        ),
                        *nothing,
                    ]
                )
            )
        return parts

    def _slice(
        self,
        criterion: str,
        dimension: str | None,
        rows: Sequence[Rating],
        scale: Scale,
        failed: Mapping[str, Mapping[str, str]],
    ) -> Slice:
        table = Ratings.from_rows(rows, scale=scale)
        items = [self.about[unit].item if unit in self.about else None for unit in table.units]
        if any(item is not None for item in items):
            table = replace(table, clusters=tuple(item or unit for item, unit in zip(items, table.units, strict=True)))
        return Slice(
            criterion,
            dimension,
            table,
            tuple(name for name in self.graders if name in table.raters),
            tuple(name for name in self.judges if name in table.raters),
            dict(failed),
            tuple(self.ends.get(criterion, ())),
        )


@dataclass(eq=False)
class Slice:
    """One criterion, in total or in one dimension: a table with columns for people and for machines."""

    criterion: str
    dimension: str | None
    table: Ratings
    humans: tuple[str, ...]
    judges: tuple[str, ...]
    failed: Mapping[str, Mapping[str, str]]
    """The reason why a reply has no score, by judge and unit."""
    ends: tuple[Any, ...] = ()
    """The possible values, or at least the lowest and the highest, if the table does not have them."""
    kept: dict[str, Ceiling] = field(default_factory=dict)
    """Cached comparisons, by judge."""
    biases: dict[str, RankingBiases | None] = field(default_factory=dict)
    """Cached biases, by judge."""
    people_alpha: tuple[Statistic, Statistic] | None = None
    """The agreement of people, alone and with one more question that divides them. Computed once."""

    @property
    def name(self) -> str:
        """Return the name in a chart."""
        return self.criterion if self.dimension is None else f"{self.criterion} · {self.dimension}"

    @property
    def where(self) -> tuple[str, str]:
        """Return criterion and dimension as two cells of a table."""
        return self.criterion, self.dimension or "all"

    @cached_property
    def people(self) -> Ratings:
        """Return only the people's ratings."""
        return self.table.of(*self.humans)

    @property
    def numeric(self) -> bool:
        """Tell whether values are numbers with meaningful differences."""
        return self.table.numeric and self.table.scale.level != "nominal"

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """Return the names of the categories."""
        return tuple(
            f"{category:g}" if isinstance(category, float) else str(category) for category in self.table.categories
        )

    def shared(self, judge: str) -> tuple[int, int | None]:
        """Return the number of units that the judge and at least two people have rated, and of their questions.

        The number of questions is None if unknown.
        """
        usable = (self.column(judge) != MISSING) & ((self.human_codes != MISSING).sum(axis=1) >= 2)
        clusters = self.table.clusters
        questions = None if clusters is None else len({clusters[at] for at in np.flatnonzero(usable)})
        return int(usable.sum()), questions

    def column(self, rater: str) -> Any:
        """Return the codes of one rater, ``MISSING`` for missing ratings. Shape: (units,)."""
        return self.table.codes[:, self.table.raters.index(rater)]

    def numbers(self, rater: str) -> Floats:
        """Return the ratings of one rater as numbers, nan for missing ratings. Shape: (units,)."""
        return np.asarray(self.table.values[:, self.table.raters.index(rater)], dtype=float)

    @cached_property
    def human_codes(self) -> Any:
        """Return the codes of all people. Shape: (units, people)."""
        return self.table.codes[:, [self.table.raters.index(name) for name in self.humans]]

    @cached_property
    def majority(self) -> Any:
        """Return the category that most people gave. Shape: (units,).

        ``MISSING`` if no person rated the unit, or if two categories tie.
        """
        q = len(self.table.categories)
        votes = np.stack([(self.human_codes == code).sum(axis=1) for code in range(q)], axis=1) if q else None
        if votes is None:
            return np.full(len(self.table.units), MISSING)
        best = votes.max(axis=1)
        clear = (best > 0) & ((votes == best[:, None]).sum(axis=1) == 1)
        return np.where(clear, votes.argmax(axis=1), MISSING)

    @cached_property
    def human_mean(self) -> Floats:
        """Return the mean of the people's numbers, nan for unrated units. Shape: (units,)."""
        values = np.stack([self.numbers(name) for name in self.humans], axis=1)
        rated = ~np.isnan(values)
        count = rated.sum(axis=1)
        total = np.where(rated, values, 0.0).sum(axis=1)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _known(names: Collection[str], there: Collection[str], option: str, what: str = "rater") -> None:
    for name in names:
        if name not in there:
            raise RatingsError(
                f"{option} names {name!r}, but no {what} has this name. Choose from: {', '.join(sorted(there))}."
            )
