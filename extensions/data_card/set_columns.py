"""The columns of a data set's statistics, each with its definition.

Definitions that papers leave open are our own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from agreement.means import share
from extensions.data_card.set_tally import SetTally, middle
from reports.content import Cell, Figure
from workflow.releases.plain_texts import INTERROGATIVES, OTHER
from workflow.releases.text_rules import share_right

_FEW = 2
"""Decimals of lengths."""


@dataclass(frozen=True)
class SetColumn:
    """A number of every dimension."""

    title: str
    meaning: str
    """The definition as a sentence; ours if papers leave it open."""
    of: Callable[[SetTally], Cell]


def layout(whole: SetTally) -> Iterator[tuple[str, str, str, Sequence[SetColumn]]]:
    """Yield every table: its key, its title, the unit of its numbers, and its columns."""
    yield "set_items", "Items and media", "numbers of different things", list(_items(whole))
    yield "set_texts", "Questions and answers", "words, unless it says otherwise", _TEXTS
    yield "set_types", "Types of questions", "questions by the word that they begin with", _types(whole)
    yield "set_goals", "Goals and actions", "numbers of different things, unless it says otherwise", _GOALS
    yield "set_shortcuts", "Shortcuts", "how often a rule that looks at no image is right", _shortcuts(whole)


def _items(whole: SetTally) -> Iterator[SetColumn]:
    """Yield the columns of items and media. A value that both a field and an imported label give has two columns."""
    for column in _ITEMS:
        name = _SAID_IN.get(column.title)
        if name is None or not whole.is_told_twice(name):
            yield column
        else:
            meaning = f"Different values of the field for `{name}`. Imported labels have a column of their own."
            yield SetColumn(f"{column.title}, field", meaning, partial(_in_fields, name))
            meaning = f"Different values of the imported label `{name}`. The field has a column of its own."
            yield SetColumn(f"{column.title}, imported labels", meaning, partial(_in_labels, name))


def _in_fields(name: str, tally: SetTally) -> int:
    return len(tally.in_fields.get(name, ()))


def _in_labels(name: str, tally: SetTally) -> int:
    return len(tally.in_labels.get(name, ()))


_SAID_IN = {"Concepts": "concept", "Scenes": "scene", "Videos": "video"}
"""The columns that fields or imported labels fill, and the name of the label."""

_ITEMS = (
    SetColumn("Items", "Items that are counted.", lambda tally: tally.items),
    SetColumn(
        "Concepts",
        "Different concepts, as the field `concept` of the items says them, and else the imported label; which words "
        "are a concept is the makers' to say.",
        lambda tally: len(tally.concepts),
    ),
    SetColumn(
        "Scenes",
        "Different scenes, as the field `scene` says them, and else the imported label. Where items name their video "
        "instead, a scene is a video, and of EPIC-KITCHENS a participant, who has one kitchen (ours).",
        lambda tally: len(tally.scenes),
    ),
    SetColumn("Videos", "Different videos or other sources that media came from.", lambda tally: len(tally.videos)),
    SetColumn("Images", "Different images, by their names.", lambda tally: len(tally.images)),
    SetColumn("Clips", "Different clips, by their names.", lambda tally: len(tally.clips)),
    SetColumn(
        "Clips, minutes", "Of the clips whose duration is known.", lambda tally: round(tally.clip_seconds / 60, _FEW)
    ),
    SetColumn("Clips, seconds each", "Mean over the clips whose duration is known.", lambda tally: _per_clip(tally)),
)


def _per_clip(tally: SetTally) -> float | None:
    return round(tally.clip_seconds / tally.clips_timed, _FEW) if tally.clips_timed else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _FEW)


_WORDS = "A word is what stands between spaces (ours; the papers do not say)."
_TEXTS = (
    SetColumn(
        "Question, mean", f"Mean words of a question. {_WORDS}", lambda tally: _rounded(tally.question_words.mean)
    ),
    SetColumn("Question, median", f"Median. {_WORDS}", lambda tally: tally.question_words.median),
    SetColumn("Question, least", f"Of the shortest question. {_WORDS}", lambda tally: tally.question_words.least),
    SetColumn("Question, most", f"Of the longest question. {_WORDS}", lambda tally: tally.question_words.most),
    SetColumn(
        "Answer, mean", f"Mean words of a right answer. {_WORDS}", lambda tally: _rounded(tally.answer_words.mean)
    ),
    SetColumn("Answer, median", f"Median. {_WORDS}", lambda tally: tally.answer_words.median),
    SetColumn("Answer, least", f"Of the shortest right answer. {_WORDS}", lambda tally: tally.answer_words.least),
    SetColumn("Answer, most", f"Of the longest right answer. {_WORDS}", lambda tally: tally.answer_words.most),
    SetColumn(
        "Different words",
        "Different words of all questions, in small letters and without what stands around them (ours).",
        lambda tally: len(tally.words),
    ),
    SetColumn(
        "Different word pairs",
        "Different pairs of neighbouring words of questions (ours).",
        lambda tally: len(tally.pairs),
    ),
    SetColumn(
        "Different answers",
        "Right answers that differ by more than capitals, spaces and a full stop at the end (ours).",
        lambda tally: len(tally.answers),
    ),
    SetColumn(
        "Commonest answer",
        "The share of right answers that are the most common one: what a constant answer would score (ours).",
        lambda tally: _commonest(tally),
    ),
    SetColumn(
        "Question types",
        "Different types: a question is of the interrogative that it begins with (what, which, where, when, why, who, "
        "whose, whom, how), or of none; all of none are one type (ours: the paper of EgoThink names the "
        "interrogatives, and not what becomes of the others).",
        lambda tally: len(tally.types),
    ),
)


def _commonest(tally: SetTally) -> Figure | None:
    n = tally.answers.total()
    return _share([True] * (most := max(tally.answers.values())) + [False] * (n - most)) if n else None


def _share(hits: Sequence[bool]) -> Figure:
    return Figure.of(share([float(hit) for hit in hits]), share=True)


def _types(whole: SetTally) -> list[SetColumn]:
    words = [word for word in (*INTERROGATIVES, OTHER) if whole.types[word]]
    return [
        SetColumn(
            word if word != OTHER else "others",
            f"Questions that begin with `{word}`." if word != OTHER else "Questions that begin with none of these.",
            partial(_of_type, word),
        )
        for word in words
    ]


def _of_type(word: str, tally: SetTally) -> int:
    return tally.types[word]


_GOALS = (
    SetColumn(
        "Goals",
        "Different goals: those that differ by more than capitals, spaces and a full stop at the end (ours).",
        lambda tally: len(tally.goals),
    ),
    SetColumn(
        "Questions per goal, mean",
        "Mean over goals.",
        lambda tally: _rounded(tally.goals.total() / len(tally.goals)) if tally.goals else None,
    ),
    SetColumn(
        "Questions per goal, most",
        "Of the goal with the most.",
        lambda tally: max(tally.goals.values(), default=None),
    ),
    SetColumn(
        "Actions",
        "Different options of all questions that have a goal, in small letters (ours: as they stand; how the paper of "
        "EgoPlan-Bench takes verbs and objects out of them, it does not say).",
        lambda tally: len(tally.actions),
    ),
    SetColumn(
        "Actions per goal, mean",
        "Mean over goals of the different options of a goal's questions (ours).",
        lambda tally: _rounded(sum(map(len, tally.goal_actions.values())) / len(tally.goals)) if tally.goals else None,
    ),
    SetColumn(
        "Actions per goal, median",
        "The lower of two medians.",
        lambda tally: middle(map(len, tally.goal_actions.values())),
    ),
    SetColumn(
        "Actions per goal, most",
        "Of the goal with the most.",
        lambda tally: max(map(len, tally.goal_actions.values()), default=None),
    ),
    SetColumn(
        "First words", "Different first words of actions: most are verbs (ours).", lambda tally: len(tally.first_words)
    ),
    SetColumn(
        "What follows them",
        "Different rests of actions without the first word: objects, and what is said of them (ours).",
        lambda tally: len(tally.rests),
    ),
)


def _shortcuts(whole: SetTally) -> list[SetColumn]:
    if not whole.longest:
        return []
    last = max(whole.places)
    return [
        *(
            SetColumn(f"Place {place}", f"Items whose right option stands in place {place}.", partial(_in_place, place))
            for place in range(1, last + 1)
        ),
        SetColumn(
            "Commonest place",
            "How often the option in the place where right ones stand most is right. It is chosen after looking, so a "
            "little above chance is to be expected.",
            _best_place,
        ),
        SetColumn(
            "Longest option",
            "How often the option with the most characters is right, the first of several. Limits are by video, where "
            "one is known (ours).",
            _longest,
        ),
        SetColumn("Chance", "How often an option drawn blindly is right.", _chance),
    ]


def _in_place(place: int, tally: SetTally) -> int:
    return tally.places[place]


def _best_place(tally: SetTally) -> Figure | None:
    n = tally.places.total()
    return _share([True] * (most := max(tally.places.values())) + [False] * (n - most)) if n else None


def _longest(tally: SetTally) -> Figure | None:
    return Figure.of(share_right(tally.longest, tally.longest_of), share=True) if tally.longest else None


def _chance(tally: SetTally) -> str | None:
    n = tally.offered.total()
    return f"{100 * sum(times / options for options, times in sorted(tally.offered.items())) / n:.1f} %" if n else None
