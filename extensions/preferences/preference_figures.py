"""Figures about people's preferences between two models' answers: win rates, strengths, agreement, and position.

A vote is one person's preference for a pair on one criterion. Ties count half. Votes that cannot tell are left out and
counted. Pairs of identical answers are shown to no person and are counted separately.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agreement import Bootstrap, Statistic
from agreement.means import share
from agreement.ratings import Scale
from agreement.summary import Result, summarise
from db.engine import Store
from domain.english import with_noun
from domain.records import Rating
from domain.states import Items
from extensions.preferences import judges_of_pairs
from extensions.preferences.judges_of_pairs import JudgedPair, JudgeOfPairs
from extensions.preferences.pair_votes import WinRate, left_preferred, pair_votes, win_rates
from extensions.preferences.project_preferences import Mark, Preference, Preferences, SamePair, preferences_of
from extensions.preferences.strengths import Strengths, davidson
from workflow.access.counted_items import Counting
from workflow.results import project_answers, slices
from workflow.results.clusters import clusters_of_names
from workflow.results.project_answers import ProjectAnswers
from workflow.results.slices import BINS, DIMENSION, Bins, Slicing

VALUES = ("a", "tie", "b")
"""The possible votes on a pair. The models are in the order of their names, whatever side each was shown on."""
OF_RATERS = ("percent_agreement", "krippendorff_alpha", "gwet_ac", "cohen_kappa", "fleiss_kappa")
"""The statistics of agreement that are shown; Cohen's kappa where there are two raters."""
_OF_NAMES = ("none", "nominal")
"""Weights and levels that need no order, so that a tie is simply a third value."""
_SIDE = {"a": "first", "tie": "tie", "b": "second"}


@dataclass(frozen=True)
class CriterionPreferences:
    """The figures on one criterion, over all items or in one slice."""

    label: str | None
    """The label of the slice; None for all items."""
    title: str
    items: int
    pairs: int
    """Different pairs of answers with a vote."""
    raters: int
    votes: int
    """The number of votes, including those that cannot tell."""
    ties: int
    both_bad: int
    """The number of ties in which both answers are bad."""
    cannot_tell: int
    same: int
    """The number of pairs with identical answers, which no person is asked about and no figure includes."""
    rates: tuple[WinRate, ...]
    strengths: Strengths

    @property
    def sentence(self) -> str:
        """Return the counts behind the figures as a sentence."""
        if not self.votes:
            return f"No votes yet. {_of_same(self.same)}".strip()
        bad = f", including {self.both_bad:,} where both answers are bad" if self.both_bad else ""
        unsure = (
            f"{self.cannot_tell:,} with the answer “cannot tell” {'is' if self.cannot_tell == 1 else 'are'} excluded"
        )
        return (
            f"{with_noun(self.votes, 'vote')} on {with_noun(self.pairs, 'pair')} of {with_noun(self.items, 'item')} by"
            f" {with_noun(self.raters, 'person', 'people')}: {with_noun(self.ties, 'tie')}{bad}"
            f"{f'; {unsure}' if self.cannot_tell else ''}. {_of_same(self.same)}"
        ).strip()


@dataclass(frozen=True)
class OfCriterion:
    """The figures on one criterion."""

    criterion: str
    title: str
    """The question that people were asked."""
    parts: tuple[CriterionPreferences, ...]
    """The figures over all items, then those of each slice; no slices if all items are in one."""
    left: Statistic
    """The share of votes for the answer on the left."""
    agreement: tuple[Result, ...]
    """The agreement of raters over pairs."""
    alone: tuple[str, ...]
    """The raters who share no pair with another rater, so that their agreement is undefined."""
    judges: tuple[JudgeOfPairs, ...]
    """The agreement of pairwise judges with people."""

    @property
    def whole(self) -> CriterionPreferences:
        """Return the figures over all items."""
        return self.parts[0]


@dataclass(frozen=True)
class Share:
    """The share of a model's answers with a value, for a criterion about each single answer."""

    criterion: str
    model: str
    value: str
    n: int
    share: Statistic


@dataclass(frozen=True)
class PreferenceFigures:
    """All figures about people's comparisons in one state of a project."""

    project: str
    title: str
    counting: Counting | None
    models: tuple[str, ...]
    by: str
    """The title of the slices."""
    together: str
    """The clusters for the limits: an item, a source or a field."""
    standing: str
    """The progress of the comparison, as a sentence."""
    left_out: str
    """The votes that no figure includes, as a sentence; empty for none."""
    criteria: tuple[OfCriterion, ...]
    marks: tuple[Share, ...]


def preference_figures(
    store: Store,
    *,
    project: str,
    items: Items | None = None,
    by: str = DIMENSION.name,
    together: str | None = None,
    bins: Bins = BINS,
    bootstrap: Bootstrap | None = None,
) -> PreferenceFigures:
    """Return the figures about people's preferences in a project. The caller checks that the person may see them.

    Parameters
    ----------
    by
        The slices of items (``slices.way``).
    together
        The clusters for the limits: ``none`` (every item alone), ``source``, or a field. None selects sources if
        several items share one.

    Raises
    ------
    NotFoundError
        The project has no comparison stage.
    InvalidInputError
        The slices or the clusters are unknown.
    """
    preferences = preferences_of(store, project=project, items=items)
    answers = project_answers.current(store, person=None, project=project, items=items)
    return figures_of(
        preferences,
        answers,
        judged=judges_of_pairs.judged_pairs(store, answers),
        by=by,
        together=together,
        bins=bins,
        bootstrap=bootstrap,
    )


def figures_of(
    said: Preferences,
    found: ProjectAnswers,
    *,
    judged: Sequence[JudgedPair] = (),
    by: str = DIMENSION.name,
    together: str | None = None,
    bins: Bins = BINS,
    bootstrap: Bootstrap | None = None,
) -> PreferenceFigures:
    """Return the same as ``preference_figures``, from data that the caller has read."""
    slicing = slices.sliced(found.schema, found.items, by, bins=bins)
    numbers = {item.name: id for id, item in found.items.items()}
    names = {*numbers, *(vote.item for vote in said.votes), *(mark.item for mark in said.marks)}
    wanted, cluster = clusters_of_names(found, names, together)
    of_item = {name: slicing.of_item.get(id) for name, id in numbers.items()}
    return PreferenceFigures(
        found.project,
        found.title,
        found.counting,
        said.models,
        slicing.way.title,
        wanted,
        _standing(said),
        _left_out(said),
        tuple(_criterion(said, name, slicing, of_item, cluster, judged, bootstrap) for name in said.criteria),
        tuple(_marks(said.marks, cluster)),
    )


def _criterion(
    said: Preferences,
    name: str,
    slicing: Slicing,
    of_item: Mapping[str, int | None],
    cluster: Mapping[str, str],
    judged: Sequence[JudgedPair],
    bootstrap: Bootstrap | None,
) -> OfCriterion:
    votes = [vote for vote in said.votes if vote.criterion == name]
    parts = [_part(None, "All items", votes, said.same, cluster, bootstrap)]
    for at, label in enumerate(slicing.labels):
        there = [vote for vote in votes if of_item.get(vote.item) == at]
        same = [pair for pair in said.same if of_item.get(pair.item) == at]
        if (there or same) and (len(there) < len(votes) or len(same) < len(said.same)):
            parts.append(_part(label, slicing.title(at), there, same, cluster, bootstrap))
    decided = Counter(vote.winner == vote.left for vote in votes if vote.winner in ("a", "b"))
    return OfCriterion(
        name,
        said.titles[name],
        tuple(parts),
        left_preferred(decided[True], decided[False]),
        *_of_raters(votes, name, cluster),
        judges_of_pairs.with_people(votes, judged, cluster, name),
    )


def _part(
    label: str | None,
    title: str,
    votes: Sequence[Preference],
    same: Sequence[SamePair],
    cluster: Mapping[str, str],
    bootstrap: Bootstrap | None,
) -> CriterionPreferences:
    table = pair_votes(
        [vote.model_a for vote in votes],
        [vote.model_b for vote in votes],
        [_SIDE.get(vote.winner or "") for vote in votes],
        clusters=[cluster[vote.item] for vote in votes],
    )
    return CriterionPreferences(
        label,
        title,
        len({vote.item for vote in votes}),
        len({_pair(vote) for vote in votes}),
        len({vote.rater for vote in votes}),
        len(votes),
        sum(vote.winner == "tie" for vote in votes),
        sum(vote.said == "both_bad" for vote in votes),
        table.n_left_out,
        len(same),
        win_rates(table, bootstrap=bootstrap),
        davidson(table, bootstrap=bootstrap),
    )


def _of_raters(
    votes: Sequence[Preference], criterion: str, cluster: Mapping[str, str]
) -> tuple[tuple[Result, ...], tuple[str, ...]]:
    """Return the agreement of raters, and the raters who share no pair with another rater."""
    decided = [vote for vote in votes if vote.winner is not None]
    of_pair: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for vote in decided:
        of_pair[_pair(vote)].add(vote.rater)
    together = {rater for raters in of_pair.values() if len(raters) > 1 for rater in raters}
    everyone = sorted({vote.rater for vote in decided})
    alone = tuple(rater for rater in everyone if rater not in together)
    if not together:
        return (), alone
    wanted = set(OF_RATERS) - ({"cohen_kappa"} if len(together) > 2 else {"fleiss_kappa"})
    rows = (
        Rating(" · ".join(_pair(vote)), vote.rater, criterion, vote.winner, vote.dimension, cluster=cluster[vote.item])
        for vote in decided
    )
    scales = {criterion: Scale("nominal", VALUES)}
    lines = summarise(rows, scales=scales, raters=sorted(together), statistics=wanted)
    return tuple(line for line in lines if line.args.get("weights", line.args.get("level", "none")) in _OF_NAMES), alone


def _marks(marks: Sequence[Mark], cluster: Mapping[str, str]) -> list[Share]:
    """Return how often each model has each value. In a criterion with several choices, each choice is a value."""
    shares = []
    of: dict[tuple[str, str], list[Mark]] = defaultdict(list)
    for mark in marks:
        of[mark.criterion, mark.model].append(mark)
    values = {
        criterion: sorted({value for mark in marks if mark.criterion == criterion for value in _values(mark)})
        for criterion in dict.fromkeys(mark.criterion for mark in marks)
    }
    for criterion, there in values.items():
        for model in sorted({model for name, model in of if name == criterion}):
            own = of[criterion, model]
            for value in there:
                hits = [float(value in _values(mark)) for mark in own]
                rate = share(hits, clusters=[cluster[mark.item] for mark in own])
                shares.append(Share(criterion, model, value, int(sum(hits)), rate))
    return shares


def _values(mark: Mark) -> list[str]:
    several = mark.value if isinstance(mark.value, list | tuple) else [mark.value]
    return [str(value) for value in several]


def _standing(said: Preferences) -> str:
    if len(said.models) <= 1:
        there = f"only {said.models[0]} has" if said.models else "none has"
        return f"There are no pairs to compare. At least two models must answer, and {there} answered so far."
    sentences = [
        f"{with_noun(said.planned, 'pair')} of {with_noun(len(said.models), 'model')} to compare, each by "
        f"{with_noun(said.raters, 'person', 'people')}. Open or done: {said.opened:,}. Complete: {said.complete:,}."
    ]
    if said.missing:
        sentences.append(f"{with_noun(said.missing, 'pair')} {'lacks' if said.missing == 1 else 'lack'} an answer.")
    return " ".join(sentences)


def _left_out(said: Preferences) -> str:
    sentences = []
    if said.earlier:
        sentences.append(f"Excluded: {with_noun(said.earlier, 'submission')} about answers that no longer count.")
    if said.outside:
        sentences.append(f"Excluded: {with_noun(said.outside, 'submission')} about items that do not count.")
    return " ".join(sentences)


def _of_same(n: int) -> str:
    if not n:
        return ""
    pairs = with_noun(n, "pair has", "pairs have")
    return f"{pairs} identical answers. Nobody compares identical answers, and no figure includes them."


def _pair(vote: Preference) -> tuple[str, str, str]:
    return vote.item, vote.model_a, vote.model_b
