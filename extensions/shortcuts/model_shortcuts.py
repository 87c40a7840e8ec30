"""Right without images: numbers for each model, flagged items, and items for a second look.

Only leads may see the results, because they reveal keys.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from agreement.bootstrap import Bootstrap
from agreement.means import paired_difference, share
from annotation_schemas.model import Shortcuts as Limits
from db import items
from db.engine import Store
from domain.errors import InvalidInputError, Problem
from domain.records import Person
from domain.states import Items, Stage
from extensions.shortcuts.model_replies import WITH, WITHOUT, Argument, ModelReply, by_item, read_replies
from extensions.shortcuts.text_shortcuts import choice_of
from reports.content import Figure
from workflow.access.counted_items import counting
from workflow.access.projects import require_lead
from workflow.lead.send_back import LONGEST_REASON
from workflow.releases.set_items import members_of, roles_of, which_items
from workflow.releases.text_rules import Choice
from workflow.results import attributes

LONGEST_ARGUMENT = 1_000
"""The maximum length of a model's text that an author reads."""


@dataclass(frozen=True)
class ModelScores:
    """The numbers of a model under a condition."""

    model: str
    condition: str
    items: int
    """The number of items that the model was asked about."""
    orders: int
    """The maximum number of option orders."""
    right: Figure
    """The share of right answers, over items and orders."""
    all_right: Figure
    """The share of items with a right answer in every order, of the items that were asked in enough orders."""
    chance: float | None
    """The expected value of ``all_right`` for blind guessing."""
    gain: Figure | None
    """The gain from images, by item, over the items that were asked both ways. None for the condition with images."""
    unread: int
    """The number of replies that state no option or several. They count as wrong."""
    silent: int
    """The number of requests without a reply. They are left out."""


@dataclass(frozen=True)
class OtherAnswer:
    """A model's answer that differs from the key, with images and in every order of the options."""

    model: str
    orders: int
    options: Sequence[str]
    """The options that the model answers, most frequent first."""
    argument: Argument | None = None
    """The model's text, from the item's own order of options if the model was asked in it."""

    @property
    def said(self) -> str:
        """Return the sentence for leads."""
        return f"{self.model} {self._how}"

    @property
    def to_author(self) -> str:
        """Return the sentence for the item's author."""
        why = f" It wrote: {self.argument.text.strip()}" if self.argument and self.argument.text.strip() else ""
        return f"A model {self._how}.{why[:LONGEST_ARGUMENT]}{'…' * (len(why) > LONGEST_ARGUMENT)}"

    @property
    def _how(self) -> str:
        options = ", ".join(f"“{option}”" for option in self.options)
        return f"gives another answer with images, in all {self.orders} orders of options: {options}"


@dataclass(frozen=True)
class ListedItem:
    """An item that is flagged, or listed for a second look."""

    item: str
    dimension: str
    reasons: Sequence[str]
    chance: float | None = None
    """The probability that blind guessing is right as often. None for an item that is not flagged."""
    to_author: str = ""
    """The reason that its author reads if the item is sent back. It names no models."""
    others: Sequence[OtherAnswer] = ()
    """The differing answers that are a reason for the listing."""


@dataclass(frozen=True)
class ModelShortcuts:
    """The results of all models in a set of items."""

    title: str
    which: str
    models: Sequence[ModelScores]
    flagged: Sequence[ListedItem]
    """The items that enough models get right without images, in every order and in enough orders."""
    second: Sequence[ListedItem]
    """The items that every chosen model gets right without images, or that a strong model answers differently with
    images."""
    orders: int
    wanted_models: int
    chosen: Sequence[str]
    strong: Sequence[str]
    items: int
    """The number of items with options and a key."""
    earlier: int
    """The number of replies to earlier revisions of items. They are left out."""
    said: Sequence[ModelReply]
    known: Mapping[str, Choice]
    """The items by id."""
    right: Mapping[str, Mapping[str, int]]
    """By model: the items that the model gets right without images in every order, with the number of orders."""
    other: Mapping[str, Mapping[str, OtherAnswer]]
    """By model and item: answers with images that differ from the key in every order."""
    asked: Mapping[str, int]
    """By item: the number of models that were asked without images."""
    unsettled: Sequence[str]
    """The items that may or may not be flagged, because too few models were asked in enough orders or replied."""


def measure_models(
    store: Store,
    *,
    by: Person | None,
    project: str,
    items_: Items | str | None = None,
    chosen: Sequence[str] = (),
    strong: Sequence[str] = (),
) -> ModelShortcuts:
    """Return the results for the items that count in a project, for its leads.

    Parameters
    ----------
    chosen
        The models that must all be right without images for a second look; by default all that were asked so.
    strong
        The models whose differing answer, in every order, is a reason for a second look.

    Raises ``InvalidInputError`` if no run has asked one of these models.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        counted = counting(session, access=access, items_=items_, stage=Stage.GRADING)
        rows = [row for row in items.outgoing(session, project_id=access.project_id) if counted.counts(row.id)]
        labels = attributes.of_items(session, project_id=access.project_id)
        roles = roles_of(access.schema)
        choices = [choice_of(member, roles) for member in members_of(session, access, rows, labels)]
        known = {choice.id: choice for choice in choices if choice is not None}
        names = {row.id: row.external_id for row in rows if row.external_id in known}
        replies = read_replies(session, access, names)
    limits = access.schema.export.shortcuts or Limits()
    which = which_items(counted, len(rows))
    made = from_replies(replies.said, known, limits, title=access.title, which=which, earlier=replies.earlier)
    return with_second_look(made, chosen, strong) if chosen or strong else made


def from_replies(
    said: Sequence[ModelReply],
    known: Mapping[str, Choice],
    limits: Limits,
    *,
    title: str = "",
    which: str = "",
    earlier: int = 0,
) -> ModelShortcuts:
    """Return the results of these replies. Items that all models get right are listed for a second look."""
    models = list(dict.fromkeys(reply.model for reply in said))
    shown = [
        _scores(model, condition, said, known, limits.orders)
        for model in models
        for condition in dict.fromkeys([WITH, WITHOUT, *(reply.condition for reply in said)])
        if any((reply.model, reply.condition) == (model, condition) for reply in said)
    ]
    right = {
        model: _always_right(said, model, limits.orders)
        for model in dict.fromkeys(reply.model for reply in said if reply.condition == WITHOUT)
    }
    asked = Counter(item for item, _ in {(reply.item, reply.model) for reply in said if reply.condition == WITHOUT})
    flagged = [
        _blind(choice, by, asked[id])
        for id, choice in known.items()
        if len(by := {model: own[id] for model, own in right.items() if id in own}) >= limits.models
    ]
    other = {model: answers for model in models if (answers := _always_other(said, model, limits.orders))}
    made = ModelShortcuts(
        title=title,
        which=which,
        models=shown,
        flagged=flagged,
        second=(),
        orders=limits.orders,
        wanted_models=limits.models,
        chosen=(),
        strong=(),
        items=len(known),
        earlier=earlier,
        said=said,
        known=known,
        right=right,
        other=other,
        asked=asked,
        unsettled=_unsettled(said, known, right, limits.models, {flagged_item.item for flagged_item in flagged}),
    )
    return with_second_look(made)


# ---- figures ---------------------------------------------------------------------------------------------------------


def _scores(
    model: str, condition: str, said: Sequence[ModelReply], known: Mapping[str, Choice], orders: int
) -> ModelScores:
    own = [reply for reply in said if (reply.model, reply.condition) == (model, condition)]
    heard = [reply for reply in own if not math.isnan(reply.value)]
    often = {id: there for id, there in by_item(own) if len(there) >= orders}
    all_right = [all(reply.value == 1 for reply in there) for there in often.values()]
    blind = [_by_chance(known[id], len(there)) for id, there in often.items()]
    gain = None
    if condition != WITH:
        gain = _gain(own, [reply for reply in said if (reply.model, reply.condition) == (model, WITH)], known)
    return ModelScores(
        model,
        condition,
        len({reply.item for reply in own}),
        max(len(there) for _, there in by_item(own)),
        _share([reply.value for reply in heard], [_source(known[reply.item]) for reply in heard], "no reply came."),
        _share(all_right, [_source(known[id]) for id in often], (f"no item was shown in {orders} orders of options.")),
        sum(blind) / len(blind) if blind else None,
        gain,
        sum(not reply.chose for reply in heard),
        len(own) - len(heard),
    )


def _gain(own: Sequence[ModelReply], whole: Sequence[ModelReply], known: Mapping[str, Choice]) -> Figure:
    """Return the gain from images, by item."""
    without, with_ = _means(own), _means(whole)
    both = [id for id in without if id in with_]
    if not both:
        return Figure.without("no item was shown both with and without images.")
    clusters = [_source(known[id]) for id in both]
    difference = paired_difference([without[id] for id in both], [with_[id] for id in both], clusters=clusters)
    return Figure.of(difference, share=True)


def _means(said: Sequence[ModelReply]) -> dict[str, float]:
    """Return the share of right answers for each item, over its orders."""
    values_by_item = {
        id: [reply.value for reply in there if not math.isnan(reply.value)] for id, there in by_item(said)
    }
    return {id: sum(values) / len(values) for id, values in values_by_item.items() if values}


def _share(hits: Sequence[float], sources: Sequence[Hashable], why: str) -> Figure:
    if not hits:
        return Figure.without(why)
    return Figure.of(share([float(hit) for hit in hits], clusters=sources, bootstrap=Bootstrap()), share=True)


def _source(choice: Choice) -> Hashable:
    return choice.source or (choice.id,)


def _by_chance(choice: Choice, orders: int) -> float:
    """Return the probability that blind guessing is right in all orders."""
    return float(len(choice.options)) ** -orders


# ---- items -----------------------------------------------------------------------------------------------------------


def _always_right(said: Sequence[ModelReply], model: str, orders: int) -> dict[str, int]:
    """Return the items that a model gets right without images in every order, with the number of orders."""
    own = [reply for reply in said if (reply.model, reply.condition) == (model, WITHOUT)]
    return {
        id: len(there)
        for id, there in by_item(own)
        if len(there) >= orders and all(reply.value == 1 for reply in there)
    }


def _blind(choice: Choice, right: Mapping[str, int], asked: int) -> ListedItem:
    chance = max(_by_chance(choice, n) for n in right.values())
    reasons = [f"{model} is right without images in all {n} orders of options" for model, n in right.items()]
    return ListedItem(choice.id, choice.dimension, reasons, chance, _right_blind(len(right), asked))


def _right_blind(n: int, asked: int) -> str:
    """Return the sentence for the author."""
    who = "A model answers" if asked == 1 else f"{n} of {asked} models {'answers' if n == 1 else 'answer'}"
    return f"{who} this item correctly without images, in every order of its options."


def _unsettled(
    said: Sequence[ModelReply],
    known: Mapping[str, Choice],
    right: Mapping[str, Mapping[str, int]],
    wanted: int,
    flagged: Collection[str],
) -> list[str]:
    """Return the items that too few models have settled. One wrong answer settles an item for a model."""
    settled = {(reply.item, reply.model) for reply in said if reply.condition == WITHOUT and reply.value == 0}
    settled |= {(id, model) for model, own in right.items() for id in own}
    n = Counter(id for id, _ in settled)
    return [id for id in known if id not in flagged and n[id] < wanted]


def _always_other(said: Sequence[ModelReply], model: str, orders: int) -> dict[str, OtherAnswer]:
    """Return the items that a model answers differently from the key in every order with images, and the answers."""
    own = [reply for reply in said if (reply.model, reply.condition) == (model, WITH)]
    other_answers = {}
    for id, there in by_item(own):
        if len(there) >= orders and all(reply.value == 0 and reply.chose for reply in there):
            options = [option for option, _ in Counter(reply.chose for reply in there).most_common()]
            first = min(there, key=lambda reply: reply.order != "")
            other_answers[id] = OtherAnswer(model, len(there), options, first.argument)
    return other_answers


def with_second_look(
    found: ModelShortcuts, chosen: Collection[str] = (), strong: Collection[str] = ()
) -> ModelShortcuts:
    """Return the same results with the items for a second look, by these models.

    Raises ``InvalidInputError`` if no run has asked one of them.
    """
    there = list(dict.fromkeys(score.model for score in found.models))
    problems = [
        Problem(
            "models",
            f"No run for shortcuts used the model {name!r}. Models with a run for shortcuts: "
            f"{', '.join(there) or 'none'}.",
        )
        for name in (*chosen, *strong)
        if name not in there
    ]
    if problems:
        raise InvalidInputError(problems)
    everyone = list(chosen or found.right)
    second = []
    for id, choice in found.known.items():
        others = [found.other[model][id] for model in strong if id in found.other.get(model, {})]
        reasons, sentences = [other.said for other in others], [other.to_author for other in others]
        if everyone and all(id in found.right.get(model, {}) for model in everyone):
            reasons.insert(0, f"right without images by every chosen model: {', '.join(everyone)}")
            right = sum(id in own for own in found.right.values())
            sentences.insert(0, _right_blind(right, found.asked[id]))
        if reasons:
            second.append(
                ListedItem(id, choice.dimension, reasons, to_author=" ".join(sentences)[:LONGEST_REASON], others=others)
            )
    return replace(found, second=second, chosen=everyone, strong=list(strong))
