"""Where a prompt ends and an option begins: worked out by hand with a tokeniser of single letters."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

from extensions.local_models.option_tokens import cut
from inference.options import CannotRank

# Looked for, not imported: collecting tests takes seconds less.
pytestmark = pytest.mark.skipif(find_spec("transformers") is None, reason="the extra `models` is not installed")

LETTERS = list("abcdnop:t \n")
"""Their places are their tokens: a 0, b 1, c 2, d 3, n 4, o 5, p 6, colon 7, t 8, space 9, line break 10."""
MERGED = {" o": 11, ": ": 12, "<end>": 13, "</s>": 14}


def tokenizer(*merges: str, end: bool = True) -> Any:
    """Every letter is a token; ``merges`` are pairs that become one."""
    from tokenizers import AddedToken, Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    vocab = {letter: number for number, letter in enumerate(LETTERS)} | MERGED
    built = Tokenizer(models.BPE(vocab=vocab, merges=[(pair[0], pair[1]) for pair in merges]))
    built.add_special_tokens([AddedToken("<end>", special=True), AddedToken("</s>", special=True)])
    return PreTrainedTokenizerFast(tokenizer_object=built, eos_token="</s>" if end else None)


@pytest.mark.thorough
def test_a_space_comes_between_and_belongs_to_the_option() -> None:
    found = cut(tokenizer(" o"), "at:", ["cap", "on"])
    assert (found.prompt, found.joint, found.end) == ("at:", " ", False)
    assert found.tokens == ((9, 2, 0, 6), (11, 4))  # " o" is one token, which "at: " and "on" alone never give


@pytest.mark.thorough
def test_a_space_that_the_prompt_ends_with_goes_to_the_option() -> None:
    assert cut(tokenizer(" o"), "at: ", ["cap", "on"]) == cut(tokenizer(" o"), "at:", ["cap", "on"])
    assert cut(tokenizer(), "at:  ", ["on"]).tokens == ((9, 9, 5, 4),)


def test_an_option_with_a_space_of_its_own_gets_no_second_one() -> None:
    assert cut(tokenizer(), "at:", [" on", "cap"]).tokens == ((9, 5, 4), (9, 2, 0, 6))


def test_after_a_line_break_or_a_special_token_nothing_comes_between() -> None:
    assert cut(tokenizer(), "at:\n", ["on"]).tokens == ((5, 4),)
    assert cut(tokenizer(), "at<end>", ["on"], ["</s>", "<end>"]).tokens == ((5, 4),)


def test_an_option_that_grows_together_with_the_prompt_is_refused() -> None:
    with pytest.raises(CannotRank, match="the start of the option “cap” into one token"):
        cut(tokenizer(": "), "at:", ["cap"])
    assert cut(tokenizer(": "), "at", ["cap"]).tokens == ((9, 2, 0, 6),)


def test_the_end_counts_where_one_option_is_the_beginning_of_another() -> None:
    found = cut(tokenizer(), "at:", ["cap", "ca", "on"])
    assert found.end
    assert found.tokens == ((9, 2, 0, 6, -1), (9, 2, 0, -1), (9, 5, 4, -1))


def test_an_option_that_is_there_twice_is_no_beginning_of_another() -> None:
    found = cut(tokenizer(), "at:", ["on", "cap", "on"])
    assert not found.end
    assert found.tokens[0] == found.tokens[2]


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_option_is_refused(empty: str) -> None:
    with pytest.raises(CannotRank, match="empty"):
        cut(tokenizer(), "at:", ["on", empty])
