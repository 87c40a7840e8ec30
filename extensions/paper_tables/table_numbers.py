"""The numbers of a project's paper tables, taken from leaderboards, agreement and failures.

This module computes nothing: each number is a line that ``touchstone result show``, ``agreement`` or ``failures``
prints.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agreement.losses import Losses
from agreement.statistic import Statistic
from agreement.summary import Result
from annotation_schemas import registry
from db.engine import Store
from domain import extensions
from domain.errors import InvalidInputError, NotFoundError, Problem, TouchstoneError
from domain.records import Person
from domain.states import Cut, Items, Stage
from domain.statistics import summarised
from extensions.paper_tables.cell_number import AnswersBehind, Number, number_of, number_of_line
from extensions.paper_tables.table_layouts import JUDGES, METRICS, PEOPLE, NumberSettings
from workflow.results import dimension_means, leaderboard, result_sections
from workflow.results.criterion_values import named_criteria, scored_criteria
from workflow.results.dimension_means import Columns
from workflow.results.leaderboard import SlicedScores
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.losses import losses_of_scores
from workflow.results.project_answers import ProjectAnswers
from workflow.results.rater_agreement import agreement_of
from workflow.results.ratings import raters_of
from workflow.results.score_choices import Kind, Scores, judges_called
from workflow.results.scores import score_answers
from workflow.results.slices import BINS, DIMENSION, GROUP

_KINDS: Mapping[str, Kind] = {"key": "key", "people": "human", "judge": "judge", "corrected": "corrected"}
GROUPING = "--group-models-by"
"""The option of ``touchstone result show`` whose section works out groups of models."""
UNITS = {"answer": Stage.GRADING, "dimension": Stage.GRADING, "model": Stage.GRADING, "item": Stage.VERIFICATION}


class Numbers:
    """All numbers of one state of a project. Results that several cells share are computed once."""

    def __init__(
        self,
        store: Store,
        read: ProjectAnswers,
        *,
        person: Person | None,
        items: Items | str | None,
        common: Collection[str] | None = None,
    ) -> None:
        """Prepare the numbers of a read.

        ``common`` keeps only items that all of these models have answered. An empty collection means all models with a
        number.
        """
        self._store = store
        self._read = read
        self._about: dict[str, Any] = {"person": person, "project": read.project, "items": items}
        self._common = common
        self._made: dict[tuple[Any, ...], Any] = {}

    @property
    def read(self) -> ProjectAnswers:
        """The project."""
        return self._read

    def of(self, said: NumberSettings, between: Sequence[str] = ()) -> Number:
        """Return the number that a layout selects. ``between`` are the evaluators of its row and its column."""
        try:
            if said.source == "agreement":
                return self._agreement(said, between)
            if said.source is None or said.source in _KINDS:
                return self._score(said)
            return self._of_extension(said.source, said)
        except TouchstoneError as error:
            return Number(None, reason=str(error))

    def board(self, said: NumberSettings) -> SlicedScores:
        """Return the leaderboard that a layout selects, in its slices."""
        scores = self._scores(said)
        by = {"dimensions": DIMENSION.name, "groups": GROUP.name}.get(said.over or "", said.by or DIMENSION.name)
        bins = said.bins or BINS
        read = self._graded(scores.criterion) if said.graded else self._read
        place = (scores, by, bins, bool(said.graded))
        if place not in self._made:
            if self._common is not None:
                read = self._of_models(read, scores)
            common = self._common is not None
            self._made[place] = leaderboard.sliced_scores(read, scores, by=by, common=common, bins=bins)
        made: SlicedScores = self._made[place]
        return made

    def _of_models(self, read: ProjectAnswers, scores: Scores) -> ProjectAnswers:
        """Return the read with the answers of the selected models only."""
        models = {*(self._common or ())}
        if not models:
            whole = leaderboard.overview(read, [scores])
            models = {model for (model, _), line in whole.items() if line.found.defined}
        answers = [answer for answer in read.answers if answer.model in models]
        return replace(read, answers=answers, unanswered={name: read.unanswered.get(name, {}) for name in models})

    # ---- scores

    def groups(self, said: NumberSettings) -> list[str]:
        """Return the groups of models that a layout selects, in order."""
        return list(dict.fromkeys(line.model for line in self._grouped(said)))

    def _grouped(self, said: NumberSettings) -> list[LeaderboardLine]:
        board = self.board(said)
        place = ("groups", said.group_by, id(board))
        if place not in self._made:
            read = self._graded(board.scores.criterion) if said.graded else self._read
            section = result_sections.asked_by(GROUPING)
            (grouped,) = section.of_boards(read, [board], {GROUPING: said.group_by or ""})
            self._made[place] = section.further_lines(grouped)
        made: list[LeaderboardLine] = self._made[place]
        return made

    def _of_group(self, said: NumberSettings) -> Number:
        lines = [line for line in self._grouped(said) if line.model == said.models]
        if not lines:
            return Number(None, reason=f"This project has no models in the group {said.models}.")
        whole = {line.over: line for line in lines if line.part is None}
        if said.part is not None:
            board = self.board(said)
            at = place_of(board, said.part)
            if at is None:
                return _outside(board, said.part)
            return number_of_line(next(line for line in lines if line.part == board.slicing.labels[at]))
        mean = whole.get("parts") if said.over in ("dimensions", "groups") else None
        return number_of_line(mean or whole["answers"])

    def _score(self, said: NumberSettings) -> Number:
        if said.models is not None:
            return self._of_group(said)
        if said.model is None:
            raise _mistake("model", "A number about answers needs a `model`. Name the model, or add `each: [model]`.")
        board = self.board(said)
        if said.model not in board.whole:
            return Number(None, reason=f"This project has no model {said.model}.")
        if said.part is not None:
            at = place_of(board, said.part)
            if at is None:
                return _outside(board, said.part)
            return self._with_answers(said, board, board.cells[said.model, at])
        line = board.whole[said.model]
        if said.over in ("dimensions", "groups"):
            line = board.of_parts.get(said.model, line)  # of one part alone the two are the same
        return self._with_answers(said, board, line)

    def _with_answers(self, said: NumberSettings, board: SlicedScores, line: LeaderboardLine) -> Number:
        """Return a model's score with its answers, if the page Cases lists exactly these answers."""
        number = number_of_line(line)
        if said.graded or self._common is not None or line.respondents or number.value is None:
            return number
        by = board.slicing.way.name if line.part is not None else None
        return replace(number, answers=AnswersBehind(line.scores, line.model, by, line.part, said.bins or BINS))

    def _scores(self, said: NumberSettings) -> Scores:
        kind = _KINDS.get(said.source or "key")
        if kind is None:
            raise _mistake("source", f"The layout cannot order models by {said.source}. Use `order: name`.")
        if kind == "key":
            return Scores("key")
        criterion = said.criterion or self.criterion()
        if kind != "judge" and not self.graded_by(criterion):
            raise NotFoundError(f"No person has graded models' answers on {criterion} yet. Grade some answers first.")
        judge = None if kind == "human" else self.judge(said.judge)
        return Scores(kind, criterion, judge, (said.method or "ppi") if kind == "corrected" else None, said.option)

    def criterion(self) -> str:
        """Return the default criterion."""
        there = [*scored_criteria(self._read.schema), *named_criteria(self._read.schema)]
        if not there:
            raise NotFoundError(
                "The schema has no criterion for grading models' answers. Add a grading criterion to the schema."
            )
        return there[0].name

    def graded_by(self, criterion: str) -> bool:
        """Return whether people have graded by a criterion, or by all parts of a derived one."""
        rule = next((derived for derived in self._read.schema.report.derived if derived.name == criterion), None)
        return all(self._read.grades.get(name) for name in (rule.parts if rule else (criterion,)))

    def _graded(self, criterion: str | None) -> ProjectAnswers:
        """Return the read with only the answers that people have graded by a criterion."""
        criterion = criterion or self.criterion()
        if not self.graded_by(criterion):
            raise NotFoundError(f"No person has graded models' answers on {criterion} yet. Grade some answers first.")
        place = ("graded", criterion)
        if place not in self._made:
            rule = next((derived for derived in self._read.schema.report.derived if derived.name == criterion), None)
            names = rule.parts if rule else (criterion,)
            ids = set.intersection(*(set(self._read.grades.get(name, {})) for name in names))
            kept = [answer for answer in self._read.answers if answer.id in ids]
            self._made[place] = replace(self._read, answers=kept, unanswered={})
        made: ProjectAnswers = self._made[place]
        return made

    # ---- who there is

    def models(self, said: NumberSettings) -> list[str]:
        """Return all models with answers, or with answers that people have graded, by name."""
        there = self._graded(said.criterion) if said.graded else self._read
        return [model for model in there.models if model not in self._read.respondents]

    def judges(self) -> list[str]:
        """Return the judges that have rated answers: those of the schema in order, then the others by name."""
        there = sorted({judge for _, judge in [*self._read.judged, *self._read.unscored]} - self._read.metrics)
        first = [
            name for judge in self._read.schema.judges for name in judges_called(self._read.schema, judge.name, there)
        ]
        return list(dict.fromkeys([*first, *there]))

    def metrics(self) -> list[str]:
        """Return the reference metrics that have measured answers, by name."""
        return sorted(self._read.metrics)

    def evaluators(self, names: Sequence[str]) -> list[str]:
        """Return the evaluators that a layout names; all of them by default."""
        judges: list[str] = []
        for name in names or (PEOPLE, JUDGES, METRICS):
            several = {PEOPLE: [PEOPLE], JUDGES: self.judges(), METRICS: self.metrics()}.get(name)
            judges += [self.judge(name)] if several is None else several
        return judges

    def judge(self, name: str | None) -> str:
        """Return the judge that a layout selects.

        Raises
        ------
        NotFoundError
            No judge has rated, the name is unknown or ambiguous, or the layout names none of several judges.
        """
        schema, there = self._read.schema, [*self.judges(), *self.metrics()]
        if not there:
            raise NotFoundError("No judge has rated models' answers yet. Run a judge first.")
        if name is None:
            of_schema = [
                rater
                for judge in self._read.schema.judges
                for rater in judges_called(self._read.schema, judge.name, there)
            ]
            if of_schema or len(there) == 1:
                return (of_schema or there)[0]
            raise NotFoundError(
                f"Several judges have rated models' answers ({', '.join(there)}). Name one judge in the layout."
            )
        raters = judges_called(schema, name, there)
        if len(raters) != 1:
            several = f"several judges match {name}" if raters else f"no judge {name} has rated models' answers"
            raise NotFoundError(f"{several[0].upper()}{several[1:]}. Judges: {', '.join(there)}.")
        return raters[0]

    def also_called(self, judge: str) -> list[str]:
        """Return the schema's names for a judge that has rated."""
        return [
            known.name for known in self._read.schema.judges if judges_called(self._read.schema, known.name, [judge])
        ]

    # ---- agreement

    def _agreement(self, said: NumberSettings, between: Sequence[str]) -> Number:
        statistic = said.statistic
        if statistic is None:
            raise _mistake("statistic", "A number about agreement needs a `statistic`. Add `statistic` to the layout.")
        unit = said.unit or "answer"
        whom = [*between] if len(between) == 2 else [*(said.between or (PEOPLE,)), *between]
        if whom == [PEOPLE]:
            results = self._among_people(unit, said, statistic)
        elif unit == "item":
            raise _mistake("unit", "You can compare votes on items only among people. Use `between: [people]`.")
        else:
            pair = self.evaluators(whom)
            if len(pair) != 2 or pair[0] == pair[1]:
                raise _mistake(
                    "between",
                    f"Agreement needs two different raters, but the layout names {', '.join(pair)}. Name two "
                    "different raters.",
                )
            results = self._of_two(unit, said, statistic, pair)
        matching = [result for result in results if result.dimension == said.part and self._is_form(result, said.form)]
        if not matching:
            why = next(
                (
                    f"This statistic has no form {said.form}. Choose another form, or remove `form`."
                    for _ in results
                    if said.form
                ),
                "",
            )
            return Number(None, reason=why or f"{summarised()[statistic].title} is not defined for these ratings.")
        return number_of(matching[0])

    def _is_form(self, found: Result, form: str | None) -> bool:
        return form is None or form in (found.args.get(name) for name in ("form", "weights", "level", "variant"))

    def _among_people(self, unit: str, said: NumberSettings, statistic: str) -> list[Result]:
        stage = UNITS[unit]
        place = ("people", unit, said.criterion, statistic, said.part is not None and said.by)
        if place not in self._made:
            people = raters_of(
                self._store, person=self._about["person"], project=self._read.project, stage=stage
            ).people
            if not people:
                raise NotFoundError(f"No person has submitted ratings in {stage.value} yet.")
            criterion = said.criterion or (self.criterion() if stage is Stage.GRADING else None)
            self._made[place] = agreement_of(
                self._store,
                stage=stage,
                by=Cut.WHOLE if said.part is None else Cut.GROUP if said.by == GROUP.name else Cut.DIMENSION,
                criteria=[criterion] if criterion else None,
                raters=people,
                statistics=[statistic],
                **self._about,
            )
        results: list[Result] = self._made[place]
        return [result for result in results if "pair" not in result.args] or [
            result for result in results if "pair" in result.args
        ][:1]

    def _of_two(self, unit: str, said: NumberSettings, statistic: str, pair: Sequence[str]) -> list[Result]:
        criterion = said.criterion or self.criterion()
        names = [dimension_means.PEOPLE if rater == PEOPLE else rater for rater in pair]
        columns = self._columns(criterion)
        for name in names:
            if name not in columns.of:
                who = "person" if name == dimension_means.PEOPLE else f"judge {name}"
                raise NotFoundError(f"No {who} has graded models' answers on {criterion} yet.")
        answers: Collection[str] | None = None
        if said.graded:
            answers = columns.of.get(dimension_means.PEOPLE, {}).keys()
        of_two = columns.only(names, answers=answers)
        place = ("two", unit, criterion, statistic, tuple(sorted(names)), said.part is not None, bool(said.graded))
        if place not in self._made:
            self._made[place] = (
                dimension_means.of_means(
                    of_two, over="model" if unit == "model" else "dimension", statistics=[statistic]
                )
                if unit in ("dimension", "model")
                else dimension_means.of_answers(of_two, by_dimension=said.part is not None, statistics=[statistic])
            )
        results: list[Result] = self._made[place]
        return results

    def _columns(self, criterion: str) -> Columns:
        place = ("columns", criterion)
        if place not in self._made:
            (self._made[place],) = dimension_means.columns_of(self._store, criteria=[criterion], **self._about)
        made: Columns = self._made[place]
        return made

    def losses_of_judge(self, judge: str, criterion: str) -> Losses | None:
        """Return a judge's losses on a criterion, over all items that count."""
        place = ("losses", judge, criterion)
        if place not in self._made:
            of = score_answers(self._read, Scores("judge", criterion, judge))
            self._made[place] = losses_of_scores(self._read, of, self._read.items.keys())
        made: Losses | None = self._made[place]
        return made

    # ---- numbers of extensions

    def codes(self, criterion: str | None) -> list[tuple[str, str]]:
        """Return the codes of a coding criterion: value as text, and label."""
        asked = registry.criteria_of(self._read.schema, Stage.CODING.value)
        there = {coding.name: coding for coding in asked if coding.options}
        name = criterion or next(iter(there), None)
        if name is None or name not in there:
            name = self._read.schema.name
            why = (
                "has no coding of models' answers (`stages: coding`), so Touchstone cannot count failures. Add this "
                "stage to the schema."
            )
            raise NotFoundError(f"The schema {name} {why}")
        return [(str(option.value), option.label) for option in there[name].options]

    def _of_extension(self, source: str, said: NumberSettings) -> Number:
        if (source,) not in self._made:
            function = dict(extensions.rows("table_sources")).get(source)
            if function is None:
                raise NotFoundError(extensions.missing("table_sources", source) or f"Unknown source {source}.")
            self._made[source,] = function(self._store, self._read)
        of_cell: Callable[..., Statistic] = self._made[source,]
        return number_of(
            of_cell(
                model=said.model,
                part=said.part,
                judge=lambda: self.judge(said.judge) if said.judge or self.judges() else None,
                criterion=said.criterion,
                code=said.code,
                form=said.form,
            )
        )


def place_of(board: SlicedScores, part: str) -> int | None:
    """Return the place of a slice by its label or title; None if unknown."""
    labels = board.slicing.labels
    titles = [board.slicing.title(at) for at in range(len(labels))]
    return next((at for at, names in enumerate(zip(labels, titles, strict=True)) if part in names), None)


def _outside(board: SlicedScores, part: str) -> Number:
    return Number(None, reason=f"No item has {board.slicing.way.title.lower()} {part}.")


def _mistake(key: str, sentence: str) -> InvalidInputError:
    return InvalidInputError([Problem(key, sentence)])
