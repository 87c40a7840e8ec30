"""How often items can be answered from their texts: by rules, and by a classifier that reads question and options.

Only leads may see the results, because they reveal keys. The classifier needs scikit-learn and minutes, so nothing here
runs in the process that serves pages.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from db import items
from db.engine import Store
from domain.csv_text import Writer
from domain.records import Person
from domain.states import Items, Stage
from extensions.shortcuts.answer_rules import LearnedRules, rules_that_pick
from extensions.shortcuts.key_places import Places, places_of
from extensions.shortcuts.schema_limits import TITLES
from extensions.shortcuts.text_classifier import ItemScore, folds_of, scores_of
from reports.content import Figure
from workflow.access.counted_items import counting
from workflow.access.projects import require_lead
from workflow.releases.set_items import Member, Roles, members_of, roles_of, video_of, which_items
from workflow.releases.text_rules import Choice, longest, most_shared, options_of, share_right, shortest
from workflow.results import attributes


@dataclass(frozen=True)
class TextShortcuts:
    """The results of rules and the classifier in a set of items."""

    title: str
    which: str
    """The sentence that says which items count."""
    baselines: Sequence[tuple[str, Figure]]
    """The share of right answers of each rule, over all items with options."""
    text_only: Sequence[tuple[str, Figure]]
    """The share of right answers of the classifier, over all items and in each dimension."""
    chance: float | None
    """The share of right answers of blind guessing."""
    items: Sequence[ItemScore]
    """The items, sorted by the classifier's probability of the key, highest first."""
    skipped: Sequence[str]
    """The items without options or without a key among them."""
    without_source: int
    """The number of items without a known source. Each counts as its own source."""
    places: Sequence[Places] = ()
    """The positions of the right options, in each dimension and overall."""

    @property
    def by_name(self) -> dict[str, Figure]:
        """Return the numbers that a schema may limit, by the names of ``schema_limits.TITLES``."""
        if not self.items:
            return {}
        baselines = dict(self.baselines)
        always = [figure for title, figure in self.baselines if title.startswith(_ALWAYS)]
        figures = {"constant": max(always, key=lambda each: each.value or 0), "text_only": dict(self.text_only)[_ALL]}
        return {name: figures.get(name) or baselines[title] for name, title in TITLES.items()}

    @property
    def flagged(self) -> list[ItemScore]:
        """Return the items whose text reveals the key."""
        return [item for item in self.items if item.flagged]


def find_text_shortcuts(
    store: Store, *, by: Person | None, project: str, items_: Items | str | None = None
) -> TextShortcuts:
    """Return the results for a project's leads. By default the kept items count, as soon as there are verdicts."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        counted = counting(session, access=access, items_=items_, stage=Stage.GRADING)
        rows = [row for row in items.outgoing(session, project_id=access.project_id) if counted.counts(row.id)]
        labels = attributes.of_items(session, project_id=access.project_id)
        members = list(members_of(session, access, rows, labels))
    roles = roles_of(access.schema)
    which = which_items(counted, len(rows))
    titles = {dimension.id: dimension.title for dimension in access.schema.dimensions}
    shortcuts = from_members(members, roles, title=access.title, which=which, titles=titles)
    limits = access.schema.export.shortcuts
    return shortcuts if limits is None or limits.score is None else flag_above(shortcuts, limits.score)


def flag_above(found: TextShortcuts, score: float) -> TextShortcuts:
    """Return the same results with other flags: items whose key has a higher probability than ``score``."""
    return replace(found, items=[replace(item, flagged=item.p_key > score) for item in found.items])


def from_members(
    members: Sequence[Member],
    roles: Roles,
    *,
    title: str = "",
    which: str = "",
    titles: Mapping[str, str] | None = None,
) -> TextShortcuts:
    """Return the results for these items."""
    choices = [choice for member in members if (choice := choice_of(member, roles)) is not None]
    known = {choice.id for choice in choices}
    skipped = [member.id for member in members if member.id not in known]
    sources: list[Hashable] = [choice.source or (at,) for at, choice in enumerate(choices)]
    lacking = sum(choice.source is None for choice in choices)
    if not choices:
        return TextShortcuts(title, which, (), (), None, (), skipped, 0)
    fold_of = folds_of(sources)
    scores = _scores(tuple(choices), tuple(fold_of.tolist()))
    baselines = [(name, _figure(hits, sources)) for name, hits in _baselines(choices, fold_of.tolist())]
    text_only = [(_ALL, _figure([score.right for score in scores], sources))]
    dimensions = dict.fromkeys(choice.dimension for choice in choices)
    for dimension in dimensions if len(dimensions) > 1 else ():
        own = [at for at, choice in enumerate(choices) if choice.dimension == dimension]
        figure = _figure([scores[at].right for at in own], [sources[at] for at in own])
        text_only.append(((titles or {}).get(dimension, dimension), figure))
    chance = sum(1 / len(choice.options) for choice in choices) / len(choices)
    ordered = sorted(scores, key=lambda score: -score.p_key)
    places = places_of(choices, titles or {})
    return TextShortcuts(title, which, baselines, text_only, chance, ordered, skipped, lacking, places)


_ALL, _ALWAYS = "All", "Always place "


@lru_cache(maxsize=2)
def _scores(choices: tuple[Choice, ...], fold_of: tuple[int, ...]) -> Sequence[ItemScore]:
    """Return the classifier's scores. They take minutes, and a release asks for the same scores twice."""
    return scores_of(choices, np.array(fold_of, dtype=np.int64))


def choice_of(member: Member, roles: Roles) -> Choice | None:
    """Return the texts of an item, or None if it has no options or no key among them."""
    options = options_of(member.fields, options=roles.options, answer=roles.answer)
    if options is None:
        return None
    question = member.fields.get(roles.question or "")
    return Choice(
        tuple(options[0]),
        options[1],
        question=question if isinstance(question, str) else "",
        id=member.id,
        dimension=member.dimension,
        source=video_of(member, roles),
    )


def _figure(hits: Sequence[bool], sources: Sequence[Hashable]) -> Figure:
    return Figure.of(share_right(hits, sources), share=True)


def _baselines(choices: Sequence[Choice], fold_of: Sequence[int]) -> list[tuple[str, list[bool]]]:
    """Return each rule by its title, and whether it is right about each item."""
    most = max(len(choice.options) for choice in choices)
    places = [(f"{_ALWAYS}{at + 1}", [choice.key == at for choice in choices]) for at in range(most)]
    rules: list[tuple[str, Callable[[Choice], int]]] = [
        (TITLES["longest"], lambda choice: longest(choice.options)),
        (TITLES["shortest"], lambda choice: shortest(choice.options)),
        (TITLES["overlap"], lambda choice: most_shared(choice.options, choice.question)),
    ]
    plain = [(name, [rule(choice) == choice.key for choice in choices]) for name, rule in rules]
    learnt = {
        fold: LearnedRules.of([choice for choice, own in zip(choices, fold_of, strict=True) if own != fold])
        for fold in set(fold_of)
    }
    both = list(zip(choices, fold_of, strict=True))
    return [
        *places,
        (TITLES["position"], [learnt[fold].place(choice.options) == choice.key for choice, fold in both]),
        *plain,
        (TITLES["answer"], [learnt[fold].answer(choice.options) == choice.key for choice, fold in both]),
    ]


# ---- as files --------------------------------------------------------------------------------------------------------


def as_json(found: TextShortcuts) -> dict[str, Any]:
    """Return everything as JSON values, except the items that are not flagged."""
    return {
        "title": found.title,
        "which": found.which,
        "chance": found.chance,
        "baselines": {name: _told(figure) for name, figure in found.baselines},
        "text_only": {name: _told(figure) for name, figure in found.text_only},
        "places": [place.as_json() for place in found.places],
        "items": len(found.items),
        "skipped": list(found.skipped),
        "without_source": found.without_source,
        "flagged": [
            {
                "item": score.choice.id,
                "p_key": score.p_key,
                "p_value": score.p_value,
                "reasons": list(score.reasons),
            }
            for score in found.flagged
        ],
    }


def _told(figure: Figure) -> dict[str, Any]:
    return {"value": figure.value, "low": figure.low, "high": figure.high, "method": figure.method, "n": figure.n_units}


def to_author(each: ItemScore) -> str:
    """Return the reason for sending an item back to its author; empty if there is none."""
    sentences = []
    if each.right or each.flagged:
        words = "; ".join(each.reasons) or "many words together, but no single word"
        sentences.append(f"The question and options reveal the right option without the image: {words}.")
    if rules := rules_that_pick(each.choice):
        sentences.append(f"Rules that ignore the image also pick the right option: {', '.join(rules)}.")
    return " ".join(sentences) if each.flagged or len(sentences) == 1 or each.right else ""


def as_csv(found: TextShortcuts) -> str:
    """Return a CSV file with a row for each item, in the order of ``items``."""
    out = io.StringIO(newline="")
    writer = Writer(out)
    writer.writerow(
        ("item", "dimension", "source", "options", "right", "picks", "p_key", "p_value", "flagged", "reasons")
    )
    for item in found.items:
        own = item.choice
        writer.writerow(
            (
                own.id,
                own.dimension,
                own.source or "",
                len(own.options),
                own.key + 1,
                item.picks + 1,
                f"{item.p_key:.6f}",
                f"{item.p_value:.6g}",
                "yes" if item.flagged else "no",
                "; ".join(item.reasons),
            )
        )
    return out.getvalue()
