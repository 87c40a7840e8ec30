"""What models get right without the images of items: figures for each model, items that give themselves away, and items
that want a second look. For leads alone: it tells keys."""

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
from domain.comments import LONGEST_COMMENT
from domain.errors import InvalidInput, Problem
from domain.records import Person
from domain.states import Items, Stage
from extensions.shortcuts.model_replies import WITH, WITHOUT, Argument, ModelReply, by_item, read_replies
from extensions.shortcuts.text_shortcuts import choice_of
from reports.content import Figure
from workflow.access.counted_items import counting
from workflow.access.projects import require_lead
from workflow.releases.set_statistics import members_of, which_items
from workflow.releases.set_tally import roles_of
from workflow.releases.text_rules import Choice
from workflow.results import attributes

LONGEST_ARGUMENT = 1_000
"""So many characters of what a model wrote go to an author."""


@dataclass(frozen=True)
class ModelScores:
    """What a model gets right under a condition."""

    model: str
    condition: str
    items: int
    """About which it said something, or was asked and said nothing that could be read."""
    orders: int
    """In how many orders of options they were asked at most."""
    right: Figure
    """How often it is right, over items and orders."""
    all_right: Figure
    """In which share of the items that were asked in enough orders it is right in every one."""
    chance: float | None
    """What share of these that would be if options were drawn blindly, each time anew."""
    gain: Figure | None
    """How much more often it is right with images, by item, over items that were asked both ways; None: with images."""
    unread: int
    """Replies that state no option, or not one: never right."""
    silent: int
    """Of so many nothing is known, as no reply came."""


@dataclass(frozen=True)
class OtherAnswer:
    """That a model answers an item otherwise than the key, with images and in every order of its options."""

    model: str
    orders: int
    options: Sequence[str]
    """What it answers, the most frequent first."""
    argument: Argument | None = None
    """What it wrote, in the item's own order of options if it was asked so."""

    @property
    def said(self) -> str:
        """As leads read it."""
        return f"{self.model} {self._how}"

    @property
    def to_author(self) -> str:
        """As the item's author reads it."""
        why = f" It wrote: {self.argument.text.strip()}" if self.argument and self.argument.text.strip() else ""
        return f"A model {self._how}.{why[:LONGEST_ARGUMENT]}{'…' * (len(why) > LONGEST_ARGUMENT)}"

    @property
    def _how(self) -> str:
        told = ", ".join(f"“{option}”" for option in self.options)
        return f"answers otherwise with images, in all of {self.orders} orders of options: {told}"


@dataclass(frozen=True)
class ListedItem:
    """An item that gives itself away, or that wants a second look."""

    item: str
    dimension: str
    reasons: Sequence[str]
    chance: float | None = None
    """How likely a blind draw is right as often; None: it is not about being right."""
    to_author: str = ""
    """Why it is sent back to its author, if it is: without the names of models."""
    others: Sequence[OtherAnswer] = ()
    """The other answers for which it is listed."""


@dataclass(frozen=True)
class ModelShortcuts:
    """What models come to in a set."""

    title: str
    which: str
    models: Sequence[ModelScores]
    flagged: Sequence[ListedItem]
    """Right without images in every order, in as many orders and by as many models as the schema wants."""
    second: Sequence[ListedItem]
    """Right without images by every chosen model, or answered otherwise by a strong one with the images."""
    orders: int
    wanted_models: int
    chosen: Sequence[str]
    strong: Sequence[str]
    items: int
    """Items with options that count."""
    earlier: int
    """Replies to items that were changed since; they are left out."""
    said: Sequence[ModelReply]
    known: Mapping[str, Choice]
    """These items by their ids."""
    right: Mapping[str, Mapping[str, int]]
    """What each model gets right without images in every order of enough: items, with how many orders these are."""
    other: Mapping[str, Mapping[str, OtherAnswer]]
    """What each model answers otherwise with images in every order of enough, by item."""
    asked: Mapping[str, int]
    """How many models were asked about each item without images."""
    unsettled: Sequence[str]
    """The items of which it is not known whether they would be flagged: of too few models it is known whether they are
    right in every order, as they were not asked in enough, or no reply came."""


def measure_models(
    store: Store,
    *,
    by: Person | None,
    project: str,
    items_: Items | str | None = None,
    chosen: Sequence[str] = (),
    strong: Sequence[str] = (),
) -> ModelShortcuts:
    """Of the items that count in a project, for its leads.

    Parameters
    ----------
    chosen
        The models that all have to be right without images for a second look; none: every one that was asked so.
    strong
        The models whose other answer, in every order, is a reason for a second look.

    Raises ``InvalidInput`` where no run has asked one of these models.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        counted = counting(session, access=access, items_=items_, stage=Stage.GRADING)
        rows = [row for row in items.outgoing(session, project_id=access.project_id) if counted.counts(row.id)]
        labels = attributes.of_items(session, project_id=access.project_id)
        roles = roles_of(access.schema)
        choices = [choice_of(each, roles) for each in members_of(session, access, rows, labels)]
        known = {each.id: each for each in choices if each is not None}
        names = {row.id: row.external_id for row in rows if row.external_id in known}
        found = read_replies(session, access, names)
    limits = access.schema.export.shortcuts or Limits()
    which = which_items(counted, len(rows))
    made = from_replies(found.said, known, limits, title=access.title, which=which, earlier=found.earlier)
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
    """What these replies come to; a second look is for what every model gets right that was asked without images."""
    models = list(dict.fromkeys(each.model for each in said))
    shown = [
        _scores(model, condition, said, known, limits.orders)
        for model in models
        for condition in dict.fromkeys([WITH, WITHOUT, *(each.condition for each in said)])
        if any((each.model, each.condition) == (model, condition) for each in said)
    ]
    right = {
        model: _always_right(said, model, limits.orders)
        for model in dict.fromkeys(each.model for each in said if each.condition == WITHOUT)
    }
    asked = Counter(item for item, _ in {(each.item, each.model) for each in said if each.condition == WITHOUT})
    flagged = [
        _blind(choice, by, asked[id])
        for id, choice in known.items()
        if len(by := {model: own[id] for model, own in right.items() if id in own}) >= limits.models
    ]
    other = {model: found for model in models if (found := _always_other(said, model, limits.orders))}
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
        unsettled=_unsettled(said, known, right, limits.models, {each.item for each in flagged}),
    )
    return with_second_look(made)


# ---- figures ---------------------------------------------------------------------------------------------------------


def _scores(
    model: str, condition: str, said: Sequence[ModelReply], known: Mapping[str, Choice], orders: int
) -> ModelScores:
    own = [each for each in said if (each.model, each.condition) == (model, condition)]
    heard = [each for each in own if not math.isnan(each.value)]
    often = {id: there for id, there in by_item(own) if len(there) >= orders}
    all_right = [all(each.value == 1 for each in there) for there in often.values()]
    blind = [_by_chance(known[id], len(there)) for id, there in often.items()]
    gain = None
    if condition != WITH:
        gain = _gain(own, [each for each in said if (each.model, each.condition) == (model, WITH)], known)
    return ModelScores(
        model,
        condition,
        len({each.item for each in own}),
        max(len(there) for _, there in by_item(own)),
        _share([each.value for each in heard], [_source(known[each.item]) for each in heard], "no reply came."),
        _share(all_right, [_source(known[id]) for id in often], f"no item was asked in {orders} orders of options."),
        sum(blind) / len(blind) if blind else None,
        gain,
        sum(not each.chose for each in heard),
        len(own) - len(heard),
    )


def _gain(own: Sequence[ModelReply], whole: Sequence[ModelReply], known: Mapping[str, Choice]) -> Figure:
    """How much more often it is right with images, by item."""
    without, with_ = _means(own), _means(whole)
    both = [id for id in without if id in with_]
    if not both:
        return Figure.without("no item was asked with images, too.")
    clusters = [_source(known[id]) for id in both]
    found = paired_difference([without[id] for id in both], [with_[id] for id in both], clusters=clusters)
    return Figure.of(found, share=True)


def _means(said: Sequence[ModelReply]) -> dict[str, float]:
    """How often each item is right, over its orders."""
    found = {id: [each.value for each in there if not math.isnan(each.value)] for id, there in by_item(said)}
    return {id: sum(values) / len(values) for id, values in found.items() if values}


def _share(hits: Sequence[float], sources: Sequence[Hashable], why: str) -> Figure:
    if not hits:
        return Figure.without(why)
    return Figure.of(share([float(each) for each in hits], clusters=sources, bootstrap=Bootstrap()), share=True)


def _source(choice: Choice) -> Hashable:
    return choice.source or (choice.id,)


def _by_chance(choice: Choice, orders: int) -> float:
    """How likely blind draws are right in so many orders."""
    return float(len(choice.options)) ** -orders


# ---- items -----------------------------------------------------------------------------------------------------------


def _always_right(said: Sequence[ModelReply], model: str, orders: int) -> dict[str, int]:
    """The items that a model gets right without images in every order, with how many these are: enough of them."""
    own = [each for each in said if (each.model, each.condition) == (model, WITHOUT)]
    return {
        id: len(there) for id, there in by_item(own) if len(there) >= orders and all(each.value == 1 for each in there)
    }


def _blind(choice: Choice, right: Mapping[str, int], asked: int) -> ListedItem:
    chance = max(_by_chance(choice, n) for n in right.values())
    reasons = [f"{model} is right without images in all of {n} orders of options" for model, n in right.items()]
    return ListedItem(choice.id, choice.dimension, reasons, chance, _right_blind(len(right), asked))


def _right_blind(n: int, asked: int) -> str:
    """As the author reads it."""
    who = "A model answers" if asked == 1 else f"{n} of {asked} models {'answers' if n == 1 else 'answer'}"
    return f"{who} this right without images, in every order of its options."


def _unsettled(
    said: Sequence[ModelReply],
    known: Mapping[str, Choice],
    right: Mapping[str, Mapping[str, int]],
    wanted: int,
    flagged: Collection[str],
) -> list[str]:
    """The items about which fewer models than are wanted have said enough: one wrong answer is enough, too."""
    settled = {(each.item, each.model) for each in said if each.condition == WITHOUT and each.value == 0}
    settled |= {(id, model) for model, own in right.items() for id in own}
    n = Counter(id for id, _ in settled)
    return [id for id in known if id not in flagged and n[id] < wanted]


def _always_other(said: Sequence[ModelReply], model: str, orders: int) -> dict[str, OtherAnswer]:
    """The items that a model answers otherwise than the key in every order with images, enough of them, and how."""
    own = [each for each in said if (each.model, each.condition) == (model, WITH)]
    found = {}
    for id, there in by_item(own):
        if len(there) >= orders and all(each.value == 0 and each.chose for each in there):
            options = [option for option, _ in Counter(each.chose for each in there).most_common()]
            first = min(there, key=lambda each: each.order != "")
            found[id] = OtherAnswer(model, len(there), options, first.argument)
    return found


def with_second_look(
    found: ModelShortcuts, chosen: Collection[str] = (), strong: Collection[str] = ()
) -> ModelShortcuts:
    """The same with the items that want a second look, by these models.

    Raises ``InvalidInput`` where no run has asked one of them.
    """
    there = list(dict.fromkeys(each.model for each in found.models))
    problems = [
        Problem("models", f"No run has asked {name!r} for shortcuts; there are {', '.join(there) or 'none'}.")
        for name in (*chosen, *strong)
        if name not in there
    ]
    if problems:
        raise InvalidInput(problems)
    everyone = list(chosen or found.right)
    second = []
    for id, choice in found.known.items():
        others = [found.other[model][id] for model in strong if id in found.other.get(model, {})]
        reasons, told = [each.said for each in others], [each.to_author for each in others]
        if everyone and all(id in found.right.get(model, {}) for model in everyone):
            reasons.insert(0, f"right without images by every model that was chosen: {', '.join(everyone)}")
            right = sum(id in own for own in found.right.values())
            told.insert(0, _right_blind(right, found.asked[id]))
        if reasons:
            second.append(
                ListedItem(id, choice.dimension, reasons, to_author=" ".join(told)[:LONGEST_COMMENT], others=others)
            )
    return replace(found, second=second, chosen=everyone, strong=list(strong))
