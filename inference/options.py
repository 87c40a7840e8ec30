"""Where a prompt ends and an option begins, whoever tokenises the two: on this machine, or a server.

What decides whether a score is right: an option's tokens are those it has when prompt and option are tokenised
together; a space between them belongs to the option; where one option is the beginning of another, the end of the
answer counts as well, or the shorter one could never lose under a sum.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

Token = TypeVar("Token", bound=Hashable)

NO_OPTIONS = "The item has no options to rank."


class CannotRank(Exception):
    """This question's options cannot be ranked by this model; the message is a sentence that says why."""


def check_options(options: Sequence[str]) -> None:
    """Refuse what has no likelihood.

    Raises
    ------
    CannotRank
        There is no option, or one is empty.
    """
    if not options:
        raise CannotRank(NO_OPTIONS)
    for option in options:
        if not option.strip():
            raise CannotRank("One of the options is empty, so it has no likelihood.")


def joined(prompt: str, options: Sequence[str], special: Sequence[str] = ()) -> tuple[str, str, list[str]]:
    """The prompt without what belongs to the options, what stands between them, and each option with that.

    A space at the end of the prompt goes to the options. Without one they get a space, unless they bring it, or the
    prompt ends with a line break or one of the ``special`` texts, which stand for tokens of their own.

    >>> joined("Next: ", ["cut", " peel"])
    ('Next:', ' ', [' cut', ' peel'])
    """
    kept = prompt.rstrip(" ")
    joint = prompt[len(kept) :]
    if not joint and kept and not kept[-1].isspace() and not kept.endswith(tuple(special)):
        joint = " "
    return kept, joint, [option if joint == " " and option.startswith(" ") else joint + option for option in options]


def tokens_after(head: Sequence[Token], whole: Sequence[Token], option: str) -> tuple[Token, ...]:
    """The option's tokens: those of ``whole``, prompt and option as one text, that come after ``head``, the prompt.

    Raises
    ------
    CannotRank
        The option's first letters are in one token with the prompt's last.
    """
    if list(whole[: len(head)]) != list(head) or len(whole) == len(head):
        raise CannotRank(
            f"The tokeniser puts the end of the prompt and the beginning of the option “{option}” into one token, "
            "so that the option has no likelihood of its own: end the prompt with a line break or a full stop."
        )
    return tuple(whole[len(head) :])


def one_begins_another(options: Sequence[Sequence[Token]]) -> bool:
    """Whether the tokens of one option are the beginning of those of another."""
    return any(a != b and b[: len(a)] == a for a in options for b in options)
