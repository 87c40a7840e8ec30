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
    yield "set_items", "Items and media", "counts of different items and media", list(_items(whole))
    yield "set_texts", "Questions and answers", "words, unless the column names another unit", _TEXTS
    yield "set_types", "Types of questions", "questions by their first word", _types(whole)
    yield "set_goals", "Goals and actions", "counts, unless the column names another unit", _GOALS
    yield "set_shortcuts", "Shortcuts", "accuracy of rules that do not use the image", _shortcuts(whole)


def _items(whole: SetTally) -> Iterator[SetColumn]:
    """Yield the columns of items and media. A value that both a field and an imported label give has two columns."""
    for column in _ITEMS:
        name = _SAID_IN.get(column.title)
        if name is None or not whole.is_told_twice(name):
            yield column
        else:
            meaning = f"Number of different values of the field for `{name}`. Imported labels have a separate column."
            yield SetColumn(f"{column.title}, field", meaning, partial(_in_fields, name))
            meaning = f"Number of different values of the imported label `{name}`. The field has a separate column."
            yield SetColumn(f"{column.title}, imported labels", meaning, partial(_in_labels, name))


def _in_fields(name: str, tally: SetTally) -> int:
    return len(tally.in_fields.get(name, ()))


def _in_labels(name: str, tally: SetTally) -> int:
    return len(tally.in_labels.get(name, ()))


_SAID_IN = {"Concepts": "concept", "Scenes": "scene", "Videos": "video"}
"""The columns that fields or imported labels fill, and the name of the label."""

_ITEMS = (
    SetColumn("Items", "Counted items.", lambda tally: tally.items),
    SetColumn(
        "Concepts",
        (
            "Number of different concepts in the items' field `concept`. Without this field, Touchstone uses "
            "the imported label. The creators of the data set decide which words count as concepts."
        ),
        lambda tally: len(tally.concepts),
    ),
    SetColumn(
        "Scenes",
        "Number of different scenes in the items' field `scene`. Without this field, Touchstone uses the imported "
        "label. Without a field or label, each video is a scene. In EPIC-KITCHENS, each participant is a scene, "
        "because each participant has one kitchen (our definition).",
        lambda tally: len(tally.scenes),
    ),
    SetColumn("Videos", "Number of different videos or other media sources.", lambda tally: len(tally.videos)),
    SetColumn("Images", "Number of different image names.", lambda tally: len(tally.images)),
    SetColumn("Clips", "Number of different clip names.", lambda tally: len(tally.clips)),
    SetColumn(
        "Clips, minutes",
        "Total length of the clips with a known duration.",
        lambda tally: round(tally.clip_seconds / 60, _FEW),
    ),
    SetColumn("Clips, seconds each", "Mean length of the clips with a known duration.", lambda tally: _per_clip(tally)),
)


def _per_clip(tally: SetTally) -> float | None:
    return round(tally.clip_seconds / tally.clips_timed, _FEW) if tally.clips_timed else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _FEW)


_WORDS = "Spaces separate words (our definition, because the papers do not define words)."
_TEXTS = (
    SetColumn(
        "Question, mean",
        f"Mean number of words in a question. {_WORDS}",
        lambda tally: _rounded(tally.question_words.mean),
    ),
    SetColumn(
        "Question, median", f"Median number of words in a question. {_WORDS}", lambda tally: tally.question_words.median
    ),
    SetColumn(
        "Question, least",
        f"Number of words in the shortest question. {_WORDS}",
        lambda tally: tally.question_words.least,
    ),
    SetColumn(
        "Question, most", f"Number of words in the longest question. {_WORDS}", lambda tally: tally.question_words.most
    ),
    SetColumn(
        "Answer, mean",
        f"Mean number of words in a right answer. {_WORDS}",
        lambda tally: _rounded(tally.answer_words.mean),
    ),
    SetColumn(
        "Answer, median", f"Median number of words in a right answer. {_WORDS}", lambda tally: tally.answer_words.median
    ),
    SetColumn(
        "Answer, least",
        f"Number of words in the shortest right answer. {_WORDS}",
        lambda tally: tally.answer_words.least,
    ),
    SetColumn(
        "Answer, most", f"Number of words in the longest right answer. {_WORDS}", lambda tally: tally.answer_words.most
    ),
    SetColumn(
        "Different words",
        "Number of different words in all questions, in lower case and without surrounding punctuation (our "
        "definition).",
        lambda tally: len(tally.words),
    ),
    SetColumn(
        "Different word pairs",
        "Number of different pairs of adjacent words in questions (our definition).",
        lambda tally: len(tally.pairs),
    ),
    SetColumn(
        "Different answers",
        "Number of different right answers, ignoring case, spaces and a final period (our definition).",
        lambda tally: len(tally.answers),
    ),
    SetColumn(
        "Most common answer",
        "Share of items with the most common right answer. A model that always gives this answer reaches this "
        "accuracy (our definition).",
        lambda tally: _commonest(tally),
    ),
    SetColumn(
        "Question types",
        "Number of question types by first word (what, which, where, when, why, who, whose, whom, how). All other "
        "questions are one type (our definition, because the EgoThink paper only names the words).",
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
            f"Number of questions that begin with `{word}`."
            if word != OTHER
            else "Number of questions with another first word.",
            partial(_of_type, word),
        )
        for word in words
    ]


def _of_type(word: str, tally: SetTally) -> int:
    return tally.types[word]


_GOALS = (
    SetColumn(
        "Goals",
        "Number of different goals, ignoring case, spaces and a final period (our definition).",
        lambda tally: len(tally.goals),
    ),
    SetColumn(
        "Questions per goal, mean",
        "Mean number of questions per goal.",
        lambda tally: _rounded(tally.goals.total() / len(tally.goals)) if tally.goals else None,
    ),
    SetColumn(
        "Questions per goal, maximum",
        "Number of questions for the goal with the most questions.",
        lambda tally: max(tally.goals.values(), default=None),
    ),
    SetColumn(
        "Actions",
        "Number of different options in all questions with a goal, in lower case (our definition). The "
        "EgoPlan-Bench paper counts verbs and objects, but does not say how.",
        lambda tally: len(tally.actions),
    ),
    SetColumn(
        "Actions per goal, mean",
        "Mean number of different options in a goal's questions (our definition).",
        lambda tally: _rounded(sum(map(len, tally.goal_actions.values())) / len(tally.goals)) if tally.goals else None,
    ),
    SetColumn(
        "Actions per goal, median",
        "Median number of different options in a goal's questions. If there are two middle values, Touchstone uses "
        "the lower value.",
        lambda tally: middle(map(len, tally.goal_actions.values())),
    ),
    SetColumn(
        "Actions per goal, maximum",
        "Number of actions for the goal with the most actions.",
        lambda tally: max(map(len, tally.goal_actions.values()), default=None),
    ),
    SetColumn(
        "First words",
        "Number of different first words of actions, mostly verbs (our definition).",
        lambda tally: len(tally.first_words),
    ),
    SetColumn(
        "What follows them",
        "Number of different actions without their first word, mostly objects (our definition).",
        lambda tally: len(tally.rests),
    ),
)


def _shortcuts(whole: SetTally) -> list[SetColumn]:
    if not whole.longest:
        return []
    last = max(whole.places)
    return [
        *(
            SetColumn(
                f"Position {place}", f"Items with the right option in position {place}.", partial(_in_place, place)
            )
            for place in range(1, last + 1)
        ),
        SetColumn(
            "Most common position",
            "Accuracy of always choosing the most common position of right options. The same items determine this "
            "position, so expect a value slightly above chance.",
            _best_place,
        ),
        SetColumn(
            "Longest option",
            "Accuracy of always choosing the option with the most characters, or the first of several equally long "
            "options. Limits are clustered by video if videos are known (our definition).",
            _longest,
        ),
        SetColumn("Chance", "Accuracy of choosing a random option.", _chance),
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
