"""The outline of a new schema: the answers to a few questions, checked one by one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation_schemas import judge_templates
from annotation_schemas.grammar import MOST, no_name
from domain import extensions

SLOTS = {"image": "kind: image", "images": "kind: image, min: 1, max: 10", "clip": "kind: clip"}
"""The possible contents of a role, in the schema's terms."""
LONGEST_NAME = 64
"""The maximum number of characters in a project's name."""
TAKEN = ("question", "options", "answer", "prediction", "dimension")
"""Names that the schema uses itself, so that no role has them."""


class AnswerIs(StrEnum):
    """The type of an item's answer."""

    TEXT = "text"
    OPTIONS = "options"
    YES_NO = "yes_no"
    NUMBER = "number"
    TIME_SPAN = "time_span"


class Check(StrEnum):
    """How people check an item: they see its answer and say whether it is right, or they find the answer themselves."""

    RIGHT = "right"
    BLIND = "blind"


class KeptBy(StrEnum):
    """The number of checking people who must find an item right."""

    UNANIMOUS = "unanimous"
    MAJORITY = "majority"


@dataclass(frozen=True)
class Outline:
    """The questions of a new schema. The functions below make sure that its parts match."""

    name: str
    title: str
    shows: Mapping[str, str]
    """The content of each role, a key of ``SLOTS``."""
    question: str
    """An example of an item's question."""
    answer: AnswerIs
    dimensions: Mapping[str, str]
    """Ids with their titles."""
    raters: int
    check: Check
    keep: KeptBy
    graded: bool
    judged: bool
    template: str
    """Of the judge, where there is one: a name of ``templates_for``."""


def name_from(text: str) -> str:
    """A text as a name: small letters, digits and underscores; empty where nothing of it can be one."""
    plain = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")


def checked_name(text: str) -> str:
    """Return a valid name of a schema and its projects. Raise ``ValueError`` with a sentence for others."""
    if not text:
        raise ValueError("Give the benchmark a name with lowercase letters, digits and underscores.")
    if len(text) > LONGEST_NAME:
        raise ValueError(f"Shorten the name to at most {LONGEST_NAME} characters.")
    if wrong := no_name(text):
        raise ValueError(f"{wrong}.")
    return text


def checked_title(text: str) -> str:
    """Return a title without blanks around it. Raise ``ValueError`` with a sentence if it is no single line."""
    if not text.strip():
        raise ValueError("Write at least one word.")
    if not text.isprintable():
        raise ValueError("Write one line without line breaks or control characters.")
    return text.strip()


def roles(text: str) -> dict[str, str]:
    """What an item shows: ``image``, ``images`` or ``clip``, or roles with what each holds (``before=image,
    after=image``). Raises ``ValueError`` with a sentence."""
    roles: dict[str, str] = {}
    for role, _, holds in _listed(text):
        holds = holds or role
        if holds not in SLOTS:
            known = ", ".join(SLOTS)
            raise ValueError(f"Items cannot show `{holds}`. Write {known}, or ROLE=image for each role.")
        if wrong := no_name(role):
            raise ValueError(f"{wrong}.")
        if role in TAKEN:
            raise ValueError(f"`{role}` has another meaning in the schema. Give the role another name.")
        if role in roles:
            raise ValueError(f"The role `{role}` appears twice. Give each role its own name.")
        roles[role] = holds
    return roles


def dimensions(text: str) -> dict[str, str]:
    """Titles of dimensions with commas between them, or ``id=Title``, as ids with titles. Raises ``ValueError`` with a
    sentence."""
    dimensions: dict[str, str] = {}
    for before, equals, after in _listed(text):
        id, title = (before, after) if equals else (name_from(before), before)
        if no_name(id):
            raise ValueError(
                f"`{before}` cannot become an ID. Write ID=TITLE with an ID in lowercase letters, such as one={title}."
            )
        if id in dimensions:
            raise ValueError(f"The dimension `{id}` appears twice. Give each dimension its own name.")
        dimensions[id] = checked_title(title)
    return dimensions


def people(text: str) -> int:
    """Return a number of people. Raise ``ValueError`` with a sentence if the text is no such number."""
    if not re.fullmatch(r"[0-9]{1,4}", text) or not 1 <= int(text) <= MOST:
        raise ValueError(f"Write a number from 1 to {MOST:,}.")
    return int(text)


def yes_or_no(text: str) -> bool:
    """Return whether the answer is yes. Raise ``ValueError`` with a sentence if it is neither yes nor no."""
    choice = {"yes": True, "y": True, "no": False, "n": False}.get(text.lower())
    if choice is None:
        raise ValueError("Write yes or no.")
    return choice


def one_of(known: type[StrEnum], text: str) -> StrEnum:
    """Return the value with this name. Raise ``ValueError`` with a sentence if there is none."""
    if text not in list(known):
        raise ValueError(f"`{text}` is unknown. Use one of {', '.join(known)}.")
    return known(text)


def answer_of(text: str, shows: Mapping[str, str]) -> AnswerIs:
    """Return the type of an item's answer.

    Raise ``ValueError`` with a sentence for an invalid one, for a time span without a clip, and without the extension
    that adds the kind.
    """
    answer = AnswerIs(one_of(AnswerIs, text))
    if answer is AnswerIs.TIME_SPAN and "clip" not in shows.values():
        raise ValueError("A time span needs a clip. Let items show a clip, or choose another kind of answer.")
    if away := extensions.missing("kinds", answer):
        raise ValueError(away)
    return answer


def check_of(text: str, answer: AnswerIs) -> Check:
    """How people check an item. Raises ``ValueError`` with a sentence, also where two people seldom find
    equal answers."""
    check = Check(one_of(Check, text))
    if check is Check.BLIND and not can_be_blind(answer):
        raise ValueError(
            "Two people rarely write the same text, so their blind answers differ. Use `right` to ask whether the "
            "author's answer is right."
        )
    return check


def can_be_blind(answer: AnswerIs) -> bool:
    """Return whether people's own answers can be compared with the item's."""
    return answer is not AnswerIs.TEXT


def keep_of(text: str, raters: int) -> KeptBy:
    """What keeps an item. Raises ``ValueError`` with a sentence, also where a majority is everyone."""
    keep = KeptBy(one_of(KeptBy, text))
    if keep is KeptBy.MAJORITY and raters < 3:
        raise ValueError(
            f"With {raters} raters, a majority means all raters. Ask 3 or more people, or write `unanimous`."
        )
    return keep


@dataclass(frozen=True)
class JudgeSettings:
    """Settings of an included judge template in a new schema."""

    criterion: str
    """The rated criterion of grading or verification."""
    sees: tuple[str, ...]
    fills: Mapping[str, str]
    values: str
    """Return the text as YAML."""


JUDGES = {
    "egothink_single": JudgeSettings(
        "score", ("question", "answer", "prediction"), {"ref_answer_1": "answer", "answer": "prediction"}, "[0, 0.5, 1]"
    ),
    "etp_answer": JudgeSettings(
        "score",
        ("answer", "prediction", "dimension"),
        {"aspect": "dimension", "ref_answer": "answer", "answer": "prediction"},
        "[0, 0.5, 1]",
    ),
    "verify_reference": JudgeSettings("right", ("question", "answer"), {}, '["yes", "no"]'),
}
"""Templates that a new schema has everything for: the answers that their placeholders want, on the scale."""


def templates_for(*, graded: bool, check: Check) -> list[str]:
    """The judge templates that such a schema can use: those that rate what people rate there."""
    rated = {"score": graded, "right": check is Check.RIGHT}
    return [name for name, asked in JUDGES.items() if rated[asked.criterion]]


def judged_of(text: str, *, fitting: Sequence[str]) -> bool:
    """Return whether a judge rates next to people. Raise ``ValueError`` with a sentence if no template can."""
    judged = yes_or_no(text)
    if judged and not fitting:
        raise ValueError("Touchstone compares a judge with people's grades. Let people grade models' answers, too.")
    return judged


def template_of(text: str, *, judged: bool, fitting: Sequence[str]) -> str:
    """Return the judge's template. Raise ``ValueError`` with a sentence if people do not rate what it rates."""
    if not judged:
        return text
    if text in fitting:
        return text
    if text in JUDGES:
        what = (
            "Nobody grades models' answers"
            if JUDGES[text].criterion == "score"
            else "People find the answer themselves"
        )
        raise ValueError(f"{what}, so Touchstone cannot compare `{text}` with people. Write {' or '.join(fitting)}.")
    if text in judge_templates.shipped():
        raise ValueError(
            f"`{text}` needs settings that a new schema does not have. Begin with {' or '.join(fitting)}, and change "
            "the template later."
        )
    raise ValueError(f"`{text}` is unknown. Use one of {', '.join(fitting)}.")


def _listed(text: str) -> list[tuple[str, str, str]]:
    entries = [tuple(part.strip() for part in entry.partition("=")) for entry in text.split(",") if entry.strip()]
    if not entries:
        raise ValueError("Name at least one dimension or role.")
    return [(before, equals, after) for before, equals, after in entries]
