"""People's preferences between two models' answers, by model rather than by side.

People see a left and a right answer. Here each preference is about a pair of models, ``model_a`` before ``model_b`` by
name, and names the winner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

from annotation_schemas import kinds
from db import files, guidelines
from db.engine import Session, Store
from domain.errors import NotFoundError
from domain.rated_units import BETWEEN
from domain.records import Person, Rating, RatingPair
from domain.states import Items, Stage
from extensions.preferences import comparison_plan, queries
from extensions.preferences.comparison import SHOWN_LEFT
from extensions.preferences.comparison_plan import AnswerPair
from extensions.preferences.queries import PairVote
from extensions.preferences.sides import FIRST, LEFT, SECOND, of_pair
from workflow.access.counted_items import Counting, counting
from workflow.access.projects import Access, require_lead
from workflow.results.file_raters import people_names

Side = Literal["a", "b"]
Said = Literal["left", "right", "tie", "both_bad", "cannot_tell"]


@dataclass(frozen=True)
class Preference:
    """One person's preference between two models' answers to an item, on one criterion."""

    item: str
    """The item by its name in files."""
    dimension: str
    criterion: str
    """A criterion whose kind compares two answers."""
    rater: str
    model_a: str
    """The model of the two whose name comes first."""
    model_b: str
    winner: Literal["a", "b", "tie"] | None
    """``tie`` also if both answers are bad; None if the person cannot tell."""
    said: Said
    """The value of the pressed button."""
    left: Side
    """The model whose answer was shown on the left."""
    weight: float
    when: datetime
    """The moment of the submission that counts."""
    guideline: int | None
    """The version of the guideline under which it was given."""
    schema: int | None
    """The version of the schema; None if the project has had only one."""
    source: str | None
    """The source of the item's media; None if unknown."""
    note: str


@dataclass(frozen=True)
class Mark:
    """One person's value for one of the two answers, on a criterion about each single answer."""

    item: str
    dimension: str
    criterion: str
    rater: str
    model: str
    against: str
    """The other model."""
    value: Any
    side: Literal["left", "right"]
    when: datetime


@dataclass(frozen=True)
class SamePair:
    """A pair of identical answers, which no person is asked about."""

    item: str
    dimension: str
    model_a: str
    model_b: str
    source: str | None


@dataclass(frozen=True)
class Preferences:
    """All preferences of a project that count, with the number of pairs."""

    criteria: tuple[str, ...]
    """The criteria that say which answer is better, in the order of the schema."""
    titles: Mapping[str, str]
    """The question that people were asked, by criterion."""
    models: tuple[str, ...]
    """The compared models, by name."""
    raters: int
    """The number of people that the schema asks about each pair."""
    votes: tuple[Preference, ...]
    """The latest submission of each person, sorted by item, models, rater and criterion."""
    marks: tuple[Mark, ...]
    same: tuple[SamePair, ...]
    """Pairs of the plan whose answers are the same."""
    planned: int
    """The present number of pairs to compare."""
    opened: int
    """The number of planned pairs that are open or done."""
    complete: int
    """The number of pairs that all required people have compared."""
    missing: int
    """The number of planned pairs without an answer from one of the models."""
    earlier: int
    """The number of submissions about an answer that its model has replaced or whose run was withdrawn. They are left
    out.
    """
    outside: int
    """Submissions about items that do not count; they are left out."""


def preferences_of(
    store: Store,
    *,
    project: str,
    by: Person | None = None,
    pseudonyms: bool = False,
    items: Items | str | None = None,
) -> Preferences:
    """Return all preferences of a project, for its leads. ``by`` None is a command on the machine itself.

    Parameters
    ----------
    pseudonyms
        Replace logins by numbers, as in exported files.
    items
        The items that count, as in results.

    Raises
    ------
    NotFoundError
        The project has no comparison stage.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        counted = counting(session, access=access, items_=items, stage=Stage.COMPARISON)
        names = people_names(session, project_id=access.project_id) if pseudonyms else None
        return preferences_in(session, access=access, names=names, counted=counted)


def preferences_in(
    session: Session,
    *,
    access: Access,
    names: Mapping[int, str] | None = None,
    counted: Counting | None = None,
) -> Preferences:
    """Return the same as ``preferences_of``. ``names`` replace logins, by person id, and ``counted`` None is the
    default.
    """
    stage = access.schema.stages.comparison
    if stage is None:
        raise NotFoundError(
            f"{access.title} has no stage `comparison`. Add the stage to the schema to compare models' answers."
        )
    counted = counted or counting(session, access=access, stage=Stage.COMPARISON)
    plan = comparison_plan.plan_of(session, access=access, stage=stage, counted=counted)
    name_converter = _NameConverter(session, access, names)
    votes: list[Preference] = []
    marks: list[Mark] = []
    earlier = outside = 0
    for vote in queries.counting_pair_votes(session, project_id=access.project_id):
        pair = plan.current.get(vote.unit)
        if not counted.counts(vote.item_id):
            outside += 1
        elif pair is None:
            earlier += 1
        else:
            votes += name_converter.preferences(pair, vote)
            marks += name_converter.marks(pair, vote)
    asked = [criterion for criterion in stage.criteria if kinds.of_criterion(criterion).compares_answers]
    number = {name: at for at, name in enumerate(name_converter.places)}
    votes.sort(key=lambda each: (number[each.item], each.model_a, each.model_b, each.rater))
    marks.sort(key=lambda each: (number[each.item], each.model, each.against, each.rater))
    return Preferences(
        criteria=tuple(criterion.name for criterion in asked),
        titles={criterion.name: criterion.prompt for criterion in asked},
        models=plan.models,
        raters=stage.raters,
        votes=tuple(votes),
        marks=tuple(marks),
        same=tuple(name_converter.same(pair) for pair in plan.same),
        planned=len(plan.asked),
        opened=sum(plan.is_open(pair) for pair in plan.asked),
        complete=sum(plan.is_complete(pair) for pair in plan.asked),
        missing=plan.missing,
        earlier=earlier,
        outside=outside,
    )


class _NameConverter:
    """A converter of stored pairs and votes to the names that files use."""

    def __init__(self, session: Session, access: Access, names: Mapping[int, str] | None) -> None:
        self.access = access
        self.names = names or {}
        self.items = {id: name for id, name, _ in files.item_ids(session, project_id=access.project_id)}
        self.places = tuple(self.items.values())
        self.versions = guidelines.numbers(session, project_id=access.project_id)
        of_items = files.asset_names(session, project_id=access.project_id)
        self.sources = {id: next((source for _, _, source, _ in of if source), None) for id, of in of_items.items()}
        stage = access.schema.stages.comparison
        self.criteria = stage.criteria if stage is not None else ()

    def same(self, pair: AnswerPair) -> SamePair:
        """Return a pair whose answers are identical."""
        item_id = pair.first.item_id
        return SamePair(self.items[item_id], pair.dimension, *pair.models, self.sources.get(item_id))

    def preferences(self, pair: AnswerPair, vote: PairVote) -> list[Preference]:
        """Return the preferences in a submission, one for each criterion."""
        left = cast(Side, vote.shown[SHOWN_LEFT])
        return [
            Preference(
                item=self.items[vote.item_id],
                dimension=vote.dimension,
                criterion=criterion.name,
                rater=self.names.get(vote.person_id, vote.login),
                model_a=pair.first.model,
                model_b=pair.second.model,
                winner=winner_of(of_pair(answer, left)),
                said=answer,
                left=left,
                weight=1.0 if vote.weight is None else vote.weight,
                when=vote.created_at,
                guideline=self.versions.get(vote.guideline_hash),
                schema=self.access.reading.numbers.get(vote.schema_version_id),
                source=self.sources.get(vote.item_id),
                note=vote.note,
            )
            for criterion in self.criteria
            if kinds.of_criterion(criterion).compares_answers
            and (answer := vote.answers.get(criterion.name)) is not None
        ]

    def marks(self, pair: AnswerPair, vote: PairVote) -> list[Mark]:
        """Return the values in a submission that are about each single answer."""
        left = vote.shown[SHOWN_LEFT]
        models = {FIRST: pair.first.model, SECOND: pair.second.model}
        marks = []
        for criterion in self.criteria:
            for side, value in kinds.of_criterion(criterion).said_of_sides(vote.answers.get(criterion.name)):
                model = models[str(of_pair(side, left))]
                marks.append(
                    Mark(
                        item=self.items[vote.item_id],
                        dimension=vote.dimension,
                        criterion=criterion.name,
                        rater=self.names.get(vote.person_id, vote.login),
                        model=model,
                        against=next(other for other in models.values() if other != model),
                        value=value,
                        side="left" if side == LEFT else "right",
                        when=vote.created_at,
                    )
                )
        return marks


def winner_of(value: object) -> Literal["a", "b", "tie"] | None:
    """Return the winner of a preference; ``tie`` for neither, and None if the person cannot tell.

    >>> [winner_of(each) for each in ("a", "b", "tie", "both_bad", "cannot_tell")]
    ['a', 'b', 'tie', 'tie', None]
    """
    if value in (FIRST, SECOND):
        return cast(Side, value)
    return None if value == kinds.CANNOT_TELL else "tie"


# ---- as ratings ------------------------------------------------------------------------------------------------------


def pair_ratings(
    session: Session, *, access: Access, names: Mapping[int, str] | None, counted: Counting | None
) -> list[Rating]:
    """Return people's preferences as ratings. A pair is a unit, with the models' names always in the same order.

    The value is ``a`` or ``b`` for the winning model, or ``tie``, ``both_bad`` or ``cannot_tell``.
    """
    answers = {row.id: row.model for row in files.predictions(session, project_id=access.project_id)}
    name_converter = _NameConverter(session, access, names)
    places = {id: at for at, id in enumerate(name_converter.items)}
    keyed_ratings = []
    for vote in queries.counting_pair_votes(session, project_id=access.project_id):
        ids = queries.pair_of(vote.unit)
        if not all(id in answers for id in ids) or (counted is not None and not counted.counts(vote.item_id)):
            continue
        models = [answers[id] for id in ids]
        left = vote.shown[SHOWN_LEFT]
        for criterion in name_converter.criteria:
            row = kinds.of_criterion(criterion)
            if vote.answers.get(criterion.name) is None:
                continue
            value = row.of_pair(vote.answers[criterion.name], left)
            winner = {FIRST: models[0], SECOND: models[1]}.get(value, value) if row.compares_answers else ""
            rating = Rating(
                unit=BETWEEN.join((name_converter.items[vote.item_id], *models)),
                rater=name_converter.names.get(vote.person_id, vote.login),
                criterion=criterion.name,
                value=value,
                dimension=vote.dimension,
                guideline=name_converter.versions.get(vote.guideline_hash),
                note=vote.note,
                schema=access.reading.numbers.get(vote.schema_version_id),
                cluster=name_converter.items[vote.item_id],
                pair=RatingPair(models[0], models[1], models[left == SECOND], str(winner)),
            )
            keyed_ratings.append(((places[vote.item_id], ids, vote.person_id), rating))
    return [rating for _, rating in sorted(keyed_ratings, key=lambda entry: entry[0])]


def differing(session: Session, *, access: Access) -> set[str]:
    """Return the items with a pair on which people disagree, by the items' names in files."""
    ratings: dict[tuple[str, str], list[Rating]] = {}
    for rating in pair_ratings(session, access=access, names=None, counted=None):
        ratings.setdefault((rating.unit, rating.criterion), []).append(rating)
    return {str(rating.cluster) for lot in ratings.values() for rating in lot if rating.value != lot[0].value}
