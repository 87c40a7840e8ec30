"""The boundary between a prompt and an option, for any tokenizer, local or on a server.

Three rules make a score correct. An option's tokens are those that it has when prompt and option are tokenized
together. A space between them belongs to the option. If one option is the beginning of another, the end of the answer
counts too; otherwise the shorter one could never lose under a sum.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

Token = TypeVar("Token", bound=Hashable)

NO_OPTIONS = "The item has no options to rank. Choose items with options, or use the strategy generate."


class CannotRank(Exception):
    """This question's options cannot be ranked by this model. The message is a sentence with the reason."""


def check_options(options: Sequence[str]) -> None:
    """Raise an error for options without a likelihood.

    Raises
    ------
    CannotRank
        The list has no option, or an empty one.
    """
    if not options:
        raise CannotRank(NO_OPTIONS)
    for option in options:
        if not option.strip():
            raise CannotRank(
                "One option is empty, so Touchstone cannot compute the option's likelihood. Correct the item."
            )


def joined(prompt: str, options: Sequence[str], special: Sequence[str] = ()) -> tuple[str, str, list[str]]:
    """Return the prompt without the part that belongs to the options, the text in between, and each option with it.

    A space at the end of the prompt moves to the options. Without one, options get a space, unless they begin with one,
    or the prompt ends with a line break or one of the ``special`` texts, which are tokens of their own.

    >>> joined("Next: ", ["cut", " peel"])
    ('Next:', ' ', [' cut', ' peel'])
    """
    kept = prompt.rstrip(" ")
    joint = prompt[len(kept) :]
    if not joint and kept and not kept[-1].isspace() and not kept.endswith(tuple(special)):
        joint = " "
    return kept, joint, [option if joint == " " and option.startswith(" ") else joint + option for option in options]


def tokens_after(head: Sequence[Token], whole: Sequence[Token], option: str) -> tuple[Token, ...]:
    """Return the option's tokens: the part of ``whole`` (prompt and option as one text) after ``head`` (the prompt).

    Raises
    ------
    CannotRank
        The option's first letters share a token with the end of the prompt.
    """
    if list(whole[: len(head)]) != list(head) or len(whole) == len(head):
        raise CannotRank(
            f"The tokenizer merges the end of the prompt and the start of the option “{option}” into one "
            "token. Touchstone therefore cannot compute the option's likelihood. End the prompt with a "
            "line break or a period."
        )
    return tuple(whole[len(head) :])


def one_begins_another(options: Sequence[Sequence[Token]]) -> bool:
    """Return whether the tokens of one option are the beginning of another's."""
    return any(a != b and b[: len(a)] == a for a in options for b in options)
