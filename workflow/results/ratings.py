"""The long table that all statistics read: submissions of people, and ratings from files and judges."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotation_schemas.model import Criterion, Schema
from db import answers, files, guidelines, judging, runs, withdrawn_runs
from db import people as accounts
from db.engine import Session, Store
from db.records import StoredPrediction
from domain.display_names import distinct_names
from domain.errors import NotFoundError
from domain.judging import JudgePlan, ReplyOutcome
from domain.rated_units import BETWEEN, unit_of
from domain.records import Person, Rating
from domain.run_kinds import RunKind
from domain.states import VERIFICATIONS, Cut, Items, Stage
from workflow.access.counted_items import Counting, counting, of_names
from workflow.access.projects import Access, require_lead
from workflow.annotate import stage_kinds
from workflow.results import file_raters
from workflow.results.counting_answers import CountingAnswers
from workflow.runs import stored_runs

RATED = (*VERIFICATIONS, Stage.GRADING, Stage.COMPARISON, Stage.CODING, Stage.ANSWERING)
"""The stages whose submissions are ratings."""
JUDGED = tuple(stage for stage in RATED if stage is not Stage.COMPARISON)
"""The stages that judges rate like people. Judges of pairs also depend on the order (``win_rates``)."""


def ratings_of(
    store: Store,
    *,
    project: str,
    stage: Stage,
    by: Person | None = None,
    pseudonyms: bool = False,
    items: Items | str | None = None,
) -> list[Rating]:
    """Return the ratings of one stage: each person's latest submission for every unit, imported ratings, and judges'.

    Grades count only for items that count, as ``items`` selects (``workflow.access.counted_items``). All votes count.
    Each rating has the version of the guideline that its rater saw. To pool versions is the caller's decision (see
    ``by_guideline``). A criterion that was not asked or was skipped has no rating. Raters are logins, or with
    ``pseudonyms`` numbers that stay the same until a new person submits. ``by`` None is a command on the machine
    itself.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        if stage not in RATED or getattr(access.schema.stages, stage.value) is None:
            raise NotFoundError(
                f"{access.title} has no stage {stage.value} with ratings. Its stages: {_stages(access.schema)}."
            )
        names = file_raters.people_names(session, project_id=access.project_id) if pseudonyms else None
        counted = counting(session, access=access, items_=items, stage=stage)
        return stage_ratings(session, access=access, stage=stage, names=names, counted=counted)


def stage_ratings(
    session: Session,
    *,
    access: Access,
    stage: Stage,
    names: Mapping[int, str] | None = None,
    counted: Counting | None = None,
    judged: Sequence[tuple[Rating, ReplyOutcome]] | None = None,
    left_out: list[str] | None = None,
) -> list[Rating]:
    """Return the same as ``ratings_of``, in the caller's transaction.

    ``names`` replace logins, by person id; imported people then have pseudonyms too (``file_raters.pseudonyms``).
    ``counted`` None includes all items. In the comparison stage, only people's ratings are included. ``judged`` are the
    ``judge_ratings``, if the caller has them. ``left_out`` collects the units of imported grades whose answers are
    empty, missing or replaced.
    """
    by_kind: list[Rating] | None = stage_kinds.of(stage).ratings(session, access=access, names=names, counted=counted)
    if by_kind is not None:
        return by_kind
    external = {id: name for id, name, _ in files.item_ids(session, project_id=access.project_id)}
    outside = of_names(external.items(), counted) if counted is not None else frozenset()
    versions = guidelines.numbers(session, project_id=access.project_id)
    given = files.predictions(session, project_id=access.project_id)
    graded = counting_answers(session, access, external, given) if stage is Stage.GRADING else None
    models = {row.id: row.model for row in given if graded is None or row.id in graded.current}
    criteria = criteria_of(access.schema, stage)
    mine = [
        Rating(
            unit=unit_of(external[vote.item_id], models.get(vote.prediction_id or 0)),
            rater=(names or {}).get(vote.person_id, vote.login),
            criterion=criterion.name,
            value=vote.answers[criterion.name],
            dimension=vote.dimension,
            guideline=versions.get(vote.guideline_hash),
            note=vote.note,
            schema=access.reading.numbers.get(vote.schema_version_id),
        )
        for vote in files.votes_by_item(session, project_id=access.project_id, stage=stage)
        if (vote.prediction_id is None or vote.prediction_id in models)
        if counted is None or counted.counts(vote.item_id)
        for criterion in criteria
        if vote.answers.get(criterion.name) is not None
    ]
    gone = {unit_of(external[id], model) for id, model in withdrawn_runs.answers(session, project_id=access.project_id)}
    gone -= {unit_of(external[row.item_id], row.model) for row in given} if gone else set()
    called = {} if names is None else file_raters.pseudonyms(session, project_id=access.project_id, known=names)
    rows = [
        row
        for row in files.ratings(session, project_id=access.project_id, stage=stage)
        if _item_of(row.unit, outside) is None and row.unit not in gone
    ]
    if graded is not None:
        silent = [row.unit for row in rows if not graded.counts(row.unit, row.created_at)]
        rows = [row for row in rows if graded.counts(row.unit, row.created_at)] if silent else rows
        (left_out if left_out is not None else []).extend(silent)
    in_files = {called.get(row.rater, row.rater) for row in rows}
    submitted = {(rating.unit, rating.rater, rating.criterion) for rating in mine if rating.rater in in_files}
    brought_in = [
        rating
        for row in rows
        for rating in [Rating(row.unit, called.get(row.rater, row.rater), row.criterion, row.value, row.dimension)]
        if (rating.unit, rating.rater, rating.criterion) not in submitted  # a person's own submission here counts
    ]
    found_by = judge_ratings(session, access=access, stage=stage, counted=counted) if judged is None else judged
    return mine + brought_in + [rating for rating, verdict in found_by if verdict.scored]


def counting_answers(
    session: Session,
    access: Access,
    external: Mapping[int, str] | None = None,
    found: Sequence[StoredPrediction] | None = None,
) -> CountingAnswers:
    """Return the answers of a project that count, by which grades are taken or left out."""
    project_id = access.project_id
    external = external or {id: name for id, name, _ in files.item_ids(session, project_id=project_id)}
    found = files.predictions(session, project_id=project_id) if found is None else found
    asked = {run.name for run in answers.runs(session, project_id=project_id)}
    return CountingAnswers.of(found, external, asked=asked)


@dataclass(frozen=True)
class StageRows:
    """All ratings of a stage, read once."""

    access: Access
    rows: Sequence[Rating]
    """The ratings that count."""
    judged: Sequence[tuple[Rating, ReplyOutcome]]
    """Replies of judges that ran in this project, also without a score."""
    people: frozenset[str]
    own_scale: Mapping[str, bool]
    """Judges and metrics that were run here -> whether their numbers go from 0 to 1."""
    left_out: int
    """Imported grades whose answers are empty, missing or replaced; no number includes these grades."""


def stage_rows(
    store: Store, *, person: Person | None, project: str, stage: Stage, items: Items | str | None = None
) -> StageRows:
    """Read all ratings in a stage, for leads."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        counted = counting(session, access=access, items_=items, stage=stage)
        judged = judge_ratings(session, access=access, stage=stage, counted=counted)
        left_out: list[str] = []
        rows = stage_ratings(session, access=access, stage=stage, counted=counted, judged=judged, left_out=left_out)
        people = frozenset(people_of(session, access=access, stage=stage))
        raters = {
            run.name: kind.own_scale
            for kind in RunKind
            if kind.rates
            for run in runs.of_project(session, project_id=access.project_id, kind=kind)
        }
    return StageRows(access, rows, judged, people, raters, len(left_out))


def cut_by(rows: Iterable[Rating], schema: Schema, by: Cut) -> list[Rating]:
    """Return the ratings as they are cut. For a cut by groups, the group replaces the dimension."""
    if by is not Cut.GROUP:
        return list(rows)
    groups = {dimension.id: dimension.group for dimension in schema.dimensions if dimension.group}
    return [replace(row, dimension=groups.get(row.dimension or "", NO_GROUP)) for row in rows]


NO_GROUP = "no group"
"""Dimensions that belong to none are measured together, cut by groups."""


def _item_of(unit: str, outside: Collection[str]) -> str | None:
    """Return the item that an imported unit is about, if the item is one of ``outside``."""
    return next((name for name in (unit, unit.rpartition(BETWEEN)[0]) if name in outside), None)


def judge_ratings(
    session: Session, *, access: Access, stage: Stage, counted: Counting | None = None
) -> list[tuple[Rating, ReplyOutcome]]:
    """Return the ratings of judges that ran here, for criteria that people rate in a stage.

    Only ratings with the verdict ``scored`` hold a value. The rater's name is that of the run, and a repeated sample
    has a name of its own (``repeat_name``). Reference metrics count as judges. Ratings of a model's earlier answer are
    left out as soon as a later answer has one.
    """
    scores = _scores(session, access=access, stage=stage)
    if not scores:
        return []
    places = {id: (name, dimension) for id, name, dimension in files.item_ids(session, project_id=access.project_id)}
    given = {row.id: row for row in files.predictions(session, project_id=access.project_id)}
    plans = {
        row.name: stored_runs.judge_plan_now(row, access.reading)
        for row in runs.of_project(session, project_id=access.project_id, kind=RunKind.JUDGE)
    }
    latest: dict[tuple[str, str, str], tuple[int, Rating, ReplyOutcome]] = {}
    for score in scores:
        if counted is not None and not counted.counts(score.item_id):
            continue
        name, dimension = places[score.item_id]
        answer = given[score.prediction_id] if score.prediction_id is not None else None
        rating = Rating(
            unit=unit_of(name, answer.model if answer else None),
            rater=repeat_name(score.run, score.sample, swapped=score.swapped),
            criterion=score.criterion,
            value=_straight(plans.get(score.run), score) if score.verdict.scored else None,
            dimension=dimension,
        )
        key = (rating.unit, rating.rater, rating.criterion)
        if key not in latest or latest[key][0] <= (score.prediction_id or 0):
            latest[key] = (score.prediction_id or 0, rating, score.verdict)
    return [(rating, verdict) for _, rating, verdict in latest.values()]


def _straight(plan: JudgePlan | None, score: judging.Score) -> Any:
    """Return the value for the answers in their own order. Metrics have no plan and no order."""
    return score.value if plan is None else plan.straight(score.value, swapped=score.swapped)


def _scores(session: Session, *, access: Access, stage: Stage) -> list[judging.Score]:
    """Return judges' scores of models' answers (grading) or of items (verification)."""
    criteria = {criterion.name for criterion in criteria_of(access.schema, stage)} if stage in JUDGED else set()
    return [
        score
        for score in judging.scores(session, project_id=access.project_id)
        if score.criterion in criteria and (score.prediction_id is None) == (stage in VERIFICATIONS)
    ]


def repeat_name(judge: str, sample: int, *, swapped: bool = False) -> str:
    """Return the rater name of a judge for a repeated sample. Samples count from 0.

    >>> repeat_name("gpt-4 by pca_anchors 1", 0), repeat_name("gpt-4 by pca_anchors 1", 2)
    ('gpt-4 by pca_anchors 1', 'gpt-4 by pca_anchors 1, asked again (3)')
    >>> repeat_name("gpt-4 by better_of_two 1", 0, swapped=True)
    'gpt-4 by better_of_two 1, swapped'
    """
    return judge + (", swapped" if swapped else "") + (f", asked again ({sample + 1})" if sample else "")


@dataclass(frozen=True)
class Raters:
    """The raters of a stage."""

    people: Sequence[str]
    """People with an account here, and imported raters who are people."""
    from_files: Sequence[str]
    """Imported raters who count as machines, because they are marked as machines or not marked."""
    judges: Sequence[str] = ()
    """Judges and metrics that ran here. They always count as machines."""
    repeats: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The rater names of each judge that ran here, for repeated samples."""
    swapped: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The rater names of each judge that ran here, for answers in swapped order."""

    metrics: frozenset[str] = frozenset()
    """The ``judges`` that are reference metrics. Their numbers have a scale of their own, from 0 to 1."""

    people_from_files: Sequence[str] = ()
    """The ``people`` without an account here that has rated, who are marked as people."""

    @property
    def machines(self) -> Sequence[str]:
        """Return all raters who are not people. A caller may still declare an imported one a person."""
        return [*self.judges, *self.from_files]

    def have_means(self, chosen: Sequence[str] | None = None) -> bool:
        """Return whether means over answers can be compared among these raters; None for all.

        People together are one rater, so at least one machine is needed.
        """
        names = [*self.people, *self.machines] if chosen is None else chosen
        return any(name in self.people for name in names) + sum(name not in self.people for name in names) > 1


def raters_of(store: Store, *, person: Person | None, project: str, stage: Stage) -> Raters:
    """Return the raters of a stage, with people and imported raters separated, for leads."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        project_id = access.project_id
        people = files.voters(session, project_id=project_id, stage=stage)
        outside = [
            rater for rater in file_raters.raters(session, project_id=project_id) if stage in (rater.ratings or {})
        ]
        judged = _scores(session, access=access, stage=stage)
    times: dict[str, dict[bool, set[int]]] = {}
    for score in judged:
        times.setdefault(score.run, {False: set(), True: set()})[score.swapped].add(score.sample)
    people |= {rater.name for rater in outside if rater.is_person}
    return Raters(
        sorted(people),
        sorted({rater.name for rater in outside} - people),
        tuple(times),
        {
            name: [repeat_name(name, sample) for sample in sorted(asked[False]) if sample]
            for name, asked in times.items()
        },
        {
            name: [repeat_name(name, sample, swapped=True) for sample in sorted(asked[True])]
            for name, asked in times.items()
        },
        frozenset(score.run for score in judged if score.metric),
        sorted(rater.name for rater in outside if rater.is_person and not rater.account),
    )


def people_of(session: Session, *, access: Access, stage: Stage) -> set[str]:
    """Return the people who have rated in a stage, as ``raters_of`` names them."""
    outside = file_raters.raters(session, project_id=access.project_id)
    from_files = {rater.name for rater in outside if rater.is_person and stage in (rater.ratings or {})}
    return from_files | files.voters(session, project_id=access.project_id, stage=stage)


def raters_called(store: Store, there: Raters) -> dict[str, str]:
    """Return the display name of each rater with an account, by login. All names are distinct.

    Imported raters, judges and metrics keep their names. An imported name never stands for an account.
    """
    logins = {*there.people} - {*there.people_from_files}
    with store.read() as session:
        known = accounts.called(session, logins=logins)
    return distinct_names(
        {login: known.get(login, login) for login in sorted(logins)},
        others=[*there.people_from_files, *there.machines],
    )


def called_of(store: Store, *, person: Person | None, project: str, names: Collection[str]) -> dict[str, str]:
    """Return the same as ``raters_called`` for the given raters, whatever the stage, for leads."""
    with store.read() as session:
        project_id = require_lead(session, by=person, project=project).project_id
        outside = {rater.name for rater in file_raters.raters(session, project_id=project_id) if not rater.account}
        logins = {*accounts.voters(session, project_id=project_id)} & {*names} - outside
        known = accounts.called(session, logins=logins)
    return distinct_names(known, others=[name for name in names if name not in known])


def by_guideline(rows: Iterable[Rating]) -> list[tuple[int | None, list[Rating]]]:
    """Return ratings in comparable lots: one for each version of the guideline, oldest first.

    Imported ratings without a known version are one lot. If only one version exists, they join its lot, because no
    confusion is possible.
    """
    rows = list(rows)
    lots: dict[int | None, list[Rating]] = {}
    for row in rows:
        lots.setdefault(row.guideline, []).append(row)
    numbered = sorted(number for number in lots if number is not None)
    if len(numbered) <= 1:
        return [(numbered[0] if numbered else None, rows)]
    return [(number, lots[number]) for number in [*numbered, *([None] if None in lots else [])]]


def criteria_of(schema: Schema, stage: Stage) -> Sequence[Criterion]:
    """Return the criteria of a stage."""
    part = getattr(schema.stages, stage.value)
    return part.criteria if part is not None and stage in RATED else ()


def _stages(schema: Schema) -> str:
    return ", ".join(stage.value for stage in RATED if criteria_of(schema, stage)) or "none"
